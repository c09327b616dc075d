from collections import Counter

from spacy_punctcase.scoring.match import count_match, score_match


def test_documents_that_match() -> None:
    total: Counter = Counter()
    for predicted, gold in (
        (" Hi \n Uyen. ", "Hi Uyen."),
        ("hi Uyen.", "Hi Uyen."),
        ("Hi, Uyen", "Hi Uyen."),
        ("hi, Uyen", "Hi Uyen."),
    ):
        total.update(count_match(predicted, gold))
    assert score_match(total) == {
        "match": 1 / 4,
        "match_ignoring_case": 2 / 4,
        "match_ignoring_marks": 2 / 4,
    }


def test_no_document() -> None:
    assert set(score_match(Counter()).values()) == {None}
