import json
from pathlib import Path
from typing import Any, List

from typer.testing import CliRunner

from spacy_punctcase.cli import app


def preference(*args: Any) -> Any:
    return CliRunner().invoke(app, ["preference", *map(str, args)])


def write_votes(path: Path, choices: List[str], **changes: Any) -> Path:
    data = {
        "study": "s",
        "names": {"a": "Old", "b": "New"},
        "rater": path.stem,
        "votes": [{"item": item, "choice": choice} for item, choice in enumerate(choices)],
    }
    path.write_text(json.dumps({**data, **changes}), "utf8")
    return path


def test_make(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("".join(f"item {n}\n" for n in range(60)), "utf8")
    (tmp_path / "b.txt").write_text("".join(f"Item {n}.\n" for n in range(60)), "utf8")
    output = tmp_path / "study.html"
    args = ("make", tmp_path / "a.txt", tmp_path / "b.txt", "-o", output)
    result = preference(*args)
    assert (result.exit_code, result.output) == (0, "")
    page = output.read_text("utf8")
    assert page.count('"left"') - page.count('["left"') >= 50
    assert page.count('"gold": null') == 50
    preference(*args, "--limit", 0, "--gold", tmp_path / "b.txt", "--names", "Raw,Restored")
    page = output.read_text("utf8")
    assert page.count('"gold": "Item') == 60
    assert '["Raw", "Restored"]' in page
    preference(*args, "--limit", 3, "--seed", 5)
    assert output.read_text("utf8").count('"gold": null') == 3


def test_nothing_to_prefer(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Hi Uyen.\n", "utf8")
    result = preference("make", tmp_path / "a.txt", tmp_path / "a.txt", "-o", tmp_path / "s.html")
    assert result.exit_code == 1
    assert "there is nothing to prefer" in result.stderr
    assert not (tmp_path / "s.html").exists()


def test_score(tmp_path: Path) -> None:
    ann = write_votes(tmp_path / "ann.json", ["b", "b", "b", "a", "tie"])
    bob = write_votes(tmp_path / "bob.json", ["b", "b", "b", "b"])
    scores = tmp_path / "scores.json"
    result = preference("score", ann, bob, "-o", scores)
    assert result.exit_code == 0
    assert "share of New, without ties" in result.stdout and "87.5% [52.9%, " in result.stdout
    assert "raters agree" in result.stdout and "75.0%" in result.stdout
    found = json.loads(scores.read_text("utf8"))
    assert (found["wins_a"], found["wins_b"], found["ties"], found["raters"]) == (1, 7, 1, 2)


def test_score_of_one_rater_without_votes(tmp_path: Path) -> None:
    result = preference("score", write_votes(tmp_path / "ann.json", []))
    assert result.exit_code == 0
    assert "agree" not in result.stdout


def test_votes_that_are_wrong(tmp_path: Path) -> None:
    bad = write_votes(tmp_path / "bad.json", ["c"])
    result = preference("score", bad)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {bad}: 'choice' of vote 1 must be")
    assert len(result.stderr.splitlines()) == 1
    ann = write_votes(tmp_path / "ann.json", ["a"])
    other = write_votes(tmp_path / "other.json", ["a"], study="t")
    result = preference("score", ann, other)
    assert result.exit_code == 1
    assert "other.json: has votes on study t" in result.stderr
