"""Scores of decisions on restored Docs."""

import pickle
from typing import Any, Dict, List, Optional

import pytest
import spacy
from conftest import TEXTS, TINY_TAGGER, WORDS, make_tiny_nlp, train, transcript
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest import approx
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Token

from spacy_punctcase.rewrite.rewrite import rewrite_doc
from spacy_punctcase.rewrite.scores import (
    CASE,
    KINDS,
    MARK,
    OTHER_MARK,
    find_uncertain,
    forget_scores,
    get_scores,
    register_extensions,
    set_scores,
    source_words,
)
from spacy_punctcase.text.words import split_words

NLP = spacy.blank("en")
TEXT = "good morning maria garcia how are you today i live in 3 houses"
FUZZ = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))


def scores_of(doc: Doc) -> List[Any]:
    """The scores of each token, rounded: windows of other lengths change the last digits."""
    return [
        [score if score is None else round(score, 3) for score in (mark, case)]
        for mark, case in ((token._.mark_score, token._.case_score) for token in doc)
    ]


def by_word(doc: Doc) -> Dict[str, List[Optional[float]]]:
    """Both scores by the word in lower case."""
    return {t.lower_: [t._.mark_score, t._.case_score] for t in doc if not t.is_punct}


def restored(text: str, scores: Dict[str, List[Any]]) -> Doc:
    """A Doc whose words have scores, as if a component had made it."""
    doc = NLP.make_doc(text)
    new = rewrite_doc(doc, text, range(len(text)), NLP.make_doc)
    set_scores(new, doc, scores)
    return new


def test_every_decision_has_a_score(tiny_nlp: Language) -> None:
    doc = tiny_nlp(TEXT)
    scores = [(token._.mark_score, token._.case_score) for token in doc]
    assert all(0 <= mark <= 1 for mark, _ in scores)
    for token, (_, case) in zip(doc, scores):
        assert case is None if token.text == "3" else 0 <= case <= 1
    # A mark has the scores of the word that it follows.
    marks = [token for token in doc if token.is_punct]
    assert marks
    for token in marks:
        assert token._.mark_score == doc[token.i - 1]._.mark_score
    known = {token._.source_word: (token._.mark_score, token._.case_score) for token in doc}
    numbers = [score for pair in known.values() for score in pair if score is not None]
    assert len(numbers) == 13 + 12
    assert doc._.restoration_score == approx(sum(numbers) / len(numbers))
    assert doc[:1]._.restoration_score == approx(sum(known[0]) / 2)


@FUZZ
@given(words=st.lists(WORDS, max_size=25))
def test_scores_of_any_text(tiny_nlp: Language, words: List[str]) -> None:
    doc = tiny_nlp(" ".join(words))
    for values in doc.user_data["punctcase_scores"].values():
        assert len(values) == len(words)
    for token in doc:
        for score in (token._.mark_score, token._.case_score):
            assert score is None or 0 <= score <= 1
    again = tiny_nlp(doc)
    assert [again._.source_text, again.text] == [" ".join(words), doc.text]
    places = find_uncertain(doc, 1.1)
    assert len(places) == sum(
        score is not None for kind in KINDS for score in doc.user_data["punctcase_scores"][kind]
    )


def test_what_stays_has_no_score(tiny_nlp: Language) -> None:
    doc = tiny_nlp("hello , Maria how? are - you www.x.com 3")
    found = by_word(doc)
    assert [word for word, (mark, _) in found.items() if mark is None] == ["hello", "how", "are"]
    no_case = [word for word, (_, case) in found.items() if case is None]
    assert no_case == ["maria", "www.x.com", "3"]
    restored = tiny_nlp("Hello, Maria. OK?")
    assert restored.text == "Hello, Maria. OK?"
    assert restored._.restoration_score is None


