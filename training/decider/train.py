"""Trains what stands above the cached layers; prints the loss as it goes.

    python training/decider/train.py WHEEL ROWS_FOLDER CACHE_FILE OUT_FILE --without banking77 [--help]
"""

import argparse
import copy
import json
import random
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional

from encoder import Upper, read_wheel
from lower import THREADS, Hidden, read_hidden
from rows import Asked, Claims, Pool, Source, judged_names, read_source

SHARES = {
    "banking77": 3,
    "clinc150": 3,
    "about-banking77": 1,
    "about-clinc150": 1,
    "dialogues": 2,
    "assistants": 0.5,
    "topics": 2,
    "kinds": 1.5,
    "emotions": 1.5,
    "sentiment": 2,
    "captions": 1.5,
    "quantities": 0.5,
    "comments": 3,
    "rated-tweets": 2,
    "rated-amazonReviewSnippets": 2,
    "rated-words": 0.5,
    "reviews": 1,
    "questions": 4,
    "fields": 3,
}
SETS = ("banking77", "clinc150")


@dataclass(frozen=True)
class Plan:
    """What decides a run, kept beside its weights."""

    without: str
    shares: dict[str, float]
    trained: int
    projected: bool
    steps: int
    rows: int
    options: int
    rate: float
    kept: float
    seed: int
    begun: str
    """The plan of the run that this one goes on from, as JSON; empty where it begins with the encoder as it comes."""


class Trained(nn.Module):
    """The upper layers, and the divisors and the even point that turn cosines into logits."""

    def __init__(self, upper: Upper):
        super().__init__()
        self.upper = upper
        self.choice = nn.Parameter(torch.tensor(0.05).log())
        self.noul = nn.Parameter(torch.tensor(0.09).log())
        self.even = nn.Parameter(torch.tensor(0.28))
        self.before = copy.deepcopy(upper).requires_grad_(False)

    def vectors(self, hidden: Hidden, texts: list[str]) -> Tensor:
        """Vectors of texts, each made once however often it is named."""
        place = {text: index for index, text in enumerate(dict.fromkeys(texts))}
        made = self.upper(*hidden.padded(list(place), self.even.device.type))
        return made[[place[text] for text in texts]]

    def kept_loss(self, hidden: Hidden, states: Tensor, texts: list[str]) -> Tensor:
        """How far texts have moved from each other since training began."""
        with torch.no_grad():
            before = self.before(*hidden.padded(texts, self.even.device.type))
        return 100 * ((states @ states.T) - (before @ before.T)).square().mean()

    def asked_loss(
        self, hidden: Hidden, states: Tensor, rows: list[tuple[str, float]], ways: list[tuple[str, str]]
    ) -> Tensor:
        """Every way of asking on every text: against its opposite, and alone where it holds or does not."""
        said = self.vectors(hidden, [text for way in ways for text in way])
        cosines = (states @ said.T).view(len(rows), len(ways), 2)
        truths = torch.tensor([truth for _, truth in rows], device=states.device)[:, None].expand(-1, len(ways))
        of = functional.binary_cross_entropy_with_logits
        apart = of((cosines[..., 0] - cosines[..., 1]) / self.noul.exp(), truths)
        sides = torch.stack([truths, 1 - truths], -1)
        return apart + 0.3 * of((cosines - self.even) / self.noul.exp(), sides)

    def choice_loss(self, hidden: Hidden, states: Tensor, options: list[str], right: list[int]) -> Tensor:
        cosines = states @ self.vectors(hidden, options).T
        return functional.cross_entropy(cosines / self.choice.exp(), torch.tensor(right, device=cosines.device))

    def claim_loss(self, hidden: Hidden, states: Tensor, claims: list[tuple[str, str, str | None, float]]) -> Tensor:
        said = self.vectors(hidden, [claim[1] for claim in claims])
        cosines = (states * said).sum(1)
        truths = torch.tensor([claim[3] for claim in claims], device=cosines.device)
        loss = functional.binary_cross_entropy_with_logits((cosines - self.even) / self.noul.exp(), truths)
        paired = [index for index, claim in enumerate(claims) if claim[2] is not None]
        if not paired:
            return loss
        # A statement and its opposite answer each other: what holds is nearer than its opposite.
        denied = self.vectors(hidden, [claims[index][2] or "" for index in paired])
        apart = cosines[paired] - (states[paired] * denied).sum(1)
        return loss + functional.binary_cross_entropy_with_logits(apart / self.noul.exp(), truths[paired])


def draw_choice(pool: Pool, plan: Plan, draw: random.Random) -> tuple[list[str], list[str], list[int]]:
    """Rows of a pool and the names that they choose among: theirs, and others of the pool."""
    rows = draw.sample([row for row in pool.rows if pool.is_trained(row[1])], plan.rows)
    needed = {label for _, label in rows}
    others = [label for label in range(len(pool.labels)) if pool.is_trained(label) and label not in needed]
    labels = [*needed, *draw.sample(others, max(0, min(len(others), plan.options - len(needed))))]
    place = {label: index for index, label in enumerate(labels)}
    options = [draw.choice(pool.labels[label]) for label in labels]
    return [text for text, _ in rows], options, [place[label] for _, label in rows]


