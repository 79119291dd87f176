# SPDX-License-Identifier: MIT OR Apache-2.0
"""qlog: what a run has recorded, as records of the drafts."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pytest
from qlog_schema import DATA, OURS, accepts
from test_lanes import trace  # noqa: F401 (a fixture)

import cwnd
from cwnd import KernelTrace, Result, Scenario
from cwnd.qlog.file import segment_bytes

ROOT = Path(__file__).parents[3]
FORMATS = ("draft-14", "0.3")
#: Packets 3 to 10 of the first window are lost, and one later; a segment has 1500 - 52 = 1448 bytes.
TEXT = """
duration = "4s"
[link]
rate = "10Mbit/s"
rtt = "100ms"
queue = { kind = "droptail", limit = "1000packets" }
loss = "at:3,4,5,6,7,8,9,10,40"
[[flow]]
cc = "reno"
recovery = "sack-prr"
start = "0s"
stop = "3s"
[[action]]
switch = { flow = "reno", at = "2s", cc = "cubic" }
"""
Record = dict[str, Any]


def records(path: Path) -> list[Record]:
    """The records of a file; each is one by itself. // RFC 7464 §2.2"""
    text = path.read_bytes().decode()
    pieces = text.split("\x1e")
    assert pieces[0] == "" and all(piece.endswith("}\n") and piece.count("\n") == 1 for piece in pieces[1:])
    return [json.loads(piece) for piece in pieces[1:]]


def named(events: list[Record], name: str) -> list[Record]:
    return [event for event in events if event["name"].endswith(name)]


@pytest.fixture(scope="module")
def result() -> Result:
    return cwnd.run(Scenario.from_toml(TEXT))


# 10 segments are 14 480 bytes, and all are in flight when the run begins. After 0.2 s two have been acknowledged, 12 are 17 376 bytes.
def test_the_window_is_in_bytes_and_only_what_changed_is_said(result: Result, tmp_path: Path) -> None:
    header, *events = records(result.to_qlog(tmp_path / "run.sqlog"))
    metrics = named(events, ":recovery_metrics_updated")
    first = {"congestion_window": 14_480, "bytes_in_flight": 14_480, "packets_in_flight": 10}
    assert [event["data"] for event in metrics[:2]] == [
        first,
        {"congestion_window": 17_376, "bytes_in_flight": 17_376, "packets_in_flight": 12, "smoothed_rtt": 102.4},
    ]
    assert [event["time"] for event in metrics[:2]] == [0.0, 200.0]
    # A row that says what the one before it said makes no record, every other one does.
    columns = ["cwnd", "ssthresh", "srtt_ms", "in_flight"]
    rows = result.cwnd.select(columns).to_pylist()
    assert len(metrics) == 1 + sum(before != after for before, after in pairwise(rows)) < len(rows)
    said: dict[str, float] = {}
    for event in metrics:
        said |= event["data"]
    assert said["ssthresh"] == rows[-1]["ssthresh"] * 1448 and said["smoothed_rtt"] == rows[-1]["srtt_ms"]
    assert header["trace"]["common_fields"]["group_id"] == "reno" and not any("group_id" in event for event in events)
    assert header["file_schema"] == "urn:ietf:params:qlog:file:sequential"
    assert max(text.find("serialization_format") for text in [json.dumps(header)]) < 256


def test_each_event_of_the_run_is_a_record_at_its_time(result: Result, tmp_path: Path) -> None:
    _, *events = records(result.to_qlog(tmp_path / "run.sqlog"))
    assert [event["time"] for event in events] == sorted(event["time"] for event in events)
    assert [(event["time"], event["name"]) for event in events if event["name"].startswith("cwnd:f")] == [
        (0.0, "cwnd:flow_described"),
        (0.0, "cwnd:flow_started"),
        (3000.0, "cwnd:flow_stopped"),
    ]
    assert [event["time"] for event in named(events, "cwnd:algorithm_switched")] == [2000.0]
    # Packets 3 to 10 carry segments 2 to 9, counted from 0.
    drops = named(events, "cwnd:packet_dropped")
    assert [drop["data"]["segment"] for drop in drops] == [2, 3, 4, 5, 6, 7, 8, 9, 31]
    assert all(drop["data"] | {"segment": 0} == DROP for drop in drops)
    kinds = result.events["kind"].to_pylist()
    assert len(events) - len(named(events, "_updated")) - 1 == len(kinds) - kinds.count("state")


DROP = {"cause": "loss", "segment": 0, "link": 0, "link_name": "link"}


