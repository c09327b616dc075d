"""Calibration on numbers that are worked out by hand, and of real pipelines."""

import math
from typing import Any

import numpy
import pytest
import spacy
from conftest import TINY_TAGGER, make_tiny_nlp, train, transcript
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

from spacy_punctcase.gold.align import UNKNOWN_MARKS, gold_text, unknown_marks
from spacy_punctcase.rewrite.scores import CASE, MARK
from spacy_punctcase.scoring.calibration import (
    Bin,
    calibrate_pipeline,
    collect_decisions,
    decide,
    expected_calibration_error,
    fit_temperature,
    get_temperatures,
    make_bins,
    negative_log_likelihood,
)

SCORES = numpy.asarray([0.9, 0.6, 0.8, 0.5])
RIGHT = numpy.asarray([True, False, True, True])


def test_bins() -> None:
    assert make_bins(SCORES, RIGHT, 2) == [
        Bin(approx(0.55), approx(0.5), 2),
        Bin(approx(0.85), approx(1.0), 2),
    ]
    assert [found.number for found in make_bins(SCORES, RIGHT, 3)] == [2, 1, 1]
    assert len(make_bins(SCORES, RIGHT, 15)) == 4
    assert make_bins([], []) == []


def test_expected_calibration_error() -> None:
    assert expected_calibration_error(SCORES, RIGHT, 2) == approx((0.05 * 2 + 0.15 * 2) / 4)
    assert expected_calibration_error(SCORES, RIGHT, 1) == approx(0.05)
    assert expected_calibration_error([1.0] * 4, [True] * 4) == 0
    assert expected_calibration_error([1.0] * 4, [False] * 4) == 1
    # Three of four right at 0.75: nothing is wrong with that.
    assert expected_calibration_error([0.75] * 4, RIGHT, 1) == 0
    assert math.isnan(expected_calibration_error([], []))


def test_negative_log_likelihood() -> None:
    expected = -math.log(0.9 * 0.4 * 0.8 * 0.5) / 4
    assert negative_log_likelihood(SCORES, RIGHT) == approx(expected)
    assert negative_log_likelihood([0.5], [False]) == approx(math.log(2))
    assert negative_log_likelihood([1.0], [True]) == 0
    assert negative_log_likelihood([1.0], [False]) < 25
    assert math.isnan(negative_log_likelihood([], []))


def sure_by(temperature: float, log_odds: numpy.ndarray) -> numpy.ndarray:
    return 1 / (1 + numpy.exp(-log_odds / temperature))


@pytest.mark.parametrize("true", [0.5, 1.0, 2.0, 4.0])
def test_the_temperature_of_made_up_decisions_is_found(true: float) -> None:
    rng = numpy.random.default_rng(0)
    log_odds = numpy.abs(rng.normal(0, 4, 20000))
    right = rng.random(20000) < sure_by(true, log_odds)
    fitted = fit_temperature(lambda value: sure_by(value, log_odds), right)
    assert fitted == approx(true, rel=0.06)
    before, after = sure_by(1.0, log_odds), sure_by(fitted, log_odds)
    assert negative_log_likelihood(after, right) <= negative_log_likelihood(before, right)
    if true != 1.0:
        errors = [expected_calibration_error(scores, right) for scores in (before, after)]
        assert errors[1] < errors[0] / 3


DECISIONS = st.lists(st.tuples(st.floats(0, 20), st.booleans()), min_size=1, max_size=20)


@settings(max_examples=40, deadline=None)
@given(decisions=DECISIONS)
def test_never_less_likely_than_without(decisions) -> None:
    log_odds, right = map(numpy.asarray, zip(*decisions))
    fitted = fit_temperature(lambda value: sure_by(value, log_odds), right)
    assert 0.25 <= fitted <= 8
    likelihoods = [
        negative_log_likelihood(sure_by(value, log_odds), right) for value in (fitted, 1.0)
    ]
    assert likelihoods[0] <= likelihoods[1] + 1e-9


