"""How sure the components are of what they decided for each word.

`doc.user_data["punctcase_scores"]` holds, by kind of score, a list with one entry for each word of
the source text (those of `token._.source_word`). Plain numbers and strings, which survive DocBin,
bytes, pickle and copies; None for words that were left as they came.
"""

from statistics import fmean
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence

from spacy.tokens import Doc, Span, Token

from ..text.case import casing_class
from ..text.marks import NO_MARK
from ..text.words import Word, chunk_index, chunks, split_words
from .edits import INSERTED
from .offsets import add_getters, get_offsets, token_source_word

#: Key of the scores in `doc.user_data`.
SCORES = "punctcase_scores"
#: Probability of the mark, or of none, that was chosen behind a word.
MARK = "mark"
#: Probability of the case that was chosen for a word.
CASE = "case"
KINDS = (MARK, CASE)
#: The most probable mark beside the one that was chosen; NO_MARK for none.
OTHER_MARK = "other_mark"
#: Probability that a sentence ends behind a word, on which the case of the next one depends.
SENTENCE_END = "sentence_end"

#: Lists with an entry for each word, by kind.
Scores = Dict[str, List[Any]]


class Place(NamedTuple):
    """A decision that a component was not sure of.

    kind: "mark" or "case".
    word: The word as it is in the restored text; of a mark the one that it follows.
    chosen: The mark, NO_MARK for none; or the case, as of `casing_class`.
    score: The probability of it.
    other: The mark that is the most probable one beside it; None for case.
    start, end: Where the word is in the restored text, in characters.
    source_start, source_end: Where it is in the source text.
    """

    kind: str
    word: str
    chosen: str
    score: float
    other: Optional[str]
    start: int
    end: int
    source_start: int
    source_end: int


def place_scores(doc: Doc, words: Sequence[Word], scores: Scores) -> Scores:
    """Scores of the words of a Doc by the words of the source text.

    doc (Doc): The Doc.
    words (Sequence[Word]): Its words.
    scores (Scores): By kind one score for each word, or None.
    RETURNS (Scores): By kind one score for each word of the source text, or None.
    """
    length = count_source_words(doc)
    if len(words) == length:
        return scores
    places = source_words(doc, words)
    placed: Scores = {}
    for kind, values in scores.items():
        placed[kind] = [None] * length
        for place, value in zip(places, values):
            placed[kind][place] = value
    return placed


def set_scores(new: Doc, doc: Doc, scores: Scores) -> None:
    """Record scores on a restored Doc, beside those that it has. Words without a new one keep the
    old one: what was decided of them still stands.

    new (Doc): The restored Doc.
    doc (Doc): The Doc that it was made of.
    scores (Scores): By kind one score for each word of the source text, or None.
    """
    kept = _known_scores(doc)
    merged = {**kept, **scores}
    for kind in kept.keys() & scores.keys():
        merged[kind] = [
            old if value is None else value for old, value in zip(kept[kind], scores[kind])
        ]
    new.user_data[SCORES] = merged


def forget_scores(new: Doc, doc: Doc, words: Sequence[Word], kind: str) -> None:
    """Take scores of words off a Doc, whose decision was replaced by one that is certain.

    new, doc (Doc): The restored Doc, and the one that it was made of.
    words (Sequence[Word]): Words of `doc`.
    kind (str): The kind of score.
    """
    scores = _known_scores(doc)
    if words and kind in scores:
        values = list(scores[kind])
        for place in source_words(doc, words):
            values[place] = None
        new.user_data[SCORES] = {**scores, kind: values}


def get_scores(doc: Doc, words: Sequence[Word], kind: str) -> List[Any]:
    """The scores of the words of a Doc, None for those that have none.

    doc (Doc): A Doc as the pipeline returned it, or one that was not restored.
    words (Sequence[Word]): Its words.
    kind (str): The kind of score.
    RETURNS (List[Any]): One entry for each word.
    """
    values = _known_scores(doc).get(kind)
    if values is None:
        return [None] * len(words)
    return [values[place] for place in source_words(doc, words)]


