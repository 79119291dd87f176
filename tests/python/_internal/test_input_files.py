# SPDX-License-Identifier: MIT OR Apache-2.0
"""Files that users give: JSON scenarios, files of other kinds, and reading that is bounded in size and time."""

from __future__ import annotations

import gzip
import json
import os
import re
import resource
import select
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest
from conftest import PATIENCE_S, PROGRAM, Cli, refused

import cwnd as package
from cwnd import Scenario
from cwnd._internal import input_files
from cwnd._internal.file_kinds import described, kind_of
from cwnd._internal.input_files import (
    MAX_FILE_BYTES,
    InputFileError,
    contents,
    file_text,
    raise_ended,
    read_bytes,
    unpacked,
)
from cwnd._native import ScenarioError
from cwnd.scenario.builders import from_document

DOCUMENT = {"duration": "2s", "link": {"rate": "10Mbit/s", "rtt": "40ms"}, "flow": [{"cc": "cubic"}]}

#: Small files of many kinds, made for this test, and what is said of each.
KINDS: dict[str, tuple[bytes, str]] = {
    "x.pcapng": (b"\x0a\x0d\x0d\x0a\x1c\x00\x00\x00\x4d\x3c\x2b\x1a", "a packet capture (pcapng)"),
    "x.pcap": (b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00", "a packet capture (pcap)"),
    "x.qlog": (b'{"qlog_version": "0.3", "traces": [{"events": []}]}', "a qlog file"),
    "x.sqlog": (b'\x1e{"file_schema": "urn:ietf:params:qlog:file:sequential"}\n\x1e{}\n', "a qlog file"),
    "ss.txt": (
        b"ESTAB 0 0 10.0.0.1:5201\n\t cubic wscale:7,7 rto:204 rtt:3.5/1 cwnd:10 ssthresh:7 bytes_acked:1\n",
        "the output of ss -ti",
    ),
    "probe.txt": (
        b"iperf-1 [000] .... 5.1: tcp_probe: family=AF_INET src=10.0.0.1:5201 snd_cwnd=10\n",
        "a trace of the kernel's tcp_probe",
    ),
    "iperf.json": (
        b'{"start": {"connected": [{"socket": 5}], "version": "iperf 3.9"}, "intervals": []}',
        "the JSON output of iperf3",
    ),
    "x.tcl": (b"# two flows\nset ns [new Simulator]\n$ns at 1.0 finish\n", "an ns-2 script (Tcl)"),
    "x.pkt": (
        b"0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n+0 < S 0:0(0) win 32792 <mss 1000>\n",
        "a packetdrill script",
    ),
    "x.py": (b"#!/usr/bin/env python3\nimport os\n", "a Python program"),
    "y.py": (b'"""A topology."""\nfrom mininet.net import Mininet\n', "a Python program"),
    "x.sh": (b"#!/bin/sh\nls\n", "a script"),
    "x.parquet": (b"PAR1\x15\x00", "a Parquet file"),
    "x.png": (b"\x89PNG\r\n\x1a\n\x00\x00", "a picture (PNG)"),
    "x.gz": (gzip.compress(b"1\n2\n3\n"), "a gzip file of a Mahimahi trace"),
    "x.trace": (b"1\n2\n2\n5\n", "a Mahimahi trace"),
    "x.csv": (b"time_s,rate_mbps\n0,1\n1,2\n", "a table of numbers"),
    "x.txt": (b"0.5 1.25\n1.0 3e-1\n", "a table of numbers"),
    "x.bin": (bytes(range(256)), "binary data"),
    "zero": (bytes(64), "binary data"),
    "empty": (b"", "an empty file"),
    "prose": (b"Dear reader,\nthis is no scenario.\n", "text in an unknown format"),
}


@pytest.mark.parametrize("name", KINDS)
def test_a_file_of_another_kind_is_named_in_one_line(name: str, cwnd: Cli, tmp_path: Path) -> None:
    data, what = KINDS[name]
    assert described(data).startswith(what), described(data)
    (tmp_path / name).write_bytes(data)
    done = cwnd("run", name, cwd=tmp_path)
    refused(done, f'"{name}"')
    # A packed file is named by what is in it.
    assert what.removeprefix("a gzip file of ") in done.stderr and "parse error" not in done.stderr, done.stderr
    for command in ("replay", "plot", "qlog") if name in ("x.pcapng", "x.qlog", "x.pkt") else ():
        done = cwnd(command, name, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, ""), (command, done.stderr)
        assert done.stderr.count("\n") == 1 and what in done.stderr and "Parquet magic" not in done.stderr, done.stderr
    with pytest.raises(ValueError, match=f"(?s)^folder: .*{name}.*expected the folder of a result; this is") as caught:
        package.load(tmp_path / name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "name", [name for name in KINDS if name not in ("x.gz", "x.trace", "x.csv", "x.txt", "empty", "prose")]
)
def test_a_file_of_another_kind_is_named_where_a_table_is_expected(name: str, tmp_path: Path) -> None:
    data, what = KINDS[name]
    (tmp_path / name).write_bytes(data)
    for key in ("trace", "series"):
        for path, packed in ((name, data), (f"{name}.gz", gzip.compress(data))):
            (tmp_path / path).write_bytes(packed)
            with pytest.raises(ScenarioError, match=f"^link.rate.{key}: .*this is {re.escape(what)}") as caught:
                package.dumbbell("cubic", rate={key: str(tmp_path / path)}, rtt="20ms")
            assert "\n" not in str(caught.value)


def test_the_command_line_names_a_trace_of_another_kind(cwnd: Cli, tmp_path: Path) -> None:
    (tmp_path / "x.pkt").write_bytes(KINDS["x.pkt"][0])
    (tmp_path / "x.json").write_text(json.dumps(DOCUMENT))
    for command in (("compare", "cubic"), ("sweep", "cubic"), ("run", "x.json")):
        done = cwnd(*command, "--trace", "x.pkt", cwd=tmp_path)
        refused(done, "this is a packetdrill script")


def test_a_table_may_have_words_of_other_kinds() -> None:
    for text in (
        "#!made by a script\n0 1.5\n1 2.5\n",
        "# import x\ntraffic\n1e3\n2e3\n",
        "2026-01-01T00:00:00Z,1\n",
        "",
        "a\n",
    ):
        assert file_text(text.encode()) == text


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{"duration": "2s",\n "link": {"rate": "1Mbit/s",},}\n', "trailing comma at line 2 column 29"),
        ('{"duration": "2s",\n "link": {"rate": "1Mbit/s"', "EOF while parsing an object at line 2 column 27"),
        ('{"duration": NaN}', "expected value at line 1 column 14"),
        ('{"slow": {"duration": "2s", "link": {},}}', "trailing comma at line 1 column 40"),
    ],
)
def test_a_mistake_in_json_is_shown_by_line_column_and_cause(text: str, where: str, cwnd: Cli, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text)
    for more in ((), ("--name", "slow")):
        done = cwnd("run", "x.json", *more, cwd=tmp_path)
        refused(done, f"expected JSON: {where}")
    with pytest.raises(ScenarioError, match=where):
        Scenario.from_file(tmp_path / "x.json")


