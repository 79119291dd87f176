# SPDX-License-Identifier: MIT OR Apache-2.0
"""Runs what is missing, and writes the page."""

from __future__ import annotations

import argparse
import json
import time
from concurrent.futures import ProcessPoolExecutor

from tools import records
from tools.stacks.page import PAGE, write
from tools.stacks.runs import RECORD, Kept, Run, on_record, runs

#: Finished runs are saved this often, s, so that an interrupted run can resume.
KEEP_S = 20.0


def numbers(run: Run) -> tuple[str, Kept]:
    """The result of a run, with its name."""
    return run.name, run.numbers()


def keep(found: dict[str, Kept]) -> None:
    """Writes the record, a run a line."""
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(found[name])}" for name in sorted(found))
    records.write(RECORD, f"{{\n{lines}\n}}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--page", action="store_true", help="write the page from the runs on record")
    parser.add_argument("--fresh", action="store_true", help="run everything anew")
    parser.add_argument("--workers", type=int, default=2, help="processes (2)")
    args = parser.parse_args()
    found = {} if args.fresh else on_record()
    wanted = {run.name: run for run in runs()}
    found = {name: kept for name, kept in found.items() if name in wanted}
    missing = [run for name, run in wanted.items() if name not in found]
    if missing and not args.page:
        begin = last = time.monotonic()
        with ProcessPoolExecutor(args.workers) as pool:
            for count, (name, kept) in enumerate(pool.map(numbers, missing), start=1):
                found[name] = kept
                now = time.monotonic()
                if now - last > KEEP_S:
                    last = now
                    keep(found)
                left = (now - begin) / count * (len(missing) - count)
                print(f"\r{count} of {len(missing)} runs, about {left:.0f} s left ", end="", flush=True)
        print()
        keep(found)
    write(found)
    print(f"written: {PAGE}")


if __name__ == "__main__":
    main()
