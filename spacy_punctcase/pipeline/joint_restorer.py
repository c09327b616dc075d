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
    Set,
    Tuple,
)

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from thinc.api import Config, Model
from thinc.types import Floats2d

from ..errors import Errors
from ..gold.align import align_words, gold_text
from ..models.arrays import Array2d
from ..models.joint import get_network
from ..rewrite.case import find_all_caps, is_all_caps, set_case
from ..rewrite.fixed import fixed_words
from ..rewrite.marks import insert_marks
from ..rewrite.rewrite import rewrite_doc
from ..rewrite.scores import CASE, SENTENCE_END, Scores
from ..text.case import has_case, is_upper
from ..text.marks import DEFAULT_MARK_MAP, DEFAULT_MARKS, NO_MARK, check_marks
from ..text.word_case import CAPITAL, CASES, LOWER, UPPER, case_of, find_capitals
from ..text.words import Word, split_words
from .punctuator import DEFAULT_PUNCTUATOR_MODEL
from .restorer import Decided, keep
from .word_tagger import WordTagger, sums, temper

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
        "sentence_starts": True,
        "lower_all_caps": True,
        "set_sent_starts": False,
        "temperature": 1.0,
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
    sentence_starts: bool,
    lower_all_caps: bool,
    set_sent_starts: bool,
    temperature: float,
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
        sentence_starts=sentence_starts,
        lower_all_caps=lower_all_caps,
        set_sent_starts=set_sent_starts,
        temperature=temperature,
        precision=precision,
        weights_dtype=weights_dtype,
        scorer=scorer,
    )


