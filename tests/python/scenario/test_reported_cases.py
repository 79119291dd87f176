# SPDX-License-Identifier: MIT OR Apache-2.0
"""What users of other programs have reported, as scenarios here: each with bounds from its report or from arithmetic, with room for what is random."""

from __future__ import annotations

from typing import Any

import pytest

import cwnd as package
from cwnd import Scenario


def document(link: str, flow: str, duration: str) -> str:
    return f'duration = "{duration}"\n[link]\n{link}\n[[flow]]\n{flow}\n'


def summary(text: str, files: dict[str, str] | None = None) -> Any:  # noqa: ANN401 -- a summary
    return package.run(Scenario.from_toml(text, files)).summary


def queue(limit: str) -> str:
    return f'queue = {{ kind = "droptail", limit = "{limit}" }}'


# quic-go #5734: of 3.4 Mbit/s QUIC keeps 1.4, the kernel's TCP nearly all. A packet takes 3.5 ms, so one that is 40 ms late is overtaken by
# eleven; above 1 / 0.175 = 5.7 packets each round trip has one that three others overtake, and the window is cut. From two packets to 5.7
# in 40 ms are 0.6 to 1.7 Mbit/s, 18 to 50 %. A sender that measures the reordering does not cut.
def test_reordering_without_loss_takes_a_window_of_three_duplicates_and_not_the_kernels() -> None:
    def used(flow: str) -> float:
        reordered = (
            f'rate = "3.4Mbit/s"\nrtt = "40ms"\n{queue("100packets")}\nreorder = {{ share = 0.175, extra = "40ms" }}'
        )
        return float(summary(document(reordered, flow, "60s"))["link"]["utilization"])

    by_rfc = 'recovery = "sack-prr"'
    for flow in (
        f'cc = "cubic"\n{by_rfc}',
        f'cc = "reno"\n{by_rfc}',
        'cc = "cubic"\nstack = "quinn"',
        'cc = "cubic"\nstack = "noq"',
    ):
        assert 0.18 < used(flow) < 0.5, flow
    for today in ("cubic", "reno", "cubic-linux"):
        assert used(f'cc = "{today}"') > 0.95, today


# ns3-mmwave #101: a radio stops for 0.6 s behind a queue of 10 MB. Nothing is lost, and the kernel sends nothing twice. A timeout that is not
# undone sends again what was in flight: from the bandwidth-delay product of 167 packets to that and the queue's 6667. Standard slow start ends
# where the queue overflows, and has doubled by then: as many are lost as path and queue hold, 6834.
def test_a_radio_that_stops_makes_the_kernel_send_nothing_again() -> None:
    def sent(cc: str, recovery: str = "linux") -> tuple[int, int, int]:
        steps = '[["0s", "100Mbit/s"], ["5s", "0bit/s"], ["5.6s", "20Mbit/s"], ["10s", "100Mbit/s"]]'
        link = f'rate = {steps}\nrtt = "20ms"\n{queue("10MB")}'
        [flow] = summary(document(link, f'cc = "{cc}"\nrecovery = "{recovery}"\nsize = "100MB"', "20s"))["flows"]
        assert flow["goodput_mbps"] == pytest.approx(100 * 8 / 20)
        return flow["timeouts_run"], flow["retransmits_run"], flow["drops_run"]

    assert sent("cubic-linux") == (0, 0, 0)
    timeouts, again, lost = sent("cubic", "sack-prr")
    assert (timeouts, lost) == (1, 0) and 167 <= again <= 6834
    timeouts, again, lost = sent("reno", "sack-prr")
    assert timeouts >= 1 and again >= lost == pytest.approx(6834, rel=0.05)


# tailscale #20893: 22 to 45 Mbit/s without RACK, 130 to 240 with it: 2.9 to 10.9 times as much. A packet takes 50 us, so one of a thousand is
# overtaken by forty. Three duplicates make that a loss, p = 0.00103, and the Reno-friendly window is sqrt(1.5 / p) = 38 packets, 6.9 Mbit/s.
def test_a_slight_reordering_costs_what_was_reported_without_rack() -> None:
    def mbps(recovery: str) -> float:
        link = f'rate = "240Mbit/s"\nrtt = "66ms"\nloss = "random:0.00003"\n{queue("1bdp")}\nreorder = {{ share = 0.001, extra = "2ms" }}'
        return float(
            summary(document(link, f'cc = "cubic"\nrecovery = "{recovery}"', "60s"))["flows"][0]["throughput_mbps"]
        )

    without, with_rack = mbps("sack-prr"), mbps("linux")
    assert 6.9 / 2 < without < 6.9 * 2 and 2.9 < with_rack / without < 10.9, (without, with_rack)


