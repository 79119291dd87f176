# SPDX-License-Identifier: MIT OR Apache-2.0
from __future__ import annotations

from cwnd.papers.ha2008.setups.hook_counter import MEMBERS, RELEASED, SWITCH_S, Built, NoRust, hook_counter
from cwnd.reproduce import Answer, Experiment, Figure, Holds, Point, Results, Setup, Undecidable
from cwnd.reproduce.claims import claims_of

NO_RUST = "a module is Rust source, and this machine has no cargo to build it"


class Fig2Modules(Experiment[Built | NoRust]):
    """Figure 2 and section 4.2: the pluggable module interface: which hooks exist, when each is called, which of them are required.

    A module (`hook_counter.rs`) counts the calls of its hooks. It is built and loaded while a simulation runs. It is then simulated with losses, an
    outage and a switch, with late packets, and with a queue that marks, and compared with the transport's own record. It is built again without some
    hooks. The interface is this project's, whose hooks have Linux's names. The experiment needs Rust on the machine. Left open: nothing that a run needs.
    """

    title = "A module's hooks: which exist, when they are called, which are required"
    cubic = None

    def grid(self, setup: Setup) -> list[Point]:
        return [Point("module", call=hook_counter)]

    def claims(self, results: Results[Built | NoRust]) -> dict[str, Answer]:
        measured = results["module"][0]
        if isinstance(measured, NoRust):
            return dict.fromkeys(claims_of("ha2008/fig2-modules"), Undecidable(NO_RUST))
        return {
            "hooks-exist": Holds("a module that defines each member of figure 2 is built and loaded", measured.whole and measured.members == len(MEMBERS), measured.members),
            "ssthresh-call": Holds("as many calls as entries into recovery, reduction or repair after a timeout", measured.ssthreshs == measured.reductions > 2, measured.ssthreshs),
            "cong-avoid-call": Holds("one call at each acknowledgement in the open state", measured.per_open_ack == 1, measured.per_open_ack),
            "set-state-call": Holds(
                "as many calls as changes of state, plus one for each timeout in the repair after a timeout, also with a queue that marks; all five states occur",
                measured.set_states == measured.changes + measured.again
                and measured.marked_set_states == measured.marked_changes
                and {*measured.state, *measured.marked_states} == {0, 1, 2, 3, 4},
                measured.set_states + measured.marked_set_states,
                "the fifth, window reduction, is caused by the ECN echo of a mark",
            ),
            "undo-call": Holds(
                "with late packets, a round trip that jumps and recovery as in Linux, as many calls as reductions that the transport undoes (seen as a threshold that rises at the end of a recovery or of the repair after a timeout); both occur; no call where packets are only marked",
                measured.undos == measured.from_recovery + measured.from_loss
                and min(measured.from_recovery, measured.from_loss) > 0
                and measured.marked_undos == 0,
                measured.undos,
                f"of {measured.from_recovery} recoveries and {measured.from_loss} timeouts",
            ),
            "pkts-acked-call": Holds(
                "the counts add up to the delivered packets, less those held in recovery, within 1 %, and the round trip in µs is never below the path's 40 ms",
                abs(measured.acked / measured.delivered - 1) <= 0.01 and measured.least_rtt >= 40_000,
                measured.acked / measured.delivered,
            ),
            "other-hooks-call": Holds(
                f"init has cleared the counts, cwnd_event was called at ends of recovery and timeouts, get_info gives the counts, release leaves its mark ({RELEASED}) at the switch",
                measured.begins == 0 and measured.events > 0 and measured.released == RELEASED,
                measured.events,
            ),
            "required-hooks": Holds(
                "the module with ssthresh and cong_avoid alone is accepted and carries data; without either it is refused",
                measured.bare and measured.bare_mbps > 1 and all(measured.refused),
                measured.bare_mbps,
            ),
            "load-while-running": Holds(
                "the module is unknown at first, then available in the same process while another simulation runs, and that simulation continues to its end",
                not measured.known and measured.whole and 0 < measured.loaded_at < measured.went_on_to,
                measured.loaded_at,
            ),
            "switch-per-connection": Holds(
                "after the switch, one flow shows CUBIC's inner variables and none of the module's", measured.switched == 1, measured.switched
            ),
        }  # fmt: skip

    def plot(self, results: Results[Built | NoRust], figure: Figure) -> None:
        measured = results["module"][0]
        axes = figure.subplots()
        if isinstance(measured, NoRust):
            return
        axes.plot(measured.time_s, measured.cwnd, label="window (packets)")
        axes.plot(measured.time_s, [10 * calls for calls in measured.curve], "--", label="10 × calls of ssthresh")
        axes.set(xlabel="time (s)", xlim=(0, SWITCH_S), ylim=(0, None))
        axes.legend()
