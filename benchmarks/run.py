"""The benchmarks: each runs systems on evaluation sets and returns what is to be reported."""

from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Sequence

import numpy
import spacy

import spacy_punctcase
from spacy_punctcase.gold.align import GOLD
from spacy_punctcase.gold.readers import TextCorpus
from spacy_punctcase.report.plots import precision_recall_curve
from spacy_punctcase.scoring.entities import evaluate_entities
from spacy_punctcase.scoring.evaluate import compare_texts, evaluate_texts
from spacy_punctcase.scoring.punctuation import mark_pairs
from spacy_punctcase.text.case import lower
from spacy_punctcase.text.words import split_words

from .data import (
    BARE_RECOGNISERS,
    END_TO_END_RECOGNISERS,
    TestSet,
    read_dev,
    read_earnings,
    read_iwslt,
    read_librispeech,
    read_recogniser,
    read_source,
    read_wiki,
    read_wikigold,
    strip,
)
from .speed import measure_speed
from .systems import (
    Floor,
    Pipeline,
    System,
    make_moses,
    make_true_case,
    make_truecase,
    make_unigram,
)

#: Names of the systems that are compared with each other.
TWO_STAGE, PREVIOUS = "two-stage", "previous"

#: Kinds of text of the headline table, each with the dev sources that it is measured on.
TEXT_KINDS = {
    "podcast": ["changelog"],
    "government speech": ["whitehouse_2009_2015"],
    "written tech": ["digitalgov", "18f_blog", "rust_blog"],
}


class Settings(NamedTuple):
    """What all benchmarks are given.

    data: Folder of the evaluation sets.
    dev: Folder of the dev text of the training sources.
    train: Folder of the training text, for the baselines that are trained here.
    train_words: Number of words that those are trained on.
    weights: How often to draw from each source of the training text.
    models: Pipelines by name; TWO_STAGE and PREVIOUS are compared.
    ner: Pipeline that finds entities.
    cache: Folder for what takes long to make.
    samples: Number of bootstrap resamples.
    words: Number of words of the transcript that speed is measured on.
    threads: Number of threads, there.
    repeats: Number of runs, there.
    """

    data: Path
    dev: Path
    train: Path
    train_words: int
    weights: Dict[str, float]
    models: Dict[str, str]
    ner: str
    cache: Path
    samples: int
    words: int
    threads: int
    repeats: int


Result = Dict[str, Any]


def make_pipelines(settings: Settings) -> List[System]:
    """The systems that restore marks and case: the floor and the pipelines."""
    return [Floor(), *(Pipeline(name, path) for name, path in settings.models.items())]


def score_systems(
    test: TestSet,
    outputs: Dict[str, List[str]],
    settings: Settings,
    metrics: Sequence[str],
) -> Result:
    """Score what systems made of a set, and compare TWO_STAGE with PREVIOUS. See
    `compare_systems`."""
    return compare_systems(
        test, outputs, metrics, new=TWO_STAGE, old=PREVIOUS, samples=settings.samples
    )


def compare_systems(
    test: TestSet,
    outputs: Dict[str, List[str]],
    metrics: Sequence[str],
    *,
    new: str,
    old: str,
    samples: int,
) -> Result:
    """Score what systems made of a set, and compare two of them.

    test (TestSet): The set.
    outputs (Dict[str, List[str]]): Restored documents by system.
    metrics (Sequence[str]): What to score.
    new, old (str): The systems that are compared, if there are both.
    samples (int): Number of bootstrap resamples.
    RETURNS (Dict[str, Any]): What `score_outputs` returns, and "differences" with the paired
        comparison.
    """
    result = score_outputs(test, outputs, metrics, samples)
    if new in outputs and old in outputs:
        differences = compare_texts(
            outputs[new], outputs[old], test.gold, metrics=metrics, samples=samples
        )
        result["differences"] = {key: value._asdict() for key, value in differences.items()}
    return result


def score_outputs(
    test: TestSet, outputs: Dict[str, List[str]], metrics: Sequence[str], samples: int
) -> Result:
    """Score what systems made of a set: "documents" and "words" of gold, and "systems" with the
    scores of each."""
    return {
        "documents": len(test.gold),
        "words": sum(len(split_words(text)) for text in test.gold),
        "systems": {
            name: evaluate_texts(texts, test.gold, metrics=metrics, samples=samples)
            for name, texts in outputs.items()
        },
    }


