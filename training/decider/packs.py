"""States with what is asked of them, as numbers: several in a row of tokens, and what a model loses on them.

A pack is a state, yes/no questions and the options of choices about it. `rows` are the questions; their labels are -1 where only a teacher answers them. All texts
are tokens already (`distil.py prepare`), once for each of the two models.
"""

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

from pairs import auroc
from written import NO, NOT_TOLD, YES

UNKNOWN = -1
TOLD = 3
"""A place answers the question, which is what yes and no have in common; where it does not, nothing is told."""


@dataclass
class Tokens:
    """All texts one after the other, and where each begins; `first` stands before each state where it is set."""

    flat: np.ndarray
    begins: np.ndarray
    first: int | None = None

    def length(self, pack: "Pack") -> int:
        texts = np.concatenate([pack.windows, pack.asked])
        return int((self.begins[texts + 1] - self.begins[texts]).sum()) + (self.first is not None)


@dataclass
class Pack:
    windows: np.ndarray
    asked: np.ndarray
    """Texts of the rows, then those of each option of each choice."""
    labels: np.ndarray
    sizes: np.ndarray
    rights: np.ndarray
    soft: np.ndarray | None = None
    """A teacher's log probabilities of yes, no and not told, of all that is asked."""
    is_place: bool = False
    """Of a page: what is asked is whether it answers."""

    @property
    def is_labelled(self) -> bool:
        return bool((self.labels >= 0).any() or (self.rights >= 0).any())

    @property
    def options(self) -> np.ndarray:
        return self.asked[len(self.labels) :]


def joined(packs: list[Pack]) -> Pack:
    """Several as parts of one long state, without what one of them does not tell."""
    kept = [np.concatenate([pack.labels != NOT_TOLD, np.ones(len(pack.options), bool)]) for pack in packs]
    rows = [keep[: len(pack.labels)] for pack, keep in zip(packs, kept)]
    inside = lambda values: np.concatenate([value[: len(pack.labels)][row] for pack, value, row in zip(packs, values, rows)])
    after = lambda values: np.concatenate([value[len(pack.labels) :] for pack, value in zip(packs, values)])
    both = lambda values: np.concatenate([inside(values), after(values)])
    whole = lambda name: np.concatenate([getattr(pack, name) for pack in packs])
    soft = None if packs[0].soft is None else both([pack.soft for pack in packs])
    return Pack(whole("windows"), both([pack.asked for pack in packs]), inside([pack.labels for pack in packs]), whole("sizes"), whole("rights"), soft)


