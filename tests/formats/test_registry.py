"""Files of all formats: told apart, read, restored, written, read again."""

import io
import lzma
from pathlib import Path
from typing import Any, List, NamedTuple, Optional

import pytest
from formats.samples import ALL, TIMED, Said
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from spacy.language import Language

from spacy_punctcase.formats import (
    FORMATS,
    Transcript,
    make_writer,
    open_transcript,
    read_transcript,
    write_transcript,
)
from spacy_punctcase.formats.words import restored_words
from spacy_punctcase.text.words import normal_form, split_words

WORDS = "hi maria how are you today i am fine thanks"
SAID = [
    Said(word, 500 * index, 500 * index + 400, round(0.5 + index / 20, 2), int(index > 5))
    for index, word in enumerate(WORDS.split())
]
FORMAT_OF = {
    "whisperx.json": "whisper",
    "openai.json": "whisper",
    "transformers.json": "whisper",
    "whisper_cpp.json": "whisper",
    "google_v2.json": "google",
    "azure_fast.json": "azure",
    "kaldi.ctm": "ctm",
    "lines.jsonl": "json",
    "captions.srt": "srt",
    "captions.vtt": "vtt",
    "nist.stm": "stm",
    "text": "kaldi",
    "plain.txt": "text",
}
FORMAT_OF.update({name: name.split(".")[0] for name in ALL if name not in FORMAT_OF})


TIMES = [time / 1000 for word in SAID for time in (word.start, word.end)]
LABELS = ("SPEAKER_00:", "SPEAKER_01:", "Speaker", "0:", "1:")


class Heard(NamedTuple):
    """A piece of a transcript, words without marks and in lower case."""

    words: List[str]
    start: Optional[float]
    end: Optional[float]
    confidence: Optional[float]
    speaker: Optional[str]


def open_as(source: str, name: str, format: str = "auto") -> Transcript:
    return open_transcript(io.StringIO(source, newline="\n"), name, format)


def heard(source: str, name: str) -> List[Heard]:
    pieces: List[Heard] = []
    for turn in open_as(source, name).turns():
        text = turn.text
        for place in turn.places:
            part = text[place.start_char : place.end_char]
            words = [normal_form(part, word) for word in split_words(part)]
            pieces.append(Heard(words, *place[2:]))
        if not turn.places:
            words = [normal_form(text, word) for word in split_words(text)]
            pieces.append(Heard(words, None, None, None, None))
    return pieces


def restore(source: str, name: str, nlp: Language) -> str:
    transcript = open_as(source, name)
    return transcript.render(nlp.pipe(transcript.make_docs(nlp)))


@pytest.mark.parametrize("name", ALL)
def test_format_is_recognised(name: str) -> None:
    assert open_as(ALL[name](SAID), name).format == FORMAT_OF[name]
    if FORMAT_OF[name] not in ("kaldi", "json"):  # by their content alone
        assert open_as(ALL[name](SAID), "-").format == FORMAT_OF[name]


def test_speaker_of_stm_may_be_a_number() -> None:
    assert open_as("call 1 2 0.0 1.5 hi there\n", "-").format == "stm"


@pytest.mark.parametrize("name", ALL)
def test_words_times_and_speakers_are_read(name: str) -> None:
    pieces = heard(ALL[name](SAID), name)
    assert [word for piece in pieces for word in piece.words] == [word.text for word in SAID]
    if name in TIMED:
        found = [time for piece in pieces for time in (piece.start, piece.end)]
        assert found == pytest.approx(TIMES)
    if name not in ("openai.json", "transformers.json", "whisper_cpp.json", "azure_fast.json"):
        known = [piece.confidence for piece in pieces]
        expected = [word.confidence for word in SAID]
        assert known == (expected if name in TIMED else [None] * len(known))
    if pieces[0].speaker is not None:
        assert len({piece.speaker for piece in pieces}) == 2
        assert pieces[-1].words[-1] == "thanks" and pieces[-1].speaker != pieces[0].speaker


@pytest.mark.parametrize("name", ALL)
def test_restored_in_place(name: str, tiny_nlp: Language) -> None:
    source = ALL[name](SAID)
    restored = restore(source, name, tiny_nlp)
    assert restored != source
    assert heard(restored, name) == heard(source, name)
    # All but marks and case of the words is as it was.
    bare = restored
    for mark in ",.?":
        bare = bare.replace(mark, "")
        source = source.replace(mark, "")
    if name != "deepgram.json":  # which gets a field that was not there
        assert bare.lower() == source.lower()
    assert restore(restored, name, tiny_nlp) == restored


