# SPDX-License-Identifier: MIT OR Apache-2.0
"""A module that counts the calls of its hooks (`hook_counter.rs`): built, loaded, simulated, and built again with hooks left out."""

from __future__ import annotations

import tempfile
from dataclasses import asdict, dataclass
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import numpy as np

from cwnd._native import Simulation, algorithms
from cwnd.plugin import crate as plugin
from cwnd.reproduce.numbers import JsonObject
from cwnd.result.result import Result, run
from cwnd.scenario.builders import from_document

#: Figure 2, in its order; get_info is called `info` here, and `name` is a constant.
MEMBERS = (
    "init",
    "release",
    "ssthresh",
    "min_cwnd",
    "cong_avoid",
    "set_state",
    "cwnd_event",
    "undo_cwnd",
    "pkts_acked",
    "info",
    "NAME",
)
#: The algorithm's name in hook_counter.rs.
MODULE = "hook_count"
SWITCH_S = 15
RELEASED = 77
SCENARIO: JsonObject = {
    "duration": "20s",
    "link": {"rate": "20Mbit/s", "rtt": "40ms", "queue": {"kind": "droptail", "limit": "1bdp"}},
    "flow": [{"cc": MODULE, "ack_every": 1}, {"cc": "sack", "ack_every": 1}],
    "action": [
        {"rate": {"at": "8s", "to": "0bit/s"}},
        {"rate": {"at": "9s", "to": "20Mbit/s"}},
        {"switch": {"flow": MODULE, "at": f"{SWITCH_S}s", "cc": "cubic"}},
    ],
    "record": {"per_ack": True, "inner": True},
}
#: Packets that are 20 ms late are declared lost, and a round trip that jumps to 600 ms lets the timer expire; the flow detects both, as Linux does.
LATE: JsonObject = {
    **SCENARIO,
    "link": {
        **{"rate": "20Mbit/s", "rtt": "40ms", "queue": {"kind": "droptail", "limit": "1bdp"}},
        "reorder": {"share": 0.02, "extra": "20ms"},
    },
    "flow": [{"cc": MODULE, "ack_every": 1, "recovery": "linux"}],
    "action": [{"delay": {"at": "10s", "to": "600ms"}}, {"delay": {"at": "12s", "to": "20ms"}}],
}
#: A queue that marks, and a flow that responds to the echo of a mark with a window reduction.
MARKED: JsonObject = {
    **SCENARIO,
    "link": {"rate": "20Mbit/s", "rtt": "40ms", "queue": {"kind": "codel", "limit": "1000packets", "ecn": True}},
    "flow": [{"cc": MODULE, "ack_every": 1, "ecn": True}],
    "action": [],
}
#: Linux's numbers of the states of recovery and of repair after a timeout.
RECOVERY, LOSS = 3, 4


@dataclass(frozen=True, slots=True)
class StateCalls:
    """A module's calls of set_state and undo_cwnd in a run, and what the transport recorded."""

    set_states: int
    undos: int
    #: Changes of state, with further timeouts within a repair, which are calls too.
    changes: int
    #: How often the threshold rose as the flow left recovery, and the repair after a timeout: undone reductions.
    from_recovery: int
    from_loss: int
    states: list[int]


@dataclass(frozen=True, slots=True)
class Calls:
    """A module's counts of calls, and what the transport recorded, up to the switch."""

    #: Bits of the hooks that were called.
    mask: int
    ssthreshs: int
    cong_avoids: int
    set_states: int
    acked: int
    rtt_us: int
    events: int
    #: Entries into recovery, reduction or repair; changes of state; further timeouts within a repair.
    reductions: int
    changes: int
    again: int
    #: The part of the acknowledgements in the open state with one call of cong_avoid.
    per_open_ack: float
    delivered: int
    #: µs.
    least_rtt: float
    #: The slow start threshold at the switch, where release leaves its mark.
    released: int
    #: Whether inner variables are CUBIC's after the switch.
    switched: int
    #: Calls of ssthresh at the start, and in the course of the run.
    begins: int
    curve: list[int]
    state: list[int]
    cwnd: list[int]
    time_s: list[float]


@dataclass(frozen=True, slots=True)
class Built(Calls):
    """The module built, loaded and simulated."""

    #: Whether the algorithm was there before.
    known: bool
    #: How many of `MEMBERS` it defines.
    members: int
    #: Without its optional hooks: whether it is accepted, and its throughput; without each required hook: whether it is refused.
    bare: bool
    bare_mbps: float
    refused: list[bool]
    whole: bool
    #: Times of another simulation: when the module was loaded, and its end.
    loaded_at: float
    went_on_to: float
    #: With spurious losses and timeouts: calls of undo_cwnd, and reductions that the transport undid.
    undos: int
    from_recovery: int
    from_loss: int
    #: Behind a queue that marks.
    marked_undos: int
    marked_set_states: int
    marked_changes: int
    marked_states: list[int]


@dataclass(frozen=True, slots=True)
class NoRust:
    """This machine has no Rust."""

    rust: bool = False


