"""Any of the metrics on Examples, for `spacy evaluate` and for training."""

from functools import partial
from typing import Any, Callable, Dict, Iterable, List

from spacy.training import Example

from ..gold.align import gold_text, realign_examples, unknown_marks
from ..rewrite.edits import TextBuilder
from ..text.marks import DEFAULT_MARK_MAP, DEFAULT_MARKS, MARKS
from ..text.words import split_words
from .evaluate import evaluate_texts, get_families

DEFAULT_METRICS = ["punctuation", "casing", "sentences"]


def score_restoration(
    examples: Iterable[Example], *, metrics: List[str] = DEFAULT_METRICS, **kwargs: Any
) -> Dict[str, Any]:
    """Score the predicted texts of Examples, then realign the Examples.

    examples (Iterable[Example]): The Examples; references are replaced where texts differ.
    metrics (List[str]): Names of families in `spacy_punctcase.scoring.evaluate.METRICS`.
    RETURNS (Dict[str, Any]): See `evaluate_texts`.
    """
    examples = list(examples)
    scores = evaluate_texts(
        [_known_text(example) for example in examples],
        [gold_text(example.reference) for example in examples],
        metrics=metrics,
    )
    realign_examples(examples)
    return scores


def _known_text(example: Example) -> str:
    """The predicted text, without marks where gold does not know whether there is one."""
    text = example.predicted.text
    unknown = set(unknown_marks(example.reference))
    builder = TextBuilder(text)
    for index, word in enumerate(split_words(text) if unknown else ()):
        if index in unknown:
            for offset in range(word.core_end, word.end):
                if text[offset] in MARKS:
                    builder.copy_to(offset)
                    builder.skip_to(offset + 1)
    return builder.finish()[0]


def make_restoration_scorer(metrics: List[str] = DEFAULT_METRICS) -> Callable:
    """Make the scorer `spacy_punctcase.restoration_scorer.v1`.

    metrics (List[str]): See `score_restoration`.
    RETURNS (Callable): The scorer.
    RAISES (ValueError): If there is no such metric.
    """
    get_families(metrics, DEFAULT_MARKS, DEFAULT_MARK_MAP)
    return partial(score_restoration, metrics=metrics)
