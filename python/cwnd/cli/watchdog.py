# SPDX-License-Identifier: MIT OR Apache-2.0
"""Ctrl-C and SIGTERM for hooks that do not return.

Python handles a signal between two of its own instructions, which a hook that loops for ever never reaches. A thread therefore
ends the program if Python has not handled a signal within `HANDLING_S`, or at once on a second signal.
"""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from types import FrameType

from cwnd.cli.entry import HANDLING_S, SAME_SIGNAL_S

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

_handled = threading.Event()
_started = False


def start_watchdog() -> None:
    """Starts the thread. To be called in the main thread after the program has set its handlers; a second call does nothing."""
    global _started
    if _started or threading.current_thread() is not threading.main_thread():
        return
    _started = True
    for number in SIGNALS:
        before = signal.getsignal(number)
        if callable(before):
            signal.signal(number, _with_flag(before))
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    threading.Thread(target=_wait_for_signals, args=(reading,), daemon=True, name="signals").start()


def _with_flag(before: signal._HANDLER) -> signal._HANDLER:
    def handler(number: int, frame: FrameType | None) -> None:
        _handled.set()
        if callable(before):
            before(number, frame)

    return handler


def _wait_for_signals(reading: int) -> None:
    """Waits for the first signal, then for Python to handle it, or for a second one."""
    number = _next_signal(reading)
    first = time.monotonic()
    while True:
        remaining = first + HANDLING_S - time.monotonic()
        ready, _, _ = select.select([reading], [], [], None if _handled.is_set() else max(0.0, remaining))
        if ready:
            number = _next_signal(reading)
            if time.monotonic() - first > SAME_SIGNAL_S:
                _exit(number, "stopped at once")
        elif not _handled.is_set():
            _exit(number, f"error: stopped in a hook that has not returned for {HANDLING_S:g} s")


def _next_signal(reading: int) -> int:
    """The next signal of `SIGNALS`."""
    while (number := os.read(reading, 1)[0]) not in SIGNALS:
        pass
    return number


def _exit(number: int, why: str) -> None:
    # A progress bar has hidden the cursor.
    os.write(2, f"{chr(27)}[?25h\n{why}\n".encode() if os.isatty(2) else f"{why}\n".encode())
    os._exit(128 + number)
