"""Settings of a pipeline fitted on gold text: the bias of marks and the thresholds of case."""

from typing import Any, Callable, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence

import numpy
from spacy import util
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..errors import Errors
from ..gold.align import GOLD, gold_text, unknown_marks
from ..models.arrays import Array2d
from ..pipeline.joint_restorer import JointRestorer
from ..pipeline.restorer import Restorer, restorer_names
from ..pipeline.truecaser import Truecaser
from ..pipeline.word_tagger import WordTagger, log_probabilities
from ..text.case import is_upper
from ..text.marks import NO_MARK
from ..text.words import normal_form, split_words
from .casing import case_pairs, count_case_pairs, score_case_counts
from .counts import Counts
from .punctuation import mark_pairs, score_mark_counts

#: The values that are tried, beside the present one.
BIASES = [step / 10 for step in range(-20, 21)]
THRESHOLDS = [step / 20 for step in range(1, 20)]
#: Capitals inside of words are believed at no less than an even chance: a slip there looks worse
#: than no capital at all.
INNER_THRESHOLDS = [step / 20 for step in range(10, 20)]
#: What the bias of marks can be fitted for.
METRICS = ("micro", "macro")
#: Docs in one call of a component.
_BATCH_SIZE = 128

#: Values by the name of a component and of its setting.
Settings = Dict[str, Dict[str, Any]]


class Tuning(NamedTuple):
    """What was found.

    before, after: The settings that the pipeline had, and those that are best.
    scores_before, scores_after: The scores of the whole pipeline with either: those of
        `score_mark_counts` where it restores marks, of `score_case_counts` where it restores case.
    """

    before: Settings
    after: Settings
    scores_before: Dict[str, Any]
    scores_after: Dict[str, Any]


def tunable(nlp: Language) -> Dict[str, Restorer]:
    """The components that have something to tune, by name."""
    return {
        name: component
        for name, component in nlp.pipeline
        if isinstance(component, (WordTagger, Truecaser))
    }


def has_gold(references: Iterable[Doc]) -> bool:
    """Whether any gold text has a mark or a capital: a raw transcript that lost its gold text has
    neither."""
    texts = map(gold_text, references)
    return any(
        any(map(is_upper, text)) or any(word.mark for word in split_words(text)) for text in texts
    )


def tune_pipeline(nlp: Language, references: Sequence[Doc], *, metric: str = "micro") -> Tuning:
    """Fit the bias of each mark and the thresholds of case, and set them, in place. What a
    component is fitted on is what those in front of it make with their new settings.

    nlp (Language): The pipeline.
    references (Sequence[Doc]): Transcripts with gold text or, as their own gold text, any Docs.
    metric (str): Whether the micro or the macro F-score of the marks is to be the best.
    RETURNS (Tuning): The settings and scores.
    RAISES (ValueError): If the words of a transcript and its gold text differ, or gold has a mark
        that a component does not know.
    """
    texts = list(map(raw_text, references))
    before = get_settings(nlp)
    docs = list(map(nlp.make_doc, texts))
    for _, component in restoring_part(nlp):
        docs = run_component(component, docs)
    scores_before = _score(nlp, docs, references)
    docs = list(map(nlp.make_doc, texts))
    for name, component in restoring_part(nlp):
        if isinstance(component, WordTagger):
            predicted = predict_docs(component, docs)
            bias = _tune_tagger(component, docs, predicted, references, metric)
            set_settings(nlp, {name: {"mark_bias": bias}})
            docs = restore_docs(component, docs, predicted)
        elif isinstance(component, Truecaser):
            predicted = predict_docs(component, docs)
            thresholds = tune_thresholds(component, docs, predicted, references)
            set_settings(nlp, {name: thresholds})
            docs = restore_docs(component, docs, predicted)
        else:
            docs = run_component(component, docs)
    return Tuning(before, get_settings(nlp), scores_before, _score(nlp, docs, references))


def raw_text(reference: Doc) -> str:
    """The transcript that a reference stands for; of Docs that are their own gold text, the words
    without marks and in lower case."""
    if GOLD in reference.user_data:
        return reference.text
    text = reference.text
    return " ".join(normal_form(text, word) for word in split_words(text))


