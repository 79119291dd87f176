# SPDX-License-Identifier: MIT OR Apache-2.0
"""`.editorconfig` says what the formatters do, and the files are as it says."""

from __future__ import annotations

import configparser
import fnmatch
import re
import tomllib
from pathlib import Path

from test_links import tracked

from tools import ROOT

#: For `make check`.
READS = ("**/*.bpf.c", "**/*.bpf.h")
FORMATTED = ("*.rs", "*.py", "*.toml", "*.ts", "*.mjs", "*.go", "*.bpf.c", "*.bpf.h", ".ci/*", "Makefile")


def sections() -> dict[str, dict[str, str]]:
    """The sections of `.editorconfig`, in order."""
    parser = configparser.ConfigParser(delimiters="=", interpolation=None)
    parser.read_string((ROOT / ".editorconfig").read_text().replace("root = true", "[root]"))
    return {name: dict(parser[name]) for name in parser.sections()}


def alternatives(pattern: str) -> list[str]:
    """The patterns that one with braces stands for."""
    match = re.fullmatch(r"(.*)\{([^}]*)\}(.*)", pattern)
    return [f"{match[1]}{each}{match[3]}" for each in match[2].split(",")] if match else [pattern]


def settings_of(path: Path) -> dict[str, str]:
    """What `.editorconfig` says of a file: later sections go before earlier ones."""
    name, found = path.relative_to(ROOT).as_posix(), dict[str, str]()
    for section, settings in sections().items():
        if any(fnmatch.fnmatch(name if "/" in each else path.name, each) for each in alternatives(section)):
            found |= settings
    return found


def test_lines_are_as_long_as_the_formatters_make_them() -> None:
    rust = tomllib.loads((ROOT / "rustfmt.toml").read_text())["max_width"]
    python = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]["line-length"]
    assert settings_of(ROOT / "crates" / "cwnd" / "src" / "lib.rs")["max_line_length"] == str(rust)
    assert settings_of(ROOT / "python" / "cwnd" / "__init__.py")["max_line_length"] == str(python)


def test_files_are_indented_and_ended_as_it_says() -> None:
    paths, wrong = tracked(*FORMATTED), []
    assert len(paths) > 1000
    for path in paths:
        name, text = path.relative_to(ROOT).as_posix(), path.read_text()
        # Where tabs indent, comments and continued lines may be aligned with spaces.
        if settings_of(path)["indent_style"] == "space" and re.search(r"^\t", text, re.MULTILINE):
            wrong.append(f"{name}: a tab")
        if not text.endswith("\n") or "\r" in text or re.search(r"[ \t]$", text, re.MULTILINE):
            wrong.append(f"{name}: the end of a line")
    assert wrong == []


def test_a_file_has_the_settings_of_the_last_section_that_names_it() -> None:
    assert settings_of(ROOT / "Makefile")["indent_style"] == "tab"
    assert settings_of(ROOT / "mkdocs.yml")["indent_size"] == "2"
    assert settings_of(ROOT / "fuzz" / "seeds" / "scenario" / "one.toml")["trim_trailing_whitespace"] == "unset"
