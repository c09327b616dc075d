"""Which stretches of training text look like clean text, and which do not.

Text is measured window by window (`measure`), and a window is compared with those of chosen clean
text, the target. How far a value lies from the target's is its robust z-score (as in Iglewicz and
Hoaglin, 1993, How to Detect and Handle Outliers): its distance from the median in units of
standard deviation, as told by quantiles, which a few odd windows do not move. Most of these values
are skewed, so each side of the median has a scale of its own, from the 10 % and the 90 % quantile.
The divergence of a window is the mean of its squared scores, each at most CAP.

The threshold is a quantile of the target's own divergences: what is taken out is odder than, for
instance, all but the oddest 3 % of the target.
"""

import random
from functools import lru_cache
from typing import Callable, Dict, Generic, Iterable, Iterator, List, NamedTuple, Sequence, TypeVar

import numpy

from ..errors import Errors
from ..text.case import casing_class
from ..text.normalise import count_letters, is_cut_off
from ..text.words import split_words
from .readers import PathLike, read_lines

#: What is measured, and the least standard deviation that is assumed: about what two words more or
#: less come to. Where nearly all windows have the same value, quantiles tell nothing. That of
#: questions and exclamations is larger: lively talk is no fault of a text.
FEATURES: Dict[str, float] = {
    "commas": 0.01,
    "full stops": 0.01,
    "question marks": 0.02,
    "exclamation marks": 0.02,
    "other marks": 0.01,
    "sentence length": 2.0,
    "lower-case words": 0.02,
    "capitalised words": 0.02,
    "acronyms": 0.01,
    "mixed-case words": 0.01,
    "words in capital runs": 0.01,
    "lines without final mark": 0.05,
    "lines beginning in lower case": 0.05,
    "non-letters": 0.01,
}
#: A squared score is no more than this, so that no single value outweighs all the others.
CAP = 100.0
#: The quantiles from which the scale below and above the median is told, and where they lie in a
#: normal distribution.
TAIL = 0.1
TAIL_SCORE = 1.2816
#: With fewer windows than that a target has no quantiles to speak of.
MIN_TARGET_WINDOWS = 20

_MARKS = {",": "commas", ".": "full stops", "?": "question marks", "!": "exclamation marks"}
_CLASSES = {
    "lower": "lower-case words",
    "capital": "capitalised words",
    "acronym": "acronyms",
    "mixed": "mixed-case words",
}
_SENTENCE_ENDS = frozenset(".?!…")
#: So many words all in capitals side by side are no names, but shouted or typed so.
_RUN = 3
_casing_class: Callable[[str], str] = lru_cache(maxsize=2**16)(casing_class)

ItemT = TypeVar("ItemT")


class TextWindow(NamedTuple):
    """Some lines of a text file.

    documents: The lines, by the document that they are from.
    continues: Whether the first of these documents began in the window before.
    words: Number of whitespace-delimited words.
    """

    documents: List[List[str]]
    continues: bool
    words: int

    @property
    def lines(self) -> List[str]:
        return [line for document in self.documents for line in document]


class Target(NamedTuple):
    """What clean text looks like. Arrays have a value for each of FEATURES.

    median, below, above: The median, and the scales on either side of it.
    quantiles: The quantiles at each 5 %, from 0 to 100 %.
    divergences: The divergences of the target's own windows, ascending.
    """

    median: numpy.ndarray
    below: numpy.ndarray
    above: numpy.ndarray
    quantiles: numpy.ndarray
    divergences: numpy.ndarray

    def scores(self, values: numpy.ndarray) -> numpy.ndarray:
        """Robust z-scores, negative below the median.

        values (numpy.ndarray): Measured values, FEATURES along the last axis.
        RETURNS (numpy.ndarray): Scores of the same shape.
        """
        distance = values - self.median
        return distance / numpy.where(distance < 0, self.below, self.above)

    def divergence(self, values: numpy.ndarray) -> numpy.ndarray:
        """How far from the target windows are.

        values (numpy.ndarray): Measured values, FEATURES along the last axis.
        RETURNS (numpy.ndarray): 0 for windows at the median of everything, at most CAP.
        """
        return numpy.minimum(self.scores(values) ** 2, CAP).mean(axis=-1)

    def threshold(self, keep: float) -> float:
        """The divergence that a share of the target's own windows do not exceed.

        keep (float): The share, more than 0 and at most 1.
        RETURNS (float): The threshold.
        RAISES (ValueError): If the share is another number.
        """
        if not 0 < keep <= 1:
            raise ValueError(Errors.P041.format(value=keep))
        return float(numpy.quantile(self.divergences, keep, method="higher"))


class Reservoir(Generic[ItemT]):
    """A random sample of bounded size from a stream of unknown length (Vitter, 1985, algorithm R).

    size (int): Size of the sample.
    seed (int): Decides what is drawn.
    """

    def __init__(self, size: int, seed: int = 0) -> None:
        self.size = size
        self.items: List[ItemT] = []
        self._seen = 0
        self._rng = random.Random(seed)

    def add(self, item: ItemT) -> None:
        """Offer an item to the sample."""
        self._seen += 1
        if len(self.items) < self.size:
            self.items.append(item)
            return
        place = self._rng.randrange(self._seen)
        if place < self.size:
            self.items[place] = item


