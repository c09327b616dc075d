"""Upper and lower case, one character at a time, so that a text never changes its length."""


def has_case(char: str) -> bool:
    """Whether a character may change its case: there and back again without loss or growth."""
    return _to_upper(char) != char or _to_lower(char) != char


def _to_upper(char: str) -> str:
    upper = char.upper()
    if len(upper) == 1 and upper != char and upper.lower() == char:
        return upper
    return char


def _to_lower(char: str) -> str:
    lower = char.lower()
    if len(lower) == 1 and lower != char and lower.upper() == char:
        return lower
    return char


class _PerCharacter(dict):
    """A table for `str.translate` that is filled as characters are met."""

    def __init__(self, function):
        super().__init__()
        self._function = function

    def __missing__(self, codepoint: int) -> str:
        self[codepoint] = self._function(chr(codepoint))
        return self[codepoint]


_LOWER = _PerCharacter(_to_lower)
_UPPER = _PerCharacter(_to_upper)


def lower(text: str) -> str:
    """Lower-case a text character by character; characters that would grow stay as they are.

    `str.lower` on a string is not used anywhere: it turns a final sigma into another letter and
    makes two characters of a dotted capital I.
    """
    return text.lower() if text.isascii() else text.translate(_LOWER)


def upper(text: str) -> str:
    """Upper-case a text character by character; characters that would grow stay as they are."""
    return text.upper() if text.isascii() else text.translate(_UPPER)


def is_upper(char: str) -> bool:
    """Whether the character is the upper case of another one."""
    return _to_lower(char) != char


def casing_class(word: str) -> str:
    """One of "acronym", "capital", "lower", "mixed", or "none" for a word without case.

    acronym: two or more cased letters, all upper. capital: the first cased letter upper, the
    others (if any) lower. lower: all lower. mixed: anything else ("McDonald", "iPhone").
    """
    cased = [is_upper(char) for char in word if has_case(char)]
    if not cased:
        return "none"
    if not any(cased):
        return "lower"
    if all(cased) and len(cased) > 1:
        return "acronym"
    if cased[0] and not any(cased[1:]):
        return "capital"
    return "mixed"
