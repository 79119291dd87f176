# SPDX-License-Identifier: MIT OR Apache-2.0
"""Crates of the workspace: which one a file is of, and which depend on it."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

#: The Python module. Its tests are those of Python.
MODULE = "cwnd-python"


@dataclass(frozen=True)
class Crates:
    """The crates: their folders, and what each depends on, for its build and its tests too."""

    folders: Mapping[str, str]
    dependencies: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, root: Path) -> Crates:
        """Those of a workspace, as `cargo metadata` lists them."""
        command = ["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"]
        done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
        packages = json.loads(done.stdout)["packages"]
        names = {package["name"] for package in packages}
        return cls(
            {p["name"]: Path(p["manifest_path"]).parent.relative_to(root.resolve()).as_posix() for p in packages},
            {p["name"]: frozenset(d["name"] for d in p["dependencies"]) & names for p in packages},
        )

    def crate_of(self, path: str) -> str | None:
        """The crate that a file is in."""
        return next((name for name, folder in self.folders.items() if path.startswith(f"{folder}/")), None)

    def dependents(self, name: str) -> set[str]:
        """A crate and those that depend on it, directly or through others."""
        found = {name}
        while more := {each for each, needs in self.dependencies.items() if needs & found} - found:
            found |= more
        return found

    def concerned(self, path: str) -> set[str]:
        """The crates that a file of a crate concerns: a file of its tests or examples, its own crate alone."""
        crate = self.crate_of(path)
        if crate is None:
            return set()
        folder = PurePosixPath(path).relative_to(self.folders[crate]).parts[0]
        return {crate} if folder in ("tests", "examples", "benches") else self.dependents(crate)

    def compiling(self, root: Path, path: str) -> set[str]:
        """The crates that a file concerns because another crate compiles it too: by a symbolic link, or by `#[path]`."""
        found: set[str] = set()
        for folder in self.folders.values() if path.endswith(".rs") else ():
            for file in code(root / folder):
                if (root / path).resolve() in taken(file):
                    found |= self.concerned(file.relative_to(root).as_posix())
        return found

    def naming(self, root: Path, path: str) -> set[str]:
        """The crates whose code names a file, or a folder that it is in, at the end of a text or before a brace."""
        pure = PurePosixPath(path)
        names = [pure.name, path, *(str(folder) for folder in pure.parents if folder.name)]
        pattern = re.compile(rf'["/](?:{"|".join(map(re.escape, names))})(?:/?"|/\{{)')
        return {
            name
            for name, folder in self.folders.items()
            if any(pattern.search(file.read_text()) for file in code(root / folder))
        }


def taken(file: Path) -> Iterator[Path]:
    """The files of other folders that a file of Rust code brings in: what it is a link to, and what `#[path]` names."""
    if file.is_symlink():
        yield file.resolve()
    for written in re.findall(r'#\[path = "([^"]+)"\]', file.read_text()):
        target = (file.parent / written).resolve()
        yield from target.parent.rglob("*.rs") if target.name == "mod.rs" else (target,)


def code(folder: Path) -> Iterable[Path]:
    """The files of Rust code of a crate, without what cargo has built in it."""
    return [path for path in folder.rglob("*.rs") if "target" not in path.relative_to(folder).parts]
