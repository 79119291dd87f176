# SPDX-License-Identifier: MIT OR Apache-2.0
"""Restores faults, one at a time, in copies of the tree, and checks that the row's test fails.

    python tests/mutations/run.py [ROW ...]         all, or those of these rows
    python tests/mutations/run.py --since COMMIT    those whose code, test or row has changed since, all if git knows no such commit;
                                                    of many some
    python tests/mutations/run.py --workers 1       in one tree: a second one compiles all of it again, which saves time only on
                                                    processors that have nothing else to do

A mutation is a replaced text: mutations.toml has faults that others had, statements.toml statements of the RFCs, links.toml those of
queue disciplines, transport.toml those of the simulator's TCP, engine.toml those of the engine's ways.
One whose text is not found exactly once is an error, as is one that the named test passes, and one that does not compile.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import re
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
# With --since: about 80 s of processor time.
LIMIT = 6
WORKSPACE = ("Cargo.toml", "Cargo.lock", "clippy.toml", "rustfmt.toml")

Mutation = dict[str, str]

TABLES = ("mutations.toml", "statements.toml", "links.toml", "transport.toml", "engine.toml")
CONTRACT = "cwnd-contract ="
# Compiled once and run once: what optimises or describes the code takes longer than it saves.
# In many units: those that a fault does not touch are taken as they are.
BUILD = {
    "CARGO_PROFILE_DEV_OPT_LEVEL": "0",
    "CARGO_PROFILE_DEV_DEBUG": "0",
    "CARGO_PROFILE_DEV_CODEGEN_UNITS": "256",
    "CARGO_INCREMENTAL": "1",
}
# But where a test plays all sequences of events, which takes 20 s then. What they depend on is built once for both.
OPTIMISED = ("driver_model",)
DEPENDENCIES = [
    f"--config=profile.dev.package.{name}.opt-level=0" for name in ("libm", "ppv-lite86", "proptest", "rand_chacha")
]


def mutations() -> list[Mutation]:
    """All of them."""
    return [mutation for name in TABLES for mutation in tomllib.loads((HERE / name).read_text())["mutation"]]


#: Files that every mutation depends on.
BY_ALL = ("tests/mutations/run.py", "Cargo.lock", "clippy.toml", "rustfmt.toml")


def crate_of(mutation: Mutation) -> str:
    """The crate with the fault: the core, where the mutation names no other."""
    return mutation.get("crate", "cwnd")


def git(*arguments: str) -> str:
    """What git says; nothing if it fails."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def is_concerned(mutation: Mutation, changed: list[str], rows: list[Mutation]) -> bool:
    """Whether a change of these files, from these rows, can change what becomes of the mutation."""
    if mutation not in rows:
        return True
    crate = f"crates/{crate_of(mutation)}"
    places = [f"{crate}/{mutation['file']}"]
    if mutation["in"] == "lib":
        module = mutation["test"].split("::")[:-1]
        # A module's tests stand in it, or in its folder `tests`.
        module = module[: module.index("tests")] if "tests" in module else module
        places.append("/".join([f"{crate}/src", *module]))
    else:
        places.append(f"{crate}/tests/{mutation['in']}")
    if needs_contract(mutation["in"]):
        places.append("crates/cwnd-contract/")
    return any(path.startswith(place) for path in changed for place in places)


def since(commit: str) -> list[Mutation]:
    """The mutations that the work since a commit concerns."""
    every = mutations()
    base = git("merge-base", "HEAD", commit)
    if not base or base == git("rev-parse", "HEAD"):
        print(f"no work since {commit} is known")
        return some(every)
    changed = git("diff", "--name-only", base).splitlines()
    # What every mutation is built with and judged by; nothing, too, since the commit and HEAD differ.
    if not changed or any(path in BY_ALL or path.endswith("Cargo.toml") for path in changed):
        print("the change concerns how mutations are built or judged")
        return some(every)
    rows = [
        row
        for name in TABLES
        for row in tomllib.loads(git("show", f"{base}:tests/mutations/{name}")).get("mutation", [])
    ]
    concerned = [mutation for mutation in every if is_concerned(mutation, changed, rows)]
    # A helper that a mutated file uses stands elsewhere in its crate.
    crates = {
        crate_of(each) for each in every if any(path.startswith(f"crates/{crate_of(each)}/src/") for path in changed)
    }
    return some(concerned or [mutation for mutation in every if crate_of(mutation) in crates])


