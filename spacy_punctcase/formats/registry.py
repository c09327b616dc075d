"""All formats by name, which of them a file has, reading and writing."""

import re
from itertools import chain, islice
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Union

from spacy.tokens import Doc

from ..errors import Errors
from ..files import open_output
from ..gold.readers import read_lines
from . import (
    assemblyai,
    azure,
    ctm,
    deepgram,
    google,
    json_lines,
    kaldi,
    plain,
    srt,
    stm,
    vtt,
    whisper,
)
from .cues import DEFAULT_LIMITS, CueLimits
from .json_fields import Field, JsonLayout, parse_json
from .subtitles import TIMING
from .transcript import Transcript, TurnMaker
from .writer import Writer

AUTO = "auto"
# Lines of a file that are read to tell its format.
_LINES_TO_LOOK_AT = 20
# "[noise]" may begin a text, too.
_JSON_START = re.compile(r'\s*(?:\{\s*(?:"|$)|\[\s*(?:\{|$))')


class Format(NamedTuple):
    """A format of transcripts.

    read: Reads the lines of a file of this name.
    suffixes: Of file names.
    make_writer: Makes what writes Docs in this format; None if only a file that was read can be
        written again.
    in_one_file: Whether transcripts behind one another are a file of the same format.
    """

    read: Callable[[Iterable[str], str], Transcript]
    suffixes: List[str] = []
    make_writer: Optional[Callable[..., Writer]] = None
    in_one_file: bool = False


#: JSON formats of recognisers: whether a file's content is of the format, and what reads it.
JSON_FORMATS: Dict[str, Any] = {
    # The order counts: a file of AssemblyAI has `words` and `text`, too.
    "deepgram": deepgram,
    "google": google,
    "azure": azure,
    "assemblyai": assemblyai,
    "whisper": whisper,
}


def _read_json(format: str) -> Callable[[Iterable[str], str], Transcript]:
    def read(lines: Iterable[str], name: str) -> Transcript:
        source = "".join(lines)
        return _read_parsed(source, parse_json(source, name), name, format)

    return read


def _read_parsed(source: str, data: Any, name: str, format: str) -> Transcript:
    layout = JsonLayout(source, data)
    maker = TurnMaker()
    JSON_FORMATS[format].read(Field(data, "", name, format), layout, maker)
    return Transcript(name, format, maker.finish(name), layout)


#: All formats by name.
FORMATS: Dict[str, Format] = {
    plain.NAME: Format(plain.read, [".txt"], plain.TextWriter, True),
    json_lines.NAME: Format(json_lines.read, [".jsonl", ".ndjson"], json_lines.JsonWriter, True),
    srt.NAME: Format(srt.read, [".srt"], srt.SrtWriter),
    vtt.NAME: Format(vtt.read, [".vtt"], vtt.VttWriter),
    ctm.NAME: Format(ctm.read, [".ctm"], ctm.CtmWriter, True),
    stm.NAME: Format(stm.read, [".stm"], stm.StmWriter, True),
    kaldi.NAME: Format(kaldi.read, [], kaldi.KaldiWriter, True),
    **{name: Format(_read_json(name)) for name in JSON_FORMATS},
}
FORMATS["whisper"] = FORMATS["whisper"]._replace(make_writer=whisper.WhisperWriter)

_BY_SUFFIX = {suffix: name for name, format in FORMATS.items() for suffix in format.suffixes}


def suffix_of(format: str) -> str:
    """The suffix of a format's files. RETURNS (str): The suffix, with its dot."""
    suffixes = FORMATS[format].suffixes
    return suffixes[0] if suffixes else ".json" if format in JSON_FORMATS else ".txt"


def format_of(path: Path) -> Optional[str]:
    """The format to write that a file's suffix stands for. RETURNS (Optional[str]): Its name."""
    suffix = path.suffix.lower()
    return json_lines.NAME if suffix == ".json" else _BY_SUFFIX.get(suffix)


def open_transcript(lines: Iterable[str], name: str, format: str = AUTO) -> Transcript:
    """Read a transcript.

    lines (Iterable[str]): The lines of the file, with their endings. Formats that have a turn a
        line are read as their turns are asked for.
    name (str): Name of the file, for its suffix and in errors.
    format (str): Name of the format, or "auto": by the suffix, then by the content.
    RETURNS (Transcript): The transcript.
    RAISES (ValueError): If there is no such format, or the file is not of it, naming the place.
    """
    if format not in (AUTO, *FORMATS):
        available = ", ".join([AUTO, *FORMATS])
        raise ValueError(Errors.P015.format(given=format, what="a format", available=available))
    lines = _check_lines(lines, name)
    if format != AUTO:
        return FORMATS[format].read(lines, name)
    path = Path(name.removesuffix(".xz"))
    by_suffix = _BY_SUFFIX.get(path.suffix.lower())
    if by_suffix is not None and by_suffix != plain.NAME:
        return FORMATS[by_suffix].read(lines, name)
    head = list(islice(lines, _LINES_TO_LOOK_AT))
    lines = chain(head, lines)
    filled = [line for line in head if line.strip()]
    if path.suffix.lower() == ".json" or (filled and _JSON_START.match(filled[0])):
        return _open_json(lines, filled, name)
    found = kaldi.NAME if path.name == "text" else _look_at(filled)
    return FORMATS[found].read(lines, name)


