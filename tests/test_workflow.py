"""The project workflow from text to an installed package, through the real command lines."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Dict

import pytest
import spacy
from conftest import ROOT

import spacy_punctcase
from spacy_punctcase.report.curve import read_log

pytestmark = pytest.mark.timeout(1200)

STEPS = {
    "steps_punctuator": 60,
    "steps_truecaser": 60,
    "eval_frequency": 30,
    "steps_ner": 100,
    "version": "0.0.1",
}
BASE_CONFIGS = [
    "punctuator_base",
    "truecaser_base",
    "truecaser_lstm",
    "joint_base",
    "joint_ngrams",
    "joint_product_tag",
]


def run(*command: str, cwd: Path, env: Dict[str, str] = {}) -> str:
    result = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=cwd,
        env={**os.environ, **env},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout + result.stderr


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project after `spacy project run all` with a few steps."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copy(ROOT / "project.yml", folder)
    for name in ("assets", "configs", "benchmarks"):
        shutil.copytree(ROOT / name, folder / name)
    overrides = [arg for key, value in STEPS.items() for arg in (f"--vars.{key}", str(value))]
    run("spacy", "project", "run", "all", ".", *overrides, cwd=folder)
    return folder


def test_learns_and_evaluates(project: Path) -> None:
    scores = json.loads((project / "metrics" / "restorer.json").read_text(encoding="utf8"))
    assert scores["punct_micro_f"] > 0.3
    assert scores["case_word_f"] > 0.2
    assert set(scores["punct_per_mark"]) == {",", ".", "?"}


def test_ner_learns_on_restored_text(project: Path) -> None:
    scores = json.loads((project / "metrics" / "ner.json").read_text(encoding="utf8"))
    assert scores["ents_f"] > 0.0
    nlp = spacy.load(project / "training" / "ner" / "model-best")
    assert nlp.pipe_names == ["punctuator", "truecaser", "gold_aligner", "ner"]
    doc = nlp("maria garcia lives in chicago does she know daniel")
    assert doc._.source_text == "maria garcia lives in chicago does she know daniel"
    assert doc.text != doc._.source_text


def test_nothing_to_do_the_second_time(project: Path) -> None:
    overrides = [arg for key, value in STEPS.items() for arg in (f"--vars.{key}", str(value))]
    printed = run("spacy", "project", "run", "all", ".", *overrides, cwd=project)
    assert printed.count("nothing changed") == 10


def test_each_training_has_a_learning_curve(project: Path) -> None:
    for name in ("punctuator", "truecaser", "ner"):
        log = read_log(project / "training" / f"{name}.jsonl")
        assert len(log) >= 3 and list(log[0].losses) == [name]
        plot = project / "metrics" / f"curve_{name}.svg"
        assert plot.read_bytes().startswith(b"<?xml")


def test_another_language(tmp_path: Path) -> None:
    """The example of the guide: German sample text through one command."""
    shutil.copy(ROOT / "project.yml", tmp_path)
    for name in ("assets", "configs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    guide = (ROOT / "docs" / "add_your_language.md").read_text(encoding="utf8")
    command = re.search(r"spacy (project run restorer \. [^`]+?)\n```", guide)[1]  # type: ignore
    arguments = command.replace("\\\n", " ").split()
    steps = ["--vars.steps_punctuator", "30", "--vars.steps_truecaser", "30"]
    run("spacy", *arguments, *steps, "--vars.eval_frequency", "15", cwd=tmp_path)
    scores = json.loads((tmp_path / "metrics" / "restorer.json").read_text(encoding="utf8"))
    assert scores["punct_micro_f"] > 0.1
    (wheel,) = tmp_path.glob("packages/*/dist/*.whl")
    assert wheel.name.startswith("de_punctcase")
    nlp = spacy.load(tmp_path / "training" / "restorer")
    assert nlp.lang == "de"
    assert nlp("guten tag wie geht es ihnen").text.lower().startswith("guten tag")


def test_baselines_and_benchmarks(project: Path, encoder: Path, benchmark_data: Path) -> None:
    """The systems that ours is compared with are trained, and the page of results is written."""
    for package in ("matplotlib", "truecase", "true_case", "sacremoses"):
        pytest.importorskip(package)
    values = {
        "encoder": encoder,
        "steps_previous": 6,
        "steps_char_lstm": 4,
        "eval_frequency": 3,
        "eval_data": benchmark_data,
        "bench_dev": benchmark_data / "dev",
        "bench_train": benchmark_data / "train",
        "bench_weights": "configs/weights_none.json",
        "bench_model": "training/restorer",
        "char_lstm_punctuator": "training/restorer",
        "baseline_words": 500,
    }
    overrides = [arg for key, value in values.items() for arg in (f"--vars.{key}", str(value))]
    run("spacy", "project", "run", "baselines", ".", *overrides, cwd=project)
    assert (project / "training" / "char_lstm.jsonl").exists()
    previous = spacy.load(project / "training" / "previous" / "model-last")
    assert previous.pipe_names == ["joint_restorer", "casing_ruler"]
    assert "PostgreSQL" in previous.get_pipe("casing_ruler").entries  # type: ignore
    for name in ("headline", "iwslt", "ner", "report"):
        printed = run("spacy", "project", "run", f"benchmark-{name}", ".", *overrides, cwd=project)
        assert ("the benchmark is left out" in printed) == (name == "ner")
    page = (project / "benchmarks" / "RESULTS.md").read_text(encoding="utf8")
    assert "| previous |" in page and "## Entities" not in page
    assert str(project) not in page


@pytest.mark.parametrize("architecture", ["SingleTask", "PunctuationFirst"])
def test_marks_and_case_in_one_network(project: Path, architecture: str) -> None:
    values = {"joint_architecture": architecture, "steps_joint": 4, "eval_frequency": 2}
    overrides = [arg for key, value in values.items() for arg in (f"--vars.{key}", str(value))]
    run("spacy", "project", "run", "train-joint", ".", *overrides, cwd=project)
    nlp = spacy.load(project / "training" / "joint" / "model-best")
    model = nlp.config["components"]["joint_restorer"]["model"]
    assert model["@architectures"] == f"spacy_punctcase.{architecture}.v1"
    assert nlp("good morning")._.source_text == "good morning"


def test_joint_workflow_makes_a_package(project: Path) -> None:
    values = {"name": "punctcase_sm", "version": "0.0.2", "steps_joint": 60, "eval_frequency": 30}
    overrides = [arg for key, value in values.items() for arg in (f"--vars.{key}", str(value))]
    run("spacy", "project", "run", "joint", ".", *overrides, cwd=project)
    scores = json.loads((project / "metrics" / "joint.json").read_text(encoding="utf8"))
    assert scores["punct_micro_f"] > 0.2 and scores["case_word_f"] > 0.2
    assert list(project.glob("packages/en_punctcase_sm-0.0.2/dist/*.whl"))


@pytest.mark.parametrize(
    "config, lang, text", [("finetune", "en", "text"), ("joint_finetune", "vi", "text_vi")]
)
def test_what_ships_goes_on_learning(tmp_path: Path, config: str, lang: str, text: str) -> None:
    shipped = spacy_punctcase.load(lang)
    train = str(ROOT / "assets" / text / "test.txt")
    run("spacy_punctcase", "convert", train, "dev.spacy", "--lang", lang, cwd=tmp_path)
    paths = {"pipeline": shipped.path, "train": train, "dev": "dev.spacy", "log": "log.jsonl"}
    overrides = [arg for key, value in paths.items() for arg in (f"--paths.{key}", str(value))]
    steps = ["--training.max_steps", "2", "--training.eval_frequency", "2", "--nlp.lang", lang]
    cfg = str(ROOT / "configs" / f"{config}.cfg")
    if config == "joint_finetune":
        steps += ["--paths.counted", train, "--initialize.after_init.min_count", "1"]
    run("spacy", "train", cfg, "--output", "tuned", *overrides, *steps, cwd=tmp_path)
    first, last = read_log(tmp_path / "log.jsonl")
    assert first.scores["punct_micro_f"] > 0.5 and last.losses != first.losses
    nlp = spacy.load(tmp_path / "tuned" / "model-last")
    assert nlp.pipe_names == shipped.pipe_names
    assert nlp("hello").text.startswith("Hello")


def test_networks_are_compared(project: Path) -> None:
    for package in ("matplotlib", "truecase", "true_case", "sacremoses"):
        pytest.importorskip(package)
    overrides = ["--vars.steps_compare", "4", "--vars.eval_frequency", "4"]
    printed = run("spacy", "project", "run", "compare-joint", ".", *overrides, cwd=project)
    found = json.loads((project / "metrics" / "compare_joint_en.json").read_text(encoding="utf8"))
    names = ["single-task", "punctuation-first", "JointCapPunc without CRF", "JointCapPunc"]
    assert list(found["test"]["systems"]) == [*names, "two-stage"]
    assert list(found["test"]["differences"]) == [*names[1:], "two-stage"]
    assert "| two-stage | " in printed


def test_text_is_prepared_in_the_way_of_vicappunc(project: Path) -> None:
    run("spacy", "project", "run", "corpus-vicappunc", ".", cwd=project)
    assert len(list((project / "corpus" / "vicappunc").glob("*.tsv"))) == 3


def test_no_absolute_path_in_a_trained_config(project: Path) -> None:
    for config in project.glob("training/*/model-best/config.cfg"):
        assert str(project) not in config.read_text(encoding="utf8")


def test_package_installed_elsewhere(project: Path, tmp_path: Path) -> None:
    (wheel,) = project.glob("packages/en_punctcase-*/dist/*.whl")
    meta = next(project.glob("packages/en_punctcase-*/meta.json"))
    assert "spacy-punctcase" in meta.read_text("utf8")
    site = tmp_path / "site"
    run("pip", "install", "-q", "--no-deps", "--target", str(site), str(wheel), cwd=tmp_path)
    text = "good morning maria garcia how are you today\ni live in chicago"
    script = tmp_path / "use.py"
    script.write_text(
        f"import spacy; doc = spacy.load('en_punctcase')({text!r});"
        "print([doc.text, [list(t._.source_span) for t in doc]])",
        encoding="utf8",
    )
    printed = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    doc = spacy.load(project / "training" / "restorer")(text)
    assert printed.strip() == str([doc.text, [list(token._.source_span) for token in doc]])


@pytest.mark.parametrize("stage", ["punctuator", "truecaser"])
def test_debug_data(project: Path, stage: str) -> None:
    printed = run(
        "spacy",
        "debug",
        "data",
        f"training/{stage}.cfg",
        "--paths.train",
        "assets/text/train.txt",
        "--paths.dev",
        "corpus/dev.spacy",
        cwd=project,
    )
    assert "Corpus is loadable" in printed


@pytest.mark.parametrize("config", BASE_CONFIGS)
def test_base_configs_are_complete_and_valid(tmp_path: Path, config: str) -> None:
    path = str(ROOT / "configs" / f"{config}.cfg")
    run("spacy", "init", "fill-config", path, "full.cfg", cwd=tmp_path)
    text = str(ROOT / "assets" / "text" / "train.txt")
    command = ["spacy", "debug", "config", "full.cfg", "--paths.dev", text, "--paths.train"]
    with pytest.raises(AssertionError, match="The text reader has no path"):
        run(*command[:-1], cwd=tmp_path)
    printed = run(*command, text, cwd=tmp_path)
    assert "Config validation for [training]" in printed
