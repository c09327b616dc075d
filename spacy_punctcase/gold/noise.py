"""Slips of a recogniser, added to training transcripts."""

import random
from typing import Callable, Iterator, List

from spacy.language import Language
from spacy.training import Example

from ..text.words import split_words
from .align import align_words, gold_text, unknown_marks
from .readers import GoldWord, is_consistent, make_example, make_word

FILLERS = ("uh", "um", "ah", "er")


def create_recogniser_noise(
    level: float = 0.3, rate: float = 0.05
) -> Callable[[Language, Example], Iterator[Example]]:
    """Create the augmenter `spacy_punctcase.recogniser_noise.v1`: words dropped, repeated or
    mistaken for others, fillers, lost apostrophes, split compounds. The gold text changes with
    the transcript, so that the words of both stay the same.

    level (float): Share of the Examples that get noise.
    rate (float): Share of the words of those that are changed.
    """

    def add_noise(nlp: Language, example: Example) -> Iterator[Example]:
        if random.random() >= level:
            yield example
            return
        words = distort(_words_of(example), rate)
        usable = words and is_consistent(words)
        yield make_example(nlp.vocab, words) if usable else example

    return add_noise


def _words_of(example: Example) -> List[GoldWord]:
    source, gold = example.predicted.text, gold_text(example.reference)
    unknown = set(unknown_marks(example.reference))
    return [
        GoldWord(
            source[ours.core_start : ours.core_end],
            gold[theirs.core_start : theirs.core_end] + theirs.mark,
            index in unknown,
        )
        for index, (ours, theirs) in enumerate(align_words(source, gold))
    ]


def distort(words: List[GoldWord], rate: float) -> List[GoldWord]:
    """Change a share of the words as recognisers do. Marks stay where they are.

    words (List[GoldWord]): The words.
    rate (float): Share of the words that are changed.
    RETURNS (List[GoldWord]): The changed words.
    """
    changed: List[GoldWord] = []
    for word in words:
        if random.random() >= rate:
            changed.append(word)
            continue
        core = split_words(word.gold)
        mark = core[0].mark if core else ""
        slip = random.choice(("drop", "repeat", "mistake", "filler", "apostrophe", "split"))
        if slip == "drop" and not mark and not word.unknown:
            continue
        if slip == "repeat":
            changed += [GoldWord(word.raw, _without_mark(word, mark), False), word]
        elif slip == "mistake":
            changed.append(make_word(random.choice(words).raw, mark, word.unknown))
        elif slip == "filler":
            filler = random.choice(FILLERS)
            changed += [GoldWord(filler, filler, False), word]
        elif slip == "apostrophe" and "'" in word.raw.strip("'"):
            changed.append(
                GoldWord(word.raw.replace("'", ""), word.gold.replace("'", ""), word.unknown)
            )
        elif slip == "split" and all(part.isalnum() for part in word.raw.split("-")):
            pairs = zip(word.raw.split("-"), word.gold.split("-"))
            parts = [GoldWord(raw, gold, False) for raw, gold in pairs]
            changed += [*parts[:-1], parts[-1]._replace(unknown=word.unknown)]
        else:
            changed.append(word)
    return changed


def _without_mark(word: GoldWord, mark: str) -> str:
    return word.gold[: -len(mark)] if mark else word.gold
