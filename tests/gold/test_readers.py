"""Training examples from plain text."""

import lzma
import random
from collections import Counter
from itertools import accumulate
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.language import Language
from spacy.training import Example
from spacy.util import registry

from spacy_punctcase.gold.align import align_words, gold_text, unknown_marks
from spacy_punctcase.gold.readers import (
    GoldWord,
    TextCorpus,
    cut,
    cut_around,
    document_words,
    find_text_files,
    is_consistent,
    make_example,
    read_documents,
)
from spacy_punctcase.text.case import is_upper
from spacy_punctcase.text.words import split_words

TEXT = """\
Hello, Uyen! How are you -- today?
It's already 10:30 in the U.S., isn't it?

"Well," he said... "I don't know."
I was going to
NOBODY READS THIS LINE AT ALL.
So it is.
"""


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy.blank("en")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "text.txt"
    path.write_text(TEXT, encoding="utf8")
    return path


def numbered(count: int, word: str = "word") -> List[str]:
    """Words that differ, their numbers in letters."""
    letters = str.maketrans("0123456789", "abcdefghij")
    return [f"{word}-{number}".translate(letters) for number in range(count)]


def sentences(count: int, word: str = "word") -> str:
    """A document of such words, ten a sentence."""
    words = numbered(count, word)
    lines = (" ".join(words[start : start + 10]) for start in range(0, count, 10))
    return "".join(f"{line.capitalize()}.\n" for line in lines)


def read(path: Any, nlp: Language, **kwargs: Any) -> List[Example]:
    return list(TextCorpus(path, **kwargs)(nlp))


def golds(examples: List[Example]) -> List[str]:
    return [gold_text(example.reference) for example in examples]


def test_documents_become_transcripts(nlp: Language, path: Path) -> None:
    first, second = read(path, nlp)
    assert gold_text(first.reference) == (
        "Hello, Uyen! How are you, today? It's already 10:30 in the U.S., isn't it?"
    )
    assert first.predicted.text.strip() == (
        "hello uyen how are you today it's already 10:30 in the u.s. isn't it"
    )
    assert gold_text(second.reference) == "Well, he said. I don't know. I was going to So it is."
    assert [token.text for token in second.reference] == second.predicted.text.split()
    assert second.reference.has_unknown_spaces


def test_a_turn_that_was_cut_off_has_an_unknown_mark(nlp: Language, path: Path) -> None:
    first, second = read(path, nlp)
    assert unknown_marks(first.reference) == []
    (index,) = unknown_marks(second.reference)
    assert second.reference[index].text == "to"


def test_without_normalising(nlp: Language, path: Path) -> None:
    first, second = read(path, nlp, normalise=False)
    assert "you today?" in gold_text(first.reference)
    assert "NOBODY READS" in gold_text(second.reference)
    assert unknown_marks(second.reference) == []


def test_every_kind_of_path(nlp: Language, tmp_path: Path) -> None:
    plain, packed, deep = tmp_path / "b.txt", tmp_path / "a.txt.xz", tmp_path / "sub" / "c.txt"
    deep.parent.mkdir()
    plain.write_text("Plain text here.", encoding="utf8")
    packed.write_bytes(lzma.compress("Packed text: ümlaut.".encode()))
    deep.write_text("Deep text here.", encoding="utf8")
    (tmp_path / "notes.md").write_text("No.", encoding="utf8")
    assert golds(read(plain, nlp)) == ["Plain text here."]
    assert golds(read(str(packed), nlp)) == ["Packed text: ümlaut."]
    assert golds(read([deep, plain], nlp)) == ["Deep text here.", "Plain text here."]
    assert find_text_files(tmp_path) == [packed, plain, deep]
    assert len(read(tmp_path, nlp)) == 3


def test_registered_reader(path: Path, nlp: Language) -> None:
    reader = registry.readers.get("spacy_punctcase.TextCorpus.v1")(path=path, min_words=5)
    assert golds(list(reader(nlp)))[0].startswith("Hello, Uyen!")


