"""`python -m benchmarks.vietnamese`: the Vietnamese pipeline, marks and case and what they do for
entities. The project's workflow `vietnamese` runs it all."""

import json
from pathlib import Path
from typing import Annotated, Any, Dict, List, Sequence

import spacy
import typer
from spacy.tokens import Doc, DocBin
from spacy.util import filter_spans

from spacy_punctcase.files import open_output
from spacy_punctcase.scoring.entities import evaluate_entities
from spacy_punctcase.text.words import split_words

from .data import (
    EntityDoc,
    TestSet,
    leave_out_missing,
    read_phoner,
    read_source,
    read_talks,
    require,
    strip,
)
from .joint import COLUMNS, METRICS
from .report import ENTITY_COLUMNS, score_table, size
from .run import score_outputs
from .systems import Floor, Pipeline

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)

#: Of ten sentences in a row so many train the NER, and so many choose its best step; the rest is
#: what it is tested on.
TRAIN, DEV = 6, 1
Data = Annotated[Path, typer.Option("--data", help="Folder of the evaluation sets")]


@app.command("split-entities")
def split_entities(
    output: Annotated[Path, typer.Argument(help="Folder to write train.spacy and dev.spacy to")],
    data: Data,
) -> None:
    """Write the sentences of PhoNER that a NER is trained on, as they were written."""
    with leave_out_missing():
        parts = split_docs(read_entities(data))
    output.mkdir(parents=True, exist_ok=True)
    nlp = spacy.blank("vi", config={"nlp": {"tokenizer": {"@tokenizers": "spacy.Tokenizer.v1"}}})
    for name in ("train", "dev"):
        docs = DocBin(docs=[annotate(nlp.make_doc(doc.gold), doc) for doc in parts[name]])
        with open_output(output / f"{name}.spacy") as file:
            file.write(docs.to_bytes())
        typer.echo(f"{output / name}.spacy: {len(parts[name])} sentences")


def split_docs(docs: Sequence[EntityDoc]) -> Dict[str, List[EntityDoc]]:
    """Split into "train", "dev" and "test". Of documents with the same text only the first is
    kept, so that none is in two of them."""
    unique = list({doc.gold: doc for doc in reversed(docs)}.values())[::-1]
    parts: Dict[str, List[EntityDoc]] = {"train": [], "dev": [], "test": []}
    for index, doc in enumerate(unique):
        place = index % 10
        name = "train" if place < TRAIN else "dev" if place < TRAIN + DEV else "test"
        parts[name].append(doc)
    return parts


def annotate(doc: Doc, gold: EntityDoc) -> Doc:
    """Set the entities of a document on the tokens of its text."""
    words = split_words(gold.gold)
    spans = [
        doc.char_span(
            words[first].core_start, words[last].core_end, label=label, alignment_mode="expand"
        )
        for first, last, label in gold.entities
    ]
    doc.ents = filter_spans([span for span in spans if span is not None])
    return doc


@app.command("run")
def run(
    output: Annotated[Path, typer.Option("--output", "-o", help="JSON file to write")],
    data: Data,
    dev: Annotated[Path, typer.Option("--dev", help="Folder of dev text, a file a source")],
    ner: Annotated[Path, typer.Option("--ner", help="Pipeline that finds entities")],
    model: Annotated[str, typer.Option("--model", help="Pipeline that restores")] = "vi",
    samples: Annotated[int, typer.Option("--bootstrap", help="Number of resamples")] = 1000,
) -> None:
    """Score marks, case and entities, and print tables in Markdown."""
    system = Pipeline("restored", model)
    with leave_out_missing():
        sets = read_sets(data, dev)
        docs = split_docs(read_entities(data))["test"]
    result: Dict[str, Any] = {}
    for name, test in sets.items():
        outputs = {"floor": Floor().restore(test.raw), system.name: system.restore(test.raw)}
        result[name] = score_outputs(test, outputs, METRICS, samples)
    entities = score_entities(docs, system, ner, samples)
    output.parent.mkdir(parents=True, exist_ok=True)
    with open_output(output) as file:
        record = {"restoration": result, "entities": entities}
        file.write(json.dumps(record, indent=1, ensure_ascii=False).encode("utf8"))
    typer.echo(make_page(result, entities))


def read_sets(data: Path, dev: Path) -> Dict[str, TestSet]:
    """All of the dev text, each source of it, and talks."""
    files = sorted(require(dev).glob("*.txt*"))
    sources = {path.name.split(".txt")[0]: read_source(path, 60_000) for path in files}
    talks = read_talks(data / "iwslt15_vi" / "tst2012.vi")
    return {"dev text": _join(list(sources.values())), **sources, "talks (tst2012)": talks}


def read_entities(data: Path) -> List[EntityDoc]:
    """The sentences of PhoNER with their entities."""
    return read_phoner(data / "phoner_covid19_vi" / "dev_syllable.conll")


def _join(sets: Sequence[TestSet]) -> TestSet:
    return TestSet(
        [text for test in sets for text in test.raw], [text for test in sets for text in test.gold]
    )


def score_entities(
    docs: Sequence[EntityDoc], system: Pipeline, ner: Path, samples: int
) -> Dict[str, Any]:
    """Entities on bare words, restored, and as the text was written."""
    gold = [doc.gold for doc in docs]
    raw = [strip(text) for text in gold]
    scores = evaluate_entities(
        spacy.load(ner),
        {"raw": raw, system.name: system.restore(raw), "gold": gold},
        [set(doc.entities) for doc in docs],
        samples=samples,
    )
    return {
        "documents": len(docs),
        "words": sum(len(text.split()) for text in raw),
        "systems": scores,
    }


def make_page(restoration: Dict[str, Any], entities: Dict[str, Any]) -> str:
    """The tables: a set each, then the entities."""
    parts = []
    keys = [column.key for column in COLUMNS]
    for name, found in restoration.items():
        parts += [f"{name}, {size(found)}:", score_table(found, COLUMNS, with_interval=keys)]
    parts += [f"Entities (PhoNER_COVID19), {size(entities)}:"]
    parts += [score_table(entities, ENTITY_COLUMNS, with_interval=["ents_f"])]
    return "\n\n".join(parts)


if __name__ == "__main__":
    app(prog_name="python -m benchmarks.vietnamese")
