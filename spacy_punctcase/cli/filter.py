"""`punctcase filter`: training text without the stretches that are unlike clean text."""

import lzma
from contextlib import ExitStack, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Dict, Iterator, List, NamedTuple, Optional, Sequence

import numpy
import srsly
import typer
from rich.console import Console
from rich.table import Table

from ..errors import Errors
from ..files import is_stdout, open_output
from ..gold.filter import (
    FEATURES,
    Reservoir,
    Target,
    TextWindow,
    fit_target,
    measure,
    quantiles,
    read_windows,
    sample_target,
    to_row,
)
from ..gold.readers import SUFFIXES, find_text_files
from ..report.plots import plot_distributions, save_figure

#: The share of the target that the threshold keeps, unless --keep-target or --threshold is given.
KEEP_TARGET = 0.97
#: Number of windows whose values are kept for the distributions.
SAMPLE = 10_000
#: Number of examples, and of their characters, in the report.
EXAMPLES = 5
EXCERPT = 300


class Decision(NamedTuple):
    """What becomes of a window.

    path: The file that it is from.
    window: The window.
    values: Its values, in the order of FEATURES.
    divergence: How far from the target it is.
    kept: Whether it is kept.
    """

    path: Path
    window: TextWindow
    values: numpy.ndarray
    divergence: float
    kept: bool