# Windows


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 500), st.integers(1, 60), st.integers(0, 100), st.integers(0, 10))
def test_cut(length: int, min_words: int, more: int, seed: int) -> None:
    max_words = min_words + more
    spans = list(cut(length, min_words, max_words, random.Random(seed)))
    position = 0
    for start, end in spans:
        assert start == position
        assert 0 < end - start <= max_words
        position = end
    assert position == length
    sizes = [end - start for start, end in spans]
    assert all(size >= min_words for size in sizes[:-1])
    if max_words >= 2 * min_words <= length:
        assert all(size >= min_words for size in sizes)


@settings(deadline=None, max_examples=200)
@given(st.lists(st.integers(1, 40), max_size=30), st.integers(1, 60), st.integers(0, 100))
def test_cut_at_sentence_ends(lengths: List[int], min_words: int, more: int) -> None:
    ends = set(accumulate(lengths))
    spans = list(
        cut(sum(lengths), min_words, min_words + more, random.Random(0), ends, ends_sentence=True)
    )
    assert [start for start, _ in spans] == [0, *(end for _, end in spans)][: len(spans)]
    assert all(0 < end - start <= min_words + more for start, end in spans)
    if max(lengths, default=0) <= min_words + more:
        assert {end for _, end in spans} <= ends


