"""Fixed spellings of words: a glossary, or a table learnt by counting."""

import re
import unicodedata
from pathlib import Path
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Union,
)

import srsly
from spacy import util
from spacy.language import Language
from spacy.matcher import PhraseMatcher
from spacy.pipeline import Pipe
from spacy.tokens import Doc
from spacy.training import Example

from ..errors import Errors, check_no_text
from ..gold.glossary import read_glossary
from ..rewrite.fixed import set_fixed
from ..rewrite.offsets import register_extensions
from ..rewrite.rewrite import rewrite_doc
from ..rewrite.scores import CASE, forget_scores
from ..rewrite.tokenizer import BoundTokenizer
from ..text.case import casing_class, has_case, is_upper, lower, upper
from ..text.words import Word, split_words, without_possessive

# "AssemblyAI-based" and "iOS/Android" have parts, each of which may be an entry.
_PART = re.compile(r"[^-‐‑–/]+|[-‐‑–/]")
# Shorter ones would make other words: "its" of "IT", "was" of "WA".
_SHORTEST_WITH_PLURAL = 3


@Language.factory(
    "casing_ruler",
    assigns=["doc._.source_text", "token._.source_span", "token._.source_word"],
    default_config={
        "entries": [],
        "scorer": {"@scorers": "spacy_punctcase.casing_scorer.v1"},
    },
    default_score_weights={"case_word_f": 1.0},
)
def make_casing_ruler(
    nlp: Language, name: str, entries: List[str], scorer: Optional[Callable]
) -> "CasingRuler":
    """Create a CasingRuler. See the class for the arguments."""
    return CasingRuler(nlp, name, entries=entries, scorer=scorer)


class CasingRuler(Pipe):
    """Component that gives words their fixed spellings ("assemblyai" -> "AssemblyAI") and returns
    a new Doc. Where several entries match, the longest one counts.

    Whole words match, whatever their case, and the parts of hyphenated ones; "'s" may follow, and
    the "s" of a plural where the last word of the entry has more than its first letter in upper
    case ("APIs", "iPhones"). The restorers behind leave the words alone that it spelled.

    nlp (Language): The pipeline, whose tokenizer makes the new Docs.
    name (str): Name of the component instance.
    entries (Iterable[str]): The spellings, one or several words each.
    scorer (Optional[Callable]): The scoring method.
    """

    def __init__(
        self,
        nlp: Language,
        name: str = "casing_ruler",
        *,
        entries: Iterable[str] = (),
        scorer: Optional[Callable] = None,
    ) -> None:
        self.vocab = nlp.vocab
        self.name = name
        self.scorer = scorer
        self.tokenizer = BoundTokenizer(nlp)
        self.clear()
        self.add_entries(entries)
        register_extensions()

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def entries(self) -> List[str]:
        """The spellings, one or several words each. RETURNS (List[str]): The entries."""
        return [entry.text for entry in self._entries.values()]

    def add_entries(self, entries: Iterable[str]) -> None:
        """Add fixed spellings. One that is there in another case already is replaced.

        entries (Iterable[str]): The spellings, one or several words each.
        RAISES (ValueError): If they are one text, or one of them is no text.
        """
        check_no_text(f"The entries of '{self.name}'", entries)
        patterns: List[Doc] = []
        for index, text in enumerate(entries):
            self._check_entry(index, text)
            words = split_words(text)
            parts = [part for word in words for part in _split(text, word)]
            if not parts:
                continue
            forms = tuple(part.form for part in parts)
            plural = (*forms[:-1], forms[-1] + "s")
            spellings = [text[part.start : part.end] for part in parts]
            spelled = " ".join(
                without_possessive(text[word.core_start : word.core_end]) for word in words
            )
            self._entries[forms] = _Entry(spelled, list(map(_find_capitals, spellings)))
            patterns.append(Doc(self.vocab, words=list(forms)))
            if _has_plural(spellings[-1]):
                self._plurals[plural] = forms
                patterns.append(Doc(self.vocab, words=list(plural)))
            else:
                self._plurals.pop(plural, None)
        self._matcher.add(self.name, patterns)

    def add_glossary(self, path: Union[str, Path]) -> None:
        """Add the fixed spellings of a file: .txt, .jsonl, .csv or .tsv.

        path (Union[str, Path]): The file; see `read_glossary`.
        RAISES (ValueError): If it cannot be read, naming the line.
        """
        self.add_entries(read_glossary(path))

    def _check_entry(self, index: int, text: Any) -> None:
        problem = ""
        if not isinstance(text, str):
            problem = f"must be a text, but is {text!r}"
        else:
            try:
                text.encode("utf8")
            except UnicodeEncodeError as error:
                problem = Errors.P080.format(char=text[error.start], offset=error.start)
        if problem:
            raise ValueError(Errors.P079.format(index=index, name=self.name, problem=problem))

    def clear(self) -> None:
        """Forget all entries."""
        self._entries: Dict[Tuple[str, ...], _Entry] = {}
        self._plurals: Dict[Tuple[str, ...], Tuple[str, ...]] = {}
        self._matcher = PhraseMatcher(self.vocab)

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Optional[Language] = None,
        entries: Optional[Sequence[str]] = None,
    ) -> None:
        """Set the entries, for example those of `spacy_punctcase.Glossary.v1` (a file) or
        `spacy_punctcase.CountedSpellings.v1`.

        get_examples (Callable[[], Iterable[Example]]): Not used.
        nlp (Language): The current pipeline.
        entries (Optional[Sequence[str]]): The spellings; they replace those there are.
        """
        if entries is not None:
            check_no_text(f"The entries of '{self.name}'", entries)
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
        # Whole words are matched, whatever the tokenizer makes of them.
        parts = [part for word in words for part in _split(text, word)]
        matches = self._matcher(Doc(self.vocab, words=[part.form for part in parts]), as_spans=True)
        fixed: List[int] = []
        for match in util.filter_spans(matches):
            found = parts[match.start : match.end]
            entry = self._find_entry([part.form for part in found])
            if entry is None:
                continue
            for part, capitals in zip(found, entry.capitals):
                _set_capitals(chars, part, capitals)
                fixed.append(part.word_start)
        new = rewrite_doc(doc, "".join(chars), range(len(chars)), self.tokenizer(doc.vocab))
        for start in fixed:
            set_fixed(new, start)
        # What a truecaser in front made of these words is of no account any more.
        settled = set(fixed)
        forget_scores(new, doc, [word for word in words if word.core_start in settled], CASE)
        return new

    def _find_entry(self, forms: Sequence[str]) -> Optional["_Entry"]:
        key = tuple(forms)
        # An entry for the plural itself counts more. There may be none for either, since a
        # matcher forgets nothing.
        return self._entries.get(key) or self._entries.get(self._plurals.get(key, ()))

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


