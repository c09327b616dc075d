"""Output files and folders that are there as a whole or not at all."""

import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Iterator, Optional

import typer

from .errors import Errors


@contextmanager
def open_output(path: Optional[Path]) -> Iterator[BinaryIO]:
    """Open a file for output under another name in the same folder, and rename it when all is
    written. On an error nothing is left, and a file that was there before stays as it was.

    path (Optional[Path]): The file; None or "-" for stdout.
    YIELDS (BinaryIO): What to write to.
    RAISES (ValueError): If the file cannot be written.
    """
    if path is None or is_stdout(path):
        stdout = typer.get_binary_stream("stdout")
        yield stdout
        stdout.flush()
        return
    path = path.resolve()  # a link stays a link
    if path.exists() and not path.is_file():
        # A device or a pipe cannot be replaced.
        with _open(path, "wb", path) as file:
            yield file
        return
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    file = _open(temporary, "xb", path)
    try:
        with file:
            yield file
        if path.exists():
            shutil.copymode(path, temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def output_pipeline(path: Path, *, force: bool = False) -> Iterator[Path]:
    """Make a folder for a pipeline under another name beside it, and rename it when all is
    written. On an error nothing is left, and a folder that was there before stays as it was.

    path (Path): The folder.
    force (bool): Whether to replace a pipeline that is there already.
    YIELDS (Path): The folder to write to.
    RAISES (ValueError): If there is such a file or folder already, or it cannot be written.
    """
    path = path.resolve()
    if path.exists() and not force:
        raise ValueError(Errors.P047.format(path=path))
    # A mistyped path must not cost anybody a folder of something else.
    if path.exists() and not (path / "config.cfg").is_file():
        raise ValueError(Errors.P050.format(path=path))
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    replaced = path.with_name(f".{path.name}.{os.getpid()}.old")
    try:
        temporary.mkdir()
    except OSError as error:
        raise ValueError(Errors.P020.format(path=path, reason=error.strerror)) from None
    try:
        yield temporary
        if force and path.exists():
            path.rename(replaced)
        temporary.rename(path)
    except BaseException:
        if replaced.exists():
            replaced.rename(path)
        raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(replaced, ignore_errors=True)


def is_stdout(path: Optional[Path]) -> bool:
    """Whether a path stands for stdout: None and "-" do."""
    return path is None or str(path) == "-"


def _open(path: Path, mode: str, target: Path) -> BinaryIO:
    try:
        return path.open(mode)  # type: ignore[return-value]
    except OSError as error:
        raise ValueError(Errors.P020.format(path=target, reason=error.strerror)) from None
