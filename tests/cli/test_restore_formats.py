"""The command `punctcase restore` on transcripts of other formats than text."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import spacy
from formats.samples import ALL, TIMED, Said, whisperx
from spacy.language import Language
from typer.testing import CliRunner

from spacy_punctcase.cli import app
from spacy_punctcase.cli.restore import restore_turns
from spacy_punctcase.formats import open_transcript, read_transcript

WORDS = "good morning my name is daniel from microsoft today how are you"
SAID = [
    Said(word, 500 * index, 500 * index + 400, 0.5, int(index > 8))
    for index, word in enumerate(WORDS.split())
]


def restore(*args: Any, text: Any = None) -> Any:
    return CliRunner().invoke(app, ["restore", *map(str, args)], input=text)


def without_marks(text: str) -> str:
    return re.sub("[,.?]", "", text).lower()


@pytest.fixture(scope="module")
def ner_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    nlp = spacy.blank("en")
    ruler: Any = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "PERSON", "pattern": [{"LOWER": "daniel"}]}])
    path = tmp_path_factory.mktemp("ner") / "pipeline"
    nlp.to_disk(path)
    return path


def test_folder_of_all_formats(tiny_path: Path, tmp_path: Path) -> None:
    sources = []
    for name, make in ALL.items():
        sources.append(tmp_path / name)
        sources[-1].write_bytes(make(SAID).encode("utf8"))
    result = restore(*sources, "--model", tiny_path, "-o", f"{tmp_path}/out/")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    for source in sources:
        restored = (tmp_path / "out" / source.name).read_bytes().decode("utf8")
        before = source.read_bytes().decode("utf8")
        assert restored != before
        if source.name != "deepgram.json":  # which gets a field that was not there
            assert without_marks(restored) == without_marks(before)


def test_stdin_needs_no_name(tiny_path: Path) -> None:
    result = restore("--model", tiny_path, text=ALL["captions.vtt"](SAID))
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("WEBVTT - a call\n\nSTYLE\n::cue { color: red }\n")
    assert without_marks(result.stdout) == without_marks(ALL["captions.vtt"](SAID))


def test_entities_with_times(tiny_path: Path, ner_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "call.json"
    path.write_text(whisperx(SAID))
    result = restore(path, "--model", tiny_path, "--ner", ner_path, "--to", "json")
    first, second = map(json.loads, result.stdout.splitlines())
    (entity,) = first["entities"]
    assert (entity["start_time"], entity["end_time"]) == (2.5, 2.9)
    assert first["source"][entity["source_start"] : entity["source_end"]] == "daniel"
    assert (first["speaker"], second["speaker"]) == ("SPEAKER_00", "SPEAKER_01")
    assert (first["turn"], second["turn"]) == (1, 2)
    assert first["words"][0]["confidence"] == 0.5
    sentences = [
        record["text"][s["start"] : s["end"]]
        for record in (first, second)
        for s in record["sentences"]
    ]
    assert " ".join(sentences) == f"{first['text']} {second['text']}"
    assert second["sentences"][-1]["end_time"] == second["end_time"] == 5.9
    listed = restore(path, "--model", tiny_path, "--ner", ner_path, "--to", "text").stdout
    assert listed.splitlines()[-1].lower() == "daniel  person  2.50-2.90 s"
    result = restore(path, "--model", tiny_path, "--ner", ner_path)
    assert result.exit_code == 1
    assert "whisper has no place for entities. Write json or text" in result.stderr


@pytest.mark.parametrize("to", ["srt", "vtt", "ctm", "stm", "kaldi", "whisper", "text", "json"])
def test_conversion(to: str, tiny_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "call.ctm"
    path.write_text(ALL["kaldi.ctm"](SAID))
    result = restore(path, "--model", tiny_path, "--to", to, "-o", f"{tmp_path}/out/")
    assert result.exit_code == 0, result.stderr
    (output,) = (tmp_path / "out").iterdir()
    transcript = read_transcript(output, to)
    words = [word for turn in transcript.turns() for word in turn.text.split()]
    if to == "kaldi":
        assert output.read_text().startswith("call-0000000-0000590 ")
    assert without_marks(" ".join(words)) == " ".join(word.text for word in SAID)


@pytest.mark.parametrize(
    "name, output, start",
    [
        ("whisper.json", "a.vtt", "WEBVTT"),
        ("captions.vtt", "a.srt", "1\n"),
        ("captions.vtt", "a.txt", "Speaker 0: "),
        ("whisper.json", "a.json", '{"text": " '),
        ("lines.jsonl", "a.jsonl", '{"id": "turn-0", "text": "'),
        ("text", "a.txt", "spk0-utt-0000 "),
        ("kaldi.ctm", "a", ";; "),
    ],
)
def test_format_by_the_suffix_of_the_output(
    name: str, output: str, start: str, tiny_path: Path, tmp_path: Path
) -> None:
    source = tmp_path / name
    source.write_text(ALL[name](SAID))
    result = restore(source, "--model", tiny_path, "-o", tmp_path / output)
    assert result.exit_code == 0, result.stderr
    assert (tmp_path / output).read_text().startswith(start)


def test_resegmented_subtitles(tiny_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "call.srt"
    path.write_text(ALL["captions.srt"](SAID), newline="")
    kept = restore(path, "--model", tiny_path).stdout
    for options in (["--resegment"], ["--max-chars", 20]):
        anew = restore(path, "--model", tiny_path, *options).stdout
        assert anew != kept
        lines = [
            line
            for line in anew.splitlines()
            if line and "-->" not in line and not line.isdecimal()
        ]
        assert without_marks(" ".join(lines)) == " ".join(word.text for word in SAID)
        assert max(map(len, lines)) <= (42 if options == ["--resegment"] else 20)


def test_across_speakers(tiny_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "call.vtt"
    path.write_text(ALL["captions.vtt"](SAID))
    result = restore(path, "--model", tiny_path, "--across-speakers", "--to", "json")
    (record,) = map(json.loads, result.stdout.splitlines())
    assert {word["speaker"] for word in record["words"]} == {"Speaker 0", "Speaker 1"}


def test_bad_file_among_others(tiny_path: Path, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.ctm", tmp_path / "bad.json"
    good.write_text(ALL["kaldi.ctm"](SAID))
    bad.write_text('{"text": "hi')
    result = restore(bad, good, "--model", tiny_path, "-o", f"{tmp_path}/out/")
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {bad}, line 1, column 10: not valid JSON")
    assert len(result.stderr.splitlines()) == 1
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["good.ctm"]


def test_bad_turn_among_others(tiny_nlp: Language) -> None:
    nlp = spacy.blank("en", vocab=tiny_nlp.vocab)
    for name in tiny_nlp.pipe_names:
        nlp.add_pipe(name, source=tiny_nlp)

    @Language.component("refuses_daniel")
    def refuse(doc: Any) -> Any:
        if "daniel" in doc.text.lower():
            raise RuntimeError("no Daniel here.")
        return doc

    nlp.add_pipe("refuses_daniel")
    source = "".join(f'{{"text": "my name is {name}"}}\n' for name in ("maria", "daniel", "anna"))
    transcript = open_transcript(source.splitlines(keepends=True), "a.jsonl")
    failed = []

    def report(turn: Any, error: Exception) -> None:
        failed.append((turn.about["line"], str(error)))

    for turn, doc in restore_turns(nlp, transcript.turns(), 2, report):
        turn.complete(doc)
    assert failed == [(2, "no Daniel here.")]
    texts = [json.loads(line)["text"] for line in transcript.layout.take().splitlines()]
    assert texts[1] == "my name is daniel"
    assert texts[0] != "my name is maria" and texts[2] != "my name is anna"


def test_turns_that_an_error_handler_drops_are_kept(tiny_nlp: Language) -> None:
    nlp = spacy.blank("en", vocab=tiny_nlp.vocab)
    for name in tiny_nlp.pipe_names:
        nlp.add_pipe(name, source=tiny_nlp)
    punctuator: Any = nlp.get_pipe("punctuator")
    predict = punctuator.predict

    def fail(docs: Any) -> Any:
        docs = list(docs)
        if any("daniel" in doc.text for doc in docs):
            raise RuntimeError("no Daniel here.")
        return predict(docs)

    punctuator.predict = fail
    punctuator.set_error_handler(lambda *args: None)
    try:
        lines = [f"my name is {name}\n" for name in ("maria", "daniel", "anna")]
        transcript = open_transcript(lines, "a.txt")
        found = list(restore_turns(nlp, transcript.turns(), 8, lambda turn, error: None))
    finally:
        del punctuator.predict
        del punctuator.error_handler
    assert [turn.text for turn, _ in found] == [line.rstrip() for line in lines]
    texts = [doc.text for _, doc in found if doc is not None]
    assert [without_marks(text) for text in texts] == [line.rstrip() for line in lines]


@pytest.mark.parametrize(
    "args, expected",
    [
        (["{a}", "{b}"], "several transcripts in one vtt file"),
        (["{a}", "--to", "deepgram"], "deepgram can only be written from a deepgram file"),
        (["{txt}", "--to", "vtt"], "vtt needs times, but the transcript has none"),
        (["{a}", "-o", "{tmp}/"], "{a}: would be the output of {a}, but is an input"),
        (["{a}", "--from", "whisper"], "a.vtt, line 1, column 1: not valid JSON"),
    ],
)
def test_errors(args: Any, expected: str, tiny_path: Path, tmp_path: Path) -> None:
    names = {
        "tmp": tmp_path,
        "a": tmp_path / "a.vtt",
        "b": tmp_path / "b.vtt",
        "txt": tmp_path / "c.txt",
    }
    for name in "ab":
        names[name].write_text(ALL["captions.vtt"](SAID))
    names["txt"].write_text("hello\n")
    before = sorted(tmp_path.iterdir())
    result = restore(*(arg.format(**names) for arg in args), "--model", tiny_path)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ") and len(result.stderr.splitlines()) == 1
    assert expected.format(**names) in result.stderr
    assert sorted(tmp_path.iterdir()) == before


def test_wrong_times_are_a_warning(tiny_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "call.ctm"
    path.write_text("call A 1.0 0.5 good\ncall A 2.0 -0.5 morning\ncall A 3.0 0.5 daniel\n")
    result = restore(path, "--model", tiny_path, "--to", "ctm")
    assert result.exit_code == 0
    assert result.stderr == (
        f"Warning: {path}: 1 word(s) end before they begin (first: 'morning', 2.0 to 1.5 s). "
        "Their times are taken from the words around them.\n"
    )
    assert without_marks(result.stdout) == without_marks(path.read_text())


def test_timed_formats_keep_every_time(tiny_path: Path, tmp_path: Path) -> None:
    """Through the command line to another format and back."""
    for name in ("whisper.json", "deepgram.json"):
        path, json_path = tmp_path / name, tmp_path / f"{name}.jsonl"
        path.write_text(TIMED[name](SAID))
        assert restore(path, "--model", tiny_path, "--to", "json", "-o", json_path).exit_code == 0
        result = restore(json_path, "--model", tiny_path, "--to", "ctm")
        times = [line.split()[2:4] for line in result.stdout.splitlines()]
        assert times == [[f"{word.start / 1000:.3f}", "0.400"] for word in SAID]


def test_review(tiny_path: Path, tmp_path: Path) -> None:
    path, review = tmp_path / "call.ctm", tmp_path / "review.tsv"
    path.write_text(ALL["kaldi.ctm"](SAID))
    result = restore(path, "--model", tiny_path, "--review", review, "--review-below", 1)
    assert result.exit_code == 0, result.stderr
    head, *rows = (line.split("\t") for line in review.read_text().splitlines())
    assert head == [
        "file",
        "turn",
        "seconds",
        "kind",
        "score",
        "word",
        "chosen",
        "other",
        "context",
    ]
    assert {row[3] for row in rows} == {"mark", "case"}
    words = [line.split()[4] for line in result.stdout.splitlines()[1:]]
    for file, turn, seconds, kind, score, word, chosen, other, context in rows:
        assert (file, turn) == (str(path), "1")
        restored = words[round(2 * float(seconds))]
        assert restored.strip(",.?") == word and word in context
        assert 0 <= float(score) <= 1
        if kind == "mark":
            assert restored == word + ("" if chosen == "O" else chosen)
            assert other in ("O", ",", ".", "?") and other != chosen
    assert len(rows) == 2 * len(SAID)
    restore(path, "--model", tiny_path, "--review", review, "--review-below", 0)
    assert len(review.read_text().splitlines()) == 1
