// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two events and more: echoes, proofs and timers across each other, flights that lost data, algorithms with `cong_control`, time.

use super::*;

const PROPORTIONAL: Options = Options { reduction: Reduction::Proportional, ..Options::TCP };

// RFC 9438 §4.6 MUST: down to one segment under proportional reduction too: 4, 2.8, 2.1, and then one less each.
// Row DR1.
// R9438-4.6-e
#[test]
fn ecn_reaches_one_segment_under_proportional_reduction() {
    let mut driver = driver("cubic", 4, PROPORTIONAL);
    let mut windows = Vec::new();
    for position in (0..100).step_by(10) {
        driver.conn.in_flight = 0;
        let outcome = driver.on_ecn(position, position, position + 10);
        driver.on_ack(&ack(position, position, 1));
        if outcome == EcnOutcome::AtFloor {
            break;
        }
        driver.on_ack(&Ack { acked: 0, delivered: 0, ..ack(position, position + 10, 0) });
        windows.push(driver.conn.cwnd);
        driver.conn.packets_out = driver.conn.cwnd;
        driver.conn.max_packets_out = driver.conn.cwnd;
    }
    assert_eq!((windows, driver.conn.cwnd), (vec![3, 2, 1], 1));
}

// A stretched acknowledgement of all that is out carries an echo: the epoch lasts to the next one, and nothing grows.
// Row DR9.
#[test]
fn the_acknowledgement_that_carries_an_echo_does_not_end_its_epoch() {
    let mut driver = driver("reno", 2, Options::default());
    (driver.conn.packets_out, driver.conn.max_packets_out) = (0, 2);
    assert_eq!(driver.on_ecn(1, 1, 2), EcnOutcome::Reduced);
    driver.on_ack(&ack(1, 2, 2));
    assert_eq!((driver.conn.cwnd, driver.conn.ca_state), (1, CaState::Cwr));
    driver.on_ack(&ack(2, 3, 1));
    assert_eq!((driver.conn.cwnd, driver.conn.ca_state), (2, CaState::Open));
}

// RFC 9438 §4.9 is about losses. Linux: an ECN echo prohibits undo.
// Row DR2.
#[test]
fn an_echo_closes_the_undo_of_the_loss_that_it_came_with() {
    let mut driver = driver("cubic", 100, Options::default());
    let epoch = driver.on_loss(1, 10, 100).expect("begun");
    assert_eq!(driver.on_ecn(2, 20, 100), EcnOutcome::Ignored);
    assert!(!driver.on_spurious(3, epoch));
    assert_eq!((driver.conn.cwnd, driver.conn.ca_state), (70, CaState::Recovery));
}

// Epoch 1 from 100 to 70, epoch 2 from 70 to 49: late proof of the first says nothing of the second.
// Rows DR3, DR4.
#[test]
fn a_proof_of_an_earlier_epoch_undoes_nothing() {
    let mut driver = driver("cubic", 100, Options::default());
    let first = driver.on_loss(1, 5, 100).expect("begun");
    driver.conn.packets_out = 70;
    let second = driver.on_loss(3, 120, 170).expect("begun");
    assert!(!driver.on_spurious(4, first));
    assert_eq!(driver.conn.cwnd, 49);
    assert!(driver.on_spurious(5, second));
    assert_eq!((driver.conn.cwnd, driver.recovery_end()), (70, 100), "the first stays");
}

// After an undo the data that was out counts as never reduced for: a later echo or timeout of it is answered.
// Rows DR4, DR10.
#[test]
fn after_an_undo_old_data_is_judged_anew() {
    let undone = || {
        let mut driver = driver("cubic", 100, Options { timeout_reduces_again: false, ..Options::default() });
        let epoch = driver.on_loss(1, 10, 100).expect("begun");
        assert!(driver.on_spurious(2, epoch));
        assert_eq!((driver.conn.cwnd, driver.recovery_end()), (100, 0));
        driver
    };
    let mut marked = undone();
    assert_eq!((marked.on_ecn(3, 20, 100), marked.conn.cwnd), (EcnOutcome::Reduced, 70));
    let mut timed_out = undone();
    timed_out.on_timeout(3, 20, 100);
    assert_eq!((timed_out.conn.cwnd, timed_out.conn.ssthresh), (1, 70));
    let mut lost = undone();
    assert!(lost.on_loss(3, 20, 100).is_some());
}

