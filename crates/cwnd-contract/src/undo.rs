// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an undo gives back: what its own recovery epoch took, and nothing of an earlier one.

use crate::promise;
use crate::support::MSS;
use cwnd::driver::{Driver, Options, RecoveryEpoch};
use cwnd::registry::SetDescription;
use cwnd::{Conn, Controller};

const RTO_US: u64 = 200_000;

/// A flow of `window` segments, all of them out, whose transport repairs losses as Linux does.
fn flow(algorithm: Controller, window: u32) -> Driver {
    let mut conn = Conn { is_cwnd_limited: true, ..Conn::new(MSS, window) };
    (conn.packets_out, conn.in_flight, conn.max_packets_out) = (window, window, window);
    conn.set_now(1_000_000);
    let mut driver = Driver::new(algorithm, conn, Options::LINUX);
    driver.conn.cwnd = window;
    driver
}

/// After a timeout the window grows to `grown` segments; then another epoch begins. Proof of the second one alone leaves no more than what
/// was there before the second one; proof of the first one comes too late for it.
///
/// # Errors
/// What was seen instead.
pub fn a_proof_gives_back_what_its_own_epoch_took(set: &SetDescription) -> Result<(), String> {
    for (window, grown) in [(100, 1), (100, 2), (100, 20), (1000, 100), (12, 12)] {
        for by_timer in [true, false] {
            let mut driver = flow(set.controller().ok_or("no controller")?, window);
            if driver.cc.has_cong_control() {
                return Ok(()); // its window is its own
            }
            driver.conn.in_flight = 0;
            let first = driver.on_timeout(1_000_000 + RTO_US, 0, window.into());
            driver.conn.cwnd = driver.conn.cwnd.max(grown);
            (driver.conn.packets_out, driver.conn.in_flight) = (driver.conn.cwnd, 0);
            let before = (driver.conn.cwnd, driver.conn.ssthresh);
            let begin: fn(&mut Driver, u64, u64) -> RecoveryEpoch =
                if by_timer { Driver::on_further_timeout } else { Driver::on_lost_retransmission };
            let second = begin(&mut driver, 1_000_000 + 3 * RTO_US, u64::from(window) + 50);
            let reduced = (driver.conn.cwnd, driver.conn.ssthresh);
            let what = if by_timer { "a further timeout" } else { "a lost retransmission" };
            promise!(
                !driver.on_spurious(1_700_000, first),
                "{window}, {grown}, {what}: a late proof of the first undid it"
            );
            promise!(driver.on_spurious(1_700_001, second), "{window}, {grown}, {what}: could not be undone");
            let (cwnd, ssthresh) = (driver.conn.cwnd, driver.conn.ssthresh);
            // Linux restores a threshold of three quarters of the window at least. // Linux: tcp_current_ssthresh
            let most = (before.0.max(reduced.0), before.1.max(reduced.1).max(before.0 / 2 + before.0 / 4));
            promise!(
                cwnd <= most.0 && ssthresh <= most.1,
                "a timeout at {window}, then {what} at {before:?}: proof of the second gave ({cwnd}, {ssthresh})"
            );
        }
    }
    Ok(())
}
