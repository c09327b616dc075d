"""The joint_restorer with networks that have a head each for mark and case."""

from typing import Any, Dict, List, cast

import numpy
import pytest
import spacy
import torch
from conftest import ENCODER_GOLD, TEXTS, TINY_TAGGER, WORDS, train, transcript
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.language import Language

from spacy_punctcase.gold.align import UNKNOWN_MARKS
from spacy_punctcase.models.joint import get_network
from spacy_punctcase.pipeline import JointRestorer
from spacy_punctcase.pipeline.joint_restorer import DEFAULT_JOINT_MODEL
from spacy_punctcase.report.transitions import transition_table
from spacy_punctcase.scoring.calibration import calibrate_pipeline
from spacy_punctcase.scoring.tune import tune_pipeline

ARCHITECTURES = ["JointCapPunc", "PunctuationFirst", "SingleTask"]
GOLDS = [
    "Hi, Anna. Is NASA here?",
    "No, it is in Houston. OK?",
    "I see.",
    "Well, Anna, who is it?",
]


def make_nlp(architecture: str, *, precision: str = "auto", **model: Any) -> Language:
    nlp = spacy.blank("en")
    config: Dict[str, Any] = {
        "@architectures": f"spacy_punctcase.{architecture}.v1",
        "tok2vec": TINY_TAGGER["tok2vec"],
        "hidden_size": 32,
        "dropout": 0.0,
        **model,
    }
    nlp.add_pipe("joint_restorer", config={"model": config, "precision": precision})
    return nlp


def restorer_of(nlp: Language) -> JointRestorer:
    return cast(JointRestorer, nlp.get_pipe("joint_restorer"))


@pytest.fixture(scope="module", params=ARCHITECTURES)
def joint_nlp(request, train_examples) -> Language:
    nlp = make_nlp(request.param)
    train(nlp, train_examples, steps=60)
    return nlp


@pytest.mark.parametrize("use_crf", [True, False])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_learns_a_text_by_heart(architecture: str, use_crf: bool) -> None:
    nlp = make_nlp(architecture, use_crf=use_crf)
    examples = [transcript(nlp, gold) for gold in GOLDS]
    losses = train(nlp, examples, steps=60)
    assert losses["joint_restorer"] < 0.05
    assert [nlp(example.text).text for example in examples] == GOLDS
    scores = nlp.evaluate([transcript(nlp, gold) for gold in GOLDS])
    assert scores["punct_micro_f"] == scores["case_word_f"] == 1.0


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_learns_in_either_number_format(architecture: str) -> None:
    for precision in ("float32", "bfloat16"):
        nlp = make_nlp(architecture, precision=precision)
        examples = [transcript(nlp, gold) for gold in GOLDS]
        train(nlp, examples, steps=60)
        assert [nlp(example.text).text for example in examples] == GOLDS
        (found,) = restorer_of(nlp).predict([nlp.make_doc(examples[0].text)])
        assert found.dtype == "float32"


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_pretrained_encoder_with_summed_sub_words(architecture: str, encoder) -> None:
    tok2vec = {
        "@architectures": "spacy_punctcase.SubwordTok2Vec.v1",
        "name": str(encoder),
        "pooling": "sum",
    }
    nlp = make_nlp(architecture, tok2vec=tok2vec)
    example = transcript(nlp, ENCODER_GOLD)
    train(nlp, [example], steps=60)
    assert nlp(example.text).text == ENCODER_GOLD


def test_most_probable_marks_are_those_of_viterbi_where_it_is_sure() -> None:
    nlp = make_nlp("JointCapPunc")
    train(nlp, [transcript(nlp, gold) for gold in GOLDS], steps=60)
    restorer = restorer_of(nlp)
    network = get_network(restorer.model)
    assert network is not None and network.crf is not None
    doc = nlp.make_doc(transcript(nlp, GOLDS[0]).text)
    scores, _ = restorer.model.begin_update([doc])
    emissions = torch.from_numpy(scores[0][None, :, : network.num_marks])
    (path,) = network.crf.decode(emissions, torch.ones(1, len(doc), dtype=torch.bool))
    best = [["O", *restorer.marks][label] for label in path]
    chosen = map(restorer.mark_of, restorer._best_labels(restorer.predict([doc])[0]))
    assert list(chosen) == best == [",", ".", "O", "O", "?"]


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(words=st.lists(WORDS, max_size=30))
def test_twice_is_once(joint_nlp: Language, words: List[str]) -> None:
    doc = joint_nlp(" ".join(words))
    assert joint_nlp(doc.text).text == doc.text
    assert doc._.source_text == " ".join(words)


def test_the_same_in_any_batch_and_process(joint_nlp: Language) -> None:
    alone = [joint_nlp(text).text for text in TEXTS]
    assert [doc.text for doc in joint_nlp.pipe(TEXTS, batch_size=4)] == alone
    assert [doc.text for doc in joint_nlp.pipe(TEXTS, n_process=2, batch_size=3)] == alone


def test_saved_and_loaded(joint_nlp: Language, tmp_path) -> None:
    joint_nlp.to_disk(tmp_path)
    loaded = spacy.load(tmp_path)
    copied = spacy.blank("en").from_config(joint_nlp.config)
    copied.from_bytes(joint_nlp.to_bytes())
    docs = [joint_nlp.make_doc(text) for text in TEXTS]
    expected = restorer_of(joint_nlp).predict(docs)
    for nlp in (loaded, copied):
        for ours, theirs in zip(expected, restorer_of(nlp).predict(docs)):
            assert numpy.array_equal(ours, theirs)
    text = "good morning maria garcia how are you today"
    assert loaded(text).text == copied(text).text == joint_nlp(text).text


