"""`punctcase convert`: gold text in several formats to .spacy files."""

from enum import Enum
from itertools import islice
from pathlib import Path
from typing import Annotated, Dict, Iterator, List, Optional, Sequence

import spacy
import typer
from spacy.tokens import Doc, DocBin

from ..errors import Errors
from ..files import open_output
from ..gold.convert import docs_from_jsonl, docs_from_labels, docs_from_text

_JSONL = (".jsonl", ".jsonl.xz")


class Format(str, Enum):
    """What `punctcase convert` reads."""

    text = "text"
    labels = "labels"
    jsonl = "jsonl"


def convert_cli(
    inputs: Annotated[
        List[Path],
        typer.Argument(metavar="INPUT", help="Files or, for text, folders", show_default=False),
    ],
    output: Annotated[
        Path, typer.Argument(metavar="OUT.spacy", help="File to write", show_default=False)
    ],
    lang: Annotated[str, typer.Option("--lang", help="Language code")] = "en",
    format: Annotated[
        Optional[Format],
        typer.Option(
            "--format",
            help="Plain text; a word, a tab and a label on each line; or JSON lines with entities "
            "[default: jsonl by suffix, else text]",
        ),
    ] = None,
    min_words: Annotated[
        int, typer.Option("--min-words", min=1, help="Shortest transcript (not for jsonl)")
    ] = 60,
    max_words: Annotated[
        int, typer.Option("--max-words", min=1, help="Longest transcript (not for jsonl)")
    ] = 160,
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
) -> None:
    """Convert gold text to transcripts for training and evaluation: a DocBin with user data."""
    if output.suffix != ".spacy":
        raise ValueError(Errors.P025.format(path=output))
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
