"""Tuning on numbers that are worked out by hand, and of a real pipeline."""

from typing import Any, Dict, List

import numpy
import pytest
import spacy
from conftest import TINY_CANINE, TINY_TAGGER, transcript
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc

from spacy_punctcase.gold.align import UNKNOWN_MARKS, gold_text, unknown_marks
from spacy_punctcase.pipeline.truecaser import Truecaser
from spacy_punctcase.pipeline.word_tagger import WordTagger
from spacy_punctcase.scoring.punctuation import score_marks
from spacy_punctcase.scoring.tune import (
    _best,
    _tune_tagger,
    has_gold,
    raw_text,
    set_settings,
    tune_bias,
    tune_pipeline,
    tune_thresholds,
)

MARKS = [",", "?"]
LABELS = ["O", *MARKS]


def scores_of(*rows: Dict[str, float]) -> numpy.ndarray:
    """Probabilities of LABELS; what is left of 1 is that of "O"."""
    table = [[1 - sum(row.values()), *(row.get(mark, 0.0) for mark in MARKS)] for row in rows]
    return numpy.asarray(table, dtype="float32")


def gold_of(labels: str) -> List[int]:
    return [LABELS.index(label) for label in labels]


def test_as_much_bias_as_is_needed() -> None:
    # Missed by log(0.7 / 0.3) = 0.85 and log(0.6 / 0.4) = 0.41.
    scores = scores_of({"?": 0.3}, {"?": 0.4}, {}, {",": 0.9})
    assert tune_bias(scores, gold_of("??O,"), MARKS) == {"?": 0.9}
    # False by log(0.6 / 0.4), and the right one is safe up to log(0.9 / 0.1) = 2.2.
    scores = scores_of({",": 0.9}, {",": 0.6}, {})
    assert tune_bias(scores, gold_of(",OO"), MARKS) == {",": -0.5}


def test_the_present_bias_stays_unless_another_one_is_better() -> None:
    scores = scores_of({",": 0.9}, {"?": 0.9}, {})
    for present in ({}, {",": 0.25}, {",": -0.1, "?": 1.0}):
        assert tune_bias(scores, gold_of(",?O"), MARKS, present=present) == present
    assert tune_bias(scores, gold_of("OOO"), MARKS, present={"?": 0.3}) == {"?": 0.3}
    nothing: numpy.ndarray = numpy.zeros((0, 3), dtype="float32")
    assert tune_bias(nothing, [], MARKS, present={"?": 0.3}) == {"?": 0.3}


def test_micro_and_macro() -> None:
    """To find a rare mark at the cost of two of a frequent one helps the macro F-score only."""
    commas = [{",": 0.52, "?": 0.48}] * 2 + [{",": 0.9}] * 10
    # More commas, to save the two, would cost even more.
    scores = scores_of({"?": 0.4}, *commas, *[{",": 0.45}] * 40)
    gold = gold_of("?" + "," * 12 + "O" * 40)
    assert tune_bias(scores, gold, MARKS, metric="micro") == {}
    assert tune_bias(scores, gold, MARKS, metric="macro") == {"?": 0.5}
    with pytest.raises(ValueError, match="'f1' for a metric. Available: micro, macro"):
        tune_bias(scores, gold, MARKS, metric="f1")


TABLES = st.lists(
    st.tuples(st.tuples(*[st.integers(0, 9)] * 3).filter(any), st.integers(0, 2)), max_size=15
)


@settings(max_examples=40, deadline=None)
@given(table=TABLES, metric=st.sampled_from(["micro", "macro"]))
def test_never_worse_than_before(table, metric: str) -> None:
    scores = numpy.asarray([row for row, _ in table], dtype="float32").reshape(len(table), 3)
    scores /= scores.sum(axis=1, keepdims=True)
    gold = [column for _, column in table]

    def f_score(bias: Dict[str, float]) -> float:
        weights = numpy.exp([0.0, *(bias.get(mark, 0.0) for mark in MARKS)])
        found = (scores * weights).argmax(axis=1)
        pairs = [(LABELS[right], LABELS[index]) for right, index in zip(gold, found)]
        return score_marks(pairs, MARKS)[f"punct_{metric}_f"] or 0.0

    bias = tune_bias(scores, gold, MARKS, metric=metric)
    assert f_score(bias) >= f_score({}) - 1e-9


def test_best() -> None:
    assert _best({0.1: 0.5, 0.2: 0.9, 0.3: 0.9}, 0.5) == 0.3
    assert _best({0.1: 0.5, 0.3: 0.5}, 0.2) == 0.1
    assert _best({0.1: None, 0.2: 0.0}, 0.1) == 0.2
    assert _best({0.1: None, 0.3: None}, 0.7) == 0.7


def make_tagger(factory: str = "punctuator") -> WordTagger:
    model = TINY_TAGGER
    if factory == "joint_restorer":
        model = {
            "@architectures": "spacy_punctcase.ProductTag.v1",
            "tok2vec": TINY_TAGGER["tok2vec"],
        }
    config = {"model": model, "marks": MARKS, "mark_map": []}
    return spacy.blank("en").add_pipe(factory, config=config)  # type: ignore


