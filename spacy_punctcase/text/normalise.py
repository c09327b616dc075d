"""Editors' habits in training text brought to one convention, and lines that are none.

What `normalise_line` does to a line, in this order. Words are never changed, joined or split; they
only go where they were not spoken.

| habit | examples | becomes |
|---|---|---|
| control, zero-width, odd white space | U+200B, U+00AD, U+00A0 | nothing; a space |
| curly quotes | “so” it’s | "so" it's; the words' code ignores quotes around words |
| entities | `&amp;` `&#39;` `&nbsp;` | the character |
| HTML tags | `<b>so</b>`, `<br>` | so; a space |
| Markdown links and pictures | `[text](url)`, `![text](url)` | text; nothing |
| emphasis | `*so*`, `**so**`, `_so_` | so |
| what was not spoken | (laughter) [applause] [inaudible 00:12] [Enter Tom.] [1] [sic] | nothing |
| other square brackets, up to five words | five [percent], [T]he | five percent, The |
| longer ones | [the door opens behind them all] | as they are; the words' code ignores them |
| other round brackets | it is (I think) so | as they are; the words' code ignores them |
| speakers, at the start | `SPEAKER 1:` `John Smith:` `THE PRESIDENT.` `Q.` `>> JOHN:` | nothing |
| times, at the start | `00:12:34` `[00:12]` | nothing |
| lists and headings, at the start | `- ` `* ` `1. ` `10) ` `## ` `> ` | nothing |
| dots of omission | `...` `…` `. . .` | a comma before lower case, else a full stop; nothing \
beside another mark |
| dashes between words | `--` ` - ` — – | a comma; nothing beside another mark; ` --` where a line \
breaks off |
| opening single quotes | 'Hello | Hello |

Left out are lines that are no running text: code, tables, lines all in capitals, hardly any
letters. In front of a line, what may as well have been spoken stays: a name or word alone
("Stephan:" looks like "Note:"), "12:30", "12."
"""

import re
import unicodedata
from html import unescape
from typing import Optional

from .marks import MARKS
from .unspoken import TIME, UNSPOKEN

# Joiners within words are part of the spelling in Persian and in languages of India.
_JOINERS = "\u200c\u200d"
_CURLY_SINGLE = re.compile("[‘’‚‛]")
_CURLY_DOUBLE = re.compile("[“”„‟]")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,30});")
_INLINE_TAG = re.compile(
    r"<sup>[^<>]{1,5}</sup>"  # a footnote
    r"|</?(?:a|abbr|b|cite|em|font|i|mark|small|span|strong|sub|sup|u)(?:\s[^<>]*)?/?>",
    re.I,
)
_BLOCK_TAG = re.compile(
    r"</?(?:blockquote|br|center|div|h[1-6]|hr|img|li|ol|p|ul)(?:\s[^<>]*)?/?>", re.I
)
_LINK = re.compile(r"(!?)(?<!\w)\[([^\[\]]*)\]\([^()\s]*[./#][^()\s]*(?:\s+\"[^\"]*\")?\)")
_EMPHASIS = re.compile(
    r"(?<![\w*\\])(\*{1,3})(?![\s*])([^*]*[^\s*\\])\1(?![\w*])"
    r"|(?<![\w\\])_(?![\s_])([^_]*[^\s_\\])_(?!\w)"
)

_NOT_SPOKEN = re.compile(
    rf"""\s*(?<!\w)(?:\({UNSPOKEN}\)|\*{UNSPOKEN}\*|\[(?:
        {UNSPOKEN}
        |\d{{1,3}}|pp?\.\s?\d+|sic  # references and remarks
        |(?:at\s)?{TIME}
        |(?=[^\[\]]*\s)[^\[\]]{{1,80}}(?<!\.\.)[.!]\s*  # a sentence: "[Enter Tom.]"
    )\])(?!\w)""",
    re.I | re.X,
)
# With a letter in it (lists of numbers are no speech), but no phonetic alphabet, and no more than
# five words (longer ones are stage directions as a rule); "[...]"; "[T]he".
_INSERTED = r"[^\s\[\]\u0250-\u02ff]+"
_SQUARE = re.compile(
    rf"(?<!\w)\[(?:((?=[^\[\]]*[^\W\d_])\s*{_INSERTED}(?:\s+{_INSERTED}){{0,4}}\s*|\.{{3,}}|…)\](?!\w)"
    r"|([^\W\d_]{1,2})\](?=\w))"
)

