"""Stage 2: upper or lower case for each character."""

import random
import unicodedata
from pathlib import Path
from typing import (
    Callable,
    Collection,
    Dict,
    Iterable,
    List,
    Optional,
    Sequence,
    Tuple,
    Union,
)

import numpy
import srsly
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from thinc.api import Config, Model, Optimizer
from thinc.types import Floats1d, Ints2d

from ..errors import Errors
from ..gold.align import STARTS_WITHIN, align_words, gold_text, set_predicted
from ..gold.prior import CasingPrior, unknown_codes
from ..models.arrays import Array1d, sigmoid, to_numpy
from ..models.canine import max_window
from ..models.windows import make_windows, merge_windows
from ..rewrite.case import find_all_caps, is_all_caps, set_case
from ..rewrite.fixed import fixed_words
from ..rewrite.rewrite import rewrite_doc
from ..rewrite.scores import CASE, SENTENCE_END, Scores, get_scores
from ..text.case import has_case, is_upper, lower, upper
from ..text.marks import DEFAULT_MARK_MAP, SENTENCE_MARKS
from ..text.words import Word, model_form, model_form_offsets, split_words, without_possessive
from .restorer import Decided, Restorer, keep

DEFAULT_CONFIG = """
[model]
@architectures = "spacy_punctcase.CanineTruecaser.v1"
hidden_size = 192
num_layers = 4
num_heads = 2
intermediate_size = 768
num_hash_buckets = 2048
max_length = 1024
lstm_layers = 1
dropout = 0.1
use_prior = false
mixed_precision = false
"""
DEFAULT_TRUECASER_MODEL = Config().from_str(DEFAULT_CONFIG)["model"]

#: Key of the predicted capitals in `doc.user_data`.
CAPITALS_KEY = "punctcase_capitals"
#: Probability of upper case that no letter but the first may have in a word that is surely not
#: an acronym. Rare acronyms ("KPMG") get more.
SURELY_LOWER = 0.25
#: File of the prior in the component's folder.
PRIOR_FILE = "prior"


@Language.factory(
    "truecaser",
    assigns=["doc._.source_text", "token._.source_span", "token._.source_word"],
    default_config={
        "model": DEFAULT_TRUECASER_MODEL,
        "window": 378,
        "stride": 288,
        "threshold": 0.5,
        "inner_threshold": 0.8,
        "sentence_starts": True,
        "mark_noise": 0.15,
        "overwrite": False,
        "lower_all_caps": True,
        "temperature": 1.0,
        "precision": "auto",
        "weights_dtype": "float32",
        "scorer": {"@scorers": "spacy_punctcase.casing_scorer.v1"},
    },
    default_score_weights={
        "case_word_f": 1.0,
        "case_word_p": None,
        "case_word_r": None,
        "case_char_f": None,
        "case_char_p": None,
        "case_char_r": None,
    },
)
def make_truecaser(
    nlp: Language,
    name: str,
    model: Model[List[Ints2d], List[Floats1d]],
    window: int,
    stride: int,
    threshold: float,
    inner_threshold: float,
    sentence_starts: bool,
    mark_noise: float,
    overwrite: bool,
    lower_all_caps: bool,
    temperature: float,
    precision: str,
    weights_dtype: str,
    scorer: Optional[Callable],
) -> "Truecaser":
    """Create a Truecaser. See the class for the arguments."""
    return Truecaser(
        nlp,
        model,
        name,
        window=window,
        stride=stride,
        threshold=threshold,
        inner_threshold=inner_threshold,
        sentence_starts=sentence_starts,
        mark_noise=mark_noise,
        overwrite=overwrite,
        lower_all_caps=lower_all_caps,
        temperature=temperature,
        precision=precision,
        weights_dtype=weights_dtype,
        scorer=scorer,
    )


