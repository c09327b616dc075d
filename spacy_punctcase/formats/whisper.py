"""JSON of Whisper and of the programs around it.

Four shapes are known: segments, with words or without (openai-whisper, whisper-timestamped,
WhisperX, faster-whisper as people save it, and the `verbose_json` of OpenAI's service, whose words
are beside the segments); `chunks` (the Hugging Face pipeline); and `transcription` (whisper.cpp).
"""

import json
from typing import Any, Dict, List, Sequence

from spacy.tokens import Doc

from .json_fields import Field, JsonLayout
from .pieces import TimedField, add_words
from .transcript import TurnMaker, Whole, has_own_spaces, keep_space
from .words import RestoredWord, make_timed, split_sentences
from .writer import RecordingWriter, without_none


def looks_like(data: Any) -> bool:
    """Whether the content of a JSON file is of this format."""
    return isinstance(data, dict) and any(
        isinstance(data.get(key), list) for key in ("segments", "chunks", "transcription")
    )


def read(root: Field, layout: JsonLayout, maker: TurnMaker) -> None:
    """Read the turns of a file."""
    wholes = [layout.whole(root, "text")] if root.has("text") else []
    if root.has("transcription"):
        _read_transcription(root, maker)
    elif root.has("chunks") and not root.has("segments"):
        _read_chunks(root, maker, wholes)
    else:
        _read_segments(root, layout, maker, wholes)


def _timed(word: Field) -> TimedField:
    return TimedField(
        word,
        "word" if word.has("word") else "text",
        word.get("start").number(),
        word.get("end").number(),
        word.get("probability", "confidence", "score").number(),
        word.get("speaker").name(),
    )


def _read_segments(
    root: Field, layout: JsonLayout, maker: TurnMaker, wholes: Sequence[Whole]
) -> None:
    segments = root.get("segments").items()
    beside = list(map(_timed, root.get("word_segments", "words").items()))
    inside = [list(map(_timed, segment.get("words").items())) for segment in segments]
    if beside and not any(inside):
        # The words of `verbose_json` belong to all segments together.
        inside, beside = _share_out(segments, beside), []
    # WhisperX repeats the words of all segments.
    is_copy = sum(map(len, inside)) == len(beside)
    glued = has_own_spaces([segment.get("text").text for segment in segments])
    position = 0
    for segment, words in zip(segments, inside):
        raw = segment.get("text").text
        speaker = segment.get("speaker").name()
        copies = [beside[position : position + len(words)]] if is_copy else []
        position += len(words)
        if words:
            words = [word._replace(speaker=word.speaker or speaker) for word in words]
            whole = layout.whole(segment, "text")
            add_words(maker, words, text=raw, glued=glued, wholes=[whole, *wholes], copies=copies)
        else:
            maker.add(
                raw,
                glued=glued,
                start=segment.get("start").number(),
                end=segment.get("end").number(),
                speaker=speaker,
                put=keep_space(raw, segment.put("text")),
                wholes=wholes,
            )


def _share_out(segments: Sequence[Field], words: Sequence[TimedField]) -> List[List[TimedField]]:
    """Give each segment those of the words that begin before it ends."""
    shares: List[List[TimedField]] = [[] for _ in segments]
    index = 0
    for number, segment in enumerate(segments):
        end = segment.get("end").number()
        while index < len(words):
            start = words[index].start
            last = number + 1 == len(segments)
            if not last and start is not None and end is not None and start >= end:
                break
            shares[number].append(words[index])
            index += 1
    return shares


def _read_chunks(root: Field, maker: TurnMaker, wholes: Sequence[Whole]) -> None:
    chunks = root.get("chunks").items()
    raws = [chunk.get("text").text for chunk in chunks]
    glued = has_own_spaces(raws)
    for chunk, raw in zip(chunks, raws):
        times = [time.number() for time in chunk.get("timestamp").items()]
        start, end = times if len(times) == 2 else (None, None)
        put = keep_space(raw, chunk.put("text"))
        speaker = chunk.get("speaker").name()
        maker.add(raw, glued=glued, start=start, end=end, speaker=speaker, put=put, wholes=wholes)


def _read_transcription(root: Field, maker: TurnMaker) -> None:
    segments = root.get("transcription").items()
    raws = [segment.get("text").text for segment in segments]
    glued = has_own_spaces(raws)
    for segment, raw in zip(segments, raws):
        offsets = segment.get("offsets")  # milliseconds
        start = offsets.get("from").number(1000) if offsets.value else None
        end = offsets.get("to").number(1000) if offsets.value else None
        put = keep_space(raw, segment.put("text"))
        maker.add(raw, glued=glued, start=start, end=end, put=put)


class WhisperWriter(RecordingWriter):
    """Writes what openai-whisper writes with word times, a sentence a segment."""

    format = "whisper"

    def write_recording(self, docs: List[Doc], words: List[List[RestoredWord]]) -> str:
        sentences = [make_timed(part) for found in words for part in split_sentences(found)]
        segments = [
            without_none(
                {
                    "id": index,
                    "start": round(sentence.start, 3),
                    "end": round(sentence.end, 3),
                    "text": f" {sentence.text}",
                    "speaker": sentence.speaker,
                    "words": list(map(_word_record, sentence.words)),
                }
            )
            for index, sentence in enumerate(sentences)
        ]
        text = "".join(segment["text"] for segment in segments)
        record = {"text": text, "segments": segments, "language": docs[0].lang_}
        return json.dumps(record, ensure_ascii=False) + "\n"


def _word_record(word: RestoredWord) -> Dict[str, Any]:
    assert word.start is not None and word.end is not None
    return without_none(
        {
            "word": f" {word.text}",
            "start": round(word.start, 3),
            "end": round(word.end, 3),
            "probability": word.confidence,
        }
    )
