"""Whitespace words of a text: where the word itself lies, and which mark follows it."""

import re
import unicodedata
from bisect import bisect_right
from typing import List, NamedTuple, Sequence, Tuple

from spacy.lang.lex_attrs import like_email, like_url

from .case import lower
from .marks import DASHES, MARKS, first_mark
from .unspoken import UNSPOKEN

_CHUNK = re.compile(r"\S+")
# "[noise]", "<unk>", "[background speech]", "(laughs)", "SPEAKER 1:": what is put between words.
_TAG = re.compile(
    rf"""(?<!\S)(?:\[[^\[\]\r\n]{{1,80}}\]|<[^<>\r\n]{{1,80}}>|\({UNSPOKEN}\)
    |speaker[\s_-]?(?:\d{{1,3}}|(?-i:[A-Z])):(?!\S))(?!\w)""",
    re.I | re.X,
)
_MAY_OPEN_TAG = frozenset("[<(:")
# Captions have them around what is sung.
_NOTES = frozenset("♩♪♫♬")
_ENDERS = MARKS | DASHES
_OPENERS = frozenset('"“„«‘([{<¿¡') | _ENDERS | _NOTES
_POSSESSIVES = ("'s", "’s", "'S", "’S")
_CLOSERS = frozenset("\"”“»’')]}>") | _ENDERS | _NOTES
# A letter with the accents behind it.
_CLUSTER = re.compile(r"[^\u0300-\u036f][\u0300-\u036f]*|[\u0300-\u036f]")
# "u.s", "p.m", "e.g": the dot that follows belongs to the word.
_DOTTED = re.compile(r"[^\W\d_](?:\.[^\W\d_])+\Z")


class Word(NamedTuple):
    """A word of a text. All offsets are character offsets into the text.

    start, end: The whitespace-delimited chunk, with whatever is attached to the word.
    core_start, core_end: The word itself, without quotes, brackets and marks around it.
    mark: The first mark that follows, attached, in a chunk of its own, behind a tag or in front of
        the next word; "" if none does.
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
    """Find the words of a text. Chunks without a word in them (marks, dashes, notes) and tags
    ("[noise]", "(laughs)") are no words.
    """
    tags = find_tags(text)
    words: List[Word] = []
    next_tag = 0
    for index, (start, end) in enumerate(chunks(text)):
        while next_tag < len(tags) and tags[next_tag][1] <= start:
            next_tag += 1
        if next_tag < len(tags) and tags[next_tag][0] <= start:
            # A colon belongs to the tag: "[SPEAKER_01]: hello".
            _add_trail(words, text[tags[next_tag][1] : end].lstrip(":"))
            continue
        chunk = text[start:end]
        is_bare = chunk.isalnum()
        if is_bare or (chunk[-1] in MARKS and chunk[:-1].isalnum()):  # most chunks by far
            mark = "" if is_bare else chunk[-1]
            words.append(Word(start, end, start, end - len(mark), mark, not is_bare, False, index))
            continue
        core_start, core_end = _find_core(chunk)
        if core_start == core_end:
            _add_trail(words, chunk)
            continue
        if first_mark(chunk[:core_start]):
            _add_trail(words, chunk[:core_start])
        trail = chunk[core_end:]
        core = chunk[core_start:core_end]
        words.append(
            Word(
                start,
                end,
                start + core_start,
                start + core_end,
                first_mark(trail),
                not _ENDERS.isdisjoint(trail),
                is_protected(core),
                index,
            )
        )
    return words


def _add_trail(words: List[Word], trail: str) -> None:
    """Marks in a chunk of their own, behind a tag or in front of a word go to the one before."""
    if words and not _ENDERS.isdisjoint(trail):
        word = words[-1]
        words[-1] = word._replace(mark=word.mark or first_mark(trail), followed=True)


def find_tags(text: str) -> List[Tuple[int, int]]:
    """Start and end of what stands between words and was not said: "[noise]", "SPEAKER 1:"."""
    if not _MAY_OPEN_TAG.isdisjoint(text):
        return [match.span() for match in _TAG.finditer(text)]
    return []


def is_protected(core: str) -> bool:
    """Whether a word is a URL, an e-mail address, a hashtag or a handle."""
    if core[0] in "#@" and len(core) > 1:
        return True
    if "." not in core and "://" not in core:
        return False
    return bool(like_url(lower(core)) or like_email(core))


def _find_core(chunk: str) -> Tuple[int, int]:
    """Where in a chunk the word is, without what opens and closes it; an empty range at the
    chunk's end where there is none.

    The word is the same whether a mark follows or not, so an apostrophe right behind it belongs
    to it either way ("dogs'", "dogs',"), and so does the dot in front of ".5" and ".net".
    """
    length = end = len(chunk)
    start = 0
    while start < length and chunk[start] in _OPENERS:
        start += 1
    while end > start and chunk[end - 1] in _CLOSERS:
        end -= 1
    if start == end:
        return length, length
    while end < length and chunk[end] in "'’":
        end += 1
    if chunk[end : end + 1] == "." and _DOTTED.match(chunk[start:end]):
        end += 1
    lead = chunk[:start]
    if lead[-1:] == "." and lead[-2:-1] not in MARKS and chunk[start].isalnum():
        start -= 1
    return start, end


def normal_form(text: str, word: Word) -> str:
    """The word in lower case, without what opens and closes it in the text."""
    return lower(text[word.core_start : word.core_end])


def model_form(text: str, word: Word) -> str:
    """The word as the models read it: its normal form, composed and with straight apostrophes as
    in training text, and without the last dot of an abbreviation. A predicted full stop may become
    that dot ("u.s" and "u.s."), and a restored text must be read as it was before."""
    return to_model_form(normal_form(text, word))


def to_model_form(form: str) -> str:
    """Turn the normal form of a word into what the models read; see `model_form`."""
    if not form.isascii():
        form = "".join(map(_compose, _CLUSTER.findall(form))).replace("’", "'")
    return form[:-1] if len(form) > 1 and form[-1] == "." else form


def model_form_offsets(text: str, word: Word) -> List[int]:
    """The character offset in the text of each character of a word's `model_form`."""
    offsets: List[int] = []
    for match in _CLUSTER.finditer(normal_form(text, word)):
        start = word.core_start + match.start()
        offsets.extend(range(start, start + len(_compose(match[0]))))
    return offsets[: len(model_form(text, word))]


def _compose(cluster: str) -> str:
    composed = unicodedata.normalize("NFC", cluster)
    return composed if len(composed) < len(cluster) else cluster


def without_possessive(word: str) -> str:
    """The word without the ending "'s", whose case is its own. An ending that stands alone, as in
    tokenised text, is a word."""
    return word[:-2] if len(word) > 2 and word[-2:] in _POSSESSIVES else word


def same_word(form: str, other: str) -> bool:
    """Whether two normal forms are the same word: but for the last dot of an abbreviation, which
    a mark may have become ("u.s", "u.s."), and for the two small sigmas."""
    return form == other or _fold(form) == _fold(other)


def _fold(form: str) -> str:
    return form.rstrip(".").replace("ς", "σ")
