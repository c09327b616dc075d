"""Scores of marks against values worked out by hand."""

from typing import List, Tuple

import pytest
import spacy
from pytest import approx
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import registry

from spacy_punctcase.gold.align import GOLD, UNKNOWN_MARKS
from spacy_punctcase.scoring.punctuation import (
    count_marks,
    mark_pairs,
    score_mark_counts,
    score_marks,
    score_punctuation,
)

NLP = spacy.blank("en")


def example_of(predicted: str, gold: str, unknown: Tuple[int, ...] = ()) -> Example:
    reference = Doc(NLP.vocab, words=gold.lower().replace(",", "").replace(".", "").split())
    reference.user_data[GOLD] = gold
    reference.user_data[UNKNOWN_MARKS] = list(unknown)
    return Example(NLP.make_doc(predicted), reference)


def test_score_marks() -> None:
    # Gold:      O  .  ,  ,  .  ?  O  .
    # Predicted: O  .  O  ,  ,  .  ,  .
    # ","  tp 1, fp 2, fn 1: p 1/3, r 1/2, f 0.4
    # "."  tp 2, fp 1, fn 1: p 2/3, r 2/3, f 2/3
    # "?"  tp 0, fp 0, fn 1
    # all  tp 3, fp 3, fn 3
    scores = score_marks(list(zip("O.,,.?O.", "O.O,,.,.")))
    assert scores["punct_micro_p"] == approx(0.5)
    assert scores["punct_micro_r"] == approx(0.5)
    assert scores["punct_micro_f"] == approx(0.5)
    assert scores["punct_macro_f"] == approx((0.4 + 2 / 3 + 0) / 3)
    by_mark = scores["punct_per_mark"]
    assert by_mark[","] == {"p": approx(1 / 3), "r": approx(1 / 2), "f": approx(0.4)}
    assert by_mark["."] == {"p": approx(2 / 3), "r": approx(2 / 3), "f": approx(2 / 3)}
    assert by_mark["?"] == {"p": 0.0, "r": 0.0, "f": 0.0}
    assert scores["punct_confusion"] == {
        "O": {"O": 1, ",": 1, ".": 0, "?": 0},
        ",": {"O": 1, ",": 1, ".": 0, "?": 0},
        ".": {"O": 0, ",": 1, ".": 2, "?": 0},
        "?": {"O": 0, ",": 0, ".": 1, "?": 0},
    }


def test_perfect() -> None:
    scores = score_marks([("O", "O"), (".", "."), (",", ",")])
    assert (scores["punct_micro_f"], scores["punct_macro_f"]) == (approx(1.0), approx(1.0))


def test_a_mark_that_gold_has_not_is_left_out_of_the_mean() -> None:
    # "?" is predicted once: it costs precision, but is no part of the macro score.
    scores = score_marks([(".", "."), ("O", "?")])
    assert scores["punct_macro_f"] == approx(1.0)
    assert scores["punct_micro_p"] == approx(0.5)
    assert scores["punct_micro_f"] == approx(2 / 3)


@pytest.mark.parametrize("pairs", [[], [("O", "O")], [("O", ".")]])
def test_nothing_to_score(pairs: List[Tuple[str, str]]) -> None:
    assert set(score_marks(pairs).values()) == {None}


def test_only_the_given_marks_are_scored() -> None:
    scores = score_marks([(".", "."), (",", "."), ("!", ",")], [","])
    assert scores["punct_micro_r"] == 0.0
    assert scores["punct_micro_p"] == 0.0
    assert list(scores["punct_per_mark"]) == [","]


def test_mark_pairs() -> None:
    pairs = mark_pairs("hi, uyen. are you; there", '"Hi Uyen!" Are you there?')
    assert pairs == [("O", ","), (".", "."), ("O", "O"), ("O", "."), ("?", "O")]


