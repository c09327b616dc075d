"""Kaldi's and ESPnet's `text`: the id of an utterance and its words on each line."""

from typing import Iterable, Iterator

from spacy.tokens import Doc

from .transcript import LineLayout, Slot, Transcript, Turn
from .words import about, join_words, recording_of, restored_words
from .writer import Writer

NAME = "kaldi"


def read(lines: Iterable[str], name: str) -> Transcript:
    """Read a file line by line."""
    layout = LineLayout()

    def turns() -> Iterator[Turn]:
        for number, line in enumerate(lines, start=1):
            rest = line.lstrip()
            words = rest[len(rest.split(None, 1)[0]) :] if rest.strip() else ""
            text = words.strip()
            if not text:
                layout.add(line)
                continue
            first = line.rindex(words) + words.index(text)
            turn = Turn(text, id=line[:first].strip(), line=number)
            parts = (line[:first], text, line[first + len(text) :])
            output = layout.add(*parts)
            turn.slots.append(Slot(0, len(text), output.put(1)))
            turn.wait_with(output)
            yield turn

    return Transcript(name, NAME, turns(), layout)


class KaldiWriter(Writer):
    """Writes a turn a line, behind its id or, in the manner of Kaldi, its recording, speaker and
    times in hundredths of a second."""

    def __init__(self) -> None:
        self._number = 0

    def write(self, doc: Doc) -> str:
        self._number += 1
        words = restored_words(doc)
        known = about(doc)
        parts = [recording_of(doc)]
        if known.get("speaker"):
            parts.append(known["speaker"])
        times = [time for word in words for time in (word.start, word.end) if time is not None]
        if times:
            parts += [f"{round(100 * time):07d}" for time in (min(times), max(times))]
        else:
            parts.append(f"{self._number:06d}")
        name = known.get("id") or "-".join("_".join(part.split()) for part in parts)
        return f"{name} {join_words(words)}\n"
