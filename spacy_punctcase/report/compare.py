"""A page that shows where two texts differ, and which of them agrees with gold."""

from collections import Counter
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from ..text.words import split_words
from .differences import (
    CASE_LABELS,
    MARK_LABELS,
    Counts,
    Difference,
    Paragraph,
    check_lengths,
    count_labels,
    find_paragraphs,
)
from .page import render_page


class Row(NamedTuple):
    """A paragraph, and the number of its first difference among all."""

    paragraph: Paragraph
    first: int


class Summary(NamedTuple):
    """What stands above the rows.

    documents: Number of documents.
    words: Number of words of the two texts and, if given, of gold.
    marks, cases, verdicts: Number of differences by label, as the filters offer them.
    table: For each label how often either text agrees with gold; empty without gold.
    """

    documents: int
    words: List[Tuple[str, int]]
    marks: Dict[str, int]
    cases: Dict[str, int]
    verdicts: Dict[str, int]
    table: Dict[str, Tuple[Counts, Counts]]


def render_comparison(
    a: Sequence[str],
    b: Sequence[str],
    gold: Optional[Sequence[str]] = None,
    *,
    names: Sequence[str] = ("A", "B"),
    title: str = "Comparison",
) -> str:
    """Render the differences of two texts as an HTML page that needs no other file.

    a, b (Sequence[str]): The documents of either text.
    gold (Optional[Sequence[str]]): Those of the gold text.
    names (Sequence[str]): What the two are called.
    title (str): Title of the page.
    RETURNS (str): The page.
    RAISES (ValueError): If the numbers of documents differ.
    """
    check_lengths(a, b, gold)
    rows: List[Row] = []
    differences: List[Difference] = []
    for index, (text_a, text_b) in enumerate(zip(a, b)):
        text_gold = None if gold is None else gold[index]
        for paragraph in find_paragraphs(text_a, text_b, text_gold, name=str(index + 1)):
            rows.append(Row(paragraph, len(differences) + 1))
            differences.extend(paragraph.differences)
    return render_page(
        "compare.html",
        title=title,
        names=names,
        has_gold=gold is not None,
        rows=rows,
        count=len(differences),
        summary=_summarise(a, b, gold, names, differences),
    )


def _summarise(
    a: Sequence[str],
    b: Sequence[str],
    gold: Optional[Sequence[str]],
    names: Sequence[str],
    differences: Sequence[Difference],
) -> Summary:
    marks = Counter(label for difference in differences for label in difference.marks)
    cases = Counter(label for difference in differences for label in difference.cases)
    verdicts = Counter(difference.verdict for difference in differences)
    words = [(names[0], _count_words(a)), (names[1], _count_words(b))]
    table: Dict[str, Tuple[Counts, Counts]] = {}
    if gold is not None:
        words.append(("gold", _count_words(gold)))
        counts_a, counts_b = _add_counts(a, gold), _add_counts(b, gold)
        table = {label: (counts_a[label], counts_b[label]) for label in counts_a}
    return Summary(
        documents=len(a),
        words=words,
        marks={label: marks[label] for label in MARK_LABELS},
        cases={label: cases[label] for label in CASE_LABELS},
        verdicts={verdict: verdicts[verdict] for verdict in ("a", "b", "neither")},
        table=table,
    )


def _count_words(texts: Iterable[str]) -> int:
    return sum(len(split_words(text)) for text in texts)


def _add_counts(texts: Iterable[str], gold: Iterable[str]) -> Dict[str, Counts]:
    """The counts of all documents, for the labels that occur."""
    total = {label: Counts(0, 0, 0) for label in (*MARK_LABELS, *CASE_LABELS)}
    for text, gold_text in zip(texts, gold):
        for label, counts in count_labels(text, gold_text).items():
            total[label] = Counts(*(old + new for old, new in zip(total[label], counts)))
    return total
