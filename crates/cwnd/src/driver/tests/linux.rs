// SPDX-License-Identifier: MIT OR Apache-2.0
//! What Linux's recovery asks for beyond the RFCs': reductions for data that has had one, and a window that keeps what is out.

use super::*;
use crate::rate_sample::RateSample;

// RFC 8985 §6.3: not everything is lost at a timeout. Seven of 20 segments are still out, and one may go: 8, of a threshold of 10.
#[test]
fn after_a_timeout_the_window_is_what_is_out_and_one_more() {
    let mut driver = driver("reno", 20, Options::LINUX);
    driver.conn.in_flight = 7;
    driver.on_timeout(1, 0, 20);
    assert_eq!((driver.conn.cwnd, driver.conn.ssthresh), (8, 10));
    driver.conn.in_flight = 12;
    driver.on_timeout(2, 0, 20);
    assert_eq!((driver.conn.cwnd, driver.conn.ssthresh), (8, 10), "never more than the window");
}

// Linux: a retransmission lost in the repair after a timeout begins a fast recovery. Threshold 10 for 20 segments, then 4 for a window of
// 8; its undo gives the 10 back, not the 20's.
#[test]
fn a_lost_retransmission_after_a_timeout_is_another_reduction() {
    let mut driver = driver("reno-linux", 20, Options::LINUX);
    driver.conn.in_flight = 0;
    driver.on_timeout(1, 0, 20);
    (driver.conn.cwnd, driver.conn.in_flight) = (8, 6);
    let epoch = driver.on_lost_retransmission(2, 25);
    assert_eq!((driver.conn.ca_state, driver.conn.ssthresh), (CaState::Recovery, 4));
    assert_eq!((driver.conn.cwnd, driver.recovery_end()), (7, 25), "one is forced out, RFC 9937");
    assert!(driver.on_spurious(3, epoch));
    assert_eq!((driver.conn.ca_state, driver.conn.cwnd, driver.conn.ssthresh), (CaState::Open, 8, 10));
}

// RFC 5681 §3.1: the timer fires for a segment that it has not sent again: the threshold goes down again, from 10 to 3 for 6.
#[test]
fn a_timeout_after_progress_is_another_reduction() {
    let mut driver = driver("reno-linux", 20, Options::LINUX);
    driver.conn.in_flight = 0;
    let first = driver.on_timeout(1, 0, 20);
    driver.conn.cwnd = 6;
    let second = driver.on_further_timeout(2, 22);
    assert_eq!((driver.conn.cwnd, driver.conn.ssthresh, driver.recovery_end()), (1, 3, 22));
    assert!(!driver.on_spurious(3, first), "an earlier epoch's");
    assert!(driver.on_spurious(3, second));
    assert_eq!((driver.conn.cwnd, driver.conn.ssthresh), (6, 10));
}

// RFC 8985 §7.4.2: a probe has repaired the loss: from 20 to 10 at once, CWR and back, nothing to repair, and no later proof counts. Of
// a sender that counts its flight it is what was out: 12.
#[test]
fn a_loss_that_is_repaired_already_is_a_reduction_without_a_recovery() {
    let mut driver = driver("reno-linux", 20, Options::LINUX);
    (driver.conn.packets_out, driver.conn.in_flight) = (2, 2);
    driver.on_repaired_loss(1, 22);
    assert_eq!((driver.conn.ca_state, driver.conn.cwnd, driver.conn.ssthresh), (CaState::Open, 10, 10));
    assert_eq!(driver.recovery_end(), 0, "a later loss is judged by itself");
    let epoch = driver.on_loss(2, 5, 22).expect("begun");
    assert!(driver.on_spurious(3, epoch));
    assert_eq!(driver.conn.cwnd, 10);

    let mut driver = super::driver("reno", 20, Options::LINUX);
    (driver.conn.packets_out, driver.conn.max_packets_out) = (0, 12);
    driver.on_repaired_loss(1, 22);
    assert_eq!((driver.conn.cwnd, driver.conn.ssthresh), (6, 6));
}

