"""Trains the reader of a state and a question together; prints what it is worth on texts that were left out.

    python joint.py ENCODER SOURCES OUT [--help]

ENCODER is the folder that ships, SOURCES holds `taxinli` (see README.md). Rows: `asked/*.txt` beside this script, `facts.txt`, `questions.txt`, and the pairs of MultiNLI
in TaxiNLI. What is kept is the checkpoint with the least loss on the texts that are chosen on.
"""

import argparse
import collections
import copy
import json
import os
import random
import re
import time
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import nn
from torch.func import functional_call
from torch.nn import functional

import pairs
from reader import Embedded, Reader, begun_reader
from written import CHOSEN_ON, JUDGED, NO, NOT_TOLD, TRAINED, YES, Written, read_written

HERE = Path(__file__).parent
AUXILIARIES = "is|are|was|were|can|could|will|would|should|must|has|have|had|may|might"
STATED = re.compile(rf"^((?:I|you|he|she|it|we|they|there|this|that|(?:the|a|an|my|his|her|their|our) [\w'-]+)) ({AUXILIARIES}) (.+?)\.?$", re.I)


@dataclass
class Group:
    """A state with what is asked about it."""

    state: tuple[str, ...]
    """Its windows, whose tokens count from 0 each."""
    rows: list[tuple[str, int]]
    """A question, and its answer."""
    choices: list[tuple[list[str], int]] = field(default_factory=list)
    """A question with each of its options, and the place of the right one."""

    @property
    def texts(self) -> list[str]:
        return [asked for asked, _ in self.rows] + [asked for choice, _ in self.choices for asked in choice]


def to_question(statement: str) -> str:
    """The question that a plain statement answers; the statement itself where its verb is not found."""
    found = STATED.match(statement)
    if found is None:
        return statement
    subject, verb, rest = found.groups()
    subject = subject if subject.startswith("I") else subject[0].lower() + subject[1:]
    return f"{verb.capitalize()} {subject} {rest}?"


def groups_of_inference(path: Path, draw: random.Random) -> list[Group]:
    by_premise = collections.defaultdict(list)
    for premise, hypothesis, label in pairs.pairs_of_taxinli(path):
        by_premise[premise].append((to_question(hypothesis) if draw.random() < 0.7 else hypothesis, label))
    return [Group((premise,), rows) for premise, rows in by_premise.items()]


def groups_of_facts(path: Path) -> list[Group]:
    by_state = collections.defaultdict(list)
    for state, asked, label in pairs.pairs_of_facts(pairs.blocks_of(path)):
        by_state[state].append((asked, label))
    return [Group((state,), list(dict.fromkeys(rows))) for state, rows in by_state.items()]


def groups_of_questions(path: Path, draw: random.Random) -> list[Group]:
    """Each text with some of the ways to ask about it, and with their opposites."""
    groups = []
    for block in pairs.blocks_of(path):
        ways = [way for way in block["asked"] if len(way) == 2]
        for sign, label in (("+", YES), ("-", NO)):
            for text in block[sign]:
                some = draw.sample(ways, min(2, len(ways)))
                groups.append(Group((text,), [row for way in some for row in zip(way, (label, 1 - label))]))
    return groups


def choices_of(text: Written) -> list[tuple[list[str], int]]:
    return [([f"{question} {option}" for option in options], right) for question, options, right in text.choices]


def groups_of_written(texts: list[Written], joined: float, draw: random.Random) -> list[Group]:
    """Some with a question about another text, which they do not answer; a share of them two or three texts as one long state."""
    groups = []
    for text in texts:
        rows = list(text.questions)
        if draw.random() < 0.3:
            other = draw.choice(texts)
            if other is not text and other.questions:
                rows.append((draw.choice(other.questions)[0], NOT_TOLD))
        groups.append(Group((text.text,), rows, choices_of(text)))
    draw.shuffle(groups)
    at, end, made = 0, round(len(groups) * joined), []
    while at < end:
        some = groups[at : at + draw.choice((2, 2, 3))]
        at += len(some)
        made.append(Group(tuple(one.state[0] for one in some), [row for one in some for row in one.rows if row[1] != NOT_TOLD], [choice for one in some for choice in one.choices]))
    return made + groups[at:]


