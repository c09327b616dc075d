"""Transcripts as the real programs write them, with their quirks, made of words with times."""

import json
from typing import Any, Callable, Dict, List, NamedTuple, Sequence


class Said(NamedTuple):
    """A word of a sample. All times are whole milliseconds, so that every format can hold them."""

    text: str
    start: int
    end: int
    confidence: float = 0.5
    speaker: int = 0


def halves(words: Sequence[Said]) -> List[Sequence[Said]]:
    middle = (len(words) + 1) // 2
    return [part for part in (words[:middle], words[middle:]) if part]


def by_speaker(words: Sequence[Said]) -> List[List[Said]]:
    turns: List[List[Said]] = []
    for word in words:
        if not turns or turns[-1][-1].speaker != word.speaker:
            turns.append([])
        turns[-1].append(word)
    return turns


def text_of(words: Sequence[Said]) -> str:
    return " ".join(word.text for word in words)


# Whisper and the programs around it.


def whisper(words: Sequence[Said]) -> str:
    """openai-whisper: `json.dump` without arguments; each text and word begins with its space."""
    segments = [
        {
            "id": index,
            "seek": 0,
            "start": part[0].start / 1000,
            "end": part[-1].end / 1000,
            "text": " " + text_of(part),
            "tokens": [50364, 1],
            "temperature": 0.0,
            "avg_logprob": float("nan"),
            "compression_ratio": 1.5,
            "no_speech_prob": 0.01,
            "words": [
                {
                    "word": " " + word.text,
                    "start": word.start / 1000,
                    "end": word.end / 1000,
                    "probability": word.confidence,
                }
                for word in part
            ],
        }
        for index, part in enumerate(halves(words))
    ]
    return json.dumps({"text": " " + text_of(words), "segments": segments, "language": "en"})


def whisperx(words: Sequence[Said]) -> str:
    """WhisperX: speakers at segments and words, all words once more in `word_segments`."""

    def record(word: Said) -> Dict[str, Any]:
        return {
            "word": word.text,
            "start": word.start / 1000,
            "end": word.end / 1000,
            "score": word.confidence,
            "speaker": f"SPEAKER_{word.speaker:02d}",
        }

    segments = [
        {
            "start": part[0].start / 1000,
            "end": part[-1].end / 1000,
            "text": " " + text_of(part),
            "words": list(map(record, part)),
            "speaker": f"SPEAKER_{part[0].speaker:02d}",
        }
        for part in by_speaker(words)
    ]
    content = {"segments": segments, "word_segments": list(map(record, words)), "language": "en"}
    return json.dumps(content, ensure_ascii=False)


def openai(words: Sequence[Said]) -> str:
    """The `verbose_json` of OpenAI's service with both timestamp granularities: the words are
    beside the segments."""
    segments = [
        {
            "id": index,
            "start": part[0].start / 1000,
            "end": part[-1].end / 1000,
            "text": (" " if index else "") + text_of(part),
        }
        for index, part in enumerate(halves(words))
    ]
    content = {
        "task": "transcribe",
        "language": "english",
        "duration": words[-1].end / 1000 if words else 0.0,
        "text": text_of(words),
        "segments": segments,
        "words": [
            {"word": word.text, "start": word.start / 1000, "end": word.end / 1000}
            for word in words
        ],
    }
    return json.dumps(content)


def transformers_chunks(words: Sequence[Said]) -> str:
    """The pipeline of transformers with `return_timestamps="word"`; tuples become lists."""
    chunks = [
        {"text": " " + word.text, "timestamp": [word.start / 1000, word.end / 1000]}
        for word in words
    ]
    return json.dumps({"text": " " + text_of(words), "chunks": chunks})


def whisper_cpp(words: Sequence[Said]) -> str:
    """whisper.cpp with `-oj -ml 1`, a word a segment: tabs, times as text and in milliseconds."""

    def clock(milliseconds: int) -> str:
        seconds, rest = divmod(milliseconds, 1000)
        return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d},{rest:03d}"

    transcription = [
        {
            "timestamps": {"from": clock(word.start), "to": clock(word.end)},
            "offsets": {"from": word.start, "to": word.end},
            "text": " " + word.text,
        }
        for word in words
    ]
    content = {
        "systeminfo": "AVX = 1",
        "model": {"type": "base", "multilingual": False},
        "result": {"language": "en"},
        "transcription": transcription,
    }
    return json.dumps(content, indent="\t", ensure_ascii=False) + "\n"


