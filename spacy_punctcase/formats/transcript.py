"""Transcripts as files hold them: turns to restore, and the places where the restored text goes."""

import warnings
from collections import deque
from typing import (
    Any,
    Callable,
    Deque,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import get_words_and_spaces

from ..errors import Errors, TranscriptWarning, Warnings
from ..rewrite.offsets import RestoredText, source_text
from ..text.case import lower
from .times import Place, make_doc, set_times

#: Key of what is known of a turn in `doc.user_data`.
TURN = "punctcase_turn"

Put = Callable[[str], None]


class Slot(NamedTuple):
    """A stretch of a turn's text, and what puts its restored text into the file.

    start, end: Character offsets in the turn's text.
    put: Called with the restored text.
    """

    start: int
    end: int
    put: Put


class OutputLine:
    """A line of the output, in parts that change on their own.

    parts: The parts, with the line ending.
    waiting: How many turns that are not restored yet have text in it.
    """

    def __init__(self, parts: List[str]):
        self.parts = parts
        self.waiting = 0

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def put(self, index: int) -> Put:
        """What puts a text in the place of a part."""

        def put(text: str) -> None:
            self.parts[index] = text

        return put


class Turn:
    """What is restored as one Doc: the words of one speaker without a break, or of a paragraph.

    about: What is known of it: "recording", "channel", "speaker", "id", "file", "line", "turn" and,
        for JSON lines, the "fields" of the line.
    places: Its words, or captions, with their times.
    slots: Where in the file its text goes.
    lines: The lines that wait for it.
    """

    def __init__(self, text: str = "", **about: Any):
        self.about: Dict[str, Any] = {
            key: value for key, value in about.items() if value is not None
        }
        self._pieces: List[str] = [text] if text else []
        self._length = len(text)
        self.places: List[Place] = []
        self.slots: List[Slot] = []
        self.lines: List[OutputLine] = []
        self._restored: Optional[RestoredText] = None
        self._joined: Optional[Tuple[Turn, int]] = None

    @property
    def text(self) -> str:
        """The text before restoration."""
        return "".join(self._pieces)

    @property
    def speaker(self) -> Optional[str]:
        return self.about.get("speaker")

    def is_from(self, recording: Optional[str], channel: Optional[str]) -> bool:
        return (recording, channel) == (self.about.get("recording"), self.about.get("channel"))

    def append(self, text: str, separator: str) -> Tuple[int, int]:
        """Add a piece of text. RETURNS (Tuple[int, int]): Its character offsets."""
        if self._length:
            self._pieces.append(separator)
            self._length += len(separator)
        start = self._length
        self._pieces.append(text)
        self._length += len(text)
        return start, self._length

    def wait_with(self, line: OutputLine) -> None:
        """Let a line of the output wait until the turn is restored."""
        if not self.lines or self.lines[-1] is not line:
            self.lines.append(line)
            line.waiting += 1

    def make_doc(self, nlp: Language) -> Doc:
        """Make the Doc to restore, with times and whatever else is known.

        nlp (Language): The pipeline, whose tokenizer makes the Doc.
        RETURNS (Doc): The Doc.
        RAISES (ValueError): If the text is longer than `nlp.max_length`.
        """
        return self._describe(make_doc(nlp, self.text))

    def make_plain_doc(self, nlp: Language) -> Doc:
        """Make a Doc to write as it is, whatever the pipeline has against the text."""
        text = self.text
        words, spaces = get_words_and_spaces(text.split(), text)
        return self._describe(Doc(nlp.vocab, words=words, spaces=spaces))

    def _describe(self, doc: Doc) -> Doc:
        doc.user_data[TURN] = dict(self.about)
        if self.places:
            set_times(doc, self.places)
        return doc

    def complete(self, doc: Optional[Doc]) -> None:
        """Put the restored text into the file.

        doc (Optional[Doc]): The restored Doc; None leaves the text as it is.
        """
        if doc is not None:
            self._restored = RestoredText(doc)
            for slot in self.slots:
                slot.put(self._restored(slot.start, slot.end))
        for line in self.lines:
            line.waiting -= 1

    def join_to(self, turn: "Turn") -> None:
        """Become the end of another turn, which takes over everything."""
        offset, _ = turn.append(self.text, " ")
        turn.places.extend(
            place._replace(start_char=place.start_char + offset, end_char=place.end_char + offset)
            for place in self.places
        )
        turn.slots.extend(
            Slot(slot.start + offset, slot.end + offset, slot.put) for slot in self.slots
        )
        turn.lines.extend(self.lines)
        self._joined = (turn, offset)

    def restored(self, start: int, end: int) -> str:
        """The text of a stretch, restored if `complete` had a Doc."""
        if self._joined is not None:
            turn, offset = self._joined
            return turn.restored(start + offset, end + offset)
        return self.text[start:end] if self._restored is None else self._restored(start, end)


class Layout:
    """What a file holds beside the text of its turns, to write the same file again."""

    def take(self) -> str:
        """RETURNS (str): What can be written by now, and was not taken before."""
        return ""

    def finish(self) -> str:
        """RETURNS (str): The rest, when all turns are complete."""
        return ""


class LineLayout(Layout):
    """The layout of a file that is read and written line by line."""

    def __init__(self) -> None:
        self._lines: Deque[OutputLine] = deque()

    def add(self, *parts: str) -> OutputLine:
        """Add a line of the file, in parts. RETURNS (OutputLine): The line."""
        line = OutputLine(list(parts))
        self.append(line)
        return line

    def append(self, line: OutputLine) -> None:
        """Add a line of the file."""
        self._lines.append(line)

    def take(self) -> str:
        taken: List[str] = []
        while self._lines and not self._lines[0].waiting:
            taken.append(self._lines.popleft().text)
        return "".join(taken)

    def finish(self) -> str:
        rest = "".join(line.text for line in self._lines)
        self._lines.clear()
        return rest


class Transcript:
    """A transcript: its turns, to be read once, and its layout.

    name (str): Name of the file.
    format (str): Name of its format.
    turns (Iterable[Turn]): The turns in order.
    layout (Layout): What else is in the file.
    """

    def __init__(self, name: str, format: str, turns: Iterable[Turn], layout: Layout):
        self.name = name
        self.format = format
        self.layout = layout
        self._turns = turns
        self._made: List[Turn] = []

    def turns(self, *, across_speakers: bool = False) -> Iterator[Turn]:
        """Read the turns.

        across_speakers (bool): Join the turns of a recording, so that a sentence may run from one
            speaker to the next.
        YIELDS (Turn): The turns.
        """
        turns = join_turns(self._turns) if across_speakers else self._turns
        for number, turn in enumerate(turns, start=1):
            turn.about["file"] = self.name
            if "line" not in turn.about:
                turn.about["turn"] = number
            yield turn

    def make_docs(self, nlp: Language, *, across_speakers: bool = False) -> Iterator[Doc]:
        """Make the Docs to restore, one for each turn, for `nlp.pipe`. Their tokens have
        `token._.start_time`, `token._.end_time`, `token._.confidence` and `token._.speaker`.

        nlp (Language): The pipeline.
        across_speakers (bool): Make one Doc of all turns of a recording, so that a sentence may run
            from one speaker to the next.
        YIELDS (Doc): The Docs.
        """
        for turn in self.turns(across_speakers=across_speakers):
            self._made.append(turn)
            yield turn.make_doc(nlp)

    def render(self, docs: Iterable[Doc]) -> str:
        """The file with the text of the restored Docs; all else in it stays as it is.

        docs (Iterable[Doc]): What `nlp.pipe` made of the Docs of `make_docs`, all and in order.
        RETURNS (str): The file's new content.
        RAISES (ValueError): If there are fewer or more Docs than `make_docs` made, or others.
        """
        docs = list(docs)
        if len(docs) != len(self._made):
            raise ValueError(
                Errors.P028.format(what="turns and Docs", first=len(self._made), second=len(docs))
            )
        for index, (turn, doc) in enumerate(zip(self._made, docs)):
            source = source_text(doc)
            if source is None or lower(source) != lower(turn.text):
                raise ValueError(Errors.P089.format(index=index))
            turn.complete(doc)
        return self.layout.take() + self.layout.finish()


class TurnMaker:
    """Makes turns of the pieces of a transcript: a new one where recording, channel or speaker
    changes."""

    def __init__(self) -> None:
        self.turns: List[Turn] = []
        self._open = False
        self._space = False
        self._wrong_times: List[str] = []

    def add(
        self,
        raw: str,
        *,
        glued: bool = False,
        start: Optional[float] = None,
        end: Optional[float] = None,
        confidence: Optional[float] = None,
        speaker: Optional[str] = None,
        put: Optional[Put] = None,
        wholes: Sequence["Whole"] = (),
        line: Optional[OutputLine] = None,
        recording: Optional[str] = None,
        channel: Optional[str] = None,
    ) -> Optional[Tuple[Turn, int, int]]:
        """Add a word or a longer piece of text.

        raw (str): The piece, with white space around it.
        glued (bool): Whether the piece follows without white space, unless it brings its own.
        start, end (Optional[float]): When it was said, in seconds.
        confidence (Optional[float]): How sure the recogniser is.
        speaker (Optional[str]): Who said it; None for whoever spoke before.
        put (Optional[Put]): Puts the restored piece, without white space around it, into the file.
        wholes (Sequence[Whole]): Longer texts of the file that the piece is a part of.
        line (Optional[OutputLine]): The line of the file that waits for it.
        recording, channel (Optional[str]): Where it was said.
        RETURNS (Optional[Tuple[Turn, int, int]]): The turn, and the piece's character offsets in
            it; None for white space.
        """
        text = raw.strip()
        if not text:
            self._space = self._space or bool(raw)
            return None
        turn = self._turn(speaker, recording, channel)
        separate = not glued or self._space or raw[0].isspace()
        self._space = raw[-1].isspace()
        first, last = turn.append(text, " " if separate else "")
        if start is not None and end is not None and end < start:
            self._wrong_times.append(f"{text!r}, {start} to {end} s")
            start = end = None
        turn.places.append(Place(first, last, start, end, confidence, turn.speaker))
        if put is not None:
            turn.slots.append(Slot(first, last, put))
        for whole in wholes:
            whole.add(turn, first, last)
        if line is not None:
            turn.wait_with(line)
        return turn, first, last

    def break_turn(self) -> None:
        """Let the next piece begin a new turn, whoever speaks."""
        self._open = False

    def _turn(
        self, speaker: Optional[str], recording: Optional[str], channel: Optional[str]
    ) -> Turn:
        if self._open:
            turn = self.turns[-1]
            same_speaker = speaker is None or speaker == turn.speaker
            if same_speaker and turn.is_from(recording, channel):
                return turn
        self.turns.append(Turn(speaker=speaker, recording=recording, channel=channel))
        self._open = True
        return self.turns[-1]

    def finish(self, name: str) -> List[Turn]:
        """Say once which times were wrong.

        name (str): Name of the file.
        RETURNS (List[Turn]): The turns.
        """
        if self._wrong_times:
            message = Warnings.W001.format(
                path=name, count=len(self._wrong_times), first=self._wrong_times[0]
            )
            warnings.warn(message, TranscriptWarning, stacklevel=2)
        return self.turns


class Whole:
    """A text of the file that repeats several pieces.

    raw (str): The text; the white space around it stays.
    put (Put): Puts the new text into the file.
    """

    def __init__(self, raw: str, put: Put):
        self._put = keep_space(raw, put)
        self._stretches: List[Tuple[Turn, int, int]] = []

    def add(self, turn: Turn, start: int, end: int) -> None:
        if self._stretches and self._stretches[-1][0] is turn:
            start = self._stretches.pop()[1]
        self._stretches.append((turn, start, end))

    def fill(self) -> None:
        """Put the pieces' restored text into the file."""
        if self._stretches:
            parts = (turn.restored(start, end) for turn, start, end in self._stretches)
            self._put(" ".join(parts))


def keep_space(raw: str, put: Put) -> Put:
    """What puts a text into the file with the white space around `raw`."""
    lead = raw[: len(raw) - len(raw.lstrip())]
    trail = raw[len(raw.rstrip()) :]
    return put if not lead and not trail else lambda text: put(lead + text + trail)


def has_own_spaces(pieces: Sequence[str]) -> bool:
    """Whether pieces of a text bring the white space between them, as Whisper's words do (" don",
    "'t")."""
    return any(piece[:1].isspace() for piece in pieces[1:]) or any(
        piece[-1:].isspace() for piece in pieces[:-1]
    )


def join_turns(turns: Iterable[Turn]) -> Iterator[Turn]:
    """Join the turns that follow each other in a recording.

    YIELDS (Turn): The turns; the words keep their speakers.
    """
    joined: Optional[Turn] = None
    for turn in turns:
        if joined is None or not joined.is_from(*map(turn.about.get, ("recording", "channel"))):
            if joined is not None:
                yield joined
            joined = turn
            continue
        turn.join_to(joined)
    if joined is not None:
        yield joined
