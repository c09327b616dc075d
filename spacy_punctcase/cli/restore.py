"""`punctcase restore`: raw transcripts in, punctuated and cased text out."""

import json
import sys
from collections import deque
from enum import Enum
from pathlib import Path
from typing import (
    Annotated,
    Any,
    BinaryIO,
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

import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc

from ..errors import Errors
from ..gold.readers import read_lines
from ..pipeline.restorer import restorer_names
from ..pretrained import add_pipes, load
from ..rewrite.offsets import get_offsets
from .output import is_stdout, open_output
from .progress import progress_bar, total_size

STDIN = "-"


class Format(str, Enum):
    """What `punctcase restore` writes."""

    text = "text"
    json = "json"


class Line(NamedTuple):
    """A line of a file: a paragraph to restore, and the line ending behind it.

    number: Its number in the file, from 1.
    text: The paragraph.
    ending: The line ending; "" at the end of a file without final newline.
    """

    number: int
    text: str
    ending: str

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()


class Entity(NamedTuple):
    """An entity: its text and offsets in the restored line, its offsets in the source line."""

    text: str
    label: str
    start: int
    end: int
    source_start: int
    source_end: int


def restore_cli(
    files: Annotated[
        Optional[List[str]],
        typer.Argument(
            metavar="FILE|-",
            help="UTF-8 text, one paragraph a line (.xz is unpacked); - or nothing for stdin",
            show_default=False,
        ),
    ] = None,
    model: Annotated[
        str, typer.Option("--model", help="Name of a shipped pipeline, or a package or path")
    ] = "en",
    ner: Annotated[
        Optional[str],
        typer.Option("--ner", help="Pipeline that finds entities in the restored text"),
    ] = None,
    format: Annotated[
        Format, typer.Option("--format", help="Text, or one JSON object for each paragraph")
    ] = Format.text,
    output: Annotated[
        Optional[Path], typer.Option("--output", "-o", help="Output file [default: stdout]")
    ] = None,
    batch_size: Annotated[
        int, typer.Option("--batch-size", min=1, help="Paragraphs to process together")
    ] = 64,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite", help="Replace the marks and capitals that the input already has"
        ),
    ] = False,
) -> None:
    """Restore punctuation and case. Lines and the white space in them stay as they are."""
    if not files and sys.stdin.isatty():
        raise typer.BadParameter("Give a file, or pipe text in; - reads from the terminal.")
    names = files or [STDIN]
    _check_files(names)
    with open_output(output) as file:
        nlp = load_pipeline(model, ner)
        if overwrite:
            set_overwrite(nlp)
        as_json = format == Format.json
        writer = JsonWriter(file) if as_json else TextWriter(file, list_ents=ner is not None)
        # A bar between lines of text on the same terminal would spoil both.
        visible = sys.stderr.isatty() and not (is_stdout(output) and sys.stdout.isatty())
        with progress_bar(total_size(names), visible) as advance:
            for name in names:
                writer.start_file(name)
                lines = read_input(name, advance)
                for line, doc in restore_lines(nlp, lines, batch_size):
                    writer.write(line, doc)
                writer.end_file()


def load_pipeline(model: str, ner: Optional[str] = None) -> Language:
    """Load the pipeline that restores and, if asked for, finds entities.

    model (str): What `spacy_punctcase.load` takes.
    ner (Optional[str]): Pipeline to put behind the restorers.
    RETURNS (Language): The pipeline.
    RAISES (ValueError): If there is no such model, or it restores nothing.
    """
    if ner is not None:
        nlp = add_pipes(spacy.load(ner), model)
    else:
        nlp = load(model)
        # The restorers read long text window by window. The limit guards parser and NER.
        nlp.max_length = sys.maxsize
    if not restorer_names(nlp):
        raise ValueError(Errors.P021.format(model=model, found=", ".join(nlp.pipe_names) or "none"))
    return nlp


def set_overwrite(nlp: Language) -> None:
    """Let all restorers replace the marks and capitals that a text already has, in place."""
    for name in restorer_names(nlp):
        component: Any = nlp.get_pipe(name)
        if hasattr(component, "overwrite"):
            component.overwrite = True


def _check_files(names: Sequence[str]) -> None:
    """Say that a file is missing before the work on others is done."""
    for name in names:
        if name != STDIN and not Path(name).exists():
            raise ValueError(Errors.P008.format(path=name, reason="no such file"))


