"""Trains the reader of a state and a question together; prints what it is worth on texts that were left out.

    python joint.py ENCODER SOURCES CACHE OUT [--help]

ENCODER and SOURCES are those of `facts.py`. Rows: `asked/*.txt` beside this script, `facts.txt`, `questions.txt`, and the pairs of MultiNLI
in TaxiNLI. What is kept is the checkpoint with the least loss on the texts that are chosen on. One thread.
"""

import argparse
import collections
import copy
import json
import random
import re
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import facts
from reader import Lower, Reader, shipped_reader
from written import CHOSEN_ON, JUDGED, NO, NOT_TOLD, TRAINED, YES, Written, read_written

HERE = Path(__file__).parent
AUXILIARIES = "is|are|was|were|can|could|will|would|should|must|has|have|had|may|might"
STATED = re.compile(rf"^((?:I|you|he|she|it|we|they|there|this|that|(?:the|a|an|my|his|her|their|our) [\w'-]+)) ({AUXILIARIES}) (.+?)\.?$", re.I)

Row = tuple[str, int]
"""A question, and its answer."""
Group = tuple[str, list[Row]]
"""A state with rows."""


def to_question(statement: str) -> str:
    """The question that a plain statement answers; the statement itself where its verb is not found."""
    found = STATED.match(statement)
    if found is None:
        return statement
    subject, verb, rest = found.groups()
    subject = subject if subject.startswith("I") else subject[0].lower() + subject[1:]
    return f"{verb.capitalize()} {subject} {rest}?"


def groups_of_inference(path: Path, draw: random.Random) -> list[Group]:
    trained, judged = facts.pairs_of_taxinli(path)
    by_premise = collections.defaultdict(list)
    for premise, hypothesis, label in trained + judged:
        by_premise[premise].append((to_question(hypothesis) if draw.random() < 0.7 else hypothesis, label))
    return list(by_premise.items())


def groups_of_facts(path: Path) -> list[Group]:
    by_state = collections.defaultdict(list)
    for state, asked, label in facts.pairs_of_facts(facts.blocks_of(path)):
        by_state[state].append((asked, label))
    return [(state, list(dict.fromkeys(rows))) for state, rows in by_state.items()]


def groups_of_questions(path: Path, draw: random.Random) -> list[Group]:
    """Each text with some of the ways to ask about it, and with their opposites."""
    groups = []
    for block in facts.blocks_of(path):
        ways = [way for way in block["asked"] if len(way) == 2]
        for sign, label in (("+", YES), ("-", NO)):
            for text in block[sign]:
                some = draw.sample(ways, min(2, len(ways)))
                groups.append((text, [row for way in some for row in zip(way, (label, 1 - label))]))
    return groups


def rows_of_choices(text: Written, draw: random.Random) -> list[Row]:
    """The right option as what is said, and one of the others as what is not."""
    rows = []
    for question, options, right in text.choices:
        rows.append((f"{question} {options[right]}", YES))
        wrong = draw.choice([option for place, option in enumerate(options) if place != right])
        rows.append((f"{question} {wrong}", NO))
    return rows


def groups_of_written(texts: list[Written], draw: random.Random) -> list[Group]:
    groups = []
    for text in texts:
        rows = [*text.questions, *rows_of_choices(text, draw)]
        if draw.random() < 0.3:
            other = draw.choice(texts)
            if other is not text:
                rows.append((draw.choice(other.questions)[0], NOT_TOLD))
        groups.append((text.text, rows))
    return groups


def batches_of(groups: list[Group], lower: Lower, most: int, draw: random.Random) -> list[list[Group]]:
    """Groups about as long as each other, at most so many tokens together."""
    cost = lambda group: lower.lengths[group[0]] + sum(lower.lengths[asked] for asked, _ in group[1])
    order = draw.sample(groups, len(groups))
    batches = []
    for at in range(0, len(order), 256):
        batch, tokens = [], 0
        for group in sorted(order[at : at + 256], key=lambda one: lower.lengths[one[0]]):
            if batch and tokens + cost(group) > most:
                batches.append(batch)
                batch, tokens = [], 0
            batch.append(group)
            tokens += cost(group)
        batches.append(batch)
    draw.shuffle(batches)
    return batches


def logits(reader: Reader, lower: Lower, batch: list[Group]):
    place = torch.tensor([index for index, (_, rows) in enumerate(batch) for _ in rows])
    asked = lower.padded([question for _, rows in batch for question, _ in rows])
    labels = torch.tensor([label for _, rows in batch for _, label in rows])
    return reader(*lower.padded([state for state, _ in batch]), *asked, place), labels


@torch.inference_mode()
def predict(reader: Reader, lower: Lower, groups: list[Group]):
    """Log probabilities and labels, in the order of the groups."""
    reader.eval()
    found, truth = [], []
    for at in range(0, len(groups), 8):
        made, labels = logits(reader, lower, groups[at : at + 8])
        found.append(made.log_softmax(-1))
        truth.append(labels)
    return torch.cat(found), torch.cat(truth)


