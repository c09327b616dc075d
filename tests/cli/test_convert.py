"""The command `punctcase convert`."""

import subprocess
import sys
from pathlib import Path
from typing import Any, List

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from spacy.training import Corpus
from typer.testing import CliRunner

from spacy_punctcase.cli import app
from spacy_punctcase.gold.align import GOLD

ASSETS = Path(__file__).parents[2] / "assets"
DEV = ASSETS / "text" / "dev.txt"


def convert(*args: Any) -> Any:
    return CliRunner().invoke(app, ["convert", *map(str, args)])


def read(path: Path) -> List[Doc]:
    return list(DocBin().from_disk(path).get_docs(spacy.blank("en").vocab))


def test_text(tmp_path: Path) -> None:
    out = tmp_path / "dev.spacy"
    result = convert(DEV, out)
    assert result.exit_code == 0, result.stderr
    docs = read(out)
    assert result.stdout == f"{out}: {len(docs)} docs, {sum(map(len, docs))} words\n"
    assert docs[0].text.startswith("thanks for calling brightwater this is hannah how")
    assert docs[0].user_data[GOLD].startswith("Thanks for calling Brightwater, this is Hannah. How")
    # The reader of spaCy takes it, and it says nothing about entities.
    examples = list(Corpus(out)(spacy.blank("en")))
    assert len(examples) == len(docs)
    assert not examples[0].reference.has_annotation("ENT_IOB")


def test_length_limit_and_seed(tmp_path: Path) -> None:
    out = tmp_path / "dev.spacy"
    texts = []
    for seed in (0, 0, 1):
        args = ("--min-words", 5, "--max-words", 9, "--limit", 7, "--seed", seed)
        assert convert(DEV, out, *args).exit_code == 0
        docs = read(out)
        assert len(docs) == 7
        assert max(map(len, docs)) <= 9
        texts.append([doc.text for doc in docs])
    assert texts[0] == texts[1] != texts[2]


def test_weights(tmp_path: Path) -> None:
    out = tmp_path / "both.spacy"
    for name in ("a", "b"):
        (tmp_path / f"{name}.txt").write_text(f"This is {name}, and nothing else. " * 20 + "\n")
    result = convert(tmp_path, out, "--weight", "a=1", "--weight", "b=0")
    assert result.exit_code == 0, result.stderr
    assert all("this is a" in doc.text and "this is b" not in doc.text for doc in read(out))
    result = convert(tmp_path, out, "--weight", "c=1")
    assert result.exit_code == 1
    assert "'c'" in result.stderr and "Available: a, b" in result.stderr
    for wrong in ("a", "a=x", "=1", "a=-1"):
        assert convert(tmp_path, out, "--weight", wrong).exit_code == 2


def test_jsonl_by_its_suffix(tmp_path: Path) -> None:
    out = tmp_path / "ner.spacy"
    assert convert(ASSETS / "ner" / "train.jsonl", ASSETS / "ner" / "dev.jsonl", out).exit_code == 0
    docs = read(out)
    assert len(docs) == 165 + 52
    assert [(ent.text, ent.label_) for ent in docs[0].ents] == [
        ("mexico", "GPE"),
        ("chicago", "GPE"),
    ]


def test_labels(tmp_path: Path) -> None:
    labels, out = tmp_path / "test2011", tmp_path / "test.spacy"
    labels.write_text("i\tO\n'm\tO\nhere\tCOMMA\nright\tQUESTION\n")
    assert convert(labels, out, "--format", "labels").exit_code == 0
    assert [doc.user_data[GOLD] for doc in read(out)] == ["i'm here, right?"]


def test_vicappunc_there_and_back(tmp_path: Path) -> None:
    columns, out = tmp_path / "dev.tsv", tmp_path / "dev.spacy"
    result = convert(DEV, columns)
    assert result.exit_code == 0, result.stderr
    lines = columns.read_text(encoding="utf8").splitlines()
    assert lines[:4] == ["thanks\t1\tO", "for\t0\tO", "calling\t0\tO", "brightwater\t1\t,"]
    number = lines.count("")
    assert result.stdout == f"{columns}: {number} segments, {len(lines) - number} words\n"
    assert convert(columns, out, "--format", "vicappunc").exit_code == 0
    docs = read(out)
    assert len(docs) == number
    assert docs[0].user_data[GOLD].startswith("Thanks for calling Brightwater, this is Hannah. How")
    assert max(map(len, docs)) > 60
    assert convert(DEV, columns, "--max-words", 30, "--limit", 3).exit_code == 0
    assert columns.read_text(encoding="utf8").count("\n\n") == 3
    assert convert(columns, out, "--format", "vicappunc").exit_code == 0
    assert max(map(len, read(out))) <= 30