def test_of_what_gold_does_not_have_the_temperature_stays(tiny_path) -> None:
    nlp = spacy.load(tiny_path, config={"components.truecaser.temperature": 1.5})
    example = transcript(nlp, "good morning, maria garcia. how are you?")
    found = calibrate_pipeline(nlp, [example.reference])
    assert list(found.decisions_before) == [MARK]
    assert found.after["truecaser"] == {"temperature": 1.5}
    assert found.after["punctuator"] != found.before["punctuator"]
    example = transcript(nlp, "Good morning Maria")
    assert list(decide(nlp, [example.reference])) == [CASE]


def test_pipeline(tiny_path, dev_examples) -> None:
    references = [example.reference for example in dev_examples]
    nlp = spacy.load(tiny_path)
    texts = [nlp(example.text).text for example in dev_examples[:5]]
    found = calibrate_pipeline(nlp, references)
    assert found.before == {name: {"temperature": 1.0} for name in nlp.pipe_names}
    assert found.after == get_temperatures(nlp) != found.before
    for kind in (MARK, CASE):
        before, after = found.decisions_before[kind], found.decisions_after[kind]
        assert (before.right == after.right).all()
        assert len(before.right) > 100
        assert negative_log_likelihood(*after) < negative_log_likelihood(*before)
    # They are those of the pipeline with the temperatures, which is saved with them.
    again = decide(nlp, references)
    for kind, decisions in found.decisions_after.items():
        assert again[kind].scores == approx(decisions.scores, abs=1e-3)
    for name, values in found.after.items():
        assert nlp.get_pipe_config(name)["temperature"] == values["temperature"]
    assert [nlp(example.text).text for example in dev_examples[:5]] == texts


def test_docs_that_are_their_own_gold_text(tiny_path, dev_examples) -> None:
    references = [example.reference for example in dev_examples]
    transcripts = [doc for doc in references if not unknown_marks(doc)][:5]
    nlp = spacy.load(tiny_path)
    found = decide(nlp, [nlp.make_doc(gold_text(reference)) for reference in transcripts])
    expected = decide(nlp, transcripts)
    for kind, decisions in found.items():
        assert decisions.scores == approx(expected[kind].scores, abs=1e-3)
        assert (decisions.right == expected[kind].right).all()


def test_words_whose_mark_is_not_known_are_left_out(tiny_nlp) -> None:
    example = transcript(tiny_nlp, "Good morning, Maria Garcia and")
    docs = [tiny_nlp(example.text)]
    assert len(collect_decisions(tiny_nlp, docs, [example.reference])[MARK].right) == 5
    example.reference.user_data[UNKNOWN_MARKS] = [4]
    found = collect_decisions(tiny_nlp, docs, [example.reference])
    assert len(found[MARK].right) == 4
    assert len(found[CASE].right) == 5


def test_one_component(tiny_path, dev_examples) -> None:
    nlp = spacy.load(tiny_path, exclude=["truecaser"])
    found = calibrate_pipeline(nlp, [example.reference for example in dev_examples[:10]])
    assert list(found.after) == ["punctuator"]
    assert list(found.decisions_before) == list(found.decisions_after) == [MARK]


def test_joint_restorer(dev_examples) -> None:
    nlp = spacy.blank("en")
    model = {"@architectures": "spacy_punctcase.ProductTag.v1", "tok2vec": TINY_TAGGER["tok2vec"]}
    nlp.add_pipe("joint_restorer", config={"model": model})
    train(nlp, dev_examples[:10], steps=30)
    found = calibrate_pipeline(nlp, [example.reference for example in dev_examples[10:30]])
    assert found.after["joint_restorer"]["temperature"] > 1  # it knows its text by heart
    assert sum(likelihoods(found.decisions_after)) < sum(likelihoods(found.decisions_before))


def likelihoods(decisions: Any):
    return [
        negative_log_likelihood(*of_kind) * len(of_kind.right) for of_kind in decisions.values()
    ]


def test_no_words() -> None:
    nlp = make_tiny_nlp()
    for name in nlp.pipe_names:
        nlp.get_pipe(name).cfg["initialized"] = True  # type: ignore
    found = calibrate_pipeline(nlp, [nlp.make_doc("")])
    assert found.decisions_before == found.decisions_after == {}
    assert found.after == found.before
