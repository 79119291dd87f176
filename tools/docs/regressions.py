# SPDX-License-Identifier: MIT OR Apache-2.0
"""Makes docs/reference/regressions.md: faults of other implementations, the tests of each, and what every parameter set does.

The rows are data (algorithms/regressions.toml). A test belongs to a row by a comment `Row ID` or `Rows ID, ID` above it,
or, for the probes that run over every parameter set, by their list in crates/cwnd/tests/regressions/main.rs.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools import DOCS, ROOT

#: The folders of tests with tags.
READS = ("crates/*/src/**/*.rs", "crates/*/tests/**/*.rs", "tests/python/**/*.py")
PROBES = ROOT / "crates" / "cwnd" / "tests" / "regressions"
ID = r"[A-Z]{1,3}\d{1,2}"
TAG = re.compile(rf"\bRows? ({ID}(?:(?:, | and | to ){ID})*)")
PROBE = re.compile(r"^ {4}(\w+::\w+):\s*\[([^\]]*)\]", re.MULTILINE)
TITLES = {
    "idle": "Idle, limited by the application, paced",
    "curve": "Shape of the curve",
    "acks": "Acknowledgements of many segments",
    "loss": "Response to losses",
    "undo": "Reductions that were mistakes; switching",
    "arithmetic": "Arithmetic",
    "slow_start": "Slow start",
    "driver": "The driver: recovery, echoes, undo, timeouts",
}

Row = dict[str, str]


@dataclass
class ProbeResult:
    """The outcome of one probe with one parameter set."""

    rows: list[str]
    parameter_set: str
    passes: bool
    seen: str


def rows() -> dict[str, dict[str, Row]]:
    """Table -> row -> its fields."""
    return tomllib.loads((DOCS / "reference" / "algorithms" / "regressions.toml").read_text())


def named(text: str) -> Iterator[str]:
    """The rows that a tag names; `A1 to A3` means the three."""
    ids = re.findall(rf"({ID})(, | and | to )?", text)
    for (name, joint), (after, _) in zip(ids, [*ids[1:], ("", "")]):
        yield name
        if joint == " to ":
            stem = name.rstrip("0123456789")
            yield from (f"{stem}{n}" for n in range(int(name[len(stem) :]) + 1, int(after[len(stem) :])))


def tagged() -> dict[str, list[str]]:
    """Row -> its tests, as file below the root and name."""
    tests_by_row: dict[str, list[str]] = {}
    for path in sorted(path for pattern in READS for path in ROOT.glob(pattern)):
        lines = path.read_text().splitlines()
        pending: list[str] = []
        comment = ""
        for line in lines:
            bare = line.strip()
            test = re.match(r"(?:async )?(?:fn|def) (\w+)", bare)
            if re.match(r"(//|#)(?!\[)", bare):
                comment += " " + bare.lstrip("/#! ")
                pending = [row for tag in TAG.finditer(comment) for row in named(tag.group(1))]
                continue
            comment = ""
            if test:
                for row in pending:
                    test_name = f"{path.relative_to(ROOT)}: {test.group(1)}"
                    if test_name not in tests_by_row.setdefault(row, []):
                        tests_by_row[row].append(test_name)
            if test or not re.match(r"#\[|@|#!\[|proptest!|$", bare):
                pending = []
    for name, ids in PROBE.findall((PROBES / "main.rs").read_text()):
        module, test = name.split("::")
        for row in re.findall(rf'"({ID})"', ids):
            tests_by_row.setdefault(row, []).append(f"crates/cwnd/tests/regressions/{module}.rs: {test}")
    return tests_by_row


def probe_results() -> list[ProbeResult]:
    """Runs every probe on every parameter set."""
    command = ["cargo", "test", "-q", "--locked", "-p", "cwnd", "--test", "regressions", "--"]
    done = subprocess.run(
        [*command, "--ignored", "--nocapture", "the_matrix"], cwd=ROOT, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise SystemExit(done.stdout + done.stderr)
    lines = [line.split("\t") for line in done.stdout.splitlines() if "matrix\t" in line]
    return [ProbeResult(line[1].split(","), line[3], line[4] == "passes", line[5]) for line in lines]


def mutations() -> set[str]:
    """Rows whose fault is restored in a copy of the tree, to see the test fail."""
    return {m["row"] for m in tomllib.loads((ROOT / "tests" / "mutations" / "mutations.toml").read_text())["mutation"]}


def unfounded() -> list[str]:
    """Inconsistencies between rows, tests and mutations."""
    known, tests = {row: entry for table in rows().values() for row, entry in table.items()}, tagged()
    wrong = [f"a test names row {row}, which is none" for row in tests if row not in known]
    wrong += [f"a mutation names row {row}, which is none" for row in mutations() - set(known)]
    wrong += [
        f"row {row} has neither a test nor a reason"
        for row, entry in known.items()
        if row not in tests and "why_not" not in entry
    ]
    return wrong + [
        f"row {row} has a test, and a reason for none"
        for row, entry in known.items()
        if row in tests and "why_not" in entry
    ]


def sets(row: str, results: list[ProbeResult], tests: list[str]) -> str:
    """Which parameter sets pass a row's probes, and what the others do."""
    of_row = [result for result in results if row in result.rows]
    if not of_row:
        return "every set passes" if any("/tests/contract/" in test for test in tests) else ""
    first = of_row[0].rows[0]
    if first != row and all(result.rows == of_row[0].rows for result in of_row) and any(not v.passes for v in of_row):
        return f"as {first}"
    faults = {result.parameter_set: result.seen for result in of_row if not result.passes}
    passing = sorted({result.parameter_set for result in of_row} - set(faults))
    text = "every set passes" if not faults else f"{len(passing)} pass"
    if len(passing) <= len(faults):
        text = "pass: " + ", ".join(f"`{name}`" for name in passing)
    if faults:
        text += "<br>otherwise: " + "; ".join(
            f"`{name}`: {seen}" if seen else f"`{name}`" for name, seen in faults.items()
        )
    return text


