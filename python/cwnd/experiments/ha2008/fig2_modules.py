# SPDX-License-Identifier: MIT OR Apache-2.0
"""Figure 2 and section 4.2: the pluggable module interface, which hooks there are, when each is called, which of them are required.

Decided by a module (`witness.rs`) that counts the calls of its hooks. It is built and loaded while a simulation runs, and is then simulated
through losses, an outage and a switch, beside the transport's own record; and it is built again with hooks left out. The interface is this
project's, whose hooks have Linux's names; needs Rust on the machine. Left open: nothing that a run would need.
"""

from __future__ import annotations

from cwnd.experiments import Answer, Figure, Held, Point, Results, Setup, Undecidable
from cwnd.experiments.claims import claims_of
from cwnd.experiments.ha2008._witness import MEMBERS, RELEASED, SWITCH_S, witness

TITLE = "A module's hooks: which there are, when they are called, which are required"
CUBIC = None
NO_RUST = "a module is Rust source, and there is no cargo on this machine to build it"


def grid(setup: Setup) -> list[Point]:
    return [Point("module", call=witness)]


def claims(results: Results) -> dict[str, Answer]:
    found = results["module"][0]
    if not found["rust"]:
        return dict.fromkeys(claims_of("ha2008/fig2-modules"), Undecidable(NO_RUST))
    return {
        "hooks-exist": Held("a module that defines each member of figure 2 is built and loaded", found["whole"] and found["members"] == len(MEMBERS), found["members"]),
        "ssthresh-call": Held("as many calls as entries into recovery, reduction or repair after a timeout", found["ssthreshs"] == found["reductions"] > 2, found["ssthreshs"]),
        "cong-avoid-call": Held("at each acknowledgement that finds the connection open, one call", found["per_open_ack"] == 1, found["per_open_ack"]),
        "set-state-call": Held(
            "as many calls as changes of state, and one for each timeout within the repair after a timeout; open, disorder, recovery and loss occur",
            found["set_states"] == found["changes"] + found["again"] and {0, 1, 3, 4} <= set(found["state"]),
            found["set_states"],
            "the fifth, window reduction, needs an ECN echo, which no queue here gives",
        ),
        "undo-call": Undecidable(
            "the simulated transport has no way to find out that a loss was none, so it never undoes; nor does any recorded kernel connection"
        ),
        "pkts-acked-call": Held(
            "the counts add up to what was delivered, less what recovery holds, within 1 %, and the round trip in µs is never below the path's 40 ms",
            abs(found["acked"] / found["delivered"] - 1) <= 0.01 and found["least_rtt"] >= 40_000,
            found["acked"] / found["delivered"],
        ),
        "other-hooks-call": Held(
            f"init has cleared the counts, cwnd_event was called at ends of recovery and timeouts, get_info gives the counts, release leaves its mark ({RELEASED}) at the switch",
            found["begins"] == 0 and found["events"] > 0 and found["released"] == RELEASED,
            found["events"],
        ),
        "required-hooks": Held(
            "the module with ssthresh and cong_avoid alone is accepted and carries data; without either it is refused",
            found["bare"] and found["bare_mbps"] > 1 and all(found["refused"]),
            found["bare_mbps"],
        ),
        "load-while-running": Held(
            "unknown before, the module is there in the same process while another simulation has not ended, which goes on to its end",
            not found["known"] and found["whole"] and 0 < found["loaded_at"] < found["went_on_to"],
            found["loaded_at"],
        ),
        "switch-per-connection": Held(
            "after the switch one flow shows CUBIC's inner variables and no more of the module's", found["switched"] == 1, found["switched"]
        ),
    }  # fmt: skip


def plot(results: Results, figure: Figure) -> None:
    found = results["module"][0]
    axes = figure.subplots()
    if not found["rust"]:
        return
    axes.plot(found["time_s"], found["cwnd"], label="window (packets)")
    axes.plot(found["time_s"], [10 * one for one in found["curve"]], "--", label="10 × calls of ssthresh")
    axes.set(xlabel="time (s)", xlim=(0, SWITCH_S), ylim=(0, None))
    axes.legend()