def arranged(tokens: Tokens, packs: list[Pack]):
    """Tokens, their places, and which text each is of, a row for each pack: 0 of the state, 1 and up of what is asked, -1 of none. Last, where each
    asked text ends in all rows laid end to end. Places count from 0 in each text; where a token stands first, they go on from the state's."""
    rows = len(packs)
    texts = np.concatenate([np.concatenate([pack.windows, pack.asked]) for pack in packs])
    counts = np.array([len(pack.windows) + len(pack.asked) for pack in packs])
    row = np.repeat(np.arange(rows), counts)
    number = np.maximum(0, np.arange(len(texts)) - (np.cumsum(counts) - counts)[row] - np.array([len(pack.windows) for pack in packs])[row] + 1)
    lengths = (tokens.begins[texts + 1] - tokens.begins[texts]).astype(np.int64)
    before = np.cumsum(lengths) - lengths
    extra = int(tokens.first is not None)
    begins = before - before[np.cumsum(counts) - counts][row] + extra
    width = int(-(-(np.bincount(row, lengths, rows).max() + extra) // 64) * 64)
    part = np.repeat(np.arange(len(texts)), lengths)
    inside = np.arange(len(part)) - before[part]
    at = row[part] * width + begins[part] + inside
    ids, places, of = np.zeros(rows * width, np.int32), np.zeros(rows * width, np.int32), np.full(rows * width, -1, np.int32)
    ids[at], of[at] = tokens.flat[tokens.begins[texts][part] + inside], number[part]
    if tokens.first is None:
        places[at] = inside
    else:
        states = np.bincount(row[number == 0], lengths[number == 0], rows).astype(np.int64) + extra
        places[at] = np.where(number[part] == 0, begins[part], states[row[part]]) + inside
        ids[:: width], of[:: width] = tokens.first, 0
    ends = (row * width + begins + lengths - 1)[number > 0]
    return *(value.reshape(rows, width) for value in (ids, places, of)), ends


def truth_of(packs: list[Pack]):
    """Of all that is asked: the label of a row (-1 of an option), the choice of an option (-1 of a row) and whether it is the right one; whether
    people answered it; whether it asks if a place answers; and how many choices there are."""
    labels, choices, right, known, is_place, count = [], [], [], [], [], 0
    for pack in packs:
        rows, options = len(pack.labels), len(pack.options)
        labels += [pack.labels, np.full(options, -1)]
        choices += [np.full(rows, -1), np.repeat(np.arange(len(pack.sizes)) + count, pack.sizes)]
        chosen = np.zeros(options, np.int64)
        named = pack.rights >= 0
        chosen[(np.cumsum(pack.sizes) - pack.sizes + pack.rights)[named]] = 1
        right += [np.zeros(rows, np.int64), chosen]
        known.append(np.full(rows + options, pack.is_labelled))
        is_place.append(np.full(rows + options, pack.is_place))
        count += len(pack.sizes)
    return *(np.concatenate(some).astype(np.int64) for some in (labels, choices, right)), np.concatenate(known), np.concatenate(is_place), count


def batches_of(packs: list[Pack], tokens: Tokens, most: int, draw: np.random.Generator) -> list[list[int]]:
    """Places of packs about as long as each other, at most so many tokens together, padding included."""
    lengths = [-(-tokens.length(pack) // 64) * 64 for pack in packs]
    order, batches = draw.permutation(len(packs)), []
    for at in range(0, len(order), 2048):
        batch: list[int] = []
        for place in sorted(order[at : at + 2048], key=lambda one: lengths[one]):
            if batch and lengths[place] * (len(batch) + 1) > most:
                batches.append(batch)
                batch = []
            batch.append(int(place))
        batches.append(batch)
    draw.shuffle(batches)
    return batches


def made_ahead(jobs, make, ahead: int = 24, threads: int = 6):
    """What `make` gives of each job, in their order, made by threads before it is asked for."""
    with ThreadPoolExecutor(threads) as pool:
        waiting = deque()
        for job in jobs:
            waiting.append(pool.submit(make, job))
            if len(waiting) >= ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def within_choices(odds: torch.Tensor, choices: torch.Tensor, count: int) -> torch.Tensor:
    """Log probability of each option among those of its choice."""
    highest = odds.new_full((count,), -1e9).scatter_reduce(0, choices, odds.detach(), "amax")
    sums = odds.new_zeros(count).index_add(0, choices, (odds - highest[choices]).exp())
    return odds - highest[choices] - sums.log()[choices]


def odds_of(logits: torch.Tensor) -> torch.Tensor:
    return logits[:, YES] - logits[:, NO]


def told(logits: torch.Tensor) -> torch.Tensor:
    """Log odds of yes and no together against not told."""
    return torch.logsumexp(logits[:, :NOT_TOLD], -1) - logits[:, NOT_TOLD]


def loss_of_labels(logits, labels, choices, right, is_place, smoothing=0.05, share=0.3):
    """As `joint.py` has it: rows are one of three, a choice one of its options, and each option is said or not at a share. Of places each is one of
    two, and what answers weighs five times as much as what does not, of which there is twenty times as much."""
    rows, options, places = (labels >= 0) & ~is_place, choices >= 0, (labels >= 0) & is_place
    loss, weight = functional.cross_entropy(logits[rows], labels[rows], label_smoothing=smoothing, reduction="sum") if rows.any() else logits.sum() * 0, rows.sum().float()
    if options.any():
        found, chosen = logits[options], right[options]
        names, choice = torch.unique(choices[options], return_inverse=True)
        loss = loss - 2 * (within_choices(odds_of(found), choice, len(names)) * chosen).sum()
        loss = loss + share * functional.cross_entropy(found, torch.where(chosen > 0, YES, NO), reduction="sum")
        weight = weight + 2 * len(names) + share * len(found)
    if places.any():
        answers = (labels[places] == TOLD).float()
        weights = 0.5 + 2 * answers
        loss = loss + functional.binary_cross_entropy_with_logits(told(logits[places]), 0.03 + 0.94 * answers, weights, reduction="sum")
        weight = weight + weights.sum()
    return loss / weight.clamp_min(1)


def loss_of_teacher(logits, soft, choices, count, is_place, share=0.5):
    """How far the answers are from a teacher's, of all that is asked and of options within their choice (Kullback-Leibler)."""
    apart = (soft.exp() * (soft - logits.log_softmax(-1))).sum(-1)
    if is_place.any():
        wanted, found = told(soft[is_place]), told(logits[is_place])
        log = functional.logsigmoid
        apart[is_place] = wanted.sigmoid() * (log(wanted) - log(found)) + (-wanted).sigmoid() * (log(-wanted) - log(-found))
    options = choices >= 0
    loss, weight = apart[~options].sum() + share * apart[options].sum(), (~options).sum() + share * options.sum()
    if count:
        mine, theirs = (within_choices(odds_of(some[options]), choices[options], count) for some in (logits, soft))
        loss, weight = loss + 2 * (theirs.exp() * (theirs - mine)).sum(), weight + 2 * count
    return loss / weight


def figures(name: str, logits: torch.Tensor, packs: list[Pack]) -> None:
    """Prints how rows and choices are answered."""
    labels, choices, right, _, _, count = (torch.as_tensor(value) for value in truth_of(packs))
    rows, told = labels >= 0, (labels == YES) | (labels == NO)
    line = f"  {name}: {int(rows.sum())} rows, loss {functional.cross_entropy(logits[rows], labels[rows]).item():.3f}"
    if told.any():
        odds, yes = odds_of(logits[told]), labels[told] == YES
        line += f", yes or no {((odds > 0) == yes).float().mean().item():.3f}, ranked {auroc(odds.numpy(), yes.numpy()):.3f}"
    if count:
        options = choices >= 0
        found, choice, chosen = within_choices(odds_of(logits[options]), choices[options], int(count)), choices[options], right[options] > 0
        best = torch.full((int(count),), -1e9).scatter_reduce(0, choice, found, "amax")
        line += f"; {int((chosen & (found >= best[choice])).sum())} of {int(count)} choices, loss {-found[chosen].mean().item():.3f}"
    print(line, flush=True)


def figures_of_places(name: str, logits: np.ndarray, question: np.ndarray, row: np.ndarray, right: np.ndarray, order: np.ndarray) -> None:
    """Prints how often what answers is put first among the best by their words, and whether the best tells that something answers."""
    odds = told(torch.from_numpy(logits)).numpy()[row]
    line = f"  {name}:"
    for most in (8, 16):
        first, possible, best, answered = 0, 0, [], []
        for one in np.unique(question):
            some = np.flatnonzero((question == one) & (order < most) & (order >= 0))
            if not len(some):
                continue
            answers = right[question == one].max() > 0
            if not answers or right[some].max() > 0:
                best.append(odds[some].max())
                answered.append(answers)
            if right[some].max() > 0:
                possible += 1
                first += int(right[some[odds[some].argmax()]] > 0)
        ranked = auroc(np.array(best), np.array(answered)) if 0 < sum(answered) < len(answered) else float("nan")
        line += f" of {most} first for {first} of {possible}, something answers {ranked:.3f};"
    print(line, flush=True)
