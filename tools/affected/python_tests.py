# SPDX-License-Identifier: MIT OR Apache-2.0
"""What each file of Python tests depends on: modules, commands of the program, and files that it names."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tools.affected.commands import CLI, command_modules
from tools.affected.imports import Facts, Module, homes_of, reached, sources

#: The compiled module.
NATIVE: Module = ("cwnd", "_native")
TESTS = "tests/python"
#: Fixtures that start the program; the name of its path starts it too.
STARTING = {"cwnd", "program"}
PATH = "PROGRAM"
#: They start the program and stand for no test's own imports.
STARTERS: list[Module] = [("conftest",), ("forked",)]
#: Parts of paths, file names, and patterns such as `*.md`.
WORD = re.compile(r"[\w.*-]+")


@dataclass
class Needs:
    """What a file of tests depends on."""

    modules: set[Module] = field(default_factory=set)
    #: The words of its texts.
    words: set[str] = field(default_factory=set)
    #: Patterns of files that it reads, itself or by a module, and that it does not name.
    reads: set[str] = field(default_factory=set)
    #: Whether it depends on the whole package: it runs the program, or imports, in a way that its text does not tell.
    whole: bool = False

    def is_of(self, path: str, words: set[str]) -> bool:
        """Whether it names a file by one of these words, or reads it."""
        return bool(self.words & words) or any(matches(path, pattern) for pattern in self.reads)


class Tree:
    """The modules of a checkout and the needs of its files of tests."""

    def __init__(self, root: Path) -> None:
        self.root = root
        package = root / "python" / "cwnd"
        self.package = sources(package, ("cwnd",))
        self.tools = sources(root / "tools", ("tools",))
        # In whatever folder: they import each other by their own names alone.
        self.tests = {module[-1:]: path for module, path in sources(root / TESTS, ()).items()}
        self.modules = {**self.package, **self.tools, **self.tests, NATIVE: package / "_native.pyi"}
        self.homes = homes_of(package)
        syntax = {module: ast.parse(path.read_text(), path) for module, path in self.modules.items()}
        self.facts = {module: Facts.of(tree) for module, tree in syntax.items()}
        self.imports = {module: self.of(facts) - {module} for module, facts in self.facts.items()}
        self.commands = command_modules(self.imports)
        # The package imports a module when one of its names is used. Fixtures and commands are followed one at a time.
        for module in (("cwnd",), NATIVE, CLI, *STARTERS):
            self.imports[module] = set()
        self.pages = {
            "*.md",
            "README.md",
            "CONTRIBUTING.md",
            *(page.name for page in (root / "docs" / "guide").glob("*.md")),
        }
        self.fixtures = definitions(syntax["conftest",])

    def of(self, facts: Facts) -> set[Module]:
        """The modules that some code imports, in whatever way."""
        return facts.modules(self.modules, self.homes) | facts.loaded_modules(self.modules)

    def module_of(self, path: str) -> Module | None:
        """The module that a file is."""
        return next((module for module, file in self.modules.items() if file == self.root / path), None)

    def path_of(self, module: Module) -> str:
        """The file of a module."""
        return self.modules[module].relative_to(self.root).as_posix()

    def test_files(self) -> list[Module]:
        """The files with tests."""
        return [module for module in self.tests if module[-1].startswith("test_")]

    def needs(self, test: Module) -> Needs:
        """What a file of tests depends on."""
        helpers = reached({each: self.imports[each] & self.tests.keys() for each in self.tests}, [test])
        facts = [self.facts[helper] for helper in helpers if helper not in STARTERS]
        facts += self._fixtures_of(facts)
        texts = {text for each in facts for text in each.strings}
        inner = [Facts.of_program(text) for text in texts if re.search(r"\b(import|from) .*\bcwnd\b", text)]
        needs = Needs({test} | set().union(*(self.of(each) for each in [*facts, *inner])))
        needs.words = {word for text in texts for word in WORD.findall(text)}
        needs.modules = reached(self.imports, needs.modules)
        needs.reads = set().union(*(self.facts[module].reads for module in needs.modules | helpers))
        # An import of a computed name, here or in a tool, or of all commands.
        needs.whole = (
            any(each.computes_names for each in facts)
            or any(self.facts[module].computes_names for module in needs.modules & self.tools.keys())
            or CLI in needs.modules
        )
        if {"-m", "cwnd"} <= texts or any(each.arguments & STARTING or PATH in each.names for each in facts):
            # It may run the commands of a page.
            needs.whole |= bool(needs.words & self.pages)
            given = {word for text in texts for word in text.split()[:1]} & self.commands.keys()
            needs.whole |= not given
            needs.modules |= reached(self.imports, set().union(*(self.commands[each] for each in ("", *given))))
        return needs

    def _fixtures_of(self, facts: list[Facts]) -> list[Facts]:
        """The definitions of conftest.py that some code imports or asks for as fixtures, and those that these name."""
        found: dict[str, Facts] = {}
        left = {name for each in facts for name in each.arguments}
        left |= {name[1] for each in facts for name in each.imported if name[0] == "conftest"}
        while left:
            name = left.pop()
            if name in self.fixtures and name not in found:
                found[name] = self.fixtures[name]
                left |= found[name].names | found[name].arguments
        return list(found.values())


def definitions(tree: ast.Module) -> dict[str, Facts]:
    """What a module defines, by name."""
    found: dict[str, Facts] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = Facts.of(node)
        elif isinstance(node, ast.Assign):
            found |= {ast.unparse(target): Facts.of(node.value) for target in node.targets}
    return found


@cache
def expression(pattern: str) -> re.Pattern[str]:
    """A pattern of paths: `*` stands for any part of a name, `**/` for any number of folders."""
    return re.compile(re.escape(pattern).replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*"))


def matches(path: str, pattern: str) -> bool:
    """Whether a path, that of a file that is gone too, is one of a pattern."""
    return expression(pattern).fullmatch(path) is not None
