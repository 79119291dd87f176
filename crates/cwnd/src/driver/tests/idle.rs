// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a packet does that leaves with nothing out: the restart after an idle time, and the flight from before it.

use super::*;
use crate::controller::Custom;
use std::sync::{Arc, Mutex};

/// Notes the events that it hears of, each with the window at that time.
#[derive(Clone, Debug, Default)]
struct EventLog {
    events: Arc<Mutex<Vec<(CaEvent, u32)>>>,
}

impl crate::CongestionControl for EventLog {
    type Params = ();

    fn ssthresh(&mut self, conn: &mut Conn, (): &()) -> u32 {
        conn.cwnd / 2
    }

    fn cong_avoid(&mut self, _conn: &mut Conn, _ack: u32, _acked: u32, (): &()) {}

    fn cwnd_event(&mut self, conn: &mut Conn, event: CaEvent, (): &()) {
        self.events.lock().expect("one thread").push((event, conn.cwnd));
    }
}

impl Custom for EventLog {}

// Linux's tcp_cwnd_restart tells of CA_EVENT_CWND_RESTART. Here the window is down by then, and the transmission comes after it.
// Row DR14.
#[test]
fn an_idle_restart_is_told_once_before_the_transmission() {
    let listens = EventLog::default();
    let events = listens.events.clone();
    let cc = Controller::Custom(Box::new(listens));
    let mut driver = Driver::new(cc, Conn::new(1200, 10), Options::default());
    driver.on_sent(0, 200_000);
    driver.conn.cwnd = 80;
    driver.on_sent(200_000, 200_000); // 200 ms, no more than the timeout
    driver.on_sent(400_001, 200_000);
    let started = (CaEvent::TxStart, 80);
    let expected = [(CaEvent::TxStart, 10), started, (CaEvent::CwndRestart, 10), (CaEvent::TxStart, 10)];
    assert_eq!(*events.lock().expect("one thread"), expected);
}

// The silence before a retransmission is the timer's, not the application's. A window that the repair has taken to 20 stays, and
// the proof that the timeout was spurious still gives back 100.
// Row DR14.
#[test]
fn the_silence_of_a_timeout_is_no_idle_time() {
    let conn = Conn { is_cwnd_limited: true, ..Conn::new(1200, 10) };
    let mut driver = Driver::new(Controller::by_name("reno").expect("registered"), conn, Options::QUIC);
    driver.on_sent(0, 200_000);
    (driver.conn.cwnd, driver.conn.packets_out) = (100, 99);
    driver.on_sent(0, 200_000);
    driver.conn.packets_out = 0; // all of them are lost
    let timeout = driver.on_timeout(200_000, 0, 100);
    driver.on_ack(&ack(250_000, 50, 18));
    assert_eq!((driver.conn.cwnd, driver.conn.ca_state), (20, CaState::Loss)); // 2 and 18
    driver.on_sent(1_000_000, 200_000);
    assert_eq!(driver.conn.cwnd, 20);
    assert!(driver.on_spurious(1_000_001, timeout));
    assert_eq!(driver.conn.cwnd, 100);
}

// RFC 9438 §4.6: FlightSize is what is out. All 99 packets arrived; of the 10 that left after them one is lost: half of 10, not of 99.
// Row DR14.
#[test]
fn a_flight_that_arrived_is_not_the_one_that_is_reduced() {
    let conn = Conn { is_cwnd_limited: true, ..Conn::new(1200, 100) };
    let mut driver = Driver::new(Controller::by_name("reno").expect("registered"), conn, Options::QUIC);
    for now_us in [0, 50_000] {
        let packets = if now_us == 0 { 99 } else { 10 };
        for out in 0..packets {
            driver.conn.packets_out = out;
            driver.on_sent(now_us, 200_000);
        }
        driver.conn.packets_out = packets;
    }
    driver.on_loss(100_000, 99, 109);
    assert_eq!(driver.conn.ssthresh, 5);
}

// RFC 2861 §3, Linux's tcp_cwnd_restart: the window is halved for each timeout that is over, and slow start leads to 3/4 of it: of 414, 310.
// The kernel counts in ticks, here of 1 ms, with a timeout of 200: 200 ticks are not over, and 400 are one timeout.
// Row DR14.
#[test]
fn linux_halves_the_window_for_each_timeout_of_an_idle_time() {
    let restarted = |idle_ms: u64, prepare: fn(&mut Conn)| {
        let listens = EventLog::default();
        let events = listens.events.clone();
        let cc = Controller::Custom(Box::new(listens));
        let mut driver = Driver::new(cc, Conn::new(1200, 10), Options::LINUX);
        driver.conn.tick_hz = 1000;
        driver.on_sent(0, 200_000);
        (driver.conn.cwnd, driver.conn.ssthresh) = (414, 300);
        prepare(&mut driver.conn);
        driver.conn.set_now(idle_ms * 1000);
        driver.on_sent(idle_ms * 1000, 200_000);
        let told = events.lock().expect("one thread")[1..].to_vec();
        (driver.conn.cwnd, driver.conn.ssthresh, told)
    };
    let start = |cwnd| (CaEvent::TxStart, cwnd);
    assert_eq!(restarted(200, |_| ()), (414, 300, vec![start(414)]));
    // The algorithm hears of it while the window is still whole.
    let restart = (CaEvent::CwndRestart, 414);
    for (idle_ms, cwnd) in [
        (201, 207),
        (400, 207),
        (401, 103),
        (601, 51),
        (1_000, 25),
        (1_001, 12),
        (1_201, 10),
        (3_600_000, 10),
    ] {
        assert_eq!(restarted(idle_ms, |_| ()), (cwnd, 310, vec![restart, start(cwnd)]), "{idle_ms} ms");
    }
    // A higher threshold stays, and one within a reduction; a window below the initial one does not rise.
    assert_eq!(restarted(401, |conn| conn.ssthresh = 500).1, 500);
    assert_eq!(restarted(401, |conn| conn.ca_state = CaState::Cwr).1, 300);
    assert_eq!(restarted(401, |conn| conn.cwnd = 7).0, 7);
}
