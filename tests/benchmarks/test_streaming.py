"""The benchmarks of streaming, long transcripts and glossaries, with a tiny pipeline."""

import json
import shutil
from pathlib import Path
from typing import Any, Callable

import pytest

pytest.importorskip("matplotlib")
import typer  # noqa: E402
from conftest import ASSETS  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

from benchmarks import glossary, long, streaming  # noqa: E402
from benchmarks.data import strip  # noqa: E402
from benchmarks.streaming import count_differences  # noqa: E402


@pytest.fixture
def data(benchmark_data: Path, tmp_path: Path) -> Path:
    """Two calls, the shorter one last."""
    folder = tmp_path / "data"
    shutil.copytree(benchmark_data / "dev", folder / "dev")
    text = (ASSETS / "text" / "test.txt").read_text(encoding="utf8")
    for name in ("ref", "asr_espnet_text"):
        (folder / "earnings21_eval10" / name).mkdir(parents=True)
    for index, count in enumerate((120, 80)):
        gold = text.split()[:count]
        rows = [f"{word}|1|0|0||UC|[]\n" for word in gold]
        path = folder / "earnings21_eval10" / "ref" / f"{index}.nlp"
        path.write_text("token|speaker|ts|endTs|punctuation|case|tags\n" + "".join(rows), "utf8")
        path = folder / "earnings21_eval10" / "asr_espnet_text" / f"{index}.txt"
        path.write_text(strip(" ".join(gold)), "utf8")
    return folder


def run(main: Callable, *arguments: Any) -> str:
    app = typer.Typer()
    app.command()(main)
    result = CliRunner().invoke(app, list(map(str, arguments)), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_differences_and_times(data: Path, tiny_path: Path, tmp_path: Path) -> None:
    output = tmp_path / "out" / "streaming.json"
    arguments = ["--data", data, "--dev", data / "dev", "--model", tiny_path, "-o", output]
    page = run(streaming.main, *arguments, "--words", 60, "--timed", 10, "--threads", 1)
    result = json.loads(output.read_text(encoding="utf8"))
    assert list(result["sets"]) == ["changelog", "whitehouse_2009_2015", "earnings21 ESPnet"]
    assert [found["words"] for found in result["sets"].values()] == [60, 60, 80]
    for found in result["sets"].values():
        assert list(found["streamed"]) == ["2", "4", "8", "12", "16"]
        assert 0 <= found["streamed"]["16"]["differences"]["either"] < 0.3
        assert 0 < found["streamed"]["16"]["scores"]["punct_micro_f"] <= 1
    assert result["time"]["words"] == 10
    assert 0 < result["time"]["median"] <= result["time"]["p95"]
    assert "| 8 | " in page and "| whole text | (" in page and "10 words one by one" in page


def test_a_long_transcript(data: Path, tiny_path: Path, tmp_path: Path) -> None:
    output = tmp_path / "out" / "long.json"
    arguments = ["--data", data, "--model", tiny_path, "-o", output, "--words", 160]
    page = run(long.main, *arguments, "--threads", 1)
    result = json.loads(output.read_text(encoding="utf8"))
    assert result["words"] == 160
    assert list(result["ways"]) == ["one Doc", "paragraphs", "StreamingRestorer"]
    for found in result["ways"].values():
        assert found["whole"]["memory_mb"] >= found["whole"]["memory_before_mb"] > 0
        assert "text" not in found["whole"] and 0 <= found["differences"]["either"] < 0.3
    assert result["ways"]["one Doc"]["differences"]["either"] == 0
    assert "| 40 and 160 words |" in page and "| StreamingRestorer | " in page


def test_a_large_glossary(data: Path, tiny_path: Path, tmp_path: Path) -> None:
    output = tmp_path / "out" / "glossary.json"
    page = run(glossary.main, "--data", data, "--model", tiny_path, "-o", output, "--entries", 90)
    result = json.loads(output.read_text(encoding="utf8"))
    assert (result["entries"], result["words"]) == (90, 200)
    assert result["changed"] == 1 and result["share"] > 0
    assert page.startswith("90 entries cost ")


def test_left_out_without_data(tmp_path: Path) -> None:
    for main, more in ((streaming.main, ["--dev", tmp_path]), (long.main, []), (glossary.main, [])):
        output = tmp_path / "out.json"
        page = run(main, "--data", tmp_path, *more, "-o", output)
        assert "the benchmark is left out" in page and not output.exists()


def test_words_that_differ() -> None:
    found = count_differences(["Hi, Anna. How are you?"], ["Hi Anna. how are You?"])
    assert found == {"marks": 0.2, "case": 0.4, "either": 0.6}