def get_settings(nlp: Language) -> Settings:
    """The settings of a pipeline that can be tuned."""
    settings: Settings = {}
    for name, component in tunable(nlp).items():
        if isinstance(component, WordTagger):
            settings[name] = {"mark_bias": dict(component.mark_bias)}
        elif isinstance(component, Truecaser):
            settings[name] = {
                "threshold": component.threshold,
                "inner_threshold": component.inner_threshold,
            }
    return settings


def set_settings(nlp: Language, settings: Settings) -> None:
    """Set settings at run time and in the config, with which the pipeline is saved.

    nlp (Language): The pipeline.
    settings (Settings): The values by component and setting.
    """
    for name, values in settings.items():
        for setting, value in values.items():
            setattr(nlp.get_pipe(name), setting, value)
            nlp.get_pipe_config(name)[setting] = config_value(value)


def config_value(value: Any) -> Any:
    """The form that a setting has in a config: a table is a list of pairs."""
    return [list(pair) for pair in value.items()] if isinstance(value, dict) else value


def tune_bias(
    scores: Array2d,
    gold: Sequence[int],
    marks: Sequence[str],
    *,
    present: Mapping[str, float] = {},
    metric: str = "micro",
) -> Dict[str, float]:
    """Find the bias of each mark that gives the best F-score, one mark after the other until
    nothing gets better. Of equally good values the nearest to the present one is taken.

    scores (Array2d): Probabilities of no mark and of each of `marks`, shape (words, 1 + marks).
    gold (Sequence[int]): The right column for each word.
    marks (Sequence[str]): The marks.
    present (Mapping[str, float]): The present bias, 0 for marks that are not in it.
    metric (str): One of METRICS.
    RETURNS (Dict[str, float]): The bias by mark, without those of 0.
    RAISES (ValueError): If there is no such metric.
    """
    if metric not in METRICS:
        available = ", ".join(METRICS)
        raise ValueError(Errors.P015.format(given=metric, what="a metric", available=available))
    log_scores = log_probabilities(scores)
    labels = [NO_MARK, *marks]
    gold_cells = numpy.asarray(gold, dtype="int64") * len(labels)

    def score(bias: Mapping[str, float]) -> Optional[float]:
        row = [0.0, *(bias[mark] for mark in marks)]
        cells = gold_cells + (log_scores + row).argmax(axis=1)
        table = numpy.bincount(cells, minlength=len(labels) ** 2).tolist()
        pairs = ((right, found) for right in labels for found in labels)
        return score_mark_counts(Counts(dict(zip(pairs, table))), marks)[f"punct_{metric}_f"]

    start = {mark: present.get(mark, 0.0) for mark in marks}
    bias, last = dict(start), None
    while bias != last:
        last = dict(bias)
        for mark in marks:
            # Each step is to a better score or, at the same score, nearer to the start: it ends.
            tried = {value: score({**bias, mark: value}) for value in {*BIASES, start[mark]}}
            bias[mark] = _best(tried, start[mark])
    return {mark: value for mark, value in bias.items() if value}


def tune_thresholds(
    truecaser: Truecaser,
    docs: Sequence[Doc],
    predicted: Sequence[Any],
    references: Sequence[Doc],
) -> Dict[str, float]:
    """Find the threshold that gives the best F-score of words with a capital, and then the inner
    one that gives the best of mixed-case words. Of equally good values the nearest to the present
    one is taken; without gold text with such words the present one stays.

    truecaser (Truecaser): The truecaser, whose settings stay.
    docs (Sequence[Doc]): Its input.
    predicted (Sequence[Array1d]): What its `predict` returned for them.
    references (Sequence[Doc]): The Docs with the gold text.
    RETURNS (Dict[str, float]): The two settings.
    """
    present = truecaser.threshold, truecaser.inner_threshold

    def score(threshold: float, inner_threshold: float) -> Dict[str, Any]:
        truecaser.threshold, truecaser.inner_threshold = threshold, inner_threshold
        return _score_case(restore_docs(truecaser, docs, predicted), references)

    try:
        tried = {value: score(value, present[1]) for value in {*THRESHOLDS, present[0]}}
        found = {value: scores["case_word_f"] for value, scores in tried.items()}
        threshold = _best(found, present[0])
        low, high = INNER_THRESHOLDS[0], INNER_THRESHOLDS[-1]
        values = {*INNER_THRESHOLDS, min(max(present[1], low), high)}
        found = {value: score(threshold, value)["case_mixed_f"] for value in values}
        return {"threshold": threshold, "inner_threshold": _best(found, present[1])}
    finally:
        truecaser.threshold, truecaser.inner_threshold = present


