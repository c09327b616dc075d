"""Slips of a recogniser, added to training transcripts.

Each kind is a function from a window of words to the changed words. The gold text changes with the
transcript, so the words of both stay the same. Those of ENGLISH_SLIPS have tables and numbers of
English, and happen in English pipelines alone.
"""

import random
import re
from typing import Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from spacy.language import Language
from spacy.training import Example

from ..errors import Errors
from ..text.case import is_upper, lower, upper
from ..text.marks import MARKS
from ..text.words import split_words
from .align import STARTS_WITHIN, align_words, gold_text, unknown_marks
from .numbers import CURRENCIES, SCALES, speak_number
from .readers import GoldWord, Window, is_consistent, make_example, make_word

FILLERS = ("uh", "um", "you know", "like", "I mean")
# In the order of FILLERS; "uh" and "um" are by far the most frequent.
_FILLER_WEIGHTS = (10, 4, 2, 1, 1)

# Words that sound the same or, unstressed, nearly so. Words that are also names are left out: all
# of these are known to be in lower case within a sentence.
_SOUND_GROUPS = """
a the uh
a of
a are
an and
and in
in on
on an
and end
in an
the that
this these
this the
is as
as has
is it's
was were
were we're where
their there they're
to too two
its it's
your you're
you your
for four
no know
then than
are our or
will would
we'll will
have of
have had
have has
can can't
one won
by buy bye
hear here
right write
new knew
whose who's
wear where
weather whether
see sea
week weak
meet meat
piece peace
way weigh
hole whole
wait weight
road rode
read red
some sum
made maid
plane plain
sale sail
hour our
which witch
accept except
affect effect
passed past
principal principle
break brake
cent sent scent
site sight cite
steel steal
stairs stares
tale tail
through threw
role roll
pair pear
night knight
not knot
aloud allowed
ate eight
be bee
been bin
board bored
sell cell
course coarse
dear deer
die dye
fair fare
find fined
flour flower
great grate
heal heel
him them
he she
cost costs
"""


def _group_words(groups: str) -> Dict[str, Tuple[str, ...]]:
    found: Dict[str, List[str]] = {}
    for group in groups.split("\n"):
        for word in group.split():
            found.setdefault(word, []).extend(other for other in group.split() if other != word)
    return {word: tuple(dict.fromkeys(others)) for word, others in found.items()}


#: For each word the words that recognisers take it for.
SOUND_ALIKES = _group_words(_SOUND_GROUPS)

# Pairs that are also written as one word.
_COMPOUNDS = """
all right, any more, any one, any time, any way, a lot, a while, back end, back up, buy out,
can not, cash flow, check out, code base, data base, data set, every day, every one, feed back,
follow up, front end, head count, in to, key word, life cycle, line up, log in, market place,
may be, mean time, mid year, on going, on line, on to, out look, over all, over time, pay off,
road map, roll out, run time, set up, some one, some time, some times, stand point, start up,
time line, up date, up side, web page, web site, week end, work flow, work force, work place,
year end
"""
# Pairs that are heard as something shorter, and the other way round.
_SHORT_FORMS = {
    "gonna": "going to",
    "wanna": "want to",
    "gotta": "got to",
    "kinda": "kind of",
    "lemme": "let me",
    "I'm": "I am",
    "I've": "I have",
    "I'll": "I will",
    "it's": "it is",
    "it'll": "it will",
    "that's": "that is",
    "there's": "there is",
    "they're": "they are",
    "they've": "they have",
    "we're": "we are",
    "we've": "we have",
    "we'll": "we will",
    "you're": "you are",
    "you've": "you have",
    "you'll": "you will",
    "don't": "do not",
}
_PAIRS = {
    **{pair.replace(" ", ""): pair for pair in " ".join(_COMPOUNDS.split()).split(", ")},
    **_SHORT_FORMS,
}

