# SPDX-License-Identifier: MIT OR Apache-2.0
"""The wheel with the simulator only: no dependency that only Linux has, and installed where nothing else is it simulates and refuses the rest."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import cargo

from tools import ROOT
from tools.release.install import install_wheel
from tools.release.targets import UNIXES
from tools.release.wheels import simulator

pytestmark = [pytest.mark.slow, cargo]
#: Crates that do not compile elsewhere, or have nothing there.
OF_LINUX = {"cwnd-live", "cwnd-bpf", "libbpf-rs", "libbpf-sys"}


def dependencies(*options: str) -> set[str]:
    command = ["cargo", "tree", "--locked", "--package", "cwnd-python", "--edges", "normal", "--prefix", "none"]
    printed = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return {line.split()[0] for line in printed.splitlines() if line}


def test_only_a_build_for_linux_has_crates_of_linux() -> None:
    assert dependencies("--features", "kernel") >= OF_LINUX
    assert dependencies() & OF_LINUX == {"cwnd-live"}
    assert dependencies("--no-default-features") & OF_LINUX == set()
    for target in UNIXES:
        assert dependencies("--target", target, "--features", "kernel") & OF_LINUX == set()


def test_the_simulators_wheel_is_built_and_works_where_nothing_else_is(tmp_path: Path) -> None:
    simulator(tmp_path, quick=True)
    (wheel,) = tmp_path.glob("cwnd-*-cp311-abi3-manylinux_*.whl")
    install_wheel(wheel, simulator=True)
