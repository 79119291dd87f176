# SPDX-License-Identifier: MIT OR Apache-2.0
"""A sender, a dropping queue and a receiver, each in a network namespace of its own (see tests/kernel/network.rs)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from in_kernel import PATIENCE_S

PORT = 5001
ADDRESS = "10.77.1.1"
#: Receives until the sender has closed, then closes: everything has arrived.
RECEIVE = f"""
import socket
listener = socket.create_server(("{ADDRESS}", {PORT}))
print("ready", flush=True)
connection, _ = listener.accept()
connection.settimeout({PATIENCE_S})
count = 0
while block := connection.recv(1 << 20):
    count += len(block)
print(count)
"""
SEND = f"""
import socket, sys
left = int(sys.argv[1])
connection = socket.create_connection(("{ADDRESS}", {PORT}), timeout={PATIENCE_S})
block = bytes(1 << 16)
while left > 0:
    connection.sendall(block[:left])
    left -= len(block)
connection.shutdown(socket.SHUT_WR)
connection.recv(1)
"""


def sh(line: str) -> None:
    subprocess.run(line.split(), check=True, capture_output=True, timeout=PATIENCE_S)


@dataclass
class Path:
    """Namespaces and what to run in them."""

    sender: str
    receiver: str

    def sends(self, count: int) -> list[str]:
        """The command that sends `count` bytes."""
        return ["ip", "netns", "exec", self.sender, sys.executable, "-c", SEND, str(count)]

    @contextmanager
    def receiving(self) -> Iterator[subprocess.Popen[str]]:
        """A receiver for one connection; prints how much came."""
        command = ["ip", "netns", "exec", self.receiver, sys.executable, "-c", RECEIVE]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert process.stdout and process.stdout.readline() == "ready\n"
            yield process
        finally:
            process.kill()
            process.communicate()


@contextmanager
def path(rate: str, packets: int) -> Iterator[Path]:
    """A path of `rate` with a queue of `packets`, which drops besides every full packet whose IP identification is a
    multiple of 1024: an algorithm that keeps the queue short loses packets too."""
    names = [f"cwnd-{os.getpid()}-py-{role}" for role in ("sender", "queue", "receiver")]
    sender, queue, receiver = names
    try:
        for name in names:
            sh(f"ip netns add {name}")
        for left, left_dev, right_dev, subnet in ((sender, "out", "in", 0), (receiver, "in", "out", 1)):
            sh(f"ip link add {left_dev} netns {left} type veth peer name {right_dev} netns {queue}")
            for name, device, host in ((left, left_dev, 1), (queue, right_dev, 2)):
                sh(f"ip -n {name} link set {device} gso_max_segs 1 up")
                sh(f"ip -n {name} addr add 10.77.{subnet}.{host}/24 dev {device}")
            sh(f"ip -n {left} route add default via 10.77.{subnet}.2")
        subprocess.run(
            ["ip", "netns", "exec", queue, "sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"],
            check=True,
            timeout=PATIENCE_S,
        )
        class_ = f"htb rate {rate} burst 16kb quantum 1514"
        for line in (
            "qdisc add dev out root handle 1: htb default 1",
            f"class add dev out parent 1: classid 1:1 {class_}",
            f"class add dev out parent 1: classid 1:2 {class_}",
            f"qdisc add dev out parent 1:1 pfifo limit {packets}",
            "qdisc add dev out parent 1:2 blackhole",
            "filter add dev out parent 1: protocol ip u32 match u16 1500 0xffff at 2 match u16 0 0x03ff at 4 flowid 1:2",
        ):
            sh(f"tc -n {queue} {line}")
        yield Path(sender, receiver)
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, timeout=PATIENCE_S, check=False)
