# SPDX-License-Identifier: MIT OR Apache-2.0
"""A flame graph of the engine: figure 6 of the CUBIC paper, sampled by perf, inlined calls unfolded.

Nearly all of the engine is inlined into one function, so each sample's address is unfolded into the calls that were inlined there
(llvm-symbolizer). The picture is drawn by inferno (`cargo install inferno`). Needs perf and llvm-symbolizer too.
"""

from __future__ import annotations

import argparse
import collections
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools import ROOT


def need(*tools: str) -> None:
    for tool in tools:
        if shutil.which(tool) is None:
            sys.exit(
                f"error: {tool} is not installed (perf: linux-perf; llvm-symbolizer: llvm; inferno-flamegraph: cargo install inferno)"
            )


def short(name: str) -> str:
    """A function's name without its generics, crate hashes and paths."""
    name = re.sub(r"::h[0-9a-f]{16}$", "", name)
    for mangled, plain in (("_$LT$", "<"), ("$LT$", "<"), ("$GT$", ">"), ("$u20$", " "), ("..", "::")):
        name = name.replace(mangled, plain)
    name = re.sub(r"<impl ([^>]*)>", r"\1", name)
    while re.search(r"<[^<>]*>", name):
        name = re.sub(r"(?:::)?<[^<>]*>", "", name)
    return "::".join(name.split("::")[-2:]).strip(":") or "?"


def still(svg: str) -> str:
    """The picture without the script that zooms and searches: pages show it as an image, and the script has a separate licence (CDDL)."""
    svg = re.sub(r"<script.*?</script>", "", svg, flags=re.DOTALL).replace(' onload="init(evt)"', "")
    return re.sub(r'<text id="(?:unzoom|search|matched|details)".*?</text>', "", svg, flags=re.DOTALL)


def stacks(program: Path, addresses: collections.Counter[int]) -> dict[str, int]:
    """Calls, outermost first, separated by semicolons, and their samples."""
    asked = "".join(f"{address:#x}\n" for address in addresses)
    command = ["llvm-symbolizer", "--inlines", "--functions=linkage", "--demangle", f"--obj={program}"]
    answers = (
        subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout.strip().split("\n\n")
    )
    folded: dict[str, int] = collections.Counter()
    for (_, samples), answer in zip(addresses.items(), answers, strict=True):
        names = [short(line) for line in answer.splitlines()[0::2]]
        folded[";".join(reversed(names))] += samples
    return folded


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", type=Path, help="the SVG file to write")
    parser.add_argument("--scenario", type=Path, default=ROOT / "bench" / "instructions" / "fig6.toml")
    parser.add_argument("--seconds", type=int, default=600, help="simulated time (default 600)")
    args = parser.parse_args()
    need("perf", "llvm-symbolizer", "inferno-flamegraph")
    build = ["cargo", "build", "--quiet", "--locked", "--profile", "profiling", "-p", "cwnd-sim", "--example", "run"]
    subprocess.run(build, cwd=ROOT, check=True)
    program = ROOT / "target" / "profiling" / "examples" / "run"
    with tempfile.TemporaryDirectory() as folder:
        scenario = Path(folder) / "scenario.toml"
        text = re.sub(r'(?m)^duration = ".*"$', f'duration = "{args.seconds}s"', args.scenario.read_text())
        scenario.write_text(re.sub(r"(?m)^measure = .*\n", "", text))
        data = f"{folder}/perf.data"
        record = [
            "perf",
            "record",
            "-q",
            "-F",
            "5000",
            "-e",
            "cpu-clock",
            "-o",
            data,
            str(program),
            str(scenario),
            "--quiet",
        ]
        subprocess.run(record, check=True, capture_output=True)
        script = ["perf", "script", "-i", data, "-F", "ip,sym,symoff,dso", "--show-mmap-events"]
        lines = subprocess.run(script, check=True, capture_output=True, text=True).stdout.splitlines()
    addresses: collections.Counter[int] = collections.Counter()
    base = 0
    for line in lines:
        if "PERF_RECORD_MMAP" in line and "r-xp" in line and line.rstrip().endswith("/run"):
            match = re.search(r"\[0x([0-9a-f]+)\(0x[0-9a-f]+\) @ (0x[0-9a-f]+|0) ", line)
            if match:
                base = int(match[1], 16) - int(match[2], 16)
        elif f"({program})" in line and "PERF_RECORD" not in line:
            addresses[int(line.split()[0], 16)] += 1
    if not addresses:
        sys.exit("error: perf took no samples of the engine")
    table = subprocess.run(["readelf", "-lW", str(program)], capture_output=True, text=True, check=True).stdout
    load = next(line.split() for line in table.splitlines() if " LOAD " in line and " R E " in line)
    slide = base + int(load[1], 16) - int(load[2], 16)  # file offsets to addresses of the program's own
    folded = stacks(program, collections.Counter({at - slide: n for at, n in addresses.items()}))
    draw = [
        "inferno-flamegraph",
        "--title",
        "cwnd: one core, figure 6 of the CUBIC paper, samples by inlined call",
        "--countname",
        "samples",
        "--deterministic",
    ]
    text = "".join(f"{stack} {n}\n" for stack, n in folded.items())
    svg = subprocess.run(draw, input=text, capture_output=True, text=True, check=True).stdout
    beside = args.picture.with_suffix(".part")
    beside.write_text(still(svg))
    beside.rename(args.picture)
    print(f"{sum(folded.values())} samples in {args.picture}")


if __name__ == "__main__":
    main()