def batched(items: list, length, most: int, at_once: int = 512) -> list[list]:
    """Items about as long as each other, of so many beside each other in their order; at most so many tokens together."""
    batches = []
    for at in range(0, len(items), at_once):
        batch = []
        for item in sorted(items[at : at + at_once], key=length):
            if batch and length(item) * (len(batch) + 1) > most:
                batches.append(batch)
                batch = []
            batch.append(item)
        batches.append(batch)
    return batches


def batches_of(groups: list[Group], embedded: Embedded, most: int, draw: random.Random) -> list[list[Group]]:
    length = lambda group: sum(embedded.length(text) for text in (*group.state, *group.texts))
    batches = batched(draw.sample(groups, len(groups)), length, most)
    draw.shuffle(batches)
    return batches


def logits(reader: Reader, embedded: Embedded, batch: list[Group], hidden: float = 0.0) -> torch.Tensor:
    """Logits of all that is asked, group by group: rows first, then each option of each choice. In 16 bits, which some processors multiply ten
    times as fast."""
    states, of = embedded.packed([(group.state, group.texts) for group in batch], hidden)
    halves = {name: value.bfloat16() for name, value in reader.named_parameters()}
    return functional_call(reader, halves, (states.bfloat16(), of)).float()


def losses(found, batch: list[Group], smoothing: float, share: float):
    """Of rows, each one of three; of choices, each one of its options, and every option said or not at a share."""
    at, rows, labels, options, sides, chosen = 0, [], [], [], [], []
    for group in batch:
        rows += range(at, at + len(group.rows))
        labels += [label for _, label in group.rows]
        at += len(group.rows)
        for choice, right in group.choices:
            one = found[at : at + len(choice)]
            chosen.append(functional.cross_entropy((one[:, YES] - one[:, NO])[None], torch.tensor([right])))
            options += range(at, at + len(choice))
            sides += [YES if place == right else NO for place in range(len(choice))]
            at += len(choice)
    loss = functional.cross_entropy(found[rows], torch.tensor(labels), label_smoothing=smoothing, reduction="sum") if rows else 0.0
    count = len(rows)
    if chosen:
        loss = loss + 2 * torch.stack(chosen).sum() + share * functional.cross_entropy(found[options], torch.tensor(sides), reduction="sum")
        count += 2 * len(chosen) + share * len(options)
    return loss / count


@torch.inference_mode()
def predict(reader: Reader, embedded: Embedded, groups: list[Group]):
    """Log probabilities of all that is asked, in the order of `logits`."""
    reader.eval()
    return torch.cat([logits(reader, embedded, groups[at : at + 8]).log_softmax(-1) for at in range(0, len(groups), 8)])


