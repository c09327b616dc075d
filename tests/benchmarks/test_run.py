"""The benchmarks from end to end, on the sample text and small models."""

import json
from pathlib import Path

import pytest
import spacy
from typer.testing import CliRunner

for package in ("matplotlib", "truecase", "true_case", "sacremoses"):
    pytest.importorskip(package)
from benchmarks.__main__ import app  # noqa: E402
from benchmarks.report import look_up, make_page, percent  # noqa: E402


def run(data: Path, output: Path, name: str, *options: str):
    arguments = ["run", name, "-o", str(output / f"{name}.json"), "--bootstrap", "20"]
    for option, folder in (("--data", data), ("--dev", data / "dev"), ("--train", data / "train")):
        arguments += [option, str(folder)]
    result = CliRunner().invoke(app, [*arguments, *options], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def test_from_models_to_the_page(benchmark_data: Path, tiny_path: Path, tmp_path: Path) -> None:
    models = ["--two-stage", str(tiny_path), "--previous", str(tiny_path), "--model", "x=/nothing"]
    for name in ("headline", "iwslt", "librispeech", "dev", "thresholds"):
        result = run(benchmark_data, tmp_path / "found", name, *models)
        assert "/nothing is not there, so x is left out" in result.output
    record = json.loads((tmp_path / "found" / "iwslt.json").read_text(encoding="utf8"))
    systems = record["sets"]["test2011"]["systems"]
    assert list(systems) == ["floor", "two-stage", "previous"]
    assert systems["floor"]["punct_micro_f"] == 0
    assert systems["two-stage"] == systems["previous"]
    assert record["sets"]["test2011"]["words"] == 150
    assert all(d["difference"] == 0 for d in record["sets"]["test2011"]["differences"].values())
    result = CliRunner().invoke(app, ["report", str(tmp_path / "found"), str(tmp_path / "page")])
    assert result.exit_code == 0, result.output
    page = (tmp_path / "page" / "RESULTS.md").read_text(encoding="utf8")
    assert "## Punctuation: IWSLT 2011" in page and "(+0 %)" in page
    assert "Nowhere is the previous generation better" in page
    plots = sorted(path.name for path in (tmp_path / "page" / "plots").iterdir())
    assert plots[:2] == ["confusion.svg", "f1_by_mark.svg"] and len(plots) == 5
    kept = json.loads((tmp_path / "page" / "results.json").read_text(encoding="utf8"))
    assert kept["iwslt"]["sets"]["test2011"]["systems"]["floor"]["intervals"]["punct_micro_f"]


def test_missing_data_is_left_out(tmp_path: Path, tiny_path: Path) -> None:
    result = run(tmp_path, tmp_path / "found", "earnings", "--two-stage", str(tiny_path))
    assert "the benchmark is left out" in result.output
    assert not (tmp_path / "found").exists()


def test_entities_on_raw_restored_and_gold_text(tmp_path: Path, tiny_path: Path) -> None:
    (tmp_path / "wikigold").mkdir()
    text = "-DOCSTART- O\n\nWe O\nmet O\nAnna I-PER\nin O\nParis I-LOC\n. O\n\n" * 3
    (tmp_path / "wikigold" / "wikigold.conll.txt").write_text(text, encoding="utf8")
    ner = spacy.blank("en")
    ruler = ner.add_pipe("entity_ruler")
    ruler.add_patterns(  # type: ignore
        [{"label": "PERSON", "pattern": "Anna"}, {"label": "GPE", "pattern": "paris"}]
    )
    ner.to_disk(tmp_path / "ner")
    run(tmp_path, tmp_path, "ner", "--two-stage", str(tiny_path), "--ner", str(tmp_path / "ner"))
    record = json.loads((tmp_path / "ner.json").read_text(encoding="utf8"))
    systems = record["sets"]["wikigold"]["systems"]
    assert systems["gold"]["ents_per_type"]["PER"]["f"] == 1.0
    assert systems["raw"]["ents_per_type"]["LOC"]["f"] == 1.0
    assert systems["raw"]["ents_p"] == 1.0 and systems["raw"]["ents_r"] == 0.5
    assert "ents_recovery" in systems["two-stage"]


def test_a_worse_score_is_told() -> None:
    scores = {"punct_micro_f": 0.5, "per_nemo": 0.4}
    better = {"punct_micro_f": 0.6, "per_nemo": 0.3}
    difference = {"difference": -0.1, "low": -0.2, "high": -0.05, "better": 0.0}
    error = {"difference": 0.1, "low": 0.05, "high": 0.2, "better": 0.0}
    record = {
        "command": "spacy project run benchmark-dev",
        "date": "2026-01-01",
        "versions": {},
        "machine": "",
        "sets": {
            "talks": {
                "words": 10,
                "documents": 1,
                "systems": {"two-stage": scores, "previous": better},
                "differences": {"punct_micro_f": difference, "per_nemo": error},
            }
        },
    }
    page = make_page({"iwslt": record})
    assert "* iwslt, talks: micro F1 60.0 → 50.0" in page
    assert "* iwslt, talks: PER (nemo) 30.0 → 40.0" in page


def test_scores_by_key() -> None:
    scores = {"punct_per_mark": {",": {"f": 0.25}}, "wer": None}
    assert percent(look_up(scores, "punct_per_mark/,/f")) == "25.0"
    assert percent(look_up(scores, "wer")) == percent(look_up(scores, "none/x")) == "–"
