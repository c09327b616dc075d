"""`punctcase calibrate`: the temperatures of scores, fitted on gold text."""

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Mapping, Optional

import typer
from rich.console import Console
from rich.table import Table

from ..files import output_pipeline
from ..report.plots import plot_reliability, save_figure
from ..scoring.calibration import (
    BINS,
    Calibration,
    Decisions,
    calibrate_pipeline,
    expected_calibration_error,
    make_bins,
    negative_log_likelihood,
)
from .tables import STYLE
from .tune import (
    DevArgument,
    ForceOption,
    PipelineArgument,
    config_lines,
    load_with_gold,
    make_settings_table,
    save_with,
)

#: What the kinds of decisions are called.
TITLES = {"mark": "marks", "case": "case"}


def calibrate_cli(
    pipeline: PipelineArgument,
    dev: DevArgument,
    output: Annotated[
        Optional[Path],
        typer.Option("--output", "-o", help="Folder for the pipeline with the temperatures"),
    ] = None,
    plot: Annotated[
        Optional[Path],
        typer.Option("--plot", help="Draw scores against the share that is right (.svg or .png)"),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Fit the temperatures with which scores say how probable it is that a mark, or the case of a
    word, is right. The text stays the same. They are printed as lines for a config."""
    with ExitStack() as stack:
        folder = None
        if output is not None:
            folder = stack.enter_context(output_pipeline(output, force=force))
        nlp, docs = load_with_gold(pipeline, dev)
        calibration = calibrate_pipeline(nlp, docs)
        if plot is not None:
            save_figure(plot_reliability(reliability_bins(calibration)), plot)
        if folder is not None:
            save_with(pipeline, calibration.after, folder)
    console = Console()
    console.print(make_calibration_table(calibration))
    console.print(make_settings_table(calibration.before, calibration.after))
    typer.echo(config_lines(calibration.after))


def make_calibration_table(calibration: Calibration) -> Table:
    """Expected calibration error and negative log likelihood before and after."""
    table = Table(
        "",
        "decisions",
        "right",
        "before: mean score",
        "ECE",
        "NLL",
        "after: mean score",
        "ECE",
        "NLL",
        **STYLE,
    )
    for kind, before in calibration.decisions_before.items():
        table.add_row(
            TITLES[kind],
            str(len(before.right)),
            f"{before.right.mean():.2%}",
            *_cells(before),
            *_cells(calibration.decisions_after[kind]),
        )
    table.caption = f"ECE: in {BINS} bins of equal numbers"
    return table


def _cells(decisions: Decisions) -> list:
    return [
        f"{decisions.scores.mean():.2%}",
        f"{expected_calibration_error(*decisions):.2%}",
        f"{negative_log_likelihood(*decisions):.4f}",
    ]


def reliability_bins(calibration: Calibration) -> Mapping[str, Mapping[str, list]]:
    """What `plot_reliability` takes."""
    return {
        TITLES[kind]: {
            "before": make_bins(*before),
            "after": make_bins(*calibration.decisions_after[kind]),
        }
        for kind, before in calibration.decisions_before.items()
    }
