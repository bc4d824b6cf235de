"""Vectors of an ONNX folder, each text alone: activations are rounded by the range that a run has."""

from pathlib import Path

import numpy as np
import onnxruntime
import torch
from tokenizers import Tokenizer
from torch import Tensor

from judge import Vectors
from lower import THREADS


class Quantized(Vectors):
    def __init__(self, folder: Path):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = THREADS
        self.session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(64)
        self.made: dict[str, Tensor] = {}

    def of(self, texts: list[str]) -> Tensor:
        for text in texts:
            if text not in self.made:
                self.made[text] = self.embed(text)
        return torch.stack([self.made[text] for text in texts])

    def embed(self, text: str) -> Tensor:
        ids = np.array([self.tokenizer.encode(text).ids], dtype=np.int64)
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        (hidden,) = self.session.run(["last_hidden_state"], feeds)
        mean = torch.from_numpy(hidden[0]).mean(0)
        return mean / mean.norm()
