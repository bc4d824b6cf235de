"""Writes Sparrow Decider (nano, general) as an ONNX folder, from the weights in its wheel, and what its own Python answers.

    python make-sparrow.py WHEEL FOLDER

makes FOLDER/sparrow with the package's own settings and rows.json beside the graph: 200 questions with the probabilities
that `Decider.probs` of the package gives. The graph is written here, operation by operation, after `sparrow_decider/static.py`
(Apache-2.0; the weights are fine-tuned from potion-base-8M, MIT), and the tokenizer after its `wordpiece.py`.

A row holds the state behind [CLS], the question behind [SEP] and each option behind a [MASK] of its own.
"""

import json
import shutil
import sys
import zipfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from questions import write

MODEL = "sparrow-nano-general-v1.1"
OPENING = ["[CLS]", "[SEP]", "[MASK]"]


class Graph:
    """Nodes and weights of a graph, in the order in which they are written."""

    def __init__(self):
        self.nodes = []
        self.weights = []

    def constant(self, name, value):
        self.weights.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def add(self, op, *inputs, name, **attributes):
        self.nodes.append(helper.make_node(op, list(inputs), [name], name=name, **attributes))
        return name


def segments_of(graph, vocabulary):
    """The mean of the vectors of each segment. One without a word has that of the padding, as in the package."""
    number = lambda name, value: graph.constant(name, np.array(value, dtype=np.int64))
    zero, one = number("zero", 0), number("one", 1)
    ids = graph.add("Squeeze", "input_ids", number("first", [0]), name="ids")
    opens = [
        graph.add("Equal", ids, number(f"{token}.id", vocabulary[token]), name=f"is.{token}") for token in OPENING
    ]
    opening = graph.add("Or", graph.add("Or", *opens[:2], name="opens.two"), opens[2], name="opening")
    steps = graph.add("Cast", opening, name="steps", to=TensorProto.INT64)
    places = graph.add("CumSum", steps, zero, name="places")
    count = graph.add("ReduceMax", places, name="count", keepdims=0)
    ends = graph.add("Add", count, one, name="ends")
    rows = graph.add("Unsqueeze", graph.add("Range", one, ends, one, name="range"), number("last", [1]), name="rows")
    inside = graph.add("And", graph.add("Equal", rows, places, name="in"), graph.add("Not", opening, name="said"), name="inside")
    member = graph.add("Cast", inside, name="member", to=TensorProto.FLOAT)
    words = graph.add("Gather", "emb.weight", ids, name="words", axis=0)
    tokens = graph.add("ReduceSum", member, "last", name="tokens", keepdims=1)
    alone = graph.constant("one.float", np.float32(1))
    none = graph.add("Cast", graph.add("Less", tokens, alone, name="is.none"), name="none", to=TensorProto.FLOAT)
    padding = graph.add("Mul", none, graph.add("Gather", "emb.weight", zero, name="padding", axis=0), name="padded")
    sums = graph.add("Add", graph.add("MatMul", member, words, name="sums"), padding, name="sums.padded")
    return graph.add("Div", sums, graph.add("Max", tokens, alone, name="tokens.some"), name="segments")


def unit(graph, x, name):
    length = graph.add("ReduceL2", x, name=f"{name}.length", axes=[-1], keepdims=1)
    return graph.add("Div", x, graph.add("Max", length, "tiny", name=f"{name}.some"), name=f"{name}.unit")


def features_of(graph, segments):
    graph.constant("tiny", np.float32(1e-12))
    for index in range(4):
        graph.constant(f"from.{index}", np.array([index], dtype=np.int64))
    end = graph.constant("end", np.array([np.iinfo(np.int64).max], dtype=np.int64))
    part = lambda name, first, last: graph.add("Slice", segments, first, last, "from.0", name=name)
    kind = graph.add("Gather", "kind.weight", "qtype", name="kind", axis=0)
    asked = graph.add("Add", part("question", "from.1", "from.2"), kind, name="asked")
    s, q = unit(graph, part("state", "from.0", "from.1"), "s"), unit(graph, asked, "q")
    o = unit(graph, part("options", "from.2", end), "o")
    mean = graph.add("ReduceMean", o, name="mean", axes=[0], keepdims=1)
    so, qo = graph.add("Mul", s, o, name="s.o"), graph.add("Mul", q, o, name="q.o")
    sqo = graph.add("Mul", s, qo, name="s.q.o")
    contrast = graph.add("Sub", o, mean, name="o.contrast")
    apart = graph.add("Mul", graph.add("Sub", s, mean, name="s.contrast"), o, name="s.contrast.o")
    return graph.add("Concat", o, so, qo, sqo, contrast, apart, name="features", axis=1)


