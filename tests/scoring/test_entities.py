import pytest
import spacy
from pytest import approx
from spacy.tokens import Doc, Span

from spacy_punctcase.rewrite.offsets import set_offsets
from spacy_punctcase.scoring.entities import (
    count_entities,
    entity_recovery,
    entity_words,
    evaluate_entities,
    score_entities,
)

NLP = spacy.blank("en")


def doc_of(text: str, *entities) -> Doc:
    doc = NLP.make_doc(text)
    doc.ents = [Span(doc, start, end, label=label) for start, end, label in entities]
    return doc


def test_raw_restored_and_gold_docs_agree() -> None:
    raw = doc_of("hi uyen in rome", (1, 2, "PERSON"), (3, 4, "GPE"))
    restored = doc_of("Hi, Uyen, in Rome.", (2, 3, "PERSON"), (5, 6, "GPE"))
    set_offsets(restored, raw.text, [0, 1, -1, 2, 3, 4, 5, 6, -1, *range(7, 15), -1])
    expected = {(1, 1, "PERSON"), (3, 3, "GPE")}
    assert entity_words(raw) == entity_words(restored) == expected


def test_an_entity_of_several_tokens_and_words() -> None:
    doc = doc_of("the U.K.'s New York", (1, 5, "GPE"))
    assert entity_words(doc) == {(1, 3, "GPE")}


def test_marks_and_dashes_in_chunks_of_their_own_are_no_words() -> None:
    raw = doc_of("hi uyen in rome", (1, 2, "PERSON"), (3, 4, "GPE"))
    gold = doc_of("Hi - Uyen , in Rome .", (2, 3, "PERSON"), (5, 6, "GPE"))
    assert entity_words(gold) == entity_words(raw)


def test_versions_of_the_same_documents() -> None:
    nlp = spacy.blank("en")
    ruler = nlp.add_pipe("entity_ruler")
    patterns = [("PERSON", "Uyen"), ("PERSON", "Anna"), ("DATE", "Monday"), ("GPE", "rome")]
    ruler.add_patterns([{"label": a, "pattern": b} for a, b in patterns])  # type: ignore
    versions = {
        "raw": ["uyen and anna in rome", "anna"],
        "restored": ["Uyen and anna, in rome.", "Anna"],
        "gold": ["Uyen and Anna - in rome.", "Anna!"],
    }
    gold = [{(0, 0, "PER"), (2, 2, "PER"), (4, 4, "GPE")}, {(0, 0, "PER")}]
    label_map = {"PERSON": "PER", "DATE": ""}
    scores = evaluate_entities(nlp, versions, gold, label_map=label_map, samples=10)
    assert scores["raw"]["ents_r"] == approx(0.25)
    assert scores["restored"]["ents_r"] == approx(0.75)
    assert scores["gold"]["ents_f"] == approx(1.0)
    raw_f, restored_f = 0.4, 6 / 7
    assert scores["restored"]["ents_recovery"] == approx((restored_f - raw_f) / (1 - raw_f))
    assert set(scores["raw"]["intervals"]) == {"ents_p", "ents_r", "ents_f"}
    with pytest.raises(ValueError, match="2"):
        evaluate_entities(nlp, {"raw": ["uyen"]}, gold)


def test_label_map() -> None:
    doc = doc_of("uyen in rome", (0, 1, "PERSON"), (1, 2, "DATE"), (2, 3, "GPE"))
    found = entity_words(doc, {"PERSON": "PER", "DATE": ""})
    assert found == {(0, 0, "PER"), (2, 2, "GPE")}


def test_scores() -> None:
    gold = {(0, 0, "PER"), (3, 4, "LOC"), (6, 6, "LOC")}
    counts = count_entities({(0, 0, "PER"), (3, 3, "LOC"), (6, 6, "PER")}, gold)
    assert counts == {
        ("PER", "tp"): 1,
        ("PER", "fp"): 1,
        ("LOC", "fp"): 1,
        ("LOC", "fn"): 2,
    }
    scores = score_entities(counts)
    assert [scores[f"ents_{key}"] for key in "prf"] == approx([1 / 3] * 3)
    assert scores["ents_per_type"]["PER"] == approx({"p": 0.5, "r": 1.0, "f": 2 / 3})
    assert list(scores["ents_per_type"]) == ["LOC", "PER"]


def test_no_entity() -> None:
    assert score_entities(count_entities(set(), set())) == {
        "ents_p": None,
        "ents_r": None,
        "ents_f": None,
        "ents_per_type": {},
    }


def test_recovery() -> None:
    assert entity_recovery(0.4, 0.7, 0.8) == approx(0.75)
    assert entity_recovery(0.4, 0.3, 0.8) == approx(-0.25)
    assert entity_recovery(0.8, 0.8, 0.8) is None


def test_empty_doc() -> None:
    assert entity_words(doc_of("")) == set()


@pytest.mark.parametrize("label_map", [{}, {"GPE": "LOC"}])
def test_same_doc_is_perfect(label_map) -> None:
    found = entity_words(doc_of("in rome", (1, 2, "GPE")), label_map)
    assert score_entities(count_entities(found, found))["ents_f"] == approx(1.0)
