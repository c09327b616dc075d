"""The command `punctcase calibrate`."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import spacy
from conftest import ASSETS
from spacy.tokens import Doc, DocBin
from thinc.api import Config
from typer.testing import CliRunner

from spacy_punctcase.cli import app

DEV = ASSETS / "text" / "dev.txt"


def run(*args: Any) -> Any:
    return CliRunner().invoke(app, ["calibrate", *map(str, args)])


@pytest.fixture(scope="module")
def dev(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("dev") / "dev.spacy"
    args = ["convert", str(DEV), str(path), "--min-words", "12", "--max-words", "40"]
    result = CliRunner().invoke(app, args)
    assert result.exit_code == 0, result.output
    return path


def test_calibrate_and_save(tmp_path: Path, tiny_path: Path, dev: Path) -> None:
    out, plot = tmp_path / "calibrated", tmp_path / "plot.svg"
    command = [sys.executable, "-m", "spacy_punctcase", "calibrate", tiny_path, dev]
    options = ["--output", out, "--plot", plot]
    result = subprocess.run(
        list(map(str, [*command, *options])), capture_output=True, encoding="utf8"
    )
    assert result.returncode == 0, result.stderr
    for name in ("marks", "case", "ECE", "NLL", "truecaser.temperature", "15 bins"):
        assert name in result.stdout
    lines = result.stdout[result.stdout.index("[components.") :]
    components = Config().from_str("[components]\n\n" + lines)["components"]
    assert list(components) == ["punctuator", "truecaser"]
    calibrated, plain = spacy.load(out), spacy.load(tiny_path)
    for name, settings in components.items():
        assert list(settings) == ["temperature"]
        pipe: Any = calibrated.get_pipe(name)
        assert pipe.temperature == settings["temperature"] != 1.0
    for line in DEV.read_text("utf8").splitlines()[:5]:
        docs = calibrated(line.lower()), plain(line.lower())
        assert docs[0].text == docs[1].text
    assert docs[0]._.restoration_score != docs[1]._.restoration_score
    assert "<svg" in plot.read_text("utf8")
    strings = "vocab/strings.json"
    assert (out / strings).read_bytes() == (tiny_path / strings).read_bytes()
    assert sorted(tmp_path.iterdir()) == [out, plot]


def test_nothing_is_written_unless_asked_for(
    tmp_path: Path, tiny_path: Path, dev: Path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(tiny_path, dev)
    assert result.exit_code == 0, result.output
    assert "[components.truecaser]\ntemperature = " in result.stdout
    assert not list(tmp_path.iterdir())


def test_bad_input(tmp_path: Path, tiny_path: Path, dev: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    raw = tmp_path / "raw.spacy"
    DocBin(docs=[Doc(spacy.blank("en").vocab, words=["hi", "you"])]).to_disk(raw)
    for args, problem in (
        ([tiny_path, dev, "-o", out], "out: is there already. Give another name"),
        ([tiny_path, dev, "-o", out, "--force"], "is there already and no pipeline"),
        ([tiny_path, raw], "its gold text has neither a mark nor a capital"),
        ([tiny_path, dev, "--plot", tmp_path / "plot.pdf"], "'.pdf' for a figure's suffix"),
    ):
        result = run(*args)
        assert result.exit_code == 1
        assert problem in result.stderr
    assert not list(out.iterdir()) and sorted(tmp_path.iterdir()) == [out, raw]
