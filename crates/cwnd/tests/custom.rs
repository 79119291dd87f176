// SPDX-License-Identifier: MIT OR Apache-2.0
//! An algorithm from outside the registry, in charge of a connection like any other.

use cwnd::driver::{Ack, Driver, Options};
use cwnd::registry::Custom;
use cwnd::{ACK_SLOW_PATH, ACK_WINDOW_UPDATE, CaState, CongestionControl, Conn, Controller};
use std::sync::{Arc, Mutex};

/// Keeps three quarters, grows by one segment per acknowledgement.
#[derive(Clone, Debug, Default)]
struct Mine {
    reductions: u32,
}

impl CongestionControl for Mine {
    type Params = ();

    fn ssthresh(&mut self, conn: &mut Conn, (): &()) -> u32 {
        self.reductions += 1;
        (conn.cwnd * 3 / 4).max(2)
    }

    fn cong_avoid(&mut self, conn: &mut Conn, _ack: u32, _acked: u32, (): &()) {
        conn.grow(1);
    }

    fn min_cwnd(&self, conn: &Conn, (): &()) -> u32 {
        conn.ssthresh + 2
    }
}

impl Custom for Mine {}

#[test]
fn an_algorithm_of_ones_own_runs_beside_the_registrys() {
    let mut driver =
        Driver::new(Controller::Custom(Box::<Mine>::default()), Conn::new(1448, 20), Options::default());
    let ack = Ack::new(1, 0, 1, 1).rtt(Some(1000), None);
    for _ in 0..20 {
        driver.on_ack(&ack);
    }
    assert_eq!(driver.conn.cwnd, 40);
    driver.on_loss(2, 0, 40);
    // Three quarters of 40, and the two that its min_cwnd adds (Ha et al. 2008 §4.2: it overrides the lower bound).
    assert_eq!((driver.conn.ssthresh, driver.conn.cwnd), (30, 32));
}

/// Writes down what it is told.
#[derive(Clone, Debug)]
struct Diary(Arc<Mutex<Vec<String>>>);

impl Diary {
    fn note(&self, entry: &str) {
        self.0.lock().expect("one thread").push(entry.to_owned());
    }
}

impl CongestionControl for Diary {
    type Params = ();

    fn init(&mut self, _conn: &mut Conn, (): &()) {
        self.note("init");
    }

    fn release(&mut self, _conn: &mut Conn, (): &()) {
        self.note("release");
    }

    fn ssthresh(&mut self, conn: &mut Conn, (): &()) -> u32 {
        self.note("ssthresh");
        conn.cwnd / 2
    }

    fn cong_avoid(&mut self, _conn: &mut Conn, _ack: u32, _acked: u32, (): &()) {
        self.note("cong_avoid");
    }

    fn in_ack_event(&mut self, conn: &mut Conn, flags: u32, (): &()) {
        let path = match flags {
            ACK_SLOW_PATH => "slow",
            ACK_WINDOW_UPDATE => "fast",
            _ => "?",
        };
        self.note(&format!("ack {path} {:?}", conn.ca_state));
    }
}

impl Custom for Diary {}

// Linux's order: every acknowledgement is announced, a duplicate too, before state and window change; the end is told.
#[test]
fn an_algorithm_hears_of_every_acknowledgement_and_of_the_end() {
    let diary = Arc::new(Mutex::new(Vec::new()));
    let controller = Controller::Custom(Box::new(Diary(Arc::clone(&diary))));
    let mut driver = Driver::new(controller, Conn::new(1448, 20), Options::default());
    driver.on_ack(&Ack::new(1, 1, 1, 1));
    driver.on_ack(&Ack::new(1, 1, 0, 1)); // a duplicate that reports a segment beyond a hole
    driver.on_loss(2, 1, 20);
    driver.on_ack(&Ack::new(1, 20, 19, 18));
    assert_eq!(driver.conn.ca_state, CaState::Open);
    drop(driver);
    let expected = [
        "init",
        "ack fast Open",
        "cong_avoid",
        "ack slow Open",
        "ssthresh",
        "ack slow Recovery",
        "cong_avoid",
        "release",
    ];
    assert_eq!(*diary.lock().expect("one thread"), expected);
}
