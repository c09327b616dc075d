"""`punctcase tune`: the bias of marks and the thresholds of case, fitted on gold text."""

import json
from contextlib import ExitStack
from enum import Enum
from pathlib import Path
from typing import Annotated, List, Optional, Tuple

import typer
from rich.console import Console
from rich.table import Table
from spacy.language import Language
from spacy.tokens import Doc

from ..errors import Errors
from ..files import output_pipeline
from ..scoring.tune import (
    Settings,
    config_value,
    has_gold,
    set_settings,
    tunable,
    tune_pipeline,
)
from .evaluate import read_docs
from .restore import load_pipeline
from .tables import STYLE, make_before_after_table

PipelineArgument = Annotated[
    str,
    typer.Argument(
        metavar="PIPELINE",
        help="Name of a shipped pipeline, or a package or path",
        show_default=False,
    ),
]
DevArgument = Annotated[
    Path,
    typer.Argument(
        metavar="DEV.spacy",
        help="Transcripts with gold text (`punctcase convert`), never those of a test",
        show_default=False,
    ),
]
ForceOption = Annotated[
    bool, typer.Option("--force", help="Replace a pipeline that is in --output already")
]


class Metric(str, Enum):
    """What the bias of the marks is fitted for."""

    micro = "micro"
    macro = "macro"


def tune_cli(
    pipeline: PipelineArgument,
    dev: DevArgument,
    metric: Annotated[
        Metric, typer.Option("--metric", help="Which F-score of the marks is to be the best")
    ] = Metric.micro,
    output: Annotated[
        Optional[Path],
        typer.Option("--output", "-o", help="Folder for the pipeline with the new settings"),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Fit the bias of each mark and the thresholds of case on gold text, without training. The
    settings are printed as lines for a config."""
    with ExitStack() as stack:
        folder = None
        if output is not None:
            folder = stack.enter_context(output_pipeline(output, force=force))
        nlp, docs = load_with_gold(pipeline, dev)
        tuning = tune_pipeline(nlp, docs, metric=metric.value)
        if folder is not None:
            save_with(pipeline, tuning.after, folder)
    console = Console()
    console.print(make_before_after_table(tuning.scores_before, tuning.scores_after))
    console.print(make_settings_table(tuning.before, tuning.after))
    typer.echo(config_lines(tuning.after))


def load_with_gold(pipeline: str, dev: Path) -> Tuple[Language, List[Doc]]:
    """Load a pipeline whose settings are to be fitted, and the Docs with gold text.

    RAISES (ValueError): If the pipeline has nothing to fit, or there is no gold text.
    """
    nlp = load_pipeline(pipeline)
    if not tunable(nlp):
        raise ValueError(Errors.P051.format(model=pipeline, found=", ".join(nlp.pipe_names)))
    docs = read_docs(dev)
    if not has_gold(docs):
        raise ValueError(Errors.P046.format(path=dev))
    return nlp, docs


def save_with(pipeline: str, settings: Settings, folder: Path) -> None:
    """Save a pipeline with other settings. It is loaded anew: one that has read text has the words
    of that in its vocab."""
    nlp = load_pipeline(pipeline)
    set_settings(nlp, settings)
    nlp.to_disk(folder)


def make_settings_table(before: Settings, after: Settings) -> Table:
    """Settings before and after they were fitted; the bias of a mark is 0 where there is none."""
    table = Table("", "before", "after", **STYLE)
    rows: List[Tuple[str, float, float]] = []
    for name, values in before.items():
        for setting, old in values.items():
            new = after[name][setting]
            if isinstance(old, dict):
                for mark in dict.fromkeys([*old, *new]):
                    row = f"{name}.{setting} {mark}", old.get(mark, 0.0), new.get(mark, 0.0)
                    rows.append(row)
            else:
                rows.append((f"{name}.{setting}", old, new))
    for title, old, new in rows:
        table.add_row(title, f"{old:g}", f"{new:g}")
    return table


def config_lines(settings: Settings) -> str:
    """Settings as sections of a config."""
    sections = []
    for name, values in settings.items():
        lines = [f"[components.{name}]"]
        for setting, value in values.items():
            lines.append(f"{setting} = {json.dumps(config_value(value), ensure_ascii=False)}")
        sections.append("\n".join(lines) + "\n")
    return "\n".join(sections)
