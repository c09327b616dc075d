import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from spacy_punctcase.cli import app


def compare(*args: Any) -> Any:
    return CliRunner().invoke(app, ["compare", *map(str, args)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "raw.txt").write_text("hi uyen\n\nhow are you\n", "utf8")
    (tmp_path / "out.txt").write_text("Hi, Uyen.\n\nHow are you?\n", "utf8")
    (tmp_path / "gold.jsonl").write_text('{"text": "Hi Uyen."}\n{"text": "How are you?"}\n', "utf8")
    return tmp_path


def test_page(folder: Path) -> None:
    output = folder / "page.html"
    result = compare(folder / "raw.txt", folder / "out.txt", "-o", output)
    assert (result.exit_code, result.output) == (0, "")
    page = output.read_text("utf8")
    assert "<title>raw.txt and out.txt</title>" in page
    assert 'title="out.txt: Uyen."' in page


def test_gold_and_names(folder: Path) -> None:
    for name in ("raw", "out"):
        lines = (folder / f"{name}.txt").read_text("utf8").split("\n")
        texts = [json.dumps({"text": line}) for line in lines if line]
        (folder / f"{name}.jsonl").write_text("\n".join(texts), "utf8")
    args = ("--gold", folder / "gold.jsonl", "--names", "Before, After", "--output", "-")
    result = compare(folder / "raw.jsonl", folder / "out.jsonl", *args)
    assert result.exit_code == 0
    assert "<title>Before and After</title>" in result.stdout
    assert 'title="wrong, gold: Hi"' in result.stdout
    assert 'title="right, gold: Uyen."' in result.stdout


def test_files_of_the_same_name(folder: Path) -> None:
    (folder / "other").mkdir()
    other = folder / "other" / "raw.txt"
    other.write_text("Hi Uyen.\n\nHow are you?\n", "utf8")
    result = compare(folder / "raw.txt", other, "-o", "-")
    assert f"<title>{folder / 'raw.txt'} and {other}</title>" in result.stdout


@pytest.mark.parametrize("names", ["Before", "A,B,C", "A,", "A, A"])
def test_names_that_are_not_two(names: str, folder: Path) -> None:
    result = compare(folder / "raw.txt", folder / "out.txt", "-o", "-", "--names", names)
    assert result.exit_code == 2
    assert "two different names" in result.stderr


def test_errors_leave_no_page(folder: Path) -> None:
    output = folder / "page.html"
    for args, expected in (
        ((folder / "raw.txt", folder / "none.txt"), "none.txt"),
        ((folder / "raw.txt", folder / "gold.jsonl"), "has 3 documents, but"),
    ):
        result = compare(*args, "-o", output)
        assert result.exit_code == 1
        assert expected in result.stderr
    assert not output.exists()