def _best(scores: Mapping[float, Optional[float]], present: float) -> float:
    """The value of the best score, of equals the nearest to the present one; that one itself where
    nothing could be scored."""
    known = {value: score for value, score in scores.items() if score is not None}
    return max(
        sorted(known),
        # Rounded, so that 0.3 and 0.1 are equally far from 0.2.
        key=lambda value: (known[value], -round(abs(value - present), 9)),
        default=present,
    )


def _tune_tagger(
    tagger: WordTagger,
    docs: Sequence[Doc],
    predicted: Sequence[Array2d],
    references: Sequence[Doc],
    metric: str,
) -> Dict[str, float]:
    labels = [NO_MARK, *tagger.marks]
    rows: List[Array2d] = []
    gold: List[int] = []
    for doc, scores, reference in zip(docs, predicted, references):
        unknown = set(unknown_marks(reference))
        for index, mark in enumerate(tagger._gold_marks(Example(doc, reference))):
            if index not in unknown:
                rows.append(scores[index])
                gold.append(labels.index(mark))
    found = numpy.asarray(rows).reshape(len(rows), len(tagger.labels))
    # A bias is the same in all labels of a mark, so only the best of them can be chosen.
    columns = [
        [index for index, label in enumerate(tagger.labels) if tagger.mark_of(label) == mark]
        for mark in labels
    ]
    by_mark = numpy.stack([found[:, column].max(axis=1) for column in columns], axis=1)
    return tune_bias(by_mark, gold, tagger.marks, present=tagger.mark_bias, metric=metric)


def predict_docs(component: Any, docs: Iterable[Doc]) -> List[Any]:
    batches = util.minibatch(docs, _BATCH_SIZE)
    return [found for batch in batches for found in component.predict(batch)]


def restore_docs(component: Any, docs: Sequence[Doc], predicted: Sequence[Any]) -> List[Doc]:
    """The Docs that a component makes of predictions with its present settings."""
    component.set_annotations(docs, predicted)
    return [component.rewrite(doc) for doc in docs]


def restoring_part(nlp: Language) -> List[Any]:
    """The components up to the last one that restores text; what is behind changes no score."""
    last = max(map(nlp.pipe_names.index, restorer_names(nlp)), default=-1)
    return list(nlp.pipeline[: last + 1])


def run_component(component: Callable[[Doc], Doc], docs: Sequence[Doc]) -> List[Doc]:
    return list(component.pipe(docs)) if hasattr(component, "pipe") else list(map(component, docs))


def _score(nlp: Language, docs: Sequence[Doc], references: Sequence[Doc]) -> Dict[str, Any]:
    """Scores of marks and case, of either only if a component restores it."""
    scores: Dict[str, Any] = {}
    components = tunable(nlp).values()
    for tagger in components:
        if isinstance(tagger, WordTagger):
            scores.update(_score_marks(docs, references, tagger.marks, tagger.mark_map))
    if any(isinstance(component, (Truecaser, JointRestorer)) for component in components):
        scores.update(_score_case(docs, references))
    return scores


def _score_marks(
    docs: Sequence[Doc],
    references: Sequence[Doc],
    marks: Sequence[str],
    mark_map: Mapping[str, str],
) -> Dict[str, Any]:
    counts: Counts = Counts()
    for doc, reference in zip(docs, references):
        unknown = unknown_marks(reference)
        counts.update(mark_pairs(doc.text, gold_text(reference), marks, mark_map, unknown))
    return score_mark_counts(counts, marks)


def _score_case(docs: Sequence[Doc], references: Sequence[Doc]) -> Dict[str, Any]:
    counts: Counts = Counts()
    for doc, reference in zip(docs, references):
        counts.update(count_case_pairs(case_pairs(doc.text, gold_text(reference))))
    return score_case_counts(counts)
