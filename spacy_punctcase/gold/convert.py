"""Transcripts with gold text (format A) from plain text, word labels and annotated text."""

import json
import random
from typing import Any, Dict, Iterator, List, NamedTuple, Sequence, Tuple, Union

from spacy.language import Language
from spacy.tokens import Doc, Span

from ..errors import Errors
from ..text.words import normal_form, split_words
from .align import GOLD
from .readers import GoldWord, PathLike, TextCorpus, cut, make_example, make_word, read_lines

#: The labels of word label files (as in IWSLT 2011) and the marks that they stand for.
LABEL_MARKS = {"O": "", "COMMA": ",", "PERIOD": ".", "QUESTION": "?"}
_APOSTROPHES = ("'", "’")


class _Piece(NamedTuple):
    """A line of a word label file."""

    text: str
    mark: str


def docs_from_text(
    nlp: Language,
    paths: Union[PathLike, List[PathLike]],
    *,
    weights: Dict[str, float] = {},
    min_words: int = 60,
    max_words: int = 160,
    seed: int = 0,
) -> Iterator[Doc]:
    """Transcripts from plain, well-formed text. See TextCorpus for how they are made.

    nlp (Language): The pipeline whose vocab the Docs get.
    paths (Union[str, Path, List]): A .txt or .txt.xz file, a folder with such files, or several.
    weights (Dict[str, float]): How often to draw from a file, by its name without suffix.
    min_words, max_words (int): Length of a transcript.
    seed (int): Decides where the text is cut.
    YIELDS (Doc): The transcripts.
    RAISES (ValueError): If there is no text, or it cannot be read.
    """
    corpus = TextCorpus(paths, weights=weights, min_words=min_words, max_words=max_words, seed=seed)
    for example in corpus(nlp):
        yield example.reference


def docs_from_labels(
    nlp: Language,
    paths: Sequence[PathLike],
    *,
    min_words: int = 60,
    max_words: int = 160,
    seed: int = 0,
) -> Iterator[Doc]:
    """Transcripts from files with a word, a tab and a label on each line, as in IWSLT 2011. The
    case of the gold text is that of the file, which is often lower case throughout.

    nlp (Language): The pipeline whose vocab the Docs get.
    paths (Sequence[Union[str, Path]]): The files.
    min_words, max_words (int): Length of a transcript.
    seed (int): Decides where the text is cut.
    YIELDS (Doc): The transcripts.
    RAISES (ValueError): If a line is malformed, naming it.
    """
    rng = random.Random(seed)
    for path in paths:
        words = read_labels(path)
        for start, end in cut(len(words), min_words, max_words, rng):
            yield make_example(nlp.vocab, words[start:end]).reference


def read_labels(path: PathLike) -> List[GoldWord]:
    """The words of a word label file. Contractions that were split ("i" and "'m") are joined.

    path (Union[str, Path]): The file.
    RETURNS (List[GoldWord]): The words, each with its mark.
    RAISES (ValueError): If a line is malformed, naming it.
    """
    pieces: List[_Piece] = []
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        try:
            piece = _parse_label(line)
        except ValueError as error:
            raise ValueError(Errors.P010.format(path=path, line=number, problem=error)) from None
        joins = bool(pieces) and not pieces[-1].mark
        if joins and _is_contraction(piece.text):
            pieces[-1] = _Piece(pieces[-1].text + piece.text, piece.mark)
        elif split_words(piece.text):
            pieces.append(piece)
        elif joins:
            # No word (a dash, or nothing at all): its mark follows the word before.
            pieces[-1] = pieces[-1]._replace(mark=piece.mark)
    return [_label_word(piece) for piece in pieces]


def _parse_label(line: str) -> _Piece:
    columns = [column.strip() for column in line.split("\t")]
    if len(columns) != 2 or len(columns[0].split()) > 1 or columns[1] not in LABEL_MARKS:
        labels = ", ".join(LABEL_MARKS)
        raise ValueError(Errors.P022.format(labels=labels, found=line.strip()[:80]))
    return _Piece(columns[0], LABEL_MARKS[columns[1]])


