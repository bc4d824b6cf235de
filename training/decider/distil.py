"""Teaches the reader what a larger model has learned from the same texts.

    python distil.py prepare ENCODER SOURCES ROWS SMOLLM_GGUF DATA all texts as numbers, for both models
    python distil.py teach DATA TEACHER                            trains SmolLM2 on the texts; prints each pass
    python distil.py label DATA TEACHER LABELS                     what it answers, also to questions of other texts
    python distil.py study DATA LABELS BEGUN OUT [--layers 9]      trains the reader on both

SOURCES holds the checkouts that README.md names, ROWS is what `answer-rows.ts` makes; BEGUN is a checkpoint of `joint.py` or a reader's
graph, whose layers are doubled where more are asked for. A GPU is used where
there is one: teaching took 3 minutes, labels 2 and studying 8 on an H200. Two cores need days for that; --steps ends it sooner.
"""

import argparse
import copy
import random
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import packs
from packs import UNKNOWN, Pack, Tokens, arranged, batches_of, loss_of_labels, loss_of_teacher, made_ahead, truth_of

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
TOKENS_AT_ONCE = {"cuda": 65_536, "cpu": 4_096}[DEVICE.type]
PARTS = TRAINED, CHOSEN_ON, JUDGED, INFERENCE, INFERENCE_LEFT, OWN, COMMONSENSE, ALONE, PLACES, PLACES_LEFT = range(10)
GROWN = {6: (0, 1, 2, 3, 4, 5), 9: (0, 1, 2, 2, 3, 3, 4, 4, 5)}


class Data:
    """What `prepare` made."""

    def __init__(self, path: Path):
        self.stored = dict(np.load(path))
        self.of_reader = Tokens(self.stored["reader.flat"], self.stored["reader.begins"])
        self.of_teacher = Tokens(self.stored["teacher.flat"], self.stored["teacher.begins"], int(self.stored["teacher.first"]))
        number = lambda name: torch.from_numpy(self.stored[f"reader.{name}"].astype(np.float32)).to(DEVICE)
        self.words, self.places, self.norm = number("words") * number("scales"), number("places"), number("norm")
        part = self.stored["part"]
        self.packs = {one: [self.pack(int(at)) for at in np.flatnonzero(part == one)] for one in PARTS}

    def pack(self, at: int) -> Pack:
        between = lambda name, first=at, last=at + 1: slice(self.stored[f"{name}.begins"][first], self.stored[f"{name}.begins"][last])
        choices = between("choices")
        options = between("options", choices.start, choices.stop)
        rows = between("rows")
        asked = np.concatenate([self.stored["rows"][rows], self.stored["options"][options]])
        sizes = np.diff(self.stored["options.begins"][choices.start : choices.stop + 1])
        is_place = self.stored["part"][at] in (PLACES, PLACES_LEFT)
        return Pack(self.stored["windows"][between("windows")], asked, self.stored["labels"][rows].astype(np.int64), sizes, self.stored["rights"][choices].astype(np.int64), is_place=is_place)

    @property
    def labelled(self) -> list[Pack]:
        return [pack for part in (TRAINED, INFERENCE, OWN, COMMONSENSE, PLACES) for pack in self.packs[part]]

    def embed(self, ids, places):
        return functional.layer_norm(self.words[ids] + self.places[places], self.words.shape[1:], *self.norm, 1e-12)


