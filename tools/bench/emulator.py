# SPDX-License-Identifier: MIT OR Apache-2.0
"""What lane live's emulator holds on this machine: lateness, utilisation and processor time at rising rates, then fifty kills and what they leave.

Needs root and TUN, and a machine that does nothing else. Writes docs/results/emulator.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import cwnd
from cwnd._internal.json_types import number
from tools import ROOT

PAGE = ROOT / "docs" / "results" / "emulator.md"
RATES_MBPS = (10, 100, 200, 400, 600, 800, 1000)
RTT = "40ms"
#: Lateness of one packet in a thousand that is aimed at, ms, by rate.
AIMS = {100: 0.3, 400: 1.0}
KILLS = 50


@dataclass(frozen=True)
class Held:
    """A run that the emulator held: lateness in ms, processor time as a part of one processor."""

    utilization: float
    late_ms: tuple[float, float, float, float]
    processor: float
    packets: int


def hold(rate_mbps: int, seconds: int) -> Held | str:
    """One CUBIC connection for `seconds` at `rate_mbps`; why there is no result if there is none."""
    flow = cwnd.Flow("cubic-linux", recovery="linux")
    scenario = cwnd.dumbbell(
        [flow],
        rate=f"{rate_mbps}Mbit/s",
        rtt=RTT,
        buffer="1bdp",
        duration=f"{seconds + 5}s",
        measure=("5s", f"{seconds + 5}s"),
    )
    before = resource.getrusage(resource.RUSAGE_SELF)
    try:
        run = cwnd.run(scenario, lane="live")
    except cwnd.FellBehindError as error:
        return str(error)
    after = resource.getrusage(resource.RUSAGE_SELF)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    live = run.summary["live"]
    late = (live["late_p50_ms"], live["late_p99_ms"], live["late_p999_ms"], live["late_worst_ms"])
    return Held(number(run.summary["link"], "utilization"), late, used / (seconds + 5), live["packets_delivered"])


def left_behind() -> set[str]:
    """What a lab could leave: devices and namespaces with names, files of labs, struct_ops of ours that are loaded, processes."""
    found = {f"device {device.name}" for device in Path("/sys/class/net").iterdir()}
    for folder in (Path("/run/netns"), Path("/var/run/netns"), Path("/run/cwnd"), Path("/sys/fs/bpf")):
        if folder.is_dir():
            found |= {f"file {path}" for path in folder.iterdir()}
    available = Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()
    found |= {f"algorithm {name}" for name in available}
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and (process / "comm").read_text().strip() == "cwnd":
                found.add(f"process {process.name}")
        except OSError:
            continue
    return found


def kill(seed: int, kills: int) -> tuple[int, set[str]]:
    """Kills `kills` labs at random moments between 0.2 and 2.5 s after their start; returns how many were running by then, and what is left."""
    draw, before, running = random.Random(seed), left_behind(), 0
    program = str(Path(sys.executable).with_name("cwnd"))
    with tempfile.TemporaryDirectory() as folder:
        for number in range(kills):
            command = [program, "compare", "htcp-linux", "cubic-linux", "--rate", "20Mbit/s", "--rtt", "20ms"]
            command += ["--duration", "30s", "--lane", "live", "-o", f"{folder}/{number}"]
            lab = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                time.sleep(draw.uniform(0.2, 2.5))
                running += lab.poll() is None
            finally:
                lab.send_signal(signal.SIGKILL)
                lab.wait()
    for _ in range(50):
        left = left_behind() - before
        if not left:
            break
        time.sleep(0.1)  # the kernel takes a namespace down after its last process
    return running, left


def page(held: list[tuple[int, Held | str]], seconds: int, running: int, left: set[str]) -> str:
    """The page."""
    text = (
        "# Rates that the emulator of lane live sustains\n\nWritten by `python -m tools.bench.emulator`, as root.\n"
        f"Measured {date.today()}, Linux {platform.release()}, {os.cpu_count()} processors, load average {os.getloadavg()[2]:.1f}.\n"
        f"The runs have one connection of the kernel's CUBIC over {RTT} and a buffer of one BDP; {seconds} s are measured at each rate.\n"
        "Lateness is the delay of packets after the time at which they are due.\n"
        "Processor time covers the whole program and the kernel's work for it, as a share of one processor.\n\n"
        "| Mbit/s | utilisation | lateness p50, ms | p99 | p99.9 | worst | aim for p99.9 | processor | packets |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"
    )
    for rate, run in held:
        if isinstance(run, str):
            text += f"| {rate} | invalid | | | | | | | |\n"
            continue
        late = " | ".join(f"{value:.3f}" for value in run.late_ms)
        aim = AIMS.get(rate)
        reached = "" if aim is None else f"{aim}, {'reached' if run.late_ms[2] <= aim else 'missed'}"
        text += f"| {rate} | {run.utilization:.4f} | {late} | {reached} | {run.processor:.0%} | {run.packets:,} |\n"
    for rate, run in held:
        if isinstance(run, str):
            text += f"\n{rate} Mbit/s: {run}\n"
    what = ", ".join(sorted(left)) if left else "nothing"
    return (
        text
        + f"\n**Kills.** {KILLS} runs of two connections (`htcp-linux`, a BPF object of cwnd, and the kernel's CUBIC) were ended by `kill -9` at random times between 0.2 and 2.5 s "
        f"after their start, {running} of them while they ran.\nDevices, names of namespaces, files of labs, algorithms and processes left behind: {what}.\n"
    )


def main() -> None:
    """Measures, and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="measured at each rate")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of the kills")
    arguments = parser.parse_args()
    held = []
    for rate in RATES_MBPS:
        held.append((rate, hold(rate, arguments.seconds)))
        print(*held[-1], flush=True)
    running, left = kill(arguments.seed, KILLS)
    print("kills", running, left or "nothing left")
    PAGE.write_text(page(held, arguments.seconds, running, left))


if __name__ == "__main__":
    main()
