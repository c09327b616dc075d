"""`python -m benchmarks.filter_effect`: what the data filter does for a model.

Clean speech and about as much text of doubtful kinds are mixed; a model is trained on the mix, and
the same model on what `punctcase filter` keeps of it, and both are scored on clean text. The
project's workflow `filter-effect` runs it all.
"""

import json
import random
import re
from itertools import chain
from pathlib import Path
from typing import (
    Annotated,
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Sequence,
    Tuple,
)

import typer

from spacy_punctcase.files import open_output
from spacy_punctcase.gold.readers import find_text_files, read_documents
from spacy_punctcase.scoring.alignment import cut_all
from spacy_punctcase.scoring.bootstrap import Difference, paired_bootstrap
from spacy_punctcase.scoring.casing import CLASSES, count_case, score_case_counts
from spacy_punctcase.scoring.counts import Counts, total_counts
from spacy_punctcase.scoring.punctuation import count_marks, score_mark_counts
from spacy_punctcase.text.case import lower, upper
from spacy_punctcase.text.marks import DEFAULT_MARKS, MARKS, NO_MARK

from .data import MissingData, read_dev, require
from .report import make_table
from .systems import Pipeline, System

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)

#: Sources whose marks and case are those that are wanted.
CLEAN = ("changelog", "whitehouse_2009_2015")
#: Meetings whose turns are broken off and begin in lower case, and space flights with the names of
#: switches in capitals.
DOUBTFUL = ("qmsum_icsi", "qmsum_ami", "spacelog_nasa")
#: Words of a piece when documents are shuffled.
PIECE = 500
#: What is told of a side beside F1, each per 100 words: the lower the better.
RATES = {
    "false_marks": "false marks per 100 words",
    "false_capitals": "wrong capitals per 100 words",
    "false_capitals_both": "the same, behind the punctuator",
}
#: What is told of a side, in the order of the table.
MEASURES = {
    "punct_micro_p": "marks, precision",
    "punct_micro_r": "marks, recall",
    "punct_micro_f": "marks, F1",
    **{f"mark {mark}": f"`{mark}` F1" for mark in DEFAULT_MARKS},
    "false_marks": RATES["false_marks"],
    **{f"case_{name}_f": f"{name} F1" for name in CLASSES},
    "false_capitals": RATES["false_capitals"],
    "false_capitals_both": RATES["false_capitals_both"],
}

Document = List[str]

_MARK = re.compile(rf"[{re.escape(''.join(sorted(MARKS)))}]+(?=[\"'”’)\]]*(?:\s|\Z))")


def shout(document: Document, rng: random.Random) -> Document:
    """All in capitals."""
    return [upper(line) for line in document]


def lower_all(document: Document, rng: random.Random) -> Document:
    """All in lower case."""
    return [lower(line) for line in document]


def drop_marks(document: Document, rng: random.Random) -> Document:
    """Without the marks behind the words."""
    return [_MARK.sub("", line) for line in document]


def scatter_marks(document: Document, rng: random.Random) -> Document:
    """The marks of each line behind other words of it, drawn at random."""
    return [_scatter(line, rng) for line in document]


def _scatter(line: str, rng: random.Random) -> str:
    marks = [match[0][0] for match in _MARK.finditer(line)]
    words = _MARK.sub("", line).split()
    for place in rng.sample(range(len(words)), min(len(marks), len(words))):
        words[place] += marks.pop()
    return " ".join(words)


#: What is done to clean text, by the name of the file that it gives.
CORRUPTIONS: Dict[str, Callable[[Document, random.Random], Document]] = {
    "all_capitals": shout,
    "all_lower": lower_all,
    "marks_dropped": drop_marks,
    "marks_at_random": scatter_marks,
}


