"""English numbers written out as they are spoken."""

import random
import re
from functools import lru_cache
from typing import List, Optional

from num2words import num2words

#: Words between an amount and its currency: "$5 million" is "five million dollars".
SCALES = frozenset({"thousand", "million", "billion", "trillion"})
CURRENCIES = {"$": "dollar", "€": "euro", "£": "pound"}

_AMOUNT = re.compile(
    r"(?P<currency>[$€£]?)(?P<whole>\d{1,3}(?:,\d{3}){1,4}|\d{1,15})"
    r"(?:\.(?P<fraction>\d{1,6}))?(?P<end>%|st|nd|rd|th|s|)",
    re.ASCII,
)
_TIME = re.compile(r"(\d{1,2}):([0-5]\d)", re.ASCII)
_RUN = re.compile(r"[A-Za-z]+|\d+", re.ASCII)
# Longer mixtures of letters and digits are identifiers, and nobody reads those out.
_MAX_RUNS, _MAX_RUN = 3, 4
# From here on digits are read one by one: telephone numbers and the like.
_MAX_DIGITS = 7


def speak_number(word: str, rng: random.Random, *, scale: str = "") -> Optional[List[str]]:
    """Write a number out as it is spoken. Where there are several ways, one is drawn.

    word (str): A word without marks around it: "2020", "$3.50", "10%", "3rd", "Q3", "COVID-19".
    rng (random.Random): Draws "two thousand nineteen" or "twenty nineteen".
    scale (str): One of SCALES that follows, to be put in front of the currency; "" for none.
    RETURNS (Optional[List[str]]): The words, in lower case but for letters that were there ("Q",
        "three"); None if it is no number of a known form.
    """
    amount = _AMOUNT.fullmatch(word)
    if amount:
        return _speak_amount(amount, scale, rng)
    time = _TIME.fullmatch(word)
    if time:
        return _speak_time(*time.groups())
    parts = word.split("-")
    if not all(part.isascii() and part.isalnum() for part in parts):
        return None
    if len(parts) == 1:
        return _speak_mixed(word, rng)
    return _speak_compound(parts, rng)


def _speak_amount(amount: re.Match, scale: str, rng: random.Random) -> Optional[List[str]]:
    currency, whole, fraction, end = amount.group("currency", "whole", "fraction", "end")
    if (currency and end) or (fraction and end not in ("", "%")):
        return None
    if end in ("", "%", "s"):
        words = _speak_whole(whole, rng)
    else:
        words = _spoken(int(whole.replace(",", "")), "ordinal")
    if rng.random() < 0.5:
        words = [word for word in words if word != "and"]
    if end == "s":
        words = _plural(words)
    unit = CURRENCIES.get(currency, "")
    is_price = currency == "$" and not scale and fraction is not None and len(fraction) == 2
    if fraction and not is_price:
        words = [*words, "point", *_speak_digits(fraction)]
    if scale:
        words = [*words, scale]
    if unit:
        words = [*words, unit if words == ["one"] else unit + "s"]
    if is_price and fraction != "00":
        words = [*words, *_spoken(int(fraction)), "cents"]
    return [*words, "percent"] if end == "%" else words


def _speak_whole(whole: str, rng: random.Random) -> List[str]:
    has_commas = "," in whole
    number = int(whole.replace(",", ""))
    if (len(whole) > _MAX_DIGITS and not has_commas) or (len(whole) > 1 and whole[0] == "0"):
        return _speak_digits(whole.replace(",", ""))
    if has_commas or not 1100 <= number < 2100 or 2000 <= number < 2010:
        return _spoken(number)
    return _spoken(number, "cardinal" if number >= 2010 and rng.random() < 0.5 else "year")


def _speak_digits(digits: str) -> List[str]:
    return [word for digit in digits for word in _spoken(int(digit))]


def _speak_time(hours: str, minutes: str) -> List[str]:
    if minutes == "00":
        return _spoken(int(hours))
    lead = ["oh"] if minutes[0] == "0" else []
    return [*_spoken(int(hours)), *lead, *_spoken(int(minutes))]


def _speak_mixed(word: str, rng: random.Random) -> Optional[List[str]]:
    runs = _RUN.findall(word)
    if not 1 < len(runs) <= _MAX_RUNS or any(len(run) > _MAX_RUN for run in runs):
        return None
    return [
        spoken for run in runs for spoken in ([run] if run.isalpha() else _speak_whole(run, rng))
    ]


def _speak_compound(parts: List[str], rng: random.Random) -> Optional[List[str]]:
    spoken = [[part] if part.isalpha() else speak_number(part, rng) for part in parts]
    if len(parts) == 2 and all(part.isdecimal() for part in parts):
        spoken.insert(1, ["to"])  # "2019-2020"
    words: List[str] = []
    for part in spoken:
        if part is None:
            return None
        words += part
    return None if words == parts else words


def _plural(words: List[str]) -> List[str]:
    last = words[-1]
    if last[-1] == "y":
        return [*words[:-1], last[:-1] + "ies"]
    return [*words[:-1], last + ("es" if last[-1] == "x" else "s")]


def _spoken(number: int, form: str = "cardinal") -> List[str]:
    """Words of a number: "twenty-one" is two, and the commas of large ones are left out."""
    return re.findall(r"[a-z]+", _spoken_text(number, form))


@lru_cache(maxsize=4096)
def _spoken_text(number: int, form: str) -> str:
    return num2words(number, to=form)