// RFC 9438 §4.6, RFC 9937: 40 of 100 packets are found lost by a timer. Nothing was delivered, so only the fast retransmit goes;
// more losses found so, once it has gone, let nothing go.
// Row DR5.
#[test]
fn a_loss_that_a_timer_finds_lets_one_segment_go() {
    let mut driver = driver("cubic", 100, PROPORTIONAL);
    driver.conn.in_flight = 60;
    driver.on_loss(1, 5, 100);
    assert_eq!((driver.conn.ssthresh, driver.conn.cwnd), (70, 61));
    driver.on_sent(1, 200_000);
    driver.conn.in_flight = 51; // the retransmission, and ten more found lost
    assert!(driver.on_loss(2, 15, 100).is_none());
    assert_eq!(driver.conn.cwnd, 51);
}

// RFC 9937: with nothing delivered (the acknowledgement that shows the loss reports nothing new) the fast retransmit goes all the same.
// Row DR10.
#[test]
fn the_fast_retransmit_goes_though_nothing_was_delivered() {
    let mut driver = driver("reno", 20, PROPORTIONAL);
    driver.conn.in_flight = 17;
    driver.on_loss(1, 0, 20);
    let nothing = Ack { delivered: 0, new_loss: true, ..ack(1, 0, 0) };
    driver.on_ack(&nothing);
    assert_eq!(driver.conn.cwnd, 18);
    driver.on_sent(1, 200_000);
    driver.conn.in_flight = 18;
    driver.on_ack(&nothing);
    assert_eq!(driver.conn.cwnd, 18, "once");
}

// RFC 9937: with the flight at its target nothing is owed, and the fast retransmit goes all the same. Half of 20 is 10. Row DR10.
#[test]
fn the_fast_retransmit_goes_at_the_target() {
    let mut driver = driver("reno", 20, PROPORTIONAL);
    driver.conn.in_flight = 10; // ten of twenty found lost
    driver.on_loss(1, 0, 20);
    driver.on_ack(&Ack { delivered: 1, new_loss: true, ..ack(1, 0, 0) });
    assert_eq!(driver.conn.cwnd, 11);
}

// quinn-proto's traced numbers: cwnd 284 with 279 out is halved to 139; 82 ms later 82 of 139 are in flight, because lost packets
// left it, and a packet that was sent since is lost. Half of what was out is 69; half of what is left would be 41.
// Row DR7.
#[test]
fn a_pipe_that_lost_data_is_not_the_flight_that_is_reduced() {
    let conn = Conn { is_cwnd_limited: true, ..Conn::new(1200, 284) };
    let mut driver = Driver::new(Controller::by_name("reno").expect("registered"), conn, Options::QUIC);
    let out = |driver: &mut Driver, packets: u32| {
        (driver.conn.packets_out, driver.conn.in_flight) = (packets, packets);
    };
    out(&mut driver, 278);
    driver.on_sent(0, 200_000);
    out(&mut driver, 139); // of 279 the others are lost
    driver.on_loss(82_000, 150, 279);
    driver.on_ack(&Ack { rtt_us: Some(82_000), ..ack(82_000, 200, 1) });
    assert_eq!(driver.conn.cwnd, 139);
    out(&mut driver, 82);
    driver.on_loss(164_000, 279, 330);
    assert_eq!((driver.conn.cwnd, driver.conn.packets_out), (69, 82));
}

// RFC 9002 §7.3.2, §B.5: of 60 packets that the acknowledgement reports only the one sent since the recovery began counts: at
// 50 packets a fiftieth of one more.
#[test]
fn the_acknowledgement_that_ends_a_recovery_counts_what_was_sent_since() {
    let mut driver = driver("reno", 100, Options::QUIC);
    driver.on_loss(1, 5, 100);
    driver.on_ack(&ack(2, 100, 60));
    assert_eq!((driver.conn.cwnd, driver.conn.cwnd_cnt, driver.conn.ca_state), (50, 1, CaState::Open));
    driver.on_ack(&ack(3, 149, 49));
    assert_eq!(driver.conn.cwnd, 51);
}

// Two quiet round trips later the flight of before counts no more.
#[test]
fn an_old_flight_is_forgotten_after_a_round_trip_more() {
    let conn = Conn { is_cwnd_limited: true, ..Conn::new(1200, 100) };
    let mut driver = Driver::new(Controller::by_name("reno").expect("registered"), conn, Options::QUIC);
    driver.conn.packets_out = 99;
    driver.on_sent(0, 200_000);
    driver.conn.packets_out = 20;
    for round in 1..=3 {
        driver.on_ack(&ack(round * 50_000, round, 1));
    }
    assert_eq!(driver.rounds(), 3);
    driver.on_loss(160_000, 5, 100);
    assert_eq!(driver.conn.ssthresh, 10);
}

