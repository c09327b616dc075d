"""The systems that the benchmarks compare: what we ship, plain baselines, and published peers.

All of them take texts and return the same words, white space included, restored. The truecasers
take lower-case text with whatever marks are in it, and change nothing but its case.

The peers are packages of the extra "benchmarks". `truecase` and `true-case` bring their own
statistics (of news text); Moses and the unigram model are trained on the text that they are given,
so that they can have what our own models had.
"""

import re
from collections import Counter
from pathlib import Path
from typing import Callable, Dict, Iterable, List, Protocol, Sequence, Tuple, Union

import spacy_punctcase
from spacy_punctcase.text.case import lower, upper
from spacy_punctcase.text.marks import SENTENCE_MARKS
from spacy_punctcase.text.words import chunks, split_words

# The Penn Treebank's tokens, in which the peers' statistics were counted: "do n't", "we 'll".
_CONTRACTION = re.compile(r"(?:n['’]t|['’](?:s|m|d|re|ve|ll))\Z", re.IGNORECASE)
# Moses takes "<...>" for XML, and what follows "|" for a factor of the word.
_MOSES_SPECIAL = re.compile(r"[<>|]")

Span = Tuple[int, int]


class System(Protocol):
    """Anything that restores texts.

    name (str): How the tables of the benchmarks call it.
    """

    name: str

    def restore(self, texts: Sequence[str]) -> List[str]:
        """Restore texts: the same words, with other marks or case."""


class Floor:
    """The floor of every table: the text stays as it is."""

    name = "floor"

    def restore(self, texts: Sequence[str]) -> List[str]:
        return list(texts)


class Pipeline:
    """A pipeline of this package.

    name (str): How the tables of the benchmarks call it.
    path (Union[str, Path]): What `spacy_punctcase.load` takes.
    """

    def __init__(self, name: str, path: Union[str, Path] = "en") -> None:
        self.name = name
        self.nlp = spacy_punctcase.load(str(path))

    def restore(self, texts: Sequence[str]) -> List[str]:
        return [doc.text for doc in self.nlp.pipe(texts)]


class TokenTruecaser:
    """A truecaser that reads a sentence of tokens at a time. A token that it does not return with
    the same letters stays as it was, and the first word of a sentence gets a capital in any case.

    name (str): How the tables of the benchmarks call it.
    truecase (Callable[[List[str]], List[str]]): Returns the tokens of a sentence with case.
    """

    def __init__(self, name: str, truecase: Callable[[List[str]], List[str]]) -> None:
        self.name = name
        self.truecase = truecase

    def restore(self, texts: Sequence[str]) -> List[str]:
        return [self._restore(text) for text in texts]

    def _restore(self, text: str) -> str:
        chars = list(text)
        for sentence in tokenize(text):
            tokens = [text[start:end] for start, end in sentence]
            cased = self.truecase(tokens)
            assert len(cased) == len(tokens), (self.name, tokens, cased)
            for (start, end), token, found in zip(sentence, tokens, cased):
                if len(found) == len(token) and lower(found) == lower(token):
                    chars[start:end] = found
            first = sentence[_first_word(tokens)][0]
            chars[first] = upper(chars[first])
        return "".join(chars)


def tokenize(text: str) -> List[List[Span]]:
    """Split a text into sentences, each of them into tokens: words and marks, contractions apart.

    text (str): The text.
    RETURNS (List[List[Tuple[int, int]]]): Start and end of each token of each sentence.
    """
    words = {word.chunk: word for word in split_words(text)}
    sentences: List[List[Span]] = []
    ended = True
    for index, (start, end) in enumerate(chunks(text)):
        word = words.get(index)
        if ended and (word is not None or not sentences):
            sentences.append([])
            ended = False
        spans = sentences[-1]
        if word is None:
            spans.append((start, end))
            continue
        spans.extend((place, place + 1) for place in range(start, word.core_start))
        found = _CONTRACTION.search(text, word.core_start, word.core_end)
        if found is not None and found.start() > word.core_start:
            spans.append((word.core_start, found.start()))
            spans.append(found.span())
        else:
            spans.append((word.core_start, word.core_end))
        spans.extend((place, place + 1) for place in range(word.core_end, end))
        ended = word.mark in SENTENCE_MARKS
    return sentences


def _first_word(tokens: Sequence[str]) -> int:
    """Index of the first token that is a word, or 0 if none is."""
    return next((index for index, token in enumerate(tokens) if token[0].isalnum()), 0)


def count_spellings(texts: Iterable[str]) -> Dict[str, str]:
    """The most frequent spelling of each token of well-formed text, the first word of each
    sentence not counted.

    texts (Iterable[str]): The text.
    RETURNS (Dict[str, str]): Spellings by their lower-case form.
    """
    counts: Counter[str] = Counter()
    for text in texts:
        for sentence in tokenize(text):
            tokens = [text[start:end] for start, end in sentence]
            counts.update(tokens[_first_word(tokens) + 1 :])
    best: Dict[str, str] = {}
    for token, _ in counts.most_common():
        best.setdefault(lower(token), token)
    return best


def make_unigram(texts: Iterable[str]) -> TokenTruecaser:
    """The baseline of the truecasing literature: each word in its most frequent spelling.

    texts (Iterable[str]): Well-formed text to count in.
    RETURNS (TokenTruecaser): The system "unigram".
    """
    best = count_spellings(texts)
    return TokenTruecaser("unigram", lambda tokens: [best.get(lower(t), t) for t in tokens])


def make_truecase() -> TokenTruecaser:
    """The package `truecase`: counts of words, pairs and triples of words, after Lita et al.
    (2003). A word that it does not know gets a capital, its default.

    It chooses at random between spellings that score the same: set PYTHONHASHSEED.

    RETURNS (TokenTruecaser): The system "truecase".
    """
    from truecase import TrueCaser

    return TokenTruecaser("truecase", TrueCaser().get_true_case_from_tokens)


def make_true_case() -> TokenTruecaser:
    """The package `true-case`: how often a word began with a capital in news text.

    RETURNS (TokenTruecaser): The system "true-case": a capital where most had one.
    """
    from true_case import TrueCase

    counts = TrueCase.load()

    def truecase(tokens: List[str]) -> List[str]:
        found = counts([lower(token) for token in tokens])
        return [
            upper(token[0]) + token[1:] if (count.percentage or 0.0) > 0.5 else token
            for token, count in zip(tokens, found)
        ]

    return TokenTruecaser("true-case", truecase)


def make_moses(texts: Iterable[str], path: Union[str, Path]) -> TokenTruecaser:
    """The truecaser of Moses (Koehn et al. 2007) in the port of `sacremoses`, with the first word
    of a sentence capitalised as Moses' detruecaser does.

    Its training keeps the counts of the whole text in memory: about 0.2 GB for 1 M words.

    texts (Iterable[str]): Well-formed text to train on; not read if the model is there already.
    path (Union[str, Path]): Where the trained model is kept.
    RETURNS (TokenTruecaser): The system "moses".
    """
    from sacremoses import MosesTruecaser

    path = Path(path)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        sentences = (
            [text[start:end] for start, end in sentence]
            for text in texts
            for sentence in tokenize(text)
        )
        MosesTruecaser(is_asr=True).train(sentences, save_to=str(path))
    # Always the saved model, so that the first run is like the others.
    model = MosesTruecaser(load_from=str(path), is_asr=True)

    def truecase(tokens: List[str]) -> List[str]:
        return model.truecase(" ".join(_MOSES_SPECIAL.sub("_", token) for token in tokens))

    return TokenTruecaser("moses", truecase)
