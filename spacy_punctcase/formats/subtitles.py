"""What subtitles in SRT and WebVTT have in common: cues, whose text is changed in place.

pysubs2, the library for subtitles, drops what this has to keep: names and settings of cues, voice
tags, NOTE and STYLE blocks (seen with 1.8.1).
"""

import html
import re
from typing import Dict, Iterable, Iterator, List, NamedTuple, Optional, Pattern, Tuple

from spacy.tokens import Doc

from ..errors import Errors
from .cues import DEFAULT_LIMITS, CueLimits, break_lines, make_cues
from .times import Place, interpolate
from .transcript import LineLayout, OutputLine, Put, Slot, Transcript, Turn, TurnMaker, keep_space
from .words import RestoredWord, TimedWords, recording_of
from .writer import RecordingWriter

_TIME = r"(?:(\d+):)?(\d{1,2}):(\d{2})[,.](\d{1,3})"
TIMING = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?:\s.*)?\Z", re.DOTALL)
_INLINE_TIME = re.compile(rf"<{_TIME}>\Z")
_VOICE = re.compile(r"<v(?:\.[^\s>]*)?\s+([^>]+)>\Z")
# A speaker's name in front of what is said, as in captions for the deaf: "JOHN:", ">> MARY ANN:".
_LABEL = re.compile(r"\s*(?:>>+\s*)?(?:[-–—]\s*)?([A-Z][A-Z0-9 .'&-]{0,30}):(?=\s)")
_NEW_SPEAKER = re.compile(r"\s*>>+")
_DASH = re.compile(r"\s*[-–—]\s*(?=\S)")


class Cue(NamedTuple):
    """A cue of a file.

    start, end: When it is shown, in seconds.
    lines: Indices of the file's lines that are its text.
    """

    start: float
    end: float
    lines: List[int]


def read_time(groups: Iterable[Optional[str]]) -> float:
    """Seconds of hours (perhaps None), minutes, seconds and decimals."""
    hours, minutes, seconds, decimals = (group or "0" for group in groups)
    return 3600 * int(hours) + 60 * int(minutes) + int(seconds) + float(f"0.{decimals}")


def read_cues(
    lines: List[str],
    cues: List[Cue],
    name: str,
    format: str,
    *,
    tag: Pattern[str],
    has_entities: bool,
) -> Transcript:
    """Make the transcript of a file of cues.

    lines (List[str]): The file's lines.
    cues (List[Cue]): Its cues.
    name (str): Name of the file.
    format (str): Name of its format.
    tag (Pattern[str]): What is no text.
    has_entities (bool): Whether `&amp;` stands for `&`.
    RETURNS (Transcript): The transcript, a turn as long as nobody else is seen to speak.
    RAISES (ValueError): If there is no cue.
    """
    if not cues and any(line.strip() for line in lines):
        found = next(line.strip() for line in lines if line.strip())
        raise ValueError(
            Errors.P019.format(
                path=name,
                field="the whole file",
                expected='cues ("00:00:01,000 --> 00:00:02,500")',
                found=repr(found[:60]),
                format=format,
            )
        )
    layout = LineLayout()
    outputs = [layout.add(line) for line in lines]
    reader = _CueReader(lines, outputs, tag, has_entities)
    for cue in reader.with_shown_times(cues):
        reader.read(cue)
    return Transcript(name, format, reader.maker.finish(name), layout)


class _Run(NamedTuple):
    """Text between tags: part of a line of the output."""

    output: OutputLine
    part: int
    raw: str
    is_first: bool
    start: Optional[float]
    speaker: Optional[str]
    is_new_speaker: bool


