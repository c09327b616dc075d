"""`punctcase evaluate`: marks, case and words of a text against gold text."""

import json
from enum import Enum
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Dict, List, Mapping, NamedTuple, Optional, Sequence

import spacy
import srsly
import typer
from rich.console import Console
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.vocab import Vocab

from ..errors import Errors
from ..files import open_output
from ..gold.align import align_words, gold_text
from ..gold.convert import LABEL_MARKS, docs_from_jsonl, read_labels
from ..gold.readers import read_lines
from ..scoring.bootstrap import Difference
from ..scoring.entities import entity_words, evaluate_entities
from ..scoring.evaluate import METRICS, compare_texts, evaluate_texts
from ..text.marks import DEFAULT_MARKS
from ..text.words import normal_form, split_words
from .tables import alignment_line, make_entity_table, make_tables

#: Resamples of a comparison, unless --bootstrap says otherwise.
COMPARISON_SAMPLES = 1000


class Format(str, Enum):
    """What `punctcase evaluate` reads."""

    auto = "auto"
    text = "text"
    jsonl = "jsonl"
    spacy = "spacy"
    labels = "labels"


class Texts(NamedTuple):
    """What a file holds.

    path: The file.
    texts: Its documents; of plain text, its lines.
    is_whole: Whether the texts may also be one document together (plain text and word labels).
    """

    path: Path
    texts: List[str]
    is_whole: bool


def evaluate_cli(
    predicted: Annotated[
        Path, typer.Argument(metavar="PRED", help="Restored text", show_default=False)
    ],
    gold: Annotated[Path, typer.Argument(metavar="GOLD", help="Gold text", show_default=False)],
    metrics: Annotated[
        Optional[str],
        typer.Option(
            "--metrics",
            metavar="NAME,...",
            help=f"What to score, of {','.join(METRICS)}",
            show_default="all",
        ),
    ] = None,
    marks: Annotated[str, typer.Option("--marks", help="The marks that are scored")] = "".join(
        DEFAULT_MARKS
    ),
    baseline: Annotated[
        Optional[Path],
        typer.Option("--baseline", help="Another restored text, to compare with"),
    ] = None,
    samples: Annotated[
        Optional[int],
        typer.Option(
            "--bootstrap",
            metavar="N",
            min=0,
            help="Number of resamples for confidence intervals",
            show_default=f"0, or {COMPARISON_SAMPLES} with --baseline",
        ),
    ] = None,
    format: Annotated[
        Format,
        typer.Option(
            "--format",
            help="Plain text, JSON lines with a text each, .spacy, or a word, a tab and a label on "
            "each line; auto looks at each file",
        ),
    ] = Format.auto,
    ner: Annotated[
        Optional[str],
        typer.Option(
            "--ner",
            metavar="PIPELINE",
            help="Score the entities that it finds in raw, restored and gold text; GOLD must have "
            "entities (.spacy, or JSON lines as for `punctcase convert`), PRED the same words",
        ),
    ] = None,
    labels: Annotated[
        Optional[List[str]],
        typer.Option(
            "--ner-label",
            metavar="LABEL=GOLD_LABEL",
            help="What a label of --ner is called in GOLD; nothing behind = leaves it out "
            "(repeatable)",
        ),
    ] = None,
    output: Annotated[
        Optional[Path], typer.Option("--output", "-o", help="Write the scores as JSON")
    ] = None,
) -> None:
    """Score punctuation and case of restored text against gold text. The words may differ, as
    those of a recogniser do: they are aligned first."""
    files = [read_texts(predicted, format), read_texts(gold, format, is_gold=True)]
    if baseline is not None:
        files.append(read_texts(baseline, format))
        samples = COMPARISON_SAMPLES if samples is None else samples
    texts, golds, *others = pair_documents(files)
    options: Dict[str, Any] = {
        "metrics": None if metrics is None else [name.strip() for name in metrics.split(",")],
        "marks": tuple("".join(marks.split())),
        "samples": samples or 0,
    }
    scores = evaluate_texts(texts, golds, **options)
    result: Dict[str, Any] = {
        "inputs": {
            "predicted": str(predicted),
            "gold": str(gold),
            "baseline": None if baseline is None else str(baseline),
        },
        "version": version("spacy-punctcase"),
        "documents": len(golds),
        **scores,
    }
    differences: Dict[str, Difference] = {}
    for other in others:
        differences = compare_texts(texts, other, golds, **options)
        result["baseline"] = evaluate_texts(other, golds, **options)
        result["differences"] = {key: value._asdict() for key, value in differences.items()}
    if ner is not None:
        result["entities"] = score_ner(
            spacy.load(ner),
            texts,
            read_gold_docs(gold),
            label_map=dict(label.split("=", 1) for label in labels or ()),
            samples=samples or 0,
        )
    console = Console()
    for table in make_tables(scores, differences):
        console.print(table)
    if ner is not None:
        console.print(make_entity_table(result["entities"]))
    if alignment_line(scores["alignment"]):
        console.print(alignment_line(scores["alignment"]))
    if output is not None:
        with open_output(output) as file:
            file.write(srsly.json_dumps(result, indent=2).encode("utf8"))


