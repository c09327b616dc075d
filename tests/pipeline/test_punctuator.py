import math

import numpy
import pytest
import spacy
from conftest import TEXTS, TINY_TAGGER, make_tiny_nlp, train, transcript
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.language import Language
from spacy.training import Example

import spacy_punctcase
from spacy_punctcase.gold.align import GOLD, UNKNOWN_MARKS, gold_text
from spacy_punctcase.pipeline import Punctuator
from spacy_punctcase.pipeline.punctuator import MARKS_KEY
from spacy_punctcase.pipeline.word_tagger import log_probabilities

MARKS = (",", ".", "?")
#: Probabilities of no mark and of each of MARKS for some words, zeros and ties among them.
SCORES = st.lists(
    st.lists(st.integers(0, 9), min_size=4, max_size=4).filter(any), min_size=1, max_size=12
).map(lambda rows: numpy.asarray([numpy.asarray(row) / sum(row) for row in rows], "float32"))
FUZZ = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def make_punctuator(nlp: Language, **config) -> Punctuator:
    return nlp.add_pipe("punctuator", config={"model": TINY_TAGGER, **config})  # type: ignore


def test_labels_given_in_config_or_call_or_found_in_data() -> None:
    nlp = spacy.blank("en")
    examples = [transcript(nlp, "Hi, you! Really? Yes; no.")]
    given = make_punctuator(nlp)
    assert given.labels == ("O", ",", ".", "?")
    given.initialize(lambda: examples, labels=["O", "?", ".", ","])
    assert given.labels == given.label_data == ("O", "?", ".", ",")
    found = make_punctuator(spacy.blank("en"), marks=[], mark_map=[["!", "."]])
    found.initialize(lambda: examples)
    assert found.labels == ("O", ",", ".", ";", "?")


def test_add_label() -> None:
    punctuator = make_punctuator(spacy.blank("en"))
    assert punctuator.add_label("!") == 1
    assert punctuator.add_label("!") == 0
    with pytest.raises(ValueError, match="not one of the characters that count"):
        punctuator.add_label("word")
    punctuator.initialize(lambda: [transcript(spacy.blank("en"), "Hi! You.")])
    with pytest.raises(ValueError, match="fixed once it is initialized"):
        punctuator.add_label(";")


def test_mark_that_is_neither_label_nor_mapped_is_named() -> None:
    nlp = spacy.blank("en")
    punctuator = make_punctuator(nlp, mark_map=[["!", "."]])
    with pytest.raises(ValueError, match=r"';'.*'wait'.*mark_map"):
        punctuator.initialize(lambda: [transcript(nlp, "Oh wait; no.")])


def test_mapped_marks_train_as_their_labels() -> None:
    nlp = spacy.blank("en")
    punctuator = make_punctuator(nlp, mark_map=[["!", "."], [":", ""], [";", ","]])
    example = transcript(nlp, "Stop! Look: here; now?")
    punctuator.initialize(lambda: [example])
    assert punctuator._gold_labels(example) == [".", "O", ",", "?"]


def test_different_words_in_gold_are_named() -> None:
    nlp = spacy.blank("en")
    punctuator = make_punctuator(nlp)
    example = transcript(nlp, "Hi, you there.")
    punctuator.initialize(lambda: [example])
    example.reference.user_data[GOLD] = "Hi, me there."
    with pytest.raises(ValueError, match=r"word 1 is 'you' in the one and 'me' in the other"):
        punctuator.update([example])


