"""Teaches the encoder which passages serve a search, and to leave all else as it is.

    python searches.py prepare ENCODER ROWS DISTIL OUT.npz
    python searches.py train OUT.npz CHECKPOINT [--seconds 120] [--rate 4e-5] [--kept 1] [--seed 1]
    python searches.py mean OUT.npz CHECKPOINT... MEAN [--share 0.75]

ROWS are those of `search-rows.ts`. DISTIL is what `distil.py` prepared: texts and questions of decisions, whose vectors are to stay where
they are. One page in twelve is left out; what is printed is measured on its queries, among the windows of all pages. `train` writes the
layers in 16 bits, and `mean` those of several runs, SHARE of the way from where they began, for `export_encoder.py`. A GPU is used where PyTorch
finds one.
"""

import argparse
import hashlib
import json
import time
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
SCALE = 20
"""Of cosines, with which the encoder was first trained."""
SHARES = {"searched": 4.0, "answered": 1.0, "asked": 0.3}
"""How often a query of each kind is drawn."""
KINDS = list(SHARES)
QUERIES, KEPT = 640, 768
"""Of a step."""
NEAR = 16
"""A passage of another page is drawn from so many that are nearest."""
PASSED = 50
"""Steps after which all passages are read again."""
SERVING_MAX = 64
KEPT_MAX, KEPT_LEFT = 60_000, 2_000
LEFT_OUT = 12


class Texts:
    """Token numbers of many texts, one behind the other."""

    def __init__(self, flat: np.ndarray, begins: np.ndarray):
        self.flat, self.begins = flat, begins.astype(np.int64)

    def __len__(self) -> int:
        return len(self.begins) - 1

    def padded(self, some: np.ndarray) -> tuple[Tensor, Tensor]:
        """Ids and which of them are seen, of the shape texts by tokens."""
        lengths = self.begins[some + 1] - self.begins[some]
        at = np.arange(lengths.max())[None, :]
        seen = at < lengths[:, None]
        ids = self.flat[np.where(seen, self.begins[some][:, None] + at, 0)].astype(np.int64)
        return torch.from_numpy(ids).to(DEVICE), torch.from_numpy(seen).to(DEVICE)


