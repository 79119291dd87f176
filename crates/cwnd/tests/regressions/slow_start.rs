// SPDX-License-Identifier: MIT OR Apache-2.0
//! What ends slow start, and what must not. Table `slow_start`.

use crate::support::DrivenFlow;
use crate::{ProbeResult, claim};
use cwnd::PacingStatus;
use cwnd::registry::SetDescription;

/// One round of slow start whose ACKs arrive within `spread` of the RTT.
fn round(flow: &mut DrivenFlow, rtt_us: u32, spread: f64) {
    let acks = flow.cwnd().min(2_000);
    let gap_us = (f64::from(rtt_us) * spread / f64::from(acks)) as u64;
    for _ in 0..acks {
        flow.ack_with(1, Some(rtt_us));
        flow.wait(gap_us);
    }
    flow.wait(u64::from(rtt_us).saturating_sub(gap_us * u64::from(acks)));
}

/// Whether the threshold is what it was at the start.
fn still_watching(flow: &DrivenFlow, threshold: u32) -> ProbeResult {
    let now = flow.driver.conn.ssthresh;
    claim(now >= threshold, || format!("left at {now} segments"))
}

/// Silence between the handshake and the first data.
pub fn idle_before_the_first_round_ends_nothing(set: &SetDescription) -> ProbeResult {
    let mut flow = DrivenFlow::new(set, 16, 100_000);
    let threshold = flow.driver.conn.ssthresh;
    flow.ack(1);
    flow.idle(3_000_000);
    for _ in 0..8 {
        round(&mut flow, 100_000, 0.2);
    }
    still_watching(&flow, threshold)
}

/// The smallest RTT falls from 150 to 100 ms.
pub fn a_falling_minimum_ends_nothing(set: &SetDescription) -> ProbeResult {
    let mut flow = DrivenFlow::new(set, 16, 150_000);
    let threshold = flow.driver.conn.ssthresh;
    for rtt_us in [150_000, 150_000, 100_000, 100_000, 100_000] {
        round(&mut flow, rtt_us, 0.2);
    }
    still_watching(&flow, threshold)
}

/// A paced sender's ACKs are spread over most of the RTT without any queue.
pub fn pacing_ends_nothing(set: &SetDescription) -> ProbeResult {
    let mut flow = DrivenFlow::new(set, 16, 100_000);
    let threshold = flow.driver.conn.ssthresh;
    flow.driver.conn.pacing_status = PacingStatus::Needed;
    for _ in 0..8 {
        round(&mut flow, 100_000, 0.9);
    }
    still_watching(&flow, threshold)
}

/// The first sample is ten times too long.
pub fn a_first_outlier_ends_nothing(set: &SetDescription) -> ProbeResult {
    let mut flow = DrivenFlow::new(set, 16, 100_000);
    let threshold = flow.driver.conn.ssthresh;
    flow.ack_with(1, Some(1_000_000));
    for _ in 0..8 {
        round(&mut flow, 100_000, 0.2);
    }
    still_watching(&flow, threshold)
}

/// A path of 200 segments and 100 ms, the RTT growing with the queue: a slow start that watches ends between half of that
/// and twice as much.
pub fn a_filling_pipe_ends_it_near_the_bdp(set: &SetDescription) -> ProbeResult {
    let mut flow = DrivenFlow::new(set, 10, 100_000);
    let mut last = flow.cwnd();
    while flow.cwnd() < 20_000 {
        // What is acknowledged now was sent while the window grew from the last round's to this one's; what was beyond
        // 200 segments waited at the bottleneck, half a millisecond each.
        let window = flow.cwnd();
        for n in 0..window {
            let at_sending = last + n * (window - last) / window;
            flow.ack_with(1, Some(100_000 + 500 * at_sending.saturating_sub(200)));
            flow.wait(500);
        }
        flow.wait(100_000_u64.saturating_sub(500 * u64::from(window)));
        last = window;
        if !flow.driver.conn.in_slow_start() {
            let exit = flow.driver.conn.ssthresh;
            return claim((95..=400).contains(&exit), || format!("left at {exit} segments"));
        }
    }
    None // it does not watch
}
