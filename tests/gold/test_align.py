"""Gold text, and references moved onto the text that is predicted."""

from typing import Any, List, Optional

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.language import Language
from spacy.scorer import Scorer
from spacy.tokens import Doc, Span, Token
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_punctcase.gold.align import (
    GOLD,
    UNKNOWN_MARKS,
    align_words,
    character_origins,
    gold_text,
    project_reference,
    realign_examples,
    set_predicted,
    unknown_marks,
)
from spacy_punctcase.text.words import normal_form


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy.blank("en")


def transcript(nlp: Language, raw: str, gold: str, **annotations: Any) -> Doc:
    """A reference of format A."""
    doc = Doc(nlp.vocab, words=raw.split(), **annotations)
    doc.user_data[GOLD] = gold
    return doc


@pytest.fixture
def annotated(nlp: Language) -> Doc:
    """A reference of format B: an ordinary annotated Doc."""
    doc = Doc(
        nlp.vocab,
        words=["Hi", ",", "Uyen", "!", "You", "do", "n't", "live", "in", "Paris", "."],
        spaces=[False, True, False, True, True, False, True, True, True, False, False],
        tags=["UH", ",", "NNP", ".", "PRP", "VBP", "RB", "VB", "IN", "NNP", "."],
        pos=["INTJ", "PUNCT", "PROPN", "PUNCT", "PRON", "AUX", "PART", "VERB", "ADP", "PROPN"]
        + ["PUNCT"],
        lemmas=["hi", ",", "Uyen", "!", "you", "do", "not", "live", "in", "Paris", "."],
        morphs=["", "", "Number=Sing", "", "Person=2", "", "", "VerbForm=Inf", "", "", ""],
        heads=[0, 0, 0, 0, 7, 7, 7, 7, 9, 7, 7],
        deps=["ROOT", "punct", "npadvmod", "punct", "nsubj", "aux", "neg", "ROOT", "case", "obl"]
        + ["punct"],
        ents=["O", "O", "B-PERSON", "O", "O", "O", "O", "O", "O", "B-GPE", "O"],
    )
    doc.spans["sc"] = [Span(doc, 2, 4, "MARKED"), Span(doc, 8, 10, "PLACE")]
    doc.cats = {"greeting": 1.0}
    return doc


def test_gold_text(nlp: Language) -> None:
    assert gold_text(nlp.make_doc("Hi there.")) == "Hi there."
    assert gold_text(transcript(nlp, "hi there", "Hi there.")) == "Hi there."


def test_unknown_marks(nlp: Language) -> None:
    doc = nlp.make_doc("hi there")
    assert unknown_marks(doc) == []
    doc.user_data[UNKNOWN_MARKS] = [1]
    assert unknown_marks(doc) == [1]


# align_words


def test_align_words() -> None:
    source, gold = "hi [noise] uyen don't  go", '"Hi, Uyen -- [laughter] DON\'T go!"'
    pairs = align_words(source, gold)
    assert [normal_form(source, ours) for ours, _ in pairs] == ["hi", "uyen", "don't", "go"]
    assert [theirs.mark for _, theirs in pairs] == [",", "", "", "!"]


@pytest.mark.parametrize(
    "source, gold",
    [
        ("", ""),
        ("", "..."),
        ("u.s", "U.S."),
        ("u.s.", "U.S"),
        ("dogs'", "Dogs'."),
        ("λόγος", "ΛΌΓΟΣ"),
        ("the .5", "The .5."),
        ("sure and", "Sure ...and"),
    ],
)
def test_the_same_words(source: str, gold: str) -> None:
    for pair in align_words(source, gold):
        assert len(pair) == 2


@pytest.mark.parametrize(
    "source, gold, index, ours, theirs",
    [
        ("hi there you", "Hi, where you?", 1, "there", "where"),
        ("hi there", "Hi.", 1, "there", "(end)"),
        ("hi", "Hi there.", 1, "(end)", "there"),
        ("", "Hi.", 0, "(end)", "hi"),
        ("hi", "", 0, "hi", "(end)"),
        ("dont", "Don't.", 0, "dont", "don't"),
    ],
)
def test_differing_words_are_named(
    source: str, gold: str, index: int, ours: str, theirs: str
) -> None:
    with pytest.raises(ValueError) as error:
        align_words(source, gold)
    message = str(error.value)
    assert f"word {index} " in message
    assert repr(ours) in message and repr(theirs) in message


