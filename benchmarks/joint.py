"""`python -m benchmarks.joint`: does it help to learn marks and case in one network?

The systems are trained on the same text for as many steps, each task alone (SingleTask), marks
first, case first (JointCapPunc), and as two networks one behind the other, and are scored on bare
words. The project's workflow `compare-joint` runs it all.
"""

import json
from pathlib import Path
from typing import Annotated, Any, Dict, List, Optional

import typer

from spacy_punctcase.files import open_output
from spacy_punctcase.scoring.evaluate import compare_texts

from .data import TestSet, read_source, read_talks
from .report import (
    CASE_COLUMNS,
    MACRO,
    MARK_COLUMNS,
    WORD,
    Column,
    cell,
    counts,
    make_table,
    size,
)
from .run import score_outputs
from .systems import Pipeline

#: Systems by where they are in the folder. All others are compared with the first one.
SYSTEMS = {
    "single/model-last": "single-task",
    "first/model-last": "punctuation-first",
    "joint_no_crf/model-last": "JointCapPunc without CRF",
    "joint/model-last": "JointCapPunc",
    "two_stage": "two-stage",
}
COLUMNS = [
    *MARK_COLUMNS,
    MACRO,
    *CASE_COLUMNS[:3],
    Column("lowercase F1", "case_lower_f"),
    WORD,
]
METRICS = ["punctuation", "casing"]


def main(
    folder: Annotated[Path, typer.Argument(help="Folder of what was trained")],
    texts: Annotated[
        List[str], typer.Option("--text", metavar="NAME=FILE", help="Test text (repeatable)")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="JSON file to write")],
    talks: Annotated[
        Optional[Path],
        typer.Option("--talks", help="Tokenised talks to test on, as IWSLT has them"),
    ] = None,
    words: Annotated[int, typer.Option("--words", help="Words of each text")] = 60_000,
    samples: Annotated[int, typer.Option("--bootstrap", help="Number of resamples")] = 1000,
) -> None:
    """Score what was trained, and print tables in Markdown. What is not there is left out."""
    tests = {
        name: read_source(Path(path), words) for name, path in (t.split("=", 1) for t in texts)
    }
    if talks is not None:
        tests[f"talks ({talks.stem})"] = read_talks(talks)
    systems = [
        Pipeline(title, folder / name)
        for name, title in SYSTEMS.items()
        if (folder / name).exists()
    ]
    if not systems:
        raise typer.BadParameter(f"There is none of {', '.join(SYSTEMS)} in {folder}.")
    result = {name: compare_all(test, systems, samples) for name, test in tests.items()}
    output.parent.mkdir(parents=True, exist_ok=True)
    with open_output(output) as file:
        file.write(json.dumps(result, indent=1).encode("utf8"))
    typer.echo(make_page(result))


def compare_all(test: TestSet, systems: List[Pipeline], samples: int) -> Dict[str, Any]:
    """Score all systems on one set, and compare each with the first."""
    outputs = {system.name: system.restore(test.raw) for system in systems}
    base, *others = outputs
    result = score_outputs(test, outputs, METRICS, samples)
    result["differences"] = {
        name: {
            key: value._asdict()
            for key, value in compare_texts(
                outputs[name], outputs[base], test.gold, metrics=METRICS, samples=samples
            ).items()
        }
        for name in others
    }
    return result


def make_page(result: Dict[str, Any]) -> str:
    """A table for each set: scores with their 95 % intervals, and an asterisk where the difference
    from the first system leaves zero out."""
    parts = []
    for name, found in result.items():
        rows = []
        for system, scores in found["systems"].items():
            cells = [system]
            for column in COLUMNS:
                star = counts(found["differences"].get(system, {}).get(column.key))
                cells.append(cell(scores, column.key, interval=True, star=star))
            rows.append(cells)
        parts.append(f"{name}, {size(found)}:")
        parts.append(make_table(["system", *(column.title for column in COLUMNS)], rows))
    return "\n\n".join(parts)


if __name__ == "__main__":
    typer.run(main)
