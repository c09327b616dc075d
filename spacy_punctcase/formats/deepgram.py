"""JSON of Deepgram: for each channel `alternatives`, of which the first is restored, with `words`.

A word is there as it was recognised (`word`) and as it is shown (`punctuated_word`); the latter is
read where it is there, and written. The same words are once more in `utterances`, and sentences of
them in `paragraphs`.
"""

from typing import Any, Dict, List, Tuple

from .json_fields import Field, JsonLayout
from .pieces import TimedField, add_words
from .transcript import TurnMaker, Whole, keep_space

SHOWN = "punctuated_word"


def looks_like(data: Any) -> bool:
    """Whether the content of a JSON file is of this format."""
    results = data.get("results") if isinstance(data, dict) else None
    return isinstance(results, dict) and isinstance(results.get("channels"), list)


def read(root: Field, layout: JsonLayout, maker: TurnMaker) -> None:
    """Read the turns of a file."""
    results = root.get("results")
    channels = results.get("channels").items()
    utterances = results.get("utterances").items()
    for index, channel in enumerate(channels):
        alternatives = channel.get("alternatives").items()
        if not alternatives:
            continue
        first = alternatives[0]
        words = first.get("words").items()
        transcript = layout.whole(first, "transcript")
        wholes: List[List[Whole]] = [[transcript] for _ in words]
        copies: List[List[Field]] = [[word] for word in words]
        _add_utterances(utterances, index, words, wholes, copies, layout)
        _add_paragraphs(first.get("paragraphs"), words, wholes, layout)
        for own_wholes, own_copies in zip(wholes, copies):
            word, *others = map(_timed, own_copies)
            add_words(
                maker,
                [word],
                wholes=own_wholes,
                copies=[[other] for other in others],
                channel=str(index) if len(channels) > 1 else None,
            )


def _timed(word: Field) -> TimedField:
    if not word.has(SHOWN):
        word.put(SHOWN)(word.get("word").text)
    return TimedField(
        word,
        SHOWN,
        word.get("start").number(),
        word.get("end").number(),
        word.get("confidence").number(),
        word.get("speaker").name(),
    )


def _add_utterances(
    utterances: List[Field],
    channel: int,
    words: List[Field],
    wholes: List[List[Whole]],
    copies: List[List[Field]],
    layout: JsonLayout,
) -> None:
    by_time: Dict[Tuple[Any, Any], int] = {
        (word.get("start").value, word.get("end").value): index for index, word in enumerate(words)
    }
    for utterance in utterances:
        if (utterance.get("channel").value or 0) != channel:
            continue
        whole = layout.whole(utterance, "transcript")
        for word in utterance.get("words").items():
            index = by_time.get((word.get("start").value, word.get("end").value))
            if index is not None:
                copies[index].append(word)
                wholes[index].append(whole)


def _add_paragraphs(
    paragraphs: Field, words: List[Field], wholes: List[List[Whole]], layout: JsonLayout
) -> None:
    if paragraphs.value is None:
        return
    position = 0
    for paragraph in paragraphs.get("paragraphs").items():
        for sentence in paragraph.get("sentences").items():
            whole = layout.whole(sentence, "text")
            for _ in sentence.get("text").text.split():
                if position < len(words):
                    wholes[position].append(whole)
                    position += 1
    if paragraphs.has("transcript"):
        layout.add_fill(lambda: _join_paragraphs(paragraphs))


def _join_paragraphs(paragraphs: Field) -> None:
    """Set the text of all paragraphs, with an empty line between them and, if it had any, labels of
    the speakers."""
    before = paragraphs.get("transcript").text
    parts: List[str] = []
    for paragraph in paragraphs.get("paragraphs").items():
        text = " ".join(each.get("text").text for each in paragraph.get("sentences").items())
        speaker = paragraph.get("speaker").name()
        is_labelled = speaker is not None and f"Speaker {speaker}: " in before
        parts.append(f"Speaker {speaker}: {text}" if is_labelled else text)
    keep_space(before, paragraphs.put("transcript"))("\n\n".join(parts))
