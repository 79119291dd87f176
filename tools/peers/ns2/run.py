# SPDX-License-Identifier: MIT OR Apache-2.0
"""Run the ns-2.35 chain of bottlenecks (chain.tcl) and report its result and its cost.

python -m tools.peers.ns2.run --rate 400 --buffer 1333 --duration 100 \
    --measure 20:100 --seed 1 cubic:40:0.01 sack:40:0.05
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from tools.peers.peer import PeerDocument, PeerError, Spec, arguments, run_child, spec_from_command_line

SCRIPT = Path(__file__).resolve().parent / "chain.tcl"


def find_ns2() -> str:
    """The ns-2 binary: $NS2, or ns2 or ns on the PATH."""
    wanted = os.environ.get("NS2")
    for name in [wanted] if wanted else ["ns2", "ns"]:
        path = shutil.which(name)
        if path is not None:
            return path
    if wanted:
        raise PeerError(f"ns-2 is not at $NS2 ({wanted})")
    raise PeerError("ns-2 is not installed: on Debian, apt-get install ns2")


def run_ns2(spec: Spec) -> PeerDocument:
    """One run: what chain.tcl reports, and cpu_s, peak_rss_kb, packets_per_cpu_s.

    The seed changes nothing unless `overhead` (a random delay before each send, seconds) is set: all the randomness is
    in the start times.
    """
    command = [find_ns2(), str(SCRIPT), f"seed={spec.seed}", *arguments(spec)]
    return run_child(command, "ns-2")


def main() -> None:
    spec = spec_from_command_line("Run the chain of bottlenecks on ns-2 and print its JSON.")
    try:
        print(json.dumps(run_ns2(spec)))
    except PeerError as error:
        raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
