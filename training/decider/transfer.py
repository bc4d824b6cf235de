"""Prints how checkpoints do on what no training saw: sources, questions and topics of their own.

    python training/decider/transfer.py WHEEL ROWS_FOLDER CACHE_FILE [CHECKPOINT[@MIX] | ONNX_FOLDER ...]
"""

import sys
from pathlib import Path

import torch

from encoder import read_wheel
from figures import auroc, spearman
from judge import Vectors, judge_choices, judge_ranking, load_upper
from lower import THREADS, read_hidden
from quantized import Quantized
from rows import Pool, read_json, read_source

PLACES = {"entailment": 2.0, "neutral": 1.0, "contradiction": 0.0, "other": 0.0}


def apart_on(vectors: Vectors, texts: list[str], ways: list[list[str]]) -> torch.Tensor:
    """Cosine with each question less that with its opposite: a column a way."""
    cosines = vectors.cosines(texts, [text for way in ways for text in way]).view(len(texts), len(ways), 2)
    return cosines[..., 0] - cosines[..., 1]


def judge_sentiment(vectors: Vectors, rows: list, ways: list[list[str]]) -> tuple[float, float]:
    """AUROC and accuracy at one half, over both sides equally, meant over ways."""
    apart = apart_on(vectors, [text for text, _ in rows], ways)
    truths = torch.tensor([good == 1 for _, good in rows])
    right = ((apart > 0)[truths].float().mean() + (apart < 0)[~truths].float().mean()) / 2
    return sum(auroc(column, truths) for column in apart.T) / len(ways), right.item()


def judge_questions(vectors: Vectors, questions: list[dict]) -> tuple[float, float]:
    rows = [
        judge_sentiment(vectors, [(t, 1) for t in one["yes"]] + [(t, 0) for t in one["no"]], one["ways"])
        for one in questions
        if one["ways"] and one["yes"] and one["no"]
    ]
    return tuple(sum(column) / len(rows) for column in zip(*rows))


def judge_topics(vectors: Vectors, pool: Pool) -> float:
    """Accuracy by bare names among labels that no training saw."""
    labels = [label for label in range(len(pool.labels)) if pool.is_fitted(label)]
    rows = [[text, labels.index(label)] for text, label in pool.rows if label in labels]
    return judge_choices(vectors, {"rows": rows, "options": [pool.labels[label][0] for label in labels]}, 0.05)[0]


def judge_pairs(vectors: Vectors, pairs: list) -> tuple[float, float]:
    """Spearman where what is far has nothing to do with the text, and where it is its opposite."""
    likeness = vectors.likeness([pair[0] for pair in pairs], [pair[1] for pair in pairs])
    figures = []
    for left_out in ("contradiction", "other"):
        kept = torch.tensor([pair[2] != left_out for pair in pairs])
        places = torch.tensor([PLACES[pair[2]] for pair in pairs])
        figures.append(spearman(likeness[kept], places[kept]))
    return tuple(figures)


HEAD = (
    "variant | BANKING77 | CLINC150 | amazon | at 0.5 | tweets | at 0.5 | editorials | at 0.5 | reviews | at 0.5 "
    "| comments | at 0.5 | messages | at 0.5 | placed | urgency | questions new | at 0.5 | questions seen | at 0.5 "
    "| glosses | fields | pairs | opposites"
)


def figures_of(vectors: Vectors, folder: Path) -> list[float]:
    judged = read_json(folder / "judged.json")
    sentiment, urgency = judged["rankings"]
    messages = [(text, int(place > 2)) for text, place in sentiment["rows"] if place != 2]
    sides = [*(one["rows"] for one in judged["rated"]), judged["comments"], messages]
    return [
        *(judge_choices(vectors, one, 0.05)[0] for one in judged["choices"]),
        *(figure for rows in sides for figure in judge_sentiment(vectors, rows, judged["ratedWays"])),
        *(judge_ranking(vectors, one, 0.05) for one in (sentiment, urgency)),
        *(f for part in ("unseen", "seen") for f in judge_questions(vectors, judged["questions"][part])),
        *(judge_topics(vectors, read_source(folder, name)) for name in ("topics", "fields")),
        *judge_pairs(vectors, judged["pairs"]),
    ]


def main() -> None:
    torch.set_num_threads(THREADS)
    wheel, hidden, folder = read_wheel(Path(sys.argv[1])), read_hidden(Path(sys.argv[3])), Path(sys.argv[2])
    print(f"| {HEAD} |\n|{' --- |' * (HEAD.count('|') + 1)}")
    for name in sys.argv[4:] or ["untrained"]:
        is_folder = Path(name).is_dir()
        vectors = Quantized(Path(name)) if is_folder else Vectors(load_upper(wheel, hidden, name)[0], hidden)
        found = figures_of(vectors, folder)
        print(f"| {Path(name).name} | {' | '.join(f'{figure:.3f}' for figure in found)} |", flush=True)


if __name__ == "__main__":
    main()