def page() -> str:
    """The page; exits when a row has neither test nor reason, or a test names a row that is none."""
    if wrong := unfounded():
        raise SystemExit("\n".join(wrong))
    tables, tests, results, restored = rows(), tagged(), probe_results(), mutations()
    known = {row for table in tables.values() for row in table}
    lines = [
        "# Faults of other implementations",
        "",
        "Generated by `make docs` from `algorithms/regressions.toml`, from the tests that name a row, and from a run of the probes",
        'over every parameter set. The text after "otherwise" says what the remaining sets do: the historic fault, or a different rule',
        "to which the row's claim does not apply; in parentheses, the source of the sets that must do so.",
        "",
        "*Mutation*: `make mutations` restores the fault in a copy of the tree, and the test fails.",
        "",
        f"{len(known)} rows, {sum(1 for row in known if tests.get(row))} with tests, {len(restored)} with a mutation.",
    ]
    for table, title in TITLES.items():
        lines += [
            "",
            f"## {title}",
            "",
            "| row | where, what went wrong | tests | parameter sets |",
            "| --- | --- | --- | --- |",
        ]
        for name, row in tables[table].items():
            of_row = tests.get(name, [])
            here = "<br>".join(f"{Path(test.split(': ')[0]).name}: {test.split(': ')[1]}" for test in of_row)
            here = here + "<br>*mutation*" * (name in restored) or f"none: {row['why_not']}"
            cells = [name, f"*{row['where']}*: {row['fault']}", here, sets(name, results, of_row)]
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> None:
    target, text = DOCS / "reference" / "regressions.md", page()
    if "--check" in sys.argv[1:]:
        if not target.exists() or target.read_text() != text:
            raise SystemExit("docs/reference/regressions.md is out of date: run make docs")
        return
    target.write_text(text)


if __name__ == "__main__":
    main()
