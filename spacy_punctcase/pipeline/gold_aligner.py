"""Keeps gold annotations in step with Docs that were rewritten during training."""

from typing import Any, Dict, Iterable, Optional

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..gold.align import realign_examples


@Language.factory("gold_aligner")
def make_gold_aligner(nlp: Language, name: str) -> "GoldAligner":
    """Create a GoldAligner."""
    return GoldAligner(name)


class GoldAligner:
    """Moves the gold annotations of training Examples onto rewritten Docs. Does nothing else.

    Needed between frozen, annotating restorers and a component that is trained behind them:
    `Language.update` calls `update` of every component that has one, trainable or not. At run
    time it hands Docs through.

    name (str): Name of the component instance.
    """

    def __init__(self, name: str = "gold_aligner") -> None:
        self.name = name

    def __call__(self, doc: Doc) -> Doc:
        return doc

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Any = None,
        losses: Optional[Dict[str, float]] = None,
    ) -> Dict[str, float]:
        """Realign the Examples. Learns nothing.

        examples (Iterable[Example]): The Examples; references are replaced where texts differ.
        RETURNS (Dict[str, float]): The losses, unchanged.
        """
        realign_examples(examples)
        return {} if losses is None else losses

    def score(self, examples: Iterable[Example], **kwargs: Any) -> Dict[str, Any]:
        """Realign the Examples for the scorers behind. RETURNS (Dict[str, Any]): No scores."""
        realign_examples(examples)
        return {}
