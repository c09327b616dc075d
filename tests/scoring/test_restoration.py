import pytest
import spacy
from conftest import transcript
from pytest import approx
from spacy.training import Example
from spacy.util import registry

from spacy_punctcase.gold.align import UNKNOWN_MARKS
from spacy_punctcase.scoring.restoration import score_restoration

NLP = spacy.blank("en")


def example_of(predicted: str, gold: str, **annotations):
    example = transcript(NLP, gold, **annotations)
    example.predicted = NLP.make_doc(predicted)
    return example


def test_default_metrics() -> None:
    scores = score_restoration([example_of("Hi, you. no", "Hi. You. no?")])
    assert scores["punct_micro_p"] == approx(0.5)
    assert scores["punct_micro_r"] == approx(1 / 3)
    assert scores["case_word_r"] == approx(0.5)
    assert scores["sentence_r"] == approx(1 / 3)
    assert "per_nemo" not in scores


def test_registered_with_metrics() -> None:
    make = registry.scorers.get("spacy_punctcase.restoration_scorer.v1")
    scores = make(metrics=["per", "wer"])([example_of("Hi, you.", "Hi. You.")])
    assert scores["per_nemo"] == approx(0.5)
    assert scores["wer_case"] == approx(0.5)
    with pytest.raises(ValueError, match="punctuation, per, casing"):
        make(metrics=["nothing"])


def test_marks_that_gold_does_not_know_are_left_out() -> None:
    example = example_of('Hi, you and".', "Hi, you and")
    assert score_restoration([example], metrics=["punctuation"])["punct_micro_p"] == approx(0.5)
    example = example_of('Hi, you and".', "Hi, you and")
    example.reference.user_data[UNKNOWN_MARKS] = [2]
    assert score_restoration([example], metrics=["punctuation"])["punct_micro_p"] == 1.0


def test_references_are_moved_onto_the_predicted_text() -> None:
    example = example_of("Hi, Anna.", "Hi Anna", entities=["O", "U-PERSON"])
    score_restoration([example])
    assert example.reference.text == "Hi, Anna."
    assert [ent.text for ent in example.reference.ents] == ["Anna"]


def test_empty_text() -> None:
    example = Example(NLP.make_doc(""), NLP.make_doc(""))
    assert score_restoration([example])["punct_micro_f"] is None
