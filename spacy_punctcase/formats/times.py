"""When each word of a Doc was said.

`doc.user_data["punctcase_times"]` holds the words of the source text by their character offsets, so
that the times stay with the words through restoration (plain numbers, which survive DocBin, bytes,
pickle and copies).
"""

from bisect import bisect_right
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from spacy.language import Language
from spacy.tokens import Doc, Span, Token

from ..errors import Errors
from ..rewrite.offsets import add_getters, span_source_span, token_source_span

#: Key of the words of the source text in `doc.user_data`.
TIMES = "punctcase_times"


class TimedWord(NamedTuple):
    """A word as a recogniser puts it out.

    text: The word; white space in it and around it does not count.
    start, end: When it was said, in seconds; None if that is not known.
    confidence: How sure the recogniser is; None if it does not say.
    speaker: Who said it; None if that is not known.
    """

    text: str
    start: Optional[float] = None
    end: Optional[float] = None
    confidence: Optional[float] = None
    speaker: Optional[str] = None


class Place(NamedTuple):
    """A stretch of the source text, a word or a line of a caption, and what is known of it.

    start_char, end_char: Character offsets in the source text.
    start, end: Seconds; None if not known.
    confidence: How sure the recogniser is; None if it does not say.
    speaker: Who said it; None if that is not known.
    """

    start_char: int
    end_char: int
    start: Optional[float] = None
    end: Optional[float] = None
    confidence: Optional[float] = None
    speaker: Optional[str] = None


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
    places: List[Place] = []
    position = 0
    for index, word in enumerate(words):
        text = _checked_text(word, index)
        end = position + len(text)
        places.append(Place(position, end, word.start, word.end, word.confidence, word.speaker))
        texts.append(text)
        position = end + 1
    doc = make_doc(nlp, " ".join(texts))
    set_times(doc, places)
    return doc


def make_doc(nlp: Language, text: str) -> Doc:
    """Make the Doc of a transcript.

    nlp (Language): The pipeline, whose tokenizer makes the Doc.
    text (str): The text.
    RETURNS (Doc): The Doc.
    RAISES (ValueError): If the text is longer than `nlp.max_length`.
    """
    if len(text) > nlp.max_length:
        raise ValueError(Errors.P072.format(length=len(text), maximum=nlp.max_length))
    return nlp.make_doc(text)


def split_word(word: TimedWord, index: int) -> List[TimedWord]:
    """Split a word at the white space in it, each piece with its share of the time.

    word (TimedWord): The word.
    index (int): Its index in the transcript, for the error message.
    RETURNS (List[TimedWord]): The pieces, without white space.
    RAISES (ValueError): If the word is empty, or ends before it begins.
    """
    pieces = _checked_text(word, index).split()
    places: List[Place] = []
    position = 0
    for piece in pieces:
        end = position + len(piece)
        places.append(Place(position, end, None, None, word.confidence, word.speaker))
        position = end + 1
    places[0] = places[0]._replace(start=word.start)
    places[-1] = places[-1]._replace(end=word.end)
    return [
        TimedWord(piece, place.start, place.end, place.confidence, place.speaker)
        for piece, place in zip(pieces, interpolate(places))
    ]


def _checked_text(word: TimedWord, index: int) -> str:
    text = " ".join(word.text.split())
    if not text:
        raise ValueError(Errors.P058.format(index=index, problem="is empty"))
    if word.start is not None and word.end is not None and word.end < word.start:
        problem = f"ends ({word.end} s) before it begins ({word.start} s)"
        raise ValueError(Errors.P058.format(index=index, problem=problem))
    return text


def set_times(doc: Doc, places: Sequence[Place]) -> None:
    """Put on a Doc that is not restored yet when its words were said.

    doc (Doc): The Doc.
    places (Sequence[Place]): Its words, in order.
    """
    doc.user_data[TIMES] = [list(place) for place in interpolate(places)]


def interpolate(places: Sequence[Place]) -> List[Place]:
    """Give the words without times those of an even speed between the ones around them.

    places (Sequence[Place]): The words, in order.
    RETURNS (List[Place]): The same words; those without time before the first and behind the last
        known one still have none.
    """
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


def has_times(doc: Doc) -> bool:
    """Whether anything is known of a Doc's words. RETURNS (bool): Whether it is."""
    return bool(_places(doc))


def has_speakers(doc: Doc) -> bool:
    """Whether a speaker is known of any of a Doc's words. RETURNS (bool): Whether one is."""
    return any(Place(*place).speaker is not None for place in _places(doc))


def place_at(doc: Doc, offset: int) -> Optional[Place]:
    """The word of the source text that a character belongs to."""
    places = _places(doc)
    index = bisect_right(places, offset, key=lambda place: place[0]) - 1
    return Place(*places[index]) if index >= 0 else None


def time_at(doc: Doc, offset: int, *, of_end: bool) -> Optional[float]:
    """When the edge before or behind a character of the source text was said: within a word that
    becomes several tokens in proportion."""
    place = place_at(doc, offset)
    if place is None or place.start is None or place.end is None:
        return None
    edge = min(offset + 1 if of_end else offset, place.end_char)
    share = (edge - place.start_char) / (place.end_char - place.start_char)
    return place.start + share * (place.end - place.start)


def token_start_time(token: Token) -> Optional[float]:
    """Getter of `token._.start_time`: seconds, None if not known. An inserted mark is where the
    word that it follows ends."""
    start, end = token_source_span(token)
    return time_at(token.doc, start, of_end=False) if start < end else token_end_time(token)


def token_end_time(token: Token) -> Optional[float]:
    """Getter of `token._.end_time`: seconds, None if not known."""
    return time_at(token.doc, max(token_source_span(token)[1] - 1, 0), of_end=True)


def token_confidence(token: Token) -> Optional[float]:
    """Getter of `token._.confidence`: how sure the recogniser is of the word."""
    place = place_at(token.doc, max(token_source_span(token)[1] - 1, 0))
    return None if place is None else place.confidence


def token_speaker(token: Token) -> Optional[str]:
    """Getter of `token._.speaker`: who said the word."""
    place = place_at(token.doc, max(token_source_span(token)[1] - 1, 0))
    return None if place is None else place.speaker


def span_start_time(span: Span) -> Optional[float]:
    """Getter of `span._.start_time`: seconds, None if not known."""
    return token_start_time(span[0]) if len(span) else None


def span_end_time(span: Span) -> Optional[float]:
    """Getter of `span._.end_time`: seconds, None if not known."""
    return time_at(span.doc, max(span_source_span(span)[1] - 1, 0), of_end=True)


def register_extensions() -> None:
    """Make the getters available as `token._.start_time` and the like."""
    add_getters(
        [
            (Token, "start_time", token_start_time),
            (Token, "end_time", token_end_time),
            (Token, "confidence", token_confidence),
            (Token, "speaker", token_speaker),
            (Span, "start_time", span_start_time),
            (Span, "end_time", span_end_time),
        ]
    )