def prepare(encoder: Path, sources: Path, rows: Path, gguf: Path, out: Path) -> None:
    from gguf import GGUFReader
    import commonsense, joint, places, smollm, written
    from reader import Embedded

    draw = random.Random(7)
    here = Path(__file__).parent
    part_of = {written.TRAINED: TRAINED, written.CHOSEN_ON: CHOSEN_ON, written.JUDGED: JUDGED}
    groups = [(part_of[text.part], joint.Group((text.text,), text.questions, joint.choices_of(text))) for text in written.read_written(here / "asked")]
    inference = joint.groups_of_inference(sources / "taxinli/taxinli10k.tsv", draw)
    left = set(draw.sample(range(len(inference)), len(inference) // 20))
    groups += [(INFERENCE_LEFT if at in left else INFERENCE, group) for at, group in enumerate(inference)]
    groups += [(OWN, group) for group in (*joint.groups_of_facts(here / "facts.txt"), *joint.groups_of_questions(here / "questions.txt", draw))]
    groups += [(COMMONSENSE, group) for group in commonsense.groups_of_causes(sources / "ecare/dataset/Causal_Reasoning/train.jsonl", draw)]
    groups += [(COMMONSENSE, group) for group in commonsense.groups_of_claims(sources / "creak/data/creak/train.json", draw)]
    groups += [(COMMONSENSE, group) for group in commonsense.groups_of_facts_together(sources / "strategyqa/data/strategyqa/train.json")]
    alone = [*commonsense.comments(sources / "emotions/data/original/train.tsv", draw, 14_000), *commonsense.orders(sources / "taskmaster/TM-4-2024/data", draw)]
    groups += [(ALONE, joint.Group((text,), [])) for text in alone]
    asked = places.read(rows, set((here / "answers/left-out.txt").read_text().split()))
    groups += [(PLACES, group) for group in asked.trained] + [(PLACES_LEFT, group) for group in asked.left]

    texts: dict[tuple[bool, str], int] = {}
    place = lambda is_asked, text: texts.setdefault((is_asked, text), len(texts))
    made = {name: [] for name in ("part", "windows", "rows", "labels", "options", "rights")}
    begins = {name: [0] for name in ("windows", "rows", "choices", "options")}
    for part, group in groups:
        made["part"].append(part)
        made["windows"] += [place(False, window) for window in group.state]
        made["rows"] += [place(True, question) for question, _ in group.rows]
        made["labels"] += [label for _, label in group.rows]
        for options, right in group.choices:
            made["options"] += [place(True, option) for option in options]
            made["rights"].append(right)
            begins["options"].append(len(made["options"]))
        for name, count in (("windows", len(made["windows"])), ("rows", len(made["rows"])), ("choices", len(made["rights"]))):
            begins[name].append(count)
    stored = {name: np.array(value, np.int32) for name, value in made.items()} | {f"{name}.begins": np.array(value, np.int32) for name, value in begins.items()}

    def tokens(name: str, rows: list[list[int]], *more: int) -> np.ndarray:
        """Only the words that are used are kept, which `stored` gets by their new numbers; gives the old ones."""
        flat = np.concatenate([np.array(row) for row in rows])
        used = np.unique(np.concatenate([flat, more]))
        stored[f"{name}.flat"] = np.searchsorted(used, flat).astype(np.uint16)
        stored[f"{name}.begins"] = np.cumsum([0, *map(len, rows)]).astype(np.int32)
        return used

    stored |= {f"judged.{name}": np.array(value, np.int32) for name, value in asked.judged.items()}
    stored["others"] = np.array([place(True, question) for questions in asked.others for question in questions], np.int32)
    stored["others.begins"] = np.cumsum([0, *map(len, asked.others)]).astype(np.int32)

    embedded = Embedded(encoder)
    used = tokens("reader", [row.ids for row in embedded.tokenizer.encode_batch([text for _, text in texts])], embedded.mask, embedded.first)
    stored |= {"reader.mask": np.searchsorted(used, embedded.mask), "reader.first": np.searchsorted(used, embedded.first)}
    stored |= {"reader.words": embedded.bytes[used].numpy().astype(np.int8), "reader.scales": embedded.scales[used].numpy()}
    stored |= {"reader.places": embedded.places.numpy(), "reader.norm": np.stack([value.numpy() for value in embedded.norm[:2]])}

    reader = GGUFReader(gguf)
    tokenizer = smollm.tokenizer_of(reader)
    tokenizer.enable_truncation(220)
    answers = np.array([tokenizer.encode(word).ids[0] for word in smollm.ANSWERS])
    used = tokens("teacher", [row.ids for row in tokenizer.encode_batch([smollm.asked(text) if is_asked else text for is_asked, text in texts])], smollm.FIRST, *answers)
    stored["teacher.first"] = np.searchsorted(used, smollm.FIRST)
    np.savez_compressed(out, **stored)
    torch.save({name: value.half() for name, value in smollm.weights_of(reader, used, answers).items()}, out.with_suffix(".smollm.pt"))
    print(f"{len(groups)} texts, {len(texts)} strings, {len(made['rows'])} questions, {len(made['rights'])} choices")


def drawn(some: list[Pack], draw: np.random.Generator, share: float) -> list[Pack]:
    return [some[at] for at in draw.permutation(len(some))[: round(share * len(some))]]


def mixed(data: Data, draw: np.random.Generator, share: float) -> list[Pack]:
    """Texts in another order, a share of them as parts of a longer one; where no teacher answers, some with a question about another text."""
    some = [data.packs[TRAINED][at] for at in draw.permutation(len(data.packs[TRAINED]))]
    if some[0].soft is None:
        for at, pack in enumerate(some):
            other = some[draw.integers(len(some))]
            if draw.random() < 0.3 and len(pack.labels) and len(other.labels) and other is not pack:
                asked = np.concatenate([pack.asked[: len(pack.labels)], other.asked[:1], pack.options])
                some[at] = Pack(pack.windows, asked, np.append(pack.labels, 2), pack.sizes, pack.rights)
    at, end, made = 0, round(share * len(some)), []
    while at < end:
        count = int(draw.choice([2, 2, 3]))
        made.append(packs.joined(some[at : at + count]))
        at += count
    return made + some[at:]


@torch.inference_mode()
def predict(model, some: list[Pack], tokens: Tokens) -> list[np.ndarray]:
    """Logits of all that is asked, pack by pack."""
    model.eval()
    found: list = [None] * len(some)
    jobs = batches_of(some, tokens, TOKENS_AT_ONCE, np.random.default_rng(0))
    for job, made in zip(jobs, made_ahead(jobs, lambda job: arranged(tokens, [some[at] for at in job]))):
        logits, at = model(*(torch.from_numpy(value).to(DEVICE).long() for value in made)).float().cpu().numpy(), 0
        for place in job:
            found[place] = logits[at : at + len(some[place].asked)]
            at += len(some[place].asked)
    return found


def report(model, data: Data, tokens: Tokens) -> None:
    for name, part in (("chosen on", CHOSEN_ON), ("MultiNLI, left out", INFERENCE_LEFT)):
        packs.figures(name, torch.from_numpy(np.concatenate(predict(model, data.packs[part], tokens))), data.packs[part])
    if data.packs[PLACES_LEFT]:
        packs.figures_of_places("pages left out", np.concatenate(predict(model, data.packs[PLACES_LEFT], tokens)), *(data.stored[f"judged.{name}"] for name in ("question", "row", "right", "order")))


def train(model, pass_of, data: Data, tokens: Tokens, plan, averaged: float, most: int = TOKENS_AT_ONCE, taught: float = 0.0):
    """A mean of the weights, which forgets as it goes. `pass_of` gives the packs of a pass; `taught` is the weight of what a teacher says."""
    draw = np.random.default_rng(plan.seed)
    optimiser = torch.optim.AdamW(model.parameters(), plan.rate, weight_decay=0.01, betas=(0.9, 0.98))
    mean, begun, step, epoch, passed = copy.deepcopy(model), time.time(), 0, 0, 0.0
    while passed < 1:
        some = pass_of(draw, epoch)
        jobs = batches_of(some, tokens, most, draw)

        def make(job):
            batch = [some[at] for at in job]
            soft = np.concatenate([pack.soft for pack in batch]).astype(np.float32) if taught else None
            return arranged(tokens, batch), truth_of(batch), soft

        for arrangement, (labels, choices, right, known, is_place, count), soft in made_ahead(jobs, make):
            passed = max((time.time() - begun) / plan.seconds, step / plan.steps)
            if passed >= 1:
                break
            for group in optimiser.param_groups:
                group["lr"] = plan.rate * min(1, (step + 1) / 60) * min(1, (1 - passed) / 0.9)
            model.train()
            logits = model(*(torch.from_numpy(value).to(DEVICE).long() for value in arrangement))
            labels, choices, right, known, is_place = (torch.from_numpy(value).to(DEVICE) for value in (labels, choices, right, known, is_place))
            loss = logits.sum() * 0
            if known.any():
                loss = loss_of_labels(logits[known], labels[known], choices[known], right[known].float(), is_place[known])
            if taught:
                loss = 0.5 * known.float().mean() * loss + taught * loss_of_teacher(logits, torch.from_numpy(soft).to(DEVICE), choices, count, is_place)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            step += 1
            with torch.no_grad():
                torch._foreach_lerp_(list(mean.parameters()), list(model.parameters()), 1 - min(averaged, step / (step + 10)))
            if step % 100 == 0:
                print(f"pass {epoch}, step {step}: {loss.item():.3f}; {time.time() - begun:.0f} s", flush=True)
        epoch += 1
        if passed >= 1 or epoch % plan.every == 0:
            print(f"after pass {epoch}")
            report(mean, data, tokens)
    return mean


def teach(data: Data, weights: Path, out: Path, plan) -> None:
    from smollm import SmolLM

    torch.manual_seed(plan.seed)
    state = {name: value.float() for name, value in torch.load(weights, weights_only=True).items()}
    model = SmolLM(len(state["words.weight"]))
    model.load_state_dict(state)
    others, places = [*data.packs[INFERENCE], *data.packs[OWN]], data.packs[PLACES]
    pass_of = lambda draw, epoch: [*mixed(data, draw, 0.25), *others, *drawn(places, draw, plan.places), *(data.packs[COMMONSENSE] if epoch == 0 else [])]
    mean = train(model.to(DEVICE), pass_of, data, data.of_teacher, plan, 0.99, min(32_768, TOKENS_AT_ONCE))
    torch.save({name: value.half().cpu() for name, value in mean.state_dict().items()}, out)


def vectors_of(data: Data) -> torch.Tensor:
    """Each text as a mean of its words, of which rare ones count most."""
    flat, begins = (torch.from_numpy(value.astype(np.int64)).to(DEVICE) for value in (data.of_reader.flat, data.of_reader.begins))
    text = torch.repeat_interleave(torch.arange(len(begins) - 1, device=DEVICE), begins.diff())
    counts = torch.bincount(flat, minlength=len(data.words)).float()
    words = functional.normalize(data.words - data.words.mean(0), dim=-1) / (1 + counts / 2e-4 / len(flat))[:, None]
    return functional.normalize(torch.zeros(len(begins) - 1, words.shape[1], device=DEVICE).index_add(0, text, words[flat]), dim=-1)


def nearest(means: torch.Tensor, vectors: torch.Tensor, places: np.ndarray, count: int) -> np.ndarray:
    """Of each mean the places in `places` of the texts that are nearest to it."""
    some = vectors[torch.from_numpy(places.astype(np.int64)).to(DEVICE)].T
    return np.concatenate([(part @ some).topk(min(count, len(places))).indices.cpu().numpy() for part in means.split(256)])


def crossed(data: Data, draw: np.random.Generator) -> list[Pack]:
    """Texts with questions and choices of others: 32 questions of the 200 nearest and 12 of any, five choices of the 40 nearest and two."""
    vectors = vectors_of(data)
    trained = data.packs[TRAINED]
    questions = np.unique(np.concatenate([pack.asked[: len(pack.labels)] for pack in trained]))
    choices = [part for pack in trained for part in np.split(pack.options, np.cumsum(pack.sizes)[:-1]) if len(part)]
    heads = np.array([choice[0] for choice in choices])
    texts = [*trained, *data.packs[ALONE], *data.packs[INFERENCE]]
    means = torch.stack([vectors[torch.from_numpy(pack.windows.astype(np.int64)).to(DEVICE)].mean(0) for pack in texts])
    near_questions, near_heads = nearest(means, vectors, questions, 200), nearest(means, vectors, heads, 40)
    made = []
    for pack, near, nearby in zip(texts, near_questions, near_heads):
        own = set(pack.asked.tolist())
        rows = [row for row in (*questions[draw.permutation(near)[:32]], *draw.choice(questions, 12)) if row not in own]
        some = [choices[at] for at in (*draw.permutation(nearby)[:5], *draw.integers(0, len(choices), 2))]
        for part in range(2):
            asked, chosen = np.array(rows[part::2], np.int32), some[part::2]
            sizes = np.array([len(choice) for choice in chosen], np.int64)
            made.append(Pack(pack.windows, np.concatenate([asked, *chosen]), np.full(len(asked), UNKNOWN), sizes, np.full(len(chosen), UNKNOWN)))
    none = np.zeros(0, np.int64)
    for at, pack in enumerate(data.packs[PLACES]):
        asked = data.stored["others"][data.stored["others.begins"][at] : data.stored["others.begins"][at + 1]]
        if len(asked):
            made.append(Pack(pack.windows, asked, np.full(len(asked), UNKNOWN), none, none, is_place=True))
    return made


def label(data: Data, teacher: Path, out: Path, seed: int) -> None:
    from smollm import SmolLM

    state = {name: value.float() for name, value in torch.load(teacher, weights_only=True).items()}
    model = SmolLM(len(state["words.weight"])).to(DEVICE)
    model.load_state_dict(state)
    answered = lambda some: [torch.from_numpy(one).log_softmax(-1).numpy().astype(np.float16) for one in predict(model, some, data.of_teacher)]
    others = crossed(data, np.random.default_rng(seed))
    kept = [(pack.windows, pack.asked, len(pack.labels), pack.sizes, pack.is_place) for pack in others]
    torch.save({"own": answered(data.labelled), "crossed": kept, "answers": answered(others)}, out)


class Student(nn.Module):
    """The reader, told tokens instead of their embeddings; some are hidden while it learns."""

    def __init__(self, reader, data: Data, hidden: float):
        super().__init__()
        self.reader, self.data, self.hidden = reader, data, hidden

    def __deepcopy__(self, memo):
        return Student(copy.deepcopy(self.reader, memo), self.data, self.hidden)

    def forward(self, ids, places, of, ends):
        if self.training:
            hide = (torch.rand(ids.shape, device=ids.device) < self.hidden) & (ids != int(self.data.stored["reader.first"]))
            ids = ids.masked_fill(hide, int(self.data.stored["reader.mask"]))
        with torch.autocast(ids.device.type, torch.bfloat16, enabled=ids.is_cuda):
            return self.reader(self.data.embed(ids, places), of).float()


def grown(state: dict[str, torch.Tensor], layers: int) -> dict[str, torch.Tensor]:
    """Layers between those that are there, as their doubles."""
    others = {name: value for name, value in state.items() if not name.startswith("layers.")}
    of = lambda layer: {name.split(".", 2)[2]: value for name, value in state.items() if name.startswith(f"layers.{layer}.")}
    return others | {f"layers.{at}.{name}": value.clone() for at, layer in enumerate(GROWN[layers]) for name, value in of(layer).items()}


def study(data: Data, labels: Path, begun: Path, out: Path, plan) -> None:
    from reader import Reader, begun_reader

    torch.manual_seed(plan.seed)
    stored = torch.load(labels, weights_only=False)
    for pack, soft in zip(data.labelled, stored["own"]):
        pack.soft = soft
    unknown = lambda count: np.full(count, UNKNOWN)
    others = [Pack(windows, asked, unknown(rows), sizes, unknown(len(sizes)), soft, is_place) for (windows, asked, rows, sizes, is_place), soft in zip(stored["crossed"], stored["answers"])]
    reader, state = Reader(plan.drop, plan.layers), begun_reader(begun).state_dict()
    reader.load_state_dict(state if f"layers.{plan.layers - 1}.qkv.weight" in state else grown(state, plan.layers))
    rest, places = [pack for part in (INFERENCE, OWN, COMMONSENSE) for pack in data.packs[part]], data.packs[PLACES]
    pass_of = lambda draw, epoch: [*mixed(data, draw, 0.2), *rest, *drawn(places, draw, plan.places), *drawn(others, draw, 0.5)]
    mean = train(Student(reader, data, plan.hidden).to(DEVICE), pass_of, data, data.of_reader, plan, 0.998, taught=plan.taught)
    torch.save({name: value.cpu() for name, value in mean.reader.state_dict().items()}, out)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("prepare", "teach", "label", "study"))
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop there; the rate falls with it")
    parser.add_argument("--steps", type=int, default=2600, help="the same in steps; the teacher took 950")
    parser.add_argument("--rate", type=float, default=2e-4, help="1e-4 for the teacher")
    parser.add_argument("--taught", type=float, default=1.0, help="weight of what the teacher says")
    parser.add_argument("--places", type=float, default=0.5, help="share of what pages say that a pass has; 0.45 for what ships")
    parser.add_argument("--layers", type=int, choices=tuple(GROWN), default=9)
    parser.add_argument("--hidden", type=float, default=0.05, help="share of the tokens that are hidden behind a mask")
    parser.add_argument("--drop", type=float, default=0.05, help="dropout")
    parser.add_argument("--every", type=int, default=1, help="passes between two reports")
    parser.add_argument("--seed", type=int, default=3)
    plan = parser.parse_args()
    if plan.what == "prepare":
        return prepare(*plan.paths)
    data = Data(plan.paths[0])
    if plan.what == "teach":
        teach(data, plan.paths[0].with_suffix(".smollm.pt"), plan.paths[1], plan)
    elif plan.what == "label":
        label(data, *plan.paths[1:], plan.seed)
    else:
        study(data, *plan.paths[1:], plan)


if __name__ == "__main__":
    main()
