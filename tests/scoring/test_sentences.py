import pytest
from pytest import approx

from spacy_punctcase.scoring.sentences import count_sentences, score_sentences


def test_boundaries() -> None:
    # Gold ends after b, d and e; predicted after b, c and e.
    counts = count_sentences("a, b? c. d, e… f", "A b. C; d! E? F")
    assert counts == {("tp",): 2, ("fp",): 1, ("fn",): 1}
    scores = score_sentences(counts)
    assert list(scores.values()) == approx([2 / 3] * 3)
    assert list(scores) == ["sentence_p", "sentence_r", "sentence_f"]


def test_words_that_differ() -> None:
    # "well" is added, with a full stop; "there" is missing, with one; "leave" is in place.
    counts = count_sentences("well. hi I leave.", "Hi there. I live.")
    assert counts == {("tp",): 1, ("fp",): 1, ("fn",): 1}


@pytest.mark.parametrize("predicted, gold", [("", ""), ("a.", "a"), ("a", "A, b")])
def test_nothing_to_find(predicted: str, gold: str) -> None:
    assert set(score_sentences(count_sentences(predicted, gold)).values()) == {None}
