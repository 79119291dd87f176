// SPDX-License-Identifier: MIT OR Apache-2.0
//! A flow that changes to an algorithm which sets its own pacing rate, and back.

use super::{MS, MSS, Sender, ack, flow, sends};

/// An algorithm that sets its rate: 2000 segments/s of 1448 bytes.
#[derive(Clone, Debug)]
struct FixedRate;

impl cwnd::CongestionControl for FixedRate {
    type Params = ();

    fn init(&mut self, conn: &mut cwnd::Conn, (): &()) {
        assert_eq!(conn.pacing_status, cwnd::PacingStatus::Needed, "before init, as in the kernel");
        conn.pacing_rate = 2_896_000;
    }

    fn ssthresh(&mut self, conn: &mut cwnd::Conn, (): &()) -> u32 {
        conn.cwnd
    }

    fn cong_avoid(&mut self, _conn: &mut cwnd::Conn, _ack: u32, _acked: u32, (): &()) {}

    fn has_cong_control(&self) -> bool {
        true
    }
}

impl cwnd::registry::Custom for FixedRate {}

// A segment each 500 µs while it has the flow. Afterwards the pace stays, at the window's rate, as in Linux: 955 680 bytes/s.
#[test]
fn a_flow_that_changes_to_an_algorithm_with_a_rate_of_its_own_is_paced_from_then_on() {
    let mut sender = Sender::new(
        &flow(
            "cc = 'reno'
recovery = 'sack-prr'
initial_ssthresh = 10",
        ),
        MSS,
    );
    sends(&mut sender, 0, 0);
    sender.switch(cwnd::Controller::Custom(Box::new(FixedRate)));
    sender.on_ack(20 * MS, &ack(10, 0));
    let then = sends(&mut sender, 20 * MS, 22 * MS);
    assert_eq!(then.iter().map(|sent| sent.0).collect::<Vec<_>>(), [40, 41, 42, 43, 44].map(|n| n * MS / 2));
    sender.switch(cwnd::Controller::by_name("reno").expect("registered"));
    sender.driver.conn.cwnd = 11;
    sends(&mut sender, 22 * MS, 23 * MS);
    assert_eq!(sender.driver.conn.pacing_rate, 955_680);
    assert_eq!(sender.driver.conn.pacing_status, cwnd::PacingStatus::Needed);
}
