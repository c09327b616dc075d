"""When each word of a Doc was said.

`doc.user_data["punctcase_times"]` holds the words of the source text by their character offsets, so
that the times stay with the words through restoration (plain numbers, which survive DocBin, bytes,
pickle and copies).
"""

from bisect import bisect_right
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from spacy.language import Language
from spacy.tokens import Doc, Span, Token

from ..errors import Errors
from ..rewrite.offsets import span_source_span, token_source_span

#: Key of the words of the source text in `doc.user_data`.
TIMES = "punctcase_times"


class TimedWord(NamedTuple):
    """A word as a recogniser puts it out.

    text: The word; white space in it and around it does not count.
    start, end: When it was said, in seconds; None if that is not known.
    confidence: How sure the recogniser is; None if it does not say.
    """

    text: str
    start: Optional[float] = None
    end: Optional[float] = None
    confidence: Optional[float] = None


class _Place(NamedTuple):
    """A word in the source text: character offsets, and what is known of it."""

    start_char: int
    end_char: int
    start: Optional[float]
    end: Optional[float]
    confidence: Optional[float]


def make_timed_doc(nlp: Language, words: Sequence[TimedWord]) -> Doc:
    """Make a Doc of words with times, for `nlp` and `nlp.pipe`. Behind the pipeline
    `token._.start_time` and `token._.end_time` are those of the words, in seconds, and spans
    (entities, sentences) have both, too. A time that is missing lies between those of the words
    around it, by the number of characters; at either end of the text it stays unknown (None).

    nlp (Language): The pipeline, whose tokenizer makes the Doc.
    words (Sequence[TimedWord]): The words.
    RETURNS (Doc): The words with a space between.
    RAISES (ValueError): If a word is empty, or ends before it begins, or the text is longer than
        `nlp.max_length`.
    """
    texts: List[str] = []
    places: List[_Place] = []
    position = 0
    for index, word in enumerate(words):
        text = _checked_text(word, index)
        end = position + len(text)
        places.append(_Place(position, end, word.start, word.end, word.confidence))
        texts.append(text)
        position = end + 1
    joined = " ".join(texts)
    if len(joined) > nlp.max_length:
        raise ValueError(Errors.P072.format(length=len(joined), maximum=nlp.max_length))
    doc = nlp.make_doc(joined)
    doc.user_data[TIMES] = [list(place) for place in _interpolate(places)]
    return doc


def split_word(word: TimedWord, index: int) -> List[TimedWord]:
    """Split a word at the white space in it, each piece with its share of the time.

    word (TimedWord): The word.
    index (int): Its index in the transcript, for the error message.
    RETURNS (List[TimedWord]): The pieces, without white space.
    RAISES (ValueError): If the word is empty, or ends before it begins.
    """
    pieces = _checked_text(word, index).split()
    places: List[_Place] = []
    position = 0
    for piece in pieces:
        end = position + len(piece)
        places.append(_Place(position, end, None, None, word.confidence))
        position = end + 1
    places[0] = places[0]._replace(start=word.start)
    places[-1] = places[-1]._replace(end=word.end)
    return [
        TimedWord(piece, place.start, place.end, place.confidence)
        for piece, place in zip(pieces, _interpolate(places))
    ]


def _checked_text(word: TimedWord, index: int) -> str:
    text = " ".join(word.text.split())
    if not text:
        raise ValueError(Errors.P058.format(index=index, problem="is empty"))
    if word.start is not None and word.end is not None and word.end < word.start:
        problem = f"ends ({word.end} s) before it begins ({word.start} s)"
        raise ValueError(Errors.P058.format(index=index, problem=problem))
    return text


def _interpolate(places: Sequence[_Place]) -> List[_Place]:
    """Give the words without times those of an even speed between the ones around them."""
    # Each word's two edges: where it is in the text, and when.
    offsets = [offset for place in places for offset in (place.start_char, place.end_char)]
    times = [time for place in places for time in (place.start, place.end)]
    known = [index for index, time in enumerate(times) if time is not None]
    for before, behind in zip(known, known[1:]):
        first, last = times[before], times[behind]
        assert first is not None and last is not None
        for index in range(before + 1, behind):
            share = (offsets[index] - offsets[before]) / (offsets[behind] - offsets[before])
            times[index] = first + share * (last - first)
    return [
        place._replace(start=times[2 * index], end=times[2 * index + 1])
        for index, place in enumerate(places)
    ]


def _places(doc: Doc) -> List[List[Any]]:
    user_data: Dict[Any, Any] = doc.user_data
    return user_data.get(TIMES, [])


def _place_at(doc: Doc, offset: int) -> Optional[_Place]:
    """The word of the source text that a character belongs to."""
    places = _places(doc)
    index = bisect_right(places, offset, key=lambda place: place[0]) - 1
    return _Place(*places[index]) if index >= 0 else None


def _time_at(doc: Doc, offset: int, *, of_end: bool) -> Optional[float]:
    """When the edge before or behind a character of the source text was said: within a word that
    becomes several tokens in proportion."""
    place = _place_at(doc, offset)
    if place is None or place.start is None or place.end is None:
        return None
    edge = min(offset + 1 if of_end else offset, place.end_char)
    share = (edge - place.start_char) / (place.end_char - place.start_char)
    return place.start + share * (place.end - place.start)


def token_start_time(token: Token) -> Optional[float]:
    """Getter of `token._.start_time`: seconds, None if not known. An inserted mark is where the
    word that it follows ends."""
    start, end = token_source_span(token)
    return _time_at(token.doc, start, of_end=False) if start < end else token_end_time(token)


def token_end_time(token: Token) -> Optional[float]:
    """Getter of `token._.end_time`: seconds, None if not known."""
    return _time_at(token.doc, max(token_source_span(token)[1] - 1, 0), of_end=True)


def token_confidence(token: Token) -> Optional[float]:
    """Getter of `token._.confidence`: how sure the recogniser is of the word."""
    place = _place_at(token.doc, max(token_source_span(token)[1] - 1, 0))
    return None if place is None else place.confidence


def span_start_time(span: Span) -> Optional[float]:
    """Getter of `span._.start_time`: seconds, None if not known."""
    return token_start_time(span[0]) if len(span) else None


def span_end_time(span: Span) -> Optional[float]:
    """Getter of `span._.end_time`: seconds, None if not known."""
    return _time_at(span.doc, max(span_source_span(span)[1] - 1, 0), of_end=True)


def register_extensions() -> None:
    """Make the getters available as `token._.start_time` and the like. Names as plain as these may
    be taken by somebody's own attributes, which stay."""
    getters: List[Tuple[Any, str, Callable]] = [
        (Token, "start_time", token_start_time),
        (Token, "end_time", token_end_time),
        (Token, "confidence", token_confidence),
        (Span, "start_time", span_start_time),
        (Span, "end_time", span_end_time),
    ]
    for kind, name, getter in getters:
        if not kind.has_extension(name):
            kind.set_extension(name, getter=getter)
