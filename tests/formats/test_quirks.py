"""What single formats have that others have not."""

import io
import json
from typing import Any, Dict, List

import pytest
from spacy.language import Language
from spacy.tokens import Doc

from spacy_punctcase.formats import Transcript, open_transcript


def open_as(content: Any, name: str = "a.json") -> Transcript:
    source = content if isinstance(content, str) else json.dumps(content)
    return open_transcript(io.StringIO(source, newline="\n"), name)


def shout(content: Any, nlp: Language, name: str = "a.json") -> Any:
    """The file with its text in capitals."""
    transcript = open_as(content, name)
    docs = [
        Doc(nlp.vocab, [token.text.upper() for token in doc], [bool(t.whitespace_) for t in doc])
        for doc in transcript.make_docs(nlp)
    ]
    rendered = transcript.render(docs)
    return rendered if isinstance(content, str) else json.loads(rendered)


def texts(content: Any, name: str = "a.json") -> List[str]:
    return [turn.text for turn in open_as(content, name).turns()]


def places(content: Any, name: str = "a.json") -> List[Any]:
    return [
        (turn.text[place.start_char : place.end_char], place.start, place.end)
        for turn in open_as(content, name).turns()
        for place in turn.places
    ]


# Whisper


def test_whisper_words_may_be_parts_of_words(tiny_nlp: Language) -> None:
    words = [" don", "'t", " you", " F", "BI"]
    content = {
        "text": " don't you FBI",
        "segments": [{"text": " don't you FBI", "words": [{"word": word} for word in words]}],
    }
    assert texts(content) == ["don't you FBI"]
    shouted = shout(content, tiny_nlp)
    assert shouted["text"] == shouted["segments"][0]["text"] == " DON'T YOU FBI"
    assert [word["word"] for word in shouted["segments"][0]["words"]] == [
        " DON",
        "'T",
        " YOU",
        " F",
        "BI",
    ]


def test_whisper_segments_without_words(tiny_nlp: Language) -> None:
    content = {
        "text": " hi there. how are you",
        "segments": [
            {"start": 0.0, "end": 1.0, "text": " hi there."},
            {"start": 1.0, "end": 3.0, "text": " how are you"},
            {"start": 3.0, "end": 3.0, "text": ""},
        ],
    }
    assert texts(content) == ["hi there. how are you"]
    assert places(content) == [("hi there.", 0.0, 1.0), ("how are you", 1.0, 3.0)]
    assert shout(content, tiny_nlp)["segments"][1]["text"] == " HOW ARE YOU"


def test_whisperx_words_without_times(tiny_nlp: Language) -> None:
    words: List[Dict[str, Any]] = [
        {"word": "in", "start": 1.0, "end": 2.0, "score": 0.5},
        {"word": "2024"},
        {"word": "yes", "start": 4.0, "end": 5.0, "score": 0.5},
    ]
    content = {"segments": [{"text": "in 2024 yes", "words": words}], "word_segments": words}
    (doc,) = open_as(content).make_docs(tiny_nlp)
    assert 2.0 < doc[1]._.start_time < doc[1]._.end_time < 4.0
    shouted = shout(content, tiny_nlp)
    assert shouted["word_segments"] == shouted["segments"][0]["words"]
    assert shouted["word_segments"][1] == {"word": "2024"}


def test_words_that_are_spelt_differently_from_the_text(tiny_nlp: Language) -> None:
    content = {
        "text": "It costs $13, Anna.",
        "segments": [{"start": 0, "end": 5, "text": "It costs $13, Anna."}],
        "words": [
            {"word": word, "start": start, "end": start + 1}
            for start, word in enumerate(["It", "costs", "thirteen", "dollars", "Anna"])
        ],
    }
    assert places(content) == [
        ("It", 0, 1),
        ("costs", 1, 2),
        ("$13,", None, None),
        ("Anna.", 4, 5),
    ]
    shouted = shout(content, tiny_nlp)
    assert shouted["segments"][0]["text"] == "IT COSTS $13, ANNA."
    assert [word["word"] for word in shouted["words"]] == [
        "IT",
        "COSTS",
        "thirteen",
        "dollars",
        "ANNA.",
    ]


