"""Words of two texts paired, whether or not they are the same words."""

from collections import Counter
from typing import List, NamedTuple, Optional, Sequence

from rapidfuzz.distance import Levenshtein

from ..text.marks import DASHES, MARKS, SENTENCE_MARKS
from ..text.words import Word, normal_form, split_words
from .counts import Counts

#: Length that a segment has at least: long enough for few borders, short enough that even a
#: talk of ten minutes gives some thirty segments to resample.
MIN_SEGMENT_WORDS = 40


class Pair(NamedTuple):
    """A word of the predicted text and the one of the gold text in its place.

    predicted, gold: The words; None where the other text has no counterpart.
    same: Whether they are the same word, marks and case aside.
    """

    predicted: Optional[Word]
    gold: Optional[Word]
    same: bool


class Segment(NamedTuple):
    """Pieces of two texts that say the same."""

    predicted: str
    gold: str


class AlignedSegment(NamedTuple):
    """Pieces of several predicted texts and of their gold text that say the same."""

    predicted: List[str]
    gold: str


def pair_words(predicted: str, gold: str) -> List[Pair]:
    """Pair the words of two texts by the least number of words replaced, left out and added.

    The words themselves may differ, as those of a recogniser do from a careful transcript.

    predicted (str): The predicted text.
    gold (str): The gold text.
    RETURNS (List[Pair]): In text order, each word of both texts in exactly one pair.
    """
    ours, theirs = split_words(predicted), split_words(gold)
    our_forms = word_forms(predicted, ours)
    their_forms = word_forms(gold, theirs)
    if our_forms == their_forms:
        return [Pair(our, their, True) for our, their in zip(ours, theirs)]
    pairs: List[Pair] = []
    # Blocks of "equal" and "replace" are of the same length on both sides.
    for block in Levenshtein.opcodes(our_forms, their_forms):
        our_block = ours[block.src_start : block.src_end]
        their_block = theirs[block.dest_start : block.dest_end]
        if block.tag == "delete":
            pairs.extend(Pair(our, None, False) for our in our_block)
        elif block.tag == "insert":
            pairs.extend(Pair(None, their, False) for their in their_block)
        else:
            same = block.tag == "equal"
            pairs.extend(Pair(our, their, same) for our, their in zip(our_block, their_block))
    return pairs


def word_forms(text: str, words: Sequence[Word]) -> List[str]:
    """What is compared of each word: two words are `same_word` when their forms are equal."""
    return [normal_form(text, word).rstrip(".").replace("ς", "σ") for word in words]


def count_words(predicted: str, gold: str) -> Counts:
    """How far the words of two texts agree.

    RETURNS (Counter): "words" of gold, and of those that differ "missing" (only gold has them),
        "added" (only the prediction does) and "replaced".
    """
    counts: Counts = Counter(words=0, missing=0, added=0, replaced=0)
    for ours, theirs, same in pair_words(predicted, gold):
        counts["words"] += theirs is not None
        if not same:
            counts["added" if theirs is None else "missing" if ours is None else "replaced"] += 1
    return counts


def cut_segments(predicted: str, gold: str, min_words: int = MIN_SEGMENT_WORDS) -> List[Segment]:
    """Cut a pair of texts into short ones, at ends of gold sentences.

    A cut lies between two words of which both texts agree, so the alignment of the whole is that
    of the pieces. The marks stay with the word in front. Joined, the pieces are the texts.

    predicted (str): The predicted text.
    gold (str): The gold text.
    min_words (int): Number of gold words that a piece has at least.
    RETURNS (List[Segment]): The pieces; a text of fewer than twice `min_words` words is one.
    """
    return [
        Segment(segment.predicted[0], segment.gold)
        for segment in cut_all([predicted], gold, min_words)
    ]


def cut_all(
    predictions: Sequence[str], gold: str, min_words: int = MIN_SEGMENT_WORDS
) -> List[AlignedSegment]:
    """Cut several predictions of one gold text at the same places, where each of them agrees with
    the words of gold. The pieces are the units of a paired comparison.

    predictions (Sequence[str]): The predicted texts.
    gold (str): The gold text.
    min_words (int): Number of gold words that a piece has at least.
    RETURNS (List[AlignedSegment]): The pieces, as in `cut_segments`.
    """
    gold_words = split_words(gold)
    places = [_places(predicted, gold, len(gold_words)) for predicted in predictions]
    cuts: List[int] = []  # the number of gold words in front
    last = 0
    for index in range(min_words, len(gold_words) - min_words + 1):
        if (
            index - last >= min_words
            and gold_words[index - 1].mark in SENTENCE_MARKS
            and all(0 <= place[index - 1] == place[index] - 1 for place in places)
        ):
            cuts.append(index)
            last = index
    pieces = [
        _cut_text(text, words, [place[index] for index in cuts])
        for text, words, place in zip(predictions, map(split_words, predictions), places)
    ]
    gold_pieces = _cut_text(gold, gold_words, cuts)
    return [AlignedSegment(list(piece[:-1]), piece[-1]) for piece in zip(*pieces, gold_pieces)]


def _places(predicted: str, gold: str, length: int) -> List[int]:
    """For each gold word the index of the same word in the prediction, or -1."""
    places = [-1] * length
    ours = theirs = 0
    for pair in pair_words(predicted, gold):
        if pair.same:
            places[theirs] = ours
        ours += pair.predicted is not None
        theirs += pair.gold is not None
    return places


def _cut_text(text: str, words: Sequence[Word], cuts: Sequence[int]) -> List[str]:
    """Cut a text in front of the words of the given indices."""
    offsets = [0]
    for index in cuts:
        word = words[index]
        offset = word.core_start
        # A mark in front of a word belongs to the one before, a quote does not.
        while offset > word.start and text[offset - 1] not in MARKS | DASHES:
            offset -= 1
        offsets.append(offset)
    return [text[start:end] for start, end in zip(offsets, [*offsets[1:], len(text)])]