#: What is written as one word or as two, whichever is right: for the one the two, and back.
TWO_WORDS = {lower(word): pair.split() for word, pair in _PAIRS.items()}
ONE_WORD = {tuple(lower(pair).split(" ")): word for word, pair in _PAIRS.items()}

_SENTENCE_ENDS = frozenset(".?!…")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]\.?")
_ROMAN = frozenset("IVX")
_DIGITS = frozenset("0123456789")

Slip = Callable[[Window, float, random.Random], List[GoldWord]]


def create_recogniser_noise(
    level: float = 0.2,
    hyphens: float = 0.35,
    word_breaks: float = 0.04,
    numbers: float = 0.9,
    acronyms: float = 0.1,
    apostrophes: float = 0.02,
    sound_alikes: float = 0.015,
    mistakes: float = 0.03,
    dropped: float = 0.012,
    doubled: float = 0.01,
    fillers: float = 0.02,
) -> Callable[[Language, Example], Iterator[Example]]:
    """Create the augmenter `spacy_punctcase.recogniser_noise.v1`: slips of a recogniser, each kind
    at its own rate. The defaults are near what two recognisers (Kaldi, ESPnet) put out for earnings
    calls. Like all augmenters of spaCy it draws from the module `random`, which `spacy train`
    seeds. In pipelines of other languages than English there are no word breaks, numbers,
    sound-alikes and fillers, whatever their rates.

    level (float): Share of the Examples that get noise. The other rates are those within them.
    hyphens (float): Share of the compounds that lose their hyphen: "well-known", "well known".
    word_breaks (float): Share of the pairs that are written as one word, and the other way round:
        "every day", "everyday"; "we are", "we're".
    numbers (float): Share of the numbers that are written out: "2020", "twenty twenty".
    acronyms (float): Share of the acronyms that are spelled: "NLP", "N L P".
    apostrophes (float): Share of the apostrophes that are lost: "don't", "dont" or "don t".
    sound_alikes (float): Share of the words with a sound-alike that become it: "their", "there".
    mistakes (float): Share of the words that become another one of the window. Recognisers mistake
        more, but for words that are less far off.
    dropped (float): Share of the words that are left out. The mark goes to the word before.
    doubled (float): Share of the words that are said twice, as speakers do and editors undo.
    fillers (float): Share of the words with a filler ("um", "you know") in front.
    RETURNS (Callable[[Language, Example], Iterator[Example]]): The augmenter.
    RAISES (ValueError): If a share is not between 0 and 1.
    """
    rates = {
        "hyphens": hyphens,
        "word_breaks": word_breaks,
        "numbers": numbers,
        "acronyms": acronyms,
        "apostrophes": apostrophes,
        "sound_alikes": sound_alikes,
        "mistakes": mistakes,
        "dropped": dropped,
        "doubled": doubled,
        "fillers": fillers,
    }
    for setting, value in {"level": level, **rates}.items():
        if not 0 <= value <= 1:
            raise ValueError(
                Errors.P006.format(
                    setting=setting,
                    name="recogniser_noise",
                    expected="between 0 and 1",
                    value=value,
                )
            )

    def add_noise(nlp: Language, example: Example) -> Iterator[Example]:
        if random.random() >= level:
            yield example
            return
        starts_within = example.reference.user_data.get(STARTS_WITHIN, False)
        window = Window(_words_of(example), starts_within)
        skipped = () if nlp.lang == "en" else ENGLISH_SLIPS
        chosen = {name: rate for name, rate in rates.items() if name not in skipped}
        words = distort(window, chosen, random.Random(random.random()))
        usable = words and is_consistent(words)
        yield make_example(nlp.vocab, words, starts_within=starts_within) if usable else example

    return add_noise


def _words_of(example: Example) -> List[GoldWord]:
    source, gold = example.predicted.text, gold_text(example.reference)
    unknown = set(unknown_marks(example.reference))
    return [
        GoldWord(
            source[ours.core_start : ours.core_end],
            gold[theirs.core_start : theirs.core_end] + theirs.mark,
            index in unknown,
        )
        for index, (ours, theirs) in enumerate(align_words(source, gold))
    ]


