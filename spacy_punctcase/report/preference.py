"""A blind study of which of two texts readers prefer: its page, and the sums of its votes."""

import base64
import hashlib
import json
import random
from collections import Counter
from itertools import combinations
from math import comb, sqrt
from pathlib import Path
from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from ..errors import Errors
from .differences import Paragraph, Piece, check_lengths, find_paragraphs
from .page import render_page

CHOICES = ("a", "b", "tie")
#: 97.5 % of the standard normal distribution lie below.
Z95 = 1.959963984540054


class Votes(NamedTuple):
    """The votes of one rater.

    path: The file.
    study: Id of the study.
    names: What the two texts are called.
    rater: Name of the rater; "" if not given.
    choices: By item of the study, one of CHOICES.
    """

    path: Path
    study: str
    names: Tuple[str, str]
    rater: str
    choices: Dict[int, str]


def render_study(
    a: Sequence[str],
    b: Sequence[str],
    gold: Optional[Sequence[str]] = None,
    *,
    names: Sequence[str] = ("A", "B"),
    limit: int = 0,
    seed: int = 0,
) -> str:
    """Render an HTML page on which a reader says for each paragraph which text is better, without
    knowing which is which. It needs no other file.

    a, b (Sequence[str]): The documents of either text.
    gold (Optional[Sequence[str]]): Those of the gold text, for the reader to look at.
    names (Sequence[str]): What the two are called in the votes.
    limit (int): Number of paragraphs, drawn at random; 0 for all that differ.
    seed (int): Decides which are drawn, their order and their sides.
    RETURNS (str): The page.
    RAISES (ValueError): If the numbers of documents differ, or nothing else does.
    """
    check_lengths(a, b, gold)
    paragraphs: List[Paragraph] = []
    for index, (text_a, text_b) in enumerate(zip(a, b)):
        found = find_paragraphs(text_a, text_b, None if gold is None else gold[index])
        paragraphs.extend(paragraph for paragraph in found if paragraph.differences)
    if not paragraphs:
        raise ValueError(Errors.P035.format(a=names[0], b=names[1]))
    rng = random.Random(seed)
    drawn = rng.sample(paragraphs, min(limit or len(paragraphs), len(paragraphs)))
    # Half of the items have A on the left, so that a habit of choosing one side favours neither.
    sides = ["ab"[index % 2] for index in range(len(drawn))]
    rng.shuffle(sides)
    items = [
        {
            "left": _runs(paragraph.a if side == "a" else paragraph.b),
            "right": _runs(paragraph.b if side == "a" else paragraph.a),
            "gold": paragraph.gold,
        }
        for paragraph, side in zip(drawn, sides)
    ]
    study = hashlib.sha256(json.dumps([list(names), sides, items]).encode("utf8")).hexdigest()[:16]
    key = base64.b64encode("".join(sides).encode("ascii")).decode("ascii")
    data = {"study": study, "names": list(names), "key": key, "items": items}
    return render_page("preference.html", data=data, has_gold=gold is not None)


def read_votes(path: Path) -> Votes:
    """Read a file that the page of a study saved.

    path (Path): The file.
    RETURNS (Votes): The votes.
    RAISES (ValueError): If it cannot be read, or is no file of votes.
    """
    try:
        data = json.loads(path.read_bytes())
    except OSError as error:
        raise ValueError(Errors.P008.format(path=path, reason=error)) from None
    except ValueError as error:
        raise _malformed(path, f"is not JSON ({error})") from None
    if not isinstance(data, dict):
        raise _malformed(path, "is not a JSON object")
    study, names, rater, votes = (data.get(key) for key in ("study", "names", "rater", "votes"))
    if not isinstance(study, str) or not study:
        raise _malformed(path, "'study' must be the id of the study")
    if not (isinstance(names, dict) and all(isinstance(names.get(key), str) for key in "ab")):
        raise _malformed(path, "'names' must give a name for 'a' and for 'b'")
    if not isinstance(rater, str):
        raise _malformed(path, "'rater' must be a name, or an empty string")
    if not isinstance(votes, list):
        raise _malformed(path, "'votes' must be a list")
    choices: Dict[int, str] = {}
    for number, vote in enumerate(votes, 1):
        item = vote.get("item") if isinstance(vote, dict) else None
        if type(item) is not int or item < 0:
            raise _malformed(path, f"'item' of vote {number} must be the number of an item")
        if vote.get("choice") not in CHOICES:
            expected = "'a', 'b' or 'tie'"
            raise _malformed(path, f"'choice' of vote {number} must be {expected}")
        if item in choices:
            raise _malformed(path, f"there are two votes on item {item}")
        choices[item] = vote["choice"]
    return Votes(path, study, (names["a"], names["b"]), rater.strip(), choices)


