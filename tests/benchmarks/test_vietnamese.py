"""The Vietnamese benchmark on small files of the same formats."""

import json
from pathlib import Path

import pytest
import spacy
from spacy.tokens import DocBin

for package in ("matplotlib", "truecase", "true_case", "sacremoses"):
    pytest.importorskip(package)
from typer.testing import CliRunner  # noqa: E402

from benchmarks.data import EntityDoc  # noqa: E402
from benchmarks.vietnamese import app, split_docs  # noqa: E402


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    (folder / "iwslt15_vi").mkdir(parents=True)
    (folder / "iwslt15_vi" / "tst2012.vi").write_text("Bạn ở đâu ?\nHuế .\n", encoding="utf8")
    (folder / "phoner_covid19_vi").mkdir()
    sentences = "".join(
        f"Ông O\nLộc B-NAME\nở O\nHà B-LOCATION\nNội I-LOCATION\n{number} O\n, O\n\n"
        for number in range(20)
    )
    path = folder / "phoner_covid19_vi" / "dev_syllable.conll"
    path.write_text(sentences, encoding="utf8")
    return folder


@pytest.fixture
def ner(tmp_path: Path) -> Path:
    nlp = spacy.blank("xx")
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "NAME", "pattern": "Lộc"}])  # type: ignore[attr-defined]
    nlp.to_disk(tmp_path / "ner")
    return tmp_path / "ner"


def test_sentences_for_the_ner(data: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["split-entities", str(tmp_path / "out"), "--data", str(data)], catch_exceptions=False
    )
    assert result.exit_code == 0, result.output
    nlp = spacy.blank("xx")
    parts = {
        name: list(DocBin().from_disk(tmp_path / "out" / f"{name}.spacy").get_docs(nlp.vocab))
        for name in ("train", "dev")
    }
    assert (len(parts["train"]), len(parts["dev"])) == (12, 2)
    doc = parts["train"][0]
    assert doc.text == "Ông Lộc ở Hà Nội 0,"
    found = [(ent.text, ent.label_) for ent in doc.ents]
    assert found == [("Lộc", "NAME"), ("Hà Nội", "LOCATION")]


def test_leaves_out_what_is_not_there(data: Path, tmp_path: Path) -> None:
    (data / "phoner_covid19_vi" / "dev_syllable.conll").unlink()
    output = tmp_path / "out"
    result = CliRunner().invoke(app, ["split-entities", str(output), "--data", str(data)])
    assert result.exit_code == 0
    assert "dev_syllable.conll is not there; the benchmark is left out." in result.output
    assert not output.exists()


def test_no_text_is_in_two_parts() -> None:
    docs = [EntityDoc(f"Câu {number % 15}.", []) for number in range(40)]
    parts = split_docs(docs)
    texts = [doc.gold for part in parts.values() for doc in part]
    assert sorted(texts) == sorted({doc.gold for doc in docs})


def test_marks_case_and_entities(data: Path, ner: Path, tiny_path: Path, tmp_path: Path) -> None:
    dev = tmp_path / "dev"
    dev.mkdir()
    (dev / "wiki.txt").write_text("Huế là thành phố. Bạn ở đâu?\n", encoding="utf8")
    output = tmp_path / "out" / "vi.json"
    arguments = ["run", "-o", str(output), "--data", str(data), "--dev", str(dev)]
    arguments += ["--ner", str(ner), "--model", str(tiny_path), "--bootstrap", "20"]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    found = json.loads(output.read_text(encoding="utf8"))
    assert list(found["restoration"]) == ["dev text", "wiki", "talks (tst2012)"]
    assert found["restoration"]["wiki"]["systems"]["floor"]["punct_macro_f"] == 0
    entities = found["entities"]
    assert entities["documents"] == 6
    assert entities["systems"]["raw"]["ents_f"] == 0
    # Every name, and none of the places.
    assert entities["systems"]["gold"]["ents_f"] == pytest.approx(2 / 3)
    assert "| gold | 100.0 | 50.0 | 66.7" in result.output
