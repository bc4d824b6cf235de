"""Trains what tells whether a text says that a statement holds, on vectors of tokens of the encoder that ships.

    python facts.py ENCODER SOURCES CACHE [--out FILE]

ENCODER is the folder of `shipped.py`. SOURCES holds `taxinli` (microsoft/TaxiNLI: 10,000 pairs of MultiNLI, without those
out of works of fiction, of which some are share-alike). `facts.txt` beside this script has statements as people ask for them, with
texts that say so in other words, that say the contrary, and that say neither. Of every fifth premise no pair is trained on: the
figures that are printed are of these. One thread; PyTorch, NumPy, onnxruntime and tokenizers.
"""

import argparse
import collections
import csv
import random
import time
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional

SAID, DENIED, NEITHER = 0, 1, 2
LABELS = {"entailment": SAID, "contradiction": DENIED, "neutral": NEITHER}
SIZE, WIDE, HEADS, TOKENS = 64, 64, 4, 96
SEEDS, EPOCHS, BATCH, RATE, DROPPED = (0, 1), 4, 32, 1.5e-3, 0.25


def pairs_of_taxinli(path):
    with path.open(newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        found = [
            (row["prem"], row["hyp"], LABELS[row["label"]])
            for row in rows
            if row["label"] in LABELS and row["genre"] != "fiction" and len(row["prem"]) < 400
        ]
    premises = sorted({premise for premise, _, _ in found})
    random.Random(1).shuffle(premises)
    judged = set(premises[: len(premises) // 5])
    return [row for row in found if row[0] not in judged], [row for row in found if row[0] in judged]


def blocks_of(path):
    blocks = []
    for line in path.read_text().splitlines():
        sign, text = line[:1], line[2:]
        if sign == "#":
            blocks.append({"asked": [], "+": [], "-": [], "0": []})
        elif sign == "?":
            blocks[-1]["asked"].append(text.split(" | "))
        elif sign:
            blocks[-1][sign].append(text)
    return blocks


def pairs_of_facts(blocks):
    """Each text with each way to ask, twice, and once among texts of other blocks, because states say more than one thing."""
    chance = random.Random(5)
    others = [(index, text) for index, block in enumerate(blocks) for sign in "+-0" for text in block[sign]]
    ended = lambda text: text if text[-1] in '.!?"' else f"{text}."
    pairs = []
    for index, block in enumerate(blocks):
        for sign, label in (("+", SAID), ("-", DENIED), ("0", NEITHER)):
            for text in block[sign]:
                parts = [text]
                if sign != "0" and chance.random() < 0.5:
                    parts.append(chance.choice(block["0"]))
                wanted = chance.choice([2, 2, 3, 4])
                while len(parts) < wanted:
                    other, more = chance.choice(others)
                    if other != index:
                        parts.append(more)
                chance.shuffle(parts)
                among = " ".join(ended(part) for part in dict.fromkeys(parts))
                for asked, *opposite in block["asked"]:
                    pairs += [(state, asked, label) for state in (text, text, among)]
                    turned = label if label == NEITHER else 1 - label
                    pairs += [(state, contrary, turned) for contrary in opposite for state in (text, text, among)]
    return pairs


class Tokens:
    """Vectors of the tokens of texts, one after the other in one array of 16 bits."""

    def __init__(self, encoder, cache, texts):
        tokenizer = Tokenizer.from_file(str(encoder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.enable_truncation(TOKENS)
        texts = list(dict.fromkeys(texts))
        rows = [encoding.ids for encoding in tokenizer.encode_batch(texts)]
        self.places = {text: index for index, text in enumerate(texts)}
        self.starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
        path = cache / f"facts-tokens-{len(texts)}-{self.starts[-1]}.npy"
        if not path.exists():
            np.save(path, self.encode(encoder, rows))
        self.states = np.load(path)

    def encode(self, encoder, rows):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(str(encoder / "model.onnx"), options)
        states = np.zeros((self.starts[-1], 384), np.float16)
        by_length = collections.defaultdict(list)
        for index, row in enumerate(rows):
            by_length[len(row)].append(index)
        for indices in by_length.values():
            for at in range(0, len(indices), 16):
                some = indices[at : at + 16]
                (made,) = session.run(None, {"input_ids": np.array([rows[index] for index in some])})
                for row, index in zip(made, some):
                    states[self.starts[index] : self.starts[index + 1]] = row
        return states

    def length(self, text):
        place = self.places[text]
        return self.starts[place + 1] - self.starts[place]

    def padded(self, texts):
        lengths = [self.length(text) for text in texts]
        states = torch.zeros(len(texts), max(lengths), 384)
        seen = torch.zeros(len(texts), max(lengths), dtype=torch.bool)
        for row, text in enumerate(texts):
            start = self.starts[self.places[text]]
            states[row, : lengths[row]] = torch.from_numpy(self.states[start : start + lengths[row]].astype(np.float32))
            seen[row, : lengths[row]] = True
        return states, seen


class Reader(nn.Module):
    """Every token of one text looks for those of the other, and is compared with what it finds."""

    def __init__(self):
        super().__init__()
        self.value, self.query, self.key = (nn.Linear(384, SIZE, bias=False) for _ in range(3))
        nn.init.normal_(self.query.weight, std=0.04)
        # What is alike meets at first.
        self.key.weight.data.copy_(self.query.weight.data)
        self.own, self.other, self.both = (nn.Linear(SIZE, WIDE, bias=False) for _ in range(3))
        self.shift = nn.Parameter(torch.zeros(WIDE))
        self.hidden, self.out = nn.Linear(4 * WIDE, WIDE), nn.Linear(WIDE, 3)
        self.drop = nn.Dropout(DROPPED)

    def compare(self, text, text_seen, other, other_seen):
        split = lambda x: x.view(*x.shape[:2], HEADS, SIZE // HEADS).transpose(1, 2)
        query, key = split(self.query(text)), split(self.key(other))
        scores = query @ key.transpose(2, 3) / (SIZE // HEADS) ** 0.5
        weights = scores.masked_fill(~other_seen[:, None, None, :], -1e9).softmax(-1)
        met = (weights @ split(self.value(other))).transpose(1, 2).flatten(2)
        value = self.value(text)
        value, met, both = (self.drop(x) for x in (value, met, value * met))
        found = functional.relu(self.own(value) + self.other(met) + self.both(both) + self.shift)
        found = found * text_seen[:, :, None]
        return torch.cat([found.amax(1), found.sum(1) / text_seen.sum(1)[:, None]], -1)

    def forward(self, statement, statement_seen, state, state_seen):
        statement, state = self.drop(statement), self.drop(state)
        found = torch.cat(
            [
                self.compare(statement, statement_seen, state, state_seen),
                self.compare(state, state_seen, statement, statement_seen),
            ],
            -1,
        )
        return self.out(self.drop(functional.relu(self.hidden(self.drop(found)))))


def logits(model, tokens, rows):
    return model(*tokens.padded([row[1] for row in rows]), *tokens.padded([row[0] for row in rows]))


def train(tokens, rows, seed):
    torch.manual_seed(seed)
    chance = random.Random(seed)
    model = Reader()
    optimizer = torch.optim.AdamW(model.parameters(), RATE, weight_decay=0.02)
    # Batches of rows that are about as long as each other, in another order each time.
    batches = []
    for _ in range(EPOCHS):
        order = chance.sample(range(len(rows)), len(rows))
        of_epoch = []
        for at in range(0, len(order), BATCH * 32):
            near = sorted(order[at : at + BATCH * 32], key=lambda index: tokens.length(rows[index][0]))
            of_epoch += [near[start : start + BATCH] for start in range(0, len(near), BATCH)]
        chance.shuffle(of_epoch)
        batches += of_epoch
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=len(batches), pct_start=0.1)
    for at, batch in enumerate(batches):
        some = [rows[index] for index in batch]
        loss = functional.cross_entropy(logits(model, tokens, some), torch.tensor([row[2] for row in some]))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if at % 400 == 0:
            print(f"seed {seed}, step {at} of {len(batches)}: {loss.item():.3f}, {time.process_time():.0f} s", flush=True)
    return model.eval()


@torch.inference_mode()
def predict(models, tokens, rows):
    """Log odds of said against denied, the mean of the models, as `facts.ts` has them."""
    odds, right = [], 0
    for at in range(0, len(rows), 64):
        some = rows[at : at + 64]
        found = [logits(model, tokens, some).log_softmax(-1) for model in models]
        odds += torch.stack([x[:, SAID] - x[:, DENIED] for x in found]).mean(0).tolist()
        right += (sum(found).argmax(-1) == torch.tensor([row[2] for row in some])).sum().item()
    return np.array(odds), right / len(rows)


def auroc(scores, truth):
    ranks = np.empty(len(scores))
    ranks[scores.argsort()] = np.arange(1, len(scores) + 1)
    return (ranks[truth].sum() - truth.sum() * (truth.sum() + 1) / 2) / (truth.sum() * (~truth).sum())


def report(name, models, tokens, rows):
    odds, right = predict(models, tokens, rows)
    labels = np.array([row[2] for row in rows])
    told = labels != NEITHER
    print(f"{name}: {len(rows)} pairs, {right:.3f} right of three, said against denied {auroc(odds[told], labels[told] == SAID):.3f}")


def write(path, models):
    """Sizes in 32 bits, then the weights of each model in 16, in the order in which `facts.ts` reads them."""
    parts = [np.array([len(models), 384, SIZE, WIDE], np.uint32).tobytes()]
    for model in models:
        linear = ("value", "query", "key", "own", "other", "both")
        weights = [*(getattr(model, name).weight for name in linear), model.shift]
        weights += [model.hidden.weight, model.hidden.bias, model.out.weight, model.out.bias]
        parts += [weight.detach().numpy().astype("<f2").tobytes() for weight in weights]
    path.write_bytes(b"".join(parts))


def main():
    parser = argparse.ArgumentParser()
    for name in ("encoder", "sources", "cache"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--out", type=Path)
    asked = parser.parse_args()
    asked.cache.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    trained, judged = pairs_of_taxinli(asked.sources / "taxinli/taxinli10k.tsv")
    blocks = blocks_of(Path(__file__).parent / "facts.txt")
    facts = pairs_of_facts(blocks)
    tokens = Tokens(asked.encoder, asked.cache, [text for row in trained + judged + facts for text in row[:2]])
    print(f"{len(trained)} pairs of MultiNLI, {len(blocks)} facts in {len(facts)} pairs", flush=True)
    models = [train(tokens, trained + facts, seed) for seed in SEEDS]
    report("MultiNLI, premises that were not trained on", models, tokens, judged)
    report("facts (trained on)", models, tokens, facts)
    if asked.out:
        write(asked.out, models)


if __name__ == "__main__":
    main()
