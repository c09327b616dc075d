"""Gold text of an Example, and its annotations moved onto the text that is predicted."""

from difflib import SequenceMatcher
from typing import Any, Dict, Iterable, List, Optional, Tuple

from spacy.tokens import Doc
from spacy.training import Example

from ..errors import Errors
from ..rewrite.rewrite import (
    OffsetMap,
    move_entities,
    move_sentence_starts,
    move_spans,
    move_user_data,
)
from ..text.case import lower
from ..text.marks import MARKS
from ..text.words import Word, normal_form, same_word, split_words

#: Key of the gold text in a reference's `user_data`. Without it the reference's own text is gold.
GOLD = "punctcase_gold"
#: Key of the indices of words whose mark is not known (a turn was cut off there).
UNKNOWN_MARKS = "punctcase_unknown_marks"
#: Key of whether a transcript begins within a sentence; without it, it begins with one.
STARTS_WITHIN = "punctcase_starts_within"


def gold_text(reference: Doc) -> str:
    """The restored text that a reference Doc stands for.

    reference (Doc): A transcript with its gold text in `user_data`, or any annotated Doc.
    RETURNS (str): The gold text.
    """
    return reference.user_data.get(GOLD, reference.text)


def unknown_marks(reference: Doc) -> List[int]:
    """Indices of the words for which a reference says nothing of the mark that follows."""
    return reference.user_data.get(UNKNOWN_MARKS, [])


def align_words(source: str, gold: str) -> List[Tuple[Word, Word]]:
    """Pair the words of two texts that differ in marks and case only.

    RAISES (ValueError): If the words differ, naming the first that does.
    """
    source_words, gold_words = split_words(source), split_words(gold)
    pairs = list(zip(source_words, gold_words))
    differing = (
        index
        for index, (ours, theirs) in enumerate(pairs)
        if not same_word(normal_form(source, ours), normal_form(gold, theirs))
    )
    index = next(differing, len(pairs))
    if index == len(source_words) == len(gold_words):
        return pairs

    def form(text: str, words: List[Word]) -> str:
        return normal_form(text, words[index]) if index < len(words) else "(end)"

    near = gold_words[min(index, len(gold_words) - 1)].start if gold_words else 0
    raise ValueError(
        Errors.P003.format(
            index=index,
            source=form(source, source_words),
            gold=form(gold, gold_words),
            excerpt=gold[max(0, near - 40) : near + 40],
        )
    )


def character_origins(new: str, old: str) -> List[int]:
    """For each character of one text its offset in another that says the same, or -1.

    The letters are matched one to one, case aside; what only one text has (marks, white space
    that differs) has no origin. Where even the letters differ, the rest is matched as far as
    possible.
    """
    origins = [-1] * len(new)
    new_low, old_low = (lower(text).replace("ς", "σ") for text in (new, old))
    position = 0
    for index, char in enumerate(new_low):
        found = position
        while found < len(old_low) and old_low[found] != char and not old_low[found].isalnum():
            found += 1
        if found < len(old_low) and old_low[found] == char:
            origins[index] = found
            position = found + 1
        elif char.isalnum():
            break
    else:
        if not any(char.isalnum() for char in old_low[position:]):
            return origins
    origins = [-1] * len(new)
    matcher = SequenceMatcher(None, old_low, new_low, autojunk=False)
    for block in matcher.get_matching_blocks():
        for offset in range(block.size):
            origins[block.b + offset] = block.a + offset
    return origins


def project_reference(reference: Doc, predicted: Doc) -> Doc:
    """A reference Doc on the text of the predicted one: same tokens as the predicted Doc, with
    the reference's tags, heads, entities, spans and sentence starts where they can be placed.

    reference (Doc): The gold Doc.
    predicted (Doc): A Doc of the same words with other marks or case.
    RETURNS (Doc): The new reference; it keeps the gold text.
    """
    origins = character_origins(predicted.text, reference.text)
    moved = OffsetMap(origins, len(reference.text))
    pairs = _pair_tokens(reference, predicted, moved)
    annotations = _move_token_attributes(reference, len(predicted), pairs)
    has_tree = reference.has_annotation("DEP")
    if has_tree:
        annotations.update(_move_tree(reference, predicted, moved))
    new = Doc(
        predicted.vocab,
        words=[token.text for token in predicted],
        spaces=[bool(token.whitespace_) for token in predicted],
        **annotations,
    )
    for index, old_index in pairs.items():
        if reference[old_index].has_morph():
            new[index].set_morph(str(reference[old_index].morph))  # type: ignore[attr-defined]
    new.user_data.update(move_user_data(reference, new, moved))
    new.user_data[GOLD] = gold_text(reference)
    new.cats = dict(reference.cats)
    if not has_tree:
        move_sentence_starts(reference, new, moved)
    move_entities(reference, new, moved)
    move_spans(reference, new, moved)
    return new


