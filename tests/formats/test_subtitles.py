"""Subtitles in SRT and WebVTT: what is text in them, and new ones."""

import html
import io
from typing import List, Tuple

import pysubs2
import pytest
import webvtt
from spacy.language import Language
from spacy.tokens import Doc

from spacy_punctcase.formats import Transcript, make_writer, open_transcript
from spacy_punctcase.formats.cues import CueLimits


def open_as(source: str, name: str) -> Transcript:
    return open_transcript(io.StringIO(source, newline="\n"), name)


def turns_of(source: str, name: str) -> List[Tuple[str, str]]:
    return [(turn.speaker or "", turn.text) for turn in open_as(source, name).turns()]


def shout(source: str, name: str, nlp: Language) -> str:
    """The file with its text in capitals: what is text, and what is not."""
    transcript = open_as(source, name)
    docs = list(transcript.make_docs(nlp))
    upper = [
        Doc(nlp.vocab, [t.text.upper() for t in d], [bool(t.whitespace_) for t in d]) for d in docs
    ]
    return transcript.render(upper)


VTT = """\
WEBVTT - a title

REGION
id:fred

STYLE
::cue(b) { color: red }

NOTE hello there

intro
00:01.000 --> 00:03.500 align:start position:10%
<v.first.loud Roger Bingham>we are in <b>new</b> york<c.x>ers</c></v>
<v Neil>i'm at at&amp;t and r&d

00:00:03.500 --> 01:00:05.000 line:0
&lt;b&gt; is
no tag
"""


def test_vtt(tiny_nlp: Language) -> None:
    assert turns_of(VTT, "a.vtt") == [
        ("Roger Bingham", "we are in new yorkers"),
        ("Neil", "i'm at at&t and r&d <b> is no tag"),
    ]
    assert shout(VTT, "a.vtt", tiny_nlp) == VTT.replace(
        "we are in <b>new</b> york<c.x>ers</c>", "WE ARE IN <b>NEW</b> YORK<c.x>ERS</c>"
    ).replace("i'm at at&amp;t and r&d", "I'M AT AT&amp;T AND R&amp;D").replace(
        "&lt;b&gt; is\nno tag", "&lt;B&gt; IS\nNO TAG"
    )


SRT = """\
1
00:00:00,000 --> 00:00:02,000 X1:100 X2:200
{\\an8}<font color="#ffffff">where</font> are you

2
00:00:02,000 --> 00:00:03,000
- i'm here
- me too

3
00:00:03.000 --> 00:00:04.5

a blank line before me

42

4
00:00:05,000 --> 00:00:06,000
JOHN SMITH: it's me
>> okay
>> MARY: right
Note: no speaker
"""


def test_srt(tiny_nlp: Language) -> None:
    assert turns_of(SRT, "a.srt") == [
        ("", "where are you"),
        ("", "i'm here"),
        ("", "me too a blank line before me 42"),
        ("JOHN SMITH", "it's me"),
        ("", "okay"),
        ("MARY", "right Note: no speaker"),
    ]
    expected = SRT
    for text in (
        "where</font> are you",
        "i'm here\n- me too",
        "a blank line before me",
        "it's me",
        "okay",
        "right\nNote: no speaker",
    ):
        expected = expected.replace(text, text.upper().replace("</FONT>", "</font>"))
    assert shout(SRT, "a.srt", tiny_nlp) == expected


def test_times_of_cues_are_shared_by_their_lines(tiny_nlp: Language) -> None:
    docs = list(open_as(SRT, "a.srt").make_docs(tiny_nlp))
    assert [(doc[0]._.start_time, doc[-1]._.end_time) for doc in docs[:2]] == [
        (0.0, 2.0),
        (2.0, pytest.approx(2.533, abs=1e-3)),
    ]
    assert docs[2][0]._.start_time > 2.533 and docs[2][-1]._.end_time == 4.5


LIVE = """\
WEBVTT
Kind: captions
Language: en

00:00:00.160 --> 00:00:02.350 align:start position:0%
 
good<00:00:00.480><c> morning</c><00:00:00.960><c> all</c>

00:00:02.350 --> 00:00:02.360 align:start position:0%
good morning all
 

00:00:02.360 --> 00:00:05.000 align:start position:0%
good morning all
my<00:00:02.800><c> name</c><00:00:03.400><c> is</c>

00:00:05.000 --> 00:00:05.010 align:start position:0%
my name is
 
"""


