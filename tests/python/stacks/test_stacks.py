# SPDX-License-Identifier: MIT OR Apache-2.0
"""Real QUIC stacks in the simulator, from the command line and in Python. What the engine does is tested in crates/cwnd-stacks."""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Cli

import cwnd as package
from cwnd import Scenario, ScenarioError, compare, hook_calls
from cwnd.stacks import exec_child
from tools import DOCS
from tools.stacks.page import PAGE, text
from tools.stacks.runs import on_record, runs

CHILD = f"stock-aimd@stack=exec,exec={sys.executable} -m cwnd.stacks.exec_child"
QUINN = 'duration = "6s"\n[link]\nrate = "20Mbit/s"\nrtt = "30ms"\n[[flow]]\ncc = "cubic"\nstack = "quinn"\n'


def test_a_scenario_the_command_and_python_give_one_result(tmp_path: Path, cwnd: Cli) -> None:
    flows = ["cubic@stack=quinn", "stock-cubic@stack=noq", "cubic"]
    printed = cwnd("compare", *flows, "--rate", "20Mbit/s", "--rtt", "30ms", "--duration", "6s", "--json", cwd=tmp_path)
    shown = json.loads(printed.stdout)
    result = compare(flows, rate="20Mbit/s", rtt="30ms", duration="6s")
    assert shown["flows"] == result.summary["flows"]
    (tmp_path / "a.toml").write_text(result.scenario.to_toml())
    again = json.loads(cwnd("run", "a.toml", "--json", cwd=tmp_path).stdout)
    assert again["flows"] == shown["flows"]
    assert [flow["recovery"] for flow in shown["flows"]] == ["quinn", "noq", "linux"]
    assert [flow["name"] for flow in shown["flows"]] == ["cubic quinn", "stock-cubic", "cubic"]
    # All three have a part, and together what the link carries.
    assert all(flow["throughput_mbps"] > 1 for flow in shown["flows"])
    assert sum(flow["throughput_mbps"] for flow in shown["flows"]) <= 20
    assert "failures" not in shown


# At 1 Gbit/s and 40 ms, with a receive window that limits nothing, slow start without HyStart overshoots by a whole BDP: more gaps than
# quinn keeps.
def test_a_connection_that_ends_is_the_first_line_an_exit_code_a_warning_and_an_entry(
    tmp_path: Path, cwnd: Cli
) -> None:
    flow = "cubic@stack=quinn,slow_start=standard,rwnd=1000000000"
    path = ("--rate", "1Gbit/s", "--rtt", "40ms", "--duration", "1500ms")
    ended = cwnd("compare", flow, *path, cwd=tmp_path)
    first = " ".join(ended.stdout.split())
    assert ended.returncode == 1 and first.startswith("cubic: its connection ended at 0."), ended.stdout
    assert "too many gaps in stream buffer" in first
    # Its mean window would be one over time without a connection.
    (row,) = [line.split() for line in ended.stdout.splitlines() if line.split()[:2] == ["cubic", "40.0"]]
    assert row[5] == "-", ended.stdout
    several = cwnd("compare", flow, *path, "--seeds", "2", cwd=tmp_path)
    assert several.returncode == 1 and several.stdout.startswith("in 2 of 2 runs connections ended"), several.stdout
    printed = cwnd("compare", flow, *path, "--json", cwd=tmp_path)
    assert printed.returncode == 1 and json.loads(printed.stdout)["failures"]
    with pytest.warns(package.ConnectionWarning, match=r"cubic: its connection ended at 0\..*too many gaps"):
        result = compare(flow, rate="1Gbit/s", rtt="40ms", duration="1500ms")
    assert result.failures == result.summary["failures"]
    with pytest.warns(package.ConnectionWarning, match="in 2 of 2 runs connections ended"):
        runs_of_seeds = compare(flow, rate="1Gbit/s", rtt="40ms", duration="1500ms", seeds=2)
    assert list(runs_of_seeds.failures) == [1, 2] and runs_of_seeds.failures[1] == result.failures
    [failure] = result.failures
    assert failure["flow"] == "cubic" and 0.4 < failure["time_s"] < 1 and failure["has_opened"]
    assert "failure" in result.events.column("kind").to_pylist()
    # With quinn's own receive window it lives.
    lives = cwnd("compare", "cubic@stack=quinn,slow_start=standard", *path, cwd=tmp_path)
    assert lives.returncode == 0 and "its connection" not in lives.stdout, lives.stdout


