// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reductions that were mistakes. Table `undo`.

use crate::support::DrivenFlow;
use crate::{ProbeResult, claim};
use cwnd::registry::SetDescription;

fn running(set: &SetDescription) -> DrivenFlow {
    let mut flow = DrivenFlow::after_loss(set, 1000, 100_000);
    flow.seconds(3.0);
    flow
}

/// The window as it was, the threshold not below what it was.
fn restored(flow: &mut DrivenFlow, before: (u32, u32)) -> ProbeResult {
    let undone = flow.spurious();
    let now = (flow.cwnd(), flow.driver.conn.ssthresh);
    claim(undone && now.0 == before.0 && now.1 >= before.1, || {
        format!("window and threshold {before:?}, then {now:?}")
    })
}

/// A timeout that was none.
pub fn a_spurious_timeout_is_taken_back(set: &SetDescription) -> ProbeResult {
    let mut flow = running(set);
    let before = (flow.cwnd(), flow.driver.conn.ssthresh);
    flow.time_out();
    flow.wait(50_000);
    restored(&mut flow, before)
}

/// A loss, and a timeout within its recovery, both none: back to before the first.
pub fn nested_reductions_return_to_the_first(set: &SetDescription) -> ProbeResult {
    let mut flow = running(set);
    let before = (flow.cwnd(), flow.driver.conn.ssthresh);
    flow.declare_lost();
    flow.wait(300_000);
    flow.time_out();
    flow.wait(50_000);
    restored(&mut flow, before)
}

/// A real loss, repaired; another that was none: the real one stays, and nothing is taken back twice.
pub fn only_the_last_epoch_is_taken_back(set: &SetDescription) -> ProbeResult {
    let mut flow = running(set);
    flow.lose();
    flow.rounds(5);
    let before = (flow.cwnd(), flow.driver.conn.ssthresh);
    flow.declare_lost();
    flow.wait(50_000);
    let verdict = restored(&mut flow, before);
    if flow.spurious() {
        return claim(false, || "taken back twice".into());
    }
    verdict
}

/// Three seconds after a spurious loss the window is that of a flow that never had it, within 1 %.
pub fn growth_continues_as_if_nothing_had_been(set: &SetDescription) -> ProbeResult {
    let (mut flow, mut untouched) = (running(set), running(set));
    flow.declare_lost();
    flow.spurious();
    flow.seconds(3.0);
    untouched.seconds(3.0);
    let (one, other) = (flow.cwnd(), untouched.cwnd());
    claim(one.abs_diff(other) <= 1 + other / 100, || format!("{one} segments, {other} without"))
}
