# SPDX-License-Identifier: MIT OR Apache-2.0
"""Lane live: what a scenario's `[live]`, and `gso` of its flows, set the hosts to, and what the kernel does of it. Needs root, TUN and namespaces."""

from __future__ import annotations

import statistics
import subprocess
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from conftest import Cli, refused
from in_lab import NEEDS_LAB, kept_up, one_of_three, run

import cwnd as package
from cwnd import Flow, dumbbell

pytestmark = NEEDS_LAB

Keys = dict[str, object]


def network(
    live: Keys, *flows: Flow, rate: str = "20Mbit/s", duration: str = "4s", **settings: object
) -> package.Scenario:
    """A link of 40 ms with these settings of the hosts; without flows, with one of the kernel's CUBIC."""
    common: dict[str, object] = {"rate": rate, "rtt": "40ms", "duration": duration, "measure": ("0s", duration)}
    return dumbbell(flows or [Flow("cubic-linux")], live=live, **{**common, **settings})  # type: ignore[arg-type]


def result(live: Keys, *flows: Flow, **settings: object) -> package.Result:
    """A run of it."""
    return run(network(live, *flows, **settings))  # type: ignore[arg-type]


def setting(live: package.Result, name: str) -> str:
    return live.summary["live"]["settings"][name]


def fields(tmp_path: Path, packets: bytes, only: str, *names: str) -> list[list[str]]:
    """Fields of the captured packets that `only` allows, by tshark."""
    file = tmp_path / "packets.pcapng"
    file.write_bytes(packets)
    command = [
        "tshark",
        "-r",
        str(file),
        "-Y",
        only,
        "-T",
        "fields",
        *(word for name in names for word in ("-e", name)),
    ]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [line.split("\t") for line in lines]


# tshark's `tcp.options.sack_perm` is there where the option is. Full packets are of 1500 bytes either way: 52 of headers, or 40.
@pytest.mark.parametrize("key", ["none", "sack", "timestamps"])
def test_an_option_that_is_off_is_in_no_packet(key: str, tmp_path: Path) -> None:
    live: Keys = {} if key == "none" else {key: False}
    done = result(live, duration="2s", record_packets="senders", loss="every:300")
    packets = done.packets["senders"]
    (opening,) = fields(
        tmp_path,
        packets,
        "tcp.flags.syn==1 && tcp.flags.ack==0",
        "tcp.options.sack_perm",
        "tcp.options.timestamp.tsval",
    )
    assert [bool(option) for option in opening] == [key != "sack", key != "timestamps"]
    acks = fields(tmp_path, packets, "tcp.len==0", "tcp.options.sack_le", "tcp.options.timestamp.tsval")
    assert any(blocks for blocks, _ in acks) == (key != "sack")
    assert any(stamp for _, stamp in acks) == (key != "timestamps")
    sizes = {tuple(map(int, row)) for row in fields(tmp_path, packets, "tcp.len>0", "ip.len", "tcp.len")}
    assert max(sizes) == ((1500, 1460) if key == "timestamps" else (1500, 1448))
    assert setting(done, "net.ipv4.tcp_sack") == str(int(key != "sack"))
    assert setting(done, "net.ipv4.tcp_timestamps") == str(int(key != "timestamps"))
    # What arrives is counted in its payload, and its windows in segments of it.
    flow, last = done.summary["flows"][0], done.cwnd.to_pylist()[-1]
    full = 1460 / 1500 if key == "timestamps" else 1448 / 1500
    assert flow["goodput_mbps"] / flow["throughput_mbps"] == pytest.approx(full, abs=0.02)
    assert abs(last["forwarded"] - flow["retransmits_run"] - last["delivered"]) <= last["in_flight"] + 20


# A window of 10 segments without timestamps is 14 600 bytes: 10 in flight, a round trip of 40 ms, 2.92 Mbit/s of payload.
def test_a_receive_window_is_of_the_kernels_segments() -> None:
    flow = result({"timestamps": False}, Flow("cubic-linux", rwnd=10)).summary["flows"][0]
    assert 2.5 < flow["goodput_mbps"] <= 2.93