def test_vicappunc_split(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "split"
    result = convert(ASSETS / "text" / "train.txt", folder, "--split")
    assert result.exit_code == 0, result.stderr
    names = ["train.tsv", "dev.tsv", "test.tsv"]
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)
    assert [line.split(":")[0] for line in result.stdout.splitlines()] == [
        str(folder / name) for name in names
    ]
    texts = [(folder / name).read_text(encoding="utf8") for name in names]
    assert convert(ASSETS / "text" / "train.txt", folder, "--split", "--seed", 1).exit_code == 0
    assert [(folder / name).read_text(encoding="utf8") for name in names] != texts


def test_malformed_line_leaves_no_output(tmp_path: Path) -> None:
    labels, out = tmp_path / "labels.tsv", tmp_path / "test.spacy"
    labels.write_text("i\tO\n\nam\tO\there\n")
    result = convert(labels, out, "--format", "labels")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {labels}, line 3: expected one word, a tab and ")
    assert len(result.stderr.splitlines()) == 1
    assert not out.exists()


@pytest.mark.parametrize(
    "args, code, expected",
    [
        (["{dev}", "{tmp}/other.txt"], 1, "must end in .spacy, or in .tsv"),
        (["{assets}/ner/dev.jsonl", "{tmp}/x.tsv"], 1, "only plain text is turned into"),
        (["{dev}", "{tmp}/x.tsv", "--format", "labels"], 1, "only plain text is turned into"),
        (["{dev}", "{tmp}/x.tsv", "--weight", "a=1"], 2, "--weight is not for .tsv"),
        (["{dev}", "{tmp}/x", "--split", "--limit", "1"], 2, "--limit is not for --split"),
        (["{tmp}/empty.txt", "{tmp}/x.tsv"], 1, "has a sentence of at most 150 words that ends"),
        (["{dev}", "{assets}/ner/dev.jsonl", "{tmp}/x.spacy"], 1, "Convert each kind on its own"),
        (["{tmp}/none.txt", "{tmp}/x.spacy"], 1, "No text file found in {tmp}/none.txt"),
        (["{tmp}/none.jsonl", "{tmp}/x.spacy"], 1, "{tmp}/none.jsonl: cannot be read"),
        (["{tmp}/empty.txt", "{tmp}/x.spacy"], 1, "Nothing to convert in {tmp}/empty.txt"),
        (["{dev}", "{tmp}/x.spacy", "--lang", "zzz"], 1, "zzz"),
        (["{dev}", "{tmp}/x.spacy", "--max-words", "9"], 2, "--max-words"),
        (["{dev}", "{tmp}/x.spacy", "--format", "labels", "--weight", "a=1"], 2, "--weight"),
    ],
)
def test_errors(args: List[str], code: int, expected: str, tmp_path: Path) -> None:
    names = {"dev": DEV, "assets": ASSETS, "tmp": tmp_path}
    (tmp_path / "empty.txt").write_text("\n")
    result = convert(*(arg.format(**names) for arg in args))
    assert result.exit_code == code
    assert isinstance(result.exception, SystemExit)
    assert expected.format(**names) in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["empty.txt"]


def test_process(tmp_path: Path) -> None:
    out = tmp_path / "dev.spacy"
    command = [sys.executable, "-m", "spacy_punctcase", "convert", str(DEV), str(out)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.startswith(f"{out}: ") and result.stderr == ""
    assert read(out)


def test_a_language_whose_tokenizer_needs_another_package(tmp_path: Path) -> None:
    text, out = tmp_path / "text.txt", tmp_path / "dev.spacy"
    text.write_text("Xin chào Uyên, bạn có khoẻ không?\n" * 30, encoding="utf8")
    result = convert(text, out, "--lang", "vi", "--limit", 1)
    assert result.exit_code == 0, result.stderr
    assert read(out)[0].text.startswith("xin chào uyên bạn có khoẻ không")
