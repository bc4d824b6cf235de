"""SmolLM2-135M-Instruct (Apache-2.0), out of its GGUF file, as a model that says yes, no or not told.

Of each question the last token is read. It sees the state and its own question, so many are asked in one row.
"""

import numpy as np
import torch
from gguf import GGUFReader, dequantize
from tokenizers import Tokenizer, models, pre_tokenizers
from torch import nn
from torch.nn import functional

SIZE, WIDE, HEAD, KEYS, LAYERS, FIRST = 576, 1536, 64, 192, 30, 1
ANSWERS = " yes", " no", " unknown"


def asked(question: str) -> str:
    return f"\nQuestion: {question}\nAnswer:"


def tokenizer_of(reader: GGUFReader) -> Tokenizer:
    words, merges = (reader.fields[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "merges"))
    made = Tokenizer(models.BPE(vocab={word: at for at, word in enumerate(words)}, merges=[tuple(merge.split(" ")) for merge in merges]))
    made.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    return made


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.o = nn.Linear(SIZE, SIZE + 2 * KEYS, bias=False), nn.Linear(SIZE, SIZE, bias=False)
        self.gate_and_up, self.down = nn.Linear(SIZE, 2 * WIDE, bias=False), nn.Linear(WIDE, SIZE, bias=False)
        self.first, self.second = nn.Parameter(torch.ones(SIZE)), nn.Parameter(torch.ones(SIZE))

    def forward(self, x, cos, sin, mask):
        rows, tokens, _ = x.shape
        norm = lambda x, weight: functional.rms_norm(x, (SIZE,), weight.to(x.dtype), 1e-5)
        parts = self.qkv(norm(x, self.first)).split([SIZE, KEYS, KEYS], -1)
        query, key, value = (part.view(rows, tokens, -1, HEAD).transpose(1, 2) for part in parts)
        repeated = lambda some: some.repeat_interleave(SIZE // KEYS, 1)
        mixed = functional.scaled_dot_product_attention(turned(query, cos, sin), repeated(turned(key, cos, sin)), repeated(value), attn_mask=mask)
        x = x + self.o(mixed.transpose(1, 2).reshape(x.shape))
        gate, up = self.gate_and_up(norm(x, self.second)).chunk(2, -1)
        return x + self.down(functional.silu(gate) * up)


def turned(x, cos, sin):
    """Numbers of a head turned by their place, in pairs of neighbours, as the rows of a GGUF file are laid."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2)


class SmolLM(nn.Module):
    def __init__(self, words: int):
        super().__init__()
        self.words = nn.Embedding(words, SIZE)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.last, self.out = nn.Parameter(torch.ones(SIZE)), nn.Linear(SIZE, 3)
        angles = torch.arange(4096).float()[:, None] / 100_000 ** (torch.arange(0, HEAD, 2).float() / HEAD)
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, ids, places, of, ends):
        mask = ((of[:, None, :] == 0) | (of[:, None, :] == of[:, :, None])) & torch.ones(2 * ids.shape[1:], dtype=torch.bool, device=ids.device).tril()
        with torch.autocast(ids.device.type, torch.bfloat16, enabled=ids.is_cuda):
            x = self.words(ids)
            x = x.bfloat16() if x.is_cuda else x
            cos, sin = self.cos[places][:, None].to(x.dtype), self.sin[places][:, None].to(x.dtype)
            for layer in self.layers:
                x = layer(x, cos, sin, mask[:, None])
            x = functional.rms_norm(x, (SIZE,), self.last.to(x.dtype), 1e-5)
        return self.out(x.reshape(-1, SIZE)[ends].float())


def weights_of(reader: GGUFReader, words: np.ndarray, answers: np.ndarray) -> dict[str, torch.Tensor]:
    """The state of a `SmolLM` that knows just these words, and begins with what it would answer itself."""
    stored = {tensor.name: tensor for tensor in reader.tensors}
    number = lambda name: torch.from_numpy(dequantize(stored[f"{name}.weight"].data, stored[f"{name}.weight"].tensor_type).astype(np.float32))
    all_words = number("token_embd")
    made = {"words.weight": all_words[words], "last": number("output_norm"), "out.weight": all_words[answers], "out.bias": torch.zeros(3)}
    for at in range(LAYERS):
        of = lambda name: number(f"blk.{at}.{name}")
        made |= {
            f"layers.{at}.qkv.weight": torch.cat([of("attn_q"), of("attn_k"), of("attn_v")]),
            f"layers.{at}.o.weight": of("attn_output"),
            f"layers.{at}.gate_and_up.weight": torch.cat([of("ffn_gate"), of("ffn_up")]),
            f"layers.{at}.down.weight": of("ffn_down"),
            f"layers.{at}.first": of("attn_norm"),
            f"layers.{at}.second": of("ffn_norm"),
        }
    return made