def test_the_excerpt_shows_where_the_words_differ() -> None:
    source = "same " * 100 + "mine" + " same" * 100
    with pytest.raises(ValueError) as error:
        align_words(source, source.replace("mine", "theirs"))
    assert "theirs same" in str(error.value)
    assert len(str(error.value)) < 400


# character_origins


def pieces(new: str, old: str) -> List[Optional[str]]:
    return [old[origin] if origin >= 0 else None for origin in character_origins(new, old)]


def test_character_origins() -> None:
    assert character_origins("Hi, Uyen!", "hi uyen") == [0, 1, -1, 2, 3, 4, 5, 6, -1]
    assert character_origins("hi uyen", "Hi, Uyen!") == [0, 1, 3, 4, 5, 6, 7]
    assert character_origins("", "abc") == []
    assert character_origins("abc", "") == [-1, -1, -1]
    assert character_origins("a  b", "a b") == [0, 1, -1, 2]


def test_origins_of_the_final_sigma() -> None:
    assert character_origins("ΛΌΓΟΣ.", "λόγος") == [0, 1, 2, 3, 4, -1]


def test_origins_where_words_differ() -> None:
    found = pieces("The big dog ran.", "the dog sang ran")
    assert "".join(char or "_" for char in found).replace("_", "") == "the dog ran"


@settings(deadline=None, max_examples=100)
@given(st.text(st.sampled_from("abΣς.,- "), max_size=20), st.data())
def test_insertions_have_no_origin(old: str, data: st.DataObject) -> None:
    marks = data.draw(st.lists(st.sampled_from(["", ".", ","]), min_size=20, max_size=20))
    new = "".join(char.upper() + mark for char, mark in zip(old, marks))
    origins = character_origins(new, old)
    assert len(origins) == len(new)
    kept = [origin for origin in origins if origin >= 0]
    assert kept == sorted(set(kept))
    letters = [index for index, char in enumerate(old) if char.isalnum()]
    assert [origin for origin in kept if old[origin].isalnum()] == letters


# project_reference


def test_annotations_move_onto_raw_text(nlp: Language, annotated: Doc) -> None:
    predicted = nlp.make_doc("hi uyen you don't live in paris")
    new = project_reference(annotated, predicted)
    assert new.text == predicted.text
    assert [token.text for token in new] == [token.text for token in predicted]
    assert gold_text(new) == annotated.text
    assert [token.tag_ for token in new] == ["UH", "NNP", "PRP", "VBP", "RB", "VB", "IN", "NNP"]
    assert [token.pos_ for token in new][:2] == ["INTJ", "PROPN"]
    assert [token.lemma_ for token in new][4] == "not"
    assert str(new[1].morph) == "Number=Sing"
    assert [token.head.i for token in new] == [0, 0, 5, 5, 5, 5, 7, 5]
    assert [token.dep_ for token in new][:3] == ["ROOT", "npadvmod", "nsubj"]
    assert [sent.text for sent in new.sents] == ["hi uyen", "you don't live in paris"]
    assert [(ent.text, ent.label_) for ent in new.ents] == [("uyen", "PERSON"), ("paris", "GPE")]
    assert new.has_annotation("ENT_IOB", require_complete=True)
    assert [(span.text, span.label_) for span in new.spans["sc"]] == [
        ("uyen", "MARKED"),
        ("in paris", "PLACE"),
    ]
    assert new.cats == {"greeting": 1.0}


def test_marks_that_gold_has_not_break_no_tree(nlp: Language, annotated: Doc) -> None:
    predicted = nlp.make_doc("Hi Uyen. You, don't live in, Paris?")
    new = project_reference(annotated, predicted)
    by_text = {token.text: token for token in new}
    assert [sent.text for sent in new.sents] == ["Hi Uyen.", "You, don't live in, Paris?"]
    assert (by_text["."].tag_, by_text["."].dep_, by_text["."].head.text) == ("", "punct", "Uyen")
    example = Example(predicted, new)
    heads, deps = example.get_aligned_parse(projectivize=True)
    assert not any("||" in (dep or "") for dep in deps)  # no arc was lifted
    assert [deps[token.i] for token in new if token.text in ("You", "Paris")] == ["nsubj", "obl"]
    assert example.get_aligned_sent_starts().count(True) == 2


