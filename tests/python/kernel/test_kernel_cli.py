# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd kernel` on the running kernel: algorithms come, are shared, pinned, refused, and leave nothing behind."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import PROGRAM, Cli, refused
from in_kernel import PATIENCE_S, Connection, Loader, kernel, registered, until

from cwnd import _native
from cwnd.plugin.crate import LOADED

ROOT = Path(__file__).parents[3]


def listed(cwnd: Cli, name: str) -> dict[str, object] | None:
    loaded = json.loads(cwnd("kernel", "list", "--json").stdout)["loaded"]
    return next((row for row in loaded if row["name"] == name), None)


@kernel
def test_the_list_has_every_set_and_what_the_kernel_has_itself(cwnd: Cli) -> None:
    done = cwnd("kernel", "list", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    listing = json.loads(done.stdout)
    sets = {each["name"] for algorithm in listing["available"] for each in algorithm["sets"]}
    built_in = [algorithm for algorithm in _native.algorithms() if algorithm["name"] not in LOADED]
    assert sets == {each["name"] for algorithm in built_in for each in algorithm["sets"]}
    names = [each["kernel_name"] for algorithm in listing["available"] for each in algorithm["sets"]]
    assert len(set(names)) == len(names) and all(len(name) <= 15 for name in names), "each has a name of its own"
    assert {"reno", listing["kernel"]["default"]} <= set(listing["kernel"]["available"])
    plain = cwnd("kernel", "list").stdout
    assert all(f" {name}" in plain for name in sets)


@kernel
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_without_a_pin_it_stays_until_the_loader_is_told_to_end(
    cwnd: Cli, load: Callable[..., Loader], sign: signal.Signals
) -> None:
    loader = load("htcp", "--as", "cwnd_t_stay")
    assert "cwnd kernel use cwnd_t_stay" in loader.said and 'TCP_CONGESTION, "cwnd_t_stay"' in loader.said
    row = listed(cwnd, "cwnd_t_stay")
    assert row and (row["set"], row["pid"], row["pinned"]) == ("htcp", loader.process.pid, None)
    assert row["repaired"] == 0, "nothing has run on it"
    assert loader.end(sign) == (0, "", "")
    assert "cwnd_t_stay" not in registered()


@kernel
def test_a_loader_that_is_killed_leaves_nothing(load: Callable[..., Loader]) -> None:
    loader = load("cubic:cubic-2.2", "--as", "cwnd_t_killed")
    assert "cwnd_t_killed" in registered()
    loader.end(signal.SIGKILL)
    assert "cwnd_t_killed" not in registered()


@kernel
def test_a_loader_that_waits_has_no_rights_left(load: Callable[..., Loader]) -> None:
    loader = load("reno", "--as", "cwnd_t_rights")
    status = Path(f"/proc/{loader.process.pid}/status").read_text()
    fields = dict(line.split(":\t", 1) for line in status.splitlines())
    assert [int(fields[f"Cap{which}"], 16) for which in ("Inh", "Prm", "Eff", "Amb")] == [0, 0, 0, 0]
    assert fields["NoNewPrivs"] == "1"


@kernel
def test_connections_use_it_and_keep_it_when_it_goes(cwnd: Cli, load: Callable[..., Loader]) -> None:
    loader = load("illinois", "--as", "cwnd_t_used")
    connection = Connection("cwnd_t_used")
    try:
        connection.move(5)
        assert connection.algorithm() == "cwnd_t_used"
        row = listed(cwnd, "cwnd_t_used")
        assert row and row["connections"] == 1
        code, out, _ = loader.end()
        assert code == 0 and "1 connection uses it until it ends" in out
        assert "cwnd_t_used" not in registered()
        connection.move(5)
        assert connection.algorithm() == "cwnd_t_used"
        row = listed(cwnd, "cwnd_t_used")
        assert row and (row["registered"], row["connections"]) == (False, 1)
    finally:
        connection.close()
    until(lambda: listed(cwnd, "cwnd_t_used") is None, "the kernel to free cwnd_t_used")


@kernel
def test_a_terminal_sees_how_many_connections_there_are_until_ctrl_c() -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(PROGRAM, [str(PROGRAM), "kernel", "load", "veno", "--as", "cwnd_t_seen"])
    said = b""

    def says(words: bytes) -> bool:
        nonlocal said
        if select.select([terminal], [], [], 0)[0]:
            said += os.read(terminal, 4096)
        return words in said

    try:
        until(lambda: says(b"\r\x1b[K0 connections use cwnd_t_seen"), "no connection")
        connection = Connection("cwnd_t_seen")
        until(lambda: says(b"\r\x1b[K1 connection uses cwnd_t_seen"), "one connection")
        connection.close()
        os.write(terminal, b"\x03")
        _, status = os.waitpid(pid, 0)
    except BaseException:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        raise
    finally:
        os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 0
    assert "cwnd_t_seen" not in registered()


@kernel
def test_a_pin_outlives_the_command_until_it_is_unloaded(cwnd: Cli) -> None:
    done = cwnd("kernel", "load", "hybla-growth", "--param", "rtt0_ms=50", "--as", "cwnd_t_pin", "--pin")
    assert (done.returncode, done.stderr) == (0, "")
    pin = Path("/sys/fs/bpf/cwnd/cwnd_t_pin")
    try:
        assert str(pin) in done.stdout and pin.exists() and "cwnd_t_pin" in registered()
        row = listed(cwnd, "cwnd_t_pin")
        assert row and (row["pinned"], row["running"]) == (str(pin), False)
        again = cwnd("kernel", "load", "hybla-growth", "--param", "rtt0_ms=50", "--as", "cwnd_t_pin", "--pin")
        assert again.returncode == 0 and "had already loaded cwnd_t_pin with the same settings" in again.stdout
        connection = Connection("cwnd_t_pin")
        try:
            connection.move(1)
            done = cwnd("kernel", "unload", "cwnd_t_pin")
            assert (done.returncode, done.stderr) == (0, "")
            assert done.stdout == "cwnd_t_pin is unloaded; 1 connection uses it until it ends.\n"
            connection.move(1)
        finally:
            connection.close()
    finally:
        if pin.exists():
            cwnd("kernel", "unload", "cwnd_t_pin")
    assert not pin.exists() and "cwnd_t_pin" not in registered()


@kernel
def test_two_loaders_share_what_is_the_same_and_the_last_one_takes_it_out(load: Callable[..., Loader]) -> None:
    first = load("yeah", "--as", "cwnd_t_two")
    second = load("yeah", "--as", "cwnd_t_two")
    assert f"Process {first.process.pid} had already loaded cwnd_t_two with the same settings" in second.said
    first.end(signal.SIGKILL)
    assert "cwnd_t_two" in registered()
    assert second.end()[0] == 0
    assert "cwnd_t_two" not in registered()


@kernel
def test_of_loaders_that_begin_at_once_one_loads_and_the_others_share(load: Callable[..., Loader]) -> None:
    with ThreadPoolExecutor() as pool:
        loaders = list(pool.map(lambda _: load("bic", "--as", "cwnd_t_race"), range(4)))
    assert sorted("already" in loader.said for loader in loaders) == [False, True, True, True]
    for loader in loaders:
        assert "cwnd_t_race" in registered()
        assert loader.end()[0] == 0
    assert "cwnd_t_race" not in registered()


@kernel
def test_a_shared_algorithm_that_the_second_pins_stays_when_the_first_goes(
    cwnd: Cli, load: Callable[..., Loader]
) -> None:
    first = load("westwood", "--as", "cwnd_t_pin2")
    try:
        assert cwnd("kernel", "load", "westwood", "--as", "cwnd_t_pin2", "--pin").returncode == 0
        assert first.end()[0] == 0
        assert "cwnd_t_pin2" in registered()
    finally:
        cwnd("kernel", "unload", "cwnd_t_pin2")
    assert "cwnd_t_pin2" not in registered()


@kernel
def test_other_settings_are_refused_a_name_that_is_taken(cwnd: Cli, load: Callable[..., Loader]) -> None:
    load("veno", "--as", "cwnd_t_taken")
    done = cwnd("kernel", "load", "veno", "--param", "beta=5", "--as", "cwnd_t_taken")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "taken by veno with other settings" in done.stderr
    assert "cwnd_t_taken" in registered()


@kernel
def test_a_loader_notices_that_somebody_has_unloaded_its_algorithm(cwnd: Cli, load: Callable[..., Loader]) -> None:
    loader = load("scalable", "--as", "cwnd_t_gone")
    assert cwnd("kernel", "unload", "scalable").stdout == "cwnd_t_gone is unloaded.\n"
    out, _ = loader.process.communicate(timeout=PATIENCE_S)
    assert (loader.process.returncode, out) == (0, "Another process unloaded cwnd_t_gone.\n")


REFUSED = [
    (("load", "cubik"), ("NAME", "cubik", "cubic")),
    (("load", "cubic:reno"), ("SET", "reno", "cubic-2.2")),
    (("load", "cubik:cubic"), ("NAME", "cubik", "cubic")),
    (("load", "cubic", "--param", "beta=2"), ("beta", "2", "0.1 to 0.99")),
    (("load", "cubic", "--param", "bata=0.5"), ("bata", "0.5", "beta")),
    (("load", "cubic", "--param", "beta"), ("--param", "beta", "KEY=VALUE")),
    (("load", "cubic", "--param", "beta=0.5", "--param", "beta=0.6"), ("--param", "beta=0.6", "once")),
    (("load", "cubic", "--as", "sixteen_letters_"), ("--as", "sixteen_letters_", "1 to 15 letters")),
    (("load", "cubic", "--as", ""), ("--as", '""', "1 to 15 letters")),
    (("load", "no/such.bpf.o"), ("NAME", "no/such.bpf.o", "build-kernel")),
    (("unload", "cubic"), ("NAME", "cubic", "another program loaded this one")),
    (("unload", "nothing"), ("NAME", "nothing", "that cwnd loaded")),
    (("lode", "cubic"), ("lode", "", "command")),
    (("load",), ("NAME", "", "Missing")),
]


@kernel
@pytest.mark.parametrize(("arguments", "words"), REFUSED, ids=[" ".join(arguments) for arguments, _ in REFUSED])
def test_bad_input_is_one_line_and_nothing_is_loaded(
    cwnd: Cli, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    done = cwnd("kernel", *arguments)
    refused(done, *words)
    assert "cwnd_cubic" not in registered()


@kernel
def test_without_rights_the_refusal_says_what_is_needed(cwnd: Cli) -> None:
    def bare(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = ["setpriv", "--inh-caps=-all", "--bounding-set=-all", str(PROGRAM), "kernel", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)

    done = bare("load", "htcp")
    assert (done.returncode, done.stdout) == (1, "") and "Traceback" not in done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith("error: ") and "root" in last and "cwnd kernel doctor" in last
    done = bare("list")
    assert done.returncode == 0 and "loaded by cwnd: unknown" in done.stdout and "root" in done.stdout


@kernel
def test_the_doctor_finds_this_machine_fit_and_a_poor_one_not(cwnd: Cli) -> None:
    done = cwnd("kernel", "doctor", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    checks = {check["name"]: check for check in json.loads(done.stdout)}
    assert all(checks[name]["answer"] is True for name in ("rights", "kernel", "BTF", "links of struct_ops", "cgroup2"))
    plain = cwnd("kernel", "doctor").stdout
    assert all(f"  {name} " in plain for name in checks)
    command = ["setpriv", "--inh-caps=-all", "--bounding-set=-all", str(PROGRAM), "kernel", "doctor"]
    poor = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert (poor.returncode, poor.stderr) == (1, "")
    assert "no   rights" in poor.stdout and "needed for everything: run it as root" in poor.stdout


def test_a_build_without_the_kernel_part_says_how_to_get_it() -> None:
    for arguments in (
        ["list"],
        ["load", "htcp"],
        ["unload", "htcp"],
        ["use", "htcp", "--", "true"],
        ["switch", "htcp"],
        ["doctor"],
    ):
        code = (
            "import sys\n"
            "from cwnd import _native\n"
            "if hasattr(_native, 'KernelModule'): del _native.KernelModule\n"
            f"sys.argv = ['cwnd', 'kernel', *{arguments!r}]\n"
            "from cwnd.cli.app import main\n"
            "main()\n"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("error: this cwnd was built without its kernel part")
        assert done.stderr.count("\n") == 1 and "make" in done.stderr


def test_the_pages_commands_and_options_are_there(cwnd: Cli) -> None:
    commands = 0
    for page in (
        ROOT / "docs" / "guide" / "kernel.md",
        ROOT / "docs" / "guide" / "own-algorithm.md",
        ROOT / "README.md",
    ):
        for command in re.findall(
            r"^[$ ]*(?:sudo )?(?:\.venv/bin/)?cwnd kernel ([^#\n]+)", page.read_text(), re.MULTILINE
        ):
            name, *rest = command.partition(" -- ")[0].split()
            options = [word for word in rest if word.startswith("--")]
            text = cwnd("kernel", name, "--help").stdout
            assert text and all(option in text for option in options), command
            commands += 1
    assert commands >= 12


def test_the_kernels_commands_explain_themselves(cwnd: Cli) -> None:
    for arguments in ((), ("--help",)):
        done = cwnd("kernel", *arguments)
        assert (done.returncode, done.stderr) == (0, "")
        assert all(f"\n  {name}" in done.stdout for name in ("list", "load", "unload", "use", "switch", "doctor"))