def test_words_whose_mark_is_not_known_are_left_out() -> None:
    tagger = make_tagger()
    example = transcript(spacy.blank("en"), "Hi, you and")
    scores = scores_of({",": 0.9}, {}, {",": 0.6})
    args: Any = (tagger, [example.predicted], [scores], [example.reference], "micro")
    assert _tune_tagger(*args) == {",": -0.5}
    example.reference.user_data[UNKNOWN_MARKS] = [2]
    assert _tune_tagger(*args) == {}


def test_tags_of_mark_and_case() -> None:
    """The best tag of a mark decides, not the sum of them."""
    tagger = make_tagger("joint_restorer")
    example = transcript(spacy.blank("en"), "Hi, you?")
    scores = numpy.full((2, len(tagger.labels)), 0.01, dtype="float32")
    for row, tags in enumerate(
        ({", capital": 0.5}, {"? lower": 0.2, "? upper": 0.2, "O lower": 0.3})
    ):
        for tag, score in tags.items():
            scores[row, tagger.labels.index(tag)] = score
    args: Any = (tagger, [example.predicted], [scores], [example.reference], "micro")
    assert _tune_tagger(*args) == {"?": 0.5}  # log(0.3 / 0.2) = 0.41


def make_truecaser(**config: Any) -> Truecaser:
    config = {"model": TINY_CANINE, "window": 128, "stride": 96, **config}
    return spacy.blank("en").add_pipe("truecaser", config=config)  # type: ignore


def test_thresholds() -> None:
    text = "hi uyen see or ask at so github"
    example = transcript(spacy.blank("en"), "Hi Uyen see or ask at so GitHub")
    found = numpy.full(len(text), 0.01, dtype="float32")
    for word, index, probability in [
        ("hi", 0, 0.9),
        ("uyen", 0, 0.37),  # needs a threshold of 0.35
        *((word, 0, 0.3) for word in ("see", "or", "ask", "at", "so")),  # need more than 0.3
        ("github", 0, 0.95),
        ("github", 3, 0.52),  # 0.52 * 0.65 / (0.52 * 0.65 + 0.48 * 0.35) = 0.668: inner 0.65
    ]:
        found[text.index(word) + index] = probability
    truecaser = make_truecaser()
    docs, references = [example.predicted], [example.reference]
    best = tune_thresholds(truecaser, docs, [found], references)
    assert best == {"threshold": 0.35, "inner_threshold": 0.65}
    assert (truecaser.threshold, truecaser.inner_threshold) == (0.5, 0.8)
    truecaser.threshold, truecaser.inner_threshold = best.values()
    assert tune_thresholds(truecaser, docs, [found], references) == best
    truecaser.set_annotations(docs, [found])
    assert truecaser.rewrite(docs[0]).text == gold_text(references[0])


def test_thresholds_without_capitals_in_gold() -> None:
    truecaser = make_truecaser(threshold=0.42, inner_threshold=0.99)
    example = transcript(spacy.blank("en"), "hi uyen?")
    found = numpy.full(len(example.text), 0.45, dtype="float32")
    best = tune_thresholds(truecaser, [example.predicted], [found], [example.reference])
    assert best == {"threshold": 0.42, "inner_threshold": 0.99}


def test_pipeline(tiny_path, dev_examples) -> None:
    nlp = spacy.load(tiny_path)
    tuning = tune_pipeline(nlp, [example.reference for example in dev_examples])
    assert tuning.before == {
        "punctuator": {"mark_bias": {}},
        "truecaser": {"threshold": 0.5, "inner_threshold": 0.8},
    }
    assert tuning.after != tuning.before
    assert tuning.scores_after["punct_micro_f"] > tuning.scores_before["punct_micro_f"]
    # The figures are those of the pipeline with the settings, which it has now.
    keys = ("punct_micro_f", "punct_per_mark", "case_word_f")
    restored = nlp.evaluate(dev_examples)
    assert [tuning.scores_after[key] for key in keys] == [restored[key] for key in keys]
    fresh = spacy.load(tiny_path)
    before = fresh.evaluate(dev_examples)
    assert [tuning.scores_before[key] for key in keys] == [before[key] for key in keys]
    set_settings(fresh, tuning.after)
    assert fresh.config["components"] == nlp.config["components"]
    bias = fresh.config["components"]["punctuator"]["mark_bias"]
    assert dict(bias) == tuning.after["punctuator"]["mark_bias"] != {}
    for example in dev_examples[:5]:
        assert fresh(example.text).text == nlp(example.text).text


def test_docs_that_are_their_own_gold_text(tiny_path, dev_examples) -> None:
    # A transcript that was cut off knows what its gold text alone does not say.
    references = [example.reference for example in dev_examples]
    transcripts = [doc for doc in references if not unknown_marks(doc)][:10]
    nlp: Language = spacy.load(tiny_path)
    whole = [nlp.make_doc(gold_text(reference)) for reference in transcripts]
    assert list(map(raw_text, whole)) == [doc.text.strip() for doc in transcripts]
    assert list(map(raw_text, transcripts)) == [doc.text for doc in transcripts]
    tuning = tune_pipeline(nlp, whole, metric="macro")
    assert tuning == tune_pipeline(spacy.load(tiny_path), transcripts, metric="macro")


def test_has_gold() -> None:
    vocab = spacy.blank("en").vocab
    for words, expected in ((["hi", "you"], False), (["hi", "You"], True), (["hi?"], True)):
        assert has_gold([Doc(vocab, words=["so"]), Doc(vocab, words=words)]) == expected
    assert not has_gold([])
