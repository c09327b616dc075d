"""Transcripts of format A from text, labels and JSON lines."""

import json
from pathlib import Path
from typing import Any, List, Tuple

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_punctcase.gold.align import GOLD, align_words, gold_text
from spacy_punctcase.gold.convert import (
    docs_from_jsonl,
    docs_from_labels,
    docs_from_text,
    read_labels,
)

ASSETS = Path(__file__).parents[2] / "assets"


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy.blank("en")


def check(doc: Doc) -> None:
    """One token a word, and the gold text says the same."""
    pairs = align_words(doc.text, gold_text(doc))
    assert len(pairs) == len(doc)
    assert doc.has_unknown_spaces


def test_text(nlp: Language) -> None:
    docs = list(docs_from_text(nlp, ASSETS / "text" / "dev.txt", min_words=20, max_words=40))
    assert len(docs) > 10
    for doc in docs:
        check(doc)
        assert len(doc) <= 40


def labels(path: Path, *rows: Tuple[str, str]) -> Path:
    path.write_text("".join(f"{word}\t{label}\n" for word, label in rows), encoding="utf8")
    return path


def test_labels_become_marks(nlp: Language, tmp_path: Path) -> None:
    path = labels(
        tmp_path / "labels",
        ("so", "COMMA"),
        ("who", "O"),
        ("are", "O"),
        ("you", "QUESTION"),
        ("me", "PERIOD"),
    )
    docs = list(docs_from_labels(nlp, [path]))
    assert [doc.text for doc in docs] == ["so who are you me "]
    assert [doc.user_data[GOLD] for doc in docs] == ["so, who are you? me."]
    check(docs[0])


@pytest.mark.parametrize(
    "rows, gold",
    [
        # Contractions are joined; the label of the last piece counts.
        ([("i", "O"), ("'m", "O"), ("here", "PERIOD")], ["i'm", "here."]),
        ([("i", "O"), ("did", "O"), ("n't", "COMMA")], ["i", "didn't,"]),
        ([("he", "O"), ("’s", "PERIOD")], ["he’s."]),
        # Behind a mark an apostrophe opens a quote.
        ([("said", "COMMA"), ("'the", "O"), ("end", "PERIOD")], ["said,", "'the", "end."]),
        ([("'s", "O"), ("it", "O")], ["'s", "it"]),
        ([("the", "O"), ("dogs", "O"), ("'", "PERIOD")], ["the", "dogs'."]),
        # The label decides, not the look of the word.
        ([("mr.", "O"), ("lee", "PERIOD")], ["mr", "lee."]),
        ([("u.s.", "O"), ("u.s.", "PERIOD"), ("u.s.", "COMMA")], ["u.s.", "u.s.", "u.s.,"]),
        # What is no word leaves its mark to the word before.
        ([("well", "O"), ("--", "COMMA"), ("yes", "PERIOD")], ["well,", "yes."]),
        ([("well", "PERIOD"), ("", "COMMA"), ("yes", "O")], ["well.", "yes"]),
        ([("--", "O"), ("yes", "O")], ["yes"]),
    ],
)
def test_words_of_label_files(
    rows: List[Tuple[str, str]], gold: List[str], nlp: Language, tmp_path: Path
) -> None:
    path = labels(tmp_path / "labels", *rows)
    assert [word.gold for word in read_labels(path)] == gold
    for doc in docs_from_labels(nlp, [path]):
        check(doc)


def test_blank_lines_and_carriage_returns_in_label_files(tmp_path: Path) -> None:
    path = tmp_path / "labels"
    path.write_bytes(b"so\tCOMMA\r\n\r\n \nyes\tPERIOD\r\n")
    assert [word.gold for word in read_labels(path)] == ["so,", "yes."]


def test_label_files_are_cut(nlp: Language, tmp_path: Path) -> None:
    rows = [(f"word{index}", "PERIOD" if index % 5 == 4 else "O") for index in range(100)]
    path = labels(tmp_path / "labels", *rows)
    docs = list(docs_from_labels(nlp, [path], min_words=10, max_words=20))
    assert all(10 <= len(doc) <= 20 for doc in docs[:-1])
    assert [token.text for doc in docs for token in doc] == [word for word, _ in rows]
    texts = [doc.text for doc in docs]
    again = docs_from_labels(nlp, [path], min_words=10, max_words=20)
    assert [doc.text for doc in again] == texts
    other = docs_from_labels(nlp, [path], min_words=10, max_words=20, seed=1)
    assert [doc.text for doc in other] != texts


