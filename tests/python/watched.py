# SPDX-License-Identifier: MIT OR Apache-2.0
"""The program on a terminal, and Ctrl-C at a moment that it shows: nothing here depends on how fast the machine is."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import tempfile
import termios
import threading
from collections.abc import Sequence
from pathlib import Path

from in_kernel import PATIENCE_S, PROGRAM, until

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Watched:
    """The program with its standard error on a terminal of 200 columns."""

    def __init__(self, arguments: Sequence[object], *, cwd: Path | None = None, program: Sequence[str] = ()) -> None:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 (closed in `interrupt`)
        command = [*(program or [str(PROGRAM)]), *map(str, arguments)]
        self.process = subprocess.Popen(command, cwd=cwd, stdout=self._output, stderr=theirs)
        os.close(theirs)
        self._terminal = ours
        self._said = b""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        while True:
            try:
                piece = os.read(self._terminal, 65536)
            except OSError:  # the program has ended
                return
            if not piece:
                return
            self._said += piece

    @property
    def said(self) -> str:
        """Its standard error so far, without the terminal's escapes."""
        return ESCAPES.sub("", self._said.decode(errors="replace")).replace("\r", "")

    def until_said(self, pattern: str) -> None:
        """Waits until its standard error has this."""
        until(lambda: re.search(pattern, self.said) is not None or self.process.poll() is not None)
        assert self.process.poll() is None, f"it ended first: {self.said}"

    def interrupt(self) -> tuple[int, str, list[str], float]:
        """Ctrl-C, now: the exit code, standard output, the last lines of standard error, and the CPU time that it then took, s."""
        pid = self.process.pid
        before = (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()
        self.process.send_signal(signal.SIGINT)
        timer = threading.Timer(PATIENCE_S, self.process.kill)
        timer.start()
        _, status, used = os.wait4(pid, 0)
        timer.cancel()
        self.process.returncode = code = os.waitstatus_to_exitcode(status)
        self._reader.join()
        os.close(self._terminal)
        self._output.seek(0)
        output = self._output.read().decode()
        self._output.close()
        cpu_s = used.ru_utime + used.ru_stime - (int(before[11]) + int(before[12])) / TICKS_PER_S
        return code, output, [line for line in self.said.splitlines() if line.strip()], cpu_s