/// Says that it has `cong_control`, and does nothing; notes the events that it hears of.
#[derive(Clone, Debug, Default)]
struct OwnControl {
    events: std::sync::Arc<std::sync::Mutex<Vec<CaEvent>>>,
}

impl crate::CongestionControl for OwnControl {
    type Params = ();

    fn ssthresh(&mut self, conn: &mut Conn, (): &()) -> u32 {
        conn.cwnd / 10
    }

    fn cong_avoid(&mut self, _conn: &mut Conn, _ack: u32, _acked: u32, (): &()) {
        panic!("cong_avoid beside cong_control");
    }

    fn has_cong_control(&self) -> bool {
        true
    }

    fn cwnd_event(&mut self, _conn: &mut Conn, event: CaEvent, (): &()) {
        self.events.lock().expect("one thread").push(event);
    }
}

impl crate::registry::Custom for OwnControl {}

// Linux: tcp_end_cwnd_reduction and tcp_slow_start_after_idle_check leave such an algorithm's window alone; tcp_enter_loss does not.
// Rows DR6, DR10.
#[test]
fn an_algorithm_with_cong_control_is_cut_by_a_timeout_only() {
    for reduction in [Reduction::Immediate, Reduction::Proportional] {
        let control = OwnControl::default();
        let events = control.events.clone();
        let conn = Conn { packets_out: 200, in_flight: 200, ..Conn::new(1200, 200) };
        let options = Options { reduction, ..Options::default() };
        let mut driver = Driver::new(Controller::Custom(Box::new(control)), conn, options);
        driver.on_loss(1, 10, 200);
        driver.on_ack(&ack(2, 200, 1));
        driver.on_ecn(3, 210, 300);
        driver.on_ack(&ack(4, 250, 1));
        driver.on_ack(&ack(5, 300, 1));
        driver.on_sent(6, 1);
        (driver.conn.packets_out, driver.conn.in_flight) = (0, 0);
        driver.on_sent(5_000_000, 1);
        assert_eq!((driver.conn.cwnd, driver.conn.ca_state), (200, CaState::Open));
        driver.on_timeout(5_000_001, 310, 400);
        driver.on_timeout(5_000_002, 310, 400);
        assert_eq!((driver.conn.cwnd, driver.conn.ca_state), (1, CaState::Loss));
        // The timeouts of the same data are one event, Linux's CA_EVENT_LOSS; no restart after idle.
        let expected = [CaEvent::CompleteCwr, CaEvent::CompleteCwr, CaEvent::TxStart, CaEvent::Loss];
        assert_eq!(*events.lock().expect("one thread"), expected);
    }
}

// The ticks follow the clock, at the connection's rate and from wherever they stand.
// Row DR12.
#[test]
fn the_driver_keeps_clock_ticks_and_round_trip_times() {
    let conn = Conn { ticks: u32::MAX - 4, tick_hz: 250, packets_out: 1, ..Conn::new(1200, 10) };
    let mut driver = Driver::new(Controller::by_name("reno").expect("registered"), conn, Options::default());
    driver.on_sent(39_999, 200_000);
    assert_eq!((driver.conn.ticks, driver.conn.lsndtime_ticks), (4, 4)); // 9 ticks of 4 ms
    let sample = Ack { rtt_us: Some(40_000), oldest_rtt_us: Some(60_000), ..ack(80_000, 1, 2) };
    driver.on_ack(&sample);
    assert_eq!((driver.conn.now_us, driver.conn.ticks), (80_000, 15));
    assert_eq!((driver.conn.srtt_us8, driver.conn.min_rtt_us), (8 * 60_000, 40_000));
    assert_eq!((driver.rttvar_us4(), driver.rounds()), (2 * 60_000, 1)); // RFC 6298 §2.2: half of it
    driver.on_ack(&Ack { now_us: 80_001, ..sample });
    assert_eq!(driver.rounds(), 1, "sent before the round trip began");
    driver.on_ack(&Ack { now_us: 120_000, ..sample });
    assert_eq!((driver.rounds(), driver.rttvar_us4()), (2, 90_000)); // RFC 6298 §2.3: three quarters
    driver.on_loss(130_000, 1, 2);
    driver.on_timeout(170_000, 3, 4);
    assert_eq!(driver.conn.ticks, 37); // 42 ticks
    let still = Driver::new(
        Controller::by_name("reno").expect("registered"),
        Conn { tick_hz: 0, ..conn },
        Options::TCP,
    );
    assert_eq!(still.conn.tick_hz, 1000, "no clock stands");
}
