"""Whether the scores of decisions are what they say: the share of them that is right."""

from typing import Any, Callable, Dict, List, NamedTuple, Sequence, Tuple

import numpy
from spacy.language import Language
from spacy.tokens import Doc

from ..gold.align import gold_text, unknown_marks
from ..models.arrays import Array1d
from ..pipeline.restorer import Restorer
from ..pipeline.word_tagger import WordTagger
from ..rewrite.scores import CASE, KINDS, MARK, get_scores
from ..text.case import is_upper
from ..text.words import split_words
from .casing import case_pairs
from .punctuation import mark_pairs
from .tune import (
    Settings,
    predict_docs,
    raw_text,
    restore_docs,
    restoring_part,
    run_component,
    set_settings,
    tunable,
)

#: Each with as many decisions. Of equal width, one of them would hold most: nine of ten scores are
#: above 0.9.
BINS = 15
#: The temperatures that are tried first.
_COARSE = tuple(2.0 ** (step / 4) for step in range(-8, 13))
#: Steps between the best one of them and its neighbours.
_FINE_STEPS = 25
#: Of probabilities in logarithms.
_LEAST = 1e-9


class Decisions(NamedTuple):
    """What was decided, one entry for each word that has a score.

    scores: The probability of each decision, shape (decisions,).
    right: Whether it agrees with gold, shape (decisions,).
    """

    scores: numpy.ndarray
    right: numpy.ndarray


class Bin(NamedTuple):
    """Decisions with similar scores.

    score: Their mean score.
    right: The share of them that is right.
    number: How many they are.
    """

    score: float
    right: float
    number: int


class Calibration(NamedTuple):
    """What was found.

    before, after: The temperatures that the pipeline had, and those that fit.
    decisions_before, decisions_after: What it decided with either, by kind ("mark", "case"). They
        differ in the scores only.
    """

    before: Settings
    after: Settings
    decisions_before: Dict[str, Decisions]
    decisions_after: Dict[str, Decisions]


def make_bins(scores: Array1d, right: Array1d, bins: int = BINS) -> List[Bin]:
    """Put decisions in bins of equal numbers, by their score.

    scores (Array1d): The probability of each decision.
    right (Array1d): Whether it is right.
    bins (int): Number of bins; with fewer decisions, one for each.
    RETURNS (List[Bin]): The bins, scores ascending.
    """
    order = numpy.argsort(scores, kind="stable")
    parts = numpy.array_split(order, min(bins, len(order))) if len(order) else []
    scores, right = numpy.asarray(scores, dtype="float64"), numpy.asarray(right, dtype="float64")
    return [Bin(float(scores[p].mean()), float(right[p].mean()), len(p)) for p in parts]


def expected_calibration_error(scores: Array1d, right: Array1d, bins: int = BINS) -> float:
    """How far scores are from the share of right decisions: in bins of equal numbers, the mean
    distance of the two (Naeini et al. 2015; Nixon et al. 2019 for the bins).

    scores (Array1d): The probability of each decision.
    right (Array1d): Whether it is right.
    bins (int): Number of bins.
    RETURNS (float): The error, from 0 (the best) to 1. Not a number without decisions.
    """
    found = make_bins(scores, right, bins)
    if not found:
        return numpy.nan
    return sum(abs(score - share) * number for score, share, number in found) / len(scores)


def negative_log_likelihood(scores: Array1d, right: Array1d) -> float:
    """The mean of -log p, with p the probability that scores give to what is the case: that of a
    right decision, and what is left of 1 for a wrong one.

    scores (Array1d): The probability of each decision.
    right (Array1d): Whether it is right.
    RETURNS (float): The mean in nats, 0 or more. Not a number without decisions.
    """
    if not len(scores):
        return numpy.nan
    found = numpy.where(right, scores, 1 - numpy.asarray(scores, dtype="float64"))
    return float(-numpy.log(numpy.maximum(found, _LEAST)).mean())


def fit_temperature(score_at: Callable[[float], Array1d], right: Array1d) -> float:
    """Find the temperature with which the scores of decisions are the most likely.

    score_at (Callable[[float], Array1d]): The probability of each decision at a temperature.
    right (Array1d): Whether it is right.
    RETURNS (float): The temperature, between 0.25 and 8, to two digits.
    """

    def best(temperatures: Sequence[float]) -> int:
        tried = [negative_log_likelihood(score_at(value), right) for value in temperatures]
        return int(numpy.argmin(tried))

    index = best(_COARSE)
    low, high = _COARSE[max(index - 1, 0)], _COARSE[min(index + 1, len(_COARSE) - 1)]
    fine = sorted({round(float(value), 2) for value in numpy.linspace(low, high, _FINE_STEPS)})
    return fine[best(fine)]


def calibrate_pipeline(nlp: Language, references: Sequence[Doc]) -> Calibration:
    """Fit the temperature of each component that restores text, and set them, in place. The text
    that the pipeline makes stays the same.

    nlp (Language): The pipeline.
    references (Sequence[Doc]): Transcripts with gold text or, as their own gold text, any Docs.
    RETURNS (Calibration): The temperatures, and the decisions with their scores.
    RAISES (ValueError): If the words of a transcript and its gold text differ.
    """
    before = get_temperatures(nlp)
    decisions_before = decide(nlp, references)
    docs = [nlp.make_doc(raw_text(reference)) for reference in references]
    for name, component in restoring_part(nlp):
        if isinstance(component, Restorer):
            predicted = predict_docs(component, docs)
            restored = restore_docs(component, docs, predicted)
            right = collect_right(nlp, restored, references)
            fitted = fit_component(component, docs, predicted, right)
            set_settings(nlp, {name: {"temperature": fitted}})
            docs = restore_docs(component, docs, predicted)
        else:
            docs = run_component(component, docs)
    return Calibration(
        before, get_temperatures(nlp), decisions_before, collect_decisions(nlp, docs, references)
    )


