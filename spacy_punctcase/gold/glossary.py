"""Glossaries: files of fixed spellings."""

import csv
from functools import partial
from pathlib import Path
from typing import Callable, Dict, Iterator, List, Optional, Tuple

import srsly

from ..errors import Errors
from ..text.words import split_words
from .readers import PathLike, read_lines

#: Names of the column, or of the value of an object, that has the spelling.
SPELLING_NAMES = ("spelling", "text")

#: A spelling, or what a line has in its place, and the number of the line.
Item = Tuple[object, int]


def create_glossary(path: Optional[PathLike]) -> List[str]:
    """The reader `spacy_punctcase.Glossary.v1`, for `entries` of a `casing_ruler`.

    path (Union[str, Path]): See `read_glossary`.
    RETURNS (List[str]): The spellings.
    """
    if path is None:
        raise ValueError(Errors.P016)
    return read_glossary(path)


def read_glossary(path: PathLike) -> List[str]:
    """Read a file of fixed spellings, one or several words each, in UTF-8.

    .txt: a spelling a line. .jsonl: a string, or an object with a string "spelling" or "text", a
    line. .csv, .tsv: the column with the heading "spelling" or "text", or else the first one. What
    else there is in objects and columns is not read, a spoken form neither: a `casing_ruler`
    changes the case of words, never the words.

    path (Union[str, Path]): The file.
    RETURNS (List[str]): The spellings.
    RAISES (ValueError): If the file cannot be read, naming the line.
    """
    path = Path(path)
    read = _READERS.get(path.suffix.lower())
    if read is None:
        raise ValueError(Errors.P076.format(path=path))
    spellings: List[str] = []
    for found, line in read(path):
        problem = ""
        if not isinstance(found, str):
            problem = Errors.P077.format(found=repr(found))
        elif not split_words(found):
            problem = Errors.P078.format(spelling=found.strip())
        if problem:
            raise ValueError(Errors.P010.format(path=path, line=line, problem=problem))
        spellings.append(" ".join(str(found).split()))
    return spellings


def _read_text(path: Path) -> Iterator[Item]:
    for number, line in enumerate(read_lines(path), start=1):
        if line.strip():
            yield line, number


def _read_jsonl(path: Path) -> Iterator[Item]:
    for line, number in _read_text(path):
        try:
            found = srsly.json_loads(str(line))
        except ValueError as error:
            problem = f"no JSON ({error})."
            raise ValueError(Errors.P010.format(path=path, line=number, problem=problem)) from None
        if isinstance(found, dict):
            found = next((found[name] for name in SPELLING_NAMES if name in found), found)
        yield found, number


def _read_table(path: Path, *, delimiter: str) -> Iterator[Item]:
    rows = csv.reader(read_lines(path), delimiter=delimiter, strict=True)
    column = 0
    is_first = True
    try:
        for row in rows:
            names = [cell.strip().lower() for cell in row]
            headings = [name for name in SPELLING_NAMES if name in names]
            if is_first and headings:
                column = names.index(headings[0])
            elif any(names):
                yield row[column] if column < len(row) else "", rows.line_num
            is_first = False
    except csv.Error as error:
        problem = f"{error}."
        raise ValueError(
            Errors.P010.format(path=path, line=rows.line_num, problem=problem)
        ) from None


_READERS: Dict[str, Callable[[Path], Iterator[Item]]] = {
    ".txt": _read_text,
    ".jsonl": _read_jsonl,
    ".csv": partial(_read_table, delimiter=","),
    ".tsv": partial(_read_table, delimiter="\t"),
}
