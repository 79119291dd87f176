# SPDX-License-Identifier: MIT OR Apache-2.0
"""Build chain.cc against the installed ns-3, run it, and report its result and its cost.

python -m tools.peers.ns3.run --rate 400 --buffer 1333 --duration 20 \
    --measure 4:20 --seed 1 cubic:40:0.01 sack:40:0.05
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tools import ROOT
from tools.peers.peer import PeerDocument, PeerError, Spec, arguments, run_child, spec_from_command_line

SOURCE = Path(__file__).resolve().parent / "chain.cc"
PROGRAMS = ROOT / "target" / "peers"
LIBRARIES = ("core", "network", "internet", "point-to-point", "applications", "traffic-control")


def build_ns3(source: Path = SOURCE) -> Path:
    """A program, compiled with -O3 if it is older than its source or ns-3's headers."""
    program = PROGRAMS / f"ns3-{source.stem}"
    compiler = os.environ.get("CXX", "g++")
    if shutil.which(compiler) is None:
        raise PeerError(f"ns-3's side needs a C++ compiler ({compiler}): on Debian, apt-get install g++")
    test = subprocess.run(
        [compiler, "-E", "-M", "-x", "c++", "-"],
        input="#include <ns3/core-module.h>\n#include <ns3/core-config.h>\n",
        capture_output=True,
        text=True,
        check=False,
    )
    if test.returncode != 0:
        raise PeerError("ns-3 is not installed: on Debian, apt-get install libns3-dev")
    header = next(Path(word) for word in test.stdout.split() if word.endswith("ns3/core-config.h"))
    newest = max(source.stat().st_mtime, header.stat().st_ctime)
    if program.exists() and program.stat().st_mtime > newest:
        return program
    PROGRAMS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=PROGRAMS) as folder:
        built = Path(folder) / source.stem
        # All libraries stay linked: an unused one still registers its types.
        command = [
            compiler,
            "-O3",
            "-std=c++17",
            "-Wall",
            "-Wextra",
            str(source),
            "-o",
            str(built),
            "-Wl,--no-as-needed",
        ]
        done = subprocess.run(
            [*command, *(f"-lns3-{name}" for name in LIBRARIES)], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise PeerError(f"{source.name} does not build against the installed ns-3:\n{done.stderr.strip()}")
        built.replace(program)
    return program


def run_ns3(spec: Spec) -> PeerDocument:
    """One run: what chain.cc reports, and cpu_s, peak_rss_kb, packets_per_cpu_s. Nothing in it is random."""
    return run_child([str(build_ns3()), *arguments(spec)], "ns-3")


def main() -> None:
    spec = spec_from_command_line("Run the chain of bottlenecks on ns-3 and print its JSON.")
    try:
        print(json.dumps(run_ns3(spec)))
    except PeerError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
