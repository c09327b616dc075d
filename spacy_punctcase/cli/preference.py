"""`punctcase preference`: a blind study of which of two texts readers prefer."""

from pathlib import Path
from typing import Annotated, Any, List, Mapping, Optional, Tuple

import srsly
import typer
from rich.console import Console
from rich.table import Table

from ..files import open_output
from ..report.preference import read_votes, render_study, score_votes
from .compare import GoldOption, NamesOption, PageOption, TextA, TextB, choose_names, read_pair


def make_cli(
    a: TextA,
    b: TextB,
    output: PageOption,
    gold: GoldOption = None,
    names: NamesOption = None,
    limit: Annotated[
        int, typer.Option("--limit", min=0, help="Number of paragraphs, 0 for all that differ")
    ] = 50,
    seed: Annotated[
        int, typer.Option("--seed", help="Decides which paragraphs, their order and sides")
    ] = 0,
) -> None:
    """Write an HTML page on which readers say which text is better, without knowing which is
    which, and save their votes. Texts are given as for evaluate."""
    called = choose_names(names, a, b)
    texts_a, texts_b, gold_texts = read_pair(a, b, gold)
    page = render_study(texts_a, texts_b, gold_texts, names=called, limit=limit, seed=seed)
    with open_output(output) as file:
        file.write(page.encode("utf8"))


def score_cli(
    votes: Annotated[
        List[Path],
        typer.Argument(metavar="VOTES", help="Files that the page saved", show_default=False),
    ],
    output: Annotated[
        Optional[Path], typer.Option("--output", "-o", help="Write the scores as JSON")
    ] = None,
) -> None:
    """Sum up the votes: how often either text is preferred, and how sure that is."""
    scores = score_votes([read_votes(path) for path in votes])
    Console().print(make_table(scores))
    if output is not None:
        with open_output(output) as file:
            file.write(srsly.json_dumps(scores, indent=2).encode("utf8"))


def make_table(scores: Mapping[str, Any]) -> Table:
    """The sums of a study as a table."""
    name_a, name_b = scores["names"]["a"], scores["names"]["b"]
    rows: List[Tuple[str, str]] = [
        ("raters", str(scores["raters"])),
        ("votes", str(scores["votes"])),
        (f"{name_a} preferred", str(scores["wins_a"])),
        (f"{name_b} preferred", str(scores["wins_b"])),
        ("no preference", str(scores["ties"])),
        (f"share of {name_b}, ties half", _share(scores["share_b"])),
        (f"share of {name_b}, without ties", _share(scores["share_b_without_ties"])),
        ("p, sign test", _number(scores["p_value"])),
    ]
    if scores["raters"] > 1:
        agreement = scores["agreement"]
        rows.append(("raters agree", "-" if agreement is None else f"{agreement:.1%}"))
        rows.append(("Krippendorff's alpha", _number(scores["alpha"])))
    table = Table(show_header=False)
    for row in rows:
        table.add_row(*row)
    return table


def _share(share: Mapping[str, Any]) -> str:
    if share["value"] is None:
        return "-"
    return "{value:.1%} [{low:.1%}, {high:.1%}]".format(**share)


def _number(value: Optional[float]) -> str:
    return "-" if value is None else f"{value:.3g}"


app = typer.Typer(
    help="A blind study of which of two texts readers prefer.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command("make")(make_cli)
app.command("score")(score_cli)
