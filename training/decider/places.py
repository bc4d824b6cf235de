"""What pages say of questions: `answer-rows.ts` lists the places that a search finds for each, and which of them answer."""

import json
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from joint import Group
from packs import TOLD, UNKNOWN
from written import NOT_TOLD

ASKED_MAX = 10
"""Questions of one place at once."""
BEST, WORSE = 12, 3
"""Of the places of a question that is trained on the best by their words, and others."""
OTHERS = 1
"""Questions on the same page that a teacher is asked of each place, besides those of which a search finds it."""


@dataclass
class Places:
    trained: list[Group] = field(default_factory=list)
    left: list[Group] = field(default_factory=list)
    others: list[list[str]] = field(default_factory=list)
    """Of each of `trained`."""
    judged: dict[str, list[int]] = field(default_factory=lambda: {"question": [], "row": [], "right": [], "order": []})
    """Of each row of `left` that is judged: the number of its question, its own among all rows, whether it answers, and how many are better by their words (-1: not found)."""


def read(path: Path, left_out: set[str], seed: int = 11) -> Places:
    draw, asked, of_page, on_page = Random(seed), defaultdict(list), defaultdict(list), defaultdict(lambda: defaultdict(int))
    for number, line in enumerate(path.read_text().splitlines()):
        row = json.loads(line)
        is_left = row["page"] in left_out
        of_page[row["page"]] += [] if is_left else [row["question"]]
        found = any(one["right"] for one in row["candidates"])
        worse = [one for one in row["candidates"] if not one["best"] and not one["right"]][WORSE:]
        for order, one in enumerate(row["candidates"]):
            if not is_left and not one["right"] and (one in worse or (one["best"] and order >= BEST)):
                continue
            is_told = TOLD if one["right"] else NOT_TOLD
            # What only stands beside an answer is neither, nor is anything where the answer was not found.
            label = UNKNOWN if not one["right"] and (one["beside"] or (row["isAnswered"] and not found and not is_left)) else is_told
            asked[is_left, one["text"]].append((row["question"], label, number, order if one["best"] else -1))
            on_page[one["text"]][row["page"]] += 1
    made, at = Places(), 0
    for (is_left, text), rows in asked.items():
        draw.shuffle(rows)
        for begin in range(0, len(rows), ASKED_MAX):
            some = rows[begin : begin + ASKED_MAX]
            group = Group((text,), [(question, label) for question, label, _, _ in some])
            if is_left:
                made.left.append(group)
                for question, label, number, order in some:
                    if label != UNKNOWN:
                        for name, value in zip(made.judged, (number, at, int(label == TOLD), order)):
                            made.judged[name].append(value)
                    at += 1
            else:
                made.trained.append(group)
                page = max(on_page[text], key=on_page[text].get)
                own = {question for question, *_ in rows}
                rest = [question for question in of_page[page] if question not in own] if begin == 0 else []
                made.others.append(draw.sample(rest, min(OTHERS, len(rest))))
    return made
