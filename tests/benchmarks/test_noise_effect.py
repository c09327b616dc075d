"""What recogniser noise in training does: two pipelines on clean words and recognisers' output."""

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
for package in ("truecase", "true_case", "sacremoses"):
    pytest.importorskip(package)
import typer  # noqa: E402
from typer.testing import CliRunner  # noqa: E402

from benchmarks.noise_effect import main, make_page  # noqa: E402


@pytest.fixture
def data(benchmark_data: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    shutil.copytree(benchmark_data / "iwslt2011", folder / "iwslt2011")
    earnings = folder / "earnings21_eval10"
    for name in ("ref", "asr_kaldi_ctm", "asr_espnet_text"):
        (earnings / name).mkdir(parents=True)
    header = "token|speaker|ts|endTs|punctuation|case|tags\n"
    rows = "Good|1|0|0||UC|[]\nmorning|1|0|0|.|LC|[]\n"
    (earnings / "ref" / "1.nlp").write_text(header + rows * 40, encoding="utf8")
    words = "1 A 0.1 0.2 good 1.00\n1 A 0.3 0.2 morning 0.5\n"
    (earnings / "asr_kaldi_ctm" / "1.ctm").write_text(words * 40, encoding="utf8")
    (earnings / "asr_espnet_text" / "1.txt").write_text("good morning " * 40, encoding="utf8")
    return folder


def test_both_are_scored_and_compared(data: Path, tiny_path: Path, tmp_path: Path) -> None:
    output = tmp_path / "out" / "noise.json"
    app = typer.Typer()
    app.command()(main)
    arguments = [str(tiny_path), str(tiny_path), "--data", str(data), "-o", str(output)]
    result = CliRunner().invoke(app, [*arguments, "--bootstrap", "20"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    found = json.loads(output.read_text(encoding="utf8"))
    assert list(found) == [
        "test2011",
        "test2011asr",
        "earnings21 reference",
        "earnings21 Kaldi",
        "earnings21 ESPnet",
    ]
    assert all(sides["words"] for sides in found.values())
    both = found["test2011"]["systems"]
    assert both["with"] == both["without"]
    assert all(d["difference"] == 0 for d in found["test2011"]["differences"].values())
    assert "| earnings21 Kaldi | " in result.output


def test_a_difference_that_counts_is_marked() -> None:
    sides = {"without": {"punct_micro_f": 0.5}, "with": {"punct_micro_f": 0.6}}
    difference = {"difference": 0.1, "low": 0.05, "high": 0.15}
    found = {"set": {"systems": sides, "differences": {"punct_micro_f": difference}}}
    assert "| set | 50.0 → 60.0\\* | – → – |" in make_page(found)
