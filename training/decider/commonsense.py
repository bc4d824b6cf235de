"""Texts and questions of others that ask for some knowledge of the world; see README.md for what they are and their licences."""

import json
from pathlib import Path
from random import Random

from joint import Group, to_question
from written import NO, YES

ASKED_OF_CAUSES = "What led to this?", "Why did that happen?", "What is the most likely cause?", "What could have brought this about?"
ASKED_OF_EFFECTS = "What happened as a result?", "What came of it?", "What is the most likely consequence?", "What follows from this?"


def lines_of(path: Path):
    return map(json.loads, path.read_text().splitlines())


def groups_of_causes(path: Path, draw: Random) -> list[Group]:
    """e-CARE: which of two events is the cause, or the effect, of a third."""
    made = []
    for row in lines_of(path):
        question = draw.choice(ASKED_OF_CAUSES if row["ask-for"] == "cause" else ASKED_OF_EFFECTS)
        made.append(Group((row["premise"],), [], [([f"{question} {row[option]}" for option in ("hypothesis1", "hypothesis2")], row["label"])]))
    return made


def groups_of_claims(path: Path, draw: Random) -> list[Group]:
    """CREAK: what is claimed of things of the world, and what tells that it is so or not."""
    rows = [row for row in lines_of(path) if row["explanation"]]
    asked = lambda claim: to_question(claim) if draw.random() < 0.5 else claim
    return [Group((row["explanation"],), [(asked(row["sentence"]), YES if row["label"] == "true" else NO)]) for row in rows]


def groups_of_facts_together(path: Path) -> list[Group]:
    """StrategyQA: questions that no single one of the facts answers."""
    ended = lambda fact: fact if fact.endswith(".") else f"{fact}."
    rows = json.loads(path.read_text())
    return [Group((" ".join(map(ended, row["facts"])),), [(row["question"], YES if row["answer"] else NO)]) for row in rows]


def comments(path: Path, draw: Random, count: int) -> list[str]:
    """Comments of GoEmotions, with names where they were taken out, of which some are asked what others were asked."""
    names = "Anna", "Tom", "Mia", "Sam", "Lee", "Jo", "Max", "Eva"
    texts = {line.split("\t")[0].replace("[NAME]", draw.choice(names)).replace("[RELIGION]", "faith").strip() for line in path.read_text().splitlines()}
    return draw.sample(sorted(text for text in texts if len(text) > 25), count)


def orders(folder: Path, draw: Random) -> list[str]:
    """How conversations of Taskmaster-4 begin."""
    made = []
    for path in sorted(folder.glob("data_*.json")):
        for conversation in json.loads(path.read_text()):
            turns = conversation["utterances"][: draw.choice([1, 2, 3, 4, 6])]
            if turns and draw.random() < 0.5:
                made.append(" ".join(f"{'Customer' if turn['speaker'] == 'user' else 'Agent'}: {turn['text']}" for turn in turns))
    return made
