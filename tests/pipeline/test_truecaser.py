import math
import pickle
import random
from typing import List

import numpy
import pytest
import spacy
from conftest import TINY_CANINE, WORDS, train, transcript
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.language import Language

import spacy_punctcase
from spacy_punctcase.gold.align import STARTS_WITHIN
from spacy_punctcase.gold.prior import NO_PRIOR, UNKNOWN_WORD, CasingPrior
from spacy_punctcase.pipeline.truecaser import Truecaser, _ModelText, _move_marks, decode_case
from spacy_punctcase.text.case import upper
from spacy_punctcase.text.words import split_words


def make_truecaser(nlp: Language, **config) -> Truecaser:
    return nlp.add_pipe(  # type: ignore
        "truecaser", config={"model": TINY_CANINE, "window": 128, "stride": 96, **config}
    )


def find_capitals(truecaser: Truecaser, text: str, probabilities: numpy.ndarray) -> List[int]:
    return truecaser._find_capitals(text, split_words(text), probabilities)


@pytest.mark.parametrize(
    "probabilities, expected",
    [
        ([0.9, 0.1, 0.2], "Xxx"),
        ([0.1, 0.1, 0.4], "xxx"),
        ([0.6, 0.6, 0.6, 0.6], "XXXX"),
        # GitHub: sure of each letter
        ([0.95, 0.1, 0.05, 0.9, 0.1, 0.05], "XxxXxx"),
        # JavAScrIpt: not sure, so a plain shape
        ([0.95, 0.1, 0.05, 0.6, 0.4, 0.1, 0.1, 0.55, 0.1, 0.1], "Xxxxxxxxxx"),
        # nearly an acronym
        ([0.9, 0.9, 0.45, 0.9], "XXXX"),
    ],
)
def test_decode_case(probabilities, expected: str) -> None:
    shape = decode_case(numpy.asarray(probabilities, dtype="float32"), 0.8)
    assert "".join("X" if is_upper else "x" for is_upper in shape) == expected


def test_model_text_is_the_same_whatever_the_text_looks_like() -> None:
    texts = [
        "hi uyen, how are you?",
        'Hi UYEN , "how are (you)?"',
        "hi uyen,\n how [noise] are you ?",
    ]
    prior = CasingPrior.from_texts(["see Uyen, Uyen, Uyen"])
    read = set()
    for text in texts:
        found = _ModelText(text, split_words(text), prior.codes)
        points, codes = found.codes.T
        read.add("".join(map(chr, points)))
        assert codes[3:7].tolist() == prior.codes("uyen").tolist()
        assert codes[7:9].tolist() == [NO_PRIOR] * 2
        known = found.positions >= 0
        for point, position in zip(points[known], found.positions[known]):
            assert text[position].lower() == chr(point)
    assert read == {"hi uyen, how are you?"}


def test_marks_are_dropped_or_moved_in_training() -> None:
    words = split_words("one, two. three? four, five. " * 40)
    assert _move_marks(words, 0.0) == words
    moved = _move_marks(words, 0.5)
    assert [word.core_start for word in moved] == [word.core_start for word in words]
    assert 0 < sum(bool(word.mark) for word in moved) < len(words)


def test_gradient_is_that_of_the_loss() -> None:
    truecaser = make_truecaser(spacy.blank("en"))
    rng = numpy.random.default_rng(0)
    logits, target = rng.normal(size=7), numpy.asarray([0, 1, 1, 0, 1, 0, 1.0])
    mask = numpy.asarray([1, 1, 0, 1, 1, 1, 0.0])

    def loss_of(values):
        return truecaser.get_loss([target], [mask], [values])

    _, (gradient,) = loss_of(logits)
    for index in range(7):
        step = numpy.zeros(7)
        step[index] = 1e-5
        slope = (loss_of(logits + step)[0] - loss_of(logits - step)[0]) / 2e-5
        assert math.isclose(gradient[index], slope, abs_tol=1e-5)


def test_training_data_marks_what_may_change() -> None:
    nlp = spacy.blank("en")
    truecaser = make_truecaser(nlp, mark_noise=0.0)
    example = transcript(nlp, "NASA, see www.X.com/Y at 3.")
    (codes,), (target,), (known,) = truecaser._make_training_data([example])
    text = "".join(map(chr, codes[:, 0]))
    assert text == ". nasa, see www.x.com/y at 3."
    assert [i for i, is_upper in enumerate(target) if is_upper] == [2, 3, 4, 5]
    assert "".join(char for char, may in zip(text, known) if may) == "nasaseeat"


