"""Trains what tells a statement from its opposite, on vectors of the encoder that ships.

    python contrast.py ENCODER SOURCES CACHE [--out FILE] [--without NAME]

ENCODER is the folder of `shipped.py`. SOURCES holds `emotions` (GoEmotions, its comments CC BY 4.0) and `vader`
(vaderSentiment 3.3.2's `hutto_ICWSM_2014`, MIT), of which tweets and sentences of product reviews are read; its snippets of
films are Rotten Tomatoes' and are not. CACHE keeps vectors. `--without` names a source that is judged on and not trained
on. Every judged wording is one that no training saw. NumPy, onnxruntime and tokenizers; one thread, a minute or two.
"""

import argparse
import collections
import hashlib
import json
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

POSITIVE = set(
    "admiration amusement approval caring desire excitement gratitude joy love optimism pride relief".split()
)
NEGATIVE = set(
    "anger annoyance disappointment disapproval disgust embarrassment fear grief nervousness remorse sadness".split()
)
TRAINED = [
    ("positive", "negative"), ("good", "bad"), ("pleased", "displeased"), ("favourable", "unfavourable"),
    ("content", "discontent"), ("optimistic", "pessimistic"), ("friendly", "hostile"), ("great", "terrible"),
    ("pleasant", "nasty"), ("a compliment", "a complaint"), ("praise", "criticism"), ("kind", "unkind"),
    ("cheerful", "gloomy"), ("grateful", "ungrateful"), ("calm", "angry"), ("delighted", "disappointed"),
    ("wonderful", "horrible"), ("joyful", "sorrowful"), ("polite", "rude"), ("successful", "unsuccessful"),
]
FORMS = [
    "{}", "The text is {}.", "Is the sentiment {}?", "The writer is {}.", "Is this {}?", "{} sentiment",
    "The comment sounds {}", "Is the message {}?", "It is {}", "Does the user sound {}?", "What the person feels is {}",
]
WHOLE = [
    ("The user loves it", "The user hates it"), ("Does the user approve?", "Does the user disapprove?"),
    ("The author feels good about it", "The author feels bad about it"), ("They enjoyed it", "They detested it"),
    ("The text praises something", "The text criticises something"),
]
JUDGED = [
    ("Is this review positive?", "Is this review negative?"), ("Positive", "Negative"),
    ("The customer is satisfied", "The customer is dissatisfied"), ("Is the customer happy?", "Is the customer unhappy?"),
    ("Does the reviewer like the product?", "Does the reviewer dislike the product?"),
    ("The reviewer recommends it", "The reviewer discourages it"), ("excellent", "awful"),
]
RANK, STEPS, BATCH, RATE, NOISE, PLAIN = 8, 3000, 64, 2e-3, 0.05, 10.0


