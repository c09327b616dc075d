"""How far a command is, shown on stderr."""

from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Iterable, Iterator, List, Optional

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TextColumn,
    TimeRemainingColumn,
)


def total_size(names: Iterable[str]) -> Optional[int]:
    """Bytes of text in all files, or None where that is not known before they are read."""
    total = 0
    for name in names:
        if name.endswith(".xz") or not Path(name).is_file():
            return None
        total += Path(name).stat().st_size
    return total


@contextmanager
def progress_bar(total: Optional[int], visible: bool) -> Iterator[Callable[[str], None]]:
    """Show on stderr how far the reading is.

    total (Optional[int]): Bytes to read; None to count lines.
    visible (bool): Whether to show anything.
    YIELDS (Callable[[str], None]): To be told of each line that is read.
    """
    if not visible:
        yield lambda line: None
        return
    columns: List[ProgressColumn] = [SpinnerColumn(), TextColumn("{task.completed:.0f} lines")]
    if total is not None:
        columns = [BarColumn(), DownloadColumn(), TimeRemainingColumn()]
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False
    ) as progress:
        task = progress.add_task("", total=total)

        def advance(line: str) -> None:
            progress.advance(task, 1 if total is None else len(line.encode("utf8")))

        yield advance
