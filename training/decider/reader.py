"""The reader of a state and a question: some lower layers as they ship, each text alone; above them tokens of the question look at those of the state.

Tokens of the state do not look at those of the question, so that what is made of a state serves every question about it.
"""

import collections
import hashlib
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import numpy_helper
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

SIZE, WIDE, HEADS, HIDDEN, EPSILON = 384, 1536, 12, 128, 1e-12
LAYERS, TOKENS = 6, 192


class Lower:
    """What the shipped encoder's lower layers make of texts, in 16 bits, kept on disk."""

    def __init__(self, encoder: Path, cache: Path, layers: int):
        self.path = encoder / "model.onnx"
        self.cache = cache
        self.layers = layers
        self.tokenizer = Tokenizer.from_file(str(encoder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(TOKENS)
        self.places: dict[str, tuple[int, int]] = {}
        self.parts: list[np.ndarray] = []

    def add(self, texts) -> None:
        new = [text for text in dict.fromkeys(texts) if text not in self.places]
        if not new:
            return
        digest = hashlib.sha256("\n".join(new).encode() + self.path.read_bytes()).hexdigest()[:16]
        rows = [encoding.ids for encoding in self.tokenizer.encode_batch(new)]
        path = self.cache / f"lower-{self.layers}-{TOKENS}-{digest}.npy"
        if not path.exists():
            self.cache.mkdir(parents=True, exist_ok=True)
            np.save(path, self.encode(rows))
        at = 0
        for text, row in zip(new, rows):
            self.places[text] = (len(self.parts), at)
            at += len(row)
        self.parts.append(np.load(path))
        self.lengths = {**getattr(self, "lengths", {}), **{text: len(row) for text, row in zip(new, rows)}}

    def encode(self, rows) -> np.ndarray:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        name = f"encoder.layer.{self.layers - 1}.second"
        model = onnx.load(str(self.path))
        model.graph.output.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["rows", "tokens", SIZE]))
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
        states = np.zeros((starts[-1], SIZE), np.float16)
        by_length = collections.defaultdict(list)
        for index, row in enumerate(rows):
            by_length[len(row)].append(index)
        for indices in by_length.values():
            for at in range(0, len(indices), 16):
                some = indices[at : at + 16]
                (made,) = session.run([name], {"input_ids": np.array([rows[index] for index in some])})
                for row, index in zip(made, some):
                    states[starts[index] : starts[index + 1]] = row
        return states

    def padded(self, rows: list[tuple[str, ...]]) -> tuple[Tensor, Tensor]:
        """What was made of each row's texts, one after the other."""
        lengths = [sum(self.lengths[text] for text in texts) for texts in rows]
        states = torch.zeros(len(rows), max(lengths), SIZE)
        seen = torch.zeros(len(rows), max(lengths), dtype=torch.bool)
        for row, texts in enumerate(rows):
            at = 0
            for text in texts:
                (part, start), length = self.places[text], self.lengths[text]
                states[row, at : at + length] = torch.from_numpy(self.parts[part][start : start + length].astype(np.float32))
                at += length
            seen[row, :at] = True
        return states, seen


class Layer(nn.Module):
    """A layer of BERT whose tokens may look at those of another text too."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(SIZE, 3 * SIZE)
        self.attended, self.wide, self.narrow = nn.Linear(SIZE, SIZE), nn.Linear(SIZE, WIDE), nn.Linear(WIDE, SIZE)
        self.first, self.second = nn.LayerNorm(SIZE, EPSILON), nn.LayerNorm(SIZE, EPSILON)

    def heads(self, x: Tensor) -> Tensor:
        rows, tokens, _ = x.shape
        return x.view(rows, tokens, HEADS, SIZE // HEADS).transpose(1, 2)

    def forward(self, x: Tensor, seen: Tensor, before: tuple[Tensor, Tensor] | None, drop: float):
        query, key, value = (self.heads(part) for part in self.qkv(x).split(SIZE, -1))
        keys, values = key, value
        if before is not None:
            keys, values = torch.cat([before[0], key], 2), torch.cat([before[1], value], 2)
        of = functional.scaled_dot_product_attention
        mixed = of(query, keys, values, attn_mask=seen[:, None, None, :], dropout_p=drop if self.training else 0.0)
        mixed = mixed.transpose(1, 2).reshape(x.shape)
        dropped = lambda y: functional.dropout(y, drop, self.training)
        x = self.first(dropped(self.attended(mixed)) + x)
        return self.second(dropped(self.narrow(functional.gelu(self.wide(x)))) + x), (key, value)


class Reader(nn.Module):
    def __init__(self, layers: int, drop: float = 0.1):
        super().__init__()
        self.drop = drop
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.asked = nn.Parameter(torch.zeros(SIZE))
        self.hidden, self.out = nn.Linear(2 * SIZE, HIDDEN), nn.Linear(HIDDEN, 3)

    def forward(self, states, states_seen, questions, questions_seen, place: Tensor) -> Tensor:
        """Yes, no or not told of each question; `place` says of which state it is."""
        x, asked = states, questions + self.asked
        seen = torch.cat([states_seen[place], questions_seen], 1)
        for layer in self.layers:
            x, (key, value) = layer(x, states_seen, None, self.drop)
            asked, _ = layer(asked, seen, (key[place], value[place]), self.drop)
        kept = questions_seen[:, :, None]
        mean = (asked * kept).sum(1) / kept.sum(1)
        found = functional.dropout(torch.cat([asked[:, 0], mean], -1), self.drop, self.training)
        return self.out(functional.dropout(functional.gelu(self.hidden(found)), self.drop, self.training))


def shipped_reader(encoder: Path, lower: int, drop: float = 0.1) -> Reader:
    """A reader that begins with the layers of the shipped encoder above the lower ones."""
    stored = {tensor.name: tensor for tensor in onnx.load(str(encoder / "model.onnx")).graph.initializer}
    number = lambda name: torch.from_numpy(numpy_helper.to_array(stored[name]).astype(np.float32))
    reader = Reader(LAYERS - lower, drop)
    for index, layer in enumerate(reader.layers):
        at = f"encoder.layer.{lower + index}"
        dense = {"qkv": layer.qkv, "attended": layer.attended, "wide": layer.wide, "narrow": layer.narrow}
        for name, linear in dense.items():
            linear.weight.data.copy_((number(f"{at}.{name}.weight") * number(f"{at}.{name}.scales")).T)
            linear.bias.data.copy_(number(f"{at}.{name}.bias"))
        for norm, name in ((layer.first, "attention.output.LayerNorm"), (layer.second, "output.LayerNorm")):
            norm.weight.data.copy_(number(f"{at}.{name}.weight"))
            norm.bias.data.copy_(number(f"{at}.{name}.bias"))
    return reader
