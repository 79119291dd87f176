# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd replay --transport`: the simulator's sender makes the calls that the kernel made, in its order and with its arguments."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from conftest import Cli, refused
from in_kernel import PROGRAM, kernel, lacks

import cwnd as package

RECORDS = Path(__file__).parents[2] / "vectors" / "transport"
NAMES = sorted(path.name for path in RECORDS.iterdir() if path.is_dir())


@pytest.mark.parametrize("name", NAMES)
def test_the_simulators_sender_makes_the_recorded_calls(cwnd: Cli, name: str) -> None:
    outcome = package.replay_transport(RECORDS / name)
    assert (outcome["divergent"], outcome["kinds"], outcome["first"]) == (0, [], None)
    assert (outcome["gaps"], outcome["out_of_step"], outcome["connections"]) == (0, 0, 1)
    again, others = outcome["retransmissions"]
    assert again > 10 and others == 0
    done = cwnd("replay", "--transport", RECORDS / name)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(
        f"{outcome['calls']:,} calls at {outcome['events']:,} events of 1 connection: 0 events"
    )


def changed(name: str, folder: Path, column: str, change: pa.Array | None, rows: pa.Array) -> Path:
    """A copy of a record with other values in a column of its calls, in these rows."""
    folder.mkdir()
    for file in (RECORDS / name).iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    table = pq.read_table(folder / "hooks.parquet")
    place = table.column_names.index(column)
    values = pc.if_else(rows, change, table[column])
    pq.write_table(table.set_column(place, column, values), folder / "hooks.parquet")
    return folder


# A round trip a microsecond longer at every second call of pkts_acked, and no call of cong_avoid but ones for no segment.
def test_another_argument_is_found_named_and_shown(cwnd: Cli, tmp_path: Path) -> None:
    name = NAMES[0]
    hooks = pq.read_table(RECORDS / name / "hooks.parquet")
    of_acked = pc.and_(pc.equal(hooks["hook"], "pkts_acked"), pc.equal(pc.bit_wise_and(hooks["arg1"], 1), 0))
    folder = changed(name, tmp_path / "longer", "arg1", pc.add(hooks["arg1"], pa.scalar(1, pa.uint32())), of_acked)
    outcome = package.replay_transport(folder)
    assert outcome["divergent"] > 100
    assert [kind["kind"] for kind in outcome["kinds"]] == ["argument: rtt_us of pkts_acked"]
    assert outcome["kinds"][0]["fresh"] == outcome["kinds"][0]["events"] == outcome["divergent"]
    done = cwnd("replay", "--transport", folder)
    assert done.returncode == 1 and done.stderr == ""
    shown = done.stdout.partition("first: event ")[2]
    for part in (
        "  kernel     pkts_acked(",
        "  simulator  pkts_acked(",
        "before it, kernel and simulator: una ",
        "  > ",
    ):
        assert part in shown, done.stdout
    document = json.loads(cwnd("replay", "--transport", "--json", folder).stdout)
    assert document["divergent"] == outcome["divergent"] and document["first"] == outcome["first"]


# In a record of Reno every reduction is to half, in one of CUBIC to 0.7: on the other algorithm the results differ, not the calls.
def test_the_record_of_another_algorithm_gives_other_results(tmp_path: Path) -> None:
    name = next(name for name in NAMES if name.startswith("cubic"))
    folder = changed(name, tmp_path / "other", "ret", pa.scalar(0, pa.uint32()), pa.scalar(value=False))
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "set": "reno-linux"}))
    kinds = {kind["kind"] for kind in package.replay_transport(folder)["kinds"]}
    assert "result: ssthresh" in kinds and kinds <= {"result: ssthresh", "result: undo_cwnd"}


def test_what_is_no_such_record_is_refused(cwnd: Cli, tmp_path: Path) -> None:
    expected = "expected the folder of a cwnd kernel trace --transport"
    refused(cwnd("replay", "--transport", tmp_path), f'TRACE: "{tmp_path}" is not accepted; {expected}')
    (tmp_path / "manifest.json").write_text('{"set": "cubic-linux"}')
    refused(
        cwnd("replay", "--transport", tmp_path),
        f'TRACE: "{tmp_path}" is not accepted; {expected}; hooks.parquet is missing',
    )
    said = cwnd("replay", "--transport", "--cc", "cubic", tmp_path)
    refused(said, '--cc: "cubic" is not accepted; expected none with --transport, which compares what was traced')


@kernel
def test_packets_are_recorded_of_the_kernels_own_only(cwnd: Cli) -> None:
    said = cwnd("kernel", "trace", "--cc", "htcp", "--transport", "--", "true")
    refused(said, '--cc: "htcp" is not accepted; expected kernel/cubic or kernel/reno with --transport')


LIVE = """
duration = "4s"
[link]
rate = "10Mbit/s"
rtt = "40ms"
queue = { kind = "droptail", limit = "1bdp" }
loss = "random:0.02"
reorder = { share = 0.02, extra = "10ms" }
[[flow]]
cc = "cubic-linux"
"""


# 10 Mbit/s for 4 s are 3 300 packets at most; losses leave a part of them. The kernel skips programs now and then, on some machines.
@pytest.mark.skipif(
    os.environ.get("CI") != "true" and not Path("/dev/net/tun").exists(), reason=lacks() or "needs /dev/net/tun"
)
@kernel
@pytest.mark.parametrize("algorithm", ["cubic", "reno"])
def test_a_connection_is_recorded_on_a_live_path_and_repeated(cwnd: Cli, tmp_path: Path, algorithm: str) -> None:
    scenario, folder = tmp_path / "live.toml", tmp_path / "trace"
    scenario.write_text(LIVE)
    command = (sys.executable, PROGRAM, "run", scenario, "--lane", "live")
    for _ in range(5):
        options = ("--cc", f"kernel/{algorithm}", "--transport", "--no-plots", "--force", "-o", folder)
        done = cwnd("kernel", "trace", "--json", *options, "--", *command)
        assert done.returncode == 0, done.stderr
        summary = json.loads(done.stdout.splitlines()[-1])  # behind what the command has printed
        outcome = package.replay_transport(folder)
        if outcome["gaps"] == 0 and summary["exit"] == 0:
            break
    assert summary["lost"] == summary["differences"] == 0
    assert outcome["calls"] > 500 and outcome["retransmissions"][0] > 5
    assert outcome["divergent"] == 0, outcome["first"]
    packets = pq.read_table(folder / "packets.parquet")
    assert set(packets["kind"].to_pylist()) >= {"ack", "sent"}
    assert "packets" in package.load(folder).names
