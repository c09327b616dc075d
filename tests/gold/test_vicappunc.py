"""The three columns of ViCapPunc: read, written, and made of running text."""

from io import BytesIO
from pathlib import Path
from typing import List

import pytest
import spacy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.language import Language
from spacy.util import registry

from spacy_punctcase.gold.align import align_words, gold_text
from spacy_punctcase.gold.vicappunc import (
    Row,
    docs_from_vicappunc,
    read_segments,
    read_text_segments,
    split_documents,
    write_segments,
)
from spacy_punctcase.text.case import lower
from spacy_punctcase.text.word_case import CASES, case_of
from spacy_punctcase.text.words import split_words

ASSETS = Path(__file__).parents[2] / "assets"

ROWS = st.builds(
    Row,
    word=st.sampled_from(["xin", "chào", "hà", "nội", "ubnd", "3,5", "đ", "covid-19", "don't"]),
    case=st.sampled_from(CASES),
    mark=st.sampled_from(["O", ",", ".", "?"]),
)


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy.blank("xx")


def written(segments: List[List[Row]]) -> str:
    file = BytesIO()
    assert write_segments(file, segments) == sum(map(len, segments))
    return file.getvalue().decode("utf8")


def save(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf8")
    return path


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(segments=st.lists(st.lists(ROWS, min_size=1, max_size=8), max_size=5))
def test_what_is_written_is_read(segments: List[List[Row]], tmp_path: Path) -> None:
    path = save(tmp_path / "words.tsv", written(segments))
    assert list(read_segments(path)) == segments


@settings(deadline=None, suppress_health_check=list(HealthCheck))
@given(segment=st.lists(ROWS, min_size=1, max_size=8))
def test_gold_text_says_the_same(segment: List[Row], nlp: Language, tmp_path: Path) -> None:
    path = save(tmp_path / "words.tsv", written([segment]))
    (doc,) = docs_from_vicappunc(nlp, [path])
    gold = gold_text(doc)
    assert len(align_words(doc.text, gold)) == len(segment)
    for row, word in zip(segment, split_words(gold)):
        core = gold[word.core_start : word.core_end]
        assert (lower(core), word.mark or "O") == (row.word, row.mark)
        # A word of one letter cannot be told from a Capital.
        if len([char for char in row.word if char.isalpha()]) > 1:
            assert case_of(core) == row.case
        else:
            assert (case_of(core) == "lower") == (row.case == "lower" or not row.word.isalpha())


def test_format() -> None:
    segments = [
        [Row("hà", "capital", "O"), Row("nội", "capital", ".")],
        [Row("ubnd", "upper", "O"), Row("xã", "lower", ",")],
    ]
    assert written(segments) == "hà\t1\tO\nnội\t1\t.\n\nubnd\t2\tO\nxã\t0\t,\n\n"


def test_reader(nlp: Language, tmp_path: Path) -> None:
    path = save(tmp_path / "dev.txt", "xin\t1\tO\nchào\t0\t,\nubnd\t2\t?\n\n\nđi\t1\t.\n")
    reader = registry.readers.get("spacy_punctcase.ViCapPunc.v1")(path=path)
    first, second = reader(nlp)
    assert gold_text(first.reference) == "Xin chào, UBND?"
    assert [token.text for token in first.predicted] == ["xin", "chào", "ubnd"]
    assert gold_text(second.reference) == "Đi."
    assert len(list(reader(nlp))) == 2
    with pytest.raises(ValueError, match="has no path"):
        registry.readers.get("spacy_punctcase.ViCapPunc.v1")(path=None)


def test_what_is_no_word(nlp: Language, tmp_path: Path) -> None:
    text = "-\t0\tO\nTP.\t2\tO\nđi\t0\tO\n-\t0\t,\nvề\t0\t.\n--\t0\t?\nu.s.\t2\t.\n(đi)\t0\t.\n"
    path = save(tmp_path / "words.tsv", text)
    (doc,) = docs_from_vicappunc(nlp, [path])
    assert gold_text(doc) == "TP đi, về. U.S. đi."
    assert [token.text for token in doc] == ["tp", "đi", "về", "u.s.", "đi"]


@pytest.mark.parametrize("line", ["đi", "đi\tO", "đi\t3\tO", "đi\t0\t-", "đi về\t0\tO", "đi\tO\t0"])
def test_malformed_lines(line: str, tmp_path: Path) -> None:
    path = save(tmp_path / "words.tsv", f"xin\t0\tO\n\n{line}\n")
    with pytest.raises(ValueError, match="words.tsv, line 3: expected a word, its case") as error:
        list(read_segments(path))
    assert repr(line) in str(error.value)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "words.tsv"
    with pytest.raises(ValueError, match="words.tsv: cannot be read"):
        list(read_segments(path))
    path.write_bytes(b"xin\t0\tO\n\xff")
    with pytest.raises(ValueError, match="byte 8 is not valid UTF-8"):
        list(read_segments(path))


# The preparation


def prepare(text: str, tmp_path: Path, max_words: int = 150) -> List[List[List[Row]]]:
    path = save(tmp_path / "text.txt", text)
    return list(read_text_segments([path], max_words=max_words))


def words(segment: List[Row]) -> str:
    return " ".join(word + ("" if mark == "O" else mark) for word, _, mark in segment)


def test_only_three_marks_are_kept(tmp_path: Path) -> None:
    ((segment,),) = prepare("Chào anh! Anh có khỏe không? UBND: tốt, cảm ơn.", tmp_path)
    assert words(segment) == "chào anh anh có khỏe không? ubnd tốt, cảm ơn."
    assert [row.case for row in segment if row.case != "lower"] == ["capital"] * 2 + ["upper"]


def test_segments_are_whole_sentences(tmp_path: Path) -> None:
    text = "A b. C d e. F g? H i j k l m. N o.\nP q\n\nA b."
    first, second = prepare(text, tmp_path, max_words=5)
    # One sentence is too long, and one has no end.
    assert list(map(words, first)) == ["a b. c d e.", "f g?", "n o."]
    assert list(map(words, second)) == ["a b."]


def test_sample_text_is_prepared(nlp: Language, tmp_path: Path) -> None:
    documents = list(read_text_segments([ASSETS / "text" / "train.txt"]))
    segments = [segment for document in documents for segment in document]
    assert all(1 <= len(segment) <= 150 for segment in segments)
    assert all(segment[-1].mark in ".?" for segment in segments)
    path = save(tmp_path / "words.tsv", written(segments))
    assert list(read_segments(path)) == segments
    assert len(list(docs_from_vicappunc(nlp, [path]))) == len(segments)


@pytest.mark.parametrize("number", [0, 3, 10, 47])
def test_shares_of_the_documents(number: int) -> None:
    documents = [[[Row(str(index), "lower", ".")]] for index in range(number)]
    parts = list(split_documents(documents))
    assert [document for _, document in parts] == documents
    counts = [[name for name, _ in parts].count(name) for name in ("train", "dev", "test")]
    assert counts[0] - number * 0.5 == pytest.approx(0, abs=3)
    if number % 10 == 0:
        assert counts == [number // 2, number // 5, number * 3 // 10]
    assert list(split_documents(documents)) == parts
    if number > 10:
        assert list(split_documents(documents, seed=1)) != parts