class _CueReader:
    """Adds the text of cues to turns."""

    def __init__(
        self, lines: List[str], outputs: List[OutputLine], tag: Pattern[str], has_entities: bool
    ):
        self.maker = TurnMaker()
        self._lines = lines
        self._outputs = outputs
        self._tag = tag
        self._has_entities = has_entities
        # Live captions, as YouTube has them, come with a time at each word, and each line is shown
        # once more in the next cue, above the new one.
        self._rolls = any("><c>" in line for line in lines)
        # Whisper's `--highlight_words` shows a cue once for each word, that word underlined.
        self._highlights = any("<u>" in line for line in lines)
        self._shown: Dict[str, Tuple[Turn, int, int]] = {}
        self._voice: Optional[str] = None

    def with_shown_times(self, cues: List[Cue]) -> List[Cue]:
        """The cues, those that the following ones only highlight until the last of these ends."""
        if not self._highlights:
            return cues
        timed: List[Cue] = []
        end = 0.0
        for cue, following in zip(reversed(cues), [None, *reversed(cues)]):
            is_repeated = following is not None and self._keys(cue) == self._keys(following)
            end = end if is_repeated else cue.end
            timed.append(cue._replace(end=end))
        return timed[::-1]

    def _keys(self, cue: Cue) -> List[str]:
        """The text of each line."""
        return [self._decode(self._tag.sub("", self._lines[index])).strip() for index in cue.lines]

    def read(self, cue: Cue) -> None:
        """Add the text of a cue."""
        keys = self._keys(cue)
        is_dialogue = sum(bool(_DASH.match(key)) for key in keys) > 1
        is_same = self._highlights and set(keys) == set(self._shown)
        shown: Dict[str, Tuple[Turn, int, int]] = {}
        runs: List[_Run] = []
        self._voice = None
        for index, key in zip(cue.lines, keys):
            has_tags = bool(self._tag.search(self._lines[index]))
            is_echo = key in self._shown and (is_same or (self._rolls and not has_tags))
            if is_echo:
                shown[key] = self._shown[key]
                self._repeat(list(self._split(index, False)), shown[key])
            else:
                runs.extend(self._split(index, is_dialogue))
        self._add(runs, cue, shown)
        self._shown = shown

    def _repeat(self, runs: List[_Run], shown: Tuple[Turn, int, int]) -> None:
        """Let a line have the restored text of one that was shown before."""
        turn, start, _ = shown
        position = start
        for index, run in enumerate(runs):
            text = self._decode(run.raw)
            text = text if index else text.lstrip()
            if not text.strip():
                position += len(text)
                continue
            end = position + len(text.rstrip())
            first = position + len(text) - len(text.lstrip())
            turn.slots.append(Slot(first, end, self._put(run.output, run.part, run.raw)))
            position += len(text)
            turn.wait_with(run.output)

    def _split(self, index: int, is_dialogue: bool) -> Iterator[_Run]:
        """Cut a line into tags and runs of text."""
        line, output = self._lines[index], self._outputs[index]
        output.parts = []
        position = 0
        start: Optional[float] = None
        is_first = True
        for match in [*self._tag.finditer(line), None]:
            raw = line[position : match.start() if match else len(line)]
            if raw:
                prefix, speaker, is_new = (
                    self._find_speaker(raw, is_dialogue) if is_first else (0, None, False)
                )
                if is_new:
                    self._voice = speaker
                output.parts += [raw[:prefix], raw[prefix:]]
                part = len(output.parts) - 1
                yield _Run(output, part, raw[prefix:], is_first, start, self._voice, is_new)
                is_first = is_first and not raw.strip()
                start = None
            if match:
                output.parts.append(match.group())
                position = match.end()
                time, voice = _INLINE_TIME.match(match.group()), _VOICE.match(match.group())
                start = read_time(time.groups()) if time else start
                if voice or match.group() == "</v>":
                    self._voice = self._decode(voice.group(1)).strip() if voice else None

    def _find_speaker(self, raw: str, is_dialogue: bool) -> Tuple[int, Optional[str], bool]:
        """How long what stands in front of a line's words is, whom it names, and whether somebody
        else speaks."""
        label = _LABEL.match(raw)
        if label is not None:
            return label.end(), label.group(1), True
        other = _NEW_SPEAKER.match(raw) or (_DASH.match(raw) if is_dialogue else None)
        return (other.end(), None, True) if other is not None else (0, None, False)

    def _add(self, runs: List[_Run], cue: Cue, shown: Dict[str, Tuple[Turn, int, int]]) -> None:
        times = iter(_share_time(runs, cue))
        line_of: Dict[int, List[Tuple[Turn, int, int]]] = {}
        for run in runs:
            if run.is_new_speaker:
                self.maker.break_turn()
            start, end = next(times) if run.raw.strip() else (None, None)
            added = self.maker.add(
                self._decode(run.raw),
                glued=not run.is_first,
                start=start,
                end=end,
                speaker=run.speaker,
                put=self._put(run.output, run.part, run.raw),
                line=run.output,
            )
            if added is not None:
                line_of.setdefault(id(run.output), []).append(added)
        for added_here in line_of.values() if self._rolls or self._highlights else ():
            turn, first, last = added_here[0][0], added_here[0][1], added_here[-1][2]
            if turn is added_here[-1][0]:
                shown[turn.text[first:last]] = (turn, first, last)

    def _decode(self, raw: str) -> str:
        return html.unescape(raw) if self._has_entities else raw

    def _put(self, output: OutputLine, index: int, raw: str) -> Put:
        put = keep_space(raw, output.put(index))
        if self._has_entities and html.unescape(raw) != raw:
            return lambda text: put(html.escape(text, quote=False))
        return put