# 5 % of packets are 10 ms late. With timestamps a sender undoes what they make it believe; without SACK or timestamps it cannot, and moves half.
# Told of segments that came twice, it widens its reordering window; without, each late packet is sent again: in about one run of 17 on a busy machine
# it does so with all settings, as a delay of the machine's is a reordering too.
def test_reordering_costs_what_is_needed_against_it() -> None:
    def flow(live: Keys, is_right: Callable[[float, int], bool]) -> tuple[float, int]:
        def figures(done: package.Result) -> tuple[float, int]:
            (row,) = done.summary["flows"]
            return row["throughput_mbps"], row["retransmits_run"]

        reordered = network(live, duration="5s", reorder={"share": 0.05, "extra": "10ms"})
        return figures(one_of_three(reordered, lambda done: is_right(*figures(done))))

    rate, retransmits = flow({}, lambda rate, retransmits: rate > 19 and retransmits < 15)
    assert rate > 19 and retransmits < 15
    for key in ("sack", "timestamps"):
        slowed, _ = flow({key: False}, lambda slowed, _: slowed < 0.75 * rate)
        assert slowed < 0.75 * rate, key
    for key in ("dsack", "adaptive_reordering"):
        _, repeated = flow({key: False}, lambda _, repeated: repeated > 3 * retransmits + 20)
        assert repeated > 3 * retransmits + 20, key


# Of ten packets the last is lost. A probe brings it, or the timeout: 200 ms more than the smoothed round trip.
def test_the_last_packet_is_probed_for_or_timed_out() -> None:
    def timeouts(live: Keys) -> int:
        done = result(live, Flow("cubic-linux", size="10packets"), duration="2s", loss="at:10")
        (row,) = done.summary["flows"]
        assert row["retransmits_run"] == 1
        return row["timeouts_run"]

    assert (timeouts({}), timeouts({"tail_loss_probe": False})) == (0, 1)


# For 100 ms the link takes 600 ms: a timeout, and nothing was lost. 60 segments are in flight: without F-RTO and timestamps all are sent again.
def test_a_needless_timeout_is_detected_or_all_is_sent_again() -> None:
    pause = [{"delay": {"link": "link", "at": at, "to": delay}} for at, delay in (("2s", "600ms"), ("2.1s", "20ms"))]

    def retransmits(live: Keys) -> int:
        flow = Flow("reno-linux", rwnd=60)
        (row,) = result({"timestamps": False, **live}, flow, delay="20ms", actions=pause).summary["flows"]
        assert row["timeouts_run"] >= 1 and row["drops_run"] == 0
        return row["retransmits_run"]

    assert retransmits({}) <= 5 and retransmits({"frto": False}) > 40


# The first connection's round trip is 400 ms. The only packet of the second one is lost: its timeout is that of its own handshake's 40 ms and at least
# 200 ms more, or three of the first one's round trips.
def test_a_connection_takes_over_a_round_trip_time_where_that_is_asked_for() -> None:
    def took(metrics: str) -> float:
        flows = [
            Flow("reno-linux", label="first", rtt="400ms", size="50packets"),
            Flow("reno-linux", label="second", start="2500ms", size="1packets"),
        ]
        done = result({"metrics": metrics, "tail_loss_probe": False}, *flows, loss="at:51", duration="5s")
        first, second = done.transfers.to_pylist()
        assert first["end_s"] < 2 and done.summary["flows"][1]["timeouts_run"] == 1
        assert setting(done, "net.ipv4.tcp_no_metrics_save") == str(int(metrics == "none"))
        return float(second["end_s"] - second["start_s"])

    assert 0.28 < took("none") < 0.4 and 1.2 < took("linux") < 1.6


