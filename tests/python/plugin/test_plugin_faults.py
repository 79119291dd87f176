# SPDX-License-Identifier: MIT OR Apache-2.0
"""An algorithm of one's own that panics, or does not return: one line, an exit code, and the interpreter lives."""

from __future__ import annotations

import pickle
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import PROGRAM, Cli, cargo, refused
from in_kernel import PATIENCE_S, until

import cwnd as package


def panics(crate: Path, hook: str, line: str) -> int:
    """Makes `hook` of the crate's rule begin with `line`; returns the line's number."""
    rule = crate / "src" / "ease.rs"
    lines = rule.read_text().splitlines()
    head = next(number for number, each in enumerate(lines) if f"fn {hook}(" in each)
    while not lines[head].endswith("{"):
        head += 1
    lines.insert(head + 1, f"        {line}")
    rule.write_text("\n".join(lines) + "\n")
    return head + 2


HALTS = "let _ = 1 / u32::from(conn.now_us < 1_500_000);"  # a division by 0 from 1.5 s on


@cargo
def test_a_panic_is_an_exception_with_its_place_and_the_interpreter_lives(ease: Path, rule: Path) -> None:
    at = panics(ease, "cong_avoid", HALTS)
    package.load_plugin(ease)
    scenario = package.dumbbell(
        [package.Flow("cubic"), package.Flow("ease", count=2, start="1s")], rate="10Mbit/s", rtt="20ms", duration="4s"
    )
    with pytest.raises(package.PluginError) as caught:
        package.run(scenario)
    error = caught.value
    assert (error.algorithm, error.hook, error.line) == ("ease", "cong_avoid", at)
    assert error.file == str(rule.resolve()) and "divide by zero" in error.message
    assert error.flow in ("ease 1", "ease 2") and 1.5 <= error.time_s < 1.6
    for words in (f"{rule.resolve()}:{at}", error.message, f'flow "{error.flow}"', f"at {error.time_s} s"):
        assert words in str(error)
    twin = pickle.loads(pickle.dumps(error))
    assert type(twin) is package.PluginError and (str(twin), vars(twin)) == (str(error), vars(error))
    # The next run, of the same algorithm before its fault, and of another, is what it would have been.
    early = package.dumbbell([package.Flow("ease")], rate="10Mbit/s", rtt="20ms", duration="1s")
    assert package.run(early).summary["flows"][0]["packets_sent"] > 0
    other = package.dumbbell([package.Flow("cubic")], rate="10Mbit/s", rtt="20ms", duration="1s")
    assert package.run(other).summary["flows"][0]["packets_sent"] > 0


@cargo
@pytest.mark.parametrize("hook", ["init", "ssthresh", "pkts_acked", "info"])
def test_a_panic_in_any_hook_is_one_line_and_a_code(cwnd: Cli, ease: Path, rule: Path, hook: str) -> None:
    at = panics(ease, hook, 'panic!("of {}\\nlines", 2);')
    done = cwnd("compare", "ease", "cubic", "--duration", "5s", "--inner", "--plugin", ease)
    refused(done, "ease", hook, f"ease.rs:{at}", "of 2 lines", code=1)


# Says by a file that it has begun, and never returns.
LOOPS = '{ extern crate std; let _ = std::fs::write("looping", ""); loop { std::thread::park(); } }'


@cargo
@pytest.mark.parametrize(
    ("arguments", "number", "again", "code", "says"),
    [
        (("compare", "ease"), signal.SIGINT, False, 130, "error: stopped in a hook that has not returned for 10 s"),
        (("check", "{}"), signal.SIGTERM, False, 143, "error: stopped in a hook that has not returned for 10 s"),
        # The program hears the first one, and waits for its threads, which do not return. At the second one, the thread that ends it
        # and the program's own end race: whichever is first says so.
        (("compare", "ease", "--seeds", "3"), signal.SIGINT, True, 130, "stopped( at once)?"),
    ],
)
def test_a_hook_that_does_not_return_can_be_stopped(
    ease: Path,
    rule: Path,
    tmp_path: Path,
    arguments: tuple[str, ...],
    number: signal.Signals,
    again: bool,
    code: int,
    says: str,
) -> None:
    panics(ease, "cong_avoid", LOOPS)
    plugin = () if arguments[0] == "check" else ("--plugin", str(ease))
    command = [str(PROGRAM), *(each.format(ease) for each in arguments), *plugin]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as child:
        try:
            until(lambda: (tmp_path / "looping").exists() or child.poll() is not None)
            child.send_signal(number)
            for _ in range(round(PATIENCE_S) if again else 0):
                time.sleep(1)  # longer than two signals that are one
                if child.poll() is not None:
                    break
                child.send_signal(number)
            _, said = child.communicate(timeout=PATIENCE_S)
        finally:
            child.kill()
    assert child.returncode == code and re.fullmatch(says, said.splitlines()[-1]), said


# A thread that the program does not know when it ends, as after Ctrl-C while an executor starts one.
HELD = """
import sys, threading
from cwnd.cli import entry

def command(arguments, standalone_mode):
    threading.Thread(target=threading.Event().wait).start()
    {ends}

entry.HANDLING_S = {patience}
entry.enter(command)
"""


@pytest.mark.parametrize(("ends", "code"), [("raise KeyboardInterrupt", 130), ("sys.exit(143)", 143)])
def test_a_thread_that_does_not_return_does_not_hold_the_program(ends: str, code: int) -> None:
    program = HELD.format(ends=ends, patience=0.5)
    done = subprocess.run([sys.executable, "-c", program, "cwnd"], timeout=PATIENCE_S, check=False)
    assert done.returncode == code


def test_one_more_signal_ends_what_waits_for_its_threads() -> None:
    program = HELD.format(ends="raise KeyboardInterrupt", patience=3600)
    with subprocess.Popen([sys.executable, "-c", program, "cwnd"], stderr=subprocess.PIPE, text=True) as child:
        try:
            assert child.stderr is not None and child.stderr.readline() == "stopped\n"
            # The signals of the first half second are those of a key that is held down.
            until(lambda: child.poll() is not None or child.send_signal(signal.SIGINT) is not None)
            assert child.stderr.read() == ""
        finally:
            child.kill()
    assert child.returncode == 130


@cargo
def test_a_panic_in_a_study_or_a_transfer_names_its_flow(cwnd: Cli, ease: Path, rule: Path) -> None:
    at = panics(ease, "cong_avoid", HALTS)
    many = cwnd("compare", "ease:2", "--duration", "3s", "--seeds", "3", "--plugin", ease)
    refused(many, f"ease.rs:{at}", 'flow "ease', code=1)
    traffic = (
        'name = "web", model = "request-response", cc = "ease", request = "400B", response = "1MB", think = "10ms"'
    )
    web = cwnd("compare", "cubic", "--duration", "3s", "--traffic", traffic, "--plugin", ease)
    refused(web, f"ease.rs:{at}", 'flow "web"', code=1)
