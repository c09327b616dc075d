"""The speed benchmark on a few words, with tiny networks."""

import functools
import json
import sys
from pathlib import Path
from typing import Any, Dict

import pytest
from conftest import ASSETS
from spacy.language import Language
from typer.testing import CliRunner

for package in ("matplotlib", "truecase", "punctuators", "onnx", "deepmultilingualpunctuation"):
    pytest.importorskip(package)
from benchmarks.__main__ import app  # noqa: E402
from benchmarks.data import strip  # noqa: E402
from benchmarks.speed import (  # noqa: E402
    DEEP_MULTILINGUAL,
    PCS_EN,
    TRUECASE,
    Shape,
    make_deep_multilingual,
    make_pcs_en,
    measure_speed,
    time_pipeline,
)

TINY = Shape(layers=1, width=32, heads=2, inner=64, vocabulary=1000, subwords=400)
TINY_PEERS: Dict[str, Any] = {"pcs_en": TINY, "xlm_r": TINY}


@pytest.fixture(scope="module")
def words() -> list:
    text = (ASSETS / "text" / "test.txt").read_text(encoding="utf8")
    return strip(text).split()[:700]


def letters(text: str) -> str:
    """The words without marks, case and white space: at random those may come within a word."""
    return "".join(char for char in text.lower() if char.isalnum())


@pytest.fixture(scope="module")
def found(words: list, tiny_path: Path) -> dict:
    text = " ".join(words)
    return measure_speed(text, str(tiny_path), "ours", threads=1, repeats=2, **TINY_PEERS)


def test_all_systems_are_timed(found: dict) -> None:
    assert found["left_out"] == {} and found["words"] == 700 and found["threads"] == 1
    systems = found["systems"]
    assert list(systems)[:2] == ["ours, one Doc", "ours, paragraphs"]
    assert list(systems)[-3:] == [PCS_EN, DEEP_MULTILINGUAL, TRUECASE]
    for name, system in systems.items():
        assert len(system["seconds"]) == 2, name
        assert system["words_per_second"] == system["words"] / min(system["seconds"]) > 0
    assert systems["ours, paragraphs"]["documents"] == 4
    assert systems["ours, paragraphs"]["words"] == 700
    assert systems[DEEP_MULTILINGUAL]["words"] == 455
    assert systems[PCS_EN]["packages"]["punctuators"] == "0.0.7"
    assert found["pipeline"]["size_mb"] > 0 and len(found["pipeline"]["load_seconds"]) == 2


def test_stages_make_up_the_time(found: dict) -> None:
    for name in ("ours, one Doc", "ours, paragraphs"):
        system = found["systems"][name]
        assert list(system["stages"]) == [
            "tokenise",
            "punctuator predict",
            "punctuator rewrite",
            "truecaser predict",
            "truecaser rewrite",
        ]
        total = sum(stage["seconds"] for stage in system["stages"].values())
        assert 0.6 * min(system["seconds"]) < total <= min(system["seconds"])
        shares = sum(stage["share"] for stage in system["stages"].values())
        assert shares == pytest.approx(total / min(system["seconds"]))


def test_pipeline_is_as_before(tiny_nlp: Language, words: list) -> None:
    text = " ".join(words[:50])
    expected = tiny_nlp(text).text
    time_pipeline(tiny_nlp, [text], repeats=1)
    assert tiny_nlp(text).text == expected
    for owner in (tiny_nlp, *(pipe for _, pipe in tiny_nlp.pipeline)):
        assert not {"make_doc", "predict", "_rewrite"} & set(vars(owner))


def test_peers_keep_the_words(words: list, tmp_path: Path) -> None:
    text = " ".join(words)
    peer = make_pcs_en(words, TINY, threads=1, folder=tmp_path)
    restored = peer.restore(text)
    assert letters(restored) == letters(text)
    marks = sum(restored.count(mark) - text.count(mark) for mark in ".,?")
    assert len(words) / 12 < marks < len(words) / 5
    assert any(char.isupper() for char in restored)
    assert peer.about["subwords_per_word"] >= 1
    peer = make_deep_multilingual(words, words, TINY)
    assert letters(peer.restore(text)) == letters(text)


def test_from_the_command_line_to_the_page(
    benchmark_data: Path, tiny_path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = functools.partial(measure_speed, **TINY_PEERS)
    monkeypatch.setattr("benchmarks.run.measure_speed", tiny)
    # As if the package were not there.
    monkeypatch.setitem(sys.modules, "deepmultilingualpunctuation", None)
    arguments = ["run", "speed", "-o", str(tmp_path / "found" / "speed.json")]
    for option, folder in (("--data", "x"), ("--dev", "dev"), ("--train", "x")):
        arguments += [option, str(benchmark_data / folder)]
    arguments += ["--two-stage", str(tiny_path), "--words", "150", "--threads", "1"]
    result = CliRunner().invoke(app, [*arguments, "--repeats", "1"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    record = json.loads((tmp_path / "found" / "speed.json").read_text(encoding="utf8"))
    found = record["sets"]["changelog"]
    assert (found["words"], found["threads"], found["repeats"]) == (150, 1, 1)
    assert list(found["left_out"]) == [DEEP_MULTILINGUAL]
    result = CliRunner().invoke(app, ["report", str(tmp_path / "found"), str(tmp_path / "page")])
    assert result.exit_code == 0, result.output
    page = (tmp_path / "page" / "RESULTS.md").read_text(encoding="utf8")
    assert "## Speed" in page and "| truecaser predict |" in page
    assert f"`{DEEP_MULTILINGUAL}` is left out: " in page
    (row,) = [line for line in page.splitlines() if line.startswith(f"| {PCS_EN} |")]
    assert row.endswith("| 1.0 |")


def test_without_source_text_it_is_left_out(tmp_path: Path, tiny_path: Path) -> None:
    arguments = ["run", "speed", "-o", str(tmp_path / "speed.json")]
    for option in ("--data", "--dev", "--train"):
        arguments += [option, str(tmp_path)]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0 and "the benchmark is left out" in result.output
    assert not (tmp_path / "speed.json").exists()
