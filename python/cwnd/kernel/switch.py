# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd kernel switch`: live connections move to another algorithm."""

from __future__ import annotations

from collections.abc import Sequence

from cwnd._native import kernel_switch
from cwnd.kernel.native import KernelInputError
from cwnd.kernel.spec import held


def switch(text: str, settings: Sequence[str], *, port: str | None, origin: str | None) -> int:
    """Moves the connections of this network namespace that have `port` at either end and run on `origin` in the kernel; says
    which, and returns how many of them refused. Raises `OSError`, when there is none."""
    if port is None and origin is None:
        raise KernelInputError("--port, --from", "", "at least one of them: which connections?")
    number = None if port is None else number_of(port)
    name, holding = held(text, settings)
    try:
        if number is None:
            asked = [kernel_switch(name, algorithm=origin)]
        else:
            asked = [
                kernel_switch(name, algorithm=origin, local_port=number),
                kernel_switch(name, algorithm=origin, remote_port=number),
            ]
    finally:
        if holding is not None:
            holding.close()
    matched, changed = sum(found[0] for found in asked), sum(found[1] for found in asked)
    refusals = 0
    for local, remote, before, refused in (row for found in asked for row in found[2]):
        if refused is not None:
            refusals += 1
            print(f"  {local} - {remote}: stays on {before}: {refused}")
        elif before != name:
            print(f"  {local} - {remote}: {before} -> {name}")
    if not matched:
        raise OSError(nothing(number, origin))
    there = matched - changed - refusals
    print(f"{changed} moved to {name}, {there} on it before, {refusals} refused")
    if holding is not None and holding.shared_with is None and changed:
        print(f"{name} was loaded for them, and goes when the last of them ends.")
    return refusals


def nothing(port: int | None, origin: str | None) -> str:
    """That no connection is what was asked for."""
    wanted = [] if port is None else [f"has port {port}"]
    wanted += [] if origin is None else [f"runs on {origin}"]
    return f"no connection of this network namespace {' and '.join(wanted)}"


def number_of(port: str) -> int:
    """A TCP port."""
    if port.isascii() and port.isdigit() and 0 < int(port) < 1 << 16:
        return int(port)
    raise KernelInputError("--port", port, "a number from 1 to 65535")