def test_tokens_that_the_reference_splits_otherwise(nlp: Language, annotated: Doc) -> None:
    predicted = Doc(
        nlp.vocab, words=["hi", "uyen", "you", "don't", "live", "in", "paris"]
    )  # "don't" is one token
    new = project_reference(annotated, predicted)
    word = new[3]
    assert (word.tag_, word.has_morph()) == ("", False)
    assert (word.dep_, word.head.text) == ("aux", "live")
    assert [sent.text for sent in new.sents] == ["hi uyen", "you don't live in paris"]


def tree(doc: Doc) -> List[Any]:
    return [(token.text, token.dep_, token.head.text) for token in doc]


def test_a_root_that_is_part_of_a_longer_token(nlp: Language) -> None:
    reference = Doc(
        nlp.vocab,
        words=["She", "can", "not", "go"],
        spaces=[True, False, True, False],
        heads=[1, 1, 1, 1],
        deps=["nsubj", "ROOT", "neg", "xcomp"],
    )
    new = project_reference(reference, nlp.make_doc("she cannot go"))
    assert [token.text for token in new][:2] == ["she", "can"]  # the English tokenizer splits too
    new = project_reference(reference, Doc(nlp.vocab, words=["she", "cannot", "go"]))
    assert tree(new) == [
        ("she", "nsubj", "cannot"),
        ("cannot", "ROOT", "cannot"),
        ("go", "xcomp", "cannot"),
    ]


def test_a_token_that_is_split(nlp: Language) -> None:
    reference = Doc(
        nlp.vocab, words=["She", "cannot", "go"], heads=[1, 1, 1], deps=["nsubj", "ROOT", "xcomp"]
    )
    new = project_reference(reference, nlp.make_doc("she cannot go"))
    assert tree(new) == [
        ("she", "nsubj", "can"),
        ("can", "ROOT", "can"),
        ("not", "dep", "can"),
        ("go", "xcomp", "can"),
    ]


def test_a_root_that_is_gone(nlp: Language) -> None:
    reference = Doc(
        nlp.vocab,
        words=["yes", ":", "she", "goes", "home"],
        heads=[1, 1, 3, 1, 3],
        deps=["x", "ROOT", "nsubj", "y", "obj"],
    )
    new = project_reference(reference, nlp.make_doc(". yes she goes home."))
    assert tree(new) == [
        (".", "punct", "yes"),
        ("yes", "ROOT", "yes"),
        ("she", "nsubj", "goes"),
        ("goes", "dep", "yes"),
        ("home", "obj", "goes"),
        (".", "punct", "home"),
    ]
    assert len(list(new.sents)) == 1


def test_a_missing_head_stays_missing(nlp: Language) -> None:
    tree: Any = {"heads": [1, None, 1], "deps": ["nsubj", None, "punct"]}
    reference = Doc(nlp.vocab, words=["She", "goes", "."], **tree)
    new = project_reference(reference, nlp.make_doc("she goes"))
    assert [token.has_dep() for token in new] == [True, False]


def test_annotations_move_from_a_transcript(nlp: Language) -> None:
    reference = transcript(
        nlp,
        "hi uyen don't go",
        "Hi, Uyen! Don't go.",
        ents=["O", "B-PERSON", "O", "O"],
        sent_starts=[True, False, True, False],
    )
    reference.user_data[UNKNOWN_MARKS] = [3]
    predicted = nlp.make_doc("Hi Uyen, don't go.")
    new = project_reference(reference, predicted)
    assert [(ent.text, ent.label_) for ent in new.ents] == [("Uyen", "PERSON")]
    assert [sent.text for sent in new.sents] == ["Hi Uyen,", "don't go."]
    assert gold_text(new) == "Hi, Uyen! Don't go."
    assert unknown_marks(new) == [3]
    assert not new.has_annotation("TAG") and not new.has_annotation("DEP")


def test_a_bare_transcript_gets_no_annotations(nlp: Language) -> None:
    new = project_reference(transcript(nlp, "hi there", "Hi there."), nlp.make_doc("Hi, there."))
    for attribute in ("TAG", "POS", "LEMMA", "MORPH", "DEP", "ENT_IOB", "SENT_START"):
        assert not new.has_annotation(attribute)


