"""Writes the reader of `joint.py` as a graph in 8 bits, made as `shipped.py` makes the encoder's.

    python export_reader.py CHECKPOINT ENCODER

CHECKPOINT may be a mean of several: `one.pt@0.35+other.pt@0.65`.

`reader/reader.onnx` is one graph for both texts. It reads `embedded` (the encoder's embeddings of a text), `is_question` (0 or 1) and `before`, the keys and
values of the state's tokens in each layer, of which there are none when the state itself is read. It gives `after`, its own keys
and values, and `logits`: yes, no, not told. `reader/embeddings.json` says where in the encoder's own file its embeddings are, so that there is
one copy of them.
"""

import json
import math
import sys
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper

from reader import EPSILON, HEADS, SIZE
from shipped import Graph, widen

WIDTH = SIZE // HEADS


def checkpoint_of(names: str) -> dict[str, torch.Tensor]:
    parts = [name.partition("@") for name in names.split("+")]
    some = [(torch.load(path, weights_only=True), float(share or 1)) for path, _, share in parts]
    return {name: sum(share * one[name] for one, share in some) for name in some[0][0]}


def weights_of(names: str) -> dict[str, np.ndarray]:
    """Named as those of the encoder are, so that the same functions make layers of them."""
    made = {}
    for name, value in checkpoint_of(names).items():
        parts = name.split(".")
        number = value.numpy().astype(np.float32)
        if parts[0] != "layers":
            made[name] = number
            continue
        at, kind, what = f"encoder.layer.{parts[1]}", parts[2], parts[3]
        if kind == "qkv":
            for one, rows in zip(("query", "key", "value"), np.split(number, 3)):
                made[f"{at}.attention.self.{one}.{what}"] = rows
        else:
            place = {"attended": "attention.output.dense", "first": "attention.output.LayerNorm"}
            place |= {"wide": "intermediate.dense", "narrow": "output.dense", "second": "output.LayerNorm"}
            made[f"{at}.{place[kind]}.{what}"] = number
    return made


def attend(graph: Graph, x: str, at: str, index: int, config) -> tuple[str, list[str]]:
    """As the encoder's attention, over the tokens that were before as well; what it adds to them is given too."""
    layers = [f"{at}.attention.self.{kind}" for kind in ("query", "key", "value")]
    parts = [f"{at}.{kind}" for kind in ("query", "key", "value")]
    graph.nodes.append(helper.make_node("Split", [graph.dense(x, layers, f"{at}.qkv")], parts, name=f"{at}.parts", axis=-1))
    split = graph.constant("split", np.array([0, 0, HEADS, WIDTH], dtype=np.int64))
    joined = graph.constant("joined", np.array([0, 0, SIZE], dtype=np.int64))
    query, key, value = (
        graph.add("Transpose", graph.add("Reshape", part, split, name=f"{part}.split"), name=f"{part}.heads", perm=[0, 2, 1, 3])
        for part in parts
    )
    keys, values = (
        graph.add("Concat", graph.add("Gather", "before", graph.constant(f"at.{place}", np.int64(place)), name=f"{part}.before", axis=0), part, name=f"{part}.all", axis=2)
        for place, part in ((2 * index, key), (2 * index + 1, value))
    )
    turned = graph.add("Transpose", keys, name=f"{at}.turned", perm=[0, 1, 3, 2])
    scale = graph.constant("scale", np.float32(1 / math.sqrt(WIDTH)))
    scores = graph.add("Mul", graph.add("MatMul", query, turned, name=f"{at}.raw"), scale, name=f"{at}.scores")
    mixed = graph.add("MatMul", graph.add("Softmax", scores, name=f"{at}.weights", axis=-1), values, name=f"{at}.mixed")
    mixed = graph.add("Reshape", graph.add("Transpose", mixed, name=f"{at}.back", perm=[0, 2, 1, 3]), joined, name=f"{at}.joined")
    out = graph.dense(mixed, [f"{at}.attention.output.dense"], f"{at}.attended")
    sum_ = graph.add("Add", out, x, name=f"{at}.attended.sum")
    return graph.norm(sum_, f"{at}.attention.output.LayerNorm", f"{at}.first", config["layer_norm_eps"]), [key, value]


