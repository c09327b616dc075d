"""Marks put behind the words of a text, or taken out of it."""

import re
from typing import Collection, List, Optional, Sequence, Tuple

from ..text.marks import NO_MARK
from ..text.words import Word, find_tags, split_words
from .edits import TextBuilder

_SPACE_OR_CHUNK = re.compile(r"\s+|\S+")


def insert_marks(
    text: str, labels: Sequence[str], *, removable: Collection[str] = ()
) -> Tuple[str, List[int]]:
    """Insert a mark behind each word that has one as its label.

    text (str): The text.
    labels (Sequence[str]): The mark of each word of `split_words(text)`; NO_MARK for none.
    removable (Collection[str]): Marks to take out of the text first. All others stay, and no
        second one is put beside them.
    RETURNS (Tuple[str, List[int]]): The new text and, for each of its characters, the offset in
        the old one, or INSERTED.
    """
    builder = TextBuilder(text)
    words = split_words(text)
    # Tags come out as they went in.
    in_tags = {place for tag in find_tags(text) for place in range(*tag)} if removable else set()
    for index, (word, label) in enumerate(zip(words, labels)):
        builder.copy_to(word.core_end)
        strip = bool(removable) and bool(word.mark)
        if strip:
            _copy_without_marks(builder, text, word.end, removable, in_tags)
        builder.copy_to(word.end)
        followed = word.followed and not strip
        if label != NO_MARK and not followed and not _ends_with(text, word, label):
            builder.insert(label)
        if strip:
            last = index + 1 == len(words)
            end = len(text) if last else words[index + 1].core_start
            _copy_without_marks(builder, text, end, removable, in_tags)
    return builder.finish()


def _copy_without_marks(
    builder: TextBuilder,
    text: str,
    limit: int,
    removable: Collection[str],
    in_tags: Collection[int],
) -> None:
    """Take over what is behind a word but for the marks: attached to it, attached to the next
    word, or in chunks of their own, which go with the white space in front of them.

    limit (int): End of the word's own chunk, or where the next word begins.
    in_tags (Collection[int]): Character offsets where nothing is taken out.
    """
    space: Optional[int] = None
    for match in _SPACE_OR_CHUNK.finditer(text, builder.position, limit):
        start, end = match.span()
        if text[start].isspace():
            space = start
            continue
        kept = [
            position
            for position in range(start, end)
            if text[position] not in removable or position in in_tags
        ]
        if kept or space is None or end == limit < len(text):
            builder.copy_to(start)
        for position in kept:
            builder.skip_to(position)
            builder.copy_to(position + 1)
        builder.skip_to(end)
        space = None


def _ends_with(text: str, word: Word, mark: str) -> bool:
    """Whether the word itself ends in the mark: "u.s." takes no second dot."""
    return text[word.core_end - 1] == mark