class Truecaser(Restorer):
    """Trainable component that restores case and returns a new Doc.

    For each character the model decides between upper and lower case, so that "NASA", "McDonald"
    and "AssemblyAI" are all within reach. It reads the words in lower case with the marks between
    them; URLs, e-mail addresses, hashtags and recognisers' tags keep their case.

    nlp (Language): The pipeline, whose tokenizer makes the new Docs.
    model (Model[List[Ints2d], List[Floats1d]]): From code points and codes of the
        prior, (length, 2), to logits of "upper case".
    name (str): Name of the component instance.
    window (int): Characters that the model reads at a time; 378 and CANINE's padding are three
        of the chunks of its local attention. A longer word stays as it is.
    stride (int): Characters from the start of one window to that of the next.
    threshold (float): Probability from which a character is taken for upper case. Lower it where
        a model misses more names than it makes up.
    inner_threshold (float): How sure the model must be of every letter of a word with capitals
        inside ("GitHub"). Below it the word gets the most probable of the plain shapes: lower,
        Capital, UPPER. A slip inside a word looks worse than no capital at all.
    sentence_starts (bool): Begin the text, and what follows a visible mark that ends a sentence,
        with a capital whatever the model says, unless it is sure of an inner capital ("iPhone").
        Behind an abbreviation that the tokenizer knows ("Dr.") the model decides.
    mark_noise (float): Share of the gold marks dropped or moved to a neighbour in training, since
        at run time the marks are predicted ones.
    overwrite (bool): Lower the case that the text already has before predicting; otherwise a
        word that has a capital stays as it is.
    lower_all_caps (bool): Lower segments that are all in capitals (headlines, captions) before
        predicting: a text, or one or more of its lines, or a run of words within a line, in which
        the model is sure that at least two words (within a line four) and half of them should
        not be. "FBI CIA" and a stressed "NOT" stay.
    temperature (float): What the log odds are divided by for `token._.case_score`; above 1 where
        the model is too sure of itself (`punctcase calibrate` fits it). The case stays the same.
    precision (str): "float32", "bfloat16", or "auto": bfloat16 where the CPU is made for it.
    weights_dtype (str): Type of the torch weights on disk: "float32", "float16", "bfloat16", or
        "int8" with a scale for each row (networks of this package; others are stored as float16).
    scorer (Optional[Callable]): The scoring method.
    """

    factory = "truecaser"
    annotation_key = CAPITALS_KEY
    decision_key = "offsets"

    def __init__(
        self,
        nlp: Language,
        model: Model[List[Ints2d], List[Floats1d]],
        name: str = "truecaser",
        *,
        window: int = 378,
        stride: int = 288,
        threshold: float = 0.5,
        inner_threshold: float = 0.8,
        sentence_starts: bool = True,
        mark_noise: float = 0.15,
        overwrite: bool = False,
        lower_all_caps: bool = True,
        temperature: float = 1.0,
        precision: str = "auto",
        weights_dtype: str = "float32",
        scorer: Optional[Callable] = None,
    ) -> None:
        super().__init__(
            nlp,
            model,
            name,
            scorer=scorer,
            temperature=temperature,
            precision=precision,
            weights_dtype=weights_dtype,
        )
        self._check_windows(window, stride)
        if not 0 < threshold < 1:
            raise ValueError(
                Errors.P006.format(
                    setting="threshold", name=name, expected="between 0 and 1", value=threshold
                )
            )
        self.window = window
        self.stride = stride
        self.threshold = threshold
        self.inner_threshold = inner_threshold
        self.sentence_starts = sentence_starts
        self.mark_noise = mark_noise
        self.overwrite = overwrite
        self.lower_all_caps = lower_all_caps
        self.prior = CasingPrior()
        self._check_model()

    def _check_model(self) -> None:
        maximum = max_window(self.model)
        if maximum is not None and not 0 < self.window <= maximum:
            raise ValueError(Errors.P013.format(name=self.name, maximum=maximum, value=self.window))

    @property
    def labels(self) -> Tuple[str, ...]:
        """The two labels of a character. RETURNS (Tuple[str, ...]): The labels."""
        return ("lower", "upper")

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Optional[Language] = None,
        encoder_loader: Optional[Callable[[Model], Model]] = None,
        prior: Optional[CasingPrior] = None,
    ) -> None:
        """Initialize the model for training.

        get_examples (Callable[[], Iterable[Example]]): Returns a representative sample.
        nlp (Language): The current pipeline.
        encoder_loader (Optional[Callable]): Loads pretrained weights into the encoder; without
            it training starts from random ones.
        prior (Optional[CasingPrior]): How training text spells words, for a model that reads it:
            `spacy_punctcase.CasingPrior.v1`.
        """
        validate_get_examples(get_examples, "Truecaser.initialize")
        if encoder_loader is not None:
            encoder_loader(self.model)
            self._check_model()
        if prior is not None:
            self.prior = prior
        self.model.initialize()
        self.cfg["initialized"] = True

    def predict(self, docs: Iterable[Doc]) -> List[Array1d]:
        """Predict the case of a batch of Docs, without changing them.

        docs (Iterable[Doc]): The Docs.
        RETURNS (List[Array1d]): For each Doc the probability of upper case of each character of
            its text; 0 where none is predicted.
        RAISES (ValueError): If the component is not trained.
        """
        self._require_trained()
        inputs = [
            _ModelText(doc.text, split_words(doc.text), self.prior.codes, lead=_LEAD)
            for doc in docs
        ]
        windows = [make_windows(len(found.codes), self.window, self.stride) for found in inputs]
        parts = [
            found.codes[start:end] for found, spans in zip(inputs, windows) for start, end in spans
        ]
        logits = self._run(self.model.predict, parts) if parts else []
        outputs, position = [], 0
        for found, spans in zip(inputs, windows):
            probabilities = numpy.zeros(found.length, dtype="float32")
            part = [sigmoid(to_numpy(y)) for y in logits[position : position + len(spans)]]
            position += len(spans)
            if part:
                merged = merge_windows(len(found.codes), spans, part)
                known = found.positions >= 0
                probabilities[found.positions[known]] = merged[known]
            outputs.append(probabilities)
        return outputs

    def _decide(self, doc: Doc, text: str, words: Sequence[Word], found: Array1d) -> Decided:
        fixed = fixed_words(doc)
        lowered: List[int] = []
        if self.overwrite:
            lowered = [word.core_start for word in words if self._may_change(word)]
            lowered = [start for start in lowered if start not in fixed]
        capitals = self._find_capitals(text, words, found, lowered, fixed)
        if self.lower_all_caps and not self.overwrite and not text.islower():
            restored = set_case(text, capitals)
            sure = [
                word.core_start
                for word in words
                if self._may_change(word)
                and is_all_caps(text, word)
                and _is_surely_lower(found[word.core_start : word.core_end])
            ]
            lowered = find_all_caps(text, restored, sure, fixed=fixed)
            if lowered:
                capitals = self._find_capitals(text, words, found, lowered, fixed)
        return {"offsets": capitals, "lowered": lowered}

    def _score(
        self,
        doc: Doc,
        text: str,
        words: Sequence[Word],
        found: Array1d,
        decided: Decided,
    ) -> Scores:
        """The probability of the case of each word: that of its least sure letter, but no more
        than that of what is in front of it, the end of a sentence or none, on which it depends.
        The model takes the marks for certain, and most wrong capitals come from wrong ones."""
        is_capital = numpy.zeros(len(text), dtype=bool)
        is_capital[decided["offsets"]] = True
        fixed, lowered = fixed_words(doc), set(decided["lowered"])
        stays = [not self._may_change(word) or word.core_start in fixed for word in words]
        is_lowered = [word.core_start in lowered for word in words]
        sure = self._least_sure_letters(text, words, found, is_capital, stays, is_lowered)
        starts = is_capital[[word.core_start for word in words]].tolist()
        ends = get_scores(doc, words, SENTENCE_END)
        scores: List[Optional[float]] = []
        limit, is_behind_end = 1.0, False
        for word, score, is_name, end in zip(words, sure, starts, ends):
            # A name within a sentence would have its capital at the start of one, too.
            is_free = is_name and not is_behind_end
            scores.append(score if score is None or is_free else min(score, limit))
            is_behind_end = word.mark in SENTENCE_MARKS
            # A mark that was in the input is certain.
            limit = 1.0 if end is None else end if is_behind_end else 1.0 - end
        return {CASE: scores}

    def _least_sure_letters(
        self,
        text: str,
        words: Sequence[Word],
        found: Array1d,
        is_capital: Array1d,
        stays: Sequence[bool],
        is_lowered: Sequence[bool],
    ) -> List[Optional[float]]:
        """The probability of the case of the least sure letter of each word; None for words that
        stay as they are, as those with a capital do that are not lowered before."""
        if not words:
            return []
        probabilities = numpy.clip(found.astype("float64"), _LEAST, 1 - _LEAST)
        log_odds = numpy.log(probabilities / (1 - probabilities)) / self.temperature
        # The logistic function, which in this form does not overflow.
        sure = (1.0 + numpy.tanh(numpy.where(is_capital, log_odds, -log_odds) / 2)) / 2
        chars, lowered, raised = map(_code_points, (text, lower(text), upper(text)))
        sure[lowered == raised] = _NO_CASE
        edges = [edge for word in words for edge in (word.core_start, word.core_end)]
        # One more element, since the last word may end where the text does.
        least = numpy.minimum.reduceat(numpy.append(sure, _NO_CASE), edges)[::2]
        has_upper = numpy.maximum.reduceat(numpy.append(chars != lowered, False), edges)[::2]
        has_upper &= ~numpy.asarray(is_lowered)
        closed = numpy.logical_or(has_upper, stays) | (least == _NO_CASE)
        return keep(least.tolist(), ~closed)

    def _find_capitals(
        self,
        text: str,
        words: Sequence[Word],
        probabilities: Array1d,
        lowered: Collection[int] = (),
        fixed: Collection[int] = (),
    ) -> List[int]:
        """Offsets of the characters to put in upper case: none in words that have a capital
        already, unless they are `lowered` before, and none in `fixed` ones."""
        capitals: List[int] = []
        lowered = set(lowered)
        # In terms of odds, so that the threshold comes to lie at one half.
        upper_odds = probabilities * (1 - self.threshold)
        probabilities = upper_odds / (upper_odds + (1 - probabilities) * self.threshold)
        likely = probabilities > 0.5
        previous: Optional[Word] = None
        for word in words:
            is_start = self.sentence_starts and self._starts_sentence(text, previous)
            previous = word
            if not self._may_change(word) or word.core_start in fixed:
                continue
            if not is_start and not likely[word.core_start : word.core_end].any():
                continue
            core = text[word.core_start : word.core_end]
            if word.core_start not in lowered and any(map(is_upper, core)):
                continue
            for segment in _segments(core):
                offsets = numpy.asarray(segment) + word.core_start
                shape = decode_case(probabilities[offsets], self.inner_threshold)
                is_first = not any(map(str.isalnum, core[: segment[0]]))
                if is_start and is_first and not shape.any():
                    shape[0] = True
                capitals.extend(offsets[shape].tolist())
        return capitals

    def _make_doc(self, doc: Doc, decided: Decided) -> Doc:
        return self._set_case(doc, decided["offsets"], decided["lowered"])

    def _set_case(self, doc: Doc, capitals: Sequence[int], lowered: Iterable[int]) -> Doc:
        starts = set(lowered)
        text = set_case(doc.text, capitals, lower_first=lambda word: word.core_start in starts)
        return rewrite_doc(doc, text, range(len(text)), self.tokenizer(doc.vocab))

    def _may_change(self, word: Word) -> bool:
        return not word.protected and not self._is_too_long(word)

    def _is_too_long(self, word: Word) -> bool:
        return word.core_end - word.core_start > self.window

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optional[Optimizer] = None,
        losses: Optional[Dict[str, float]] = None,
    ) -> Dict[str, float]:
        """Learn from a batch of Examples, then hand the gold case on to what is behind.

        examples (Iterable[Example]): The Examples. Where components are behind, their predicted
            Docs are replaced by ones with gold case, and the references moved onto those.
        drop (float): Not used: the dropout of the network is set in its config.
        sgd (Optional[Optimizer]): The optimizer.
        losses (Optional[Dict[str, float]]): The losses so far.
        RETURNS (Dict[str, float]): The updated losses.
        RAISES (ValueError): If gold text has other words.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        validate_examples(examples, "Truecaser.update")
        examples = list(examples)
        inputs, targets, known = self._make_training_data(examples)
        if inputs:
            logits, backprop = self._run(self.model.begin_update, inputs)
            loss, gradients = self.get_loss(targets, known, logits)
            backprop(gradients)
            if sgd not in (None, False):
                self.finish_update(sgd)
            losses[self.name] += loss
        if self._is_followed():
            for example in examples:
                words = filter(self._may_change, split_words(example.predicted.text))
                lowered = [word.core_start for word in words]
                capitals = _gold_capitals(example)
                set_predicted(example, self._set_case(example.predicted, capitals, lowered))
        return losses

    def _make_training_data(
        self, examples: Iterable[Example]
    ) -> Tuple[List[Array1d], List[Array1d], List[Array1d]]:
        """Windows of code points, 1 for each character that is upper case, 1 for each that may
        be either."""
        inputs, targets, known = [], [], []
        for example in examples:
            text = example.predicted.text
            pairs = align_words(text, gold_text(example.reference))
            words = [ours for ours, _ in pairs]
            if not any(word.mark for word in words):
                # Not punctuated: a truecaser trained alone takes the gold marks.
                words = [ours._replace(mark=gold.mark) for ours, gold in pairs]
            moved = _move_marks(words, self.mark_noise)
            lead = "" if example.reference.user_data.get(STARTS_WITHIN) else _LEAD
            found = _ModelText(text, moved, self._codes_in_training, lead=lead)
            is_capital = numpy.zeros(len(text), dtype="float32")
            is_capital[_gold_capitals(example)] = 1.0
            may_change = numpy.zeros(len(text), dtype="float32")
            for word in words:
                if not word.protected:
                    core = text[word.core_start : word.core_end]
                    may_change[word.core_start : word.core_end] = [has_case(c) for c in core]
            # The last element stands for the characters that are not in the text (-1).
            is_capital, may_change = (
                numpy.append(values, 0.0)[found.positions] for values in (is_capital, may_change)
            )
            for start, end in make_windows(len(found.codes), self.window, self.window):
                inputs.append(found.codes[start:end])
                targets.append(is_capital[start:end])
                known.append(may_change[start:end])
        return inputs, targets, known

    def _codes_in_training(self, word: str) -> Array1d:
        """The codes of a word as if this occurrence of it had not been counted: one that was seen
        once would not be known at all, one seen often is hardly less so."""
        count = self.prior.count(without_possessive(word))
        return unknown_codes(word) if random.random() * count < 1 else self.prior.codes(word)

    def get_loss(
        self, targets: Sequence[Array1d], known: Sequence[Array1d], logits: Sequence[Array1d]
    ) -> Tuple[float, List[Array1d]]:
        """Binary cross entropy over the characters that may be upper or lower case.

        targets (Sequence[Array1d]): 1 for upper case.
        known (Sequence[Array1d]): 1 for each character that counts.
        logits (Sequence[Array1d]): The model's output, of the same shapes.
        RETURNS (Tuple[float, List[Array1d]]): The mean loss of a character, and its gradient.
        """
        xp = self.model.ops.xp
        count = max(1.0, sum(float(mask.sum()) for mask in known))
        loss = 0.0
        gradients = []
        for target, mask, logit in zip(targets, known, logits):
            target, mask = self.model.ops.asarray(target), self.model.ops.asarray(mask)
            gradients.append((sigmoid(logit, xp) - target) * mask / count)
            loss += float(((xp.logaddexp(0.0, logit) - logit * target) * mask).sum())
        return loss / count, gradients

    def take_over(self, trained: Restorer) -> None:
        """Become what another truecaser is, which is not used any more."""
        super().take_over(trained)
        assert isinstance(trained, Truecaser)
        self.prior = trained.prior

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize the component with its prior."""
        return srsly.msgpack_dumps(
            {"pipe": super().to_bytes(exclude=exclude), "prior": self.prior.to_bytes()}
        )

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> "Truecaser":
        """Load the component with its prior. RETURNS (Truecaser): The component."""
        content = srsly.msgpack_loads(data)
        super().from_bytes(content["pipe"], exclude=exclude)
        self.prior = CasingPrior.from_bytes(content["prior"])
        return self

    def to_disk(self, path: Union[str, Path], *, exclude: Iterable[str] = ()) -> None:
        """Save the component with its prior."""
        super().to_disk(path, exclude=exclude)
        (Path(path) / PRIOR_FILE).write_bytes(self.prior.to_bytes())

    def from_disk(self, path: Union[str, Path], *, exclude: Iterable[str] = ()) -> "Truecaser":
        """Load the component with its prior. RETURNS (Truecaser): The component."""
        super().from_disk(path, exclude=exclude)
        if (Path(path) / PRIOR_FILE).exists():
            self.prior = CasingPrior.from_bytes((Path(path) / PRIOR_FILE).read_bytes())
        return self