def joined(rows: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    return np.concatenate([np.array(row, np.uint16) for row in rows]), np.cumsum([0, *map(len, rows)])


class Encoder(nn.Module):
    def __init__(self, layers: nn.ModuleList, embeddings: dict[str, Tensor]):
        super().__init__()
        self.layers, self.embeddings = layers, embeddings

    def forward(self, ids: Tensor, seen: Tensor) -> Tensor:
        given = self.embeddings
        x = functional.layer_norm(given["words"][ids] + given["places"][: ids.shape[1]], (384,), *given["norm"], 1e-12)
        mask = torch.zeros(seen.shape, dtype=x.dtype, device=x.device).masked_fill_(~seen, float("-inf"))[:, None, None]
        for layer in self.layers:
            x = layer(x, mask, 0.05)
        kept = seen[:, :, None].to(x.dtype)
        return functional.normalize(((x * kept).sum(1) / kept.sum(1)).float(), dim=-1)

    @torch.no_grad()
    def all(self, texts: Texts, some: np.ndarray | None = None, rows: int = 1024) -> Tensor:
        """Vectors in 32 bits, those of `some` at their places and others 0."""
        self.eval()
        some = np.arange(len(texts)) if some is None else some
        made = torch.zeros(len(texts), 384, device=DEVICE)
        order = some[np.argsort(texts.begins[some + 1] - texts.begins[some], kind="stable")]
        for at in range(0, len(order), rows):
            part = order[at : at + rows]
            made[torch.from_numpy(part).to(DEVICE)] = self(*texts.padded(part))
        self.train()
        return made


def prepare(encoder: Path, rows: Path, distil: Path, out: Path) -> None:
    from reader import Embedded, begun_reader, numbers_of

    embedded = Embedded(encoder)
    lines = [json.loads(line) for line in rows.read_text().splitlines()]
    pages = {line["page"]: at for at, line in enumerate(line for line in lines if "query" not in line)}
    windows = [(pages[line["page"]], text) for line in lines if "query" not in line for passage in line["windows"] for text in passage]
    first = np.searchsorted([page for page, _ in windows], np.arange(len(pages) + 1))
    queries = [line for line in lines if "query" in line and line["page"] in pages]
    ids = lambda texts: joined([one.ids for one in embedded.tokenizer.encode_batch(texts)])
    serving = []
    for line in queries:
        page = pages[line["page"]]
        serving.append([first[page] + at for at in line["windows"]] or list(range(first[page], first[page + 1])))
    number = numbers_of(encoder / "model.onnx")
    made = {f"layers.{name}": value.half().numpy() for name, value in begun_reader(encoder / "model.onnx").layers.state_dict().items()}
    made |= {"words.bytes": number("word_embeddings.bytes").numpy().astype(np.int8), "words.scales": embedded.scales.numpy()}
    made |= {"places": embedded.places.numpy(), "norm": torch.stack(embedded.norm[:2]).numpy()}
    for name, (flat, begins) in {"windows": ids([text for _, text in windows]), "queries": ids([line["query"] for line in queries])}.items():
        made |= {f"{name}.flat": flat, f"{name}.begins": begins}
    made["windows.page"] = np.array([page for page, _ in windows])
    made["queries.page"] = np.array([pages[line["page"]] for line in queries])
    made["queries.kind"] = np.array([KINDS.index(line["kind"]) for line in queries])
    made["serving"], made["serving.begins"] = np.concatenate(serving), np.cumsum([0, *map(len, serving)])
    made["left"] = np.array([int(hashlib.sha256(page.encode()).hexdigest(), 16) % LEFT_OUT == 0 for page in pages])
    made |= kept_of(dict(np.load(distil)), made)
    np.savez(out, **made)


def kept_of(stored: dict[str, np.ndarray], made: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Short texts of decisions: none of a page, which have its headings in front of them (" > ", token 1028), and none of the queries."""
    known = {row.tobytes(): at for at, row in enumerate(made["words.bytes"])}
    own = np.array([known[row.tobytes()] for row in stored["reader.words"]], np.uint16)
    texts, queries = Texts(stored["reader.flat"], stored["reader.begins"]), Texts(made["queries.flat"], made["queries.begins"])
    row = lambda of, at: of.flat[of.begins[at] : of.begins[at + 1]]
    asked = {row(queries, at).tobytes() for at in range(len(queries))}
    above, kept = 1028, []
    for at in np.random.default_rng(5).permutation(len(texts)):
        ids = own[row(texts, at)]
        if 3 < len(ids) <= 80 and above not in ids and ids.tobytes() not in asked:
            kept.append(ids.tolist())
        if len(kept) == KEPT_MAX:
            break
    flat, begins = joined(kept)
    return {"kept.flat": flat, "kept.begins": begins}


class Data:
    def __init__(self, path: Path):
        stored = dict(np.load(path))
        self.windows, self.queries, self.kept = (Texts(stored[f"{name}.flat"], stored[f"{name}.begins"]) for name in ("windows", "queries", "kept"))
        to = lambda name: torch.from_numpy(stored[name].astype(np.int64)).to(DEVICE)
        self.page_of_window, self.page_of_query = to("windows.page"), to("queries.page")
        self.kinds, self.is_left = stored["queries.kind"], stored["left"][stored["queries.page"]]
        draw = np.random.default_rng(9)
        self.serving = torch.full((len(self.queries), SERVING_MAX), -1)
        for at, (begin, end) in enumerate(zip(stored["serving.begins"], stored["serving.begins"][1:])):
            some = stored["serving"][begin:end]
            some = some if len(some) <= SERVING_MAX else draw.choice(some, SERVING_MAX, replace=False)
            self.serving[at, : len(some)] = torch.from_numpy(some.astype(np.int64))
        self.serving = self.serving.to(DEVICE)
        self.stored = stored

    def encoder(self) -> Encoder:
        from reader import Layer

        tensor = lambda name: torch.from_numpy(self.stored[name].astype(np.float32)).to(DEVICE)
        layers = nn.ModuleList(Layer() for _ in range(6))
        layers.load_state_dict({name.removeprefix("layers."): tensor(name) for name in self.stored if name.startswith("layers.")})
        words = tensor("words.bytes") * tensor("words.scales")
        return Encoder(layers.to(DEVICE), {"words": words, "places": tensor("places"), "norm": tensor("norm")})


def judged(encoder: Encoder, before: Tensor, data: Data) -> str:
    """Of queries on pages left out, how often their page is first and the mean reciprocal rank; and how near kept texts stayed."""
    left = np.flatnonzero(data.is_left)
    windows, queries = encoder.all(data.windows), encoder.all(data.queries, left)
    told = []
    for kind, name in enumerate(KINDS):
        some = torch.from_numpy(left[data.kinds[left] == kind]).to(DEVICE)
        if len(some) == 0:
            continue
        pages = torch.full((len(some), int(data.page_of_window.max()) + 1), -9.0, device=DEVICE)
        pages.scatter_reduce_(1, data.page_of_window.expand(len(some), -1), queries[some] @ windows.T, "amax")
        rank = 1 + (pages > pages.gather(1, data.page_of_query[some][:, None])).sum(1)
        told.append(f"{name} {(rank == 1).float().mean():.3f}, {(1 / rank).mean():.3f} of {len(some)}")
    some = np.arange(min(KEPT_LEFT, len(data.kept)))
    near = (encoder.all(data.kept, some)[: len(some)] * before[: len(some)]).sum(1)
    return f"{'; '.join(told)}; kept {near.mean():.4f}, a twentieth below {near.quantile(0.05):.4f}"


def train(data: Data, seconds: float, rate: float, kept_weight: float, seed: int, queries: int = QUERIES, kept: int = KEPT) -> Encoder:
    encoder = data.encoder()
    before = encoder.all(data.kept)
    print(f"as it was: {judged(encoder, before, data)}", flush=True)
    draw = np.random.default_rng(seed)
    torch.manual_seed(seed)
    own = np.flatnonzero(~data.is_left)
    shares = np.array(list(SHARES.values()))[data.kinds[own]]
    optimiser = torch.optim.AdamW(encoder.parameters(), rate, weight_decay=0.01)
    windows, asked = encoder.all(data.windows), encoder.all(data.queries, own)
    began, step, sums = time.monotonic(), 0, np.zeros(3)
    while (done := (time.monotonic() - began) / seconds) < 1:
        optimiser.param_groups[0]["lr"] = rate * min(1, (step + 1) / 30) * (1 - done)
        if step % PASSED == 0 and step > 0:
            windows, asked = encoder.all(data.windows), encoder.all(data.queries, own)
        some = draw.choice(own, min(queries, len(own)), replace=False, p=shares / shares.sum())
        right, wrong = drawn(data, some, asked, windows)
        passages, place = torch.unique(torch.cat([right, wrong]), return_inverse=True)
        stay = draw.integers(min(KEPT_LEFT, len(data.kept) // 2), len(data.kept), kept)
        with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
            query = encoder(*data.queries.padded(some))
            passage = encoder(*data.windows.padded(passages.cpu().numpy()))
            still = encoder(*data.kept.padded(stay))
        place = place[: len(some)]
        # What stands elsewhere on its page is neither right nor wrong.
        beside = data.page_of_window[passages][None] == data.page_of_query[torch.from_numpy(some).to(DEVICE)][:, None]
        beside[torch.arange(len(some), device=DEVICE), place] = False
        found = functional.cross_entropy((query @ passage.T * SCALE).masked_fill(beside, -1e4), place)
        was = before[torch.from_numpy(stay).to(DEVICE)]
        moved, apart = (1 - (still * was).sum(1)).mean(), (still @ still.T - was @ was.T).square().mean()
        loss = found + kept_weight * (20 * moved + 100 * apart)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
        optimiser.step()
        step += 1
        sums += [found.item(), moved.item(), apart.item()]
        if step % 100 == 0:
            print(f"step {step}: {', '.join(f'{value / 100:.5f}' for value in sums)}", flush=True)
            sums[:] = 0
    print(f"step {step}: {judged(encoder, before, data)}", flush=True)
    return encoder


@torch.no_grad()
def drawn(data: Data, some: np.ndarray, asked: Tensor, windows: Tensor) -> tuple[Tensor, Tensor]:
    """For each query the passage of those that serve that is about the nearest, and one of the nearest of other pages."""
    at = torch.from_numpy(some).to(DEVICE)
    cosines = asked[at] @ windows.T
    serving = data.serving[at]
    own = cosines.gather(1, serving.clamp(min=0)).masked_fill(serving < 0, -9)
    right = serving.gather(1, (own + 0.05 * torch.rand_like(own)).argmax(1, keepdim=True))[:, 0]
    cosines.masked_fill_(data.page_of_window[None] == data.page_of_query[at][:, None], -9)
    nearest = cosines.topk(NEAR, 1).indices
    return right, nearest.gather(1, torch.randint(0, NEAR, (len(some), 1), device=DEVICE))[:, 0]


def mean(data: Data, paths: list[Path], share: float) -> Encoder:
    encoder, runs = data.encoder(), [torch.load(path, weights_only=True) for path in paths]
    kept = encoder.all(data.kept)
    state = {
        name: before + share * (sum(run[f"layers.{name}"].float().to(DEVICE) for run in runs) / len(runs) - before)
        for name, before in encoder.layers.state_dict().items()
    }
    encoder.layers.load_state_dict(state)
    print(f"{share} of {len(runs)}: {judged(encoder, kept, data)}", flush=True)
    return encoder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["prepare", "train", "mean"])
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--rate", type=float, default=4e-5)
    parser.add_argument("--kept", type=float, default=1, help="weight of what is to stay")
    parser.add_argument("--share", type=float, default=0.75)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    if arguments.what == "prepare":
        return prepare(*arguments.paths)
    data = Data(arguments.paths[0])
    if arguments.what == "mean":
        encoder = mean(data, arguments.paths[1:-1], arguments.share)
    else:
        encoder = train(data, arguments.seconds, arguments.rate, arguments.kept, arguments.seed)
    torch.save({f"layers.{name}": value.half().cpu() for name, value in encoder.layers.state_dict().items()}, arguments.paths[-1])


if __name__ == "__main__":
    main()