def test_live_captions_repeat_lines(tiny_nlp: Language) -> None:
    """As YouTube makes them."""
    assert turns_of(LIVE, "a.vtt") == [("", "good morning all my name is")]
    shouted = shout(LIVE, "a.vtt", tiny_nlp)
    assert shouted.lower() == LIVE.lower()
    assert "good" not in shouted and "name" not in shouted
    (doc,) = open_as(LIVE, "a.vtt").make_docs(tiny_nlp)
    starts = [token._.start_time for token in doc]
    assert starts == pytest.approx([0.16, 0.48, 0.96, 2.36, 2.8, 3.4], abs=0.1)


HIGHLIGHTED = """\
1
00:00:00,000 --> 00:00:00,500
<u>so</u> it is

2
00:00:00,500 --> 00:00:01,000
so <u>it</u> is

3
00:00:01,000 --> 00:00:01,500
so it <u>is</u>

4
00:00:01,500 --> 00:00:02,000
<u>yes</u>
"""


def test_highlighted_words_repeat_cues(tiny_nlp: Language) -> None:
    """As Whisper makes them with `--highlight_words True`."""
    assert turns_of(HIGHLIGHTED, "a.srt") == [("", "so it is yes")]
    assert shout(HIGHLIGHTED, "a.srt", tiny_nlp).replace("U>", "u>") == HIGHLIGHTED.upper().replace(
        "U>", "u>"
    )
    (doc,) = open_as(HIGHLIGHTED, "a.srt").make_docs(tiny_nlp)
    assert (doc[0]._.start_time, doc[2]._.end_time, doc[3]._.start_time) == (0.0, 1.5, 1.5)


def write(nlp: Language, source: str, format: str, limits: CueLimits) -> str:
    docs = open_as(source, "a.ctm").make_docs(nlp)
    writer = make_writer(format, limits)
    return "".join(map(writer.write, docs)) + writer.finish()


def test_new_subtitles_are_read_by_others(tiny_nlp: Language) -> None:
    words = ["is", "this", "r&d", "<unk>", "?", "{no}", "--", "well,", "i", "think", "so.", "yes."]
    source = "".join(f"call A {index} 0.5 {word}\n" for index, word in enumerate(words))
    limits = CueLimits(max_chars=11, max_lines=2, max_seconds=4.5)
    vtt = write(tiny_nlp, source, "vtt", limits)
    captions = webvtt.from_string(vtt).captions
    texts = [html.unescape(caption.text).replace("\n", " ") for caption in captions]
    assert texts == ["is this r&d <unk> ?", "{no} -- well,", "i think so.", "yes."]
    assert [(c.start, c.end) for c in captions][0] == ("00:00:00.000", "00:00:04.500")
    events = pysubs2.SSAFile.from_string(write(tiny_nlp, source, "srt", limits), "srt").events
    assert [(event.start, event.end) for event in events] == [
        (0, 4500),
        (5000, 7500),
        (8000, 10500),
        (11000, 11500),
    ]
    for caption in captions:
        lines = caption.text.split("\n")
        assert len(lines) <= 2 and all(len(html.unescape(line)) <= 11 for line in lines)


def test_several_recordings_are_no_subtitles(tiny_nlp: Language) -> None:
    source = "one A 0 1 hi\ntwo A 0 1 hi\n"
    with pytest.raises(ValueError, match="vtt holds one recording, but .*: one, two"):
        write(tiny_nlp, source, "vtt", CueLimits())


def test_subtitles_need_times(tiny_nlp: Language) -> None:
    writer = make_writer("srt")
    writer.write(tiny_nlp.make_doc("hello there"))
    with pytest.raises(ValueError, match="srt needs times, but the transcript has none"):
        writer.finish()


def test_line_waits_for_all_who_speak_in_it(tiny_nlp: Language) -> None:
    source = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v A>hi</v> <v B>ho</v>\n"
    transcript = open_as(source, "a.vtt")
    taken = []
    for turn in transcript.turns():
        taken.append(transcript.layout.take())
        turn.complete(turn.make_doc(tiny_nlp))
    assert taken == ["WEBVTT\n\n00:01.000 --> 00:02.000\n", ""]
    assert transcript.layout.take() == "<v A>hi</v> <v B>ho</v>\n"
