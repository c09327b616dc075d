"""SubRip subtitles (SRT)."""

import re
from typing import Iterable, List

from .subtitles import TIMING, Cue, SubtitleWriter, format_time, read_cues, read_time
from .transcript import Transcript
from .words import TimedWords

NAME = "srt"
# "<unk>" is no tag of SRT, but no text to restore either; "{\an8}" is a position.
_TAG = re.compile(r"<[^<>\r\n]*>|\{\\[^{}\r\n]*\}")


def read(lines: Iterable[str], name: str) -> Transcript:
    """Read a file. What stands behind a blank line within a cue belongs to it, too."""
    found = list(lines)
    cues: List[Cue] = []
    for index, line in enumerate(found):
        timing = TIMING.match(line)
        if timing is not None:
            times = timing.groups()
            cues.append(Cue(read_time(times[:4]), read_time(times[4:8]), []))
        elif cues and line.strip() and not _is_number_of_cue(found, index):
            cues[-1].lines.append(index)
    return read_cues(found, cues, name, NAME, tag=_TAG, has_entities=False)


def _is_number_of_cue(lines: List[str], index: int) -> bool:
    following = lines[index + 1] if index + 1 < len(lines) else ""
    return lines[index].strip().isdecimal() and TIMING.match(following) is not None


class SrtWriter(SubtitleWriter):
    """Writes SubRip, which knows no speakers: they end a cue, but are not named."""

    format = NAME

    def write_cue(self, number: int, cue: TimedWords) -> str:
        times = f"{format_time(cue.start, ',')} --> {format_time(cue.end, ',')}"
        return f"{number}\n{times}\n" + "".join(f"{line}\n" for line in self._lines(cue))
