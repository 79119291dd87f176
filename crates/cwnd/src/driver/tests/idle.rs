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
