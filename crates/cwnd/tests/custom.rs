// SPDX-License-Identifier: MIT OR Apache-2.0
//! An algorithm from outside the registry, in charge of a connection like any other.

use cwnd::driver::{Ack, Driver, Options};
use cwnd::{CongestionControl, Conn, Controller};

/// Keeps three quarters, grows by one segment per acknowledgement.
#[derive(Debug, Default)]
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

#[test]
fn an_algorithm_of_ones_own_runs_beside_the_registrys() {
    let mut driver =
        Driver::new(Controller::Custom(Box::<Mine>::default()), Conn::new(1448, 20), Options::default());
    let ack = Ack { now_us: 1, position: 0, acked: 1, delivered: 1, rtt_us: Some(1000), new_loss: false };
    for _ in 0..20 {
        driver.on_ack(&ack);
    }
    assert_eq!(driver.conn.cwnd, 40);
    driver.on_loss(2, 0, 40);
    // Three quarters of 40, and the two that its min_cwnd adds (Ha et al. 2008 §4.2: it overrides the lower bound).
    assert_eq!((driver.conn.ssthresh, driver.conn.cwnd), (30, 32));
}
