"""Training examples straight from plain, well-formed text."""

import lzma
import random
from pathlib import Path
from typing import Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Union

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from ..errors import Errors
from ..text.normalise import is_cut_off, normalise_line
from ..text.words import normal_form, split_words
from .align import GOLD, UNKNOWN_MARKS

PathLike = Union[str, Path]
SUFFIXES = (".txt", ".txt.xz")


class GoldWord(NamedTuple):
    """A word of training text.

    raw: The word as a recogniser gives it.
    gold: The word with its case and the mark that follows.
    unknown: Whether its mark is not known, since the turn was cut off.
    """

    raw: str
    gold: str
    unknown: bool


def create_text_reader(
    path: Union[PathLike, List[PathLike]],
    weights: Dict[str, float] = {},
    min_words: int = 20,
    max_words: int = 160,
    limit: int = 0,
    normalise: bool = True,
    seed: Optional[int] = None,
    augmenter: Optional[Callable[[Language, Example], Iterator[Example]]] = None,
) -> Callable[[Language], Iterable[Example]]:
    """Create the reader `spacy_punctcase.TextCorpus.v1`. See TextCorpus for the arguments."""
    return TextCorpus(
        path,
        weights=weights,
        min_words=min_words,
        max_words=max_words,
        limit=limit,
        normalise=normalise,
        seed=seed,
        augmenter=augmenter,
    )