def distort(window: Window, rates: Mapping[str, float], rng: random.Random) -> List[GoldWord]:
    """Add the slips of a recogniser to a window.

    window (Window): The words.
    rates (Mapping[str, float]): How often each of SLIPS happens, as a share of the places where it
        can; 0 for those not named.
    rng (random.Random): Chooses the places.
    RETURNS (List[GoldWord]): The changed words.
    """
    words = window.words
    for name, slip in SLIPS.items():
        rate = rates.get(name, 0.0)
        if rate > 0:
            words = slip(Window(words, window.starts_within), rate, rng)
    return words


def lose_hyphens(window: Window, rate: float, rng: random.Random) -> List[GoldWord]:
    """Put a space in the place of a compound's hyphens or, more seldom, nothing."""
    return _take_out(window, "-", 0.85, rate, rng)


def lose_apostrophes(window: Window, rate: float, rng: random.Random) -> List[GoldWord]:
    """Leave the apostrophe within a word out, or put a space in its place."""
    return _take_out(window, "'", 0.5, rate, rng)


def _take_out(
    window: Window, separator: str, apart: float, rate: float, rng: random.Random
) -> List[GoldWord]:
    """Take a separator out of words. A share of them falls apart, and so does each of which a
    later part has a capital, which would come to stand inside of a word."""
    changed: List[GoldWord] = []
    for word in window.words:
        if separator in word.raw and rng.random() < rate:
            parts = _split_gold(word)[0].split(separator)
            if all(part.isalnum() for part in parts):
                falls = rng.random() < apart or any(is_upper(part[0]) for part in parts[1:])
                changed += _respell(word, parts if falls else ["".join(parts)])
                continue
        changed.append(word)
    return changed


def move_word_breaks(window: Window, rate: float, rng: random.Random) -> List[GoldWord]:
    """Write pairs as one word, and single words as pairs."""
    changed: List[GoldWord] = []
    joined = False
    for word, behind, start in _with_next(window):
        if joined:
            joined = False
            continue
        cores = _other_words(word, behind, start)
        if not cores or rng.random() >= rate:
            changed.append(word)
            continue
        joined = len(cores) == 1
        capital = start and is_upper(word.gold[0])
        changed += _respell(behind if behind and joined else word, cores, capital=capital)
    return changed


def _other_words(word: GoldWord, behind: Optional[GoldWord], start: bool) -> List[str]:
    """What is heard as one word where the other is heard as two: one for a word and the one
    behind it, two for a word; none if there is no such thing. No mark is lost, and no name made
    ordinary."""
    if is_upper(word.gold[0]) and not start and word.raw[:2] not in ("i", "i'"):
        return []
    if behind and not (word.unknown or _has_mark(word) or is_upper(behind.gold[0])):
        one = ONE_WORD.get((word.raw, behind.raw))
        if one:
            return [one]
    return TWO_WORDS.get(word.raw, [])


def spell_numbers(window: Window, rate: float, rng: random.Random) -> List[GoldWord]:
    """Write numbers out: "$5 million" becomes "five million dollars"."""
    changed: List[GoldWord] = []
    scaled = False
    for word, behind, start in _with_next(window):
        if scaled:
            scaled = False
            continue
        if word.raw.isalpha() or _DIGITS.isdisjoint(word.raw) or rng.random() >= rate:
            changed.append(word)
            continue
        core, mark = _split_gold(word)
        can_scale = core[0] in CURRENCIES and not mark and not word.unknown
        scale = behind.raw if behind and can_scale and behind.raw in SCALES else ""
        spoken = speak_number(core, rng, scale=scale)
        if not spoken:
            changed.append(word)
            continue
        scaled = bool(scale)
        changed += _respell(behind if behind and scaled else word, spoken, capital=start)
    return changed


