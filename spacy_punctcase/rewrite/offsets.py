"""Where each part of a restored Doc comes from in the recogniser's text.

`doc.user_data["punctcase"]` holds the source text and the origin of each character (plain str and
ints, so that it survives DocBin, bytes, pickle and copies). Beside it every token carries its own
origin, for Docs that are cut out (`Span.as_doc`) or put together (`Doc.from_docs`).
"""

from typing import Any, Callable, Dict, Iterable, List, Optional, Sequence, Tuple

from spacy.tokens import Doc, Span, Token

from ..text.words import chunk_index, chunks
from .edits import INSERTED

#: Key of the source text and the character map in `doc.user_data`.
OFFSETS = "punctcase"
#: Name under which each token's own origin is kept in `doc.user_data`.
TOKEN_ORIGIN = "punctcase_origin"


def get_offsets(doc: Doc) -> Optional[Tuple[str, List[int]]]:
    """The source text and the character map of a Doc, or None where it was not rewritten (or
    is only a part of a Doc that was)."""
    data = doc.user_data.get(OFFSETS)
    if data is None or len(data["map"]) != _text_length(doc):
        return None
    return data["source"], data["map"]


class RestoredText:
    """Finds stretches of the source text of a Doc in its restored text.

    doc (Doc): The Doc; one that was not rewritten is its own source.
    """

    def __init__(self, doc: Doc):
        self._text = doc.text
        source, origins = get_offsets(doc) or (self._text, range(len(self._text)))
        # Where the restored text of each source character begins; that of the first has what was
        # inserted in front of it, all others what was inserted behind them.
        self._starts = [0] * (len(source) + 1)
        following = len(self._text)
        wanted = len(source)
        for position in range(len(origins) - 1, -1, -1):
            origin = origins[position]
            if origin == INSERTED:
                continue
            while wanted > origin:
                self._starts[wanted] = following
                wanted -= 1
            following = position
        for offset in range(1, wanted + 1):
            self._starts[offset] = following

    def __call__(self, start: int, end: int) -> str:
        """What a stretch of the source text became, with the marks inserted behind its characters.

        start, end (int): Character offsets in the source text.
        RETURNS (str): The restored text.
        """
        return self._text[self._starts[start] : self._starts[end]]


def _text_length(doc: Doc) -> int:
    """Length of a Doc's text, without joining its tokens."""
    return doc[-1].idx + len(doc[-1].text_with_ws) if len(doc) else 0


def set_offsets(doc: Doc, source: str, origins: Sequence[int]) -> None:
    """Record where a Doc's characters come from, for the Doc and for each token."""
    user_data: Dict[Any, Any] = doc.user_data
    user_data[OFFSETS] = {"source": source, "map": list(origins)}
    starts = [start for start, _ in chunks(source)]
    end = 0
    for token in doc:
        first = token.idx
        span = _source_span(origins[first : first + len(token)])
        if span is None:
            span = (end, end)  # inserted: an empty span behind what it follows
        end = span[1]
        # An inserted mark belongs to the word that it follows.
        word = chunk_index(starts, span[0] if span[0] < span[1] else max(end - 1, 0))
        user_data[_token_key(first)] = [span[0], span[1], word]


def _kept_origin(doc: Doc, idx: int) -> Optional[List[int]]:
    """Start, end and word that `set_offsets` wrote for the token at a character offset."""
    user_data: Dict[Any, Any] = doc.user_data
    return user_data.get(_token_key(idx))


def _token_key(idx: int) -> Tuple[str, str, int, None]:
    return ("._.", TOKEN_ORIGIN, idx, None)


def is_token_origin(key) -> bool:
    """Whether a key of `user_data` is one of those that `set_offsets` wrote."""
    return isinstance(key, tuple) and len(key) >= 2 and key[1] == TOKEN_ORIGIN


def _source_span(origins: Sequence[int]) -> Optional[Tuple[int, int]]:
    known = [origin for origin in origins if origin != INSERTED]
    return (known[0], known[-1] + 1) if known else None


def source_text(doc: Doc) -> Optional[str]:
    """Getter of `doc._.source_text`: the text before restoration. A Doc that no component
    rewrote is its own source; a part of a rewritten Doc has none."""
    offsets = get_offsets(doc)
    if offsets is not None:
        return offsets[0]
    if OFFSETS in doc.user_data or (len(doc) and _kept_origin(doc, doc[0].idx)):
        return None
    return doc.text


def token_source_span(token: Token) -> Tuple[int, int]:
    """Getter of `token._.source_span`: start and end character in the source text. An inserted
    mark has an empty span behind the word that it follows."""
    doc = token.doc
    kept = _kept_origin(doc, token.idx)
    offsets = get_offsets(doc)
    if offsets is not None:
        # Straight from the map: the token may have been merged or split since.
        origins = offsets[1]
        span = _source_span(origins[token.idx : token.idx + len(token)])
        if span is not None:
            return span
    if kept is not None:
        return kept[0], kept[1]
    if offsets is not None:  # an inserted mark that was split off a token
        before = _source_span(origins[: token.idx]) or (0, 0)
        return before[1], before[1]
    return token.idx, token.idx + len(token)


def token_source_word(token: Token) -> int:
    """Getter of `token._.source_word`: index of the recogniser's word (whitespace-delimited)
    that the token comes from or, for an inserted mark, follows. Timestamps hang on it."""
    doc = token.doc
    kept = _kept_origin(doc, token.idx)
    if kept is not None:
        return kept[2]
    offsets = get_offsets(doc)
    source = offsets[0] if offsets is not None else doc.text
    start, end = token_source_span(token)
    starts = [first for first, _ in chunks(source)]
    return chunk_index(starts, start if start < end else max(end - 1, 0))


def span_source_span(span: Span) -> Tuple[int, int]:
    """Getter of `span._.source_span`: start and end character in the source text."""
    spans = [token_source_span(token) for token in span]
    return (spans[0][0], spans[-1][1]) if spans else (0, 0)


def register_extensions() -> None:
    """Make the getters available as `doc._.source_text`, `token._.source_span`,
    `token._.source_word` and `span._.source_span`."""
    Doc.set_extension("source_text", getter=source_text, force=True)
    Token.set_extension("source_span", getter=token_source_span, force=True)
    Token.set_extension("source_word", getter=token_source_word, force=True)
    Span.set_extension("source_span", getter=span_source_span, force=True)


def add_getters(getters: Iterable[Tuple[Any, str, Callable]]) -> None:
    """Make getters available whose names are so plain that they may be taken by somebody's own
    attributes, which stay.

    getters (Iterable[Tuple[Any, str, Callable]]): Doc, Span or Token; the name; the getter.
    """
    for kind, name, getter in getters:
        if not kind.has_extension(name):
            kind.set_extension(name, getter=getter)