def test_gradient_is_that_of_the_loss() -> None:
    """Checked against differences of the loss in the logits."""
    nlp = spacy.blank("en")
    punctuator = make_punctuator(nlp)
    rng = numpy.random.default_rng(0)
    logits = rng.normal(size=(5, 4))
    target = numpy.eye(4)[[0, 1, 2, 3, 0]]
    target[4] = 0  # not known: no part in loss or gradient

    def loss_of(values):
        scores = numpy.exp(values) / numpy.exp(values).sum(axis=1, keepdims=True)
        return punctuator.get_loss([target], [scores.astype("float64")])

    _, (gradient,) = loss_of(logits)
    for index in numpy.ndindex(*logits.shape):
        step = numpy.zeros_like(logits)
        step[index] = 1e-5
        slope = (loss_of(logits + step)[0] - loss_of(logits - step)[0]) / 2e-5
        assert math.isclose(gradient[index], slope, abs_tol=1e-5)
    assert not gradient[4].any()


def test_unknown_marks_give_no_gradient() -> None:
    nlp = spacy.blank("en")
    punctuator = make_punctuator(nlp)
    example = transcript(nlp, "Hi, you there.")
    example.reference.user_data[UNKNOWN_MARKS] = [2]
    _, (target,) = punctuator._make_training_data([example])
    assert target.sum(axis=1).tolist() == [1, 1, 0]


def test_learns_and_scores(train_examples) -> None:
    nlp = spacy.blank("en")
    make_punctuator(nlp)
    first = nlp.initialize(lambda: train_examples) and nlp.evaluate(train_examples[:20])
    train(nlp, train_examples, steps=40)
    scores = nlp.evaluate(train_examples[:20])
    assert scores["punct_micro_f"] > max(0.3, first["punct_micro_f"])
    assert set(scores["punct_per_mark"]) == {",", ".", "?"}


def test_long_text_is_read_in_windows(tiny_nlp: Language) -> None:
    punctuator = tiny_nlp.get_pipe("punctuator")
    doc = tiny_nlp.make_doc("how are you today i am fine thank you " * 300)
    (scores,) = punctuator.predict([doc])
    assert scores.shape == (2700, 4)
    numpy.testing.assert_allclose(scores.sum(axis=1), 1.0, rtol=1e-4)


def test_existing_marks_are_kept_and_not_doubled(tiny_nlp: Language) -> None:
    punctuator = tiny_nlp.get_pipe("punctuator")
    text = 'how are you? fine . and you ?! well - see (above), "yes." u.s.'
    doc = tiny_nlp.make_doc(text)
    labels = ["?"] * 20
    assert (
        punctuator._apply(doc, labels, overwrite=False).text
        == 'how? are? you? fine . and? you ?! well - see? (above), "yes." u.s.?'
    )
    assert (
        punctuator._apply(doc, ["."] * 20, overwrite=True).text
        == 'how. are. you. fine. and. you. well - see. (above). "yes". u.s.'
    )


@pytest.mark.parametrize(
    "text, expected",
    [
        ("word ,next", "word. next."),
        ("word , next", "word. next."),
        ("word\n. ?\tnext !", "word.\tnext."),
        ('word." next', 'word". next.'),
        ("word. [noise]. next", "word. [noise] next."),
        ("u.s. u.s, next", "u.s. u.s. next."),
        ("word - , next", "word. - next."),
        ("e.g., (3.50; 10:30!)", "e.g. (3.50. 10:30)."),
    ],
)
def test_overwriting_marks(tiny_nlp: Language, text: str, expected: str) -> None:
    punctuator = tiny_nlp.get_pipe("punctuator")
    once = punctuator._apply(tiny_nlp.make_doc(text), ["."] * 9, overwrite=True)
    assert once.text == expected
    assert punctuator._apply(once, ["."] * 9, overwrite=True).text == expected


def test_sentence_starts_only_when_asked_for_and_only_true(tiny_path) -> None:
    text = "how are you today i live in chicago and you do you live in denver"
    doc = spacy.load(tiny_path)(text)
    assert not doc.has_annotation("SENT_START")
    nlp = spacy.load(tiny_path, config={"components.punctuator.set_sent_starts": True})
    doc = nlp(text)
    starts = [token.is_sent_start for token in doc if token.i]
    assert True in starts and False not in starts


