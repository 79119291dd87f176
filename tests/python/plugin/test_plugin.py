# SPDX-License-Identifier: MIT OR Apache-2.0
"""An algorithm of one's own: made, run beside the others, refused where it must be."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import PROGRAM, QUICK_BUILDS, Cli, New, cargo, refused
from needs import needs

import cwnd as package
from cwnd.plugin import crate as plugin

ROOT = Path(__file__).parents[3]
MIRROR = Path(__file__).parent / "mirror.rs"


@pytest.fixture(scope="module")
def mirror(tmp_path_factory: pytest.TempPathFactory, new_crate: New) -> Path:
    """A crate whose algorithm is one of those that are built in."""
    crate = new_crate("mirror", tmp_path_factory.mktemp("plugin") / "mirror")
    shutil.copy(MIRROR, crate / "src" / "mirror.rs")
    plugin.build(crate)
    return crate


# The one library that is built as users build theirs.
@pytest.mark.slow
@cargo
def test_the_commands_that_new_prints_work_as_they_stand(cwnd: Cli, tmp_path: Path) -> None:
    done = cwnd("new", "my_cc", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert {path.name for path in (tmp_path / "my_cc").iterdir()} == {
        ".gitignore",
        "Cargo.toml",
        "README.md",
        "src",
        "tests",
    }
    *commands, kernel = [line for line in done.stdout.splitlines() if line.startswith("  ")]
    assert kernel == "  cwnd build-kernel my_cc"  # which test_plugin_kernel.py runs
    env = {name: value for name, value in os.environ.items() if name not in QUICK_BUILDS}
    env["PATH"] = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    for command, expected in zip(commands, ("test result: ok. 6 passed", "my_cc 2")):
        ran = subprocess.run(shlex.split(command), cwd=tmp_path, env=env, capture_output=True, text=True)
        assert ran.returncode == 0 and expected in ran.stdout, ran.stdout + ran.stderr


@cargo
@needs("linux")
def test_the_page_can_be_followed_to_the_letter(with_core: Callable[[Path], Path], tmp_path: Path) -> None:
    page = (ROOT / "docs" / "guide" / "own-algorithm.md").read_text()
    blocks = re.findall(r"```(sh|text|rust)\n(.*?)```", page, re.DOTALL)
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    printed, before, compared = "", None, 0
    for kind, text in blocks:
        if kind == "sh" and "build-kernel" not in text:  # which test_plugin_kernel.py runs
            command = ["bash", "-euc", text]
            done = subprocess.run(
                command, cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, text + done.stderr
            printed = done.stdout
            if text.startswith("cwnd new "):
                with_core(tmp_path / "lull")
        elif kind == "rust" and before is None:
            before = text
        elif kind == "rust":
            rule = tmp_path / "lull" / "src" / "lull.rs"
            assert rule.read_text().count(before) == 1
            rule.write_text(rule.read_text().replace(before, text))
        elif kind == "text" and "cargo build" not in text:
            lines = [" ".join(line.split()) for line in printed.splitlines()]
            for line in text.splitlines():
                assert " ".join(line.split()) in lines, f"{line}\nis not in\n{printed}"
                compared += 1
    assert compared == 14 and before is not None


@pytest.mark.slow
@cargo
def test_the_crate_keeps_its_promises_and_is_written_as_our_own(tmp_path: Path) -> None:
    crate = plugin.new("lull", tmp_path / "lull")
    library = (crate / "src" / "lib.rs").read_text()
    assert "#![no_std]" in library and "#![forbid(unsafe_code)]" in library
    assert "unsafe" not in (crate / "src" / "lull.rs").read_text()
    assert "lull" not in (plugin.new("calm", tmp_path / "calm") / "src" / "calm.rs").read_text().lower()
    for command in ("fmt --check", "clippy --quiet --all-targets -- --deny warnings"):
        done = subprocess.run(["cargo", *command.split()], cwd=crate, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@cargo
def test_ones_own_is_usable_wherever_a_registered_name_is(cwnd: Cli, tmp_path: Path, ease: Path) -> None:
    flow = ("ease:2@beta=0.5,rest_us=2000,rtt=30ms", "cubic", "--duration", "3s", "--plugin", ease)
    done = cwnd("compare", *flow, "--inner", "--no-plots", "-o", "out", "--json", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    flows = json.loads(done.stdout)["flows"]
    assert [row["name"] for row in flows] == ["ease 1", "ease 2", "cubic"] and flows[0]["rtt_ms"] == 30.0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["plugins"] == {"ease": hashlib.sha256(plugin.build(ease).read_bytes()).hexdigest()}
    again = cwnd("run", "out/scenario.toml", "--plugin", ease, "--json", cwd=tmp_path)
    assert json.loads(again.stdout)["flows"] == flows
    shown = json.loads(cwnd("show", "ease", "--plugin", ease, "--json").stdout)
    assert [(param["name"], param["default"], param["max"]) for param in shown["params"]] == [
        ("beta", "0.7", "0.99"),
        ("rest_us", "5000", "10000000"),
    ]
    assert [variable["name"] for variable in shown["inner"]] == ["base_rtt_us", "queueing_us"]
    known = json.loads(cwnd("algorithms", "--plugin", ease, "--json").stdout)
    ours = [algorithm["name"] for algorithm in known if "stacks" not in algorithm]
    assert ours[-1] == "ease" and "cubic" in ours


@cargo
def test_a_library_does_what_is_built_in_at_every_call(mirror: Path) -> None:
    package.load_plugin(mirror)
    tables = {}
    for cc in ("westwood-linux", "mirror"):
        flows = [package.Flow(cc, count=2, recovery="sack", start={"uniform": ["0s", "100ms"]}), package.Flow("sack")]
        loss = "random:0.0005"
        scenario = package.dumbbell(flows, rate="50Mbit/s", rtt="30ms", duration="20s", loss=loss, per_ack=True)
        tables[cc] = package.run(scenario).cwnd
    assert tables["mirror"].num_rows > 20_000 and tables["mirror"] == tables["westwood-linux"]


@cargo
def test_a_library_replays_the_kernels_calls_without_a_difference(cwnd: Cli, mirror: Path) -> None:
    trace = ROOT / "vectors" / "golden" / "linux-6.1" / "westwood_12M_40ms.parquet"
    ours = json.loads(cwnd("replay", trace, "--cc", "mirror", "--plugin", mirror, "--json").stdout)
    assert ours == json.loads(cwnd("replay", trace, "--cc", "westwood-linux", "--json").stdout)
    assert ours["differences"] == 0 and ours["calls"] > 1000


@cargo
def test_a_change_is_built_and_takes_the_place_of_what_was_loaded(new_crate: New, tmp_path: Path) -> None:
    crate = new_crate("wax", tmp_path / "wax")

    def default() -> str:
        package.load_plugin(crate)
        (wax,) = [algorithm for algorithm in package._native.algorithms() if algorithm["name"] == "wax"]
        return wax["params"][1]["default"]

    assert default() == "5000"
    rule = crate / "src" / "wax.rs"
    rule.write_text(rule.read_text().replace("rest_us: 5_000", "rest_us: 7_000"))
    assert default() == "7000"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", ("1 to 10",)),
        ("Ease", ("lower-case",)),
        ("9lives", ("a letter first",)),
        ("two-words", ("lower-case",)),
        ("elevenchars", ("1 to 10",)),
        ("fn", ("Rust",)),
        ("default", ("Rust",)),
        ("conn", ("core",)),
        ("cubic", ("no algorithm has",)),
    ],
)
def test_a_name_that_cannot_be_is_refused(cwnd: Cli, tmp_path: Path, name: str, words: tuple[str, ...]) -> None:
    refused(cwnd("new", name, cwd=tmp_path), "NAME", f'"{name}"', *words)
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_left_alone(cwnd: Cli, tmp_path: Path) -> None:
    (tmp_path / "ease").mkdir()
    (tmp_path / "thesis").write_text("years of work")
    refused(cwnd("new", "ease", cwd=tmp_path), "folder", "ease", "a new folder")
    refused(cwnd("new", "ease", "--path", "thesis", cwd=tmp_path), "--path", "thesis", "a new folder")
    assert (tmp_path / "thesis").read_text() == "years of work" and not list((tmp_path / "ease").iterdir())


@pytest.mark.parametrize("fault", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_nothing_is_left_half_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: BaseException) -> None:
    written = []
    write = Path.write_text

    def fails_at_the_third(path: Path, *text: str, **how: str) -> int:
        written.append(path)
        if len(written) == 3:
            raise fault
        return write(path, *text, **how)

    monkeypatch.setattr(Path, "write_text", fails_at_the_third)
    with pytest.raises(type(fault)):
        plugin.new("ease", tmp_path / "ease")
    assert len(written) == 3 and list(tmp_path.iterdir()) == []


def test_ctrl_c_stops_a_build(cwnd: Cli, tmp_path: Path) -> None:
    crate = plugin.new("ease", tmp_path / "ease")
    (tmp_path / "bin").mkdir()
    slow = tmp_path / "bin" / "cargo"  # which somebody interrupts at its start
    slow.write_text("#!/bin/sh\nkill -INT $PPID\nexec sleep 30\n")
    slow.chmod(0o755)
    done = cwnd("algorithms", "--plugin", crate, env={**os.environ, "PATH": f"{slow.parent}:{os.environ['PATH']}"})
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "stopped\n")


@cargo
def test_the_same_is_refused_as_of_those_that_are_built_in(cwnd: Cli, ease: Path) -> None:
    for flow, words in (
        ("ease@beta=2", ("flow[0].beta", "2", "0.1 to 0.99")),
        ("ease@rest_us=soon", ("flow[0].rest_us", "soon", "0 to 10000000")),
        ("ease@bta=0.5", ("flow[0].bta", "0.5", "beta")),
        ("eas", ("flow[0].cc", "eas", "ease")),
    ):
        refused(cwnd("compare", flow, "--plugin", ease), *words)


@cargo
def test_a_compilers_complaint_is_shown_and_ends_in_a_line(cwnd: Cli, ease: Path, rule: Path) -> None:
    rule.write_text("pub struct Ease { unfinished")
    done = cwnd("compare", "ease", "--plugin", ease)
    assert (done.returncode, done.stdout) == (2, "")
    *log, last = done.stderr.splitlines()
    assert last.startswith("error: plugin: ") and "above" in last
    assert any("ease.rs:1" in line for line in log), done.stderr


def test_a_machine_without_rust_is_told_what_it_lacks(cwnd: Cli, tmp_path: Path) -> None:
    crate = plugin.new("ease", tmp_path / "ease")
    refused(cwnd("algorithms", "--plugin", crate, env={"PATH": str(tmp_path)}), "cargo", "1.89", code=1)


@cargo
def test_what_is_no_algorithm_is_refused(cwnd: Cli, tmp_path: Path, ease: Path) -> None:
    (tmp_path / "text.so").write_text("no library")
    refused(cwnd("algorithms", "--plugin", tmp_path / "text.so"), "plugin", "text.so", "this machine can load")
    refused(cwnd("algorithms", "--plugin", tmp_path / "none"), "plugin", "none", "cwnd new")
    refused(cwnd("algorithms", "--plugin", tmp_path), "plugin", "path dependency on cwnd")
    native = package._native.__file__
    refused(cwnd("algorithms", "--plugin", native), "plugin", "symbol cwnd_plugin")


def library(folder: Path, head: str) -> Path:
    """A library whose symbol begins as `head` says."""
    file = folder / "other.so"
    code = f"#[unsafe(no_mangle)] pub static cwnd_plugin: [u8; 48] = *b{head};"
    flags = ["--edition=2024", "--crate-type=cdylib", "--crate-name=other", "-Anon_upper_case_globals", "-o", str(file)]
    subprocess.run(["rustc", *flags, "-"], input=code, text=True, check=True)
    return file


@cargo
def test_a_build_against_other_sources_is_refused_before_it_is_read(cwnd: Cli, tmp_path: Path) -> None:
    version = "9.9.9" + "\\0" * 27
    other = library(tmp_path, rf'"cwnd cc\n\x01\0\0\0\x2a\0\0\0{version}"')
    refused(cwnd("algorithms", "--plugin", other), "plugin", "other.so", "9.9.9", package.__version__)
    strange = library(tmp_path, '"' + "?" * 48 + '"')
    refused(cwnd("algorithms", "--plugin", strange), "plugin", "table of cwnd")


@cargo
@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('NAME: &\'static str = "ease"', 'NAME: &\'static str = "cubic"', ("first of SETS", "cubic")),
        ('"ease"', '"sack"', ("sack is taken",)),
        ("rest_us", "start", ("start", "a flow has a key of that name")),
        ("rest_us: 5_000", "rest_us: 50_000_000", ("rest_us", "within its own range", "50000000")),
    ],
)
def test_an_algorithm_that_contradicts_itself_or_others_is_refused(
    cwnd: Cli, ease: Path, rule: Path, old: str, new: str, words: tuple[str, ...]
) -> None:
    assert old in rule.read_text()
    rule.write_text(rule.read_text().replace(old, new))
    refused(cwnd("algorithms", "--plugin", ease), "plugin", *words)


@cargo
@pytest.mark.parametrize(
    ("field", "words"), [("history: [u64; 13]", "104 bytes"), ("rests: bool", "cannot be part of an algorithm's state")]
)
def test_a_state_that_the_kernel_cannot_keep_does_not_build(
    cwnd: Cli, ease: Path, rule: Path, field: str, words: str
) -> None:
    last = "last_rtt_us: u32,\n"
    assert last in rule.read_text()
    rule.write_text(rule.read_text().replace(last, f"{last}        {field},\n"))
    done = cwnd("algorithms", "--plugin", ease)
    assert done.returncode == 2 and words in done.stderr, done.stderr


@cargo
def test_a_crate_made_elsewhere_is_told_where_the_core_is_here(cwnd: Cli, tmp_path: Path) -> None:
    crate = plugin.new("ease", tmp_path / "ease")
    text = (crate / "Cargo.toml").read_text()
    source = plugin.source()
    (crate / "Cargo.toml").write_text(text.replace(str(source), "/somebody/else"))
    refused(cwnd("algorithms", "--plugin", crate), "/somebody/else/crates/cwnd", str(source / "crates" / "cwnd"))


@pytest.mark.slow
@cargo
def test_the_sources_that_a_wheel_carries_suffice(cwnd: Cli, tmp_path: Path) -> None:
    # Laid out beside the package by maturin, as they lie in a wheel.
    carried = shutil.copytree(Path(package.__file__).with_name("source"), tmp_path / "wheel")
    env = {**os.environ, "CWND_SOURCE": str(carried)}
    assert cwnd("new", "ease", cwd=tmp_path, env=env).returncode == 0
    assert str(carried) in (tmp_path / "ease" / "Cargo.toml").read_text()
    done = cwnd("compare", "ease", "--duration", "1s", "--plugin", "ease", cwd=tmp_path, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    refused(cwnd("new", "other", cwd=tmp_path, env={**env, "CWND_SOURCE": str(tmp_path)}), "CWND_SOURCE", "crates/cwnd")
