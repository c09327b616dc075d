"""Words cut into cues for subtitles."""

from typing import Iterable, List, NamedTuple, Sequence

from .words import RestoredWord, TimedWords, join_words, make_timed, split_sentences

# Behind one of these a line or a cue is better broken than within a phrase.
_PAUSE_MARKS = tuple(",;:.?!…")


class CueLimits(NamedTuple):
    """How much a cue may hold. A single word beyond a limit has a cue of its own.

    max_chars: Characters in a line.
    max_lines: Lines.
    max_seconds: Seconds.
    """

    max_chars: int = 42
    max_lines: int = 2
    max_seconds: float = 7.0


DEFAULT_LIMITS = CueLimits()


def make_cues(words: Sequence[RestoredWord], limits: CueLimits) -> List[TimedWords]:
    """Cut words into cues: each is a sentence or, where that is too long, a part of one, broken
    behind its last mark, otherwise where it is full.

    words (Sequence[RestoredWord]): The words, with times.
    limits (CueLimits): How much a cue may hold.
    RETURNS (List[TimedWords]): The cues, in order.
    """
    cues: List[TimedWords] = []
    for sentence in split_sentences(words):
        rest = sentence
        while rest:
            count = _fitting(rest, limits)
            if count < len(rest):
                paused = [n for n in range(1, count + 1) if rest[n - 1].text.endswith(_PAUSE_MARKS)]
                # A break that leaves most of the cue empty is worse than one within a phrase.
                if paused and paused[-1] > count // 3:
                    count = paused[-1]
            cues.append(make_timed(rest[:count]))
            rest = rest[count:]
    return cues


def _fitting(words: Sequence[RestoredWord], limits: CueLimits) -> int:
    """How many of the words make a cue within the limits, at least one."""
    count = 1
    while count < len(words):
        cue = make_timed(words[: count + 1])
        if cue.end - cue.start > limits.max_seconds:
            break
        if len(break_lines(words[: count + 1], limits)) > limits.max_lines:
            break
        count += 1
    return count


def break_lines(words: Sequence[RestoredWord], limits: CueLimits) -> List[str]:
    """Break the text of a cue into lines: as few as possible and, if two, about equally long.

    words (Sequence[RestoredWord]): The words.
    limits (CueLimits): How long a line may be.
    RETURNS (List[str]): The lines.
    """
    lines: List[List[RestoredWord]] = [[]]
    for word in words:
        if lines[-1] and len(join_words([*lines[-1], word])) > limits.max_chars:
            lines.append([])
        lines[-1].append(word)
    if len(lines) == 2:
        return _balance(words, limits)
    return list(map(join_words, lines))


def _balance(words: Sequence[RestoredWord], limits: CueLimits) -> List[str]:
    breaks = [
        (join_words(words[:index]), join_words(words[index:])) for index in range(1, len(words))
    ]

    def cost(lines: Iterable[str]) -> int:
        longest = max(map(len, lines))
        return longest if longest <= limits.max_chars else 1000 * longest

    return list(min(breaks, key=cost))