def report(name: str, reader: Reader, embedded: Embedded, groups: list[Group]) -> float:
    """Prints what rows and choices are answered; returns the loss of both."""
    found = predict(reader, embedded, groups)
    rows, truth, chosen, right, at = [], [], [], 0, 0
    for group in groups:
        rows += range(at, at + len(group.rows))
        truth += [label for _, label in group.rows]
        at += len(group.rows)
        for choice, place in group.choices:
            odds = (found[at : at + len(choice), YES] - found[at : at + len(choice), NO]).log_softmax(-1)
            chosen.append(-odds[place].item())
            right += int(odds.argmax().item() == place)
            at += len(choice)
    of_rows, truth = found[rows], torch.tensor(truth)
    told = truth != NOT_TOLD
    odds = of_rows[told, YES] - of_rows[told, NO]
    ranked = pairs.auroc(odds.numpy(), (truth[told] == YES).numpy())
    correct = ((odds > 0) == (truth[told] == YES)).float().mean().item()
    three = (of_rows.argmax(-1) == truth).float().mean().item()
    loss = functional.nll_loss(of_rows, truth).item()
    line = f"  {name}: {len(truth)} rows, loss {loss:.3f}, right of three {three:.3f}, yes or no {correct:.3f}, ranked {ranked:.3f}"
    if chosen:
        line += f"; {right} of {len(chosen)} choices, loss {sum(chosen) / len(chosen):.3f}"
        loss += 0.5 * sum(chosen) / len(chosen)
    print(line, flush=True)
    return loss


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("encoder", "sources", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--asked", type=Path, default=HERE / "asked")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--tokens", type=int, default=3200)
    parser.add_argument("--rate", type=float, default=1.2e-4)
    parser.add_argument("--floor", type=float, default=0.0, help="share of the rate that is left at the end, where more training follows")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop there whatever is left; the rate falls with it")
    parser.add_argument("--inference", type=float, default=1.0, help="share of MultiNLI's pairs in each pass")
    parser.add_argument("--own", type=float, default=1.0, help="the same of `facts.txt` and `questions.txt`")
    parser.add_argument("--options", type=float, default=0.3, help="weight of an option as said or not, beside that of the choice")
    parser.add_argument("--joined", type=float, default=0.25, help="share of the written texts that are read as parts of a long one")
    parser.add_argument("--hidden", type=float, default=0.1, help="share of the tokens that are hidden behind a mask in each step")
    parser.add_argument("--drop", type=float, default=0.1, help="dropout")
    parser.add_argument("--decay", type=float, default=0.01, help="weight decay")
    parser.add_argument("--averaged", type=float, default=0.995, help="what is judged and kept is a mean of the weights that forgets by this each step")
    parser.add_argument("--begun", type=Path, help="a checkpoint, or the reader that ships; else the encoder")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(int(os.environ.get("THREADS", "1")))
    torch.manual_seed(arguments.seed)
    draw = random.Random(arguments.seed)
    texts = read_written(arguments.asked)
    parts = {part: [text for text in texts if text.part == part] for part in (TRAINED, CHOSEN_ON, JUDGED)}
    inference = groups_of_inference(arguments.sources / "taxinli/taxinli10k.tsv", draw)
    own = [*groups_of_facts(HERE / "facts.txt"), *groups_of_questions(HERE / "questions.txt", draw)]
    chosen_on = [Group((text.text,), text.questions, choices_of(text)) for text in parts[CHOSEN_ON]]
    held = draw.sample(inference, len(inference) // 20)
    inference = [group for group in inference if group not in held]
    embedded = Embedded(arguments.encoder)
    encode = lambda groups: embedded.add([one for group in groups for one in (*group.state, *group.texts)])
    encode([*held, *chosen_on])
    counts = {part: sum(len(text.questions) for text in some) for part, some in parts.items()}
    print(f"{len(inference)} premises, {len(own)} own texts, questions {counts}; {time.process_time():.0f} s", flush=True)
    reader = begun_reader(arguments.begun or arguments.encoder / "model.onnx")
    reader.drop = arguments.drop
    optimiser = torch.optim.AdamW(reader.parameters(), arguments.rate, weight_decay=arguments.decay)
    mean = copy.deepcopy(reader)
    best, least = copy.deepcopy(reader.state_dict()), float("inf")
    begun, step, passed = time.time(), 0, 0.0
    for epoch in range(arguments.epochs):
        some = draw.sample(inference, round(len(inference) * arguments.inference))
        some += draw.sample(own, round(len(own) * arguments.own))
        groups = [*groups_of_written(parts[TRAINED], arguments.joined, draw), *some]
        encode(groups)
        batches = batches_of(groups, embedded, arguments.tokens, draw)
        for at, batch in enumerate(batches):
            passed = max((epoch + at / len(batches)) / arguments.epochs, (time.time() - begun) / arguments.seconds)
            if passed >= 1:
                break
            rate = arguments.rate * min(1, (step + 1) / 60) * max(arguments.floor, min(1, (1 - passed) / 0.9))
            for group in optimiser.param_groups:
                group["lr"] = rate
            reader.train()
            loss = losses(logits(reader, embedded, batch, arguments.hidden), batch, 0.05, arguments.options)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
            optimiser.step()
            step += 1
            with torch.no_grad():
                for kept, new in zip(mean.parameters(), reader.parameters()):
                    kept.lerp_(new, 1 - min(arguments.averaged, step / (step + 10)))
            if step % 50 == 0:
                print(f"pass {epoch}, step {at} of {len(batches)}: {loss.item():.3f}; {time.process_time():.0f} s of CPU, {time.time() - begun:.0f} s", flush=True)
        print(f"after pass {epoch}, {time.process_time():.0f} s of CPU")
        report("MultiNLI, left out", mean, embedded, held)
        loss = report("written, chosen on", mean, embedded, chosen_on)
        if loss < least:
            best, least = copy.deepcopy(mean.state_dict()), loss
            torch.save(best, arguments.out)
        if passed >= 1:
            break
    plan = {name: str(value) for name, value in vars(arguments).items() if name in ("epochs", "tokens", "rate", "inference", "seed")}
    arguments.out.with_suffix(".json").write_text(json.dumps({"plan": plan, "loss": least, "questions": counts}))


if __name__ == "__main__":
    main()
