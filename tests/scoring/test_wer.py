from pytest import approx

from spacy_punctcase.scoring.wer import count_wer, score_wer


def test_four_rates() -> None:
    # A word replaced, "." for ",", one mark missing, one capital missing.
    scores = score_wer(count_wer("hi Uyen. I leave in Rome", "Hi Uyen, I live in Rome!"))
    assert scores == {
        "wer": approx(1 / 6),
        "wer_marks": approx(3 / 8),
        "wer_case": approx(2 / 6),
        "wer_marks_case": approx(4 / 8),
    }


def test_other_marks_are_mapped() -> None:
    assert score_wer(count_wer("fine. so", "fine! so"))["wer_marks"] == 0
    assert score_wer(count_wer("fine. so", "fine! so", "!"))["wer_marks"] == approx(1 / 3)


def test_marks_apart_and_abbreviations() -> None:
    counts = count_wer('"a" , in the u.s', "“a”, in the u.s.")
    assert set(score_wer(counts).values()) == {0}


def test_more_words_than_gold_has() -> None:
    assert score_wer(count_wer("a b c", "A"))["wer"] == 2.0


def test_no_gold_words() -> None:
    assert set(score_wer(count_wer("a", "")).values()) == {None}
