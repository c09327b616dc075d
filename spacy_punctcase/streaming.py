"""Restoring a text while it is still being said."""

from collections import deque
from typing import Any, Deque, Iterable, List, NamedTuple, Optional, Sequence, Tuple, Union

from spacy.language import Language
from spacy.tokens import Doc

from .errors import Errors
from .formats.times import TimedWord, split_word
from .pipeline.restorer import restorer_names
from .rewrite.edits import INSERTED, compose
from .rewrite.offsets import get_offsets
from .rewrite.rewrite import OffsetMap
from .text.words import chunks, split_words

#: Words that become final together. Fewer come sooner, more need fewer calls of the models where
#: many words are fed at once.
STEP = 4
#: So many tags and marks among the words that wait count as context like words, or a stream that
#: goes on without words would never end its last sentence.
_MOST_WITHOUT_WORD = 64


class StreamUpdate(NamedTuple):
    """What a call of a StreamingRestorer brought.

    committed: The text that has become final, with the white space in front of each word. Put
        together, what all calls commit is the restored text.
    words: The same words, each with the marks attached to it and with the times and the confidence
        that it was fed with.
    provisional: The text behind all that is final, as it is restored for now. Behind its last word
        no mark is inserted, since nothing is known of what follows.
    """

    committed: str
    words: List[TimedWord]
    provisional: str


class _Piece(NamedTuple):
    """A word, or whatever else stands between white space, and the white space in front of it."""

    space: str
    word: TimedWord


class StreamingRestorer:
    """Restores a text word by word as a recogniser puts it out.

    Words become final four at a time, when enough others follow them, and never change after that.
    All of it depends on the words alone, not on how many of them are fed at a time. Only the
    restorers of the pipeline and its `casing_ruler` run; for entities and the like give the final
    text to the whole pipeline, which leaves restored text as it is.

    nlp (Language): The pipeline, which is not changed.
    right_context (int): Words that must follow a word before it is final. More come closer to the
        result for the whole text, and later.
    left_context (int): Final words that the models read in front of the others. The cost of a word
        does not depend on how many came before these.
    RAISES (ValueError): If nothing in the pipeline restores text, or a number is below 1.
    """

    def __init__(self, nlp: Language, *, right_context: int = 8, left_context: int = 64) -> None:
        for setting, value in (("right_context", right_context), ("left_context", left_context)):
            if value < 1:
                raise ValueError(Errors.P071.format(setting=setting, value=value))
        if not restorer_names(nlp):
            found = ", ".join(nlp.pipe_names) or "none"
            raise ValueError(Errors.P021.format(model=nlp.meta["name"], found=found))
        self.nlp = nlp
        self.right_context = right_context
        self.left_context = left_context
        self._start()

    def _start(self) -> None:
        #: Final words in front of those that wait, restored.
        self._context: Deque[str] = deque(maxlen=self.left_context)
        #: Words that wait, as they came; and how the first of them are restored for now.
        self._waiting: List[_Piece] = []
        self._restored: List[_Piece] = []
        #: White space and the beginning of a word behind those.
        self._open = ""
        #: Whether a word that came as such is the last thing there is.
        self._ends_whole = False
        #: Final words that no update has had yet.
        self._final: List[_Piece] = []

    def feed(self, words: Union[str, Iterable[Union[str, TimedWord]]]) -> StreamUpdate:
        """Take the next words. If a component fails, they are kept, and go with the next call.

        words (Union[str, Iterable[Union[str, TimedWord]]]): A piece of text, cut anywhere: what is
            behind its last white space waits for the rest of the word. Or whole words.
        RETURNS (StreamUpdate): What has become final, and the rest for now.
        RAISES (TypeError): If it is neither.
        RAISES (ValueError): If a word is empty, or ends before it begins.
        """
        if isinstance(words, str):
            self._take_text(words)
        else:
            self._take_words(_check_words(words))
        self._advance()
        return self._make_update(_join(self._restored) + self._open)

    def flush(self) -> StreamUpdate:
        """End the text: what waits becomes final, and the next word begins a new text.

        RETURNS (StreamUpdate): The rest of the text, nothing of which is provisional.
        """
        self._close_word()
        self._advance()
        self._commit(self._restore(self._waiting, is_end=True))
        update = self._make_update("")
        rest = self._open
        self._start()
        return update._replace(committed=update.committed + rest)

    def _take_text(self, text: str) -> None:
        if self._ends_whole and text and not text[0].isspace():
            text = " " + text
        self._ends_whole = self._ends_whole and not text
        self._open += text
        position = 0
        for start, end in chunks(self._open):
            if end < len(self._open):
                word = TimedWord(self._open[start:end])
                self._waiting.append(_Piece(self._open[position:start], word))
                position = end
        self._open = self._open[position:]

    def _take_words(self, words: Sequence[TimedWord]) -> None:
        self._close_word()
        for word in words:
            is_first = not (self._waiting or self._context)
            self._waiting.append(_Piece(self._open or ("" if is_first else " "), word))
            self._open = ""
            self._ends_whole = True

    def _close_word(self) -> None:
        """The word that has begun is complete."""
        for start, end in chunks(self._open):
            self._waiting.append(_Piece(self._open[:start], TimedWord(self._open[start:end])))
            self._open = ""

    def _advance(self) -> None:
        """Make final what has enough context, and restore the rest for now."""
        while block := self._find_block():
            size, count = block
            restored = self._restore(self._waiting[:size])
            self._commit(restored[:count])
            self._restored = restored[count:]
        if len(self._restored) != len(self._waiting):
            self._restored = self._restore(self._waiting)

    def _find_block(self) -> Optional[Tuple[int, int]]:
        """The fewest waiting pieces with as many words as are needed to make STEP of them final.

        RETURNS (Optional[Tuple[int, int]]): The number of pieces, and how many become final.
        """
        least = self.right_context + STEP
        most = least + _MOST_WITHOUT_WORD
        for size in range(least, min(len(self._waiting), most) + 1):
            words = split_words(_join(self._waiting[:size]))
            if len(words) >= least:
                return size, words[-self.right_context - 1].chunk + 1
        return (most, STEP + _MOST_WITHOUT_WORD) if len(self._waiting) >= most else None

    def _commit(self, restored: Sequence[_Piece]) -> None:
        """Make the first of the waiting words final, as they are restored."""
        self._context.extend(piece.space + piece.word.text for piece in restored)
        self._final.extend(restored)
        del self._waiting[: len(restored)]

    def _make_update(self, provisional: str) -> StreamUpdate:
        final, self._final = self._final, []
        # A mark in a piece of its own may be gone.
        words = [piece.word for piece in final if piece.word.text]
        return StreamUpdate(_join(final), words, provisional)

    def _restore(self, pieces: Sequence[_Piece], *, is_end: bool = False) -> List[_Piece]:
        """Restore words behind the final ones.

        is_end (bool): Whether the text ends behind them. Otherwise no mark is put there: at the
            end of whatever it is given a model wants a full stop.
        """
        if not pieces:
            return []
        source = _join(pieces)
        context = "".join(self._context)
        text, origins = source, list(range(len(source)))
        for name in restorer_names(self.nlp):
            # What is final stays so, whatever the component makes of it.
            component: Any = self.nlp.get_pipe(name)
            doc = component(self.nlp.tokenizer(context + text))
            text, found = _behind(doc, len(context))
            origins = compose(found, origins)
            if not is_end:
                text, origins = _without_last_mark(source, text, origins)
        moved = OffsetMap(origins, len(source))
        restored: List[_Piece] = []
        position = begin = 0
        for space, word in pieces:
            position += len(space)
            start = moved.start(position)
            position += len(word.text)
            end = moved.start(position)
            restored.append(_Piece(text[begin:start], word._replace(text=text[start:end])))
            begin = end
        return restored


