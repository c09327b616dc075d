import pytest

from spacy_punctcase.rewrite.edits import INSERTED
from spacy_punctcase.rewrite.marks import insert_marks


@pytest.mark.parametrize(
    "text, labels, kept, replaced",
    [
        ("hi you", [",", "?"], "hi, you?", "hi, you?"),
        ("hi! you", [",", "O"], "hi! you", "hi, you"),
        ("hi , you .", ["O", "?"], "hi , you .", "hi you?"),
        ("the u.s. is", ["O", ".", "."], "the u.s. is.", "the u.s. is."),
        ('say "hi" ok', ["O", ".", "O"], 'say "hi". ok', 'say "hi". ok'),
        ("ok [noise, loud] so", [".", "?"], "ok. [noise, loud] so?", "ok. [noise, loud] so?"),
        ("", [], "", ""),
    ],
)
def test_insert_marks(text, labels, kept, replaced) -> None:
    assert insert_marks(text, labels)[0] == kept
    assert insert_marks(text, labels, removable=",.?!")[0] == replaced


def test_origins_lead_back() -> None:
    text = "hi , you !"
    for removable in ("", ",!"):
        new, origins = insert_marks(text, ["O", "."], removable=removable)
        assert len(new) == len(origins)
        for char, origin in zip(new, origins):
            assert origin == INSERTED or text[origin] == char
