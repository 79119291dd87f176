# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd doctor` finds what is there and names the command that installs what is not; without the kernel part all else works."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import asdict
from pathlib import Path

import needs
import pytest
from conftest import Cli, refused

import cwnd as package
from cwnd._internal import debian_packages
from cwnd.cli.commands.doctor import PARTS, RUST, is_clone

ROOT = Path(__file__).parents[3]
#: As a build without the feature `kernel` has it: no name of the kernel part.
WITHOUT_KERNEL = """
import sys
from cwnd import _native
for name in dir(_native):
    if name.lower().startswith("kernel"):
        delattr(_native, name)
"""
#: Programs, each of which an empty PATH hides.
PROGRAMS = ("rust", "tshark", "iperf3", "node", "chromium", "firefox", "valgrind", "zsh", "fish", "groff", "mandoc")


def without_kernel(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", WITHOUT_KERNEL + code], capture_output=True, text=True, check=False)


def test_every_part_says_whether_it_is_there_and_if_not_which_command_brings_it(cwnd: Cli, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    done = cwnd("doctor", "--json", env={**os.environ, "PATH": str(tmp_path / "bin")})
    assert (done.returncode, done.stderr) == (0, "")
    found = {part["name"]: part for part in json.loads(done.stdout)}
    # An installed package leaves out what only a clone needs.
    assert list(found) == [name for name, known in PARTS.items() if is_clone() or not known.for_clone]
    for name in found.keys() & set(PROGRAMS):
        assert not found[name]["present"], found[name]
    for part in found.values():
        assert part["title"] and part["needed_for"] and part["detail"]
        assert bool(part["remedy"]) != part["present"], part
        assert "\n" not in part["remedy"]
    assert re.fullmatch(r"(sudo )?apt-get install tshark", found["tshark"]["remedy"])
    assert re.fullmatch(r"curl .*rustup.*", found["rust"]["remedy"])


def test_a_line_for_each_part_and_the_command_on_a_line_of_its_own(cwnd: Cli, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    done = cwnd("doctor", "tshark", "rust", env={**os.environ, "PATH": str(tmp_path / "bin")})
    assert (done.returncode, done.stderr) == (1, "")
    words = [line.split(maxsplit=1) for line in done.stdout.splitlines()]
    assert words[0] == ["no", "tshark  tshark: reading the files of --pcap"]
    assert [line.strip() for line in done.stdout.splitlines()][1] == "no tshark on the path"
    assert re.fullmatch(r" +(sudo )?apt-get install tshark", done.stdout.splitlines()[2])


@pytest.mark.parametrize("name", ["frames", "dask", "notebooks"])
def test_what_is_there_is_found_and_named_parts_decide_the_exit_code(cwnd: Cli, name: str) -> None:
    done = cwnd("doctor", name)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("yes  ")


def test_from_python_it_is_the_same(cwnd: Cli) -> None:
    # Of those that no test without the marker `slow` may ask for.
    names = [name for name in PARTS if name not in ("dask", "notebooks")]
    found = package.doctor(*names)
    assert [asdict(part) for part in found] == json.loads(cwnd("doctor", "--json", *names, cwd=ROOT).stdout)
    assert package.doctor("frames") == [part for part in found if part.name == "frames"]
    with pytest.raises(package.ScenarioError, match="did you mean page"):
        package.doctor("pag")


def test_an_unknown_part_is_refused(cwnd: Cli) -> None:
    refused(cwnd("doctor", "pag"), "PART", "pag", "did you mean page")
    refused(cwnd("doctor", "frames", ""), "PART", "expected an optional part")


def test_a_python_without_the_packages_is_told_the_extra() -> None:
    code = """
import sys
for name in ("pandas", "distributed"):
    sys.modules[name] = None
import cwnd
for part in cwnd.doctor("frames", "dask"):
    print(part.present, part.detail, part.remedy)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    frames, dask = done.stdout.splitlines()
    assert frames == f"False without pandas {sys.executable} -m pip install 'cwnd[frames]'"
    assert dask == f"False without distributed {sys.executable} -m pip install 'cwnd[dask]'"


def test_without_the_kernel_part_every_module_can_be_imported_and_each_use_says_how_to_get_it() -> None:
    modules = [f"cwnd.kernel.{path.stem}" for path in (ROOT / "python" / "cwnd" / "kernel").glob("*.py")]
    assert "cwnd.kernel.listing" in modules and "cwnd.kernel.trace" in modules
    code = f"""
import importlib
for name in {modules!r}:
    importlib.import_module(name)
from cwnd.kernel import native
from cwnd.kernel.listing import collect
from cwnd.kernel.native import KernelError, KernelModule, KernelTrace, kernel_doctor
assert native.KernelModule is KernelModule and issubclass(KernelError, Exception)
for use in (collect, kernel_doctor, lambda: KernelModule("cubic"), lambda: KernelModule.of_loaded("cubic"), lambda: KernelTrace.kernels_own()):
    try:
        use()
    except OSError as error:
        print(error)
import cwnd
for part in cwnd.doctor("kernel", "load"):
    print(part.present, part.remedy)
"""
    done = without_kernel(code)
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert len(lines) == 7, lines
    for line in lines[:5]:
        assert line.startswith("this cwnd was built without its kernel part") and "make kernel" in line, line
    # An installed package is replaced by a wheel.
    for line in lines[5:]:
        assert line.startswith("False ") and ("make kernel" if is_clone() else "make wheel") in line, line


def test_the_packages_and_the_version_of_rust_are_those_that_the_build_needs() -> None:
    manifest = tomllib.loads((ROOT / "Cargo.toml").read_text())
    assert manifest["workspace"]["package"]["rust-version"] == ".".join(map(str, RUST))
    llvm = debian_packages.newest_llvm()
    assert debian_packages.packages(["kernel", "wasm"]).count("rustc-web") == 1
    assert f"clang-{llvm}" in debian_packages.command(["kernel"])
    done = subprocess.run(
        [sys.executable, "-m", "cwnd._internal.debian_packages", "kernle"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "kernle" in done.stderr and done.stderr.count("\n") == 1


def test_a_skip_says_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    missing = package.OptionalPart("page", "the web page", "cwnd lab", False, "not built into this cwnd", "make page")
    monkeypatch.setattr(needs, "part", lambda _name: missing)
    monkeypatch.setattr(needs, "CI", False)
    assert needs.lacks("page") == "needs the web page (not built into this cwnd): make page"
    with pytest.raises(pytest.skip.Exception, match="make page"):
        needs.skip_without("page")
    monkeypatch.setattr(needs, "CI", True)
    assert needs.lacks("page") == ""


def test_the_page_lists_every_part() -> None:
    page = (ROOT / "docs" / "guide" / "install.md").read_text()
    _, _, text = page.partition("\n## Optional parts\n")
    text, _, _ = text.partition("\n## ")
    assert re.findall(r"^\| `([a-z0-9]+)` \|", text, re.MULTILINE) == [
        name for name, part in PARTS.items() if not part.for_clone
    ]