def draw_asked(
    source: Asked, plan: Plan, draw: random.Random
) -> tuple[list[tuple[str, float]], list[tuple[str, str]]]:
    """Texts of one question, as many of which it holds as not where there are as many, and ways to ask it."""
    kind = draw.randrange(len(source.kinds))
    rows = [(text, truth) for text, at, truth in source.rows if at == kind]
    sides = [[row for row in rows if (row[1] > 0.5) == side] for side in (True, False)]
    drawn = [draw.sample(side, min(len(side), plan.rows // 2)) for side in sides]
    ways = source.kinds[kind]
    return [*drawn[0], *drawn[1]], draw.sample(ways, min(len(ways), 8))


def rate_at(step: int, steps: int) -> float:
    """Rises over the first tenth, then falls to nothing."""
    rise = max(1, steps // 10)
    return (step + 1) / rise if step < rise else (steps - step) / (steps - rise)


def loss_of(
    trained: Trained, hidden: Hidden, source: Source, plan: Plan, draw: random.Random
) -> tuple[Tensor, Tensor]:
    """The loss of a step on one source, and how far its texts have moved."""
    if isinstance(source, Pool):
        texts, options, right = draw_choice(source, plan, draw)
        states = trained.vectors(hidden, texts)
        return trained.choice_loss(hidden, states, options, right), trained.kept_loss(hidden, states, texts)
    if isinstance(source, Asked):
        rows, ways = draw_asked(source, plan, draw)
        texts = [text for text, _ in rows]
        states = trained.vectors(hidden, texts)
        return trained.asked_loss(hidden, states, rows, ways), trained.kept_loss(hidden, states, texts)
    claims = draw.sample(source.claims, plan.rows)
    texts = [claim[0] for claim in claims]
    states = trained.vectors(hidden, texts)
    return trained.claim_loss(hidden, states, claims), trained.kept_loss(hidden, states, texts)


def train(trained: Trained, hidden: Hidden, sources: list[Source], plan: Plan) -> list[float]:
    draw = random.Random(plan.seed)
    # The even point and the divisors have to travel further than weights do.
    slow = [p for p in trained.upper.parameters() if p.requires_grad]
    head = [trained.choice, trained.noul, trained.even]
    optimiser = torch.optim.AdamW([{"params": slow, "lr": plan.rate}, {"params": head, "lr": 3e-3}], weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: rate_at(step, plan.steps))
    weights = [plan.shares[source.name] for source in sources]
    curve: list[float] = []
    recent: dict[str, list[float]] = {}
    for step in range(plan.steps):
        (source,) = draw.choices(sources, weights)
        loss, kept = loss_of(trained, hidden, source, plan, draw)
        told_loss = loss.item()
        loss = loss + plan.kept * kept
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(slow, 1.0)
        optimiser.step()
        schedule.step()
        curve.append(told_loss)
        recent.setdefault(source.name, []).append(told_loss)
        if (step + 1) % 25 == 0:
            told = " ".join(f"{name} {sum(losses) / len(losses):.2f}" for name, losses in sorted(recent.items()))
            print(f"step {step + 1}, {time.process_time():.0f} s of CPU: {told}", flush=True)
            recent = {}
    return curve


def to_plan(arguments: argparse.Namespace) -> Plan:
    names = arguments.sources.split(",") if arguments.sources else list(SHARES)
    barred = arguments.without.split(",")
    kept = {name: SHARES[name] for name in names if not any(name.endswith(one) for one in barred if one)}
    return Plan(
        without=arguments.without,
        shares=kept,
        trained=arguments.trained,
        projected=arguments.projected,
        steps=arguments.steps,
        rows=arguments.rows,
        options=arguments.options,
        rate=arguments.rate,
        kept=arguments.kept,
        seed=arguments.seed,
        begun=json.dumps(torch.load(arguments.begun, weights_only=True)["plan"]) if arguments.begun else "",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("wheel", "rows_folder", "cache", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--without", required=True, help="the label set that is judged on, and other sources left out")
    parser.add_argument("--sources", help="names with commas between; all when left out")
    parser.add_argument("--trained", type=int, default=3, help="how many of the last layers are trained")
    parser.add_argument("--projected", action="store_true", help="a projection above them")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--rows", type=int, default=32)
    parser.add_argument("--options", type=int, default=48)
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--begun", type=Path, help="a checkpoint to go on from")
    parser.add_argument("--kept", type=float, default=0.3, help="weight of texts staying as near each other as before")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    plan = to_plan(arguments)
    torch.manual_seed(plan.seed)
    torch.set_num_threads(THREADS)
    hidden = read_hidden(arguments.cache)
    upper = Upper(read_wheel(arguments.wheel), hidden.layers, plan.projected)
    for layer in list(upper.layers)[: len(upper.layers) - plan.trained]:
        layer.requires_grad_(False)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    trained = Trained(upper)
    if arguments.begun:
        trained.load_state_dict(torch.load(arguments.begun, weights_only=True)["state"], strict=False)
    trained.to(device)
    barred = frozenset[str]().union(
        *(judged_names(arguments.rows_folder, name) for name in plan.without.split(",") if name in SETS)
    )
    sources = [read_source(arguments.rows_folder, name, barred) for name in plan.shares]
    curve = train(trained, hidden, sources, plan)
    state = {name: value for name, value in trained.cpu().state_dict().items() if not name.startswith("before.")}
    torch.save({"plan": asdict(plan), "state": state}, arguments.out)
    arguments.out.with_suffix(".json").write_text(json.dumps({"plan": asdict(plan), "loss": curve}))


if __name__ == "__main__":
    main()