def test_a_json_scenario_runs_as_a_toml_one_does(cwnd: Cli, tmp_path: Path) -> None:
    text = json.dumps(DOCUMENT)
    scenario = Scenario.from_json(text)
    (tmp_path / "x.json").write_text(text)
    (tmp_path / "x.toml").write_text(scenario.to_toml())
    (tmp_path / "no-suffix").write_text(f"\n {text}")
    results = {name: cwnd("run", name, "--json", cwd=tmp_path) for name in ("x.json", "x.toml", "no-suffix")}
    assert {done.returncode for done in results.values()} == {0}
    flows = {name: json.loads(done.stdout)["flows"] for name, done in results.items()}
    assert flows["x.json"] == flows["x.toml"] == flows["no-suffix"]
    assert Scenario.from_file(tmp_path / "no-suffix") == scenario
    swept = cwnd("sweep", "x.json", "--axis", "link.rtt=10ms,20ms", "--dry-run", cwd=tmp_path)
    assert swept.returncode == 0 and "2 points" in swept.stdout + swept.stderr
    (tmp_path / "bad.json").write_text('{"duration": "2s", "link": }')
    done = cwnd("run", "bad.json", cwd=tmp_path)
    assert done.returncode == 2 and "JSON" in done.stderr and done.stderr.count("\n") == 1