# 1.25 MB are 849.2 datagrams of 1472 bytes, and 166.7 Mbit/s of the 300 at 60 ms.
def test_a_flow_that_its_receive_window_limits_is_said_to_be(tmp_path: Path, cwnd: Cli) -> None:
    path = ("--rate", "300Mbit/s", "--rtt", "60ms", "--buffer", "1bdp", "--duration", "5s")
    ended = cwnd("compare", "stock-cubic@stack=quinn", *path, cwd=tmp_path)
    assert ended.returncode == 0, ended.stdout
    words = "stock-cubic: limited by its receive window of 849 packets: its mean congestion window was"
    assert words in " ".join(ended.stdout.split()), ended.stdout
    document = json.loads(cwnd("compare", "cubic@rwnd=100", *path, "--json", cwd=tmp_path).stdout)
    [limit] = document["receive_limits"]
    assert limit["flow"] == "cubic" and limit["receive_window"] == 100 and limit["cwnd_mean"] >= 100
    plain = compare("cubic", rate="20Mbit/s", rtt="30ms", duration="3s")
    assert "receive_limits" not in plain.summary
    several = cwnd("compare", "stock-cubic@stack=quinn", *path, "--seeds", "2", cwd=tmp_path).stdout
    assert "in 2 of 2 runs a receive window limited stock-cubic" in " ".join(several.split())


