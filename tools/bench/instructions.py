# SPDX-License-Identifier: MIT OR Apache-2.0
"""The engine's instructions per packet, counted by callgrind and held against the counts on record.

    python3 -m tools.bench.instructions             measures, compares, fails where a count is off by more than the tolerance
    python3 -m tools.bench.instructions --accept    measures and records

A count is the same on every run and, within a fraction of a per cent, on every machine of one architecture: what else runs there
does not matter. It depends on the compiler, so its version is on record too. Scenarios and counts are in bench/instructions.
Fewer instructions fail as well: they have to be recorded, or the next change could lose them unseen.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

from tools import ROOT

FOLDER = ROOT / "bench" / "instructions"
RECORD = FOLDER / "counts.toml"
SCENARIOS = (
    *("fig6", "lines", "fast", "many", "offload", "clean"),
    # The lean path takes part of `loss` and `odd`, and little or nothing of the others.
    *("red", "loss", "jitter", "reverse", "odd", "pacing", "overhead", "web"),
)
# Without losses. On the general path recovery `linux` takes at most this many more instructions than `sack`; it knows no other.
CLEAN = ("clean-general", "clean-linux")
MOST = 0.10
# Scenarios that are also measured without the fast path.
GENERAL = {"clean-general": "clean"}
PROGRAM = ROOT / "target" / "release" / "examples" / "run"
ACCEPT = "make instructions ACCEPT=1"

HEAD = """\
# Written by `{accept}`. Instructions that the simulator executes per packet that leaves the bottleneck, start-up included.
"""


@dataclass(frozen=True)
class Compiler:
    """What the counts depend on other than the source."""

    rustc: str
    host: str


@dataclass(frozen=True)
class Count:
    """One scenario's count."""

    instructions: int
    packets: int

    @property
    def per_packet(self) -> float:
        """Instructions per packet."""
        return self.instructions / self.packets


@dataclass(frozen=True)
class Record:
    """What is on record."""

    tolerance: float
    compiler: Compiler
    counts: dict[str, Count]


def read(text: str) -> Record:
    """A record from its file's text."""
    whole = tomllib.loads(text)
    counts = {name: Count(**numbers) for name, numbers in whole["count"].items()}
    return Record(whole["tolerance"], Compiler(**whole["compiler"]), counts)


def write(record: Record) -> str:
    """A record as its file's text."""
    lines = [
        HEAD.format(accept=ACCEPT) + f"tolerance = {record.tolerance}\n",
        f'[compiler]\nrustc = "{record.compiler.rustc}"\nhost = "{record.compiler.host}"\n',
    ]
    for name, count in record.counts.items():
        about = f"# {count.per_packet:.1f} a packet\n"
        lines.append(f"[count.{name}]\n{about}instructions = {count.instructions}\npackets = {count.packets}\n")
    return "\n".join(lines)


def difference(before: Count, now: Count) -> float:
    """How much more instructions a packet takes, as a fraction of before."""
    return round(now.per_packet / before.per_packet - 1.0, 9)


def compare(record: Record, compiler: Compiler, counts: dict[str, Count]) -> tuple[list[str], list[str]]:
    """The table's lines, and what is wrong: nothing if every count is within the tolerance."""
    lines = [f"{'scenario':14} {'packets':>10} {'a packet':>10} {'recorded':>10} {'difference':>11}"]
    wrong = []
    for name, now in counts.items():
        before = record.counts.get(name)
        if before is None:
            lines.append(f"{name:14} {now.packets:10} {now.per_packet:10.1f} {'none':>10}")
            wrong.append(f"{name}: no count is on record")
            continue
        off = difference(before, now)
        line = f"{name:14} {now.packets:10} {now.per_packet:10.1f} {before.per_packet:10.1f} {off:+11.2%}"
        if abs(off) > record.tolerance:
            line += "  too many" if off > 0 else "  fewer: record it"
            more = "more" if off > 0 else "fewer"
            wrong.append(f"{name}: {abs(off):.2%} {more} instructions a packet, {record.tolerance:.0%} are let pass")
        lines.append(line)
    wrong += [f"{name}: on record, but not measured" for name in record.counts if name not in counts]
    if compiler.host != record.compiler.host:
        wrong.append(
            f"the counts on record are of {record.compiler.host}, this is {compiler.host}: they do not compare"
        )
    if wrong and compiler.rustc != record.compiler.rustc:
        wrong.append(
            f"the counts on record are of {record.compiler.rustc}, this is {compiler.rustc}: "
            "the compiler alone may be the reason; measure the last commit with it to know"
        )
    return lines, wrong


