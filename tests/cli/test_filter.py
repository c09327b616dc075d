"""The command `punctcase filter`."""

import json
import lzma
import random
from pathlib import Path
from typing import Any, List

import pytest
from typer.testing import CliRunner

from spacy_punctcase.cli import app
from spacy_punctcase.gold.readers import read_documents

ASSETS = Path(__file__).parents[2] / "assets" / "text"
SHOUTED = ["WE GO THERE NOW AND IT IS ALL VERY LOUD AND WILD", "so it is not good at all"] * 4


def run(*args: Any) -> Any:
    return CliRunner().invoke(app, ["filter", *map(str, args)])


def clean(count: int, seed: int) -> List[str]:
    rng = random.Random(seed)
    lines = [line for line in (ASSETS / "train.txt").read_text("utf8").splitlines() if line]
    return [rng.choice(lines) for _ in range(count)]


@pytest.fixture
def target(tmp_path: Path) -> Path:
    path = tmp_path / "target.txt"
    path.write_text("\n".join(clean(600, 0)), encoding="utf8")
    return path


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """A document whose middle is noise."""
    path = tmp_path / "mixed.txt"
    lines = [*clean(40, 1), *SHOUTED * 3, *clean(40, 2)]
    path.write_text("\n".join([*lines, "", *clean(40, 3)]), encoding="utf8")
    return path


def test_filter(tmp_path: Path, target: Path, mixed: Path) -> None:
    kept, removed = tmp_path / "kept.txt.xz", tmp_path / "removed.txt"
    report, plot = tmp_path / "report.json", tmp_path / "plot.svg"
    args = ["--target", target, "-o", kept, "--removed", removed, "--window", 50]
    result = run(mixed, *args, "--report", report, "--plot", plot, "--threshold", 15)
    assert result.exit_code == 0, result.stderr
    (before, last), (taken,) = read_documents(mixed), read_documents(removed)
    assert set(SHOUTED) <= set(taken)
    # The document is cut where a part of it was taken out, and nothing else is lost.
    first, second, third = read_documents(kept)
    assert first + taken + second == before and third == last
    assert len(first) > 30 and len(second) > 30
    result_of = json.loads(report.read_text())
    counts = result_of["files"][str(mixed)]
    assert counts["words_removed"] == len(removed.read_text().split())
    assert counts["words_kept"] == len(lzma.decompress(kept.read_bytes()).split())
    assert (
        sum(reason["windows"] for reason in result_of["reasons"].values())
        == (counts["windows_removed"])
    )
    assert "SHOUT" in str(result_of["reasons"]) or "LOUD" in str(result_of["reasons"])
    for values in (result_of["target"]["quantiles"], result_of["distributions"]["after"]):
        assert len(values["commas"]) == 21
    assert plot.read_bytes().startswith(b"<?xml")
    assert "mixed.txt" in result.stdout and "Threshold" in result.stdout


def test_clean_text_stays(tmp_path: Path, target: Path) -> None:
    kept = tmp_path / "kept.txt"
    result = run(target, "--target", target, "-o", kept, "--keep-target", 1)
    assert result.exit_code == 0, result.stderr
    assert kept.read_text("utf8").splitlines() == target.read_text("utf8").splitlines()
    assert "nothing removed" in result.stdout


def test_threshold_and_stdout(target: Path, mixed: Path) -> None:
    result = run(mixed, "--target", target, "-o", "-", "--threshold", 1000)
    assert result.exit_code == 0
    assert result.stdout == mixed.read_text("utf8") + "\n"
    assert "mixed.txt" in result.stderr
    nothing = run(mixed, "--target", target, "-o", "-", "--threshold", 1e-9)
    assert (nothing.exit_code, nothing.stdout) == (0, "")


def test_several_files_are_kept_apart(tmp_path: Path, target: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text("Here it is.", encoding="utf8")
    result = run(
        *(tmp_path / "a.txt", tmp_path / "b.txt"),
        *("--target", target, "-o", "-", "--threshold", 1000),
    )
    assert result.stdout == "Here it is.\n\nHere it is.\n"


@pytest.mark.parametrize(
    "args, message",
    [
        (["--threshold", 0], "must be more than 0, but is 0"),
        (["--threshold", "nan"], "must be more than 0, but is nan"),
        (["--keep-target", 0], "at most 1, but is 0"),
        (["--keep-target", 1.5], "at most 1, but is 1.5"),
        (["--keep-target", 0.9, "--threshold", 3], "exclude each other"),
        (["--plot", "plot.pdf"], "a figure's suffix"),
        (["--removed", "removed.gz"], "must end|end in .txt"),
        (["--window", 1000], "too few to compare"),
    ],
)
def test_errors_leave_nothing(
    tmp_path: Path, target: Path, mixed: Path, args: List[Any], message: str
) -> None:
    args = [tmp_path / arg if str(arg).startswith(("plot.", "removed.")) else arg for arg in args]
    before = sorted(tmp_path.iterdir())
    result = run(mixed, "--target", target, "-o", tmp_path / "kept.txt", *args)
    assert result.exit_code != 0
    assert any(part in " ".join(result.stderr.split()) for part in message.split("|"))
    assert sorted(tmp_path.iterdir()) == before


def test_no_text(tmp_path: Path, target: Path) -> None:
    empty = tmp_path / "empty.txt"
    empty.write_text("\n \n")
    kept = tmp_path / "kept.txt"
    result = run(empty, "--target", target, "-o", kept)
    assert result.exit_code == 1 and "there is no text" in result.stderr
    result = run(target, "--target", empty, "-o", kept)
    assert result.exit_code == 1 and "The target has 0 windows" in result.stderr
    result = run(target, "--target", tmp_path / "missing.txt", "-o", kept)
    assert result.exit_code == 1 and "No text file found" in result.stderr
    assert not kept.exists()