class TextCorpus:
    """Iterate Example objects made from plain text: one paragraph or speaker's turn a line, an
    empty line between documents. Works in constant memory.

    The marks are stripped, the case lowered, turns joined, and the words cut into windows at
    random places, as a recogniser's segments are. Each Example is a transcript with its gold text
    in the reference's `user_data`.

    path (Union[str, Path, List]): A .txt or .txt.xz file, a folder with such files, or several.
    weights (Dict[str, float]): How often to draw from a file, by its name without suffix;
        1.0 for those not named, 0 to leave one out. Without weights the files are read in order.
        With them a pass ends when each file was read once; small ones may repeat before.
    min_words, max_words (int): Length of a window.
    limit (int): Number of Examples in a pass; 0 for no limit.
    normalise (bool): Bring dashes and dots of omission to one convention, and leave out lines
        that are no running text.
    seed (Optional[int]): Cut the windows the same in each pass. None: differently each time.
    augmenter (Optional[Callable]): Changes Examples, for instance adds recogniser noise.
    """

    def __init__(
        self,
        path: Union[PathLike, List[PathLike]],
        *,
        weights: Dict[str, float] = {},
        min_words: int = 20,
        max_words: int = 160,
        limit: int = 0,
        normalise: bool = True,
        seed: Optional[int] = None,
        augmenter: Optional[Callable[[Language, Example], Iterator[Example]]] = None,
    ) -> None:
        self.paths = find_text_files(path)
        self.weights = check_weights(weights, self.paths)
        self.min_words = min_words
        self.max_words = max_words
        self.limit = limit
        self.normalise = normalise
        self.seed = seed
        self.augmenter = augmenter

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Yield examples from the text.

        nlp (Language): The current pipeline.
        YIELDS (Example): The examples.
        """
        rng = random.Random(random.random() if self.seed is None else self.seed)
        windows = self._draw(rng) if self.weights else self._in_order(rng)
        count = 0
        for window in windows:
            example = make_example(nlp.vocab, window)
            for augmented in [example] if self.augmenter is None else self.augmenter(nlp, example):
                yield augmented
                count += 1
                if self.limit and count >= self.limit:
                    return

    def _in_order(self, rng: random.Random) -> Iterator[List[GoldWord]]:
        for path in self.paths:
            yield from self._windows(path, rng)

    def _draw(self, rng: random.Random) -> Iterator[List[GoldWord]]:
        paths = [path for path in self.paths if self.weights[_stem(path)] > 0]
        weights = [self.weights[_stem(path)] for path in paths]
        streams = {path: self._windows(path, rng) for path in paths}
        unfinished = set(paths)
        while unfinished:
            path = rng.choices(paths, weights)[0]
            window = next(streams[path], None)
            if window is None:
                unfinished.discard(path)
                streams[path] = self._windows(path, rng)
            else:
                yield window

    def _windows(self, path: Path, rng: random.Random) -> Iterator[List[GoldWord]]:
        for document in read_documents(path):
            words = document_words(document, normalise=self.normalise)
            position = 0
            while position < len(words):
                end = position + rng.randint(self.min_words, self.max_words)
                if len(words) - end < self.min_words:
                    end = min(len(words), position + self.max_words)
                yield words[position:end]
                position = end


def make_example(vocab: Vocab, words: Sequence[GoldWord]) -> Example:
    """A transcript as an Example: one token a word, the gold text in `user_data`."""
    raw = [word.raw for word in words]
    reference = Doc(vocab, words=raw)
    reference.user_data[GOLD] = " ".join(word.gold for word in words)
    unknown = [index for index, word in enumerate(words) if word.unknown]
    if unknown:
        reference.user_data[UNKNOWN_MARKS] = unknown
    return Example(Doc(vocab, words=raw), reference)


def document_words(lines: Iterable[str], *, normalise: bool = True) -> List[GoldWord]:
    """The words of a document, its turns joined."""
    words: List[GoldWord] = []
    for line in lines:
        text = normalise_line(line) if normalise else line
        if text is None:
            continue
        found = split_words(text)
        cut_off = is_cut_off(line) if normalise else False
        for index, word in enumerate(found):
            gold = text[word.core_start : word.core_end] + word.mark
            last = index == len(found) - 1
            words.append(GoldWord(normal_form(text, word), gold, last and cut_off))
    return words


def read_documents(path: PathLike) -> Iterator[List[str]]:
    """Read a text file document by document.

    path (Union[str, Path]): A .txt or .txt.xz file, UTF-8.
    YIELDS (List[str]): The lines of a document.
    RAISES (ValueError): If the file cannot be read or is not UTF-8, naming the byte.
    """
    lines: List[str] = []
    for line in read_lines(path):
        if line.strip():
            lines.append(line.strip())
        elif lines:
            yield lines
            lines = []
    if lines:
        yield lines


def read_lines(path: PathLike) -> Iterator[str]:
    """Read a .txt or .txt.xz file line by line; see `read_documents` for the errors."""
    path = Path(path)
    opener = lzma.open if path.suffix == ".xz" else open
    position = 0
    try:
        with opener(path, "rb") as file:  # type: ignore[operator]
            for line in file:
                yield line.decode("utf8")
                position += len(line)
    except UnicodeDecodeError as error:
        raise ValueError(
            Errors.P007.format(path=path, byte=position + error.start, reason=error.reason)
        ) from None
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise ValueError(Errors.P008.format(path=path, reason=error)) from None


def find_text_files(path: Union[PathLike, Sequence[PathLike]]) -> List[Path]:
    """The text files that a path (or several) stands for, sorted within each folder.

    RAISES (ValueError): If there is none.
    """
    given = [path] if isinstance(path, (str, Path)) else list(path)
    files: List[Path] = []
    for entry in map(Path, given):
        if entry.is_dir():
            found = sorted(file for file in entry.rglob("*") if file.name.endswith(SUFFIXES))
        else:
            found = [entry] if entry.is_file() else []
        if not found:
            raise ValueError(Errors.P009.format(path=entry))
        files.extend(found)
    return files


def check_weights(weights: Dict[str, float], paths: Sequence[Path]) -> Dict[str, float]:
    """A weight for each file, by its name without suffix.

    RAISES (ValueError): If a weight names a file that is not there.
    """
    if not weights:
        return {}
    stems = [_stem(path) for path in paths]
    for name in weights:
        if name not in stems:
            available = ", ".join(sorted(set(stems)))
            raise ValueError(
                Errors.P015.format(given=name, what="a text file in `weights`", available=available)
            )
    return {stem: weights.get(stem, 1.0) for stem in stems}


def _stem(path: Path) -> str:
    return path.name.split(".txt")[0]
