"""`punctcase convert`: gold text in several formats to .spacy files, and text to ViCapPunc's."""

from contextlib import ExitStack
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import Annotated, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

import spacy
import typer
from spacy.tokens import Doc, DocBin

from ..errors import Errors
from ..files import open_output
from ..gold.convert import docs_from_jsonl, docs_from_labels, docs_from_text
from ..gold.vicappunc import (
    ENDS,
    MAX_WORDS,
    SHARES,
    Row,
    docs_from_vicappunc,
    read_text_segments,
    split_documents,
    write_segments,
)

_JSONL = (".jsonl", ".jsonl.xz")


class Format(str, Enum):
    """What `punctcase convert` reads."""

    text = "text"
    labels = "labels"
    jsonl = "jsonl"
    vicappunc = "vicappunc"


def convert_cli(
    inputs: Annotated[
        List[Path],
        typer.Argument(metavar="INPUT", help="Files or, for text, folders", show_default=False),
    ],
    output: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="File to write: .spacy or, for the three columns of ViCapPunc, .tsv",
            show_default=False,
        ),
    ],
    lang: Annotated[str, typer.Option("--lang", help="Language code")] = "en",
    format: Annotated[
        Optional[Format],
        typer.Option(
            "--format",
            help="Plain text; a word, a tab and a label on each line; JSON lines with entities; or "
            "the three columns of ViCapPunc [default: jsonl by suffix, else text]",
        ),
    ] = None,
    min_words: Annotated[
        int, typer.Option("--min-words", min=1, help="Shortest transcript (of text and labels)")
    ] = 60,
    max_words: Annotated[
        Optional[int],
        typer.Option(
            "--max-words",
            min=1,
            help=f"Longest transcript (of text and labels) [default: 160; in .tsv {MAX_WORDS}]",
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", min=0, help="Number of transcripts, 0 for all")
    ] = 0,
    seed: Annotated[int, typer.Option("--seed", help="Decides where text is cut")] = 0,
    weight: Annotated[
        Optional[List[str]],
        typer.Option(
            "--weight",
            metavar="NAME=NUMBER",
            help="How often to draw from a text file, by its name without suffix (repeatable)",
        ),
    ] = None,
    split: Annotated[
        bool,
        typer.Option(
            "--split",
            help="Write train.tsv, dev.tsv and test.tsv in a folder OUT: 50, 20 and 30 % of the "
            "documents",
        ),
    ] = False,
) -> None:
    """Convert gold text to transcripts for training and evaluation: a DocBin with user data.

    Text can become the three columns of ViCapPunc, too: segments of whole sentences, with no other
    marks than , . and ?
    """
    if split or output.suffix == ".tsv":
        if format not in (None, Format.text) or guess_format(inputs) != Format.text:
            raise ValueError(Errors.P094.format(path=inputs[0]))
        if weight or (limit and split):
            option = "--weight" if weight else "--limit"
            raise typer.BadParameter(f"{option} is not for {'--split' if split else '.tsv'}.")
        write_vicappunc(inputs, output, max_words or MAX_WORDS, limit, seed if split else None)
        return
    if output.suffix != ".spacy":
        raise ValueError(Errors.P025.format(path=output))
    max_words = max_words or 160
    if max_words < min_words:
        raise typer.BadParameter(f"--max-words is less than --min-words ({min_words}).")
    format = format or guess_format(inputs)
    weights = parse_weights(weight or [])
    if weights and format != Format.text:
        raise typer.BadParameter("--weight is for text only.")
    # The tokenizer is not used, and that of some languages would need another package.
    nlp = spacy.blank(lang, config={"nlp": {"tokenizer": {"@tokenizers": "spacy.Tokenizer.v1"}}})
    docs: Iterator[Doc]
    if format == Format.jsonl:
        docs = docs_from_jsonl(nlp, inputs)
    elif format == Format.vicappunc:
        docs = docs_from_vicappunc(nlp, inputs)
    elif format == Format.labels:
        docs = docs_from_labels(nlp, inputs, min_words=min_words, max_words=max_words, seed=seed)
    else:
        docs = docs_from_text(
            nlp, list(inputs), weights=weights, min_words=min_words, max_words=max_words, seed=seed
        )
    words = 0
    doc_bin = DocBin(store_user_data=True)
    for doc in islice(docs, limit or None):
        doc_bin.add(doc)
        words += len(doc)
    if not len(doc_bin):
        raise ValueError(Errors.P026.format(paths=", ".join(map(str, inputs))))
    with open_output(output) as file:
        file.write(doc_bin.to_bytes())
    typer.echo(f"{output}: {len(doc_bin)} docs, {words} words")


def write_vicappunc(
    inputs: Sequence[Path], output: Path, max_words: int, limit: int, split_seed: Optional[int]
) -> None:
    """Turn text into the three columns of ViCapPunc.

    inputs (Sequence[Path]): Text files, or folders with such files.
    output (Path): The file to write; the folder for three files where they are split.
    max_words (int): Length of a segment at most.
    limit (int): Number of segments, 0 for all.
    split_seed (Optional[int]): Decides which documents go where; None for one file with all.
    RAISES (ValueError): If there is no text, or a file cannot be written.
    """
    documents = read_text_segments(inputs, max_words=max_words)
    parts: Iterable[Tuple[str, List[List[Row]]]]
    if split_seed is None:
        paths = {"": output}
        segments = (segment for document in documents for segment in document)
        parts = (("", [segment]) for segment in islice(segments, limit or None))
    else:
        output.mkdir(parents=True, exist_ok=True)
        paths = {name: output / f"{name}.tsv" for name in SHARES}
        parts = split_documents(documents, seed=split_seed)
    counts = {name: [0, 0] for name in paths}
    with ExitStack() as stack:
        files = {name: stack.enter_context(open_output(path)) for name, path in paths.items()}
        for name, part in parts:
            counts[name][0] += len(part)
            counts[name][1] += write_segments(files[name], part)
        if not any(words for _, words in counts.values()):
            given = ", ".join(map(str, inputs))
            ends = " ".join(ENDS)
            raise ValueError(Errors.P095.format(paths=given, max_words=max_words, ends=ends))
    for name, (number, words) in counts.items():
        typer.echo(f"{paths[name]}: {number} segments, {words} words")


def guess_format(paths: Sequence[Path]) -> Format:
    """The format that files have by their suffix.

    RAISES (ValueError): If they differ.
    """
    found = {path.name.endswith(_JSONL) for path in paths}
    if len(found) > 1:
        raise ValueError(Errors.P027)
    return Format.jsonl if found == {True} else Format.text


def parse_weights(given: Sequence[str]) -> Dict[str, float]:
    """Weights from the form "name=3"."""
    weights: Dict[str, float] = {}
    for entry in given:
        name, _, number = entry.rpartition("=")
        try:
            weights[name] = float(number)
        except ValueError:
            name = ""
        if not name or weights[name] < 0:
            raise typer.BadParameter(f"--weight takes NAME=NUMBER, not {entry!r}.")
    return weights
