"""Recognisers' slips: transcript and gold text change together."""

import random
from pathlib import Path
from typing import Dict, List, Tuple

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.training import Example
from spacy.util import registry
from thinc.api import Config

from spacy_punctcase.gold.align import STARTS_WITHIN, align_words, gold_text, unknown_marks
from spacy_punctcase.gold.noise import (
    ENGLISH_SLIPS,
    FILLERS,
    ONE_WORD,
    SLIPS,
    SOUND_ALIKES,
    TWO_WORDS,
    create_recogniser_noise,
    distort,
)
from spacy_punctcase.gold.readers import (
    GoldWord,
    Window,
    document_words,
    is_consistent,
    make_example,
)

NLP = spacy.blank("en")
CONFIGS = Path(__file__).parents[2] / "configs"
LINE = "Hello, Uyen! The well-known dogs' bones aren't in the U.S., \"are they\"? It is 3.50."
WORDS = (
    ["Hi,", "don't", "U.S.", "U.S", "dogs'.", "well-known?", "a-b-c", "'tis", "5.5", "every", "day"]
    + ["(so)", "rock-'n'-roll.", "x-[y]", "e.g.", "-", "Mother-in-Law's!", "I", "am", "it's", "Ye"]
    + ["$5", "million.", "2020,", "COVID-19", "10:30", "Q3?", "APIs", "NLP's.", "The", "the", "in"]
    + ["cannot", "U.S.A.,", "I'll", "non-GAAP", "3rd.", "10%", "İ", "ΟΔΟΣ", "a.b.c@d.org", "#x"]
)
LINES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=25).map(" ".join)
EVERYTHING = {name: 0.4 for name in SLIPS}


def words_of(line: str) -> List[GoldWord]:
    return document_words([line], normalise=False)


def texts(words: List[GoldWord]) -> Tuple[str, str]:
    """Transcript and gold; "_" stands behind a word whose mark is not known."""
    gold = " ".join(word.gold + "_" * word.unknown for word in words)
    return " ".join(word.raw for word in words), gold


def slip(name: str, line: str, *, starts_within: bool = False, seed: int = 0) -> Tuple[str, str]:
    """The texts after a slip at each place where it can happen."""
    window = Window(words_of(line), starts_within)
    changed = SLIPS[name](window, 1.0, random.Random(seed))
    assert is_consistent(changed)
    return texts(changed)


def outcomes(name: str, line: str) -> Dict[str, str]:
    """Transcripts and gold texts that a slip makes of a line."""
    return dict(slip(name, line, seed=seed) for seed in range(40))


def augment(example: Example, level: float = 1.0, **rates: float) -> Example:
    add_noise = create_recogniser_noise(level, **{name: 0.0 for name in SLIPS} | rates)
    (found,) = add_noise(NLP, example)
    return found


# All of them together


@settings(deadline=None, max_examples=200)
@given(LINES, st.integers(0, 1000), st.booleans())
def test_transcript_and_gold_have_the_same_words(line: str, seed: int, within: bool) -> None:
    random.seed(seed)
    words = words_of(line)
    example = make_example(NLP.vocab, words, starts_within=within)
    found = augment(example, **EVERYTHING)
    pairs = align_words(found.predicted.text, gold_text(found.reference))
    assert len(pairs) == len(found.reference) == len(found.predicted)
    assert all(index < len(pairs) for index in unknown_marks(found.reference))
    assert found.reference.user_data.get(STARTS_WITHIN, False) is within


@settings(deadline=None, max_examples=200)
@given(LINES, st.integers(0, 1000), st.sampled_from(sorted(SLIPS)))
def test_each_slip_is_consistent(line: str, seed: int, name: str) -> None:
    words = words_of(line)
    if is_consistent(words):
        assert is_consistent(SLIPS[name](Window(words, False), 0.7, random.Random(seed)))


@settings(deadline=None, max_examples=150)
@given(st.integers(0, 10_000), st.integers(0, 29))
def test_the_labels_of_other_words_stay(seed: int, unknown: int) -> None:
    # Words without a place for slips but those that change the number of words. Fillers bring
    # commas: they have tests of their own.
    line = " ".join(f"Ab{chr(97 + i)}x{'.,?'[i % 3] if i % 4 == 0 else ''}" for i in range(26))
    words = words_of(line)
    if unknown < len(words):
        words[unknown] = words[unknown]._replace(unknown=True)
    rates = {name: 0.2 for name in SLIPS if name not in ("dropped", "mistakes", "fillers")}
    changed = distort(Window(words, True), rates, random.Random(seed))
    raws = {word.raw for word in words}
    # Of a doubled word the second one counts.
    last = {word.raw: word for word in changed if word.raw in raws}
    assert [last[word.raw] for word in words] == words
    assert sum(word.unknown for word in changed) == (unknown < len(words))


