import lzma
from unicodedata import normalize

import numpy
import pytest

from spacy_punctcase.gold.prior import (
    NO_PRIOR,
    NUM_CODES,
    UNKNOWN_WORD,
    CasingPrior,
    create_casing_prior,
    unknown_codes,
)

TEXTS = ["so we use GitHub's API, and the u.s. or U.S. Army may", "In May we may use GitHub."] * 30


def test_counts_words_within_sentences() -> None:
    prior = CasingPrior.from_texts(TEXTS)
    assert prior.count("github") == 60
    assert prior.count("so") == prior.count("in") == 0
    assert prior.count("u.s") == 60
    assert len(CasingPrior.from_texts(TEXTS, min_count=61)) == 1  # "may" alone


def test_codes_tell_upper_case_letter_by_letter() -> None:
    prior = CasingPrior.from_texts(TEXTS)
    codes = prior.codes("github")
    assert codes[0] == codes[3] > codes[1] == codes[2] == codes[4] == codes[5] > UNKNOWN_WORD
    assert prior.codes("github's").tolist() == [*codes, NO_PRIOR, NO_PRIOR]
    acronym = prior.codes("api")
    assert acronym[0] == acronym[1] == acronym[2] > prior.codes("use")[0]
    # Both ways, and one letter as the other: between the sure ones.
    unsure = prior.codes("u.s")
    assert unsure[1] == NO_PRIOR and codes[1] < unsure[0] == unsure[2] < codes[0]


def test_words_that_are_not_known() -> None:
    prior = CasingPrior.from_texts(TEXTS)
    assert prior.codes("zo-q1").tolist() == [1, 1, 0, 1, 0] == unknown_codes("zo-q1").tolist()
    assert prior.codes("").tolist() == []


def test_codes_are_in_range_and_more_certain_with_more_evidence() -> None:
    codes = []
    for times in (2, 10, 100, 100_000):
        prior = CasingPrior({"nasa": [(0b1111, times)], "the": [(0, times)]})
        codes.append(prior.codes("nasa")[0])
        assert 2 <= prior.codes("the")[0] < prior.codes("nasa")[0] < NUM_CODES
    assert codes == sorted(codes)


def test_saved_and_loaded() -> None:
    prior = CasingPrior.from_texts(TEXTS)
    loaded = CasingPrior.from_bytes(prior.to_bytes())
    assert len(loaded) == len(prior)
    for word in ("github", "may", "u.s", "other"):
        numpy.testing.assert_array_equal(loaded.codes(word), prior.codes(word))
    assert len(CasingPrior.from_bytes(CasingPrior().to_bytes())) == 0
    long = "x" * 64
    assert len(CasingPrior.from_texts([f"a {long} {long}"])) == 0


def test_reader_leaves_out_files_of_weight_0(tmp_path) -> None:
    (tmp_path / "talks.txt.xz").write_bytes(lzma.compress(b"so NASA and then NASA.\n\nSo NASA.\n"))
    (tmp_path / "code.txt").write_text("so Nasa and Nasa.\nSO NASA AND NASA AND NASA.\n", "utf8")
    prior = create_casing_prior(tmp_path, weights={"code": 0.0})
    assert prior._shapes == {"nasa": [(0b1111, 3)]}
    assert create_casing_prior(tmp_path).count("nasa") == 5
    with pytest.raises(ValueError, match="has no path"):
        create_casing_prior(None)


def test_composed_or_not() -> None:
    composed = CasingPrior.from_texts(["ở Huế, Việt Nam"] * 9)
    decomposed = CasingPrior.from_texts([normalize("NFD", "ở Huế, Việt Nam")] * 9)
    assert composed.to_bytes() == decomposed.to_bytes()
    assert composed.codes("huế")[0] > composed.codes("huế")[1]
