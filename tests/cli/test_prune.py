"""The command `punctcase prune`."""

from pathlib import Path
from typing import Any

from conftest import ASSETS, make_subword_pipeline
from typer.testing import CliRunner

from spacy_punctcase.cli import app

GERMAN = ASSETS / "text_de"


def prune(*args: Any) -> Any:
    return CliRunner().invoke(app, ["prune", *map(str, args)])


def test_an_encoder_for_two_languages(multilingual_encoder: Path, tmp_path: Path) -> None:
    out = tmp_path / "new"
    texts = (GERMAN, ASSETS / "text" / "dev.txt")
    result = prune(multilingual_encoder, *texts, "-o", out, "--size", 500, "--lines", 40)
    assert result.exit_code == 0, result.stderr
    assert "sub-words" in result.stdout and "500" in result.stdout
    for name in ("text_de", "dev.txt"):
        assert f"words of {name} split as before" in result.stdout
    nlp = make_subword_pipeline(out)
    assert nlp("guten tag").text.lower().startswith("guten")


def test_errors(multilingual_encoder: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("\n")
    result = prune(multilingual_encoder, empty, "-o", tmp_path / "new")
    assert result.exit_code == 1 and "there is no running text" in result.stderr
    result = prune(multilingual_encoder, GERMAN, "-o", tmp_path)
    assert result.exit_code == 1 and "is there already" in result.stderr
    result = prune(tmp_path / "none", GERMAN, "-o", tmp_path / "new")
    assert result.exit_code == 1 and "Cannot load the encoder" in result.stderr
    assert not (tmp_path / "new").exists()