def against_sack(counts: dict[str, Count]) -> tuple[str, list[str]]:
    """The cost of recovery `linux` without losses, compared with `sack`: a line, and any errors."""
    sack, linux = (counts[name] for name in CLEAN)
    more = difference(sack, linux)
    line = f"recovery linux takes {more:+.2%} instructions a packet beside sack, while nothing is lost, on the general path"
    return line, [f"{line}: at most {MOST:.0%} are let pass"] if more > MOST else []


def compiler() -> Compiler:
    """The compiler that cargo uses here."""
    rustc = os.environ.get("RUSTC", "rustc")
    told = subprocess.run([rustc, "-vV"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    host = re.search(r"^host: (.*)", told, re.MULTILINE)
    return Compiler(told.splitlines()[0], host[1] if host else "unknown")


def build() -> None:
    """Builds what is measured: the release profile."""
    options = ["--quiet", "--locked", "--release", "--target-dir", str(ROOT / "target"), "-p", "cwnd-sim"]
    if os.environ.get("CI") == "true":
        # With the features that foreign crates have in the wheel: those that were compiled for it are taken.
        options += ["-p", "cwnd-python", "--features", "cwnd-python/kernel"]
    subprocess.run(["cargo", "build", *options, "--example", "run"], cwd=ROOT, check=True)


def measure(name: str) -> Count:
    """Runs a scenario under callgrind, in an empty environment: a longer one costs instructions, too."""
    scenario = FOLDER / f"{GENERAL.get(name, name)}.toml"
    options = ["--quiet", "--without-trains"] if name in GENERAL else ["--quiet"]
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "out"
        valgrind = [shutil.which("valgrind") or "valgrind", "--tool=callgrind", f"--callgrind-out-file={data}"]
        command = [*valgrind, str(PROGRAM), str(scenario), *options]
        done = subprocess.run(command, env={}, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{scenario.name}: valgrind ended with status {done.returncode}:\n{done.stderr}")
        packets = re.fullmatch(r"(\d+) packets\n", done.stdout)
        total = re.search(r"^(?:summary|totals): (\d+)", data.read_text(), re.MULTILINE)
    if packets is None or total is None or int(packets[1]) == 0:
        raise SystemExit(f"{scenario.name}: nothing was counted:\n{done.stdout}{done.stderr}")
    return Count(int(total[1]), int(packets[1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--accept", action="store_true", help="record the counts measured here")
    args = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("skipped: counting instructions needs valgrind (Debian: valgrind)")
        sys.exit(1 if os.environ.get("CI") == "true" else 0)

    build()
    here = compiler()
    counts = {name: measure(name) for name in (*SCENARIOS, *CLEAN)}
    record = read(RECORD.read_text()) if RECORD.exists() else Record(0.05, here, {})
    lines, wrong = compare(record, here, counts)
    line, too_many = against_sack(counts)
    print("\n".join([*lines, line]))
    wrong += too_many
    if args.accept:
        RECORD.write_text(write(Record(record.tolerance, here, counts)))
        print(f"recorded in {RECORD.relative_to(ROOT)}: commit it with the change that is its reason")
    elif wrong:
        print(
            "\n".join(["", *wrong, "", f"If that is meant, `{ACCEPT}` records the new counts; say in the commit why."])
        )
        sys.exit(1)


if __name__ == "__main__":
    main()
