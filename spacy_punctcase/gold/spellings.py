"""Fixed spellings of words, learnt by counting."""

from collections import Counter, defaultdict
from typing import Dict, Iterable, Iterator, List, Optional, Sequence, Union

import spacy

from ..errors import Errors, check_no_text
from ..text.case import casing_class, lower
from ..text.marks import SENTENCE_MARKS
from ..text.words import split_words, without_possessive
from .align import GOLD
from .readers import PathLike, TextCorpus, Weights


def create_counted_spellings(
    path: Optional[Union[PathLike, List[PathLike]]],
    weights: Weights = {},
    words: int = 0,
    classes: List[str] = ["mixed", "acronym"],
    min_count: int = 3,
    min_share: float = 0.5,
    seed: int = 0,
) -> List[str]:
    """The reader `spacy_punctcase.CountedSpellings.v1`, for `entries` of a `casing_ruler`.

    path (Union[str, Path, List]): Well-formed text; see TextCorpus.
    weights (Union[Dict[str, float], str, Path]): How often to draw from a file; see TextCorpus.
    words (int): Number of words to count; 0 for all of the text.
    classes, min_count, min_share: See `count_spellings`.
    seed (int): Decides which words are drawn.
    RETURNS (List[str]): The spellings.
    """
    if path is None:
        raise ValueError(Errors.P016)
    corpus = TextCorpus(path, weights=weights, seed=seed)
    return count_spellings(
        _take(corpus, words), classes=classes, min_count=min_count, min_share=min_share
    )


def _take(corpus: TextCorpus, words: int) -> Iterator[str]:
    count = 0
    for example in corpus(spacy.blank("xx")):
        yield example.reference.user_data[GOLD]
        count += len(example.reference)
        if words and count >= words:
            return


def count_spellings(
    texts: Iterable[str],
    *,
    classes: Sequence[str] = ("mixed", "acronym"),
    min_count: int = 3,
    min_share: float = 0.5,
) -> List[str]:
    """The spellings that words have by themselves, not because a sentence begins.

    texts (Iterable[str]): Well-formed texts.
    classes (Sequence[str]): Which spellings to keep: "acronym", "capital", "mixed"; see
        `casing_class`.
    min_count (int): How often a spelling must occur.
    min_share (float): Its least share of all occurrences of the word within sentences.
    RETURNS (List[str]): The spellings, sorted.
    """
    found: Dict[str, str] = {}
    for spellings in tally_spellings(texts).values():
        spelling, count = spellings.most_common(1)[0]
        enough = count >= min_count and count >= min_share * sum(spellings.values())
        if enough and casing_class(spelling) in classes:
            found[lower(spelling)] = spelling
    return sorted(found.values())


def tally_spellings(texts: Iterable[str]) -> Dict[str, Counter]:
    """Count the spellings of each word, but for words that begin a sentence or a text, whose
    capital says nothing, and for URLs, e-mail addresses, hashtags and handles.

    texts (Iterable[str]): Well-formed texts.
    RETURNS (Dict[str, Counter]): How often each spelling occurs, by the word in lower case.
    """
    check_no_text("`texts`", texts)
    counts: Dict[str, Counter] = defaultdict(Counter)
    for text in texts:
        starts = True
        for word in split_words(text):
            if not (starts or word.protected):
                spelling = without_possessive(text[word.core_start : word.core_end])
                counts[lower(spelling)][spelling] += 1
            starts = word.mark in SENTENCE_MARKS
    return counts
