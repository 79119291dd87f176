# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd replay --transport`: the simulator's sender makes the calls that the kernel made, in its order and with its arguments."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from conftest import Cli, refused
from in_kernel import PROGRAM, kernel
from needs import needs

import cwnd as package

RECORDS = Path(__file__).parents[3] / "vectors" / "transport"
NAMES = sorted(path.name for path in RECORDS.iterdir() if path.is_dir())


@pytest.mark.parametrize("name", NAMES)
def test_the_simulators_sender_makes_the_recorded_calls(cwnd: Cli, name: str) -> None:
    outcome = package.replay_transport(RECORDS / name)
    assert (outcome["divergent"], outcome["kinds"], outcome["first"]) == (0, [], None)
    connections = 2 if "both-ways" in name else 1
    assert (outcome["gaps"], outcome["out_of_step"], outcome["connections"]) == (0, 0, connections)
    assert outcome["windows"] == 0, outcome["states"]
    assert outcome["complete"] and outcome["no_sack"] == 0
    again, others = outcome["retransmissions"]
    assert again > 10 and others == 0
    done = cwnd("replay", "--transport", RECORDS / name)
    assert (done.returncode, done.stderr) == (0, "")
    of = "1 connection" if connections == 1 else f"{connections} connections"
    assert done.stdout.startswith(
        f"{outcome['calls']:,} calls at {outcome['events']:,} events of {of}: "
        "0 events with other calls in the simulator; 0 not compared, 0 gaps\n"
    )


def changed(
    name: str, folder: Path, column: str, change: pa.Array | None, rows: pa.Array, table: str = "hooks"
) -> Path:
    """A copy of a record with other values in a column of its calls, in these rows."""
    folder.mkdir()
    for file in (RECORDS / name).iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    read = pq.read_table(folder / f"{table}.parquet")
    place = read.column_names.index(column)
    values = pc.if_else(rows, change, read[column])
    pq.write_table(read.set_column(place, column, values), folder / f"{table}.parquet")
    return folder


# Before each acknowledgement the window of the record is one larger than what was left: as if the sender had taken one too many off.
def test_a_window_that_the_sender_would_not_have_is_found_named_and_shown(cwnd: Cli, tmp_path: Path) -> None:
    packets = pq.read_table(RECORDS / NAMES[0] / "packets.parquet")
    column = packets["cwnd"]
    larger = pc.add(column, pa.scalar(1, column.type))
    is_ack = pc.equal(packets["kind"], "ack")
    folder = changed(NAMES[0], tmp_path / "larger", "cwnd", larger, is_ack, table="packets")
    outcome = package.replay_transport(folder)
    assert outcome["windows"] > 100
    assert "window: cwnd" in {kind["kind"] for kind in outcome["states"]}
    done = cwnd("replay", "--transport", folder)
    assert done.returncode == 1 and done.stderr == ""
    said = f"events before which the simulator's window or slow start threshold differed: {outcome['windows']:,}\n"
    assert said in done.stdout
    assert "\nfirst window: cwnd: event " in done.stdout


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


# Each side's sender beside its own side of the kernel: 100 B to 40 kB there and back in turn, in the end a FIN.
def test_data_in_both_directions_are_compared_and_what_follows_a_fin_is_left_out(cwnd: Cli) -> None:
    name = next(name for name in NAMES if "both-ways" in name)
    outcome = package.replay_transport(RECORDS / name)
    packets = pq.read_table(RECORDS / name / "packets.parquet")
    data = pc.greater(packets["payload"], 0)
    for kind in ("ack", "sent"):
        of_kind = packets.filter(pc.and_(data, pc.equal(packets["kind"], kind)))
        assert pc.count_distinct(of_kind["connection"]).as_py() == 2
    assert outcome["closing"] > 0
    why = [what for what, _, events in outcome["explained"] if events > 0]
    assert "calls for data that acknowledge nothing new" in why
    assert (
        f"left out: {outcome['closing']:,} events of closing connections"
        in cwnd("replay", "--transport", RECORDS / name).stdout
    )


# One retransmission more before the first acknowledgement: the record is not whole, and all events come after the gap.
def test_a_comparison_of_nothing_does_not_pass(cwnd: Cli, tmp_path: Path) -> None:
    name = NAMES[0]
    events = package.replay_transport(RECORDS / name)["events"]
    packets = pq.read_table(RECORDS / name / "packets.parquet")
    first = pc.min(packets.filter(pc.equal(packets["kind"], "ack"))["seq"])
    more = pc.cast(pc.add(packets["total_retrans"], 1), packets["total_retrans"].type)
    folder = changed(name, tmp_path / "gap", "total_retrans", more, pc.equal(packets["seq"], first), "packets")
    outcome = package.replay_transport(folder)
    assert (outcome["gaps"], outcome["divergent"], outcome["complete"]) == (1, 0, False)
    assert outcome["events"] + outcome["not_compared"] == events and outcome["events"] < 20
    done = cwnd("replay", "--transport", folder)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.startswith(
        f"NOT ENOUGH WAS COMPARED: {outcome['events']:,} of {events:,} events ({outcome['not_compared']:,} not compared, 1 gaps)\n"
    )