def _check_words(words: Any) -> List[TimedWord]:
    """The words without white space in them."""
    if isinstance(words, (bytes, bytearray)) or not isinstance(words, Iterable):
        raise TypeError(Errors.P070.format(found=type(words).__name__))
    checked: List[TimedWord] = []
    for index, word in enumerate(words):
        if isinstance(word, str):
            word = TimedWord(word)
        elif not isinstance(word, TimedWord):
            raise TypeError(Errors.P070.format(found=f"{type(word).__name__} as word {index}"))
        checked.extend(split_word(word, index))
    return checked


def _join(pieces: Iterable[_Piece]) -> str:
    return "".join(piece.space + piece.word.text for piece in pieces)


def _behind(doc: Doc, length: int) -> Tuple[str, List[int]]:
    """What a restored Doc has behind a number of characters of its source: the text, and the
    offset there of each of its characters, or INSERTED."""
    text = doc.text
    _, origins = get_offsets(doc) or (text, range(len(text)))
    start = next((index for index, origin in enumerate(origins) if origin >= length), len(text))
    return text[start:], [
        INSERTED if origin == INSERTED else origin - length for origin in origins[start:]
    ]


def _without_last_mark(source: str, text: str, origins: Sequence[int]) -> Tuple[str, List[int]]:
    """Take out what was inserted behind the last word of the source."""
    words = split_words(source)
    last = words[-1].core_end - 1 if words else 0
    kept: List[int] = []
    position = -1
    for index, origin in enumerate(origins):
        position = max(position, origin)
        if origin != INSERTED or position < last:
            kept.append(index)
    return "".join(text[index] for index in kept), [origins[index] for index in kept]