#: What the model reads in front of a text that begins with a sentence. In training not all do; at
#: run time that is taken for granted.
_LEAD = ". "


#: Probabilities of exactly 0 and 1 have no odds.
_LEAST = 1e-6
#: More than any probability.
_NO_CASE = 2.0


class _ModelText:
    """What the model reads of a text: its words in lower case with the mark behind each, one
    space between, behind `lead`; and beside each character what the prior says of it.

    codes: Code points and codes of the prior, shape (characters, 2).
    positions: The offset of each character in the text, -1 for others.
    """

    def __init__(
        self,
        text: str,
        words: Sequence[Word],
        get_codes: Callable[[str], Array1d],
        *,
        lead: str = "",
    ):
        pieces: List[str] = [lead] if words else []
        positions: List[int] = [-1] * len(lead) if words else []
        prior: List[Array1d] = [numpy.zeros(len(positions), dtype="int64")]
        for index, word in enumerate(words):
            if index:
                pieces.append(" ")
                positions.append(-1)
            form = model_form(text, word)
            pieces.append(form)
            if form.isascii():
                positions.extend(range(word.core_start, word.core_start + len(form)))
            else:
                positions.extend(model_form_offsets(text, word))
            mark = DEFAULT_MARK_MAP.get(word.mark, word.mark)
            pieces.append(mark)
            positions.extend([-1] * len(mark))
            prior += [get_codes(form), numpy.zeros(len(mark) + 1, dtype="int64")]
        points = _code_points("".join(pieces)).astype("int64")
        self.length = len(text)
        # There is no space behind the last word.
        self.codes = numpy.stack([points, numpy.concatenate(prior)[: len(points)]], axis=1)
        self.positions = numpy.asarray(positions, dtype="int64")


