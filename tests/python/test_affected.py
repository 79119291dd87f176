# SPDX-License-Identifier: MIT OR Apache-2.0
"""`make check`: the tests that a changed file concerns. The fixtures' tree is small and its answers exact; of the real one a few."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tools.affected import __main__ as command
from tools.affected.crates import Crates
from tools.affected.plan import Plan, add, changed_files, plan
from tools.affected.python_tests import Tree

ROOT = Path(__file__).parents[2]
#: A package of which a test needs a module directly, by way of another, by a command, by a name that the package gives, or in a text.
FILES = {
    "python/cwnd/__init__.py": 'HOMES = {"run": "store"}\n',
    "python/cwnd/__main__.py": "def main():\n    from cwnd.cli import main\n",
    "python/cwnd/_native.pyi": "",
    "python/cwnd/exit_codes.py": "",
    "python/cwnd/cli.py": (
        "from cwnd import plot_command\nfrom cwnd.exit_codes import enter\nfrom cwnd.store import run as do\n"
        'app = enter\n@app.command("run")\ndef run_it():\n    do()\napp.command("plot")(plot_command.command)\n'
    ),
    "python/cwnd/store.py": "from cwnd import _native\ndef run():\n    from cwnd.table import rows\n",
    "python/cwnd/table.py": 'STYLE = "style.css"\nrows = 1\n',
    "python/cwnd/style.css": "",
    "python/cwnd/plot_command.py": "from cwnd.typing_only import a\n",
    "python/cwnd/typing_only.py": "if TYPE_CHECKING:\n    from cwnd.table import rows\n",
    "python/cwnd/papers/__init__.py": "",
    "python/cwnd/papers/fig.py": "",
    "python/cwnd/discover.py": 'import importlib\nimportlib.import_module(f"cwnd.papers.{name}")\n',
    "tools/__init__.py": "",
    "tools/page.py": "from cwnd.discover import a\n",
    "tests/python/conftest.py": 'SHORT = ("plot",)\ndef cwnd():\n    pass\ndef drawn():\n    return [SHORT, PROGRAM]\n',
    "tests/python/forked.py": "",
    "tests/python/helper.py": "from cwnd.table import rows\n",
    "tests/python/test_direct.py": "from cwnd.table import rows\n",
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
        ("python/cwnd/store.py", ANY | {"given", "part", "text"}),
        # By a command, in the test and in a fixture that it asks for.
        ("python/cwnd/plot_command.py", ANY | {"plot", "drawn"}),
        # Every command has it.
        ("python/cwnd/exit_codes.py", ANY | {"plot", "drawn"}),
        # What is found by being in a folder.
        ("python/cwnd/papers/fig.py", ANY | {"page"}),
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
    assert tests == ANY | {"given", "part", "text"}, "those that reach the compiled module"
    assert concerned(root, "crates/cwnd-noq/src/lib.rs") == ({"cwnd-noq"}, set(), "")
    assert concerned(root, "crates/cwnd/tests/golden.rs") == ({"cwnd"}, set(), "")


def test_a_file_that_a_crate_names_concerns_it(root: Path) -> None:
    assert concerned(root, "scenarios/a.toml") == ({"cwnd-sim"}, set(), "")


@pytest.mark.parametrize("path", ["unknown/b.bin", "python/cwnd/gone.py", "tools/gone.py"])
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
    chosen = plan(["crates/cwnd/src/algorithms/reno.rs"], ROOT)
    assert {"cwnd", "cwnd-contract", "cwnd-sim", "cwnd-quinn", "cwnd-noq", "cwnd-stacks"} <= chosen.crates
    assert "cwnd-link" not in chosen.crates and "cwnd-record" not in chosen.crates
    assert {"make test-kernel", "make test-web"} == chosen.others

    chosen = plan(["python/cwnd/step_command.py"], ROOT)
    assert not chosen.crates
    assert "tests/python/test_step.py" in chosen.tests
    assert not chosen.tests & {f"tests/python/{name}.py" for name in ("test_study", "test_statistics", "test_links")}

    chosen = plan(["docs/guide/live.md"], ROOT)
    assert {f"tests/python/{name}.py" for name in ("test_guide", "test_links", "test_sizes")} <= chosen.tests
    assert "tests/python/test_statistics.py" not in chosen.tests


def test_slow_tests_run_of_changed_files_alone() -> None:
    chosen = Plan(crates={"cwnd"}, tests={"tests/python/test_a.py", "tests/python/test_b.py"})
    chosen.changed_tests = {"tests/python/test_b.py"}
    cargo, *rest, quick, changed = command.steps(chosen)
    assert cargo[0] == "cargo" and cargo[-2:] == ["-p", "cwnd"]
    assert ["make", ".venv/.native"] in rest
    assert quick[-3:] == ["-m", "not slow", "tests/python/test_a.py"]
    assert "not slow" not in changed and changed[-1] == "tests/python/test_b.py"


def test_the_change_is_that_of_the_branch_and_of_files_that_git_does_not_know(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        author = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *author, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-b", "main")
    for name in ("old", "committed", "edited"):
        (tmp_path / name).write_text("1")
    git("add", ".")
    git("commit", "-m", "first")
    git("switch", "-c", "work")
    (tmp_path / "committed").write_text("2")
    git("commit", "-am", "second")
    (tmp_path / "edited").write_text("2")
    (tmp_path / "new é").touch()
    assert changed_files(tmp_path, "main") == ["committed", "edited", "new é"]
    assert changed_files(tmp_path, "HEAD") == ["edited", "new é"]
    with pytest.raises(SystemExit, match="no-such"):
        changed_files(tmp_path, "no-such")
