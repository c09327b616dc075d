"""What the components that give each whitespace word one label have in common."""

import math
from numbers import Real
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple
from unicodedata import combining

import numpy
from spacy import util
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_examples
from spacy_transformers.layers import TransformerModel
from thinc.api import Model, Optimizer, glorot_uniform_init, set_dropout_rate
from thinc.types import Floats2d

from ..errors import Errors
from ..gold.align import align_words, gold_text, set_predicted, unknown_marks
from ..models.arrays import Array2d, to_numpy
from ..models.windows import make_windows, merge_windows
from ..rewrite.scores import MARK, OTHER_MARK, SENTENCE_END, Scores
from ..text.marks import NO_MARK, SENTENCE_MARKS, map_mark
from ..text.words import Word, model_form, split_words
from .restorer import Decided, Restorer, keep

# Windows to make before the model runs: enough for batches of one length, and a Doc of any length
# needs no more memory for them.
_WINDOWS_AT_A_TIME = 128
# Sub-words in one call of the model. More gains nothing on a CPU and only needs memory.
_BATCH_TOKENS = 4096


class WordTagger(Restorer):
    """Base class of restorers that choose one label for each whitespace word.

    The model reads the words without marks and in lower case, whatever the text looks like; so a
    restored text restored again stays the same. Subclasses define `labels`, `_gold_labels` and
    `_apply`, and call `_initialize_model` when they are initialized.
    """

    def __init__(
        self,
        nlp: Language,
        model: Model[List[Doc], List[Floats2d]],
        name: str,
        *,
        marks: Sequence[str],
        mark_map: Mapping[str, str],
        mark_bias: Mapping[str, float],
        window: int,
        stride: int,
        overwrite: bool,
        set_sent_starts: bool,
        temperature: float,
        precision: str,
        weights_dtype: str,
        scorer: Optional[Callable],
    ) -> None:
        super().__init__(
            nlp,
            model,
            name,
            scorer=scorer,
            temperature=temperature,
            precision=precision,
            weights_dtype=weights_dtype,
            labels=self._make_labels(marks),
        )
        self._check_windows(window, stride)
        self.mark_map = dict(mark_map)
        self.mark_bias = mark_bias
        self.window = window
        self.stride = stride
        self.overwrite = overwrite
        self.set_sent_starts = set_sent_starts

    def _make_labels(self, marks: Sequence[str]) -> List[str]:
        raise NotImplementedError

    def _gold_labels(self, example: Example) -> List[str]:
        """The label of each word of the predicted Doc."""
        raise NotImplementedError

    def _apply(self, doc: Doc, labels: Sequence[str], *, overwrite: bool) -> Doc:
        """The Doc that the labels of its words make."""
        raise NotImplementedError

    @property
    def labels(self) -> Tuple[str, ...]:
        """The labels, in the order of the model's outputs.

        RETURNS (Tuple[str, ...]): The labels.
        """
        return tuple(self.cfg["labels"])

    @property
    def label_data(self) -> Tuple[str, ...]:
        """The labels, as `spacy init labels` saves them."""
        return self.labels

    @property
    def marks(self) -> Tuple[str, ...]:
        """The marks that are predicted."""
        raise NotImplementedError

    @property
    def mark_bias(self) -> Mapping[str, float]:
        """What is added to the log probability of each mark before the best label is chosen: above
        0 for more of a mark, below for fewer.

        RETURNS (Mapping[str, float]): The bias by mark; 0 for marks that are not in it.
        """
        return self._mark_bias

    @mark_bias.setter
    def mark_bias(self, bias: Mapping[str, float]) -> None:
        if self.labels:  # otherwise the marks are not known yet
            self._check_bias(bias)
        self._mark_bias = dict(bias)

    def _check_bias(self, bias: Mapping[str, float]) -> None:
        for mark, value in bias.items():
            if mark not in self.marks:
                raise ValueError(
                    Errors.P045.format(name=self.name, mark=mark, marks=list(self.marks))
                )
            if not isinstance(value, Real) or not math.isfinite(value):
                raise ValueError(
                    Errors.P006.format(
                        setting="mark_bias",
                        name=self.name,
                        expected="a finite number for each mark",
                        value=value,
                    )
                )

    def mark_of(self, label: str) -> str:
        """The mark that a label stands for.

        label (str): One of `labels`.
        RETURNS (str): One of `marks`, or NO_MARK.
        """
        return label

    def _initialize_model(self, get_examples: Callable[[], Iterable[Example]]) -> None:
        self._check_bias(self.mark_bias)
        docs: List[Doc] = []
        targets: List[Array2d] = []
        for example, _ in zip(get_examples(), range(10)):
            for doc, target in zip(*self._make_training_data([example])):
                docs.append(doc)
                targets.append(self.model.ops.asarray(target))
        self.model.initialize(X=docs, Y=targets)
        self._initialize_head(targets)
        self.cfg["initialized"] = True

    def _initialize_head(self, targets: Sequence[Array2d]) -> None:
        """Start from the frequencies of the labels, with weights that let a gradient through.

        `spacy.Tagger.v2` starts from zeros; at the small learning rate that a transformer needs,
        hundreds of steps would pass before it has learnt that most words have no mark.
        """
        if not self.model.has_ref("output_layer"):
            return
        head = self.model.get_ref("output_layer")
        if not (head.has_param("W") and head.has_param("b")) or head.get_param("W").any():
            return
        counts = 1.0 + sum(target.sum(axis=0) for target in targets)
        head.set_param("b", self.model.ops.xp.log(counts / counts.sum()).astype("float32"))
        head.set_param("W", glorot_uniform_init(self.model.ops, head.get_param("W").shape))

    def predict(self, docs: Iterable[Doc]) -> List[Array2d]:
        """Predict the labels of a batch of Docs, without changing them.

        docs (Iterable[Doc]): The Docs.
        RETURNS (List[Array2d]): Probabilities of the labels, shape (words, labels), for each.
        RAISES (ValueError): If the component is not trained.
        """
        self._require_trained()
        docs = list(docs)
        # `Doc.text` is put together anew each time: in a loop over windows it would be quadratic.
        texts = [doc.text for doc in docs]
        words = list(map(split_words, texts))
        if not any(words):
            return [self._no_words() for _ in docs]
        if self._has_listener():
            tokens = self._run(self.model.predict, docs)
            return [
                to_numpy(scores)[_last_tokens(doc, found)] if found else self._no_words()
                for doc, found, scores in zip(docs, words, tokens)
            ]
        windows = [make_windows(len(found), self.window, self.stride) for found in words]
        window_docs = (
            self._make_window_doc(doc, text, found[start:end])
            for doc, text, found, spans in zip(docs, texts, words, windows)
            for start, end in spans
        )
        outputs: List[Array2d] = []
        for part in util.minibatch(window_docs, _WINDOWS_AT_A_TIME):
            outputs += self._predict_windows(part)
        scores, position = [], 0
        for found, spans in zip(words, windows):
            ours = outputs[position : position + len(spans)]
            position += len(spans)
            scores.append(merge_windows(len(found), spans, ours) if spans else self._no_words())
        return scores

    def _no_words(self) -> Array2d:
        return numpy.zeros((0, len(self.labels)), dtype="float32")

    def _predict_windows(self, docs: List[Doc]) -> List[Array2d]:
        """Run the model on windows of the same length together.

        Padding changes the last digits of what a transformer puts out, in bfloat16 enough for
        another label now and then. Without any a Doc's result does not depend on its batch.
        """
        groups: Dict[int, List[int]] = {}
        for index, length in enumerate(self._sequence_lengths(docs)):
            groups.setdefault(length, []).append(index)
        outputs: List[Any] = [None] * len(docs)
        for length, members in groups.items():
            size = max(1, _BATCH_TOKENS // max(1, length))
            for batch in util.minibatch(members, size):
                scores = self._run(self.model.predict, [docs[index] for index in batch])
                for index, output in zip(batch, scores):
                    outputs[index] = to_numpy(output)
        return outputs

    def _sequence_lengths(self, docs: List[Doc]) -> List[int]:
        """Number of sub-words of each Doc, or 0 where the model pads nothing."""
        for node in self.model.walk():
            if isinstance(node, TransformerModel):
                return list(map(len, node.tokenizer([doc.text for doc in docs])["input_ids"]))
        return [0] * len(docs)

    def _make_window_doc(self, doc: Doc, text: str, words: Sequence[Word]) -> Doc:
        return Doc(doc.vocab, words=[model_form(text, word) for word in words])

    def _has_listener(self) -> bool:
        return any(hasattr(node, "upstream_name") for node in self.model.walk())

    def _decide(self, doc: Doc, text: str, words: Sequence[Word], found: Array2d) -> Decided:
        return {"labels": self._best_labels(found)}

    def _best_labels(self, scores: Array2d) -> List[str]:
        return [self.labels[index] for index in self._choose(scores)]

    def _choose(self, scores: Array2d) -> numpy.ndarray:
        """The index of the best label of each word."""
        if not any(self.mark_bias.values()):
            return scores.argmax(axis=1)
        # Once more: the labels may have been loaded after the bias was set.
        self._check_bias(self.mark_bias)
        bias = [self.mark_bias.get(self.mark_of(label), 0.0) for label in self.labels]
        return (log_probabilities(scores) + bias).argmax(axis=1)

    def _score(
        self,
        doc: Doc,
        text: str,
        words: Sequence[Word],
        found: Array2d,
        decided: Decided,
    ) -> Scores:
        """The probability of each mark that was chosen, the bias left out: that says which errors
        are the lesser evil, not what is true."""
        marks = [NO_MARK, *self.marks]
        probabilities = sums(temper(found, self.temperature), self.labels, self.mark_of, marks)
        chosen = [marks.index(self.mark_of(label)) for label in decided["labels"]]
        rows = numpy.arange(len(chosen))
        scores = probabilities[rows, chosen].tolist()
        ends = [index for index, mark in enumerate(marks) if mark in SENTENCE_MARKS]
        sentence_ends = probabilities[:, ends].sum(axis=1).tolist()
        probabilities[rows, chosen] = -1.0
        others = probabilities.argmax(axis=1).tolist()
        # A mark that is there stays, unless it is taken out first; so does what a dash follows.
        is_open = [not word.followed or (self.overwrite and bool(word.mark)) for word in words]
        return {
            MARK: keep(scores, is_open),
            OTHER_MARK: keep([marks[index] for index in others], is_open),
            SENTENCE_END: keep(sentence_ends, is_open),
        }

    def _make_doc(self, doc: Doc, decided: Decided) -> Doc:
        restored = self._apply(doc, decided["labels"], overwrite=self.overwrite)
        if self.set_sent_starts:
            _set_sentence_starts(restored)
        return restored

    @property
    def _removable(self) -> Sequence[str]:
        """The marks that `overwrite` takes out of a text."""
        return [*self.marks, *self.mark_map]

    def _gold_marks(self, example: Example) -> List[str]:
        """The mark behind each word of the predicted Doc, as a label; NO_MARK for none."""
        gold = gold_text(example.reference)
        return [
            map_mark(
                word.mark,
                self.marks,
                self.mark_map,
                word=gold[word.core_start : word.core_end],
                name=self.name,
            )
            for _, word in align_words(example.predicted.text, gold)
        ]

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optional[Optimizer] = None,
        losses: Optional[Dict[str, float]] = None,
    ) -> Dict[str, float]:
        """Learn from a batch of Examples, then hand the gold text on to what is behind.

        examples (Iterable[Example]): The Examples. Where components are behind, their predicted
            Docs are replaced by ones with the gold labels, and the references moved onto those.
        drop (float): The dropout rate.
        sgd (Optional[Optimizer]): The optimizer.
        losses (Optional[Dict[str, float]]): The losses so far.
        RETURNS (Dict[str, float]): The updated losses.
        RAISES (ValueError): If gold text has other words, or a mark that is no label.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        validate_examples(examples, f"{type(self).__name__}.update")
        examples = list(examples)
        docs, targets = self._make_training_data(examples)
        if any(len(doc) for doc in docs):
            set_dropout_rate(self.model, drop)
            scores, backprop = self._run(self.model.begin_update, docs)
            loss, d_scores = self.get_loss(targets, scores)
            backprop(d_scores)
            if sgd not in (None, False):
                self.finish_update(sgd)
            losses[self.name] += loss
        if self._is_followed():
            for example in examples:
                labels = self._gold_labels(example)
                set_predicted(example, self._apply(example.predicted, labels, overwrite=True))
        return losses

    def _make_training_data(self, examples: Iterable[Example]) -> Tuple[List[Doc], List[Array2d]]:
        """Docs for the model, and one row a token: 1 at its label; all 0 where no gold mark is
        known."""
        docs: List[Doc] = []
        targets: List[Array2d] = []
        whole = self._has_listener()
        for example in examples:
            doc = example.predicted
            text = doc.text
            words = split_words(text)
            rows = numpy.zeros((len(words), len(self.labels)), dtype="float32")
            labels = self._gold_labels(example)
            rows[range(len(words)), [self.labels.index(label) for label in labels]] = 1.0
            rows[unknown_marks(example.reference)] = 0.0
            if whole:
                target = numpy.zeros((len(doc), len(self.labels)), dtype="float32")
                if words:
                    target[_last_tokens(doc, words)] = rows
                docs.append(doc)
                targets.append(target)
                continue
            for start, end in make_windows(len(words), self.window, self.window):
                docs.append(self._make_window_doc(doc, text, words[start:end]))
                targets.append(rows[start:end])
        return docs, targets

    def get_loss(
        self, targets: Sequence[Array2d], scores: Sequence[Array2d]
    ) -> Tuple[float, List[Array2d]]:
        """Cross entropy over the words with a gold label.

        targets (Sequence[Array2d]): One-hot labels; rows of zeros get no gradient.
        scores (Sequence[Array2d]): The model's probabilities, of the same shapes.
        RETURNS (Tuple[float, List[Array2d]]): The mean loss of a word, and the gradient of it
            with respect to the logits.
        """
        gold: List[Array2d] = [self.model.ops.asarray(target) for target in targets]
        count = max(1.0, sum(float(target.sum()) for target in gold))
        loss = 0.0
        gradients = []
        for target, score in zip(gold, scores):
            known = target.sum(axis=1, keepdims=True)
            gradients.append((score - target) * known / count)
            likelihood = (score * target).sum(axis=1)[known[:, 0] > 0]
            loss -= float(self.model.ops.xp.log(likelihood + 1e-9).sum())
        return loss / count, gradients


def log_probabilities(scores: Array2d) -> numpy.ndarray:
    """Logarithms of what `predict` returned, -inf for 0. In float64, where probabilities that
    differ still do so."""
    with numpy.errstate(divide="ignore"):
        return numpy.log(scores.astype("float64"))


def temper(scores: Array2d, temperature: float) -> numpy.ndarray:
    """Probabilities made less extreme by a temperature above 1, more so by one below.

    scores (Array2d): What `predict` returned, shape (words, labels).
    temperature (float): What log probabilities are divided by.
    RETURNS (ndarray): Probabilities of the same shape, in float64.
    """
    scores = scores.astype("float64")
    if temperature != 1.0:
        # Of the best label 1, so that not all become 0 however low the temperature is.
        scores = (scores / scores.max(axis=1, keepdims=True)) ** (1.0 / temperature)
    return scores / scores.sum(axis=1, keepdims=True)


def sums(
    scores: Array2d, labels: Sequence[str], part_of: Callable[[str], str], parts: Sequence[str]
) -> numpy.ndarray:
    """Probabilities of what labels have in common, such as the mark of a tag of mark and case.

    scores (Array2d): Probabilities of the labels, shape (words, labels).
    labels (Sequence[str]): The labels.
    part_of (Callable[[str], str]): The part of a label.
    parts (Sequence[str]): All parts.
    RETURNS (ndarray): Shape (words, parts).
    """
    found = numpy.zeros((len(labels), len(parts)))
    found[range(len(labels)), [parts.index(part_of(label)) for label in labels]] = 1.0
    return scores @ found


def _last_tokens(doc: Doc, words: Sequence[Word]) -> List[int]:
    """Index of the last token of each word, the site of its prediction."""
    by_character: Dict[int, int] = {}
    for token in doc:
        for offset in range(token.idx, token.idx + len(token)):
            by_character[offset] = token.i
    return [by_character[word.core_end - 1] for word in words]


def _set_sentence_starts(doc: Doc) -> None:
    for token in doc[:-1]:
        if _is_sentence_end(token.text) and doc[token.i + 1].is_sent_start is None:
            doc[token.i + 1].is_sent_start = True


def _is_sentence_end(token: str) -> bool:
    # The tokenizer's rules take no mark off a letter with an accent of its own ("là." decomposed).
    return token in (".", "?") or (token[-1] in ".?" and combining(token[-2]) > 0)
