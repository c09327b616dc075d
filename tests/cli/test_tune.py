"""The command `punctcase tune`."""

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
    return CliRunner().invoke(app, ["tune", *map(str, args)])


@pytest.fixture(scope="module")
def dev(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("dev") / "dev.spacy"
    args = ["convert", str(DEV), str(path), "--min-words", "12", "--max-words", "40"]
    result = CliRunner().invoke(app, args)
    assert result.exit_code == 0, result.output
    return path


def settings_in(output: str) -> Config:
    """The lines to copy, behind the tables."""
    return Config().from_str("[components]\n\n" + output[output.index("[components.") :])


def test_tune_and_save(tmp_path: Path, tiny_path: Path, dev: Path) -> None:
    out = tmp_path / "tuned"
    command = [sys.executable, "-m", "spacy_punctcase", "tune", tiny_path, dev, "--output", out]
    result = subprocess.run(list(map(str, command)), capture_output=True, encoding="utf8")
    assert result.returncode == 0, result.stderr
    for name in ("marks, micro", "case, mixed", "truecaser.inner_threshold"):
        assert name in result.stdout
    components = settings_in(result.stdout)["components"]
    assert components["punctuator"]["mark_bias"]
    assert 0.5 <= components["truecaser"]["inner_threshold"] <= 0.95
    tuned, plain = spacy.load(out), spacy.load(tiny_path)
    bias = dict(components["punctuator"]["mark_bias"])
    assert tuned.get_pipe("punctuator").mark_bias == bias  # type: ignore
    for setting, value in components["truecaser"].items():
        assert getattr(tuned.get_pipe("truecaser"), setting) == value
    # The lines do the same in a config, and there is nothing of the text in the pipeline.
    config = {
        f"components.{name}.{setting}": value
        for name, values in components.items()
        for setting, value in values.items()
    }
    copied = spacy.load(tiny_path, config=config)
    lines = [line.lower() for line in DEV.read_text("utf8").splitlines() if line]
    restored = [tuned(line).text for line in lines]
    assert restored == [copied(line).text for line in lines]
    assert restored != [plain(line).text for line in lines]
    strings = "vocab/strings.json"
    assert (out / strings).read_bytes() == (tiny_path / strings).read_bytes()
    assert list(tmp_path.iterdir()) == [out]


def test_settings_only(tmp_path: Path, tiny_path: Path, dev: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(tiny_path, dev, "--metric", "macro")
    assert result.exit_code == 0, result.output
    assert settings_in(result.stdout)["components"]["punctuator"]["mark_bias"]
    assert not list(tmp_path.iterdir())


def test_one_component(tmp_path: Path, tiny_path: Path, dev: Path) -> None:
    nlp = spacy.load(tiny_path, exclude=["truecaser"])
    nlp.to_disk(tmp_path / "marks")
    result = run(tmp_path / "marks", dev)
    assert result.exit_code == 0, result.output
    assert "case," not in result.stdout
    assert list(settings_in(result.stdout)["components"]) == ["punctuator"]


def test_a_folder_that_is_there(tmp_path: Path, tiny_path: Path, dev: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    for options, problem in (
        ([], "out: is there already. Give another name"),
        (["--force"], "is there already and no pipeline"),
    ):
        result = run(tiny_path, dev, "-o", out, *options)
        assert result.exit_code == 1
        assert problem in result.stderr
    spacy.blank("en").to_disk(out)
    (out / "old").touch()
    assert run(tiny_path, dev, "-o", out).exit_code == 1
    assert (out / "old").exists()
    # On an error it stays as it was, too.
    assert run(tiny_path, tmp_path / "none.spacy", "-o", out, "--force").exit_code == 1
    assert (out / "old").exists() and list(tmp_path.iterdir()) == [out]
    result = run(tiny_path, dev, "-o", out, "--force")
    assert result.exit_code == 0, result.output
    assert spacy.load(out).pipe_names == ["punctuator", "truecaser"]
    assert not (out / "old").exists() and list(tmp_path.iterdir()) == [out]


def test_nothing_to_tune(tmp_path: Path, dev: Path) -> None:
    nlp = spacy.blank("en")
    nlp.to_disk(tmp_path / "blank")
    result = run(tmp_path / "blank", dev)
    assert result.exit_code == 1
    assert "no component that restores text (its components: none)" in result.stderr
    nlp.add_pipe("casing_ruler")
    nlp.to_disk(tmp_path / "ruler")
    result = run(tmp_path / "ruler", dev)
    assert result.exit_code == 1
    assert "no component to tune (its components: casing_ruler)" in result.stderr


def test_no_gold_text(tmp_path: Path, tiny_path: Path) -> None:
    docs = DocBin(docs=[Doc(spacy.blank("en").vocab, words=["hi", "you"])])
    docs.to_disk(tmp_path / "raw.spacy")
    DocBin().to_disk(tmp_path / "empty.spacy")
    (tmp_path / "text.spacy").write_text("Hi, you.", encoding="utf8")
    for name, problem in (
        ("raw", "its gold text has neither a mark nor a capital"),
        ("empty", "its gold text has neither a mark nor a capital"),
        ("text", "cannot be read"),
        ("missing", "No such file"),
    ):
        result = run(tiny_path, tmp_path / f"{name}.spacy", "-o", tmp_path / "out")
        assert result.exit_code == 1
        assert f"{name}.spacy" in result.stderr and problem in result.stderr
    assert not (tmp_path / "out").exists()