# Services.


def assemblyai(words: Sequence[Said]) -> str:
    """AssemblyAI with speaker labels: milliseconds, the words once more in `utterances`."""

    def record(word: Said) -> Dict[str, Any]:
        return {
            "text": word.text,
            "start": word.start,
            "end": word.end,
            "confidence": word.confidence,
            "speaker": "AB"[word.speaker],
        }

    utterances = [
        {
            "speaker": "AB"[part[0].speaker],
            "text": text_of(part),
            "confidence": 0.9,
            "start": part[0].start,
            "end": part[-1].end,
            "words": list(map(record, part)),
        }
        for part in by_speaker(words)
    ]
    content = {
        "id": "9ea68fd3-f953-42c1-9742-976c447fb463",
        "status": "completed",
        "audio_url": "https://example.org/call.mp3",
        "audio_duration": 12,
        "language_code": "en_us",
        "text": text_of(words),
        "words": list(map(record, words)),
        "utterances": utterances,
        "confidence": 0.9,
        "punctuate": False,
        "format_text": False,
        "speaker_labels": True,
    }
    return json.dumps(content)


def deepgram(words: Sequence[Said]) -> str:
    """Deepgram with `diarize`, `utterances` and `paragraphs`: the same words three times."""

    def record(word: Said) -> Dict[str, Any]:
        return {
            "word": word.text,
            "start": word.start / 1000,
            "end": word.end / 1000,
            "confidence": word.confidence,
            "speaker": word.speaker,
            "speaker_confidence": 0.7,
        }

    parts = by_speaker(words)
    paragraphs = [
        {
            "sentences": [
                {"text": text_of(part), "start": part[0].start / 1000, "end": part[-1].end / 1000}
            ],
            "speaker": part[0].speaker,
            "num_words": len(part),
            "start": part[0].start / 1000,
            "end": part[-1].end / 1000,
        }
        for part in parts
    ]
    alternative = {
        "transcript": text_of(words),
        "confidence": 0.99,
        "words": list(map(record, words)),
        "paragraphs": {
            "transcript": "\n"
            + "\n\n".join(f"Speaker {part[0].speaker}: {text_of(part)}" for part in parts),
            "paragraphs": paragraphs,
        },
    }
    utterances = [
        {
            "start": part[0].start / 1000,
            "end": part[-1].end / 1000,
            "confidence": 0.98,
            "channel": 0,
            "transcript": text_of(part),
            "words": list(map(record, part)),
            "speaker": part[0].speaker,
            "id": f"utterance-{index}",
        }
        for index, part in enumerate(parts)
    ]
    metadata = {
        "transaction_key": "deprecated",
        "request_id": "2479c8c8-8185-40ac-9ac6-f0874419f793",
        "sha256": "154e291ecfa8be6ab8343560bcc109008fa7853eb5372533e8efdefc9b504c33",
        "created": "2024-02-06T19:56:16.180Z",
        "duration": 25.9,
        "channels": 1,
        "models": ["30089e05-99d1-4376-b32e-c263170674af"],
        "model_info": {},
    }
    results = {"channels": [{"alternatives": [alternative]}], "utterances": utterances}
    return json.dumps({"metadata": metadata, "results": results}, indent=2)


def seconds_text(milliseconds: int) -> str:
    """Google's way to write a duration: "1.300s", no decimals where there are none."""
    seconds, rest = divmod(milliseconds, 1000)
    return f"{seconds}.{rest:03d}s" if rest else f"{seconds}s"


