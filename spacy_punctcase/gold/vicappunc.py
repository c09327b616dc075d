"""The format of ViCapPunc (arXiv:2207.01312): a line a word, with its case and its mark."""

import random
from functools import partial
from itertools import chain
from typing import (
    BinaryIO,
    Callable,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
)

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..errors import Errors
from ..text.case import lower, upper
from ..text.marks import MARKS, NO_MARK
from ..text.word_case import CASES, case_of, find_capitals
from ..text.words import split_words
from .readers import (
    GoldWord,
    PathLike,
    document_words,
    find_text_files,
    is_consistent,
    make_example,
    make_word,
    read_documents,
    read_lines,
)

#: The marks that the data set keeps, and those of them that end a sentence.
KEPT_MARKS = ",.?"
ENDS = ".?"
MAX_WORDS = 150
#: Shares of the documents in tenths.
SHARES = {"train": 5, "dev": 2, "test": 3}


class Row(NamedTuple):
    """A word as a line of a file.

    word: The word in lower case.
    case: One of CASES.
    mark: The mark that follows, NO_MARK for none.
    """

    word: str
    case: str
    mark: str


def create_vicappunc_reader(path: Optional[PathLike]) -> Callable[[Language], Iterator[Example]]:
    """Create the reader `spacy_punctcase.ViCapPunc.v1`, which makes a transcript with its gold text
    of each segment of a file.

    path (Union[str, Path]): The file.
    RAISES (ValueError): If there is no path.
    """
    if path is None:
        raise ValueError(Errors.P016)
    return partial(_read_examples, path=path)


def _read_examples(nlp: Language, *, path: PathLike) -> Iterator[Example]:
    for segment in read_segments(path):
        words = list(map(_gold_word, segment))
        if is_consistent(words):
            yield make_example(nlp.vocab, words)


def docs_from_vicappunc(nlp: Language, paths: Iterable[PathLike]) -> Iterator[Doc]:
    """Transcripts from files, one of each segment.

    nlp (Language): The pipeline whose vocab the Docs get.
    paths (Iterable[Union[str, Path]]): The files.
    YIELDS (Doc): The transcripts.
    RAISES (ValueError): If a line is malformed, naming it.
    """
    for path in paths:
        for example in _read_examples(nlp, path=path):
            yield example.reference


def read_segments(path: PathLike) -> Iterator[List[Row]]:
    """Read a file segment by segment. What is no word (a dash, a tag) leaves its mark to the word
    before.

    path (Union[str, Path]): The file: a word, 0 (lower), 1 (Capital) or 2 (UPPER), and O or a mark
        on each line, with white space between them; an empty line between segments.
    YIELDS (List[Row]): The words of a segment.
    RAISES (ValueError): If a line is malformed, naming it.
    """
    segment: List[Row] = []
    # One empty line more, behind which nothing is left.
    for number, line in enumerate(chain(read_lines(path), [""]), start=1):
        if not line.strip():
            if segment:
                yield segment
            segment = []
            continue
        try:
            row = _parse(line)
        except ValueError as error:
            raise ValueError(Errors.P010.format(path=path, line=number, problem=error)) from None
        if split_words(row.word):
            segment.append(row)
        elif segment and segment[-1].mark == NO_MARK:
            segment[-1] = segment[-1]._replace(mark=row.mark)


def _parse(line: str) -> Row:
    columns = line.split()
    cases = {str(index): case for index, case in enumerate(CASES)}
    if len(columns) == 3 and columns[1] in cases and columns[2] in (NO_MARK, *MARKS):
        return Row(columns[0], cases[columns[1]], columns[2])
    raise ValueError(Errors.P093.format(found=line.strip()[:80]))


def _gold_word(row: Row) -> GoldWord:
    word = split_words(row.word)[0]
    letters = list(lower(row.word[word.core_start : word.core_end]))
    for offset in find_capitals("".join(letters), row.case):
        letters[offset] = upper(letters[offset])
    core = "".join(letters)
    # The dot that ends "u.s." is the full stop too.
    mark = "" if row.mark == NO_MARK or core.endswith(row.mark) else row.mark
    return make_word(core, mark, False)


def write_segments(file: BinaryIO, segments: Iterable[Sequence[Row]]) -> int:
    """Write segments to a file.

    file (BinaryIO): The file, open for writing.
    segments (Iterable[Sequence[Row]]): The segments.
    RETURNS (int): Number of words.
    """
    count = 0
    for segment in segments:
        for word, case, mark in segment:
            file.write(f"{word}\t{CASES.index(case)}\t{mark}\n".encode())
        file.write(b"\n")
        count += len(segment)
    return count


def read_text_segments(
    paths: Sequence[PathLike], *, max_words: int = MAX_WORDS
) -> Iterator[List[List[Row]]]:
    """Prepare running text as the data set was: words in lower case, their case and `, . ?` as
    labels, no other marks, and segments that hold as many whole sentences as may be. A sentence
    that is too long, and one without an end, is left out.

    paths (Sequence[Union[str, Path]]): .txt or .txt.xz files, or folders with such files.
    max_words (int): Length of a segment at most.
    YIELDS (List[List[Row]]): The segments of a document.
    RAISES (ValueError): If there is no text file, or one cannot be read.
    """
    for file in find_text_files(paths):
        for lines in read_documents(file):
            rows = [_make_row(word) for word in document_words(lines)]
            yield list(_join_sentences(rows, max_words))


def _make_row(word: GoldWord) -> Row:
    found = split_words(word.gold)[0]
    core = word.gold[found.core_start : found.core_end]
    mark = found.mark if found.mark and found.mark in KEPT_MARKS else NO_MARK
    return Row(word.raw, case_of(core), mark)


def _join_sentences(rows: Sequence[Row], max_words: int) -> Iterator[List[Row]]:
    segment: List[Row] = []
    sentence: List[Row] = []
    for row in rows:
        sentence.append(row)
        if row.mark not in ENDS:
            continue
        if segment and len(segment) + len(sentence) > max_words:
            yield segment
            segment = []
        if len(sentence) <= max_words:
            segment += sentence
        sentence = []
    if segment:
        yield segment


def split_documents(
    documents: Iterable[List[List[Row]]], *, seed: int = 0
) -> Iterator[Tuple[str, List[List[Row]]]]:
    """Deal documents out to train, dev and test: of each ten documents five, two and three.

    documents (Iterable[List[List[Row]]]): The segments of each.
    seed (int): Decides which go where.
    YIELDS (Tuple[str, List[List[Row]]]): The name of the part, and the document.
    """
    rng = random.Random(seed)
    names: List[str] = []
    for document in documents:
        if not names:
            names = [name for name, share in SHARES.items() for _ in range(share)]
            rng.shuffle(names)
        yield names.pop(), document