def test_overwritten_words_have_scores(tiny_path) -> None:
    nlp = spacy.load(tiny_path)
    for name in nlp.pipe_names:
        nlp.get_pipe(name).overwrite = True  # type: ignore
    doc = nlp("hello , Maria how? are you")
    assert all(None not in scores for scores in by_word(doc).values())
    assert len(doc._.source_text.split()) == 6
    assert [token._.source_word for token in doc if token.is_alpha] == [0, 2, 3, 4, 5]


def test_docs_without_restoration() -> None:
    doc = NLP("good morning")
    assert doc[0]._.mark_score is doc[0]._.case_score is doc._.restoration_score is None
    assert NLP("")._.restoration_score is None
    assert find_uncertain(doc, 1.0) == []


@pytest.mark.parametrize("text", TEXTS)
def test_scores_survive(tiny_nlp: Language, text: str) -> None:
    doc = tiny_nlp(text)
    (kept,) = DocBin(store_user_data=True, docs=[doc]).get_docs(tiny_nlp.vocab)
    for other in (kept, pickle.loads(pickle.dumps(doc)), Doc(NLP.vocab).from_bytes(doc.to_bytes())):
        assert scores_of(other) == scores_of(doc)
        assert other._.restoration_score == doc._.restoration_score


def test_the_same_in_any_batch_and_process(tiny_nlp: Language) -> None:
    alone = [tiny_nlp(text) for text in TEXTS]
    pairs = [(text, index) for index, text in enumerate(TEXTS)]
    for options in ({"batch_size": 4}, {"batch_size": 3, "n_process": 2}):
        found = list(tiny_nlp.pipe(pairs, as_tuples=True, **options))
        assert [context for _, context in found] == list(range(len(TEXTS)))
        for (doc, _), expected in zip(found, alone):
            assert doc._.restoration_score == approx(expected._.restoration_score, abs=1e-3)
            flat = [score for pair in scores_of(doc) for score in pair]
            assert flat == approx([s for pair in scores_of(expected) for s in pair], abs=2e-3)


def test_a_part_of_a_doc(tiny_nlp: Language) -> None:
    doc = tiny_nlp(TEXT)
    part = doc[4:].as_doc(copy_user_data=True)
    assert scores_of(part) == scores_of(doc)[4:]
    assert part._.restoration_score == approx(doc[4:]._.restoration_score)
    # Its scores are by the words of the whole text, so they go when it is a text of its own.
    assert find_uncertain(part, 1.1) == []
    again = tiny_nlp(part)
    assert again._.source_text == part.text
    lengths = {len(values) for values in again.user_data["punctcase_scores"].values()}
    assert lengths == {len(part.text.split())}


def test_each_component_keeps_the_scores_of_the_other(tiny_nlp: Language) -> None:
    doc = tiny_nlp.make_doc(TEXT)
    first = tiny_nlp.get_pipe("punctuator")(doc)
    assert first[0]._.mark_score is not None and first[0]._.case_score is None
    second = tiny_nlp.get_pipe("truecaser")(first)
    assert second[0]._.mark_score == first[0]._.mark_score
    assert second[0]._.case_score is not None
    assert "case" not in first.user_data["punctcase_scores"]
    assert "punctcase_scores" not in doc.user_data


def test_what_was_decided_before_still_stands(tiny_nlp: Language) -> None:
    doc = tiny_nlp(TEXT)
    again = tiny_nlp(doc)
    assert again.text == doc.text
    assert all(token._.mark_score is not None for token in again)


def test_set_and_forget() -> None:
    doc = restored("see dr. , github now", {MARK: [0.5, None, None, 0.25, 1.0]})
    words = split_words(doc.text)
    assert get_scores(doc, words, MARK) == [0.5, None, 0.25, 1.0]
    assert get_scores(doc, words, CASE) == [None] * 4
    new = rewrite_doc(doc, doc.text, range(len(doc.text)), NLP.make_doc)
    set_scores(new, doc, {MARK: [None, 0.75, None, 0.0, None], CASE: [1.0] * 5})
    assert get_scores(new, words, MARK) == [0.5, 0.75, 0.0, 1.0]
    forget_scores(new, new, words[2:], CASE)
    assert get_scores(new, words, CASE) == [1.0, 1.0, None, None]
    assert get_scores(doc, words, CASE) == [None] * 4