TEXTS = st.sampled_from(
    ["hi", "maria", "don't", "AT&T", "nasa", "é", "ΣΑΣ", "[noise]", "3.14", "o'clock", "x<y", "ok."]
) | st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8)


@st.composite
def said(draw: Any) -> List[Said]:
    words: List[Said] = []
    time = 0
    for text in draw(st.lists(TEXTS, min_size=1, max_size=12)):
        time += draw(st.integers(0, 2000))
        length = draw(st.integers(0, 700))
        words.append(
            Said(
                text, time, time + length, draw(st.integers(1, 100)) / 100, draw(st.integers(0, 1))
            )
        )
        time += length
    return words


@pytest.mark.parametrize("name", ALL)
@given(words=said())
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_words_and_times_stay(words: List[Said], name: str, tiny_nlp: Language) -> None:
    source = ALL[name](words)
    restored = restore(source, name, tiny_nlp)
    before, after = heard(source, name), heard(restored, name)
    assert [word for piece in after for word in piece.words] == [
        word for piece in before for word in piece.words
    ]
    assert [piece[1:] for piece in after] == [piece[1:] for piece in before]
    assert restore(restored, name, tiny_nlp) == restored


@pytest.mark.parametrize("to", [n for n, known in FORMATS.items() if known.make_writer])
@pytest.mark.parametrize("name", ["whisperx.json", "kaldi.ctm", "captions.vtt"])
def test_written_in_another_format(name: str, to: str, tiny_nlp: Language, tmp_path: Path) -> None:
    transcript = open_as(ALL[name](SAID), name)
    docs = list(tiny_nlp.pipe(transcript.make_docs(tiny_nlp)))
    path = tmp_path / "out"
    write_transcript(path, docs, to)
    again = open_as(path.read_text(encoding="utf8"), "out", to)
    written = [word for turn in again.turns() for word in turn.text.split()]
    if to == "text":  # speakers are in front of the lines
        written = [word for word in written if word not in LABELS]
    assert written == [word.text for doc in docs for word in restored_words(doc)]
    if to in ("ctm", "json", "whisper") and name in TIMED:
        again = read_transcript(path, to)
        places = [place for turn in again.turns() for place in turn.places]
        found = [time for place in places for time in (place.start, place.end)]
        assert found == pytest.approx(TIMES)
        assert [place.confidence for place in places] == [word.confidence for word in SAID]


def test_write_by_suffix(tiny_nlp: Language, tmp_path: Path) -> None:
    docs = list(open_as(ALL["kaldi.ctm"](SAID), "kaldi.ctm").make_docs(tiny_nlp))
    for name, start in (
        ("a.vtt", "WEBVTT"),
        ("a.srt", "1\n00:"),
        ("a.json", '{"file"'),
        ("a", "hi"),
    ):
        write_transcript(tmp_path / name, docs)
        assert (tmp_path / name).read_text().startswith(start)


def test_compressed_file(tmp_path: Path) -> None:
    path = tmp_path / "call.ctm.xz"
    path.write_bytes(lzma.compress(ALL["kaldi.ctm"](SAID).encode("utf8")))
    assert read_transcript(path).format == "ctm"


def test_across_speakers(tiny_nlp: Language) -> None:
    for name in ("whisperx.json", "assemblyai.json", "captions.vtt"):
        source = ALL[name](SAID)
        apart = list(open_as(source, name).make_docs(tiny_nlp))
        transcript = open_as(source, name)
        docs = list(transcript.make_docs(tiny_nlp, across_speakers=True))
        assert (len(apart), len(docs)) == (2, 1)
        assert docs[0].text == " ".join(doc.text for doc in apart)
        speakers = [token._.speaker for doc in apart for token in doc]
        assert [token._.speaker for token in docs[0]] == speakers
        restored = transcript.render(tiny_nlp.pipe(docs))
        assert heard(restored, name) == heard(source, name)