// RFC 3168 §6.1.2: half of 20 is 10. The acknowledgement of all that was out may still carry the echo: the segment with CWR comes after it. So
// the state lasts until data sent since is acknowledged, and only then does another echo count. Linux's window ends at its threshold.
#[test]
fn a_reduction_for_a_mark_lasts_until_the_receiver_knows_of_it() {
    let mut driver = driver("reno-linux", 20, Options::LINUX);
    assert_eq!(driver.on_ecn(1, 1, 20), EcnOutcome::Reduced);
    driver.on_ack(&ack(2, 20, 19));
    assert_eq!((driver.conn.ca_state, driver.on_ecn(2, 19, 30)), (CaState::Cwr, EcnOutcome::Ignored));
    driver.on_ack(&ack(3, 21, 1));
    assert_eq!((driver.conn.ca_state, driver.conn.cwnd, driver.conn.ssthresh), (CaState::Open, 10, 10));
    driver.conn.cwnd = 1;
    assert_eq!(driver.on_ecn(4, 21, 31), EcnOutcome::AtFloor);
    driver.on_ack(&ack(5, 32, 1));
    assert_eq!((driver.conn.cwnd, driver.conn.ssthresh), (2, 2));
}

// 94 segments were out at most, and the acknowledgement with the echo has taken one: Linux halves 93, to 46; the RFCs what was out before it.
#[test]
fn a_mark_reduces_from_what_its_acknowledgement_leaves_out() {
    for (options, ssthresh) in [(Options::LINUX, 46), (Options::TCP, 47)] {
        let mut driver = driver("reno", 94, options);
        (driver.conn.packets_out, driver.conn.max_packets_out) = (93, 94);
        driver.on_ecn(1, 1, 94);
        assert_eq!(driver.conn.ssthresh, ssthresh);
    }
}

// A loss in it is fast recovery for the same data, without another reduction; nothing of it can be undone.
#[test]
fn a_loss_after_an_echo_is_repaired_without_another_reduction() {
    let mut driver = driver("reno-linux", 20, Options::LINUX);
    driver.on_ecn(1, 1, 20);
    driver.on_loss_after_echo(2);
    assert_eq!(
        (driver.conn.ca_state, driver.conn.ssthresh, driver.recovery_end()),
        (CaState::Recovery, 10, 20)
    );
    driver.on_ack(&ack(3, 20, 1));
    assert_eq!((driver.conn.ca_state, driver.conn.cwnd), (CaState::Open, 10));
    let mut driver = super::driver("reno-linux", 20, Options::LINUX);
    let epoch = driver.on_loss(1, 5, 20).expect("begun");
    driver.prohibit_undo();
    assert!(!driver.on_spurious(2, epoch));
}

// Linux's tcp_enter_recovery keeps tcp_current_ssthresh: 3/4 of the window of 12 are 9, more than the threshold of 8. RFC 5681's TCP gets 8 back.
// Row DR14.
#[test]
fn an_undo_leads_slow_start_to_three_quarters_of_the_window() {
    for (options, ssthresh) in [(Options::LINUX, 9), (Options::TCP, 8)] {
        let mut driver = driver("reno", 12, options);
        driver.conn.ssthresh = 8;
        let epoch = driver.on_loss(1, 0, 12).expect("an epoch");
        assert!(driver.on_spurious(2, epoch));
        assert_eq!(driver.conn.ssthresh, ssthresh);
    }
}