def read_windows(path: PathLike, size: int) -> Iterator[TextWindow]:
    """Read a text file in windows of about so many words, cut at line ends. Documents of less
    than half a window are joined with what follows, and so is the rest of longer ones.

    path (Union[str, Path]): A .txt or .txt.xz file, UTF-8.
    size (int): Number of words.
    YIELDS (TextWindow): The windows. Only where the file has less text is one shorter than half
        the size.
    RAISES (ValueError): If the file cannot be read, see `read_lines`.
    """
    pending = None
    for window in _cut_lines(read_lines(path), size):
        if pending is None:
            pending = window
        elif 2 * window.words < size:  # the last of the file
            pending = _join(pending, window)
        else:
            yield pending
            pending = window
    if pending is not None:
        yield pending


def _cut_lines(lines: Iterable[str], size: int) -> Iterator[TextWindow]:
    documents: List[List[str]] = []
    words = 0
    in_document = continues = False
    for line in map(str.strip, lines):
        if line:
            if in_document and documents:
                documents[-1].append(line)
            else:
                if not documents:
                    continues = in_document
                documents.append([line])
            words += len(line.split())
        in_document = bool(line)
        if words >= (size if line else size / 2) and documents:
            yield TextWindow(documents, continues, words)
            documents, words = [], 0
    if documents:
        yield TextWindow(documents, continues, words)


def _join(first: TextWindow, second: TextWindow) -> TextWindow:
    documents = [*first.documents, *second.documents]
    if second.continues:
        middle = first.documents[-1] + second.documents[0]
        documents = [*first.documents[:-1], middle, *second.documents[1:]]
    return TextWindow(documents, first.continues, first.words + second.words)


def measure(lines: Sequence[str]) -> Dict[str, float]:
    """Measure marks, case and lines of a text.

    lines (Sequence[str]): The lines, as they are in the file.
    RETURNS (Dict[str, float]): A value for each of FEATURES: marks per word, words per sentence,
        shares of the words (by case), of the lines, and of the characters (non-letters).
    """
    counts = dict.fromkeys(FEATURES, 0)
    words = ends = run = 0
    for line in lines:
        for word in split_words(line):
            words += 1
            if word.mark:
                counts[_MARKS.get(word.mark, "other marks")] += 1
                ends += word.mark in _SENTENCE_ENDS
            case = _casing_class(line[word.core_start : word.core_end])
            if case in _CLASSES:
                counts[_CLASSES[case]] += 1
                run = run + 1 if case == "acronym" else 0
                if run >= _RUN:
                    counts["words in capital runs"] += _RUN if run == _RUN else 1
        counts["lines without final mark"] += is_cut_off(line)
        first = next(filter(str.isalpha, line), "")
        counts["lines beginning in lower case"] += first.islower()
    characters = sum(len(chunk) for line in lines for chunk in line.split())
    values = {name: count / max(words, 1) for name, count in counts.items()}
    for name in ("lines without final mark", "lines beginning in lower case"):
        values[name] = counts[name] / max(len(lines), 1)
    values["sentence length"] = words / max(ends, 1)
    values["non-letters"] = 1 - sum(map(count_letters, lines)) / max(characters, 1)
    return values


def to_row(values: Dict[str, float]) -> List[float]:
    """Measured values in the order of FEATURES."""
    return [values[name] for name in FEATURES]


def sample_target(
    paths: Iterable[PathLike], *, size: int, sample: int = 2000, seed: int = 0
) -> numpy.ndarray:
    """Measure a random sample of the windows of clean text: of each file at most as many, so that
    a large one does not stand for all.

    paths (Iterable[Union[str, Path]]): The files.
    size (int): Number of words of a window.
    sample (int): Number of windows of a file.
    seed (int): Decides which.
    RETURNS (numpy.ndarray): A row of FEATURES for each window.
    RAISES (ValueError): If a file cannot be read.
    """
    rows: List[List[float]] = []
    for path in paths:
        drawn: Reservoir[TextWindow] = Reservoir(sample, seed)
        for window in read_windows(path, size):
            drawn.add(window)
        rows += [to_row(measure(window.lines)) for window in drawn.items]
    return numpy.asarray(rows, dtype="float64").reshape(-1, len(FEATURES))


def fit_target(values: numpy.ndarray) -> Target:
    """Learn what clean text looks like.

    values (numpy.ndarray): A row of FEATURES for each of its windows.
    RETURNS (Target): What it looks like.
    RAISES (ValueError): If there are too few windows.
    """
    if len(values) < MIN_TARGET_WINDOWS:
        raise ValueError(Errors.P040.format(count=len(values), minimum=MIN_TARGET_WINDOWS))
    low, median, high = numpy.quantile(values, [TAIL, 0.5, 1 - TAIL], axis=0)
    floors = numpy.asarray(list(FEATURES.values()))
    target = Target(
        median,
        below=numpy.maximum((median - low) / TAIL_SCORE, floors),
        above=numpy.maximum((high - median) / TAIL_SCORE, floors),
        quantiles=quantiles(values),
        divergences=numpy.empty(0),
    )
    return target._replace(divergences=numpy.sort(target.divergence(values)))


def quantiles(values: numpy.ndarray) -> numpy.ndarray:
    """The quantiles at each 5 %, from 0 to 100 %, of each column of an array with rows."""
    return numpy.quantile(values, numpy.linspace(0, 1, 21), axis=0)
