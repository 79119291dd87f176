# SPDX-License-Identifier: MIT OR Apache-2.0
"""The kernel's queues on links of lane linux, and the queue bench: the same arrivals through a qdisc and through a queue of cwnd."""

from __future__ import annotations

import json
import re
from collections import deque
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from codel_in_linux import CodelInLinux
from conftest import Cli
from needs import needs

import cwnd as package
from cwnd.linux import queue
from cwnd.linux.arrivals import arrivals_of

pytestmark = [pytest.mark.slow, needs("linux"), pytest.mark.usefixtures("virtual_kernel")]

#: A byte takes 800 ns, and a packet of 1500 bytes 1.2 ms.
RATE = "10Mbit/s"


def bursts(seed: int, packets: int, load: float) -> pa.Table:
    """Packets of four flows in bursts of 1 to 40, at `load` times the link's rate in the mean."""
    draw = np.random.default_rng(seed)
    sizes = draw.choice([100, 576, 1500], packets, p=[0.2, 0.2, 0.6])
    first = np.concatenate([[0], np.cumsum(draw.integers(1, 41, packets))])
    burst = np.searchsorted(first, np.arange(packets), side="right")
    gaps = draw.exponential(1.0, burst.max() + 1)
    times = np.cumsum(gaps)[burst]
    # All bytes would take this long.
    times = (times - times[0]) / (times[-1] - times[0]) * sizes.sum() * 8 / 10e6 / load
    columns = {"time_ns": np.rint(times * 1e9).astype(np.int64), "bytes": sizes, "flow": draw.integers(0, 4, packets)}
    return pa.table({**columns, "ecn": draw.choice([0, 2], packets)})


def fates(table: pa.Table) -> list[tuple[str, int, bool]]:
    return list(zip(*(table[name].to_pylist() for name in ("fate", "at_ns", "marked"))))


def drop_tail(table: pa.Table, limit: int) -> list[tuple[str, int, bool]]:
    """Fates by hand: a queue of `limit` packets before a link that sends one at a time."""
    found, waiting, free = [], deque[int](), 0
    for at, size in zip(table["time_ns"].to_pylist(), table["bytes"].to_pylist()):
        while waiting and waiting[0] <= at:
            waiting.popleft()
        if at < free and len(waiting) == limit:
            found.append(("dropped", at, False))
            continue
        begins = max(at, free)
        if begins > at:
            waiting.append(begins)
        free = begins + size * 800
        found.append(("sent", free, False))
    return found


def test_a_fifo_of_the_kernel_is_the_one_computed_by_hand() -> None:
    arrivals = bursts(1, 20_000, 1.1)
    bench = queue(arrivals, "pfifo limit 50", rate=RATE, beside={"kind": "droptail", "limit": "50packets"})
    by_hand = drop_tail(arrivals, 50)
    assert sum(fate == "dropped" for fate, *_ in by_hand) > 1000
    assert fates(bench.fates) == by_hand
    assert bench.beside is not None and fates(bench.beside) == by_hand
    assert bench.counters[0]["drops"] == sum(fate == "dropped" for fate, *_ in by_hand)


# Of 20 000 packets two or three thousand are dropped or marked by CoDel, and as many find the queue full.
@pytest.mark.parametrize("ecn", [False, True])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_kernels_codel_is_the_rfcs_with_a_coarse_clock_and_a_rough_root(seed: int, ecn: bool) -> None:
    arrivals = bursts(seed, 20_000, 1.2)
    words = f"codel limit 500 target 5ms interval 100ms {'ecn' if ecn else 'noecn'}"
    found = fates(queue(arrivals, words, rate=RATE).fates)
    given = (
        arrivals["time_ns"].to_pylist(),
        arrivals["bytes"].to_pylist(),
        [ecn and codepoint == 2 for codepoint in arrivals["ecn"].to_pylist()],
        500,
    )
    assert CodelInLinux(*given).run() == found
    # Each of the two makes a difference.
    assert CodelInLinux(*given, exact_root=True).run() != found
    assert CodelInLinux(*given, exact_time=True).run() != found