def test_end_of_a_chunk_may_be_unknown() -> None:
    content = {"text": " hi", "chunks": [{"text": " hi", "timestamp": [1.5, None]}]}
    assert places(content) == [("hi", 1.5, None)]


# Services


def test_deepgram_keeps_what_was_recognised(tiny_nlp: Language) -> None:
    words = [
        {"word": "hi", "punctuated_word": "Hi.", "start": 0.0, "end": 0.5},
        {"word": "you", "punctuated_word": "you", "start": 0.5, "end": 1.0},
    ]
    channels = [
        {"alternatives": [{"transcript": "Hi. you", "words": words}, {"transcript": "I view"}]},
        {"alternatives": []},
    ]
    content = {"metadata": {"channels": 2}, "results": {"channels": channels}}
    assert texts(content) == ["Hi. you"]
    first, second = shout(content, tiny_nlp)["results"]["channels"][0]["alternatives"]
    assert (first["transcript"], second["transcript"]) == ("HI. YOU", "I view")
    assert [(word["word"], word["punctuated_word"]) for word in first["words"]] == [
        ("hi", "HI."),
        ("you", "YOU"),
    ]


def test_google_without_words(tiny_nlp: Language) -> None:
    results = [
        {"alternatives": [{"transcript": "hi there"}], "resultEndTime": "1.5s"},
        {"alternatives": [{"transcript": " how are you"}], "resultEndTime": "3s"},
        {"alternatives": []},
    ]
    content = {"name": "123", "done": True, "response": {"results": results}}
    assert texts(content) == ["hi there how are you"]
    assert places(content) == [("hi there", None, 1.5), ("how are you", None, 3.0)]
    shouted = shout(content, tiny_nlp)["response"]["results"]
    assert shouted[1]["alternatives"][0]["transcript"] == " HOW ARE YOU"


def test_google_times_of_the_python_client() -> None:
    word = {"word": "hi", "start_time": {"seconds": 1, "nanos": 500000000}, "end_time": {}}
    content = {"results": [{"alternatives": [{"transcript": "hi", "words": [word]}]}]}
    with pytest.warns(UserWarning, match="'hi', 1.5 to 0.0 s"):
        assert places(content) == [("hi", None, None)]
    word["end_time"] = {"seconds": "2"}
    assert places(content) == [("hi", 1.5, 2.0)]


def test_azure_display_text_is_restored(tiny_nlp: Language) -> None:
    words = [
        {"word": word, "offset": f"PT1M{index}.5S", "duration": "PT0.5S"}
        for index, word in enumerate(["that's", "thirteen", "dollars", "anna"])
    ]
    spoken, shown = "that's thirteen dollars anna", "That's $13 anna."
    best = {"lexical": spoken, "display": shown, "words": words}
    content = {
        "combinedRecognizedPhrases": [{"channel": 1, "lexical": spoken, "display": shown}],
        "recognizedPhrases": [
            {"recognitionStatus": "Success", "channel": 1, "nBest": [best, {"display": "no"}]},
            {"recognitionStatus": "NoMatch", "channel": 1, "nBest": []},
        ],
    }
    assert places(content) == [
        ("That's", 60.5, 61.0),
        ("$13", None, None),
        ("anna.", 63.5, 64.0),
    ]
    shouted = shout(content, tiny_nlp)
    assert shouted["combinedRecognizedPhrases"][0]["display"] == "THAT'S $13 ANNA."
    found = shouted["recognizedPhrases"][0]["nBest"][0]
    assert (found["display"], found["lexical"]) == ("THAT'S $13 ANNA.", spoken)


def test_azure_results_of_the_sdk(tiny_nlp: Language) -> None:
    def result(text: str) -> Dict[str, Any]:
        words = [{"Word": text, "Offset": 10_000_000, "Duration": 5_000_000}]
        best = {"Confidence": 0.9, "Lexical": text, "Display": text, "Words": words}
        return {"RecognitionStatus": "Success", "NBest": [best]}

    assert places(result("hi")) == [("hi", 1.0, 1.5)]
    content = [result("hi"), {"RecognitionStatus": "NoMatch"}, result("there")]
    assert texts(content) == ["hi there"]
    assert shout(content, tiny_nlp)[2]["NBest"][0]["Words"][0]["Word"] == "THERE"


