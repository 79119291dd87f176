# SPDX-License-Identifier: MIT OR Apache-2.0
"""How the program begins and ends: every known fault is one line on standard error and an exit code."""

from __future__ import annotations

import os
import re
import signal
import sys
from typing import NoReturn

import typer

from cwnd._native import PluginError, ScenarioError
from cwnd.refused import refused
from cwnd.store import NotOursError
from cwnd.terminal import forgiving


def fail(message: str, code: int = 2) -> NoReturn:
    """Ends the program with one line on standard error."""
    print(f"error: {' '.join(message.split())}", file=sys.stderr)
    raise typer.Exit(code)


REPEATED = ("--plugin", "--param", "--traffic", "--except")


def once(arguments: list[str]) -> None:
    """Refuses an option that is given twice: the parser would take the last one silently."""
    seen = set()
    for argument in arguments:
        if argument == "--":
            return  # what follows is somebody else's command line
        option = {"-o": "--out"}.get(argument, argument.partition("=")[0])
        if option.startswith("--") and option not in REPEATED:
            if option in seen:
                raise refused(option, argument, "it once, not twice")
            seen.add(option)


def enter(app: typer.Typer) -> NoReturn:
    """Runs the program and turns every known fault into one line and an exit code."""
    forgiving()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, lambda number, _: sys.exit(128 + number))
    code = guarded(app)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = quiet_pipe()
    except OSError as error:
        print(f"error: standard output: {error.strerror}", file=sys.stderr)
        code = 1
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def quiet_pipe() -> int:
    """Whoever read our output has gone: nothing to say, and nothing to flush at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141


def guarded(app: typer.Typer) -> int:
    """The program's exit code."""
    arguments = sys.argv[1:] or ["--help"]
    try:
        once(arguments)
        result = app(arguments, standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        print("stopped", file=sys.stderr)
        return 130
    except ScenarioError as error:
        print(getattr(error, "log", ""), end="", file=sys.stderr)
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except NotOursError as error:
        # Python's argument `folder` is the option -o here.
        print(f"error: {re.sub('^folder:', '-o:', str(error))}", file=sys.stderr)
        return 2
    except PluginError as error:
        print(f"error: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        return quiet_pipe()
    except OSError as error:
        print(getattr(error, "log", ""), end="", file=sys.stderr)
        where = f"{error.filename}: " if error.filename else ""
        print(f"error: {where}{' '.join(str(error.strerror or error).split())}", file=sys.stderr)
        return 1
    except Exception as error:
        # The option parser's own refusals know their exit code and how to say it in a line.
        if hasattr(error, "format_message") and hasattr(error, "exit_code"):
            print(f"error: {' '.join(error.format_message().split())}", file=sys.stderr)
            return int(error.exit_code)
        raise
    except BaseException as error:
        # What pyo3 makes of a panic in our own Rust is no Exception, and has no name to import.
        if type(error).__name__ != "PanicException":
            raise
        print(f"error: a fault of cwnd, to be reported: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    if result == 130:  # the option parser has heard Ctrl-C itself
        print("stopped", file=sys.stderr)
    return result if isinstance(result, int) else 0
