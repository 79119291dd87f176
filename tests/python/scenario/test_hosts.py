# SPDX-License-Identifier: MIT OR Apache-2.0
"""Hosts of flows: where they show in a run, what is refused, and what the page and the program say of them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from conftest import Cli, refused

from cwnd import Flow, Scenario, ScenarioError, _native, dumbbell, run
from cwnd.scenario.flow import Value
from tools.docs import hosts_pages

approx = pytest.approx
HOSTS = [host["name"] for host in _native.hosts()]


def path(flows: list[Flow]) -> Scenario:
    """A second of these flows."""
    return dumbbell(flows, rate="20Mbit/s", rtt="42ms", duration="1s")


def completion_ms(host: str, *, size: str, loss: str | None = None, **keys: Value) -> float:
    """The time of one transfer of `sack` on a link of 20 Mbit/s and 42 ms: 0.6 ms a packet, 21 ms to the receiver."""
    flow = Flow("sack", host=host, start="0s", size=size, **keys)
    (row,) = run(dumbbell([flow], rate="20Mbit/s", rtt="42ms", duration="4s", loss=loss)).transfers.to_pylist()
    return float(row["end_s"]) * 1000


# After the handshake of 42 ms, ten packets leave at once: 42 + 10 · 0.6 + 21.
@pytest.mark.parametrize("host", ["linux", "rfc", "freebsd-14"])
def test_ten_segments_are_the_initial_window(host: str) -> None:
    assert completion_ms(host, size="10packets") == approx(69.0)


# Two segments leave at 42 ms; they arrive at 63.6 and 64.2, and each is acknowledged. At 84.6 and at 85.2 two more leave for each, the
# fourth of them on the link at 87.0, at the receiver at 108.0. Six are asked for.
def test_ns_2_begins_with_two_and_acknowledges_each() -> None:
    assert completion_ms("ns-2", size="6packets") == approx(108.0)
    # Written beside it, the window of the others: 42 + 6 · 0.6 + 21.
    assert completion_ms("ns-2", size="6packets", initial_cwnd=6) == approx(66.6)


# Three segments through an interface of 1 Gbit/s, 12 µs each: the first is on the link 0.012 ms later.
def test_linux_2_6_has_an_interface_of_a_gigabit() -> None:
    assert completion_ms("linux-2.6", size="3packets") == approx(42 + 0.012 + 3 * 0.6 + 21)


# One packet, lost. The handshake has measured 42 ms, and half of that is the variation: four times that, 84 ms, is below the floor.
# 42 ms after the start it is sent, 42 ms and the floor later again, 21.6 ms later it arrives.
@pytest.mark.parametrize(("host", "floor_ms"), [("rfc", 1000), ("freebsd-14", 200), ("ns-2", 200)])
def test_the_shortest_timeout_is_the_hosts(host: str, floor_ms: int) -> None:
    assert completion_ms(host, size="1packets", loss="at:1") == approx(42 + 42 + floor_ms + 21.6)


# On linux-2.6 it would fire at 284 ms, which is a tick of 4 ms; with a path of 41 ms at 282 ms, and so at 284.
def test_linux_2_6_has_ticks_of_four_milliseconds() -> None:
    assert completion_ms("linux-2.6", size="1packets", loss="at:1") == approx(284 + 0.012 + 21.6)
    on_41 = completion_ms("linux-2.6", size="1packets", loss="at:1", rtt="41ms")
    assert on_41 == approx(284 + 0.012 + 0.6 + 20.5)
    finer = completion_ms("linux-2.6", size="1packets", loss="at:1", rtt="41ms", host_clock="1000Hz")
    assert finer == approx(282 + 0.012 + 0.6 + 20.5)


def test_the_command_line_takes_a_host_and_keys_beside_it(cwnd: Cli, tmp_path: Path) -> None:
    flows = ("cubic-linux@host=ns-2", "cubic-linux@host=linux-2.6,ack_every=1")
    done = cwnd("compare", *flows, "--duration", "1s", "--json", "-o", tmp_path / "out", "--no-plots")
    assert done.returncode == 0, done.stderr
    names = [flow["name"] for flow in json.loads(done.stdout)["flows"]]
    assert names == ["cubic-linux host=ns-2", "cubic-linux host=linux-2.6"]
    # Both acknowledge every segment, one by its host.
    printed = tomllib.loads((tmp_path / "out" / "scenario.toml").read_text())
    kept = [(flow["host"], flow["ack_every"], flow["initial_cwnd"], "access" in flow) for flow in printed["flow"]]
    assert kept == [("ns-2", 1, 2, False), ("linux-2.6", 1, 3, True)]


def test_an_unknown_host_is_refused_in_one_line(cwnd: Cli) -> None:
    done = cwnd("compare", "cubic@host=linus")
    refused(done, 'flow[0].host: "linus" is not accepted', "linux-2.6, freebsd-14 or ns-2 (did you mean linux?)")
    with pytest.raises(ScenarioError, match=r'^flow\[0\]\.host: "freebsd" .* \(did you mean freebsd-14\?\)$'):
        path([Flow("cubic", host="freebsd")])


# It is refused before anything of the lab is looked for.
@pytest.mark.parametrize("host", [name for name in HOSTS if name != "linux"])
def test_lane_live_has_the_kernels_own_host(cwnd: Cli, tmp_path: Path, host: str) -> None:
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(path([Flow("cubic-linux", host=host)]).to_toml())
    done = cwnd("run", scenario, "--lane", "live")
    refused(done, f'flow[0].host: "{host}" is not accepted; expected "linux" or none, the kernel\'s, in lane live')


def test_recovery_rfc_is_another_name_of_sack_prr() -> None:
    scenarios = [path([Flow("sack", recovery=name)]) for name in ("rfc", "sack-prr")]
    assert scenarios[0] == scenarios[1]


@pytest.mark.parametrize("host", HOSTS)
def test_a_printed_scenario_reads_back(host: str) -> None:
    scenario = path([Flow("cubic", host=host)])
    assert Scenario.from_toml(scenario.to_toml()) == scenario
    assert f'host = "{host}"' in scenario.to_toml()


def test_show_explains_a_host(cwnd: Cli) -> None:
    done = cwnd("show", "linux-2.6")
    assert done.returncode == 0, done.stderr
    assert "initial_cwnd = 3" in done.stdout and "[RFC 3390" in done.stdout and "not covered by any key" in done.stdout
    (shown,) = [host for host in _native.hosts() if host["name"] == "ns-2"]
    # JSON has lists where Python has tuples.
    assert json.loads(cwnd("show", "ns-2", "--json").stdout) == json.loads(json.dumps(shown))
    refused(cwnd("show", "freebsd14"), "(did you mean freebsd-14?)")


def test_the_pages_are_those_of_the_table() -> None:
    for path, text in hosts_pages.texts().items():
        assert path.read_text() == text, f"{path.name}: make docs"
