"""Punctuation marks: which characters are one, and how they map to a component's labels."""

from typing import Dict, List, Mapping, Optional, Sequence

from ..errors import Errors, check_no_text

#: Label of a word that no mark follows.
NO_MARK = "O"

#: Characters that count as a mark when they end a word.
MARKS = frozenset(".,?!:;…。，、？！：；؟،؛।")

#: Marks of different scripts that say the same.
_ALIKE = (",，、،", ".。।", "?？؟", "!！", ":：", ";；؛")

#: Marks after which a sentence ends.
SENTENCE_MARKS = frozenset(".?!…。？！؟।")

#: Characters that join or interrupt, but are no mark: a word of them alone is no word.
DASHES = frozenset("-‐‑‒–—―~*·•")

DEFAULT_MARKS = (",", ".", "?")
DEFAULT_MARK_MAP: Dict[str, str] = {"!": ".", ":": ",", ";": ".", "…": "."}


def check_marks(marks: Sequence[str], mark_map: Mapping[str, str]) -> None:
    """Raise a ValueError where a mark is not one of MARKS, or is mapped to something unknown."""
    check_no_text("`marks`", marks)
    for mark in marks:
        if mark not in MARKS:
            raise ValueError(Errors.P004.format(mark=mark, known=" ".join(sorted(MARKS))))
    for mark, target in mark_map.items():
        if target and target not in marks:
            raise ValueError(Errors.P005.format(mark=mark, target=target, marks=list(marks)))


def map_mark(
    mark: str, marks: Sequence[str], mark_map: Mapping[str, str], *, word: str = "", name: str = ""
) -> str:
    """Turn the mark found in gold text into a label. See `find_label`.

    mark (str): The mark; "" for none.
    marks (Sequence[str]): The marks that the component predicts.
    mark_map (Mapping[str, str]): What the others become; "" drops the mark.
    RETURNS (str): One of `marks`, or NO_MARK.
    RAISES (ValueError): If the mark is neither one of `marks` nor mapped.
    """
    label = find_label(mark, marks, mark_map)
    if label is not None:
        return label
    labels: List[str] = [NO_MARK, *marks]
    raise ValueError(Errors.P002.format(mark=mark, word=word, labels=labels, name=name))


def find_label(mark: str, marks: Sequence[str], mark_map: Mapping[str, str]) -> Optional[str]:
    """The label of a mark. Foreign names bring the marks of their script with them: one that is
    neither a label nor mapped counts as what says the same in another script.

    mark (str): The mark; "" for none.
    marks (Sequence[str]): The marks that are labels.
    mark_map (Mapping[str, str]): What the others become; "" drops the mark.
    RETURNS (Optional[str]): One of `marks`, NO_MARK, or None if nothing is said of the mark.
    """
    if not mark:
        return NO_MARK
    alike = next((group for group in _ALIKE if mark in group), "")
    for candidate in (mark, *alike):
        if candidate in marks:
            return candidate
        if candidate in mark_map:
            return mark_map[candidate] or NO_MARK
    return None


def first_mark(trail: str) -> str:
    """The first mark among the characters that end a word: `.` for `."`, "" for `"`."""
    return next((char for char in trail if char in MARKS), "")
