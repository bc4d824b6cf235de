"""Writes an encoder whose layers `searches.py` trained on, in the place of the one that it began as.

    python export_encoder.py CHECKPOINT ENCODER

The embeddings stay as they are, because the reader shares them.
"""

import hashlib
import json
import sys
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper

from shipped import WEIGHT_MOST

DENSE = ("qkv", "attended", "wide", "narrow")
NORMS = {"first": "attention.output.LayerNorm", "second": "output.LayerNorm"}


def put(model: onnx.ModelProto, layers: dict[str, np.ndarray]) -> None:
    """Layers in 8 bits, as `shipped.py` makes them; initializers keep their order and their sizes."""
    stored = {tensor.name: tensor for tensor in model.graph.initializer}
    for name, number in layers.items():
        _, at, kind, what = name.split(".")
        place = f"encoder.layer.{at}.{NORMS.get(kind, kind)}"
        made = {f"{place}.{what}": number.astype(np.float32)}
        if kind in DENSE and what == "weight":
            columns = number.T
            scale = np.maximum(np.abs(columns).max(axis=0), 1e-12) / WEIGHT_MOST
            made = {f"{place}.weight": np.round(columns / scale).astype(np.int8), f"{place}.scales": scale.astype(np.float32)}
        for target, value in made.items():
            stored[target].CopyFrom(numpy_helper.from_array(np.ascontiguousarray(value), target))


def main() -> None:
    checkpoint, encoder = Path(sys.argv[1]), Path(sys.argv[2])
    path = encoder / "model.onnx"
    model = onnx.load(str(path))
    put(model, {name: value.float().numpy() for name, value in torch.load(checkpoint, weights_only=True).items()})
    onnx.checker.check_model(model)
    onnx.save(model, path)
    digests = [hashlib.sha256((encoder / file).read_bytes()).digest() for file in ("model.onnx", "tokenizer.json")]
    config = json.loads((encoder / "config.json").read_text())
    config["version"] = hashlib.sha256(b"".join(digests)).hexdigest()[:16]
    (encoder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


if __name__ == "__main__":
    main()
