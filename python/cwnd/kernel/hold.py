# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd kernel load` and `unload`: an algorithm comes into the kernel, stays, and goes."""

from __future__ import annotations

import signal
import sys

from cwnd._native import KernelHeld, KernelModule, kernel_give_up_rights, kernel_registrations
from cwnd.kernel.listing import words
from cwnd.kernel.native import KernelInputError

ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
#: How often the connections are counted, s.
LOOK_S = 0.5


def load(module: KernelModule, name: str, *, pin: bool) -> None:
    """Loads it and, unless it is pinned, keeps it until Ctrl-C or a signal to end."""
    held = module.hold(name)
    try:
        # Refused, it leaves nothing, and nothing is said but why.
        place, mounted = (held.pin() if pin else None) or ("", False)
        if held.shared_with is None:
            print(f"{name} is loaded.")
        else:
            print(f"{name} was loaded by process {held.shared_with} already, with the same settings; both hold it now.")
        if pin:
            if mounted:
                print("bpffs, the kernel's file system for pins, was not mounted: it is now, at /sys/fs/bpf.")
            print(f"It is pinned at {place} and stays until `cwnd kernel unload {name}` or a restart.")
        usage(name)
        if not pin:
            stay(held, name)
    finally:
        held.close()


def usage(name: str) -> None:
    """How connections come to use it."""
    print("Connections use it that ask for it; everything else stays as it is:")
    print(f"  a program    cwnd kernel use {name} -- COMMAND")
    print(f'  a socket     setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "{name}", {len(name)})')
    print(f"  a route      ip route change DESTINATION via GATEWAY congctl {name}")


def stay(held: KernelHeld, name: str) -> None:
    """Waits for the end, with a line of what runs on it if somebody watches."""
    # From here on signals are waited for, none can fall between two looks.
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    kernel_give_up_rights()
    print("It stays until this command ends: Ctrl-C.", flush=True)
    watched = sys.stderr.isatty()
    while held.is_registered and signal.sigtimedwait(ENDS, LOOK_S) is None:
        if watched:
            print(f"\r\x1b[K{counted(held.connections)} {name}", end="", file=sys.stderr, flush=True)
    if watched:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    left = held.connections
    if not held.is_registered:
        print(f"{name} was unloaded by somebody else.")
    elif left:
        print(f"{name} goes; {counted(left)} it until {'it ends' if left == 1 else 'they end'}.")


def counted(connections: int | None) -> str:
    """`2 connections use`"""
    if connections is None:
        return "connections cannot be counted"
    return f"{connections} connection{' uses' if connections == 1 else 's use'}"


def unload(name: str) -> None:
    """Takes an algorithm out that some cwnd has loaded; `name` is its kernel name, or its set's if only one is loaded."""
    loaded = [one for one in kernel_registrations() if one.registered]
    found = [one for one in loaded if one.name == name] or [one for one in loaded if one.set == name]
    if len(found) != 1:
        if name in words("tcp_available_congestion_control"):
            expected = "an algorithm that cwnd has loaded; this one is not cwnd's to unload"
        elif found:
            expected = f"one of {', '.join(one.name for one in found)}"
        else:
            expected = f"an algorithm that cwnd has loaded: {', '.join(one.name for one in loaded) or 'there is none'}"
        raise KernelInputError("NAME", name, expected)
    one = found[0]
    one.unload()
    left = one.connections
    keep = f"; {counted(left)} it until {'it ends' if left == 1 else 'they end'}" if left else ""
    print(f"{one.name} is unloaded{keep}.")
