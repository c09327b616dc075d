"""The words and sentences of restored Docs with their times, for writing them."""

from itertools import groupby
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

from spacy.tokens import Doc, Span

from ..errors import Errors
from ..rewrite.edits import INSERTED
from ..rewrite.offsets import get_offsets
from ..text.marks import SENTENCE_MARKS
from ..text.words import chunks
from .times import Place, interpolate, place_at, time_at
from .transcript import TURN

_CLOSERS = frozenset("\"”“»’')]}>")


class RestoredWord(NamedTuple):
    """A word of a restored Doc, with the marks attached to it.

    text: The word.
    start, end: When it was said, in seconds; None if not known.
    confidence: How sure the recogniser is; None if it does not say.
    speaker: Who said it; None if not known.
    ends_sentence: Whether a sentence ends with it.
    """

    text: str
    start: Optional[float]
    end: Optional[float]
    confidence: Optional[float]
    speaker: Optional[str]
    ends_sentence: bool


def find_sentences(doc: Doc) -> List[Span]:
    """The sentences of a restored Doc: those that a component set, otherwise what its marks
    divide. The dot of an abbreviation is no end, since the tokenizer leaves it on the word.

    doc (Doc): The restored Doc.
    RETURNS (List[Span]): The sentences.
    """
    if doc.has_annotation("SENT_START"):
        return list(doc.sents)
    return split_at_marks(doc)


def split_at_marks(doc: Doc) -> List[Span]:
    """The sentences of a Doc as its marks divide it. RETURNS (List[Span]): The sentences."""
    sentences: List[Span] = []
    start = 0
    for token in doc:
        ends = token.i + 1 == len(doc) or (
            _is_end(doc, token.i) and not set(doc[token.i + 1].text) <= _CLOSERS | SENTENCE_MARKS
        )
        if ends:
            sentences.append(doc[start : token.i + 1])
            start = token.i + 1
    return [sentence for sentence in sentences if sentence.text.strip()]


def _is_end(doc: Doc, index: int) -> bool:
    """Whether a token is a mark that ends a sentence, or closes one that ended, or white space
    behind either."""
    while index >= 0 and (doc[index].is_space or set(doc[index].text) <= _CLOSERS):
        index -= 1
    return index >= 0 and set(doc[index].text) <= SENTENCE_MARKS


def restored_words(doc: Doc) -> List[RestoredWord]:
    """The words of a restored Doc: what white space delimits, marks included.

    doc (Doc): The Doc.
    RETURNS (List[RestoredWord]): The words, in order.
    """
    text = doc.text
    offsets = get_offsets(doc)
    origins: Sequence[int] = range(len(text)) if offsets is None else offsets[1]
    ends = {sentence.start_char + len(sentence.text.rstrip()) for sentence in split_at_marks(doc)}
    words: List[RestoredWord] = []
    for start, end in chunks(text):
        known = [origin for origin in origins[start:end] if origin != INSERTED]
        first, last = (known[0], known[-1]) if known else (0, 0)
        place, final = place_at(doc, first), place_at(doc, last)
        confidences = [p.confidence for p in (place, final) if p and p.confidence is not None]
        words.append(
            RestoredWord(
                text[start:end],
                time_at(doc, first, of_end=False),
                time_at(doc, last, of_end=True),
                min(confidences, default=None),
                place.speaker if place else None,
                end in ends,
            )
        )
    return words


def about(doc: Doc) -> Dict[str, Any]:
    """What is known of the turn that a Doc is: "speaker", "recording" and so on."""
    user_data: Dict[Any, Any] = doc.user_data
    return user_data.get(TURN, {})


def recording_of(doc: Doc) -> str:
    """The name of a Doc's recording: that in the file, otherwise of the file."""
    known = about(doc)
    return known.get("recording") or Path(known.get("file", "")).stem or "transcript"


def split_speakers(words: Sequence[RestoredWord]) -> List[List[RestoredWord]]:
    """Split words where somebody else speaks. RETURNS (List[List[RestoredWord]]): The parts."""
    return [list(group) for _, group in groupby(words, key=lambda word: word.speaker)]


def split_sentences(words: Sequence[RestoredWord]) -> List[List[RestoredWord]]:
    """Split words at ends of sentences and where somebody else speaks.

    RETURNS (List[List[RestoredWord]]): The parts.
    """
    parts: List[List[RestoredWord]] = []
    for turn in split_speakers(words):
        parts.append([])
        for word in turn:
            if parts[-1] and parts[-1][-1].ends_sentence:
                parts.append([])
            parts[-1].append(word)
    return parts


def join_words(words: Sequence[RestoredWord]) -> str:
    """Words as text. RETURNS (str): The words with a space between."""
    return " ".join(word.text for word in words)


class TimedWords(NamedTuple):
    """The words of a stretch of speech, when it begins and ends, in seconds, and who speaks."""

    words: List[RestoredWord]
    start: float
    end: float

    @property
    def text(self) -> str:
        return join_words(self.words)

    @property
    def speaker(self) -> Optional[str]:
        return self.words[0].speaker


def make_timed(words: Sequence[RestoredWord]) -> TimedWords:
    """Put words together that `fill_times` gave times."""
    starts = [word.start for word in words if word.start is not None]
    ends = [word.end for word in words if word.end is not None]
    return TimedWords(list(words), min(starts), max(ends))


def fill_times(words: Sequence[RestoredWord], format: str) -> List[RestoredWord]:
    """Give words without times those of an even speed between the ones around them; at either
    end the nearest time that is known.

    words (Sequence[RestoredWord]): The words of a recording, in order.
    format (str): Name of the format that needs the times.
    RETURNS (List[RestoredWord]): The words, all with times.
    RAISES (ValueError): If no word has a time.
    """
    places: List[Place] = []
    position = 0
    for word in words:
        end = position + len(word.text)
        places.append(Place(position, end, word.start, word.end))
        position = end + 1
    places = interpolate(places)
    known = [time for place in places for time in (place.start, place.end) if time is not None]
    if words and not known:
        raise ValueError(Errors.P039.format(format=format))
    filled: List[RestoredWord] = []
    last = known[0] if known else 0.0
    for word, place in zip(words, places):
        start = last if place.start is None else place.start
        last = max(start, start if place.end is None else place.end)
        filled.append(word._replace(start=start, end=last))
    return filled