# Disorder does not change what the window does, so that of nine changes of the state of recovery two lead into recovery and two out of it.
def test_states_are_those_of_quics_recovery(result: Result, tmp_path: Path) -> None:
    _, *events = records(result.to_qlog(tmp_path / "run.sqlog"))
    states = named(events, "congestion_state_updated")
    assert [(event["time"], event["data"]["new"]) for event in states] == [
        (0.0, "slow_start"),
        (206.0, "recovery"),
        (412.0, "congestion_avoidance"),
        (718.0, "recovery"),
        (819.2, "congestion_avoidance"),
    ]
    assert states[1]["data"] == {"old": "slow_start", "new": "recovery", "trigger": "recovery"}
    assert all(before["data"]["new"] == after["data"]["old"] for before, after in pairwise(states))


# All ten segments of the first window are lost: the timer, 1 s before the first sample of a round trip time, sends one of them; the state lasts
# until all ten are acknowledged, when the window has grown to the threshold.
def test_a_timeout_is_an_expired_timer(tmp_path: Path) -> None:
    lost = re.sub(r'"at:.*"', '"at:1,2,3,4,5,6,7,8,9,10"', TEXT)
    result = cwnd.run(Scenario.from_toml(lost))
    _, *events = records(cwnd.qlog(result, tmp_path / "run.sqlog"))
    (timer,) = named(events, "quic:timer_updated")
    assert timer["time"] == 1000.0 and timer["data"] == {"timer_type": "loss_timeout", "event_type": "expired"}
    names = [event["data"]["new"] for event in named(events, "congestion_state_updated")]
    assert names[:3] == ["slow_start", "loss", "congestion_avoidance"]
    _, *events = records(cwnd.qlog(result, tmp_path / "old.sqlog", format="0.3"))
    assert [event["data"] for event in named(events, "recovery:loss_timer_updated")] == [{"event_type": "expired"}]


@pytest.mark.parametrize("format", FORMATS)
def test_every_record_is_valid_by_the_drafts_schema(format: str, tmp_path: Path) -> None:
    scenario = cwnd.dumbbell({"cubic": 2, "reno": 1}, rate="5Mbit/s", rtt="20ms", buffer="3packets", duration="4s")
    header, *events = records(cwnd.qlog(cwnd.run(scenario), tmp_path / "run.sqlog", format=format))
    assert accepts(format, "QlogFileSeq", header) is None
    seen = set()
    for event in events:
        assert (why := accepts(format, "Event", event)) is None, (event, why)
        rule = (DATA[format] | OURS)[event["name"]]
        assert (why := accepts(format, rule, event["data"])) is None, (event, why)
        seen.add(event["name"])
    assert seen == set(DATA[format]) | {"cwnd:flow_described", "cwnd:flow_started", "cwnd:packet_dropped"}
    # A validator that accepts everything would say nothing.
    metrics = named(events, "metrics_updated")[0]
    rule = DATA[format][metrics["name"]]
    for wrong in ({"congestion_window": 1.5}, {"congestion_window": "1"}, {"cwnd": 1}):
        assert accepts(format, rule, metrics["data"] | wrong) is not None
    assert accepts(format, "CwndPacketDropped", DROP | {"cause": "fate"}) is not None
    assert accepts(format, "Event", {**metrics, "time": "0"}) is not None
    assert accepts(format, "QlogFileSeq", {**header, "trace": {}}) is not None or format == "0.3"
    header["trace"]["common_fields"]["time_format"] = "since lunch"
    assert accepts(format, "QlogFileSeq", header) is not None


def test_several_flows_share_a_file_and_are_told_apart_by_their_groups(tmp_path: Path) -> None:
    result = cwnd.run(cwnd.dumbbell({"cubic": 2, "reno": 1}, rate="5Mbit/s", rtt="20ms", duration="2s"))
    header, *events = records(cwnd.qlog(result, tmp_path / "all.sqlog"))
    # qvis looks at the first event, and then expects a group of every one.
    assert "group_id" not in header["trace"]["common_fields"]
    assert {event["group_id"] for event in events} == {"cubic 1", "cubic 2", "reno"} and "group_id" in events[0]
    assert [event["time"] for event in events] == sorted(event["time"] for event in events)
    by_name = records(cwnd.qlog(result, tmp_path / "one.sqlog", flow="cubic 2"))
    assert by_name == records(cwnd.qlog(result, tmp_path / "one.sqlog", flow=1))
    mine = [event for event in events if event["group_id"] == "cubic 2"]
    assert [event | {"group_id": "cubic 2"} for event in by_name[1:]] == mine
    of_label = records(cwnd.qlog(result, tmp_path / "label.sqlog", flow=["cubic"]))[1:]
    assert of_label == [event for event in events if event["group_id"] != "reno"]


