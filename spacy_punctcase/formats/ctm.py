"""CTM, the time-marked words of NIST's scoring tools and of Kaldi.

On each line recording, channel, start and duration in seconds, a word and, if known, its
confidence; `;;` begins a comment. Between `<ALT_BEGIN>` and `<ALT_END>` there are several readings
of a stretch, of which the first is restored.
"""

import re
from functools import partial
from typing import Iterable, Iterator, List

from spacy.tokens import Doc

from ..errors import Errors
from .transcript import LineLayout, OutputLine, Transcript, Turn, TurnMaker
from .words import RestoredWord, about, recording_of
from .writer import RecordingWriter

NAME = "ctm"
#: Recording, channel, start, duration, word, and the rest.
LINE = re.compile(r"(\s*)(\S+)(\s+)(\S+)(\s+)(\S+)(\s+)(\S+)(\s+)(\S+)(\s*)(\S*)(.*)", re.DOTALL)
COMMENT = ";;"


def read(lines: Iterable[str], name: str) -> Transcript:
    """Read a file, a recording at a time."""
    layout = LineLayout()

    def turns() -> Iterator[Turn]:
        maker = TurnMaker()
        key = None
        # Which of several readings the lines are: 0 for none, 1 for the first.
        reading = 0
        for number, line in enumerate(lines, start=1):
            fields = line.split()
            if not fields or fields[0].startswith(COMMENT):
                layout.add(line)
                continue
            if len(fields) > 4 and fields[4] in ("<ALT_BEGIN>", "<ALT>", "<ALT_END>"):
                reading = 0 if fields[4] == "<ALT_END>" else reading + 1
                layout.add(line)
                continue
            if reading > 1:
                layout.add(line)
                continue
            match = LINE.match(line)
            if match is None:
                problem = "expected recording, channel, start, duration and word."
                raise ValueError(Errors.P010.format(path=name, line=number, problem=problem))
            if key is not None and key != (fields[0], fields[1]):
                yield from maker.finish(name)
                maker = TurnMaker()
            key = (fields[0], fields[1])
            start, duration = (
                seconds(field, what, name, number)
                for field, what in zip(fields[2:4], ("start", "duration"))
            )
            # After the confidence NIST has a type and a speaker; "NA" is a confidence not known.
            confidence = fields[5] if len(fields) > 5 and fields[5] != "NA" else None
            place = match.start(10), match.end(10)
            output = layout.add(line[: place[0]], fields[4], line[place[1] :])
            maker.add(
                fields[4],
                start=start,
                end=start + duration,
                confidence=(
                    None if confidence is None else seconds(confidence, "confidence", name, number)
                ),
                put=partial(_put_word, output),
                line=output,
                recording=fields[0],
                channel=fields[1],
            )
        yield from maker.finish(name)

    return Transcript(name, NAME, turns(), layout)


def _put_word(line: OutputLine, text: str) -> None:
    if text:
        line.parts[1] = text
    else:  # a mark that was taken out, whose line would lack a field
        line.parts = []


def seconds(value: str, what: str, name: str, line: int) -> float:
    """A number of a line. RAISES (ValueError): If it is none, naming the line."""
    try:
        return float(value)
    except ValueError:
        problem = f"{what} should be a number, but is {value!r}."
        raise ValueError(Errors.P010.format(path=name, line=line, problem=problem)) from None


class CtmWriter(RecordingWriter):
    """Writes a word a line, marks attached."""

    format = NAME

    def write_recording(self, docs: List[Doc], words: List[List[RestoredWord]]) -> str:
        lines: List[str] = []
        for doc, found in zip(docs, words):
            lead = f"{one_field(recording_of(doc))} {one_field(about(doc).get('channel', '1'))}"
            for word in found:
                assert word.start is not None and word.end is not None
                line = f"{lead} {word.start:.3f} {word.end - word.start:.3f} {word.text}"
                if word.confidence is not None:
                    line += f" {word.confidence:g}"
                lines.append(line + "\n")
        return "".join(lines)


def one_field(name: str) -> str:
    """A name without white space, which would make several fields of it."""
    return "_".join(name.split())