def test_teacher_forcing_hands_gold_marks_on(tiny_path) -> None:
    nlp = spacy.load(tiny_path)
    nlp.add_pipe("gold_aligner")  # restorers hand on only where something is behind them
    gold = "Hi Maria, how are you? I live in Chicago."
    example = transcript(nlp, gold, entities=["O", "U-PERSON", *["O"] * 6, "U-GPE"])
    nlp.get_pipe("punctuator").update([example])
    assert example.predicted.text == "hi maria, how are you? i live in chicago."
    assert gold_text(example.reference) == gold
    nlp.get_pipe("truecaser").update([example])
    assert example.predicted.text == gold
    assert [ent.text for ent in example.reference.ents] == ["Maria", "Chicago"]
    assert example.get_aligned_ner()[1] == "U-PERSON"


def test_examples_of_the_caller_stay_as_they_are(tiny_path) -> None:
    nlp = spacy.load(tiny_path)
    example = transcript(nlp, "Hi Maria, how are you?")
    before = example.predicted.text, example.reference
    nlp.update([example])
    nlp.evaluate([example])
    assert (example.predicted.text, example.reference) == before


@pytest.mark.parametrize("empty", ["", "  ", "..."])
def test_training_with_texts_without_words(tiny_path, empty: str) -> None:
    nlp = spacy.load(tiny_path)
    blank = Example(nlp.make_doc(empty), nlp.make_doc(empty))
    assert all(map(math.isfinite, nlp.update([blank]).values()))
    losses = nlp.update([blank, transcript(nlp, "Hi Maria, how are you?")])
    assert all(map(math.isfinite, losses.values()))


def test_a_bias_trades_precision_for_recall_at_run_time(tiny_path, dev_examples) -> None:
    nlp = spacy.load(tiny_path)
    punctuator: Punctuator = nlp.get_pipe("punctuator")  # type: ignore
    recalls = []
    for value in (-3.0, 0.0, 3.0):
        punctuator.mark_bias = {",": value}
        scores = nlp.evaluate(dev_examples[:20])
        recalls.append(scores["punct_per_mark"][","]["r"])
    assert recalls[0] < recalls[1] < recalls[2]
    assert scores["punct_per_mark"][","]["p"] < 1


def test_annotations_with_a_bias(tiny_path) -> None:
    """The score is still the probability of the label that was chosen."""
    nlp = spacy.load(tiny_path, config={"components.punctuator.mark_bias": [["?", 50]]})
    punctuator: Punctuator = nlp.get_pipe("punctuator")  # type: ignore
    doc = nlp.make_doc("good morning how are you")
    (scores,) = punctuator.predict([doc])
    punctuator.set_annotations([doc], [scores])
    found = doc.user_data[MARKS_KEY]
    assert found["labels"] == ["?"] * 5
    assert found["scores"]["mark"] == pytest.approx(scores[:, 3].tolist(), abs=1e-4)
    assert punctuator.rewrite(doc).text == punctuator(doc).text == "good? morning? how? are? you?"


@FUZZ
@given(scores=SCORES, mark=st.sampled_from(MARKS))
def test_a_bias_of_zero_changes_nothing(scores: numpy.ndarray, mark: str) -> None:
    punctuator = make_punctuator(spacy.blank("en"))
    plain = punctuator._best_labels(scores)
    assert plain == [punctuator.labels[index] for index in scores.argmax(axis=1)]
    for bias in ({mark: 0.0}, dict.fromkeys(MARKS, 0.0)):
        punctuator.mark_bias = bias
        assert punctuator._best_labels(scores) == plain
    # Nor does the way by logarithms, however close the probabilities are.
    for close in (scores, numpy.nextafter(scores, scores.max(axis=1, keepdims=True))):
        assert (log_probabilities(close).argmax(axis=1) == close.argmax(axis=1)).all()


