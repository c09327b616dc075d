from collections import Counter
from typing import Any, Dict, List

import numpy
import pytest
from pytest import approx

from spacy_punctcase.scoring.bootstrap import bootstrap, paired_bootstrap


def share(counts: Counter) -> Dict[str, Any]:
    total = counts["all"]
    return {"share": counts["hit"] / total if total else None, "never": None}


def units(seed: int, rate: float = 0.5, number: int = 200) -> List[Counter]:
    hits = numpy.random.default_rng(seed).binomial(10, rate, size=number)
    return [Counter({"hit": int(hit), "all": 10}) for hit in hits]


def test_interval() -> None:
    low, high = bootstrap(units(0), share, ["share"])["share"]
    found = sum(unit["hit"] for unit in units(0)) / 2000
    assert low < found < high
    # 1.96 standard errors of a share of one half in 2000 draws, on either side.
    assert high - low == approx(2 * 1.96 * (0.25 / 2000) ** 0.5, rel=0.15)


def test_confidence_and_seed() -> None:
    wide = bootstrap(units(0), share, ["share"], confidence=0.99)["share"]
    narrow = bootstrap(units(0), share, ["share"], confidence=0.5)["share"]
    assert wide[0] < narrow[0] < narrow[1] < wide[1]
    assert wide == bootstrap(units(0), share, ["share"], confidence=0.99)["share"]
    assert wide != bootstrap(units(0), share, ["share"], confidence=0.99, seed=1)["share"]


def test_the_order_of_units_does_not_matter() -> None:
    assert bootstrap(units(0)[::-1], share, ["share"]) == bootstrap(units(0), share, ["share"])


def test_units_that_are_all_alike() -> None:
    same = [Counter(hit=1, all=4)] * 30
    assert bootstrap(same, share, ["share"], samples=50)["share"] == (0.25, 0.25)


def test_what_is_not_defined_is_left_out() -> None:
    assert bootstrap(units(0), share, ["never"], samples=10) == {}
    assert bootstrap([], share, ["share"], samples=10) == {}
    assert bootstrap([Counter()], share, ["share"], samples=10) == {}
    assert paired_bootstrap([], [], share, ["share"], samples=10) == {}
    # Only some resamples have anything to divide by.
    few = [Counter(hit=1, all=2), Counter(), Counter()]
    assert bootstrap(few, share, ["share"], samples=50)["share"] == (0.5, 0.5)


def test_paired_with_itself() -> None:
    result = paired_bootstrap(units(0), units(0), share, ["share", "never"])
    assert result == {"share": (0.0, 0.0, 0.0, 0.5)}


def test_paired() -> None:
    # Unit by unit one hit more: the difference is certain, though the units vary.
    less = units(0, 0.4)
    more = [unit + Counter(hit=1) for unit in less]
    difference = paired_bootstrap(more, less, share, ["share"])["share"]
    assert difference == approx((0.1, 0.1, 0.1, 1.0))
    assert paired_bootstrap(less, more, share, ["share"])["share"].better == 0.0
    result = paired_bootstrap(more, less, share, ["share"], lower_is_better=["share"])
    assert result["share"].better == 0.0


def test_paired_with_another() -> None:
    difference = paired_bootstrap(units(0), units(1), share, ["share"])["share"]
    assert difference.low < difference.difference < difference.high
    assert 0.0 < difference.better < 1.0


def test_numbers_that_differ() -> None:
    with pytest.raises(ValueError, match="numbers of units differ"):
        paired_bootstrap(units(0), units(1, number=3), share, ["share"])
