"""`punctcase prune`: a multilingual encoder cut down to some languages."""

from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Iterator, List, Optional, Sequence

import typer
from rich.console import Console
from rich.table import Table

from ..errors import Errors
from ..files import output_pipeline
from ..gold.readers import find_text_files, read_texts
from ..models.prune import Pruned, prune_encoder, tally_words
from .tables import STYLE


def prune_cli(
    encoder: Annotated[
        str,
        typer.Argument(
            metavar="ENCODER",
            help="Name on the Hugging Face hub, or a folder",
            show_default=False,
        ),
    ],
    texts: Annotated[
        List[Path],
        typer.Argument(
            metavar="TEXT",
            help="Text of each language: files or folders, which count alike however long they are",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Folder for the new encoder", show_default=False),
    ],
    size: Annotated[
        int, typer.Option("--size", min=1, help="Number of sub-words to keep")
    ] = 16_000,
    layers: Annotated[
        Optional[int],
        typer.Option("--layers", min=1, help="Number of layers to keep, from the first"),
    ] = None,
    lines: Annotated[
        int, typer.Option("--lines", min=0, help="Lines to read of each file, 0 for all")
    ] = 0,
) -> None:
    """Leave out the sub-words of a multilingual encoder that the given languages hardly need. What
    is left splits their words as before, and takes a fraction of the space."""
    if output.exists():
        raise ValueError(Errors.P101.format(path=output))
    words = [tally_words(_read(path, lines)) for path in texts]
    for path, counts in zip(texts, words):
        if not counts:
            raise ValueError(Errors.P102.format(path=path))
    with output_pipeline(output) as folder:
        pruned = prune_encoder(encoder, words, folder, size=size, num_layers=layers)
    Console().print(make_table(texts, pruned))


def make_table(texts: Sequence[Path], pruned: Pruned) -> Table:
    """Size before and after, and what it costs."""
    table = Table("", "before", "after", **STYLE)
    before, after = pruned.weights_before, pruned.weights_after
    table.add_row("sub-words", f"{pruned.pieces_before:,}", f"{pruned.pieces_after:,}")
    table.add_row("weights", f"{before:,}", f"{after:,}")
    table.add_row("MB in 32 bits", f"{before * 4 / 1e6:.1f}", f"{after * 4 / 1e6:.1f}")
    table.add_row("MB in 8 bits", f"{before / 1e6:.1f}", f"{after / 1e6:.1f}")
    for path, same in zip(texts, pruned.same):
        table.add_row(f"words of {path.name} split as before", "", f"{same:.2%}")
    return table


def _read(path: Path, lines: int) -> Iterator[str]:
    files = find_text_files(path)
    return chain.from_iterable(islice(read_texts(file), lines or None) for file in files)
