"""STM, the segment-time-marked transcripts of NIST's scoring tools.

On each line recording, channel, speaker, begin and end in seconds, perhaps a label (`<o,f0,male>`),
and the words; `;;` begins a comment. Consecutive lines of a speaker are one turn.
"""

import re
from typing import Iterable, Iterator, List

from spacy.tokens import Doc

from ..errors import Errors
from .ctm import COMMENT, one_field, seconds
from .transcript import LineLayout, Transcript, Turn, TurnMaker
from .words import RestoredWord, about, make_timed, recording_of, split_sentences
from .writer import RecordingWriter

NAME = "stm"
LINE = re.compile(r"\s*(\S+)\s+(\S+)\s+(\S+)\s+(\S+)\s+(\S+)(?:[ \t]+(<[^<>\s]+,[^<>\s]*>))?")
#: What stands for a stretch that does not count.
IGNORED = "IGNORE_TIME_SEGMENT_IN_SCORING"


def read(lines: Iterable[str], name: str) -> Transcript:
    """Read a file, the turn of a speaker at a time."""
    layout = LineLayout()

    def turns() -> Iterator[Turn]:
        maker = TurnMaker()
        key = None
        for number, line in enumerate(lines, start=1):
            if not line.strip() or line.lstrip().startswith(COMMENT):
                layout.add(line)
                continue
            match = LINE.match(line)
            if match is None:
                problem = "expected recording, channel, speaker, begin, end and words."
                raise ValueError(Errors.P010.format(path=name, line=number, problem=problem))
            recording, channel, speaker, begin, end, _ = match.groups()
            start, stop = seconds(begin, "begin", name, number), seconds(end, "end", name, number)
            text = line[match.end() :].strip()
            if not text or text.upper() == IGNORED:
                layout.add(line)
                continue
            if key is not None and key != (recording, channel, speaker):
                yield from maker.finish(name)
                maker = TurnMaker()
            key = (recording, channel, speaker)
            first = line.index(text, match.end())
            parts = (line[:first], text, line[first + len(text) :])
            output = layout.add(*parts)
            maker.add(
                text,
                start=start,
                end=stop,
                speaker=speaker,
                put=output.put(1),
                line=output,
                recording=recording,
                channel=channel,
            )
        yield from maker.finish(name)

    return Transcript(name, NAME, turns(), layout)


class StmWriter(RecordingWriter):
    """Writes a sentence a line."""

    format = NAME

    def write_recording(self, docs: List[Doc], words: List[List[RestoredWord]]) -> str:
        lines: List[str] = []
        for doc, found in zip(docs, words):
            recording, channel = recording_of(doc), about(doc).get("channel", "1")
            for sentence in map(make_timed, split_sentences(found)):
                names = (recording, channel, sentence.speaker or "unknown")
                times = f"{sentence.start:.3f} {sentence.end:.3f}"
                lines.append(f"{' '.join(map(one_field, names))} {times} {sentence.text}\n")
        return "".join(lines)
