# SPDX-License-Identifier: MIT OR Apache-2.0
"""Traffic in lane live: the transfers that the simulator has, over the kernel's connections. Needs root, TUN and namespaces."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import pairwise
from statistics import median

import pytest
from conftest import Cli, refused
from in_lab import NEEDS_LAB, run

import cwnd as package

pytestmark = NEEDS_LAB

#: A link that hardly queues, a flow that sends one packet, and traffic.
QUIET = "duration = '4s'\nmeasure = ['0s', '4s']\n[link]\nrate = '20Mbit/s'\nrtt = '160ms'\n[[flow]]\ncc = 'reno-linux'\nsize = '1kB'\n"
RTT_S = 0.16

Transfer = dict[str, float]


def both(toml: str) -> tuple[package.Result, package.Result]:
    """A scenario in both lanes."""
    scenario = package.Scenario.from_toml(toml)
    return package.run(scenario), run(scenario)


def of_sources(result: package.Result) -> dict[int, list[Transfer]]:
    """The transfers of each source of traffic, in the order of their starts."""
    sources: dict[int, list[Transfer]] = defaultdict(list)
    for row in result.transfers.to_pylist():
        if row["group"] is not None:
            sources[row["number"]].append(row)
    return sources


# Arrivals do not depend on the network. 10 kB are 7 segments: less than the initial window, so both lanes take a round trip to connect,
# half of one, and 7 times 0.6 ms.
def test_independent_transfers_start_at_the_same_times_with_the_same_sizes() -> None:
    simulated, live = both(
        QUIET
        + "[[traffic]]\nmodel = 'mix'\ncc = 'reno-linux'\narrivals = { kind = 'exponential', mean = '100ms' }\nsize = { kind = 'uniform', min = '1kB', max = '10kB' }"
    )
    (first,), (second,) = of_sources(simulated).values(), of_sources(live).values()
    assert len(first) > 20
    assert [(row["start_s"], row["bytes"], row["rtt_ms"]) for row in first] == [
        (row["start_s"], row["bytes"], row["rtt_ms"]) for row in second
    ]
    longer = [b["end_s"] - a["end_s"] for a, b in zip(first, second) if a["end_s"] and b["end_s"]]
    assert abs(median(longer)) < RTT_S * 0.1
    ours, theirs = simulated.summary["traffic"][0], live.summary["traffic"][0]
    assert (ours["transfers"], ours["offered_mbps"]) == (theirs["transfers"], theirs["offered_mbps"])
    assert live.summary["live"]["traffic_algorithms"] == ["reno"]


# Each page waits for the end of the one before it and a drawn pause: the pauses are the same, though transfers take longer.
def test_sessions_have_the_same_sizes_and_pauses() -> None:
    simulated, live = both(
        QUIET
        + "[[traffic]]\nmodel = 'sessions'\ncc = 'cubic-linux'\nsessions = 3\ngap = { kind = 'exponential', mean = '200ms' }\ngap_from = 'finish'\nsize = { kind = 'pareto', shape = 1.5, mean = '20kB' }"
    )
    ours, theirs = of_sources(simulated), of_sources(live)
    assert ours.keys() == theirs.keys() == {0, 1, 2}
    for first, second in zip(ours.values(), theirs.values()):
        pairs = list(zip(first, second))
        assert len(pairs) > 2 and all(a["bytes"] == b["bytes"] for a, b in pairs)
        for (a, b), (c, d) in pairwise(pairs):
            assert d["start_s"] - b["end_s"] == pytest.approx(c["start_s"] - a["end_s"], abs=1e-9)


# One connection each: the first request takes a round trip to connect and half of one, later ones half of one. A response starts 20 ms
# after its request has arrived, and comes on the same connection.
def test_requests_and_responses_take_turns_on_a_connection() -> None:
    simulated, live = both(
        QUIET
        + "[[traffic]]\nmodel = 'request-response'\ncc = 'reno-linux'\nsessions = 2\nrequest = '500B'\nresponse = { kind = 'uniform', min = '1kB', max = '10kB' }\nserver = '20ms'\nthink = '50ms'\nkeep = true"
    )
    ours, theirs = of_sources(simulated), of_sources(live)
    for first, second in zip(ours.values(), theirs.values()):
        assert len(second) > 6
        assert all(a["bytes"] == b["bytes"] and a["direction"] == b["direction"] for a, b in zip(first, second))
        requests, responses = second[::2], second[1::2]
        assert {row["direction"] for row in requests} == {"reverse"} != {row["direction"] for row in responses}
        for request, response in zip(requests, responses):
            assert response["start_s"] == pytest.approx(request["end_s"] + 0.02, abs=1e-9)
        took = [row["end_s"] - row["start_s"] for row in requests if row["end_s"]]
        assert took[0] >= 1.5 * RTT_S and RTT_S / 2 <= median(took[1:]) < RTT_S
        assert median(row["end_s"] - row["start_s"] for row in responses if row["end_s"]) < RTT_S


def test_datagrams_are_sent_at_the_same_times_in_both_directions() -> None:
    simulated, live = both(
        QUIET
        + "[[traffic]]\nmodel = 'udp'\nrate = '2Mbit/s'\ndirection = 'both'\nsources = 2\non = { kind = 'exponential', mean = '200ms' }\noff = { kind = 'exponential', mean = '200ms' }"
    )
    for ours, theirs in zip(simulated.summary["traffic"], live.summary["traffic"]):
        assert theirs["datagrams"] == ours["datagrams"] > 100 and theirs["direction"] == ours["direction"]
        assert theirs["carried_mbps"] == pytest.approx(ours["carried_mbps"], rel=0.02)
    assert live.summary["live"]["traffic_algorithms"] == [None]
    assert [link["packets"] for link in live.summary["links"]] == pytest.approx(
        [link["packets"] for link in simulated.summary["links"]], rel=0.02
    )


# 64 segments of 1448 bytes per round trip of 160 ms are 4.8 Mbit/s on the wire.
def test_a_receive_window_limits_flows_and_transfers() -> None:
    simulated, live = both(
        QUIET.replace("['0s', '4s']", "['1s', '4s']").replace("size = '1kB'", "rwnd = 64")
        + "[[traffic]]\nmodel = 'long'\ncc = 'reno-linux'\nflows = 1\nwindow = '92672B'"
    )
    for result in (simulated, live):
        assert result.summary["flows"][0]["throughput_mbps"] == pytest.approx(4.8, rel=0.05)
        assert result.summary["traffic"][0]["carried_mbps"] == pytest.approx(4.8, rel=0.05)


def test_algorithms_of_this_package_carry_traffic() -> None:
    live = run(
        package.Scenario.from_toml(
            QUIET
            + "[[traffic]]\nmodel = 'mix'\narrivals = '100ms'\nsize = '5kB'\nrtt = { kind = 'uniform', min = '170ms', max = '300ms' }"
        )
    )
    (name,) = live.summary["live"]["traffic_algorithms"]
    assert name is not None and name.startswith("cwnd_")
    (transfers,) = of_sources(live).values()
    for row in transfers:
        assert 170 <= row["rtt_ms"] <= 300
        assert row["end_s"] is None or row["end_s"] - row["start_s"] >= 1.5e-3 * row["rtt_ms"]


def test_a_datagram_larger_than_a_packet_is_refused(cwnd: Cli) -> None:
    traffic = 'model = "udp", rate = "1Mbit/s", packet_size = "3000B"'
    arguments = ("compare", "cubic", "--traffic", traffic, "--duration", "1s")
    refused(cwnd(*arguments, "--lane", "live"), "traffic[0].packet_size", "3000", "lane live")


# 3 Mbit/s on an idle link of 10: a datagram of 100 B takes 80 µs and the next one is due 267 µs after it. None ever waits.
def test_datagrams_enter_the_link_when_they_are_due() -> None:
    simulated, live = both(
        "duration = '4s'\nmeasure = ['0s', '4s']\n[link]\nrate = '10Mbit/s'\nrtt = '40ms'\nqueue = { kind = 'droptail', limit = '2packets' }\n"
        "[[traffic]]\nmodel = 'udp'\nrate = '3Mbit/s'\npacket_size = '100B'"
    )
    for result in (simulated, live):
        (link,) = result.summary["links"]
        assert link["drops_queue_run"] == 0 and link["utilization"] == pytest.approx(0.3, abs=0.001)
    assert simulated.summary["traffic"][0]["offered_mbps"] == live.summary["traffic"][0]["offered_mbps"]


# 400 transfers begin within 50 ms: 800 descriptors, and each its own handshake.
def test_hundreds_of_transfers_at_once_need_no_higher_limit() -> None:
    import resource

    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (512, limits[1]))
    try:
        result = run(
            package.Scenario.from_toml(
                "duration = '3s'\n[link]\nrate = '50Mbit/s'\nrtt = '80ms'\n"
                "[[traffic]]\nmodel = 'long'\ncc = 'reno-linux'\nflows = 400\nstart = { uniform = ['0s', '50ms'] }"
            )
        )
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert len(result.transfers) == 400


def test_the_direction_of_a_transfer_is_its_flows() -> None:
    _, live = both(
        "duration = '2s'\n[link]\nrate = '10Mbit/s'\nrtt = '40ms'\n[[flow]]\ncc = 'reno-linux'\nsize = '10kB'\n"
        "[[flow]]\ncc = 'reno-linux'\nsize = '10kB'\ndirection = 'reverse'"
    )
    assert [row["direction"] for row in live.transfers.to_pylist()] == ["forward", "reverse"]


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("initial_cwnd", "4", "10"),
        ("ack_every", "1", "2"),
        ("recovery", '"sack"', '"linux" or none'),
        ("min_rto", '"1s"', '"200ms"'),
    ],
)
def test_a_refused_key_of_a_flow_is_shown_with_its_value(key: str, value: str, expected: str) -> None:
    scenario = package.Scenario.from_toml(
        f"duration = '2s'\n[link]\nrate = '10Mbit/s'\nrtt = '40ms'\n[[flow]]\ncc = 'reno-linux'\n{key} = {value}"
    )
    with pytest.raises(
        package.ScenarioError, match=re.escape(f"flow[0].{key}: {value} is not accepted; expected {expected}")
    ):
        package.run(scenario, lane="live")


def test_traffic_over_no_distance_is_refused() -> None:
    scenario = package.Scenario.from_toml(QUIET + "[[traffic]]\nmodel = 'long'\ncc = 'reno-linux'\nrtt = '0s'")
    with pytest.raises(
        package.ScenarioError, match=r'traffic\[0\].rtt: "0s" is not accepted; expected more than 0 in lane live'
    ):
        package.run(scenario, lane="live")
