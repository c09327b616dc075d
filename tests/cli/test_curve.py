"""The command `punctcase curve`, also on logs that `spacy train` writes."""

import json
from pathlib import Path
from typing import Any, Dict, List

import pytest
from conftest import ASSETS, ROOT
from spacy.cli.init_config import fill_config
from spacy.cli.train import train
from typer.testing import CliRunner

from spacy_punctcase.cli import app
from spacy_punctcase.report.curve import read_log

TEXTS = ASSETS / "text"


def curve(*args: Any) -> Any:
    return CliRunner().invoke(app, ["curve", *map(str, args)])


def write_log(path: Path, scores: List[float]) -> Path:
    lines = (
        {
            "epoch": 0,
            "step": 50 * index,
            "losses": {"ner": 10.0},
            "scores": {"ents_f": 100 * score},
            "score": score,
        }
        for index, score in enumerate(scores)
    )
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf8")
    return path


def cells(printed: str) -> List[List[str]]:
    """The rows of the printed tables."""
    rows = map(str.split, printed.splitlines())
    return [row for row in rows if row and row[0].replace(",", "").isdigit()]


def test_table_and_plot(tmp_path: Path) -> None:
    logs = [write_log(tmp_path / "a.jsonl", [0.1, 0.7, 0.5]), write_log(tmp_path / "b.jsonl", [0])]
    result = curve(*logs, "-o", tmp_path / "curve.svg")
    assert result.exit_code == 0, result.stderr
    assert cells(result.stdout) == [
        ["0", "10", "10.0", "0.100"],
        ["50", "0.2", "70.0", "0.700", "*"],
        ["100", "0.2", "50.0", "0.500"],
        ["0", "10", "0.0", "0.000", "*"],
    ]
    assert "ents_f" in result.stdout and result.stdout.startswith("a ")
    assert (tmp_path / "curve.svg").read_bytes().startswith(b"<?xml")


def test_words(tmp_path: Path) -> None:
    logs = [write_log(tmp_path / f"{name}.jsonl", [0.1, 0.7]) for name in "ab"]
    words = [row[0] for row in cells(curve(*logs, "--words-per-step", 100).stdout)]
    assert words == ["100", "5,100", "100", "5,100"]
    result = curve(*logs, "--words-per-step", 100, "--words-per-step", 10)
    assert [row[0] for row in cells(result.stdout)] == ["100", "5,100", "10", "510"]
    result = curve(*logs, *["--words-per-step", 100] * 3)
    assert result.exit_code != 0 and "given 3 times for 2 logs" in result.stderr


def test_logs_of_the_same_name(tmp_path: Path) -> None:
    logs = [write_log(tmp_path / name / "a.jsonl", [0.1]) for name in ("x", "y")]
    printed = curve(*logs).stdout.replace("\n", "")
    assert "x/a.jsonl" in printed and "y/a.jsonl" in printed
    result = curve(logs[0], logs[0])
    assert result.exit_code != 0 and "given twice" in result.stderr


def test_errors_leave_nothing(tmp_path: Path) -> None:
    good = write_log(tmp_path / "good.jsonl", [0.1])
    bad = tmp_path / "bad.jsonl"
    bad.write_text(good.read_text("utf8") + '{"epoch": 0,', "utf8")
    plot = tmp_path / "curve.png"
    result = curve(good, bad, "-o", plot)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.startswith(f"Error: {bad}, line 2: expected an evaluation")
    assert len(result.stderr.splitlines()) == 1
    result = curve(good, "-o", tmp_path / "curve.pdf")
    assert result.exit_code == 1 and "a figure's suffix" in result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.jsonl", "good.jsonl"]


def test_set_aside(tmp_path: Path) -> None:
    log = write_log(tmp_path / "a.jsonl", [0.1])
    result = curve(log, tmp_path / "none.jsonl", "--set-aside")
    assert result.exit_code == 0
    assert (
        result.stdout == f"{log}: {tmp_path / 'a.1.jsonl'}\n{tmp_path / 'none.jsonl'}: not there\n"
    )
    assert [path.name for path in tmp_path.iterdir()] == ["a.1.jsonl"]


def test_training_writes_a_log(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """With the logger of the configs, which does not write over a log that is there."""
    config, dev = tmp_path / "full.cfg", tmp_path / "dev.spacy"
    log = tmp_path / "logs" / "punctuator.jsonl"
    fill_config(config, ROOT / "configs" / "punctuator_small.cfg")
    convert = ["convert", TEXTS / "dev.txt", dev, "--limit", 2]
    assert CliRunner().invoke(app, list(map(str, convert))).exit_code == 0

    def train_two_steps(**paths: Path) -> str:
        paths = {"train": TEXTS / "train.txt", "dev": dev, **paths}
        overrides: Dict[str, Any] = {f"paths.{key}": str(path) for key, path in paths.items()}
        overrides.update({"training.max_steps": 2, "training.eval_frequency": 1})
        train(config, tmp_path / "model", overrides=overrides)
        return capfd.readouterr().out

    train_two_steps()
    assert not log.parent.exists()
    assert "Saving results to" in train_two_steps(log=log)
    assert [evaluation.step for evaluation in read_log(log)] == [0, 1, 2]
    before = log.read_text("utf8")
    assert "Saving logs is disabled" in train_two_steps(log=log)
    assert log.read_text("utf8") == before
    result = curve(log)
    assert result.exit_code == 0 and "punct_micro_f" in result.stdout
    trained = (tmp_path / "model" / "model-last" / "config.cfg").read_text("utf8")
    assert str(tmp_path) not in trained
