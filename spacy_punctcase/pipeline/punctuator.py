"""Stage 1: which punctuation mark follows each word."""

from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from thinc.api import Config, Model
from thinc.types import Floats2d

from ..errors import Errors, check_no_text
from ..gold.align import gold_text
from ..rewrite.marks import insert_marks
from ..rewrite.rewrite import rewrite_doc
from ..text.marks import DEFAULT_MARK_MAP, DEFAULT_MARKS, NO_MARK, check_marks
from ..text.words import split_words
from .word_tagger import WordTagger

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
        "mark_bias": [],
        "window": 160,
        "stride": 120,
        "overwrite": False,
        "set_sent_starts": False,
        "temperature": 1.0,
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
    mark_bias: List[List[Any]],
    window: int,
    stride: int,
    overwrite: bool,
    set_sent_starts: bool,
    temperature: float,
    precision: str,
    weights_dtype: str,
    scorer: Optional[Callable],
) -> "Punctuator":
    """Create a Punctuator. See the class for the arguments; in a config, `mark_map` and `mark_bias`
    are lists of pairs, since a key of a config section cannot be ":" or "=".
    """
    return Punctuator(
        nlp,
        model,
        name,
        marks=marks,
        mark_map={mark: target for mark, target in mark_map},
        mark_bias={mark: value for mark, value in mark_bias},
        window=window,
        stride=stride,
        overwrite=overwrite,
        set_sent_starts=set_sent_starts,
        temperature=temperature,
        precision=precision,
        weights_dtype=weights_dtype,
        scorer=scorer,
    )


class Punctuator(WordTagger):
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
    mark_bias (Mapping[str, float]): What is added to the log probability of each mark before the
        best label is chosen: above 0 for more of a mark (recall), below for fewer (precision).
    window (int): Words that the model reads at a time; 0 for whole Docs.
    stride (int): Words from the start of one window to that of the next.
    overwrite (bool): Take out the marks that the text already has before predicting; otherwise
        they stay, and no second one is put beside them.
    set_sent_starts (bool): Set a sentence start on each token behind a `.` or `?` (True only:
        a parser behind takes it for certain).
    temperature (float): What the log probabilities are divided by for `token._.mark_score`;
        above 1 where the model is too sure of itself (`punctcase calibrate` fits it). The marks
        stay the same.
    precision (str): "float32", "bfloat16", or "auto": bfloat16 where the CPU is made for it.
    weights_dtype (str): Type of the torch weights on disk: "float32", "float16", "bfloat16", or
        "int8" with a scale for each row (networks of this package; others are stored as float16).
    scorer (Optional[Callable]): The scoring method.
    """

    factory = "punctuator"
    annotation_key = MARKS_KEY

    def __init__(
        self,
        nlp: Language,
        model: Model[List[Doc], List[Floats2d]],
        name: str = "punctuator",
        *,
        marks: Sequence[str] = DEFAULT_MARKS,
        mark_map: Dict[str, str] = DEFAULT_MARK_MAP,
        mark_bias: Mapping[str, float] = {},
        window: int = 160,
        stride: int = 120,
        overwrite: bool = False,
        set_sent_starts: bool = False,
        temperature: float = 1.0,
        precision: str = "auto",
        weights_dtype: str = "float32",
        scorer: Optional[Callable] = None,
    ) -> None:
        if marks:
            check_marks(marks, mark_map)
        super().__init__(
            nlp,
            model,
            name,
            marks=marks,
            mark_map=mark_map,
            mark_bias=mark_bias,
            window=window,
            stride=stride,
            overwrite=overwrite,
            set_sent_starts=set_sent_starts,
            temperature=temperature,
            precision=precision,
            weights_dtype=weights_dtype,
            scorer=scorer,
        )

    def _make_labels(self, marks: Sequence[str]) -> List[str]:
        return [NO_MARK, *marks] if marks else []

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
        check_no_text("`labels`", labels)
        if labels is not None:
            self.cfg["labels"] = []
        for label in labels or ():
            self.add_label(label)
        if not self.labels:
            for mark in self._find_marks(get_examples()):
                self.add_label(mark)
        check_marks(self.marks, self.mark_map)
        self._initialize_model(get_examples)

    def _find_marks(self, examples: Iterable[Example]) -> List[str]:
        marks = set()
        for example in examples:
            for word in split_words(gold_text(example.reference)):
                if word.mark:
                    marks.add(self.mark_map.get(word.mark, word.mark))
        return sorted(marks - {""})

    def _gold_labels(self, example: Example) -> List[str]:
        return self._gold_marks(example)

    def _apply(self, doc: Doc, labels: Sequence[str], *, overwrite: bool) -> Doc:
        removable = self._removable if overwrite else ()
        text, origins = insert_marks(doc.text, labels, removable=removable)
        return rewrite_doc(doc, text, origins, self.tokenizer(doc.vocab))
