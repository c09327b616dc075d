"""Training examples straight from plain, well-formed text."""

import json
import lzma
import random
from itertools import islice
from pathlib import Path
from typing import (
    Callable,
    Container,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Union,
)

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from ..errors import Errors
from ..text.case import lower
from ..text.normalise import is_cut_off, normalise_line
from ..text.words import normal_form, split_words
from .align import GOLD, STARTS_WITHIN, UNKNOWN_MARKS

PathLike = Union[str, Path]
#: How often to draw from each text file, or the JSON file that says so.
Weights = Union[Dict[str, float], str, Path]
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


class Window(NamedTuple):
    """A stretch of training text.

    words: Its words.
    starts_within: Whether it begins within a sentence.
    """

    words: List[GoldWord]
    starts_within: bool


def create_text_reader(
    path: Optional[Union[PathLike, List[PathLike]]],
    weights: Weights = {},
    min_words: int = 20,
    max_words: int = 160,
    skip: int = 0,
    limit: int = 0,
    extra_questions: int = 0,
    normalise: bool = True,
    seed: Optional[int] = None,
    augmenter: Optional[Callable[[Language, Example], Iterator[Example]]] = None,
    ends_sentence: bool = False,
) -> Callable[[Language], Iterable[Example]]:
    """Create the reader `spacy_punctcase.TextCorpus.v1`. See TextCorpus for the arguments."""
    if path is None:
        raise ValueError(Errors.P016)
    return TextCorpus(
        path,
        weights=weights,
        min_words=min_words,
        max_words=max_words,
        skip=skip,
        limit=limit,
        extra_questions=extra_questions,
        normalise=normalise,
        seed=seed,
        augmenter=augmenter,
        ends_sentence=ends_sentence,
    )