# 1 Mbit/s of payload, of 100; the first second is the handshake's and the way's.
def test_an_application_has_a_rate_with_every_stack(tmp_path: Path, cwnd: Cli) -> None:
    flows = ["cubic@stack=quinn", "cubic@stack=noq", "stock-reno@stack=smoltcp", CHILD]
    keys = ("--rate", "100Mbit/s", "--rtt", "100ms", "--duration", "6s", "--measure", "1s..6s", "--json")
    rated = [f"{flow},app_rate=1Mbit/s,label=f{at}" for at, flow in enumerate(flows)]
    rated[3] = f"stock-aimd@stack=exec,app_rate=1Mbit/s,label=f3,exec={sys.executable} -m cwnd.stacks.exec_child"
    done = cwnd("compare", *rated, *keys, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for flow in json.loads(done.stdout)["flows"]:
        assert 0.95 <= flow["goodput_mbps"] <= 1.05, flow


# 20 datagrams of 1472 bytes a round trip of 100 ms: 2.36 Mbit/s.
def test_a_child_is_told_its_receive_window(tmp_path: Path, cwnd: Cli) -> None:
    flow = f"stock-aimd@stack=exec,rwnd=20,exec={sys.executable} -m cwnd.stacks.exec_child"
    shown = compare(flow, rate="100Mbit/s", rtt="100ms", duration="10s").summary["flows"][0]
    assert 1.5 <= shown["goodput_mbps"] <= 2.36, shown
    silent = tmp_path / "silent.py"
    silent.write_text(
        "import sys\nfrom cwnd.stacks.exec_child import Stack, serve\nserve(Stack, sys.stdin.buffer, sys.stdout.buffer)\n"
    )
    with pytest.raises(ScenarioError, match="rwnd: this stack takes no receive window"):
        compare(f"stock-x@stack=exec,rwnd=20,exec={sys.executable} {silent}", rate="10Mbit/s", rtt="40ms")


# A flow of `cwnd compare` starts at a drawn time; from a file this one starts at 0.5 s of 2.
def test_so_is_one_that_never_opens(tmp_path: Path, cwnd: Cli) -> None:
    text = QUINN.replace("6s", "2s").replace("[[flow]]", 'loss = "every:1"\n[[flow]]\nstart = "500ms"')
    (tmp_path / "a.toml").write_text(text)
    words = "no byte was delivered and acknowledged in 1.500 s"
    ended = cwnd("run", "a.toml", cwd=tmp_path)
    shown = " ".join(ended.stdout.split())
    assert ended.returncode == 1 and shown.startswith(f"cubic: its connection had not opened by 2.000 s: {words}")
    with pytest.warns(package.ConnectionWarning, match="its connection had not opened"):
        result = package.run(Scenario.from_toml(text))
    assert result.summary["failures"] == [{"flow": "cubic", "time_s": 2.0, "has_opened": False, "why": words}]
    assert "failure" not in result.events.column("kind").to_pylist()
    several = " ".join(cwnd("run", "a.toml", "--seeds", "2", cwd=tmp_path).stdout.split())
    assert "in 2 of 2 runs connections ended before the run did, or never opened; the first, cubic, had not" in several
    assert f"opened at 2.000 s: {words}" in several


@pytest.mark.parametrize(
    ("flow", "says"),
    [
        (
            "stock-cubic",
            'flow[0].cc: "stock-cubic" is not accepted; expected an algorithm of cwnd, or `stack = "quinn"` or `stack = "noq"`',
        ),
        (
            "stock-bbr@stack=noq",
            'flow[0].cc: "stock-bbr" is not accepted; expected an algorithm of cwnd, or one of noq\'s own: stock-cubic, stock-newreno',
        ),
        ("stock-cubik@stack=quinn", "(did you mean stock-cubic?)"),
        (
            "stock-cubc",
            'flow[0].cc: "stock-cubc" is not accepted; expected an algorithm of cwnd or, with a `stack`, one of its own: stock-bbr, stock-cubic, stock-newreno, stock-reno, or a child\'s with `stack = "exec"` (did you mean stock-cubic?)',
        ),
        ("bbr@stack=quinn", "expected the name of an algorithm (did you mean stock-bbr, with a `stack`?)"),
        ("quinn", 'expected the name of an algorithm, with `stack = "quinn"`: that name is a stack'),
        ("cubic@stack=none", "expected tcp, quinn, noq, smoltcp or exec (did you mean tcp?)"),
        ("cubic@stack=quinn,tls=yes", 'flow[0].tls: "yes" is not accepted; expected true or false'),
        ("reno@stack=exec", "flow[0].exec: missing; expected the command of the child process at each end"),
        (
            "stock-x@stack=exec,exec=no-such-program --fast",
            'flow[0].exec: "no-such-program --fast" is not accepted; expected a command that starts and speaks the protocol: `no-such-program` does not start: No such file',
        ),
        ("cubic@stack={quinn,noq}", "expected one value of each; `cwnd sweep` takes several in braces"),
        (
            "stock-cubic@stack=quinn,slow_start=standard",
            "expected a key of any flow: stock-cubic is a stack's own algorithm, which has no parameters here",
        ),
        (
            "cubic@stack=quin",
            'flow[0].stack: "quin" is not accepted; expected tcp, quinn, noq, smoltcp or exec (did you mean quinn?)',
        ),
        (
            "cubic@stack=quinn,ack_every=1",
            "flow[0].ack_every: 1 is not accepted; expected no ack_every: it sets up the simulator's TCP and its host, which quinn replaces",
        ),
        ("cubic@stack=quinn,host=linux", 'flow[0].host: "linux" is not accepted; expected no host: it sets up the'),
        (
            "cubic@stack=exec,exec=true",
            'flow[0].cc: "cubic" is not accepted; expected `stock-` and the name of an algorithm of the child\'s own',
        ),
        (
            "cubic@stack=smoltcp",
            'flow[0].cc: "cubic" is not accepted; expected an algorithm of smoltcp\'s own: stock-cubic, stock-reno',
        ),
        ("stock-reno@stack=smoltcp,ecn=true", "flow[0].ecn: true is not accepted; expected false: smoltcp has no ECN"),
        ("stock-x@stack=exec", "flow[0].exec: missing; expected the command of the child process at each end"),
        ("cubic@stack=quinn,exec=ls", 'flow[0].exec: "ls" is not accepted; expected `stack = "exec"` with it'),
        ("cubic@exec=ls", 'flow[0].exec: "ls" is not accepted; expected `stack = "exec"` with it'),
        ("cubic@tls=true", "flow[0].tls: true is not accepted; expected a `stack` with it"),
        ("stock-cubic@stack=quinn,beta=0.7", "flow[0].beta: 0.7 is not accepted; expected"),
    ],
)
def test_what_a_stack_cannot_have_is_refused_in_one_line(flow: str, says: str, tmp_path: Path, cwnd: Cli) -> None:
    with pytest.raises(ScenarioError) as refused:
        compare(flow, rate="10Mbit/s", rtt="40ms")
    assert says in str(refused.value)
    ended = cwnd("compare", flow, "--rate", "10Mbit/s", "--rtt", "40ms", cwd=tmp_path)
    assert ended.returncode != 0 and says in ended.stderr and len(ended.stderr.strip().splitlines()) == 1


def test_the_stacks_and_their_own_algorithms_are_listed_and_explained(cwnd: Cli) -> None:
    plain = cwnd("algorithms").stdout
    known = json.loads(cwnd("algorithms", "--json").stdout)
    own = {each["name"]: each for each in known if "stacks" in each}
    assert set(own) == {"stock-cubic", "stock-newreno", "stock-bbr", "stock-reno"}
    # Whoever goes through the parameter sets finds those of ours alone.
    assert all(not each["sets"] for each in own.values()) and all(
        each["sets"] for each in known if "stacks" not in each
    )
    for name, algorithm in own.items():
        stacks = [stack["name"] for stack in algorithm["stacks"]]
        assert name in plain
        shown, document = cwnd("show", name).stdout, json.loads(cwnd("show", name, "--json").stdout)
        assert document == {**algorithm, "usage": [f"cwnd compare '{name}@stack={stack}' cubic" for stack in stacks]}
        assert all(command in shown for command in document["usage"])
    for name, crate in [
        ("quinn", "quinn-proto 0.11"),
        ("noq", "noq-proto 1.4"),
        ("exec", "python3 -m cwnd.stacks.exec_child"),
    ]:
        assert crate in cwnd("show", name).stdout and f"\n  {name} " in plain
    assert json.loads(cwnd("show", "noq", "--json").stdout)["package"] == "noq-proto"
    assert "(did you mean stock-cubic?)" in cwnd("show", "stock-cubc").stderr
    assert "(did you mean quinn?)" in cwnd("show", "quin").stderr


# The command that `cwnd show` says for each is one that runs.
def test_what_is_explained_runs(tmp_path: Path, cwnd: Cli) -> None:
    for name in ("quinn", "noq", "smoltcp", "exec", "stock-cubic", "stock-newreno", "stock-bbr", "stock-reno"):
        for command in json.loads(cwnd("show", name, "--json").stdout)["usage"]:
            program, *arguments = shlex.split(command)
            arguments = [each.replace("python3", sys.executable) for each in arguments]
            done = cwnd(*arguments, "--rate", "5Mbit/s", "--duration", "200ms", cwd=tmp_path)
            assert program == "cwnd" and done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            QUINN.replace('duration = "6s"', 'duration = "6s"\npacket_size = "1000B"'),
            'packet_size: "1000B" is not accepted; expected 1228B to 16411B',
        ),
        (QUINN + '[[action]]\nswitch = { flow = "cubic", at = "2s", cc = "reno" }\n', "action.switch.flow: "),
        (QUINN + '[[action]]\nswitch = { flow = "cubic", at = "2s", cc = "stock-cubic" }\n', "action[0].switch.cc: "),
    ],
)
def test_so_is_what_a_scenario_cannot_have_with_one(text: str, says: str) -> None:
    with pytest.raises(ScenarioError) as refused:
        Scenario.from_toml(text)
    assert str(refused.value).startswith(says)


