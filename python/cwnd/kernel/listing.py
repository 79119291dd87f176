# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd kernel list`: what is loaded, what the kernel has itself, what there is to load."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cwnd import _native
from cwnd._native import KernelError, KernelModule, kernel_registrations

SYSCTLS = Path("/proc/sys/net/ipv4")


def words(name: str) -> list[str]:
    """A setting of the kernel's TCP; nothing where there is none."""
    try:
        return (SYSCTLS / name).read_text().split()
    except OSError:
        return []


def collect() -> dict[str, Any]:
    """All of it, as `--json` prints it; `loaded` is `None` where this process may not ask, and `why` says so."""
    loaded: list[dict[str, Any]] | None = None
    why = None
    try:
        loaded = [
            {
                "name": one.name,
                "set": one.set,
                "pid": one.pid,
                "running": Path(f"/proc/{one.pid}").exists(),
                "pinned": None if one.pinned is None else str(one.pinned),
                "connections": one.connections,
                "repaired": one.repaired,
                "unguarded": one.unguarded,
                "registered": one.registered,
            }
            for one in kernel_registrations()
        ]
    except KernelError as error:
        why = str(error)
    ours = {one["name"] for one in loaded or [] if one["registered"]}
    return {
        "loaded": loaded,
        "why": why,
        "kernel": {
            "available": [name for name in words("tcp_available_congestion_control") if name not in ours],
            "default": next(iter(words("tcp_congestion_control")), None),
        },
        "available": [
            {
                "algorithm": algorithm["name"],
                "sets": [
                    {
                        "name": one["name"],
                        "kernel_name": KernelModule(one["name"]).kernel_name,
                        "summary": one["summary"],
                    }
                    for one in algorithm["sets"]
                ],
            }
            for algorithm in _native.algorithms()
        ],
    }


def show(found: dict[str, Any]) -> None:
    """The same for eyes."""
    if found["loaded"] is None:
        print(f"loaded by cwnd: not known; {found['why']}")
    elif not found["loaded"]:
        print("loaded by cwnd: nothing")
    else:
        print("loaded by cwnd:")
        print(f"  {'name':15}  {'set':20}  connections  repaired  unguarded  loaded by")
        for one in found["loaded"]:
            count = "?" if one["connections"] is None else one["connections"]
            repaired, unguarded = ("?" if one[key] is None else one[key] for key in ("repaired", "unguarded"))
            print(f"  {one['name']:15}  {one['set']:20}  {count:>11}  {repaired:>8}  {unguarded:>9}  {holder(one)}")
    kernel = found["kernel"]
    default = kernel["default"]
    own = [f"{name} (the default)" if name == default else name for name in kernel["available"]]
    print(f"the kernel's own: {', '.join(own) or 'not known'}")
    print("to load, as NAME or NAME:SET (cwnd show NAME explains each):")
    width = max(len(one["algorithm"]) for one in found["available"])
    for one in found["available"]:
        print(f"  {one['algorithm']:{width}}  {' '.join(each['name'] for each in one['sets'])}")


def holder(one: dict[str, Any]) -> str:
    """Why it is still in the kernel."""
    if not one["registered"]:
        return "unloaded; stays until its last connection ends"
    if one["pinned"]:
        return f"process {one['pid']}, pinned at {one['pinned']}"
    return f"process {one['pid']}" if one["running"] else f"process {one['pid']}, which has ended; others hold it"