@settings(deadline=None)
@given(LINES, st.integers(0, 1000))
def test_rate_zero_changes_nothing(line: str, seed: int) -> None:
    words = words_of(line)
    nothing = {name: 0.0 for name in SLIPS}
    assert distort(Window(words, False), nothing, random.Random(seed)) == words
    example = make_example(NLP.vocab, words)
    found = augment(example)
    assert found.predicted.text == example.predicted.text


def test_rate_zero_keeps_gold_and_unknown_marks() -> None:
    words = [GoldWord("i", "I", False), GoldWord("to", "to", True), GoldWord("so", "So.", False)]
    found = augment(make_example(NLP.vocab, words))
    assert gold_text(found.reference) == "I to So."
    assert unknown_marks(found.reference) == [1]


def test_level_zero_leaves_examples_alone() -> None:
    example = make_example(NLP.vocab, words_of(LINE))
    for _ in range(20):
        assert augment(example, 0.0, **EVERYTHING) is example


def test_level_is_the_share_of_examples() -> None:
    random.seed(0)
    example = make_example(NLP.vocab, words_of(LINE))
    changed = sum(augment(example, 0.3) is not example for _ in range(400))
    assert 80 < changed < 160


def test_rates_are_shares_of_the_places() -> None:
    words = words_of("say that on day 33 " * 1000)
    changed = SLIPS["numbers"](Window(words, False), 0.3, random.Random(0))
    assert 250 < sum(word.raw == "thirty" for word in changed) < 350
    changed = SLIPS["dropped"](Window(words, False), 0.1, random.Random(0))
    assert 4400 < len(changed) < 4600


def test_english_slips_happen_in_english_alone() -> None:
    line = "So we are going to two meetings in 2020, NLP is state-of-the-art."
    rates = {name: 0.5 * (name in (*ENGLISH_SLIPS, "acronyms")) for name in SLIPS}
    add_noise = create_recogniser_noise(1.0, **rates)
    found = {}
    for nlp in (NLP, spacy.blank("de")):
        noisy = (next(add_noise(nlp, make_example(nlp.vocab, words_of(line)))) for _ in range(20))
        found[nlp.lang] = {gold_text(example.reference) for example in noisy}
    assert found["de"] == {line, line.replace("NLP", "N L P")}
    assert len(found["en"]) > 10


def test_the_same_seed_gives_the_same_noise() -> None:
    example = make_example(NLP.vocab, words_of(f"{LINE} {LINE} {LINE}"))
    found = []
    for seed in (1, 1, 2):
        random.seed(seed)
        found.append(gold_text(augment(example, **EVERYTHING).reference))
    assert found[0] == found[1] != found[2]


def test_an_example_without_words() -> None:
    example = make_example(NLP.vocab, [])
    assert augment(example, **EVERYTHING) is example


def test_nothing_is_left() -> None:
    example = make_example(NLP.vocab, words_of("so it is"))
    assert augment(example, dropped=1.0) is example


def test_garbled_text_stays() -> None:
    words = [GoldWord(".", ".", False), GoldWord("hi", "Hi", False)]
    assert not is_consistent(words)
    assert distort(Window(words, False), EVERYTHING, random.Random(0))


def test_noise_in_a_pipeline_of_examples(train_examples: List[Example]) -> None:
    add_noise = create_recogniser_noise(1.0)
    for example in train_examples[:50]:
        for noisy in add_noise(NLP, example):
            align_words(noisy.predicted.text, gold_text(noisy.reference))


# In a config


CONFIG = """
[augmenter]
@augmenters = "spacy_punctcase.recogniser_noise.v1"
level = 1.0
numbers = 1.0
"""


def test_the_augmenter_of_a_config() -> None:
    resolved = registry.resolve(Config().from_str(CONFIG))
    random.seed(0)
    (example,) = resolved["augmenter"](NLP, make_example(NLP.vocab, words_of("It is 33.")))
    assert "thirty" in gold_text(example.reference).lower()


def test_a_filled_config_names_each_rate() -> None:
    filled = registry.fill(Config().from_str(CONFIG))["augmenter"]
    assert set(filled) == {"@augmenters", "level", *SLIPS}
    assert Config().from_str(Config({"augmenter": filled}).to_str()) == {"augmenter": filled}


