"""Case set on the characters of a text, whose length never changes."""

from typing import Callable, Collection, Iterable, List, Sequence

from ..text.case import casing_class, has_case, lower, upper
from ..text.words import Word, normal_form, split_words, without_possessive

#: How many words must speak for it that a text, a line or several of them are all in capitals,
#: and how many where the capitals begin or end within a line, as a word that is stressed does.
ALL_CAPS_LINE, ALL_CAPS_WITHIN_LINE = 2, 4


def set_case(
    text: str, capitals: Iterable[int], *, lower_first: Callable[[Word], bool] = lambda word: False
) -> str:
    """Put characters of a text in upper case.

    text (str): The text.
    capitals (Iterable[int]): Offsets of the characters.
    lower_first (Callable[[Word], bool]): Which words to put in lower case before.
    RETURNS (str): The new text, of the same length.
    """
    chars = list(text)
    for word in split_words(text):
        if lower_first(word):
            chars[word.core_start : word.core_end] = normal_form(text, word)
    for offset in capitals:
        chars[offset] = upper(lower(chars[offset]))
    return "".join(chars)


def find_all_caps(
    text: str, restored: str, lower_words: Collection[int], *, fixed: Collection[int] = ()
) -> List[int]:
    """Find segments that are in capitals because all of them is, not because their words are
    acronyms. The words that speak for it must be half of those in a segment.

    text (str): The text.
    restored (str): The same with the capitals that a model adds. Runs of capitals are looked for
        in it, so that a text restored again has the same ones.
    lower_words (Collection[int]): The `core_start` of the words in capitals of which a model is
        sure that they should not be.
    fixed (Collection[int]): The `core_start` of words whose case is settled.
    RETURNS (List[int]): The `core_start` of the words to lower.
    """
    words = split_words(text)
    lower_words = set(lower_words)
    found: List[int] = []
    start = 0
    for end in range(len(words) + 1):
        if end < len(words) and not _ends_run(restored, words[end], fixed):
            continue
        run = [word for word in words[start:end] if _may_lower(text, word, fixed)]
        longer = [word for word in run if _count_letters(text, word) > 1]
        votes = sum(word.core_start in lower_words for word in longer)
        is_line = _is_line_end(text, words, start) and _is_line_end(text, words, end)
        needed = ALL_CAPS_LINE if is_line else ALL_CAPS_WITHIN_LINE
        if votes >= needed and 2 * votes >= len(longer):
            found += [word.core_start for word in run]
        start = end + 1
    return found


def is_all_caps(text: str, word: Word) -> bool:
    """Whether each letter of a word is upper case, but for a possessive ending."""
    return without_possessive(text[word.core_start : word.core_end]).isupper()


def _ends_run(restored: str, word: Word, fixed: Collection[int]) -> bool:
    if word.protected or word.core_start in fixed or is_all_caps(restored, word):
        return False
    # "iPhone" and "McDONALD" look the same in a segment that is all in capitals.
    return casing_class(restored[word.core_start : word.core_end]) in ("lower", "capital")


def _may_lower(text: str, word: Word, fixed: Collection[int]) -> bool:
    return not (word.protected or word.core_start in fixed) and is_all_caps(text, word)


def _count_letters(text: str, word: Word) -> int:
    return sum(map(has_case, text[word.core_start : word.core_end]))


def _is_line_end(text: str, words: Sequence[Word], index: int) -> bool:
    """Whether a line, or the text, ends in front of a word."""
    if index in (0, len(words)):
        return True
    return "\n" in text[words[index - 1].end : words[index].start]
