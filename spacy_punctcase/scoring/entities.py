"""Precision, recall and F-score of named entities, by the words of the transcript."""

from collections import Counter
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from spacy.language import Language
from spacy.tokens import Doc

from ..errors import Errors
from ..rewrite.offsets import source_text, span_source_span
from ..text.words import chunk_index, split_words
from .bootstrap import bootstrap
from .counts import Counts, prf, total_counts

#: First and last word of an entity, and its label.
Entity = Tuple[int, int, str]


def entity_words(doc: Doc, label_map: Mapping[str, str] = {}) -> Set[Entity]:
    """The entities of a Doc by the words that they cover, so that Docs of the same words can be
    compared whatever their marks, case and tokens: raw, restored and gold.

    doc (Doc): A Doc with entities. Those of a restored one are placed in its source text.
    label_map (Mapping[str, str]): Labels to rename; entities whose label becomes "" are left out.
    RETURNS (Set[Tuple[int, int, str]]): First and last word (indices into `split_words`) and
        label.
    """
    text = source_text(doc)
    starts = [word.start for word in split_words(doc.text if text is None else text)]
    found: Set[Entity] = set()
    for span in doc.ents:
        label = label_map.get(span.label_, span.label_)
        if label:
            start, end = span_source_span(span)
            found.add((chunk_index(starts, start), chunk_index(starts, end - 1), label))
    return found


def evaluate_entities(
    nlp: Language,
    versions: Mapping[str, Sequence[str]],
    gold: Sequence[Set[Entity]],
    *,
    label_map: Mapping[str, str] = {},
    samples: int = 0,
    seed: int = 0,
) -> Dict[str, Dict[str, Any]]:
    """Find entities in several versions of the same documents, and score them.

    nlp (Language): The pipeline that finds entities.
    versions (Mapping[str, Sequence[str]]): The documents by name of the version. With both "raw"
        and "gold" among them it is said of each other one what share of the gap between those
        two it wins back.
    gold (Sequence[Set[Tuple[int, int, str]]]): The entities of each document, by words.
    label_map (Mapping[str, str]): Names that gold has for the pipeline's labels; "" for those
        that it does not have.
    samples (int): Number of bootstrap resamples of the documents; 0 for no intervals.
    seed (int): Seed of the bootstrap.
    RETURNS (Dict[str, Dict[str, Any]]): By version the scores of `score_entities`, "intervals"
        and "ents_recovery".
    RAISES (ValueError): If the numbers of documents differ.
    """
    scores: Dict[str, Dict[str, Any]] = {}
    for name, texts in versions.items():
        if len(texts) != len(gold):
            raise ValueError(
                Errors.P028.format(what="documents", first=len(texts), second=len(gold))
            )
        units: List[Counts] = [
            count_entities(entity_words(doc, label_map), entities)
            for doc, entities in zip(nlp.pipe(texts), gold)
        ]
        scores[name] = score_entities(total_counts(units))
        if samples and scores[name]["ents_f"] is not None:
            ranges = bootstrap(units, score_entities, ["ents_p", "ents_r", "ents_f"], samples, seed)
            scores[name]["intervals"] = {key: list(ends) for key, ends in ranges.items()}
    if "raw" in scores and "gold" in scores:
        ends = scores["raw"]["ents_f"], scores["gold"]["ents_f"]
        for name in versions.keys() - {"raw", "gold"}:
            restored = scores[name]["ents_f"]
            known = None not in (*ends, restored)
            scores[name]["ents_recovery"] = (
                entity_recovery(ends[0], restored, ends[1]) if known else None
            )
    return scores


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
