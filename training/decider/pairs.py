"""Pairs of a text and a statement that it says, denies or leaves open: MultiNLI's in TaxiNLI, and those of `facts.txt`."""

import csv
import random
from pathlib import Path

import numpy as np

SAID, DENIED, NEITHER = 0, 1, 2
LABELS = {"entailment": SAID, "contradiction": DENIED, "neutral": NEITHER}

Pair = tuple[str, str, int]


def pairs_of_taxinli(path: Path) -> list[Pair]:
    """Without those out of works of fiction, of which some are share-alike."""
    with path.open(newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [
            (row["prem"], row["hyp"], LABELS[row["label"]])
            for row in rows
            if row["label"] in LABELS and row["genre"] != "fiction" and len(row["prem"]) < 400
        ]


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


def auroc(scores, truth):
    ranks = np.empty(len(scores))
    ranks[scores.argsort()] = np.arange(1, len(scores) + 1)
    return (ranks[truth].sum() - truth.sum() * (truth.sum() + 1) / 2) / (truth.sum() * (~truth).sum())