def test_render_needs_all_docs(tiny_nlp: Language) -> None:
    transcript = open_as(ALL["whisperx.json"](SAID), "whisperx.json")
    docs = list(transcript.make_docs(tiny_nlp))
    with pytest.raises(ValueError, match=r"turns and Docs differ \(2 and 1\)"):
        transcript.render(docs[:1])
    with pytest.raises(ValueError, match="Doc 0 .* is not made of the turn in its place"):
        transcript.render(docs[::-1])


def test_unknown_formats(tiny_nlp: Language) -> None:
    with pytest.raises(ValueError, match="Unknown name 'doc' for a format. Available: auto, text"):
        open_transcript([], "call.doc", "doc")
    with pytest.raises(ValueError, match="Unknown name 'doc' for a format. Available: text"):
        make_writer("doc")
    with pytest.raises(ValueError, match="deepgram can only be written from a deepgram file"):
        make_writer("deepgram")


@pytest.mark.parametrize(
    "name, source, problem",
    [
        ("a.json", '{"text": "hi', r"a.json, line 1, column 10: not valid JSON \(Unterminated str"),
        ("a.json", "", r"a.json, line 1, column 1: not valid JSON \(Expecting value\)"),
        ("a.json", '{"a": 1, "b": 2}', "a.json: cannot tell what format it is .*: a, b"),
        ("a.json", "[1, 2]", "a.json: cannot tell what format it is .*: a list"),
        ("a.json", '{"segments": [{"start": 1}]}', r"segments\[0\].text: expected a string, but"),
        (
            "a.json",
            '{"segments": [{"text": " hi", "words": [{"word": " hi", "start": "x"}]}]}',
            r"segments\[0\].words\[0\].start: expected a number, but found 'x'. Is it really",
        ),
        ("a.json", '{"segments": [1]}', r"segments\[0\]: expected an object, but found 1"),
        ("a.json", '{"segments": {}, "chunks": []}', "segments: expected a list"),
        (
            "a.json",
            '{"segments": [{"text": "a \\ud83d b"}]}',
            r"segments\[0\].text: half of a character \(a lone surrogate, \\ud83d\)",
        ),
        (
            "a.json",
            '{"results": [{"alternatives": [{"words": [{"word": "a", "startTime": "1 h"}]}]}]}',
            "startTime: expected a number",
        ),
        (
            "a.jsonl",
            '{"text": "hi"}\n{"text": 1}\n',
            "a.jsonl, line 2: expected a JSON object with",
        ),
        ("a.jsonl", '{"text": "hi"}\n{"te', r"a.jsonl, line 2, column 2: not valid JSON"),
        ("a.ctm", "call A 0.0 0.4 hi\ncall A 0.5\n", "a.ctm, line 2: expected recording, channel"),
        ("a.ctm", "call A 0.0 x hi\n", "a.ctm, line 1: duration should be a number, but is 'x'"),
        ("a.stm", "call 1 spk 0.0\n", "a.stm, line 1: expected recording, channel, speaker"),
        ("a.stm", "call 1 spk a 1.0 hi\n", "a.stm, line 1: begin should be a number"),
        ("a.srt", "hello\n", "a.srt: the whole file: expected cues .* found 'hello'"),
        ("a.txt", "hello\0there\n", "a.txt, line 1: has a null byte"),
    ],
)
def test_bad_files(name: str, source: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        list(open_as(source, name).turns())


@pytest.mark.parametrize("name", ["whisper.json", "kaldi.ctm"])
def test_wrong_times_are_said_and_replaced(name: str, tiny_nlp: Language) -> None:
    wrong = [
        word._replace(end=word.start - 100) if word.text in ("are", "fine") else word
        for word in SAID
    ]
    source = ALL[name](wrong)
    with pytest.warns(UserWarning, match=f"{name}: 2 word.s. end before they begin"):
        docs = list(open_as(source, name).make_docs(tiny_nlp))
    for doc in docs:
        for token in doc:
            assert token._.start_time <= token._.end_time
    with pytest.warns(UserWarning):
        assert heard(restore(source, name, tiny_nlp), name) == heard(source, name)


def test_overlapping_words_stay(tiny_nlp: Language) -> None:
    words = [word._replace(end=word.end + 5000) for word in SAID]
    for name in TIMED:
        source = ALL[name](words)
        assert heard(restore(source, name, tiny_nlp), name) == heard(source, name)
