# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd kernel load` and `unload`: loads an algorithm into the kernel, keeps it there, and unloads it."""

from __future__ import annotations

import signal
import sys

from cwnd._internal.messages import shows_progress
from cwnd.kernel.listing import tcp_setting
from cwnd.kernel.native import (
    KernelInputError,
    KernelLoadedModule,
    KernelModule,
    kernel_give_up_rights,
    kernel_registrations,
)

ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
#: Interval between two counts of the connections, s.
POLL_S = 0.5


def load(module: KernelModule, name: str, *, pin: bool) -> None:
    """Loads a module; unless it is pinned, keeps it until Ctrl-C or another signal to end."""
    loaded = module.load(name)
    try:
        # If the pin is refused, only the reason is printed, and nothing stays loaded.
        path, mounted = (loaded.pin() if pin else None) or ("", False)
        if loaded.shared_with is None:
            print(f"{name} is loaded.")
        else:
            print(
                f"Process {loaded.shared_with} had already loaded {name} with the same settings; both keep it loaded now."
            )
        if pin:
            if mounted:
                print("Mounted bpffs, the kernel's file system for pins, at /sys/fs/bpf.")
            print(f"It is pinned at {path} and stays until `cwnd kernel unload {name}` or a restart.")
        usage(name)
        if not pin:
            wait_for_end(loaded, name)
    finally:
        loaded.close()


def usage(name: str) -> None:
    """Prints how a connection can use it."""
    print("Only connections that ask for it use it; nothing else changes:")
    print(f"  a program    cwnd kernel use {name} -- COMMAND")
    print(f'  a socket     setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "{name}", {len(name)})')
    print(f"  a route      ip route change DESTINATION via GATEWAY congctl {name}")


def wait_for_end(loaded: KernelLoadedModule, name: str) -> None:
    """Waits for a signal to end; on a terminal, shows how many connections use the algorithm."""
    # Signals are blocked and awaited, so that none is missed between two polls.
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    kernel_give_up_rights()
    print("It stays loaded until this command ends (Ctrl-C).", flush=True)
    is_terminal = shows_progress()
    while loaded.is_registered and signal.sigtimedwait(ENDS, POLL_S) is None:
        if is_terminal:
            print(f"\r\x1b[K{connections_phrase(loaded.connections)} {name}", end="", file=sys.stderr, flush=True)
    if is_terminal:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
    left = loaded.connections
    if not loaded.is_registered:
        print(f"Another process unloaded {name}.")
    elif left:
        print(f"{name} is unloaded; {connections_phrase(left)} it until {'it ends' if left == 1 else 'they end'}.")


def connections_phrase(connections: int | None) -> str:
    """`2 connections use`"""
    if connections is None:
        return "connections cannot be counted"
    return f"{connections} connection{' uses' if connections == 1 else 's use'}"


def unload(name: str) -> None:
    """Unloads an algorithm that any cwnd has loaded; `name` is its name in the kernel, or its set's if only one is loaded."""
    registered = [each for each in kernel_registrations() if each.registered]
    matches = [each for each in registered if each.name == name] or [each for each in registered if each.set == name]
    if len(matches) != 1:
        if name in tcp_setting("tcp_available_congestion_control"):
            expected = "an algorithm that cwnd loaded; another program loaded this one"
        elif matches:
            expected = f"one of {', '.join(each.name for each in matches)}"
        else:
            expected = (
                f"an algorithm that cwnd loaded: {', '.join(each.name for each in registered) or 'there is none'}"
            )
        raise KernelInputError("NAME", name, expected)
    registration = matches[0]
    registration.unload()
    left = registration.connections
    keep = f"; {connections_phrase(left)} it until {'it ends' if left == 1 else 'they end'}" if left else ""
    print(f"{registration.name} is unloaded{keep}.")
