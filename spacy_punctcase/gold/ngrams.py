"""What marks and case short runs of words have in training text: counts, for a network to read."""

import zlib
from array import array
from itertools import chain
from typing import Any, Iterable, List, NamedTuple, Sequence, Tuple, Union

import numpy
import srsly
from spacy.strings import get_string_id
from thinc.model import deserialize_attr, serialize_attr

from ..text.marks import DEFAULT_MARK_MAP, DEFAULT_MARKS, NO_MARK, SENTENCE_MARKS, find_label
from ..text.word_case import CASES, case_of
from ..text.words import to_model_form
from .readers import (
    GoldWord,
    PathLike,
    Weights,
    document_words,
    find_weighted_files,
    read_documents,
)

#: The runs of words that are looked up for each word, as places counted from it. What is known of
#: a run is how often which mark stood behind the word, and how often the word had which case.
TEMPLATES = ((0,), (1,), (-1, 0), (0, 1), (1, 2), (-1, 0, 1), (0, 1, 2))
_MARKS = (NO_MARK, *DEFAULT_MARKS)
#: Values of each run: log odds of the marks and of the cases over those of any word (but for none
#: and lower case, which follow from the rest), and how often the run was seen.
VALUES_PER_RUN = len(_MARKS) - 1 + len(CASES) - 1 + 1
#: Number of values of each word.
WIDTH = len(TEMPLATES) * VALUES_PER_RUN
# Values are stored as whole numbers of 8 bits: log odds in 16ths, logs of counts in 8ths.
_ODDS, _COUNT = 16.0, 8.0
# Weight of the frequencies of any word beside those that were counted.
_SMOOTHING = 2.0
# Words in front of and behind a text that make the runs there match none.
_PAD = max(map(abs, chain.from_iterable(TEMPLATES)))
_UNKNOWN = -1


class Runs(NamedTuple):
    """What is known of the runs of one of TEMPLATES.

    keys: Hashes of the runs, sorted, shape (runs,).
    values: What is known of each, shape (runs, VALUES_PER_RUN).
    """

    keys: numpy.ndarray
    values: numpy.ndarray


class NgramCounts:
    """How often runs of up to three words of training text have which marks and case. A network
    would have to read far more text to know that.

    tables (Sequence[Runs]): What is known of the runs of each of TEMPLATES; nothing if empty.
    """

    def __init__(self, tables: Sequence[Runs] = ()):
        self.tables = list(tables)

    def __len__(self) -> int:
        return sum(len(table.keys) for table in self.tables)

    @classmethod
    def from_documents(
        cls, documents: Iterable[Sequence[GoldWord]], *, min_count: int = 5
    ) -> "NgramCounts":
        """Count the words of documents.

        documents (Iterable[Sequence[GoldWord]]): The words of each.
        min_count (int): How often a run must occur.
        RETURNS (NgramCounts): The counts.
        """
        hashes, marks, cases = array("Q"), array("b"), array("b")
        for words in documents:
            for values, padding in ((hashes, 0), (marks, _UNKNOWN), (cases, _UNKNOWN)):
                values.extend([padding] * _PAD)
            for word, mark, case in zip(words, *_outcomes(words)):
                hashes.append(get_string_id(to_model_form(word.raw)))
                marks.append(mark)
                cases.append(case)
        outcomes = [
            _one_hot(numpy.asarray(marks, "int8"), len(_MARKS)),
            _one_hot(numpy.asarray(cases, "int8"), len(CASES)),
        ]
        ids = numpy.asarray(hashes, "uint64")
        return cls([_count(ids, places, outcomes, min_count) for places in TEMPLATES])

    def look_up(self, texts: Sequence[numpy.ndarray]) -> numpy.ndarray:
        """What is known of the words of texts.

        texts (Sequence[ndarray]): Hashes of the words of each.
        RETURNS (ndarray): The values, shape (words, templates, values of a run); 0 where a run is
            not known.
        """
        padding = numpy.zeros(_PAD, dtype="uint64")
        pieces = [piece for words in texts for piece in (padding, words.astype("uint64"))]
        hashes = numpy.concatenate([*pieces, padding])
        # A hash of 0 is padding, but never a word's.
        known = hashes != 0
        values = numpy.zeros((len(hashes), len(TEMPLATES), VALUES_PER_RUN), dtype="float32")
        for index, (places, table) in enumerate(zip(TEMPLATES, self.tables)):
            if not len(table.keys):
                continue
            keys, valid = _keys(hashes, places)
            found = numpy.searchsorted(table.keys, keys).clip(max=len(table.keys) - 1)
            hit = valid & (table.keys[found] == keys)
            values[hit, index] = table.values[found[hit]]
        values[..., :-1] /= _ODDS
        values[..., -1] /= _COUNT
        return values[known]

    def to_bytes(self) -> bytes:
        """Serialize the counts. RETURNS (bytes): The tables."""
        tables = [
            # Neighbouring keys are close to each other.
            {
                "keys": numpy.diff(table.keys, prepend=numpy.uint32(0)),
                "values": numpy.ascontiguousarray(table.values.T),
            }
            for table in self.tables
        ]
        return zlib.compress(srsly.msgpack_dumps(tables), 9)

    @classmethod
    def from_bytes(cls, data: bytes) -> "NgramCounts":
        """Load counts. RETURNS (NgramCounts): The counts."""
        return cls(
            [
                Runs(
                    numpy.cumsum(table["keys"], dtype="uint32"),
                    numpy.ascontiguousarray(table["values"].T),
                )
                for table in srsly.msgpack_loads(zlib.decompress(data))
            ]
        )