def test_one_of_several_scenarios_is_chosen_by_its_name(cwnd: Cli, tmp_path: Path) -> None:
    several = {"slow": DOCUMENT, "fast": {**DOCUMENT, "link": {"rate": "90Mbit/s", "rtt": "40ms"}}}
    (tmp_path / "scenarios.json").write_text(json.dumps(several))
    fast = cwnd("run", "scenarios.json", "--name", "fast", "--json", cwd=tmp_path)
    assert fast.returncode == 0, fast.stderr
    assert json.loads(fast.stdout)["flows"][0]["throughput_mbps"] > 20
    assert Scenario.from_file(tmp_path / "scenarios.json", "slow").rate_mbps == 10
    for arguments, message in (
        ((), "--name: missing; expected the name of one of the file's scenarios: slow, fast"),
        (
            ("--name", "fats"),
            '--name: "fats" is not accepted; expected one of the file\'s scenarios (did you mean fast?)',
        ),
    ):
        done = cwnd("run", "scenarios.json", *arguments, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (2, f"error: {message}\n")
    (tmp_path / "one.json").write_text(json.dumps({"alone": DOCUMENT}))
    assert Scenario.from_file(tmp_path / "one.json").rate_mbps == 10
    with pytest.raises(ScenarioError, match="a file of several scenarios with it"):
        (tmp_path / "x.json").write_text(json.dumps(DOCUMENT))
        Scenario.from_file(tmp_path / "x.json", "slow")


def refused_in_little_memory(command: list[str]) -> str:
    """Runs a command that has to end, with one line and code 2, within little memory: a device that is read has no end."""
    done = subprocess.run(
        [PROGRAM, *command],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)),
    )
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    return done.stderr


def test_devices_and_huge_files_are_refused_without_a_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    huge = tmp_path / "huge"
    with huge.open("wb") as file:
        file.truncate(10 << 30)

    def read(*_: object) -> bytes:
        pytest.fail("something is read")

    monkeypatch.setattr(os, "read", read)
    for path, words in (("/dev/zero", "this is a device"), (huge, "a file of at most 64 MiB")):
        with pytest.raises(InputFileError, match=words):
            read_bytes(path)


@pytest.mark.slow
def test_devices_empty_pipes_and_huge_files_are_refused_in_one_line(tmp_path: Path) -> None:
    fifo, huge = tmp_path / "fifo", tmp_path / "huge"
    os.mkfifo(fifo)
    with huge.open("wb") as file:
        file.truncate(10 << 30)
    for path, words in (
        ("/dev/zero", "a file or a pipe; this is a device"),
        ("/dev/urandom", "this is a device"),
        (str(fifo), "a pipe that a process writes to"),
        (str(huge), "a file of at most 16 MiB"),
    ):
        assert words in refused_in_little_memory(["run", path]), path
        scenario = f'duration = "1s"\n[link]\nrtt = "40ms"\nrate = {{ trace = "{path}" }}\n[[flow]]\ncc = "cubic"\n'
        of_trace = words.replace("16 MiB", "64 MiB")
        (tmp_path / "traced.toml").write_text(scenario)
        assert of_trace in refused_in_little_memory(["run", str(tmp_path / "traced.toml")]), path
    for command in ("replay", "plot", "qlog"):
        for path in ("/dev/zero", str(fifo), str(huge)):
            refused_in_little_memory([command, path])