def filter_cli(
    inputs: Annotated[
        List[Path],
        typer.Argument(metavar="INPUT", help="Files or folders of text", show_default=False),
    ],
    targets: Annotated[
        List[Path],
        typer.Option(
            "--target", help="Clean text to compare with (repeatable)", show_default=False
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Where the text that is kept goes", show_default=False),
    ],
    removed: Annotated[
        Optional[Path], typer.Option("--removed", help="Write what is taken out, too")
    ] = None,
    report: Annotated[
        Optional[Path], typer.Option("--report", help="Write counts and reasons as JSON")
    ] = None,
    plot: Annotated[
        Optional[Path],
        typer.Option("--plot", help="Draw the distributions before and after (.png or .svg)"),
    ] = None,
    window: Annotated[
        int, typer.Option("--window", min=20, help="Words that are judged together")
    ] = 200,
    keep_target: Annotated[
        Optional[float],
        typer.Option(
            "--keep-target",
            help="Choose the threshold so that this share of the target would be kept",
            show_default=str(KEEP_TARGET),
        ),
    ] = None,
    threshold: Annotated[
        Optional[float],
        typer.Option("--threshold", help="Divergence above which text is taken out"),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Decides what is sampled")] = 0,
) -> None:
    """Take out of training text what is unlike clean text in its marks, its case and its lines.
    The target's own habits decide what is unlike: give text of the kinds that are wanted."""
    if keep_target is not None and threshold is not None:
        raise typer.BadParameter("--keep-target and --threshold exclude each other.")
    if threshold is not None and not threshold > 0:
        raise ValueError(Errors.P042.format(value=threshold))
    paths = find_text_files(inputs)
    sampled = sample_target(find_text_files(targets), size=window, seed=seed)
    target = fit_target(sampled)
    limit = target.threshold(KEEP_TARGET if keep_target is None else keep_target)
    if threshold is not None:
        limit = threshold
    summary = Summary(target, paths, seed=seed)
    with ExitStack() as stack:
        writers = {True: TextWriter(stack.enter_context(open_text(output)))}
        if removed is not None:
            writers[False] = TextWriter(stack.enter_context(open_text(removed)))
        was_kept: Optional[bool] = None
        for decision in judge(paths, target, limit, size=window):
            kept = decision.kept
            if kept in writers:
                continues = decision.window.continues and kept == was_kept
                writers[kept].write(decision.window, continues=continues)
            was_kept = kept
            summary.add(decision)
        if not summary.before.items:
            raise ValueError(Errors.P043.format(paths=", ".join(map(str, inputs))))
        if report is not None:
            result = {
                "version": version("spacy-punctcase"),
                "target": {
                    "paths": list(map(str, targets)),
                    "windows": len(sampled),
                    "quantiles": _by_feature(target.quantiles),
                },
                "window": window,
                "threshold": limit,
                **summary.to_dict(),
            }
            file = stack.enter_context(open_output(report))
            file.write(srsly.json_dumps(result, indent=2).encode("utf8"))
        if plot is not None:
            save_figure(plot_distributions(summary.distributions(sampled)), plot)
    console = Console(stderr=is_stdout(output))
    console.print(summary.table())
    console.print(f"Threshold {limit:.2f}: {summary.reasons_line()}")


def judge(
    paths: Sequence[Path], target: Target, threshold: float, *, size: int
) -> Iterator[Decision]:
    """Decide of each window of text whether it is kept.

    paths (Sequence[Path]): The files.
    target (Target): What clean text looks like.
    threshold (float): The divergence up to which windows are kept.
    size (int): Number of words of a window.
    YIELDS (Decision): The decisions, in the order of the text.
    """
    for path in paths:
        for window in read_windows(path, size):
            values = numpy.asarray(to_row(measure(window.lines)))
            divergence = float(target.divergence(values))
            yield Decision(path, window, values, divergence, divergence <= threshold)


@contextmanager
def open_text(path: Path) -> Iterator[BinaryIO]:
    """Open a text file for output, compressed if its name says so; see `open_output`.

    RAISES (ValueError): If it ends in neither .txt nor .txt.xz, or cannot be written.
    """
    if not (is_stdout(path) or path.name.endswith(SUFFIXES)):
        raise ValueError(Errors.P044.format(path=path))
    with open_output(path) as file:
        if path.suffix == ".xz":
            with lzma.open(file, "wb") as compressed:
                yield compressed  # type: ignore[misc]
        else:
            yield file


class TextWriter:
    """Writes windows as text: a paragraph or a turn a line, an empty line between documents.

    file (BinaryIO): What to write to.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._is_empty = True

    def write(self, window: TextWindow, *, continues: bool) -> None:
        """Write a window.

        window (TextWindow): The window.
        continues (bool): Whether it goes on with the document that was written last.
        """
        text = "\n".join(line + "\n" for line in map("\n".join, window.documents))
        separator = "" if continues or self._is_empty else "\n"
        self._file.write((separator + text).encode("utf8"))
        self._is_empty = False


class Counts:
    """Windows and words of a file, kept and removed."""

    def __init__(self) -> None:
        self.windows = {True: 0, False: 0}
        self.words = {True: 0, False: 0}

    def add(self, decision: Decision) -> None:
        """Count a window."""
        self.windows[decision.kept] += 1
        self.words[decision.kept] += decision.window.words

    def to_dict(self) -> Dict[str, int]:
        """The counts by name."""
        return {
            "windows_kept": self.windows[True],
            "windows_removed": self.windows[False],
            "words_kept": self.words[True],
            "words_removed": self.words[False],
        }


class Reason:
    """Windows that were taken out for one value above all: their number, and some of them."""

    def __init__(self, seed: int) -> None:
        self.below = self.above = 0
        self.examples: Reservoir[Decision] = Reservoir(EXAMPLES, seed)

    @property
    def windows(self) -> int:
        return self.below + self.above

    def add(self, decision: Decision, score: float) -> None:
        """Count a window."""
        self.below += score < 0
        self.above += score > 0
        self.examples.add(decision)


class Summary:
    """What was kept and removed, in bounded memory.

    target (Target): What clean text looks like.
    paths (Sequence[Path]): The files.
    seed (int): Decides which values and examples are kept.
    """

    def __init__(self, target: Target, paths: Sequence[Path], *, seed: int) -> None:
        self._target = target
        self._files = {path: Counts() for path in paths}
        self._reasons = {name: Reason(seed) for name in FEATURES}
        self.before: Reservoir[numpy.ndarray] = Reservoir(SAMPLE, seed)
        self.after: Reservoir[numpy.ndarray] = Reservoir(SAMPLE, seed)

    def add(self, decision: Decision) -> None:
        """Take note of a decision."""
        self._files[decision.path].add(decision)
        self.before.add(decision.values)
        if decision.kept:
            self.after.add(decision.values)
            return
        scores = self._target.scores(decision.values)
        worst = int(numpy.argmax(numpy.abs(scores)))
        self._reasons[list(FEATURES)[worst]].add(decision, float(scores[worst]))

    def to_dict(self) -> Dict[str, Any]:
        """Counts by file, reasons, and distributions before and after, to be written as JSON."""
        samples = {"before": self.before.items, "after": self.after.items}
        return {
            "files": {str(path): counts.to_dict() for path, counts in self._files.items()},
            "reasons": {
                name: self._describe(index, reason)
                for index, (name, reason) in enumerate(self._reasons.items())
                if reason.windows
            },
            "distributions": {
                name: _by_feature(quantiles(numpy.asarray(items))) if items else None
                for name, items in samples.items()
            },
        }

    def _describe(self, index: int, reason: Reason) -> Dict[str, Any]:
        return {
            "windows": reason.windows,
            "below": reason.below,
            "above": reason.above,
            "target_median": float(self._target.median[index]),
            "examples": [
                {
                    "path": str(decision.path),
                    "value": float(decision.values[index]),
                    "divergence": decision.divergence,
                    "text": " ".join(decision.window.lines)[:EXCERPT],
                }
                for decision in reason.examples.items
            ],
        }

    def distributions(self, sampled: numpy.ndarray) -> Dict[str, Dict[str, List[float]]]:
        """Values of target and text, before and after, for each of FEATURES."""
        texts = {"target": list(sampled), "before": self.before.items, "after": self.after.items}
        return {
            name: {text: [float(row[index]) for row in rows] for text, rows in texts.items()}
            for index, name in enumerate(FEATURES)
        }

    def table(self) -> Table:
        """Words and windows by file."""
        table = Table()
        table.add_column("File")
        for column in ("Windows", "Words", "Removed words", "%"):
            table.add_column(column, justify="right")
        for path, counts in self._files.items():
            words = sum(counts.words.values())
            table.add_row(
                path.name,
                f"{sum(counts.windows.values()):,}",
                f"{words:,}",
                f"{counts.words[False]:,}",
                f"{100 * counts.words[False] / max(words, 1):.1f}",
            )
        return table

    def reasons_line(self) -> str:
        """What most windows were taken out for."""
        reasons = sorted(self._reasons.items(), key=lambda item: -item[1].windows)
        parts = [f"{name} {reason.windows:,}" for name, reason in reasons if reason.windows]
        return "windows removed for " + ", ".join(parts) if parts else "nothing removed"


def _by_feature(columns: numpy.ndarray) -> Dict[str, List[float]]:
    """The columns of an array by the names of FEATURES."""
    return {name: column.tolist() for name, column in zip(FEATURES, columns.T)}
