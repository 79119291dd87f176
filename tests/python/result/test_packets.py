# SPDX-License-Identifier: MIT OR Apache-2.0
"""Captured packets, as tshark reads them, beside the tables of the same run, in both lanes; files, options, limits."""

from __future__ import annotations

import json
import pickle
import signal
import statistics
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import SHORT, Cli, refused
from in_kernel import PATIENCE_S, PROGRAM, until
from in_lab import LAB
from in_lab import run as measured
from needs import needs, skip_without

import cwnd as package
from cwnd import Flow, dumbbell

reads = needs("tshark")
MSS = 1448
#: A pcapng file begins with the type of its section header, and here says that it is little-endian.
BEGIN = b"\n\r\r\n"

Row = dict[str, str]
Run = Callable[[package.Scenario], package.Result]


def simulated(scenario: package.Scenario) -> package.Result:
    return package.run(scenario)


@pytest.fixture(params=["sim", pytest.param("live", marks=pytest.mark.slow)])
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    """Runs a scenario, in either lane."""
    if request.param == "sim":
        yield simulated
        return
    skip_without(*LAB)
    request.getfixturevalue("lab")
    yield measured


def rows(tmp_path: Path, packets: bytes, *fields: str, only: str = "", options: tuple[str, ...] = ()) -> list[Row]:
    """Fields of the captured packets (those that `only` allows), by tshark, which checks all checksums."""
    file = tmp_path / "packets.pcapng"
    file.write_bytes(packets)
    checks = ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE", "-T", "fields", "-Y", only or "ip"]
    command = ["tshark", "-r", str(file), *checks, *options, *(word for field in fields for word in ("-e", field))]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [dict(zip(fields, line.split("\t"))) for line in lines]


# 20 Mbit/s and 40 ms are 66 packets. The flow ends before the run: what it has sent is on record.
@reads
def test_tshark_finds_our_retransmissions_blocks_and_checksums(run: Run, tmp_path: Path) -> None:
    flow = Flow("cubic-linux", recovery="linux", size="2MB")
    scenario = dumbbell(
        [flow],
        rate="20Mbit/s",
        rtt="40ms",
        buffer="50packets",
        loss="random:0.01",
        duration="6s",
        record_packets="senders",
        snap_length="1500B",
    )
    result = run(scenario)
    (summary,) = result.summary["flows"]
    again = "tcp.analysis.retransmission"
    # Nothing is out of order where it is sent: tshark calls retransmissions so that follow the newest data within a round trip.
    early = "tcp.analysis.out_of_order"
    fields = (
        "tcp.checksum.status",
        "ip.checksum.status",
        "tcp.len",
        "tcp.options.sack_le",
        "tcp.options.sack_re",
        "tcp.checksum",
    )
    others = ("frame.interface_name", "ip.dsfield.ecn", "tcp.flags.ece", "tcp.flags.cwr", "ip.src", "tcp.dstport")
    packets = rows(tmp_path, result.packets["senders"], *fields, *others, again, early)
    assert {row["ip.checksum.status"] for row in packets} == {"1"}
    # Of the two zeros of its arithmetic Linux writes 0xffff, and tshark calls that a bad one.
    assert {row["tcp.checksum.status"] for row in packets if row["tcp.checksum"] != "0xffff"} == {"1"}
    assert {row["frame.interface_name"] for row in packets} == {"senders"}
    assert {(row["ip.dsfield.ecn"], row["tcp.flags.ece"], row["tcp.flags.cwr"]) for row in packets} <= {
        ("0", "0", "0"),
        ("0x00", "0", "0"),
    }
    data = [row for row in packets if row["tcp.len"] != "0"]
    assert {(row["ip.src"], row["tcp.dstport"]) for row in data} == {("198.18.0.1", "10000")}
    assert len(data) == summary["packets_sent"]
    assert sum(bool(row[again] or row[early]) for row in data) == summary["retransmits"] > 10
    # 2 MB are 1381 segments of 1448 bytes and one of 312; each is sent once, beside the retransmissions.
    assert sum(int(row["tcp.len"]) for row in data if not (row[again] or row[early])) == 2_000_000
    blocks = [row for row in packets if row["tcp.options.sack_le"]]
    assert len(blocks) > 10 and all(row["tcp.len"] == "0" for row in blocks)
    for row in blocks:
        edges = zip(row["tcp.options.sack_le"].split(","), row["tcp.options.sack_re"].split(","))
        assert all(0 < int(right) - int(left) <= 2_000_000 for left, right in edges)