def score_votes(files: Sequence[Votes]) -> Dict[str, Any]:
    """Sum up the votes on one study.

    Interval and p value take the votes for independent of each other; several raters' votes on
    the same items are not quite.

    files (Sequence[Votes]): The votes of one rater each.
    RETURNS (Dict[str, Any]): `study`, `names`, `raters`; `votes`, `wins_a`, `wins_b`, `ties`;
        `share_b` with ties counted half and `share_b_without_ties`, each a `value` with the Wilson
        score interval of 95 % (`low`, `high`); `p_value` of the two-sided sign test; and of
        several raters `agreement` (the share of pairs of votes on an item that are equal) and
        Krippendorff's `alpha`. None for what the votes do not tell.
    RAISES (ValueError): If there are votes on several studies, or two files of one rater.
    """
    first = files[0]
    raters: Dict[str, Path] = {}
    for file in files:
        if file.study != first.study:
            problem = f"has votes on study {file.study}, but {first.path} on {first.study}"
            raise ValueError(Errors.P037.format(path=file.path, problem=problem))
        if file.rater and file.rater in raters:
            problem = f"has votes of {file.rater}, and so has {raters[file.rater]}"
            raise ValueError(Errors.P037.format(path=file.path, problem=problem))
        raters[file.rater] = file.path
    counts = Counter(choice for file in files for choice in file.choices.values())
    wins_a, wins_b, ties = (counts[choice] for choice in CHOICES)
    total = wins_a + wins_b + ties
    agreement, alpha = rater_agreement([file.choices for file in files])
    return {
        "study": first.study,
        "names": {"a": first.names[0], "b": first.names[1]},
        "raters": len(files),
        "votes": total,
        "wins_a": wins_a,
        "wins_b": wins_b,
        "ties": ties,
        "share_b": _share(wins_b + ties / 2, total),
        "share_b_without_ties": _share(wins_b, wins_a + wins_b),
        "p_value": sign_test(wins_a, wins_b),
        "agreement": agreement,
        "alpha": alpha,
    }


def wilson_interval(successes: float, total: int) -> Tuple[float, float]:
    """The Wilson score interval of 95 % of a share.

    successes (float): Their number; halves are allowed.
    total (int): The number of trials, at least 1.
    RETURNS (Tuple[float, float]): Its lower and upper end.
    """
    share = successes / total
    factor = 1 + Z95**2 / total
    centre = (share + Z95**2 / (2 * total)) / factor
    spread = Z95 / factor * sqrt(share * (1 - share) / total + Z95**2 / (4 * total**2))
    return max(0.0, centre - spread), min(1.0, centre + spread)


def sign_test(wins_a: int, wins_b: int) -> Optional[float]:
    """The p value of the exact two-sided sign test: how likely a difference as large as this is
    when neither is preferred. None without any win."""
    total = wins_a + wins_b
    if not total:
        return None
    tail = sum(comb(total, wins) for wins in range(min(wins_a, wins_b) + 1))
    return min(1.0, 2 * tail / 2**total)


def rater_agreement(
    raters: Sequence[Dict[int, str]],
) -> Tuple[Optional[float], Optional[float]]:
    """How far raters agree on the items that two or more of them voted on.

    raters (Sequence[Dict[int, str]]): For each rater the choices by item.
    RETURNS (Tuple[Optional[float], Optional[float]]): The share of pairs of votes on the same item
        that are equal, and Krippendorff's alpha for nominal data; None without such items, the
        latter also where all votes are the same.
    """
    by_item: Dict[int, List[str]] = {}
    for choices in raters:
        for item, choice in choices.items():
            by_item.setdefault(item, []).append(choice)
    shared = [votes for votes in by_item.values() if len(votes) > 1]
    if not shared:
        return None, None
    pairs = [pair for votes in shared for pair in combinations(votes, 2)]
    agreement = sum(one == other for one, other in pairs) / len(pairs)
    total = sum(map(len, shared))
    observed = sum(2 * _unequal_pairs(votes) / (len(votes) - 1) for votes in shared) / total
    expected = 2 * _unequal_pairs(vote for votes in shared for vote in votes) / total / (total - 1)
    return agreement, (1 - observed / expected if expected else None)


def _unequal_pairs(votes: Iterable[str]) -> int:
    counts = Counter(votes)
    return sum(counts[one] * counts[other] for one, other in combinations(counts, 2))


def _share(successes: float, total: int) -> Dict[str, Optional[float]]:
    if not total:
        return {"value": None, "low": None, "high": None}
    low, high = wilson_interval(successes, total)
    return {"value": successes / total, "low": low, "high": high}


def _runs(pieces: Sequence[Piece]) -> List[List[Any]]:
    """Text as the page's script takes it: each piece, and whether the other side differs."""
    return [[piece.text, piece.place is not None] for piece in pieces if piece.text]


def _malformed(path: Path, problem: str) -> ValueError:
    return ValueError(Errors.P036.format(path=path, problem=problem))
