# SPDX-License-Identifier: MIT OR Apache-2.0
"""The pinned packages run on every Python that the README promises, and `make demo` installs only what cwnd needs to run."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from tools import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
#: The README says 3.11: that is 3.11.0, and Debian 12 has 3.11.2.
PYTHONS = ("3.11.0", "3.11.2", "3.12.0", "3.13.0", "3.14.0")
LOCKS = ("requirements.lock", "requirements-dev.lock", "requirements-site.lock")


def pins(lock: str) -> list[Requirement]:
    lines = (ROOT / lock).read_text().splitlines()
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def installed(lock: str) -> dict[str, Distribution]:
    """The packages of the environment that a lock is installed in, by name; none where there is no such environment."""
    if lock != "requirements-site.lock":
        return {canonicalize_name(each.metadata["Name"]): each for each in distributions()}
    folders = map(str, (ROOT / ".venv" / "site").glob("lib/python*/site-packages"))
    return {canonicalize_name(each.metadata["Name"]): each for each in distributions(path=list(folders))}


def environment(python: str) -> dict[str, str]:
    """The markers' values on another Python."""
    values = {key: str(value) for key, value in default_environment().items()}
    return values | {"python_full_version": python, "python_version": ".".join(python.split(".")[:2])}


def refusing(lock: str, python: str) -> Iterator[str]:
    """The pins that a Python would not install, by the metadata of the installed packages."""
    have = installed(lock)
    for pin in pins(lock):
        package = have.get(canonicalize_name(pin.name))
        if package is None or (pin.marker is not None and not pin.marker.evaluate(environment(python))):
            continue
        allowed = package.metadata.get("Requires-Python")
        if allowed is not None and python not in SpecifierSet(allowed):
            yield f"{pin.name}=={package.version} needs Python {allowed}"


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_runs_on_every_python(lock: str, python: str) -> None:
    assert python in SpecifierSet(PROJECT["requires-python"])
    assert list(refusing(lock, python)) == []


def test_a_pin_that_a_python_cannot_run_is_noticed() -> None:
    # numpy has needed 3.11 since 2.4.
    assert any(line.startswith("numpy==") for line in refusing("requirements.lock", "3.10.0"))


def test_the_pins_are_what_is_installed_and_each_package_is_pinned_once() -> None:
    here = environment(default_environment()["python_full_version"])
    have = installed("requirements.lock")
    of_both = [*pins("requirements.lock"), *pins("requirements-dev.lock")]
    names = [canonicalize_name(pin.name) for pin in of_both]
    assert len(set(names)) == len(names)
    for pin in of_both:
        assert re.fullmatch(r"==[^=*]+", str(pin.specifier)), f"{pin} is no pin"
        if pin.marker is None or pin.marker.evaluate(here):
            assert have[canonicalize_name(pin.name)].version in pin.specifier, pin


def test_make_demo_installs_what_cwnd_needs_to_run_and_maturin() -> None:
    """All dependencies of the dependencies of pyproject.toml and of maturin: no more, no less."""
    have = installed("requirements.lock")
    needed, waiting = set[str](), [Requirement(text) for text in (*PROJECT["dependencies"], "maturin")]
    # Some packages are needed by an older Python only.
    environments = [{**environment(python), "extra": ""} for python in PYTHONS]
    while waiting:
        requirement = waiting.pop()
        name = canonicalize_name(requirement.name)
        applies = requirement.marker is None or any(map(requirement.marker.evaluate, environments))
        if applies and name not in needed:
            needed.add(name)
            waiting += [Requirement(text) for text in have[name].requires or []]
    assert {canonicalize_name(pin.name) for pin in pins("requirements.lock")} == needed