def restore_all(test: TestSet, systems: Iterable[System]) -> Dict[str, List[str]]:
    """What each system makes of the raw texts."""
    return {system.name: system.restore(test.raw) for system in systems}


def run_iwslt(settings: Settings) -> Result:
    """Punctuation of TED talks, reference and recogniser output. Gold has no case, so that of the
    systems' output is taken away."""
    systems = make_pipelines(settings)
    results: Result = {}
    for name, test in read_iwslt(settings.data / "iwslt2011").items():
        outputs = {
            system: [lower(text) for text in texts]
            for system, texts in restore_all(test, systems).items()
        }
        results[name] = score_systems(test, outputs, settings, ["punctuation", "per", "sentences"])
    return results


ALL_METRICS = ["punctuation", "per", "casing", "sentences", "wer", "match"]


def run_librispeech(settings: Settings) -> Result:
    """Marks and case of read book text, utterance by utterance."""
    test = read_librispeech(settings.data / "librispeech_pc_subset")
    outputs = restore_all(test, make_pipelines(settings))
    return {"test-clean subset": score_systems(test, outputs, settings, ALL_METRICS)}


def run_dev(settings: Settings) -> Result:
    """Marks and case of the dev text of each training source, from bare words."""
    systems = make_pipelines(settings)
    metrics = ["punctuation", "per", "casing", "sentences"]
    return {
        name: score_systems(test, restore_all(test, systems), settings, metrics)
        for name, test in read_dev(settings.dev, words=12_000).items()
    }


def read_text_kinds(settings: Settings) -> Dict[str, TestSet]:
    """Dev text of the three kinds of the headline table."""
    sources = read_dev(settings.dev, words=60_000)
    kinds: Dict[str, TestSet] = {}
    for kind, names in TEXT_KINDS.items():
        sets = [sources[name] for name in names if name in sources]
        if sets:
            kinds[kind] = TestSet(
                [text for test in sets for text in test.raw],
                [text for test in sets for text in test.gold],
            )
    return kinds


def run_headline(settings: Settings) -> Result:
    """The pipelines on three kinds of text, from bare words; and truecasers, with the marks that
    the two-stage pipeline sets."""
    pipelines = make_pipelines(settings)
    truecasers = make_truecasers(settings)
    results: Result = {}
    for kind, test in read_text_kinds(settings).items():
        outputs = restore_all(test, pipelines)
        marked = TestSet([lower(text) for text in outputs[TWO_STAGE]], test.gold)
        outputs.update(restore_all(marked, truecasers))
        results[kind] = score_systems(test, outputs, settings, ["punctuation", "casing"])
    return results


def run_truecase(settings: Settings) -> Result:
    """Case alone, on Wikipedia text with the marks that it has."""
    test = read_wiki(settings.data / "wiki_truecase")
    outputs = restore_all(test, [*make_pipelines(settings), *make_truecasers(settings)])
    return {"wiki_truecase": score_systems(test, outputs, settings, ["casing", "match"])}


def make_truecasers(settings: Settings) -> List[System]:
    """The truecasers that only change case. Those that are trained, are trained on the training
    text; without it they are left out."""
    truecasers: List[System] = [make_truecase(), make_true_case()]
    if settings.train.exists():
        truecasers.append(make_unigram(training_text(settings)))
        truecasers.append(make_moses(training_text(settings), settings.cache / "moses"))
    return truecasers


def training_text(settings: Settings) -> Iterator[str]:
    """The training text of the baselines: as many words, drawn in the same way, as the models
    that they are compared with had."""
    corpus = TextCorpus(settings.train, weights=settings.weights, min_words=60, seed=0)
    count = 0
    for example in corpus(spacy.blank("xx")):
        yield example.reference.user_data[GOLD]
        count += len(example.reference)
        if count >= settings.train_words:
            return


