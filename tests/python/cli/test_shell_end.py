# SPDX-License-Identifier: MIT OR Apache-2.0
"""The end of a command behind emulated links: what it has sent arrives, keys end it, and what passed is captured. Needs root, TUN and namespaces."""

from __future__ import annotations

import os
import pty
import signal
import socket
import subprocess
import sys
import termios
import time
from pathlib import Path

from conftest import Cli, refused
from in_kernel import PROGRAM, read_until, started, until
from in_lab import NEEDS_LAB, outside
from needs import needs

pytestmark = NEEDS_LAB

#: Writes so many bytes and ends: what the kernel has taken of them is not sent yet.
WRITER = """
import os, socket, sys
peer = socket.create_connection((os.environ["CWND_HOST"], int(sys.argv[1])))
peer.sendall(b"x" * int(sys.argv[2]))
"""
#: A server for --server that says how much it has read when the other end has closed.
COUNTER = """
import socket, sys
peer, _ = socket.create_server(("0.0.0.0", 7000)).accept()
total = 0
while (piece := peer.recv(1 << 16)):
    total += len(piece)
open(sys.argv[1], "w").write(str(total))
"""


def shell(*options: str) -> list[str]:
    return [str(PROGRAM), "shell", *options]


# 100 kB are 70 packets of 1500 bytes and less: 0.83 s at 1 Mbit/s, and half of 400 ms to the other end. The program itself writes and ends at once.
def test_what_the_command_has_written_arrives_after_its_end(tmp_path: Path) -> None:
    counted, server = tmp_path / "counted", f"{sys.executable} -c '{COUNTER}' {tmp_path / 'counted'}"
    options = ("--rate", "1Mbit/s", "--rtt", "400ms", "--buffer", "100packets", "--server", server)
    begin = time.monotonic()
    subprocess.run([*shell(*options), "--", sys.executable, "-c", WRITER, "7000", "100000"], check=True)
    assert counted.read_text() == "100000"
    assert time.monotonic() - begin >= 0.8


# A datagram takes half of the round trip time. Nothing but the link knows of it once it was sent.
def test_a_datagram_that_is_on_its_way_arrives() -> None:
    send = (
        "import os, socket; s = socket.socket(type=socket.SOCK_DGRAM); s.sendto(b'last', (os.environ['CWND_HOST'], {}))"
    )
    with socket.socket(type=socket.SOCK_DGRAM) as receiver:
        receiver.bind(("0.0.0.0", 0))
        receiver.settimeout(0)
        script = send.format(receiver.getsockname()[1])
        subprocess.run([*shell("--rate", "1Mbit/s", "--rtt", "600ms"), "--", sys.executable, "-c", script], check=True)
        assert receiver.recv(100) == b"last"


# 20 kB at 8 kbit/s take 20 s.
def test_a_signal_ends_what_goes_on_after_the_command(tmp_path: Path) -> None:
    before, ended = outside(), tmp_path / "ended"
    with socket.create_server(("0.0.0.0", 0)) as server:
        port = server.getsockname()[1]
        command = f"{sys.executable} -c '{WRITER}' {port} 20000; echo >{ended}; exit 3"
        with started([*shell("--rate", "8kbit/s", "--buffer", "99packets"), "--", "sh", "-c", command]) as child:
            until(ended.exists)
            time.sleep(0.3)
            assert child.poll() is None, "it is not all delivered"
            begin = time.monotonic()
            child.send_signal(signal.SIGTERM)
            assert child.wait() == 3, "the exit code is the command's"
            assert time.monotonic() - begin < 10
    until(lambda: outside() <= before)


