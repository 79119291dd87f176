# SPDX-License-Identifier: MIT OR Apache-2.0
"""The commands of the guide's page about the kernel run in the order in which they stand there."""

from __future__ import annotations

import re
import shlex
import socket
import subprocess
import sys
from pathlib import Path

from in_kernel import PATIENCE_S, PROGRAM, Loader, kernel, registered

PAGE = Path(__file__).parents[3] / "docs" / "guide" / "kernel.md"
COMMAND = re.compile(r"^(?:[$#] )?(?:sudo )?cwnd ((?:kernel|replay) [^#\n]+)", re.MULTILINE)
#: What stands for a user's command: a connection to itself that carries 2 MB.
TRANSFER = f"""#!{sys.executable}
import socket, threading
server = socket.create_server(("127.0.0.1", 0))
sender = socket.create_connection(server.getsockname())
receiver, _ = server.accept()
threading.Thread(target=sender.sendall, args=(b"x" * 2_000_000,)).start()
received = 0
while received < 2_000_000:
    received += len(receiver.recv(65536))
"""


def port_of(command: list[str]) -> int:
    """The port that `switch` looks for."""
    return int(command[command.index("--port") + 1])


@kernel
def test_the_commands_of_the_page_run_in_their_order(tmp_path: Path) -> None:
    script = tmp_path / "transfer"
    script.write_text(TRANSFER)
    script.chmod(0o755)
    commands = [shlex.split(command) for command in COMMAND.findall(PAGE.read_text())]
    loader: Loader | None = None
    ran = []
    try:
        for command in commands:
            if command[:2] == ["kernel", "load"]:  # it stays until it is told to end
                loader = Loader(*command[2:])
                ran.append("load")
                continue
            ends: list[socket.socket] = []
            if command[:2] == ["kernel", "switch"]:
                with socket.create_server(("127.0.0.1", port_of(command))) as server:
                    sender = socket.socket()
                    sender.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"cubic")
                    sender.connect(server.getsockname())
                    ends = [sender, server.accept()[0]]
            done = subprocess.run(
                [PROGRAM, *command], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S, check=False
            )
            for end in ends:
                end.close()
            assert done.returncode == 0, f"cwnd {shlex.join(command)}\n{done.stdout}\n{done.stderr}"
            ran.append(command[0] if command[0] == "replay" else command[1])
    finally:
        if loader:
            loader.end()
    assert set(ran) == {"doctor", "use", "load", "list", "unload", "switch", "trace", "replay"}
    assert "cwnd_htcp" not in registered(), "the last command that loads it has ended"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["trace"]
