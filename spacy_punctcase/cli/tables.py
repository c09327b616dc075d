"""Tables of scores for the terminal."""

from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table

from ..scoring.bootstrap import Difference
from ..scoring.casing import CLASSES
from ..scoring.evaluate import flatten

#: Narrow enough for eighty columns, intervals and differences included.
STYLE: Dict[str, Any] = {"box": SIMPLE_HEAD, "pad_edge": False, "collapse_padding": True}
RATES = {
    "per_nemo": "PER (NeMo)",
    "per_card": "PER (marks alone)",
    "wer": "WER",
    "wer_marks": "WER with marks",
    "wer_case": "WER with case",
    "wer_marks_case": "WER with marks and case",
    "match": "exact match",
    "match_ignoring_case": "exact match but for case",
    "match_ignoring_marks": "exact match but for marks",
}


class Row(NamedTuple):
    """A row of a table.

    name: What is scored.
    keys: The flat keys (see `flatten`) of its scores. Of the last one the confidence interval and
        the difference from the baseline are shown.
    """

    name: str
    keys: Sequence[str]


def make_tables(
    scores: Mapping[str, Any], differences: Mapping[str, Difference]
) -> Iterator[Table]:
    """The scores as tables of percentages.

    scores (Mapping[str, Any]): What `evaluate_texts` returned.
    differences (Mapping[str, Difference]): What `compare_texts` returned; empty without baseline.
    YIELDS (Table): The tables.
    """
    intervals = scores.get("intervals", {})
    flat = flatten({key: value for key, value in scores.items() if key != "intervals"})
    for rows, columns in ((_prf_rows(scores), ["P", "R", "F"]), (_rate_rows(scores), ["rate"])):
        if rows:
            yield _score_table(rows, columns, flat, intervals, differences)
    if scores.get("punct_confusion"):
        yield _confusion_table(scores["punct_confusion"])


def alignment_line(alignment: Mapping[str, int]) -> str:
    """How many words could not be aligned; "" where all could."""
    if not any(alignment[key] for key in ("missing", "added", "replaced")):
        return ""
    return (
        "Of {words} gold words {missing} are missing and {replaced} replaced; {added} were "
        "added.".format(**alignment)
    )


def make_entity_table(scores: Mapping[str, Mapping[str, Any]]) -> Table:
    """Scores of entities in several versions of a text.

    scores (Mapping[str, Mapping[str, Any]]): What `evaluate_entities` returned.
    RETURNS (Table): The table.
    """
    table = Table("entities in", "P", "R", "F", "gap won back", **STYLE)
    for name, found in scores.items():
        keys = ("ents_p", "ents_r", "ents_f", "ents_recovery")
        table.add_row(name, *(_percentage(found.get(key)) for key in keys))
    return table


def make_before_after_table(before: Mapping[str, Any], after: Mapping[str, Any]) -> Table:
    """Scores before and after a change.

    before, after (Mapping[str, Any]): Scores as of `evaluate_texts`.
    RETURNS (Table): The table.
    """
    flats = [flatten(before), flatten(after)]
    table = Table("", "before: P", "R", "F", "after: P", "R", "F", **STYLE)
    for name, keys in _prf_rows(after):
        table.add_row(name, *(_percentage(flat.get(key)) for flat in flats for key in keys))
    return table


def _percentage(score: Optional[float]) -> str:
    return "-" if score is None else f"{score:.1%}"


def _prf_rows(scores: Mapping[str, Any]) -> List[Row]:
    levels = {
        f"punct_per_mark/{mark}/": f"mark {mark}" for mark in scores.get("punct_per_mark") or {}
    }
    found: Dict[str, str] = {
        "punct_micro_": "marks, micro",
        "punct_macro_": "marks, macro",
        "sentence_": "sentence ends",
        "case_word_": "case, word",
        "case_char_": "case, char",
        **{f"case_{name}_": f"case, {name}" for name in CLASSES},
    }
    levels.update({level: name for level, name in found.items() if f"{level}f" in scores})
    return [Row(name, [f"{level}{key}" for key in "prf"]) for level, name in levels.items()]


def _rate_rows(scores: Mapping[str, Any]) -> List[Row]:
    return [Row(name, [key]) for key, name in RATES.items() if key in scores]


def _score_table(
    rows: Sequence[Row],
    columns: Sequence[str],
    flat: Mapping[str, float],
    intervals: Mapping[str, Sequence[float]],
    differences: Mapping[str, Difference],
) -> Table:
    table = Table("", *columns, **STYLE)
    if intervals:
        table.add_column(f"{columns[-1]}, 95 %")
    if differences:
        table.add_column(f"{columns[-1]}, difference")
    for name, keys in rows:
        cells = [_percentage(flat.get(key)) for key in keys]
        if intervals:
            cells.append(_interval(intervals.get(keys[-1])))
        if differences:
            cells.append(_difference(differences.get(keys[-1])))
        table.add_row(name, *cells)
    return table


def _interval(interval: Optional[Sequence[float]]) -> str:
    return "-" if interval is None else "[{:.1f}, {:.1f}]".format(*(100 * end for end in interval))


def _difference(difference: Optional[Difference]) -> str:
    """A difference in points and its interval, with a star where that excludes zero."""
    if difference is None:
        return "-"
    star = " *" if difference.low > 0 or difference.high < 0 else ""
    points = (100 * value for value in difference[:3])
    return "{:+.1f} [{:+.1f}, {:+.1f}]".format(*points) + star


def _confusion_table(confusion: Mapping[str, Mapping[str, int]]) -> Table:
    table = Table("gold \\ predicted", *next(iter(confusion.values())), **STYLE)
    for label, counts in confusion.items():
        table.add_row(label, *map(str, counts.values()))
    return table
