"""Precision, recall and F-score of upper case, by character and by word."""

from typing import Any, Callable, Dict, Iterable, List, Tuple

from spacy.scorer import PRFScore
from spacy.training import Example

from ..gold.align import align_words, gold_text, realign_examples
from ..text.case import is_upper


def score_case(pairs: Iterable[Tuple[str, str]]) -> Dict[str, Any]:
    """Score the case of words against gold.

    Characters: every upper-case character is a hit to find. Words, as Susanto et al. (2016): a
    word counts when it has an upper-case character, and is right when all its characters are.

    pairs (Iterable[Tuple[str, str]]): Gold and predicted word; they differ in case only.
    RETURNS (Dict[str, Any]): case_char_p, case_char_r, case_char_f, case_word_p, case_word_r and
        case_word_f; None where gold has no upper case at all.
    """
    chars, words = PRFScore(), PRFScore()
    for gold, predicted in pairs:
        gold_upper, predicted_upper = list(map(is_upper, gold)), list(map(is_upper, predicted))
        for is_gold, is_predicted in zip(gold_upper, predicted_upper):
            chars.tp += is_gold and is_predicted
            chars.fp += is_predicted and not is_gold
            chars.fn += is_gold and not is_predicted
        right = gold == predicted
        words.tp += right and any(gold_upper)
        words.fp += not right and any(predicted_upper)
        words.fn += not right and any(gold_upper)
    result: Dict[str, Any] = {}
    for key, score in (("char", chars), ("word", words)):
        known = score.tp + score.fn > 0
        result[f"case_{key}_p"] = score.precision if known else None
        result[f"case_{key}_r"] = score.recall if known else None
        result[f"case_{key}_f"] = score.fscore if known else None
    return result


def case_pairs(predicted: str, gold: str) -> List[Tuple[str, str]]:
    """Gold and predicted form of each word of two texts that have the same words.

    RAISES (ValueError): If the words differ.
    """
    pairs: List[Tuple[str, str]] = []
    for ours, theirs in align_words(predicted, gold):
        # One may lack an abbreviation's last dot ("U.S", "U.S.").
        length = min(ours.core_end - ours.core_start, theirs.core_end - theirs.core_start)
        pairs.append(
            (
                gold[theirs.core_start : theirs.core_start + length],
                predicted[ours.core_start : ours.core_start + length],
            )
        )
    return pairs


def score_casing(examples: Iterable[Example], **kwargs: Any) -> Dict[str, Any]:
    """Score the case in the predicted texts of Examples, then realign the Examples.

    RETURNS (Dict[str, Any]): See `score_case`.
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