def test_a_text_that_begins_within_a_sentence_is_told_apart() -> None:
    nlp = spacy.blank("en")
    truecaser = make_truecaser(nlp, mark_noise=0.0)
    example = transcript(nlp, "so we")
    example.reference.user_data[STARTS_WITHIN] = True
    ((codes,), _, _) = truecaser._make_training_data([example])
    assert "".join(map(chr, codes[:, 0])) == "so we"


def test_prior_as_if_this_occurrence_had_not_been_counted() -> None:
    truecaser = make_truecaser(spacy.blank("en"))
    texts = ["see Uyen"] + ["see NASA"] * 1000
    truecaser.prior = CasingPrior.from_texts(texts, min_count=1)
    codes = truecaser.prior.codes
    assert all(
        truecaser._codes_in_training("uyen").tolist() == [UNKNOWN_WORD] * 4 for _ in range(20)
    )
    often = [truecaser._codes_in_training("nasa").tolist() for _ in range(50)]
    assert often.count(codes("nasa").tolist()) > 45


def test_prior_is_read_and_kept(tmp_path) -> None:
    """What letters alone cannot tell: made-up names that the model never saw in training."""
    nlp = spacy.blank("en")
    model = {**TINY_CANINE, "use_prior": True}
    config = {"model": model, "mark_noise": 0.0, "sentence_starts": False}
    truecaser = make_truecaser(nlp, **config)
    names = ["Zoq", "Vix", "Wup", "Kej", "Tob", "Mun", "Rit", "Lav", "Dop", "Fen"]
    pairs = [(name, f"{other.lower()}x") for name in names for other in names[:8]]
    texts = [f"so {a} met {b}" for pair in pairs for a, b in (pair, pair[::-1])]
    prior = CasingPrior.from_texts([text for text in texts for _ in range(50)])
    examples = [transcript(nlp, text) for text in texts if names[-1] not in text]
    optimizer = nlp.initialize(lambda: examples)
    truecaser.initialize(lambda: examples, prior=prior)
    optimizer.learn_rate = 0.003
    for _ in range(60):
        nlp.update(random.sample(examples, 32), sgd=optimizer)
    assert nlp("so fen met zoqx").text == "so Fen met zoqx"
    assert nlp("so zoqx met fen").text == "so zoqx met Fen"
    nlp.to_disk(tmp_path)
    copied = spacy.blank("en")
    make_truecaser(copied, **config)
    copied.from_bytes(nlp.to_bytes())
    added = spacy_punctcase.add_pipes(spacy.blank("en"), str(tmp_path))
    for other in (spacy.load(tmp_path), copied, added, pickle.loads(pickle.dumps(nlp))):
        assert other("so fen met zoqx").text == "so Fen met zoqx"


def test_learns_and_scores(train_examples) -> None:
    nlp = spacy.blank("en")
    make_truecaser(nlp)
    train(nlp, train_examples, steps=100)
    scores = nlp.evaluate(train_examples[:20])
    assert scores["case_word_f"] > 0.2 and scores["case_char_f"] > 0.2


def test_threshold(tiny_nlp: Language) -> None:
    truecaser = tiny_nlp.get_pipe("truecaser")
    probabilities = numpy.asarray([0.9, 0.0, 0.35, 0.1, 0.0, 0.65, 0.1], dtype="float32")
    found = {}
    for truecaser.threshold in (0.3, 0.7, 0.5):
        found[truecaser.threshold] = find_capitals(truecaser, "a bc de", probabilities)
    assert found == {0.3: [0, 2, 5], 0.5: [0, 5], 0.7: [0]}


@pytest.mark.parametrize(
    "text, expected",
    [
        ("so it is. shall i? yes! no, never", "So it is. Shall i? Yes! No, never"),
        ('he said "no." then (he) left', 'He said "no." Then (he) left'),
        ("ask dr. who, at 5 p.m. on jan. first", "Ask dr. who, at 5 p.m. on jan. first"),
        ("3rd. 3rd of may. 'cause. #tag. a@b.co is", "3rd. 3rd of may. 'Cause. #tag. a@b.co is"),
        ("wait… what. [noise] ok", "Wait… What. [noise] Ok"),
        ("eBay is. USA is", "eBay is. USA is"),
    ],
)
def test_sentences_start_with_a_capital(text: str, expected: str) -> None:
    truecaser = make_truecaser(spacy.blank("en"))
    nothing = numpy.zeros(len(text), dtype="float32")
    doc = truecaser.tokenizer.nlp.make_doc(text)
    assert truecaser._rewrite(doc, truecaser._annotate(doc, nothing)).text == expected
    truecaser.sentence_starts = False
    assert find_capitals(truecaser, text, nothing) == []


