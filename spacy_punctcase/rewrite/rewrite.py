"""A new Doc from a text and a character map, with everything that the old one knew."""

import copy
from functools import cached_property
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

from spacy.tokens import Doc, Span, SpanGroup

from .edits import INSERTED, compose
from .offsets import OFFSETS, get_offsets, is_token_origin, set_offsets

MakeDoc = Callable[[str], Doc]

#: Custom attributes of Docs that hold a model's output for the old tokens.
OUTDATED_ATTRIBUTES = frozenset({"trf_data"})


def rewrite_doc(doc: Doc, text: str, origins: Sequence[int], make_doc: MakeDoc) -> Doc:
    """Build the Doc of a restored text. The old Doc is not modified.

    Carried over: user_data with custom attributes (their character offsets moved), categories,
    entities, span groups, sentence starts, hooks and the context of `nlp.pipe(as_tuples=True)`.
    Not carried over, since they describe the old tokens: tags, lemmas, heads, vectors, tensor.

    doc (Doc): The Doc before.
    text (str): The restored text.
    origins (Sequence[int]): For each character of `text` its offset in `doc.text`, or INSERTED.
    make_doc (Callable[[str], Doc]): The tokenizer, bound to the vocab of `doc`.
    RETURNS (Doc): The new Doc.
    """
    new = make_doc(text)
    moved = OffsetMap(origins, len(doc.text))
    new.user_data.update(move_user_data(doc, new, moved))
    new.cats = dict(doc.cats)
    new.user_hooks = dict(doc.user_hooks)
    new.user_token_hooks = dict(doc.user_token_hooks)
    new.user_span_hooks = dict(doc.user_span_hooks)
    new._context = doc._context
    move_sentence_starts(doc, new, moved)
    move_entities(doc, new, moved)
    move_spans(doc, new, moved)
    previous = get_offsets(doc)
    if previous is None:
        set_offsets(new, doc.text, origins)
    else:
        set_offsets(new, previous[0], compose(origins, previous[1]))
    return new


class OffsetMap:
    """Finds character offsets of an old text in a new one.

    origins (Sequence[int]): For each new character its offset in the old text, or INSERTED.
    length (int): Length of the old text.
    """

    def __init__(self, origins: Sequence[int], length: int):
        self._origins = origins
        self._length = length

    # Most Docs carry nothing that has to be moved, so both are made when asked for.

    @cached_property
    def _starts(self) -> List[int]:
        """Where each old character is; one that is gone stands where the next one is."""
        starts = [-1] * (self._length + 1)
        for position, origin in enumerate(self._origins):
            if origin != INSERTED:
                starts[origin] = position
        following = len(self._origins)
        for old in range(self._length, -1, -1):
            if starts[old] < 0:
                starts[old] = following
            following = starts[old]
        return starts

    @cached_property
    def _ends(self) -> List[int]:
        """Where the text up to each old offset ends."""
        ends = [-1] * (self._length + 1)
        for position, origin in enumerate(self._origins):
            if origin != INSERTED:
                ends[origin + 1] = position + 1
        previous = 0
        for old in range(self._length + 1):
            if ends[old] < 0:
                ends[old] = previous
            previous = ends[old]
        return ends

    def start(self, offset: int) -> int:
        return self._starts[offset]

    def span(self, start: int, end: int) -> Tuple[int, int]:
        return self._starts[start], self._ends[end]


def move_span(span: Span, new: Doc, moved: OffsetMap) -> Optional[Span]:
    """The same stretch of text in the new Doc, with the span's label and ids."""
    start, end = moved.span(span.start_char, span.end_char)
    if start >= end:
        return None
    return new.char_span(
        start,
        end,
        label=span.label_,  # by name: the new Doc's vocab may be another one
        kb_id=span.kb_id_,
        span_id=span.id_,
        alignment_mode="expand",
    )


def move_entities(doc: Doc, new: Doc, moved: OffsetMap) -> None:
    """Set the old Doc's entities on the new one."""
    if not doc.has_annotation("ENT_IOB"):
        return
    entities: List[Span] = []
    for entity in doc.ents:
        span = move_span(entity, new, moved)
        if span is not None and (not entities or span.start >= entities[-1].end):
            entities.append(span)
    complete = all(token.ent_iob for token in doc)
    new.set_ents(entities, default="outside" if complete else "missing")


def move_spans(doc: Doc, new: Doc, moved: OffsetMap) -> None:
    """Set the old Doc's span groups on the new one."""
    for key, group in doc.spans.items():
        spans = [move_span(span, new, moved) for span in group]
        new.spans[key] = SpanGroup(
            new,
            name=group.name,
            attrs=copy.deepcopy(group.attrs),
            spans=[span for span in spans if span is not None],
        )


def move_sentence_starts(doc: Doc, new: Doc, moved: OffsetMap) -> None:
    """Set the old Doc's sentence starts on the new one."""
    if not doc.has_annotation("SENT_START"):
        return
    by_start = {token.idx: token for token in new}
    complete = all(token.is_sent_start is not None for token in doc)
    if complete:
        for token in new:
            token.is_sent_start = False
    for token in doc:
        moved_token = by_start.get(moved.start(token.idx))
        if moved_token is not None and token.is_sent_start is not None:
            moved_token.is_sent_start = token.is_sent_start


def move_user_data(doc: Doc, new: Doc, moved: OffsetMap) -> Dict[Any, Any]:
    """The old Doc's `user_data` for the new one: custom attributes of tokens and spans are found
    by their character offsets, which are moved."""
    data: Dict[Any, Any] = {}
    for key, value in doc.user_data.items():
        if key == OFFSETS or is_token_origin(key):
            continue
        if isinstance(key, tuple) and len(key) >= 4 and key[0] == "._.":
            # ("._.", attribute, start character, end character): None for both for a Doc, None
            # for the end for a token.
            start, end = key[2], key[3]
            if start is None:
                if key[1] in OUTDATED_ATTRIBUTES:
                    continue
            elif end is None:
                key = (*key[:2], moved.start(start), None, *key[4:])
            else:
                key = (*key[:2], *_moved_extent(start, end, new, moved), *key[4:])
        data[key] = copy.copy(value)
    return data


def _moved_extent(start: int, end: int, new: Doc, moved: OffsetMap) -> Tuple[int, int]:
    """Where a span of the old text is in the new Doc, grown to whole tokens like `move_span`."""
    start, end = moved.span(start, end)
    span = new.char_span(start, end, alignment_mode="expand") if start < end else None
    return (start, end) if span is None else (span.start_char, span.end_char)
