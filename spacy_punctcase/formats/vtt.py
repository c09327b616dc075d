"""WebVTT subtitles. Names and settings of cues, tags, NOTE, STYLE and REGION blocks stay."""

import html
import re
from typing import Iterable, List, Optional

from .subtitles import TIMING, Cue, SubtitleWriter, format_time, read_cues, read_time
from .transcript import Transcript
from .words import TimedWords

NAME = "vtt"
_TAG = re.compile(r"<[^<>\r\n]*>")


def read(lines: Iterable[str], name: str) -> Transcript:
    """Read a file."""
    found = list(lines)
    cues: List[Cue] = []
    current: Optional[Cue] = None
    for index, line in enumerate(found):
        timing = TIMING.match(line)
        if timing is not None:
            times = timing.groups()
            current = Cue(read_time(times[:4]), read_time(times[4:8]), [])
            cues.append(current)
        elif not line.rstrip("\r\n"):  # a line with a space in it is none that ends a cue
            current = None
        elif current is not None:
            current.lines.append(index)
    return read_cues(found, cues, name, NAME, tag=_TAG, has_entities=True)


class VttWriter(SubtitleWriter):
    """Writes WebVTT, speakers in voice tags."""

    format = NAME
    header = "WEBVTT\n\n"

    def write_cue(self, number: int, cue: TimedWords) -> str:
        times = f"{format_time(cue.start, '.')} --> {format_time(cue.end, '.')}"
        text = html.escape("\n".join(self._lines(cue)), quote=False)
        if cue.speaker is not None:
            voice = html.escape(" ".join(cue.speaker.split()), quote=False)
            text = f"<v {voice}>{text}"
        return f"{times}\n{text}\n"