@pytest.mark.parametrize(
    "text, expected",
    [
        ("HOW ARE YOU? FINE.", "How are you? Fine."),
        ("YES", "YES"),
        ("we DO NOT go", "We DO NOT go"),
        ("so:\nDO NOT GO\nok", "So:\ndo not go\nok"),
        ("SEE HTTP://X.ORG #TAG NOW", "See HTTP://X.ORG #TAG now"),
    ],
)
def test_segments_all_in_capitals_are_lowered_first(text: str, expected: str) -> None:
    truecaser = make_truecaser(spacy.blank("en"))
    doc = truecaser.tokenizer.nlp.make_doc(text)
    nothing = numpy.zeros(len(text), dtype="float32")
    truecaser.set_annotations([doc], [nothing])
    assert truecaser.rewrite(doc).text == expected
    truecaser.lower_all_caps = False
    truecaser.set_annotations([doc], [nothing])
    assert truecaser.rewrite(doc).text[1:] == text[1:]


def test_what_the_model_takes_for_acronyms_stays() -> None:
    truecaser = make_truecaser(spacy.blank("en"))
    doc = truecaser.tokenizer.nlp.make_doc("FBI KPMG IN")
    unsure = numpy.asarray([1, 1, 1, 0, 0.4, 0.4, 0.4, 0.4, 0, 0, 0], dtype="float32")
    assert truecaser._rewrite(doc, truecaser._annotate(doc, unsure)).text == "FBI KPMG IN"


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    words=st.lists(st.one_of(WORDS, WORDS.map(upper)), max_size=20), space=st.sampled_from(" \n")
)
def test_twice_is_once_with_capitals(tiny_nlp: Language, words, space: str) -> None:
    text = space.join(words)
    doc = tiny_nlp(text)
    assert tiny_nlp(doc.text).text == doc.text
    assert [each.text for each in tiny_nlp.pipe(["OK SO", text])][1] == doc.text


def test_inner_capital_at_the_start_of_a_sentence() -> None:
    truecaser = make_truecaser(spacy.blank("en"))
    probabilities = numpy.asarray([0.05, 0.97, 0.01, 0.01], dtype="float32")
    assert find_capitals(truecaser, "ebay", probabilities) == [1]


def test_capitals_in_the_input_stay(tiny_nlp: Language) -> None:
    text = "iPhone mcDonald HELLO eBay PostgreSQL"
    assert tiny_nlp.get_pipe("truecaser")(tiny_nlp.make_doc(text)).text == text


def test_a_word_longer_than_the_window_comes_back_unchanged(tiny_nlp: Language) -> None:
    word = "abcdefghij" * 30
    restored = tiny_nlp(f"{word} maria garcia lives in chicago {word}").text
    assert restored.startswith(word)
    assert restored.rstrip(".,?").endswith(word)


def test_characters_without_a_single_counterpart_stay(tiny_nlp: Language) -> None:
    truecaser = tiny_nlp.get_pipe("truecaser")
    text = "straße ﬁne ŉ İstanbul ΟΔΟΣ ǆ"
    doc = truecaser._set_case(tiny_nlp.make_doc(text), range(len(text)), [])
    assert len(doc.text) == len(text)
    assert doc.text == "STRAßE ﬁNE ŉ İSTANBUL ΟΔΟΣ Ǆ"
    starts = [word.core_start for word in split_words(text)]
    lowered = truecaser._set_case(tiny_nlp.make_doc(text), [], starts)
    # Per character: the capital sigma at the end becomes a plain small one.
    assert lowered.text == "straße ﬁne ŉ İstanbul οδοσ ǆ"


def test_long_text_is_read_in_windows(tiny_nlp: Language) -> None:
    truecaser = tiny_nlp.get_pipe("truecaser")
    doc = tiny_nlp.make_doc("maria garcia lives in chicago. " * 400)
    (probabilities,) = truecaser.predict([doc])
    assert probabilities.shape == (len(doc.text),)
    assert truecaser(doc).text.lower() == doc.text
