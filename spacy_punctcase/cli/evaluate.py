"""`punctcase evaluate`: marks and case of one text against another."""

from pathlib import Path
from typing import Annotated, Any, Dict, List, Optional, Tuple

import srsly
import typer
from rich.console import Console
from rich.table import Table

from ..gold.readers import read_lines
from ..scoring.casing import case_pairs, score_case
from ..scoring.punctuation import mark_pairs, score_marks
from .output import open_output


def evaluate_cli(
    predicted: Annotated[Path, typer.Argument(help="Restored text", show_default=False)],
    gold: Annotated[Path, typer.Argument(help="Gold text with the same words", show_default=False)],
    output: Annotated[
        Optional[Path], typer.Option("--output", "-o", help="Write the scores as JSON")
    ] = None,
) -> None:
    """Score punctuation and case of a text file against gold text of the same words."""
    scores = evaluate_texts(_read(predicted), _read(gold))
    Console().print(make_table(scores))
    if output is not None:
        with open_output(output) as file:
            file.write(srsly.json_dumps(scores, indent=2).encode("utf8"))


def evaluate_texts(predicted: str, gold: str) -> Dict[str, Any]:
    """Score marks and case of a text.

    predicted (str): The restored text.
    gold (str): The gold text.
    RETURNS (Dict[str, Any]): See `score_marks` and `score_case`.
    RAISES (ValueError): If the words differ.
    """
    return {
        **score_marks(mark_pairs(predicted, gold)),
        **score_case(case_pairs(predicted, gold)),
    }


def make_table(scores: Dict[str, Any]) -> Table:
    """The scores as a table of percentages."""
    table = Table("", "P", "R", "F")
    per_mark = scores["punct_per_mark"] or {}
    rows: List[Tuple[str, Any, Any, Any]] = [
        (f"mark {mark}", *(score[key] for key in "prf")) for mark, score in per_mark.items()
    ]
    rows.append(("marks, micro", *(scores[f"punct_micro_{key}"] for key in "prf")))
    rows.append(("marks, macro", None, None, scores["punct_macro_f"]))
    for level in ("word", "char"):
        rows.append((f"case, {level}", *(scores[f"case_{level}_{key}"] for key in "prf")))
    for name, *values in rows:
        table.add_row(name, *("-" if value is None else f"{value:.1%}" for value in values))
    return table


def _read(path: Path) -> str:
    return "".join(read_lines(path))