def google(words: Sequence[Said]) -> str:
    """Google Speech-to-Text v1 with speaker labels: the last result repeats all words, with their
    speakers, and has no transcript; later transcripts begin with a space."""

    def record(word: Said, **more: Any) -> Dict[str, Any]:
        return {
            "startTime": seconds_text(word.start),
            "endTime": seconds_text(word.end),
            "word": word.text,
            "confidence": word.confidence,
            **more,
        }

    results = [
        {
            "alternatives": [
                {
                    "transcript": (" " if index else "") + text_of(part),
                    "confidence": 0.9,
                    "words": list(map(record, part)),
                },
                {"transcript": "something else"},
            ],
            "resultEndTime": seconds_text(part[-1].end),
            "languageCode": "en-us",
        }
        for index, part in enumerate(halves(words))
    ]
    labelled = [record(word, speakerTag=word.speaker + 1) for word in words]
    results.append({"alternatives": [{"words": labelled}]})
    content = {"results": results, "totalBilledTime": "15s", "requestId": "123"}
    return json.dumps(content, indent=2) + "\n"


def google_v2(words: Sequence[Said]) -> str:
    """Google Speech-to-Text v2 (batch): offsets, speaker labels at the words themselves."""
    results = [
        {
            "alternatives": [
                {
                    "transcript": (" " if index else "") + text_of(part),
                    "confidence": 0.9,
                    "words": [
                        {
                            "startOffset": seconds_text(word.start),
                            "endOffset": seconds_text(word.end),
                            "word": word.text,
                            "confidence": word.confidence,
                            "speakerLabel": str(word.speaker + 1),
                        }
                        for word in part
                    ],
                }
            ],
            "resultEndOffset": seconds_text(part[-1].end),
            "languageCode": "en-US",
        }
        for index, part in enumerate(halves(words))
    ]
    return json.dumps({"results": results, "metadata": {"totalBilledDuration": "15s"}})


def azure(words: Sequence[Said]) -> str:
    """Azure batch transcription: ticks of 100 ns as floats, one recognised phrase for each breath,
    the display text without words of its own."""

    def times(start: int, end: int) -> Dict[str, Any]:
        return {
            "offset": f"PT{start / 1000:g}S",
            "duration": f"PT{(end - start) / 1000:g}S",
            "offsetInTicks": start * 10_000.0,
            "durationInTicks": (end - start) * 10_000.0,
        }

    phrases = [
        {
            "recognitionStatus": "Success",
            "channel": 0,
            "speaker": part[0].speaker + 1,
            **times(part[0].start, part[-1].end),
            "nBest": [
                {
                    "confidence": 0.9,
                    "lexical": text_of(part),
                    "itn": text_of(part),
                    "maskedITN": text_of(part),
                    "display": text_of(part),
                    "words": [
                        {
                            "word": word.text,
                            **times(word.start, word.end),
                            "confidence": word.confidence,
                        }
                        for word in part
                    ],
                }
            ],
        }
        for part in by_speaker(words)
    ]
    whole = {key: text_of(words) for key in ("lexical", "itn", "maskedITN", "display")}
    content = {
        "source": "https://example.org/call.wav",
        "timestamp": "2024-01-01T00:00:00Z",
        "durationInTicks": 120000000,
        "duration": "PT12S",
        "combinedRecognizedPhrases": [{"channel": 0, **whole}],
        "recognizedPhrases": phrases,
    }
    return json.dumps(content, indent=2)


def azure_fast(words: Sequence[Said]) -> str:
    """Azure fast transcription: milliseconds, one text for each phrase."""
    phrases = [
        {
            "speaker": part[0].speaker + 1,
            "offsetMilliseconds": part[0].start,
            "durationMilliseconds": part[-1].end - part[0].start,
            "text": text_of(part),
            "words": [
                {
                    "text": word.text,
                    "offsetMilliseconds": word.start,
                    "durationMilliseconds": word.end - word.start,
                }
                for word in part
            ],
            "locale": "en-US",
            "confidence": 0.9,
        }
        for part in by_speaker(words)
    ]
    content = {
        "durationMilliseconds": 12000,
        "combinedPhrases": [{"text": text_of(words)}],
        "phrases": phrases,
    }
    return json.dumps(content)


# Lines.


