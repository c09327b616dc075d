"""Marks and case in one network or two: tables of what was trained."""

import json
import shutil
from pathlib import Path

import pytest

for package in ("matplotlib", "truecase", "true_case", "sacremoses"):
    pytest.importorskip(package)
import typer  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

from benchmarks.joint import main, make_page  # noqa: E402

APP = typer.Typer()
APP.command()(main)


def test_what_is_there_is_scored(tiny_path: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("Hi Anna. How are you?\n\nI am in Paris, Anna.\n" * 20, encoding="utf8")
    folder = tmp_path / "trained"
    for name in ("single/model-last", "joint/model-last"):
        shutil.copytree(tiny_path, folder / name)
    talks = tmp_path / "tst.vi"
    talks.write_text("Hi Anna .\nHow are you ?\n", encoding="utf8")
    output = tmp_path / "out" / "joint.json"
    options = ["--talks", str(talks), "-o", str(output), "--bootstrap", "20"]
    arguments = [str(folder), "--text", f"talk={text}", *options]
    result = CliRunner().invoke(APP, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    everything = json.loads(output.read_text(encoding="utf8"))
    assert everything["talks (tst)"]["words"] == 5
    found = everything["talk"]
    assert list(found["systems"]) == ["single-task", "JointCapPunc"]
    same = found["systems"]
    assert same["single-task"] == same["JointCapPunc"]
    assert list(found["differences"]) == ["JointCapPunc"]
    assert all(d["difference"] == 0 for d in found["differences"]["JointCapPunc"].values())
    assert "talk, 21 documents, 200 words:" in result.output
    assert "| JointCapPunc | " in result.output


def test_nothing_trained_is_told(tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_text("Hi Anna.\n", encoding="utf8")
    arguments = [str(tmp_path), "--text", f"a={text}", "-o", str(tmp_path / "o.json")]
    result = CliRunner().invoke(APP, arguments)
    assert result.exit_code == 2
    assert "single/model-last" in result.output.replace("\n", "")


def test_differences_that_count_are_marked() -> None:
    scores = {"case_word_f": 0.5, "intervals": {"case_word_f": [0.4, 0.6]}}
    differences = {"JointCapPunc": {"case_word_f": {"difference": 0.1, "low": 0.05, "high": 0.2}}}
    page = make_page(
        {
            "talk": {
                "documents": 1,
                "words": 2,
                "systems": {"single-task": scores, "JointCapPunc": scores},
                "differences": differences,
            }
        }
    )
    single, joint = page.splitlines()[-2:]
    assert single.endswith("| 50.0 [40.0, 60.0] |")
    assert joint.endswith("| 50.0\\* [40.0, 60.0] |")