def _pair_tokens(reference: Doc, predicted: Doc, moved: OffsetMap) -> Dict[int, int]:
    """Tokens of the predicted Doc that are one token of the reference too, by index."""
    by_extent = {(token.idx, token.idx + len(token)): token.i for token in predicted}
    pairs: Dict[int, int] = {}
    for token in reference:
        index = by_extent.get(moved.span(token.idx, token.idx + len(token)))
        if index is not None:
            pairs[index] = token.i
    return pairs


def _move_token_attributes(reference: Doc, length: int, pairs: Dict[int, int]) -> Dict[str, Any]:
    """Tags, parts of speech and lemmas as arguments of `Doc`; "" for tokens without counterpart."""
    moved: Dict[str, Any] = {}
    for argument, attribute in (("tags", "tag_"), ("pos", "pos_"), ("lemmas", "lemma_")):
        if reference.has_annotation(attribute.rstrip("_").upper()):
            values: List[str] = [""] * length
            for index, old_index in pairs.items():
                values[index] = getattr(reference[old_index], attribute)
            moved[argument] = values
    return moved


def _move_tree(reference: Doc, predicted: Doc, moved: OffsetMap) -> Dict[str, Any]:
    """Heads and dependency labels as arguments of `Doc`.

    Each token of the predicted Doc takes the place of the highest of the reference's tokens that
    begin in it. What is left, inserted marks for the most part, hangs on its neighbour: spaCy
    takes a token without a label for a root, which would cut the tree in two.
    """
    heads = list(range(len(predicted)))
    deps: List[Optional[str]] = [None] * len(predicted)
    by_character = {
        offset: token.i
        for token in predicted
        for offset in range(token.idx, token.idx + len(token))
    }
    new_index: Dict[int, int] = {}
    highest: Dict[int, Tuple[int, int]] = {}  # by the token's index: depth and index in reference
    for token in reference:
        start, end = moved.span(token.idx, token.idx + len(token))
        if start < end and start in by_character:
            index = new_index[token.i] = by_character[start]
            place = (sum(1 for _ in token.ancestors), token.i)
            highest[index] = min(place, highest.get(index, place))
    heirs: Dict[int, int] = {}  # of the reference's roots that are gone
    for index, (_, old_index) in highest.items():
        token = reference[old_index]
        if not token.has_dep():
            continue
        head, deps[index] = token.head, token.dep_
        while head.i not in new_index and head.head.i != head.i:
            head, deps[index] = head.head, "dep"
        if head.i in new_index:
            heads[index] = new_index[head.i]
        else:
            heads[index] = heirs.setdefault(head.i, index)
            deps[index] = head.dep_ if heads[index] == index else "dep"
    neighbour = min(highest, default=None)
    for index, token in enumerate(predicted):
        if index in highest:
            neighbour = index
        elif neighbour is not None:
            heads[index] = neighbour
            deps[index] = "punct" if MARKS.issuperset(token.text) else "dep"
    return {"heads": heads, "deps": deps}


def realign_examples(examples: Iterable[Example]) -> None:
    """Move each Example's reference onto the text of its predicted Doc, in place.

    spaCy cannot align texts that differ by more than case and white space (E949), so components
    that rewrite Docs call this when they are done: whatever follows is then trained and scored
    on the restored text. `Language.update` and `Language.evaluate` own copies of the Examples.
    """
    for example in examples:
        if example.reference.text != example.predicted.text:
            example.reference = project_reference(example.reference, example.predicted)


def set_predicted(example: Example, predicted: Doc) -> None:
    """Replace an Example's predicted Doc and move its reference onto it."""
    example.predicted = predicted
    realign_examples([example])