# picoquic #1213: 10 Mbit/s there, 100 kbit/s for acknowledgements. Of 52 bytes there is room for 240 a second; 833 packets a second ask for
# 417 where every second one is acknowledged, so that 42 % are lost. No round trip is without one, so nothing times out.
@pytest.mark.parametrize("cc", ["cubic", "cubic-linux"])
def test_a_narrow_way_for_acknowledgements_slows_and_does_not_stall(cc: str) -> None:
    narrow = queue("100packets")
    link = f'rate = "10Mbit/s"\nrtt = "40ms"\n{narrow}\nreverse = {{ rate = "100kbit/s", {narrow} }}'
    result = summary(document(link, f'cc = "{cc}"', "30s"))
    forward, reverse = result["links"]
    # Of 52 bytes; Linux's have up to 80 with SACK blocks.
    assert reverse["utilization"] is not None and reverse["utilization"] > 0.99
    assert 240 * 30 * 52 / 80 < reverse["packets"] < 240 * 30 * 1.01
    assert reverse["drops_queue"] / (reverse["packets"] + reverse["drops_queue"]) == pytest.approx(0.42, abs=0.05)
    assert result["flows"][0]["timeouts_run"] == 0 and forward["utilization"] > 0.7


# picoquic #1837: Wi-Fi is off for 200 ms in every 2 s. Of 1000 packets in the queue seven tenths last 168 ms at 50 Mbit/s, longer than a round
# trip of 40 ms: the link finds packets whenever it is back.
@pytest.mark.parametrize(
    "flow",
    [
        'cc = "cubic"',
        'cc = "cubic-linux"',
        'cc = "reno"',
        'cc = "cubic"\nstack = "quinn"',
        'cc = "cubic"\nstack = "noq"',
    ],
)
def test_pauses_of_a_radio_cost_nothing_but_themselves(flow: str) -> None:
    pauses = ", ".join(f'["{at}s", "0bit/s"], ["{at}.2s", "50Mbit/s"]' for at in range(2, 30, 2))
    link = f'rtt = "40ms"\nrate = [["0s", "50Mbit/s"], {pauses}]\n{queue("1000packets")}'
    result = summary(document(link, flow, "30s"))
    # 14 pauses of 0.2 s in 30 s.
    assert result["link"]["capacity_mbps"] == pytest.approx(50 * (30 - 14 * 0.2) / 30)
    assert result["link"]["utilization"] > 0.98 and result["flows"][0]["timeouts_run"] == 0


#: Every half second another delay from 10 to 45 ms, as a satellite's dish measures.
DELAYS = [10 + at * at * 17 % 36 for at in range(120)]


# mmsys24-starlink #3: a round trip time that jumps. In order, a shorter delay holds no packet back but those behind it, and 200 packets are
# 48 ms of queue; with overtaking each fall of the delay by 10 ms and more is 40 packets that others overtake.
def test_a_series_of_delays_costs_the_rate_only_where_packets_overtake() -> None:
    actions = "".join(
        f'[[action]]\ndelay = {{ at = "{at / 2}s", to = "{ms}ms" }}\n' for at, ms in enumerate(DELAYS) if at
    )

    def result(more: str, actions: str = "", files: dict[str, str] | None = None) -> Any:  # noqa: ANN401 -- a summary
        link = f'rtt = "20ms"\nrate = "50Mbit/s"\n{more}\n{queue("200packets")}'
        return summary(document(link, 'cc = "cubic"\nrecovery = "sack-prr"', "60s") + actions, files)

    by_actions = result('delay = "10ms"', actions)
    assert by_actions["link"]["utilization"] > 0.97
    assert result('delay = "10ms"\njitter = { kind = "none", overtaking = true }', actions)["link"]["utilization"] < 0.7
    # The same as a file.
    rows = "".join(f"{at / 2},{ms}\n" for at, ms in enumerate(DELAYS))
    by_series = result('delay = { series = "dish.csv" }', files={"dish.csv": f"time_s,delay_ms\n{rows}"})
    assert by_series["flows"] == by_actions["flows"]


# quiche #2370: an acknowledgement for a whole window, of one that is large. The window is 500 at the loss, K is (0.3 · 500 / 0.4)^(1/3) = 7.2 s,
# and the path's 8333 packets are reached after 7.2 + (7833 / 0.4)^(1/3) = 34 s: over 40 s a mean of 2900 packets in 100 ms, 350 Mbit/s, and
# 290 where acknowledgements are 20 ms late. Where each round trip moves the epoch, the window stays at 350 packets, 42 Mbit/s.
@pytest.mark.parametrize("cc", ["cubic", "cubic-linux"])
def test_one_acknowledgement_for_a_window_does_not_move_the_epoch(cc: str) -> None:
    link = f'rate = "1Gbit/s"\nrtt = "100ms"\n{queue("2000packets")}\nloss = "at:3000"'
    sender = 'recovery = "sack-prr"\ninitial_cwnd = 500\ninitial_ssthresh = 500\nack_every = 1000\nack_delay = "20ms"'
    mbps = summary(document(link, f'cc = "{cc}"\n{sender}', "40s"))["flows"][0]["throughput_mbps"]
    assert 290 * 0.8 < mbps < 350, mbps


