"""`python -m benchmarks.glossary`: what a large glossary costs.

A `casing_ruler` with many entries stands behind the restorers. Processor time is measured, so that
other work on the machine counts less.
"""

import json
from pathlib import Path
from time import process_time
from typing import Annotated, Any, Dict, List

import torch
import typer

import spacy_punctcase
from spacy_punctcase.files import open_output

from .data import leave_out_missing, read_recogniser
from .speed import WARM_UP_WORDS, make_paragraphs


def main(
    data: Annotated[Path, typer.Option("--data", help="Folder of the evaluation sets")],
    output: Annotated[Path, typer.Option("--output", "-o", help="JSON file to write")],
    model: Annotated[str, typer.Option("--model", help="Pipeline to measure")] = "en",
    entries: Annotated[int, typer.Option("--entries", help="Entries of the glossary")] = 10_000,
    words: Annotated[int, typer.Option("--words", help="Words of text")] = 20_000,
) -> None:
    """Measure it, and print a line."""
    with leave_out_missing():
        calls = read_recogniser(data / "earnings21_eval10", "ESPnet")
    torch.set_num_threads(1)
    spoken = " ".join(calls).split()[:words]
    nlp = spacy_punctcase.load(model)
    ruler: Any = nlp.add_pipe("casing_ruler", config={"entries": make_entries(spoken, entries)})
    restorers = nlp.select_pipes(disable=["casing_ruler"])
    list(nlp.pipe(make_paragraphs(spoken[:WARM_UP_WORDS])))
    start = process_time()
    docs = list(nlp.pipe(make_paragraphs(spoken)))
    restored = process_time()
    for doc in docs:
        ruler(doc)
    seconds = {"restorers": restored - start, "casing_ruler": process_time() - restored}
    restorers.restore()
    share = seconds["casing_ruler"] / seconds["restorers"]
    result: Dict[str, Any] = {
        "command": "spacy project run benchmark-glossary",
        "entries": len(ruler),
        "words": len(spoken),
        "changed": sum(ruler(doc).text != doc.text for doc in docs),
        "processor_seconds": seconds,
        "share": share,
    }
    output.parent.mkdir(parents=True, exist_ok=True)
    with open_output(output) as file:
        file.write((json.dumps(result, indent=2) + "\n").encode("utf8"))
    speed = len(spoken) / seconds["casing_ruler"]
    typer.echo(f"{len(ruler):,} entries cost {share:.1%}: {speed:,.0f} words per second")


def make_entries(words: List[str], count: int) -> List[str]:
    """Entries of which a share is met: each third from the text, the others beside it."""
    known = sorted({word.capitalize() for word in words if word.isalpha() and len(word) > 6})
    entries = known[: count // 3]
    return entries + [f"GlossaryEntry{index} Inc" for index in range(count - len(entries))]


if __name__ == "__main__":
    typer.run(main)
