# SPDX-License-Identifier: MIT OR Apache-2.0
"""Completion of command lines: what is offered, and what the shells make of it when somebody presses Tab."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from conftest import PROGRAM, Cli
from in_kernel import PATIENCE_S
from needs import skip_without
from test_cli import HEAVY

from cwnd.cli.completion.words import of_bash, split
from cwnd.reproduce.discover import experiments

SHELLS = {
    "bash": ["bash", "--norc", "--noprofile", "-i"],
    "zsh": ["zsh", "-f", "-i"],
    "fish": ["fish", "--no-config", "-i"],
}
BEGIN = {
    "bash": "source <(cwnd completion bash)",
    "zsh": "autoload -Uz compinit; compinit -u -D; bindkey -e; source <(cwnd completion zsh)",
    "fish": "cwnd completion fish | source",
}
#: Typed before Tab, and the line after it, without a blank at its end.
LINES = [
    ("cwnd comple", "cwnd completion"),
    ("cwnd compare cubic:2@fast_", "cwnd compare cubic:2@fast_convergence="),
    ("cwnd compare cubic@beta=0.7,host_clock_", "cwnd compare cubic@beta=0.7,host_clock_phase="),
    ("cwnd compare cubic@fast_convergence=t", "cwnd compare cubic@fast_convergence=true"),
    ("cwnd compare cubic --lan", "cwnd compare cubic --lane"),
    ("cwnd compare cubic --lane s", "cwnd compare cubic --lane sim"),
    ("cwnd -v compare cubic --lane=s", "cwnd -v compare cubic --lane=sim"),
    ("cwnd reproduce ha2008/table1-cl", "cwnd reproduce ha2008/table1-clamps"),
    ("cwnd kernel doc", "cwnd kernel doctor"),
    ("cwnd fidelity fast-h", "cwnd fidelity fast-htcp"),
    ("cwnd run my\\ sc", "cwnd run my\\ scenario.toml"),
    ("cwnd plot fol", "cwnd plot folder/"),
]


def offered(cwnd: Cli, *words: str) -> list[list[str]]:
    """What the shells' scripts are told: kind, word, help."""
    done = cwnd("complete", "zsh", "--", *words)
    assert (done.returncode, done.stderr) == (0, "")
    return [line.split("\t") for line in done.stdout.splitlines()]


def names(cwnd: Cli, *words: str) -> list[str]:
    return [word for _, word, _ in offered(cwnd, *words)]


def test_commands_and_options_are_those_of_the_help(cwnd: Cli) -> None:
    # Commands are in several panels of the help; lines of options begin with a dash.
    shown = re.findall(r"^  ([a-z][a-z-]*)  ", cwnd("--help").stdout, re.MULTILINE)
    assert sorted(names(cwnd, "")) == sorted(shown) and "compare" in shown and "complete" not in shown
    options = set(re.findall(r"--[a-z][a-z-]+", cwnd("compare", "--help").stdout))
    found = names(cwnd, "compare", "--")
    assert set(found) <= options and {"--rate", "--codel", "--seeds", "--quiet"} <= set(found)
    assert names(cwnd, "kernel", "un") == ["unload"]


def test_an_option_that_is_given_is_offered_again_only_if_it_may_be_repeated(cwnd: Cli) -> None:
    before = ("compare", "cubic", "--rate", "5Mbit/s", "--traffic", "surge", "-o", "out")
    found = names(cwnd, *before, "--")
    assert "--rtt" in found and "--traffic" in found
    assert not {"--rate", "--out"} & set(found)