def _check_lines(lines: Iterable[str], name: str) -> Iterator[str]:
    for number, line in enumerate(lines, start=1):
        if "\0" in line:
            raise ValueError(Errors.P034.format(path=name, line=number))
        yield line


def _look_at(lines: List[str]) -> str:
    """The format that a file's first lines, blank ones left out, are of."""
    if lines and lines[0].startswith("WEBVTT"):
        return vtt.NAME
    if any(TIMING.match(line) for line in lines[:2]):
        return srt.NAME
    rows = [line.split() for line in lines if not line.startswith(ctm.COMMENT)]
    # A speaker may be a number, so that begin and end could be taken for duration and word.
    if rows and all(len(row) > 4 and _are_numbers(row[3:5]) for row in rows):
        return stm.NAME
    if rows and all(len(row) > 4 and _are_numbers(row[2:4]) for row in rows):
        return ctm.NAME
    return plain.NAME


def _are_numbers(fields: List[str]) -> bool:
    return all(re.fullmatch(r"\d+(\.\d+)?", field) for field in fields)


def _open_json(lines: Iterable[str], head: List[str], name: str) -> Transcript:
    try:
        first = parse_json(head[0], name) if head else None
    except ValueError:
        first = None  # a file that is one value in several lines
    if isinstance(first, dict) and isinstance(first.get("text"), str) and not _json_format(first):
        return json_lines.read(lines, name)
    source = "".join(lines)
    data = parse_json(source, name)
    found = _json_format(data)
    if found is None:
        keys = ", ".join(data) if isinstance(data, dict) else f"a {type(data).__name__}"
        problem = f"JSON of none of the recognisers that are known: {keys[:200]}"
        available = ", ".join([json_lines.NAME, *JSON_FORMATS])
        raise ValueError(Errors.P017.format(path=name, problem=problem, available=available))
    return _read_parsed(source, data, name, found)


def _json_format(data: Any) -> Optional[str]:
    return next((name for name, known in JSON_FORMATS.items() if known.looks_like(data)), None)


def read_transcript(path: Union[str, Path], format: str = AUTO) -> Transcript:
    """Read a transcript from a file.

    path (Union[str, Path]): The file, UTF-8; .xz is unpacked.
    format (str): Name of the format (see `FORMATS`), or "auto": by the suffix, then by the content.
    RETURNS (Transcript): The transcript.
    RAISES (ValueError): If the file cannot be read or is not of the format, naming the place.
    """
    return open_transcript(read_lines(path), str(path), format)


def make_writer(format: str, limits: CueLimits = DEFAULT_LIMITS) -> Writer:
    """Make what writes Docs in a format.

    format (str): Name of the format.
    limits (CueLimits): How much a cue of subtitles may hold.
    RETURNS (Writer): The writer.
    RAISES (ValueError): If there is no such format, or only a file that was read can be written
        again.
    """
    writable = [name for name, known in FORMATS.items() if known.make_writer is not None]
    if format not in FORMATS:
        available = ", ".join(writable)
        raise ValueError(Errors.P015.format(given=format, what="a format", available=available))
    make = FORMATS[format].make_writer
    if make is None:
        raise ValueError(Errors.P052.format(format=format, available=", ".join(writable)))
    return make(limits) if format in (srt.NAME, vtt.NAME) else make()


def write_transcript(
    path: Union[str, Path],
    docs: Iterable[Doc],
    format: str = AUTO,
    *,
    limits: CueLimits = DEFAULT_LIMITS,
) -> None:
    """Write Docs as a transcript, as a whole or not at all.

    path (Union[str, Path]): The file.
    docs (Iterable[Doc]): The restored Docs of a transcript, or any others with times.
    format (str): Name of the format, or "auto": by the suffix; text where that says nothing.
    limits (CueLimits): How much a cue of subtitles may hold.
    RAISES (ValueError): If there is no such format, the Docs have no times and it needs them, or
        the file cannot be written.
    """
    path = Path(path)
    if format == AUTO:
        format = format_of(path) or plain.NAME
    writer = make_writer(format, limits)
    with open_output(path) as file:
        for doc in docs:
            file.write(writer.write(doc).encode("utf8"))
        file.write(writer.finish().encode("utf8"))