def _share_time(runs: List[_Run], cue: Cue) -> List[Tuple[Optional[float], Optional[float]]]:
    """When each of the runs that are text begins and ends: an even speed through the cue, but for
    the times that it has inside."""
    places: List[Place] = []
    position = 0
    for run in runs:
        text = run.raw.strip()
        if text:
            places.append(Place(position, position + len(text), run.start))
            position += len(text) + 1
    if not places:
        return []
    if places[0].start is None:
        places[0] = places[0]._replace(start=cue.start)
    places[-1] = places[-1]._replace(end=cue.end)
    return [(place.start, place.end) for place in interpolate(places)]


class SubtitleWriter(RecordingWriter):
    """Writes cues, in the order of their times. Subclasses define `write_cue`.

    limits (CueLimits): How much a cue may hold.
    """

    header = ""

    def __init__(self, limits: CueLimits = DEFAULT_LIMITS) -> None:
        super().__init__()
        self._limits = limits

    def write(self, doc: Doc) -> str:
        names = list(dict.fromkeys(map(recording_of, [*self._docs[:1], doc])))
        if len(names) > 1:
            raise ValueError(Errors.P085.format(format=self.format, recordings=", ".join(names)))
        return super().write(doc)

    def finish(self) -> str:
        return self.header + super().finish()

    def write_recording(self, docs: List[Doc], words: List[List[RestoredWord]]) -> str:
        cues = [cue for found in words for cue in make_cues(found, self._limits)]
        cues.sort(key=lambda cue: cue.start)
        return "\n".join(self.write_cue(number, cue) for number, cue in enumerate(cues, start=1))

    def write_cue(self, number: int, cue: TimedWords) -> str:
        """Write a cue. RETURNS (str): Its lines, without the blank one behind it."""
        raise NotImplementedError

    def _lines(self, cue: TimedWords) -> List[str]:
        return break_lines(cue.words, self._limits)


def format_time(seconds: float, decimal: str) -> str:
    """A time as "00:00:01,500", with the decimal sign that is asked for."""
    milliseconds = round(1000 * max(0.0, seconds))
    minutes, milliseconds = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    whole, milliseconds = divmod(milliseconds, 1000)
    return f"{hours:02d}:{minutes:02d}:{whole:02d}{decimal}{milliseconds:03d}"
