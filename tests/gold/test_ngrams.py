"""Counts of marks and case of short runs of words."""

from pathlib import Path
from typing import List

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from spacy.strings import get_string_id

from spacy_punctcase.gold.ngrams import (
    TEMPLATES,
    VALUES_PER_RUN,
    WIDTH,
    NgramCounts,
    count_ngrams,
)
from spacy_punctcase.gold.readers import document_words

LINES = ["We live in New York. Do you?", "New York, of course.", "A new house in York."] * 6
# Values of a run: marks ",", ".", "?", cases capital, upper, count.
COMMA, STOP, QUESTION, CAPITAL, UPPER, COUNT = range(VALUES_PER_RUN)


def hashes(text: str) -> numpy.ndarray:
    return numpy.asarray([get_string_id(word) for word in text.split()], dtype="uint64")


@pytest.fixture(scope="module")
def counts() -> NgramCounts:
    return NgramCounts.from_documents(document_words([line]) for line in LINES)


def look_up(counts: NgramCounts, text: str) -> List[numpy.ndarray]:
    return list(counts.look_up([hashes(text)]))


def test_a_run_knows_the_mark_behind_and_the_case(counts: NgramCounts) -> None:
    new, york = look_up(counts, "new york")
    pair = TEMPLATES.index((0, 1))
    assert new[pair, CAPITAL] > 0
    assert new[pair, STOP] < 0 and new[pair, COMMA] < 0
    pair = TEMPLATES.index((-1, 0))
    assert york[pair, STOP] > 0 and york[pair, COMMA] > 0
    # "A new house": the word alone is seen in both.
    alone = TEMPLATES.index((0,))
    assert york[alone, CAPITAL] > 0
    assert round(numpy.expm1(york[alone, COUNT])) == pytest.approx(18, abs=2)
    (you,) = look_up(counts, "you")
    assert you[alone, QUESTION] > 0


def test_the_first_word_of_a_sentence_says_nothing_of_case() -> None:
    lines = ["Houses are old. Houses are new. The big houses."] * 6
    counts = NgramCounts.from_documents(document_words([line]) for line in lines)
    (houses,) = look_up(counts, "houses")
    assert houses[TEMPLATES.index((0,)), CAPITAL] < 0


def test_what_was_not_seen_is_zero(counts: NgramCounts) -> None:
    (word,) = look_up(counts, "zebra")
    assert not word.any()
    # Runs do not go beyond a text.
    (alone,) = look_up(counts, "york")
    assert not alone[[len(places) > 1 for places in TEMPLATES]].any()
    assert alone[TEMPLATES.index((0,))].any()


def test_the_end_of_a_turn_that_was_cut_off_says_nothing() -> None:
    counts = NgramCounts.from_documents([document_words(["And so we", "Yes."])] * 6)
    (we,) = look_up(counts, "we")
    (yes,) = look_up(counts, "yes")
    assert we[0, STOP] == 0
    assert yes[0, STOP] > 0


def test_saved_and_loaded(counts: NgramCounts) -> None:
    loaded = NgramCounts.from_bytes(counts.to_bytes())
    assert len(loaded) == len(counts) > 0
    texts = [hashes("we live in new york"), hashes("do you"), hashes("")]
    assert (counts.look_up(texts) == loaded.look_up(texts)).all()
    assert not len(NgramCounts.from_bytes(NgramCounts().to_bytes()))


@given(
    st.lists(st.lists(st.sampled_from(["we", "live", "in", "new", "york", "zebra", "do", "you"])))
)
def test_texts_do_not_touch_each_other(texts: List[List[str]]) -> None:
    counts = NgramCounts.from_documents([document_words(LINES)])
    found = counts.look_up([hashes(" ".join(words)) for words in texts])
    assert found.shape == (sum(map(len, texts)), len(TEMPLATES), VALUES_PER_RUN)
    assert found.size == WIDTH * len(found)
    alone = [counts.look_up([hashes(" ".join(words))]) for words in texts if words]
    assert not alone or (numpy.concatenate(alone) == found).all()


def test_files_of_weight_zero_are_left_out(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(f"The {name}s.\n" * 6, encoding="utf8")
    assert len(look_up(count_ngrams(tmp_path, {"b": 0.0}), "bs")[0].nonzero()[0]) == 0
    assert look_up(count_ngrams(tmp_path, {"b": 0.0}), "as")[0].any()
    assert look_up(count_ngrams(tmp_path), "bs")[0].any()


def test_rare_runs_are_left_out() -> None:
    counts = NgramCounts.from_documents([document_words(["Once upon a time."])] * 4)
    assert len(counts) == 0
    assert not look_up(counts, "once")[0].any()