def test_a_flow_is_completed_to_its_algorithm_its_parameters_and_their_values(cwnd: Cli) -> None:
    found = names(cwnd, "compare", "cubic-2.")
    assert {"cubic-2.2", "cubic-2.0", "cubic-2.6.18"} <= set(found) and "cubic" not in found
    assert offered(cwnd, "sweep", "cubic:2@bet") == [
        ["part", "cubic:2@beta=", "factor of the window kept after a loss (0.1 to 0.99)"]
    ]
    keys = names(cwnd, "compare", "reno", "htcp@beta_min=0.5,")
    assert {"htcp@beta_min=0.5,rtt=", "htcp@beta_min=0.5,fading="} <= set(keys)
    assert "htcp@beta_min=0.5,beta_min=" not in keys
    assert names(cwnd, "compare", "cubic@slow_start=hy") == ["cubic@slow_start=hystart++", "cubic@slow_start=hystart"]
    assert names(cwnd, "compare", "cubic@direction=") == ["cubic@direction=forward", "cubic@direction=reverse"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("compare", "--lane", ""), ["sim", "live", "linux"]),
        (("compare", "--lane="), ["--lane=sim", "--lane=live", "--lane=linux"]),
        (("sweep", "cubic", "--axis", "link.queue.kind=codel,dropt"), ["link.queue.kind=codel,droptail"]),
        (
            ("sweep", "cubic", "--axis", "link.queue.kind=codel,d"),
            ["link.queue.kind=codel,droptail", "link.queue.kind=codel,drop-head"],
        ),
        (("compare", "cubic", "--traffic", "leith2007-"), ["leith2007-fig4", "leith2007-fig6"]),
        (("replay", "calls.parquet", "--cc", "reno-"), ["reno-linux"]),
        (("compare", "cubic@stack="), [f"cubic@stack={stack}" for stack in ("tcp", "quinn", "noq")]),
        (("compare", "stock-c"), ["stock-cubic@stack=quinn", "stock-cubic@stack=noq", "stock-cubic@stack=smoltcp"]),
        (("compare", "stock-bbr@tls=true,stack="), ["stock-bbr@tls=true,stack=quinn"]),
        (("show", "stock-"), ["stock-cubic", "stock-newreno", "stock-bbr", "stock-reno"]),
        (("show", "noq"), ["noq"]),
        (("kernel", "load", "htcp", "--param", "beta_"), ["beta_min=", "beta_max="]),
        (("completion", ""), ["bash", "zsh", "fish"]),
        (("compare", "cubic", "--seeds", ""), []),
        (("kernel", "use", "htcp", "--", "iperf3", "--"), [""]),
    ],
    ids=lambda each: " ".join(each),
)
def test_values_are_completed(cwnd: Cli, words: tuple[str, ...], expected: list[str]) -> None:
    assert names(cwnd, *words) == expected


def test_every_figure_and_every_document_can_be_reproduced_by_name(cwnd: Cli) -> None:
    known = set(experiments())
    assert set(names(cwnd, "reproduce", "")) == known | {name.partition("/")[0] for name in known}


def test_kinds_widths_and_formats_of_pictures_are_those_that_there_are(cwnd: Cli) -> None:
    from cwnd.cli.actions.plot import FORMATS
    from cwnd.plot.runs.kinds import KINDS as OF_RUNS
    from cwnd.plot.studies.canvas import WIDTHS
    from cwnd.plot.studies.kinds import KINDS as OF_STUDIES

    for option, values in {"--kind": {**OF_RUNS, **OF_STUDIES}, "--width": WIDTHS, "--format": FORMATS}.items():
        assert names(cwnd, "plot", "study", option, "") == list(values)


def test_paths_are_left_to_the_shell(cwnd: Cli) -> None:
    for words, kind in {
        ("run", ""): "file",
        ("sweep", "x"): "file",
        ("compare", "cubic", "-o", ""): "folder",
        ("compare", "cubic", "--pcap", ""): "file",
        ("kernel", "use", "htcp", "--", ""): "command",
    }.items():
        assert [each[0] for each in offered(cwnd, *words)] == [kind], words


def test_it_imports_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "sys.argv = ['cwnd', 'complete', 'zsh', '--', 'reproduce', '']\n"
        "from cwnd.cli.app import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


def test_a_broken_file_of_defaults_stops_no_completion(cwnd: Cli, tmp_path: Path) -> None:
    (tmp_path / "broken.toml").write_text("[nonsense")
    done = cwnd("--no-defaults", "complete", "fish", "--", "swe", env={**os.environ, "CWND_DEFAULTS": "broken.toml"})
    assert done.stdout.startswith("word\tsweep\t")


