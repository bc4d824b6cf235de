"""The reader of a state and a question: layers on the encoder's embeddings, in which tokens of the question look at those of the state.

Tokens of the state do not look at those of the question, so that what is made of a state serves every question about it.
"""

from itertools import count
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

SIZE, WIDE, HEADS, HIDDEN, EPSILON = 384, 1536, 12, 128, 1e-12
TOKENS = 192
LAYERS = 6
"""Of the encoder, with which a reader begins; `distil.py` makes nine of them."""


class Embedded:
    """Texts as the shipped encoder's embeddings, which stay as they are."""

    def __init__(self, encoder: Path):
        self.tokenizer = Tokenizer.from_file(str(encoder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(TOKENS)
        number = numbers_of(encoder / "model.onnx")
        self.bytes, self.scales = number("word_embeddings.bytes"), number("word_embeddings.scales")
        self.words = self.bytes * self.scales
        self.places = number("position_embeddings.bytes") * number("position_embeddings.scales") + number("first_type")
        self.norm = number("embeddings.LayerNorm.weight"), number("embeddings.LayerNorm.bias"), EPSILON
        self.mask, self.first = (self.tokenizer.token_to_id(token) for token in ("[MASK]", "[CLS]"))
        self.rows: dict[str, list[int]] = {}

    def add(self, texts) -> None:
        new = [text for text in dict.fromkeys(texts) if text not in self.rows]
        self.rows |= {text: encoding.ids for text, encoding in zip(new, self.tokenizer.encode_batch(new))}

    def length(self, text: str) -> int:
        return len(self.rows[text])

    def packed(self, rows: list[tuple[tuple[str, ...], list[str]]], hidden: float = 0.0) -> tuple[Tensor, Tensor]:
        """Of each row the tokens of its windows and of what is asked about them, one after the other; and which text a token is of:
        0 of the state, 1 and up of a question, -1 of none. A share of the tokens is hidden behind BERT's own mask."""
        parts = [[*((0, window) for window in windows), *enumerate(asked, 1)] for windows, asked in rows]
        most = max(sum(self.length(text) for _, text in row) for row in parts)
        ids, places, of = (torch.full((len(rows), most), value) for value in (0, 0, -1))
        for row, texts in enumerate(parts):
            at = 0
            for number, text in texts:
                end = at + self.length(text)
                ids[row, at:end] = torch.tensor(self.rows[text])
                places[row, at:end] = torch.arange(end - at)
                of[row, at:end] = number
                at = end
        if hidden:
            ids[(torch.rand(ids.shape) < hidden) & (ids != self.first)] = self.mask
        return functional.layer_norm(self.words[ids] + self.places[places], (SIZE,), *self.norm), of


class Layer(nn.Module):
    """A layer of BERT whose tokens look at those that a mask names."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(SIZE, 3 * SIZE)
        self.attended, self.wide, self.narrow = nn.Linear(SIZE, SIZE), nn.Linear(SIZE, WIDE), nn.Linear(WIDE, SIZE)
        self.first, self.second = nn.LayerNorm(SIZE, EPSILON), nn.LayerNorm(SIZE, EPSILON)

    def forward(self, x: Tensor, mask: Tensor, drop: float):
        rows, tokens, _ = x.shape
        query, key, value = (part.view(rows, tokens, HEADS, -1).transpose(1, 2) for part in self.qkv(x).split(SIZE, -1))
        # By hand, because the backward pass of PyTorch's own is three times as slow in 16 bits.
        mixed = (query @ (key * (SIZE // HEADS) ** -0.5).transpose(2, 3) + mask).softmax(-1) @ value
        dropped = lambda y: functional.dropout(y, drop, self.training)
        x = self.first(dropped(self.attended(mixed.transpose(1, 2).reshape(x.shape))) + x)
        return self.second(dropped(self.narrow(functional.gelu(self.wide(x)))) + x)


class Reader(nn.Module):
    def __init__(self, drop: float = 0.1, layers: int = LAYERS):
        super().__init__()
        self.drop = drop
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.asked = nn.Parameter(torch.zeros(SIZE))
        self.hidden, self.out = nn.Linear(2 * SIZE, HIDDEN), nn.Linear(HIDDEN, 3)

    def forward(self, x: Tensor, of: Tensor) -> Tensor:
        """Yes, no or not told of all that is asked, row by row; `x` and `of` as `packed` gives them. Tokens look at the state and at their own text."""
        x = x + self.asked * (of > 0)[:, :, None]
        mask = ((of[:, None, :] == 0) | (of[:, None, :] == of[:, :, None]))[:, None]
        mask = torch.zeros(mask.shape, dtype=x.dtype, device=x.device).masked_fill_(~mask, float("-inf"))
        for layer in self.layers:
            x = layer(x, mask, self.drop)
        asked = of > 0
        counts = of.max(1).values
        starts = counts.cumsum(0) - counts
        index = (of - 1 + starts[:, None])[asked]
        tokens, size = x[asked], torch.bincount(index)
        mean = torch.zeros(len(size), SIZE, dtype=x.dtype, device=x.device).index_add(0, index, tokens) / size[:, None]
        firsts = torch.cat([size.new_zeros(1), size.cumsum(0)[:-1]])
        found = functional.dropout(torch.cat([tokens[firsts], mean], -1), self.drop, self.training)
        return self.out(functional.dropout(functional.gelu(self.hidden(found)), self.drop, self.training))


def numbers_of(path: Path):
    stored = {tensor.name: tensor for tensor in onnx.load(str(path)).graph.initializer}
    return lambda name: torch.from_numpy(numpy_helper.to_array(stored[name]).astype(np.float32)) if name in stored else None


def begun_reader(path: Path) -> Reader:
    """A reader that begins with the layers of a graph in 8 bits, the encoder's or a reader's, or with a checkpoint."""
    if path.suffix != ".onnx":
        state = {name: value.float() for name, value in torch.load(path, weights_only=True).items()}
        reader = Reader(layers=1 + max(int(name.split(".")[1]) for name in state if name.startswith("layers.")))
        reader.load_state_dict(state)
        return reader
    number = numbers_of(path)
    reader = Reader(layers=next(at for at in count() if number(f"encoder.layer.{at}.qkv.weight") is None) if number("asked") is not None else LAYERS)
    for index, layer in enumerate(reader.layers):
        at = f"encoder.layer.{index}"
        dense = {"qkv": layer.qkv, "attended": layer.attended, "wide": layer.wide, "narrow": layer.narrow}
        for name, linear in dense.items():
            linear.weight.data.copy_((number(f"{at}.{name}.weight") * number(f"{at}.{name}.scales")).T)
            linear.bias.data.copy_(number(f"{at}.{name}.bias"))
        for norm, name in ((layer.first, "attention.output.LayerNorm"), (layer.second, "output.LayerNorm")):
            norm.weight.data.copy_(number(f"{at}.{name}.weight"))
            norm.bias.data.copy_(number(f"{at}.{name}.bias"))
    if number("asked") is not None:
        reader.asked.data.copy_(number("asked"))
        for name, linear in (("hidden", reader.hidden), ("out", reader.out)):
            linear.weight.data.copy_(number(f"{name}.weight").T)
            linear.bias.data.copy_(number(f"{name}.bias"))
    return reader
