"""The command line: `punctcase`, `python -m spacy_punctcase` and `python -m spacy punctcase`."""

import os
import sys
from importlib.metadata import version
from typing import Annotated, Any

import spacy.cli
import typer
from typer.core import TyperGroup

from .calibrate import calibrate_cli
from .compare import compare_cli
from .convert import convert_cli
from .curve import curve_cli
from .evaluate import evaluate_cli
from .filter import filter_cli
from .preference import app as preference_app
from .prune import prune_cli
from .restore import restore_cli
from .tune import tune_cli

NAME = "punctcase"
HELP = "Punctuation and case for speech transcripts."


class CommandGroup(TyperGroup):
    """Commands whose errors end as one line on stderr."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            # Whoever read the output has seen enough (`| head`). What is still in the buffer must
            # go somewhere, or the interpreter complains when it flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None
        except (ValueError, OSError, ImportError) as error:
            typer.echo(f"Error: {' '.join(str(error).split())}", err=True)
            raise typer.Exit(1) from None


app = typer.Typer(
    name=NAME,
    help=HELP,
    cls=CommandGroup,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("restore")(restore_cli)
app.command("convert")(convert_cli)
app.command("filter")(filter_cli)
app.command("prune")(prune_cli)
app.command("curve")(curve_cli)
app.command("evaluate")(evaluate_cli)
app.command("tune")(tune_cli)
app.command("calibrate")(calibrate_cli)
app.command("compare")(compare_cli)
app.add_typer(preference_app, name="preference")
# spaCy loads this module through the entry point group `spacy_cli`.
spacy.cli.app.add_typer(app, name=NAME)


def _show_version(value: bool) -> None:
    if value:
        typer.echo(f"{NAME} {version('spacy-punctcase')}")
        raise typer.Exit()


@app.callback()
def _app_options(
    show_version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version"),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line."""
    app(prog_name=NAME)