# The 30th packet of the first transfer is lost, and the threshold is then half a window: about 15 segments. Later ones begin with it: 138 segments take
# linear growth from there, and no slow start. Connections of traffic are closed in order for that, and all packets are still theirs.
def test_transfers_begin_with_the_threshold_of_earlier_ones_where_that_is_asked_for() -> None:
    def later(metrics: str) -> float:
        pages: Keys = {"model": "sessions", "cc": "reno-linux", "size": "200kB", "gap": "200ms", "object_gap": "0s"}
        scenario = dumbbell(
            [], rate="20Mbit/s", rtt="40ms", duration="4s", loss="at:30", traffic=[pages], live={"metrics": metrics}
        )
        done = run(scenario)
        rows = [row for row in done.transfers.to_pylist() if row["end_s"] is not None]
        assert len(rows) > 5 and done.summary["live"]["packets_foreign"] == 0
        return statistics.median(row["end_s"] - row["start_s"] for row in rows[1:])

    assert later("with-ssthresh") > 1.25 * later("none") and later("linux") == pytest.approx(later("none"), rel=0.1)


# About half of a buffer is window: 64 kB leave at most 64 000 bytes in a round trip of 40 ms, 12.8 Mbit/s. One that begins with as much and may grow does not limit.
def test_a_buffer_limits_what_is_in_flight() -> None:
    def rate(live: Keys) -> float:
        return float(result(live).summary["flows"][0]["throughput_mbps"])

    grown = rate({"receive_buffer": {"begin": "64kB", "max": "6MB"}})
    assert rate({"receive_buffer": "64kB"}) < 12.8 < 17 < grown
    assert rate({"send_buffer": "32kB"}) < 12.8


# At 100 Mbit/s a host with segmentation offload sends what fits a millisecond, eight packets, at once; one without sends what an acknowledgement lets go: two.
def test_segments_leave_one_by_one_or_several_at_a_time(tmp_path: Path) -> None:
    def burst(flow: Flow) -> float:
        done = result({}, flow, rate="100Mbit/s", duration="3s", record_packets="senders")
        rows = fields(tmp_path, done.packets["senders"], "tcp.len>0", "frame.time_relative", "ip.len")
        assert max(int(size) for _, size in rows) == 1500
        times = [float(time) for time, _ in rows if float(time) > 1]
        gaps = sum(later - earlier > 5e-5 for earlier, later in pairwise(times))
        assert setting(done, "device.gso_max_segs") == ("1" if flow.table.get("gso") is False else "65535")
        return len(times) / (gaps + 1)

    assert burst(Flow("cubic-linux", gso=False)) < 3.5 < 5 < burst(Flow("cubic-linux"))


def test_the_command_has_the_settings_and_refuses_them_where_they_mean_nothing(cwnd: Cli, tmp_path: Path) -> None:
    flags = ["--rate", "20Mbit/s", "--rtt", "40ms", "--duration", "2s"]
    live = ["--lane", "live", "--live", "timestamps = false", "-o", str(tmp_path / "out"), "--no-plots"]
    assert kept_up(lambda: cwnd("compare", "cubic-linux", *flags, *live)).returncode == 0
    loaded = package.load(tmp_path / "out")
    assert '"timestamps":false' in loaded.scenario.to_json() and setting(loaded, "net.ipv4.tcp_timestamps") == "0"
    refused(cwnd("compare", "cubic", *flags, "--live", "sack = false"), "--live: ", "expected --lane live with it")
    misspelt = cwnd("compare", "cubic-linux", *flags, "--lane", "live", "--live", "sak = false")
    refused(misspelt, "live.sak: false is not accepted; expected a known key (did you mean sack?)")
    no_keys = cwnd("compare", "cubic-linux", *flags, "--lane", "live", "--live", "sack")
    refused(no_keys, '--live: "sack" is not accepted; expected keys of [live], such as sack = false')


def test_flows_of_a_host_send_segments_in_one_way() -> None:
    scenario = dumbbell([Flow("cubic-linux"), Flow("reno-linux", gso=False)], rate="20Mbit/s", rtt="40ms")
    with pytest.raises(package.ScenarioError) as error:
        package.run(scenario, lane="live")
    expected = "flow[1].gso: false is not accepted; expected the same for all flows, which share a host, in lane live"
    assert str(error.value) == expected