def dense(graph, x, layer, name, weights):
    weight = graph.constant(f"{layer}.weight", weights[f"{layer}.weight"].T)
    bias = graph.constant(f"{layer}.bias", weights[f"{layer}.bias"])
    return graph.add("Add", graph.add("MatMul", x, weight, name=f"{name}.product"), bias, name=name)


def gelu(graph, x, name):
    erf = graph.add("Erf", graph.add("Div", x, "root", name=f"{name}.scaled"), name=f"{name}.erf")
    gate = graph.add("Add", erf, "one.float", name=f"{name}.gate")
    return graph.add("Mul", graph.add("Mul", x, gate, name=f"{name}.gated"), "half", name=name)


def model_of(weights, vocabulary):
    graph = Graph()
    for name in ("emb.weight", "kind.weight"):
        graph.constant(name, weights[name])
    graph.constant("root", np.float32(np.sqrt(2)))
    graph.constant("half", np.float32(0.5))
    x = features_of(graph, segments_of(graph, vocabulary))
    x = gelu(graph, dense(graph, x, "mlp.0", "wide", weights), "wide.gelu")
    x = gelu(graph, dense(graph, x, "mlp.2", "narrow", weights), "narrow.gelu")
    x = dense(graph, x, "mlp.4", "scores", weights)
    graph.add("Transpose", x, name="logits", perm=[1, 0])
    inputs = [
        helper.make_tensor_value_info("input_ids", TensorProto.INT64, [1, "sequence"]),
        helper.make_tensor_value_info("qtype", TensorProto.INT64, [1]),
    ]
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, [1, "options"])]
    made = helper.make_graph(graph.nodes, "segments", inputs, outputs, graph.weights)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def tokenizer_of(vocabulary):
    special = [token for token in vocabulary if token in ("[PAD]", "[UNK]", *OPENING)]
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [{"id": vocabulary[token], "content": token, **flags} for token in special],
        "normalizer": {
            "type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None,
            "lowercase": True,
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": None,
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": vocabulary,
        },
    }


def answers_of(decider):
    def answer(question):
        options, kind = question["options"], question["kind"]
        said = {one["name"]: one["description"] for one in options}
        asked = {"type": kind, "instructions": question["question"], "criteria": said}
        if kind == "noul":
            asked["criteria"] = {name: text for name, text in said.items() if text} or None
        if kind == "score":
            asked["criteria"] = [one["description"] for one in options]
        _, names, _, found = decider.probs(question["state"], asked)
        return [float(found[names.index(one["name"])]) for one in options]

    return answer


def main():
    wheel, folder = Path(sys.argv[1]), Path(sys.argv[2]) / "sparrow"
    source = folder / "source"
    shutil.rmtree(folder, ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(source)
    sys.path.insert(0, str(source))
    from sparrow_decider import Decider

    decider = Decider.load(MODEL)
    with zipfile.ZipFile(source / "sparrow_decider" / "models" / f"{MODEL}.sparrow") as archive:
        (folder / "config.json").write_bytes(archive.read("config.json"))
        vocabulary = json.loads(archive.read("tokenizer.json"))["vocab"]
    weights = {name: np.asarray(value, dtype=np.float32) for name, value in decider.static.w.items() if name != "emb.weight"}
    weights["emb.weight"] = decider.static.emb[np.arange(len(vocabulary))]
    onnx.save(model_of(weights, vocabulary), folder / "model.onnx")
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer_of(vocabulary), ensure_ascii=False))
    roles = dict(zip(("cls_token", "sep_token", "mask_token"), OPENING))
    (folder / "tokenizer_config.json").write_text(json.dumps(roles))
    write(folder, answers_of(decider))
    shutil.rmtree(source)


main()