def test_keys_are_the_commands_and_after_its_end_those_of_the_shell() -> None:
    """Ctrl-C twice on a terminal: the first ends the command, the second what is still on its way."""
    send = (
        "import os, signal, socket, time; s = socket.socket(type=socket.SOCK_DGRAM);"
        "s.sendto(b'x' * 1000, (os.environ['CWND_HOST'], 9)); print('sent', flush=True); time.sleep(3600)"
    )
    terminal, inside = pty.openpty()
    attributes = termios.tcgetattr(inside)
    attributes[3] |= termios.ISIG
    termios.tcsetattr(inside, termios.TCSANOW, attributes)
    # 8 kbit/s and a round trip of 100 s: the packet is on its way for 50 s.
    command = [*shell("--rate", "8kbit/s", "--rtt", "100s"), "--", sys.executable, "-c", send]
    with started(
        ["setsid", "--ctty", "--wait", *command], stdin=inside, stdout=inside, stderr=inside, start_new_session=True
    ) as child:
        os.close(inside)
        read_until(terminal, b"sent")
        os.write(terminal, b"\x03")
        read_until(terminal, b"packets are in transit")
        assert child.poll() is None
        begin = time.monotonic()
        os.write(terminal, b"\x03")
        assert child.wait() == 128 + signal.SIGINT
        assert time.monotonic() - begin < 10
    os.close(terminal)


# The inner shell's machine is the outer one's command, with an address of its own; a byte there and back takes both round trips.
def test_a_shell_within_a_shell_has_both_links() -> None:
    addresses = "import os; print(os.environ['CWND_HOST'])"
    inner = [*shell("--rate", "8Mbit/s", "--rtt", "50ms"), "--", sys.executable, "-c", addresses]
    done = subprocess.run(
        [*shell("--rate", "8Mbit/s", "--rtt", "30ms"), "--", "sh", "-c", 'echo $CWND_HOST; exec "$@"', "-", *inner],
        capture_output=True,
        text=True,
        check=True,
    )
    outer_host, inner_host = done.stdout.split()
    assert outer_host != inner_host
    assert {outer_host.rsplit(".", 1)[1], inner_host.rsplit(".", 1)[1]} == {"1"}


# Both directions at the command's device, each packet once: a byte there, a byte back.
@needs("tshark")
def test_what_passes_is_captured(tmp_path: Path) -> None:
    file = tmp_path / "out.pcapng"
    server = (
        f"{sys.executable} -c 'import socket; c, _ = socket.create_server((\"\", 7000)).accept(); c.sendall(c.recv(9))'"
    )
    client = (
        "import os, socket; s = socket.create_connection((os.environ['CWND_HOST'], 7000));"
        "s.sendall(b'hello'); print(s.recv(9))"
    )
    options = ("--rate", "8Mbit/s", "--rtt", "100ms", "--pcap", str(file), "--server", server)
    subprocess.run([*shell(*options), "--", sys.executable, "-c", client], check=True)
    fields = [
        word for field in ("ip.src", "tcp.len", "frame.time_epoch", "tcp.checksum.status") for word in ("-e", field)
    ]
    read = ["tshark", "-r", str(file), "-o", "tcp.check_checksum:TRUE", "-T", "fields", "-Y", "tcp.len > 0", *fields]
    rows = subprocess.run(read, capture_output=True, text=True, check=True).stdout.splitlines()
    (there, back) = (row.split("\t") for row in rows)
    assert (there[1], back[1], there[3], back[3]) == ("5", "5", "1", "1")
    assert there[0].rsplit(".", 1)[1] == "2" and back[0].rsplit(".", 1)[1] == "1"
    assert 0.1 <= float(back[2]) - float(there[2]) < 1


def test_bad_captures_are_one_line(cwnd: Cli, tmp_path: Path) -> None:
    command = ("shell", "--rate", "1Mbit/s")
    refused(cwnd(*command, "--snap-length", "96B", "--", "true"), "--snap-length", "96B", "--pcap FILE")
    refused(cwnd(*command, "--pcap", str(tmp_path), "--", "true"), "--pcap", "a file")
    refused(cwnd(*command, "--pcap", "x", "--snap-length", "no", "--", "true"), "snap_length", "no")
