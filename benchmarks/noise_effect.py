"""`python -m benchmarks.noise_effect`: what recogniser noise in training does for a punctuator.

One model is trained on clean transcripts and one on transcripts with the slips of a recogniser, and
both are scored on clean words and on recognisers' output. The project's workflow `noise-effect`
runs it all.
"""

import json
from pathlib import Path
from typing import Annotated, Any, Dict

import typer

from spacy_punctcase.files import open_output

from .data import BARE_RECOGNISERS, TestSet, read_earnings, read_iwslt, read_recogniser
from .report import MARK_COLUMNS, MICRO, counts, look_up, make_table, percent
from .run import compare_systems
from .systems import Pipeline


def main(
    without: Annotated[Path, typer.Argument(help="Pipeline trained on clean transcripts")],
    noisy: Annotated[Path, typer.Argument(help="Pipeline trained with noise")],
    data: Annotated[Path, typer.Option("--data", help="Folder of the evaluation sets")],
    output: Annotated[Path, typer.Option("--output", "-o", help="JSON file to write")],
    samples: Annotated[int, typer.Option("--bootstrap", help="Number of resamples")] = 1000,
) -> None:
    """Score both pipelines, and print a table in Markdown."""
    systems = [Pipeline("without", without), Pipeline("with", noisy)]
    result: Dict[str, Any] = {}
    for name, test in read_sets(data).items():
        outputs = {system.name: system.restore(test.raw) for system in systems}
        result[name] = compare_systems(
            test, outputs, ["punctuation"], new="with", old="without", samples=samples
        )
    output.parent.mkdir(parents=True, exist_ok=True)
    with open_output(output) as file:
        file.write(json.dumps(result, indent=1).encode("utf8"))
    typer.echo(make_page(result))


def read_sets(data: Path) -> Dict[str, TestSet]:
    """Clean words and recognisers' output of talks and of earnings calls."""
    sets = read_iwslt(data / "iwslt2011")
    folder = data / "earnings21_eval10"
    reference = read_earnings(folder)
    sets["earnings21 reference"] = reference
    for name in BARE_RECOGNISERS:
        sets[f"earnings21 {name}"] = TestSet(read_recogniser(folder, name), reference.gold)
    return sets


def make_page(result: Dict[str, Any]) -> str:
    """A table: without noise → with noise, a row a set."""
    columns = [MICRO, *MARK_COLUMNS]
    rows = []
    for name, found in result.items():
        cells = []
        for column in columns:
            before, after = (
                percent(look_up(found["systems"][side], column.key)) for side in ("without", "with")
            )
            star = "\\*" if counts(found["differences"].get(column.key)) else ""
            cells.append(f"{before} → {after}{star}")
        rows.append([name, *cells])
    return make_table(["without → with noise", *(column.title for column in columns)], rows)


if __name__ == "__main__":
    typer.run(main)
