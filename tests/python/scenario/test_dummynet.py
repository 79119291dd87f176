# SPDX-License-Identifier: MIT OR Apache-2.0
"""Links that tick and count the packet in service, as dummynet does."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Cli, refused

from cwnd import Flow, Scenario, dumbbell, run


# Ten packets at once, 0.6 ms each; 20 ms to the receiver. Sent by 6 ms, they leave at 8 ms with a tick of 4 ms: six at 4 ms, the others then.
@pytest.mark.parametrize(("tick", "end_ms"), [(None, 26.0), ("4ms", 28.0), ("10ms", 30.0)])
def test_packets_leave_at_ticks(tick: str | None, end_ms: float) -> None:
    scenario = dumbbell([Flow("sack", size="10packets")], rate="20Mbit/s", rtt="40ms", duration="1s", tick=tick)
    (transfer,) = run(scenario).transfers.to_pylist()
    assert 1000 * transfer["end_s"] == pytest.approx(end_ms)


# All at once: of ten, seven wait and one is sent, or seven in all.
@pytest.mark.parametrize(("counts", "drops"), [(None, 2), (False, 2), (True, 3)])
def test_the_limit_counts_the_packet_in_service(counts: bool | None, drops: int) -> None:
    scenario = dumbbell(
        [Flow("sack", size="10packets")],
        rate="20Mbit/s",
        rtt="40ms",
        buffer="7packets",
        duration="30ms",
        count_in_service=counts,
    )
    assert run(scenario).summary["flows"][0]["drops_run"] == drops
    assert Scenario.from_toml(scenario.to_toml()) == scenario


def test_a_tick_of_nothing_is_refused(cwnd: Cli, tmp_path: Path) -> None:
    path = tmp_path / "scenario.toml"
    link = 'rate = "20Mbit/s"\nrtt = "40ms"'
    path.write_text(f'duration = "1s"\n[link]\n{link}\ntick = "0ms"\n[[flow]]\ncc = "cubic"\n')
    refused(cwnd("run", path), 'link.tick: "0ms" is not accepted; expected a time above 0')
