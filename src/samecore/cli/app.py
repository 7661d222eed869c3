"""The command `samecore`: parses, calls the library, prints. Heavy imports wait for the command."""

from __future__ import annotations

import sys

import typer

from samecore.cli import compare, dedupe, evaluate, explain, find, index, lab, methods, seen, train, tune

app = typer.Typer(
    name="samecore",
    help="Find documents that carry the same core in different frames.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("find", epilog=find.EXAMPLES)(find.command)
app.command("dedupe", epilog=dedupe.EXAMPLES)(dedupe.command)
app.command("explain", epilog=explain.EXAMPLES)(explain.command)
app.command("compare", epilog=compare.EXAMPLES)(compare.command)
app.command("evaluate", epilog=evaluate.EXAMPLES)(evaluate.command)
app.command("seen", epilog=seen.EXAMPLES)(seen.command)
app.add_typer(index.app, name="index")
app.command("train", epilog=train.EXAMPLES)(train.command)
app.command("tune", epilog=tune.EXAMPLES)(tune.command)
app.command("methods")(methods.command)
app.add_typer(lab.app, name="lab")


@app.callback(invoke_without_command=True)
def _top(
    version: bool = typer.Option(False, "--version", help="Print the version and stop.", is_eager=True),
) -> None:
    if version:
        from samecore import __version__

        typer.echo(__version__)
        raise typer.Exit


def main() -> None:
    """Run the command line. Exit 0: done, 1: nothing found (query commands), 2: failed, 130: stopped by Ctrl-C, 143: ended."""
    import signal

    from samecore.errors import SamecoreError

    # As after Ctrl-C, no temporary file is left: a copy of standard input can be large.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        app(standalone_mode=True)
    except SamecoreError as error:
        sys.stderr.write(f"samecore: {error}\n")
        sys.exit(2)
    except OSError as error:
        sys.stderr.write(f"samecore: {error}\n")
        sys.exit(2)
    except MemoryError:
        sys.stderr.write(
            "samecore: out of memory; raise --threshold or --floor, or use --match exact-forest --group components\n"
        )
        sys.exit(2)
