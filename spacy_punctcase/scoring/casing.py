"""Precision, recall and F-score of case, by character, by word and by kind of word."""

from collections import Counter
from typing import Any, Callable, Dict, Iterable, List, Tuple

from spacy.training import Example

from ..gold.align import align_words, gold_text, realign_examples
from ..text.case import casing_class, is_upper
from ..text.words import Word
from .alignment import pair_words
from .counts import Counts, prf

#: The kinds of words (see `casing_class`) that are scored.
CLASSES = ("acronym", "capital", "lower", "mixed")


def count_case(predicted: str, gold: str) -> Counts:
    """Count what `score_case_counts` needs, in two texts whose words may differ. A word without
    the same word in the other text is left out: gold does not say what its case should be.

    predicted (str): The predicted text.
    gold (str): The gold text.
    RETURNS (Counter): True and false positives and false negatives by level or class.
    """
    return count_case_pairs(
        _forms(predicted, ours, gold, theirs)
        for ours, theirs, same in pair_words(predicted, gold)
        if same and ours is not None and theirs is not None
    )


def count_case_pairs(pairs: Iterable[Tuple[str, str]]) -> Counts:
    """Count what `score_case_counts` needs.

    pairs (Iterable[Tuple[str, str]]): Gold and predicted word; they differ in case only.
    RETURNS (Counter): True and false positives and false negatives by level or class.
    """
    counts: Counts = Counter()
    for gold, predicted in pairs:
        right = gold == predicted
        gold_upper, predicted_upper = list(map(is_upper, gold)), list(map(is_upper, predicted))
        for is_gold, is_predicted in zip(gold_upper, predicted_upper):
            if is_gold or is_predicted:
                both = is_gold and is_predicted
                counts["char", "tp" if both else "fn" if is_gold else "fp"] += 1
        if any(gold_upper):
            counts["word", "tp" if right else "fn"] += 1
        if any(predicted_upper) and not right:
            counts["word", "fp"] += 1
        counts[casing_class(gold), "tp" if right else "fn"] += 1
        if not right:
            counts[casing_class(predicted), "fp"] += 1
    return counts


def score_case_counts(counts: Counts) -> Dict[str, Any]:
    """Scores of case.

    char: every upper-case character is a hit to find. word: as Susanto et al. (2016), a word
    counts when it has an upper-case character, and is right when all its characters are. The
    classes acronym, capital, lower and mixed (see `casing_class`): a word is right for its class
    when it is spelled exactly as in gold, else it is missed for the class of its gold spelling
    and false for that of its predicted one. That is stricter than comparing classes: "Mcdonald"
    for "MCDonald", both of them wrong, and "GITHub" for "GitHub", both mixed, are errors.

    counts (Counter): What `count_case` returned, or a sum of that.
    RETURNS (Dict[str, Any]): case_char_p, case_char_r, case_char_f and the same for each of
        word, acronym, capital, lower and mixed; None where gold has no such thing. case_support:
        number of gold words of each class.
    """
    scores: Dict[str, Any] = {}
    for level in ("char", "word", *CLASSES):
        scores.update({f"case_{level}_{key}": score for key, score in prf(counts, level).items()})
    scores["case_support"] = {name: counts[name, "tp"] + counts[name, "fn"] for name in CLASSES}
    return scores


def score_case(pairs: Iterable[Tuple[str, str]]) -> Dict[str, Any]:
    """Score the case of words against gold.

    pairs (Iterable[Tuple[str, str]]): Gold and predicted word; they differ in case only.
    RETURNS (Dict[str, Any]): See `score_case_counts`.
    """
    return score_case_counts(count_case_pairs(pairs))


def case_pairs(predicted: str, gold: str) -> List[Tuple[str, str]]:
    """Gold and predicted form of each word of two texts that have the same words.

    RAISES (ValueError): If the words differ.
    """
    return [_forms(predicted, ours, gold, theirs) for ours, theirs in align_words(predicted, gold)]


def _forms(predicted: str, ours: Word, gold: str, theirs: Word) -> Tuple[str, str]:
    """Gold and predicted form of a word, of equal length: one may lack an abbreviation's last dot
    ("U.S", "U.S.")."""
    length = min(ours.core_end - ours.core_start, theirs.core_end - theirs.core_start)
    return (
        gold[theirs.core_start : theirs.core_start + length],
        predicted[ours.core_start : ours.core_start + length],
    )


def score_casing(examples: Iterable[Example], **kwargs: Any) -> Dict[str, Any]:
    """Score the case in the predicted texts of Examples, then realign the Examples.

    RETURNS (Dict[str, Any]): See `score_case_counts`.
    RAISES (ValueError): If the words of a predicted and a gold text differ.
    """
    examples = list(examples)
    pairs: List[Tuple[str, str]] = []
    for example in examples:
        pairs.extend(case_pairs(example.predicted.text, gold_text(example.reference)))
    realign_examples(examples)
    return score_case(pairs)


def make_casing_scorer() -> Callable:
    """Make the scorer of the truecaser, `spacy_punctcase.casing_scorer.v1`."""
    return score_casing