# The acknowledged number of cong_avoid, and in in_ack_event the flag of an ECN echo, which no record here has.
@pytest.mark.parametrize(
    ("hook", "change", "kind"),
    [("cong_avoid", 1, "argument: ack of cong_avoid"), ("in_ack_event", 4, "argument: flags of in_ack_event")],
)
def test_every_argument_but_one_is_compared(tmp_path: Path, hook: str, change: int, kind: str) -> None:
    hooks = pq.read_table(RECORDS / NAMES[0] / "hooks.parquet")
    rows = pc.equal(hooks["hook"], hook)
    more = pc.cast(pc.add(hooks["arg0"], change), hooks["arg0"].type)
    outcome = package.replay_transport(changed(NAMES[0], tmp_path / "other", "arg0", more, rows))
    assert [each["kind"] for each in outcome["kinds"]] == [kind]
    # The calls of the handshake are not compared.
    assert abs(outcome["divergent"] - pc.sum(rows).as_py()) <= 1


@pytest.mark.parametrize(
    ("table", "column", "value", "words"),
    [
        ("packets", "tick_hz", 0, "column tick_hz: 0 is not accepted; expected 1 to 10000"),
        ("packets", "mss", 0, "column mss: 0 is not accepted; expected 1 to 65535"),
        ("hooks", "arg0", None, "column arg0: null; expected a value in every row"),
        ("packets", "snd_nxt", None, "column snd_nxt: null; expected a value in every row"),
    ],
)
def test_numbers_that_no_kernel_has_are_refused(
    cwnd: Cli, tmp_path: Path, table: str, column: str, value: int | None, words: str
) -> None:
    read = pq.read_table(RECORDS / NAMES[0] / f"{table}.parquet")
    none = pa.scalar(value, read[column].type)
    everywhere = pa.array([True] * read.num_rows)
    refused(cwnd("replay", "--transport", changed(NAMES[0], tmp_path / "no", column, none, everywhere, table)), words)


@pytest.mark.parametrize("manifest", ["[]", '{"set": 5}', '{"set": "htcp"}', "null", '"cubic-linux"'])
def test_a_manifest_of_something_else_is_refused(cwnd: Cli, tmp_path: Path, manifest: str) -> None:
    (tmp_path / "manifest.json").write_text(manifest)
    refused(cwnd("replay", "--transport", tmp_path), f'TRACE: "{tmp_path}" is not accepted')


def test_exchanged_tables_are_refused(cwnd: Cli, tmp_path: Path) -> None:
    names = {"hooks": "packets", "packets": "hooks", "manifest": "manifest"}
    for file in (RECORDS / NAMES[0]).iterdir():
        (tmp_path / f"{names[file.stem]}{file.suffix}").write_bytes(file.read_bytes())
    refused(cwnd("replay", "--transport", tmp_path), "hooks.parquet", "column hook: missing; expected the table hooks")


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


@pytest.mark.parametrize(
    ("folder", "words"),
    [(5, "folder: 5 is not accepted; expected a path"), ("no-such-folder", 'TRACE: "no-such-folder" is not accepted')],
)
def test_what_is_no_trace_is_refused_from_python(folder: object, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        package.replay_transport(folder)  # type: ignore[arg-type]


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
@needs("live")
@kernel
@pytest.mark.parametrize("algorithm", ["cubic", "reno"])
def test_a_connection_is_recorded_on_a_live_path_and_repeated(cwnd: Cli, tmp_path: Path, algorithm: str) -> None:
    scenario, folder = tmp_path / "live.toml", tmp_path / "trace"
    scenario.write_text(LIVE)
    command = (sys.executable, PROGRAM, "run", scenario, "--lane", "live")
    for _ in range(5):
        options = ("--cc", f"kernel/{algorithm}", "--transport", "--no-plots", "--force", "-o", folder)
        done = cwnd("kernel", "trace", "--json", *options, "--", *command)
        summary = json.loads(done.stdout.splitlines()[-1])  # behind what the command has printed
        outcome = package.replay_transport(folder)
        assert done.returncode == summary["exit"], done.stderr  # a run that fell behind ends with 1
        if outcome["gaps"] == summary["unseen"] == summary["exit"] == 0:
            break
    assert summary["lost"] == summary["differences"] == 0
    assert outcome["calls"] > 500 and outcome["retransmissions"][0] > 5
    assert outcome["divergent"] == 0, outcome["first"]
    packets = pq.read_table(folder / "packets.parquet")
    assert set(packets["kind"].to_pylist()) >= {"ack", "sent"}
    assert "packets" in package.load(folder).names


@kernel
def test_a_trace_ends_as_its_command_does_and_keeps_what_was_recorded(cwnd: Cli, tmp_path: Path) -> None:
    sends = "import socket, sys; s = socket.create_server(('127.0.0.1', 0)); c = socket.create_connection(s.getsockname()); c.sendall(b'x' * 1000); sys.exit(3)"
    options = ("--cc", "reno", "--no-plots", "-o", tmp_path / "trace")
    done = cwnd("kernel", "trace", *options, "--", sys.executable, "-c", sends)
    assert done.returncode == 3 and "ended with exit code 3" in done.stderr
    assert (tmp_path / "trace" / "hooks.parquet").is_file()