def test_a_bench_gives_the_same_fates_each_time_and_takes_them_again(tmp_path: Path, cwnd: Cli) -> None:
    file, out = tmp_path / "arrivals.csv", tmp_path / "out.csv"
    pyarrow.csv.write_csv(bursts(3, 2000, 1.5), file)
    words = ["linux", "queue", file, "--qdisc", "fq_codel limit 100 ecn", "--rate", RATE, "-o"]
    done = cwnd(*words, out, "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["sent"] + document["dropped"] == document["packets"] == 2000
    assert document["qdisc"][0]["kind"] == "fq_codel"
    again = tmp_path / "again.parquet"
    assert cwnd("linux", "queue", out, "--qdisc", "fq_codel limit 100 ecn", "--rate", RATE, "-o", again).returncode == 0
    assert fates(pa.parquet.read_table(again)) == fates(pyarrow.csv.read_csv(out))


# fq has no socket for these packets, and so takes them from their sender. The first finds the link idle; the next eight arrive while fq has
# no flow, and are sent in order (since Linux 6.8). Then the two flows share the link packet by packet.
def test_fq_serves_flows_in_turn() -> None:
    arrivals = pa.table({"time_ns": [0] * 18, "bytes": [1500] * 18, "flow": [0] * 12 + [1] * 6})
    bench = queue(arrivals, "fq quantum 1500 initial_quantum 1500 nopacing", rate=RATE)
    order = np.argsort(bench.fates["at_ns"].to_numpy())
    assert bench.counters[0]["kind"] == "fq"
    assert set(bench.fates["fate"].to_pylist()) == {"sent"}
    assert [arrivals["flow"][int(packet)].as_py() for packet in order] == [0] * 9 + [0, 1] * 3 + [1] * 3


#: Words of the disciplines whose defaults are for a link of another rate, or that have none.
WORDS = {
    "choke": "choke limit 100 bandwidth 10mbit",
    "ets": "ets bands 3",
    "red": "red limit 400000 min 30000 max 90000 avpkt 1000",
    "tbf": "tbf rate 10mbit burst 3000 limit 9000",
    "hfsc": "hfsc default 1",
}


# The guide names them. Those that need classes drop what no class takes.
def test_each_discipline_of_the_guide_takes_packets() -> None:
    page = (Path(__file__).parents[3] / "docs/guide/kernel-queues.md").read_text()
    named = re.findall(r"`([a-z_]+)`", next(line for line in page.splitlines() if line.startswith("[Lane linux]")))
    assert len(named) > 15
    arrivals = pa.table({"time_ns": [0, 0, 1_000_000], "bytes": [1500] * 3})
    for name in set(named) - {"dualpi2"}:
        fates = queue(arrivals, WORDS.get(name, name), rate=RATE).fates["fate"].to_pylist()
        assert set(fates) == {"dropped" if name in ("drr", "hfsc", "qfq") else "sent"}, name


# The class by the DSCP: 46 in the first, whose packets overtake those of the second.
def test_a_filter_chooses_the_class_of_a_packet() -> None:
    arrivals = pa.table({"time_ns": [0] * 6, "bytes": [1500] * 6, "dscp": [0, 0, 0, 46, 46, 46]})
    words = [
        "qdisc root handle 1: prio bands 2 priomap 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
        "filter parent 1: protocol ip u32 match ip tos 0xb8 0xfc flowid 1:1",
    ]
    fates = queue(arrivals, words, rate=RATE).fates
    assert np.argsort(fates["at_ns"].to_numpy()).tolist() == [0, 3, 4, 5, 1, 2]


# RFC 3168: a packet that has a mark keeps it, and is not dropped where another one would be marked.
def test_packets_that_arrive_with_a_mark_are_as_capable_as_others() -> None:
    of = {"time_ns": np.arange(3000) * 1_000_000, "bytes": [1500] * 3000, "ecn": ["ce"] * 3000}
    words, ours = "codel limit 1000 ecn", {"kind": "codel", "limit": "1000packets", "ecn": True}
    bench = queue(pa.table(of), words, rate=RATE, beside=ours)
    for table in (bench.fates, bench.beside):
        assert table is not None
        assert set(table["fate"].to_pylist()) == {"sent"} and not any(table["marked"].to_pylist())


# 4000 packets of 1500 bytes at 10 kbit/s take 80 minutes; an hour without any event is where a bench gives up.
def test_a_slow_link_sends_for_hours() -> None:
    arrivals = pa.table({"time_ns": [0] * 4000, "bytes": [1500] * 4000})
    assert set(queue(arrivals, "pfifo limit 10000", rate="10kbit/s").fates["fate"].to_pylist()) == {"sent"}


def test_arrivals_that_are_none_are_refused_in_a_line(cwnd: Cli, tmp_path: Path) -> None:
    good = {"time_ns": [0, 5], "bytes": [1500, 1500]}
    for columns, says in (
        ({"bytes": [1500, 1500]}, "arrivals.time_ns: missing"),
        ({**good, "bytes": [1500, 20]}, "arrivals.bytes: 20 is not accepted; expected 28 to 64000"),
        ({**good, "time_ns": [5, 0]}, "arrivals.time_ns: 0 is not accepted; expected times that do not decrease"),
        ({**good, "ecn": ["ect0", "ect"]}, 'arrivals.ecn: "ect" is not accepted; expected a codepoint (did you mean'),
        ({**good, "flow": ["a", "b"]}, "arrivals.flow: not accepted; expected whole numbers"),
        ({**good, "dscp": [0, None]}, "arrivals.dscp: not accepted; expected a number in every row"),
        ({"time_ns": [], "bytes": []}, "arrivals: not accepted; expected 1 to"),
        ({**good, "flwo": [0, 1]}, 'arrivals: "flwo" is not accepted; expected columns of arrivals (did you mean flow'),
        ({"time_s": [0, 1e30], "bytes": [1500, 1500]}, "arrivals.time_s: 1e+30 is not accepted; expected 0 to 1000000"),
        ({"time_s": [-1, 0], "bytes": [1500, 1500]}, "arrivals.time_s: -1.0 is not accepted"),
    ):
        with pytest.raises(package.ScenarioError) as refusal:
            arrivals_of(pa.table(columns))
        assert str(refusal.value).startswith(says), refusal.value
    twice = pa.table([pa.array([0]), pa.array([1]), pa.array([1500])], names=["time_s", "time_s", "bytes"])
    with pytest.raises(package.ScenarioError, match="one column of this name; there are 2"):
        arrivals_of(twice)
    run = tmp_path / "run"
    run.mkdir()
    # A block of 32 bytes, of which 8 are there.
    (run / "senders.pcapng").write_bytes((6).to_bytes(4, "little") + (32).to_bytes(4, "little"))
    with pytest.raises(package.ScenarioError, match="a capture that is whole"):
        arrivals_of(run)
    file = tmp_path / "good.csv"
    pyarrow.csv.write_csv(pa.table(good), file)
    for words, says in (
        ([tmp_path / "none.csv", "--qdisc", "codel"], "a file that exists"),
        ([tmp_path, "--qdisc", "codel"], "record.packets"),
        ([file, "--qdisc", "codle"], "words that tc and the kernel take"),
        ([file, "--qdisc", "netem delay 1ms"], "a qdisc other than netem"),
        ([file, "--qdisc", "codel", "--beside", "codel"], "beside: "),
        ([file, "--qdisc", "codel", "--beside", '{ kind = "droptail", limit = "1bdp" }'], "beside.limit: "),
        ([file, "--qdisc", "codel", "--beside", '{ kind = "codle" }'], 'beside.kind: "codle"'),
        ([file, "--qdisc", "codel", "--beside", '{ kind = "codel", limt = 1 }'], "beside.limt: "),
        ([file, "--qdisc", "codel", "--beside", '{ kind = "kernel", qdisc = "codel" }'], "beside.kind: "),
        ([file, "--qdisc", "codel", "-o", file], "another file than that of the arrivals"),
        ([file, "--qdisc", "codel", "-o", tmp_path / "x.txt"], "a file .csv or .parquet"),
        ([file, "--qdisc", "codel", "-o", tmp_path / "none" / "x.csv"], "a file in a folder that exists"),
    ):
        done = cwnd("linux", "queue", *words, "--rate", RATE)
        assert done.returncode != 0 and says in done.stderr, done.stderr
        assert len(done.stderr.strip().splitlines()) == 1 and "Traceback" not in done.stderr, done.stderr


def run(queue_of_link: dict[str, object], lane: str = "linux", **flow: object) -> package.Result:
    link = {"rate": "20Mbit/s", "rtt": "40ms", "queue": queue_of_link}
    flows = [{"cc": "cubic-linux", "recovery": "linux", "host_clock": "250Hz", **flow}]
    document = {"duration": "10s", "measure": ["2s", "10s"], "link": link, "flow": flows}
    return package.run(package.Scenario.from_json(json.dumps(document)), lane=lane)


# Both queues hold 60 packets beside the one being sent.
def test_a_kernels_fifo_on_a_link_is_our_drop_tail() -> None:
    theirs, ours = run({"kind": "kernel", "qdisc": "pfifo limit 60"}), run({"kind": "droptail", "limit": "60packets"})
    # An application that reads the clock moves it by 256 ns: looks and packets are up to some microseconds earlier or later.
    for table, others in (("cwnd", ["time_s"]), ("events", ["time_s", "kind"])):
        assert theirs.table(table).drop_columns(others) == ours.table(table).drop_columns(others), table
        times = [each.table(table)["time_s"].to_numpy() for each in (theirs, ours)]
        assert np.abs(times[0] - times[1]).max() < 10e-6
    assert theirs.summary["links"][0]["drops_kernel"] == ours.summary["links"][0]["drops_queue"] > 0
    assert theirs.table("waits") == ours.table("waits")
    (qdisc,) = theirs.summary["linux"]["qdiscs"]["link"]
    assert qdisc["kind"] == "pfifo"
    assert qdisc["drops"] == theirs.summary["links"][0]["drops_kernel_run"]


def test_a_kernels_queue_marks_and_is_the_same_bytes_each_time() -> None:
    of = {"kind": "kernel", "qdisc": "fq_codel limit 1000 ecn"}
    one, other = run(of, ecn=True), run(of, ecn=True)
    assert one.summary["links"][0]["marks"] > 0
    assert one.summary["links"][0]["drops_kernel"] == 0
    for table in ("flows", "links", "cwnd", "queue", "events", "waits"):
        assert one.table(table) == other.table(table), table


def test_qdiscs_with_classes_are_made_as_they_are_written() -> None:
    words = [
        "qdisc root handle 1: htb default 10",
        "class parent 1: classid 1:10 htb rate 10mbit",
        "qdisc parent 1:10 fq_codel limit 200",
    ]
    result = run({"kind": "kernel", "qdisc": words})
    kinds = [qdisc["kind"] for qdisc in result.summary["linux"]["qdiscs"]["link"]]
    assert kinds == ["htb", "fq_codel"]
    # HTB's 10 of the link's 20 Mbit/s, of which CoDel's drops leave some unused; a packet of 1500 bytes has 1448 of payload.
    assert 9.0 < result.summary["flows"][0]["goodput_mbps"] < 10 * 1448 / 1500


def test_a_kernels_queue_is_refused_where_there_is_no_kernel(cwnd: Cli, tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    link = "[link]\nrate = '10Mbit/s'\nrtt = '40ms'\nqueue = { kind = 'kernel', qdisc = 'codel' }\n"
    file.write_text(f"duration = '2s'\n{link}[[flow]]\ncc = 'cubic'\n")
    for lane in ("sim", "live"):
        done = cwnd("run", file, "--lane", lane)
        assert done.returncode != 0
        assert "link.queue" in done.stderr and f"in lane {lane}" in done.stderr, done.stderr


# One flow at 9.908 Mbit/s drops nine packets in ten seconds by the kernel's CoDel and by ours, at the same times. Behind a token bucket of 5000
# bytes or more it drops eleven: the bucket lets the first bursts pass, so slow start fills the queue faster.
def test_codel_drops_nine_packets_on_a_link_and_eleven_behind_a_token_bucket() -> None:
    def drops(of: dict[str, object], rate: str = "9.908Mbit/s") -> list[int]:
        link = {"rate": rate, "rtt": "40ms", "queue": of}
        document = {"duration": "10s", "link": link, "flow": [{"cc": "cubic-linux"}]}
        events = package.run(package.Scenario.from_json(json.dumps(document)), lane="linux").table("events").to_pylist()
        return [round(row["time_s"] * 1e9) for row in events if row["kind"].startswith("drop")]

    ours = drops({"kind": "codel", "limit": "1000packets"})
    assert len(ours) == 9
    # Linux's root is a few microseconds beside ours. The link sends a packet in 1.2 ms: these are the same packets.
    assert drops({"kind": "kernel", "qdisc": "codel limit 1000"}) == pytest.approx(ours, abs=100_000)
    behind = [
        drops(
            {"kind": "kernel", "qdisc": f"tbf rate 9908kbit burst {burst} limit 1000000, codel limit 1000"}, "10Gbit/s"
        )
        for burst in (1600, 5000, 15_000)
    ]
    assert [len(each) for each in behind] == [9, 11, 11]
