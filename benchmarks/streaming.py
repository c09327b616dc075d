"""`python -m benchmarks.streaming`: how close a stream comes to the whole text, and how fast it is.

Each text is restored as one Doc, and by a StreamingRestorer with more and more words of context on
the right. How far the pipeline is from itself when windows fall elsewhere is measured beside it, by
the same Doc behind other words: closer than that no stream can be expected to come.
"""

import json
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, Dict, List

import numpy
import typer
from spacy.language import Language

import spacy_punctcase
from spacy_punctcase.files import open_output
from spacy_punctcase.scoring.evaluate import evaluate_texts
from spacy_punctcase.streaming import StreamingRestorer
from spacy_punctcase.text.words import split_words

from .data import TestSet, leave_out_missing, read_earnings, read_recogniser, read_source
from .report import make_table, percent
from .speed import torch_threads

RIGHT_CONTEXTS = (2, 4, 8, 12, 16)
DEV_SOURCES = ("changelog", "whitehouse_2009_2015")
METRICS = ("punctuation", "casing")
#: Words put in front of a text, so that its windows fall elsewhere.
SHIFT = 50


def main(
    data: Annotated[Path, typer.Option("--data", help="Folder of the evaluation sets")],
    dev: Annotated[Path, typer.Option("--dev", help="Folder of dev text, a file a source")],
    output: Annotated[Path, typer.Option("--output", "-o", help="JSON file to write")],
    model: Annotated[str, typer.Option("--model", help="Pipeline to measure")] = "en",
    words: Annotated[int, typer.Option("--words", help="Words of each dev source")] = 1500,
    timed: Annotated[int, typer.Option("--timed", help="Words fed one by one, for time")] = 1000,
    threads: Annotated[int, typer.Option("--threads", help="Threads of torch")] = 1,
) -> None:
    """Measure it, and print tables in Markdown."""
    with leave_out_missing():
        sets = read_sets(data, dev, words)
    nlp = spacy_punctcase.load(model)
    with torch_threads(threads):
        result: Dict[str, Any] = {
            "sets": {name: measure_set(nlp, test) for name, test in sets.items()},
            "time": time_words(nlp, next(iter(sets.values())).raw[0].split()[:timed]),
            "threads": threads,
        }
    output.parent.mkdir(parents=True, exist_ok=True)
    with open_output(output) as file:
        file.write(json.dumps(result, indent=1).encode("utf8"))
    typer.echo(make_page(result))


def read_sets(data: Path, dev: Path, words: int) -> Dict[str, TestSet]:
    """The beginning of two dev sources, and the shortest earnings call as a recogniser put it
    out."""
    sets = {name: read_source(dev / f"{name}.txt.xz", words) for name in DEV_SOURCES}
    folder = data / "earnings21_eval10"
    calls = zip(read_recogniser(folder, "ESPnet"), read_earnings(folder).gold)
    raw, gold = min(calls, key=lambda call: len(call[0]))
    return {**sets, "earnings21 ESPnet": TestSet([raw], [gold])}


def measure_set(nlp: Language, test: TestSet) -> Dict[str, Any]:
    """Restore the documents of a set as a whole and as streams.

    nlp (Language): The pipeline.
    test (TestSet): The set.
    RETURNS (Dict[str, Any]): "words"; "whole" with the scores; "moved", how the same differs behind
        other words; "streamed" by right context, each with its differences from the whole, its
        scores, and the words a second where all are fed at once.
    """
    whole = [nlp(text).text for text in test.raw]
    count = sum(len(text.split()) for text in test.raw)
    streamed: Dict[str, Any] = {}
    for right_context in RIGHT_CONTEXTS:
        start = perf_counter()
        texts = [stream(nlp, text, right_context) for text in test.raw]
        seconds = perf_counter() - start
        streamed[str(right_context)] = {
            "differences": count_differences(whole, texts),
            "scores": evaluate_texts(texts, test.gold, metrics=METRICS),
            "words_per_second": count / seconds,
        }
    return {
        "words": count,
        "whole": evaluate_texts(whole, test.gold, metrics=METRICS),
        "moved": count_differences(whole, [restore_moved(nlp, text) for text in test.raw]),
        "streamed": streamed,
    }


def stream(nlp: Language, text: str, right_context: int) -> str:
    """A text restored as a stream."""
    streaming = StreamingRestorer(nlp, right_context=right_context)
    return streaming.feed(text).committed + streaming.flush().committed


def restore_moved(nlp: Language, text: str) -> str:
    """A text restored behind SHIFT words that are its own last ones."""
    front = text.split()[-SHIFT:]
    return " ".join(nlp(" ".join([*front, text])).text.split()[len(front) :])


def count_differences(texts: List[str], others: List[str]) -> Dict[str, float]:
    """Shares of the words whose mark, case, or either of them differs between texts of the same
    words."""
    marks = case = either = total = 0
    for text, other in zip(texts, others):
        for one, two in zip(split_words(text), split_words(other), strict=True):
            same_mark = one.mark == two.mark
            same_case = text[one.core_start : one.core_end] == other[two.core_start : two.core_end]
            marks += not same_mark
            case += not same_case
            either += not (same_mark and same_case)
            total += 1
    return {"marks": marks / total, "case": case / total, "either": either / total}


def time_words(nlp: Language, words: List[str]) -> Dict[str, float]:
    """Feed words one by one.

    nlp (Language): The pipeline.
    words (List[str]): The words.
    RETURNS (Dict[str, float]): "words"; "median" and "p95" of the seconds from a word to the update
        with it; "words_per_second".
    """
    streaming = StreamingRestorer(nlp)
    seconds = []
    for word in words:
        start = perf_counter()
        streaming.feed([word])
        seconds.append(perf_counter() - start)
    return {
        "words": len(words),
        "median": float(numpy.median(seconds)),
        "p95": float(numpy.percentile(seconds, 95)),
        "words_per_second": len(words) / sum(seconds),
    }


def make_page(result: Dict[str, Any]) -> str:
    """Tables: differences and scores by right context; times."""
    sets = result["sets"].values()
    rows = [
        [key]
        + [_cell(found["streamed"][key]["differences"]) for found in sets]
        + [_scores(found["streamed"][key]["scores"]) for found in sets]
        for key in map(str, RIGHT_CONTEXTS)
    ]
    rows.append(
        ["whole text"]
        + [f"({_cell(found['moved'])})" for found in sets]
        + [_scores(found["whole"]) for found in sets]
    )
    names = list(result["sets"])
    headings = [
        "right_context",
        *(f"{name}, words that differ" for name in names),
        *(f"{name}, F1 of marks / case" for name in names),
    ]
    time = result["time"]
    times = (
        f"{time['words']} words one by one, {result['threads']} threads: median "
        f"{1000 * time['median']:.0f} ms, 95 % below {1000 * time['p95']:.0f} ms, "
        f"{time['words_per_second']:.0f} words a second."
    )
    fed = min(found["streamed"]["8"]["words_per_second"] for found in sets)
    return (
        f"{make_table(headings, rows)}\n\n{times} Many at once: {fed:.0f} words a second or more."
    )


def _cell(shares: Dict[str, float]) -> str:
    return f"{percent(shares['either'])} %"


def _scores(scores: Dict[str, Any]) -> str:
    return f"{percent(scores['punct_micro_f'])} / {percent(scores['case_word_f'])}"


if __name__ == "__main__":
    typer.run(main)