class Vectors:
    def __init__(self, encoder, cache):
        self.tokenizer = Tokenizer.from_file(str(encoder / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.enable_truncation(128)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        model = encoder / "model.onnx"
        self.session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self.hash = hashlib.sha256(model.read_bytes()).hexdigest()[:16]
        self.cache = cache

    def of(self, name, texts):
        path = self.cache / f"{self.hash}-{name}.npy"
        if path.exists():
            kept = np.load(path)
            if len(kept) == len(texts):
                return kept
        ids = [self.tokenizer.encode(text).ids for text in texts]
        by_length = collections.defaultdict(list)
        for index, row in enumerate(ids):
            by_length[len(row)].append(index)
        vectors = np.zeros((len(texts), 384), np.float32)
        for indices in by_length.values():
            for at in range(0, len(indices), 32):
                some = indices[at : at + 32]
                (states,) = self.session.run(None, {"input_ids": np.array([ids[index] for index in some])})
                mean = states.mean(axis=1)
                vectors[some] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
        np.save(path, vectors)
        return vectors


def emotions(folder, split, most):
    names = (folder / "labels.txt").read_text().split()
    rows = []
    for line in (folder / f"{split}.tsv").read_text().splitlines():
        text, labels = line.split("\t")[:2]
        found = [names[int(label)] for label in labels.split(",")]
        good, bad = any(name in POSITIVE for name in found), any(name in NEGATIVE for name in found)
        if good != bad:
            rows.append((text, 1.0 if good else 0.0))
        elif found == ["neutral"]:
            rows.append((text, 0.5))
    order = np.random.default_rng(1).permutation(len(rows))
    clear = [rows[at] for at in order if rows[at][1] != 0.5][:most]
    return clear + [rows[at] for at in order if rows[at][1] == 0.5][: most // 4]


def rated(path):
    rows = [line.split("\t") for line in path.read_text(errors="replace").splitlines()]
    return [(text, 1.0 if float(mean) > 0 else 0.0) for _, mean, text in rows if abs(float(mean)) >= 0.5]


def pairs():
    return [(form.format(a), form.format(b)) for form in FORMS for a, b in TRAINED] + WHOLE


def logits(model, x, d):
    plain, u, v = model
    return plain * (x @ d) + ((x @ u) * (d @ v)).sum(-1)


def train(sources, directions, seed=0):
    """Log loss by Adam, with noise on the texts: a few directions that hold in other domains, and not these texts."""
    random = np.random.default_rng(seed)
    u, v = (random.normal(0, 0.3, (384, RANK)) for _ in range(2))
    state = {"u": [0, 0], "v": [0, 0], "plain": [0, 0]}
    plain = PLAIN

    def step(name, value, gradient, rate, at):
        first, second = state[name]
        first = state[name][0] = 0.9 * first + 0.1 * gradient
        second = state[name][1] = 0.999 * second + 0.001 * gradient**2
        return value - rate * (first / (1 - 0.9**at)) / (np.sqrt(second / (1 - 0.999**at)) + 1e-8)

    for at in range(1, STEPS + 1):
        rate = 10 * RATE * min(at / 300, (STEPS - at + 1) / (STEPS - 300))
        gradients = [0, 0, 0]
        for x_all, y_all in sources:
            rows = random.integers(len(x_all), size=BATCH)
            x = x_all[rows] + NOISE * random.normal(0, 1, (BATCH, 384))
            d = directions[random.integers(len(directions))]
            error = (1 / (1 + np.exp(-logits((plain, u, v), x, d))) - y_all[rows]) / BATCH
            gradients[0] += np.outer(x.T @ error, d @ v)
            gradients[1] += np.outer(d, error @ (x @ u))
            gradients[2] += error @ (x @ d)
        u, v = step("u", u, gradients[0], rate, at), step("v", v, gradients[1], rate, at)
        plain = step("plain", plain, gradients[2], rate, at)
    return plain, u, v


def auroc(scores, truth):
    ranks = np.empty(len(scores))
    ranks[scores.argsort()] = np.arange(1, len(scores) + 1)
    good = truth == 1
    return (ranks[good].sum() - good.sum() * (good.sum() + 1) / 2) / (good.sum() * (~good).sum())


def judge(model, x, y, directions):
    clear = y != 0.5
    figures = []
    for d in directions:
        z = logits(model, x[clear], d)
        sure = np.maximum(1 / (1 + np.exp(-z)), 1 / (1 + np.exp(z)))
        right = (z > 0) == (y[clear] == 1)
        bins = np.minimum((sure * 10).astype(int), 9)
        ece = sum(abs(right[bins == b].mean() - sure[bins == b].mean()) * (bins == b).mean() for b in set(bins))
        figures.append((auroc(z, y[clear]), right.mean(), ece))
    return np.mean(figures, axis=0)


def main():
    parser = argparse.ArgumentParser()
    for name in ("encoder", "sources", "cache"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--without", default=[], action="append")
    asked = parser.parse_args()
    asked.cache.mkdir(parents=True, exist_ok=True)
    vectors = Vectors(asked.encoder, asked.cache)
    comments, rated_ = asked.sources / "emotions/data/original", asked.sources / "vader/hutto_ICWSM_2014"
    rows = {
        "comments": emotions(comments, "train", 16_000),
        "tweets": rated(rated_ / "tweets_GroundTruth.txt"),
        "products": rated(rated_ / "amazonReviewSnippets_GroundTruth.txt"),
        "comments-test": emotions(comments, "test", 1_500),
    }
    read = {
        name: (vectors.of(name, [text for text, _ in some]), np.array([truth for _, truth in some]))
        for name, some in rows.items()
    }
    directions_of = lambda name, some: vectors.of(f"{name}-for", [a for a, _ in some]) - vectors.of(
        f"{name}-against", [b for _, b in some]
    )
    judged = directions_of("judged", JUDGED)
    trained = [name for name in ("comments", "tweets", "products") if name not in asked.without]
    model = train([read[name] for name in trained], directions_of("pairs", pairs()))
    plain = (PLAIN, np.zeros((384, 1)), np.zeros((384, 1)))
    for name, (x, y) in read.items():
        seen = " (trained on)" if name in trained else ""
        before, after = judge(plain, x, y, judged), judge(model, x, y, judged)
        print(f"{name}{seen}: AUROC, accuracy, ECE", before.round(3), "->", after.round(3), flush=True)
    if asked.out:
        plain, u, v = model
        flat = lambda values: [float(f"{value:.4g}") for value in values.ravel()]
        made = {"plain": float(f"{plain:.4g}"), "rank": RANK, "u": flat(u), "v": flat(v)}
        asked.out.write_text(json.dumps(made, separators=(",", ":")) + "\n")


main()
