"""Punctuation error rates against values worked out by hand and a plain reference."""

import random
import re
from typing import Dict, List, Tuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from spacy_punctcase.scoring import per
from spacy_punctcase.scoring.per import (
    count_per,
    count_per_card,
    count_per_nemo,
    score_per,
    score_per_card,
    score_per_nemo,
)

GOLD = "Hi, dear! Nice to see you. What's"
PREDICTED = "Hi dear! Nice to see you! What's?"


def nemo(predicted: str, gold: str, marks: str = ",.?"):
    return score_per_nemo(count_per_nemo(predicted, gold, marks), marks)


def card(predicted: str, gold: str) -> float:
    return score_per_card(count_per_card(predicted, gold))["per_card"]


def test_golden_vector_of_nemo() -> None:
    scores = nemo(PREDICTED, GOLD, ",.!?")
    assert scores["per_nemo"] == 0.75
    shares = [
        f"per_nemo_{kind}" for kind in ("correct", "deletions", "insertions", "substitutions")
    ]
    assert [scores[key] for key in shares] == [0.25] * 4
    per_mark = scores["per_nemo_per_mark"]
    assert [per_mark[mark]["per"] for mark in ",.!?"] == [1, 1, 0, 1]
    assert per_mark[","]["deletions"] == 1
    assert per_mark["."]["substitutions"] == 1
    assert per_mark["!"]["correct"] == 1
    assert per_mark["?"]["insertions"] == 1
    assert scores["per_nemo_confusion"]["."] == {",": 0, ".": 0, "!": 1, "?": 0}
    assert scores["per_nemo_confusion"]["!"]["!"] == 1


def test_words_and_case_decide_what_nemo_aligns() -> None:
    assert nemo("a, b.", "a, b.")["per_nemo"] == 0.0
    assert nemo("x, y.", "a, b.")["per_nemo"] == 0.0  # substituted words, marks in their place
    assert nemo("a b,", "a, b")["per_nemo"] == 1.0  # one deleted, one inserted
    assert nemo("3.14", "3.14")["per_nemo_correct"] == 1.0  # a mark within a number is one too


@pytest.mark.parametrize("predicted, gold", [("", ""), ("a b", "a b"), ("!", "a")])
def test_no_marks(predicted: str, gold: str) -> None:
    assert nemo(predicted, gold)["per_nemo"] == 0.0
    assert card(predicted, gold) == 0.0


@pytest.mark.parametrize("predicted, gold", [("a.", "a"), ("a", "a."), (".", ""), ("", ".")])
def test_marks_on_one_side(predicted: str, gold: str) -> None:
    assert nemo(predicted, gold)["per_nemo"] == 1.0


def test_per_card() -> None:
    assert card("hi, there. 3.14 you ?", "Hi there, 3.14 you?") == approx(1 / 2)
    assert card("a b, c.", "a, b c.") == 0.0  # which word it follows does not matter
    assert card("a?", "a.") == 1.0
    assert card("a. b. c.", "a b c.") == 2.0
    assert card("a.", "a") == 0.0  # nothing to divide by


def test_other_marks_are_mapped() -> None:
    def both(predicted: str, gold: str, marks: str = ",.?") -> Tuple[float, float]:
        scores = score_per(count_per(predicted, gold, marks), marks)
        return scores["per_card"], scores["per_nemo"]

    assert both("fine. so, 10:30.", "Fine! So: 10:30.") == (0, 0)
    assert both("fine. so", "fine! So.", "!") == (1, 1)
    assert both("fine!", "fine!", "!") == (0, 0)
    assert score_per(count_per("a", "a 10:30"))["per_nemo"] == 0
    assert score_per(count_per("a", "a b: c"))["per_nemo"] == 1
    assert score_per(count_per("a; b", "a b", mark_map={";": ""}))["per_nemo"] == 0


def reference_pairs(ours: List[str], theirs: List[str]) -> List[Tuple[int, int]]:
    """Wagner and Fischer's algorithm, with the step to each cell kept: the diagonal where tokens
    are equal, else the first least of substitution, insertion and deletion."""
    cost: Dict[Tuple[int, int], int] = {}
    step: Dict[Tuple[int, int], str] = {}
    for i in range(len(theirs) + 1):
        for j in range(len(ours) + 1):
            if not i or not j:
                cost[i, j], step[i, j] = i + j, "insert" if j else "delete"
            elif theirs[i - 1] == ours[j - 1]:
                cost[i, j], step[i, j] = cost[i - 1, j - 1], "equal"
            else:
                options = {
                    "substitute": cost[i - 1, j - 1] + 1,
                    "insert": cost[i, j - 1] + 1,
                    "delete": cost[i - 1, j] + 1,
                }
                step[i, j] = min(options, key=lambda name: options[name])
                cost[i, j] = options[step[i, j]]
    i, j = len(theirs), len(ours)
    pairs = []
    while i or j:
        taken = step[i, j]
        i -= taken != "insert"
        j -= taken != "delete"
        if taken == "equal":
            pairs.append((i, j))
    return pairs


def reference_rate(predicted: str, gold: str, marks: str) -> float:
    ours, theirs = (re.findall(r"[\w']+|[,.?]", text) for text in (predicted, gold))
    masked = [["*" if token in marks else token for token in tokens] for tokens in (ours, theirs)]
    pairs = reference_pairs(*masked)
    met = [(theirs[i], ours[j]) for i, j in pairs if theirs[i] in marks]
    correct = sum(a == b for a, b in met)
    everything = sum(token in marks for token in ours + theirs) - len(met)
    return (everything - correct) / everything if everything else 0.0


def random_text(rng: random.Random, length: int) -> str:
    return " ".join(
        rng.choice(["a", "b", "A", "dear", "it's"])
        + rng.choice(["", "", ",", ".", "?", "...", " ,"])
        for _ in range(rng.randint(0, length))
    )


@pytest.mark.parametrize("length", [6, 80])
def test_against_the_reference(length: int) -> None:
    rng = random.Random(length)
    for _ in range(600 // length):
        predicted, gold = random_text(rng, length), random_text(rng, length)
        rate = nemo(predicted, gold)["per_nemo"]
        assert rate == approx(reference_rate(predicted, gold, ",.?"))


def test_long_texts_without_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(per, "MAX_CELLS", 0)
    assert nemo(PREDICTED, GOLD, ",.!?")["per_nemo"] == 0.75


@given(st.text(alphabet="aB ,.?!'", max_size=40), st.text(alphabet="aB ,.?!'", max_size=40))
def test_between_nought_and_one(predicted: str, gold: str) -> None:
    assert 0.0 <= nemo(predicted, gold)["per_nemo"] <= 1.0
    for rates in nemo(predicted, gold)["per_nemo_per_mark"].values():
        assert all(0.0 <= rate <= 1.0 for rate in rates.values())
    assert nemo(gold, gold)["per_nemo"] == 0.0