def test_windows_that_end_with_a_sentence(nlp: Language, tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text(sentences(600), encoding="utf8")
    reader = registry.readers.get("spacy_punctcase.TextCorpus.v1")
    examples = list(reader(path=path, min_words=5, max_words=33, ends_sentence=True)(nlp))
    assert all(gold.endswith(".") and gold[0].isupper() for gold in golds(examples))
    assert not any(unknown_marks(example.reference) for example in examples)
    assert {len(example.reference) for example in examples} <= {10, 20, 30}


def test_windows(nlp: Language, tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text(sentences(1000), encoding="utf8")
    examples = read(path, nlp, min_words=20, max_words=60)
    lengths = [len(example.reference) for example in examples]
    assert sum(lengths) == 1000
    assert min(lengths) >= 20 and max(lengths) <= 60
    assert len(set(lengths)) > 3
    words = [token.text for example in examples for token in example.reference]
    assert words == numbered(1000)


def test_windows_do_not_cross_documents(nlp: Language, tmp_path: Path) -> None:
    path = tmp_path / "two.txt"
    path.write_text(sentences(30, "a") + "\n\n" + sentences(30, "b"), encoding="utf8")
    for example in read(path, nlp, min_words=20, max_words=100):
        assert len({token.text[0] for token in example.reference}) == 1


@pytest.mark.parametrize("min_words, max_words", [(0, 10), (20, 10), (-1, 10), (0, 0)])
def test_impossible_windows(path: Path, min_words: int, max_words: int) -> None:
    with pytest.raises(ValueError, match="min_words"):
        TextCorpus(path, min_words=min_words, max_words=max_words)


def test_seed(nlp: Language, tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text(sentences(600), encoding="utf8")
    corpus = TextCorpus(path, min_words=10, max_words=80, seed=3)
    assert golds(list(corpus(nlp))) == golds(list(corpus(nlp)))
    assert golds(read(path, nlp, seed=3)) != golds(read(path, nlp, seed=4))
    unseeded = TextCorpus(path, min_words=10, max_words=80)
    assert golds(list(unseeded(nlp))) != golds(list(unseeded(nlp)))


def test_limit(nlp: Language, tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text(sentences(600), encoding="utf8")
    assert len(read(path, nlp, limit=3)) == 3
    assert len(read(path, nlp, limit=10_000)) < 40


def test_augmenter(nlp: Language, path: Path) -> None:
    def twice(nlp: Language, example: Example) -> Iterator[Example]:
        yield example
        yield example

    assert len(read(path, nlp, augmenter=twice)) == 4
    assert len(read(path, nlp, augmenter=twice, limit=3)) == 3


def test_memory_is_constant(nlp: Language, path: Path) -> None:
    """The reader is lazy: it yields before it has read the rest."""
    path.write_bytes(b"Good text here.\n\n" * 5000 + b"\xff\n")
    stream = TextCorpus(path)(nlp)
    assert gold_text(next(iter(stream)).reference) == "Good text here."


@settings(deadline=None, max_examples=200)
@given(st.integers(1, 500), st.integers(1, 60), st.integers(0, 100), st.integers(0, 10), st.data())
def test_cut_around(length: int, min_words: int, more: int, seed: int, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, length - 1))
    ends = data.draw(st.sets(st.integers(1, length)))
    sizes = min_words, min_words + more
    start, end = cut_around(place, length, *sizes, random.Random(seed), ends)
    assert 0 <= start <= place < end <= length
    assert min(length, min_words) <= end - start <= sizes[1]


def test_extra_questions(nlp: Language, tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    text = sentences(400)
    middle = text.index(".", len(text) // 2)
    path.write_text(text[:middle] + ", isn't it?" + text[middle + 1 :], encoding="utf8")
    sizes = {"min_words": 8, "max_words": 80, "seed": 0}
    plain = golds(read(path, nlp, **sizes))
    more = golds(read(path, nlp, **sizes, extra_questions=30))
    assert more[: len(plain)] == plain and len(more) == len(plain) + 30
    extra = more[len(plain) :]
    assert all("it?" in gold for gold in extra)
    assert len(set(extra)) > 20
    share = sum(gold[0].isupper() for gold in extra) / 30
    assert 0.3 < share < 1


# Weights


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, count in (("big", 2000), ("small", 200)):
        (tmp_path / f"{name}.txt").write_text(sentences(count, name), encoding="utf8")
    return tmp_path


def sources(examples: List[Example]) -> Dict[str, int]:
    return Counter(example.reference[0].text.split("-")[0] for example in examples)


def test_weights(nlp: Language, folder: Path) -> None:
    kwargs: Dict[str, Any] = {"min_words": 20, "max_words": 20, "seed": 0}
    assert sources(read(folder, nlp, **kwargs)) == {"big": 100, "small": 10}
    even = sources(read(folder, nlp, weights={"big": 1.0}, **kwargs))
    assert even["big"] >= 100 and 70 < even["small"] < 140
    few = sources(read(folder, nlp, weights={"small": 0.2}, **kwargs))
    assert few["big"] >= 100 and 10 <= few["small"] < 60


def test_weight_zero_leaves_a_file_out(nlp: Language, folder: Path) -> None:
    assert set(sources(read(folder, nlp, weights={"big": 0}))) == {"small"}


def test_a_weight_for_an_unknown_file(folder: Path) -> None:
    with pytest.raises(ValueError, match="'bigg'.*big, small"):
        TextCorpus(folder, weights={"bigg": 1.0})


def test_empty_files(nlp: Language, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\n \n", encoding="utf8")
    (tmp_path / "b.txt").write_text("", encoding="utf8")
    assert read(tmp_path, nlp) == []
    assert read(tmp_path, nlp, weights={"a": 2.0}) == []


# Errors


def test_not_utf8_names_the_byte(nlp: Language, path: Path) -> None:
    path.write_bytes("Größe.\n".encode() + "Größe".encode("latin1"))
    with pytest.raises(ValueError, match="byte 11 "):
        read(path, nlp)


@pytest.mark.parametrize("name", ["missing.txt", "missing", "."])
def test_missing_files(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="No text file"):
        TextCorpus(tmp_path / name)


def test_one_of_several_is_missing(path: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="missing.txt"):
        TextCorpus([path, tmp_path / "missing.txt"])


def truncate(data: bytes) -> bytes:
    return data[: len(data) // 2]


def garble(data: bytes) -> bytes:
    return b"not xz at all"


@pytest.mark.parametrize("damage", [truncate, garble])
def test_damaged_xz(nlp: Language, tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "text.txt.xz"
    path.write_bytes(damage(lzma.compress(sentences(5000).encode())))
    with pytest.raises(ValueError, match="text.txt.xz: cannot be read"):
        read(path, nlp)


# Documents and words


def test_read_documents(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbfOne.\r\nTwo.\r\n\r\n  \r\n\r\nThree.")
    assert list(read_documents(path)) == [["One.", "Two."], ["Three."]]


def test_document_words() -> None:
    words = document_words(['"In the U.S.," he said', "Yes ."])
    assert words == [
        GoldWord("in", "In", False),
        GoldWord("the", "the", False),
        GoldWord("u.s.", "U.S.,", False),
        GoldWord("he", "he", False),
        GoldWord("said", "said", True),
        GoldWord("yes", "Yes.", False),
    ]


@pytest.mark.parametrize(
    "line",
    ["(in the U.K).", "He's in the U.K . Yes.", "The dogs', I said.", "' Hello '", "A ...b. .c ,d"],
)
def test_odd_lines_are_consistent(line: str) -> None:
    words = document_words([line], normalise=False)
    assert words and is_consistent(words)


@settings(deadline=None, max_examples=200)
@given(
    st.lists(
        st.sampled_from(
            ["Hi", "don't", "U.S", "U.S.", "3.50", "dogs'", "x@y.com", "Ärger", "[a b]"]
        )
        | st.sampled_from([*" .,?!;:…-—\"'()<>"]),
        max_size=25,
    ).map("".join),
    st.booleans(),
)
def test_every_example_is_raw_and_aligned(line: str, normalise: bool) -> None:
    words = document_words([line], normalise=normalise)
    assert is_consistent(words)
    example = make_example(NLP.vocab, words)
    text = example.predicted.text
    assert len(align_words(text, gold_text(example.reference))) == len(words)
    assert not any(map(is_upper, text))
    assert not any(word.mark or word.followed for word in split_words(text))
    assert [token.text for token in example.reference] == text.split()


NLP = spacy.blank("en")


def test_a_window_cut_within_a_sentence_ends_with_an_unknown_mark(
    nlp: Language, tmp_path: Path
) -> None:
    path = tmp_path / "long.txt"
    path.write_text(" ".join(numbered(200)).capitalize() + ".", encoding="utf8")
    *cut_off, last = read(path, nlp, min_words=10, max_words=20)
    assert len(cut_off) >= 9
    assert all(unknown_marks(e.reference) == [len(e.reference) - 1] for e in cut_off)
    assert unknown_marks(last.reference) == []


def test_windows_begin_with_a_sentence_as_a_rule(nlp: Language, tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_text("One two three four. " * 500, encoding="utf8")
    first = [gold.split()[0] for gold in golds(read(path, nlp, min_words=10, max_words=40))]
    assert 0.6 < first.count("One") / len(first) < 1.0


def test_skip(nlp: Language, path: Path) -> None:
    every = golds(read(path, nlp, min_words=2, max_words=4, seed=0))
    assert golds(read(path, nlp, min_words=2, max_words=4, skip=3, seed=0)) == every[3:]


def test_weights_from_a_file(tmp_path: Path) -> None:
    for name in ("talks", "books"):
        (tmp_path / f"{name}.txt").write_text(f"We like {name}. " * 50, encoding="utf8")
    weights = tmp_path / "weights.json"
    weights.write_text('{"talks": 1, "books": 0}', encoding="utf8")
    corpus = TextCorpus(tmp_path, weights=str(weights))
    assert corpus.weights == {"books": 0.0, "talks": 1.0}
    for wrong in ("[1]", "{", '{"talks": []}', '{"talks": "often"}'):
        weights.write_text(wrong, encoding="utf8")
        with pytest.raises(ValueError, match="weights.json: expected weights"):
            TextCorpus(tmp_path, weights=weights)
    with pytest.raises(ValueError, match="nothing.json: cannot be read"):
        TextCorpus(tmp_path, weights=tmp_path / "nothing.json")