def some(of: list[Mutation]) -> list[Mutation]:
    """At most `LIMIT` of them, in even steps; where they begin, the tree's hash says."""
    step = max(1, -(-len(of) // LIMIT))
    first = int(git("rev-parse", "HEAD^{tree}")[:4] or "0", 16) % step
    if step > 1:
        print(f"one in {step} of {len(of)} mutations, from number {first + 1} on; without --since, all of them")
    return of[first::step]


def mutated(root: Path, mutation: Mutation) -> str:
    """The file's text with the fault in it; exits when the text to replace is not there exactly once."""
    text = (root / "crates" / crate_of(mutation) / mutation["file"]).read_text()
    count = text.count(mutation["old"])
    if count != 1:
        place = f"mutation {mutation['row']} ({mutation['file']})"
        raise SystemExit(f"{place}: its text is there {count} times, not once; bring it up to date:\n{mutation['old']}")
    return text.replace(mutation["old"], mutation["new"])


CRATES = ("crates/cwnd", "crates/cwnd-contract", "crates/cwnd-link")
#: The simulator, and what else it is made of.
SIMULATOR = ("crates/cwnd-record", "crates/cwnd-scenario", "crates/cwnd-sim", "crates/cwnd-traffic")


def copy(tree: Path, crates: tuple[str, ...] = CRATES) -> Path:
    """The core, its contract and the links alone, or these crates, as a workspace of their own; build results of the last time are kept.

    Files get today's times: with the originals', cargo would take what was built from the last mutation for up to date.
    """
    shutil.rmtree(tree, ignore_errors=True)
    for crate in crates:
        shutil.copytree(ROOT / crate, tree / crate, copy_function=shutil.copyfile)
    for name in WORKSPACE:
        shutil.copy(ROOT / name, tree / name)
    manifest = (tree / "Cargo.toml").read_text().splitlines()
    names = {Path(crate).name for crate in crates}
    for number, line in enumerate(manifest):
        if line.startswith("members ="):
            manifest[number] = f"members = {json.dumps(crates)}"
        elif line.startswith("exclude =") or (line.startswith("cwnd-") and re.split(r"[ .]", line)[0] not in names):
            manifest[number] = ""
    (tree / "Cargo.toml").write_text("\n".join(manifest) + "\n")
    return tree


def needs_contract(binary: str) -> bool:
    """Whether a test binary is built with the crate of the contract, which is built anew for each mutation of the core."""
    tests = ROOT / "crates" / "cwnd" / "tests"
    return any(
        "cwnd_contract" in path.read_text()
        for path in [tests / f"{binary}.rs", *(tests / binary).rglob("*.rs")]
        if path.exists()
    )


def test(tree: Path, crate: str, binary: str, names: list[str]) -> subprocess.CompletedProcess[str]:
    """Builds a test binary of a crate, with no other crate than those that it needs, and runs these of its tests."""
    manifest = tree / "crates" / "cwnd" / "Cargo.toml"
    whole = (ROOT / "crates" / "cwnd" / "Cargo.toml").read_text()
    contract = needs_contract(binary)
    text = "".join(line for line in whole.splitlines(True) if contract or not line.startswith(CONTRACT))
    if manifest.read_text() != text:
        manifest.write_text(text)
    target = ["--lib"] if binary == "lib" else ["--test", binary]
    command = ["cargo", "test", "--quiet", "--offline", "--target-dir", str(tree.with_name(f"{tree.name}-target"))]
    command += [*DEPENDENCIES, "-p", crate, *target, "--", "--exact", *names]
    level = {"CARGO_PROFILE_DEV_OPT_LEVEL": "1"} if binary in OPTIMISED else {}
    return subprocess.run(command, cwd=tree, env={**os.environ, **BUILD, **level}, capture_output=True, text=True)


def restore(tree: Path, mutation: Mutation) -> bool:
    """Puts the fault into the tree, says whether its test fails, and takes it out again."""
    begin = time.monotonic()
    path = tree / "crates" / crate_of(mutation) / mutation["file"]
    whole = path.read_text()
    path.write_text(mutated(tree, mutation))
    done = test(tree, crate_of(mutation), mutation["in"], [mutation["test"]])
    path.write_text(whole)
    caught = done.returncode == 101 and "1 failed" in done.stdout
    verdict = "caught" if caught else "NOT CAUGHT" if done.returncode == 0 else f"ERROR\n{done.stderr}{done.stdout}"
    seconds = time.monotonic() - begin
    print(f"{mutation['row']:<14} {mutation['test']}: {verdict} ({seconds:.1f} s)", flush=True)
    return caught


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", metavar="ROW", nargs="*")
    parser.add_argument("--since", metavar="COMMIT")
    parser.add_argument(
        "--workers", metavar="N", type=int, default=WORKERS, help="trees that are built at once, at most"
    )
    asked = parser.parse_args()
    every = since(asked.since) if asked.since else mutations()
    chosen = [mutation for mutation in every if not asked.rows or mutation["row"] in asked.rows]
    chosen.sort(key=lambda mutation: needs_contract(mutation["in"]))
    if unknown := set(asked.rows) - {mutation["row"] for mutation in chosen}:
        raise SystemExit(f"no mutation of {', '.join(sorted(unknown))}")
    for mutation in chosen:
        mutated(ROOT, mutation)  # all texts are found before anything is built
    # A tree per worker: two builds at once keep two processors busy, as one alone does not.
    trees: queue.SimpleQueue[Path] = queue.SimpleQueue()
    workers = max(1, min(asked.workers, len(os.sched_getaffinity(0)), len(chosen)))
    crates = CRATES + SIMULATOR if any(crate_of(mutation) == "cwnd-sim" for mutation in chosen) else CRATES
    for number in range(workers):
        trees.put(copy(SCRATCH / f"tree-{number}", crates))
    first = trees.get()
    for crate, binary in sorted({(crate_of(m), m["in"]) for m in chosen}):
        names = sorted({m["test"] for m in chosen if (crate_of(m), m["in"]) == (crate, binary)})
        done = test(first, crate, binary, names)
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