def count_source_words(doc: Doc) -> int:
    """Number of words (whitespace-delimited) of the text that a Doc comes from."""
    offsets = get_offsets(doc)
    return len((doc.text if offsets is None else offsets[0]).split())


def source_words(doc: Doc, words: Sequence[Word]) -> List[int]:
    """For words of a Doc their indices in the source text."""
    offsets = get_offsets(doc)
    if offsets is None or len(offsets[0].split()) == len(doc.text.split()):
        # Restoration takes out marks that stand alone, and makes no other changes.
        return [word.chunk for word in words]
    source, origins = offsets
    starts = [start for start, _ in chunks(source)]
    return [chunk_index(starts, origins[word.core_start]) for word in words]


def find_uncertain(doc: Doc, below: float) -> List[Place]:
    """Find the decisions that a human should look at, in reading order.

    doc (Doc): A Doc as the pipeline returned it. Others have no such places.
    below (float): The score from which on a decision is sure enough.
    RETURNS (List[Place]): The places.
    """
    offsets = get_offsets(doc)
    if offsets is None:
        return []
    text = doc.text
    words = split_words(text)
    kinds = (CASE, MARK, OTHER_MARK)
    places: List[Place] = []
    for word, case, mark, other in zip(words, *(get_scores(doc, words, kind) for kind in kinds)):
        form = text[word.core_start : word.core_end]
        origins = offsets[1][word.core_start : word.core_end]
        known = [origin for origin in origins if origin != INSERTED]
        where = (word.core_start, word.core_end, known[0], known[-1] + 1)
        if case is not None and case < below:
            places.append(Place(CASE, form, casing_class(form), case, None, *where))
        if mark is not None and mark < below:
            places.append(Place(MARK, form, word.mark or NO_MARK, mark, other, *where))
    return places


def _known_scores(doc: Doc) -> Scores:
    """The scores of a whole Doc; in a part of one they count other words."""
    return {} if get_offsets(doc) is None else _get_scores(doc)


def _get_scores(doc: Doc) -> Scores:
    user_data: Dict[Any, Any] = doc.user_data
    return user_data.get(SCORES, {})


def _word_score(doc: Doc, kind: str, word: int) -> Optional[float]:
    values = _get_scores(doc).get(kind)
    return values[word] if values and 0 <= word < len(values) else None


def token_mark_score(token: Token) -> Optional[float]:
    """Getter of `token._.mark_score`: probability that the mark, or none, that was chosen behind
    the token's word is right. None where the input had one, or nothing was decided."""
    return _word_score(token.doc, MARK, token_source_word(token))


def token_case_score(token: Token) -> Optional[float]:
    """Getter of `token._.case_score`: probability that the case that was chosen for the token's
    word is right. None where the word stayed as it was, or has no case."""
    return _word_score(token.doc, CASE, token_source_word(token))


def restoration_score(part: Iterable[Token]) -> Optional[float]:
    """Getter of `doc._.restoration_score` and `span._.restoration_score`: the mean probability of
    all that was decided for the words in it, which is the share that is expected to be right. None
    where nothing was decided."""
    words = {token_source_word(token): token.doc for token in part}
    scores = (_word_score(doc, kind, word) for word, doc in words.items() for kind in KINDS)
    known = [score for score in scores if score is not None]
    return fmean(known) if known else None


def register_extensions() -> None:
    """Make the getters available as `token._.mark_score`, `token._.case_score`,
    `doc._.restoration_score` and `span._.restoration_score`."""
    add_getters(
        [
            (Token, "mark_score", token_mark_score),
            (Token, "case_score", token_case_score),
            (Doc, "restoration_score", restoration_score),
            (Span, "restoration_score", restoration_score),
        ]
    )
