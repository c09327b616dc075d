"""Precision, recall and F-score of named entities, by the words of the transcript."""

from collections import Counter
from typing import Any, Dict, Mapping, Optional, Set, Tuple

from spacy.tokens import Doc

from ..rewrite.offsets import token_source_word
from .counts import Counts, prf

#: First and last word of an entity, and its label.
Entity = Tuple[int, int, str]


def entity_words(doc: Doc, label_map: Mapping[str, str] = {}) -> Set[Entity]:
    """The entities of a Doc by the words that they cover, so that Docs of the same words can be
    compared whatever their marks, case and tokens: raw, restored and gold.

    doc (Doc): A Doc with entities.
    label_map (Mapping[str, str]): Labels to rename; entities whose label becomes "" are left out.
    RETURNS (Set[Tuple[int, int, str]]): First and last word (indices of the recogniser's words,
        as in `token._.source_word`) and label.
    """
    found: Set[Entity] = set()
    for span in doc.ents:
        label = label_map.get(span.label_, span.label_)
        if label:
            found.add((token_source_word(span[0]), token_source_word(span[-1]), label))
    return found


def count_entities(predicted: Set[Entity], gold: Set[Entity]) -> Counts:
    """Compare entities: one is right when its words and its label are (CoNLL-2003; Tjong Kim Sang
    and De Meulder 2003).

    predicted (Set[Tuple[int, int, str]]): What `entity_words` found.
    gold (Set[Tuple[int, int, str]]): What it found in gold.
    RETURNS (Counter): True and false positives and false negatives by label.
    """
    counts: Counts = Counter()
    outcomes = {"tp": predicted & gold, "fp": predicted - gold, "fn": gold - predicted}
    for outcome, entities in outcomes.items():
        counts.update((label, outcome) for _, _, label in entities)
    return counts


def score_entities(counts: Counts) -> Dict[str, Any]:
    """Scores of entities, with spaCy's names.

    counts (Counter): What `count_entities` returned, or a sum of that.
    RETURNS (Dict[str, Any]): ents_p, ents_r, ents_f and ents_per_type (p, r and f by label);
        None where gold has no entity.
    """
    total: Counts = Counter()
    for (_, outcome), count in counts.items():
        total[(outcome,)] += count
    labels = sorted({label for label, _ in counts})
    return {
        **{f"ents_{key}": value for key, value in prf(total).items()},
        "ents_per_type": {label: prf(counts, label) for label in labels},
    }


def entity_recovery(raw_f: float, restored_f: float, gold_f: float) -> Optional[float]:
    """Share of what entity recognition loses on raw transcripts that restoration wins back.

    raw_f, restored_f, gold_f (float): F-score on the raw, the restored and the gold text.
    RETURNS (Optional[float]): 0 for no gain over raw text, 1 for as good as on gold text; below 0
        and above 1 are possible. None where gold text is no better than raw text.
    """
    return (restored_f - raw_f) / (gold_f - raw_f) if gold_f > raw_f else None