@pytest.mark.parametrize("name", ["punctuator_base", "joint_base", "joint_product_tag"])
def test_configs_name_each_rate(name: str) -> None:
    config = Config().from_disk(CONFIGS / f"{name}.cfg", interpolate=False)
    section = config["corpora"]["train"]["augmenter"]
    assert registry.resolve({"augmenter": section})["augmenter"]
    assert set(section) == {"@augmenters", "level", *SLIPS}


@pytest.mark.parametrize("setting, value", [("level", 1.5), ("dropped", -0.1)])
def test_a_rate_is_a_share(setting: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"'{setting}' of 'recogniser_noise'.*between 0 and 1"):
        create_recogniser_noise(**{setting: value})


# Each slip by itself


@pytest.mark.parametrize(
    "name, line, raw, gold",
    [
        ("numbers", "In 33, we", "in thirty three we", "In thirty three, we"),
        ("numbers", "So. 33 of", "so thirty three of", "So. Thirty three of"),
        ("numbers", "Q3 was", "q three was", "Q three was"),
        (
            "numbers",
            "of $5 million, so",
            "of five million dollars so",
            "of five million dollars, so",
        ),
        ("numbers", "of $5, million", "of five dollars million", "of five dollars, million"),
        ("numbers", "was 10%.", "was ten percent", "was ten percent."),
        ("numbers", "the 3rd?", "the third", "the third?"),
        ("numbers", "COVID-19, so", "covid nineteen so", "COVID nineteen, so"),
        ("numbers", "at a1b2c3 so", "at a1b2c3 so", "at a1b2c3 so"),
        ("acronyms", "Use NLP, so", "use n l p so", "Use N L P, so"),
        ("acronyms", "Our APIs.", "our a p i s", "Our A P I s."),
        ("acronyms", "IBM's plan", "i b m's plan", "I B M's plan"),
        ("acronyms", "In the U.S., so", "in the u s so", "In the U S, so"),
        ("acronyms", "In the U.S. so", "in the u s so", "In the U S_ so"),
        ("acronyms", "at 5 p.m. so", "at 5 p m so", "at 5 p m_ so"),
        ("acronyms", "NASA II AND iOS I", "nasa ii and ios i", "NASA II AND iOS I"),
        ("sound_alikes", "Then so", "than so", "Than so"),
        ("sound_alikes", "Yes. Then, so", "yes than so", "Yes. Than, so"),
        ("sound_alikes", "Big Four.", "big for", "Big for."),  # its capital was that of a name
        ("mistakes", "Oh no?", "no no", "No no?"),
        ("mistakes", "of Uyen.", "of of", "of of."),
        ("mistakes", "I, Uyen.", "i uyen", "I, Uyen."),
        ("dropped", "Yes. Oh the dog.", "yes dog", "Yes. Dog."),
        ("doubled", "The dog.", "the the dog dog", "The, the dog, dog."),
        ("doubled", "Uyen, so", "uyen so so", "Uyen, so, so"),
        ("doubled", "Hi Uyen.", "hi uyen uyen", "Hi Uyen, Uyen."),
        ("word_breaks", "Every day, so", "everyday so", "Everyday, so"),
        ("word_breaks", "so everyday.", "so every day", "so every day."),
        ("word_breaks", "so any. More", "so any more", "so any. More"),
        ("word_breaks", "Cannot be", "can not be", "Can not be"),
        ("word_breaks", "so I am", "so i'm", "so I'm"),
        ("word_breaks", "so I'm,", "so i am", "so I am,"),
        ("word_breaks", "We are in to it", "we're into it", "We're into it"),
        ("word_breaks", "the May be", "the may be", "the May be"),
        ("hyphens", "x-[y] a--b", "x-[y a--b", "x-[y a--b"),
        ("hyphens", "Non-GAAP.", "non gaap", "Non GAAP."),
        ("apostrophes", "dogs' 'tis", "dogs' 'tis", "dogs' 'tis"),
        ("apostrophes", "O'Brien.", "o brien", "O Brien."),
    ],
)
def test_slips(name: str, line: str, raw: str, gold: str) -> None:
    assert slip(name, line) == (raw, gold)


