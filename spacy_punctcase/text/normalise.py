"""Editors' habits in training text brought to one convention, and lines that are none."""

import re
from typing import Optional

from .marks import MARKS

# Not the dash of "1990–1995".
_DASH = re.compile(r"\s*(?:--+|[—―]+|(?<!\d)–+|–+(?!\d))\s*|\s+[-–]+\s+")
_ELLIPSIS = re.compile(r"\s*(?:\.{2,}|…)+\s*")
_QUOTE = re.compile(r"(?<!\S)'(?=[A-Z])")
_CODE = re.compile(r"[{}<>|\\^`=]|::|//(?!\S*\.)|\(\)|\ufffd|_\w*_|https?://\S{40,}")
_FINAL_MARK = re.compile(rf"[{re.escape(''.join(sorted(MARKS)))}][\"'”’»)\]]*\s*\Z")


def normalise_line(line: str) -> Optional[str]:
    """Bring one line of training text to the convention that the models learn.

    Dashes between words become commas (nothing where another mark is already), dots of omission
    a comma before a lower-case word and a full stop before others. Opening single quotes go.

    line (str): A paragraph or a speaker's turn.
    RETURNS (Optional[str]): The line, or None where it is no running text: code, tables, lines
        all in capitals, hardly any letters.
    """
    line = line.strip()
    if not line or is_noise(line):
        return None
    line = _ELLIPSIS.sub(_replace_ellipsis, line)
    line = _DASH.sub(_replace_dash, line)
    return _QUOTE.sub("", line).strip()


def _replace_ellipsis(match: "re.Match[str]") -> str:
    beside = _beside_mark(match)
    if beside is not None:
        return beside
    return ", " if match.string[match.end() :][:1].islower() else ". "


def _replace_dash(match: "re.Match[str]") -> str:
    if match.end() == len(match.string):
        return " --"
    beside = _beside_mark(match)
    return ", " if beside is None else beside


def _beside_mark(match: "re.Match[str]") -> Optional[str]:
    """What a match becomes at the start of the line or beside another mark, which then counts."""
    before, after = match.string[: match.start()], match.string[match.end() :]
    if after[:1] in MARKS:
        return ""
    return " " if not before or before[-1] in MARKS else None


def is_noise(line: str) -> bool:
    """Whether a line is no running text to learn marks and case from."""
    if _CODE.search(line):
        return True
    letters = sum(map(str.isalpha, line))
    if letters < 0.6 * sum(map(len, line.split())):
        return True
    return letters >= 12 and sum(map(str.isupper, line)) > 0.5 * letters


def is_cut_off(line: str) -> bool:
    """Whether a turn has no final mark: the speaker was interrupted, so its last word says
    nothing about marks."""
    return _FINAL_MARK.search(line) is None
