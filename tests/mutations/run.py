# SPDX-License-Identifier: MIT OR Apache-2.0
"""Restores faults, one at a time, in copies of the tree, and checks that the row's test fails.

    python tests/mutations/run.py [ROW ...]     all, or those of these rows

A mutation is a replaced text: mutations.toml has faults that others had, statements.toml statements of the RFCs.
One whose text is not found exactly once is an error, as is one that the named test passes, and one that does not compile.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SCRATCH = ROOT / "target" / "mutations"
# More builds at once than this only wait for each other.
WORKERS = 4
WORKSPACE = ("Cargo.toml", "Cargo.lock", "clippy.toml", "rustfmt.toml")

Mutation = dict[str, str]


def mutations() -> list[Mutation]:
    """All of them."""
    return [
        mutation
        for name in ("mutations.toml", "statements.toml")
        for mutation in tomllib.loads((HERE / name).read_text())["mutation"]
    ]


def mutated(root: Path, mutation: Mutation) -> str:
    """The file's text with the fault in it; exits when the text to replace is not there exactly once."""
    text = (root / "crates" / "cwnd" / mutation["file"]).read_text()
    count = text.count(mutation["old"])
    if count != 1:
        place = f"mutation {mutation['row']} ({mutation['file']})"
        raise SystemExit(f"{place}: its text is there {count} times, not once; bring it up to date:\n{mutation['old']}")
    return text.replace(mutation["old"], mutation["new"])


CRATES = ("crates/cwnd", "crates/cwnd-contract")


def copy(tree: Path) -> Path:
    """The core and its contract alone, as a workspace of their own; build results of the last time are kept.

    Files get today's times: with the originals', cargo would take what was built from the last mutation for up to date.
    """
    shutil.rmtree(tree, ignore_errors=True)
    for crate in CRATES:
        shutil.copytree(ROOT / crate, tree / crate, copy_function=shutil.copyfile)
    for name in WORKSPACE:
        shutil.copy(ROOT / name, tree / name)
    manifest = (tree / "Cargo.toml").read_text().splitlines()
    for number, line in enumerate(manifest):
        if line.startswith("members ="):
            manifest[number] = f"members = {json.dumps(CRATES)}"
        elif line.startswith(("cwnd-", "exclude =")):
            manifest[number] = ""
    (tree / "Cargo.toml").write_text("\n".join(manifest) + "\n")
    return tree


def test(tree: Path, binary: str, names: list[str]) -> subprocess.CompletedProcess[str]:
    """Builds a test binary and runs these of its tests."""
    target = ["--lib"] if binary == "lib" else ["--test", binary]
    command = ["cargo", "test", "--quiet", "--offline", "--target-dir", str(tree.with_name(f"{tree.name}-target"))]
    command += ["-p", "cwnd", *target, "--", "--exact", *names]
    return subprocess.run(command, cwd=tree, capture_output=True, text=True)


def restore(tree: Path, mutation: Mutation) -> bool:
    """Puts the fault into the tree, says whether its test fails, and takes it out again."""
    begin = time.monotonic()
    path = tree / "crates" / "cwnd" / mutation["file"]
    whole = path.read_text()
    path.write_text(mutated(tree, mutation))
    done = test(tree, mutation["in"], [mutation["test"]])
    path.write_text(whole)
    caught = done.returncode == 101 and "1 failed" in done.stdout
    verdict = "caught" if caught else "NOT CAUGHT" if done.returncode == 0 else f"ERROR\n{done.stderr}{done.stdout}"
    seconds = time.monotonic() - begin
    print(f"{mutation['row']:<14} {mutation['test']}: {verdict} ({seconds:.1f} s)", flush=True)
    return caught


def main() -> None:
    chosen = [m for m in mutations() if not sys.argv[1:] or m["row"] in sys.argv[1:]]
    if unknown := set(sys.argv[1:]) - {m["row"] for m in chosen}:
        raise SystemExit(f"no mutation of {', '.join(sorted(unknown))}")
    for mutation in chosen:
        mutated(ROOT, mutation)  # all texts are found before anything is built
    # A tree per worker: two builds at once keep two processors busy, as one alone does not.
    trees: queue.SimpleQueue[Path] = queue.SimpleQueue()
    workers = max(1, min(WORKERS, len(os.sched_getaffinity(0)), len(chosen)))
    for number in range(workers):
        trees.put(copy(SCRATCH / f"tree-{number}"))
    first = trees.get()
    for binary in sorted({m["in"] for m in chosen}):
        names = sorted({m["test"] for m in chosen if m["in"] == binary})
        done = test(first, binary, names)
        if done.returncode != 0 or f"{len(names)} passed" not in done.stdout:
            raise SystemExit(f"not every test of {binary} passes before any mutation:\n{done.stdout}{done.stderr}")
    trees.put(first)

    def work(mutation: Mutation) -> bool:
        tree = trees.get()
        try:
            return restore(tree, mutation)
        finally:
            trees.put(tree)

    with ThreadPoolExecutor(workers) as pool:
        caught = sum(pool.map(work, chosen))
    print(f"{caught} of {len(chosen)} mutations caught")
    sys.exit(1 if caught < len(chosen) else 0)


if __name__ == "__main__":
    main()
