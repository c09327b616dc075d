"""A pipeline's own tokenizer, bound to the vocab of the Doc at hand."""

import pickle
from typing import Any, List

import pytest
import spacy
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_punctcase.rewrite.tokenizer import BoundTokenizer

TEXT = "don't gimme 3.50, U.S. 'n' such"


class Wrapped:
    """A tokenizer as in spaCy's documentation, with another one inside."""

    def __init__(self, vocab: Vocab) -> None:
        self.vocab = vocab
        self.inner = Tokenizer(vocab)

    def __call__(self, text: str) -> Doc:
        return self.inner(text)


class WithArguments(Tokenizer):
    """A subclass that cannot be made from the vocab alone."""

    def __init__(self, vocab: Vocab, rules: Any, *args: Any) -> None:
        super().__init__(vocab, rules, *args)


@pytest.fixture
def nlp() -> Language:
    nlp = spacy.blank("en")
    tokenizer: Any = nlp.tokenizer
    tokenizer.add_special_case("gimme", [{"ORTH": "gim"}, {"ORTH": "me"}])
    return nlp


def words(doc: Doc) -> List[str]:
    return [token.text for token in doc]


def test_own_vocab_gets_the_tokenizer_itself(nlp: Language) -> None:
    assert BoundTokenizer(nlp)(nlp.vocab) is nlp.tokenizer


def test_other_vocab_gets_a_copy_with_the_same_rules(nlp: Language) -> None:
    other = spacy.blank("en")
    own: Any = nlp.tokenizer
    own.faster_heuristics = False
    bound = BoundTokenizer(nlp)
    tokenizer = bound(other.vocab)
    doc = tokenizer(TEXT)
    assert doc.vocab is other.vocab
    assert words(doc) == words(nlp.make_doc(TEXT))
    assert "gim" in words(doc)
    assert isinstance(tokenizer, Tokenizer) and not tokenizer.faster_heuristics
    assert own.vocab is nlp.vocab


def test_the_copy_is_kept(nlp: Language) -> None:
    other, third = spacy.blank("en"), spacy.blank("en")
    bound = BoundTokenizer(nlp)
    tokenizer = bound(other.vocab)
    assert bound(other.vocab) is tokenizer
    assert bound(third.vocab)(TEXT).vocab is third.vocab


def test_a_replaced_tokenizer_is_noticed(nlp: Language) -> None:
    other = spacy.blank("en")
    bound = BoundTokenizer(nlp)
    assert "gim" in words(bound(other.vocab)(TEXT))
    nlp.tokenizer = Tokenizer(nlp.vocab)
    assert words(bound(other.vocab)(TEXT)) == TEXT.split()
    assert words(bound(nlp.vocab)(TEXT)) == TEXT.split()


@pytest.mark.parametrize("kind", ["wrapped", "arguments"])
def test_custom_tokenizers(nlp: Language, kind: str) -> None:
    tokenizer: Any = Wrapped(nlp.vocab) if kind == "wrapped" else WithArguments(nlp.vocab, {})
    nlp.tokenizer = tokenizer
    other = spacy.blank("en")
    doc = BoundTokenizer(nlp)(other.vocab)(TEXT)
    assert doc.vocab is other.vocab
    assert words(doc) == TEXT.split()
    assert words(nlp.tokenizer(TEXT)) == TEXT.split()


def test_a_tokenizer_without_a_vocab_is_used_as_it_is(nlp: Language) -> None:
    other = spacy.blank("en")

    def tokenizer(text: str) -> Doc:
        return Doc(other.vocab, words=text.split())

    nlp.tokenizer = tokenizer  # type: ignore[assignment]
    assert BoundTokenizer(nlp)(other.vocab) is tokenizer


def test_a_sourced_component_makes_docs_of_the_new_pipeline(nlp: Language) -> None:
    """`add_pipe(source=...)` inserts the same object, whose nlp remains the other one."""
    bound = BoundTokenizer(nlp)
    other = spacy.blank("en")
    ruler: Any = other.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PERSON", "pattern": "Brandnewname"}])
    doc = bound(other.vocab)("hello Brandnewname")
    assert [ent.label_ for ent in ruler(doc).ents] == ["PERSON"]


def test_pickle(nlp: Language) -> None:
    bound = pickle.loads(pickle.dumps(BoundTokenizer(nlp)))
    assert "gim" in words(bound(bound.nlp.vocab)(TEXT))
