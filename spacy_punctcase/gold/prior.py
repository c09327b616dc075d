"""A prior of the case of words: how training text spells them, as an input of the truecaser."""

import zlib
from collections import Counter, defaultdict
from itertools import chain
from typing import Dict, Iterable, List, Mapping, Optional, Tuple, Union
from unicodedata import normalize

import numpy
import srsly

from ..errors import Errors
from ..text.case import has_case, is_upper
from ..text.words import without_possessive
from .readers import PathLike, Weights, find_weighted_files, read_texts
from .spellings import tally_spellings

#: Codes of a character that no word says anything of, and of one in a word that is not known.
NO_PRIOR, UNKNOWN_WORD = 0, 1
#: Borders between levels of the log odds of upper case, and between levels of how often the word
#: was seen. Each pair of levels is a code.
LOG_ODDS = (-6.0, -4.5, -3.5, -2.5, -1.75, -1.0, -0.35, 0.35, 1.0, 1.75, 2.5, 3.5, 4.5, 6.0)
COUNTS = (4, 16, 128)
NUM_CODES = 2 + (len(LOG_ODDS) + 1) * (len(COUNTS) + 1)

#: Which characters of a word are upper case, as bits, and how often that was seen.
Shape = Tuple[int, int]
# Shapes are stored as numbers of 64 bits.
_LONGEST_WORD = 63


class CasingPrior:
    """How often each word has which case in training text. A small network cannot know every
    name; with this it need not.

    shapes (Mapping[str, List[Shape]]): The shapes of each word in lower case.
    """

    def __init__(self, shapes: Mapping[str, List[Shape]] = {}):
        self._shapes = dict(shapes)
        self._codes: Dict[str, numpy.ndarray] = {}

    def __len__(self) -> int:
        return len(self._shapes)

    @classmethod
    def from_texts(cls, texts: Iterable[str], *, min_count: int = 2) -> "CasingPrior":
        """Count the words of well-formed texts; see `tally_spellings`.

        texts (Iterable[str]): The texts.
        min_count (int): How often a word must occur.
        RETURNS (CasingPrior): The prior.
        """
        counts: Dict[str, Counter] = defaultdict(Counter)
        for word, spellings in tally_spellings(texts).items():
            # As models read words: composed, and without the last dot of an abbreviation.
            form = normalize("NFC", word[:-1] if len(word) > 1 and word[-1] == "." else word)
            if len(form) <= _LONGEST_WORD and any(map(has_case, form)):
                for spelling, count in spellings.items():
                    counts[form][_shape(normalize("NFC", spelling))] += count
        return cls(
            {
                word: shapes.most_common()
                for word, shapes in counts.items()
                if sum(shapes.values()) >= min_count
            }
        )

    def count(self, word: str) -> int:
        """How often a word in lower case was seen."""
        return sum(count for _, count in self._shapes.get(word, ()))

    def codes(self, word: str) -> numpy.ndarray:
        """What is known of each character of a word in lower case.

        RETURNS (ndarray): Codes below NUM_CODES, shape (length of the word,).
        """
        found = self._codes.get(word)
        if found is None:
            found = self._codes[word] = self._make_codes(word)
        return found

    def _make_codes(self, word: str) -> numpy.ndarray:
        stem = without_possessive(word)
        shapes = self._shapes.get(stem)
        if shapes is None:
            return unknown_codes(word)
        total = sum(count for _, count in shapes)
        codes = numpy.zeros(len(word), dtype="int64")
        for index, char in enumerate(stem):
            if has_case(char):
                upper = sum(count for shape, count in shapes if shape >> index & 1)
                odds = numpy.log((upper + 0.5) / (total - upper + 0.5))
                level = int(numpy.searchsorted(LOG_ODDS, odds))
                times = int(numpy.searchsorted(COUNTS, total, side="right"))
                codes[index] = 2 + level * (len(COUNTS) + 1) + times
        return codes

    def to_bytes(self) -> bytes:
        """Serialize the prior. RETURNS (bytes): The counts."""
        words = sorted(self._shapes)
        shapes = [[number for shape in self._shapes[word] for number in shape] for word in words]
        return zlib.compress(srsly.msgpack_dumps({"words": words, "shapes": shapes}), 9)

    @classmethod
    def from_bytes(cls, data: bytes) -> "CasingPrior":
        """Load a prior. RETURNS (CasingPrior): The prior."""
        content = srsly.msgpack_loads(zlib.decompress(data))
        return cls(
            {
                word: list(zip(numbers[::2], numbers[1::2]))
                for word, numbers in zip(content["words"], content["shapes"])
            }
        )


def unknown_codes(word: str) -> numpy.ndarray:
    """The codes of a word in lower case that is not known."""
    return numpy.asarray([UNKNOWN_WORD if has_case(char) else NO_PRIOR for char in word], "int64")


def _shape(spelling: str) -> int:
    return sum(1 << index for index, char in enumerate(spelling) if is_upper(char))


def create_casing_prior(
    path: Optional[Union[PathLike, List[PathLike]]],
    weights: Weights = {},
    min_count: int = 2,
) -> CasingPrior:
    """The reader `spacy_punctcase.CasingPrior.v1`, for `prior` of a `truecaser`.

    path (Union[str, Path, List]): Well-formed text; see TextCorpus. All of it is counted once.
    weights (Union[Dict[str, float], str, Path]): Weights of the files as in training; those of
        weight 0 are left out.
    min_count (int): How often a word must occur.
    RETURNS (CasingPrior): The prior.
    """
    if path is None:
        raise ValueError(Errors.P016)
    texts = chain.from_iterable(map(read_texts, find_weighted_files(path, weights)))
    return CasingPrior.from_texts(texts, min_count=min_count)