// Linux's tcp_cwnd_reduction: as long as nothing has left since the echo, an acknowledgement lets one segment go. Three segments are reduced to
// two, and two are still out: 3. RFC 9937 forces the fast retransmit alone: 2.
// Row DR14.
#[test]
fn the_reduction_of_an_echo_lets_the_first_segment_go() {
    for (options, cwnd) in [(Options::LINUX, 3), (Options::TCP.reduction(Reduction::Proportional), 2)] {
        let mut driver = driver("reno", 3, options);
        driver.conn.ssthresh = 2;
        driver.on_ecn(1, 0, 3);
        driver.conn.in_flight = 2;
        driver.on_ack(&Ack { acked: 1, ..ack(1, 1, 1) });
        assert_eq!(
            (driver.conn.ca_state, driver.conn.ssthresh, driver.conn.cwnd),
            (CaState::Cwr, 2, cwnd),
            "{options:?}"
        );
    }
}

// Linux's tcp_cwnd_reduction and tcp_end_cwnd_reduction read tp->snd_ssthresh, and HyStart goes on in recovery: 20 are reduced to 10. After the
// fast retransmit, 8 are in flight. An advance lets two go; after HyStart has lowered the threshold to 9, one. The window ends there.
// Row DR14.
#[test]
fn a_reduction_follows_a_threshold_that_hystart_lowers() {
    for (options, cwnd, end) in
        [(Options::LINUX, 9, 9), (Options::TCP.reduction(Reduction::Proportional), 10, 10)]
    {
        let mut driver = driver("reno", 20, options);
        driver.conn.in_flight = 12;
        driver.on_loss(1, 0, 20);
        driver.on_sent(1, 1_000_000);
        (driver.conn.in_flight, driver.conn.ssthresh) = (8, 9);
        driver.on_ack(&ack(2, 1, 1));
        assert_eq!(driver.conn.cwnd, cwnd, "{options:?}");
        driver.on_ack(&ack(3, 20, 1));
        assert_eq!((driver.conn.ca_state, driver.conn.cwnd), (CaState::Open, end), "{options:?}");
    }
}

/// Its window is its own, and it sets no threshold. Notes the events that it hears of.
#[derive(Clone, Debug, Default)]
struct OwnWindow {
    events: std::sync::Arc<std::sync::Mutex<Vec<CaEvent>>>,
}

impl crate::CongestionControl for OwnWindow {
    type Params = ();

    fn ssthresh(&mut self, _conn: &mut Conn, (): &()) -> u32 {
        INFINITE_SSTHRESH
    }

    fn cong_avoid(&mut self, _conn: &mut Conn, _ack: u32, _acked: u32, (): &()) {}

    fn has_cong_control(&self) -> bool {
        true
    }

    fn cong_control(&mut self, conn: &mut Conn, _ack: u32, _flags: u32, _: &RateSample, (): &()) {
        conn.cwnd = 20;
    }

    fn cwnd_event(&mut self, _conn: &mut Conn, event: CaEvent, (): &()) {
        self.events.lock().expect("one thread").push(event);
    }
}

impl crate::controller::Custom for OwnWindow {}

// Linux's tcp_end_cwnd_reduction does nothing for an algorithm with `cong_control`, and nothing where no threshold was set: an algorithm that
// takes its place within the recovery keeps the window.
// Row DR14.
#[test]
fn the_end_of_a_recovery_leaves_a_window_alone_that_nobody_reduced() {
    let cc = OwnWindow::default();
    let events = cc.events.clone();
    let mut driver = Driver::new(
        Controller::Custom(Box::new(cc)),
        Conn { is_cwnd_limited: true, packets_out: 20, in_flight: 19, ..Conn::new(1200, 20) },
        Options::LINUX,
    );
    driver.on_loss(1, 0, 20);
    let mut other = driver.clone();
    driver.on_ack(&ack(2, 20, 20));
    assert_eq!((driver.conn.ca_state, driver.conn.cwnd), (CaState::Open, 20));
    assert_eq!(*events.lock().expect("one thread"), [], "not even the end");
    other.switch(Controller::by_name("reno").expect("registered"));
    let credit = other.on_progress(&ack(2, 20, 20));
    assert_eq!((other.conn.ca_state, other.conn.cwnd, credit), (CaState::Open, 20, 20));
}