def linear(graph: Graph, x: str, layer: str, name: str) -> str:
    """A small product in 32 bits."""
    weight = graph.constant(f"{layer}.weight", graph.weights[f"{layer}.weight"].T)
    product = graph.add("MatMul", x, weight, name=f"{name}.product")
    return graph.add("Add", product, graph.constant(f"{layer}.bias", graph.weights[f"{layer}.bias"]), name=name)


def reader_of(weights: dict[str, np.ndarray]) -> onnx.ModelProto:
    config = {"layer_norm_eps": EPSILON}
    graph = Graph(weights)
    marked = graph.add("Mul", "is_question", graph.constant("asked", weights["asked"]), name="marked")
    x = graph.add("Add", "embedded", marked, name="begun")
    after = []
    layers = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
    for index in range(layers):
        at = f"encoder.layer.{index}"
        x, own = attend(graph, x, at, index, config)
        after += [graph.add("Unsqueeze", one, graph.constant("front", np.array([0], dtype=np.int64)), name=f"{one}.after") for one in own]
        x = widen(graph, x, at, config)
    graph.add("Concat", *after, name="after", axis=0)
    first = graph.add("Gather", x, graph.constant("zero", np.int64(0)), name="first", axis=1)
    mean = graph.add("ReduceMean", x, name="mean", axes=[1], keepdims=0)
    inner = linear(graph, graph.add("Concat", first, mean, name="both", axis=-1), "hidden", "inner")
    gate = graph.add("Add", graph.add("Erf", graph.add("Mul", inner, "root", name="inner.scaled"), name="inner.erf"), "one", name="inner.gate")
    gelu = graph.add("Mul", graph.add("Mul", inner, gate, name="inner.gated"), "half", name="inner.gelu")
    graph.add("Identity", linear(graph, gelu, "out", "answer"), name="logits")
    count = 2 * layers
    value = helper.make_tensor_value_info
    inputs = [
        value("embedded", TensorProto.FLOAT, [1, "tokens", SIZE]),
        value("is_question", TensorProto.FLOAT, [1]),
        value("before", TensorProto.FLOAT, [count, 1, HEADS, "earlier", WIDTH]),
    ]
    outputs = [value("after", TensorProto.FLOAT, [count, 1, HEADS, "tokens", WIDTH]), value("logits", TensorProto.FLOAT, [1, 3])]
    made = helper.make_graph(graph.nodes, "reader", inputs, outputs, list(graph.initializers.values()))
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def places_of(path: Path) -> dict[str, dict]:
    """Where the numbers of the embeddings are in a graph's file."""
    whole, places = path.read_bytes(), {}
    names = ["first_type", *(f"embeddings.LayerNorm.{part}" for part in ("weight", "bias"))]
    names += [f"{table}_embeddings.{part}" for table in ("word", "position") for part in ("bytes", "scales")]
    for tensor in onnx.load(str(path)).graph.initializer:
        if tensor.name in names:
            at = whole.find(tensor.raw_data)
            assert at > 0 and whole.find(tensor.raw_data, at + 1) < 0, tensor.name
            places[tensor.name] = {"at": at, "bytes": len(tensor.raw_data)}
    assert len(places) == len(names)
    return dict(sorted(places.items()))


if __name__ == "__main__":
    encoder = Path(sys.argv[2])
    (encoder / "reader").mkdir(exist_ok=True)
    onnx.save(reader_of(weights_of(sys.argv[1])), encoder / "reader/reader.onnx")
    (encoder / "reader/embeddings.json").write_text(json.dumps(places_of(encoder / "model.onnx"), indent=2) + "\n")
