"""Stage 1: which punctuation mark follows each word."""

import re
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Set, Tuple

import numpy
from spacy import util
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy_transformers.layers import TransformerModel
from thinc.api import Config, Model, Optimizer, glorot_uniform_init, set_dropout_rate
from thinc.types import Floats2d

from ..errors import Errors
from ..gold.align import align_words, gold_text, set_predicted, unknown_marks
from ..models.arrays import Array2d, to_numpy
from ..models.windows import make_windows, merge_windows
from ..rewrite.edits import TextBuilder
from ..rewrite.rewrite import rewrite_doc
from ..text.marks import DEFAULT_MARK_MAP, DEFAULT_MARKS, NO_MARK, check_marks, map_mark
from ..text.words import Word, model_form, split_words
from .restorer import Restorer

DEFAULT_CONFIG = """
[model]
@architectures = "spacy.Tagger.v2"
nO = null
normalize = true

[model.tok2vec]
@architectures = "spacy-transformers.Tok2VecTransformer.v3"
name = "sentence-transformers/all-MiniLM-L6-v2"
tokenizer_config = {"use_fast": true}
transformer_config = {"attention_probs_dropout_prob": 0.0, "hidden_dropout_prob": 0.0}
mixed_precision = false
grad_factor = 1.0

[model.tok2vec.get_spans]
@span_getters = "spacy-transformers.strided_spans.v1"
window = 200
stride = 160

[model.tok2vec.pooling]
@layers = "reduce_mean.v1"
"""
DEFAULT_PUNCTUATOR_MODEL = Config().from_str(DEFAULT_CONFIG)["model"]

#: Key of the predicted marks and their probabilities in `doc.user_data`.
MARKS_KEY = "punctcase_marks"


@Language.factory(
    "punctuator",
    assigns=["doc._.source_text", "token._.source_span", "token._.source_word"],
    default_config={
        "model": DEFAULT_PUNCTUATOR_MODEL,
        "marks": list(DEFAULT_MARKS),
        "mark_map": [list(pair) for pair in DEFAULT_MARK_MAP.items()],
        "window": 160,
        "stride": 120,
        "overwrite": False,
        "set_sent_starts": False,
        "precision": "auto",
        "weights_dtype": "float32",
        "scorer": {"@scorers": "spacy_punctcase.punctuation_scorer.v1"},
    },
    default_score_weights={
        "punct_micro_f": 1.0,
        "punct_micro_p": None,
        "punct_micro_r": None,
        "punct_macro_f": None,
        "punct_per_mark": None,
    },
)
def make_punctuator(
    nlp: Language,
    name: str,
    model: Model[List[Doc], List[Floats2d]],
    marks: List[str],
    mark_map: List[List[str]],
    window: int,
    stride: int,
    overwrite: bool,
    set_sent_starts: bool,
    precision: str,
    weights_dtype: str,
    scorer: Optional[Callable],
) -> "Punctuator":
    """Create a Punctuator. See the class for the arguments; in a config, `mark_map` is a list of
    pairs, since a key of a config section cannot be ":" or "=".
    """
    return Punctuator(
        nlp,
        model,
        name,
        marks=marks,
        mark_map={mark: target for mark, target in mark_map},
        window=window,
        stride=stride,
        overwrite=overwrite,
        set_sent_starts=set_sent_starts,
        precision=precision,
        weights_dtype=weights_dtype,
        scorer=scorer,
    )


