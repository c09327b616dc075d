from pathlib import Path

import pytest

from benchmarks.data import (
    MissingData,
    make_entity_doc,
    read_dev,
    read_earnings,
    read_iwslt,
    read_librispeech,
    read_phoner,
    read_recogniser,
    read_talks,
    read_wiki,
    read_wikigold,
    strip,
)

NLP_HEADER = "token|speaker|ts|endTs|punctuation|case|tags\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One small file of each format."""

    def write(name: str, text: str) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf8")

    for name in ("test2011", "test2011asr"):
        write(f"iwslt2011/{name}", "i\tO\n'm\tCOMMA\nhere\tQUESTION\n")
    write("librispeech/utterances.tsv", "1-2\tHi, Anna: yes.\n1-3\tNo.\n")
    write("wiki/test.txt", "Hi , Anna 's .\n")
    write("wiki/test.lower.txt", "hi , anna 's .\n")
    for name in ("ref", "asr_google"):
        rows = "Good|1|||||\nmorning|1|0.1|0.2|,|LC|[]\nGoogle|1|||.|UC|[]\n"
        write(f"earnings/{name}/1.nlp", NLP_HEADER + rows)
    write("earnings/asr_kaldi_ctm/1.ctm", "1 A 0.1 0.2 GOOD 1.00\n1 A 0.3 0.2 morning 0.5\n")
    write("earnings/asr_espnet_text/1.txt", "good morning")
    write(
        "wikigold/wikigold.conll.txt",
        "-DOCSTART- O\n\nAnna I-PER\nSmith I-PER\n, O\nof O\nNew I-LOC\nYork I-LOC\n's O\n"
        "( O\nUS I-LOC\n) O\n. O\n\nBye O\n. O\n\n-DOCSTART- O\n\nParis I-LOC\n",
    )
    return tmp_path


def test_iwslt_joins_contractions(folder: Path) -> None:
    sets = read_iwslt(folder / "iwslt2011")
    assert list(sets) == ["test2011", "test2011asr"]
    assert sets["test2011"].raw == ["i'm here"]
    assert sets["test2011"].gold == ["i'm, here?"]


def test_librispeech_is_read_by_utterance(folder: Path) -> None:
    assert read_librispeech(folder / "librispeech").raw == ["hi anna yes", "no"]


def test_wiki_keeps_its_marks(folder: Path) -> None:
    test = read_wiki(folder / "wiki")
    assert (test.raw, test.gold) == (["hi , anna 's ."], ["Hi , Anna 's ."])


def test_earnings_and_recognisers(folder: Path) -> None:
    reference = read_earnings(folder / "earnings")
    assert reference.gold == ["Good morning, Google."]
    assert reference.raw == ["good morning google"]
    assert read_recogniser(folder / "earnings", "Google") == ["Good morning, Google."]
    assert read_recogniser(folder / "earnings", "Kaldi") == ["good morning"]
    assert read_recogniser(folder / "earnings", "ESPnet") == ["good morning"]


def test_malformed_line_is_named(folder: Path) -> None:
    path = folder / "earnings" / "ref" / "1.nlp"
    path.write_text(NLP_HEADER + "Good\n", encoding="utf8")
    with pytest.raises(ValueError, match=r"1.nlp, line 2: expected 7 columns"):
        read_earnings(folder / "earnings")


def test_wikigold_documents_and_entities(folder: Path) -> None:
    first, second = read_wikigold(folder / "wikigold")
    assert first.gold == "Anna Smith, of New York's (US). Bye."
    assert first.entities == [(0, 1, "PER"), (3, 4, "LOC"), (5, 5, "LOC")]
    assert second.entities == [(0, 0, "LOC")]


def test_vietnamese_talks_are_joined(tmp_path: Path) -> None:
    path = tmp_path / "tst2012.vi"
    path.write_text("Anh nói : &quot; Tôi đi -- rồi . &quot;\nSao ?\n", encoding="utf8")
    test = read_talks(path)
    assert test.gold == ["Anh nói: Tôi đi, rồi. Sao?"]
    assert test.raw == ["anh nói tôi đi rồi sao"]


def test_phoner_is_read_by_sentence(tmp_path: Path) -> None:
    path = tmp_path / "dev.conll"
    path.write_text(
        "Bệnh B-PATIENT_ID\nnhân I-PATIENT_ID\n, O\n"
        "Hà B-LOCATION\nNội I-LOCATION\n. O\n\n\nXong O\n",
        encoding="utf8",
    )
    first, second = read_phoner(path)
    assert first.gold == "Bệnh nhân, Hà Nội."
    assert first.entities == [(0, 1, "PATIENT_ID"), (2, 3, "LOCATION")]
    assert (second.gold, second.entities) == ("Xong", [])


def test_neighbouring_entities_stay_apart() -> None:
    tokens = [("Anna", "I-PER"), ("Paris", "I-LOC"), ("Rome", "B-LOC"), ("Bay", "I-LOC")]
    assert make_entity_doc(tokens).entities == [(0, 0, "PER"), (1, 1, "LOC"), (2, 3, "LOC")]


def test_strip() -> None:
    assert strip('Hi - "Anna\'s" 3.50, NASA!') == "hi anna's 3.50 nasa"


def test_dev_text_without_cut_off_turns(tmp_path: Path) -> None:
    import lzma

    text = "Hi, Anna.\nAnd then we\nYes. No.\n\nSecond one.\n"
    (tmp_path / "talk.txt.xz").write_bytes(lzma.compress(text.encode()))
    assert read_dev(tmp_path, words=100)["talk"].gold == ["Hi, Anna. Yes. No.", "Second one."]
    assert read_dev(tmp_path, words=3)["talk"].gold == ["Hi, Anna. Yes."]


def test_missing_data_is_told(tmp_path: Path) -> None:
    for read in (read_iwslt, read_librispeech, read_wiki, read_wikigold, read_earnings):
        with pytest.raises(MissingData):
            read(tmp_path)
    for read_file in (read_talks, read_phoner):
        with pytest.raises(MissingData):
            read_file(tmp_path / "nothing")
