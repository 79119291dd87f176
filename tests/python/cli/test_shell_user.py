# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd shell` without root, in namespaces of the user's own. The tests need root, to become somebody else."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from in_kernel import PROGRAM, until
from in_lab import NEEDS_LAB, outside

import cwnd as package

pytestmark = NEEDS_LAB

#: Somebody who may do nothing.
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--")
#: Shows a /dev/net/tun with other permissions, in a mount namespace of its own. Most systems have it open to all users.
WITH_TUN = 'mknod "$0/tun" c 10 200 && chmod {mode} "$0/tun" && mount --bind "$0/tun" /dev/net/tun && exec "$@"'
SERVER = f"{sys.executable} -c 'import socket; s = socket.create_server((\"0.0.0.0\", 7000)); c, _ = s.accept(); c.sendall(c.recv(9))'"
CLIENT = """
import os, socket, time
begin = time.monotonic()
peer = socket.create_connection((os.environ["CWND_HOST"], 7000))
peer.sendall(b"x")
peer.recv(1)
print(os.geteuid(), time.monotonic() - begin)
"""


def readable() -> str:
    """Shell commands that show everybody Python and this installation, where a folder above them is closed, as root's home is."""
    needed = {Path(sys.base_prefix), Path(sys.prefix), Path(package.__file__).parent.parent}
    paths = sorted(path.resolve() for path in needed)
    closed = {path: [folder for folder in path.parents if not folder.stat().st_mode & 1] for path in paths}
    shown = [(f'"$0/{number}"', path, folders[-1]) for number, (path, folders) in enumerate(closed.items()) if folders]
    keep = [f"mkdir {place} && mount --bind {path} {place} && " for place, path, _ in shown]
    cover = [f"mount -t tmpfs -o mode=755 none {folder} && " for folder in sorted({folder for *_, folder in shown})]
    show = [f"mkdir -p {path} && mount --bind {place} {path} && " for place, path, _ in shown]
    return "".join(keep + cover + show)


def as_nobody(folder: Path, mode: str) -> list[str]:
    """A command line that runs the rest of it as a user who may do nothing, for whom TUN devices have this mode."""
    return ["unshare", "--mount", "sh", "-c", readable() + WITH_TUN.format(mode=mode), str(folder), *NOBODY]


@pytest.fixture
def namespaces() -> None:
    """Skips the test where the system gives users none."""
    if subprocess.run([*NOBODY, "unshare", "--user", "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("needs user namespaces: sysctl user.max_user_namespaces=1000")


# Two round trips of 100 ms: one to connect, one for the answer. The command is the user who has called it.
@pytest.mark.usefixtures("namespaces")
def test_a_user_has_links_and_a_server_behind_them(tmp_path: Path) -> None:
    before = outside()
    shell = [PROGRAM, "shell", "--rate", "8Mbit/s", "--rtt", "100ms", "--server", SERVER, "--"]
    command = [*as_nobody(tmp_path, "666"), *shell, sys.executable, "-c", CLIENT]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == 0, done.stderr
    number, took = done.stdout.split()
    assert int(number) == 65534 and float(took) >= 0.2
    until(lambda: outside() <= before)


@pytest.mark.usefixtures("namespaces")
def test_the_exit_code_is_the_commands_there_too(tmp_path: Path) -> None:
    shell = [PROGRAM, "shell", "--rate", "1Mbit/s", "--", "sh", "-c", "exit 7"]
    assert subprocess.run([*as_nobody(tmp_path, "666"), *shell], check=False, cwd="/").returncode == 7


# Without `unshare` there is nothing that could make namespaces.
@pytest.mark.parametrize(
    ("mode", "path", "words"),
    [
        ("600", "", ("/dev/net/tun is not open to this user", "expected root")),
        ("666", "PATH=/nowhere", ("does not let users create namespaces", "expected root")),
    ],
)
def test_one_line_says_what_a_user_lacks(tmp_path: Path, mode: str, path: str, words: tuple[str, ...]) -> None:
    shell = ["/usr/bin/env", *filter(None, [path]), PROGRAM, "shell", "--rate", "1Mbit/s", "--", "true"]
    done = subprocess.run([*as_nobody(tmp_path, mode), *shell], capture_output=True, text=True, check=False, cwd="/")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert all(word in done.stderr for word in words), done.stderr


# With root the server is on this machine, and ends with the shell.
def test_a_server_ends_with_its_shell(tmp_path: Path) -> None:
    process = tmp_path / "process"
    server = f"echo $$ >{process}; {SERVER}"
    shell = [PROGRAM, "shell", "--rate", "8Mbit/s", "--rtt", "100ms", "--server", server, "--", "true"]
    assert subprocess.run(shell, check=False).returncode == 0
    assert not Path(f"/proc/{process.read_text().strip()}").exists()