def test_assemblyai_channels_without_utterances() -> None:
    words = [
        {"text": text, "start": 1000 * index, "end": 1000 * index + 500, "channel": channel}
        for index, (text, channel) in enumerate([("hi", 1), ("there", 1), ("yes", 2)])
    ]
    content = {"audio_url": "x", "text": "hi there yes", "words": words}
    assert texts(content) == ["hi there", "yes"]


def test_fields_keep_their_order_and_look(tiny_nlp: Language) -> None:
    source = '{\n   "z": "\\u00e9",\n   "text": "hi",\n   "segments": []\n}\n'
    assert shout(source, tiny_nlp) == source
    compact = '{"z":"é","text":"","segments":[]}'
    assert shout(compact, tiny_nlp) == compact


# Lines


def test_ctm_as_nist_defines_it(tiny_nlp: Language) -> None:
    source = (
        ";; comment\n"
        "r A 0.0 0.5 hi NA lex spk1\n"
        "r A * * <ALT_BEGIN>\n"
        "r  A\t0.5 0.5  there 0.75\r\n"
        "r A * * <ALT>\n"
        "r A 0.5 0.5 their\n"
        "r A * * <ALT_END>\n"
        "r B 0.0 .5 yes"
    )
    assert places(source, "a.ctm") == [("hi", 0.0, 0.5), ("there", 0.5, 1.0), ("yes", 0.0, 0.5)]
    assert shout(source, tiny_nlp, "a.ctm") == source.replace("hi NA", "HI NA").replace(
        "there", "THERE"
    ).replace("yes", "YES")


def test_ctm_word_that_is_taken_out(tiny_nlp: Language) -> None:
    """A mark on a line of its own goes with `overwrite`: an empty word would be no CTM."""
    source = "r A 0 1 hi\nr A 1 0 ,\nr A 1 1 you\n"
    nlp = tiny_nlp
    punctuator: Any = nlp.get_pipe("punctuator")
    punctuator.overwrite = True
    try:
        transcript = open_as(source, "a.ctm")
        rendered = transcript.render(nlp.pipe(transcript.make_docs(nlp)))
    finally:
        punctuator.overwrite = False
    assert [len(line.split()) for line in rendered.splitlines()] == [5, 5]


def test_stm_lines_of_a_speaker_are_one_turn(tiny_nlp: Language) -> None:
    source = "r 1 a 0 1 <o,f0> hi there\nr 1 a 1 2 how are\nr 1 b 2 3  yes\nr 1 a 3 4\n"
    assert texts(source, "a.stm") == ["hi there how are", "yes"]
    assert shout(source, tiny_nlp, "a.stm") == (
        "r 1 a 0 1 <o,f0> HI THERE\nr 1 a 1 2 HOW ARE\nr 1 b 2 3  YES\nr 1 a 3 4\n"
    )


def test_kaldi_ids_stay(tiny_nlp: Language) -> None:
    source = "utt-1 hi there\nutt-2\n\nutt-3\tyes utt-3\n"
    assert texts(source, "text") == ["hi there", "yes utt-3"]
    assert shout(source, tiny_nlp, "text") == "utt-1 HI THERE\nutt-2\n\nutt-3\tYES UTT-3\n"


def test_json_lines_keep_their_fields(tiny_nlp: Language) -> None:
    source = '{"id": 7, "text": "  hi there ", "x": [1, 2]}\n\n{"text": ""}\n'
    shouted = shout(source, tiny_nlp, "a.jsonl")
    assert shouted == source.replace("hi there", "HI THERE")


@pytest.mark.parametrize("source", ["", "\n \n"])
@pytest.mark.parametrize("name", ["a.txt", "a.srt", "a.vtt", "a.ctm", "a.stm", "a.jsonl", "text"])
def test_empty_files(name: str, source: str, tiny_nlp: Language) -> None:
    assert shout(source, tiny_nlp, name) == source
