"""Write Vietnamese dialogue in which questions are common:
python assets/text_vi/make_dialogue.py OUT.txt

Encyclopedias have next to no questions. These turns are put together at random from the patterns of
dialogue.json, which were written for this project (CC0): each word that asks (không, chưa, gì, ai,
đâu, sao) comes in statements, too, so that it is the sentence that tells, and not the word.
"""

import json
import random
import sys
from pathlib import Path
from typing import Dict, List

PATTERNS = Path(__file__).with_name("dialogue.json")
#: Share of the sentences that are questions.
QUESTIONS = 0.35


def fill(pattern: str, slots: Dict[str, List[str]], rng: random.Random) -> str:
    """Put words into the slots of a pattern."""
    first, *pieces = pattern.split("{")
    text = first
    for piece in pieces:
        slot, rest = piece.split("}", 1)
        text += rng.choice(slots[slot]) + rest
    # A slot may be filled with nothing.
    text = " ".join(text.split()).replace(" ?", "?")
    return text[0].upper() + text[1:]


def main(path: str, dialogues: int = 2500, seed: int = 0) -> None:
    """Write the text: a turn a line, an empty line between dialogues."""
    rng = random.Random(seed)
    patterns = json.loads(PATTERNS.read_text(encoding="utf8"))
    with open(path, "w", encoding="utf8") as file:
        for _ in range(dialogues):
            for _ in range(rng.randint(3, 9)):
                turn = []
                for _ in range(rng.choice((1, 1, 2, 2, 3))):
                    kind = "questions" if rng.random() < QUESTIONS else "statements"
                    turn.append(fill(rng.choice(patterns[kind]), patterns["slots"], rng))
                file.write(" ".join(turn) + "\n")
            file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
