"""NER and other components trained behind the restorers (formats A and B)."""

import pytest
import spacy
from conftest import transcript
from spacy.tokens import Doc
from spacy.training import Example

from spacy_punctcase.pipeline import GoldAligner

GOLD_TEXT = "Maria lives in Chicago. Does Daniel live in Denver?"
ENTITIES = ["U-PERSON", "O", "O", "U-GPE", "O", "U-PERSON", "O", "O", "U-GPE"]


def test_moves_gold_onto_rewritten_docs(tiny_path) -> None:
    nlp = spacy.load(tiny_path)
    example = transcript(nlp, GOLD_TEXT, entities=ENTITIES)
    example.predicted = nlp.make_doc(GOLD_TEXT)
    assert GoldAligner().update([example]) == {}
    assert example.reference.text == GOLD_TEXT
    assert [ent.text for ent in example.reference.ents] == ["Maria", "Chicago", "Daniel", "Denver"]
    assert example.get_aligned_ner().count("U-GPE") == 2


@pytest.mark.parametrize("frozen", [True, False])
def test_ner_behind_learns_on_restored_text(tiny_path, frozen: bool) -> None:
    nlp = spacy.load(tiny_path)
    nlp.add_pipe("gold_aligner")
    ner = nlp.add_pipe("ner")
    examples = [transcript(nlp, GOLD_TEXT, entities=ENTITIES) for _ in range(4)]
    ner.initialize(lambda: examples, nlp=nlp)
    restorers = ["punctuator", "truecaser"]
    settings = {"exclude": restorers, "annotates": restorers} if frozen else {}
    optimizer = nlp.create_optimizer()
    for _ in range(25):
        losses = nlp.update(examples, sgd=optimizer, drop=0.0, **settings)
    assert losses["ner"] < 3.0
    scores = nlp.evaluate(examples)
    assert scores["ents_f"] == 1.0
    assert scores["punct_micro_f"] is not None
    doc = nlp(examples[0].predicted.text)
    assert {ent.text for ent in doc.ents} >= {"Chicago"} or {e.text.lower() for e in doc.ents}


def annotated(nlp) -> Doc:
    return Doc(
        nlp.vocab,
        words=["Maria", "lives", "in", "Chicago", ".", "Do", "n't", "ask", "!"],
        spaces=[True, True, True, False, True, False, True, False, False],
        tags=["NNP", "VBZ", "IN", "NNP", ".", "VB", "RB", "VB", "."],
        heads=[1, 1, 1, 2, 1, 7, 7, 7, 7],
        deps=["nsubj", "ROOT", "prep", "pobj", "punct", "aux", "neg", "ROOT", "punct"],
        ents=["B-PERSON", "O", "O", "B-GPE", "O", "O", "O", "O", "O"],
    )


def test_format_b_trains_and_evaluates_everything(tiny_path) -> None:
    config = {
        "nlp.tokenizer": {"@tokenizers": "spacy_punctcase.RealigningTokenizer.v1"},
        "components.punctuator.overwrite": True,
        "components.truecaser.overwrite": True,
    }
    nlp = spacy.load(tiny_path, config=config)
    nlp.add_pipe("tagger")
    nlp.add_pipe("parser", config={"min_action_freq": 1})
    nlp.add_pipe("ner")
    examples = []
    for _ in range(3):
        reference = annotated(nlp)
        examples.append(Example(nlp.make_doc(reference.text), reference))
    for name in ("tagger", "parser", "ner"):
        nlp.get_pipe(name).initialize(lambda: examples, nlp=nlp)
    optimizer = nlp.create_optimizer()
    for _ in range(15):
        losses = nlp.update(examples, sgd=optimizer, drop=0.0)
    assert set(losses) >= {"punctuator", "truecaser", "tagger", "parser", "ner"}
    scores = nlp.evaluate(examples)
    assert scores["ents_f"] is not None and scores["tag_acc"] > 0.6
    assert scores["token_acc"] == 1.0