def _code_points(text: str) -> numpy.ndarray:
    return numpy.frombuffer(text.encode("utf-32-le", errors="surrogatepass"), dtype="uint32")


def decode_case(probabilities: Array1d, inner_threshold: float) -> numpy.ndarray:
    """Decide which letters of an unbroken run of letters are upper case.

    probabilities (Array1d): Probability of upper case of each letter.
    inner_threshold (float): What the less probable case of no letter may exceed (as 1 minus it)
        for a mixed shape to be believed.
    RETURNS (numpy.ndarray): True for upper case.
    """
    shape = probabilities > 0.5
    if not shape[1:].any() or shape.all():
        return shape
    certainty = numpy.maximum(probabilities, 1 - probabilities)[1:]
    if certainty.min() >= inner_threshold:
        return shape
    log_upper = numpy.log(probabilities + 1e-6)
    log_lower = numpy.log(1 - probabilities + 1e-6)
    lower_rest = log_lower[1:].sum()
    scores = [log_lower[0] + lower_rest, log_upper[0] + lower_rest, log_upper.sum()]
    best = int(numpy.argmax(scores))
    shape = numpy.zeros(len(probabilities), dtype=bool)
    shape[: (0, 1, len(shape))[best]] = True
    return shape


def _is_surely_lower(probabilities: Array1d) -> bool:
    """Whether a word of several letters is certainly not upper case throughout."""
    return len(probabilities) > 1 and float(probabilities[1:].max()) < SURELY_LOWER


