"""The experiment that shows what the data filter does for a model."""

import json
import lzma
import random
from pathlib import Path
from typing import Any, Dict, List

import pytest
from pytest import approx
from typer.testing import CliRunner

from benchmarks.data import from_gold
from benchmarks.filter_effect import (
    CLEAN,
    CORRUPTIONS,
    DOUBTFUL,
    MEASURES,
    PIECE,
    Restored,
    app,
    compare,
    count,
    cut,
    make_page,
    score,
    take,
)
from spacy_punctcase.gold.readers import read_documents

RNG = random.Random(0)
DOCUMENT = ['We "met," Anna (yes). In the U.S.? It\'s 3.50!', "so - NASA; it is..."]


def run(*args: Any) -> Any:
    result = CliRunner().invoke(app, list(map(str, args)), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def corrupt(name: str, document: List[str]) -> List[str]:
    return CORRUPTIONS[name](document, RNG)


def test_case_is_lost() -> None:
    assert corrupt("all_capitals", DOCUMENT)[1] == "SO - NASA; IT IS..."
    assert corrupt("all_lower", DOCUMENT)[1] == "so - nasa; it is..."


def test_marks_are_dropped() -> None:
    assert corrupt("marks_dropped", DOCUMENT) == [
        'We "met" Anna (yes) In the U.S It\'s 3.50',
        "so - NASA it is",
    ]


def test_marks_are_put_at_random() -> None:
    line = "one, two three. four five? six seven eight nine ten."
    places = set()
    for _ in range(20):
        (found,) = corrupt("marks_at_random", [line])
        assert sorted(char for char in found if not char.isalnum()) == sorted(" " * 9 + ",.?.")
        assert "".join(c for c in found if c.isalpha() or c == " ") == (
            "one two three four five six seven eight nine ten"
        )
        places.add(found)
    assert len(places) > 10
    assert corrupt("marks_at_random", ["...", "so?!"]) == ["", "so?"]


def test_take_goes_on_where_it_stopped() -> None:
    stream = iter([["a b", "c d"], ["e f", "g h"], ["i"]])
    assert take(stream, 5) == [["a b", "c d"], ["e f"]]
    assert take(stream, 5) == [["i"]]


def test_cut() -> None:
    line = "w " * (PIECE // 2)
    assert list(map(len, cut([line] * 5))) == [2, 2, 1]
    assert list(cut(["short"])) == [["short"]]


@pytest.fixture
def train(tmp_path: Path) -> Path:
    folder = tmp_path / "train"
    folder.mkdir()
    for name in (*CLEAN, *DOUBTFUL):
        documents = (f"This is {name} {n}, yes.\nIt is." for n in range(60))
        (folder / f"{name}.txt.xz").write_bytes(lzma.compress("\n\n".join(documents).encode()))
    return folder


def test_mix_and_shuffle(tmp_path: Path, train: Path) -> None:
    run("mix", train, tmp_path / "out", "--words", 120)
    texts = {path.stem: path.read_text("utf8") for path in tmp_path.glob("out/mix/*.txt")}
    assert set(texts) == {*CLEAN, *DOUBTFUL, *CORRUPTIONS}
    words = {name: len(text.split()) for name, text in texts.items()}
    assert all(60 <= words[name] < 66 for name in CLEAN)
    assert all(20 <= words[name] < 26 for name in DOUBTFUL)
    assert all(2 * 7 <= words[name] < 2 * 13 for name in CORRUPTIONS)
    # No document is in two places.
    parts = [read_documents(path) for path in tmp_path.glob("out/*/*.txt")]
    heads = [document[0].lower().replace(",", "").replace(".", "") for p in parts for document in p]
    assert len(set(heads)) == len(heads) > 30
    run("shuffle", tmp_path / "out" / "mix", tmp_path / "mix.txt")
    shuffled = list(read_documents(tmp_path / "mix.txt"))
    in_order = [d for path in sorted(tmp_path.glob("out/mix/*")) for d in read_documents(path)]
    assert shuffled != in_order and sorted(shuffled) == sorted(in_order)


def test_without_data(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["mix", str(tmp_path), str(tmp_path / "out")])
    assert result.exit_code == 1
    assert "changelog.txt.xz is not there" in result.stderr
    assert not (tmp_path / "out").exists()


def same(text: str) -> Restored:
    return Restored(text, text, text)


def test_score() -> None:
    gold = "We met Anna, at NASA. Why? It is an iPhone"
    found = score(count(same("We Met Anna at, nasa? why? It is an IPhone"), gold))
    assert (found["mark ,"], found["mark ."], found["mark ?"]) == (0, 0, approx(2 / 3))
    # Of ten words "at," has a mark where gold has none, "Met" and "IPhone" a wrong capital.
    assert found["false_marks"] == 10 and found["false_capitals"] == 20
    assert found["case_acronym_f"] == 0 and found["case_lower_f"] == approx(2 * 3 / (4 + 5))
    assert list(found) == list(MEASURES)
    # Each stage is scored on its own text.
    found = score(count(Restored("we met anna, at nasa. why? it is an iphone", gold, "WE"), gold))
    assert (found["punct_micro_f"], found["case_capital_f"]) == (1, 1)
    assert (found["false_capitals"], found["false_capitals_both"]) == (0, 10)


def test_compare_and_table() -> None:
    gold = ["So we met Anna, and it was good. Why? " * 12] * 4
    right, bare = ([same(text) for text in texts] for texts in (gold, from_gold(gold).raw))
    found: Dict[str, Any] = {"talks": compare([bare, right], [right, right], gold, samples=20)}
    assert found["talks"]["words"] == 4 * 12 * 9
    assert found["talks"]["differences"]["false_capitals"]["difference"] == 0
    assert found["talks"]["differences"]["mark ,"]["low"] > 0
    assert [seed["mark ,"] for side in found["talks"]["seeds"] for seed in side] == [0, 1, 1, 1]
    page = make_page(found)
    assert "| mix → kept | talks, 432 words |" in page
    assert "| `,` F1 | 66.7 → 100.0\\* |" in page
    assert "| false marks per 100 words | 0.00 → 0.00 |" in page
    assert "| mixed F1 | – |" in page  # gold has no such word


def test_evaluate(tmp_path: Path, benchmark_data: Path, tiny_path: Path) -> None:
    output = tmp_path / "metrics" / "effect.json"
    options = ["--dev", benchmark_data / "dev", "-o", output, "--bootstrap", 10]
    models = tmp_path / "models"
    result = CliRunner().invoke(app, list(map(str, ["evaluate", models, *options])))
    assert result.exit_code != 0 and "punctuator_mix_*" in result.stderr
    for name in ("mix_0", "mix_1", "kept_0"):
        for stage in ("punctuator", "truecaser"):
            (models / f"{stage}_{name}").mkdir(parents=True)
            (models / f"{stage}_{name}" / "model-last").symlink_to(tiny_path)
    result = run("evaluate", models, *options)
    assert "`.` F1" in result.stdout
    found = json.loads(output.read_text("utf8"))
    assert list(found) == list(CLEAN)
    first, second = found["changelog"]["scores"]
    assert first == second
    assert list(map(len, found["changelog"]["seeds"])) == [2, 1]