class JointRestorer(WordTagger):
    """Trainable component that restores marks and case at once and returns a new Doc.

    For each whitespace word the model chooses a tag that says which mark follows it and whether
    it is lower case, Capitalised or UPPER case. Capitals inside a word ("GitHub") are beyond
    that; a `casing_ruler` behind knows them from a table.

    Whatever the architecture, a model gives each tag a probability; with a head each for mark and
    case it is the product of both. Where it has a CRF these are its marginal probabilities, so the
    most probable mark of each word is chosen, not the most probable sequence: marks are scored word
    by word, no sequence of them is forbidden, and unlike the scores of whole sequences the
    probabilities of overlapping windows can be averaged, biased and calibrated.

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
    sentence_starts (bool): Begin the text, and what follows a visible mark that ends a sentence,
        with a capital, whatever the model says.
    lower_all_caps (bool): Lower segments that are all in capitals before predicting; see Truecaser.
    set_sent_starts (bool): Set a sentence start on each token behind a `.` or `?`.
    temperature (float): What the log probabilities are divided by for `token._.mark_score` and
        `token._.case_score`; above 1 where the model is too sure of itself (`punctcase calibrate`
        fits it). The text stays the same.
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
        sentence_starts: bool = True,
        lower_all_caps: bool = True,
        set_sent_starts: bool = False,
        temperature: float = 1.0,
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
            temperature=temperature,
            precision=precision,
            weights_dtype=weights_dtype,
            scorer=scorer,
        )
        self.sentence_starts = sentence_starts
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
        RAISES (ValueError): If a network that reads one vector a word gets those of the tokens of a
            whole Doc, from a listener.
        """
        validate_get_examples(get_examples, "JointRestorer.initialize")
        if get_network(self.model) is not None and self._has_listener():
            raise ValueError(Errors.P090.format(name=self.name))
        self._initialize_model(get_examples)

    def get_loss(
        self, targets: Sequence[Array2d], scores: Sequence[Array2d]
    ) -> Tuple[float, List[Array2d]]:
        """The loss over the words with a gold label: that of the architecture if it has one of its
        own, otherwise cross entropy.

        targets (Sequence[Array2d]): One-hot labels; rows of zeros get no gradient.
        scores (Sequence[Array2d]): What the model returned in training.
        RETURNS (Tuple[float, List[Array2d]]): The mean loss of a word, and the gradient of it.
        """
        if "get_loss" in self.model.attrs:
            return self.model.attrs["get_loss"](self.model, targets, scores)
        return super().get_loss(targets, scores)

    def _gold_labels(self, example: Example) -> List[str]:
        gold = gold_text(example.reference)
        pairs = align_words(example.predicted.text, gold)
        return [
            str(Tag(mark, case_of(gold[word.core_start : word.core_end])))
            for mark, (_, word) in zip(self._gold_marks(example), pairs)
        ]

    def _decide(self, doc: Doc, text: str, words: Sequence[Word], found: Array2d) -> Decided:
        tags = list(map(Tag.parse, self._best_labels(found)))
        begun: List[int] = []
        if self.sentence_starts:
            previous: Optional[Word] = None
            for index, (word, tag) in enumerate(zip(words, tags)):
                if tag.case == LOWER and self._starts_sentence(text, previous):
                    tags[index] = Tag(tag.mark, CAPITAL)
                    begun.append(index)
                is_marked = word.followed and not self.overwrite
                previous = word if is_marked else word._replace(mark=tag.mark)
        return {"labels": list(map(str, tags)), "begun": begun}

    def _score(
        self,
        doc: Doc,
        text: str,
        words: Sequence[Word],
        found: Array2d,
        decided: Decided,
    ) -> Scores:
        scores = super()._score(doc, text, words, found, decided)
        cases = sums(temper(found, self.temperature), self.labels, _case_of_label, CASES)
        tags = list(map(Tag.parse, decided["labels"]))
        chosen = [CASES.index(tag.case) for tag in tags]
        open_words = self._open_words(doc, words, tags)
        lowered = self._find_lowered(doc, text, open_words, overwrite=self.overwrite)
        changed = {word.core_start for word, _ in open_words if _may_change(text, word, lowered)}
        is_open = [
            word.core_start in changed and any(map(has_case, text[word.core_start : word.core_end]))
            for word in words
        ]
        sure = cases[range(len(chosen)), chosen].tolist()
        for index in decided["begun"]:
            # As sure as the end of the sentence in front is; one that was there is certain.
            end = scores[SENTENCE_END][index - 1] if index else None
            sure[index] = 1.0 if end is None else end
        scores[CASE] = keep(sure, is_open)
        return scores

    def _open_words(
        self, doc: Doc, words: Sequence[Word], tags: Sequence[Tag]
    ) -> List[Tuple[Word, Tag]]:
        """The words whose case is not settled, with their tags."""
        fixed = fixed_words(doc)
        return [
            (word, tag)
            for word, tag in zip(words, tags)
            if not (word.protected or word.core_start in fixed)
        ]

    def _find_lowered(
        self, doc: Doc, text: str, words: Sequence[Tuple[Word, Tag]], *, overwrite: bool
    ) -> Set[int]:
        """The `core_start` of the words to put in lower case before their tags are set."""
        if overwrite:
            return {word.core_start for word, _ in words}
        if not self.lower_all_caps or text.islower():
            return set()
        lower_words = [
            word.core_start for word, tag in words if tag.case != UPPER and is_all_caps(text, word)
        ]
        cased = _set_tags(text, words, ())
        return set(find_all_caps(text, cased, lower_words, fixed=fixed_words(doc)))

    def _apply(self, doc: Doc, labels: Sequence[str], *, overwrite: bool) -> Doc:
        tags = [Tag.parse(label) for label in labels]
        source = doc.text
        words = self._open_words(doc, split_words(source), tags)
        lowered = self._find_lowered(doc, source, words, overwrite=overwrite)
        cased = _set_tags(source, words, lowered)
        removable = self._removable if overwrite else ()
        text, origins = insert_marks(cased, [tag.mark for tag in tags], removable=removable)
        return rewrite_doc(doc, text, origins, self.tokenizer(doc.vocab))


def _set_tags(text: str, words: Sequence[Tuple[Word, Tag]], lowered: Container[int]) -> str:
    """The text with the case of its words' tags, but for words that have a capital already and are
    not lowered before. lowered (Container[int]): The `core_start` of those that are."""
    capitals: List[int] = []
    for word, tag in words:
        if _may_change(text, word, lowered):
            offsets = find_capitals(text[word.core_start : word.core_end], tag.case)
            capitals.extend(word.core_start + offset for offset in offsets)
    return set_case(text, capitals, lower_first=lambda word: word.core_start in lowered)


def _may_change(text: str, word: Word, lowered: Container[int]) -> bool:
    return word.core_start in lowered or not any(
        map(is_upper, text[word.core_start : word.core_end])
    )


def _case_of_label(label: str) -> str:
    return Tag.parse(label).case
