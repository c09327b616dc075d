from pathlib import Path
from typing import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.systems import (
    Floor,
    Pipeline,
    System,
    count_spellings,
    make_moses,
    make_true_case,
    make_truecase,
    make_unigram,
    tokenize,
)
from spacy_punctcase.text.case import lower

TRAIN = [
    "We met Maria in London. Then Maria went to NASA, and so did we.",
    "Did you see the BBC? The London office (in London) is closed.",
    "But Then is only a name here. I don't think that we'll use GitHub or NASA.",
]
TEXT = 'we saw maria at nasa. "then she left," said we. don\'t we use github?  london won.'


def tokens(text: str) -> list:
    return [[text[start:end] for start, end in sentence] for sentence in tokenize(text)]


def test_tokens() -> None:
    assert tokens("Maria said: \"I don't (really) know.\" Do we ? - [noise] yes, we'll see") == [
        ["Maria", "said", ":", '"', "I", "do", "n't", "(", "really", ")", "know", ".", '"'],
        ["Do", "we", "?", "-", "[noise]"],
        ["yes", ",", "we", "'ll", "see"],
    ]
    assert tokens("the u.s. army") == [["the", "u.s.", "army"]]
    assert tokens(" \n") == tokens("") == []
    assert tokens("-- hello") == [["--", "hello"]]


def test_spellings_are_counted_within_sentences() -> None:
    best = count_spellings(TRAIN)
    assert best["maria"] == "Maria" and best["nasa"] == "NASA" and best["github"] == "GitHub"
    assert best["then"] == "Then"  # as a name in the third text
    assert "did" in best and best["did"] == "did"
    assert "but" not in best  # only ever first


def test_floor() -> None:
    assert Floor().restore([TEXT, ""]) == [TEXT, ""]


def test_unigram() -> None:
    (restored,) = make_unigram(TRAIN).restore([TEXT])
    assert restored == (
        'We saw Maria at NASA. "Then she left," said we. Don\'t we use GitHub?  London won.'
    )


def test_moses_trains_once(tmp_path: Path) -> None:
    pytest.importorskip("sacremoses")
    path = tmp_path / "models" / "moses.txt"
    (restored,) = make_moses(TRAIN, path).restore([TEXT])
    assert restored == (
        'We saw Maria at NASA. "Then she left," said we. Don\'t we use GitHub?  London won.'
    )
    assert make_moses([], path).restore([TEXT]) == [restored]


def test_truecase() -> None:
    pytest.importorskip("truecase")
    (restored,) = make_truecase().restore(["we don't live in new york. nasa is in washington."])
    assert restored.startswith("We don't live in New York. ") and "Washington" in restored


def test_true_case() -> None:
    pytest.importorskip("true_case")
    (restored,) = make_true_case().restore(["we know that i'm in london. yes."])
    assert restored == "We know that I'm in London. Yes."


def test_pipeline() -> None:
    system: System = Pipeline("ours")
    assert system.restore(["how are you maria"]) == ["How are you, Maria?"]


@pytest.fixture(scope="module")
def truecasers(tmp_path_factory: pytest.TempPathFactory) -> list:
    path = tmp_path_factory.mktemp("moses") / "model"
    makers: dict[str, Callable[[], System]] = {
        "truecase": make_truecase,
        "sacremoses": lambda: make_moses(TRAIN, path),
        "true_case": make_true_case,
    }
    for package in makers:
        pytest.importorskip(package)
    return [make_unigram(TRAIN), *(make() for make in makers.values())]


PIECES = ["maria", "n't", "'s", "'", '"', ".", "?!", "<b>", "|", "[noise]", "ß", "İ", "u.s.", "…"]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from([*PIECES, " ", "\n", "\u00a0"]) | st.text(max_size=4), max_size=12))
def test_only_case_changes(truecasers: list, pieces: list) -> None:
    text = lower("".join(pieces))
    for system in truecasers:
        (restored,) = system.restore([text])
        assert lower(restored) == text, system.name
