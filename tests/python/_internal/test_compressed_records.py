# SPDX-License-Identifier: MIT OR Apache-2.0
"""Compressed JSON that git keeps: written the same way each time, and read within a limit."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from cwnd._internal.json_files import read_json, unpacked_xz
from tools import records

DOCUMENT = [{"id": f"a/{number}", "measured": number / 7} for number in range(500)]


def test_the_same_text_gives_the_same_bytes_and_is_read_as_it_was(tmp_path: Path) -> None:
    text = json.dumps(DOCUMENT, indent=1)
    for name in ("first.json.xz", "second.json.xz"):
        records.write(tmp_path / name, text)
    assert (tmp_path / "first.json.xz").read_bytes() == (tmp_path / "second.json.xz").read_bytes()
    assert read_json(tmp_path / "first.json.xz") == DOCUMENT
    assert lzma.decompress((tmp_path / "first.json.xz").read_bytes()).decode() == text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.json.xz", "second.json.xz"]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (json.dumps(DOCUMENT).encode(), "no xz file"),
        (lzma.compress(b"[1, 2]")[:-1], "incomplete"),
        (lzma.compress(bytes(1 << 20)), "more than 1048575 bytes"),
    ],
)
def test_what_is_no_xz_file_incomplete_or_too_long_is_refused(data: bytes, reason: str) -> None:
    assert unpacked_xz(lzma.compress(b"[1, 2]"), most=6) == b"[1, 2]"
    with pytest.raises(ValueError, match=reason):
        unpacked_xz(data, most=(1 << 20) - 1)