def test_words_of_the_source_behind_marks_that_are_gone() -> None:
    doc = NLP.make_doc("a , b - c")
    origins = [0, *range(3, 9)]
    new = rewrite_doc(doc, "a b - c", origins, NLP.make_doc)
    assert source_words(new, split_words(new.text)) == [0, 2, 4]


def test_a_spelling_from_the_glossary_is_certain(tiny_nlp: Language) -> None:
    nlp = spacy.blank("en", vocab=tiny_nlp.vocab)
    for name in tiny_nlp.pipe_names:
        nlp.add_pipe(name, source=tiny_nlp)
    nlp.add_pipe("casing_ruler").add_entries(["GitHub"])  # type: ignore
    found = by_word(nlp("see the github page"))
    assert found["github"][1] is None and found["github"][0] is not None
    assert None not in found["page"]


def test_find_uncertain() -> None:
    text = "  well, see GitHub.  now"
    doc = NLP.make_doc("  well see github  now")
    origins = [*range(6), -1, *range(6, 17), -1, *range(17, 22)]
    new = rewrite_doc(doc, text, origins, NLP.make_doc)
    scores = {
        MARK: [0.5, 1.0, 0.6, 0.9],
        OTHER_MARK: ["O", ",", "?", "."],
        CASE: [None, 0.9, 0.4, 0.89],
    }
    set_scores(new, doc, scores)
    places = find_uncertain(new, 0.9)
    assert [(p.kind, p.word, p.chosen, p.score, p.other) for p in places] == [
        (MARK, "well", ",", 0.5, "O"),
        (CASE, "GitHub", "mixed", 0.4, None),
        (MARK, "GitHub", ".", 0.6, "?"),
        (CASE, "now", "lower", 0.89, None),
    ]
    for place in places:
        assert new.text[place.start : place.end] == place.word
        source = doc.text[place.source_start : place.source_end]
        assert source == place.word.lower()


def test_uncertain_places_are_in_reading_order(tiny_nlp: Language) -> None:
    doc = tiny_nlp(TEXT)
    everything = find_uncertain(doc, 1.1)
    assert len(everything) == 13 + 12
    order = [(place.start, place.kind == MARK) for place in everything]
    assert order == sorted(order)
    for below in (0.0, 0.6, 0.9):
        found = find_uncertain(doc, below)
        assert found == [place for place in everything if place.score < below]
    for place in everything:
        if place.kind == MARK:
            assert place.chosen != place.other


@pytest.mark.parametrize("name", ["mark_score", "restoration_score"])
def test_an_attribute_of_the_user_stays(name: str) -> None:
    kind = Token if name == "mark_score" else Doc
    ours = kind.get_extension(name)
    try:
        kind.set_extension(name, default=1.0, force=True)
        register_extensions()
        doc = NLP("hi")
        assert getattr((doc[0] if kind is Token else doc)._, name) == 1.0
    finally:
        kind.set_extension(name, getter=ours[2], force=True)


@pytest.fixture(scope="module")
def joint_nlp() -> Language:
    nlp = spacy.blank("en")
    model = {"@architectures": "spacy_punctcase.ProductTag.v1", "tok2vec": TINY_TAGGER["tok2vec"]}
    nlp.add_pipe("joint_restorer", config={"model": model})
    golds = ["Hi, Anna. Is NASA here?", "No, it is in Houston. OK?", "I see."]
    train(nlp, [transcript(nlp, gold) for gold in golds], steps=20)
    return nlp


