import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from spacy_punctcase.cli import app


def run(*args: str):
    return CliRunner().invoke(app, ["evaluate", *args])


def test_scores_of_two_texts(tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("Hi Uyen, how are you?\nI live in Rome.\n", "utf8")
    (tmp_path / "out.txt").write_text("Hi uyen how are you.\nI live in Rome.\n", "utf8")
    scores = tmp_path / "scores.json"
    result = run(str(tmp_path / "out.txt"), str(tmp_path / "gold.txt"), "-o", str(scores))
    assert result.exit_code == 0
    found = json.loads(scores.read_text("utf8"))
    # Of three gold marks one is right; one of the two that were put is wrong.
    assert found["punct_micro_p"] == 0.5
    assert found["punct_micro_r"] == pytest.approx(1 / 3)
    # Hi, I and Rome of Hi, Uyen, I and Rome.
    assert (found["case_word_p"], found["case_word_r"]) == (1.0, 0.75)
    assert "marks, micro" in result.stdout and "40.0%" in result.stdout


def test_other_words(tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("Hi Uyen.", "utf8")
    (tmp_path / "out.txt").write_text("Hi there.", "utf8")
    result = run(str(tmp_path / "out.txt"), str(tmp_path / "gold.txt"))
    assert result.exit_code == 1
    assert "word 1 is 'there' in the one and 'uyen' in the other" in result.output


def test_nothing_to_score(tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_text("hi there", "utf8")
    result = run(str(tmp_path / "plain.txt"), str(tmp_path / "plain.txt"))
    assert result.exit_code == 0
    assert "-" in result.stdout


def test_missing_file(tmp_path: Path) -> None:
    result = run(str(tmp_path / "none.txt"), str(tmp_path / "none.txt"))
    assert result.exit_code == 1
    assert "none.txt" in result.output