class _Entry(NamedTuple):
    """An entry.

    text: The spelling.
    capitals: For each part of its words, which of its characters are upper case, decomposed.
    """

    text: str
    capitals: List[List[bool]]


class _Part(NamedTuple):
    """A part of a word; most words have one.

    form: What it is compared by: lower case, composed, without "'s" or an apostrophe at the end.
    start, end: Its character offsets in the text.
    tail: Where the word ends, if it is the last part.
    word_start: Where the word begins.
    """

    form: str
    start: int
    end: int
    tail: int
    word_start: int


def _split(text: str, word: Word) -> List[_Part]:
    """The parts of a word, hyphens among them. A URL, a handle and their like are one part."""
    first = word.core_start
    core = text[first : word.core_end]
    stem = core if word.protected else without_possessive(core).rstrip("'’") or core
    if word.protected or stem.isalnum():
        spans = [(0, len(stem))]
    else:
        spans = [match.span() for match in _PART.finditer(stem)]
    return [
        _Part(
            form=_compared(stem[start:end]),
            start=first + start,
            end=first + end,
            tail=word.core_end if end == len(stem) else first + end,
            word_start=first,
        )
        for start, end in spans
    ]


def _compared(part: str) -> str:
    return lower(part if part.isascii() else unicodedata.normalize("NFC", part))


def _find_capitals(spelling: str) -> List[bool]:
    return [is_upper(char) for char in unicodedata.normalize("NFD", spelling)]


def _set_capitals(chars: List[str], part: _Part, capitals: Sequence[bool]) -> None:
    """Give a part of a word its spelling, whether its characters are composed or not."""
    position = 0
    for index in range(part.start, part.tail):
        char = lower(chars[index])
        is_capital = position < len(capitals) and capitals[position]
        position += len(unicodedata.normalize("NFD", char))
        chars[index] = upper(char) if is_capital else char


def _has_plural(spelling: str) -> bool:
    """Whether the plural of an entry that ends so is written alike: "APIs", "iPhones". Of other
    words it may be a word of its own ("marks" of "Mark", "class" of "CLAS")."""
    letters = sum(map(has_case, spelling))
    has_shape = casing_class(spelling) in ("acronym", "mixed")
    return has_shape and letters >= _SHORTEST_WITH_PLURAL and lower(spelling[-1]) != "s"