@serialize_attr.register(NgramCounts)
def _serialize_counts(_: Any, value: NgramCounts, name: str, model: Any) -> bytes:
    return value.to_bytes()


@deserialize_attr.register(NgramCounts)
def _deserialize_counts(_: Any, value: bytes, name: str, model: Any) -> NgramCounts:
    return NgramCounts.from_bytes(value)


def count_ngrams(
    path: Union[PathLike, List[PathLike]], weights: Weights = {}, *, min_count: int = 5
) -> NgramCounts:
    """Count the runs of words of text files; all of each file is counted once.

    path (Union[str, Path, List]): Well-formed text; see TextCorpus.
    weights (Union[Dict[str, float], str, Path]): Weights of the files as in training; those of
        weight 0 are left out.
    min_count (int): How often a run must occur.
    RETURNS (NgramCounts): The counts.
    """
    documents = chain.from_iterable(map(read_documents, find_weighted_files(path, weights)))
    return NgramCounts.from_documents(map(document_words, documents), min_count=min_count)


def _outcomes(words: Sequence[GoldWord]) -> Tuple[List[int], List[int]]:
    """Index of the mark behind each word and of its case, _UNKNOWN where nothing can be said: the
    mark of a turn that was cut off, and the capital that a sentence begins with."""
    marks: List[int] = []
    cases: List[int] = []
    starts = True
    for word in words:
        mark = word.gold[len(word.raw) :]
        label = find_label(mark[:1], DEFAULT_MARKS, DEFAULT_MARK_MAP)
        marks.append(_UNKNOWN if word.unknown or label is None else _MARKS.index(label))
        case = case_of(word.gold[: len(word.raw)])
        cases.append(_UNKNOWN if starts else CASES.index(case))
        starts = mark[:1] in SENTENCE_MARKS
    return marks, cases


def _one_hot(outcomes: numpy.ndarray, number: int) -> numpy.ndarray:
    """Outcomes as counts; shape (words, number), zeros where it is not known."""
    return (outcomes[:, None] == numpy.arange(number, dtype="int8")).astype("uint8")


def _keys(hashes: numpy.ndarray, places: Sequence[int]) -> Tuple[numpy.ndarray, numpy.ndarray]:
    """Hash of the run of each word, and whether all of its words are there."""
    keys = numpy.zeros(len(hashes), dtype="uint64")
    valid = numpy.ones(len(hashes), dtype=bool)
    for place in places:
        words = numpy.roll(hashes, -place)
        valid &= words != 0
        # Multiplied with an odd number between words, so that their order counts.
        keys = (keys ^ words) * numpy.uint64(0x9E3779B97F4A7C15)
        keys ^= keys >> numpy.uint64(32)
    return keys.astype("uint32"), valid


def _count(
    hashes: numpy.ndarray,
    places: Sequence[int],
    outcomes: Sequence[numpy.ndarray],
    min_count: int,
) -> Runs:
    """Count the outcomes of the runs of a template."""
    keys, valid = _keys(hashes, places)
    unique, runs, totals = numpy.unique(keys[valid], return_inverse=True, return_counts=True)
    kept = totals >= min_count
    columns = []
    for outcome in outcomes:
        seen = outcome[valid]
        counts = numpy.stack(
            [numpy.bincount(runs, weights=column, minlength=len(unique)) for column in seen.T],
            axis=1,
        )[kept]
        base = (seen.sum(axis=0) + 1.0) / (seen.sum() + seen.shape[1])
        share = (counts + _SMOOTHING * base) / (counts.sum(axis=1, keepdims=True) + _SMOOTHING)
        columns.append(_ODDS * numpy.log(share / base)[:, 1:])
    columns.append(_COUNT * numpy.log1p(totals[kept])[:, None])
    values = numpy.concatenate(columns, axis=1).round().clip(-127, 127).astype("int8")
    return Runs(unique[kept], values)
