# SPDX-License-Identifier: MIT OR Apache-2.0
"""The guard over the engine's instructions fails where it has to; what it guards is `make instructions`."""

from __future__ import annotations

import dataclasses

import pytest

from tools.bench import instructions
from tools.bench.instructions import Compiler, Count, Record, compare

HERE = Compiler("rustc 1.95.0 (59807616e 2026-04-14)", "x86_64-unknown-linux-gnu")
RECORD = Record(0.05, HERE, {"one": Count(500_000, 1_000), "two": Count(900_000, 1_000)})


def wrong(**changed: int) -> list[str]:
    """What is wrong when these scenarios take so many instructions for their thousand packets."""
    counts = RECORD.counts | {name: Count(n, 1_000) for name, n in changed.items()}
    return compare(RECORD, HERE, counts)[1]


# 500 a packet on record: 525 are 5 % more, 475 are 5 % fewer.
@pytest.mark.parametrize("instructions", [475_500, 500_000, 524_500, 525_000])
def test_a_count_off_by_up_to_five_per_cent_passes(instructions: int) -> None:
    assert wrong(one=instructions) == []


@pytest.mark.parametrize(("instructions", "says"), [(525_500, "5.10% more"), (474_500, "5.10% fewer")])
def test_a_count_off_by_more_fails_whether_more_or_fewer(instructions: int, says: str) -> None:
    (only,) = wrong(one=instructions)
    assert only.startswith(f"one: {says}")


def test_it_is_instructions_per_packet_that_count() -> None:
    twice_the_packets = RECORD.counts | {"one": Count(1_000_000, 2_000)}
    assert compare(RECORD, HERE, twice_the_packets)[1] == []
    assert compare(RECORD, HERE, RECORD.counts | {"one": Count(500_000, 900)})[1] != []


def test_what_is_not_on_record_or_not_measured_fails() -> None:
    assert compare(RECORD, HERE, RECORD.counts | {"three": Count(1, 1)})[1] == ["three: no count is on record"]
    assert compare(RECORD, HERE, {"one": RECORD.counts["one"]})[1] == ["two: on record, but not measured"]


def test_another_compiler_is_named_when_a_count_is_off_and_another_machine_always() -> None:
    newer = dataclasses.replace(HERE, rustc="rustc 1.99.0")
    assert compare(RECORD, newer, RECORD.counts)[1] == []
    off = compare(RECORD, newer, RECORD.counts | {"one": Count(600_000, 1_000)})[1]
    assert any("1.99.0" in line and "1.95.0" in line for line in off)
    other = dataclasses.replace(HERE, host="aarch64-unknown-linux-gnu")
    assert any("do not compare" in line for line in compare(RECORD, other, RECORD.counts)[1])


def test_the_record_reads_back_and_has_every_scenario() -> None:
    record = instructions.read(instructions.RECORD.read_text())
    assert instructions.read(instructions.write(record)) == record
    measured = {*instructions.SCENARIOS, *instructions.CLEAN}
    assert set(record.counts) == measured
    assert record.tolerance == 0.05
    files = {instructions.GENERAL.get(name, name) for name in measured}
    assert {path.stem for path in instructions.FOLDER.glob("*.toml")} == {*files, "counts"}


# 700 a packet with `sack`: 770 are 10 % more.
@pytest.mark.parametrize(("linux", "passes"), [(650_000, True), (770_000, True), (770_500, False)])
def test_recovery_linux_costs_at_most_a_tenth_more_than_sack(linux: int, passes: bool) -> None:
    counts = {"clean-general": Count(700_000, 1_000), "clean-linux": Count(linux, 1_000)}
    line, too_many = instructions.against_sack(counts)
    assert (too_many == []) == passes
    assert f"{linux / 700_000 - 1:+.2%}" in line


# Bursts of hosts are another matter than the recovery: `offload` counts them.
def test_the_record_has_that_tenth_and_both_scenarios_differ_in_the_recovery_alone() -> None:
    assert instructions.against_sack(instructions.read(instructions.RECORD.read_text()).counts)[1] == []
    files = [instructions.GENERAL.get(name, name) for name in instructions.CLEAN]
    sack, linux = ((instructions.FOLDER / f"{name}.toml").read_text() for name in files)
    strip = [line for line in linux.splitlines() if line not in ('recovery = "linux"', "gso = false")]
    assert strip[2:] == sack.splitlines()[2:]