def spell_acronyms(window: Window, rate: float, rng: random.Random) -> List[GoldWord]:
    """Write acronyms as their letters."""
    changed: List[GoldWord] = []
    for word in window.words:
        # A first look, for speed: nearly all words are lower-case but for the first letter.
        may_be = "." in word.raw or is_upper(word.gold[1:2])
        core, mark = _split_gold(word) if may_be else ("", "")
        letters = _letters(core)
        if not letters or rng.random() >= rate:
            changed.append(word)
            continue
        # The last dot of "U.S." may have been a full stop, too.
        unknown = word.unknown or (core[-1] == "." and not mark)
        changed += _respell(word._replace(unknown=unknown), letters)
    return changed


def _letters(core: str) -> List[str]:
    """The letters of an acronym, "s" or "'s" with the last; none for what is no acronym, or one
    that is read as a word ("NASA": long, with vowels)."""
    if _DOTTED.fullmatch(core):
        return [letter for letter in core if letter != "."]
    stem = core.removesuffix("'s")
    plural = stem[-1:] == "s" and stem[:-1].isupper()
    letters = stem[:-1] if plural else stem
    if not (2 <= len(letters) <= 5 and letters.isascii() and letters.isalpha()):
        return []
    if not letters.isupper() or _ROMAN.issuperset(letters) or lower(letters) in SOUND_ALIKES:
        return []
    if len(letters) > 3 and not set("AEIOU").isdisjoint(letters):
        return []
    found = [*letters, "s"] if plural else list(letters)
    return [*found[:-1], found[-1] + core[len(stem) :]]


def take_sound_alikes(window: Window, rate: float, rng: random.Random) -> List[GoldWord]:
    """Write words as others that sound the same."""
    return _replace_words(window, rate, rng, lambda word: SOUND_ALIKES.get(word.raw, ()))


def mistake_words(window: Window, rate: float, rng: random.Random) -> List[GoldWord]:
    """Write words as any others. Those are lower-case ones of the window: what a name is taken for
    is not a name, as a rule."""
    others = [word.raw for word in window.words if word.gold.islower() and word.raw.isalpha()]
    return _replace_words(window, rate, rng, lambda word: others)


def _replace_words(
    window: Window,
    rate: float,
    rng: random.Random,
    find_others: Callable[[GoldWord], Sequence[str]],
) -> List[GoldWord]:
    """Write words as one of those that may stand for them. A capital is kept at the start of a
    sentence alone, where it is not that of a name."""
    changed: List[GoldWord] = []
    for word, start in zip(window.words, _sentence_starts(window)):
        others = find_others(word)
        if others and rng.random() < rate:
            capital = start and is_upper(word.gold[0])
            changed += _respell(word, [rng.choice(others)], capital=capital)
        else:
            changed.append(word)
    return changed


def drop_words(window: Window, rate: float, rng: random.Random) -> List[GoldWord]:
    """Leave words out. Their mark, if any, goes to the word before, unless that has one: then they
    stay, as do those whose mark is not known. The next word may become the first of a sentence."""
    changed: List[GoldWord] = []
    begins = False
    for word, start in zip(window.words, _sentence_starts(window)):
        if rng.random() < rate and not word.unknown:
            mark = _split_gold(word)[1]
            if not mark or (changed and not _has_mark(changed[-1]) and not changed[-1].unknown):
                if mark:
                    changed[-1] = make_word(changed[-1].gold, mark, False)
                begins = begins or (start and is_upper(word.gold[0]))
                continue
        changed.append(word._replace(gold=_capitalise(word.gold)) if begins else word)
        begins = False
    return changed


def double_words(window: Window, rate: float, rng: random.Random) -> List[GoldWord]:
    """Repeat words, with a comma between, as editors write: "the, the". At the start of a sentence
    only those are that have no capital of their own."""
    changed: List[GoldWord] = []
    for word, start in zip(window.words, _sentence_starts(window)):
        is_lower = word.raw in SOUND_ALIKES
        if rng.random() < rate and (is_lower or not start):
            changed.append(make_word(_split_gold(word)[0], ",", False))
            word = word._replace(gold=lower(word.gold)) if start else word
        changed.append(word)
    return changed


