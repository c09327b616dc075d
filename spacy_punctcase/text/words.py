"""Whitespace words of a text: where the word itself lies, and which mark follows it."""

import re
from bisect import bisect_right
from typing import List, NamedTuple, Sequence, Tuple

from spacy.lang.lex_attrs import like_email, like_url

from .case import lower
from .marks import DASHES, MARKS

_CHUNK = re.compile(r"\S+")
# "[noise]", "<unk>", "[background speech]": what recognisers put between words.
_TAG = re.compile(r"(?<!\S)(?:\[[^\[\]\r\n]{1,80}\]|<[^<>\r\n]{1,80}>)(?!\w)")
_OPENERS = frozenset("\"“„«‘([{¿¡") | DASHES
_CLOSERS = frozenset("\"”“»’')]}")
_ENDERS = MARKS | DASHES
# "u.s", "p.m", "e.g": the dot that follows belongs to the word.
_DOTTED = re.compile(r"[^\W\d_](?:\.[^\W\d_])+\Z")


class Word(NamedTuple):
    """A word of a text. All offsets are character offsets into the text.

    start, end: The whitespace-delimited chunk, with whatever is attached to the word.
    core_start, core_end: The word itself, without quotes, brackets and marks around it.
    mark: The first mark that follows, attached or in a chunk of its own; "" if none does.
    followed: Whether any mark or dash follows, so that no other one may be inserted.
    protected: Whether it is a URL, e-mail address, hashtag or handle, whose case stays.
    chunk: Index of the chunk among all chunks of the text (marks alone and tags count too).
    """

    start: int
    end: int
    core_start: int
    core_end: int
    mark: str
    followed: bool
    protected: bool
    chunk: int


def chunks(text: str) -> List[Tuple[int, int]]:
    """Start and end of each run of characters that are no white space."""
    return [match.span() for match in _CHUNK.finditer(text)]


def chunk_index(starts: Sequence[int], offset: int) -> int:
    """Index of the chunk at a character offset, or of the last one before it (-1 if none)."""
    return bisect_right(starts, offset) - 1


def split_words(text: str) -> List[Word]:
    """Find the words of a text. Chunks without a word in them (marks, dashes) and recognisers'
    tags ("[noise]") are no words.
    """
    tags = [match.span() for match in _TAG.finditer(text)] if "[" in text or "<" in text else []
    words: List[Word] = []
    next_tag = 0
    last_is_word = False
    for index, (start, end) in enumerate(chunks(text)):
        while next_tag < len(tags) and tags[next_tag][1] <= start:
            next_tag += 1
        if next_tag < len(tags) and tags[next_tag][0] <= start:
            last_is_word = False
            continue
        chunk = text[start:end]
        if chunk.isalnum():  # the common case of recogniser output
            words.append(Word(start, end, start, end, "", False, False, index))
            last_is_word = True
            continue
        core_start, core_end = _find_core(chunk)
        trail = chunk[core_end:]
        mark = next((char for char in trail if char in MARKS), "")
        followed = any(char in _ENDERS for char in trail)
        if core_start == core_end:
            # Marks in a chunk of their own belong to the word before.
            if last_is_word:
                words[-1] = words[-1]._replace(
                    mark=words[-1].mark or mark, followed=words[-1].followed or followed
                )
            continue
        core = chunk[core_start:core_end]
        words.append(
            Word(
                start,
                end,
                start + core_start,
                start + core_end,
                mark,
                followed,
                is_protected(core),
                index,
            )
        )
        last_is_word = True
    return words


def is_protected(core: str) -> bool:
    """Whether a word is a URL, an e-mail address, a hashtag or a handle."""
    if core[0] in "#@" and len(core) > 1:
        return True
    if "." not in core and "://" not in core:
        return False
    return bool(like_url(core) or like_email(core))


def _find_core(chunk: str) -> Tuple[int, int]:
    """Where in a chunk the word is, without what opens and closes it."""
    start, end = 0, len(chunk)
    core_end = end
    # Walk back over closers and marks; closers alone ("dogs'") belong to the word unless they
    # are brackets or double quotes.
    while end > 0 and (chunk[end - 1] in _ENDERS or chunk[end - 1] in _CLOSERS):
        end -= 1
    trail = chunk[end:]
    if any(char in _ENDERS for char in trail):
        core_end = end
    else:
        core_end = end + len(trail) - len(trail.lstrip("'’"))
    while start < core_end and chunk[start] in _OPENERS:
        start += 1
    core = chunk[start:core_end]
    if chunk[core_end : core_end + 1] == "." and _DOTTED.match(core):
        core_end += 1
    return (start, core_end) if start < core_end else (0, 0)


def normal_form(text: str, word: Word) -> str:
    """The word as the models read it, whatever its marks and case are in the text."""
    return lower(text[word.core_start : word.core_end])
