"""Scores of case against values worked out by hand."""

from typing import List, Tuple

import pytest
import spacy
from pytest import approx
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry

from spacy_punctcase.gold.align import GOLD
from spacy_punctcase.scoring.casing import (
    case_pairs,
    count_case,
    score_case,
    score_case_counts,
    score_casing,
)

NLP = spacy.blank("en")


def example_of(predicted: str, gold: str) -> Example:
    reference = Doc(NLP.vocab, words=predicted.lower().split())
    reference.user_data[GOLD] = gold
    return Example(NLP.make_doc(predicted), reference)


def test_score_case() -> None:
    pairs = [
        ("Hi", "Hi"),  # 1 character right; the word right
        ("GitHub", "Github"),  # 1 right, 1 missing; word wrong on both sides
        ("usa", "USA"),  # 3 too many; a wrong word found
        ("Uyen", "uyen"),  # 1 missing; a word missing
        ("is", "is"),
        ("42", "42"),
    ]
    scores = score_case(pairs)
    # Characters: tp 2, fp 3, fn 2. Words: tp 1, fp 2, fn 2.
    assert scores["case_char_p"] == approx(2 / 5)
    assert scores["case_char_r"] == approx(2 / 4)
    assert scores["case_char_f"] == approx(4 / 9)
    assert scores["case_word_p"] == approx(1 / 3)
    assert scores["case_word_r"] == approx(1 / 3)
    assert scores["case_word_f"] == approx(1 / 3)


def test_perfect() -> None:
    pairs = [("Hi", "Hi"), ("there", "there"), ("NATO", "NATO"), ("iPhone", "iPhone")]
    scores = score_case(pairs)
    assert scores.pop("case_support") == {"acronym": 1, "capital": 1, "lower": 1, "mixed": 1}
    assert list(scores.values()) == approx([1.0] * 18)


def test_classes() -> None:
    scores = score_case(
        [
            ("NATO", "NATO"),
            ("USA", "Usa"),  # acronym missed, a false capital
            ("Rome", "Rome"),
            ("McDonald", "MCDonald"),  # mixed both, yet wrong: missed and false
            ("iPhone", "iPhone"),
            ("so", "SO"),  # lower missed, a false acronym
            ("it", "it"),
            ("42", "42"),  # no case, no class
        ]
    )
    assert scores["case_support"] == {"acronym": 2, "capital": 1, "lower": 2, "mixed": 2}
    expected = {"acronym": (1 / 2, 1 / 2), "capital": (1 / 2, 1), "lower": (1, 1 / 2)}
    for name, (precision, recall) in {**expected, "mixed": (1 / 2, 1 / 2)}.items():
        assert scores[f"case_{name}_p"] == approx(precision)
        assert scores[f"case_{name}_r"] == approx(recall)
        f_score = 2 * precision * recall / (precision + recall)
        assert scores[f"case_{name}_f"] == approx(f_score)


def test_only_words_that_are_the_same_are_scored() -> None:
    scores = score_case_counts(count_case("SO I leave in rome", "I live in Rome there"))
    assert scores["case_support"] == {"acronym": 0, "capital": 2, "lower": 1, "mixed": 0}
    assert (scores["case_word_p"], scores["case_word_r"]) == (approx(1.0), approx(0.5))


@pytest.mark.parametrize("pairs", [[], [("hi", "hi")], [("hi", "Hi")]])
def test_nothing_to_score(pairs: List[Tuple[str, str]]) -> None:
    scores = score_case(pairs)
    for level in ("char", "word", "acronym", "capital", "mixed"):
        assert {scores[f"case_{level}_{key}"] for key in "prf"} == {None}


def test_characters_without_case_do_not_count() -> None:
    scores = score_case([("ßİ1", "ßİ1"), ("Ä", "ä")])
    assert scores["case_char_r"] == 0.0
    assert scores["case_word_r"] == 0.0


def test_case_pairs() -> None:
    pairs = case_pairs('hi Uyen, "github"', "Hi. Uyen GitHub!")
    assert pairs == [("Hi", "hi"), ("Uyen", "Uyen"), ("GitHub", "github")]


def test_the_last_dot_of_an_abbreviation_is_no_matter_of_case() -> None:
    for predicted, gold in (("the u.s", "The U.S."), ("the u.s.", "The U.S")):
        assert case_pairs(predicted, gold) == [("The", "the"), ("U.S", "u.s")]


def test_words_that_differ() -> None:
    with pytest.raises(ValueError, match="'there'"):
        case_pairs("hi there", "Hi where")


def test_score_casing() -> None:
    examples = [example_of("Hi uyen.", "Hi, Uyen."), example_of("Ok", "ok.")]
    scores = score_casing(iter(examples), unused=1)
    # Characters and words alike: tp 1, fp 1, fn 1.
    for level in ("char", "word", "capital"):
        assert [scores[f"case_{level}_{key}"] for key in "prf"] == approx([0.5] * 3)
    assert scores["case_lower_r"] == 0.0


def test_scoring_realigns() -> None:
    examples = [example_of("Hi uyen", "Hi, Uyen.")]
    score_casing(examples)
    assert examples[0].reference.text == "Hi uyen"
    assert score_casing(examples)["case_word_r"] == approx(0.5)


def test_registered_scorer() -> None:
    scorer = registry.scorers.get("spacy_punctcase.casing_scorer.v1")()
    assert scorer([example_of("Hi", "Hi")])["case_word_f"] == approx(1.0)