def test_a_name_in_any_letters_is_one_in_ascii(tmp_path: Path) -> None:
    flows = [cwnd.Flow("cubic", label='β "quoted", 0.7')]
    path = cwnd.qlog(cwnd.run(cwnd.dumbbell(flows, rate="5Mbit/s", rtt="20ms", duration="1s")), tmp_path / "run.sqlog")
    assert path.read_bytes().isascii()
    assert records(path)[1]["data"]["name"] == 'β "quoted", 0.7'


# What qvis' congestion graph reads (quiclog/qvis, 72c8c4b: textsequencejsontoqlog.ts, QlogLoaderV2.ts, CongestionGraphD3Renderer.ts, parseQlog):
# version, format and trace; recovery:metrics_updated; and the extent of its axes from the packets sent, each with a size and a number.
def test_qvis_finds_what_its_congestion_graph_reads(result: Result, tmp_path: Path) -> None:
    header, *events = records(result.to_qlog(tmp_path / "run.sqlog", format="0.3"))
    assert (header["qlog_version"], header["qlog_format"]) == ("0.3", "JSON-SEQ") and "trace" in header
    assert header["trace"]["common_fields"] == {"time_format": "relative", "reference_time": 0.0, "group_id": "reno"}
    metrics = [event["data"] for event in events if event["name"] == "recovery:metrics_updated"]
    assert metrics[0]["congestion_window"] == 14_480 and any("smoothed_rtt" in data for data in metrics)
    packets = [event for event in events if event["name"] == "transport:packet_sent"]
    assert [packet["data"]["header"] for packet in packets] == [
        {"packet_type": "1RTT", "packet_number": number} for number in range(len(packets))
    ]
    # Together they are what the run sent: one segment more than what it delivered, which was sent again.
    sent, delivered = (
        pc.max(column).as_py()
        for column in (pc.add(result.cwnd["delivered"], result.cwnd["in_flight"]), result.cwnd["delivered"])
    )
    assert sum(packet["data"]["raw"]["length"] for packet in packets) == sent * 1448 and sent - delivered == 1
    assert not any("trigger" in event["data"] for event in named(events, "congestion_state_updated"))


def test_a_folder_gives_the_bytes_that_its_result_gives(result: Result, tmp_path: Path) -> None:
    folder = cwnd.save(result, tmp_path / "run", pictures=False)
    of_result = cwnd.qlog(result, tmp_path / "result.sqlog").read_bytes()
    assert cwnd.qlog(folder, tmp_path / "folder.sqlog").read_bytes() == of_result
    assert cwnd.qlog(str(folder), str(tmp_path / "folder.sqlog")).read_bytes() == of_result
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.sqlog", "result.sqlog", "run"]


# Of the stored connection of Linux 6.18 the table cwnd is made as a trace makes it: a row for each acknowledgement. The segment's size
# is 524 bytes in the handshake, 1448 from then on.
def test_a_connection_of_the_kernel_is_in_bytes_of_its_own_segments(trace: Path, tmp_path: Path) -> None:  # noqa: F811
    loaded = cwnd.load(stored_trace(trace))
    assert isinstance(loaded, KernelTrace)
    header, *events = records(loaded.to_qlog(tmp_path / "kernel.sqlog"))
    assert header["trace"]["vantage_point"]["type"] == "unknown"
    assert events[0]["data"] == {"flow": 0, "name": "connection 0", "algorithm": "cwnd_cubic", "segment_bytes": 1448}
    metrics = named(events, "metrics_updated")
    assert metrics[0]["time"] == 0.0 and metrics[0]["data"]["congestion_window"] == 10 * 1448
    assert 0 < metrics[-1]["time"] < 60_000
    assert [event["time"] for event in events] == sorted(event["time"] for event in events)
    states = [event["data"]["new"] for event in named(events, "congestion_state_updated")]
    assert states[:2] == ["slow_start", "recovery"] and set(states) <= {
        "slow_start",
        "recovery",
        "congestion_avoidance",
    }


