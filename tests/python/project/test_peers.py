# SPDX-License-Identifier: MIT OR Apache-2.0
"""The comparison with ns-2 and ns-3 asks all three for the same thing; where one is not installed, its part is skipped."""

from __future__ import annotations

import threading
import time

import pytest
from in_kernel import PATIENCE_S
from needs import needs

from tools.peers import peer
from tools.peers.cases import CASES, Case, CaseGroup, document, flows, run_ours, run_peer, spec
from tools.peers.codel import MS, exact_spacing, newton_spacings, ns3_command, predicted, run, standing
from tools.peers.ns3.run import build_ns3
from tools.peers.trials import ALONE, TRIALS

needs_ns2 = needs("ns2")
needs_ns3 = needs("ns3")


@pytest.mark.parametrize("case", [*CASES, *(trial.case for trial in TRIALS)], ids=lambda case: case.key)
def test_all_simulators_get_the_same_path_starts_and_threshold(case: Case) -> None:
    asked, written = spec(case, 7, 50, 10, "ns-2"), document(case, 7, 50, 10)
    link = written.get("link") or written["parking_lot"]
    assert link["rate"] == f"{asked.rate_mbps:g}Mbit/s"
    # ns-2's limit counts the packet that is being sent, ours does not.
    assert link["queue"]["limit"] == f"{asked.buffer_packets - 1}packets"
    assert len(written["flow"]) == len(asked.flows)
    for ours, theirs in zip(written["flow"], asked.flows):
        assert int(ours["rtt"].removesuffix("ns")) == pytest.approx(theirs.rtt_ms * 1e6, abs=1)
        assert int(ours["start"].removesuffix("ns")) == pytest.approx(theirs.start_s * 1e9, abs=1)
        if "initial_ssthresh" not in case.settings.get("cwnd", {}):
            assert ours.get("initial_ssthresh", 0) == asked.initial_ssthresh


def test_a_seed_draws_the_same_whenever_it_is_asked_and_another_draws_otherwise() -> None:
    assert flows(CASES[0], 3) == flows(CASES[0], 3) != flows(CASES[0], 4)


def standard_tcp(hops: int) -> Case:
    """One flow from a threshold of 10 that loses nothing."""
    return Case("reno", "", 100, 333, (CaseGroup("sack", 100),), ssthresh=10, hops=hops, hop_ms=10 if hops > 1 else 0)


def formula_mbps(case: Case) -> float:
    """W = 10 + (t - start) / 2 RTT, as every second segment is acknowledged; its mean between 1 and 10 s over the RTT."""
    (flow,) = flows(case, 1)
    rtt_s = flow.rtt_ms / 1e3
    window = 10 + (5.5 - flow.start_s) / (2 * rtt_s)
    return window * 12_000 / rtt_s / 1e6


# Below the formula, for all that is rounded is rounded down: only whole segments leave (half of one in 37 less: 1.3 %), so fewer
# acknowledgements come (floor(W) / 2W a round trip: 2 %), a last odd segment waits for the delayed acknowledgement; the
# connection that ns-3 opens first takes a round trip (1.3 %), the first arrivals another.
@pytest.mark.parametrize("hops", [1, 3])
@pytest.mark.parametrize(
    "simulator",
    [
        "cwnd",
        pytest.param("ns-2", marks=[pytest.mark.slow, needs_ns2]),
        pytest.param("ns-3", marks=[pytest.mark.slow, needs_ns3]),
    ],
)
def test_standard_tcp_without_loss_sends_what_the_formula_says_in_every_simulator(simulator: str, hops: int) -> None:
    case = standard_tcp(hops)
    if simulator == "cwnd":
        result = run_ours(case, 1, 10, 1, simulator, lambda: False)
    else:
        result = run_peer(case, 1, 10, 1, simulator)
    assert result.drops == 0
    assert 0.9 * formula_mbps(case) < result.mbps[0] < formula_mbps(case)


@pytest.mark.slow
@needs_ns2
@needs_ns3
@pytest.mark.parametrize(("ours", "theirs"), [("cwnd as ns-2", "ns-2"), ("cwnd as ns-3", "ns-3")])
def test_before_the_first_loss_cubic_by_a_peers_rules_grows_as_the_peers_does(ours: str, theirs: str) -> None:
    mine = run_ours(ALONE, 1, 10, 1, ours, lambda: False).mbps[0]
    plain = run_ours(ALONE, 1, 10, 1, "cwnd", lambda: False).mbps[0]
    peers = run_peer(ALONE, 1, 10, 1, theirs).mbps[0]
    # 3.5 of ours and 3.9 of ns-2's, 28.9 and 27 of ns-3's; by the paper's rules 13.8.
    assert mine == pytest.approx(peers, rel=0.15)
    assert plain > 3 * peers or plain < peers / 1.8


@pytest.mark.slow
@needs_ns3
def test_runs_that_are_stopped_leave_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer, "_stopped", False)
    build_ns3()
    ended: list[type[BaseException]] = []

    def long_run() -> None:
        try:
            run_peer(CASES[0], 1, 1000, 1, "ns-3")
        except BaseException as error:
            ended.append(type(error))

    thread = threading.Thread(target=long_run)
    thread.start()
    deadline = time.monotonic() + PATIENCE_S
    while not peer._running and time.monotonic() < deadline:
        thread.join(0.01)
    children = list(peer._running)
    peer.stop_all()
    thread.join(PATIENCE_S)
    assert len(children) == 1 and children[0].returncode == -9
    assert ended == [peer.Stopped]


# Ours are in crates/cwnd-link/src/aqm/codel/tests.rs, by hand.
def test_codels_drops_follow_from_the_root_of_their_number() -> None:
    drops = [105, 205, 276, 334, 384, 429, 469, 507, 543, 576, 608, 638, 667, 694, 721]
    assert predicted(exact_spacing) == drops


@pytest.mark.slow
@needs_ns3
def test_ns_3s_codel_takes_that_root_by_one_newton_step_per_drop() -> None:
    drops = run(ns3_command(), standing()).drops
    assert [time // MS for time in drops] == predicted(newton_spacings())
