# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd check`: a user's algorithm against the contract."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from cwnd._internal.input_errors import refused
from cwnd.cli.entry import error_line, fail
from cwnd.cli.options import Json


def command(
    crate: Annotated[Path, typer.Argument(metavar="CRATE", help="The folder of an algorithm of your own.")],
    seconds: Annotated[
        str | None,
        typer.Option(metavar="N", help="Seconds of random simulations; 0 for none.", show_default="60"),
    ] = None,
    simulations: Annotated[
        str | None, typer.Option(metavar="N", help="Number of random simulations, instead of a time.")
    ] = None,
    seed: Annotated[
        str | None,
        typer.Option(
            metavar="N", help="Seed of the random simulations and histories.", show_default="a new one each time"
        ),
    ] = None,
    excepted: Annotated[
        list[str] | None,
        typer.Option(
            "--except", metavar="PROMISE", help="A promise that the algorithm breaks on purpose. May be repeated."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check an algorithm of your own against the contract that the built-in ones keep, then run random simulations with it.

    Algorithms that set their own rate (cong_control) have their own promises. Exit code 1 if the algorithm breaks a promise. A line for each broken
    promise gives the promise, the event and who is at fault; above it are the history and the command that reproduces it.
    """
    from cwnd.cli.progress import shown_check
    from cwnd.cli.watchdog import start_watchdog
    from cwnd.plugin import check as check_command

    limit = None if seconds is None else seconds_of(seconds)
    if simulations is not None:
        if not (simulations.isascii() and simulations.isdigit() and int(simulations) < check_command.MOST_SEED):
            fail(f'--simulations: "{simulations}" is not accepted; expected a whole number from 0 to 2^63 - 1')
        if seconds is not None:
            fail(f'--simulations: "{simulations}" is not accepted with --seconds; expected one of the two')
    if seed is not None and not (seed.isascii() and seed.isdigit() and int(seed) < check_command.MOST_SEED):
        fail(f'--seed: "{seed}" is not accepted; expected a whole number from 0 to 2^63 - 1')
    for name in excepted or []:
        if name not in check_command.promises():
            raise refused("--except", name, "the name of a promise", check_command.promises())
    start = None if seed is None else int(seed)
    count = None if simulations is None else int(simulations)
    start_watchdog()
    with shown_check() as progress:
        result = check_command.check(
            crate, seconds=limit, simulations=count, seed=start, excepted=excepted or [], progress=progress
        )
    if as_json:
        print(json.dumps(dataclasses.asdict(result)))
    else:
        for name in result.sets:
            broken = [failure for failure in result.failures if failure.set == name and not failure.of_cwnd]
            state = (
                f"breaks {'a promise' if len(broken) == 1 else f'{len(broken)} promises'}"
                if broken
                else "keeps the contract"
            )
            print(f"{name}: {state}" + (f", except {', '.join(result.excepted)}" if result.excepted else ""))
        done = f"{result.histories:,} histories, {result.simulations:,} simulations"
        print(f"{done} in {result.seconds:.0f} s (seed {result.seed})")
        for failure in result.failures:
            print(*failure.history, sep="\n")
            print(f"again: {failure.again}")
    for failure in result.failures[:-1]:
        print(error_line(str(failure)), file=sys.stderr)
    if result.failures:
        fail(str(result.failures[-1]), 1)


def seconds_of(text: str) -> float:
    """The value of `--seconds`; ends the program if it is not valid."""
    from cwnd.plugin.check import MOST_SECONDS

    try:
        seconds = float(text) if text.isascii() else -1.0
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= MOST_SECONDS:
        fail(f'--seconds: "{text}" is not accepted; expected a number of seconds from 0 to {MOST_SECONDS}')
    return seconds
