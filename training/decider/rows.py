"""The files that make-rows.ts writes."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Pool:
    name: str
    labels: list[list[str]]
    rows: list[tuple[str, int]]
    barred: frozenset[str] = frozenset()
    """Names of the set that is judged on: two sets may have one by chance."""

    def is_open(self, label: int) -> bool:
        return self.barred.isdisjoint(form.lower() for form in self.labels[label])

    def is_trained(self, label: int) -> bool:
        return not is_held(label) and self.is_open(label)

    def is_fitted(self, label: int) -> bool:
        return is_held(label) and self.is_open(label)


@dataclass(frozen=True)
class Claims:
    name: str
    claims: list[tuple[str, str, str | None, float]]


@dataclass(frozen=True)
class Asked:
    name: str
    kinds: list[list[tuple[str, str]]]
    rows: list[tuple[str, int, float]]


Source = Pool | Claims | Asked


def read_json(path: Path) -> dict:
    return json.loads(path.read_text())


def judged_names(folder: Path, name: str) -> frozenset[str]:
    (names,) = [made["options"] for made in read_json(folder / "judged.json")["choices"] if made["name"] == name]
    return frozenset(option.lower() for option in names)


def read_source(folder: Path, name: str, barred: frozenset[str] = frozenset()) -> Source:
    made = read_json(folder / f"{name}.json")
    if "kinds" in made:
        return Asked(name, made["kinds"], [(text, kind, float(truth)) for text, kind, truth in made["rows"]])
    if "rows" in made:
        return Pool(name, made["labels"], [tuple(row) for row in made["rows"]], barred)
    claims = [(*claim[:3], float(claim[3])) for claim in made["claims"]]
    if name.startswith("about-"):
        claims = [claim for claim in claims if not any(option in claim[1].lower() for option in barred)]
    return Claims(name, claims)


def is_held(label: int) -> bool:
    """Every fifth label of every pool is never trained on: temperatures are fitted on these."""
    return label % 5 == 4


def all_texts(folder: Path) -> list[str]:
    """Every text of the folder once, in a lasting order."""
    texts: set[str] = set()
    for path in sorted(folder.glob("*.json")):
        made = read_json(path)
        if path.stem == "judged":
            texts.update(judged_texts(made))
        elif "kinds" in made:
            texts.update(text for ways in made["kinds"] for way in ways for text in way)
            texts.update(row[0] for row in made["rows"])
        elif "claims" in made:
            texts.update(text for claim in made["claims"] for text in claim[:3] if text is not None)
        else:
            texts.update(text for forms in made["labels"] for text in forms)
            texts.update(text for text, _ in made["rows"])
    return sorted(texts)


def judged_texts(judged: dict) -> set[str]:
    texts: set[str] = set()
    for choice in [*judged["choices"], *judged["rankings"]]:
        texts.update(choice["options"])
        texts.update(state for state, _ in choice["rows"])
    for nouls in [*judged["topics"], judged["feelings"]]:
        texts.update(text for row in nouls["rows"] for text in row[:2])
    texts.update(text for text, _ in judged["comments"])
    texts.update(text for rated in judged["rated"] for text, _ in rated["rows"])
    texts.update(text for way in judged["ratedWays"] for text in way)
    for question in [*judged["questions"]["unseen"], *judged["questions"]["seen"]]:
        texts.update([*question["yes"], *question["no"], *(text for way in question["ways"] for text in way)])
    texts.update(text for pair in judged["pairs"] for text in pair[:2])
    texts.update(judged["ways"])
    texts.update(judged["opposites"]["states"])
    texts.update(text for pair in judged["opposites"]["pairs"] for text in pair)
    return texts
