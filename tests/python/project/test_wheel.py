# SPDX-License-Identifier: MIT OR Apache-2.0
"""A wheel that pages were added to is still a wheel: `pip` installs what its RECORD lists. `.ci/wheel` has the built one."""

from __future__ import annotations

import base64
import csv
import hashlib
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tools import wheel

#: A program whose manual pages stand in it.
BUILT = {
    "lull/__init__.py": b"",
    "lull-1.0.dist-info/METADATA": b"Metadata-Version: 2.1\nName: lull\nVersion: 1.0\n",
    "lull-1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
}
PAGE = {"man/man1/lull.1": b".TH LULL 1\n"}


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A wheel without pages."""
    path = tmp_path / "lull-1.0-py3-none-any.whl"
    rows = "".join(wheel.row(name, contents) for name, contents in BUILT.items())
    with zipfile.ZipFile(path, "w") as archive:
        for name, contents in {**BUILT, "lull-1.0.dist-info/RECORD": f"{rows}lull-1.0.dist-info/RECORD,,\n"}.items():
            archive.writestr(zipfile.ZipInfo(name), contents)
    return path


def test_record_lists_every_file_with_its_digest_and_size(built: Path) -> None:
    wheel.add(built, PAGE)
    with zipfile.ZipFile(built) as archive:
        contents = {name: archive.read(name) for name in archive.namelist()}
    rows = {
        name: (digest, size)
        for name, digest, size in csv.reader(contents["lull-1.0.dist-info/RECORD"].decode().splitlines())
    }
    assert (
        rows.keys()
        == contents.keys()
        == {*BUILT, "lull-1.0.dist-info/RECORD", "lull-1.0.data/data/share/man/man1/lull.1"}
    )
    for name, (digest, size) in rows.items():
        if not name.endswith("/RECORD"):
            kind, _, text = digest.partition("=")
            assert hashlib.new(kind, contents[name]).digest() == base64.urlsafe_b64decode(text + "=")
            assert int(size) == len(contents[name])


def test_the_same_wheel_and_pages_give_the_same_bytes(built: Path) -> None:
    before = built.read_bytes()
    wheel.add(built, PAGE)
    first = built.read_bytes()
    built.write_bytes(before)
    wheel.add(built, PAGE)
    assert built.read_bytes() == first != before
    assert list(built.parent.iterdir()) == [built]


def test_pip_installs_the_page_below_share_readable_for_all(built: Path, tmp_path: Path) -> None:
    wheel.add(built, PAGE)
    options = ["--quiet", "--disable-pip-version-check", "--no-index", "--no-deps", "--no-compile"]
    command = [sys.executable, "-m", "pip", "install", *options, "--prefix", str(tmp_path / "there"), str(built)]
    subprocess.run(command, check=True)
    page = tmp_path / "there" / "share" / "man" / "man1" / "lull.1"
    assert page.read_bytes() == b".TH LULL 1\n"
    assert page.stat().st_mode & 0o444 == 0o444
