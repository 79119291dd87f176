# SPDX-License-Identifier: MIT OR Apache-2.0
"""What tests need beyond the README's prerequisites. A test without it is skipped, and says the command that brings it; with CI=true it runs, and fails."""

from __future__ import annotations

import os
from functools import cache

import pytest

from cwnd.cli.commands.doctor import OptionalPart, doctor

CI = os.environ.get("CI") == "true"


@cache
def part(name: str) -> OptionalPart:
    """An optional part, looked for once."""
    return doctor(name)[0]


def lacks(*names: str) -> str:
    """Why a test that needs these parts is skipped; empty where it is not."""
    missing = next((part(name) for name in names if not part(name).present), None)
    return "" if CI or missing is None else f"needs {missing.title} ({missing.detail}): {missing.remedy}"


def needs(*names: str) -> pytest.MarkDecorator:
    """Skips a test, or a module as `pytestmark`, where one of these parts of `cwnd doctor` is missing."""
    reason = lacks(*names)
    return pytest.mark.skipif(reason != "", reason=reason or "-")


#: For tests that mount disks or become other users.
needs_root = pytest.mark.skipif(os.geteuid() != 0 and not CI, reason="needs root: sudo make test-python")


def skip_without(*names: str) -> None:
    """Skips the test that calls it where one of these parts is missing."""
    if reason := lacks(*names):
        pytest.skip(reason)
