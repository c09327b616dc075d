"""Plain text: a paragraph a line. All white space and blank lines stay."""

from typing import Iterable, Iterator, List

from spacy.tokens import Doc

from .times import has_speakers
from .transcript import LineLayout, Slot, Transcript, Turn
from .words import join_words, restored_words, split_speakers
from .writer import Writer

NAME = "text"


def read(lines: Iterable[str], name: str) -> Transcript:
    """Read a file line by line."""
    layout = LineLayout()

    def turns() -> Iterator[Turn]:
        for number, line in enumerate(lines, start=1):
            text = line.rstrip("\r\n")
            if not text.strip():
                layout.add(line)
                continue
            turn = Turn(text, line=number)
            output = layout.add(text, line[len(text) :])
            turn.slots.append(Slot(0, len(text), output.put(0)))
            turn.wait_with(output)
            yield turn

    return Transcript(name, NAME, turns(), layout)


class TextWriter(Writer):
    """Writes a turn a line, with its speaker in front where one is known."""

    def write(self, doc: Doc) -> str:
        if not has_speakers(doc):
            return " ".join(doc.text.splitlines()) + "\n"
        lines: List[str] = []
        for part in split_speakers(restored_words(doc)):
            lead = f"{part[0].speaker}: " if part[0].speaker else ""
            lines.append(f"{lead}{join_words(part)}\n")
        return "".join(lines)