def _segments(core: str) -> List[List[int]]:
    """The runs of cased characters in a word, as offsets: "anglo" and "saxon", "o" and "brien".
    Combining marks neither have case nor end a run ("e\u0301cole")."""
    segments: List[List[int]] = []
    goes_on = False
    for index, char in enumerate(core):
        if has_case(char):
            if goes_on:
                segments[-1].append(index)
            else:
                segments.append([index])
            goes_on = True
        elif char.isascii() or not unicodedata.combining(char):
            goes_on = False
    return segments


def _gold_capitals(example: Example) -> List[int]:
    """Offsets in the predicted Doc's text of the characters that gold has in upper case."""
    gold = gold_text(example.reference)
    capitals: List[int] = []
    for ours, theirs in align_words(example.predicted.text, gold):
        core = gold[theirs.core_start : theirs.core_end]
        if not ours.protected:
            capitals.extend(
                ours.core_start + index for index, char in enumerate(core) if is_upper(char)
            )
    return capitals


def _move_marks(words: Sequence[Word], share: float) -> List[Word]:
    """Drop a share of the marks, or move them to the word before or behind."""
    moved = list(words)
    if not share:
        return moved
    for index, word in enumerate(words):
        if word.mark and random.random() < share:
            moved[index] = moved[index]._replace(mark="")
            target = index + random.choice((-1, 0, 0, 1))
            if target != index and 0 <= target < len(words) and not words[target].mark:
                moved[target] = moved[target]._replace(mark=word.mark)
    return moved