class Punctuator(Restorer):
    """Trainable component that inserts punctuation marks and returns a new Doc.

    For each whitespace word the model decides which mark follows it, or none. It reads the words
    without marks and in lower case, whatever the text looks like; so a restored text restored
    again stays the same.

    nlp (Language): The pipeline, whose tokenizer makes the new Docs.
    model (Model[List[Doc], List[Floats2d]]): Probabilities of the labels, one row a token.
    name (str): Name of the component instance.
    marks (Sequence[str]): The marks to predict. With none, they are taken from the data when the
        component is initialized.
    mark_map (Mapping[str, str]): What other marks in gold text become; "" drops one.
    window (int): Words that the model reads at a time; 0 for whole Docs.
    stride (int): Words from the start of one window to that of the next.
    overwrite (bool): Take out the marks that the text already has before predicting; otherwise
        they stay, and no second one is put beside them.
    set_sent_starts (bool): Set a sentence start on each token behind a `.` or `?` (True only:
        a parser behind takes it for certain).
    precision (str): "float32", "bfloat16", or "auto": bfloat16 where the CPU is made for it.
    weights_dtype (str): Type of the torch weights on disk: "float32", "float16" or "bfloat16".
    scorer (Optional[Callable]): The scoring method.
    """

    factory = "punctuator"

    def __init__(
        self,
        nlp: Language,
        model: Model[List[Doc], List[Floats2d]],
        name: str = "punctuator",
        *,
        marks: Sequence[str] = DEFAULT_MARKS,
        mark_map: Dict[str, str] = DEFAULT_MARK_MAP,
        window: int = 160,
        stride: int = 120,
        overwrite: bool = False,
        set_sent_starts: bool = False,
        precision: str = "auto",
        weights_dtype: str = "float32",
        scorer: Optional[Callable] = None,
    ) -> None:
        if marks:
            check_marks(marks, mark_map)
        labels = [NO_MARK, *marks] if marks else []
        super().__init__(
            nlp,
            model,
            name,
            scorer=scorer,
            precision=precision,
            weights_dtype=weights_dtype,
            labels=labels,
        )
        self._check_windows(window, stride)
        self.mark_map = dict(mark_map)
        self.window = window
        self.stride = stride
        self.overwrite = overwrite
        self.set_sent_starts = set_sent_starts

    @property
    def labels(self) -> Tuple[str, ...]:
        """The labels: NO_MARK ("O") and the marks.

        RETURNS (Tuple[str, ...]): The labels.
        """
        return tuple(self.cfg["labels"])

    @property
    def label_data(self) -> Tuple[str, ...]:
        """The labels, as `spacy init labels` saves them."""
        return self.labels

    @property
    def marks(self) -> Tuple[str, ...]:
        """The labels without NO_MARK."""
        return self.labels[1:]

    def add_label(self, label: str) -> int:
        """Add a mark. Possible until the component is initialized.

        label (str): The mark, one character.
        RETURNS (int): 0 if it is a label already, otherwise 1.
        RAISES (ValueError): If the component is initialized, or the label is no mark.
        """
        if label in self.labels:
            return 0
        if self.cfg["initialized"]:
            raise ValueError(Errors.P014.format(name=self.name, label=label))
        if label != NO_MARK:
            check_marks([label], {})
        if not self.cfg["labels"] and label != NO_MARK:
            self.cfg["labels"].append(NO_MARK)
        self.cfg["labels"].append(label)
        return 1

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Optional[Language] = None,
        labels: Optional[Sequence[str]] = None,
    ) -> None:
        """Initialize the model for training.

        get_examples (Callable[[], Iterable[Example]]): Returns a representative sample.
        nlp (Language): The current pipeline.
        labels (Optional[Sequence[str]]): The labels; otherwise `marks` of the config or, where
            that is empty, the marks that the sample has and `mark_map` does not name.
        """
        validate_get_examples(get_examples, "Punctuator.initialize")
        if labels is not None:
            self.cfg["labels"] = []
        for label in labels or ():
            self.add_label(label)
        if not self.labels:
            for mark in self._find_marks(get_examples()):
                self.add_label(mark)
        check_marks(self.marks, self.mark_map)
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

    def _find_marks(self, examples: Iterable[Example]) -> List[str]:
        marks = set()
        for example in examples:
            for word in split_words(gold_text(example.reference)):
                if word.mark:
                    marks.add(self.mark_map.get(word.mark, word.mark))
        return sorted(marks - {""})

    def predict(self, docs: Iterable[Doc]) -> List[Array2d]:
        """Predict the marks of a batch of Docs, without changing them.

        docs (Iterable[Doc]): The Docs.
        RETURNS (List[Array2d]): Probabilities of the labels, shape (words, labels), for each.
        RAISES (ValueError): If the component is not trained.
        """
        self._require_trained()
        docs = list(docs)
        words = [split_words(doc.text) for doc in docs]
        if not any(words):
            return [self._no_words() for _ in docs]
        if self._has_listener():
            tokens = self._run(self.model.predict, docs)
            return [
                to_numpy(scores)[_last_tokens(doc, found)] if found else self._no_words()
                for doc, found, scores in zip(docs, words, tokens)
            ]
        windows = [make_windows(len(found), self.window, self.stride) for found in words]
        window_docs = [
            self._make_window_doc(doc, found[start:end])
            for doc, found, spans in zip(docs, words, windows)
            for start, end in spans
        ]
        outputs = self._predict_windows(window_docs)
        scores, position = [], 0
        for found, spans in zip(words, windows):
            part = outputs[position : position + len(spans)]
            position += len(spans)
            scores.append(merge_windows(len(found), spans, part) if spans else self._no_words())
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

    def _make_window_doc(self, doc: Doc, words: Sequence[Word]) -> Doc:
        text = doc.text
        return Doc(doc.vocab, words=[model_form(text, word) for word in words])

    def _has_listener(self) -> bool:
        return any(hasattr(node, "upstream_name") for node in self.model.walk())

    def set_annotations(self, docs: Iterable[Doc], scores: Iterable[Array2d]) -> None:
        """Put the predicted labels and their probabilities on the Docs; `rewrite` reads them.

        docs (Iterable[Doc]): The Docs.
        scores (Iterable[Array2d]): What `predict` returned.
        """
        for doc, found in zip(docs, scores):
            doc.user_data[MARKS_KEY] = {
                "labels": [self.labels[index] for index in found.argmax(axis=1)],
                "scores": [round(float(score), 4) for score in found.max(axis=1)],
            }

    def _annotation(self, doc: Doc) -> Optional[List[str]]:
        data = doc.user_data.get(MARKS_KEY)
        return None if data is None else data["labels"]

    def _rewrite(self, doc: Doc, found: Any) -> Doc:
        if not isinstance(found, list):
            found = [self.labels[index] for index in found.argmax(axis=1)]
        restored = self._insert_marks(doc, found, overwrite=self.overwrite)
        if self.set_sent_starts:
            _set_sentence_starts(restored)
        return restored

    def _insert_marks(self, doc: Doc, labels: Sequence[str], *, overwrite: bool) -> Doc:
        text = doc.text
        builder = TextBuilder(text)
        words = split_words(text)
        removable = {*self.marks, *self.mark_map}
        for index, (word, label) in enumerate(zip(words, labels)):
            builder.copy_to(word.core_end)
            strip = overwrite and bool(word.mark)
            if strip:
                _copy_without_marks(builder, text, word.end, removable)
            builder.copy_to(word.end)
            followed = word.followed and not strip
            if label != NO_MARK and not followed and not _ends_with(text, word, label):
                builder.insert(label)
            if strip:
                last = index + 1 == len(words)
                end = len(text) if last else words[index + 1].core_start
                _copy_without_marks(builder, text, end, removable)
        new_text, origins = builder.finish()
        make_doc = self.tokenizer(doc.vocab)
        return rewrite_doc(doc, new_text, origins, make_doc)

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optional[Optimizer] = None,
        losses: Optional[Dict[str, float]] = None,
    ) -> Dict[str, float]:
        """Learn from a batch of Examples, then hand the gold marks on to what is behind.

        examples (Iterable[Example]): The Examples. Where components are behind, their predicted
            Docs are replaced by ones with gold marks, and the references moved onto those.
        drop (float): The dropout rate.
        sgd (Optional[Optimizer]): The optimizer.
        losses (Optional[Dict[str, float]]): The losses so far.
        RETURNS (Dict[str, float]): The updated losses.
        RAISES (ValueError): If gold text has other words, or a mark that is no label.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        validate_examples(examples, "Punctuator.update")
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
                set_predicted(
                    example,
                    self._insert_marks(
                        example.predicted,
                        [NO_MARK if label is None else label for label in labels],
                        overwrite=True,
                    ),
                )
        return losses

    def _gold_labels(self, example: Example) -> List[Optional[str]]:
        """The label of each word of the predicted Doc; None where it is not known."""
        gold = gold_text(example.reference)
        unknown = set(unknown_marks(example.reference))
        labels: List[Optional[str]] = []
        for index, (_, word) in enumerate(align_words(example.predicted.text, gold)):
            core = gold[word.core_start : word.core_end]
            label = map_mark(word.mark, self.marks, self.mark_map, word=core, name=self.name)
            labels.append(None if index in unknown else label)
        return labels

    def _make_training_data(self, examples: Iterable[Example]) -> Tuple[List[Doc], List[Array2d]]:
        """Docs for the model, and one row a token: 1 at its label; all 0 without a gold label."""
        docs: List[Doc] = []
        targets: List[Array2d] = []
        whole = self._has_listener()
        for example in examples:
            doc = example.predicted
            words = split_words(doc.text)
            rows = numpy.zeros((len(words), len(self.labels)), dtype="float32")
            for index, label in enumerate(self._gold_labels(example)):
                if label is not None:
                    rows[index, self.labels.index(label)] = 1.0
            if whole:
                target = numpy.zeros((len(doc), len(self.labels)), dtype="float32")
                if words:
                    target[_last_tokens(doc, words)] = rows
                docs.append(doc)
                targets.append(target)
                continue
            for start, end in make_windows(len(words), self.window, self.window):
                docs.append(self._make_window_doc(doc, words[start:end]))
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


#: Sub-words in one call of the model. More gains nothing on a CPU and only needs memory.
_BATCH_TOKENS = 4096


_SPACE_OR_CHUNK = re.compile(r"\s+|\S+")


def _copy_without_marks(builder: TextBuilder, text: str, limit: int, removable: Set[str]) -> None:
    """Take over what is behind a word but for the marks: attached to it, attached to the next
    word, or in chunks of their own, which go with the white space in front of them.

    limit (int): End of the word's own chunk, or where the next word begins.
    """
    space: Optional[int] = None
    for match in _SPACE_OR_CHUNK.finditer(text, builder.position, limit):
        start, end = match.span()
        if text[start].isspace():
            space = start
            continue
        if text[start] in "[<":  # a tag, which comes out as it went in
            break
        kept = [position for position in range(start, end) if text[position] not in removable]
        if kept or space is None or end == limit < len(text):
            builder.copy_to(start)
        for position in kept:
            builder.skip_to(position)
            builder.copy_to(position + 1)
        builder.skip_to(end)
        space = None


def _ends_with(text: str, word: Word, mark: str) -> bool:
    """Whether the word itself ends in the mark: "u.s." takes no second dot."""
    return text[word.core_end - 1] == mark


def _last_tokens(doc: Doc, words: Sequence[Word]) -> List[int]:
    """Index of the last token of each word, the site of its prediction."""
    by_character: Dict[int, int] = {}
    for token in doc:
        for offset in range(token.idx, token.idx + len(token)):
            by_character[offset] = token.i
    return [by_character[word.core_end - 1] for word in words]


def _set_sentence_starts(doc: Doc) -> None:
    for token in doc[:-1]:
        if token.text in (".", "?") and doc[token.i + 1].is_sent_start is None:
            doc[token.i + 1].is_sent_start = True