# Huitema, "Implementing CUBIC in QUIC": the delay is 600 ms more for half a second. Behind the queue's losses nothing is lost: the kernel sends
# again as much as those. Without F-RTO a timeout sends the flight again, the path's 167 packets to those and the queue's 1000.
def test_a_spike_of_delay_is_undone_by_the_kernel_and_sends_a_flight_again_elsewhere() -> None:
    actions = "".join(
        f'[[action]]\ndelay = {{ at = "{at}", to = "{to}" }}\n' for at, to in (("8s", "620ms"), ("8.5s", "20ms"))
    )
    link = f'rate = "50Mbit/s"\nrtt = "40ms"\ndelay = "20ms"\n{queue("1000packets")}'
    found = {
        cc: summary(document(link, f'cc = "{cc}"\nrecovery = "{recovery}"', "20s") + actions)["flows"][0]
        for cc, recovery in (("cubic-linux", "linux"), ("cubic", "sack-prr"), ("reno", "sack-prr"))
    }
    needless = {cc: flow["retransmits_run"] - flow["drops_run"] for cc, flow in found.items()}
    assert (found["cubic-linux"]["timeouts_run"], needless["cubic-linux"]) == (0, 0)
    for cc in ("cubic", "reno"):
        assert found[cc]["timeouts_run"] == 1 and 167 <= needless[cc] <= 1167, (cc, needless)


# The web search sizes of the data-centre literature are written in per cent (HPCC, ns-3's RDMA), others with a column more (pFabric). Of these the
# mean is 0.1 · 1000 + 0.5 · 5500 + 0.4 · 55 000 = 24 850 bytes: 200 Mbit/s are 1006 a second.
def test_a_distribution_of_sizes_is_one_in_parts_in_per_cent_and_in_three_columns() -> None:
    forms = {
        "parts": "1000 0.1\n10000 0.6\n100000 1\n",
        "per cent": "1000 10\n10000 60.0\n100000 100\n",
        "csv": "size,cdf\n1000,0.1\n10000,0.6\n100000,1\n",
        "three columns": "1000 1 0.1\n10000 1 0.6\n100000 1 1\n",
    }
    sizes = 'size = { kind = "empirical", file = "sizes.txt", unit = "B" }'
    text = (
        f'duration = "5s"\n[link]\nrate = "1Gbit/s"\nrtt = "10ms"\n[[traffic]]\nmodel = "mix"\nshare = 0.2\n{sizes}\n'
    )
    transfers = {
        form: package.run(Scenario.from_toml(text, {"sizes.txt": rows})).table("transfers")
        for form, rows in forms.items()
    }
    assert all(table == transfers["parts"] for table in transfers.values())
    assert transfers["parts"].num_rows == pytest.approx(5 * 1006, rel=0.05)


# pensieve #39: a drive begins without a radio. A second of ten without a rate leaves 9 Mbit/s on average, and no packet in the first second.
def test_a_link_that_begins_with_an_outage_is_measured_by_what_it_had() -> None:
    link = f'rate = [["0s", "0bit/s"], ["1s", "10Mbit/s"]]\nrtt = "40ms"\n{queue("100packets")}'
    result = package.run(Scenario.from_toml(document(link, 'cc = "cubic-linux"', "10s")))
    assert result.summary["link"]["capacity_mbps"] == pytest.approx(9)
    assert 0.9 < result.summary["link"]["utilization"] <= 1
    rows = result.cwnd.to_pylist()
    assert {row["forwarded"] for row in rows if row["time_s"] <= 1} == {0}


# quinn #2809: above 300 Mbit/s and 60 ms its connections ended. Its own receive window, 1.25 MB a round trip, is 166.7 Mbit/s, and no failure.
def test_a_stack_behind_a_fast_long_path_lives_on_its_own_receive_window() -> None:
    link = f'rate = "300Mbit/s"\nrtt = "60ms"\n{queue("1bdp")}'
    result = summary(document(link, 'cc = "stock-cubic"\nstack = "quinn"', "5s"))
    assert "failures" not in result
    assert 0.8 * 166.7 < result["flows"][0]["goodput_mbps"] <= 166.7
