"""Gold text of an Example, and its annotations moved onto the text that is predicted."""

from difflib import SequenceMatcher
from typing import Dict, Iterable, List, Optional, Tuple

from spacy.tokens import Doc, SpanGroup
from spacy.training import Example

from ..errors import Errors
from ..rewrite.rewrite import OffsetMap, move_entities, move_span
from ..text.case import lower
from ..text.words import Word, normal_form, split_words

#: Key of the gold text in a reference's `user_data`. Without it the reference's own text is gold.
GOLD = "punctcase_gold"
#: Key of the indices of words whose mark is not known (a turn was cut off there).
UNKNOWN_MARKS = "punctcase_unknown_marks"


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
    for index, (ours, theirs) in enumerate(pairs):
        if normal_form(source, ours) != normal_form(gold, theirs):
            break
    else:
        if len(source_words) == len(gold_words):
            return pairs
        index = len(pairs)

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
    new_low, old_low = lower(new), lower(old)
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
    new = Doc(
        predicted.vocab,
        words=[token.text for token in predicted],
        spaces=[bool(token.whitespace_) for token in predicted],
        user_data=dict(reference.user_data),
    )
    new.user_data[GOLD] = gold_text(reference)
    new.cats = dict(reference.cats)
    pairs = _pair_tokens(reference, new, moved)
    _move_token_attributes(reference, new, pairs)
    move_entities(reference, new, moved)
    for key, group in reference.spans.items():
        spans = [move_span(span, new, moved) for span in group]
        new.spans[key] = SpanGroup(
            new, name=group.name, attrs=group.attrs, spans=[s for s in spans if s is not None]
        )
    return new


def _pair_tokens(reference: Doc, new: Doc, moved: OffsetMap) -> Dict[int, int]:
    """Tokens of the reference that are one token in the new Doc too, by index."""
    by_extent = {(token.idx, token.idx + len(token)): token.i for token in new}
    pairs: Dict[int, int] = {}
    for token in reference:
        index = by_extent.get(moved.span(token.idx, token.idx + len(token)))
        if index is not None:
            pairs[token.i] = index
    return pairs


def _move_token_attributes(reference: Doc, new: Doc, pairs: Dict[int, int]) -> None:
    has_heads = reference.has_annotation("DEP")
    has_sentences = reference.has_annotation("SENT_START")
    for old_index, new_index in pairs.items():
        old, token = reference[old_index], new[new_index]
        token.tag, token.pos, token.lemma = old.tag, old.pos, old.lemma
        if old.has_morph():
            token.set_morph(old.morph)
        if has_heads and old.dep:
            head = pairs.get(old.head.i)
            if head is not None:
                token.dep = old.dep
                token.head = new[head]
        elif has_sentences and old.is_sent_start is not None:
            token.is_sent_start = old.is_sent_start


def realign_examples(examples: Iterable[Example]) -> None:
    """Move each Example's reference onto the text of its predicted Doc, in place.

    spaCy cannot align texts that differ by more than case and white space (E949), so components
    that rewrite Docs call this when they are done: whatever follows is then trained and scored
    on the restored text. `Language.update` and `Language.evaluate` own copies of the Examples.
    """
    for example in examples:
        if example.reference.text != example.predicted.text:
            example.reference = project_reference(example.reference, example.predicted)


def set_predicted(example: Example, predicted: Optional[Doc]) -> None:
    """Replace an Example's predicted Doc and move its reference onto it."""
    if predicted is not None:
        example.predicted = predicted
    realign_examples([example])