def stored_trace(folder: Path) -> Path:
    """The folder of a trace with the packets of a stored connection, and a table `cwnd` of their acknowledgements."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    packets = pq.read_table(ROOT / "vectors/transport/cubic-losses/packets.parquet")
    states = ("open", "disorder", "cwr", "recovery", "loss")
    rows = [
        {
            "time_s": row["time_ns"] / 1e9,
            "flow": row["connection"],
            "cwnd": row["cwnd"],
            "ssthresh": row["ssthresh"],
            "srtt_ms": row["srtt_us8"] / 8e3,
            "in_flight": row["packets_out"] - row["sacked_out"] - row["lost_out"] + row["retrans_out"],
            "delivered": 0,
            "ca_state": states[row["ca_state"]],
        }
        for row in packets.to_pylist()
        if row["kind"] == "ack"
    ]
    schema = pq.read_schema(folder / "cwnd.parquet")
    pq.write_table(pa.Table.from_pylist(rows, schema), folder / "cwnd.parquet")
    pq.write_table(packets, folder / "packets.parquet")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"].append("packets.parquet")
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


# The windows of the trace are 10 to 14 segments, a step every 0.5 s: with 1000 bytes a segment 10 000 to 14 000 bytes at 0 to 2000 ms.
def test_a_trace_without_the_size_of_a_segment_takes_it(trace: Path, tmp_path: Path) -> None:  # noqa: F811
    with pytest.raises(cwnd.ScenarioError, match=r"^mss: .* expected the bytes of a segment, such as 1448"):
        cwnd.qlog(trace, tmp_path / "run.sqlog")
    events = records(cwnd.qlog(trace, tmp_path / "run.sqlog", mss=1000))
    windows = [(event["time"], event["data"]["congestion_window"]) for event in named(events[1:], "metrics_updated")]
    assert windows == [(500.0 * step, 10_000 + 1000 * step) for step in range(5)]


# A datagram of a stack has 1500 - 28 = 1472 bytes, a segment of TCP 1500 - 52 = 1448.
def test_a_segment_of_a_real_stack_is_its_datagram() -> None:
    flows = [cwnd.Flow("cubic", stack="quinn", count=2), cwnd.Flow("cubic", label="tcp")]
    assert segment_bytes(cwnd.dumbbell(flows, rate="5Mbit/s", rtt="20ms")) == {0: 1472, 1: 1472, 2: 1448}


#: Datagrams 3 and 40 of the flow are lost; at 1 Gbit/s, without HyStart, the connection ends.
LOSSES = """
duration = "1s"
[link]
rate = "10Mbit/s"
rtt = "40ms"
queue = { kind = "droptail", limit = "1000packets" }
loss = "at:3,40"
[[flow]]
cc = "cubic"
stack = "quinn"
"""
ENDS = """
duration = "1s"
[link]
rate = "1Gbit/s"
rtt = "40ms"
queue = { kind = "droptail", limit = "1bdp" }
[[flow]]
cc = "stock-cubic"
stack = "quinn"
rwnd = 1000000000
"""


# The third and the fortieth datagram that the flow sends, counted from 0.
@pytest.mark.parametrize("format", FORMATS)
def test_a_drop_of_a_stack_has_the_number_of_its_datagram(format: str, tmp_path: Path) -> None:
    _, *events = records(cwnd.qlog(cwnd.run(Scenario.from_toml(LOSSES)), tmp_path / "run.sqlog", format=format))
    drops = [event["data"] for event in named(events, "cwnd:packet_dropped")]
    link = {"cause": "loss", "link": 0, "link_name": "link"}
    assert drops == [link | {"datagram": 2}, link | {"datagram": 39}]
    assert all(accepts(format, OURS["cwnd:packet_dropped"], drop) is None for drop in drops)
    assert accepts(format, OURS["cwnd:packet_dropped"], drops[0] | {"datagram": "2"}) is not None


@pytest.mark.parametrize("format", FORMATS)
def test_a_connection_that_fails_says_why_as_the_summary_does(format: str, tmp_path: Path) -> None:
    result = cwnd.run(Scenario.from_toml(ENDS))
    [failure] = result.summary["failures"]
    _, *events = records(cwnd.qlog(result, tmp_path / "run.sqlog", format=format))
    [event] = named(events, "cwnd:connection_failed")
    assert event["data"] == {"reason": failure["why"]} and "too many gaps" in failure["why"]
    assert event["time"] == pytest.approx(failure["time_s"] * 1e3, abs=1e-6)
    assert accepts(format, OURS["cwnd:connection_failed"], event["data"]) is None
    assert accepts(format, OURS["cwnd:connection_failed"], {"reason": 3}) is not None
    # A folder says the same.
    folder = cwnd.save(result, tmp_path / "run", pictures=False)
    _, *again = records(cwnd.qlog(folder, tmp_path / "folder.sqlog", format=format))
    assert again == events
