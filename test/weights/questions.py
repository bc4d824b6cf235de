"""The questions that models are compared on, and how their answers are written down."""

import json
import random

WORDS = (
    "refund card order parcel late money bank transfer invoice broken screen battery delivery account password "
    "login angry happy urgent calm customer agent please thanks never always yesterday tomorrow café Größe 雪が 12.50"
).split()
ROWS = 200


def questions():
    pick = random.Random(7)
    text = lambda least, most: " ".join(pick.choices(WORDS, k=pick.randint(least, most)))
    for _ in range(ROWS):
        kind = pick.choice(["choice", "choice", "noul", "score"])
        if kind == "choice":
            names = sorted({text(1, 2) for _ in range(pick.randint(3, 14))})
            options = [{"name": name, "description": pick.choice(["", text(2, 6)])} for name in names]
        elif kind == "noul":
            said = pick.choice([("", ""), (text(2, 5), text(2, 5))])
            options = [{"name": name, "description": one} for name, one in zip(("true", "false"), said)]
        else:
            levels = [text(1, 5) for _ in range(pick.randint(2, 6))]
            options = [{"name": str(index), "description": level} for index, level in enumerate(levels)]
        yield {"state": text(3, 40), "kind": kind, "question": text(2, 9) + "?", "options": options}


def write(folder, answer):
    """Writes each question with the probabilities that `answer` gives, in the order of its options."""
    rows = [question | {"probabilities": answer(question)} for question in questions()]
    (folder / "rows.json").write_text(json.dumps(rows, ensure_ascii=False))
