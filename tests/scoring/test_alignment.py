from typing import List, Tuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_punctcase.scoring.alignment import (
    count_words,
    cut_all,
    cut_segments,
    pair_words,
)
from spacy_punctcase.scoring.casing import count_case
from spacy_punctcase.scoring.punctuation import count_marks
from spacy_punctcase.scoring.sentences import count_sentences
from spacy_punctcase.text.words import normal_form, same_word, split_words

WORDS = ["a", "be", "U.S", "NATO", "dogs'", "Σας", "net", "-", '"so"', "3.5"]
TEXTS = st.lists(
    st.tuples(st.sampled_from(WORDS), st.sampled_from(["", "", ",", ".", " ?", " ."])), max_size=60
).map(lambda pairs: " ".join(word + mark for word, mark in pairs))


def words_of(predicted: str, gold: str) -> List[Tuple[str, str, bool]]:
    return [
        (
            predicted[ours.core_start : ours.core_end] if ours else "",
            gold[theirs.core_start : theirs.core_end] if theirs else "",
            same,
        )
        for ours, theirs, same in pair_words(predicted, gold)
    ]


def test_same_words() -> None:
    assert words_of("hi, uyen in the u.s", "Hi Uyen. In the U.S.") == [
        ("hi", "Hi", True),
        ("uyen", "Uyen", True),
        ("in", "In", True),
        ("the", "the", True),
        ("u.s", "U.S.", True),
    ]


def test_words_that_differ() -> None:
    predicted, gold = "so I leave in Rome the day", "I live, in Rome today."
    assert words_of(predicted, gold) == [
        ("so", "", False),
        ("I", "I", True),
        ("leave", "live", False),
        ("in", "in", True),
        ("Rome", "Rome", True),
        ("the", "today", False),
        ("day", "", False),
    ]
    assert count_words(predicted, gold) == {"words": 5, "missing": 0, "added": 2, "replaced": 2}
    assert count_words(gold, predicted)["missing"] == 2


@pytest.mark.parametrize("predicted, gold", [("", ""), ("", "Hi."), ("hi", ""), (".", "-")])
def test_texts_without_words(predicted: str, gold: str) -> None:
    assert len(pair_words(predicted, gold)) == len(split_words(predicted + gold))
    assert [*cut_segments(predicted, gold, 1)] == [(predicted, gold)]


@given(TEXTS, TEXTS)
def test_each_word_is_in_one_pair(predicted: str, gold: str) -> None:
    pairs = pair_words(predicted, gold)
    ours = [pair.predicted for pair in pairs if pair.predicted is not None]
    theirs = [pair.gold for pair in pairs if pair.gold is not None]
    assert ours == split_words(predicted)
    assert theirs == split_words(gold)
    for pair in pairs:
        if pair.predicted is None or pair.gold is None:
            assert not pair.same
        else:
            forms = normal_form(predicted, pair.predicted), normal_form(gold, pair.gold)
            assert pair.same == same_word(*forms)


def test_cut_segments() -> None:
    # No cut behind "there", which the prediction has not, nor in front of an added word.
    predicted, gold = 'oh hi are you "yes so . I am', 'Oh. Hi there. Are you? "Yes. I am.'
    assert cut_segments(predicted, gold, 1) == [
        ("oh ", "Oh. "),
        ("hi are you ", "Hi there. Are you? "),
        ('"yes so . I am', '"Yes. I am.'),
    ]
    assert cut_segments("a b ?c d e", "A b. C d e.", 1) == [("a b ?", "A b. "), ("c d e", "C d e.")]
    assert cut_segments("a b ?c d e", "A b. C d e.", 3) == [("a b ?c d e", "A b. C d e.")]
    assert len(cut_segments("a b c d. " * 5, "a b c d. " * 5, 10)) == 1
    assert len(cut_segments("a b c d. " * 6, "a b c d. " * 6, 10)) == 2


def test_cut_all_cuts_where_every_prediction_agrees() -> None:
    gold = "A b. C d. E f."
    segments = cut_all(["a b c d e f", "a. x c d e f"], gold, 1)
    assert segments == [(["a b c d ", "a. x c d "], "A b. C d. "), (["e f", "e f"], "E f.")]


@given(TEXTS, TEXTS)
def test_segments_lose_nothing(predicted: str, gold: str) -> None:
    segments = cut_segments(predicted, gold, 2)
    assert "".join(segment.predicted for segment in segments) == predicted
    assert "".join(segment.gold for segment in segments) == gold
    assert sum(len(pair_words(*segment)) for segment in segments) == len(
        pair_words(predicted, gold)
    )


@given(st.lists(st.tuples(st.sampled_from(["a", "U.S", "Nato"]), *[st.sampled_from("., ?")] * 2)))
def test_counts_of_segments_add_up(words: List[Tuple[str, str, str]]) -> None:
    predicted = " ".join(word.lower() + mark.strip() for word, mark, _ in words)
    gold = " ".join(word + mark.strip() for word, _, mark in words)
    segments = cut_segments(predicted, gold, 2)
    for count in (count_marks, count_case, count_sentences):
        total = count(predicted, gold)
        for segment in segments:
            total.subtract(count(*segment))
        assert not any(total.values())
