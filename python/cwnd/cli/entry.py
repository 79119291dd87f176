# SPDX-License-Identifier: MIT OR Apache-2.0
"""Entry and exit of the program: every known error is one line on standard error and an exit code."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import NoReturn

import typer

from cwnd._internal.escapes import harmless
from cwnd._internal.input_errors import refused
from cwnd._internal.input_files import raise_ended
from cwnd._internal.messages import detail
from cwnd._internal.terminal import replace_unprintable
from cwnd._native import FellBehindError, PluginError, ScenarioError
from cwnd.cli import without_pandas
from cwnd.cli.defaults import hint
from cwnd.result.store import FolderError
from cwnd.result.tables import NoResultError

#: A second signal within this time is the first one, from a key that is held down, or sent to the process and to its group, s.
SAME_SIGNAL_S = 0.5
#: Time that a hook has to return after a signal, s. The hooks of one call take microseconds.
HANDLING_S = 10.0


def once(handle: Callable[[int, FrameType | None], object]) -> Callable[[int, FrameType | None], object]:
    """A handler that takes signals within `SAME_SIGNAL_S` of the first for that: they would interrupt what tidies up."""
    first_s: float | None = None

    def handler(number: int, frame: FrameType | None) -> None:
        nonlocal first_s
        if first_s is None or time.monotonic() - first_s > SAME_SIGNAL_S:
            first_s = time.monotonic()
            handle(number, frame)

    return handler


def fail(message: str, code: int = 2) -> NoReturn:
    """Ends the program with one line on standard error; without one if Ctrl-C or TERM is the reason."""
    raise_ended()
    print(error_line(message), file=sys.stderr)
    raise typer.Exit(code)


def error_line(message: str) -> str:
    """An error as one line."""
    return harmless(f"error: {' '.join(message.split())}{hint()}")


REPEATED = ("--plugin", "--param", "--traffic", "--except", "--axis", "--zip", "--where", "--fail-if")


def refuse_repeated(arguments: list[str]) -> None:
    """Refuses an option that is given twice; the parser would silently take the last."""
    seen = set()
    for argument in arguments:
        if argument == "--":
            return  # the rest is the command line of another program
        option = {"-o": "--out"}.get(argument, argument.partition("=")[0])
        if option.startswith("--") and option not in REPEATED:
            if option in seen:
                raise refused(option, argument, "it once, not twice")
            seen.add(option)


def enter(app: typer.Typer) -> NoReturn:
    """Runs the program and turns every known error into one line and an exit code."""
    without_pandas.hide()
    for name in ("stdout", "stderr"):
        # Closed by the shell (`>&-`): Python has no stream then.
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 (open until the end)
    replace_unprintable()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, once(lambda number, _: sys.exit(128 + number)))
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, once(signal.default_int_handler))
    start_s = time.monotonic()
    code = run_guarded(app)
    detail(f"took {time.monotonic() - start_s:.2f} s, {time.process_time():.2f} s of processor time including start-up")
    if code > 128:
        wait_for_threads(code)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        code = closed_pipe()
    except OSError as error:
        print(f"error: standard output: {error.strerror}", file=sys.stderr)
        code = 1
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


def wait_for_threads(code: int) -> None:
    """Waits for the threads of a program that a signal ends, as the interpreter would, but for `HANDLING_S` and no further signal.

    A thread in a hook that does not return would hold the program for ever.
    """
    start_s = time.monotonic()

    def give_up(number: int, frame: FrameType | None) -> None:
        if time.monotonic() - start_s > SAME_SIGNAL_S:
            os._exit(code)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, give_up)
    if code == 128 + signal.SIGINT:
        print("stopped", file=sys.stderr, flush=True)
    others = [each for each in threading.enumerate() if each is not threading.main_thread() and not each.daemon]
    for thread in others:
        thread.join(max(0.0, start_s + HANDLING_S - time.monotonic()))
    if any(each.is_alive() for each in others):
        os._exit(code)
    # The interpreter ends, and its default would end the program by the signal.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def closed_pipe() -> int:
    """The exit code if the reader of our output has ended; nothing is printed or flushed then."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 141


def run_guarded(app: typer.Typer) -> int:
    """Runs the program; returns its exit code."""
    arguments = sys.argv[1:] or ["--help"]
    try:
        refuse_repeated(arguments)
        try:
            result = app(arguments, standalone_mode=False)
        except ScenarioError:
            raise_ended()
            raise
    except (KeyboardInterrupt, typer.Abort):
        return 128 + signal.SIGINT
    except (ScenarioError, NoResultError) as error:
        print(getattr(error, "log", ""), end="", file=sys.stderr)
        print(error_line(str(error)), file=sys.stderr)
        return 2
    except FolderError as error:
        # The argument `folder` of the Python function is the option -o here.
        print(error_line(re.sub("^folder:", "-o:", str(error))), file=sys.stderr)
        return 2
    except (PluginError, FellBehindError) as error:
        print(harmless(f"error: {' '.join(str(error).split())}"), file=sys.stderr)
        return 1
    except BrokenPipeError:
        return closed_pipe()
    except OSError as error:
        print(getattr(error, "log", ""), end="", file=sys.stderr)
        where = f"{error.filename}: " if error.filename else ""
        print(harmless(f"error: {where}{' '.join(str(error.strerror or error).split())}"), file=sys.stderr)
        return 1
    except Exception as error:
        # The option parser's own errors have an exit code and a message of one line.
        if hasattr(error, "format_message") and hasattr(error, "exit_code"):
            print(harmless(f"error: {' '.join(error.format_message().split())}"), file=sys.stderr)
            return int(error.exit_code)
        raise
    except SystemExit as ended:  # of the handlers above
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException as error:
        # A panic in our own Rust raises PanicException, which is no `Exception` and cannot be imported.
        if type(error).__name__ != "PanicException":
            raise
        print(f"error: a bug in cwnd, please report it: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    return result if isinstance(result, int) else 0
