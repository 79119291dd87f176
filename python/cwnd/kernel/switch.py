# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd kernel switch`: moves live connections to another algorithm."""

from __future__ import annotations

from collections.abc import Sequence

from cwnd.kernel.native import KernelInputError, kernel_switch
from cwnd.kernel.spec import acquire


def switch(text: str, settings: Sequence[str], *, port: str | None, origin: str | None) -> int:
    """Moves the connections of this network namespace that have `port` at either end and run on `origin` in the kernel.

    Prints each of them, and returns how many refused. Raises `OSError` if there is none.
    """
    if port is None and origin is None:
        raise KernelInputError("--port, --from", "", "at least one of them, to select connections")
    number = None if port is None else number_of(port)
    name, handle = acquire(text, settings)
    try:
        if number is None:
            reports = [kernel_switch(name, algorithm=origin)]
        else:
            reports = [
                kernel_switch(name, algorithm=origin, local_port=number),
                kernel_switch(name, algorithm=origin, remote_port=number),
            ]
    finally:
        if handle is not None:
            handle.close()
    matched, changed = sum(report[0] for report in reports), sum(report[1] for report in reports)
    refusals = 0
    for local, remote, before, refused in (row for report in reports for row in report[2]):
        if refused is not None:
            refusals += 1
            print(f"  {local} - {remote}: stays on {before}: {refused}")
        elif before != name:
            print(f"  {local} - {remote}: {before} -> {name}")
    if not matched:
        raise OSError(no_match_message(number, origin))
    unchanged = matched - changed - refusals
    print(f"{changed} moved to {name}, {unchanged} already on it, {refusals} refused")
    if handle is not None and handle.shared_with is None and changed:
        print(f"{name} was loaded for them and is unloaded when the last of them ends.")
    return refusals


def no_match_message(port: int | None, origin: str | None) -> str:
    """The message that no connection matches."""
    wanted = [] if port is None else [f"has port {port}"]
    wanted += [] if origin is None else [f"runs on {origin}"]
    return f"no connection of this network namespace {' and '.join(wanted)}"


def number_of(port: str) -> int:
    """A TCP port."""
    if port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16:
        return int(port)
    raise KernelInputError("--port", port, "a number from 1 to 65535")
