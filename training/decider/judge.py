"""Prints one table of how checkpoints do on rows that they were not trained on.

    python training/decider/judge.py WHEEL ROWS_FOLDER CACHE_FILE [CHECKPOINT[@MIX] ...]

A checkpoint is judged on the label set that it was trained without; `untrained` stands for the encoder as it comes, and
`@0.5` for weights half way between the two.
"""

import sys
from pathlib import Path

import torch
from torch import Tensor

from encoder import Upper, Wheel, read_wheel
from figures import auroc, calibration_error, spearman
from lower import THREADS, Hidden, in_batches, read_hidden
from rows import Claims, Pool, judged_names, read_json, read_source
from train import SHARES

SETS = ("banking77", "clinc150")


def load_upper(wheel: Wheel, hidden: Hidden, name: str) -> tuple[Upper, list[str]]:
    """The weights that a name stands for, and the sets that they were not trained on."""
    upper = Upper(wheel, hidden.layers, projected=False)
    if name == "untrained":
        return upper, list(SETS)
    path, _, mix = name.partition("@")
    made = torch.load(path, weights_only=True)
    share = float(mix or 1)
    state = {key.removeprefix("upper."): value for key, value in made["state"].items() if key.startswith("upper.")}
    upper = Upper(wheel, hidden.layers, projected="projection.weight" in state)
    before = upper.state_dict()
    upper.load_state_dict({key: share * value + (1 - share) * before[key] for key, value in state.items()})
    return upper, [made["plan"]["without"]]


class Vectors:
    """Vectors of texts, made once."""

    def __init__(self, upper: Upper, hidden: Hidden):
        self.upper, self.hidden = upper.eval(), hidden
        self.made: dict[str, Tensor] = {}

    @torch.inference_mode()
    def of(self, texts: list[str]) -> Tensor:
        missing = sorted({text for text in texts if text not in self.made})
        for batch in in_batches([self.hidden.length(text) for text in missing], 4096):
            found = self.upper(*self.hidden.padded([missing[index] for index in batch]))
            self.made.update({missing[index]: vector for index, vector in zip(batch, found)})
        return torch.stack([self.made[text] for text in texts])

    def cosines(self, states: list[str], options: list[str]) -> Tensor:
        return self.of(states) @ self.of(options).T

    def likeness(self, states: list[str], statements: list[str]) -> Tensor:
        return (self.of(states) * self.of(statements)).sum(1)


def fit_divisor(vectors: Vectors, pools: list[Pool]) -> float:
    """The divisor of least loss on choices among labels that no training saw, each pool counting as much."""
    cosines = []
    for pool in pools:
        labels = [label for label in range(len(pool.labels)) if pool.is_fitted(label)]
        if len(labels) < 5:
            continue
        rows = [row for row in pool.rows if pool.is_fitted(row[1])][:400]
        right = torch.tensor([labels.index(label) for _, label in rows])
        cosines.append((vectors.cosines([text for text, _ in rows], [pool.labels[at][0] for at in labels]), right))
    losses = {
        divisor: sum(torch.nn.functional.cross_entropy(found / divisor, right).item() for found, right in cosines)
        for divisor in (0.02 + 0.0025 * step for step in range(60))
    }
    return min(losses, key=lambda divisor: losses[divisor])


def fit_noul(vectors: Vectors, claims: Claims) -> tuple[float, float]:
    """Divisor and even point of least loss."""
    cosines = vectors.likeness([claim[0] for claim in claims.claims], [claim[1] for claim in claims.claims])
    truths = torch.tensor([claim[3] for claim in claims.claims])
    loss_of = lambda divisor, even: torch.nn.functional.binary_cross_entropy_with_logits(
        (cosines - even) / divisor, truths
    ).item()
    points = [(0.03 + 0.01 * i, 0.1 + 0.02 * j) for i in range(20) for j in range(26)]
    return min(points, key=lambda point: loss_of(*point))


def judge_choices(vectors: Vectors, judged: dict, divisor: float) -> tuple[float, float, float]:
    """Accuracy, loss, error of calibration."""
    right = torch.tensor([row[1] for row in judged["rows"]])
    cosines = vectors.cosines([row[0] for row in judged["rows"]], judged["options"])
    probabilities = (cosines / divisor).softmax(1)
    surest, chosen = probabilities.max(1)
    correct = (chosen == right).float()
    loss = -probabilities[torch.arange(len(right)), right].log().mean().item()
    return correct.mean().item(), loss, calibration_error(surest, correct)