@app.command("mix")
def mix(
    train: Annotated[Path, typer.Argument(help="Folder of training text, a file a source")],
    output: Annotated[Path, typer.Argument(help="Folder to write mix/ and target/ to")],
    words: Annotated[
        int, typer.Option("--words", min=100, help="Words of clean text, and as many of the rest")
    ] = 600_000,
    seed: Annotated[int, typer.Option("--seed", help="Decides where marks are put")] = 0,
) -> None:
    """Mix clean text with text of doubtful kinds and with corrupted text, a file a kind; the
    filter's target is other text of the clean sources."""
    try:
        clean = {name: read_documents(require(train / f"{name}.txt.xz")) for name in CLEAN}
        doubtful = {name: read_documents(require(train / f"{name}.txt.xz")) for name in DOUBTFUL}
    except MissingData as error:
        typer.echo(f"filter-effect: {error} is not there.", err=True)
        raise typer.Exit(1) from None
    rng = random.Random(seed)
    kinds: Dict[str, Iterable[Document]] = {}
    # What was taken from a stream does not come again, so the parts have no document in common.
    for name, stream in clean.items():
        kinds[f"mix/{name}"] = take(stream, words // len(CLEAN))
        kinds[f"target/{name}"] = take(stream, words // len(CLEAN))
    for name, stream in doubtful.items():
        kinds[f"mix/{name}"] = take(stream, words // 2 // len(DOUBTFUL))
    share = words // 2 // len(CORRUPTIONS) // len(CLEAN)
    for name, corrupt in CORRUPTIONS.items():
        documents = chain.from_iterable(take(stream, share) for stream in clean.values())
        kinds[f"mix/{name}"] = [corrupt(document, rng) for document in documents]
    for name, found in kinds.items():
        path = output / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_documents(path, found)


def take(documents: Iterator[Document], words: int) -> List[Document]:
    """The next documents of a stream, up to a number of words; the last one is cut."""
    taken: List[Document] = []
    while words > 0:
        document = next(documents, None)
        if document is None:
            break
        lines: Document = []
        for line in document:
            if words <= 0:
                break
            lines.append(line)
            words -= len(line.split())
        taken.append(lines)
    return taken


@app.command("shuffle")
def shuffle(
    source: Annotated[Path, typer.Argument(help="Text file or folder of text")],
    output: Annotated[Path, typer.Argument(help="Text file to write")],
    seed: Annotated[int, typer.Option("--seed", help="Decides the order")] = 0,
) -> None:
    """Cut documents to pieces and write these in random order: training reads a text from its
    beginning, and would see the first kind only."""
    pieces = [
        piece
        for path in find_text_files(source)
        for document in read_documents(path)
        for piece in cut(document)
    ]
    random.Random(seed).shuffle(pieces)
    write_documents(output, pieces)


def cut(document: Document) -> Iterator[Document]:
    """Cut a document at the ends of lines to pieces of about PIECE words."""
    lines: Document = []
    words = 0
    for line in document:
        lines.append(line)
        words += len(line.split())
        if words >= PIECE:
            yield lines
            lines, words = [], 0
    if lines:
        yield lines


def write_documents(path: Path, documents: Iterable[Document]) -> None:
    """Write documents to a text file, an empty line between them."""
    with open_output(path) as file:
        file.write("\n\n".join(map("\n".join, documents)).encode("utf8") + b"\n")


class Restored(NamedTuple):
    """What the stages of one training make of a text.

    marks: The punctuator, of bare words.
    case: The truecaser, of lower-case text with the right marks, so that wrong ones are not
        counted twice.
    both: The truecaser, of what the punctuator made.
    """

    marks: str
    case: str
    both: str


@app.command("evaluate")
def evaluate(
    models: Annotated[Path, typer.Argument(help="Folder of the models, those of all seeds")],
    dev: Annotated[Path, typer.Option("--dev", help="Folder of dev text, a file a source")],
    output: Annotated[Path, typer.Option("--output", "-o", help="JSON file to write")],
    words: Annotated[int, typer.Option("--words", help="Words of each source")] = 30_000,
    samples: Annotated[int, typer.Option("--bootstrap", help="Number of resamples")] = 1000,
) -> None:
    """Score the models of both sides on clean dev text, and print a table in Markdown."""
    sides = [find_models(models, side) for side in ("mix", "kept")]
    sets = read_dev(dev, words)
    result: Dict[str, Any] = {}
    for name in CLEAN:
        raw, gold = sets[name]
        before, after = ([restore(*stages, raw, gold) for stages in side] for side in sides)
        result[name] = compare(before, after, gold, samples=samples)
    output.parent.mkdir(parents=True, exist_ok=True)
    with open_output(output) as file:
        file.write(json.dumps(result, indent=1).encode("utf8"))
    typer.echo(make_page(result))


def find_models(folder: Path, side: str) -> List[Tuple[Pipeline, Pipeline]]:
    """The punctuator and the truecaser of each seed that were trained on one side: "mix" or
    "kept"."""
    found = []
    for path in sorted(folder.glob(f"punctuator_{side}_*/model-last")):
        seed = path.parent.name.rsplit("_", 1)[-1]
        truecaser = folder / f"truecaser_{side}_{seed}" / "model-last"
        found.append((Pipeline("punctuator", path), Pipeline("truecaser", truecaser)))
    if not found:
        raise typer.BadParameter(f"There is no punctuator_{side}_* in {folder}: train it first.")
    return found


def restore(
    punctuator: System, truecaser: System, raw: Sequence[str], gold: Sequence[str]
) -> List[Restored]:
    """What the stages of one training make of documents."""
    marked = punctuator.restore(raw)
    cased = truecaser.restore([lower(text) for text in gold])
    return list(map(Restored, marked, cased, truecaser.restore(marked)))


def compare(
    first: Sequence[Sequence[Restored]],
    second: Sequence[Sequence[Restored]],
    gold: Sequence[str],
    *,
    samples: int,
) -> Dict[str, Any]:
    """Score what two systems made of documents, and the difference between them.

    first, second (Sequence[Sequence[Restored]]): What each made of the documents, by seed of its
        training. What all seeds make of a piece of text counts as one unit of the bootstrap.
    gold (Sequence[str]): The gold documents.
    samples (int): Number of resamples.
    RETURNS (Dict[str, Any]): "words" of gold; "scores" of both (see `score`); "seeds", those of
        each training; "differences", second minus first.
    """
    by_training: List[List[Counts]] = [[] for _ in (*first, *second)]
    width = len(Restored._fields)
    for *restored, gold_text in zip(*first, *second, gold):
        for piece in cut_all(list(chain.from_iterable(restored)), gold_text):
            for index, counts in enumerate(by_training):
                texts = piece.predicted[index * width : (index + 1) * width]
                counts.append(count(Restored(*texts), piece.gold))
    sides = [by_training[: len(first)], by_training[len(first) :]]
    before, after = ([total_counts(piece) for piece in zip(*side)] for side in sides)
    differences: Dict[str, Difference] = paired_bootstrap(
        after, before, score, MEASURES, samples, lower_is_better=list(RATES)
    )
    return {
        "words": total_counts(by_training[0])["words"],
        "scores": [score(total_counts(units)) for units in (before, after)],
        "seeds": [[score(total_counts(units)) for units in side] for side in sides],
        "differences": {key: value._asdict() for key, value in differences.items()},
    }


def count(restored: Restored, gold: str) -> Counts:
    """Count what `score` needs in a piece of text."""
    parts = {
        "marks": count_marks(restored.marks, gold),
        "case": count_case(restored.case, gold),
        "both": count_case(restored.both, gold),
    }
    counts: Counts = Counts(words=sum(parts["marks"].values()))
    for part, found in parts.items():
        counts.update({(part, key): number for key, number in found.items()})
    return counts


def score(counts: Counts) -> Dict[str, Any]:
    """The scores named in MEASURES. A mark is false where gold has none; a capital is wrong in a
    word that has one and is not spelled as in gold."""
    marks, case, both = (
        Counts({key[1]: number for key, number in counts.items() if key[0] == part})
        for part in Restored._fields
    )
    marked, cased = score_mark_counts(marks), score_case_counts(case)
    per_mark = marked["punct_per_mark"] or {}
    hundreds = max(counts["words"], 1) / 100
    return {
        **{f"punct_micro_{key}": marked[f"punct_micro_{key}"] for key in "prf"},
        **{f"mark {mark}": per_mark.get(mark, {}).get("f") for mark in DEFAULT_MARKS},
        "false_marks": sum(marks[NO_MARK, mark] for mark in DEFAULT_MARKS) / hundreds,
        **{f"case_{name}_f": cased[f"case_{name}_f"] for name in CLASSES},
        "false_capitals": case["word", "fp"] / hundreds,
        "false_capitals_both": both["word", "fp"] / hundreds,
    }


def make_page(result: Dict[str, Any]) -> str:
    """The table of both models. An asterisk: the 95 % interval of the difference leaves zero
    out."""
    sizes = (f"{name}, {found['words']:,} words" for name, found in result.items())
    rows = [
        [title, *(_cell(found, key) for found in result.values())]
        for key, title in MEASURES.items()
    ]
    return make_table(["mix → kept", *sizes], rows)


def _cell(found: Dict[str, Any], key: str) -> str:
    values = [scores[key] for scores in found["scores"]]
    if None in values:
        return "–"
    first, second = (f"{v:.2f}" if key in RATES else f"{100 * v:.1f}" for v in values)
    difference = found["differences"][key]
    star = "\\*" if difference["low"] > 0 or difference["high"] < 0 else ""
    return f"{first} → {second}{star}"


if __name__ == "__main__":
    app(prog_name="python -m benchmarks.filter_effect")
