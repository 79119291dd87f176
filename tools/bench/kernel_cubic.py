# SPDX-License-Identifier: MIT OR Apache-2.0
"""The cost of a gigabyte with cwnd's `cubic` in the kernel, compared with the kernel's own: the same transfer over loopback, in turn.

CPU time is the sender's and the receiver's (user and system; loopback's softirqs run in them), from the system. Pairs
alternate which goes first; printed is the mean ratio with its 95 % confidence interval. Needs root.

    python -m tools.bench.kernel_cubic [--cc cubic] [--pairs 20] [--gb 1]
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import socket
import statistics
import subprocess
import sys

from cwnd.kernel.spec import module

BLOCK = 1 << 18
# Student's t for 95 %, by degrees of freedom; beyond the table the normal's.
T95 = {19: 2.093, 24: 2.064, 29: 2.045, 39: 2.023, 59: 2.001}


def transfer(congestion: str, count: int) -> float:
    """CPU seconds of moving `count` bytes over loopback."""
    listener = socket.create_server(("127.0.0.1", 0))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    children = [os.fork() or run(role, listener, congestion, count) for role in ("receive", "send")]
    for child in children:
        _, status = os.waitpid(child, 0)
        if status:
            raise SystemExit(f"a transfer on {congestion} failed")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    listener.close()
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def run(role: str, listener: socket.socket, congestion: str, count: int) -> int:
    """A child's work; does not return."""
    code = 1
    try:
        if role == "send":
            connection = socket.socket()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, congestion.encode())
            connection.connect(listener.getsockname())
            block = bytes(BLOCK)
            for _ in range(count // BLOCK):
                connection.sendall(block)
        else:
            connection, _ = listener.accept()
            room = bytearray(BLOCK)
            while connection.recv_into(room):
                pass
        code = 0
    finally:
        os._exit(code)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cc", default="cubic", help="our parameter set (default: cubic)")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--gb", type=float, default=1.0, help="gigabytes of each transfer")
    arguments = parser.parse_args()
    asked = module(arguments.cc, [])
    held = asked.load(asked.kernel_name)
    count = int(arguments.gb * 1e9)
    ratios, ours_s, kernels_s = [], [], []
    try:
        transfer(asked.kernel_name, count)
        for pair in range(arguments.pairs):
            order = [asked.kernel_name, "cubic"] if pair % 2 == 0 else ["cubic", asked.kernel_name]
            seconds = {name: transfer(name, count) for name in order}
            ours_s.append(seconds[asked.kernel_name])
            kernels_s.append(seconds["cubic"])
            ratios.append(seconds[asked.kernel_name] / seconds["cubic"])
            print(f"\r{pair + 1} of {arguments.pairs} pairs", end="", file=sys.stderr, flush=True)
    finally:
        held.close()
    print(file=sys.stderr)
    mean = statistics.fmean(ratios)
    t = T95.get(len(ratios) - 1, 2.1)
    half = t * statistics.stdev(ratios) / math.sqrt(len(ratios))
    machine = subprocess.run(["uname", "-r"], capture_output=True, text=True, check=True).stdout.strip()
    print("## Compared with the kernel's own CUBIC\n")
    print(
        f"`python -m tools.bench.kernel_cubic`: Linux {machine}, {len(ratios)} alternating pairs of {arguments.gb:g} GB over loopback, "
        "user and system time of sender and receiver."
    )
    print("The interval is the 95 % interval of the mean ratio.\n")
    print("| | CPU seconds per GB | ratio |\n| --- | --- | --- |")
    print(f"| the kernel's `cubic` | {statistics.fmean(kernels_s) / arguments.gb:.4f} | 1 |")
    ours = statistics.fmean(ours_s) / arguments.gb
    print(f"| `{arguments.cc}` as an object | {ours:.4f} | {mean:.3f} ({mean - half:.3f} to {mean + half:.3f}) |")


if __name__ == "__main__":
    main()
