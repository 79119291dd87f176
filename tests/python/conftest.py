# SPDX-License-Identifier: MIT OR Apache-2.0
"""Shared set-ups: the installed program, and a short run."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import passed
import pytest
import real_time
import slow
from forked import READ_LATE, Server, environment
from hypothesis import settings
from in_kernel import PATIENCE_S, PROGRAM, Loader
from needs import needs
from skip_reasons import pytest_terminal_summary as pytest_terminal_summary

from cwnd.linux import Kernel, find
from cwnd.plugin import crate as plugin

HERE = Path(__file__).parent
# Files of tests import from each other, whatever subpackage they belong to.
sys.path[:0] = sorted(str(path) for path in HERE.iterdir() if next(path.glob("test_*.py"), None))

# What fails is printed with what repeats it; nothing is kept on disk, and a busy machine is no fault.
settings.register_profile("cwnd", database=None, deadline=None, print_blob=True)
settings.load_profile("cwnd")

# A shell that starts the tests in the background has them ignore Ctrl-C, and so every program that they start: the tests of
# Ctrl-C would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

QUICK = {"OPT_LEVEL": "1", "LTO": "off", "CODEGEN_UNITS": "16"}
#: Crates of one's own are built in many folders: without what makes them fast, but for a test that says so.
QUICK_BUILDS = {
    f"CARGO_PROFILE_{profile}_{key}": value for profile in ("RELEASE", "CHECKED") for key, value in QUICK.items()
}
os.environ.update(QUICK_BUILDS)
# What runs the tests may have another kind of terminal, or none: a dumb one shows no progress.
os.environ["TERM"] = "xterm-256color"

# What somebody has set for themselves is no part of a test.
os.environ["CWND_DEFAULTS"] = ""

Cli = Callable[..., "subprocess.CompletedProcess[str]"]
New = Callable[[str, Path], Path]
SHORT = ("compare", "cubic:2", "sack", "--rate", "20Mbit/s", "--rtt", "20ms", "--duration", "3s")


@pytest.fixture(scope="session")
def server() -> Iterator[Server | None]:
    """The process that commands are forked from; none where the system cannot wait for them."""
    server = Server(PROGRAM) if hasattr(os, "pidfd_open") else None
    yield server
    if server:
        server.end()


@pytest.fixture
def program() -> Cli:
    """Runs the program as a user's shell does."""

    def run(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
        command = [str(PROGRAM), *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False, **options)  # type: ignore[call-overload,no-any-return]

    return run


@pytest.fixture
def cwnd(program: Cli, server: Server | None) -> Cli:
    """Runs the program in a process of its own, without the time that its start takes."""

    def run(
        *arguments: object, cwd: Path | None = None, env: Mapping[str, str] | None = None, **options: object
    ) -> subprocess.CompletedProcess[str]:
        changes = server.changes(environment(env)) if server else {}
        if options or server is None or not changes.keys() <= READ_LATE:
            return program(*arguments, cwd=cwd, env=env, **options)
        return server.run(list(map(str, arguments)), cwd, PATIENCE_S, changes)

    return run


@contextmanager
def once_for_all(tmp_path_factory: pytest.TempPathFactory, name: str) -> Iterator[Path]:
    """A folder that all processes of the tests share; whoever makes what is in it, the others wait for."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    with (folder / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder / name


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the program writes of a short run, with its pictures: for tests that only look at it."""
    with once_for_all(tmp_path_factory, "drawn") as folder:
        if not folder.exists():
            subprocess.run([PROGRAM, *SHORT, "-o", folder], check=True, capture_output=True)
    return folder


@pytest.fixture
def virtual_kernel() -> Kernel:
    """A kernel of lane linux, which `make test-python` builds in CI."""
    return find()


@pytest.fixture
def turn() -> Iterator[None]:
    """Waits until no other test on this machine, of Rust's or of these, loads algorithms."""
    with (Path(tempfile.gettempdir()) / "cwnd-kernel-tests.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture
def lab(worker_id: str) -> Iterator[None]:
    """Waits until no more than one other test of these runs labs: each of their threads goes before everything else on a processor."""
    number = int(worker_id.removeprefix("gw")) if worker_id != "master" else 0
    with (Path(tempfile.gettempdir()) / f"cwnd-lab-tests-{number % 2}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.fixture
def load() -> Iterator[Callable[..., Loader]]:
    """Starts loaders that stay, and ends what is left of them."""
    loaders: list[Loader] = []

    def start(*arguments: str) -> Loader:
        loaders.append(Loader(*arguments))
        return loaders[-1]

    yield start
    for loader in loaders:
        if loader.process.poll() is None:
            loader.process.kill()
        loader.process.communicate()


#: They take longest, and most of it they wait: for the kernel, for each other, for time to pass. At the end nothing would be beside them.
FIRST = (
    # The longest: a part of the tests ends when they do.
    "test_affected_reads",
    "test_release_build",
    "test_notebooks",
    "test_plugin_kernel",
    "test_kernel_safety",
    "test_live_traffic",
    "test_iperf3",
    "test_kernel_cli",
    "test_live",
    "test_shell",
    "test_kernel_use",
    "test_guide",
    "test_kernel_trace",
    "test_lab_killed",
    "test_live_seeds",
    "test_two_labs",
    "test_kernel_plugin_trace",
    "test_check",
    "test_kernel_trace_says",
    "test_kernel_refusals",
    "test_hook_order",
    "test_shell_user",
    "test_guide_kernel",
    "test_reproduce",
    "test_contributing",
    "test_terminal",
)
#: They load algorithms of one's own into this process, where they stay: after all the others, in this order.
LAST = ("test_plugin", "test_plugin_faults", "test_linux_plugin", "test_contributing_response")


@pytest.fixture(autouse=True)
def no_plugin_stays(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails a test that leaves an algorithm of one's own in this process, where every later test would find it."""
    # Whatever loads it: the test, or a fixture that was set up before this one.
    yield
    stay = set(plugin.LOADED)
    assert not stay or request.path.stem in LAST, f"{stay} stays in this process: load it in another, as `cwnd` does"


assert {*FIRST, *LAST} <= {path.stem for path in HERE.rglob("test_*.py")}
ORDER = {**{name: at - len(FIRST) for at, name in enumerate(FIRST)}, **{name: at for at, name in enumerate(LAST, 1)}}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: ORDER.get(item.path.stem, 0))
    for item in items:
        # Two tests that take them in different orders would wait for each other for ever.
        if isinstance(item, pytest.Function) and {"lab", "turn"} <= set(item.fixturenames):
            item.fixturenames.sort(key=lambda name: name == "lab")


def pytest_addoption(parser: pytest.Parser) -> None:
    passed.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(passed.Passed(config))
    config.pluginmanager.register(real_time.RealTime())
    starts_tests = not config.getoption("numprocesses", None)
    config.pluginmanager.register(slow.Guard(Path(tempfile.mkdtemp(prefix="cwnd-tests-")), starts_tests))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """CI installs what tests need: one that is skipped there is one that never runs, unless it is marked `ci_may_skip`."""
    report = yield
    if report.skipped and os.environ.get("CI") == "true" and item.get_closest_marker("ci_may_skip") is None:
        report.outcome, report.longrepr = "failed", f"skipped, and CI must run it: {report.longrepr}"
    return report


cargo = needs("rust")


@pytest.fixture(scope="session")
def core_built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder `target/cwnd` of a crate as `cwnd new` makes it, built once for all processes of the tests: core and contract are in it."""
    with once_for_all(tmp_path_factory, "core_built") as folder:
        crate = folder / "still"
        if not crate.exists():
            plugin.new("still", crate)
            for profile in ("release", "checked"):
                plugin.build(crate, profile=profile)
            # By the program: this process would know the algorithm ever after. Where the compilers are missing, those who need them say so.
            subprocess.run([PROGRAM, "build-kernel", crate], capture_output=True, timeout=PATIENCE_S, check=False)
    return crate / "target" / "cwnd"


@pytest.fixture(scope="session")
def with_core(core_built: Path) -> Callable[[Path], Path]:
    """Puts the core, built already, into a new crate's target folder; returns the crate."""

    def put(crate: Path) -> Path:
        for built in ("build", "kernel/target"):
            # With their times, by which cargo knows that they are up to date.
            if (core_built / built).exists():
                shutil.copytree(core_built / built, crate / "target" / "cwnd" / built, copy_function=shutil.copy2)
        return crate

    return put


@pytest.fixture(scope="session")
def new_crate(with_core: Callable[[Path], Path]) -> New:
    """Makes a crate as `cwnd new` does, with the core built."""
    return lambda name, folder: with_core(plugin.new(name, folder))


@pytest.fixture(scope="module")
def ease(tmp_path_factory: pytest.TempPathFactory, new_crate: New) -> Path:
    """A crate as `cwnd new` makes it, its library built."""
    crate = new_crate("ease", tmp_path_factory.mktemp("plugin") / "ease")
    plugin.build(crate)
    return crate


@pytest.fixture
def rule(ease: Path) -> Iterator[Path]:
    """The crate's rule, to be changed: afterwards it is as it was."""
    file = ease / "src" / "ease.rs"
    text = file.read_text()
    yield file
    file.write_text(text)


def refused(done: subprocess.CompletedProcess[str], *words: str, code: int = 2) -> None:
    """One line on standard error, with these words in it."""
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1, done.stderr
    assert all(word in done.stderr for word in words), done.stderr
