# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd kernel list`: the loaded algorithms, the kernel's own, and those that can be loaded."""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict

from cwnd import _native
from cwnd._internal.terminal import Grid, Printer
from cwnd.kernel.native import KernelError, KernelModule, kernel_registrations

SYSCTLS = Path("/proc/sys/net/ipv4")


class LoadedEntry(TypedDict):
    """An algorithm that cwnd has loaded."""

    name: str
    set: str
    pid: int
    #: whether the process that loaded it runs
    running: bool
    pinned: str | None
    #: null: not known
    connections: int | None
    repaired: int | None
    unguarded: int | None
    registered: bool


class KernelsOwn(TypedDict):
    """The kernel's own algorithms."""

    available: list[str]
    default: str | None


class AvailableSet(TypedDict):
    """A parameter set that can be loaded."""

    name: str
    kernel_name: str
    summary: str


class Available(TypedDict):
    """An algorithm that can be loaded."""

    algorithm: str
    sets: list[AvailableSet]


class Listing(TypedDict):
    """The whole list, as `--json` prints it."""

    #: null: this process may not ask, for the reason `why`
    loaded: list[LoadedEntry] | None
    why: str | None
    kernel: KernelsOwn
    available: list[Available]


def tcp_setting(name: str) -> list[str]:
    """The words of a setting of the kernel's TCP; none if it does not exist."""
    try:
        return (SYSCTLS / name).read_text().split()
    except OSError:
        return []


def collect() -> Listing:
    """The whole list."""
    loaded: list[LoadedEntry] | None = None
    why = None
    try:
        loaded = [
            {
                "name": registration.name,
                "set": registration.set,
                "pid": registration.pid,
                "running": Path(f"/proc/{registration.pid}").exists(),
                "pinned": None if registration.pinned is None else str(registration.pinned),
                "connections": registration.connections,
                "repaired": registration.repaired,
                "unguarded": registration.unguarded,
                "registered": registration.registered,
            }
            for registration in kernel_registrations()
        ]
    except KernelError as error:
        why = str(error)
    ours = {each["name"] for each in loaded or [] if each["registered"]}
    return {
        "loaded": loaded,
        "why": why,
        "kernel": {
            "available": [name for name in tcp_setting("tcp_available_congestion_control") if name not in ours],
            "default": next(iter(tcp_setting("tcp_congestion_control")), None),
        },
        "available": [
            {
                "algorithm": algorithm["name"],
                "sets": [
                    {
                        "name": parameter_set["name"],
                        "kernel_name": KernelModule(parameter_set["name"]).kernel_name,
                        "summary": parameter_set["summary"],
                    }
                    for parameter_set in algorithm["sets"]
                ],
            }
            for algorithm in _native.algorithms()
        ],
    }


def show(listing: Listing, printer: Printer | None = None) -> None:
    """Prints the list."""
    printer = printer or Printer()
    if listing["loaded"] is None:
        printer.paragraph(f"loaded by cwnd: unknown; {listing['why']}")
    elif not listing["loaded"]:
        printer.paragraph("loaded by cwnd: nothing")
    else:
        printer.paragraph("loaded by cwnd:")
        counts = ("connections", "repaired", "unguarded")
        rows = [
            (
                module["name"],
                [
                    module["set"],
                    *("?" if count is None else str(count) for count in counts_of(module)),
                    loaded_by(module),
                ],
            )
            for module in listing["loaded"]
        ]
        printer.print(Grid("name", ["set", *counts, "loaded by"], rows, texts=(0, 4)))
    kernel = listing["kernel"]
    default = kernel["default"]
    kernels_own = [f"{name} (the default)" if name == default else name for name in kernel["available"]]
    printer.paragraph(f"the kernel's own: {', '.join(kernels_own) or 'unknown'}")
    printer.paragraph("available, as NAME or NAME:SET (cwnd show NAME explains each):")
    column = max(len(entry["algorithm"]) for entry in listing["available"]) + 4
    for entry in listing["available"]:
        sets = " ".join(parameter_set["name"] for parameter_set in entry["sets"])
        printer.entry(entry["algorithm"], sets, column=column)


def counts_of(module: LoadedEntry) -> tuple[int | None, ...]:
    """Its connections, and what was repaired and could not be guarded on them."""
    return module["connections"], module["repaired"], module["unguarded"]


def loaded_by(module: LoadedEntry) -> str:
    """What keeps a module in the kernel."""
    if not module["registered"]:
        return "unloaded; stays until its last connection ends"
    if module["pinned"]:
        return f"process {module['pid']}, pinned at {module['pinned']}"
    return (
        f"process {module['pid']}"
        if module["running"]
        else f"process {module['pid']}, which has ended; other processes keep it loaded"
    )
