import math

import numpy
import pytest
import spacy
from conftest import TINY_TAGGER, train, transcript
from spacy.language import Language
from spacy.training import Example

from spacy_punctcase.gold.align import GOLD, UNKNOWN_MARKS, gold_text
from spacy_punctcase.pipeline import Punctuator


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
        ("word. [noise]. next", "word. [noise]. next."),
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
