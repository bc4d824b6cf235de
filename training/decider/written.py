"""Texts with questions that were written by hand: `asked/*.txt`, whose form `asked/README.md` has."""

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

YES, NO, NOT_TOLD = 0, 1, 2
SIGNS = {"+": YES, "-": NO, "?": NOT_TOLD}
OPEN = re.compile(r"^(?:who|whose|what|why|how|when|where|which)\b", re.I)
TRAINED, CHOSEN_ON, JUDGED = "trained", "chosen-on", "judged"


@dataclass
class Written:
    kind: str
    text: str
    questions: list[tuple[str, int]] = field(default_factory=list)
    choices: list[tuple[str, list[str], int]] = field(default_factory=list)
    """A question, its options and the place of the right one."""

    @property
    def part(self) -> str:
        """Every tenth text, by its own digest, is never trained on, and every second of these never chosen on."""
        digest = hashlib.sha256(self.text.encode()).digest()
        if digest[0] % 10 != 0:
            return TRAINED
        return CHOSEN_ON if digest[1] % 2 == 0 else JUDGED


def read_written(folder: Path) -> list[Written]:
    return [text for path in sorted(folder.glob("*.txt")) for text in texts_of(path)]


def texts_of(path: Path) -> list[Written]:
    texts: list[Written] = []
    kind: str | None = None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        line = line.strip()
        try:
            if line.startswith("= "):
                kind = line[2:]
            elif kind is not None and line:
                texts.append(Written(kind, line))
                kind = None
            elif line.startswith("? ") and OPEN.match(line[2:]):
                # No yes answers such a question, so its form alone would tell the answer.
                continue
            elif line[:2] in {"+ ", "- ", "? "}:
                texts[-1].questions.append((line[2:].strip(), SIGNS[line[0]]))
            elif line.startswith("> "):
                texts[-1].choices.append(choice_of(line[2:]))
            elif line:
                raise ValueError("what begins the line is not known")
        except (ValueError, IndexError) as error:
            raise SystemExit(f"{path.name}:{number}: {error}: {line[:60]}") from error
    return texts


def choice_of(line: str) -> tuple[str, list[str], int]:
    question, options = line.rsplit(" | ", 1)
    named = [option.strip() for option in options.split(" ; ")]
    (right,) = [place for place, option in enumerate(named) if option.startswith("*")]
    return question.strip(), [option.removeprefix("*").strip() for option in named], right