@pytest.mark.parametrize(
    "name, line, expected",
    [
        ("hyphens", "Well-known?", {"well known": "Well known?", "wellknown": "Wellknown?"}),
        ("apostrophes", "It's, so", {"it s so": "It s, so", "its so": "Its, so"}),
        ("apostrophes", "Don't.", {"don t": "Don t.", "dont": "Dont."}),
        ("sound_alikes", "So two?", {"so to": "So to?", "so too": "So too?"}),
    ],
)
def test_slips_with_several_outcomes(name: str, line: str, expected: Dict[str, str]) -> None:
    assert outcomes(name, line) == expected


@pytest.mark.parametrize("first", ["Hi", "Hi,"])
def test_fillers_stand_in_commas(first: str) -> None:
    found = outcomes("fillers", f"{first} Uyen.")
    assert found == {f"hi {filler.lower()} uyen": f"Hi, {filler}, Uyen." for filler in FILLERS}


def test_no_comma_where_a_filler_follows_a_mark_or_an_unknown_one() -> None:
    words = [GoldWord("ab", "ab", True), GoldWord("cd", "cd", False)]
    gold = texts(SLIPS["fillers"](Window(words, True), 1.0, random.Random(0)))[1]
    assert gold.split("_")[0].endswith(" ab") and gold.endswith(", cd")


def test_a_filler_takes_over_the_capital_of_a_sentence() -> None:
    assert outcomes("fillers", "The.")["um the"] == "Um, the."
    assert outcomes("fillers", "The.")["you know the"] == "You know, the."
    assert outcomes("fillers", "Uyen.") == {"uyen": "Uyen."}  # perhaps a name


def drop(line: str, *dropped: int, unknown: int = -1) -> Tuple[str, str]:
    """The texts after words were dropped."""

    class Chosen(random.Random):
        draws = -1

        def random(self) -> float:
            self.draws += 1
            return 0.0 if self.draws in dropped else 1.0

    words = words_of(line)
    if unknown >= 0:
        words[unknown] = words[unknown]._replace(unknown=True)
    return texts(SLIPS["dropped"](Window(words, False), 0.5, Chosen()))


def test_the_mark_of_a_dropped_word_goes_to_the_one_before() -> None:
    assert drop("We saw it. So", 2) == ("we saw so", "We saw. So")
    assert drop("We saw, it. So", 2) == ("we saw it so", "We saw, it. So")
    assert drop("In the U.S. it. So", 3) == ("in the u.s. it so", "In the U.S. it. So")


def test_the_word_behind_a_dropped_one_begins_the_sentence() -> None:
    assert drop("Oh. The old dog", 1) == ("oh old dog", "Oh. Old dog")
    assert drop("Oh. The old dog", 1, 2) == ("oh dog", "Oh. Dog")
    assert drop("The iPhone is", 0) == ("iphone is", "iPhone is")
    assert drop("we saw it", 0) == ("saw it", "saw it")


def test_a_word_with_an_unknown_mark_is_not_dropped() -> None:
    assert drop("so to be", 1, unknown=1) == ("so to be", "so to_ be")
    assert drop("so to be.", 2, unknown=1) == ("so to be", "so to_ be.")


@pytest.mark.parametrize("name", ["numbers", "dropped", "doubled", "fillers", "sound_alikes"])
def test_a_window_that_begins_within_a_sentence(name: str) -> None:
    raw, gold = slip(name, "33 dogs in it", starts_within=True)
    assert raw == gold.replace(",", "")


@pytest.mark.parametrize(
    "name, word, raw, gold",
    [
        ("numbers", GoldWord("33", "33", True), "thirty three", "thirty three_"),
        ("acronyms", GoldWord("nlp", "NLP", True), "n l p", "N L P_"),
        ("hyphens", GoldWord("a-b", "a-B", True), "a b", "a B_"),
        ("doubled", GoldWord("ab", "ab", True), "ab ab", "ab, ab_"),
        ("word_breaks", GoldWord("cannot", "cannot", True), "can not", "can not_"),
        ("sound_alikes", GoldWord("then", "then", True), "than", "than_"),
    ],
)
def test_an_unknown_mark_is_that_of_the_last_word(
    name: str, word: GoldWord, raw: str, gold: str
) -> None:
    changed = SLIPS[name](Window([word], True), 1.0, random.Random(0))
    assert texts(changed) == (raw, gold)


def test_tables() -> None:
    assert all(word not in others and others for word, others in SOUND_ALIKES.items())
    assert all(word in SOUND_ALIKES[other] for word in SOUND_ALIKES for other in SOUND_ALIKES[word])
    assert all(word.islower() for word in SOUND_ALIKES)
    assert all(
        ONE_WORD[first.lower(), second].lower() == word
        for word, (first, second) in TWO_WORDS.items()
    )