def get_temperatures(nlp: Language) -> Settings:
    """The temperatures of a pipeline, by component."""
    return {
        name: {"temperature": component.temperature} for name, component in tunable(nlp).items()
    }


def decide(nlp: Language, references: Sequence[Doc]) -> Dict[str, Decisions]:
    """Restore transcripts, and compare each decision with gold.

    nlp (Language): The pipeline.
    references (Sequence[Doc]): See `calibrate_pipeline`.
    RETURNS (Dict[str, Decisions]): The decisions by kind.
    RAISES (ValueError): If the words of a transcript and its gold text differ.
    """
    docs = [nlp.make_doc(raw_text(reference)) for reference in references]
    for _, component in restoring_part(nlp):
        docs = run_component(component, docs)
    return collect_decisions(nlp, docs, references)


def collect_decisions(
    nlp: Language, docs: Sequence[Doc], references: Sequence[Doc]
) -> Dict[str, Decisions]:
    """The scores on restored Docs, and what is right of what they are about.

    nlp (Language): The pipeline that made them.
    docs, references (Sequence[Doc]): The restored Docs, and those with their gold text.
    RETURNS (Dict[str, Decisions]): The decisions by kind; no kind without any.
    """
    right = collect_right(nlp, docs, references)
    found: Dict[str, Decisions] = {}
    for kind in KINDS:
        scores = [get_scores(doc, split_words(doc.text), kind) for doc in docs]
        kept, share = pair_scores(scores, right[kind])
        if len(kept):
            found[kind] = Decisions(kept, share)
    return found


def collect_right(
    nlp: Language, docs: Sequence[Doc], references: Sequence[Doc]
) -> Dict[str, List[List[Any]]]:
    """Whether mark and case of each word of restored Docs are those of gold, None where gold does
    not say it: at words that were cut off, and of a kind that no gold text has.

    nlp (Language): The pipeline, whose taggers say what a mark counts as.
    docs, references (Sequence[Doc]): The Docs, and those with their gold text.
    RETURNS (Dict[str, List[List[Optional[bool]]]]): By kind, for each Doc and word.
    RAISES (ValueError): If the words of a transcript and its gold text differ.
    """
    taggers = [pipe for pipe in tunable(nlp).values() if isinstance(pipe, WordTagger)]
    golds = list(map(gold_text, references))
    has_marks = any(word.mark for gold in golds for word in split_words(gold))
    has_case = any(any(map(is_upper, gold)) for gold in golds)
    found: Dict[str, List[List[Any]]] = {kind: [] for kind in KINDS}
    for doc, reference, gold in zip(docs, references, golds):
        cases: List[Any] = [ours == theirs for theirs, ours in case_pairs(doc.text, gold)]
        marks: List[Any] = [None] * len(cases)
        for tagger in taggers:
            pairs = mark_pairs(doc.text, gold, tagger.marks, tagger.mark_map)
            marks = [ours == theirs for theirs, ours in pairs]
        for index in unknown_marks(reference):
            marks[index] = None
        found[MARK].append(marks if has_marks else [None] * len(marks))
        found[CASE].append(cases if has_case else [None] * len(cases))
    return found


def pair_scores(
    scores: Sequence[Sequence[Any]], right: Sequence[Sequence[Any]]
) -> Tuple[numpy.ndarray, numpy.ndarray]:
    """The scores of words for which it is known whether they are right, and that.

    scores, right (Sequence[Sequence]): By Doc and word; None where there is none.
    RETURNS (Tuple[ndarray, ndarray]): Both in one row.
    """
    pairs = [
        pair
        for of_doc in zip(scores, right)
        for pair in zip(*of_doc)
        if pair[0] is not None and pair[1] is not None
    ]
    return (
        numpy.asarray([score for score, _ in pairs], dtype="float64"),
        numpy.asarray([is_right for _, is_right in pairs], dtype=bool),
    )


def fit_component(
    component: Restorer,
    docs: Sequence[Doc],
    predicted: Sequence[Any],
    right: Dict[str, List[List[Any]]],
) -> float:
    """Find the temperature of a component for all kinds of decisions that it makes. Where gold says
    nothing of them the present one stays.

    component (Restorer): The component, whose setting stays.
    docs (Sequence[Doc]): Its input.
    predicted (Sequence[Any]): What its `predict` returned for them.
    right (Dict[str, List[List[Optional[bool]]]]): What `collect_right` says of its output.
    RETURNS (float): The temperature.
    """
    inputs = []
    for doc, found in zip(docs, predicted):
        text = doc.text
        words = split_words(text)
        inputs.append((doc, text, words, found, component._decide(doc, text, words, found)))
    present = component.temperature

    def decide_at(temperature: float) -> Tuple[numpy.ndarray, numpy.ndarray]:
        component.temperature = temperature
        scores = [component._score(*given) for given in inputs]
        kinds = [kind for kind in KINDS if scores and kind in scores[0]]
        parts = [pair_scores([found[kind] for found in scores], right[kind]) for kind in kinds]
        return tuple(map(numpy.concatenate, zip(*parts))) if parts else pair_scores([], [])  # type: ignore

    try:
        known = decide_at(present)[1]
        return fit_temperature(lambda value: decide_at(value)[0], known) if len(known) else present
    finally:
        component.temperature = present