def hook_counter() -> Built | NoRust:
    """Builds the module without its optional hooks, without each required hook, and whole; loads it while another simulation runs, and simulates it."""
    text = files("cwnd.papers.ha2008.setups").joinpath("hook_counter.rs").read_text(encoding="utf-8")
    other_run = Simulation(from_document({**SCENARIO, "flow": [{"cc": "sack"}], "action": []}))
    other_run.step(2000)
    with tempfile.TemporaryDirectory() as folder:
        crate = plugin.new(MODULE, Path(folder) / MODULE)
        source = crate / "src" / f"{MODULE}.rs"

        def builds(left_out: tuple[str, ...] = ()) -> bool:
            parts = text
            for part in left_out:
                parts = parts[: parts.index(f"// [{part}")] + parts[parts.index(f"// {part}]") :]
            source.write_text(parts, encoding="utf-8")
            try:
                return plugin.load_plugin(crate) == MODULE
            except plugin.CrateError as error:
                assert "missing: `" in error.log, error.log
                return False

        known = MODULE in {algorithm["name"] for algorithm in algorithms()}
        try:
            bare = builds(("optional",))
        except OSError:
            return NoRust()
        bare_mbps = simulate({**SCENARIO, "action": [], "record": {"per_ack": True}}).summary["flows"][0][
            "throughput_mbps"
        ]
        refused = [not builds((part,)) for part in ("ssthresh", "cong_avoid")]
        whole = builds()
        loaded_at = other_run.now_s
        measured = compare_with_transport(simulate(SCENARIO))
        late, marked = state_calls(simulate(LATE)), state_calls(simulate(MARKED))
    while not other_run.step(200_000):
        pass
    members = [name for name in MEMBERS if f"fn {name}(" in text or f"const {name}:" in text]
    return Built(
        **asdict(measured),
        known=known,
        members=len(members),
        bare=bare,
        bare_mbps=bare_mbps,
        refused=refused,
        whole=whole,
        loaded_at=loaded_at,
        went_on_to=other_run.now_s,
        undos=late.undos,
        from_recovery=late.from_recovery,
        from_loss=late.from_loss,
        marked_undos=marked.undos,
        marked_set_states=marked.set_states,
        marked_changes=marked.changes,
        marked_states=marked.states,
    )


def simulate(scenario: JsonObject) -> Result:
    return run(from_document(scenario))


def state_calls(result: Result) -> StateCalls:
    """The module's calls at changes of state and after undone reductions, and the transport's own record of these."""
    import pyarrow.compute as pc

    def last(name: str) -> int:
        return int(result.inner.filter(pc.equal(result.inner["name"], name))["value"].to_numpy()[-1])

    events = result.events.to_pylist()
    states = [(int(row["value"]), row["ssthresh"]) for row in events if row["kind"] == "state"]
    timeouts = sum(row["kind"] == "timeout" for row in events)
    taken_back = [
        before
        for (before, threshold), (_, after) in pairwise(states)
        if before in (RECOVERY, LOSS) and after > threshold
    ]
    return StateCalls(
        set_states=last("set_states"),
        undos=last("undos"),
        changes=len(states) + timeouts - sum(state == LOSS for state, _ in states),
        from_recovery=taken_back.count(RECOVERY),
        from_loss=taken_back.count(LOSS),
        states=[state for state, _ in states],
    )


def compare_with_transport(result: Result) -> Calls:
    """The module's counts of calls, and what the transport recorded, up to the switch."""
    import pyarrow.compute as pc

    rows = result.cwnd.filter(pc.and_(pc.equal(result.cwnd["flow"], 0), pc.less(result.cwnd["time_s"], SWITCH_S)))
    inner = result.inner.filter(pc.equal(result.inner["flow"], 0))
    counts = {
        name: inner.filter(pc.equal(inner["name"], name))["value"].to_numpy().astype(int)
        for name in ("mask", "ssthreshs", "cong_avoids", "set_states", "acked", "rtt_us", "events")
    }
    events = [row for row in result.events.to_pylist() if row["flow"] == 0]
    states = [row["value"] for row in events if row["kind"] == "state" and row["time_s"] < SWITCH_S]
    timeouts = sum(row["kind"] == "timeout" for row in events)
    opened = np.asarray(rows["ca_state"].to_pylist())[1:] == "open"
    steps = np.diff(counts["cong_avoids"][: len(rows)])
    after = {name for name in pc.unique(inner.filter(pc.greater(inner["time_s"], SWITCH_S))["name"]).to_pylist()}
    return Calls(
        **{name: int(value[-1]) for name, value in counts.items()},
        reductions=sum(state in (2, 3, 4) for state in states),
        changes=len(states),
        again=timeouts - states.count(4),
        per_open_ack=float(np.mean(steps[opened] == 1)),
        delivered=int(rows["delivered"].to_numpy()[-1]),
        least_rtt=float(counts["rtt_us"][100:].min()),
        released=next(row["ssthresh"] for row in events if row["kind"] == "switch"),
        switched=int("w_max" in after and "mask" not in after),
        begins=counts["ssthreshs"].tolist()[0],
        curve=counts["ssthreshs"][::50].tolist(),
        state=[int(state) for state in states],
        cwnd=rows["cwnd"].to_numpy()[::50].tolist(),
        time_s=rows["time_s"].to_numpy()[::50].tolist(),
    )
