// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a loss takes, and how often. Table `loss`, and K4.

use crate::curve::is_cubic;
use crate::support::{DrivenFlow, algorithm, decimal};
use crate::{ProbeResult, claim};
use cwnd::CaState;
use cwnd::registry::SetDescription;

/// A loss at nine tenths of the last maximum keeps β of the window, as any other.
pub fn fast_convergence_leaves_the_reduction_alone(set: &SetDescription) -> ProbeResult {
    if !is_cubic(set) && algorithm(set).name != "bic" {
        return None;
    }
    let mut flow = DrivenFlow::after_loss(set, 1000, 100_000);
    let beta = decimal(set, "beta")?;
    flow.driver.conn.cwnd = 900;
    flow.lose();
    let second = f64::from(flow.driver.conn.ssthresh) / 900.0;
    claim((second - beta).abs() <= 0.002, || format!("{second:.3} kept, not {beta:.3}"))
}

/// A recovery that becomes persistent congestion, and five timeouts in a row: `ssthresh` falls once.
pub fn timeouts_reduce_once(set: &SetDescription) -> ProbeResult {
    let mut flow = DrivenFlow::in_avoidance(set, 100, 100_000);
    flow.round(1);
    flow.declare_lost();
    let once = flow.driver.conn.ssthresh;
    for _ in 0..5 {
        flow.time_out();
        flow.wait(1_000_000);
    }
    let after = flow.driver.conn.ssthresh;
    claim(after == once && flow.cwnd() == 1, || format!("{once} after the loss, {after} after the timeouts"))
}

/// Ten losses of one window are one reduction.
pub fn a_window_of_losses_is_one_reduction(set: &SetDescription) -> ProbeResult {
    let mut flow = DrivenFlow::in_avoidance(set, 100, 100_000);
    flow.round(1);
    let mut reductions = u32::from(flow.declare_lost());
    let once = flow.cwnd();
    for _ in 0..9 {
        flow.wait(1_000);
        reductions += u32::from(flow.declare_lost());
    }
    claim(reductions == 1 && flow.cwnd() == once, || {
        format!("{reductions} reductions, {once} to {}", flow.cwnd())
    })
}

/// After a timeout at 100 segments, the repair's slow start: after four round trips the window is four segments at least.
pub fn after_a_timeout_the_window_grows_again(set: &SetDescription) -> ProbeResult {
    let mut flow = DrivenFlow::in_avoidance(set, 100, 100_000);
    flow.round(1);
    flow.time_out();
    flow.repair();
    flow.rounds(4);
    let state = flow.driver.conn.ca_state;
    claim(flow.cwnd() >= 4 && state == CaState::Open, || format!("{} segments, {state:?}", flow.cwnd()))
}

/// An ACK of 40 segments at 49 of 50: slow start adds one, and the other 39 what they would have added at 50.
pub fn slow_start_stops_at_the_threshold(set: &SetDescription) -> ProbeResult {
    let mut flow = DrivenFlow::new(set, 49, 100_000);
    flow.driver.conn.cwnd = 49;
    flow.driver.conn.ssthresh = 50;
    flow.ack(40);
    let mut beyond = DrivenFlow::in_avoidance(set, 50, 100_000);
    beyond.ack(39);
    claim(flow.cwnd() <= beyond.cwnd() + 1, || format!("{} segments, {} from 50", flow.cwnd(), beyond.cwnd()))
}

/// Half of the window is in flight when a packet is lost: the threshold is below that half, not below the window.
pub fn the_flight_is_what_a_loss_reduces(set: &SetDescription) -> ProbeResult {
    let mut flow = DrivenFlow::in_avoidance(set, 100, 100_000);
    flow.round(1);
    flow.driver.conn.cwnd = 100;
    flow.driver.conn.packets_out = 50;
    flow.driver.conn.in_flight = 50;
    let conn = &mut flow.driver.conn;
    let ssthresh = flow.driver.cc.ssthresh(conn);
    claim(ssthresh <= 45, || format!("{ssthresh} for a window of 100 with 50 in flight"))
}

/// After a timeout, back at the threshold: ten round trips of avoidance add 15 % at most (5 % in each would be 63 %).
pub fn after_a_timeout_avoidance_begins_gently(set: &SetDescription) -> ProbeResult {
    if !is_cubic(set) {
        return None;
    }
    let mut flow = DrivenFlow::in_avoidance(set, 200, 100_000);
    flow.round(1);
    flow.time_out();
    flow.repair();
    let threshold = flow.driver.conn.ssthresh;
    while flow.cwnd() < threshold {
        flow.round(1);
    }
    let before = flow.cwnd();
    flow.rounds(10);
    claim(flow.cwnd() <= before + before * 15 / 100, || format!("{before} to {}", flow.cwnd()))
}

/// A real loss in each of eight round trips: the window goes down each time, to its floor, and stays down.
pub fn real_losses_stay_reductions(set: &SetDescription) -> ProbeResult {
    let mut flow = DrivenFlow::in_avoidance(set, 1000, 100_000);
    flow.round(1);
    for _ in 0..8 {
        let before = flow.cwnd();
        flow.lose();
        flow.ack(1);
        if flow.cwnd() >= before.max(4) {
            return claim(false, || format!("{before} to {}", flow.cwnd()));
        }
    }
    claim(true, String::new)
}

/// An hour later, an ACK from within the lost window: recovery goes on, the window stays.
pub fn recovery_ends_by_position_not_by_time(set: &SetDescription) -> ProbeResult {
    let mut flow = DrivenFlow::in_avoidance(set, 100, 100_000);
    flow.round(1);
    flow.declare_lost();
    let reduced = flow.cwnd();
    flow.wait(3_600_000_000);
    flow.ack(10);
    let state = flow.driver.conn.ca_state;
    claim(state == CaState::Recovery && flow.cwnd() == reduced, || format!("{state:?}, {}", flow.cwnd()))
}
