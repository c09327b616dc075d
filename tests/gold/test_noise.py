"""Recognisers' slips: transcript and gold text change together."""

import random
from typing import Dict, Iterator, List, Tuple

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.language import Language
from spacy.training import Example
from spacy.util import registry

from spacy_punctcase.gold import noise
from spacy_punctcase.gold.align import align_words, gold_text, unknown_marks
from spacy_punctcase.gold.noise import FILLERS, create_recogniser_noise, distort
from spacy_punctcase.gold.readers import GoldWord, document_words, is_consistent, make_example

NLP = spacy.blank("en")
LINE = "Hello, Uyen! The well-known dogs' bones aren't in the U.S., \"are they\"? It is 3.50."
LINES = st.lists(
    st.sampled_from(
        ["Hi,", "don't", "U.S.", "U.S", "dogs'.", "well-known?", "a-b-c", "'tis", "5.5"]
    )
    | st.sampled_from(["(so)", "rock-'n'-roll.", "x-[y]", "e.g.", "-", "Mother-in-Law's!"]),
    min_size=1,
    max_size=20,
).map(" ".join)


def example_of(line: str) -> Example:
    return make_example(NLP.vocab, document_words([line], normalise=False))


def augment(example: Example, level: float, rate: float) -> Example:
    (found,) = create_recogniser_noise(level, rate)(NLP, example)
    return found


@settings(deadline=None, max_examples=150)
@given(LINES, st.integers(0, 1000))
def test_transcript_and_gold_have_the_same_words(line: str, seed: int) -> None:
    random.seed(seed)
    words = document_words([line], normalise=False)
    changed = distort(words, 0.7)
    assert is_consistent(changed)
    found = augment(example_of(line), 1.0, 0.7)
    pairs = align_words(found.predicted.text, gold_text(found.reference))
    assert len(pairs) == len(found.reference)


def test_level_zero_leaves_examples_alone() -> None:
    example = example_of(LINE)
    for _ in range(20):
        assert augment(example, 0.0, 1.0) is example


def test_rate_zero_changes_no_word() -> None:
    example = example_of(LINE)
    found = augment(example, 1.0, 0.0)
    assert found.predicted.text == example.predicted.text
    assert gold_text(found.reference) == gold_text(example.reference)


def test_level_is_the_share_of_examples() -> None:
    example = example_of(LINE)
    changed = sum(augment(example, 0.3, 0.5) is not example for _ in range(400))
    assert 80 < changed < 160


def test_an_example_without_words() -> None:
    example = make_example(NLP.vocab, [])
    assert augment(example, 1.0, 1.0) is example


def test_unknown_marks_stay_with_their_words() -> None:
    words = [GoldWord("i", "I", False), GoldWord("to", "to", True), GoldWord("so", "So.", False)]
    for seed in range(50):
        random.seed(seed)
        found = augment(make_example(NLP.vocab, words), 1.0, 0.5)
        assert len(unknown_marks(found.reference)) == 1


def test_registered_augmenter() -> None:
    create = registry.augmenters.get("spacy_punctcase.recogniser_noise.v1")
    (example,) = create(level=0.0)(NLP, example_of(LINE))
    assert gold_text(example.reference).startswith("Hello, Uyen!")


# Each slip by itself


@pytest.fixture
def slip(monkeypatch: pytest.MonkeyPatch) -> Iterator[Dict[str, str]]:
    """Which slip is drawn; from other lists the first item is."""
    chosen: Dict[str, str] = {}

    def choice(items: List) -> object:
        return chosen["slip"] if "drop" in items else items[0]

    monkeypatch.setattr(noise.random, "choice", choice)
    yield chosen


@pytest.mark.parametrize(
    "name, word, expected",
    [
        ("drop", ("hi", "Hi"), []),
        ("drop", ("hi", "Hi,"), [("hi", "Hi,")]),  # marks stay where they are
        ("repeat", ("hi", "Hi."), [("hi", "Hi"), ("hi", "Hi.")]),
        ("repeat", ("u.s.", "U.S."), [("u.s.", "U.S."), ("u.s.", "U.S.")]),
        ("filler", ("hi", "Hi."), [(FILLERS[0], FILLERS[0]), ("hi", "Hi.")]),
        ("apostrophe", ("don't", "Don't."), [("dont", "Dont.")]),
        ("apostrophe", ("dogs'", "Dogs'."), [("dogs'", "Dogs'.")]),
        ("split", ("well-known", "Well-known?"), [("well", "Well"), ("known", "known?")]),
        ("split", ("hi", "Hi."), [("hi", "Hi.")]),
        ("split", ("x-'y", "X-'y."), [("x-'y", "X-'y.")]),
        ("mistake", ("hi", "Hi."), [("hi", "hi.")]),
    ],
)
def test_slips(
    slip: Dict[str, str], name: str, word: Tuple[str, str], expected: List[Tuple[str, str]]
) -> None:
    slip["slip"] = name
    changed = distort([GoldWord(word[0], word[1], False)], 1.0)
    assert [(found.raw, found.gold) for found in changed] == expected


def test_a_word_with_an_unknown_mark_is_not_dropped(slip: Dict[str, str]) -> None:
    slip["slip"] = "drop"
    words = [GoldWord("to", "to", True)]
    assert distort(words, 1.0) == words


def test_noise_in_a_pipeline_of_examples(train_examples: List[Example]) -> None:
    nlp: Language = NLP
    add_noise = create_recogniser_noise(1.0, 0.3)
    for example in train_examples[:50]:
        for noisy in add_noise(nlp, example):
            align_words(noisy.predicted.text, gold_text(noisy.reference))
