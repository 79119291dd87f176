# SPDX-License-Identifier: MIT OR Apache-2.0
"""No file of a crate uses one that uses it, parents and children included. Nothing here lists modules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from test_arrows import cycle

from tools import ROOT
from tools.affected.imports import Imports, Module

#: For `make check`.
READS = ("crates/*/src/**/*.rs", "fuzz/src/**/*.rs")
#: A path of Rust, such as `super::a::B`, by its parts.
RustPath = tuple[str, ...]
USE = r"\b(pub(?:\([^)]*\))?\s+)?use ([^;]+);"
CRATES = sorted(path.parent for path in [*(ROOT / "crates").glob("*/src"), ROOT / "fuzz" / "src"])


@dataclass
class RustFile:
    """What a file of a crate says of others: what its `use` declarations bring in, by name, and the paths in its code."""

    #: The path of each name, and whether the declaration only lists the name for others (`pub use`).
    names: dict[str, tuple[RustPath, bool]] = field(default_factory=dict)
    #: `use path::*`.
    globs: list[RustPath] = field(default_factory=list)
    paths: list[RustPath] = field(default_factory=list)
    #: What the file itself defines.
    defined: set[str] = field(default_factory=set)
    #: Types to which it adds methods or traits.
    extended: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, text: str, children: Iterable[str]) -> RustFile:
        text = re.sub(r"#\[cfg\((?:test|all\(test,[^\n]*)\)\]\s*mod \w+ \{.*", "", text, flags=re.DOTALL)
        text = re.sub(r"//[^\n]*", "", text)
        code = re.sub(r"\bpub\(in [^)]*\)", "", re.sub(USE, "", text))
        starts = "|".join(["crate", "super", "self", *children])
        file = cls(
            paths=[
                tuple(re.split(r"\s*::\s*", path))
                for path in re.findall(rf"(?<![\w:$])(?:{starts})(?:\s*::\s*\w+)+", code)
            ],
            defined=set(re.findall(r"(?<!')\b(?:struct|enum|fn|trait|const|static|type|macro_rules!)\s+(\w+)", code)),
            extended=set(re.findall(r"\b(?:impl(?:<[^>{]*>)?|for) (\w+)(?:<[^>{]*>)? (?:where [^{]*)?\{", code)),
        )
        for public, declared in re.findall(USE, text):
            for name, path in leaves(declared):
                if name == "*":
                    file.globs.append(path)
                else:
                    file.names[name] = path, bool(public) and not re.search(rf"\b{name}\b", code)
        return file


def of_crate(folder: Path) -> Imports:
    """What the files of a crate need of each other: a file of its parent, a parent of its child, any of another.

    What does not count: tests. `mod child;`. A `pub use` whose name the file itself does not use: it lists the name, and who uses the name
    from there needs the file that defines it. A type of its parent to which a child adds methods or traits (`impl Parent`, in which it sees
    the private fields): the two are one type in two files. A macro's `$crate::…`, which is written where the macro is called.
    """
    names: dict[Module, Path] = {}
    for path in sorted(folder.rglob("*.rs")):
        parts = path.relative_to(folder).with_suffix("").parts
        name = parts[:-1] if parts[-1] in ("lib", "mod") else parts
        if not any(part.endswith("tests") for part in name):
            names[name] = path
    names = elsewhere(folder, names)
    files = {
        module: RustFile.of(path.read_text(), [name[-1] for name in names if name and name[:-1] == module])
        for module, path in names.items()
    }
    return {module: set(needed(module, files)) - {module} for module in files}


def elsewhere(folder: Path, names: dict[Module, Path]) -> dict[Module, Path]:
    """Modules with those that `#[path]` takes from another folder, under the names that they have in the crate."""
    result = dict(names)
    for parent, path in names.items():
        for written, child in re.findall(r'#\[path = "([^"]+/mod\.rs)"\]\s*mod (\w+);', path.read_text()):
            top = (path.parent / written).resolve().parent.relative_to(folder.resolve()).parts
            for name, file in names.items():
                if name[: len(top)] == top:
                    result[*parent, child, *name[len(top) :]] = file
                    result.pop(name, None)
    return result


def needed(module: Module, files: dict[Module, RustFile]) -> Iterator[Module]:
    file = files[module]
    for name, (path, is_listed) in file.names.items():
        target = resolved(path, module, files)
        is_of_parent = module[: len(target)] == target and name in files[target].defined
        if not is_listed and not (is_of_parent and name in file.extended):
            yield target
    for path in (*file.globs, *file.paths):
        yield resolved(path, module, files)


def resolved(path: RustPath, module: Module, files: dict[Module, RustFile]) -> Module:
    """The file that defines what a path of Rust leads to; the module itself for a path into another crate."""
    first, base, rest = path[0], module, path
    if first == "crate":
        base, rest = (), path[1:]
    elif first not in ("super", "self") and (*module, first) not in files:
        return module
    while rest and rest[0] in ("super", "self"):
        base, rest = (base[:-1] if rest[0] == "super" else base), rest[1:]
    while rest and (*base, rest[0]) in files:
        base, rest = (*base, rest[0]), rest[1:]
    file = files[base]
    if rest and rest[0] not in file.defined:
        if rest[0] in file.names:
            listed = (*file.names[rest[0]][0], *rest[1:])
            return base if listed == path and base == module else resolved(listed, base, files)
        for glob in file.globs:
            if rest[0] in files[resolved(glob, base, files)].defined:
                return resolved(glob, base, files)
    return base


def leaves(tree: str, prefix: str = "") -> Iterator[tuple[str, RustPath]]:
    """The names of a tree such as `a::{b, c::{d, e as f}}`, and their paths; `*` with the path of all of a module."""
    head, brace, rest = tree.partition("{")
    if not brace:
        written, _, name = (prefix + head).partition(" as ")
        path = tuple(part.strip() for part in written.strip().split("::"))
        last = path[-1]
        path = path[:-1] if last in ("*", "self") else path
        yield name.strip() or (last if last == "*" else path[-1]), path
        return
    depth, part = 0, ""
    for letter in rest.rpartition("}")[0] + ",":
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            if part.strip():
                yield from leaves(part, prefix + head.strip())
            part = ""
        else:
            part += letter


@pytest.mark.parametrize("crate", CRATES, ids=lambda path: path.name)
def test_no_module_of_a_crate_uses_one_that_uses_it(crate: Path) -> None:
    assert cycle(of_crate(crate / "src"), "::") is None


def test_a_cycle_is_found(tmp_path: Path) -> None:
    crate = tmp_path / "src"
    (crate / "b").mkdir(parents=True)
    (crate / "lib.rs").write_text("mod a; mod b;\n")
    (crate / "a.rs").write_text("use crate::b::{deep::{Thing, Other as Else}, More};\n")
    (crate / "b" / "mod.rs").write_text("mod deep;\npub use deep::Thing;\nstruct More;\n// use crate::a::X;\n")
    (crate / "b" / "deep.rs").write_text(
        "use super::More;\nstruct Thing;\n#[cfg(test)]\nmod tests {\n    use crate::a::X;\n}\n"
    )
    assert cycle(of_crate(crate), "::") is None
    (crate / "b" / "deep.rs").write_text("fn f() -> crate::a::X {}\n")
    assert cycle(of_crate(crate), "::") in ("a -> b::deep -> a", "b::deep -> a -> b::deep")


def test_a_module_from_another_folder_has_the_name_that_its_parent_gives_it(tmp_path: Path) -> None:
    for name in ("a", "b", "shared"):
        (tmp_path / name).mkdir()
    for name in ("a", "b"):
        (tmp_path / name / "mod.rs").write_text('#[path = "../shared/mod.rs"]\nmod body;\nfn f() { body::f() }\n')
        (tmp_path / name / "calls.rs").write_text("fn g() {}\n")
    (tmp_path / "lib.rs").write_text("mod a; mod b;\n")
    (tmp_path / "shared" / "mod.rs").write_text("mod deep;\nuse super::calls;\nfn f() { calls::g(deep::h()) }\n")
    (tmp_path / "shared" / "deep.rs").write_text("fn h() {}\n")
    imports = of_crate(tmp_path)
    assert imports["a", "body"] == {("a", "calls"), ("a", "body", "deep")}
    assert imports["b",] == {("b", "body")} and ("shared",) not in imports
    assert cycle(imports, "::") is None
    (tmp_path / "a" / "calls.rs").write_text("use super::body::f;\n")
    assert cycle(of_crate(tmp_path), "::") in ("a::body -> a::calls -> a::body", "a::calls -> a::body -> a::calls")


@pytest.mark.parametrize(
    ("parent", "child", "is_cycle"),
    [
        ("use child::Thing;\nstruct More;", "use super::More;\nstruct Thing;", True),
        ("pub use child::Thing;\nstruct More(Thing);", "use super::More;\nstruct Thing;", True),
        ("struct More(child::Thing);", "struct Thing(super::More);", True),
        ("struct More(child::Thing);", "use crate::parent::*;\nstruct Thing;", True),
        (
            "pub use sibling::*;\nstruct More(child::Thing);",
            "use super::Other;\nuse crate::parent::More;\nstruct Thing;",
            True,
        ),
        # A list of names is no use of them, and a name of a list leads to its own file.
        ("pub use child::Thing;\nstruct More;", "use super::More;\nstruct Thing;", False),
        ("pub use sibling::*;\nstruct More(child::Thing);", "use super::Other;\nstruct Thing;", False),
        ("pub use sibling::Other;\nstruct More(child::Thing);", "use super::Other;\nstruct Thing;", False),
        # One type in two files.
        ("struct More(child::Thing);", "use super::More;\nstruct Thing;\nimpl More {\n}", False),
        ("struct More(child::Thing);", "use super::More;\nstruct Thing;\nimpl<T> From<T> for More {\n}", False),
        # Written where the macro is called.
        (
            "macro_rules! more { () => { $crate::parent::child::Thing }; }\nstruct More;",
            "use super::More;\nstruct Thing;",
            False,
        ),
        # Who may see it, and not what it needs.
        ("struct More(child::Thing);", "pub(in crate::parent) struct Thing;", False),
    ],
)
def test_what_a_parent_and_its_child_need_of_each_other(
    tmp_path: Path, parent: str, child: str, is_cycle: bool
) -> None:
    (tmp_path / "parent").mkdir()
    for name, text in {
        "lib": "mod parent;",
        "parent/mod": parent,
        "parent/child": child,
        "parent/sibling": "struct Other;",
    }.items():
        (tmp_path / f"{name}.rs").write_text(text)
    found = cycle(of_crate(tmp_path), "::")
    assert (found in ("parent -> parent::child -> parent", "parent::child -> parent -> parent::child")) == is_cycle
    assert found is None or is_cycle
