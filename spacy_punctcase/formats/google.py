"""JSON of Google Cloud Speech-to-Text, v1 and v2: `results`, each with `alternatives`, of which the
first is restored.

Names are in camel case or, from the Python client, with underscores; times are strings
("1.300s") or objects with `seconds` and `nanos`. With speaker labels the last result of v1 repeats
all words, together with their speakers, and has no text of its own.
"""

from typing import Any, List, Optional

from .json_fields import Field, JsonLayout
from .pieces import TimedField, add_words
from .transcript import TurnMaker, keep_space


def looks_like(data: Any) -> bool:
    """Whether the content of a JSON file is of this format."""
    if isinstance(data, dict) and isinstance(data.get("response"), dict):
        data = data["response"]
    return isinstance(data, dict) and isinstance(data.get("results"), list)


def read(root: Field, layout: JsonLayout, maker: TurnMaker) -> None:
    """Read the turns of a file."""
    if root.has("response"):
        root = root.get("response")
    results = [
        result for result in root.get("results").items() if result.get("alternatives").items()
    ]
    firsts = [result.get("alternatives").items()[0] for result in results]
    words = [list(map(_timed, first.get("words").items())) for first in firsts]
    labelled = _take_labelled(firsts, words)
    position = 0
    for result, first, inside in zip(results, firsts, words):
        raw = first.get("transcript").value
        copies: List[List[TimedField]] = []
        if labelled:
            copies = [labelled[position : position + len(inside)]]
            inside = [word._replace(speaker=copy.speaker) for word, copy in zip(inside, copies[0])]
            position += len(inside)
        channel = result.get("channelTag", "channel_tag").name()
        if inside:
            wholes = [layout.whole(first, "transcript")] if raw is not None else []
            add_words(maker, inside, text=raw, wholes=wholes, copies=copies, channel=channel)
        elif raw is not None:
            text = first.get("transcript").text
            put = keep_space(text, first.put("transcript"))
            end = _seconds(result.get("resultEndTime", "result_end_time", "resultEndOffset"))
            maker.add(text, end=end, put=put, channel=channel)


def _take_labelled(firsts: List[Field], words: List[List[TimedField]]) -> List[TimedField]:
    """Take the result that repeats all words away, and return its words."""
    if len(firsts) < 2 or firsts[-1].get("transcript").value:
        return []
    before = [word.text for inside in words[:-1] for word in inside]
    if before != [word.text for word in words[-1]]:
        return []
    firsts.pop()
    return words.pop()


def _timed(word: Field) -> TimedField:
    return TimedField(
        word,
        "word",
        _seconds(word.get("startTime", "start_time", "startOffset", "start_offset")),
        _seconds(word.get("endTime", "end_time", "endOffset", "end_offset")),
        # Google leaves out what is zero; no confidence at all means that none was asked for.
        word.get("confidence").number() or None,
        _speaker(word.get("speakerLabel", "speaker_label", "speakerTag", "speaker_tag")),
    )


def _speaker(label: Field) -> Optional[str]:
    return label.name() if label.value else None  # 0 stands for no label


def _seconds(time: Field) -> Optional[float]:
    if isinstance(time.value, dict):
        seconds, nanos = time.get("seconds").number(), time.get("nanos").number(1e9)
        return (seconds or 0.0) + (nanos or 0.0)
    if isinstance(time.value, str) and time.value.endswith("s"):
        try:
            return float(time.value[:-1])
        except ValueError:
            time.fail('seconds like "1.300s"')
    return time.number()
