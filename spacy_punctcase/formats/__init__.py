"""Transcripts in the formats of recognisers and subtitles: read to Docs, written from Docs."""

from .registry import (
    FORMATS,
    Format,
    make_writer,
    open_transcript,
    read_transcript,
    write_transcript,
)
from .times import TimedWord, make_timed_doc
from .transcript import Transcript, Turn

__all__ = [
    "FORMATS",
    "Format",
    "TimedWord",
    "Transcript",
    "Turn",
    "make_timed_doc",
    "make_writer",
    "open_transcript",
    "read_transcript",
    "write_transcript",
]
