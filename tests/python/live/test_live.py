# SPDX-License-Identifier: MIT OR Apache-2.0
"""Lane live: scenarios with the running kernel's own connections, through the links in real time. Needs root, TUN and namespaces."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import Cli, refused
from in_kernel import PROGRAM, started, until
from in_lab import LOADS, NEEDS_LAB, one_of_three, outside, run, states, threads

import cwnd as package
from cwnd import Flow, Link, dumbbell, graph
from cwnd.result.lanes import too_fast

pytestmark = NEEDS_LAB


# 20 Mbit/s for 4 s: 20e6 × 4 / 8 / 1500 = 6 667 packets.
def test_a_flow_of_the_kernel_fills_its_link() -> None:
    scenario = dumbbell(
        [Flow("cubic-linux")], rate="20Mbit/s", rtt="160ms", buffer="1bdp", duration="8s", measure=("4s", "8s")
    )
    result = run(scenario)
    link, flow = result.summary["link"], result.summary["flows"][0]
    assert result.lane == result.summary["lane"] == "live"
    assert link["utilization"] > 0.95 and abs(link["packets"] - 6667 * link["utilization"]) < 20
    assert flow["recovery"] == "linux" and flow["cc"] == "cubic-linux"
    # Every payload byte of 1448 is in a packet of 1500.
    assert abs(flow["goodput_mbps"] / flow["throughput_mbps"] - 1448 / 1500) < 0.02
    # Half a second of the full link: 833 packets, by the samples too.
    rows = [row for row in result.cwnd.to_pylist() if row["time_s"] >= 4]
    for first, last in zip(rows, rows[5:]):
        forwarded = last["forwarded"] - first["forwarded"]
        assert abs(forwarded * 12_000 / (last["time_s"] - first["time_s"]) / 20e6 - 1) < 0.1
    report = result.summary["live"]
    assert report["algorithms"] == ["cubic"] and report["kernel"] == os.uname().release
    assert report["packets_delivered"] > link["packets"] and report["packets_foreign"] == 0
    settings = report["settings"]
    assert (settings["net.ipv4.tcp_sack"], settings["net.ipv4.tcp_ecn"]) == ("1", "0")
    # Of each kind: pacing, offloads of the device, parameters of the kernel's own module.
    assert settings["net.ipv4.tcp_pacing_ss_ratio"].isdigit() and settings["device.tcp-segmentation-offload"] == "off"
    assert "tcp_cubic.hystart" in settings or not Path("/sys/module/tcp_cubic").exists()
    # One connection, and what it has sent again; the receivers' host has accepted it.
    senders, receivers = report["counters"]["senders"], report["counters"]["receivers"]
    assert senders["TcpActiveOpens"] == receivers["TcpPassiveOpens"] == 1
    assert senders.get("TcpRetransSegs", 0) == flow["retransmits_run"]
    assert 0 <= report["late_p50_ms"] <= report["late_p99_ms"] <= report["late_p999_ms"] <= report["late_worst_ms"]


def test_the_kth_packet_is_lost_in_both_lanes() -> None:
    scenario = dumbbell(
        [Flow("reno-linux")],
        rate="20Mbit/s",
        rtt="160ms",
        buffer="4bdp",
        duration="3s",
        measure=("0s", "3s"),
        loss="at:100,300",
    )

    def lost(result: package.Result) -> list[int]:
        rows = result.events.to_pylist()
        return [row["value"] for row in rows if row["kind"] == "drop_loss"]

    # The 100th packet is segment 99. One retransmission is between it and the 300th, which is segment 298.
    assert lost(package.run(scenario)) == lost(run(scenario)) == [99, 298]


# A segment and no more: its round trip is the path's 80 ms, and the time drawn before it, of up to 300 ms. Another seed draws another time.
def test_a_random_overhead_is_the_scenarios_in_both_lanes() -> None:
    def took_ms(seed: int, lane: str) -> float:
        flow = Flow("reno-linux", size="1packets", overhead="300ms")
        scenario = dumbbell([flow], rate="20Mbit/s", rtt="80ms", duration="2s", seed=seed)
        result = run(scenario) if lane == "live" else package.run(scenario)
        (transfer,) = result.transfers.to_pylist()
        return 1e3 * (transfer["end_s"] - transfer["start_s"])

    for seed in (1, 2):
        simulated, live = took_ms(seed, "sim"), took_ms(seed, "live")
        # A handshake and half a round trip, 0.6 ms on the link, and what was drawn.
        assert 120.6 < simulated < 420.6 and abs(live - simulated) < 5, (seed, simulated, live)
    assert abs(took_ms(1, "sim") - took_ms(2, "sim")) > 10


def test_actions_sizes_and_ends_are_the_scenarios() -> None:
    scenario = dumbbell(
        [Flow("cubic-linux", stop="2s"), Flow("reno-linux", start="1s", size="100kB")],
        rate="20Mbit/s",
        rtt="160ms",
        duration="4s",
    )
    result = run(scenario)
    kinds = [(row["kind"], row["flow"], round(row["time_s"], 1)) for row in result.events.to_pylist()]
    assert {("start", 0, 0.0), ("start", 1, 1.0), ("stop", 0, 2.0)} <= set(kinds)
    (transfer,) = result.transfers.to_pylist()
    # A round trip for the handshake, half of one for the last byte, and 100 kB at 20 Mbit/s: 40 ms.
    assert transfer["number"] == 1 and transfer["bytes"] == 100_000 and 1 + 0.24 + 0.04 < transfer["end_s"] < 4
    # Nothing leaves the link after the application has stopped, but for what was on its way.
    assert max(row["packets"] for row in result.queue.to_pylist() if row["time_s"] > 3) == 0


# At 2 Mbit/s of payload for 2 s, and for 2 s again after a pause: 1 MB of 690 segments, whatever was not written meanwhile.
def test_an_application_writes_at_its_rate_again_after_a_pause() -> None:
    scenario = package.Scenario.from_toml(
        "duration = '5s'\nmeasure = ['0s', '5s']\n[link]\nrate = '20Mbit/s'\nrtt = '160ms'\n"
        "[[flow]]\ncc = 'cubic-linux'\napp_rate = '2Mbit/s'\nstop = '2s'\n[[action]]\nstart = { flow = 'cubic-linux', at = '3s' }\n"
    )
    flow = run(scenario).summary["flows"][0]
    assert 0.9 * 8 / 5 < flow["goodput_mbps"] < 8 / 5


# 3 Mbit/s are 10.4 segments in a round trip, 12.5 with acknowledgements that wait: in slow start a window of at most twice that is used. A handshake's worth written at
# once, ten segments, would be followed by as many before its acknowledgements have all come, and double it.
def test_an_application_with_a_rate_writes_nothing_before_it_is_connected() -> None:
    flow = Flow("reno-linux", recovery="linux", app_rate="3Mbit/s")
    scenario = dumbbell([flow], rate="50Mbit/s", rtt="40ms", duration="4s")
    simulated, live = (result.summary["flows"][0]["cwnd_mean"] for result in (package.run(scenario), run(scenario)))
    assert 20 < simulated < 26 and 20 < live < 30


# 3.9 s of four the flow has not begun, and in the last 0.1 s its window is the initial one: ten segments. 16 kB at 500 kbit/s leave
# in 0.27 s; that their sender closes meanwhile must not look like a loss. Stopped within its handshake a flow sends nothing.
def test_what_comes_before_and_after_the_data_does_not_count() -> None:
    scenario = package.Scenario.from_toml(
        "duration = '4s'\nmeasure = ['0s', '4s']\n[link]\nrate = '500kbit/s'\nrtt = '160ms'\nqueue = { kind = 'droptail', limit = '99packets' }\n"
        "[[flow]]\ncc = 'reno-linux'\nlabel = 'late'\nstart = '3.9s'\n"
        "[[flow]]\ncc = 'cubic-linux'\nlabel = 'sized'\nsize = '14000B'\n"
        "[[flow]]\ncc = 'reno-linux'\nlabel = 'never'\nstart = '1s'\nstop = '1050ms'\n"
    )
    late, sized, never = run(scenario).summary["flows"]
    assert 9.9 < late["cwnd_mean"] < 20
    assert (sized["packets_sent_run"], sized["retransmits_run"]) == (10, 0)  # 9 × 1448 + 968
    assert never["packets_sent_run"] == 0


# The path's delay rises by 300 ms before the flow starts: handshake and data take 500 ms and 425 (350 at the link, 75 behind it) and, behind the first ten
# packets of 1.2 ms each, 12 ms; then nothing is sent again, because the handshake has measured 500 ms.
def test_a_handshake_takes_the_round_trip_of_its_time() -> None:
    scenario = package.Scenario.from_toml(
        "duration = '5s'\n[link]\nrate = '10Mbit/s'\ndelay = '50ms'\nrtt = '200ms'\n"
        "[[flow]]\ncc = 'cubic-linux'\nrecovery = 'linux'\nstart = '1s'\nsize = '14480B'\n"
        "[[action]]\ndelay = { link = 'link', at = '500ms', to = '350ms' }"
    )
    simulated, live = package.run(scenario), run(scenario)
    for result in (simulated, live):
        (transfer,), (flow,) = result.transfers.to_pylist(), result.summary["flows"]
        assert 0.9 < transfer["end_s"] - transfer["start_s"] < 0.98, result.lane
        assert flow["retransmits"] == flow["timeouts"] == 0, result.lane


# The queue has place for a packet. Each segment is acknowledged, as while the window of a buffer of 32 MiB opens: one follows, and two when the window has
# grown, of which one is lost. Where every other segment was acknowledged, windows were a third as large: 0.06 of the link.
def test_a_receiver_acknowledges_every_segment_while_its_window_opens() -> None:
    scenario = dumbbell(
        [Flow("reno-linux", recovery="linux")], rate="10Mbit/s", rtt="40ms", buffer="1packets", duration="5s"
    )

    def used(result: package.Result) -> float:
        return result.summary["link"]["utilization"] or 0.0

    simulated = used(package.run(scenario))
    live = used(one_of_three(scenario, lambda result: abs(used(result) - simulated) < 0.03))
    assert simulated > 0.15 and abs(live - simulated) < 0.03, (simulated, live)


# From 2 s on nothing passes, for good. What was on its way arrives; the flow's timer fires.
def test_an_outage_without_an_end_lets_nothing_pass() -> None:
    scenario = package.Scenario.from_toml(
        "duration = '5s'\nmeasure = ['0s', '5s']\n[link]\nrate = [['0s', '10Mbit/s'], ['2s', '0bit/s']]\nrtt = '160ms'\n[[flow]]\ncc = 'cubic-linux'"
    )
    result = run(scenario)
    delivered = {round(row["time_s"], 1): row["delivered"] for row in result.cwnd.to_pylist()}
    assert delivered[2.5] == delivered[4.9] and result.summary["flows"][0]["timeouts"] > 0


@LOADS
def test_algorithms_of_this_package_run_in_the_lab() -> None:
    scenario = dumbbell([Flow("cubic", beta="0.85"), Flow("htcp")], rate="10Mbit/s", rtt="160ms", duration="2s")
    names = run(scenario).summary["live"]["algorithms"]
    assert len(set(names)) == 2 and all(name.startswith("cwnd_") for name in names)


def test_a_result_is_saved_loaded_and_drawn(tmp_path: Path) -> None:
    scenario = dumbbell([Flow("cubic-linux")], rate="10Mbit/s", rtt="160ms", duration="2s")
    for number in range(5):
        try:
            result = package.run(scenario, folder=tmp_path / "run", lane="live")
            break
        except package.FellBehindError as error:
            assert number < 4, error
            assert not (tmp_path / "run").exists()
    loaded = package.load(tmp_path / "run")
    assert isinstance(loaded, package.Result) and loaded.lane == "live" and loaded == result
    assert (tmp_path / "run" / "overview.png").stat().st_size > 10_000
    assert loaded.cwnd.column_names == package.run(scenario).cwnd.column_names


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("cubic@initial_cwnd=4",), ("flow[0].initial_cwnd", "10", "lane live")),
        (("cubic@recovery=sack",), ("flow[0].recovery", "lane live")),
        (("cubic@rtt=0s",), ("flow[0].rtt", "lane live")),
        (("cubic", "--rtt", "0ms", "--buffer", "9packets"), ("link.rtt", "0s", "more than 0", "lane live")),
        (
            ("cubic@rtt=20ms", "--rtt", "0ms", "--buffer", "9packets", "--traffic", 'model = "long", flows = 1'),
            ("link.rtt", "lane live"),
        ),
        (("cubic@ecn=true", "reno"), ("flow[1].ecn", "false", "the same for all flows", "lane live")),
        (("cubic", "--interval", "100us"), ("record.interval", "lane live")),
        (("cubic", "--seeds", "2", "--jobs", "2"), ("--jobs", "2", "--lane live", "1")),
    ],
)
def test_what_the_kernel_does_not_do_is_refused(cwnd: Cli, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    refused(cwnd("compare", *arguments, "--lane", "live", "--duration", "1s"), *words)


# The help says which keys these are, and nothing of a key that lane live takes as it is.
def test_the_help_of_compare_names_what_only_the_kernel_decides(cwnd: Cli) -> None:
    others = {
        "host": "ns-2",
        "recovery": "sack",
        "initial_cwnd": "4",
        "initial_ssthresh": "9",
        "ack_every": "1",
        "ack_delay": "1ms",
        "min_rto": "1s",
        "limited_transmit": "false",
        "burst": "9",
        "handshake": "false",
        "idle_restart": "false",
    }
    text = " ".join(cwnd("compare", "--help").stdout.split())
    said = text.partition("only its own value for the flow keys ")[2].partition(";")[0].split(", ")
    assert said == list(others)
    for key, value in others.items():
        scenario = dumbbell(f"reno-linux@{key}={value}", rate="1Mbit/s", rtt="160ms")
        with pytest.raises(package.ScenarioError, match=rf"flow\[0\]\.{key}: .*in lane live"):
            package.run(scenario, lane="live")


# 10 Gbit/s are 833 333 packets of 1500 bytes per second; beside a path of 10 Mbit/s, or for an application that writes at 5 Mbit/s, they are no flow's.
def test_a_rate_that_the_emulator_has_never_held_is_said_before_the_run(cwnd: Cli) -> None:
    done = cwnd("compare", "reno-linux", "--rate", "10Gbit/s", "--lane", "live", "--duration", "10ms", "--rtt", "1ms")
    warning = "warning: a flow may send 833,333 packets/s; the emulator has sustained 50,000 on two processors (600 Mbit/s of 1500 bytes): this machine may not keep up with this run"
    assert done.stderr.splitlines()[0] == warning
    assert too_fast(dumbbell("reno-linux", rate="600Mbit/s", rtt="1ms")) is None
    assert too_fast(dumbbell("reno-linux@app_rate=5Mbit/s", rate="10Gbit/s", rtt="1ms")) is None
    links = [Link("a", "b", rate="10Gbit/s", delay="1ms"), Link("b", "c", rate="10Mbit/s", delay="1ms")]
    assert too_fast(graph(links, Flow("reno-linux", from_="a", to="c"))) is None
    assert too_fast(graph(links, Flow("reno-linux", from_="a", to="b"))) is not None


def test_another_lane_is_refused(cwnd: Cli) -> None:
    refused(cwnd("compare", "cubic", "--lane", "moon", "--duration", "1s"), "--lane: ", "moon", "a lane: sim, live")
    refused(cwnd("reproduce", "--lane", "moon"), "--lane: ", "moon", "a lane: sim, live")
    refused(cwnd("compare", "cubic", "--lane", "liv", "--duration", "1s"), "--lane: ", "liv", "did you mean live?")
    with pytest.raises(package.ScenarioError, match="moon"):
        package.run(dumbbell([Flow("cubic")], rate="1Mbit/s", rtt="160ms", duration="1s"), lane="moon")


@LOADS
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_ended_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    before = outside()
    command = [str(PROGRAM), "compare", "cubic", "--lane", "live", "--duration", "60s", "-o", str(tmp_path / "run")]

    with started(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as child:
        until(lambda: "cwnd-link" in threads(child.pid))
        child.send_signal(number)
        _, said = child.communicate(timeout=60)
    assert child.returncode == (-9 if number == signal.SIGKILL else 128 + number), said
    until(lambda: outside() <= before)
    if number != signal.SIGKILL:
        assert list(tmp_path.iterdir()) == []


# Of 5 s, 0.8 % and then 3 %: a machine that is stopped for 40 ms, and one that is for 150. Where other pauses come on top, once more. Of a flow that sends
# few packets the pause would be more than one in a thousand that is late; it is none.
@pytest.mark.parametrize(
    ("flow", "stopped_ms", "valid"),
    [("reno-linux", 40, True), ("reno-linux@app_rate=1Mbit/s", 40, True), ("reno-linux", 150, False)],
)
def test_time_stops_while_the_machine_does(flow: str, stopped_ms: int, valid: bool) -> None:
    command = [PROGRAM, "compare", flow, "--rate", "5Mbit/s", "--rtt", "40ms", "--duration", "5s", "--lane", "live"]
    for _ in range(5):
        with started([*command, "--json"], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
            until(lambda: "cwnd-link" in threads(child.pid))
            time.sleep(2)
            child.send_signal(signal.SIGSTOP)
            # On a busy machine it may go on for a while, and a SIGCONT that comes before it stands still takes the stop away.
            until(lambda: states(child.pid) <= {"T", "Z"})
            time.sleep(stopped_ms / 1000)
            child.send_signal(signal.SIGCONT)
            said, why = child.communicate(timeout=60)
        if (child.returncode == 0) is valid:
            break
    if valid:
        assert child.returncode == 0, why
        live = json.loads(said)["live"]
        assert live["pauses"] >= 1 and 20 <= live["longest_pause_ms"] <= live["paused_ms"] <= 100
    else:
        assert child.returncode == 1 and "it was stopped" in why and "100 ms" in why, why


# Sent at the link's rate and let go at ticks: the handshake, which passes beside the link, 40 ms; then the next tick and 20 ms. Without ticks 60.6 ms.
def test_a_link_that_ticks_does_so_in_both_lanes() -> None:
    def path(flow: Flow) -> package.Scenario:
        return dumbbell(
            [flow], rate="20Mbit/s", rtt="40ms", duration="4s", tick="10ms", buffer="1bdp", count_in_service=True
        )

    sized = path(Flow("cubic-linux", size="1packets"))
    ends = [1000 * result.transfers.to_pylist()[0]["end_s"] for result in (package.run(sized), run(sized))]
    assert ends[0] == pytest.approx(70) and 60 < ends[1] < 85
    bulk = path(Flow("cubic-linux"))
    full = [result.summary["link"]["utilization"] for result in (package.run(bulk), run(bulk))]
    assert min(full) > 0.85 and abs(full[0] - full[1]) < 0.05