def run_earnings(settings: Settings) -> Result:
    """Earnings calls. "reference words": bare words of the careful transcript. "recognisers": on
    the one side bare recogniser output restored by the pipelines (a cascade), on the other the
    marks and case that recognisers put out by themselves (end to end), all of them scored against
    the same references."""
    folder = settings.data / "earnings21_eval10"
    reference = read_earnings(folder)
    pipelines = make_pipelines(settings)
    results = {
        "reference words": score_systems(
            reference, restore_all(reference, pipelines), settings, ALL_METRICS
        )
    }
    outputs: Dict[str, List[str]] = {}
    for recogniser in BARE_RECOGNISERS:
        raw = read_recogniser(folder, recogniser)
        for system in pipelines:
            outputs[f"{recogniser} + {system.name}"] = system.restore(raw)
    for recogniser in END_TO_END_RECOGNISERS:
        outputs[recogniser] = read_recogniser(folder, recogniser)
    results["recognisers"] = score_systems(reference, outputs, settings, ALL_METRICS)
    return results


#: Labels of OntoNotes, on which the usual English pipelines are trained, as those of CoNLL.
CONLL_LABELS = {
    "PERSON": "PER",
    "ORG": "ORG",
    "GPE": "LOC",
    "LOC": "LOC",
    "FAC": "LOC",
    "NORP": "MISC",
    "EVENT": "MISC",
    "WORK_OF_ART": "MISC",
    "PRODUCT": "MISC",
    "LANGUAGE": "MISC",
    "LAW": "MISC",
    **dict.fromkeys(["DATE", "TIME", "PERCENT", "MONEY", "QUANTITY", "ORDINAL", "CARDINAL"], ""),
}


def run_ner(settings: Settings) -> Result:
    """Entities that a pipeline trained on ordinary text finds in Wikipedia text: as bare words,
    restored, and as it was written."""
    docs = read_wikigold(settings.data / "wikigold")
    gold = [doc.gold for doc in docs]
    raw = [strip(text) for text in gold]
    versions = {"raw": raw}
    for name, path in settings.models.items():
        versions[name] = Pipeline(name, path).restore(raw)
    systems = evaluate_entities(
        spacy.load(settings.ner),
        {**versions, "gold": gold},
        [set(doc.entities) for doc in docs],
        label_map=CONLL_LABELS,
        samples=settings.samples,
    )
    words = sum(len(text.split()) for text in raw)
    return {"wikigold": {"documents": len(docs), "words": words, "systems": systems}}


#: Points of a precision-recall curve that are kept.
POINTS = 100


def run_thresholds(settings: Settings) -> Result:
    """Precision and recall of each mark on the three kinds of dev text, for a threshold on its
    probability."""
    nlp = spacy_punctcase.load(settings.models[TWO_STAGE])
    punctuator: Any = nlp.get_pipe("punctuator")
    results: Result = {}
    for kind, test in read_text_kinds(settings).items():
        probabilities = numpy.concatenate(punctuator.predict(map(nlp.make_doc, test.raw)))
        gold = [
            label for text in test.gold for label, _ in mark_pairs(text, text, punctuator.marks)
        ]
        results[kind] = {}
        for mark in punctuator.marks:
            scores = probabilities[:, punctuator.labels.index(mark)]
            curve = precision_recall_curve(scores, [label == mark for label in gold])
            places = numpy.searchsorted(curve[2], numpy.linspace(0, 1, POINTS, endpoint=False))
            kept = numpy.unique(places.clip(max=len(curve[2]) - 1))
            results[kind][mark] = [values[kept].tolist() for values in curve]
    return results


#: The dev source that speed is measured on.
SPEED_SOURCE = "changelog"


def run_speed(settings: Settings) -> Result:
    """Words a second of TWO_STAGE and of peers on one long transcript of bare words."""
    test = read_source(settings.dev / f"{SPEED_SOURCE}.txt.xz", settings.words)
    found = measure_speed(
        " ".join(test.raw),
        settings.models[TWO_STAGE],
        TWO_STAGE,
        threads=settings.threads,
        repeats=settings.repeats,
    )
    return {SPEED_SOURCE: found}


BENCHMARKS: Dict[str, Callable[[Settings], Result]] = {
    "iwslt": run_iwslt,
    "librispeech": run_librispeech,
    "truecase": run_truecase,
    "ner": run_ner,
    "earnings": run_earnings,
    "dev": run_dev,
    "headline": run_headline,
    "thresholds": run_thresholds,
    "speed": run_speed,
}