# bash breaks words at `=` and `:`, and replaces what follows the last of them.
@pytest.mark.parametrize(
    ("line", "typed", "current", "kept"),
    [
        ("cwnd compare cubic:2@be", "be", "cubic:2@be", "cubic:2@"),
        ("cwnd compare cubic@beta=", "", "cubic@beta=", "cubic@beta="),
        ("cwnd compare 'cubic@be", "cubic@be", "cubic@be", ""),
        ("cwnd run my\\ sc", "my\\ sc", "my sc", ""),
        ("cwnd run ", "", "", ""),
    ],
)
def test_of_a_word_bash_replaces_what_it_has_broken_off(line: str, typed: str, current: str, kept: str) -> None:
    before, word, cut = of_bash(line, typed)
    assert (before[:1], word, word[:cut]) == ([line.split()[1]], current, kept)


def test_an_unfinished_line_is_split_as_the_shell_would() -> None:
    assert split("""a 'b c' "d\\"e\\n" f\\ g ''""") == ["a", "b c", 'd"e\\n', "f g", ""]
    assert split("a 'b ") == ["a", "b "] and split("a ") == ["a", ""]


def test_an_unknown_shell_is_refused(cwnd: Cli) -> None:
    done = cwnd("completion", "fsh")
    assert done.returncode == 2 and done.stderr == (
        'error: SHELL: "fsh" is not accepted; expected a shell (did you mean fish or zsh?)\n'
    )


class Terminal:
    """A shell on a terminal."""

    def __init__(self, shell: str, folder: Path) -> None:
        environment = {
            "PATH": f"{PROGRAM.parent}:{os.environ['PATH']}",
            "HOME": str(folder),
            "TERM": "vt100",
            "PS1": "$ ",
        }
        environment |= {"LC_ALL": "C.UTF-8", "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
        self.master, terminal = pty.openpty()
        self.process = subprocess.Popen(
            SHELLS[shell],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            env=environment,
            cwd=folder,
            start_new_session=True,
            # The terminal is the shell's own.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(terminal)
        self.said = ""
        self.type(f"{BEGIN[shell]}\n")
        # No echo of what is typed has this.
        self.type("echo read''y\n")
        self.wait(r"^ready")

    def type(self, text: str) -> None:
        os.write(self.master, text.encode())

    def wait(self, pattern: str) -> re.Match[str]:
        """Waits until this is printed."""
        until = time.monotonic() + PATIENCE_S
        while not (match := re.search(pattern, self.said, re.MULTILINE)):
            assert time.monotonic() < until, f"{pattern} did not come:\n{self.said}"
            if select.select([self.master], [], [], 0.1)[0]:
                self.said += os.read(self.master, 65536).decode(errors="replace").replace("\r", "")
                if re.search(r"\x1b\[0?c", self.said):
                    # What fish asks a terminal: of what kind it is.
                    self.type("\x1b[?6c")
                self.said = re.sub(r"\x1b\[[0-9;?<>=]*[A-Za-z]|[\0\x0e\x0f]", "", self.said)
        self.said = self.said[match.end() :]
        return match

    def completed(self, line: str) -> str:
        """The line after Tab: it becomes the argument of a command that prints it."""
        self.type(f"{line}\t")
        # To the line's beginning. The quote makes one word of it.
        self.type("'\x01printf 'line<%s>\\n' '\n")
        return self.wait(r"^line<(.*)>")[1].rstrip()

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.master)


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes_what_somebody_types(shell: str, tmp_path: Path) -> None:
    if shell != "bash":
        skip_without(shell)
    (tmp_path / "my scenario.toml").write_text("")
    (tmp_path / "folder").mkdir()
    terminal = Terminal(shell, tmp_path)
    try:
        for line, expected in LINES:
            assert terminal.completed(line) == expected
    finally:
        terminal.end()
