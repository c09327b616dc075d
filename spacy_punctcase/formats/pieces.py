"""A text and the words that it was made of, which have the times, brought together."""

from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from rapidfuzz.distance import Levenshtein

from ..text.case import lower
from ..text.words import chunks
from .json_fields import Field
from .transcript import Put, TurnMaker, Whole, has_own_spaces, keep_space


class TimedField(NamedTuple):
    """A word of a JSON file.

    field: The object that has it.
    key: Its key there.
    start, end: Seconds; None if not known.
    confidence: How sure the recogniser is; None if it does not say.
    speaker: Who said it; None if that is not known.
    """

    field: Field
    key: str
    start: Optional[float] = None
    end: Optional[float] = None
    confidence: Optional[float] = None
    speaker: Optional[str] = None

    @property
    def text(self) -> str:
        return self.field.get(self.key).text


class Piece(NamedTuple):
    """A piece of a text.

    start, end: Character offsets in the text.
    word: Index of the word that it is; None if there is no such word.
    """

    start: int
    end: int
    word: Optional[int]


def link_words(text: str, words: Sequence[str]) -> List[Piece]:
    """Cut a text into pieces, one for each word.

    Where marks, figures or spellings differ ("thirteen dollars", "$13") the words that both have
    are linked, and a piece without a word is what white space delimits.

    text (str): The text.
    words (Sequence[str]): The words that it was made of, also parts of words.
    RETURNS (List[Piece]): The pieces, in order.
    """
    return _link_exactly(text, words) or _link_by_form(text, words)


def _link_exactly(text: str, words: Sequence[str]) -> List[Piece]:
    pieces: List[Piece] = []
    position = 0
    for index, word in enumerate(words):
        core = word.strip()
        while position < len(text) and text[position].isspace():
            position += 1
        if not text.startswith(core, position):
            return []
        if core:
            pieces.append(Piece(position, position + len(core), index))
            position += len(core)
    return pieces if not text[position:].strip() else []


def _link_by_form(text: str, words: Sequence[str]) -> List[Piece]:
    found = chunks(text)
    forms = [_form(text[start:end]) for start, end in found]
    links: List[Optional[int]] = [None] * len(found)
    for block in Levenshtein.opcodes(forms, list(map(_form, words))).as_matching_blocks():
        links[block.a : block.a + block.size] = range(block.b, block.b + block.size)
    return [Piece(start, end, link) for (start, end), link in zip(found, links)]


def _form(word: str) -> str:
    return "".join(filter(str.isalnum, lower(word))) or word.strip()


def add_words(
    maker: TurnMaker,
    words: Sequence[TimedField],
    *,
    text: Optional[str] = None,
    glued: bool = False,
    wholes: Sequence[Whole] = (),
    copies: Sequence[Sequence[TimedField]] = (),
    channel: Optional[str] = None,
) -> None:
    """Add the words of a JSON file to the turns.

    maker (TurnMaker): Makes the turns.
    words (Sequence[TimedField]): The words.
    text (Optional[str]): The text that they make, if the file has it; its spelling counts.
    glued (bool): Whether the first one follows without white space, unless it brings its own.
    wholes (Sequence[Whole]): Texts of the file that they are a part of.
    copies (Sequence[Sequence[TimedField]]): The same words elsewhere in the file.
    channel (Optional[str]): Where they were said.
    """
    texts = [word.text for word in words]
    if text is None or not text.strip():
        text = ("" if has_own_spaces(texts) else " ").join(texts)
    pieces = link_words(text, texts)
    ends = [piece.start for piece in pieces[1:]] + [len(text)]
    for index, (piece, end) in enumerate(zip(pieces, ends)):
        options: Dict[str, Any] = {
            "glued": index > 0 or (glued and piece.start == 0),
            "wholes": wholes,
            "channel": channel,
        }
        if piece.word is not None:
            word = words[piece.word]
            options["start"], options["end"] = word.start, word.end
            options["confidence"], options["speaker"] = word.confidence, word.speaker
            options["put"] = _put_all([word, *(copy[piece.word] for copy in copies)])
        maker.add(text[piece.start : end], **options)


def _put_all(words: Sequence[TimedField]) -> Put:
    puts = [keep_space(word.text, word.field.put(word.key)) for word in words]

    def put(text: str) -> None:
        for each in puts:
            each(text)

    return put