@pytest.mark.parametrize("weights_dtype", ["float16", "int8"])
def test_saved_in_fewer_bits(joint_nlp: Language, weights_dtype: str, tmp_path) -> None:
    restorer = restorer_of(joint_nlp)
    restorer._weights_dtype, before = weights_dtype, restorer._weights_dtype
    try:
        joint_nlp.to_disk(tmp_path)
    finally:
        restorer._weights_dtype = before
    docs = [joint_nlp.make_doc(TEXTS[0])]
    (ours,), (theirs,) = (
        restorer_of(nlp).predict(docs) for nlp in (joint_nlp, spacy.load(tmp_path))
    )
    numpy.testing.assert_allclose(ours, theirs, atol=0.1)


def test_long_texts_in_windows(joint_nlp: Language) -> None:
    text = " ".join(["good morning maria garcia how are you today"] * 60)
    doc = joint_nlp(text)
    (found,) = restorer_of(joint_nlp).predict([joint_nlp.make_doc(text)])
    numpy.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-4)
    assert doc.text != text and doc._.source_text == text


def test_bias_and_scores(joint_nlp: Language) -> None:
    restorer = restorer_of(joint_nlp)
    text = "good morning maria garcia how are you today"
    scores = [(token._.mark_score, token._.case_score) for token in joint_nlp(text)]
    assert all(0.0 < mark <= 1.0 and 0.0 < case <= 1.0 for mark, case in scores)
    restorer.mark_bias = {",": 20.0}
    try:
        assert joint_nlp(text).text.count(",") == 8
    finally:
        restorer.mark_bias = {}


def test_bias_can_be_tuned(joint_nlp: Language, dev_examples) -> None:
    references = [example.reference for example in dev_examples[:20]]
    try:
        tuning = tune_pipeline(joint_nlp, references)
        before, after = tuning.scores_before, tuning.scores_after
        assert after["punct_micro_f"] >= before["punct_micro_f"]
    finally:
        restorer_of(joint_nlp).mark_bias = {}


def test_scores_can_be_calibrated(joint_nlp: Language, dev_examples) -> None:
    restorer = restorer_of(joint_nlp)
    references = [example.reference for example in dev_examples[:20]]
    texts = [joint_nlp(reference.text).text for reference in references]
    try:
        calibrate_pipeline(joint_nlp, references)
        assert restorer.temperature != 1.0
        assert [joint_nlp(reference.text).text for reference in references] == texts
    finally:
        restorer.temperature = 1.0


def test_words_cut_off_teach_nothing() -> None:
    nlp = make_nlp("JointCapPunc")
    examples = []
    for gold in ("Hi, Anna. Who? And", "Hi, Anna. Who? And?"):
        example = transcript(nlp, gold)
        example.reference.user_data[UNKNOWN_MARKS] = [3]
        examples.append(example)
    nlp.initialize(lambda: examples)
    restorer = restorer_of(nlp)
    found = []
    for example in examples:
        docs, targets = restorer._make_training_data([example])
        scores, _ = restorer.model.begin_update(docs)
        found.append(restorer.get_loss(targets, scores))
    (loss, (gradient,)), (other_loss, (other_gradient,)) = found
    assert loss == other_loss and numpy.array_equal(gradient, other_gradient)
    assert gradient[:3].any(axis=1).all() and not gradient[3].any()


def test_listener_is_refused() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("tok2vec", config={"model": TINY_TAGGER["tok2vec"]})
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 32}
    model = {"@architectures": "spacy_punctcase.JointCapPunc.v1", "tok2vec": listener}
    nlp.add_pipe("joint_restorer", config={"model": model})
    with pytest.raises(ValueError, match="its tok2vec is a listener"):
        nlp.initialize(lambda: [transcript(nlp, GOLDS[0])])


def test_transition_table(joint_nlp: Language) -> None:
    lines = transition_table(restorer_of(joint_nlp)).splitlines()
    assert lines[0] == "|  | `O` | `,` | `.` | `?` | (end) |"
    assert [line.split(" | ")[0] for line in lines[2:]] == [
        "| (start)",
        "| `O`",
        "| `,`",
        "| `.`",
        "| `?`",
    ]
    network = get_network(restorer_of(joint_nlp).model)
    assert network is not None and network.crf is not None
    cells = [float(cell) for cell in lines[4].split(" | ")[1:5]]
    assert cells == pytest.approx(network.crf.transitions[1].tolist(), abs=0.006)


def test_no_transitions_to_show() -> None:
    with_crf, without = make_nlp("JointCapPunc"), make_nlp("JointCapPunc", use_crf=False)
    product_tag = spacy.blank("en")
    model = {**DEFAULT_JOINT_MODEL, "tok2vec": TINY_TAGGER["tok2vec"]}
    product_tag.add_pipe("joint_restorer", config={"model": model})
    without.initialize(lambda: [transcript(without, GOLDS[0])])
    for nlp in (with_crf, without, product_tag):
        with pytest.raises(ValueError, match="'joint_restorer' has no transitions to show"):
            transition_table(restorer_of(nlp))


def test_transitions_are_learnt() -> None:
    """A CRF learns what the words do not say: here that the marks take turns."""
    nlp = make_nlp("JointCapPunc")
    gold = "Ah, ah. " * 20
    example = transcript(nlp, gold.strip())
    train(nlp, [example], steps=100)
    network = get_network(restorer_of(nlp).model)
    assert network is not None and network.crf is not None
    comma, stop = 1, 2
    transitions = network.crf.transitions
    assert transitions[comma, stop] > transitions[comma, comma] + 0.5
    assert transitions[stop, comma] > transitions[stop, stop] + 0.5
