# SPDX-License-Identifier: MIT OR Apache-2.0
"""The simulator in WebAssembly compared with the native one: the same runs in turn under Node, the best of each.

The digests of both, which are equal, and what a page does: a run with its curves in 960 columns. Node compiles the module well only after some runs, so there are many.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from cwnd import Scenario, _native
from tools.web.node import module

SCENARIO = """duration = "60s"
[link]
rate = "{rate}Mbit/s"
rtt = "40ms"
queue = {{ kind = "droptail", limit = "1bdp" }}
[[flow]]
cc = "cubic"
recovery = "sack-prr"
[[flow]]
cc = "reno"
recovery = "sack-prr"
"""


def native_digest(text: str) -> str:
    simulation = _native.Simulation(Scenario.from_toml(text))
    while not simulation.step(1_000_000):
        pass
    return simulation.digest()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    options = parser.parse_args()
    print("| rate | native | in WebAssembly | times | with a page's curves |\n| --- | ---: | ---: | ---: | ---: |")
    with tempfile.TemporaryDirectory() as folder, module(Path(folder)) as wasm:
        for rate in (100, 400):
            text = SCENARIO.format(rate=rate)
            native, ours, curves = [], [], []
            for _ in range(options.rounds):
                begin = time.perf_counter()
                expected = native_digest(text)
                between = time.perf_counter()
                digest = wasm.ask(digest=text)["digest"]
                end = time.perf_counter()
                assert digest == expected, (rate, digest, expected)
                native.append(1000 * (between - begin))
                ours.append(1000 * (end - between))
                curves += [run["ms"] for run in wasm.ask(bench=text, times=1)]
            cells = f"{min(native):.1f} ms | {min(ours):.1f} ms | {min(ours) / min(native):.2f} | {min(curves):.1f} ms"
            print(f"| {rate} Mbit/s | {cells} |", flush=True)


if __name__ == "__main__":
    main()