@pytest.mark.parametrize("line", ["word", "word\tO\tO", "word\tBANG", "two words\tO", "word O"])
def test_malformed_labels(line: str, tmp_path: Path) -> None:
    path = tmp_path / "labels"
    path.write_text(f"so\tO\n\n{line}\n")
    with pytest.raises(ValueError, match="labels, line 3: expected one word, a tab and one of"):
        read_labels(path)


def jsonl(path: Path, *records: Any) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf8")
    return path


def test_entities_on_raw_words(nlp: Language, tmp_path: Path) -> None:
    text = '"Ana Lee\'s Berlin-based firm — ACME — won," she said.'
    spans = [(text.index(name), name) for name in ("Ana Lee", "Berlin", "ACME")]
    entities = [[start, start + len(name), name[:1]] for start, name in spans]
    path = jsonl(tmp_path / "ner.jsonl", {"text": text, "entities": entities})
    (doc,) = docs_from_jsonl(nlp, [path])
    check(doc)
    assert doc.user_data[GOLD] == text
    assert [token.text for token in doc][:4] == ["ana", "lee's", "berlin-based", "firm"]
    # One token a word: an entity that ends inside a word gets all of it.
    assert [(ent.text.strip(), ent.label_) for ent in doc.ents] == [
        ("ana lee's", "A"),
        ("berlin-based", "B"),
        ("acme", "A"),
    ]


def test_no_entities_and_unknown_entities(nlp: Language, tmp_path: Path) -> None:
    path = jsonl(tmp_path / "ner.jsonl", {"text": "Hello.", "entities": []}, {"text": "Hello."})
    none, unknown = docs_from_jsonl(nlp, [path])
    assert [token.ent_iob_ for token in none] == ["O"]
    assert [token.ent_iob_ for token in unknown] == [""]


def test_sample_entities(nlp: Language) -> None:
    for name in ("train", "dev"):
        path = ASSETS / "ner" / f"{name}.jsonl"
        records = [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]
        docs = list(docs_from_jsonl(nlp, [path]))
        assert len(docs) == len(records)
        for doc, record in zip(docs, records, strict=True):
            check(doc)
            assert [ent.label_ for ent in doc.ents] == [
                label for _, _, label in sorted(record["entities"])
            ]


@pytest.mark.parametrize(
    "record, problem",
    [
        ([], "there is no 'text'"),
        ({"text": 3}, "there is no 'text'"),
        ({"text": "Hi.", "entities": {}}, "'entities' is no list"),
        ({"text": "Hi Al.", "entities": [[3, 5]]}, "is not valid"),
        ({"text": "Hi Al.", "entities": [[3, 7, "P"]]}, "is not valid"),
        ({"text": "Hi Al.", "entities": [[5, 3, "P"]]}, "is not valid"),
        ({"text": "Hi Al.", "entities": [["3", "5", "P"]]}, "is not valid"),
        ({"text": "Hi Al.", "entities": [[3, 5, 7]]}, "is not valid"),
        ({"text": "Hi Al.", "entities": [7]}, "is not valid"),
        ({"text": "Hi Al.", "entities": [[2, 3, "P"]]}, "holds no word"),
        ({"text": "Hi Al-Jo.", "entities": [[3, 5, "P"], [6, 8, "P"]]}, "shares the word 'al-jo'"),
    ],
)
def test_malformed_jsonl(record: Any, problem: str, nlp: Language, tmp_path: Path) -> None:
    path = jsonl(tmp_path / "ner.jsonl", {"text": "Hello."}, record)
    with pytest.raises(ValueError, match=f"ner.jsonl, line 2: .*{problem}"):
        list(docs_from_jsonl(nlp, [path]))


def test_line_that_is_no_json(nlp: Language, tmp_path: Path) -> None:
    path = tmp_path / "ner.jsonl"
    path.write_text('{"text": "Hello."}\n\n{"text": \n')
    with pytest.raises(ValueError, match="line 3: .*this is no JSON"):
        list(docs_from_jsonl(nlp, [path]))