def insert_fillers(window: Window, rate: float, rng: random.Random) -> List[GoldWord]:
    """Put fillers between words, in commas, as editors write: "it was, uh, late". At the start of a
    sentence they take its capital over, if it is sure that the word behind has none of its own;
    otherwise there are none."""
    changed: List[GoldWord] = []
    for word, start in zip(window.words, _sentence_starts(window)):
        if rng.random() < rate and (word.raw in SOUND_ALIKES or not start):
            (filler,) = rng.choices(FILLERS, _FILLER_WEIGHTS)
            capital = start and is_upper(word.gold[0])
            if changed and not start:
                changed[-1] = _with_comma(changed[-1])
            *front, last = _write(filler.split(), capital=capital)
            changed += [*front, _with_comma(last)]
            word = word._replace(gold=lower(word.gold)) if start else word
        changed.append(word)
    return changed


#: The kinds of slips by the names of their rates, in the order in which they happen: how words are
#: written, which are heard, which are said.
SLIPS: Dict[str, Slip] = {
    "hyphens": lose_hyphens,
    "word_breaks": move_word_breaks,
    "numbers": spell_numbers,
    "acronyms": spell_acronyms,
    "apostrophes": lose_apostrophes,
    "sound_alikes": take_sound_alikes,
    "mistakes": mistake_words,
    "dropped": drop_words,
    "doubled": double_words,
    "fillers": insert_fillers,
}

#: Those that know English words.
ENGLISH_SLIPS = ("word_breaks", "numbers", "sound_alikes", "fillers")


def _sentence_starts(window: Window) -> List[bool]:
    """For each word whether a sentence begins with it. The dot of "U.S." ends none."""
    ends = [
        word.gold[-1] in _SENTENCE_ENDS and not (word.gold[-1] == "." and word.raw[-1] == ".")
        for word in window.words
    ]
    return [not window.starts_within, *ends[:-1]]


def _split_gold(word: GoldWord) -> Tuple[str, str]:
    """A gold word without its mark, and the mark."""
    found = split_words(word.gold) if _has_mark(word) else []
    if not found:
        return word.gold, ""
    return word.gold[found[0].core_start : found[0].core_end], found[0].mark


def _with_comma(word: GoldWord) -> GoldWord:
    """The word with a comma behind it, if there may be no mark yet."""
    return word if word.unknown or _has_mark(word) else make_word(word.gold, ",", False)


def _has_mark(word: GoldWord) -> bool:
    return word.gold[-1] in MARKS


def _with_next(window: Window) -> Iterator[Tuple[GoldWord, Optional[GoldWord], bool]]:
    """Each word, the one behind it, and whether a sentence begins with it."""
    return zip(window.words, [*window.words[1:], None], _sentence_starts(window))


def _respell(word: GoldWord, cores: Sequence[str], *, capital: bool = False) -> List[GoldWord]:
    """Write a word as one or more others. The mark, known or not, follows the last.

    word (GoldWord): The word.
    cores (Sequence[str]): What is written in its place, without marks.
    capital (bool): Whether the first is the first of a sentence.
    RETURNS (List[GoldWord]): The new words.
    """
    *front, last = _write(cores, capital=capital)
    return [*front, make_word(last.gold, _split_gold(word)[1], word.unknown)]


def _write(cores: Sequence[str], *, capital: bool) -> List[GoldWord]:
    first = _capitalise(cores[0]) if capital else cores[0]
    return [GoldWord(lower(core), core, False) for core in [first, *cores[1:]]]


def _capitalise(text: str) -> str:
    """Upper-case the first letter, unless there is a capital anyway."""
    return upper(text[0]) + text[1:] if lower(text) == text else text
