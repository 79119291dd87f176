# SPDX-License-Identifier: MIT OR Apache-2.0
"""What lane linux records beside samples: the kernel's counters, windows at each acknowledgement, inner variables of algorithms."""

from __future__ import annotations

import pytest
from conftest import Cli, refused
from needs import needs

import cwnd as package

pytestmark = [pytest.mark.slow, needs("linux"), pytest.mark.usefixtures("virtual_kernel")]

PATH = {"rate": "20Mbit/s", "rtt": "40ms", "buffer": "1bdp", "duration": "10s", "seed": 1}


def run(*flows: str | package.Flow, lane: str = "linux", **settings: object) -> package.Result:
    return package.run(package.dumbbell(list(flows), **{**PATH, **settings}), lane=lane)


def counters(result: package.Result, host: str) -> dict[str, int]:
    return result.summary["linux"]["counters"][host]


# 200 segments of 1448 bytes, of which one is sent again: the 150th is found lost by SACK, the last one is the probe. A host has sent the SYN,
# its ACK and the segments, and the other one has got as many: all but one of the first time, and the one that was sent again.
@pytest.mark.parametrize(
    ("lost", "found", "not_there"),
    [
        (150, ("TcpExtTCPSackRecovery",), ("TcpExtTCPLossProbes", "TcpExtTCPTimeouts")),
        (200, ("TcpExtTCPLossProbes",), ("TcpExtTCPSackRecovery", "TcpExtTCPTimeouts")),
    ],
)
def test_a_loss_counts_once_where_it_was_repaired(
    lost: int, found: tuple[str, ...], not_there: tuple[str, ...]
) -> None:
    flow = package.Flow("kernel/cubic", size="289600B")
    result = run(flow, loss=f"at:{lost}", rate="100Mbit/s", buffer="1000packets", duration="3s")
    senders, receivers = counters(result, "senders"), counters(result, "receivers")
    assert result.summary["flows"][0]["retransmits_run"] == 1 == senders["TcpRetransSegs"]
    assert [senders[name] for name in found] == [1] * len(found)
    assert not set(not_there) & {*senders, *receivers}
    assert senders["TcpActiveOpens"] == receivers["TcpPassiveOpens"] == 1
    assert senders["TcpOutSegs"] == receivers["TcpInSegs"] == 202
    assert senders["TcpInSegs"] == receivers["TcpOutSegs"]


# The simulator's rows are those of the kernel as long as slow start: a row for each ACK at the same time but for what the guest reads of its
# clock, with the same window and threshold, and as many packets delivered and in flight.
@pytest.mark.parametrize("cc", ["kernel/cubic", "reno-linux"])
def test_rows_at_each_acknowledgement_are_the_simulators(cc: str) -> None:
    flow = {"recovery": "linux", "gso": False}
    linux = run(package.Flow(cc, **flow), per_ack=True, duration="400ms").table("cwnd").to_pylist()
    of_sim = package.Flow(cc.replace("kernel/cubic", "cubic-linux"), host_clock="250Hz", **flow)
    sim = run(of_sim, lane="sim", per_ack=True, duration="400ms").table("cwnd").to_pylist()
    assert abs(len(linux) - len(sim)) <= 1 and len(sim) > 200
    columns = ("cwnd", "ssthresh", "in_flight", "delivered", "ca_state")
    for theirs, ours in zip(linux, sim):
        assert theirs["time_s"] == pytest.approx(ours["time_s"], abs=1e-5)
        assert [theirs[name] for name in columns] == [ours[name] for name in columns]


def test_a_run_with_rows_at_each_acknowledgement_is_the_run_without() -> None:
    flows = ("kernel/bbr", "kernel/cubic", "cubic")
    without, with_rows = (run(*flows, loss="random:0.001", per_ack=per_ack) for per_ack in (False, True))
    for name in ("flows", "links", "queue", "events"):
        assert without.table(name).equals(with_rows.table(name))
    assert without.summary["linux"] == with_rows.summary["linux"]
    assert len(with_rows.table("cwnd")) > 10 * len(without.table("cwnd"))


# Variables of cubic-linux are read from the private area of the kernel's module, those of cubic from the state that the library has.
def test_inner_variables_are_those_of_the_simulator() -> None:
    def names_of(result: package.Result) -> set[tuple[int, str]]:
        return {(row["flow"], row["name"]) for row in result.table("inner").to_pylist()}

    flows = [package.Flow(cc, recovery="linux", host_clock="250Hz") for cc in ("cubic-linux", "htcp", "vegas-linux")]
    linux, sim = (run(*flows, lane=lane, inner=True, loss="every:700") for lane in ("linux", "sim"))
    assert names_of(linux) == names_of(sim)
    samples = {(row["time_s"], row["flow"]) for row in linux.table("cwnd").to_pylist()}
    rows = linux.table("inner").to_pylist()
    assert {(row["time_s"], row["flow"]) for row in rows} <= samples and len(rows) > 1000
    # W_max of the kernel is a window that the flow had when it reduced it.
    windows = {
        row["cwnd"]
        for row in run("kernel/cubic", inner=["last_max"], loss="every:700", per_ack=True).table("cwnd").to_pylist()
    }
    alone = run("kernel/cubic", inner=["last_max"], loss="every:700")
    last_max = {row["value"] for row in alone.table("inner").to_pylist()} - {0}
    assert {row["name"] for row in alone.table("inner").to_pylist()} == {"last_max"} and last_max
    assert any(value in windows for value in last_max)


def test_what_cannot_be_read_is_refused_in_a_line(cwnd: Cli) -> None:
    arguments = ("--duration", "1s", "--lane", "linux", "--inner")
    refused(cwnd("compare", "kernel/bbr", "cubic", *arguments), "record.inner", "false in lane linux with kernel/bbr")
    done = cwnd("compare", "kernel/bbr", "cubic", *arguments, "--record-flows", "cubic")
    assert done.returncode == 0, done.stderr
