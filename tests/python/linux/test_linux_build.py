# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd linux build` keeps a kernel that was tried, by its content; what fails or is stopped leaves nothing under a kernel's name."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tarfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import Cli, refused
from fake_linux import RUNS, FakeLinux
from in_kernel import PATIENCE_S, PROGRAM, until

from cwnd import ScenarioError
from cwnd.linux import build_kernel as building
from cwnd.linux import find, kernels, requirements, sources, trial
from cwnd.linux.build_kernel import build
from cwnd.linux.kernels import KernelDocument
from cwnd.linux.make import MakeError, environment, first_fault
from cwnd.linux.steps import Step
from cwnd.linux.trial import TrialError, why

pytestmark = pytest.mark.skipif(requirements.why_not_here() != "", reason=f"lane linux {requirements.why_not_here()}")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of one's own; and tools that do nothing where the machine has none, since a source that is not Linux's needs none."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("flex", "bison", "bc"):
        (tools / name).write_text("#!/bin/sh\n")
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{os.environ['PATH']}:{tools}")
    monkeypatch.setenv("CWND_LINUX", str(tmp_path / "cache"))
    return tmp_path / "cache"


def visible(folder: Path) -> list[str]:
    """What is in the cache, beside locks."""
    return sorted(path.name for path in folder.iterdir() if not path.name.endswith(".lock"))


def test_a_kernel_is_kept_with_what_it_was_built_from(cache: Path, tmp_path: Path) -> None:
    source = FakeLinux().tarball(tmp_path)
    steps: list[Step] = []
    kernel = build("6.12", source=source, watch=steps.append)
    assert (kernel.name, kernel.version, kernel.release, kernel.hz, kernel.stale) == (
        "6.12",
        "6.12",
        "6.12.7",
        250,
        False,
    )
    assert kernel.path.read_text() == RUNS and os.access(kernel.path, os.X_OK)
    about: KernelDocument = json.loads((kernel.path.parent / "about.json").read_text())
    assert about == kernel.about
    sha256 = subprocess.run(["sha256sum", source], capture_output=True, text=True, check=True).stdout.split()[0]
    assert about["source"] == {"file": str(source), "sha256": sha256}
    assert about["licence"] == "GPL-2.0" and about["compiler"] == requirements.compiler_version()
    assert visible(cache) == [f"6.12-{about['key'][:16]}"]
    assert list(dict.fromkeys(step.name for step in steps)) == ["unpacking", "configuring", "compiling", "trying"]
    # The fake's two objects.
    assert max(step.objects for step in steps) == 2


def test_what_is_built_already_is_not_built_again(cwnd: Cli, tmp_path: Path) -> None:
    source = FakeLinux().tarball(tmp_path)
    first = cwnd("linux", "build", "6.12", "--source", source)
    again = cwnd("linux", "build", "6.12", "--source", source)
    assert first.returncode == again.returncode == 0 and first.stdout == again.stdout
    assert first.stdout == f"6.12: Linux 6.12.7, HZ 250: {find('6.12').path}\n"
    assert (first.stderr, again.stderr) == ("", "6.12 is built already\n")


def test_hz_is_the_kernels_and_part_of_its_name(tmp_path: Path) -> None:
    keep = ["cp .config $(TMP)/config"]
    source = FakeLinux(compile=[line.replace("$(TMP)", str(tmp_path)) for line in keep]).folder(tmp_path / "source")
    assert build(hz=1000, source=source).name == "6.12-hz1000"
    assert "CONFIG_HZ=1000\n" in (tmp_path / "config").read_text()
    assert build(source=source).name == "6.12"
    lines = (tmp_path / "config").read_text().splitlines()
    assert (
        lines[-1] == "CONFIG_HZ=250" and "CONFIG_TCP_CONG_CUBIC=y" in lines and "CONFIG_KERNEL_STACK_ORDER=4" in lines
    )


def test_a_newer_source_replaces_the_kernel_of_its_name(cache: Path, tmp_path: Path) -> None:
    before = build(source=FakeLinux().folder(tmp_path / "one"))
    after = build(source=FakeLinux(kconfig="config INET\n").folder(tmp_path / "two"))
    assert before.path != after.path and not before.path.exists()
    assert kernels() == [after] and len(visible(cache)) == 1


