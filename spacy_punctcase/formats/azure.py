"""JSON of Azure Speech: batch transcription (`recognizedPhrases`), fast transcription (`phrases`),
and detailed results of the SDK (`NBest`), one or a list of them.

Of each phrase the best hypothesis is restored, and of it the text that is shown (`display`,
`text`); `lexical`, `itn` and `maskedITN` stay. The words have the times and are often spelt
differently ("thirteen dollars", "$13"): those that both have are linked.
"""

import re
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .json_fields import Field, JsonLayout
from .pieces import TimedField, add_words
from .transcript import TurnMaker, Whole, keep_space

_TICKS = 1e7  # in a second
_DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?\Z")


def looks_like(data: Any) -> bool:
    """Whether the content of a JSON file is of this format."""
    if isinstance(data, list):
        return bool(data) and isinstance(data[0], dict) and "NBest" in data[0]
    return isinstance(data, dict) and not {"recognizedPhrases", "phrases", "NBest"}.isdisjoint(data)


def read(root: Field, layout: JsonLayout, maker: TurnMaker) -> None:
    """Read the turns of a file."""
    if isinstance(root.value, list) or "NBest" in root.value:
        results = root.items() if isinstance(root.value, list) else [root]
        for result in results:
            _read_phrase(result, result.get("NBest"), layout, maker, [])
        return
    wholes: Dict[Optional[str], Whole] = {}
    for combined in root.get("combinedRecognizedPhrases", "combinedPhrases").items():
        key = "display" if combined.has("display") else "text"
        if combined.has(key):
            wholes[combined.get("channel").name()] = layout.whole(combined, key)
    for phrase in root.get("recognizedPhrases", "phrases").items():
        own = wholes.get(phrase.get("channel").name())
        _read_phrase(phrase, phrase.get("nBest"), layout, maker, [own] if own else [])


def _read_phrase(
    phrase: Field, hypotheses: Field, layout: JsonLayout, maker: TurnMaker, wholes: Sequence[Whole]
) -> None:
    best = phrase
    if hypotheses.value is not None:
        found = hypotheses.items()
        if not found:
            return
        best = found[0]
    key = next((k for k in ("display", "Display", "text") if best.has(k)), "lexical")
    if key == "lexical" and not best.has("lexical"):
        return  # a phrase in which nothing was recognised
    raw = best.get(key).text
    words = [_timed(word) for word in best.get("displayWords", "words", "Words").items()]
    channel = phrase.get("channel").name()
    speaker = phrase.get("speaker").name()
    if words:
        words = [word._replace(speaker=speaker) for word in words]
        whole = layout.whole(best, key)
        add_words(maker, words, text=raw, wholes=[whole, *wholes], channel=channel)
        return
    start, end = _span(phrase)
    put = keep_space(raw, best.put(key))
    maker.add(raw, start=start, end=end, speaker=speaker, put=put, wholes=wholes, channel=channel)


def _timed(word: Field) -> TimedField:
    keys = [key for key in ("displayText", "word", "Word", "text") if word.has(key)]
    start, end = _span(word)
    confidence = word.get("confidence", "Confidence").number()
    return TimedField(word, keys[0] if keys else "word", start, end, confidence)


def _span(part: Field) -> Tuple[Optional[float], Optional[float]]:
    """When a phrase or a word begins and ends."""
    start = _seconds(part, ["offsetMilliseconds"], ["offsetInTicks", "Offset"], ["offset"])
    length = _seconds(part, ["durationMilliseconds"], ["durationInTicks", "Duration"], ["duration"])
    return start, None if start is None or length is None else start + length


def _seconds(
    part: Field, milliseconds: List[str], ticks: List[str], texts: List[str]
) -> Optional[float]:
    if part.has(*milliseconds):
        return part.get(*milliseconds).number(1000)
    if part.has(*ticks):
        return part.get(*ticks).number(_TICKS)
    field = part.get(*texts)
    if field.value is None:
        return None
    match = _DURATION.match(field.text)
    if match is None:
        field.fail('a duration like "PT1M2.5S"')
    hours, minutes, seconds = (float(group or 0) for group in match.groups())
    return 3600 * hours + 60 * minutes + seconds
