# SPDX-License-Identifier: MIT OR Apache-2.0
"""Commands of the program in processes forked from one that has imported it.

An import takes a quarter of a second of processor time, and the tests run several hundred commands. Each command has a process, an
output, a working directory, an environment and an exit code of its own. Three things are not as in a shell: the modules are imported
and the parser of options is made, strings hash alike in all commands, and a command's memory is not tidied up at its end. Tests that
depend on these start `PROGRAM` themselves. Of variables a command may change those that are read when it runs (`READ_LATE`): others
are read by the interpreter at its start, or by a module when it is imported.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, NoReturn

#: What a command imports when it needs it.
LAZY = (
    "cwnd.kernel.trace",
    "cwnd.metrics.run",
    "cwnd.plot.data",
    "cwnd.replay.trace",
    "cwnd.cli.replicates",
    "cwnd.reproduce.html_report",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_svg",
    "matplotlib.figure",
    "pyarrow.parquet",
)
#: Variables that nothing reads before a command runs.
READ_LATE = {"COLUMNS", "CWND_DEFAULTS", "CWND_SOURCE", "PATH", "SHELL", "XDG_CONFIG_HOME"}
# More than the arguments of any command, bytes.
LONGEST = 1 << 17


def environment(of: Mapping[str, str] | None = None) -> dict[str, str]:
    """What a command inherits, or this; pytest changes a variable of its own with each test."""
    return {name: value for name, value in (os.environ if of is None else of).items() if name != "PYTEST_CURRENT_TEST"}


def word(number: int) -> bytes:
    """A number as it is sent, in 8 bytes."""
    return number.to_bytes(8, "little", signed=True)


def number(word: bytes) -> int:
    """The number that was sent."""
    assert word, "the server of commands has ended"
    return int.from_bytes(word, "little", signed=True)


class Server:
    """The process that has imported the program, as its users see it."""

    def __init__(self, program: Path) -> None:
        self.environment = environment()
        self._program = program
        self.start()

    def start(self) -> None:
        """Starts the process."""
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-P", __file__, str(theirs.fileno())]
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
        self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()], env=self.environment, **streams)
        theirs.close()

    def changes(self, wanted: Mapping[str, str]) -> dict[str, str | None]:
        """The variables whose values are not those that the process has; None for one that is missing."""
        names = {name for name, _ in wanted.items() ^ self.environment.items()}
        return {name: wanted.get(name) for name in names}

    def run(
        self,
        arguments: Sequence[str],
        cwd: Path | None,
        timeout: float,
        changes: Mapping[str, str | None] = MappingProxyType({}),
    ) -> subprocess.CompletedProcess[str]:
        """What `subprocess.run` gives of the program with these arguments, some variables of the environment changed.

        A command that does not end within `timeout` seconds is killed with its children, and so is one that the tests no longer
        wait for. The next command has a new process to be forked from.
        """
        command = [str(self._program), *arguments]
        answers, theirs = os.pipe()
        with (
            tempfile.TemporaryFile("w+") as output,
            tempfile.TemporaryFile("w+") as errors,
            Path(os.devnull).open() as nothing,
            os.fdopen(answers, "rb", buffering=0) as answer,
        ):
            variables = [name if value is None else f"{name}={value}" for name, value in changes.items()]
            words = [str(cwd or Path.cwd()), str(len(variables)), *variables, *command]
            message = "\0".join(words).encode(errors="surrogateescape")
            files = [nothing.fileno(), output.fileno(), errors.fileno(), theirs]
            pid = 0
            try:
                try:
                    socket.send_fds(self._requests, [message], files)
                finally:
                    os.close(theirs)
                pid = number(awaited(answer, command, timeout))
                code = number(awaited(answer, command, timeout))
            except BaseException:
                if pid:
                    # None is left when it has ended meanwhile.
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(pid, signal.SIGKILL)
                self._process.kill()
                self.end()
                self.start()
                raise
            output.seek(0)
            errors.seek(0)
            return subprocess.CompletedProcess(command, code, output.read(), errors.read())

    def end(self) -> None:
        """Ends the process; commands that run go on."""
        self._requests.close()
        self._process.wait()


def awaited(answer: BinaryIO, command: Sequence[str], timeout: float) -> bytes:
    """The next word of an answer."""
    if not select.select([answer], [], [], timeout)[0]:
        raise subprocess.TimeoutExpired(command, timeout)
    return answer.read(8)


def serve(requests: socket.socket) -> list[str]:
    """Forks a process for each request and sends what it ends with; returns in these processes, with the command."""
    running: dict[int, tuple[int, int]] = {}
    poll = select.poll()
    poll.register(requests, select.POLLIN)
    while True:
        for ready, _ in poll.poll():
            if ready in running:
                pid, answer = running.pop(ready)
                poll.unregister(ready)
                code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                os.write(answer, word(code))
                for file in (ready, answer):
                    os.close(file)
                continue
            message, files, _, _ = socket.recv_fds(requests, LONGEST, 4)
            if not message:
                sys.exit()
            *streams, answer = files
            pid = os.fork()
            if pid == 0:
                # A group of its own, so that it can be killed with its children.
                os.setpgid(0, 0)
                os.write(answer, word(os.getpid()))
                begin(streams, [requests.detach(), answer, *running, *(other for _, other in running.values())])
                cwd, count, *words = message.decode(errors="surrogateescape").split("\0")
                os.chdir(cwd)
                for variable in words[: int(count)]:
                    name, is_set, value = variable.partition("=")
                    if is_set:
                        os.environ[name] = value
                    else:
                        del os.environ[name]
                return words[int(count) :]
            for file in streams:
                os.close(file)
            process = os.pidfd_open(pid)
            running[process] = (pid, answer)
            poll.register(process, select.POLLIN)


def begin(streams: Sequence[int], others: Sequence[int]) -> None:
    """Gives a forked process its streams, and no other file of the server's."""
    for number, file in enumerate(streams):
        os.dup2(file, number)
    for file in (*streams, *others):
        os.close(file)
    signal.signal(signal.SIGINT, signal.default_int_handler)


def run(main: Callable[[], object]) -> NoReturn:
    """Runs the program and ends as the interpreter ends, but for the memory, which takes as long to tidy up as a small command."""
    code: object = 0
    try:
        main()
    except SystemExit as error:
        code = error.code
    if not isinstance(code, int | None):
        raise SystemExit(code)
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        if not stream.closed:
            stream.flush()
    os._exit((code or 0) & 0xFF)


if __name__ == "__main__":
    from importlib import import_module

    import typer.main

    from cwnd import _native
    from cwnd.__main__ import main

    for name in ("cwnd.cli.app", *LAZY):
        # Without the kernel part there is no kernel lane to import.
        if name == "cwnd.kernel.trace" and not hasattr(_native, "KernelTrace"):
            continue
        import_module(name)
    # Options and their help are the same for all commands: made once.
    command = typer.main.get_command(sys.modules["cwnd.cli.app"].app)
    typer.main.get_command = lambda _: command
    # Ctrl-C ends the tests, and they end this.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    sys.argv = serve(socket.socket(fileno=int(sys.argv[1])))
    run(main)