def report(name: str, reader: Reader, lower: Lower, groups: list[Group]) -> float:
    found, truth = predict(reader, lower, groups)
    told = truth != NOT_TOLD
    odds = found[told, YES] - found[told, NO]
    ranked = facts.auroc(odds.numpy(), (truth[told] == YES).numpy())
    right = ((odds > 0) == (truth[told] == YES)).float().mean().item()
    three = (found.argmax(-1) == truth).float().mean().item()
    loss = functional.nll_loss(found, truth).item()
    print(f"  {name}: {len(truth)} rows, loss {loss:.3f}, right of three {three:.3f}, yes or no {right:.3f}, ranked {ranked:.3f}", flush=True)
    return loss


def options_right(reader: Reader, lower: Lower, texts: list[Written]) -> tuple[int, int]:
    right = count = 0
    for text in texts:
        for question, options, at in text.choices:
            found, _ = predict(reader, lower, [(text.text, [(f"{question} {option}", YES) for option in options])])
            odds = found[:, YES] - found[:, NO]
            right += int(odds.argmax().item() == at)
            count += 1
    return right, count


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("encoder", "sources", "cache", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--asked", type=Path, default=HERE / "asked")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--tokens", type=int, default=1600)
    parser.add_argument("--rate", type=float, default=1.5e-4)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop there whatever is left; the rate falls with it")
    parser.add_argument("--inference", type=float, default=1.0, help="share of MultiNLI's pairs in each pass")
    parser.add_argument("--own", type=float, default=1.0, help="the same of `facts.txt` and `questions.txt`")
    parser.add_argument("--begun", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(arguments.seed)
    draw = random.Random(arguments.seed)
    texts = read_written(arguments.asked)
    parts = {part: [text for text in texts if text.part == part] for part in (TRAINED, CHOSEN_ON, JUDGED)}
    inference = groups_of_inference(arguments.sources / "taxinli/taxinli10k.tsv", draw)
    own = [*groups_of_facts(HERE / "facts.txt"), *groups_of_questions(HERE / "questions.txt", draw)]
    chosen_on = [(text.text, text.questions) for text in parts[CHOSEN_ON]]
    held = draw.sample(inference, len(inference) // 20)
    inference = [group for group in inference if group not in held]
    lower = Lower(arguments.encoder, arguments.cache)
    lower.add([one for state, rows in [*inference, *held, *own] for one in (state, *(row[0] for row in rows))])
    lower.add([one for text in texts for one in (text.text, *(row[0] for row in text.questions))])
    lower.add([f"{question} {option}" for text in texts for question, options, _ in text.choices for option in options])
    counts = {part: sum(len(text.questions) for text in some) for part, some in parts.items()}
    print(f"{len(inference)} premises, {len(own)} own texts, questions {counts}; {time.process_time():.0f} s", flush=True)
    reader = shipped_reader(arguments.encoder)
    if arguments.begun:
        reader.load_state_dict(torch.load(arguments.begun, weights_only=True))
    optimiser = torch.optim.AdamW(reader.parameters(), arguments.rate, weight_decay=0.01)
    best, least = copy.deepcopy(reader.state_dict()), float("inf")
    begun, step, passed = time.time(), 0, 0.0
    for epoch in range(arguments.epochs):
        some = draw.sample(inference, round(len(inference) * arguments.inference))
        some += draw.sample(own, round(len(own) * arguments.own))
        groups = [*groups_of_written(parts[TRAINED], draw), *some]
        batches = batches_of(groups, lower, arguments.tokens, draw)
        for at, batch in enumerate(batches):
            passed = max((epoch + at / len(batches)) / arguments.epochs, (time.time() - begun) / arguments.seconds)
            if passed >= 1:
                break
            rate = arguments.rate * min(1, (step + 1) / 60) * min(1, (1 - passed) / 0.9)
            for group in optimiser.param_groups:
                group["lr"] = rate
            reader.train()
            found, labels = logits(reader, lower, batch)
            loss = functional.cross_entropy(found, labels, label_smoothing=0.05)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
            optimiser.step()
            step += 1
            if step % 50 == 0:
                print(f"pass {epoch}, step {at} of {len(batches)}: {loss.item():.3f}, {len(labels)} rows; {time.process_time():.0f} s of CPU, {time.time() - begun:.0f} s", flush=True)
        print(f"after pass {epoch}, {time.process_time():.0f} s of CPU")
        report("MultiNLI, left out", reader, lower, held)
        loss = report("written, chosen on", reader, lower, chosen_on)
        print("  choices", *options_right(reader, lower, parts[CHOSEN_ON]), flush=True)
        if loss < least:
            best, least = copy.deepcopy(reader.state_dict()), loss
            torch.save(best, arguments.out)
        if passed >= 1:
            break
    plan = {name: str(value) for name, value in vars(arguments).items() if name in ("epochs", "tokens", "rate", "inference", "seed")}
    arguments.out.with_suffix(".json").write_text(json.dumps({"plan": plan, "loss": least, "questions": counts}))


if __name__ == "__main__":
    main()
