import pickle

import pytest
import spacy
from conftest import WORDS, transcript
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.language import Language

import spacy_punctcase
from spacy_punctcase.gold.glossary import read_glossary
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


@pytest.mark.parametrize(
    "text, expected",
    [
        (
            "postgresql's apis, iphones and CEOS' office",
            "PostgreSQL's APIs, iPhones and CEOs' office",
        ),
        ("the marks of mark, its it", "the marks of Mark, its IT"),
        ("a class of clas", "a class of CLAS"),
        (
            "assemblyai-based, non-nasa, new york-based",
            "AssemblyAI-based, non-NASA, New York-based",
        ),
        ("wi-fi and ios/android", "Wi-Fi and iOS/android"),
        ("škoda s\u030ckoda ørsted ŠKODA'S", "Škoda S\u030ckoda Ørsted Škoda's"),
        ("booking.com www.booking.com x@booking.com", "Booking.com www.booking.com x@booking.com"),
        ("ADIDAS c++ .net tvs", "adidas C++ .NET TVs"),
    ],
)
def test_plurals_parts_and_unicode(nlp: Language, text: str, expected: str) -> None:
    entries = ["PostgreSQL", "API", "iPhone", "CEO", "Mark", "IT", "AssemblyAI", "NASA", "New York"]
    entries += [
        "Wi-Fi",
        "iOS",
        "Škoda",
        "Ørsted",
        "Booking.com",
        "adidas",
        "C++",
        ".NET",
        "TVs",
        "CLAS",
    ]
    make_ruler(nlp, *entries)
    assert nlp(text).text == expected
    assert nlp(expected).text == expected


def test_entry_for_a_plural_counts_more(nlp: Language) -> None:
    ruler = make_ruler(nlp, "API", "apis")
    assert nlp("api apis").text == "API apis"
    ruler.add_entries(["Api"])
    assert nlp("API APIS").text == "Api apis"


def test_entries_in_the_config(tmp_path) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("casing_ruler", config={"entries": ["AssemblyAI", "NASA"]})
    nlp.to_disk(tmp_path)
    for other in (nlp, spacy.load(tmp_path), pickle.loads(pickle.dumps(nlp))):
        assert other("nasa, assemblyai").text == "NASA, AssemblyAI"


@pytest.mark.parametrize("name, content", [
    ("words.txt", "AssemblyAI\n\n New  York City \n"),
    ("words.jsonl", '"AssemblyAI"\n{"spelling": "New York City", "note": 1}\n'),
    ("words.csv", 'note,Spelling\nx,AssemblyAI\n"a, b",New York City\n\n'),
    ("words.tsv", "\ufeffAssemblyAI\tx\nNew York City\n"),
])  # fmt: skip
def test_glossary_files(nlp: Language, tmp_path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf8")
    assert read_glossary(path) == ["AssemblyAI", "New York City"]
    nlp.add_pipe("casing_ruler").add_glossary(path)  # type: ignore
    assert nlp("assemblyai in new york city").text == "AssemblyAI in New York City"
    other = spacy.blank("en")
    other.add_pipe("casing_ruler")
    other.config["initialize"]["components"]["casing_ruler"] = {
        "entries": {"@readers": "spacy_punctcase.Glossary.v1", "path": str(path)}
    }
    other.initialize()
    assert other("assemblyai").text == "AssemblyAI"


@pytest.mark.parametrize("name, content, problem", [
    ("a.txt", b"NASA\n...\n", r"a\.txt, line 2: there is no word in the spelling '\.\.\.'"),
    ("a.jsonl", b'"NASA"\n{"spelling": }\n', r"a\.jsonl, line 2: no JSON"),
    ("a.jsonl", b'{"word": "NASA"}\n', r"line 1: expected a spelling, or an object"),
    ("a.jsonl", b'\n{"text": ["NASA"]}\n', r"line 2: .*found \['NASA'\]"),
    ("a.jsonl", b'""\n', r"line 1: there is no word"),
    ("a.csv", b"spelling,note\nNASA,x\n,y\n", r"a\.csv, line 3: there is no word"),
    ("a.csv", b'NASA\n"a"b\n', r"a\.csv, line 2: .*expected after"),
    ("a.tsv", b"NASA\n\xff\n", r"a\.tsv: byte 5 is not valid UTF-8"),
    ("a.xlsx", b"NASA", r"suffix of a glossary"),
])  # fmt: skip
def test_bad_glossaries_say_where(tmp_path, name: str, content: bytes, problem: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=problem):
        read_glossary(path)
    with pytest.raises(ValueError, match="cannot be read"):
        read_glossary(tmp_path / f"none_{name}.txt")


@pytest.mark.parametrize("entries, problem", [
    ("AssemblyAI", r"must be a list of texts, but is the text 'AssemblyAI'"),
    (["NASA", None], r"Entry 1 of 'casing_ruler' .* must be a text, but is None"),
    (["x\ud800"], r"Entry 0 .*lone surrogate \('\\ud800'\) at character 1"),
])  # fmt: skip
def test_bad_entries(nlp: Language, entries, problem: str) -> None:
    ruler: CasingRuler = nlp.add_pipe("casing_ruler")  # type: ignore
    for add in (ruler.add_entries, lambda given: ruler.initialize(list, entries=given)):
        with pytest.raises(ValueError, match=problem):
            add(entries)


@pytest.mark.parametrize("position", [{"first": True}, {"before": "truecaser"}, {"last": True}])
def test_in_front_of_the_truecaser_or_behind(tiny_path, position) -> None:
    nlp = spacy.load(tiny_path)
    entries = ["GitHub", "adidas", "Uyen", "New York"]
    nlp.add_pipe("casing_ruler", config={"entries": entries}, **position)
    for text in (
        "adidas is new here and uyen sees github in new york",
        "ADIDAS IS NEW HERE AND UYEN SEES GITHUB IN NEW YORK",
    ):
        doc = nlp(text)
        plain = doc.text.translate({ord(mark): None for mark in ",.?"})
        for entry in entries:
            assert entry in plain
        assert "SEES" not in plain or "sees" in text
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