def test_joint_restorer(joint_nlp: Language) -> None:
    doc = joint_nlp("hi anna is Nasa 3 here, www.x.com")
    found = by_word(doc)
    for word in ("hi", "anna", "is"):
        assert all(0 < score <= 1 for score in found[word])  # type: ignore
    assert [word for word, (mark, _) in found.items() if mark is None] == ["here"]
    no_case = [word for word, (_, case) in found.items() if case is None]
    assert no_case == ["nasa", "3", "www.x.com"]


def check_temperature(nlp: Language, text: str, temperature: float) -> None:
    """The text stays the same, and scores go towards an even chance."""
    components: List[Any] = [nlp.get_pipe(name) for name in nlp.pipe_names]
    plain = nlp(text)
    try:
        for component in components:
            component.temperature = temperature
        doc = nlp(text)
    finally:
        for component in components:
            component.temperature = 1.0
    assert doc.text == plain.text
    kinds = (MARK, OTHER_MARK)
    old, new = (d.user_data["punctcase_scores"] for d in (plain, doc))
    for score, tempered in zip(old[MARK], new[MARK]):
        if score is not None and score > 0.5:
            assert (tempered - score) * (temperature - 1) <= 1e-9
    assert [[value is None for value in old[kind]] for kind in kinds] == [
        [value is None for value in new[kind]] for kind in kinds
    ]


@FUZZ
@given(words=st.lists(WORDS, max_size=20), temperature=st.floats(0.01, 100))
def test_a_temperature_never_changes_the_text(tiny_nlp, words, temperature: float) -> None:
    check_temperature(tiny_nlp, " ".join(words), temperature)


@pytest.mark.parametrize("temperature", [1e-300, 0.5, 3.0, 1e300])
def test_extreme_temperatures(tiny_nlp: Language, joint_nlp: Language, temperature: float) -> None:
    for nlp in (tiny_nlp, joint_nlp):
        doc = nlp(TEXT)
        check_temperature(nlp, TEXT, temperature)
        assert doc._.restoration_score is not None


def test_temperature_in_the_config(tiny_path, tmp_path) -> None:
    config = {f"components.{name}.temperature": 2 for name in ("punctuator", "truecaser")}
    nlp = spacy.load(tiny_path, config=config)
    plain = spacy.load(tiny_path)
    assert nlp(TEXT)._.restoration_score != plain(TEXT)._.restoration_score
    nlp.to_disk(tmp_path / "saved")
    saved = spacy.load(tmp_path / "saved")
    assert saved.get_pipe("truecaser").temperature == 2  # type: ignore
    assert saved(TEXT)._.restoration_score == approx(nlp(TEXT)._.restoration_score)


@pytest.mark.parametrize("value", [0, -1.0, float("inf"), float("nan"), "high"])
def test_bad_temperature(tiny_path, value) -> None:
    nlp = spacy.load(tiny_path)
    for name in nlp.pipe_names:
        pipe: Any = nlp.get_pipe(name)
        with pytest.raises(ValueError, match=f"'temperature' of '{name}' must be a finite number"):
            pipe.temperature = value
        assert pipe.temperature == 1.0
    with pytest.raises(ValueError, match="temperature"):
        make_tiny_nlp(temperature=-1.0)


def test_case_depends_on_the_end_of_the_sentence(tiny_nlp: Language) -> None:
    """A case is never more certain than the boundary in front of it, but for names."""
    doc = tiny_nlp(TEXT)
    found = doc.user_data["punctcase_scores"]
    words = split_words(doc.text)
    for index, word in enumerate(words[1:], start=1):
        end = found["sentence_end"][index - 1]
        is_behind_end = words[index - 1].mark in (".", "?")
        if found[CASE][index] is None or (
            doc.text[word.core_start].isupper() and not is_behind_end
        ):
            continue
        assert found[CASE][index] <= (end if is_behind_end else 1 - end) + 1e-9