_ROLE = r"""(?i:speaker|interviewer|interviewee|host|guest|moderator|operator|narrator|announcer|
    reporter|participant|caller|agent|customer|chairman|chairwoman)(?:\s(?:\d+|[A-Z]))?"""
_TITLE = r"(?:MR|MRS|MS|DR|GEN|SEN|REP|GOV|PROF|REV|JUDGE|SENATOR|SECRETARY|PRESIDENT|CHAIRMAN)"
_CAPS = r"(?:(?:Mc|Mac|O'|De|La)?[A-ZÀ-ÖØ-Þ][A-ZÀ-ÖØ-Þ'-]+|[A-Z])"
_NAME = r"(?:(?:Mrs?|Ms|Dr|Prof|Rev|Gen|Sen|[A-Z])\.|[A-ZÀ-ÖØ-Þ][\w'-]*)"
# What runs of capitals and capitalised words in front of a colon are no names.
_NO_CAPS = r"(?!(?:NOTE|WARNING|TODO|NB|PS|FAQ|STEP|UPDATE|IMPORTANT|TIP|NO|YES|OK)\b)"
_NO_NAME = r"""(?!(?:A|An|And|As|At|But|By|Dear|For|From|How|I|If|In|It|My|On|Or|Our|So|Step|That|
    The|Then|There|These|This|To|We|What|When|Where|Who|Why|With|You|Your)\b)"""
_ASIDE = rf"(?:\s*\([^()]{{1,30}}\)|\s*\[[^\[\]]{{1,30}}\]|\s+{TIME})?"
_LABEL = rf"""
    {_ROLE}{_ASIDE}\s*:|\[{_ROLE}\]\s*:?  # SPEAKER 1:, [Speaker A]
    |{_NO_CAPS}{_CAPS}\.?(?:\s{_CAPS}\.?){{0,3}}{_ASIDE}\s*:  # JOHN SMITH:, MR. McNERNEY:, MK:
    |{_NO_NAME}{_NAME}(?:\s{_NAME}){{1,3}}(?:,(?:\s{_NAME}){{1,3}})?{_ASIDE}:  # John Smith, CNN:
    |{_NAME}\s\({_NAME}(?:\s{_NAME}){{0,3}}\):  # Waxwing (Adam Gibson):
    |(?:THE|{_TITLE}\.?)(?:\s{_CAPS}){{1,3}}\.(?=\s+[A-Z"'(]|\s*\Z)  # THE PRESIDENT.
    |[QA][.:](?=\s+[A-Z"'(])
"""
_LEAD = re.compile(
    rf"""(?:(?:{_LABEL})(?=\s|\Z)
    |>+
    |[(\[]{TIME}[)\]](?!\w)
    |(?:\d{{1,2}}:\d\d:\d\d|00:\d\d)(?:[.,]\d{{1,3}})?(?=\s+[A-Z>\[(-])
    |\#{{1,6}}(?=\s)
    |(?:[-*•·]|\d[.)]|\d\d\))(?=\s+[^\W\d]|\s+["'(])
    |(?:--+|[–—]+)(?!\d)|\.\.+|…)\s*""",
    re.X,
)

