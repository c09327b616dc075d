"""`punctcase restore`: raw transcripts in, punctuated and cased ones out."""

import sys
import warnings
from contextlib import ExitStack, contextmanager
from enum import Enum
from pathlib import Path
from typing import (
    Annotated,
    Any,
    BinaryIO,
    Callable,
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
from spacy import util
from spacy.language import Language
from spacy.tokens import Doc

from ..errors import Errors, TranscriptWarning
from ..files import open_output
from ..formats import FORMATS, Transcript, Turn, make_writer, open_transcript
from ..formats.cues import DEFAULT_LIMITS, CueLimits
from ..formats.registry import AUTO, format_of, suffix_of
from ..formats.times import span_end_time, span_start_time, time_at
from ..formats.words import about
from ..gold.readers import read_lines
from ..pipeline.restorer import restorer_names
from ..pretrained import add_pipes, load
from ..rewrite.scores import find_uncertain
from .progress import progress_bar, total_size

STDIN = "-"
TEXT, JSON = "text", "json"
SUBTITLES = ("srt", "vtt")

InputFormat = Enum("InputFormat", {name: name for name in (AUTO, *FORMATS)}, type=str)  # type: ignore[misc]
OutputFormat = Enum("OutputFormat", {name: name for name in FORMATS}, type=str)  # type: ignore[misc]


class Options(NamedTuple):
    """What `restore_file` needs to know.

    from_format: Name of the input's format, or "auto".
    to_format: Name of the output's format, if it is asked for.
    suffix_format: Name of the format that the output's suffix stands for, if it does.
    limits: How much a cue may hold, to cut subtitles anew; None to leave them as they are.
    across_speakers: Whether a sentence may run from one speaker to the next.
    list_ents: Whether to list the entities behind a text.
    batch_size: Turns to process together.
    """

    from_format: str
    to_format: Optional[str]
    suffix_format: Optional[str]
    limits: Optional[CueLimits]
    across_speakers: bool
    list_ents: bool
    batch_size: int


def restore_cli(
    files: Annotated[
        Optional[List[str]],
        typer.Argument(
            metavar="FILE|-",
            help="Transcripts, UTF-8 (.xz is unpacked); - or nothing for stdin",
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
    from_format: Annotated[
        InputFormat,
        typer.Option("--from", help="Format of the files [auto: by suffix, then by content]"),
    ] = InputFormat.auto,  # type: ignore[attr-defined]
    to_format: Annotated[
        Optional[OutputFormat],
        typer.Option("--to", help="Format to write [default: by -o, else the same files]"),
    ] = None,
    output: Annotated[
        Optional[str],
        typer.Option("--output", "-o", help="File, or folder for a file each [default: stdout]"),
    ] = None,
    batch_size: Annotated[
        int, typer.Option("--batch-size", min=1, help="Turns or paragraphs to process together")
    ] = 64,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite", help="Replace the marks and capitals that the input already has"
        ),
    ] = False,
    across_speakers: Annotated[
        bool,
        typer.Option("--across-speakers", help="Let a sentence run from one speaker to the next"),
    ] = False,
    resegment: Annotated[
        bool, typer.Option("--resegment", help="Cut subtitles anew, at ends of sentences")
    ] = False,
    max_chars: Annotated[
        int, typer.Option("--max-chars", min=1, help="Characters in a line of new subtitles")
    ] = DEFAULT_LIMITS.max_chars,
    max_lines: Annotated[
        int, typer.Option("--max-lines", min=1, help="Lines in a cue of new subtitles")
    ] = DEFAULT_LIMITS.max_lines,
    max_seconds: Annotated[
        float, typer.Option("--max-seconds", min=0.1, help="Length of a cue of new subtitles")
    ] = DEFAULT_LIMITS.max_seconds,
    review: Annotated[
        Optional[Path],
        typer.Option("--review", help="Table (tab-separated) of the places to look at again"),
    ] = None,
    review_below: Annotated[
        float, typer.Option("--review-below", min=0, max=1, help="Score of such a place, at most")
    ] = 0.6,
) -> None:
    """Restore punctuation and case. Words, their times and all else in a file stay as they are."""
    if not files and sys.stdin.isatty():
        raise typer.BadParameter("Give a file, or pipe text in; - reads from the terminal.")
    names = files or [STDIN]
    limits = CueLimits(max_chars, max_lines, max_seconds)
    is_folder = output is not None and (output.endswith("/") or Path(output).is_dir())
    options = Options(
        from_format.value,
        to_format.value if to_format else None,
        None if output is None or is_folder else format_of(Path(output)),
        limits if resegment or limits != DEFAULT_LIMITS else None,
        across_speakers,
        ner is not None,
        batch_size,
    )
    _check_files(names)
    with ExitStack() as stack:
        outputs: List[Path] = []
        file: Optional[BinaryIO] = None
        if output is not None and is_folder:
            outputs = _outputs_in(Path(output), names, options.to_format)
        else:
            file = stack.enter_context(open_output(None if output is None else Path(output)))
        nlp = load_pipeline(model, ner)
        if overwrite:
            set_overwrite(nlp)
        # A bar between lines of text on the same terminal would spoil both.
        is_shown = output in (None, STDIN) and sys.stdout.isatty()
        bar = progress_bar(total_size(names), sys.stderr.isatty() and not is_shown)
        restorer = FileRestorer(nlp, options, stack.enter_context(bar))
        if review is not None:
            table = TextOutput(stack.enter_context(open_output(review)))
            restorer.review = ReviewTable(table, review_below)
        stack.enter_context(_warnings_on_stderr())
        if file is not None:
            restorer.restore_together(names, file)
        else:
            restorer.restore_apart(names, outputs)
    if restorer.has_failed:
        raise typer.Exit(1)


def load_pipeline(model: str, ner: Optional[str] = None) -> Language:
    """Load the pipeline that restores and, if asked for, finds entities.

    model (str): What `spacy_punctcase.load` takes.
    ner (Optional[str]): Pipeline to put behind the restorers.
    RETURNS (Language): The pipeline.
    RAISES (ValueError): If there is no such model, or it restores nothing.
    """
    nlp = load(model) if ner is None else add_pipes(spacy.load(ner), model)
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


def _outputs_in(folder: Path, names: Sequence[str], to_format: Optional[str]) -> List[Path]:
    """Where in a folder each file's output goes.

    RAISES (ValueError): If two would be the same file, or one the input.
    """
    outputs: List[Path] = []
    for name in names:
        path = Path("stdin.txt" if name == STDIN else name.removesuffix(".xz"))
        output = folder / (path.name if to_format is None else path.stem + suffix_of(to_format))
        if output in outputs or output.resolve() == Path(name).resolve():
            raise ValueError(Errors.P087.format(path=output, name=name))
        outputs.append(output)
    folder.mkdir(parents=True, exist_ok=True)
    return outputs


@contextmanager
def _warnings_on_stderr() -> Iterator[None]:
    """Show what is wrong in a transcript as a line, without the place in our code."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", TranscriptWarning)
        show_others = warnings.showwarning

        def show(message: Any, category: Any, *args: Any, **kwargs: Any) -> None:
            if issubclass(category, TranscriptWarning):
                typer.echo(f"Warning: {message}", err=True)
            else:
                show_others(message, category, *args, **kwargs)

        warnings.showwarning = show
        yield


class TextOutput:
    """Writes text to a file in UTF-8, and knows whether a line is open.

    file (BinaryIO): Where to.
    """

    def __init__(self, file: BinaryIO):
        self._file = file
        self._last = "\n"

    def write(self, text: str) -> None:
        self._file.write(text.encode("utf8"))
        self._last = text[-1:] or self._last

    def end_line(self) -> None:
        """Files and tables do not run into each other, but the last one ends as it did."""
        if self._last != "\n":
            self.write("\n")


class FileRestorer:
    """Restores files, and reports what cannot be restored.

    nlp (Language): The pipeline.
    options (Options): What the command line says.
    advance (Callable[[str], None]): Told of each line that is read.
    """

    def __init__(self, nlp: Language, options: Options, advance: Callable[[str], None]):
        self._nlp = nlp
        self._options = options
        self._advance = advance
        #: Where to list what is to be looked at again.
        self.review: Optional[ReviewTable] = None
        #: Whether something could not be restored.
        self.has_failed = False

    def restore_together(self, names: Sequence[str], file: BinaryIO) -> None:
        """Write all files into one.

        RAISES (ValueError): If one cannot be read, or they cannot stand in one file.
        """
        output = TextOutput(file)
        has_table = False
        for name in names:
            output.end_line()
            if has_table:
                output.write("\n")
            has_table = self._restore(name, output, is_alone=len(names) == 1)

    def restore_apart(self, names: Sequence[str], outputs: Sequence[Path]) -> None:
        """Write a file for each; one that cannot be read does not keep the others from it."""
        for name, output in zip(names, outputs):
            try:
                with open_output(output) as file:
                    self._restore(name, TextOutput(file), is_alone=True)
            except (ValueError, OSError) as error:
                self._report(str(error))

    def _report(self, message: str) -> None:
        self.has_failed = True
        typer.echo(f"Error: {' '.join(message.split())}", err=True)

    def _restore(self, name: str, output: TextOutput, *, is_alone: bool) -> bool:
        """Restore a file. RETURNS (bool): Whether a table of entities stands at its end."""
        options = self._options
        transcript = open_transcript(_read(name, self._advance), name, options.from_format)
        format = options.to_format or self._format_by_suffix(transcript)
        if options.list_ents and format not in (TEXT, JSON):
            raise ValueError(Errors.P088.format(format=format))
        if not is_alone and not FORMATS[format].in_one_file:
            raise ValueError(Errors.P086.format(path=name, format=format))
        turns = transcript.turns(across_speakers=options.across_speakers)
        pairs = restore_turns(self._nlp, turns, options.batch_size, self._report_turn)
        table = EntityTable()
        pairs = self._listed(pairs, table)
        if self._is_in_place(transcript, format):
            for turn, doc in pairs:
                turn.complete(doc)
                output.write(transcript.layout.take())
            output.write(transcript.layout.finish())
        else:
            writer = make_writer(format, options.limits or DEFAULT_LIMITS)
            for turn, doc in pairs:
                output.write(writer.write(turn.make_plain_doc(self._nlp) if doc is None else doc))
            output.write(writer.finish())
        return options.list_ents and format == TEXT and table.write(output)

    def _listed(
        self, pairs: Iterable[Tuple[Turn, Optional[Doc]]], table: "EntityTable"
    ) -> Iterator[Tuple[Turn, Optional[Doc]]]:
        for turn, doc in pairs:
            if doc is not None:
                table.add(doc)
                if self.review is not None:
                    self.review.add(doc)
            yield turn, doc

    def _format_by_suffix(self, transcript: Transcript) -> str:
        """The format that the output's suffix stands for, unless it is one that the input has, too:
        JSON of any kind, and text with ids."""
        wanted = self._options.suffix_format or transcript.format
        names = (wanted, transcript.format)
        first, second = (suffix_of(name).replace(".jsonl", ".json") for name in names)
        return transcript.format if first == second else wanted

    def _is_in_place(self, transcript: Transcript, format: str) -> bool:
        """Whether the output is the input with its text restored."""
        if format != transcript.format:
            return False
        if format == JSON:  # if it is asked for, the output has all that is known
            return self._options.to_format is None and not self._options.list_ents
        return self._options.limits is None or format not in SUBTITLES

    def _report_turn(self, turn: Turn, error: Exception) -> None:
        about = turn.about
        place = f"line {about['line']}" if "line" in about else f"turn {about['turn']}"
        self._report(f"{about['file']}, {place}: {error} The text is left as it is.")


def _read(name: str, advance: Callable[[str], None]) -> Iterator[str]:
    """Read a file, or stdin, line by line.

    name (str): The file, "-" for stdin.
    advance (Callable[[str], None]): Told of each line that is read.
    YIELDS (str): The lines, with their endings.
    RAISES (ValueError): If the file cannot be read or is not UTF-8, naming the byte.
    """
    for line in _read_stdin() if name == STDIN else read_lines(name):
        yield line
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


def restore_turns(
    nlp: Language,
    turns: Iterable[Turn],
    batch_size: int,
    report: Callable[[Turn, Exception], None],
) -> Iterator[Tuple[Turn, Optional[Doc]]]:
    """Restore a stream of turns, each a Doc of its own. One that fails does not take others with
    it.

    nlp (Language): The pipeline.
    turns (Iterable[Turn]): The turns.
    batch_size (int): Number of Docs to buffer.
    report (Callable[[Turn, Exception], None]): Told of each turn that fails.
    YIELDS (Tuple[Turn, Optional[Doc]]): All turns in order; no Doc for one that failed.
    """
    for batch in util.minibatch(turns, batch_size):
        docs: List[Optional[Doc]]
        try:
            docs = list(nlp.pipe([turn.make_doc(nlp) for turn in batch]))
        except Exception:
            docs = []
        if len(docs) != len(batch):
            # Which one failed, or was dropped by an error handler, shows when each is alone. The
            # parser and the entity recogniser take no handler.
            docs = [_restore_alone(nlp, turn, report) for turn in batch]
        yield from zip(batch, docs)


def _restore_alone(
    nlp: Language, turn: Turn, report: Callable[[Turn, Exception], None]
) -> Optional[Doc]:
    try:
        return nlp(turn.make_doc(nlp))
    except Exception as error:
        report(turn, error)
        return None


class EntityTable:
    """A list of entities with their places in the source: line and characters, or seconds."""

    def __init__(self) -> None:
        self._rows: List[Tuple[str, str, str]] = []

    def add(self, doc: Doc) -> None:
        for ent in doc.ents:
            start, end = span_start_time(ent), span_end_time(ent)
            if start is not None and end is not None:
                place = f"{start:.2f}-{end:.2f} s"
            else:
                place = "{}:{}-{}".format(turn_number(doc), *ent._.source_span)
            self._rows.append((" ".join(ent.text.split()), ent.label_, place))

    def write(self, output: TextOutput) -> bool:
        """Write the entities in aligned columns, behind a blank line.

        RETURNS (bool): Whether there are any.
        """
        if self._rows:
            output.end_line()
            output.write("\n" + align_columns(self._rows))
        return bool(self._rows)


class ReviewTable:
    """A table of the marks and capitals that a human should look at, in the order of the text.

    output (TextOutput): Where to.
    below (float): The score from which on a decision is sure enough.
    """

    COLUMNS = ("file", "turn", "seconds", "kind", "score", "word", "chosen", "other", "context")
    # Characters of the text on either side of a word.
    _CONTEXT = 40

    def __init__(self, output: TextOutput, below: float):
        self._output = output
        self._below = below
        self._write(self.COLUMNS)

    def add(self, doc: Doc) -> None:
        text = doc.text
        for place in find_uncertain(doc, self._below):
            time = time_at(doc, place.source_start, of_end=False)
            context = text[max(0, place.start - self._CONTEXT) : place.end + self._CONTEXT]
            row = (
                about(doc)["file"],
                turn_number(doc),
                "" if time is None else f"{time:.2f}",
                place.kind,
                f"{place.score:.2f}",
                place.word,
                place.chosen,
                place.other or "",
                context,
            )
            self._write(row)

    def _write(self, row: Sequence[Any]) -> None:
        self._output.write("\t".join(" ".join(str(cell).split()) for cell in row) + "\n")


def turn_number(doc: Doc) -> int:
    """Which line of its file a Doc is, or which turn."""
    known = about(doc)
    return known["line"] if "line" in known else known["turn"]


def align_columns(rows: Sequence[Sequence[str]]) -> str:
    """Rows of text as aligned columns, a line each."""
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    lines = ("  ".join(map(str.ljust, row, widths)) for row in rows)
    return "".join(line.rstrip() + "\n" for line in lines)
