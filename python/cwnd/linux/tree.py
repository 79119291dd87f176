# SPDX-License-Identifier: MIT OR Apache-2.0
"""Makes an unpacked source of Linux that of a kernel of lane linux: our driver, its configuration, and corrections."""

from __future__ import annotations

import re
import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path

from cwnd._internal.input_errors import refused
from cwnd.linux.corrections import Correction, correct, replace
from cwnd.linux.kernels import HERE, driver_files

#: A line of Kconfig, in front of which an option may stand.
INCLUDED = r'source "scripts/Kconfig\.include"$'
DRIVER = Correction(
    "our driver is a part of the kernel",
    "arch/um/drivers/Makefile",
    r"include (?:\$\(srctree\)/)?arch/um/scripts/Makefile\.rules$",
    "obj-y += cwnd/\n{line}",
)
OUR_KCONFIG, OUR_OPTIONS = "Kconfig.cwnd", "all.config"


def options() -> dict[str, str]:
    """What the kernel is configured with, as .config has it: `{"CONFIG_NET": "y", ...}`."""
    document = tomllib.loads((HERE / "options.toml").read_text(encoding="utf-8"))
    wanted: dict[str, str] = {}
    for option in document["option"]:
        wanted |= {f"CONFIG_{name}": "y" for name in option.get("set", ())}
        wanted |= {f"CONFIG_{name}": str(value) for name, value in option.get("values", {}).items()}
    return wanted


def prepare(tree: Path, version: str, hz: int) -> None:
    """Adds the driver, the configuration and the corrections to a source. Raises `ScenarioError` for a version that has no place for them."""
    drivers = tree / "arch" / "um" / "drivers"
    (drivers / "cwnd").mkdir()
    for file in driver_files():
        shutil.copyfile(file, drivers / "cwnd" / file.name)
    correct(tree, version)
    shutil.copyfile(tree / "Kconfig", tree / OUR_KCONFIG)
    # arch/um/Kconfig fixes HZ at 100 without a question. The first default of an option counts.
    rate = Correction("HZ is a choice", OUR_KCONFIG, INCLUDED, f"config HZ\n\tint\n\tdefault {hz}\n\n{{line}}")
    for each in (DRIVER, rate):
        replace(tree / each.path, each, version)
    lines = [f"{name}={value}\n" for name, value in options().items()]
    (tree / OUR_OPTIONS).write_text("".join(lines), encoding="utf-8")


def configured(tree: Path) -> dict[str, str]:
    """What .config says after all."""
    lines = (tree / ".config").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if line.startswith("CONFIG_") and "=" in line)


def check_configuration(tree: Path, version: str, hz: int) -> list[str]:
    """Returns the options that this version does not have. Raises `ScenarioError` if it has one and does not take our value."""
    found = configured(tree)
    if found.get("CONFIG_HZ") != str(hz):
        raise refused("HZ", hz, f"{found.get('CONFIG_HZ', 'none')}, which Linux {version} does not let us change")
    wanted = options()
    lacks = [name for name, value in wanted.items() if found.get(name) != value]
    known = declared(tree, lacks)
    if refused_options := [name for name in lacks if known[name]]:
        name = refused_options[0]
        raise refused(
            "VERSION", version, f"a version that takes {name}={wanted[name]}; it has {found.get(name, 'n')} there"
        )
    return [name.removeprefix("CONFIG_") for name in lacks]


def declared(tree: Path, names: list[str]) -> Mapping[str, bool]:
    """Which of some options the source has in its Kconfig files."""
    if not names:
        return {}
    text = "".join(
        path.read_text(encoding="utf-8", errors="replace") for path in sorted(tree.rglob("Kconfig*")) if path.is_file()
    )
    there = set(re.findall(r"^\s*(?:menu)?config\s+(\w+)\s*$", text, re.MULTILINE))
    return {name: name.removeprefix("CONFIG_") in there for name in names}