class TextCorpus:
    """Iterate Example objects made from plain text: one paragraph or speaker's turn a line, an
    empty line between documents. Works in constant memory.

    The marks are stripped, the case lowered, turns joined, and the words cut into windows at
    random places, as a recogniser's segments are. Each Example is a transcript with its gold text
    in the reference's `user_data`.

    path (Union[str, Path, List]): A .txt or .txt.xz file, a folder with such files, or several.
    weights (Union[Dict[str, float], str, Path]): How often to draw from a file, by its name
        without suffix, or a JSON file that says so;
        1.0 for those not named, 0 to leave one out. Without weights the files are read in order.
        With them a pass ends when each file was read once; small ones may repeat before.
    min_words, max_words (int): Length of a window.
    skip (int): Number of windows to leave out at the start of a pass, to go on with text that an
        earlier training has not seen.
    limit (int): Number of Examples in a pass; 0 for no limit.
    extra_questions (int): Number of further windows around each question, for text that has few.
        Each is cut elsewhere. A model that has read so many expects as many: fit its bias
        (`punctcase tune`) on text that has as many questions as yours.
    normalise (bool): Bring dashes and dots of omission to one convention, and leave out lines
        that are no running text.
    seed (Optional[int]): Cut the windows the same in each pass. None: differently each time.
    augmenter (Optional[Callable]): Changes Examples, for instance adds recogniser noise.
    ends_sentence (bool): End all windows with a sentence, not only most of them; but for those in
        the middle of sentences that are longer than `max_words`.
    """

    def __init__(
        self,
        path: Union[PathLike, List[PathLike]],
        *,
        weights: Weights = {},
        min_words: int = 20,
        max_words: int = 160,
        skip: int = 0,
        limit: int = 0,
        extra_questions: int = 0,
        normalise: bool = True,
        seed: Optional[int] = None,
        augmenter: Optional[Callable[[Language, Example], Iterator[Example]]] = None,
        ends_sentence: bool = False,
    ) -> None:
        if not 1 <= min_words <= max_words:
            raise ValueError(
                Errors.P006.format(
                    setting="min_words",
                    name="TextCorpus",
                    expected=f"at least 1 and at most `max_words` ({max_words})",
                    value=min_words,
                )
            )
        self.paths = find_text_files(path)
        self.weights = check_weights(weights, self.paths)
        self.min_words = min_words
        self.max_words = max_words
        self.skip = skip
        self.limit = limit
        self.extra_questions = extra_questions
        self.normalise = normalise
        self.seed = seed
        self.augmenter = augmenter
        self.ends_sentence = ends_sentence

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Yield examples from the text.

        nlp (Language): The current pipeline.
        YIELDS (Example): The examples.
        """
        rng = random.Random(random.random() if self.seed is None else self.seed)
        windows = self._draw(rng) if self.weights else self._in_order(rng)
        count = 0
        for window in islice(windows, self.skip, None):
            if not is_consistent(window.words):
                continue
            example = make_example(nlp.vocab, window.words, starts_within=window.starts_within)
            for augmented in [example] if self.augmenter is None else self.augmenter(nlp, example):
                yield augmented
                count += 1
                if self.limit and count >= self.limit:
                    return

    def _in_order(self, rng: random.Random) -> Iterator[Window]:
        for path in self.paths:
            yield from self._windows(path, rng)

    def _draw(self, rng: random.Random) -> Iterator[Window]:
        paths = [path for path in self.paths if self.weights[text_name(path)] > 0]
        weights = [self.weights[text_name(path)] for path in paths]
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

    def _windows(self, path: Path, rng: random.Random) -> Iterator[Window]:
        for document in read_documents(path):
            words = document_words(document, normalise=self.normalise)
            ends = {index for index, word in enumerate(words, 1) if word.gold[-1] in ".?!"}
            for start, end in self._cut(words, ends, rng):
                window = words[start:end]
                if end < len(words) and end not in ends:
                    # Whoever stops here in the middle of a sentence has learnt nothing of how
                    # transcripts end; those end with a sentence, as a rule.
                    window[-1] = window[-1]._replace(unknown=True)
                yield Window(window, start not in ends and start > 0)

    def _cut(
        self, words: Sequence[GoldWord], ends: Container[int], rng: random.Random
    ) -> Iterator[Tuple[int, int]]:
        sizes = self.min_words, self.max_words
        yield from cut(len(words), *sizes, rng, ends, self.ends_sentence)
        questions = [index for index, word in enumerate(words) if word.gold[-1] == "?"]
        for place in questions * self.extra_questions:
            yield cut_around(place, len(words), *sizes, rng, ends)


#: Share of the windows that end, and so the next one begins, with a sentence. What is restored
#: usually begins with one, but must not always: recognisers cut where there is a pause.
SENTENCE_SHARE = 0.7


def cut(
    length: int,
    min_words: int,
    max_words: int,
    rng: random.Random,
    sentence_ends: Container[int] = (),
    ends_sentence: bool = False,
) -> Iterator[Tuple[int, int]]:
    """Cut a number of words into windows at random places. Only where there are too few words
    for two windows of `min_words` is one shorter than that.

    length (int): The number of words.
    min_words, max_words (int): Length of a window.
    rng (random.Random): Chooses the places.
    sentence_ends (Container[int]): Where a sentence ends, as the number of words up to there.
        A share of the windows is shortened to end at one.
    ends_sentence (bool): All windows end at one, if need be a longer one; none is within reach
        only where a sentence is longer than a window may be.
    YIELDS (Tuple[int, int]): Start and end of a window.
    """
    start = 0
    while start < length:
        left = length - start
        size = rng.randint(min_words, max_words)
        if left - size < min_words:
            size = left if left <= max_words else max(min_words, left - min_words)
        if size < left and (ends_sentence or rng.random() < SENTENCE_SHARE):
            sizes = [*range(size, min_words - 1, -1)]
            if ends_sentence:
                sizes += [*range(size + 1, max_words + 1), *range(min_words - 1, 0, -1)]
            size = next((n for n in sizes if start + n in sentence_ends), size)
        yield start, start + size
        start += size


def cut_around(
    place: int,
    length: int,
    min_words: int,
    max_words: int,
    rng: random.Random,
    sentence_ends: Container[int] = (),
) -> Tuple[int, int]:
    """Cut a window that holds a certain word, at a random place.

    place (int): Index of the word.
    length (int): The number of words.
    min_words, max_words (int): Length of the window; shorter only where there are too few words.
    rng (random.Random): Chooses the place.
    sentence_ends (Container[int]): Where a sentence ends; see `cut`. A share of the windows begin,
        and a share end, with a sentence.
    RETURNS (Tuple[int, int]): Start and end of the window.
    """
    size = min(length, rng.randint(min_words, max_words))
    start = rng.randint(max(0, place + 1 - size), min(place, length - size))
    least = min(length, min_words)
    if rng.random() < SENTENCE_SHARE:
        later = range(start, min(place, length - least) + 1)
        start = next((n for n in later if n == 0 or n in sentence_ends), start)
    end = min(length, start + size)
    if end < length and rng.random() < SENTENCE_SHARE:
        earlier = range(end, max(place, start + least - 1), -1)
        end = next((n for n in earlier if n in sentence_ends), end)
    return start, end


def is_consistent(words: Sequence[GoldWord]) -> bool:
    """Whether transcript and gold text, written out, are read as the very words that they were
    made from. Text that editors garbled ("a.b ." or a lone apostrophe) may not be."""
    raw = [word.raw for word in words]
    return all(
        [normal_form(text, word) for word in split_words(text)] == raw
        for text in (" ".join(raw), " ".join(word.gold for word in words))
    )


def make_example(
    vocab: Vocab, words: Sequence[GoldWord], *, starts_within: bool = False
) -> Example:
    """A transcript as an Example: one token a word, the gold text in `user_data`."""
    raw = [word.raw for word in words]
    reference = Doc(vocab, words=raw)
    reference.user_data[GOLD] = " ".join(word.gold for word in words)
    unknown = [index for index, word in enumerate(words) if word.unknown]
    if unknown:
        reference.user_data[UNKNOWN_MARKS] = unknown
    if starts_within:
        reference.user_data[STARTS_WITHIN] = True
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
            core = text[word.core_start : word.core_end]
            last = index == len(found) - 1
            words.append(make_word(core, word.mark, last and cut_off))
    return words


def make_word(core: str, mark: str, unknown: bool) -> GoldWord:
    """A word of gold text and its transcript. "U.S" with a full stop is the abbreviation "U.S."."""
    gold = core + mark
    if mark == "." and "." in core:
        core = gold[: split_words(gold)[0].core_end]
    return GoldWord(lower(core), gold, unknown)


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


def read_texts(path: PathLike) -> Iterator[str]:
    """The lines of running text of a text file, normalised; see `normalise_line`.

    path (Union[str, Path]): A .txt or .txt.xz file, UTF-8.
    YIELDS (str): The lines.
    RAISES (ValueError): If the file cannot be read; see `read_documents`.
    """
    for line in read_lines(path):
        text = normalise_line(line)
        if text is not None:
            yield text


def read_lines(path: PathLike) -> Iterator[str]:
    """Read a .txt or .txt.xz file line by line; see `read_documents` for the errors."""
    path = Path(path)
    opener = lzma.open if path.suffix == ".xz" else open
    position = 0
    try:
        with opener(path, "rb") as file:  # type: ignore[operator]
            for line in file:
                text = line.decode("utf8")
                yield text if position else text.removeprefix("\ufeff")
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


def check_weights(weights: Weights, paths: Sequence[Path]) -> Dict[str, float]:
    """The weight of each text file, or {} where none is given.

    RAISES (ValueError): If a name is that of no file, or the weights cannot be read.
    """
    weights = read_weights(weights)
    if not weights:
        return {}
    stems = [text_name(path) for path in paths]
    for name in weights:
        if name not in stems:
            available = ", ".join(sorted(set(stems)))
            raise ValueError(
                Errors.P015.format(given=name, what="a text file in `weights`", available=available)
            )
    return {stem: weights.get(stem, 1.0) for stem in stems}


def find_weighted_files(path: Union[PathLike, Sequence[PathLike]], weights: Weights) -> List[Path]:
    """The text files of a path but for those of weight 0; see `find_text_files` and
    `check_weights`."""
    paths = find_text_files(path)
    chosen = check_weights(weights, paths)
    return [file for file in paths if chosen.get(text_name(file), 1.0) > 0]


def read_weights(weights: Weights) -> Dict[str, float]:
    """The weights, read from their file if they are in one.

    RAISES (ValueError): If the file is not there, or has no such thing in it.
    """
    if isinstance(weights, dict):
        return weights
    text = "".join(read_lines(weights))
    try:
        return {str(name): float(weight) for name, weight in json.loads(text).items()}
    except (AttributeError, TypeError, ValueError) as error:
        raise ValueError(Errors.P033.format(path=weights, problem=error)) from None


def text_name(path: Path) -> str:
    """A text file's name without suffix, by which `weights` know it."""
    return path.name.split(".txt")[0]