def score_ner(
    nlp: Language,
    restored: Sequence[str],
    docs: Sequence[Doc],
    *,
    label_map: Mapping[str, str],
    samples: int,
) -> Dict[str, Any]:
    """Score the entities that a pipeline finds in raw, restored and gold text of the same words.

    nlp (Language): The pipeline.
    restored (Sequence[str]): The restored text of each document.
    docs (Sequence[Doc]): The gold Docs, with entities.
    label_map, samples: See `evaluate_entities`.
    RETURNS (Dict[str, Any]): See `evaluate_entities`.
    RAISES (ValueError): If the words of a restored and a gold text differ.
    """
    gold = [gold_text(doc) for doc in docs]
    for text, gold_of_it in zip(restored, gold):
        align_words(text, gold_of_it)
    raw = [" ".join(normal_form(text, word) for word in split_words(text)) for text in gold]
    return evaluate_entities(
        nlp,
        {"raw": raw, "restored": restored, "gold": gold},
        [entity_words(doc) for doc in docs],
        label_map=label_map,
        samples=samples,
    )


def read_gold_docs(path: Path) -> List[Doc]:
    """Read gold Docs with entities: a .spacy file, or JSON lines as for `punctcase convert`.

    RAISES (ValueError): If the file is malformed, or knows of no entities.
    """
    if guess_format(path) == Format.jsonl:
        docs = list(docs_from_jsonl(spacy.blank("xx"), [path]))
    elif guess_format(path) == Format.spacy:
        docs = read_docs(path)
    else:
        docs = []
    docs = [doc for doc in docs if gold_text(doc).strip()]
    if not any(doc.has_annotation("ENT_IOB") for doc in docs):
        raise ValueError(Errors.P031.format(path=path))
    return docs


def read_docs(path: Path) -> List[Doc]:
    """Read a .spacy file.

    RAISES (ValueError): If it is none.
    """
    try:
        return list(DocBin().from_disk(path).get_docs(Vocab()))
    except FileNotFoundError:
        raise
    except Exception as error:  # whatever zlib, msgpack and spaCy make of other files
        raise ValueError(Errors.P008.format(path=path, reason=error)) from None


def read_texts(path: Path, format: Format, *, is_gold: bool = False) -> Texts:
    """Read a file of restored or gold text.

    path (Path): The file.
    format (Format): What it is; Format.auto to find out.
    is_gold (bool): Whether Docs stand for their gold text.
    RETURNS (Texts): The documents.
    RAISES (ValueError): If the file cannot be read or is malformed.
    """
    format = guess_format(path) if format == Format.auto else format
    if format == Format.spacy:
        docs = read_docs(path)
        return Texts(path, [gold_text(doc) if is_gold else doc.text for doc in docs], False)
    if format == Format.jsonl:
        return Texts(path, _read_jsonl(path), False)
    if format == Format.labels:
        return Texts(path, [" ".join(word.gold for word in read_labels(path))], True)
    return Texts(path, [line.rstrip("\r\n") for line in read_lines(path)], True)


def guess_format(path: Path) -> Format:
    """What a file holds, by its suffix or, for text, its first line that is not blank."""
    if path.suffix == ".spacy":
        return Format.spacy
    if path.name.endswith((".jsonl", ".jsonl.xz")):
        return Format.jsonl
    first = next((line for line in read_lines(path) if line.strip()), "")
    columns = [column.strip() for column in first.split("\t")]
    is_labels = len(columns) == 2 and columns[1] in LABEL_MARKS
    return Format.labels if is_labels else Format.text


def pair_documents(files: Sequence[Texts]) -> List[List[str]]:
    """The documents of several files, one to one. Plain texts of the same number of lines are
    paired line by line, others are taken as one document each.

    files (Sequence[Texts]): The files.
    RETURNS (List[List[str]]): The documents of each. Those that are blank in all are left out.
    RAISES (ValueError): If the numbers of documents differ.
    """
    documents = [file.texts for file in files]
    if len({len(texts) for texts in documents}) > 1:
        for file in files[1:]:
            if len(file.texts) != len(files[0].texts) and not (file.is_whole and files[0].is_whole):
                raise ValueError(
                    Errors.P029.format(
                        path=files[0].path,
                        number=len(files[0].texts),
                        other=file.path,
                        other_number=len(file.texts),
                    )
                )
        documents = [["\n".join(texts)] for texts in documents]
    rows = [row for row in zip(*documents) if any(text.strip() for text in row)]
    return [list(column) for column in zip(*rows)] if rows else [[] for _ in files]


def _read_jsonl(path: Path) -> List[str]:
    texts: List[str] = []
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        try:
            text = json.loads(line)["text"]
            if not isinstance(text, str):
                raise TypeError
        except (KeyError, TypeError, json.JSONDecodeError):
            raise ValueError(
                Errors.P010.format(path=path, line=number, problem=Errors.P030)
            ) from None
        texts.append(text)
    return texts
