"""Where two texts differ word by word, in paragraphs of a readable size, as data of a page."""

from itertools import zip_longest
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..errors import Errors
from ..scoring.alignment import pair_words
from ..scoring.casing import CLASSES
from ..text.case import casing_class
from ..text.marks import SENTENCE_MARKS
from ..text.words import Word, split_words

#: Length after which a paragraph ends with the sentence, and at which it is cut in any case.
PARAGRAPH_WORDS = 40
MAX_PARAGRAPH_WORDS = 100

#: Labels of marks and of casing classes by which differences are counted and filtered.
MARK_LABELS = (",", ".", "?", "other")
CASE_LABELS = CLASSES


class Shown(NamedTuple):
    """A word as it is shown: the word itself, and the mark that follows it."""

    core: str
    mark: str

    def __str__(self) -> str:
        return self.core + self.mark


class Triple(NamedTuple):
    """A word of either text and of gold in the same place; None where one has no counterpart."""

    a: Optional[Word]
    b: Optional[Word]
    gold: Optional[Word]


class Difference(NamedTuple):
    """A place where the two texts differ.

    a, b, gold: What each has there; None for no word, or without gold.
    marks: Labels of the marks involved, where the mark differs.
    cases: Casing classes involved, where the spelling differs.
    verdict: Who agrees with gold: "a", "b" or "neither"; "" without gold.
    """

    a: Optional[Shown]
    b: Optional[Shown]
    gold: Optional[Shown]
    marks: List[str]
    cases: List[str]
    verdict: str


class Piece(NamedTuple):
    """A stretch of text.

    text: The text; "" for a word that only the other side has.
    place: Index of the difference in the paragraph that it is one side of; None for common text.
    """

    text: str
    place: Optional[int]


class Paragraph(NamedTuple):
    """A part of a document.

    name: Number of the document, and of the part if there are several ("3", "3.2").
    a, b: Its text in pieces.
    gold: Its gold text, or None.
    differences: Where the two differ, in order.
    """

    name: str
    a: List[Piece]
    b: List[Piece]
    gold: Optional[str]
    differences: List[Difference]


class Counts(NamedTuple):
    """How often one text agrees with gold on a label.

    right: Gold has it and the text, too. missed: Only gold has it. extra: Only the text has it.
    """

    right: int
    missed: int
    extra: int


def check_lengths(a: Sequence[str], b: Sequence[str], gold: Optional[Sequence[str]]) -> None:
    """Raise a ValueError unless there are as many documents of each."""
    for other in (b, b if gold is None else gold):
        if len(other) != len(a):
            raise ValueError(Errors.P028.format(what="documents", first=len(a), second=len(other)))


def align(a: str, b: str, gold: Optional[str] = None) -> List[Triple]:
    """Align two texts word by word. With gold both are aligned with it, so that a word is judged
    by one and the same gold word on both sides; words that gold alone has are left out.

    a, b (str): The two texts.
    gold (Optional[str]): The gold text.
    RETURNS (List[Triple]): In text order, each word of both texts in exactly one.
    """
    if gold is None:
        return [Triple(pair.predicted, pair.gold, None) for pair in pair_words(a, b)]
    triples: List[Triple] = []
    for (added_a, word_a), (added_b, word_b), gold_word in zip(
        _by_gold(a, gold), _by_gold(b, gold), [*split_words(gold), None]
    ):
        triples.extend(Triple(*added, None) for added in zip_longest(added_a, added_b))
        if word_a is not None or word_b is not None:
            triples.append(Triple(word_a, word_b, gold_word))
    return triples


def find_paragraphs(a: str, b: str, gold: Optional[str] = None, name: str = "") -> List[Paragraph]:
    """Cut a document into paragraphs at ends of sentences, and find where the texts differ.

    a, b (str): The two texts.
    gold (Optional[str]): The gold text.
    name (str): Name of the document.
    RETURNS (List[Paragraph]): The paragraphs; none if there is no text.
    """
    triples = align(a, b, gold)
    ranges = _cut(triples, has_gold=gold is not None)
    parts = [triples[start:end] for start, end in ranges]
    bounds_a = _bounds(a, [[triple.a for triple in part] for part in parts])
    bounds_b = _bounds(b, [[triple.b for triple in part] for part in parts])
    bounds_gold = _bounds(gold or "", [[triple.gold for triple in part] for part in parts])
    paragraphs: List[Paragraph] = []
    for number, part in enumerate(parts):
        indices: List[Optional[int]] = []
        differences: List[Difference] = []
        for triple in part:
            difference = _compare(triple, a, b, gold)
            indices.append(None if difference is None else len(differences))
            if difference is not None:
                differences.append(difference)
        paragraph = Paragraph(
            f"{name}.{number + 1}" if len(parts) > 1 else name,
            _pieces(a, bounds_a[number], [triple.a for triple in part], indices),
            _pieces(b, bounds_b[number], [triple.b for triple in part], indices),
            None if gold is None else gold[slice(*bounds_gold[number])].strip(),
            differences,
        )
        if paragraph.a or paragraph.b:
            paragraphs.append(paragraph)
    return paragraphs


