"""The page of results: Markdown tables and plots of what the benchmarks found."""

import json
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence

from spacy_punctcase.files import open_output
from spacy_punctcase.report.plots import (
    plot_confusion,
    plot_f1_by_mark,
    plot_precision_recall,
    save_figure,
)
from spacy_punctcase.text.marks import DEFAULT_MARKS, NO_MARK

from .run import PREVIOUS, TWO_STAGE
from .speed import DEEP_MULTILINGUAL, PARAGRAPH_WORDS, PCS_EN

Scores = Dict[str, Any]
Records = Dict[str, Dict[str, Any]]


class Column(NamedTuple):
    """A column of a table of scores.

    title: Its heading.
    key: The score; nested ones joined with "/".
    is_error: Whether the lower the better.
    """

    title: str
    key: str
    is_error: bool = False


MARK_COLUMNS = [Column(f"`{mark}`", f"punct_per_mark/{mark}/f") for mark in DEFAULT_MARKS]
MICRO = Column("micro F1", "punct_micro_f")
MACRO = Column("macro F1", "punct_macro_f")
SENTENCES = Column("sentence ends F1", "sentence_f")
PER = [Column("PER (nemo)", "per_nemo", True), Column("PER (card)", "per_card", True)]
WORD = Column("words F1", "case_word_f")
CASE_COLUMNS = [
    Column("acronym F1", "case_acronym_f"),
    Column("Capital F1", "case_capital_f"),
    Column("mixed F1", "case_mixed_f"),
    Column("upper-case characters F1", "case_char_f"),
]
ENTITY_COLUMNS = [
    Column("P", "ents_p"),
    Column("R", "ents_r"),
    Column("F1", "ents_f"),
    Column("share of the gap won back", "ents_recovery"),
]
WER = [
    Column("WER", "wer", True),
    Column("WER with marks", "wer_marks", True),
    Column("WER with marks and case", "wer_marks_case", True),
]
EXACT = Column("exact match", "match")

#: Relative change of the two-stage system over the one before it, as published with it.
PUBLISHED = {
    "punct_micro_f": "+11 %",
    "case_acronym_f": "+20 %",
    "case_capital_f": "+11 %",
    "case_mixed_f": "+39 %",
    "case_char_f": "+17 %",
}


def write_report(records: Records, folder: Path) -> List[Path]:
    """Write RESULTS.md, results.json and the plots.

    records (Dict[str, Dict[str, Any]]): What each benchmark found, by its name.
    folder (Path): Where to.
    RETURNS (List[Path]): The files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    plots = _write_plots(records, folder / "plots")
    page = folder / "RESULTS.md"
    with open_output(page) as file:
        file.write(make_page(records, [path.relative_to(folder) for path in plots]).encode("utf8"))
    data = folder / "results.json"
    with open_output(data) as file:
        file.write((json.dumps(_without_details(records)) + "\n").encode("utf8"))
    return [page, data, *plots]


def _without_details(value: Any) -> Any:
    """What is worth keeping: all but the intervals and matrices of scores that have parts."""
    if not isinstance(value, dict):
        return value
    return {
        key: _without_details(inner)
        for key, inner in value.items()
        if "/" not in key and key != "per_nemo_confusion"
    }


def make_page(records: Records, plots: Sequence[Path] = ()) -> str:
    """The page as Markdown.

    records (Dict[str, Dict[str, Any]]): What each benchmark found, by its name.
    plots (Sequence[Path]): Pictures to show, relative to the page.
    RETURNS (str): The page.
    """
    parts = [_INTRODUCTION]
    for name, section in SECTIONS.items():
        if name in records:
            parts += [section(records[name]["sets"]), _provenance(records[name])]
    if plots:
        parts += ["## Plots", *(f"![{path.stem}]({path.as_posix()})" for path in plots)]
    worse = list(_worse_than(records))
    parts.append("## Where the two-stage pipeline is worse")
    if worse:
        parts.append(
            "Than the previous generation, by differences whose 95 % interval leaves zero out (for "
            "dev text see the asterisks above):\n\n" + "\n".join(worse)
        )
    else:
        parts.append("Nowhere is the previous generation better by a difference that counts.")
    return "\n\n".join(parts) + "\n"


_INTRODUCTION = f"""# Results