@FUZZ
@given(scores=SCORES, mark=st.sampled_from(MARKS), value=st.floats(-5, 5))
def test_a_bias_moves_words_to_or_from_its_mark_only(
    scores: numpy.ndarray, mark: str, value: float
) -> None:
    punctuator = make_punctuator(spacy.blank("en"))
    before = punctuator._best_labels(scores)
    punctuator.mark_bias = {mark: value}
    for old, new in zip(before, punctuator._best_labels(scores)):
        assert new == old or (new if value > 0 else old) == mark


def test_a_bias_keeps_words_and_does_not_depend_on_the_batch(tiny_path) -> None:
    nlp = spacy.load(tiny_path, config={"components.punctuator.mark_bias": [[",", 2], [".", -1]]})
    alone = [nlp(text).text for text in TEXTS]
    assert alone != [spacy.load(tiny_path)(text).text for text in TEXTS]
    assert [doc.text for doc in nlp.pipe(TEXTS, batch_size=3)] == alone
    assert [doc.text for doc in nlp.pipe(TEXTS, n_process=2, batch_size=3)] == alone
    assert [nlp(text).text for text in alone] == alone
    for name in nlp.pipe_names:
        nlp.get_pipe(name).overwrite = True
    once = [nlp(text).text for text in TEXTS]
    assert [nlp(text).text for text in once] == once


def test_a_bias_is_saved_with_the_config(tiny_path, tmp_path) -> None:
    text = "good morning maria garcia how are you today"
    plain = spacy.load(tiny_path)
    assert plain.get_pipe("punctuator").mark_bias == {}  # type: ignore
    assert plain.get_pipe_config("punctuator")["mark_bias"] == []
    config = {"components.punctuator.mark_bias": [[",", 2.5], ["?", -0.5]]}
    nlp = spacy.load(tiny_path, config=config)
    nlp.to_disk(tmp_path)
    copied = make_tiny_nlp(mark_bias=[[",", 2.5], ["?", -0.5]]).from_bytes(nlp.to_bytes())
    added = spacy_punctcase.add_pipes(spacy.blank("en"), str(tmp_path))
    for other in (spacy.load(tmp_path), copied, added):
        assert other.get_pipe("punctuator").mark_bias == {",": 2.5, "?": -0.5}  # type: ignore
        assert other(text).text == nlp(text).text != plain(text).text
    reset = spacy.load(tmp_path, config={"components.punctuator.mark_bias": []})
    assert reset(text).text == plain(text).text


@pytest.mark.parametrize(
    "bias, problem",
    [
        ([["!", 0.5]], r"'punctuator' has '!', which is not one of its marks \[',', '.', '\?'\]"),
        ([["O", 0.5]], "give all marks the same bias"),
        ([[".", "high"]], "must be a finite number for each mark, but is 'high'"),
    ],
)
def test_bad_bias(bias, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        make_punctuator(spacy.blank("en"), mark_bias=bias)
    punctuator = make_punctuator(spacy.blank("en"))
    with pytest.raises(ValueError, match=problem):
        punctuator.mark_bias = dict(bias)
    for value in (math.nan, -math.inf):  # which no config can have
        with pytest.raises(ValueError, match="must be a finite number"):
            punctuator.mark_bias = {".": value}
    assert punctuator.mark_bias == {}


def test_bias_of_marks_that_are_found_in_the_data() -> None:
    nlp = spacy.blank("en")
    punctuator = make_punctuator(nlp, marks=[], mark_map=[], mark_bias=[[";", 1.0]])
    with pytest.raises(ValueError, match="';', which is not one of its marks"):
        punctuator.initialize(lambda: [transcript(nlp, "Hi, you.")])
    other = make_punctuator(spacy.blank("en"), marks=[], mark_map=[], mark_bias=[[";", 1.0]])
    other.initialize(lambda: [transcript(nlp, "Hi; you.")])
    assert other.marks == (".", ";")
