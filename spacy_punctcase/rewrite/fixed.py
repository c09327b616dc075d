"""Words whose case is settled, so that no component behind changes it.

They are kept in `doc.user_data` under keys like those of custom attributes of tokens, which move
along when the text is rewritten.
"""

from typing import Any, Dict, Set

from spacy.tokens import Doc

#: Name under which a settled word is kept in `doc.user_data`.
FIXED = "punctcase_fixed"


def set_fixed(doc: Doc, start: int) -> None:
    """Settle the case of a word. start (int): Its `core_start`."""
    user_data: Dict[Any, Any] = doc.user_data
    user_data["._.", FIXED, start, None] = True


def fixed_words(doc: Doc) -> Set[int]:
    """The `core_start` of each word whose case is settled."""
    user_data: Dict[Any, Any] = doc.user_data
    return {key[2] for key in user_data if isinstance(key, tuple) and key[1:2] == (FIXED,)}