def test_the_reference_is_not_modified(nlp: Language, annotated: Doc) -> None:
    before = annotated.to_bytes()
    project_reference(annotated, nlp.make_doc("hi uyen you don't live in paris"))
    assert annotated.to_bytes() == before


def test_custom_attributes_of_a_reference_move(nlp: Language, annotated: Doc) -> None:
    Token.set_extension("note", default=None, force=True)
    annotated[9]._.note = "city"
    new = project_reference(annotated, nlp.make_doc("hi uyen you don't live in paris"))
    assert [token.text for token in new if token._.note] == ["paris"]
    Token.remove_extension("note")


def test_a_reference_with_another_vocab(annotated: Doc) -> None:
    vocab = Vocab()
    predicted = Doc(vocab, words=["hi", "uyen", "you", "live", "in", "paris"])
    new = project_reference(annotated, predicted)
    assert new.vocab is vocab
    assert [token.tag_ for token in new][:2] == ["UH", "NNP"]
    assert [ent.label_ for ent in new.ents] == ["PERSON", "GPE"]


@pytest.mark.parametrize("text", ["", " "])
def test_empty_docs(nlp: Language, text: str) -> None:
    assert project_reference(nlp.make_doc("Hi."), nlp.make_doc(text)).text == text
    assert project_reference(nlp.make_doc(text), nlp.make_doc("hi")).text == "hi"


# realign_examples


def test_spacy_aligns_realigned_examples(nlp: Language, annotated: Doc) -> None:
    example = Example(nlp.make_doc("hi uyen you don't, live in Paris?"), annotated)
    with pytest.raises(ValueError, match="E949"):
        example.get_aligned("TAG")
    realign_examples([example])
    tags = example.get_aligned("TAG", as_string=True)
    assert tags == ["UH", "NNP", "PRP", "VBP", "RB", "", "VB", "IN", "NNP", ""]
    ner = example.get_aligned_ner()
    assert [tag for tag in ner if tag != "O"] == ["U-PERSON", "U-GPE"]
    assert example.get_aligned_sent_starts().count(True) == 2
    assert Scorer.score_tokenization([example])["token_acc"] == 1.0


def test_realigning_twice(nlp: Language, annotated: Doc) -> None:
    gold = annotated.text
    example = Example(nlp.make_doc("hi uyen you don't live in paris"), annotated)
    realign_examples([example])
    first = example.reference
    realign_examples([example])
    assert example.reference is first
    set_predicted(example, nlp.make_doc("Hi, Uyen. You don't live in Paris."))
    assert example.reference.text == example.predicted.text
    assert gold_text(example.reference) == gold
    assert [ent.text for ent in example.reference.ents] == ["Uyen", "Paris"]


def test_same_texts_keep_their_reference(nlp: Language, annotated: Doc) -> None:
    example = Example(nlp.make_doc(annotated.text), annotated)
    realign_examples([example])
    assert example.reference is annotated


def test_capitals_of_greek_are_aligned(nlp: Language) -> None:
    """spaCy joins tokens without spaces before it lowers them: another sigma at each word's end."""
    reference = transcript(nlp, "ο λόγος είναι", "Ο λόγος είναι.", tags=["DT", "NN", "VB"])
    example = Example(nlp.make_doc("Ο ΛΌΓΟΣ ΕΊΝΑΙ."), reference)
    realign_examples([example])
    assert example.get_aligned("TAG", as_string=True)[:3] == ["DT", "NN", "VB"]


def test_training_behind(nlp: Language, annotated: Doc) -> None:
    """Stock components learn from realigned Examples, and are scored on them."""
    trained = spacy.blank("en", vocab=nlp.vocab)
    for name in ("tagger", "ner", "senter"):
        trained.add_pipe(name)
    trained.add_pipe("parser", config={"min_action_freq": 1})
    example = Example(nlp.make_doc("hi Uyen, you don't live in, Paris"), annotated)
    realign_examples([example])
    optimizer = trained.initialize(lambda: [example])
    for _ in range(30):
        trained.update([example], sgd=optimizer)
    scores = trained.evaluate([example])
    for metric in ("tag_acc", "ents_f", "dep_las", "sents_f"):
        assert scores[metric] == 1.0, metric