def ctm(words: Sequence[Said]) -> str:
    """Kaldi's `steps/get_ctm.sh`, as NIST's sclite wants it, with a comment."""
    lines = [
        f"call A {word.start / 1000:.3f} {(word.end - word.start) / 1000:.3f} {word.text} "
        f"{word.confidence:.2f}\n"
        for word in words
    ]
    return ";; made for a test\n" + "".join(lines)


def json_lines(words: Sequence[Said]) -> str:
    records = [
        {
            "id": f"turn-{index}",
            "text": text_of(part),
            "speaker": f"S{part[0].speaker}",
            "words": [
                {
                    "word": word.text,
                    "start": word.start / 1000,
                    "end": word.end / 1000,
                    "confidence": word.confidence,
                }
                for word in part
            ],
            "score": 1.5,
        }
        for index, part in enumerate(by_speaker(words))
    ]
    return "".join(json.dumps(record) + "\n" for record in records)


# Captions: a cue a speaker, so that the times are those of cues.


def clock(milliseconds: int, decimal: str) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    hours, minutes = seconds // 3600, seconds // 60 % 60
    return f"{hours:02d}:{minutes:02d}:{seconds % 60:02d}{decimal}{rest:03d}"


def srt(words: Sequence[Said]) -> str:
    """SubRip with Windows line endings, italics and a position."""
    cues = [
        f"{index}\r\n{clock(part[0].start, ',')} --> {clock(part[-1].end, ',')}\r\n"
        f"{{\\an8}}<i>{text_of(part)}</i>\r\n"
        for index, part in enumerate(halves(words), start=1)
    ]
    return "\r\n".join(cues)


def vtt(words: Sequence[Said]) -> str:
    """WebVTT with all that it can have: names and settings of cues, notes, styles, voices."""
    cues = [
        f"cue {index}\n{clock(part[0].start, '.')} --> {clock(part[-1].end, '.')} align:start "
        f"position:10%\n<v.loud Speaker {part[0].speaker}>{escape(text_of(part))}</v>\n"
        for index, part in enumerate(by_speaker(words), start=1)
    ]
    head = "WEBVTT - a call\n\nSTYLE\n::cue { color: red }\n\nNOTE\nmade for a test\n\n"
    return head + "\n".join(cues)


def escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def stm(words: Sequence[Said]) -> str:
    """NIST's STM, with labels and a stretch that does not count."""
    lines = [
        f"call 1 speaker_{part[0].speaker} {part[0].start / 1000:.3f} {part[-1].end / 1000:.3f} "
        f"<o,f0,female> {text_of(part)}\n"
        for part in by_speaker(words)
    ]
    ignored = "call 1 inter_segment_gap 900.0 901.0 <o,,unknown> ignore_time_segment_in_scoring\n"
    return ";; made for a test\n" + "".join(lines) + ignored


def kaldi(words: Sequence[Said]) -> str:
    """Kaldi's `text`; an utterance in which nothing was recognised has its id only."""
    lines = [f"spk{i}-utt-{i:04d} {text_of(part)}\n" for i, part in enumerate(halves(words))]
    return "".join(lines) + "spk9-utt-0009 \n"


def text(words: Sequence[Said]) -> str:
    return "\n".join(map(text_of, halves(words))) + "\n"


Make = Callable[[Sequence[Said]], str]
#: Formats in which each word has its times, by the name of a file.
TIMED: Dict[str, Make] = {
    "whisper.json": whisper,
    "whisperx.json": whisperx,
    "openai.json": openai,
    "transformers.json": transformers_chunks,
    "whisper_cpp.json": whisper_cpp,
    "assemblyai.json": assemblyai,
    "deepgram.json": deepgram,
    "google.json": google,
    "google_v2.json": google_v2,
    "azure.json": azure,
    "azure_fast.json": azure_fast,
    "kaldi.ctm": ctm,
    "lines.jsonl": json_lines,
}
#: All others.
OTHERS: Dict[str, Make] = {
    "captions.srt": srt,
    "captions.vtt": vtt,
    "nist.stm": stm,
    "text": kaldi,
    "plain.txt": text,
}
ALL: Dict[str, Make] = {**TIMED, **OTHERS}