def test_the_key_follows_from_source_hz_driver_and_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = FakeLinux().folder(tmp_path / "source")
    keys = {build(source=source).about["key"], build(source=source, hz=100).about["key"]}
    (source / "net" / "Kconfig").write_text("config IPV6\n")
    keys.add(build(source=source).about["key"])
    monkeypatch.setattr(requirements, "compiler_version", lambda: "cc 99")
    keys.add(build(source=source).about["key"])
    monkeypatch.setattr(building, "driver_digest", lambda: "0" * 64)
    with pytest.raises(OSError, match="was changed"):
        # By the digest that the build is given it is no kernel of the cache's reader.
        monkeypatch.setattr(building, "read", lambda *_: None)
        build(source=source)
    assert len(keys) == 4


Make = Callable[[Path], FakeLinux]


def test_a_failure_of_make_is_one_line_and_its_log_is_kept(cwnd: Cli, cache: Path, tmp_path: Path) -> None:
    fault = "net/core/dev.c:7:1: error: expected a driver"
    source = FakeLinux(compile=["@echo 'warning: first' >&2", f"@echo '{fault}' >&2; false"]).folder(
        tmp_path / "source"
    )
    log = cache / "build-6.12.log"
    refused(cwnd("linux", "build", "--source", source), fault, str(log), code=1)
    assert fault in log.read_text() and visible(cache) == ["build-6.12.log"]
    assert kernels() == []
    # The next success removes it.
    shutil.rmtree(source)
    build(source=FakeLinux().folder(source))
    assert not log.exists()


@pytest.mark.parametrize(
    ("output", "line"),
    [
        (["make[2]: *** [x.o] Error 1", "a.c:1:2: error: no"], "a.c:1:2: error: no"),
        (["make[1]: *** Waiting", "ld: undefined reference to `x'"], "ld: undefined reference to `x'"),
        (["  CC  a.o", "make: *** No rule to make target 'b'."], "make: *** No rule to make target 'b'."),
        ([], "no message"),
    ],
)
def test_the_line_that_says_most_is_shown(output: list[str], line: str) -> None:
    assert first_fault(output) == line


def test_make_takes_nothing_from_the_user_that_would_change_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ARCH", "KCFLAGS", "MAKEFLAGS", "KBUILD_OUTPUT", "CROSS_COMPILE", "LLVM", "O"):
        monkeypatch.setenv(name, "x")
    ours = environment()
    assert not ours.keys() & {"ARCH", "KCFLAGS", "MAKEFLAGS", "KBUILD_OUTPUT", "CROSS_COMPILE", "LLVM", "O"}
    assert ours["PATH"] == os.environ["PATH"] and ours["KBUILD_BUILD_USER"] == "cwnd"


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        ("#!/bin/sh\necho 'Kernel panic - not syncing: no driver'; exit 1\n", "Kernel panic - not syncing: no driver"),
        ("#!/bin/sh\necho 'ptrace: Operation not permitted'; exit 1\n", "this machine or container forbids ptrace"),
        ("#!/bin/sh\n", "it wrote nothing"),
    ],
)
def test_a_kernel_that_does_not_run_is_not_kept(cache: Path, tmp_path: Path, kernel: str, words: str) -> None:
    with pytest.raises(TrialError, match=words):
        build(source=FakeLinux(kernel=kernel).folder(tmp_path / "source"))
    assert visible(cache) == [] and kernels() == []


def test_a_kernel_that_hangs_is_ended_with_its_processes(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "PATIENCE_S", 1)
    hangs = f"#!/bin/sh\nsleep 1000 &\necho $! >{tmp_path}/sleeper\nwait\n"
    with pytest.raises(TrialError, match="did not end within 1 s"):
        build(source=FakeLinux(kernel=hangs).folder(tmp_path / "source"))
    until(lambda: not runs(sleeper(tmp_path)))
    assert visible(cache) == []


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        # As 6.12 says them.
        (
            "Core dump limits :\nChecking that ptrace can change system call numbers...ptrace: Operation not permitted\n"
            "check_ptrace : expected SIGSTOP, got status = 9\n",
            requirements.NO_TRACING,
        ),
        (
            "Checking PROT_EXEC mmap in /dev/shm...Operation not permitted\n/dev/shm must be not mounted noexec\n",
            "the folder for its memory, TMPDIR or /dev/shm, is mounted noexec (Checking PROT_EXEC",
        ),
        ("<0>Kernel panic - not syncing: Kernel mode signal 7\n", "there is no room for its memory"),
        ("devtmpfs: mounted\nKernel panic - not syncing: No init\nend\n", "Kernel panic - not syncing: No init"),
        ("first\nlast\n", "last"),
    ],
)
def test_the_reason_of_a_failed_trial_is_found_in_the_kernels_output(output: str, reason: str) -> None:
    assert why(output).startswith(reason)


