# SPDX-License-Identifier: MIT OR Apache-2.0
"""What .ci/bare-root says where it cannot run; what it runs, CI runs. `make page` and `make kernel` name the packages where they may not install them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from needs import needs, needs_root

from tools import ROOT


def run(*command: object, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if key != "CI"}
    return subprocess.run(
        list(map(str, command)), cwd=ROOT, env=kept | environment, capture_output=True, text=True, check=False
    )


@needs("bare-root")
@needs_root
def test_a_mirror_that_does_not_answer_is_one_line_and_leaves_no_root(tmp_path: Path) -> None:
    # Nothing listens on the discard port of the loopback interface.
    mirror = "http://127.0.0.1:9/debian"
    done = run(".ci/bare-root", "trixie", "true", CWND_MIRROR=mirror, CWND_BARE_ROOT=str(tmp_path))
    assert done.returncode == 1, done.stderr
    last = done.stderr.splitlines()[-1]
    assert last.startswith("error: debootstrap cannot make a Debian trixie from http://127.0.0.1:9/debian")
    assert "CWND_MIRROR=URL" in last and not (tmp_path / "trixie").exists()


def test_without_its_programs_it_is_skipped_with_the_command_and_fails_in_ci(tmp_path: Path) -> None:
    for program in ("bash", "git", "id", "dirname"):
        found = next(path for path in (Path("/usr/bin") / program, Path("/bin") / program) if path.exists())
        (tmp_path / program).symlink_to(found)
    expected = "bubblewrap and debootstrap: apt-get install bubblewrap debootstrap"
    if os.geteuid() != 0:
        expected = "root: sudo .ci/bare-root"
    done = run(".ci/bare-root", PATH=str(tmp_path))
    assert (done.returncode, done.stdout) == (0, f"skipped: needs {expected}\n"), done.stderr
    assert run(".ci/bare-root", PATH=str(tmp_path), CI="true").returncode == 1
    assert run(".ci/bare-root", "buster", PATH=str(tmp_path)).returncode == 2


@pytest.mark.parametrize(
    ("part", "packages"), [("kernel", "rustc-web libstd-rust-web-dev-bpf clang-"), ("page", "nodejs npm")]
)
def test_where_it_cannot_install_the_exact_command_is_printed(tmp_path: Path, part: str, packages: str) -> None:
    # No apt-get, which only root could use, no compilers for BPF and no npm.
    for program in ("bash", "id", "dirname", "env", "paste", "sed", "timeout"):
        found = next(path for path in (Path("/usr/bin") / program, Path("/bin") / program) if path.exists())
        (tmp_path / program).symlink_to(found)
    (tmp_path / "python3").symlink_to(Path(sys.executable).resolve())
    done = run(".ci/install", part, PATH=str(tmp_path), CWND_BPF_RUSTC=str(tmp_path / "rustc"))
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(rf"^    (sudo )?apt-get install .*{packages}", done.stderr, re.MULTILINE), done.stderr


def test_an_unknown_part_is_refused() -> None:
    done = run(".ci/install", "kernle")
    assert (done.returncode, done.stdout) == (2, "") and "kernel|page" in done.stderr


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("python   passed   5 0 1 9 s\n    skipped 1: needs the web page: make page\nrust     passed   5 0 0 9 s", ""),
        (
            "python   passed   5 0 1 9 s\n    skipped 1: needs root\nrust     passed   5 0 0 9 s",
            "the skips above do not say",
        ),
        ("rust     passed   5 0 0 9 s", "there is no table with the part python"),
        ("", "there is no table with the part python"),
    ],
)
def test_the_skips_of_the_python_part_are_looked_at(tmp_path: Path, table: str, said: str) -> None:
    log = tmp_path / "log"
    log.write_text(f"python\npart     result   passed\n{table}\n" if table else "make: nothing to be done\n")
    script = (ROOT / ".ci/bare-root").read_text()
    checked = script[script.index("# Each skip of the Python part") : script.index("# README's commands")]
    done = run("bash", "-euo", "pipefail", "-c", checked, log=str(log))
    assert (done.returncode, said in done.stderr) == (1 if said else 0, True), done.stderr
