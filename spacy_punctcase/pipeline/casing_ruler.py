"""Fixed spellings of words: a glossary, or a table learnt by counting."""

from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple, Union

import srsly
from spacy import util
from spacy.language import Language
from spacy.matcher import PhraseMatcher
from spacy.pipeline import Pipe
from spacy.tokens import Doc
from spacy.training import Example

from ..rewrite.offsets import register_extensions
from ..rewrite.rewrite import rewrite_doc
from ..rewrite.scores import CASE, forget_scores
from ..rewrite.tokenizer import BoundTokenizer
from ..text.words import Word, normal_form, split_words, without_possessive


@Language.factory(
    "casing_ruler",
    assigns=["doc._.source_text", "token._.source_span", "token._.source_word"],
    default_config={"scorer": {"@scorers": "spacy_punctcase.casing_scorer.v1"}},
    default_score_weights={"case_word_f": 1.0},
)
def make_casing_ruler(nlp: Language, name: str, scorer: Optional[Callable]) -> "CasingRuler":
    """Create a CasingRuler. See the class for the arguments."""
    return CasingRuler(nlp, name, scorer=scorer)


class CasingRuler(Pipe):
    """Component that gives words their fixed spellings ("assemblyai" -> "AssemblyAI") and returns
    a new Doc. Where several entries match, the longest one counts.

    nlp (Language): The pipeline, whose tokenizer makes the new Docs.
    name (str): Name of the component instance.
    scorer (Optional[Callable]): The scoring method.
    """

    def __init__(
        self, nlp: Language, name: str = "casing_ruler", *, scorer: Optional[Callable] = None
    ) -> None:
        self.vocab = nlp.vocab
        self.name = name
        self.scorer = scorer
        self.tokenizer = BoundTokenizer(nlp)
        self.clear()
        register_extensions()

    def __len__(self) -> int:
        return len(self._spellings)

    @property
    def entries(self) -> List[str]:
        """The spellings, one or several words each. RETURNS (List[str]): The entries."""
        return [" ".join(spelling) for spelling in self._spellings.values()]

    def add_entries(self, entries: Iterable[str]) -> None:
        """Add fixed spellings. One that is there in another case already is replaced.

        entries (Iterable[str]): The spellings, one or several words each.
        """
        patterns: List[Doc] = []
        for entry in entries:
            words = split_words(entry)
            forms = [_matched_form(entry, word) for word in words]
            if forms:
                self._spellings[tuple(forms)] = [_spelling(entry, word) for word in words]
                patterns.append(Doc(self.vocab, words=forms))
        self._matcher.add(self.name, patterns)

    def clear(self) -> None:
        """Forget all entries."""
        self._spellings: Dict[Tuple[str, ...], List[str]] = {}
        self._matcher = PhraseMatcher(self.vocab)

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Optional[Language] = None,
        entries: Optional[Sequence[str]] = None,
    ) -> None:
        """Set the entries, for example those of `spacy_punctcase.CountedSpellings.v1`.

        get_examples (Callable[[], Iterable[Example]]): Not used.
        nlp (Language): The current pipeline.
        entries (Optional[Sequence[str]]): The spellings; they replace those there are.
        """
        if entries is not None:
            self.clear()
            self.add_entries(entries)

    def __call__(self, doc: Doc) -> Doc:
        """Set the spellings in a Doc.

        doc (Doc): The Doc, which is left as it is.
        RETURNS (Doc): A new Doc with the text changed.
        """
        text = doc.text
        chars = list(text)
        words = split_words(text)
        replaced: List[Word] = []
        # Whole words are matched, whatever the tokenizer makes of them.
        forms = [_matched_form(text, word) for word in words]
        matches = self._matcher(Doc(self.vocab, words=forms), as_spans=True)
        for match in util.filter_spans(matches):
            found = words[match.start : match.end]
            if any(word.protected for word in found):
                continue
            replaced.extend(found)
            for word, spelling in zip(
                found, self._spellings[tuple(forms[match.start : match.end])]
            ):
                chars[word.core_start : word.core_end] = normal_form(text, word)
                end = word.core_start + len(spelling)
                chars[word.core_start : end] = spelling
        new = rewrite_doc(doc, "".join(chars), range(len(chars)), self.tokenizer(doc.vocab))
        # What a truecaser in front made of these words is of no account any more.
        forget_scores(new, doc, replaced, CASE)
        return new

    def score(self, examples: Iterable[Example], **kwargs: Any) -> Dict[str, Any]:
        """Score a batch of Examples with the component's scorer.

        examples (Iterable[Example]): The Examples.
        RETURNS (Dict[str, Any]): The scores.
        """
        return {} if self.scorer is None else self.scorer(examples, **kwargs)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize the entries. RETURNS (bytes): The serialized component."""
        return srsly.msgpack_dumps({"entries": self.entries})

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> "CasingRuler":
        """Load the entries. RETURNS (CasingRuler): The component."""
        self.clear()
        self.add_entries(srsly.msgpack_loads(data)["entries"])
        return self

    def to_disk(self, path: Union[str, Path], *, exclude: Iterable[str] = ()) -> None:
        """Save the entries, as JSON lines, in a folder."""
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        srsly.write_jsonl(folder / "entries.jsonl", self.entries)

    def from_disk(self, path: Union[str, Path], *, exclude: Iterable[str] = ()) -> "CasingRuler":
        """Load the entries from a folder. RETURNS (CasingRuler): The component."""
        self.clear()
        self.add_entries(srsly.read_jsonl(Path(path) / "entries.jsonl"))
        return self


def _spelling(text: str, word: Word) -> str:
    return without_possessive(text[word.core_start : word.core_end])


def _matched_form(text: str, word: Word) -> str:
    """What words are compared by: "github" for "GitHub" and "GitHub's"."""
    return without_possessive(normal_form(text, word))
