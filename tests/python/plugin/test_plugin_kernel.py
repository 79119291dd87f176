# SPDX-License-Identifier: MIT OR Apache-2.0
"""An algorithm of one's own as a kernel object: built, loaded, used by a connection, removed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Cli, New, refused
from in_kernel import Loader, crate_with_object
from needs import skip_without

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def ease(tmp_path_factory: pytest.TempPathFactory, new_crate: New) -> Path:
    """A crate as `cwnd new` makes it, with its kernel object."""
    crate = crate_with_object(new_crate, "ease", tmp_path_factory.mktemp("plugin"))
    (crate / "ease.bpf.o").rename(crate / "first.bpf.o")
    return crate


def run_in_kernel(test: str, file: Path, parameters: str = "") -> None:
    """Runs a test of crates/cwnd-bpf/tests/kernel on an object, with the build that .ci/kernel has made."""
    command = ["cargo", "test", "--locked", "-p", "cwnd-bpf", "--all-features", "--test", "kernel", "--"]
    command += ["--ignored", "--exact", test, "--nocapture"]
    env = {**os.environ, "CWND_OBJECT": str(file)} | ({"CWND_PARAMS": parameters} if parameters else {})
    ran = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert ran.returncode == 0 and "1 passed" in ran.stdout, ran.stdout + ran.stderr


def registered(name: str) -> bool:
    return name in Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text().split()


def test_the_object_runs_in_the_kernel_with_the_settings_that_it_was_given(cwnd: Cli, ease: Path) -> None:
    done = cwnd("build-kernel", ease, "--param", "beta=0.5", "--param", "rest_us=2000")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{ease}/ease.bpf.o\n", "")
    skip_without("kernel", "load")
    test = "plugin::an_algorithm_from_outside_the_tree_carries_20_mb_through_losses_and_leaves_nothing_behind"
    # 0.5 × 65 536 = 32 768.
    run_in_kernel(test, ease / "ease.bpf.o", parameters="32768,2000")


def test_the_object_is_read_once(ease: Path) -> None:
    skip_without("kernel", "load")
    test = "plugin::an_object_is_loaded_from_the_bytes_that_were_looked_through"
    run_in_kernel(test, ease / "first.bpf.o")


@pytest.mark.parametrize(
    ("name", "test"),
    [
        ("steer", "plugin::an_algorithm_that_steers_by_itself_is_called_in_every_state"),
        ("pac", "plugin::one_megabit_per_second_asked_is_one_megabit_per_second_sent"),
    ],
)
def test_an_algorithm_that_steers_by_itself_runs_in_the_kernel(
    name: str, test: str, tmp_path: Path, new_crate: New
) -> None:
    skip_without("kernel", "load")
    crate = crate_with_object(new_crate, name, tmp_path, Path(__file__).parent / f"{name}.rs")
    run_in_kernel(test, crate / f"{name}.bpf.o")


def test_the_pages_commands_load_it_and_run_a_command_on_it(cwnd: Cli, ease: Path, load: Callable[..., Loader]) -> None:
    skip_without("kernel", "load")
    file = str(ease / "first.bpf.o")
    loader = load(file)
    assert "cwnd_first is loaded" in loader.said and registered("cwnd_first")
    loader.process.kill()
    loader.process.wait()
    assert not registered("cwnd_first")
    done = cwnd("kernel", "use", file, "--", "cat", "/proc/sys/net/ipv4/tcp_available_congestion_control")
    assert (done.returncode, done.stderr) == (0, "") and "cwnd_first" in done.stdout.split()
    assert not registered("cwnd_first")
    loader = load(file, "--param", "beta=0.5", "--as", "cwnd_half")
    assert "cwnd_half is loaded" in loader.said


def test_parameters_are_refused_as_those_of_a_flow(cwnd: Cli, ease: Path) -> None:
    for option, value, words in (
        ("--param", "beta=2", ("beta", "2", "0.1 to 0.99")),
        ("--param", "rtt=3ms", ("--param", "rtt=3ms")),
        ("--param", "beta", ("beta", "KEY=VALUE")),
        ("--cc", "cubic", ("--cc", "cubic", "ease")),
    ):
        done = cwnd("build-kernel", ease, option, value)
        refused(done, *words)


def test_a_machine_without_the_compilers_is_told_what_to_install(cwnd: Cli, ease: Path, tmp_path: Path) -> None:
    env = {**os.environ, "CWND_BPF_RUSTC": str(tmp_path / "rustc")}
    done = cwnd("build-kernel", ease, "-o", tmp_path / "ease.bpf.o", env=env)
    assert (done.returncode, done.stdout) == (1, "")
    assert "rustc-web" in done.stderr and "clang" in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_rule_that_can_panic_is_no_rule_for_the_kernel(cwnd: Cli, ease: Path, tmp_path: Path) -> None:
    rule = ease / "src" / "ease.rs"
    text = rule.read_text()
    assert text.count("let window = conn.cwnd;") == 1
    rule.write_text(text.replace("let window = conn.cwnd;", "let window = [1, 2, 3][acked as usize];"))
    try:
        done = cwnd("build-kernel", ease, "-o", tmp_path / "ease.bpf.o")
    finally:
        rule.write_text(text)
    line = text[: text.index("let window = conn.cwnd;")].count("\n") + 1
    says = f"code that the kernel accepts: src/ease.rs:{line}: an index that may be out of bounds; use get"
    assert done.returncode == 2 and says in done.stderr, done.stderr
    assert list(tmp_path.iterdir()) == []