def test_hooks_pages_and_the_live_lane_say_that_they_have_no_stacks(tmp_path: Path, cwnd: Cli) -> None:
    scenario = Scenario.from_toml(QUINN)
    (tmp_path / "a.toml").write_text(QUINN)
    with pytest.raises(ScenarioError, match="there are no stacks whose hooks can be stepped through"):
        hook_calls(scenario)
    for arguments, place in [(("--lane", "live"), "in lane live"), (("--page", "a.html"), "in a page")]:
        ended = cwnd("run", "a.toml", *arguments, cwd=tmp_path)
        assert ended.returncode != 0 and f"there are no stacks {place}" in ended.stderr, ended.stderr
        assert not (tmp_path / "a.html").exists()


def test_a_run_of_a_stack_is_kept_and_read_back(tmp_path: Path) -> None:
    run = package.run(Scenario.from_toml(QUINN))
    package.save(run, tmp_path / "run")
    again = package.load(tmp_path / "run")
    assert again.summary["flows"] == run.summary["flows"]
    assert again.cwnd.num_rows == run.cwnd.num_rows > 50
    # A window of ten datagrams of 1472 bytes: RFC 9002 §7.2 has 14 720 bytes.
    assert run.cwnd["cwnd"][0].as_py() == 10


def test_a_child_process_is_a_stack_too(tmp_path: Path, cwnd: Cli) -> None:
    shown = json.loads(
        cwnd(
            "compare", CHILD, "cubic", "--rate", "10Mbit/s", "--rtt", "40ms", "--duration", "5s", "--json", cwd=tmp_path
        ).stdout
    )
    result = compare([CHILD, "cubic"], rate="10Mbit/s", rtt="40ms", duration="5s")
    assert shown["flows"] == result.summary["flows"] and shown["flows"][0]["recovery"] == "exec"
    assert all(flow["throughput_mbps"] > 1 for flow in shown["flows"])
    with pytest.raises(ScenarioError, match=r"`false` ended \(exit status: 1\)"):
        compare("stock-x@stack=exec,exec=false", rate="10Mbit/s", rtt="40ms", duration="5s")


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("-m cwnd.stacks.exec_child", "stock-x: this stack has stock-aimd alone"),
        (str(DOCS / "examples" / "exec" / "aioquic_stack.py"), "stock-x: aioquic has stock-reno and stock-cubic"),
    ],
)
def test_a_child_that_does_not_know_the_name_says_so_in_one_line(
    command: str, says: str, tmp_path: Path, cwnd: Cli
) -> None:
    flow = f"stock-x@stack=exec,exec={sys.executable} {command}"
    done = cwnd("compare", flow, "--rate", "10Mbit/s", "--rtt", "40ms", cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert done.stderr.endswith(f"expected a command that starts and speaks the protocol: {says}\n")


def test_a_failure_of_a_child_is_a_frame_whenever_it_comes() -> None:
    class Fails(exec_child.Stack):
        def open(self, now: int) -> None:
            raise exec_child.Failed("no route")

    hello = struct.pack("<IBHBHQ", 14, 1, 1, 0, 1472, 7)
    answer = io.BytesIO()
    exec_child.serve(Fails, io.BytesIO(hello + struct.pack("<IBQ", 9, 2, 5)), answer)
    assert answer.getvalue()[:5] == struct.pack("<IB", 89, 2)
    assert answer.getvalue()[4 + 89 :] == struct.pack("<IB", 9, 3) + b"no route"


def test_a_tcp_of_another_stack_is_one_too_and_its_window_is_not_made_up(tmp_path: Path, cwnd: Cli) -> None:
    flows = ("stock-cubic@stack=smoltcp", "stock-reno@stack=smoltcp")
    path = ("--rate", "10Mbit/s", "--rtt", "40ms", "--duration", "10s", "--no-plots")
    shown = cwnd("compare", *flows, *path, "-o", "run", cwd=tmp_path).stdout
    rows = [line.split() for line in shown.splitlines() if line.strip().startswith("stock-")]
    assert [(row[0], row[5]) for row in rows] == [("stock-cubic", "-"), ("stock-reno", "-")]
    run = package.load(tmp_path / "run")
    assert [flow["recovery"] for flow in run.summary["flows"]] == ["smoltcp"] * 2
    said = run.to_qlog(tmp_path / "run.sqlog").read_text()
    assert "smoothed_rtt" in said and "congestion_window" not in said and "congestion_state" not in said
    assert set(run.cwnd["cwnd"].to_pylist()) == {0} and min(filter(None, run.cwnd["srtt_ms"].to_pylist())) >= 40
    assert all(flow["goodput_mbps"] > 1 for flow in run.summary["flows"])
    # Its timer is what repairs most of many losses.
    [lossy] = compare(flows[0], rate="10Mbit/s", rtt="40ms", duration="10s", loss="random:0.02").summary["flows"]
    assert 1 <= lossy["timeouts_run"] < lossy["retransmits_run"]


# 2 MB at 10 Mbit/s take 1.6 s; one packet in a hundred of some 1 400 is lost, and sent again.
@pytest.mark.parametrize("cc", ["stock-reno", "stock-cubic"])
def test_the_example_of_aioquic_transfers_exactly_through_loss_and_alike_every_time(cc: str) -> None:
    flow = f"{cc}@stack=exec,size=2MB,exec={sys.executable} {DOCS / 'examples' / 'exec' / 'aioquic_stack.py'}"
    path = {"rate": "10Mbit/s", "rtt": "40ms", "buffer": "2bdp", "loss": "random:0.01", "duration": "20s"}
    first, again = (compare(flow, **path) for _ in range(2))
    assert "failures" not in first.summary
    assert 1.6 < first.transfers["end_s"][0].as_py() < 20
    assert first.summary["flows"][0]["retransmits_run"] >= 5
    # The keys of TLS are the system's: bytes differ, lengths and times do not.
    assert first.summary["flows"] == again.summary["flows"] and first.cwnd == again.cwnd


@pytest.fixture
def quic_go(tmp_path: Path) -> Path:
    """The example of quic-go, built."""
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if go is None:
        pytest.skip("needs Go 1.26, which CI does not install: https://go.dev/dl")
    environment = {**os.environ, "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly"}

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        folder = DOCS / "examples" / "exec" / "quic-go"
        return subprocess.run(
            [go, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
        )

    version = run("env", "GOVERSION").stdout.strip()
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < (1, 26):
        pytest.skip(f"needs Go 1.26, which CI does not install, and this is {version or 'older'}: https://go.dev/dl")
    if (modules := run("mod", "download")).returncode != 0:
        pytest.skip(f"needs its modules: go mod download ({modules.stderr.strip()})")
    built = run("test", "-c", "-ldflags=-checklinkname=0", "-o", str(tmp_path / "quic-go"))
    assert built.returncode == 0, built.stderr
    return tmp_path / "quic-go"


@pytest.mark.ci_may_skip
def test_so_does_the_example_of_quic_go_whose_clock_is_its_own(quic_go: Path) -> None:
    flow = f"stock-reno@stack=exec,size=2MB,exec={quic_go}"
    path = {"rate": "10Mbit/s", "rtt": "40ms", "buffer": "2bdp", "loss": "random:0.01", "duration": "20s"}
    first, again, other = (compare(flow, **path, seed=seed) for seed in (1, 1, 2))
    assert "failures" not in first.summary
    [transfer] = first.transfers.to_pylist()
    assert 1.6 < transfer["end_s"] < 20
    [measured] = first.summary["flows"]
    # Every loss is repaired, and nothing is sent again that was not lost.
    assert measured["retransmits_run"] == measured["drops_run"] >= 5
    # No window is below two datagrams of 1200 bytes, and no round trip shorter than the path's.
    assert min(filter(None, first.cwnd["cwnd"].to_pylist())) >= 1
    assert min(filter(None, first.cwnd["srtt_ms"].to_pylist())) >= 40
    assert first.summary["flows"] == again.summary["flows"] and first.cwnd == again.cwnd
    assert first.cwnd != other.cwnd
    with pytest.raises(ScenarioError, match='quic-go has stock-reno alone, and not "stock-cubic"'):
        compare(f"stock-cubic@stack=exec,exec={quic_go}", rate="10Mbit/s", rtt="40ms", duration="5s")


def test_the_page_of_results_is_what_its_runs_say_and_a_run_repeats() -> None:
    record = on_record()
    assert text(record).splitlines() == PAGE.read_text(encoding="utf-8").splitlines(), "python -m tools.stacks --page"
    wanted = {run.name: run for run in runs()}
    assert set(wanted) == set(record)
    for name in (
        "survival/1000/40/1bdp/quinn/own",
        "loss/stock-cubic@stack=noq/0.01/3",
        "agreement/10/40/1bdp/noq/off",
    ):
        assert json.loads(json.dumps(wanted[name].numbers())) == record[name], name
