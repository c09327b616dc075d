"""`python -m benchmarks.long`: time and memory of a transcript of two hours.

It is restored as one Doc, in paragraphs, and as a stream, each in a process of its own, whose most
memory is that of this way. A quarter of it is measured beside it: time should be a quarter, and
memory the same where it is streamed.
"""

import json
import multiprocessing
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, Callable, Dict, Iterator, List

import torch
import typer
from spacy.language import Language

import spacy_punctcase
from spacy_punctcase.files import open_output
from spacy_punctcase.streaming import StreamingRestorer

from .data import leave_out_missing, read_recogniser
from .report import make_table, percent
from .speed import WARM_UP_WORDS, make_paragraphs, peak_memory
from .streaming import count_differences, restore_moved

#: Words that a recogniser puts out at a time, about.
FEED_WORDS = 10


def main(
    data: Annotated[Path, typer.Option("--data", help="Folder of the evaluation sets")],
    output: Annotated[Path, typer.Option("--output", "-o", help="JSON file to write")],
    model: Annotated[str, typer.Option("--model", help="Pipeline to measure")] = "en",
    words: Annotated[int, typer.Option("--words", help="Words of the transcript")] = 20_000,
    threads: Annotated[int, typer.Option("--threads", help="Threads of torch")] = 1,
) -> None:
    """Measure it, and print a table in Markdown."""
    with leave_out_missing():
        calls = read_recogniser(data / "earnings21_eval10", "ESPnet")
    transcript = " ".join(calls).split()[:words]
    quarter = transcript[: len(transcript) // 4]
    ways: Dict[str, Any] = {}
    texts: Dict[str, str] = {}
    for way in WAYS:
        ways[way] = {"quarter": measure_way(way, quarter, model, threads)}
        texts[way] = (whole := measure_way(way, transcript, model, threads)).pop("text")
        ways[way]["quarter"].pop("text")
        ways[way]["whole"] = whole
    one_doc = [texts[ONE_DOC]]
    for way in WAYS:
        ways[way]["differences"] = count_differences(one_doc, [texts[way]])
    nlp = spacy_punctcase.load(model)
    result = {
        "words": len(transcript),
        "threads": threads,
        "ways": ways,
        "moved": count_differences(one_doc, [restore_moved(nlp, " ".join(transcript))]),
    }
    output.parent.mkdir(parents=True, exist_ok=True)
    with open_output(output) as file:
        file.write(json.dumps(result, indent=1).encode("utf8"))
    typer.echo(make_page(result))


def _one_doc(nlp: Language, words: List[str]) -> Iterator[str]:
    yield nlp(" ".join(words)).text


def _paragraphs(nlp: Language, words: List[str]) -> Iterator[str]:
    for doc in nlp.pipe(make_paragraphs(words), batch_size=8):
        yield doc.text + " "


def _stream(nlp: Language, words: List[str]) -> Iterator[str]:
    streaming = StreamingRestorer(nlp)
    for start in range(0, len(words), FEED_WORDS):
        yield streaming.feed(words[start : start + FEED_WORDS]).committed
    yield streaming.flush().committed


ONE_DOC = "one Doc"
#: Ways to restore a transcript: each yields it piece by piece.
WAYS: Dict[str, Callable[[Language, List[str]], Iterator[str]]] = {
    ONE_DOC: _one_doc,
    "paragraphs": _paragraphs,
    "StreamingRestorer": _stream,
}


def measure_way(way: str, words: List[str], model: str, threads: int) -> Dict[str, Any]:
    """Restore words in a process of its own.

    way (str): One of WAYS.
    words (List[str]): The words.
    model (str): What `spacy_punctcase.load` takes.
    threads (int): Threads of torch.
    RETURNS (Dict[str, Any]): "text"; "seconds"; "memory_mb", the most that the process had, and
        "memory_before_mb", the most before, with the pipeline loaded and warm.
    """
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measure, (way, words, model, threads))


def _measure(way: str, words: List[str], model: str, threads: int) -> Dict[str, Any]:
    torch.set_num_threads(threads)
    nlp = spacy_punctcase.load(model)
    nlp(" ".join(words[:WARM_UP_WORDS]))
    before = peak_memory()
    start = perf_counter()
    pieces = list(WAYS[way](nlp, words))
    seconds = perf_counter() - start
    return {
        "text": "".join(pieces),
        "seconds": seconds,
        "memory_before_mb": before,
        "memory_mb": peak_memory(),
    }


def make_page(result: Dict[str, Any]) -> str:
    """A table, a row a way."""
    count = result["words"]
    rows = []
    for way, found in result["ways"].items():
        quarter, whole = found["quarter"], found["whole"]
        row = [way, f"{quarter['seconds']:.1f} s, {whole['seconds']:.1f} s"]
        row.append(f"{quarter['memory_mb']:.0f} MB, {whole['memory_mb']:.0f} MB")
        row.append(f"{percent(found['differences']['either'])} %" if way != ONE_DOC else "")
        rows.append(row)
    headings = [
        f"{count // 4:,} and {count:,} words",
        "time",
        "most memory of the process",
        "words that differ from one Doc",
    ]
    moved = percent(result["moved"]["either"])
    loaded = result["ways"][ONE_DOC]["whole"]["memory_before_mb"]
    return (
        f"{make_table(headings, rows)}\n\nLoaded: {loaded:.0f} MB. The same Doc behind other "
        f"words differs in {moved} %."
    )


if __name__ == "__main__":
    typer.run(main)
