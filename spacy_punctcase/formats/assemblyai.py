"""JSON of AssemblyAI: `words` with times in milliseconds and, with speaker labels or several
channels, the same words once more in `utterances`."""

from typing import Any, Dict, List, Tuple

from .json_fields import Field, JsonLayout
from .pieces import TimedField, add_words
from .transcript import TurnMaker


def looks_like(data: Any) -> bool:
    """Whether the content of a JSON file is of this format."""
    return (
        isinstance(data, dict)
        and isinstance(data.get("words"), list)
        and isinstance(data.get("text"), str)
        and ("audio_url" in data or "utterances" in data or "language_code" in data)
    )


def read(root: Field, layout: JsonLayout, maker: TurnMaker) -> None:
    """Read the turns of a file."""
    words = list(map(_timed, root.get("words").items()))
    channels = [word.field.get("channel").name() for word in words]
    utterances = root.get("utterances").items()
    wholes = [layout.whole(root, "text")]
    if not utterances:
        if len(set(channels)) < 2:
            add_words(maker, words, text=root.get("text").text, wholes=wholes)
            return
        for word, channel in zip(words, channels):
            add_words(maker, [word], wholes=wholes, channel=channel)
        return
    twins: Dict[Tuple[Any, Any, str], List[TimedField]] = {}
    for word in words:
        twins.setdefault((word.start, word.end, word.text), []).append(word)
    for utterance in utterances:
        inside = list(map(_timed, utterance.get("words").items()))
        found = [twins.get((word.start, word.end, word.text)) for word in inside]
        add_words(
            maker,
            inside,
            text=utterance.get("text").text,
            wholes=[layout.whole(utterance, "text"), *wholes],
            # A word that the two have differently is restored in the utterance only.
            copies=[[twin.pop(0) if twin else word for word, twin in zip(inside, found)]],
            channel=utterance.get("channel").name(),
        )


def _timed(word: Field) -> TimedField:
    return TimedField(
        word,
        "text",
        word.get("start").number(1000),
        word.get("end").number(1000),
        word.get("confidence").number(),
        word.get("speaker").name(),
    )