def _is_contraction(text: str) -> bool:
    return text.startswith(_APOSTROPHES) or text.lower().replace("’", "'") == "n't"


def _label_word(piece: _Piece) -> GoldWord:
    # The label says which mark follows, whatever the word looks like ("mr."). The dot that ends
    # "u.s." is the full stop too.
    word = split_words(piece.text)[0]
    core = piece.text[word.core_start : word.core_end]
    return make_word(core, "" if core.endswith(piece.mark) else piece.mark, False)


def docs_from_jsonl(nlp: Language, paths: Sequence[PathLike]) -> Iterator[Doc]:
    """Transcripts with entities from JSON lines, {"text": str, "entities": [[start, end, label],
    ...]}: one for each line. An entity that begins or ends inside a word gets the whole word.
    Without the key "entities" it is not known which there are.

    nlp (Language): The pipeline whose vocab the Docs get.
    paths (Sequence[Union[str, Path]]): The files.
    YIELDS (Doc): The transcripts.
    RAISES (ValueError): If a line is malformed, naming it.
    """
    for path in paths:
        for number, line in enumerate(read_lines(path), start=1):
            if not line.strip():
                continue
            try:
                text, entities = _parse_json(line)
                doc = make_transcript(nlp, text)
                if entities is not None:
                    set_entities(doc, entities)
            except ValueError as error:
                raise ValueError(
                    Errors.P010.format(path=path, line=number, problem=error)
                ) from None
            yield doc


def _parse_json(line: str) -> Tuple[str, Any]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        raise ValueError(Errors.P023.format(problem=f"this is no JSON ({error})")) from None
    if not isinstance(record, dict) or not isinstance(record.get("text"), str):
        raise ValueError(Errors.P023.format(problem="there is no 'text'"))
    entities = record.get("entities")
    if entities is not None and not isinstance(entities, list):
        raise ValueError(Errors.P023.format(problem="'entities' is no list"))
    return record["text"], entities


def make_transcript(nlp: Language, gold: str) -> Doc:
    """A transcript of format A: one token for each word, the gold text in `user_data`.

    nlp (Language): The pipeline whose vocab the Doc gets.
    gold (str): The gold text.
    RETURNS (Doc): The transcript.
    """
    doc = Doc(nlp.vocab, words=[normal_form(gold, word) for word in split_words(gold)])
    doc.user_data[GOLD] = gold
    return doc


def set_entities(doc: Doc, entities: Sequence[Any]) -> None:
    """Set entities, given in offsets of the gold text, on the words of a transcript.

    doc (Doc): A transcript made by `make_transcript`.
    entities (Sequence[Tuple[int, int, str]]): Start, end and label of each; there are no others.
    RAISES (ValueError): If one is malformed, holds no word, or shares a word with another one.
    """
    words = split_words(doc.user_data[GOLD])
    spans: List[Span] = []
    taken: Dict[int, Any] = {}
    for entity in entities:
        start, end, label = _check_entity(entity, len(doc.user_data[GOLD]))
        inside = [
            index
            for index, word in enumerate(words)
            if word.core_start < end and start < word.core_end
        ]
        if not inside:
            raise ValueError(Errors.P024.format(entity=entity, problem="holds no word"))
        for index in inside:
            if index in taken:
                problem = f"shares the word {doc[index].text!r} with {taken[index]}"
                raise ValueError(Errors.P024.format(entity=entity, problem=problem))
            taken[index] = entity
        spans.append(Span(doc, inside[0], inside[-1] + 1, label=label))
    doc.set_ents(spans, default="outside")


def _check_entity(entity: Any, length: int) -> Tuple[int, int, str]:
    try:
        start, end, label = entity
        valid = 0 <= start < end <= length and isinstance(label, str) and bool(label)
    except (TypeError, ValueError):
        valid = False
    if not valid:
        raise ValueError(Errors.P024.format(entity=entity, problem="is not valid"))
    return start, end, label
