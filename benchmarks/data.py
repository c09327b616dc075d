"""The evaluation sets, each read into texts: what a system is given, and gold."""

from contextlib import contextmanager
from html import unescape
from itertools import groupby
from pathlib import Path
from typing import Dict, Iterable, Iterator, List, NamedTuple, Sequence, Tuple

import typer

from spacy_punctcase.errors import Errors
from spacy_punctcase.gold.convert import read_labels
from spacy_punctcase.gold.readers import document_words, read_documents, read_lines
from spacy_punctcase.scoring.entities import Entity
from spacy_punctcase.text.case import lower
from spacy_punctcase.text.normalise import is_cut_off
from spacy_punctcase.text.words import chunk_index, normal_form, split_words


class TestSet(NamedTuple):
    """Documents of an evaluation set.

    raw: What a system is given, as a recogniser writes it or in lower case with its marks.
    gold: The gold text of each.
    """

    raw: List[str]
    gold: List[str]


class EntityDoc(NamedTuple):
    """A gold text with its entities, by the words that they cover."""

    gold: str
    entities: List[Entity]


class MissingData(Exception):
    """An evaluation set is not there; the benchmark is left out."""


@contextmanager
def leave_out_missing() -> Iterator[None]:
    """End a benchmark without an error, with a line that says which evaluation set is not there."""
    try:
        yield
    except MissingData as error:
        typer.echo(f"{error} is not there; the benchmark is left out.", err=True)
        raise typer.Exit() from None


def require(path: Path) -> Path:
    """The path, if there is such a file or folder."""
    if not path.exists():
        raise MissingData(str(path))
    return path


def strip(gold: str) -> str:
    """The words of a gold text as a recogniser writes them: no marks, lower case."""
    return " ".join(normal_form(gold, word) for word in split_words(gold))


def from_gold(texts: Iterable[str]) -> TestSet:
    """A set whose raw texts are made from gold ones. Texts without a word are left out."""
    gold = [text for text in texts if split_words(text)]
    return TestSet([strip(text) for text in gold], gold)


def read_iwslt(folder: Path) -> Dict[str, TestSet]:
    """IWSLT 2011 (Federico et al. 2011), reference and recogniser output. Contractions that the
    files split are joined; their labels are those of the last piece, and no other piece has a
    mark, so the scores are those of the files' own tokens."""
    return {
        name: from_gold([" ".join(word.gold for word in read_labels(require(folder / name)))])
        for name in ("test2011", "test2011asr")
    }


def read_librispeech(folder: Path) -> TestSet:
    """Utterances of LibriSpeech-PC test-clean (Meister et al. 2023), each a document."""
    lines = read_lines(require(folder / "utterances.tsv"))
    return from_gold(line.rstrip("\n").split("\t", 1)[1] for line in lines if line.strip())


def read_wiki(folder: Path) -> TestSet:
    """Sentences of Wikipedia (Coster and Kauchak 2011), tokenised, as truecasers are measured on
    them since Susanto et al. (2016): only the case is missing."""
    gold = [line.strip() for line in read_lines(require(folder / "test.txt"))]
    raw = [line.strip() for line in read_lines(require(folder / "test.lower.txt"))]
    return TestSet(raw, gold)


def read_dev(folder: Path, words: int) -> Dict[str, TestSet]:
    """Dev text of each source, up to a number of words. Turns that were cut off are left out:
    there is no telling which mark belongs at their end."""
    return {
        path.name.split(".txt")[0]: read_source(path, words)
        for path in sorted(require(folder).glob("*.txt.xz"))
    }


def read_source(path: Path, words: int) -> TestSet:
    """Dev text of one source, up to a number of words."""
    return from_gold(_take_documents(require(path), words))


def _take_documents(path: Path, words: int) -> Iterator[str]:
    """Documents in the convention of the training text, from the whole of the file."""
    left = words
    for document in read_documents(path):
        found = document_words([line for line in document if not is_cut_off(line)])[:left]
        left -= len(found)
        yield " ".join(word.gold for word in found)
        if not left:
            return


def read_earnings(folder: Path) -> TestSet:
    """The reference transcripts of ten hours of earnings calls (Del Rio et al. 2021)."""
    return from_gold(_read_nlp(path) for path in sorted(require(folder / "ref").glob("*.nlp")))


#: Recognisers of earnings21 that put out bare words, and those with marks and case of their own.
#: The one trained on LibriSpeech alone gets every other word wrong, and is left out.
BARE_RECOGNISERS = {
    "Kaldi": "asr_kaldi_ctm",
    "ESPnet": "asr_espnet_text",
}
END_TO_END_RECOGNISERS = {
    "Amazon": "asr_amazon",
    "Google": "asr_google",
    "Microsoft": "asr_microsoft",
    "Speechmatics": "asr_speechmatics",
}


def read_recogniser(folder: Path, name: str) -> List[str]:
    """What a recogniser put out for each of the earnings calls, in the order of the reference."""
    folder = require(folder / {**BARE_RECOGNISERS, **END_TO_END_RECOGNISERS}[name])
    readers = {".ctm": _read_ctm, ".nlp": _read_nlp, ".txt": _read_words}
    return [readers[path.suffix](path) for path in sorted(folder.iterdir())]