def count_labels(text: str, gold: str) -> Dict[str, Counts]:
    """Count for each mark and casing class how far a text agrees with gold. The casing of words
    that are not the same in both is not counted.

    text (str): The text.
    gold (str): The gold text.
    RETURNS (Dict[str, Counts]): By label, of MARK_LABELS and CASE_LABELS.
    """
    counts = {label: [0, 0, 0] for label in (*MARK_LABELS, *CASE_LABELS)}

    def count(ours: str, theirs: str, right: bool) -> None:
        if right and theirs in counts:
            counts[theirs][0] += 1
        elif not right:
            if theirs in counts:
                counts[theirs][1] += 1
            if ours in counts:
                counts[ours][2] += 1

    for pair in pair_words(text, gold):
        ours = _show(text, pair.predicted) or Shown("", "")
        theirs = _show(gold, pair.gold) or Shown("", "")
        count(mark_label(ours.mark), mark_label(theirs.mark), ours.mark == theirs.mark)
        if pair.same:
            # One may lack an abbreviation's last dot.
            same_case = ours.core.rstrip(".") == theirs.core.rstrip(".")
            count(casing_class(ours.core), casing_class(theirs.core), same_case)
    return {label: Counts(*numbers) for label, numbers in counts.items()}


def mark_label(mark: str) -> str:
    """Which of MARK_LABELS a mark is, or "" for no mark."""
    return mark if not mark or mark in MARK_LABELS else "other"


def _by_gold(text: str, gold: str) -> Iterator[Tuple[List[Word], Optional[Word]]]:
    """For each gold word, and for the end, the words that the text alone has in front of it, and
    the one in its place."""
    added: List[Word] = []
    for pair in pair_words(text, gold):
        if pair.gold is not None:
            yield added, pair.predicted
            added = []
        elif pair.predicted is not None:
            added.append(pair.predicted)
    yield added, None


def _show(text: Optional[str], word: Optional[Word]) -> Optional[Shown]:
    if text is None or word is None:
        return None
    return Shown(text[word.core_start : word.core_end], word.mark)


def _compare(triple: Triple, a: str, b: str, gold: Optional[str]) -> Optional[Difference]:
    ours, theirs, right = _show(a, triple.a), _show(b, triple.b), _show(gold, triple.gold)
    if ours == theirs:
        return None
    found = [shown for shown in (ours, theirs, right) if shown is not None]
    marks: List[str] = []
    cases: List[str] = []
    if ours is None or theirs is None or ours.mark != theirs.mark:
        marks = _in_order(MARK_LABELS, [mark_label(shown.mark) for shown in found])
    if ours is None or theirs is None or ours.core != theirs.core:
        cases = _in_order(CASE_LABELS, [casing_class(shown.core) for shown in found])
    verdict = ""
    if gold is not None:
        verdict = "a" if ours == right else "b" if theirs == right else "neither"
    return Difference(ours, theirs, right, marks, cases, verdict)


def _in_order(labels: Sequence[str], found: Sequence[str]) -> List[str]:
    return [label for label in labels if label in found]


def _cut(triples: Sequence[Triple], *, has_gold: bool) -> List[Tuple[int, int]]:
    """Start and end of each paragraph. There is one at least."""
    ranges: List[Tuple[int, int]] = []
    start = 0
    for end, triple in enumerate(triples, 1):
        length = end - start
        ends = any(
            word is not None and word.mark in SENTENCE_MARKS
            for word in ([triple.gold] if has_gold else [triple.a, triple.b])
        )
        if length >= MAX_PARAGRAPH_WORDS or (length >= PARAGRAPH_WORDS and ends):
            ranges.append((start, end))
            start = end
    if start < len(triples) or not ranges:
        ranges.append((start, len(triples)))
    return ranges


def _bounds(text: str, words: Sequence[Sequence[Optional[Word]]]) -> List[Tuple[int, int]]:
    """Where the text of each paragraph is, from its first word to that of the next one."""
    starts: List[int] = [len(text)]
    for paragraph in reversed(words):
        starts.append(next((word.start for word in paragraph if word is not None), starts[-1]))
    starts.reverse()
    starts[0] = 0
    return list(zip(starts, starts[1:]))


def _pieces(
    text: str,
    bounds: Tuple[int, int],
    words: Sequence[Optional[Word]],
    indices: Sequence[Optional[int]],
) -> List[Piece]:
    """One side of a paragraph in pieces."""
    position, stop = bounds
    stop = position + len(text[position:stop].rstrip())
    position += len(text[position:stop]) - len(text[position:stop].lstrip())
    following = [word.start for word in words if word is not None]
    following.append(stop)
    pieces: List[Piece] = []
    number = 0
    reached = position  # the end of the last word, with the mark that follows it

    def add(end: int, index: Optional[int]) -> None:
        nonlocal position
        if end > position or index is not None:
            pieces.append(Piece(text[position:end], index))
            position = end

    for word, index in zip(words, indices):
        start = reached
        if word is not None:
            number += 1
            start = word.start
            # A mark in a chunk of its own is shown with its word.
            mark_at = text.find(word.mark, word.core_end, following[number]) if word.mark else -1
            reached = max(word.end, mark_at + 1)
        if index is not None:
            add(start, None)
            add(reached, index)
    add(stop, None)
    return pieces