def test_where_ptrace_is_forbidden_nothing_is_begun(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert requirements.may_trace()
    # As the kernel answers a process that is traced already.
    monkeypatch.setattr(requirements, "TRACED", f"{requirements.TRACED.partition('sys.exit')[0]}{TWICE}")
    with pytest.raises(OSError, match="forbids ptrace"):
        build(source=FakeLinux().folder(tmp_path / "source"))
    assert not cache.exists()


TWICE = "trace = ctypes.CDLL(None).ptrace; trace(0, 0, 0, 0); sys.exit(trace(0, 0, 0, 0) != 0)"


def test_options_that_a_version_lacks_are_left_out_and_others_refuse_it(tmp_path: Path) -> None:
    without = 'sed -i "/CONFIG_{}=/d" .config'
    source = FakeLinux(configure=[without.format("NET_SCH_DUALPI2")]).folder(tmp_path / "lacking")
    assert build(source=source).about["without"] == ["NET_SCH_DUALPI2"]
    source = FakeLinux(configure=[without.format("NET")]).folder(tmp_path / "refusing")
    with pytest.raises(ScenarioError, match=r"a version that takes CONFIG_NET=y; it has n there"):
        build(source=source)
    source = FakeLinux(configure=["sed -i s/CONFIG_HZ=.*/CONFIG_HZ=100/ .config"]).folder(tmp_path / "fixed")
    with pytest.raises(ScenarioError, match=r"HZ: 250 is not accepted; expected 100, which Linux 6.12"):
        build(source=source)


def test_a_version_without_the_drivers_place_is_refused(cache: Path, tmp_path: Path) -> None:
    source = FakeLinux(drivers="obj-y := elsewhere.o\n").folder(tmp_path / "source")
    with pytest.raises(
        ScenarioError,
        match=r'VERSION: "6.12" is not accepted; expected a version in which cwnd finds the line of arch/um/drivers/Makefile',
    ):
        build(source=source)
    assert visible(cache) == []


def test_what_is_not_accepted_is_one_line(cwnd: Cli, cache: Path, tmp_path: Path) -> None:
    source = FakeLinux().tarball(tmp_path)
    build_with = lambda *words: cwnd("linux", "build", *words)  # noqa: E731
    refused(build_with("newest"), "VERSION", "newest", "a version of Linux, such as 6.12")
    refused(build_with("6.999"), "VERSION", "6.999", "apt-get install linux-source-6.999", "--source")
    for version in ("5.10", "6.2", "6.6"):
        said = "Linux 6.1, or 6.7 or newer: earlier kernels do not count the timeouts of a connection"
        refused(build_with(version), "VERSION", f'"{version}"', said)
    refused(build_with("--hz", "300"), "--hz", "300", "100, 250, 1000")
    refused(build_with("--source", source, "--jobs", "0"), "--jobs", "0", "1 or more")
    refused(build_with("--source", tmp_path / "none"), "--source", "none", "exists")
    refused(build_with("--source", tmp_path), "--source", "a tarball or folder of Linux's source")
    refused(build_with("6.11", "--source", source), "VERSION", '"6.11"', "expected 6.12, the version of")
    short = tmp_path / "linux-6.12.tar.xz"
    short.write_bytes(source.read_bytes()[:-200])
    refused(build_with("--source", short), "--source", "a complete tarball")
    nameless = tmp_path / "source.tar.xz"
    shutil.copy(source, nameless)
    refused(build_with("--source", nameless), "VERSION", "missing", str(nameless))
    refused(build_with("--source", __file__), "--source", ".tar.xz, .tar.gz, .tar.bz2")
    assert not cache.exists() or visible(cache) == []


def test_everything_that_is_lacking_is_in_one_line_before_anything_begins(
    cwnd: Cli, cache: Path, tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    source = FakeLinux().tarball(tmp_path)
    done = cwnd("linux", "build", "--source", source, env={**os.environ, "PATH": str(tmp_path / "bin")})
    refused(done, "gcc, make, flex, bison and bc", "apt-get install linux-source-", code=1)
    assert not cache.exists()


def test_a_folder_that_make_does_not_take_and_a_full_disk_are_refused(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = FakeLinux().tarball(tmp_path)
    monkeypatch.setattr(building, "ROOM", 1 << 60)
    with pytest.raises(OSError, match=r"needs 1152921504\.6 GB in .*; \d+\.\d GB are free"):
        build(source=source)
    monkeypatch.setenv("CWND_LINUX", f"{tmp_path}/a folder")
    with pytest.raises(OSError, match="blanks or colons"):
        build(source=source)
    assert visible(cache) == [] and not (tmp_path / "a folder").exists()


def test_a_tarball_writes_nothing_outside_its_tree_and_nothing_that_is_not_needed(tmp_path: Path) -> None:
    path = tmp_path / "linux-6.12.tar.gz"
    unpacked = FakeLinux().folder(tmp_path / "unpacked")
    with tarfile.open(path, "w:gz") as archive:
        archive.add(unpacked, "linux-6.12")
        archive.add(unpacked / "kernel", "linux-6.12/../../outside")
        link = tarfile.TarInfo("linux-6.12/away")
        link.type, link.linkname = tarfile.SYMTYPE, "../../.."
        archive.addfile(link)
    sources.unpack(sources.Source(path, "6.12"), tmp_path / "tree", lambda _: None)
    assert not (tmp_path / "outside").exists() and not (tmp_path / "tree" / "away").is_symlink()
    assert (tmp_path / "tree" / "drivers/gpu/Makefile").is_file()
    assert not (tmp_path / "tree" / "drivers/gpu/drm").exists()


def test_by_default_the_newest_source_that_is_installed_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "INSTALLED", tmp_path)
    with pytest.raises(ScenarioError, match=r"VERSION: missing; .*apt-get install linux-source-6\.12"):
        build()
    # 6.12 is newer than 6.9, whatever their texts are.
    for version in ("6.9", "6.12", "6.1"):
        FakeLinux(version).tarball(tmp_path)
    (tmp_path / "linux-source-6.13-rc1").mkdir()
    assert list(sources.installed()) == ["6.12", "6.9", "6.1"]
    assert build().version == "6.12" and build("6.9").version == "6.9"


@pytest.fixture
def slow_build(tmp_path: Path) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Starts builds whose make sleeps, and ends what is left of them."""
    started: list[subprocess.Popen[str]] = []
    sleeps = FakeLinux(compile=[f"echo $$$$ >{tmp_path}/sleeper; exec sleep 1000"])
    source = sleeps.folder(tmp_path / "source")

    def start() -> subprocess.Popen[str]:
        command = [PROGRAM, "linux", "build", "--source", source]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        wait_for(lambda: (tmp_path / "sleeper").exists() and (tmp_path / "sleeper").read_text() != "")
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def wait_for(condition: Callable[[], bool]) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end_s
        time.sleep(0.02)


def sleeper(tmp_path: Path) -> int:
    """The number of the process that make waits for."""
    return int((tmp_path / "sleeper").read_text())


def runs(number: int) -> bool:
    """Whether a process runs; one that nobody has waited for does not."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_build_that_is_stopped_ends_make_and_leaves_nothing(
    slow_build: Callable[[], subprocess.Popen[str]], cache: Path, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    process = slow_build()
    process.send_signal(number)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == code
    assert not runs(sleeper(tmp_path)) and visible(cache) == []


def test_a_second_build_of_a_kernel_is_refused_while_the_first_runs_and_clears_up_after_a_killed_one(
    slow_build: Callable[[], subprocess.Popen[str]], cache: Path, tmp_path: Path, cwnd: Cli
) -> None:
    process = slow_build()
    quick = FakeLinux().folder(tmp_path / "quick")
    words = ("another build of 6.12 is in progress",)
    refused(cwnd("linux", "build", "--source", quick), *words, code=1)
    # Another kernel is built meanwhile.
    assert cwnd("linux", "build", "--source", quick, "--hz", "100").returncode == 0
    process.kill()
    process.communicate()
    # Its make still runs, and writes.
    refused(cwnd("linux", "build", "--source", quick), *words, code=1)
    os.kill(sleeper(tmp_path), signal.SIGKILL)
    wait_for(lambda: not runs(sleeper(tmp_path)))
    wait_for(lambda: cwnd("linux", "build", "--source", quick).returncode == 0)
    assert [kernel.name for kernel in kernels()] == ["6.12", "6.12-hz100"]
    assert not [name for name in visible(cache) if name.startswith(".build")]


def test_a_failure_of_make_is_an_error_of_the_system() -> None:
    assert issubclass(MakeError, OSError) and issubclass(TrialError, OSError)
