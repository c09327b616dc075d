"""Case set on the characters of a text, whose length never changes."""

from typing import Callable, Iterable

from ..text.case import lower, upper
from ..text.words import Word, normal_form, split_words


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