def read_input(name: str, advance: Callable[[str], None]) -> Iterator[Line]:
    """Read a file, or stdin, line by line.

    name (str): The file, "-" for stdin.
    advance (Callable[[str], None]): Told of each line that is read.
    YIELDS (Line): The lines.
    RAISES (ValueError): If the file cannot be read or is not UTF-8, naming the byte.
    """
    raw = _read_stdin() if name == STDIN else read_lines(name)
    for number, line in enumerate(raw, start=1):
        text = line.rstrip("\r\n")
        yield Line(number, text, line[len(text) :])
        advance(line)


def _read_stdin() -> Iterator[str]:
    position = 0
    for line in typer.get_binary_stream("stdin"):
        try:
            text = line.decode("utf8")
        except UnicodeDecodeError as error:
            byte = position + error.start
            raise ValueError(
                Errors.P007.format(path="<stdin>", byte=byte, reason=error.reason)
            ) from None
        yield text if position else text.removeprefix("\ufeff")
        position += len(line)


def restore_lines(
    nlp: Language, lines: Iterable[Line], batch_size: int
) -> Iterator[Tuple[Line, Optional[Doc]]]:
    """Restore a stream of lines, each a Doc of its own.

    nlp (Language): The pipeline.
    lines (Iterable[Line]): The lines.
    batch_size (int): Number of Docs to buffer.
    YIELDS (Tuple[Line, Optional[Doc]]): All lines in order; no Doc for blank ones.
    """
    waiting: Deque[Line] = deque()

    def texts() -> Iterator[Tuple[str, Line]]:
        for line in lines:
            waiting.append(line)
            if not line.is_blank:
                yield line.text, line

    for doc, line in nlp.pipe(texts(), as_tuples=True, batch_size=batch_size):
        while waiting[0] is not line:
            yield waiting.popleft(), None
        yield waiting.popleft(), doc
    for line in waiting:
        yield line, None


def find_entities(doc: Doc) -> List[Entity]:
    """The entities of a restored Doc with their places in the source text."""
    return [
        Entity(ent.text, ent.label_, ent.start_char, ent.end_char, *ent._.source_span)
        for ent in doc.ents
    ]


class JsonWriter:
    """Writes a JSON object for each paragraph.

    file (BinaryIO): Where to.
    """

    def __init__(self, file: BinaryIO):
        self._file = file
        self._name = ""

    def start_file(self, name: str) -> None:
        self._name = name

    def write(self, line: Line, doc: Optional[Doc]) -> None:
        if doc is None:
            return
        source, offsets = get_offsets(doc) or (doc.text, list(range(len(doc.text))))
        record: Dict[str, Any] = {
            "file": self._name,
            "line": line.number,
            "text": doc.text,
            "source": source,
            "offsets": offsets,
            "entities": [entity._asdict() for entity in find_entities(doc)],
        }
        self._file.write((json.dumps(record, ensure_ascii=False) + "\n").encode("utf8"))

    def end_file(self) -> None:
        pass


class TextWriter:
    """Writes the restored lines and, behind the last one of a file, the list of its entities.

    file (BinaryIO): Where to.
    list_ents (bool): Whether to list the entities.
    """

    def __init__(self, file: BinaryIO, *, list_ents: bool):
        self._file = file
        self._list_ents = list_ents
        self._entities: List[Tuple[str, str, str]] = []
        self._separator = ""

    def _put(self, text: str) -> None:
        self._file.write(text.encode("utf8"))

    def start_file(self, name: str) -> None:
        self._put(self._separator)
        self._separator = ""

    def write(self, line: Line, doc: Optional[Doc]) -> None:
        self._put((line.text if doc is None else doc.text) + line.ending)
        # Files do not run into each other, but the last one ends as it did.
        self._separator = "" if line.ending else "\n"
        if doc is not None and self._list_ents:
            for ent in find_entities(doc):
                place = f"{line.number}:{ent.source_start}-{ent.source_end}"
                self._entities.append((" ".join(ent.text.split()), ent.label, place))

    def end_file(self) -> None:
        if self._entities:
            self._put(self._separator + "\n" + align_columns(self._entities))
            self._entities = []
            self._separator = "\n"


def align_columns(rows: Sequence[Sequence[str]]) -> str:
    """Rows of text as aligned columns, a line each."""
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    lines = ("  ".join(map(str.ljust, row, widths)) for row in rows)
    return "".join(line.rstrip() + "\n" for line in lines)