# Not the dash of "1990–1995" and not the minus of "-5".
_DASH = re.compile(r"(?:\s*(?:--+|[—―]+|(?<!\d)–+|–+(?!\d))|\s+[-–]+(?!\S))+\s*")
_ELLIPSIS = re.compile(r"\s*(?:\.{2,}|…|(?<!\S)\.(?:\s+\.)+(?!\w))+\s*")
_QUOTE = re.compile(r"(?<!\S)'(?=[A-Z])")
_CODE = re.compile(r"[{}<>|\\^`=]|::|//(?!\S*\.)|\(\)|\ufffd|_\w*_|https?://\S{40,}")
_FINAL_MARK = re.compile(rf"[{re.escape(''.join(sorted(MARKS)))}][\"'”’»)\]]*\s*\Z")
_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalpha())
_NO_CAPITALS = bytes(code for code in range(128) if not chr(code).isupper())


def normalise_line(line: str) -> Optional[str]:
    """Bring one line of training text to the convention that the models learn: see the table at
    the top of this module.

    line (str): A paragraph or a speaker's turn.
    RETURNS (Optional[str]): The line, or None where it is no running text: code, tables, lines
        all in capitals, hardly any letters.
    """
    line = strip_markup(line)
    if not line or is_noise(line):
        return None
    normalised = _normalise_marks(line)
    if normalised != line and _LEAD.match(normalised):  # a label had dashes or dots around it
        return normalise_line(normalised)
    return normalised


def _normalise_marks(line: str) -> str:
    if ".." in line or "…" in line or " ." in line:
        line = _ELLIPSIS.sub(_replace_ellipsis, line)
    line = _DASH.sub(_replace_dash, line)
    if "'" in line:
        line = _QUOTE.sub("", line)
    return line.strip()


def strip_markup(line: str) -> str:
    """Take out what is no speech: markup, stage directions, labels of speakers, times.

    line (str): A paragraph or a speaker's turn.
    RETURNS (str): What is left of it, perhaps nothing.
    """
    stripped = _strip_once(line)
    while stripped != line:  # what stood behind a label may be another one
        line, stripped = stripped, _strip_once(stripped)
    return line


def _strip_once(line: str) -> str:
    if "&" in line:
        line = _ENTITY.sub(lambda match: unescape(match[0]), line)
    if not line.isprintable():
        line = "".join(map(_printable, line))
    if not line.isascii():
        line = _CURLY_DOUBLE.sub('"', _CURLY_SINGLE.sub("'", line))
    if "<" in line:
        line = _INLINE_TAG.sub("", _BLOCK_TAG.sub(" ", line))
    if "](" in line:
        line = _LINK.sub(lambda match: "" if match[1] else match[2], line)
    if "(" in line or "[" in line or "*" in line:
        line = _NOT_SPOKEN.sub("", line)
    if "*" in line or "_" in line:
        line = _EMPHASIS.sub(lambda match: match[2] or match[3], line)
    line = line.strip()
    lead = _LEAD.match(line)
    if lead:
        return line[lead.end() :]
    return _SQUARE.sub(r"\1\2", line) if "[" in line else line


def _printable(char: str) -> str:
    if char.isspace():
        return " "
    is_control = unicodedata.category(char) in ("Cc", "Cf") and char not in _JOINERS
    return "" if is_control else char


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
    letters = count_letters(line)
    if letters < 0.6 * sum(map(len, line.split())):
        return True
    return letters >= 12 and _count_capitals(line) > 0.5 * letters


def count_letters(text: str) -> int:
    """Number of characters of a text that are letters."""
    if text.isascii():
        return len(text.encode("ascii").translate(None, _NO_LETTERS))
    return sum(map(str.isalpha, text))


def _count_capitals(text: str) -> int:
    if text.isascii():
        return len(text.encode("ascii").translate(None, _NO_CAPITALS))
    return sum(map(str.isupper, text))


def is_cut_off(line: str) -> bool:
    """Whether a turn has no final mark: the speaker was interrupted, so its last word says
    nothing about marks. What was not spoken ("[applause]") does not count."""
    return _FINAL_MARK.search(line) is None and _FINAL_MARK.search(strip_markup(line)) is None
