"""JSON lines: an object with a string `text` on each line and, if known, `words` with times."""

import json
from typing import Any, Dict, Iterable, Iterator, Optional

from spacy.tokens import Doc, Span

from ..errors import Errors
from ..rewrite.offsets import get_offsets
from .json_fields import Field, parse_json
from .pieces import link_words
from .times import Place, has_times, span_end_time, span_start_time
from .transcript import LineLayout, OutputLine, Slot, Transcript, Turn, keep_space
from .words import RestoredWord, about, find_sentences, restored_words
from .writer import Writer, without_none

NAME = "json"
#: Fields of a line that say something of the turn.
ABOUT = ("id", "recording", "channel", "speaker")


class JsonLine(OutputLine):
    """A line that is written anew from its object.

    data: The object.
    ending: The line ending.
    """

    def __init__(self, data: Dict[str, Any], ending: str):
        super().__init__([])
        self._data = data
        self._ending = ending

    @property
    def text(self) -> str:
        return json.dumps(self._data, ensure_ascii=False) + self._ending


def read(lines: Iterable[str], name: str) -> Transcript:
    """Read a file line by line; other fields of a line stay."""
    layout = LineLayout()

    def turns() -> Iterator[Turn]:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                layout.add(line)
                continue
            data = parse_json(line, name, number - 1)
            if not isinstance(data, dict) or not isinstance(data.get("text"), str):
                problem = Errors.P030
                raise ValueError(Errors.P010.format(path=name, line=number, problem=problem))
            turn = _read_turn(Field(data, "", f"{name}, line {number}", NAME), number)
            output = JsonLine(data, line[len(line.rstrip("\r\n")) :])
            layout.append(output)
            turn.wait_with(output)
            yield turn

    return Transcript(name, NAME, turns(), layout)


def _read_turn(root: Field, number: int) -> Turn:
    text = root.get("text").text
    known: Dict[str, Any] = {key: root.get(key).name() for key in ABOUT}
    turn = Turn(text, line=number, fields=dict(root.value), **known)
    turn.slots.append(Slot(0, len(text), root.put("text")))
    words = root.get("words").items()
    keys = ["text" if word.has("text") else "word" for word in words]
    timed = [word.get(key).text for word, key in zip(words, keys)]
    for piece in link_words(text, timed) if words else ():
        place = Place(piece.start, piece.end, speaker=turn.speaker)
        if piece.word is not None:
            word, key = words[piece.word], keys[piece.word]
            place = place._replace(
                start=word.get("start_time", "start").number(),
                end=word.get("end_time", "end").number(),
                confidence=word.get("confidence").number(),
                speaker=word.get("speaker").name() or turn.speaker,
            )
            put = keep_space(word.get(key).text, word.put(key))
            turn.slots.append(Slot(piece.start, piece.end, put))
        turn.places.append(place)
    return turn


class JsonWriter(Writer):
    """Writes an object for each turn: what its line had, the restored text, and where and when each
    word, sentence and entity is."""

    def write(self, doc: Doc) -> str:
        known = dict(about(doc))
        record: Dict[str, Any] = {"file": known.pop("file", None), "line": known.pop("line", None)}
        record = {**known.pop("fields", {}), **without_none({**record, **known})}
        source, offsets = get_offsets(doc) or (doc.text, list(range(len(doc.text))))
        record.update(text=doc.text, source=source, offsets=offsets)
        if has_times(doc):
            words = restored_words(doc)
            record.update(_times(words[0].start, words[-1].end) if words else {})
            record["words"] = list(map(_word_record, words))
        record["sentences"] = [_span_record(sentence) for sentence in find_sentences(doc)]
        record["entities"] = [
            {"text": ent.text, "label": ent.label_, **_span_record(ent)} for ent in doc.ents
        ]
        return json.dumps(record, ensure_ascii=False) + "\n"


def _word_record(word: RestoredWord) -> Dict[str, Any]:
    known = {"confidence": word.confidence, "speaker": word.speaker}
    return {"text": word.text, **_times(word.start, word.end), **without_none(known)}


def _span_record(span: Span) -> Dict[str, Any]:
    source_start, source_end = span._.source_span
    return {
        "start": span.start_char,
        "end": span.end_char,
        "source_start": source_start,
        "source_end": source_end,
        **_times(span_start_time(span), span_end_time(span)),
    }


def _times(start: Optional[float], end: Optional[float]) -> Dict[str, Any]:
    times = {"start_time": start, "end_time": end}
    return {key: round(time, 3) for key, time in times.items() if time is not None}
