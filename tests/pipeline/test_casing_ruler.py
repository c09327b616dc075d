import pickle

import pytest
import spacy
from conftest import WORDS, transcript
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.language import Language

import spacy_punctcase
from spacy_punctcase.pipeline import CasingRuler
from spacy_punctcase.text.case import lower


@pytest.fixture
def nlp() -> Language:
    return spacy.blank("en")


def make_ruler(nlp: Language, *entries: str) -> CasingRuler:
    ruler: CasingRuler = nlp.add_pipe("casing_ruler")  # type: ignore
    ruler.add_entries(entries)
    return ruler


@pytest.mark.parametrize(
    "text, expected",
    [
        ("we use assemblyai and ASSEMBLYAI", "we use AssemblyAI and AssemblyAI"),
        ("assemblyai's, POSTGRESQL'S.", "AssemblyAI's, PostgreSQL's."),
        ("in new york and new york city now", "in New York and New York City now"),
        ("assemblyaix see assemblyai.com #assemblyai", None),
        ("a@assemblyai.org (assemblyai)", "a@assemblyai.org (AssemblyAI)"),
        ("in new  york\tnew\nyork", "in New  York\tNew\nYork"),
        ("assemblyai 's and 's", "AssemblyAI 's and 's"),
        ("", None),
        ("  ", None),
    ],
)
def test_spellings(nlp: Language, text: str, expected) -> None:
    make_ruler(nlp, "AssemblyAI", "PostgreSQL", "New York", "New York City")
    assert nlp(text).text == (text if expected is None else expected)
    assert nlp(nlp(text).text).text == nlp(text).text


@settings(max_examples=100, deadline=None)
@given(text=st.lists(st.one_of(WORDS, st.sampled_from(["'s", "GITHUB'S", "new"])), max_size=20))
def test_only_case_changes_and_twice_is_once(text) -> None:
    nlp = spacy.blank("en")
    make_ruler(nlp, "GitHub", "How Are You", "Don't", "NASA")
    source = " ".join(text)
    doc = nlp(source)
    assert lower(doc.text) == lower(source)
    assert nlp(doc.text).text == doc.text


def test_offsets_and_source(nlp: Language) -> None:
    make_ruler(nlp, "AssemblyAI")
    doc = nlp("try assemblyai now")
    assert doc._.source_text == "try assemblyai now"
    assert doc[1]._.source_span == (4, 14)


def test_later_entry_replaces_an_earlier_one(nlp: Language) -> None:
    ruler = make_ruler(nlp, "Github", "GitHub", "")
    assert ruler.entries == ["GitHub"] and len(ruler) == 1
    ruler.clear()
    assert nlp("github").text == "github"


def test_letters_that_would_grow_stay(nlp: Language) -> None:
    make_ruler(nlp, "STRASSE", "İstanbul")
    for text in ("straße", "i\u0307stanbul"):
        assert nlp(text).text == text


def test_saved_and_loaded(nlp: Language, tmp_path) -> None:
    make_ruler(nlp, "AssemblyAI", "New York City")
    nlp.to_disk(tmp_path)
    by_bytes = spacy.blank("en")
    by_bytes.add_pipe("casing_ruler")
    by_bytes.from_bytes(nlp.to_bytes())
    text = "assemblyai in new york city"
    for other in (spacy.load(tmp_path), by_bytes, pickle.loads(pickle.dumps(nlp))):
        assert other(text).text == "AssemblyAI in New York City"
    assert [doc.text for doc in nlp.pipe([text] * 3, n_process=2, batch_size=1)] == [
        "AssemblyAI in New York City"
    ] * 3


def test_in_front_of_another_pipeline_with_its_entries(nlp: Language, tmp_path) -> None:
    make_ruler(nlp, "AssemblyAI")
    nlp.to_disk(tmp_path)
    other = spacy.blank("en")
    ruler = other.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "ORG", "pattern": "AssemblyAI"}])  # type: ignore
    spacy_punctcase.add_pipes(other, str(tmp_path))
    assert [ent.text for ent in other("ask assemblyai").ents] == ["AssemblyAI"]


def test_counted_when_initialized(nlp: Language, tmp_path) -> None:
    path = tmp_path / "text.txt"
    path.write_text("We like GitHub and NASA. " * 5, encoding="utf8")
    nlp.add_pipe("casing_ruler")
    nlp.config["initialize"]["components"]["casing_ruler"] = {
        "entries": {"@readers": "spacy_punctcase.CountedSpellings.v1", "path": str(path)}
    }
    nlp.initialize()
    assert nlp("github of nasa").text == "GitHub of NASA"


def test_score(nlp: Language) -> None:
    make_ruler(nlp, "GitHub")
    scores = nlp.evaluate([transcript(nlp, "we like GitHub and NASA")])
    assert scores["case_word_p"] == 1.0
    assert scores["case_word_r"] == 0.5
