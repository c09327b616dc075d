"""What the trainable components that rewrite Docs have in common."""

import math
from numbers import Real
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Union

from spacy import util
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Model, Optimizer

from ..errors import Errors
from ..models.runtime import (
    PRECISIONS,
    WEIGHTS_DTYPES,
    autocast,
    limit_threads_in_child,
    release_memory,
    weights_as,
)
from ..rewrite.offsets import register_extensions
from ..rewrite.scores import Scores, place_scores, set_scores
from ..rewrite.tokenizer import BoundTokenizer
from ..text.case import lower
from ..text.marks import SENTENCE_MARKS
from ..text.words import Word, split_words

_STEPS_BETWEEN_RELEASES = 100
# Characters of a Doc by which one knows it again.
_EXCERPT = 60

#: Decisions by kind, plain lists.
Decided = Dict[str, List[Any]]


def restorer_names(nlp: Language) -> List[str]:
    """Names of the components of a pipeline that return a restored Doc."""
    return [
        name for name in nlp.pipe_names if "doc._.source_text" in nlp.get_pipe_meta(name).assigns
    ]


def _name_doc(error: Exception, name: str, doc: Doc) -> None:
    """Say in a traceback which Doc a component failed on."""
    if hasattr(error, "add_note"):  # from Python 3.11 on
        error.add_note(Errors.P081.format(name=name, excerpt=doc.text[:_EXCERPT]))