def judge_nouls(vectors: Vectors, rows: list, denied: bool) -> float:
    """AUROC; a denied statement is asked without its denial and the answer turned round."""
    kept = [row for row in rows if denied or not row[2]]
    cosines = vectors.likeness([row[0] for row in kept], [row[1] for row in kept])
    even = cosines.median()
    signs = torch.tensor([-1.0 if row[2] else 1.0 for row in kept])
    return auroc((cosines - even) * signs, torch.tensor([row[3] for row in kept]) == 1)


def judge_opposites(vectors: Vectors, opposites: dict, noul: tuple[float, float]) -> float:
    """Mean distance from 1 of the sum of two answers, each asked alone."""
    divisor, even = noul
    answers = lambda texts: ((vectors.cosines(opposites["states"], texts) - even) / divisor).sigmoid()
    sums = answers([pair[0] for pair in opposites["pairs"]]) + answers([pair[1] for pair in opposites["pairs"]])
    return (sums - 1).abs().mean().item()


def judge_ranking(vectors: Vectors, ranking: dict, divisor: float) -> float:
    cosines = vectors.cosines([row[0] for row in ranking["rows"]], ranking["options"])
    levels = torch.arange(len(ranking["options"]), dtype=torch.float32)
    places = torch.tensor([float(row[1]) for row in ranking["rows"]])
    return spearman((cosines / divisor).softmax(1) @ levels, places)


def judge_ways(vectors: Vectors, comments: list, ways: list[str]) -> list[float]:
    """AUROC of "positive?" asked alone, against its opposite, and against its denial."""
    alone, opposite, denial = vectors.cosines([text for text, _ in comments], ways).T
    truths = torch.tensor([good == 1 for _, good in comments])
    return [auroc(scores, truths) for scores in (alone, alone - opposite, alone - denial)]


def judge(name: str, wheel: Wheel, hidden: Hidden, folder: Path) -> None:
    judged = read_json(folder / "judged.json")
    upper, sets = load_upper(wheel, hidden, name)
    vectors = Vectors(upper, hidden)
    for index, chosen in enumerate(SETS):
        if chosen not in sets:
            continue
        barred = judged_names(folder, chosen)
        kept = [read_source(folder, source, barred) for source in SHARES if not source.endswith(chosen)]
        divisor = fit_divisor(vectors, [source for source in kept if isinstance(source, Pool)])
        noul = fit_noul(vectors, next(source for source in kept if source.name.startswith("about-")))
        accuracy, loss, error = judge_choices(vectors, judged["choices"][index], divisor)
        *_, fixed = judge_choices(vectors, judged["choices"][index], 0.05)
        topics = judged["topics"][index]["rows"]
        sentiment, urgency = judged["rankings"]
        figures = [
            accuracy,
            loss,
            error,
            fixed,
            divisor,
            judge_nouls(vectors, topics, denied=False),
            judge_nouls(vectors, topics, denied=True),
            judge_nouls(vectors, judged["feelings"]["rows"], denied=True),
            *judge_ways(vectors, judged["comments"], judged["ways"]),
            *judge_ways(vectors, [(text, place > 2) for text, place in sentiment["rows"] if place != 2], judged["ways"]),
            judge_ranking(vectors, sentiment, divisor),
            judge_ranking(vectors, urgency, divisor),
            judge_opposites(vectors, judged["opposites"], noul),
        ]
        cells = " | ".join(f"{figure:.3f}" for figure in figures)
        print(f"| {Path(name).name} | {chosen} | {cells} |", flush=True)


HEAD = (
    "| variant | judged on | accuracy | NLL | ECE | ECE at 0.05 | divisor | about X | with denied | feelings "
    "| comments: alone | against opposite | against denial | messages: alone | against opposite | against denial "
    "| sentiment | urgency | opposites |"
)


def main() -> None:
    torch.set_num_threads(THREADS)
    wheel, hidden, folder = read_wheel(Path(sys.argv[1])), read_hidden(Path(sys.argv[3])), Path(sys.argv[2])
    print(HEAD)
    print("|" + " --- |" * HEAD.count(" | ") + " --- |")
    for name in sys.argv[4:] or ["untrained"]:
        judge(name, wheel, hidden, folder)


if __name__ == "__main__":
    main()