Written by `spacy project run benchmarks`; everything is in [results.json](results.json), with all
scores that are not shown here. Figures in percent; in brackets the 95 % confidence interval
(bootstrap over segments of some forty words). `{TWO_STAGE}` is the pipeline that ships in the
package, `{PREVIOUS}` the previous generation (`configs/joint_product_tag.cfg`: one transformer,
one tag a word for mark and case, then a table of spellings learnt by counting), trained on the same
text and about as long: on 19.5 M words of it, of which 17 M taught its transformer our punctuator's
task (`punctuator`: 25 M words, `truecaser`: 15 M); its table and the prior
that our truecaser reads are counted from all of it. `floor` is the text as it came: lower case, no
marks.

PER is the punctuation error rate, lower is better; `nemo` as in LibriSpeech-PC, `card` by the order
of the marks alone. The classes of case count a word as right only when every letter is. An asterisk
marks a difference between the two whose interval leaves zero out."""


def _provenance(record: Dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
    return f"`{record['command']}`  \n{record['date']}; {versions}; {record['machine']}"


def make_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def look_up(scores: Scores, key: str) -> Optional[float]:
    """A score by its key, nested ones joined with "/"; None where there is none."""
    value: Any = scores
    for part in key.split("/"):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def percent(value: Optional[float]) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def cell(scores: Scores, key: str, *, interval: bool = False, star: bool = False) -> str:
    """A score, with an asterisk and its interval where they are asked for and known."""
    text = percent(look_up(scores, key)) + ("\\*" if star else "")
    bounds = scores.get("intervals", {}).get(key)
    if interval and bounds and text != "–":
        text += f" [{percent(bounds[0])}, {percent(bounds[1])}]"
    return text


def score_table(
    found: Dict[str, Any], columns: Sequence[Column], *, with_interval: Sequence[str] = ()
) -> str:
    """A table of the scores of each system on one set."""
    rows = [
        [
            name,
            *(cell(scores, c.key, interval=c.key in with_interval) for c in columns),
        ]
        for name, scores in found["systems"].items()
    ]
    return make_table(["system", *(column.title for column in columns)], rows)


def size(found: Dict[str, Any]) -> str:
    """How much text a set has."""
    documents = f"{found['documents']:,} document{'s' if found['documents'] > 1 else ''}"
    return f"{documents}, {found['words']:,} words"


def _tables(
    sets: Dict[str, Any], columns: Sequence[Column], with_interval: Sequence[str]
) -> Iterable[str]:
    """For each set its name and size, and the table of its scores."""
    for name, found in sets.items():
        yield f"{name}, {size(found)}:"
        yield score_table(found, columns, with_interval=with_interval)


def _headline(sets: Dict[str, Any]) -> str:
    measures = [Column("punctuation, micro F1", "punct_micro_f"), *CASE_COLUMNS]
    rows = []
    for column in measures:
        cells = [column.title]
        for found in sets.values():
            cells.append(_change(found, column.key))
        rows.append([*cells, PUBLISHED[column.key]])
    parts = [
        "## Two-stage pipeline over previous generation",
        "Dev text of three kinds, from bare words: previous → two-stage, and the relative change. "
        "The published figures are those of the two-stage system that this one follows, on other "
        "text and with far larger models.",
        make_table(["", *sets, "published change"], rows),
        "### Case by other truecasers",
        "The same text. The truecasers (see below) get the marks of the two-stage pipeline; "
        f"`{PREVIOUS}` sets its own.",
    ]
    return "\n\n".join([*parts, *_tables(sets, TRUECASE_COLUMNS, ["case_word_f"])])


def _change(found: Dict[str, Any], key: str) -> str:
    systems = found["systems"]
    if PREVIOUS not in systems:
        return cell(systems[TWO_STAGE], key)
    before, after = (look_up(systems[name], key) for name in (PREVIOUS, TWO_STAGE))
    if not before or after is None:
        return f"{percent(before)} → {percent(after)}"
    star = "\\*" if counts(found["differences"].get(key)) else ""
    return f"{percent(before)} → {percent(after)} ({100 * (after / before - 1):+.0f} %{star})"


def counts(difference: Optional[Dict[str, float]]) -> bool:
    """Whether the interval of a difference leaves zero out."""
    return difference is not None and (difference["low"] > 0 or difference["high"] < 0)


def _iwslt(sets: Dict[str, Any]) -> str:
    columns = [*MARK_COLUMNS, MICRO, MACRO, SENTENCES, *PER]
    parts = [
        "## Punctuation: IWSLT 2011",
        "Published, for orientation (micro F1, reference / recogniser; all of these were trained "
        "on TED talks, the models here were not; `fine-tuned on TED` is the shipped punctuator "
        "behind `spacy project run train-ted`, here as two runs of 1,000 steps one after the "
        "other, and its weights are not shipped): T-BRNN-pre 64.4, BERT-base 77.0 / 64.8, "
        "ALBERT-base 78.8 / 65.7, best 84.3 / 72.7.",
    ]
    return "\n\n".join([*parts, *_tables(sets, columns, ["punct_micro_f"])])


def _librispeech(sets: Dict[str, Any]) -> str:
    columns = [MICRO, *PER, SENTENCES, WORD, *CASE_COLUMNS, EXACT]
    parts = ["## Read books: LibriSpeech-PC", "Each utterance is a text of its own."]
    return "\n\n".join([*parts, *_tables(sets, columns, ["punct_micro_f", "per_nemo"])])


TRUECASE_COLUMNS = [
    Column("words P", "case_word_p"),
    Column("words R", "case_word_r"),
    WORD,
    *CASE_COLUMNS,
]


def _truecase(sets: Dict[str, Any]) -> str:
    parts = [
        "## Truecasing",
        "Case alone: the text has its marks. `unigram` (the most frequent spelling of each word) "
        "and `moses` were trained on the same text and number of words as the truecaser's network; "
        "`truecase` and `true-case` bring statistics of news text (`truecase` chooses at random "
        "between spellings that score the same). `char-lstm` is the character BiLSTM in the place "
        "of the truecaser. Published, trained on Wikipedia (word F1): n-gram LM 86.9, CRF 90.9, "
        "char-LSTM 93.2.",
    ]
    return "\n\n".join([*parts, *_tables(sets, TRUECASE_COLUMNS, ["case_word_f"])])


def _ner(sets: Dict[str, Any]) -> str:
    parts = [
        "## Entities",
        "`en_core_web_sm` on bare words, on restored text and on the text as it was written; its "
        "labels are mapped to the four of the set. The gap is that between `raw` and `gold`.",
    ]
    return "\n\n".join([*parts, *_tables(sets, ENTITY_COLUMNS, ["ents_f"])])


def _earnings(sets: Dict[str, Any]) -> str:
    columns = [*WER[:1], MICRO, *PER, SENTENCES, WORD, *CASE_COLUMNS[:3], *WER[1:]]
    parts = [
        "## Earnings calls: cascade against end-to-end",
        "earnings21, ten hours. Recognisers that put out bare words, restored by the pipelines "
        "(`Kaldi + two-stage`: a cascade), and commercial ones with marks and case of their own, "
        "as they are; all against the same references. Words are "
        "aligned; case is scored where the word is right, marks on all words. Numbers count as "
        "they are written (`twenty twenty` for `2020` is an error), so the WER of recognisers that "
        "spell them out is higher than in the paper.",
    ]
    return "\n\n".join([*parts, *_tables(sets, columns, ["per_nemo"])])


def _dev(sets: Dict[str, Any]) -> str:
    keys = ["punct_micro_f", "per_nemo", "case_word_f", *(c.key for c in CASE_COLUMNS[:3])]
    titles = ["punctuation", "PER (nemo)", "case, words", "acronym", "Capital", "mixed"]
    rows = []
    for name, found in sets.items():
        systems = [key for key in (PREVIOUS, TWO_STAGE) if key in found["systems"]]
        cells = [
            " → ".join(percent(look_up(found["systems"][system], key)) for system in systems)
            + ("\\*" if counts(found.get("differences", {}).get(key)) else "")
            for key in keys
        ]
        rows.append([name, f"{found['words']:,}", *cells])
    return (
        "## Dev text of each training source\n\nFrom bare words, previous → two-stage, F1 (PER: an "
        "error rate):\n\n" + make_table(["source", "words", *titles], rows)
    )


def _speed(sets: Dict[str, Any]) -> str:
    return "\n\n".join(
        ["## Speed", *(part for item in sets.items() for part in _speed_parts(*item))]
    )


def _speed_parts(name: str, found: Dict[str, Any]) -> Iterable[str]:
    yield (
        f"{name}, {found['words']:,} bare words as one long transcript; {found['threads']} CPU "
        f"threads, all systems in the same process, the best of {found['repeats']} runs behind one "
        "to warm up. Ours is timed as a whole, tokenising and rewriting included, with the "
        f"transcript as one Doc and as paragraphs of {PARAGRAPH_WORDS} words. The peers are their "
        "packages' own code around networks of the published shape with random weights, which take "
        f"the same time: `{PCS_EN}` (`punctuators`) has 6 layers of 512 in onnxruntime, "
        f"`{DEEP_MULTILINGUAL}` the 24 layers of 1,024 of XLM-R large, on a part of "
        "the text. `truecase` only sets case, and gets the marks of "
        f"`{TWO_STAGE}`."
    )
    yield _speed_table(found["systems"])
    for peer, why in found["left_out"].items():
        yield f"`{peer}` is left out: {why}."
    yield (
        "Where the time goes, seconds and share of the best run (to rewrite is to make the new "
        "text and its Doc):"
    )
    yield _stage_table(found["systems"])
    pipeline = found["pipeline"]
    first, again = pipeline["load_seconds"]
    memory = pipeline["peak_memory_mb"]
    peak = "" if memory is None else f"; at its peak the process has {memory:,.0f} MB in memory"
    yield (
        f"Loading takes {again:.1f} seconds ({first:.1f} the first time, with what is imported). "
        f"The pipeline has {pipeline['size_mb']:.0f} MB on disk{peak}."
    )


def _speed_table(systems: Dict[str, Any]) -> str:
    peer = systems.get(PCS_EN)
    rows = [
        [
            name,
            ", ".join(f"{package} {number}" for package, number in found["packages"].items())
            if "packages" in found
            else "",
            found["restores"],
            found.get("number_format", "–"),
            f"{found['words']:,}",
            f"{found['words_per_second']:,.0f}",
            "–" if peer is None else _ratio(found["words_per_second"] / peer["words_per_second"]),
        ]
        for name, found in systems.items()
    ]
    headings = ["system", "packages", "restores", "number format", "words", "words per second"]
    return make_table([*headings, f"ratio to `{PCS_EN}`"], rows)


def _ratio(value: float) -> str:
    """A factor with two digits that count, at least."""
    return f"{value:.2f}" if value < 1 else f"{value:,.1f}"


def _stage_table(systems: Dict[str, Any]) -> str:
    staged = {name: found["stages"] for name, found in systems.items() if "stages" in found}
    names = list(dict.fromkeys(stage for stages in staged.values() for stage in stages))
    rows = [
        [
            stage,
            *(
                f"{stages[stage]['seconds']:.2f} ({percent(stages[stage]['share'])} %)"
                for stages in staged.values()
            ),
        ]
        for stage in names
    ]
    return make_table(["stage", *staged], rows)


SECTIONS: Dict[str, Callable[[Dict[str, Any]], str]] = {
    "headline": _headline,
    "iwslt": _iwslt,
    "librispeech": _librispeech,
    "truecase": _truecase,
    "ner": _ner,
    "earnings": _earnings,
    "dev": _dev,
    "speed": _speed,
}

#: The scores whose differences are worth a line.
_COMPARED = [
    MICRO,
    *MARK_COLUMNS,
    SENTENCES,
    *PER,
    WORD,
    *CASE_COLUMNS,
]


def _worse_than(records: Records) -> Iterable[str]:
    for benchmark, record in records.items():
        # The table of the dev text has its asterisks.
        sets = {} if benchmark == "dev" else record["sets"]
        for name, found in sets.items():
            for column in _COMPARED:
                difference = found.get("differences", {}).get(column.key)
                sign = -1 if column.is_error else 1
                if counts(difference) and sign * difference["difference"] < 0:
                    both = [
                        percent(look_up(found["systems"][system], column.key))
                        for system in (PREVIOUS, TWO_STAGE)
                    ]
                    yield f"* {benchmark}, {name}: {column.title} {both[0]} → {both[1]}"


def _write_plots(records: Records, folder: Path) -> List[Path]:
    paths: List[Path] = []

    def save(name: str, figure: Any) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        save_figure(figure, folder / name)
        paths.append(folder / name)

    if "iwslt" in records:
        found = records["iwslt"]["sets"]["test2011"]["systems"]
        confusion = found[TWO_STAGE]["punct_confusion"]
        save("confusion.svg", plot_confusion(confusion, [NO_MARK, *DEFAULT_MARKS]))
        shown = {name: scores for name, scores in found.items() if scores["punct_micro_f"]}
        save(
            "f1_by_mark.svg",
            plot_f1_by_mark(
                {
                    name: {mark: scores["punct_per_mark"][mark]["f"] for mark in DEFAULT_MARKS}
                    for name, scores in shown.items()
                },
                {
                    name: {
                        mark: scores["intervals"][f"punct_per_mark/{mark}/f"]
                        for mark in DEFAULT_MARKS
                    }
                    for name, scores in shown.items()
                },
            ),
        )
    if "thresholds" in records:
        for name, found in records["thresholds"]["sets"].items():
            save(f"precision_recall_{name}.svg".replace(" ", "_"), plot_precision_recall(found))
    return paths
