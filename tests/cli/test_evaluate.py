import json
import lzma
from importlib.metadata import version
from pathlib import Path
from typing import Any, Dict, List

import pytest
import spacy
from spacy.tokens import Doc, DocBin
from typer.testing import CliRunner

from spacy_punctcase.cli import app
from spacy_punctcase.gold.align import GOLD

GOLD_LINES = ["Hi Uyen, how are you?", "I live in Rome."]
FOUND_LINES = ["Hi uyen how are you.", "I live in Rome."]
LABELS = "\n".join(
    f"{word}\t{label}"
    for word, label in [
        ("Hi", "O"),
        ("Uyen", "COMMA"),
        ("how", "O"),
        ("are", "O"),
        ("you", "QUESTION"),
        ("I", "O"),
        ("live", "O"),
        ("in", "O"),
        ("Rome", "PERIOD"),
    ]
)


def run(*args: Any):
    return CliRunner().invoke(app, ["evaluate", *map(str, args)])


def scores_of(path: Path, *args: Any) -> Dict[str, Any]:
    result = run(*args, "-o", path / "scores.json")
    assert result.exit_code == 0, result.output
    return json.loads((path / "scores.json").read_text("utf8"))


def write(path: Path, lines: List[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", "utf8")
    return path


def write_jsonl(path: Path, texts: List[str]) -> Path:
    return write(path, [json.dumps({"text": text}) for text in texts])


def write_docs(path: Path, texts: List[str], golds: List[str]) -> Path:
    nlp = spacy.blank("en")
    docs = DocBin(store_user_data=True)
    for text, gold in zip(texts, golds):
        doc = Doc(nlp.vocab, words=text.split())
        doc.user_data[GOLD] = gold
        docs.add(doc)
    docs.to_disk(path)
    return path


def check(scores: Dict[str, Any], documents: int) -> None:
    assert scores["documents"] == documents
    # Of three gold marks one is right; one of the two that were put is wrong.
    assert scores["punct_micro_p"] == 0.5
    assert scores["punct_micro_r"] == pytest.approx(1 / 3)
    # Hi, I and Rome of Hi, Uyen, I and Rome.
    assert (scores["case_word_p"], scores["case_word_r"]) == (1.0, 0.75)


def test_scores_of_two_texts(tmp_path: Path) -> None:
    gold, found = write(tmp_path / "gold.txt", GOLD_LINES), write(tmp_path / "out.txt", FOUND_LINES)
    result = run(found, gold)
    assert result.exit_code == 0
    for name in ("marks, micro", "40.0%", "case, acronym", "PER (NeMo)", "gold \\ predicted"):
        assert name in result.stdout
    assert "gold words" not in result.stdout
    scores = scores_of(tmp_path, found, gold)
    check(scores, 2)
    assert scores["match"] == 0.5
    assert scores["inputs"] == {"predicted": str(found), "gold": str(gold), "baseline": None}
    assert scores["version"] == version("spacy-punctcase")
    assert "intervals" not in scores


def test_empty_lines_are_skipped(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.txt", [GOLD_LINES[0], "", GOLD_LINES[1], " "])
    found = write(tmp_path / "out.txt", [FOUND_LINES[0], "", FOUND_LINES[1], ""])
    check(scores_of(tmp_path, found, gold), 2)


def test_texts_with_other_line_breaks_are_one_document(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.txt", GOLD_LINES)
    check(scores_of(tmp_path, write(tmp_path / "out.txt", [" ".join(FOUND_LINES)]), gold), 1)


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.xz"])
def test_json_lines(tmp_path: Path, suffix: str) -> None:
    gold = write_jsonl(tmp_path / f"gold{suffix}", GOLD_LINES)
    found = write_jsonl(tmp_path / f"out{suffix}", FOUND_LINES)
    if suffix.endswith(".xz"):
        for path in (gold, found):
            path.write_bytes(lzma.compress(path.read_bytes()))
    check(scores_of(tmp_path, found, gold), 2)
    # Documents of another file are paired with lines of text.
    check(scores_of(tmp_path, write(tmp_path / "out.txt", FOUND_LINES), gold), 2)


def test_spacy_files(tmp_path: Path) -> None:
    gold = write_docs(tmp_path / "gold.spacy", ["hi uyen", "I live"], GOLD_LINES)
    found = write_docs(tmp_path / "out.spacy", FOUND_LINES, ["no gold text of", "the prediction"])
    check(scores_of(tmp_path, found, gold), 2)


def test_word_labels(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.txt", [LABELS])
    check(scores_of(tmp_path, write(tmp_path / "out.txt", FOUND_LINES), gold), 1)
    assert scores_of(tmp_path, gold, gold)["match"] == 1.0


def test_format_for_both(tmp_path: Path) -> None:
    gold = write_jsonl(tmp_path / "gold.txt", GOLD_LINES)
    found = write_jsonl(tmp_path / "out.txt", FOUND_LINES)
    check(scores_of(tmp_path, found, gold, "--format", "jsonl"), 2)
    labels = write(tmp_path / "labels.txt", [LABELS])
    as_text = scores_of(tmp_path, labels, labels, "--format", "text")
    assert as_text["documents"] == 9
    result = run(found, gold, "--format", "labels")
    assert result.exit_code == 1
    assert "line 1: expected one word, a tab" in result.output


def test_other_words_are_aligned(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.txt", ["Hi Uyen there."])
    found = write(tmp_path / "out.txt", ["Hi there there so."])
    assert scores_of(tmp_path, found, gold)["alignment"] == {
        "words": 3,
        "missing": 0,
        "added": 1,
        "replaced": 1,
    }
    line = "Of 3 gold words 0 are missing and 1 replaced; 1 were added."
    assert line in run(found, gold).stdout


def test_chosen_metrics_and_marks(tmp_path: Path) -> None:
    gold, found = write(tmp_path / "gold.txt", GOLD_LINES), write(tmp_path / "out.txt", FOUND_LINES)
    scores = scores_of(tmp_path, found, gold, "--metrics", "punctuation, wer", "--marks", " .")
    assert list(scores["punct_per_mark"]) == ["."]
    assert "wer" in scores and "case_word_f" not in scores and "per_nemo" not in scores


def test_bootstrap(tmp_path: Path) -> None:
    gold, found = write(tmp_path / "gold.txt", GOLD_LINES), write(tmp_path / "out.txt", FOUND_LINES)
    scores = scores_of(tmp_path, found, gold, "--bootstrap", "50")
    assert scores["intervals"]["case_word_r"] == [0.5, 1.0]
    assert "[66.7, 100.0]" in run(found, gold, "--bootstrap", "50").stdout


def test_baseline(tmp_path: Path) -> None:
    gold, found = write(tmp_path / "gold.txt", GOLD_LINES), write(tmp_path / "out.txt", FOUND_LINES)
    raw = write(tmp_path / "raw.txt", ["hi uyen how are you", "i live in rome"])
    scores = scores_of(tmp_path, found, gold, "--baseline", raw, "--metrics", "casing,wer")
    assert scores["inputs"]["baseline"] == str(raw)
    assert scores["baseline"]["case_word_r"] == 0.0
    difference = scores["differences"]["case_word_r"]
    assert difference["difference"] == 0.75
    assert (difference["low"], difference["high"], difference["better"]) == (0.5, 1.0, 1.0)
    assert "intervals" in scores
    output = run(found, gold, "--baseline", raw, "--metrics", "casing,wer").stdout
    assert "+85.7 [+66.7, +100.0] *" in output


def test_baseline_of_other_line_breaks(tmp_path: Path) -> None:
    gold, found = write(tmp_path / "gold.txt", GOLD_LINES), write(tmp_path / "out.txt", FOUND_LINES)
    raw = write(tmp_path / "raw.txt", ["hi uyen how are you i live in rome"])
    scores = scores_of(tmp_path, found, gold, "--baseline", raw, "--bootstrap", "10")
    check(scores, 1)


def test_nothing_to_score(tmp_path: Path) -> None:
    plain = write(tmp_path / "plain.txt", ["hi there"])
    result = run(plain, plain)
    assert result.exit_code == 0
    assert "-" in result.stdout
    assert scores_of(tmp_path, write(plain, [""]), plain)["documents"] == 0


def test_unknown_metric(tmp_path: Path) -> None:
    plain = write(tmp_path / "plain.txt", ["hi there"])
    result = run(plain, plain, "--metrics", "wer,bleu")
    assert result.exit_code == 1
    assert "'bleu' for a metric. Available: punctuation, per, casing" in result.output


def test_numbers_that_differ(tmp_path: Path) -> None:
    gold = write_jsonl(tmp_path / "gold.jsonl", GOLD_LINES)
    for found in (
        write_jsonl(tmp_path / "out.jsonl", FOUND_LINES[:1]),
        write(tmp_path / "out.txt", FOUND_LINES * 2),
    ):
        result = run(found, gold)
        assert result.exit_code == 1
        assert f"documents, but {gold} has 2" in result.output
    result = run(gold, gold, "--baseline", tmp_path / "out.jsonl")
    assert result.exit_code == 1


def test_files_that_are_not_what_they_should_be(tmp_path: Path) -> None:
    for line in ("{", '{"words": []}', '{"text": 1}', "[]"):
        path = write(tmp_path / "bad.jsonl", [line])
        result = run(path, path)
        assert result.exit_code == 1
        assert "bad.jsonl, line 1: expected a JSON object with a string 'text'" in result.output
    path = write(tmp_path / "bad.spacy", ["no docs"])
    result = run(path, path)
    assert result.exit_code == 1
    assert "bad.spacy: cannot be read" in result.output


@pytest.mark.parametrize("name", ["none.txt", "none.jsonl", "none.spacy"])
def test_missing_file(tmp_path: Path, name: str) -> None:
    result = run(tmp_path / name, tmp_path / name)
    assert result.exit_code == 1
    assert name in result.output


def test_entities_in_raw_restored_and_gold_text(tmp_path: Path) -> None:
    ner = spacy.blank("en")
    ruler = ner.add_pipe("entity_ruler")
    patterns = [("PERSON", "Uyen"), ("GPE", "rome"), ("DATE", "Monday")]
    ruler.add_patterns([{"label": a, "pattern": b} for a, b in patterns])  # type: ignore
    ner.to_disk(tmp_path / "ner")
    gold = tmp_path / "gold.jsonl"
    record = {"text": "Hi, Uyen! In rome - Monday.", "entities": [[4, 8, "PER"], [13, 17, "GPE"]]}
    gold.write_text(json.dumps(record) + "\n", encoding="utf8")
    restored = tmp_path / "restored.txt"
    restored.write_text("Hi Uyen in Rome. Monday.\n", encoding="utf8")
    out = tmp_path / "scores.json"
    options = ["--ner", str(tmp_path / "ner"), "--ner-label", "PERSON=PER", "--ner-label", "DATE="]
    result = run(restored, gold, *options, "--bootstrap", "10", "-o", out)
    assert result.exit_code == 0, result.output
    assert "gap won back" in result.output
    found = json.loads(out.read_text(encoding="utf8"))["entities"]
    assert [found[name]["ents_r"] for name in ("raw", "restored", "gold")] == [0.5, 0.5, 1.0]
    assert found["restored"]["ents_recovery"] == 0.0
    # The same gold as .spacy
    converted = CliRunner().invoke(app, ["convert", str(gold), str(tmp_path / "gold.spacy")])
    assert converted.exit_code == 0
    result = run(restored, tmp_path / "gold.spacy", *options, "-o", out)
    assert json.loads(out.read_text(encoding="utf8"))["entities"]["gold"]["ents_f"] == 1.0


def test_ner_wants_gold_entities(tmp_path: Path) -> None:
    spacy.blank("en").to_disk(tmp_path / "ner")
    for name in ("gold.txt", "pred.txt"):
        (tmp_path / name).write_text("Hi.\n", encoding="utf8")
    result = run(tmp_path / "pred.txt", tmp_path / "gold.txt", "--ner", str(tmp_path / "ner"))
    assert result.exit_code == 1
    assert "gold.txt: there are no entities in it" in result.output