def smoothed(rtts: list[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """The smoothed round trip time after each sample, with its time. // RFC 6298 §2"""
    srtt = rtts[0][1]
    for time, rtt in rtts:
        srtt += (rtt - srtt) / 8
        yield time, srtt


def round_trips(
    result: package.Result, samples: list[dict[str, float]], folder: Path
) -> tuple[list[Row], list[tuple[float, float]], list[tuple[float, float]]]:
    """tshark's packets, its round trips by time, and at each sample our smoothed one beside that of tshark's."""
    fields = ("frame.time_epoch", "ip.src", "tcp.analysis.ack_rtt", "tcp.analysis.bytes_in_flight")
    packets = rows(folder, result.packets["senders"], *fields)
    rtts = [
        (float(row["frame.time_epoch"]), 1e3 * float(row["tcp.analysis.ack_rtt"]))
        for row in packets
        if row["tcp.analysis.ack_rtt"] and row["ip.src"] == "198.18.0.2"
    ]
    # Of two segments that one acknowledgement covers, the kernel takes the first, tshark the second, 0.6 ms later.
    srtts = list(smoothed(rtts))
    return (
        packets,
        rtts,
        [(row["srtt_ms"], max(entry for entry in srtts if entry[0] <= row["time_s"])[1]) for row in samples],
    )


def is_near(pair: tuple[float, float]) -> bool:
    ours, tsharks = pair
    return abs(ours - tsharks) < 0.05 * ours + 1


# Slow start into a queue that has no end here: no losses, and round trips from 40 ms up.
@reads
def test_tsharks_round_trips_and_bytes_in_flight_are_those_of_our_tables(run: Run, tmp_path: Path) -> None:
    scenario = dumbbell(
        [Flow("reno-linux", recovery="linux")],
        rate="20Mbit/s",
        rtt="40ms",
        buffer="4000packets",
        duration="1.5s",
        interval="10ms",
        record_packets="senders",
    )
    # On a busy machine the emulator may see an acknowledgement later than the kernel: the best of three runs counts.
    for _ in range(1 if run is simulated else 3):
        result = run(scenario)
        samples = [row for row in result.cwnd.to_pylist() if row["time_s"] > 0.2]
        packets, rtts, pairs = round_trips(result, samples, tmp_path)
        if all(map(is_near, pairs)):
            break
    (summary,) = result.summary["flows"]
    assert len(samples) > 100
    assert all(map(is_near, pairs)), pairs
    assert 40 <= min(rtt for _, rtt in rtts) < 42 and max(ours for ours, _ in pairs) > 200
    # Whatever was sent last before a sample: most samples are between two acknowledgements, when nothing changes.
    sent = [row for row in packets if row["tcp.analysis.bytes_in_flight"]]
    flights = []
    for row in samples:
        last = [each for each in sent if float(each["frame.time_epoch"]) <= row["time_s"]][-1]
        flights.append((row["in_flight"] * MSS, int(last["tcp.analysis.bytes_in_flight"])))
    assert statistics.median(abs(ours - tsharks) for ours, tsharks in flights) <= MSS
    # A busy machine may let a packet wait where the kernel has sent it and the emulator has not seen it yet.
    assert statistics.quantiles((abs(ours - tsharks) for ours, tsharks in flights), n=20)[-1] <= 12 * MSS, flights
    assert summary["retransmits"] == 0


# CoDel marks what it would drop. RFC 3168 §6.1.1: a SYN asks by ECE and CWR, and ECE agrees; §5: data is ECT(0) where it leaves, and CE where it
# was marked; §6.1.2, §6.1.3: acknowledgements have ECE from a mark on until a segment has CWR.
@reads
def test_marks_are_echoed_and_answered_in_both_lanes(run: Run, tmp_path: Path) -> None:
    scenario = dumbbell(
        [Flow("reno-linux", recovery="linux", ecn=True)],
        rate="20Mbit/s",
        rtt="40ms",
        buffer="400packets",
        codel={"ecn": True},
        duration="6s",
        measure=("0s", "6s"),
        record_packets="both",
    )
    result = run(scenario)
    link, (flow,) = result.summary["link"], result.summary["flows"]
    fields = (
        "ip.dsfield.ecn",
        "tcp.flags.ece",
        "tcp.flags.cwr",
        "tcp.flags.syn",
        "tcp.len",
        "ip.src",
        "ip.checksum.status",
    )
    left, arrived = (rows(tmp_path, result.packets[host], *fields) for host in ("senders", "receivers"))
    assert {row["ip.checksum.status"] for row in arrived} == {"1"}

    def is_set(row: Row, flag: str) -> bool:
        return row[f"tcp.flags.{flag}"] in ("1", "True")

    opening = [(is_set(row, "ece"), is_set(row, "cwr")) for row in left if is_set(row, "syn")]
    assert opening == ([(True, True), (True, False)] if result.lane == "live" else [])
    data = [row for row in left if row["tcp.len"] != "0"]
    assert flow["retransmits"] == 0 and {int(row["ip.dsfield.ecn"], 0) for row in data} == {2}
    marked = [row for row in arrived if int(row["ip.dsfield.ecn"], 0) == 3]
    assert len(marked) == link["marks_run"] > 2 and link["drops_head"] == 0
    echoes, answers = False, 0
    for row in arrived:
        if row["tcp.len"] != "0":
            answers += is_set(row, "cwr")
            echoes = (echoes and not is_set(row, "cwr")) or int(row["ip.dsfield.ecn"], 0) == 3
        elif row["ip.src"] == "198.18.0.2" and not is_set(row, "syn"):
            assert int(row["ip.dsfield.ecn"], 0) == 0 and is_set(row, "ece") == echoes
    cwr = [row for row in result.events.to_pylist() if row["kind"] == "state" and row["value"] == 2]
    assert answers > 0 and abs(answers - len(cwr)) <= 1
    if result.lane == "live":
        assert result.summary["live"]["settings"]["net.ipv4.tcp_ecn"] == "1"


# An interface that merges: what is marked is not merged with what is not, so that an acknowledgement of several segments begins there or ends
# before, and a segment with CWR is acknowledged by itself, at once (recovery-linux.md, "Merged segments").
@reads
def test_marked_segments_and_those_with_cwr_are_not_merged_with_others(run: Run, tmp_path: Path) -> None:
    scenario = dumbbell(
        [Flow("cubic-linux", recovery="linux", ecn=True, gro="2ms")],
        rate="50Mbit/s",
        rtt="40ms",
        buffer="2000packets",
        codel={"ecn": True},
        duration="8s",
        record_packets="receivers",
    )
    fields = ("ip.dsfield.ecn", "tcp.flags.cwr", "tcp.flags.syn", "tcp.len", "tcp.seq", "tcp.ack", "ip.src")
    # The kernel on a busy machine handles some late, and the acknowledgements of several at once: one of three runs is without that.
    for _ in range(3):
        arrived = rows(tmp_path, run(scenario).packets["receivers"], *fields)
        data = [row for row in arrived if row["tcp.len"] != "0"]
        acknowledged = {int(row["tcp.ack"]) for row in arrived if row["ip.src"] == "198.18.0.2"}
        cwr = [row for row in data if row["tcp.flags.cwr"] in ("1", "True")]
        missing = [row for row in cwr if int(row["tcp.seq"]) + int(row["tcp.len"]) not in acknowledged]
        if not missing:
            break
    assert len(acknowledged) < 0.4 * len(data), "merged"
    assert len(cwr) > 2 and not missing, missing
    # One that waits alone in front of a mark may have its acknowledgement delayed.
    marked = [row for row in data if int(row["ip.dsfield.ecn"], 0) == 3]
    assert sum(int(row["tcp.seq"]) in acknowledged for row in marked) >= 0.6 * len(marked) > 1, len(marked)


# The receivers' host sees a segment 20 ms later than the senders', and its acknowledgement as much earlier: in both lanes.
@reads
def test_each_host_has_a_file_and_the_hosts_are_half_a_round_trip_apart(run: Run, tmp_path: Path) -> None:
    scenario = dumbbell(
        [Flow("reno-linux", recovery="linux", size="20kB")],
        rate="100Mbit/s",
        rtt="40ms",
        duration="1s",
        record_packets="both",
    )
    result = run(scenario)
    assert set(result.packets) == {"senders", "receivers"}
    fields = ("frame.time_epoch", "tcp.seq", "tcp.len", "frame.interface_name", "frame.len", "frame.cap_len")
    hosts = {host: rows(tmp_path, file, *fields, only="tcp.len > 0") for host, file in result.packets.items()}
    # 20 kB are 14 segments.
    assert {host: {row["frame.interface_name"] for row in seen} for host, seen in hosts.items()} == {
        "senders": {"senders"},
        "receivers": {"receivers"},
    }
    assert [len(seen) for seen in hosts.values()] == [14, 14]
    for sent, arrived in zip(hosts["senders"], hosts["receivers"]):
        assert (sent["tcp.seq"], sent["frame.len"]) == (arrived["tcp.seq"], arrived["frame.len"])
        way = float(arrived["frame.time_epoch"]) - float(sent["frame.time_epoch"])
        assert 0.02 < way < 0.035 and int(sent["frame.cap_len"]) <= 80
    assert float(hosts["senders"][0]["frame.time_epoch"]) < 0.2


def test_a_result_keeps_its_packets_wherever_it_goes(tmp_path: Path) -> None:
    scenario = dumbbell("cubic", rate="10Mbit/s", rtt="20ms", duration="1s", record_packets="both")
    result = package.run(scenario)
    assert set(result.packets) == {"senders", "receivers"}
    assert all(file.startswith(BEGIN) for file in result.packets.values())
    package.save(result, tmp_path / "saved", pictures=False)
    package.run(scenario, folder=tmp_path / "run", pictures=False)
    for folder in ("saved", "run"):
        assert (tmp_path / folder / "senders.pcapng").read_bytes() == result.packets["senders"]
        again = package.load(tmp_path / folder)
        assert isinstance(again, package.Result) and dict(again.packets) == dict(result.packets)
    assert pickle.loads(pickle.dumps(result)).packets == result.packets
    plain = package.run(dumbbell("cubic", rate="10Mbit/s", rtt="20ms", duration="1s"))
    assert dict(plain.packets) == {} and plain.tables == result.tables


def test_the_command_writes_a_file_beside_the_folder_or_without_one(cwnd: Cli, tmp_path: Path) -> None:
    done = cwnd(*SHORT, "--pcap", "alone.pcapng", "--snap-length", "100B", cwd=tmp_path)
    assert done.returncode == 0 and "written to alone.pcapng" in done.stderr, done.stderr
    alone = (tmp_path / "alone.pcapng").read_bytes()
    # Again, over the first one, and in a folder.
    done = cwnd(*SHORT, "--pcap", "alone.pcapng", "--snap-length", "100B", "--no-plots", "-o", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert alone == (tmp_path / "alone.pcapng").read_bytes() == (tmp_path / "out/senders.pcapng").read_bytes()
    assert alone.startswith(BEGIN) and sorted(path.name for path in tmp_path.iterdir()) == ["alone.pcapng", "out"]


def test_a_file_that_is_no_capture_is_not_replaced(cwnd: Cli, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    refused(cwnd(*SHORT, "--pcap", "notes.txt", cwd=tmp_path), "--pcap", "notes.txt", "a free name")
    refused(cwnd(*SHORT, "--pcap", ".", cwd=tmp_path), "--pcap", "a file in a folder that exists")
    refused(cwnd(*SHORT, "--pcap", "none/x.pcapng", cwd=tmp_path), "--pcap", "a file in a folder that exists")
    refused(cwnd(*SHORT, "--pcap", "x.pcapng", "--seeds", "2", cwd=tmp_path), "--seeds", "--pcap")
    refused(cwnd(*SHORT, "--snap-length", "100B", cwd=tmp_path), "--snap-length", "100B", "--pcap FILE")
    for file in ("out2", "out2/x.pcapng"):
        refused(cwnd(*SHORT, "--pcap", file, "-o", "out2", cwd=tmp_path), f'--pcap: "{file}"', "outside", "out2")
    assert not (tmp_path / "out2").exists()
    both = dumbbell("cubic", rate="10Mbit/s", rtt="20ms", duration="1s", record_packets="both")
    (tmp_path / "both.toml").write_text(both.to_toml())
    refused(cwnd("run", "both.toml", "--pcap", "x.pcapng", cwd=tmp_path), "-o DIR", "senders and receivers")
    assert (tmp_path / "notes.txt").read_text() == "mine" and not (tmp_path / "x.pcapng").exists()


# 100 Mbit/s for 1000 s are 8.3 million packets of 80 bytes and 34 around them, and half as many acknowledgements of 52. 1 MB are 691 segments
# and 346 acknowledgements: 691 × 114 + 346 × 86 = 108 530 bytes. What is lost is sent again, and acknowledged at once, with blocks.
def test_a_capture_beyond_the_limit_is_refused_before_the_run_or_ends_it(cwnd: Cli, tmp_path: Path) -> None:
    long = ("compare", "cubic", "--rate", "100Mbit/s", "--duration", "1000s", "--record-limit", "1GB")
    refused(cwnd(*long, "--pcap", "x.pcapng", cwd=tmp_path), "record.packets", "about 1.3 GB", "1GB (record.limit)")
    scenario = dumbbell(
        Flow("cubic", size="1MB"),
        rate="100Mbit/s",
        rtt="20ms",
        loss="random:0.2",
        duration="60s",
        interval="0s",
        record_packets="senders",
        record_limit="110kB",
    )
    with pytest.raises(package.ScenarioError, match=r"record.packets: \d+B of packets so far"):
        package.run(scenario, folder=tmp_path / "run")
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_leaves_no_file_of_packets(tmp_path: Path) -> None:
    slow = ("compare", "cubic:4", "--rate", "10Gbit/s", "--duration", "3000s", "--record-limit", "none")
    command = [str(PROGRAM), *slow, "--pcap", str(tmp_path / "x.pcapng")]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    until(lambda: any(path.stat().st_size > 0 for path in tmp_path.iterdir()) or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130 and list(tmp_path.iterdir()) == []


# A flow of a stack is UDP beside the TCP of another. tshark derives the keys of a handshake's first packets from them (RFC 9001 §5.2), and finds CRYPTO
# frames (type 6) there; the length of a UDP datagram has the 8 bytes of its header, 20 more are IP's.
@reads
def test_a_stacks_datagrams_are_its_own_bytes_beside_tcp(tmp_path: Path, cwnd: Cli) -> None:
    file = tmp_path / "both.pcapng"
    flows = ("cubic@stack=quinn,tls=true,label=quic", "cubic@stack=noq", "cubic")
    path = ("--rate", "20Mbit/s", "--rtt", "40ms", "--buffer", "50packets", "--duration", "2s")
    done = cwnd("compare", *flows, *path, "--pcap", file, "--snap-length", "1500B", "--json", cwd=tmp_path)
    summary = json.loads(done.stdout)["flows"]
    fields = ("ip.src", "udp.length", "udp.dstport", "udp.checksum.status", "ip.checksum.status", "quic.frame_type")
    packets = rows(tmp_path, file.read_bytes(), *fields, "tcp.len", options=("-o", "udp.check_checksum:TRUE"))
    assert {row["ip.checksum.status"] for row in packets} == {"1"}
    udp = [row for row in packets if row["udp.length"]]
    assert {row["udp.checksum.status"] for row in udp} == {"1"}
    sent = [row for row in udp if row["ip.src"] == "198.18.0.1"]
    assert [sum(row["udp.dstport"] == port for row in sent) for port in ("10000", "10001")] == [
        flow["packets_sent_run"] for flow in summary[:2]
    ]
    assert max(int(row["udp.length"]) for row in sent) == 1500 - 20
    first = next(row for row in sent if row["udp.dstport"] == "10000")
    assert "6" in first["quic.frame_type"].split(",")
    tcp = [row for row in packets if row["tcp.len"] not in ("", "0")]
    assert len(tcp) == summary[2]["packets_sent_run"]