def test_a_pipe_is_read_up_to_the_limit(tmp_path: Path) -> None:
    text = json.dumps(DOCUMENT)
    done = subprocess.run(
        [PROGRAM, "run", "/dev/stdin", "--json"], input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and json.loads(done.stdout)["flows"], done.stderr
    endless = subprocess.Popen(["yes"], stdout=subprocess.PIPE)
    try:
        done = subprocess.run(
            [PROGRAM, "run", "/dev/stdin"], stdin=endless.stdout, capture_output=True, text=True, check=False
        )
    finally:
        endless.kill()
        endless.communicate()
    assert done.returncode == 2 and "at most 16 MiB" in done.stderr, done.stderr


def test_gzip_is_unpacked_within_a_limit(tmp_path: Path) -> None:
    trace = b"1\n2\n4\n"
    packed = tmp_path / "radio.trace.gz"
    packed.write_bytes(gzip.compress(trace[:4]) + gzip.compress(trace[4:]))
    assert contents(packed) == trace and read_bytes(packed) != trace
    link = {"rtt": "40ms", "rate": {"trace": "radio.trace.gz"}}
    scenario = Scenario.from_json(json.dumps({**DOCUMENT, "link": link}), tmp_path)
    # Three opportunities of 1500 bytes in 4 ms: 9 Mbit/s.
    assert scenario.rate_mbps == 9
    bomb = gzip.compress(bytes(MAX_FILE_BYTES + (1 << 20)))
    assert len(bomb) < 1 << 17
    # Whatever size its end claims.
    for data in (bomb, bomb[:-4] + bytes(4)):
        with pytest.raises(InputFileError, match="unpacks to at most 64 MiB"):
            unpacked(data)
    for data in (gzip.compress(trace)[:-9], b"\x1f\x8b\x08garbage of no use"):
        with pytest.raises(InputFileError, match=r"a (complete )?gzip file"):
            unpacked(data)
    packed.write_bytes(bomb)
    with pytest.raises(ScenarioError, match=r"^link.rate.trace: .*unpacks to at most 64 MiB"):
        Scenario.from_json(json.dumps({**DOCUMENT, "link": link}), tmp_path)


def test_the_beginning_of_a_file_is_enough_to_tell_it() -> None:
    for name, (data, what) in KINDS.items():
        if name not in ("x.gz", "iperf.json"):
            assert kind_of((data * 4000)[: 1 << 16] if data[:1] not in b"{" else data).name == what, name


def test_a_file_that_waits_for_what_is_to_come_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def read(*_: object) -> bytes:
        raise BlockingIOError

    (tmp_path / "log").write_text("a line")
    monkeypatch.setattr(os, "read", read)  # as of /proc/kmsg, which root alone opens
    with pytest.raises(InputFileError, match="a file with an end; this one waits for more data"):
        read_bytes(tmp_path / "log")


# A process has the FIFO open and writes nothing. It is waited for; what ends the program ends the waiting, and is no fault of the file.
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("form", ["scenario", "trace of a file", "trace", "study"])
def test_a_signal_ends_the_wait_for_a_pipe(form: str, number: signal.Signals, tmp_path: Path) -> None:
    fifo, file = tmp_path / "fifo", tmp_path / "traced.toml"
    os.mkfifo(fifo)
    file.write_text('duration = "1s"\n[link]\nrtt = "40ms"\nrate = { trace = "fifo" }\n[[flow]]\ncc = "cubic"\n')
    arguments = {
        "scenario": ["run", str(fifo)],
        "trace of a file": ["run", str(file)],
        "trace": ["compare", "cubic", "--trace", str(fifo), "--duration", "1s"],
        "study": ["sweep", str(file), "--axis", "rtt=10ms,20ms"],
    }[form]
    writer = os.open(fifo, os.O_RDWR)
    process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        while not waits_for(process.pid, fifo):
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    finally:
        os.close(writer)
        process.kill()
        process.communicate()
    assert process.returncode == 128 + number and "not accepted" not in said, said


# The signal comes after the interpreter's last look for one and before the wait: it does not interrupt the wait.
def test_a_signal_just_before_a_wait_for_a_pipe_ends_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(tmp_path / "fifo")
    writer = os.open(tmp_path / "fifo", os.O_RDWR)
    real, waits = select.select, list[float]()

    def waited(*arguments: object) -> object:
        waits.append(time.monotonic())
        done = real(*arguments)  # type: ignore[arg-type]
        if len(waits) == 1:
            os.kill(os.getpid(), signal.SIGINT)  # looked for by the interpreter when the wait has ended
        return done

    monkeypatch.setattr(select, "select", waited)
    watch = threading.Timer(30, os.write, [writer, b"x"])
    watch.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        read_bytes(tmp_path / "fifo")
    watch.cancel()
    os.close(writer)
    assert time.monotonic() - begin < 30 and len(waits) == 1
    # It ends that reading alone, and nothing after it.
    raise_ended()


def test_ctrl_c_in_an_earlier_call_ends_no_later_one(tmp_path: Path) -> None:
    (tmp_path / "trace").write_text("1\n")
    document = {"duration": "1s", "link": {"rate": {"trace": "trace"}, "rtt": "20ms"}, "flow": [{"cc": "cubic"}]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(input_files, "_read", lambda *_, **__: signal.raise_signal(signal.SIGINT))
        with pytest.raises(ScenarioError, match=r"link\.rate"):
            Scenario.from_json(json.dumps(document), tmp_path)
        with pytest.raises(KeyboardInterrupt):
            from_document(document, tmp_path)
        with pytest.raises(ScenarioError):
            Scenario.from_json(json.dumps(document), tmp_path)
    with pytest.raises(ScenarioError, match="duration"):
        from_document({**document, "duration": "no time"}, tmp_path)


def waits_for(process: int, fifo: Path) -> bool:
    """Whether a process has a FIFO open."""
    try:
        return any(path.samefile(fifo) for path in Path(f"/proc/{process}/fd").iterdir())
    except OSError:
        return False
