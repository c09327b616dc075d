"""Marks and case of each word in one network."""

from typing import (
    Any,
    Callable,
    Container,
    Dict,
    Iterable,
    List,
    Mapping,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from thinc.api import Config, Model
from thinc.types import Floats2d

from ..gold.align import align_words, gold_text
from ..rewrite.case import find_all_caps, is_all_caps, set_case
from ..rewrite.fixed import fixed_words
from ..rewrite.marks import insert_marks
from ..rewrite.rewrite import rewrite_doc
from ..text.case import casing_class, has_case, is_upper
from ..text.marks import DEFAULT_MARK_MAP, DEFAULT_MARKS, NO_MARK, check_marks
from ..text.words import Word, split_words, without_possessive
from .punctuator import DEFAULT_PUNCTUATOR_MODEL
from .word_tagger import WordTagger

DEFAULT_CONFIG = """
[model]
@architectures = "spacy_punctcase.ProductTag.v1"
"""
DEFAULT_JOINT_MODEL = {
    **Config().from_str(DEFAULT_CONFIG)["model"],
    "tok2vec": DEFAULT_PUNCTUATOR_MODEL["tok2vec"],
}

#: Key of the predicted tags and their probabilities in `doc.user_data`.
TAGS_KEY = "punctcase_tags"

LOWER, CAPITAL, UPPER = CASES = ("lower", "capital", "upper")


class Tag(NamedTuple):
    """A product tag: a mark (NO_MARK for none) and a case; written "O lower", ", capital"."""

    mark: str
    case: str

    def __str__(self) -> str:
        return f"{self.mark} {self.case}"

    @classmethod
    def parse(cls, label: str) -> "Tag":
        return cls(*label.split(" "))


@Language.factory(
    "joint_restorer",
    assigns=["doc._.source_text", "token._.source_span", "token._.source_word"],
    default_config={
        "model": DEFAULT_JOINT_MODEL,
        "marks": list(DEFAULT_MARKS),
        "mark_map": [list(pair) for pair in DEFAULT_MARK_MAP.items()],
        "mark_bias": [],
        "window": 160,
        "stride": 120,
        "overwrite": False,
        "lower_all_caps": True,
        "set_sent_starts": False,
        "precision": "auto",
        "weights_dtype": "float32",
        "scorer": {"@scorers": "spacy_punctcase.restoration_scorer.v1"},
    },
    default_score_weights={
        "punct_micro_f": 0.5,
        "punct_micro_p": None,
        "punct_micro_r": None,
        "punct_macro_f": None,
        "punct_per_mark": None,
        "case_word_f": 0.5,
        "case_word_p": None,
        "case_word_r": None,
        "case_char_f": None,
        "case_char_p": None,
        "case_char_r": None,
    },
)
def make_joint_restorer(
    nlp: Language,
    name: str,
    model: Model[List[Doc], List[Floats2d]],
    marks: List[str],
    mark_map: List[List[str]],
    mark_bias: List[List[Any]],
    window: int,
    stride: int,
    overwrite: bool,
    lower_all_caps: bool,
    set_sent_starts: bool,
    precision: str,
    weights_dtype: str,
    scorer: Optional[Callable],
) -> "JointRestorer":
    """Create a JointRestorer. See the class for the arguments; in a config, `mark_map` and
    `mark_bias` are lists of pairs, since a key of a config section cannot be ":" or "=".
    """
    return JointRestorer(
        nlp,
        model,
        name,
        marks=marks,
        mark_map={mark: target for mark, target in mark_map},
        mark_bias={mark: value for mark, value in mark_bias},
        window=window,
        stride=stride,
        overwrite=overwrite,
        lower_all_caps=lower_all_caps,
        set_sent_starts=set_sent_starts,
        precision=precision,
        weights_dtype=weights_dtype,
        scorer=scorer,
    )


class JointRestorer(WordTagger):
    """Trainable component that restores marks and case at once and returns a new Doc.

    For each whitespace word the model chooses a tag that says which mark follows it and whether
    it is lower case, Capitalised or UPPER case. Capitals inside a word ("GitHub") are beyond
    that; a `casing_ruler` behind knows them from a table.

    nlp (Language): The pipeline, whose tokenizer makes the new Docs.
    model (Model[List[Doc], List[Floats2d]]): Probabilities of the tags, one row a token.
    name (str): Name of the component instance.
    marks (Sequence[str]): The marks to predict.
    mark_map (Mapping[str, str]): What other marks in gold text become; "" drops one.
    mark_bias (Mapping[str, float]): What is added to the log probability of each mark before the
        best tag is chosen, in all its tags alike: above 0 for more of a mark (recall), below for
        fewer (precision).
    window (int): Words that the model reads at a time; 0 for whole Docs.
    stride (int): Words from the start of one window to that of the next.
    overwrite (bool): Drop the marks and the case that the text already has before predicting;
        otherwise marks and words with a capital stay as they are.
    lower_all_caps (bool): Lower segments that are all in capitals before predicting; see Truecaser.
    set_sent_starts (bool): Set a sentence start on each token behind a `.` or `?`.
    precision (str): "float32", "bfloat16", or "auto": bfloat16 where the CPU is made for it.
    weights_dtype (str): Type of the torch weights on disk: "float32", "float16", "bfloat16", or
        "int8" with a scale for each row (networks of this package; others are stored as float16).
    scorer (Optional[Callable]): The scoring method.
    """

    factory = "joint_restorer"
    annotation_key = TAGS_KEY

    def __init__(
        self,
        nlp: Language,
        model: Model[List[Doc], List[Floats2d]],
        name: str = "joint_restorer",
        *,
        marks: Sequence[str] = DEFAULT_MARKS,
        mark_map: Dict[str, str] = DEFAULT_MARK_MAP,
        mark_bias: Mapping[str, float] = {},
        window: int = 160,
        stride: int = 120,
        overwrite: bool = False,
        lower_all_caps: bool = True,
        set_sent_starts: bool = False,
        precision: str = "auto",
        weights_dtype: str = "float32",
        scorer: Optional[Callable] = None,
    ) -> None:
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
            precision=precision,
            weights_dtype=weights_dtype,
            scorer=scorer,
        )
        self.lower_all_caps = lower_all_caps

    def _make_labels(self, marks: Sequence[str]) -> List[str]:
        return [str(Tag(mark, case)) for mark in (NO_MARK, *marks) for case in CASES]

    @property
    def marks(self) -> Tuple[str, ...]:
        """The marks that are predicted."""
        found = dict.fromkeys(map(self.mark_of, self.labels))
        return tuple(mark for mark in found if mark != NO_MARK)

    def mark_of(self, label: str) -> str:
        """The mark of a tag. RETURNS (str): One of `marks`, or NO_MARK."""
        return Tag.parse(label).mark

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Optional[Language] = None,
    ) -> None:
        """Initialize the model for training.

        get_examples (Callable[[], Iterable[Example]]): Returns a representative sample.
        nlp (Language): The current pipeline.
        """
        validate_get_examples(get_examples, "JointRestorer.initialize")
        self._initialize_model(get_examples)

    def _gold_labels(self, example: Example) -> List[str]:
        gold = gold_text(example.reference)
        pairs = align_words(example.predicted.text, gold)
        return [
            str(Tag(mark, case_of(gold[word.core_start : word.core_end])))
            for mark, (_, word) in zip(self._gold_marks(example), pairs)
        ]

    def _apply(self, doc: Doc, labels: Sequence[str], *, overwrite: bool) -> Doc:
        tags = [Tag.parse(label) for label in labels]
        source = doc.text
        fixed = fixed_words(doc)
        words = [
            (word, tag)
            for word, tag in zip(split_words(source), tags)
            if not (word.protected or word.core_start in fixed)
        ]
        lowered = {word.core_start for word, _ in words} if overwrite else set()
        cased = _set_tags(source, words, lowered)
        if self.lower_all_caps and not overwrite and not source.islower():
            lower_words = [
                word.core_start
                for word, tag in words
                if tag.case != UPPER and is_all_caps(source, word)
            ]
            lowered = set(find_all_caps(source, cased, lower_words, fixed=fixed))
            cased = _set_tags(source, words, lowered)
        removable = self._removable if overwrite else ()
        text, origins = insert_marks(cased, [tag.mark for tag in tags], removable=removable)
        return rewrite_doc(doc, text, origins, self.tokenizer(doc.vocab))


def _set_tags(text: str, words: Sequence[Tuple[Word, Tag]], lowered: Container[int]) -> str:
    """The text with the case of its words' tags, but for words that have a capital already and are
    not lowered before. lowered (Container[int]): The `core_start` of those that are."""
    capitals: List[int] = []
    for word, tag in words:
        core = text[word.core_start : word.core_end]
        if word.core_start in lowered or not any(map(is_upper, core)):
            offsets = find_capitals(core, tag.case)
            capitals.extend(word.core_start + offset for offset in offsets)
    return set_case(text, capitals, lower_first=lambda word: word.core_start in lowered)


def case_of(word: str) -> str:
    """The case that comes closest to a word's spelling; that of "GitHub" is CAPITAL."""
    word = without_possessive(word)
    if casing_class(word) == "acronym":
        return UPPER
    first = next((char for char in word if has_case(char)), "")
    return CAPITAL if first and is_upper(first) else LOWER


def find_capitals(word: str, case: str) -> List[int]:
    """Which characters of a word are upper case when it is in one of CASES."""
    letters = without_possessive(word)
    cased = [offset for offset, char in enumerate(letters) if has_case(char)]
    return {LOWER: [], CAPITAL: cased[:1], UPPER: cased}[case]