def _read_nlp(path: Path) -> str:
    """Tokens with the marks behind them: "token|speaker|ts|endTs|punctuation|..."."""
    lines = [line.rstrip("\n") for line in read_lines(path)]
    columns = lines[0].split("|")
    token, mark = columns.index("token"), columns.index("punctuation")
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        row = line.split("|")
        if len(row) < len(columns):
            problem = f"expected {len(columns)} columns separated by '|', found {len(row)}."
            raise ValueError(Errors.P010.format(path=path, line=number, problem=problem))
        rows.append(row[token] + row[mark])
    return " ".join(rows)


def _read_ctm(path: Path) -> str:
    """Words with times: "recording channel start duration word confidence"."""
    return " ".join(lower(line.split()[4]) for line in read_lines(path) if line.strip())


def _read_words(path: Path) -> str:
    return " ".join(" ".join(read_lines(path)).split())


#: Tokens that belong to the word in front of them, and those that the next word belongs to.
_ATTACHED = frozenset(".,?!:;)]'%") | {"'s", "n't", "'re", "'ve", "'ll", "'d", "'m", "''"}
_OPENING = frozenset("([$") | {"``"}
#: Sentences of wikigold in one document.
SENTENCES = 10


def read_talks(path: Path) -> TestSet:
    """TED talks in the translation of IWSLT 2015 (Cettolo et al. 2015): tokenised, a sentence a
    line, and nothing that says where a talk ends. In the convention of the training text."""
    lines = [join_tokens(unescape(line).split())[0] for line in read_lines(require(path))]
    return from_gold([" ".join(word.gold for word in document_words(lines))])


def read_phoner(path: Path) -> List[EntityDoc]:
    """Vietnamese news with entities, by syllables (PhoNER_COVID19; Truong et al. 2021): each
    sentence a document."""
    rows = [line.split() for line in read_lines(require(path))]
    sentences = (list(group) for filled, group in groupby(rows, key=bool) if filled)
    return [make_entity_doc([(row[0], row[-1]) for row in sentence]) for sentence in sentences]


def read_wikigold(folder: Path) -> List[EntityDoc]:
    """Wikipedia text with entities (Balasuriya et al. 2009), ten sentences a document, the tokens
    joined to running text."""
    docs: List[EntityDoc] = []
    for sentences in _wikigold_documents(require(folder / "wikigold.conll.txt")):
        for start in range(0, len(sentences), SENTENCES):
            part = sentences[start : start + SENTENCES]
            docs.append(make_entity_doc([token for sentence in part for token in sentence]))
    return docs


def _wikigold_documents(path: Path) -> Iterator[List[List[Tuple[str, str]]]]:
    lines = [line.split() for line in read_lines(path)]
    blocks = [list(block) for filled, block in groupby(lines, key=bool) if filled]
    for is_start, group in groupby(blocks, key=lambda block: block[0][0] == "-DOCSTART-"):
        if not is_start:
            yield [[(row[0], row[-1]) for row in block] for block in group]


def join_tokens(tokens: Sequence[str]) -> Tuple[str, List[Tuple[int, int]]]:
    """Join tokens to running text: no white space in front of a mark or behind an opening one.

    tokens (Sequence[str]): The tokens.
    RETURNS (Tuple[str, List[Tuple[int, int]]]): The text, and start and end of each token in it.
    """
    text = ""
    spans: List[Tuple[int, int]] = []
    joins = True
    for token in tokens:
        token = {"``": '"', "''": '"'}.get(token, token)
        text += token if joins or token in _ATTACHED else f" {token}"
        spans.append((len(text) - len(token), len(text)))
        joins = token in _OPENING
    return text, spans


def make_entity_doc(tokens: Sequence[Tuple[str, str]]) -> EntityDoc:
    """Join tokens to running text, and find the words that entities cover.

    tokens (Sequence[Tuple[str, str]]): Tokens with IOB labels ("I-PER"; "O").
    RETURNS (EntityDoc): The text and its entities.
    """
    text, spans = join_tokens([token for token, _ in tokens])
    words = split_words(text)
    starts = [word.start for word in words]
    entities: List[Entity] = []
    for (label, _), group in groupby(_entity_runs(tokens), key=lambda run: run[:2]):
        members = [index for _, _, index in group]
        if label == "O":
            continue
        first = chunk_index(starts, spans[members[0]][0])
        last = chunk_index(starts, spans[members[-1]][1] - 1)
        entities.append((first, last, label))
    return EntityDoc(text, entities)


def _entity_runs(tokens: Sequence[Tuple[str, str]]) -> Iterator[Tuple[str, int, int]]:
    """Label, number of the entity, and index of each token."""
    number = 0
    before = "O"
    for index, (_, tag) in enumerate(tokens):
        label = tag.split("-")[-1]
        if label != before or tag.startswith("B-"):
            number += 1
        before = label
        yield label, number, index
