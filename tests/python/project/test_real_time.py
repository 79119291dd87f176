# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tests in real time run up to three times: one that fails three times fails, one that passes meanwhile is named."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parents[1]
TESTS = """
import pytest
import real_time

tries = {}

def passes_at(name, number):
    tries[name] = tries.get(name, 0) + 1
    assert tries[name] >= number, f"try {tries[name]} of {name}"

@pytest.fixture
def lab():
    tries["set up"] = tries.get("set up", 0) + 1
    yield
    tries["torn down"] = tries.get("torn down", 0) + 1

def test_third(lab):
    passes_at("third", 3)

def test_a_fixture_is_new_for_each_try():
    assert (tries["set up"], tries["torn down"]) == (3, 3)

def test_fourth(lab):
    passes_at("fourth", 4)

@pytest.mark.real_time
def test_marked():
    passes_at("marked", 2)

def test_not_in_real_time():
    passes_at("other", 2)

def test_first(lab):
    passes_at("first", 1)

def test_long(lab):
    tries["long"] = tries.get("long", 0) + 1
    real_time.time.passed += real_time.MOST_S + 1
    assert tries["long"] == 2

def test_a_long_try_is_the_last():
    assert tries["long"] == 1

def test_skipped(lab):
    tries["skipped"] = tries.get("skipped", 0) + 1
    pytest.skip("once")

def test_a_skip_is_no_failure():
    assert tries["skipped"] == 1
"""
CONFTEST = f"""
import sys
sys.path.insert(0, {str(HERE)!r})
import real_time

class Clock:
    # Its time passes where a test says so: a busy machine makes no try long.
    passed = 0.0

    def monotonic(self):
        return self.passed

    def sleep(self, seconds):
        pass

real_time.time = Clock()

def pytest_configure(config):
    config.addinivalue_line("markers", "real_time: as in pyproject.toml")
    config.pluginmanager.register(real_time.RealTime())
"""


def test_what_fails_three_times_fails_and_what_passes_meanwhile_is_named(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_tries.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "test_tries.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert re.findall(r"^FAILED test_tries.py::(\w+)", done.stdout, re.MULTILINE) == [
        "test_fourth",
        "test_not_in_real_time",
        "test_long",
    ], done.stdout
    assert re.search(r"^3 failed, 6 passed, 1 skipped", done.stdout, re.MULTILINE), done.stdout
    named = re.findall(r"^passed at try (\d): test_tries.py::(\w+)", done.stdout, re.MULTILINE)
    assert named == [("3", "test_third"), ("2", "test_marked")]
    before = re.findall(
        r"^  failed before: \S+/test_tries.py:\d+: AssertionError: (try \d of \w+)", done.stdout, re.MULTILINE
    )
    assert before == ["try 1 of third", "try 2 of third", "try 1 of marked"]
