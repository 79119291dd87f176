# SPDX-License-Identifier: MIT OR Apache-2.0
"""`make check`: the tests that a changed file concerns. The fixtures' tree is small and its answers exact; of the real one a few."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools.affected import __main__ as command
from tools.affected.crates import Crates
from tools.affected.plan import Plan, add, changed_files, plan
from tools.affected.python_tests import Tree

ROOT = Path(__file__).parents[3]
#: What the answers about this tree depend on.
READS = ("python/cwnd/**/*.py*", "tools/**/*.py", "tests/python/**/*.py", "**/*.rs", "**/Cargo.toml")
#: A package of which a test needs a module directly, by way of another, by a command, by a name that the package gives, or in a text.
FILES = {
    "python/cwnd/__init__.py": 'HOMES = {"run": "result.store"}\n',
    "python/cwnd/__main__.py": "def main():\n    from cwnd.cli.app import main\n",
    "python/cwnd/_native.pyi": "",
    "python/cwnd/cli/entry.py": "",
    "python/cwnd/cli/app.py": (
        "from cwnd.cli.commands import plot, run\nfrom cwnd.cli.entry import enter\napp = enter\n"
        'COMMANDS = {"run": (run, {}), "plot": (plot, {})}\n'
    ),
    "python/cwnd/cli/commands/run.py": "def command():\n    from cwnd.result.store import run\n",
    "python/cwnd/result/store.py": "from cwnd import _native\ndef run():\n    from cwnd.table import rows\n",
    "python/cwnd/table.py": 'STYLE = "style.css"\nrows = 1\n',
    "python/cwnd/style.css": "",
    "python/cwnd/cli/commands/plot.py": "from cwnd.typing_only import a\n",
    "python/cwnd/typing_only.py": "if TYPE_CHECKING:\n    from cwnd.table import rows\n",
    "python/cwnd/papers/__init__.py": "",
    "python/cwnd/papers/fig.py": "",
    "python/cwnd/discover.py": 'import importlib\nimportlib.import_module(f"cwnd.papers.{name}")\n',
    "tools/__init__.py": "",
    "tools/page.py": "from cwnd.discover import a\n",
    "tests/python/conftest.py": 'SHORT = ("plot",)\ndef cwnd():\n    pass\ndef drawn():\n    return [SHORT, PROGRAM]\n',
    "tests/python/forked.py": "",
    # Files that are found by a pattern, by a test and by a tool.
    "tests/python/test_walking.py": 'READS = ("python/cwnd/papers/*.py", "crates/cwnd/src/**/*.rs")\n',
    "tests/python/test_tags.py": "from tools.tags import a\n",
    "tools/tags.py": 'READS = ("tests/**/test_d*.py",)\n',
    "tests/python/helper.py": "from cwnd.table import rows\n",
    "tests/python/tables/test_direct.py": "from cwnd.table import rows\n",
    "tests/python/test_given.py": "import cwnd as package\npackage.run()\n",
    "tests/python/test_helped.py": "import helper\n",
    "tests/python/test_plot.py": 'def test_it(cwnd):\n    cwnd("plot", "x")\n',
    "tests/python/test_drawn.py": "def test_it(drawn):\n    pass\n",
    "tests/python/test_any_command.py": "def test_it(cwnd):\n    cwnd(*words)\n",
    "tests/python/test_text.py": 'PROGRAM_TEXT = "import cwnd\\ncwnd.run()"\n',
    # Part of a text, in which a value is put.
    "tests/python/test_part.py": "def test_it(x):\n    return f'import cwnd; cwnd.run({x!r}) if'\n",
    # The name of the package is no fixture.
    "tests/python/test_package.py": "import cwnd\ndef test_it():\n    cwnd.other()\n",
    "tests/python/test_shown.py": 'def test_it(program):\n    return program, ROOT / "docs" / "guide" / "a.md"\n',
    "tests/python/test_page.py": "from tools.page import a\n",
    "tests/python/test_docs.py": '"""Of guide.md."""\nROOT / "docs" / "x"\n',
    "docs/guide/a.md": "",
    "docs/deep/picture.png": "",
    "scenarios/a.toml": "",
    "unknown/b.bin": "",
}
CRATES = Crates(
    {
        "cwnd": "crates/cwnd",
        "cwnd-sim": "crates/cwnd-sim",
        "cwnd-python": "crates/cwnd-python",
        "cwnd-noq": "crates/cwnd-noq",
    },
    {
        "cwnd": frozenset(),
        "cwnd-sim": frozenset({"cwnd"}),
        "cwnd-python": frozenset({"cwnd-sim"}),
        "cwnd-noq": frozenset({"cwnd"}),
    },
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    rust = tmp_path / "crates" / "cwnd-sim" / "tests" / "all.rs"
    rust.parent.mkdir(parents=True)
    rust.write_text('read_dir("../../scenarios/")')
    return tmp_path


def concerned(root: Path, path: str) -> tuple[set[str], set[str], str]:
    """The crates and the files of tests that a changed file concerns, and why it concerns all."""
    result = Plan()
    tree = Tree(root)
    add(result, path, tree, CRATES, {test: tree.needs(test) for test in tree.test_files()})
    return result.crates, {Path(test).stem.removeprefix("test_") for test in result.tests}, result.everything


#: What runs the program in a way that its text does not tell: any command, or those of a page.
ANY = {"any_command", "shown"}


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        # Directly, through store.run, which imports it when it runs, through a helper, and in a program in a text.
        ("python/cwnd/table.py", ANY | {"direct", "given", "helped", "part", "text"}),
        ("python/cwnd/result/store.py", ANY | {"given", "part", "text"}),
        # By a command, in the test and in a fixture that it asks for.
        ("python/cwnd/cli/commands/plot.py", ANY | {"plot", "drawn"}),
        # Every command has it.
        ("python/cwnd/cli/entry.py", ANY | {"plot", "drawn"}),
        # What is found by being in a folder.
        ("python/cwnd/papers/fig.py", ANY | {"page", "walking"}),
        # By a pattern.
        ("tests/python/tables/test_direct.py", {"direct", "tags"}),
        ("tools/page.py", {"page"}),
        ("tests/python/helper.py", {"helped"}),
        ("tests/python/test_text.py", {"text"}),
        # Data of the package: through the module that names it.
        ("python/cwnd/style.css", ANY | {"direct", "given", "helped", "part", "text"}),
        # By its folder, not by what documentation says.
        ("docs/guide/a.md", {"docs", "shown"}),
        ("docs/deep/picture.png", {"docs", "shown"}),
    ],
)
def test_a_python_file_or_page_concerns_the_tests_that_reach_it(root: Path, path: str, tests: set[str]) -> None:
    assert concerned(root, path) == (set(), tests, "")


def test_code_of_a_crate_concerns_what_depends_on_it_and_the_module_in_python(root: Path) -> None:
    crates, tests, everything = concerned(root, "crates/cwnd/src/math.rs")
    assert (crates, everything) == ({"cwnd", "cwnd-sim", "cwnd-noq"}, "")
    assert tests == ANY | {"given", "part", "text", "walking"}, "those that reach the compiled module or read the file"
    assert concerned(root, "crates/cwnd-noq/src/lib.rs") == ({"cwnd-noq"}, set(), "")
    assert concerned(root, "crates/cwnd/tests/golden.rs") == ({"cwnd"}, set(), "")


def test_a_file_that_another_crate_compiles_concerns_it_too(root: Path) -> None:
    link = root / "crates" / "cwnd-noq" / "src" / "factory.rs"
    for file, text in {
        "cwnd-sim/src/factory.rs": "",
        "cwnd-sim/tests/queue.rs": "",
        "cwnd-sim/tests/transfer/deep.rs": "",
        "cwnd-noq/tests/all.rs": '#[path = "../../cwnd-sim/tests/queue.rs"]\n#[path = "../../cwnd-sim/tests/transfer/mod.rs"]',
        "cwnd-noq/src/lib.rs": "",
    }.items():
        (root / "crates" / file).parent.mkdir(parents=True, exist_ok=True)
        (root / "crates" / file).write_text(text)
    link.symlink_to("../../cwnd-sim/src/factory.rs")
    assert concerned(root, "crates/cwnd-sim/src/factory.rs")[0] == {"cwnd-sim", "cwnd-noq"}
    assert concerned(root, "crates/cwnd-sim/src/other.rs")[0] == {"cwnd-sim"}
    for shared in ("queue.rs", "transfer/deep.rs"):
        assert concerned(root, f"crates/cwnd-sim/tests/{shared}")[0] == {"cwnd-sim", "cwnd-noq"}, shared
    assert concerned(root, "crates/cwnd-sim/tests/all.rs")[0] == {"cwnd-sim"}


def test_a_file_that_a_crate_names_concerns_it(root: Path) -> None:
    assert concerned(root, "scenarios/a.toml") == ({"cwnd-sim"}, set(), "")


@pytest.mark.parametrize("path", ["unknown/b.bin", "python/cwnd/gone.py", "tools/gone.py", "tests/python/gone.py"])
def test_a_file_that_no_test_is_known_to_read_concerns_all(root: Path, path: str) -> None:
    assert path in concerned(root, path)[2]


@pytest.mark.parametrize("path", ["Makefile", "Cargo.lock", "tests/python/conftest.py", ".ci/run", "pyproject.toml"])
def test_what_all_tests_depend_on_concerns_all(path: str) -> None:
    chosen = plan([path], ROOT)
    assert path in chosen.everything
    assert command.steps(chosen) == [["make", "test"]]


def test_what_conftest_imports_concerns_all() -> None:
    imports = re.findall(r"^(?:import|from) (\w+)", (ROOT / "tests/python/conftest.py").read_text(), re.MULTILINE)
    modules = [f"tests/python/{name}.py" for name in imports if (ROOT / f"tests/python/{name}.py").exists()]
    assert len(modules) >= 5
    assert [path for path in modules if not plan([path], ROOT).everything] == []


def test_a_page_without_tests_concerns_none(root: Path) -> None:
    (root / "NOTES.md").touch()
    assert concerned(root, "NOTES.md") == (set(), set(), "")


def test_in_this_tree_an_algorithm_concerns_its_dependents_and_a_module_its_tests() -> None:
    tree, crates = Tree(ROOT), Crates.of(ROOT)
    needs = {test: tree.needs(test) for test in tree.test_files()}

    def concerned_by(path: str) -> Plan:
        add(found := Plan(), path, tree, crates, needs)
        assert all((ROOT / file).exists() for file in found.tests)
        found.tests = {Path(file).stem for file in found.tests}
        return found

    chosen = concerned_by("crates/cwnd/src/algorithms/reno.rs")
    assert {"cwnd", "cwnd-contract", "cwnd-sim", "cwnd-quinn", "cwnd-noq", "cwnd-stacks"} <= chosen.crates
    assert "cwnd-link" not in chosen.crates and "cwnd-record" not in chosen.crates
    assert {"make test-kernel", "make test-web"} == chosen.others
    assert "cwnd-wasm" in chosen.crates and "cwnd-bpf" not in chosen.crates, "cargo finds the tests of the one"
    chosen = concerned_by("crates/cwnd-wasm/src/curves.rs")
    assert chosen.crates == {"cwnd-wasm"} and "test_page_module" in chosen.tests

    chosen = concerned_by("python/cwnd/cli/commands/step.py")
    assert not chosen.crates
    assert "test_step" in chosen.tests
    assert not chosen.tests & {"test_study", "test_statistics", "test_links"}

    # What they search they do not name.
    assert "test_arrows" in concerned_by("python/cwnd/cli/entry.py").tests
    assert "test_regressions" in concerned_by("crates/cwnd-sim/src/engine/trains.rs").tests
    assert "test_security_page" in concerned_by("tests/python/_internal/test_input_files.py").tests

    chosen = concerned_by("docs/guide/live.md")
    assert {"test_guide", "test_links", "test_sizes"} <= chosen.tests
    assert "test_statistics" not in chosen.tests


def test_slow_tests_run_of_changed_files_alone() -> None:
    chosen = Plan(crates={"cwnd"}, tests={"tests/python/test_a.py", "tests/python/test_b.py"})
    chosen.changed_tests = {"tests/python/test_b.py"}
    cargo, *rest, quick, changed = command.steps(chosen)
    assert cargo[0] == "cargo" and cargo[-2:] == ["-p", "cwnd"]
    assert ["make", ".venv/.native"] in rest
    assert quick[-3:] == ["-m", "not slow", "tests/python/test_a.py"]
    assert "not slow" not in changed and changed[-1] == "tests/python/test_b.py"


def test_a_run_says_that_no_test_ran_where_all_are_slow(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def step(code: int, file: str) -> list[str]:
        return [sys.executable, "-c", f"raise SystemExit({code})", "-m", "pytest", file]

    monkeypatch.setattr(sys, "argv", ["check", "mkdocs.yml"])
    monkeypatch.setattr(command, "steps", lambda _: [step(5, "tests/python/test_site.py")])
    assert command.main() == 0
    assert "no test ran: those of tests/python/test_site.py are all slow" in capfd.readouterr().out
    monkeypatch.setattr(
        command, "steps", lambda _: [step(0, "tests/python/test_a.py"), step(1, "tests/python/test_b.py")]
    )
    assert command.main() == 1
    printed = capfd.readouterr().out
    assert "no test ran" not in printed and printed.count("failed: ") == 1


def test_the_change_is_that_of_the_branch_and_of_files_that_git_does_not_know(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        author = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *author, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-b", "main")
    for name in ("old", "committed", "edited", "before"):
        (tmp_path / name).write_text(name)
    git("add", ".")
    git("commit", "-m", "first")
    git("switch", "-c", "work")
    (tmp_path / "committed").write_text("2")
    git("mv", "before", "after")
    git("commit", "-am", "second")
    (tmp_path / "edited").write_text("2")
    (tmp_path / "new é").touch()
    # A file that was renamed is gone under its old name.
    assert changed_files(tmp_path, "main") == ["after", "before", "committed", "edited", "new é"]
    assert changed_files(tmp_path, "HEAD") == ["edited", "new é"]
    with pytest.raises(SystemExit, match="no-such"):
        changed_files(tmp_path, "no-such")
