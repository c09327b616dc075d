"""The command `punctcase restore`."""

import json
import lzma
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Iterator, List

import pytest
import spacy
import spacy.cli
from spacy.language import Language
from typer.main import get_command
from typer.testing import CliRunner

from spacy_punctcase.cli import app
from spacy_punctcase.cli.restore import load_pipeline, restore_turns
from spacy_punctcase.formats import open_transcript

SPOKEN = "good morning thank you for calling microsoft my name is daniel how can i help you today"
#: What has to come out as it went in: blank lines, white space, line endings, no final newline.
RAGGED = f"{SPOKEN}\r\n\r\n \t\n  hello  uyen\tmy name is daniel \n\n{SPOKEN}"
COMMAND = [sys.executable, "-m", "spacy_punctcase", "restore"]


def restore(*args: Any, text: Any = None) -> Any:
    return CliRunner().invoke(app, ["restore", *map(str, args)], input=text)


def without_marks(text: str) -> str:
    return re.sub("[,.?]", "", text).lower()


@pytest.fixture(scope="module")
def ner_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline that finds a company and a name, whatever their case."""
    nlp = spacy.blank("en")
    ruler: Any = nlp.add_pipe("entity_ruler")
    ruler.add_patterns(
        [
            {"label": "ORG", "pattern": [{"LOWER": "microsoft"}]},
            {"label": "PERSON", "pattern": [{"LOWER": "daniel"}]},
        ]
    )
    path = tmp_path_factory.mktemp("ner") / "pipeline"
    nlp.to_disk(path)
    return path


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "call.txt"
    path.write_bytes(RAGGED.encode("utf8"))
    return path


def test_text_is_restored_line_by_line(tiny_path: Path, tiny_nlp: Language) -> None:
    result = restore("--model", tiny_path, text=f"{SPOKEN}\nmy name is daniel\n")
    assert result.exit_code == 0, result.stderr
    assert result.stdout == f"{tiny_nlp(SPOKEN).text}\n{tiny_nlp('my name is daniel').text}\n"
    assert result.stdout != f"{SPOKEN}\nmy name is daniel\n"
    assert result.stderr == ""


def test_white_space_and_line_endings_are_kept(tiny_path: Path, source: Path) -> None:
    result = restore(source, "--model", tiny_path)
    assert without_marks(result.stdout_bytes.decode("utf8")) == RAGGED


def test_stdin_and_file_and_batch_size_make_no_difference(tiny_path: Path, source: Path) -> None:
    expected = restore(source, "--model", tiny_path).stdout_bytes
    for args in (["-"], [], ["-", "--batch-size", 1], ["--batch-size", 2]):
        assert restore(*args, "--model", tiny_path, text=RAGGED).stdout_bytes == expected


def test_byte_order_mark_is_no_part_of_the_text(tiny_path: Path, tmp_path: Path) -> None:
    path = tmp_path / "bom.txt"
    path.write_bytes(b"\xef\xbb\xbfhello\n")
    expected = restore("--model", tiny_path, text="hello\n").stdout
    assert restore(path, "--model", tiny_path).stdout == expected
    assert restore("--model", tiny_path, text=path.read_bytes()).stdout == expected


def test_compressed_file(tiny_path: Path, source: Path, tmp_path: Path) -> None:
    packed = tmp_path / "call.txt.xz"
    packed.write_bytes(lzma.compress(source.read_bytes()))
    expected = restore(source, "--model", tiny_path).stdout_bytes
    assert restore(packed, "--model", tiny_path).stdout_bytes == expected


def test_files_do_not_run_into_each_other(tiny_path: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "1.txt", tmp_path / "2.txt"
    first.write_text("hello")
    second.write_text("good morning")
    result = restore(first, second, "--model", tiny_path)
    assert without_marks(result.stdout) == "hello\ngood morning"


def test_empty_input(tiny_path: Path) -> None:
    result = restore("--model", tiny_path, text="")
    assert (result.exit_code, result.stdout) == (0, "")
    assert restore("--model", tiny_path, text="\n \n").stdout == "\n \n"


def test_lines_are_read_as_they_are_needed(tiny_nlp: Language) -> None:
    read: List[int] = []

    def lines() -> Iterator[str]:
        for number in range(1, 80):
            read.append(number)
            yield "hello\n" if number % 2 else "\n"

    transcript = open_transcript(lines(), "call.txt")
    restored = restore_turns(tiny_nlp, transcript.turns(), 4, lambda turn, error: None)
    turn, doc = next(restored)
    turn.complete(doc)
    assert without_marks(transcript.layout.take()) == "hello\n\n"
    assert len(read) < 60
    assert [turn.about["line"] for turn, _ in restored] == list(range(3, 80, 2))


def test_length_of_a_line_is_limited_by_what_stands_behind_only(
    tiny_path: Path, ner_path: Path
) -> None:
    assert load_pipeline(str(tiny_path)).max_length == sys.maxsize
    assert load_pipeline(str(tiny_path), str(ner_path)).max_length == 10**6


def test_json(tiny_path: Path, source: Path) -> None:
    result = restore(source, "--model", tiny_path, "--to", "json")
    records = [json.loads(line) for line in result.stdout.splitlines()]
    assert [record["line"] for record in records] == [1, 4, 6]
    assert {record["file"] for record in records} == {str(source)}
    assert [record["source"] for record in records] == [
        SPOKEN,
        "  hello  uyen\tmy name is daniel ",
        SPOKEN,
    ]
    for record in records:
        assert record["entities"] == []
        assert len(record["offsets"]) == len(record["text"])
        for char, offset in zip(record["text"], record["offsets"], strict=True):
            if offset == -1:
                assert char in ",.?"
            else:
                assert record["source"][offset] == char.lower()
        assert len(set(record["offsets"]) - {-1}) == len(record["source"])


def test_entities_in_json(tiny_path: Path, ner_path: Path) -> None:
    result = restore("--model", tiny_path, "--ner", ner_path, "--to", "json", text=SPOKEN + "\n")
    record = json.loads(result.stdout)
    found = record["entities"]
    assert [entity["label"] for entity in found] == ["ORG", "PERSON"]
    for entity, name in zip(found, ("microsoft", "daniel"), strict=True):
        assert entity["text"] == record["text"][entity["start"] : entity["end"]]
        assert record["source"][entity["source_start"] : entity["source_end"]] == name


def test_entities_in_text(tiny_path: Path, ner_path: Path, tmp_path: Path) -> None:
    first, second, third = (tmp_path / f"{number}.txt" for number in (1, 2, 3))
    first.write_text(f"hello\n\n{SPOKEN}")
    second.write_text("my name is daniel\n")
    third.write_text("thank you\n")
    result = restore(first, second, third, "--model", tiny_path, "--ner", ner_path)
    start = SPOKEN.index("microsoft"), SPOKEN.index("daniel")
    assert without_marks(result.stdout).splitlines() == [
        "hello",
        "",
        SPOKEN,
        "",
        f"microsoft  org     3:{start[0]}-{start[0] + 9}",
        f"daniel     person  3:{start[1]}-{start[1] + 6}",
        "",
        "my name is daniel",
        "",
        "daniel  person  1:11-17",
        "",
        "thank you",
    ]


def test_overwrite(tiny_path: Path) -> None:
    shouted = "GOOD, Morning. MY Name IS Daniel.\n"
    kept = restore("--model", tiny_path, text=shouted).stdout
    assert kept == shouted
    replaced = restore("--model", tiny_path, "--overwrite", text=shouted).stdout
    assert replaced == restore("--model", tiny_path, text=without_marks(shouted)).stdout


def test_output_file(tiny_path: Path, source: Path, tmp_path: Path) -> None:
    output = tmp_path / "restored.txt"
    result = restore(source, "--model", tiny_path, "-o", output)
    assert (result.exit_code, result.stdout) == (0, "")
    assert without_marks(output.read_bytes().decode("utf8")) == RAGGED
    assert sorted(path.name for path in tmp_path.iterdir()) == ["call.txt", "restored.txt"]


def test_output_may_be_the_input_and_a_link(tiny_path: Path, source: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.txt"
    link.symlink_to(source)
    source.chmod(0o640)
    expected = restore(source, "--model", tiny_path).stdout_bytes
    assert restore(link, "--model", tiny_path, "--output", link).exit_code == 0
    assert link.is_symlink()
    assert source.read_bytes() == expected != RAGGED.encode("utf8")
    assert source.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_output_to_a_pipe_does_not_replace_it(tiny_path: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: List[str] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()), daemon=True)
    reader.start()
    assert restore("--model", tiny_path, "-o", pipe, text="hello\n").exit_code == 0
    reader.join(timeout=30)
    assert without_marks(read[0]) == "hello\n"
    assert pipe.is_fifo()


def test_error_leaves_no_output(tiny_path: Path, source: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"good morning\nna\xefve\n")
    output = tmp_path / "restored.txt"
    output.write_text("from before")
    result = restore(source, bad, "--model", tiny_path, "-o", output)
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        f"Error: {bad}: byte 15 is not valid UTF-8 (invalid continuation byte). "
        "Convert the file to UTF-8 first."
    ]
    assert output.read_text() == "from before"
    assert len(list(tmp_path.iterdir())) == 3


def test_stdin_that_is_not_utf8(tiny_path: Path) -> None:
    result = restore("--model", tiny_path, text=b"good morning\nna\xefve\n")
    assert result.exit_code == 1
    assert "<stdin>: byte 15 is not valid UTF-8" in result.stderr


@pytest.mark.parametrize(
    "args, expected",
    [
        (["{tmp}/none.txt"], "{tmp}/none.txt: cannot be read (no such file)."),
        (["{tmp}", "--model", "{tiny}"], "{tmp}: cannot be read ("),
        (["--model", "no_such_model"], "There is no model 'no_such_model'"),
        (["--model", "{tiny}", "--ner", "no_such_ner"], "no_such_ner"),
        (["--model", "{ner}"], "has no component that restores text"),
        (["--model", "{tiny}", "-o", "{tmp}/no/out"], "{tmp}/no/out: cannot be written ("),
    ],
)
def test_errors_are_one_line(
    args: List[str], expected: str, tiny_path: Path, ner_path: Path, tmp_path: Path
) -> None:
    names = {"tmp": tmp_path, "tiny": tiny_path, "ner": ner_path}
    result = restore(*(arg.format(**names) for arg in args), text="hello\n")
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("Error: ")
    assert expected.format(**names) in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_missing_file_is_found_before_work_is_done(tiny_path: Path, source: Path) -> None:
    result = restore(source, "none.txt", "--model", tiny_path)
    assert (result.exit_code, result.stdout) == (1, "")


def test_version() -> None:
    result = CliRunner().invoke(app, ["--version"])
    assert result.exit_code == 0
    assert re.fullmatch(r"punctcase \d+\.\d+.*\n", result.stdout)


def test_part_of_the_command_line_of_spacy() -> None:
    assert "punctcase" in get_command(spacy.cli.app).commands  # type: ignore[attr-defined]


def test_process(tiny_path: Path, source: Path) -> None:
    result = subprocess.run(
        [*COMMAND, "-", "--model", str(tiny_path)],
        input=RAGGED.encode("utf8"),
        capture_output=True,
        # Text is UTF-8 wherever it is read and written.
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        check=True,
    )
    assert without_marks(result.stdout.decode("utf8")) == RAGGED


def test_process_whose_reader_goes(tiny_path: Path, tmp_path: Path) -> None:
    long = tmp_path / "long.txt"
    long.write_text("my name is daniel\n" * 5000)
    with subprocess.Popen(
        [*COMMAND, str(long), "--model", str(tiny_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert without_marks(process.stdout.readline().decode()) == "my name is daniel\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals")
def test_terminal(tiny_path: Path, source: Path, tmp_path: Path) -> None:
    import pty

    controller, terminal = pty.openpty()
    try:
        # Nothing to read: a hint rather than a process that seems to hang.
        result = subprocess.run(COMMAND, stdin=terminal, capture_output=True, text=True)
        assert result.returncode == 2
        assert "Usage: " in result.stderr and "Give a file" in result.stderr
        # A progress bar on a terminal, nothing of it in the output.
        output = tmp_path / "out.txt"
        subprocess.run(
            [*COMMAND, str(source), "--model", str(tiny_path), "-o", str(output)],
            stderr=terminal,
            env={**os.environ, "TERM": "xterm"},
            check=True,
        )
        assert b"bytes" in os.read(controller, 100_000)
        assert without_marks(output.read_bytes().decode("utf8")) == RAGGED
    finally:
        os.close(controller)
        os.close(terminal)