class Restorer(TrainablePipe):
    """Base class of components that return a new Doc with a restored text.

    Subclasses define `predict`, `_decide`, `_score` and `_make_doc`; `__call__` and `pipe` return
    what `rewrite` makes and leave the Docs that they are given alone.
    """

    factory = ""
    #: Key in `doc.user_data` of what `set_annotations` puts there, and in that of the decisions.
    annotation_key = ""

    def __init__(
        self,
        nlp: Language,
        model: Model,
        name: str,
        *,
        scorer: Optional[Callable],
        temperature: float,
        precision: str,
        weights_dtype: str,
        **cfg: Any,
    ) -> None:
        self.vocab = nlp.vocab
        self.model = model
        self.name = name
        self.scorer = scorer
        self.tokenizer = BoundTokenizer(nlp)
        self.cfg = {"initialized": False, **cfg}
        self.temperature = temperature
        self._precision = self._check("precision", precision, PRECISIONS)
        self._weights_dtype = self._check("weights_dtype", weights_dtype, WEIGHTS_DTYPES)
        self._steps = 0
        register_extensions()

    def _check(self, setting: str, value: str, allowed: Iterable[str]) -> str:
        if value not in allowed:
            expected = "one of " + ", ".join(map(repr, allowed))
            raise ValueError(
                Errors.P006.format(setting=setting, name=self.name, expected=expected, value=value)
            )
        return value

    def _check_windows(self, window: int, stride: int) -> None:
        if window < 0 or (window and not 0 < stride <= window):
            raise ValueError(
                Errors.P006.format(
                    setting="stride",
                    name=self.name,
                    expected=f"between 1 and `window` ({window}; 0 for no windows)",
                    value=stride,
                )
            )

    @property
    def temperature(self) -> float:
        """What log probabilities are divided by before a score is taken of them: above 1 for a
        model that is too sure of itself. It changes no decision.

        RETURNS (float): The temperature.
        """
        return self._temperature

    @temperature.setter
    def temperature(self, value: float) -> None:
        if not isinstance(value, Real) or not 0 < value < math.inf:
            raise ValueError(
                Errors.P006.format(
                    setting="temperature",
                    name=self.name,
                    expected="a finite number above 0",
                    value=value,
                )
            )
        self._temperature: float = value

    def __call__(self, doc: Doc) -> Doc:
        """Restore one Doc.

        doc (Doc): The Doc, which is left as it is.
        RETURNS (Doc): A new Doc with the restored text.
        """
        for restored in self._restore([doc]):
            return restored
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Restore a stream of Docs.

        stream (Iterable[Doc]): The Docs, which are left as they are.
        batch_size (int): The number of Docs to buffer.
        YIELDS (Doc): New Docs in order, without those that failed where the error handler
            swallows errors.
        """
        for docs in util.minibatch(stream, size=batch_size):
            yield from self._restore(docs)

    def _restore(self, docs: Sequence[Doc]) -> List[Doc]:
        error_handler = self.get_error_handler()
        try:
            return [
                self._rewrite(doc, self._annotate(doc, found))
                for doc, found in zip(docs, self.predict(docs))
            ]
        except Exception as error:
            if len(docs) == 1:
                _name_doc(error, self.name, docs[0])
                error_handler(self.name, self, list(docs), error)
                return []
        # One bad Doc must not take the batch with it.
        return [restored for doc in docs for restored in self._restore([doc])]

    def set_annotations(self, docs: Iterable[Doc], predicted: Iterable[Any]) -> None:
        """Put what is decided, and how sure that is, on the Docs; `rewrite` reads it.

        docs (Iterable[Doc]): The Docs.
        predicted (Iterable[Any]): What `predict` returned.
        """
        for doc, found in zip(docs, predicted):
            doc.user_data[self.annotation_key] = self._annotate(doc, found)

    def rewrite(self, doc: Doc) -> Doc:
        """Build the restored Doc from what `set_annotations` put on a Doc.

        doc (Doc): The annotated Doc; without annotations it is predicted first.
        RETURNS (Doc): The new Doc.
        """
        annotation = doc.user_data.get(self.annotation_key)
        return self._rewrite(doc, annotation or self._annotate(doc, self.predict([doc])[0]))

    def _annotate(self, doc: Doc, found: Any) -> Dict[str, Any]:
        text = doc.text
        words = split_words(text)
        decided = self._decide(doc, text, words, found)
        scores = self._score(doc, text, words, found, decided)
        return {**decided, "scores": place_scores(doc, words, scores)}

    def _rewrite(self, doc: Doc, annotation: Dict[str, Any]) -> Doc:
        restored = self._make_doc(doc, annotation)
        if "scores" in annotation:  # decisions of somebody else may have none
            set_scores(restored, doc, annotation["scores"])
        return restored

    def _starts_sentence(self, text: str, previous: Optional[Word]) -> bool:
        """Whether a sentence begins behind a word, or with the first one: behind a visible mark
        that is not the dot of an abbreviation that the tokenizer knows."""
        if previous is None:
            return True
        if previous.mark not in SENTENCE_MARKS:
            return False
        known = getattr(self.tokenizer.nlp.tokenizer, "rules", None) or {}
        core = text[previous.core_start : previous.core_end]
        return previous.mark != "." or not any(
            form + "." in known for form in (core, lower(core), lower(core).capitalize())
        )

    def _decide(self, doc: Doc, text: str, words: Sequence[Word], found: Any) -> Decided:
        """What to do with the text of a Doc, by what was predicted for it."""
        raise NotImplementedError

    def _score(
        self, doc: Doc, text: str, words: Sequence[Word], found: Any, decided: Decided
    ) -> Scores:
        """How sure each decision is: by kind one entry for each word, None for words that are left
        as they are."""
        raise NotImplementedError

    def _make_doc(self, doc: Doc, decided: Decided) -> Doc:
        """The restored Doc without scores."""
        raise NotImplementedError

    def _run(self, call: Callable, *args: Any) -> Any:
        """Call the model in the number format that is asked for."""
        limit_threads_in_child()
        with autocast(self.model, self._precision):
            return call(*args)

    def finish_update(self, sgd: Optimizer) -> None:
        """Update the parameters with the gradients so far.

        sgd (Optimizer): The optimizer.
        """
        super().finish_update(sgd)
        self._steps += 1
        if self._steps % _STEPS_BETWEEN_RELEASES == 0:
            release_memory()

    def _require_trained(self) -> None:
        if not self.cfg["initialized"]:
            raise ValueError(Errors.P001.format(name=self.name, factory=self.factory))

    def _is_followed(self) -> bool:
        """Whether a component behind this one may learn from what this one hands on."""
        names = self.tokenizer.nlp.pipe_names
        return self.name not in names or names[-1] != self.name

    def take_over(self, trained: "Restorer") -> None:
        """Become what another component of the same kind is, which is not used any more."""
        self.model, self.cfg = trained.model, trained.cfg

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict:
        """Score a batch of Examples with the component's scorer.

        examples (Iterable[Example]): The Examples.
        RETURNS (Dict[str, Any]): The scores.
        """
        return {} if self.scorer is None else self.scorer(examples, **kwargs)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize the component, the weights in the type that `weights_dtype` asks for."""
        with weights_as(self.model, self._weights_dtype):
            return super().to_bytes(exclude=exclude)

    def to_disk(self, path: Union[str, Path], *, exclude: Iterable[str] = ()) -> None:
        """Save the component, the weights in the type that `weights_dtype` asks for."""
        with weights_as(self.model, self._weights_dtype):
            super().to_disk(path, exclude=exclude)


def keep(values: Iterable[Any], mask: Iterable[bool]) -> List[Any]:
    """The values where the mask is true, None elsewhere."""
    return [value if kept else None for value, kept in zip(values, mask)]
