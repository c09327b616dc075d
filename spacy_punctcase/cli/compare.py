"""`punctcase compare`: a page that shows where two texts differ."""

from pathlib import Path
from typing import Annotated, List, Optional, Tuple

import typer

from ..files import open_output
from ..report.compare import render_comparison
from .evaluate import Format, pair_documents, read_texts

TextA = Annotated[Path, typer.Argument(metavar="A", help="A text", show_default=False)]
TextB = Annotated[Path, typer.Argument(metavar="B", help="The other one", show_default=False)]
GoldOption = Annotated[
    Optional[Path], typer.Option("--gold", metavar="FILE", help="Gold text", show_default=False)
]
NamesOption = Annotated[
    Optional[str],
    typer.Option(
        "--names",
        metavar="NAME,NAME",
        help="What the two are called [default: names of the files]",
        show_default=False,
    ),
]
PageOption = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="FILE.html", help="Page to write", show_default=False),
]


def compare_cli(
    a: TextA,
    b: TextB,
    output: PageOption,
    gold: GoldOption = None,
    names: NamesOption = None,
) -> None:
    """Show side by side where two texts differ, and which agrees with gold: one HTML page that
    needs no other file. Texts are given as for evaluate."""
    called = choose_names(names, a, b)
    texts_a, texts_b, gold_texts = read_pair(a, b, gold)
    page = render_comparison(
        texts_a, texts_b, gold_texts, names=called, title=f"{called[0]} and {called[1]}"
    )
    with open_output(output) as file:
        file.write(page.encode("utf8"))


def read_pair(
    a: Path, b: Path, gold: Optional[Path]
) -> Tuple[List[str], List[str], Optional[List[str]]]:
    """The documents of two texts and, if given, of gold, one to one."""
    files = [read_texts(a, Format.auto), read_texts(b, Format.auto)]
    if gold is not None:
        files.append(read_texts(gold, Format.auto, is_gold=True))
    texts_a, texts_b, *others = pair_documents(files)
    return texts_a, texts_b, others[0] if others else None


def choose_names(given: Optional[str], a: Path, b: Path) -> Tuple[str, str]:
    """What two texts are called: as given, or by their files' names or, if those are the same,
    paths."""
    if given is None:
        return (a.name, b.name) if a.name != b.name else (str(a), str(b))
    names = [name.strip() for name in given.split(",")]
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise typer.BadParameter("--names takes two different names with a comma between them.")
    return names[0], names[1]
