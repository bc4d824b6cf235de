"""Teaches the reader whether a passage answers a question, and has it answer everything else as before.

    python answers.py ENCODER ROWS BEGUN OUT [--help]

ROWS is what `answer-rows.ts` makes, BEGUN a checkpoint of nine layers or a mean of several, as `export_reader.py` takes it. That something answers is what yes and no
have in common. Every second step has questions of `asked/` as well, which are to be answered as BEGUN does.
"""

import argparse
import copy
import json
import random
import time
from pathlib import Path

import torch
from torch import nn
from torch.func import functional_call
from torch.nn import functional

import joint
import pairs
from export_reader import checkpoint_of
from reader import Embedded, Reader
from written import CHOSEN_ON, TRAINED, read_written

HERE = Path(__file__).parent
WRONG = 5
"""Candidates that do not answer, of each question: the best by their words, and one other."""


def reader_of(names: str) -> Reader:
    state = checkpoint_of(names)
    reader = Reader(layers=1 + max(int(name.split(".")[1]) for name in state if name.startswith("layers.")))
    reader.load_state_dict(state)
    return reader


def told(logits: torch.Tensor) -> torch.Tensor:
    """Log odds of yes and no together against not told."""
    return torch.logsumexp(logits[:, :2], -1) - logits[:, 2]


def in_16_bits(reader: Reader) -> dict[str, torch.Tensor]:
    return {name: value.bfloat16() for name, value in reader.named_parameters()}


def rows_of(question, draw: random.Random) -> list[tuple[str, str, int]]:
    """What answers and what does not; what only stands beside the answer is neither."""
    right = [one for one in question["candidates"] if one["right"]]
    wrong = [one for one in question["candidates"] if not one["right"] and not one["beside"]]
    if question["isAnswered"] and not right:
        return []
    some = wrong[: WRONG - 1] + draw.sample(wrong[WRONG - 1 :], min(1, len(wrong[WRONG - 1 :])))
    return [(one["text"], question["question"], 1) for one in right[:2]] + [(one["text"], question["question"], 0) for one in some]


def batches_of(questions, embedded: Embedded, most: int, draw: random.Random):
    rows = [row for question in draw.sample(questions, len(questions)) for row in rows_of(question, draw)]
    embedded.add([text for row in rows for text in row[:2]])
    length = lambda row: embedded.length(row[0]) + embedded.length(row[1])
    batches = joint.batched(rows, length, most, at_once=2000)
    return draw.sample(batches, len(batches))


def kept_loss(reader: Reader, halves, before: Reader, texts, embedded: Embedded, draw: random.Random) -> torch.Tensor:
    """How far answers of some texts are from those of the reader with which this began. Unit: nats."""
    groups = [group for group in joint.groups_of_written(draw.sample(texts, 12), 0.2, draw) if group.texts]
    embedded.add([one for group in groups for one in (*group.state, *group.texts)])
    groups = sorted(groups, key=lambda group: sum(embedded.length(one) for one in (*group.state, *group.texts)))[:9]
    states, of = embedded.packed([(group.state, group.texts) for group in groups])
    ask = lambda one, weights: functional_call(one, weights, (states.bfloat16(), of)).float().log_softmax(-1)
    with torch.no_grad():
        wanted = ask(before, in_16_bits(before))
    return functional.kl_div(ask(reader, halves), wanted, log_target=True, reduction="batchmean")


@torch.inference_mode()
def report(reader: Reader, embedded: Embedded, questions) -> None:
    """How often what answers is put first among eight, and whether the best of them tells that something does."""
    reader.eval()
    halves, best, truth, first, count = in_16_bits(reader), [], [], 0, 0
    for question in questions:
        some = question["candidates"][:8]
        if not some or (question["isAnswered"] and not any(one["right"] for one in some)):
            continue
        embedded.add([question["question"], *(one["text"] for one in some)])
        states, of = embedded.packed([((one["text"],), [question["question"]]) for one in some])
        odds = told(functional_call(reader, halves, (states.bfloat16(), of)).float())
        best.append(odds.max().item())
        truth.append(question["isAnswered"])
        if question["isAnswered"]:
            count += 1
            first += int(some[odds.argmax()]["right"])
    print(f"  pages left out: what answers is first for {first} of {count}; something answers, AUROC {pairs.auroc(torch.tensor(best).numpy(), torch.tensor(truth).numpy()):.3f} of {len(truth)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("encoder", type=Path)
    parser.add_argument("rows", type=Path)
    parser.add_argument("begun")
    parser.add_argument("out", type=Path)
    parser.add_argument("--passes", type=float, default=2.0)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop there whatever is left; the rate falls with it")
    parser.add_argument("--rate", type=float, default=7e-5)
    parser.add_argument("--tokens", type=int, default=4000)
    parser.add_argument("--kept", type=float, default=1.2, help="weight of what is to stay as it was")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    torch.manual_seed(arguments.seed)
    draw = random.Random(arguments.seed)
    left_out = set((HERE / "answers/left-out.txt").read_text().split())
    questions = [json.loads(line) for line in arguments.rows.read_text().splitlines()]
    trained = [one for one in questions if one["page"] not in left_out]
    judged = [one for one in questions if one["page"] in left_out]
    written = read_written(HERE / "asked")
    texts = [text for text in written if text.part == TRAINED]
    chosen_on = [joint.Group((text.text,), text.questions, joint.choices_of(text)) for text in written if text.part == CHOSEN_ON]
    embedded, reader = Embedded(arguments.encoder), reader_of(arguments.begun)
    before, mean = copy.deepcopy(reader).eval(), copy.deepcopy(reader)
    optimiser = torch.optim.AdamW(reader.parameters(), arguments.rate, weight_decay=0.01)
    batches = batches_of(trained, embedded, arguments.tokens, draw)
    steps, step, begun = int(len(batches) * arguments.passes), 0, time.time()
    print(f"{len(trained)} questions and {len(judged)} left out, {steps} steps", flush=True)
    while (passed := max(step / steps, (time.time() - begun) / arguments.seconds)) < 1:
        batches = batches or batches_of(trained, embedded, arguments.tokens, draw)
        batch = batches.pop()
        for group in optimiser.param_groups:
            group["lr"] = arguments.rate * min(1, (step + 1) / 40) * max(0.02, 1 - passed)
        reader.train()
        halves = in_16_bits(reader)
        states, of = embedded.packed([((text,), [question]) for text, question, _ in batch], 0.05)
        found = told(functional_call(reader, halves, (states.bfloat16(), of)).float())
        right = torch.tensor([float(label) for _, _, label in batch])
        loss = functional.binary_cross_entropy_with_logits(found, right * 0.94 + 0.03, weight=1 + 1.5 * right)
        if step % 2 == 0:
            loss = loss + arguments.kept * kept_loss(reader, halves, before, texts, embedded, draw)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimiser.step()
        step += 1
        with torch.no_grad():
            for kept, new in zip(mean.parameters(), reader.parameters()):
                kept.lerp_(new, 1 - min(0.99, step / (step + 10)))
        if step % 50 == 0:
            print(f"step {step}: {loss.item():.3f}; {time.time() - begun:.0f} s", flush=True)
    torch.save(mean.state_dict(), arguments.out)
    report(mean, embedded, judged)
    embedded.add([one for group in chosen_on for one in (*group.state, *group.texts)])
    joint.report("written, chosen on", mean, embedded, chosen_on)


if __name__ == "__main__":
    main()
