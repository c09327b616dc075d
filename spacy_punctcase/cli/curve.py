"""`punctcase curve`: learning curves from the logs of trainings."""

from math import nan
from pathlib import Path
from typing import Annotated, Dict, List, Optional, Sequence

import typer
from rich.console import Console
from rich.table import Table

from ..report.curve import (
    SMOOTHING,
    Evaluation,
    best_evaluation,
    find_places,
    losses_per_step,
    plot_curves,
    read_log,
    set_aside,
    shown_scores,
)
from ..report.plots import save_figure
from .tables import STYLE


def curve_cli(
    logs: Annotated[
        List[Path],
        typer.Argument(metavar="LOG.jsonl", help="Logs of trainings", show_default=False),
    ],
    output: Annotated[
        Optional[Path],
        typer.Option("--output", "-o", help="Draw the curves (.png or .svg)", show_default=False),
    ] = None,
    words_per_step: Annotated[
        Optional[List[int]],
        typer.Option(
            "--words-per-step",
            metavar="N",
            min=1,
            help="Show words in the place of steps, on a logarithmic axis (repeatable: one number "
            "for each log)",
        ),
    ] = None,
    smoothing: Annotated[
        float,
        typer.Option(
            "--smoothing", min=0, max=0.99, help="How much of the loss before stays in the next"
        ),
    ] = SMOOTHING,
    aside: Annotated[
        bool,
        typer.Option(
            "--set-aside",
            help="Do nothing but rename the logs to NAME.1.jsonl (.2, ...), so that the next "
            "training can write: spaCy's logger writes none where one is",
        ),
    ] = False,
) -> None:
    """Show how dev scores and loss went in trainings that logged to a file (`--paths.log` of
    `spacy train`): a table of the evaluations and, with -o, one figure for all."""
    if aside:
        for path in logs:
            typer.echo(f"{path}: {set_aside(path) or 'not there'}")
        return
    named = dict(zip(choose_names(logs), map(read_log, logs)))
    words = dict(zip(named, repeat_number(words_per_step or [], len(logs))))
    if output is not None:
        save_figure(plot_curves(named, words, smoothing), output)
    console = Console()
    for name, log in named.items():
        console.print(make_table(name, log, words.get(name, 0)))


def choose_names(logs: Sequence[Path]) -> List[str]:
    """What trainings are called: by their files' names without suffix or, where two are the
    same, by their paths."""
    names = [path.stem for path in logs]
    if len(set(logs)) < len(logs):
        raise typer.BadParameter("The same log is given twice.")
    return names if len(set(names)) == len(names) else list(map(str, logs))


def repeat_number(numbers: Sequence[int], length: int) -> List[int]:
    """As many numbers as there are logs: those given, or the only one for all."""
    if len(numbers) not in (0, 1, length):
        raise typer.BadParameter(
            f"--words-per-step is given {len(numbers)} times for {length} logs: give it once for "
            "all, or once for each."
        )
    return list(numbers) * (length if len(numbers) == 1 else 1)


def make_table(name: str, log: Sequence[Evaluation], words_per_step: int = 0) -> Table:
    """The evaluations of a training as a table. The first row of the highest score has a star."""
    losses = losses_per_step(log)
    scores = shown_scores(log)
    table = Table(title=name, title_justify="left", **STYLE)
    for column in ["words" if words_per_step else "step", *_loss_titles(losses), *scores, "score"]:
        table.add_column(column, justify="right")
    best = best_evaluation(log)
    for index, (place, evaluation) in enumerate(zip(find_places(log, words_per_step), log)):
        table.add_row(
            f"{place:,}",
            *(f"{values[index]:.3g}" for values in losses.values()),
            *(f"{evaluation.scores.get(score, nan):.1f}" for score in scores),
            f"{evaluation.score:.3f}{' *' if evaluation is best else '  '}",
        )
    return table


def _loss_titles(losses: Dict[str, List[float]]) -> List[str]:
    return ["loss"] if len(losses) == 1 else [f"loss, {component}" for component in losses]
