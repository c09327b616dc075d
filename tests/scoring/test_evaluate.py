from typing import Any, Dict, List, Tuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from spacy_punctcase.scoring.evaluate import METRICS, compare_texts, evaluate_texts, flatten

GOLD = ["Hi Uyen, how are you?", "NATO met McDonald in Rome. Fine!", "So it is."]
FOUND = ["hi Uyen how are you?", "Nato met Mcdonald in Rome, fine.", "so is."]
TEXTS = st.lists(
    st.tuples(
        st.sampled_from(["a", "Be", "NATO", "U.S", "iPhone", "dogs'", "3.5"]),
        st.sampled_from(["", "", ",", ".", "?", "!"]),
    ),
    max_size=30,
).map(lambda pairs: " ".join(word + mark for word, mark in pairs))


def test_scores_of_several_documents() -> None:
    scores = evaluate_texts(FOUND, GOLD)
    # Gold , ? . . . (for "!"): "?" and the last two are right, a comma stands for a full stop.
    assert scores["punct_micro_p"] == approx(3 / 4)
    assert scores["punct_micro_r"] == approx(3 / 5)
    assert scores["punct_confusion"]["."] == {"O": 0, ",": 1, ".": 2, "?": 0}
    assert scores["per_nemo"] == approx(2 / 5)
    assert scores["sentence_r"] == approx(3 / 4)
    assert scores["case_acronym_r"] == 0.0
    assert scores["case_capital_r"] == approx(2 / 5)
    assert scores["case_support"] == {"acronym": 1, "capital": 5, "lower": 6, "mixed": 1}
    assert scores["wer"] == approx(1 / 14)
    assert scores["match"] == 0.0
    assert scores["alignment"] == {"words": 14, "missing": 1, "added": 0, "replaced": 0}
    assert "intervals" not in scores


@given(st.lists(TEXTS, max_size=4))
def test_texts_that_are_the_same_score_perfectly(texts: List[str]) -> None:
    for key, score in flatten(evaluate_texts(texts, texts)).items():
        if key.endswith(("/per", "per_card", "per_nemo")) or key.startswith("wer"):
            assert score == 0.0
        elif key.endswith(("_p", "_r", "_f", "/p", "/r", "/f")) or "match" in key:
            assert score == approx(1.0)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=2, max_size=5))
def test_the_order_of_documents_does_not_matter(documents: List[Tuple[str, str]]) -> None:
    def scores(documents: List[Tuple[str, str]]) -> Dict[str, Any]:
        predicted, gold = zip(*documents)
        return evaluate_texts(predicted, gold, samples=20)

    assert scores(documents) == scores(documents[::-1])


def test_chosen_metrics() -> None:
    assert set(evaluate_texts(FOUND, GOLD, metrics=["sentences"])) == {
        "sentence_p",
        "sentence_r",
        "sentence_f",
        "alignment",
    }
    for name in METRICS:
        assert len(evaluate_texts(FOUND, GOLD, metrics=[name])) > 2


def test_own_marks() -> None:
    scores = evaluate_texts(["a! b. c,"], ["A! B: c."], marks=["!", ","])
    assert scores["punct_confusion"] == {
        "O": {"O": 0, "!": 0, ",": 1},
        "!": {"O": 0, "!": 1, ",": 0},
        ",": {"O": 1, "!": 0, ",": 0},
    }
    assert scores["per_nemo"] == approx(2 / 3)


def test_intervals() -> None:
    sentence = "Hi Uyen, how are you? I live in Rome. "
    gold = [sentence * 20, sentence * 8]
    found = [sentence.replace(",", "") * 10 + sentence * 10, sentence.lower() * 8]
    scores = evaluate_texts(found, gold, samples=200)
    intervals = scores["intervals"]
    assert set(intervals) == set(
        flatten({key: value for key, value in scores.items() if key != "intervals"})
    )
    for key in ("punct_micro_f", "case_word_f", "per_nemo", "punct_per_mark/,/f"):
        low, high = intervals[key]
        assert low < flatten(scores)[key] < high
    assert intervals["punct_per_mark/?/f"] == approx([1.0, 1.0])


def test_comparison() -> None:
    sentence = "Hi Uyen, how are you? I live in Rome. "
    gold = [sentence * 20]
    raw = [sentence.lower().replace(",", "") * 20]
    differences = compare_texts([sentence * 20], raw, gold, samples=100)
    for key in ("punct_micro_f", "case_word_f", "per_nemo", "wer_case", "match"):
        assert differences[key].better == 1.0
    assert differences["per_nemo"].difference == approx(-1 / 3)
    assert differences["per_nemo"].high < 0
    assert differences["wer"] == (0.0, 0.0, 0.0, 0.5)
    again = compare_texts(raw, raw, gold, samples=100)
    assert all(difference == (0.0, 0.0, 0.0, 0.5) for difference in again.values())


def test_no_documents() -> None:
    scores = evaluate_texts([], [], samples=10)
    assert scores["alignment"] == {"words": 0, "missing": 0, "added": 0, "replaced": 0}
    assert scores["punct_micro_f"] is None
    assert scores["intervals"] == {}


def test_errors() -> None:
    with pytest.raises(ValueError, match="'bleu'.*punctuation, per, casing"):
        evaluate_texts(FOUND, GOLD, metrics=["bleu"])
    with pytest.raises(ValueError, match="numbers of documents differ \\(2 and 3\\)"):
        evaluate_texts(FOUND[:2], GOLD)
    with pytest.raises(ValueError, match="numbers of documents differ"):
        compare_texts(FOUND, FOUND[:2], GOLD)
    with pytest.raises(ValueError, match="'x' is not one of the characters"):
        evaluate_texts(FOUND, GOLD, marks=["x"])
    with pytest.raises(ValueError, match="at least one mark"):
        evaluate_texts(FOUND, GOLD, marks=[])
