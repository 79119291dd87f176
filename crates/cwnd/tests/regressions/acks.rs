// SPDX-License-Identifier: MIT OR Apache-2.0
//! Acknowledgements of many segments. Table `acks`.

use crate::support::DrivenFlow;
use crate::{ProbeResult, claim};
use cwnd::registry::SetDescription;

/// The time from a loss at 320 segments back to there, RTT 200 ms, with an ACK for every 1, 2, 4, 10 and 25: within 3 % and a
/// round trip.
pub fn the_ack_ratio_does_not_change_the_growth(set: &SetDescription) -> ProbeResult {
    let time_to_regain = |every| {
        let mut flow = DrivenFlow::in_avoidance(set, 320, 200_000);
        flow.round(every);
        flow.driver.conn.cwnd = 320;
        flow.lose();
        let begin = flow.now_s();
        while flow.cwnd() < 318 && flow.now_s() - begin < 600.0 {
            flow.round(every);
        }
        flow.now_s() - begin
    };
    let times = [1, 2, 4, 10, 25].map(time_to_regain);
    let even = times.iter().all(|t| (t - times[0]).abs() <= 0.03 * times[0] + 0.2);
    claim(even, || format!("{times:.2?} s"))
}

/// Slow start, the ACKs of each round in one burst of a microsecond, steady RTT: nothing ends it.
pub fn a_burst_of_acknowledgements_is_no_train(set: &SetDescription) -> ProbeResult {
    let mut flow = DrivenFlow::new(set, 16, 100_000);
    let threshold = flow.driver.conn.ssthresh;
    for _ in 0..8 {
        flow.wait(flow.rtt_us);
        for n in 0..flow.cwnd().min(2000) {
            flow.wait(u64::from(n % 64 == 63));
            flow.ack(1);
        }
    }
    let now = flow.driver.conn.ssthresh;
    claim(now >= threshold, || format!("left at {now}"))
}