def test_mark_pairs_without_unknown_ones() -> None:
    pairs = mark_pairs("i was to, so it is", "I was to So it is.", unknown=[2])
    assert pairs == [("O", "O"), ("O", "O"), ("O", "O"), ("O", "O"), (".", "O")]


def test_marks_that_are_no_label_count_as_none() -> None:
    assert mark_pairs("a; b。 c!", "A, b; c.", [","], {}) == [(",", "O"), ("O", "O"), ("O", "O")]
    assert mark_pairs("a! b.", "A! b;", ["!", ","], {";": ","}) == [("!", "!"), (",", "O")]


def test_other_marks_are_mapped() -> None:
    assert mark_pairs("a! b:", "A. b,") == [(".", "."), (",", ",")]


def test_an_abbreviation_is_no_mark() -> None:
    assert mark_pairs("in the u.s. now", "In the U.S. now.")[2] == ("O", "O")
    assert mark_pairs("in the u.s.", "In the U.S")[2] == ("O", "O")


def test_words_that_differ() -> None:
    with pytest.raises(ValueError, match="'there'"):
        mark_pairs("hi there", "Hi where.")


def test_count_marks_of_words_that_differ() -> None:
    # "so" is added; "leave" stands for "live"; "there" is missing.
    counts = count_marks("so, I leave. oh it is.", "I live, oh it there. Is.")
    assert counts == {("O", ","): 1, ("O", "O"): 3, (",", "."): 1, (".", "O"): 1, (".", "."): 1}
    scores = score_mark_counts(counts)
    assert (scores["punct_micro_p"], scores["punct_micro_r"]) == (approx(1 / 3), approx(1 / 3))


def test_empty_texts() -> None:
    assert count_marks("", "") == {}
    assert count_marks("", "A.") == {(".", "O"): 1}
    assert count_marks("a.", "") == {("O", "."): 1}


def test_a_mark_mapped_to_one_that_is_not_scored_counts_as_none() -> None:
    assert count_marks("a! b,", "a! b,", [","]) == {("O", "O"): 1, (",", ","): 1}


def test_score_punctuation() -> None:
    # Gold: Hi(,) Uyen(.) Bye(.) now(unknown). Found: Hi() Uyen(.) Bye(,) now(.)
    examples = [example_of("hi Uyen. bye,", "Hi, Uyen. Bye."), example_of("now.", "now", (0,))]
    scores = score_punctuation(examples)
    # "." tp 1, fn 1; "," fp 1, fn 1
    assert scores["punct_micro_p"] == approx(1 / 2)
    assert scores["punct_micro_r"] == approx(1 / 3)
    assert scores["punct_micro_f"] == approx(0.4)
    assert scores["punct_macro_f"] == approx((2 / 3 + 0) / 2)
    # The full stop after "now" is no error: nobody knows.
    assert (scores["sentence_p"], scores["sentence_r"]) == (approx(1.0), approx(1 / 2))


def test_scoring_realigns() -> None:
    examples = [example_of("hi, uyen", "Hi Uyen.")]
    score_punctuation(examples)
    assert examples[0].reference.text == "hi, uyen"
    # A second scorer still finds the gold text.
    assert score_punctuation(examples)["punct_micro_r"] == 0.0
    assert examples[0].reference.user_data[GOLD] == "Hi Uyen."


def test_own_marks_and_map() -> None:
    examples = [example_of("hi! uyen!", "Hi! Uyen;")]
    scores = score_punctuation(examples, marks=["!"], mark_map={";": ""}, unused=1)
    assert scores["punct_micro_p"] == approx(0.5)
    assert scores["punct_micro_r"] == approx(1.0)


def test_a_generator_of_examples() -> None:
    scores = score_punctuation(example for example in [example_of("hi.", "Hi.")])
    assert scores["punct_micro_f"] == approx(1.0)


def test_registered_scorer() -> None:
    scorer = registry.scorers.get("spacy_punctcase.punctuation_scorer.v1")()
    assert scorer([example_of("hi.", "Hi.")])["punct_micro_f"] == approx(1.0)
