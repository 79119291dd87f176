// SPDX-License-Identifier: MIT OR Apache-2.0
//! The driver as a QUIC stack uses it: windows and acknowledgements in bytes, acknowledgements in batches of packet
//! numbers, losses declared by packet number, no cumulative point, no SACK.

use cwnd::driver::{Ack, Driver, Options};
use cwnd::{CaState, Conn, Controller};

const MTU: u64 = 1200;
const RTT_US: u64 = 50_000;

/// The bytes-to-segments seam of an adapter: nothing is lost in truncation.
struct Quic {
    driver: Driver,
    next_pn: u64,
    in_flight_bytes: u64,
    remainder: u64,
}

impl Quic {
    fn new(name: &str) -> Self {
        let options = Options { loss_window: 2, timeout_reduces_again: false, ..Options::default() };
        let cc = Controller::by_name(name).expect("registered");
        Self {
            driver: Driver::new(cc, Conn::new(MTU as u32, 10), options),
            next_pn: 0,
            in_flight_bytes: 0,
            remainder: 0,
        }
    }

    fn window(&self) -> u64 {
        u64::from(self.driver.conn.cwnd) * MTU
    }

    fn show_flight(&mut self) {
        let packets = self.in_flight_bytes.div_ceil(MTU) as u32;
        let conn = &mut self.driver.conn;
        conn.in_flight = packets;
        conn.packets_out = packets;
        conn.snd_nxt = (self.next_pn * MTU) as u32;
    }

    /// Fills the window with full packets; returns their numbers.
    fn send(&mut self, now_us: u64) -> Vec<u64> {
        let mut sent = Vec::new();
        while self.in_flight_bytes + MTU <= self.window() {
            self.driver.on_sent(now_us, 200_000);
            sent.push(self.next_pn);
            self.next_pn += 1;
            self.in_flight_bytes += MTU;
            self.show_flight();
        }
        self.driver.on_burst_end(true);
        sent
    }

    /// A batch of acknowledged packets of `bytes` each.
    fn acknowledge(&mut self, now_us: u64, packets: &[u64], bytes: u64) {
        let Some(largest) = packets.iter().max() else { return };
        self.in_flight_bytes -= packets.len() as u64 * MTU;
        self.remainder += packets.len() as u64 * bytes;
        let acked = (self.remainder / MTU) as u32;
        self.remainder %= MTU;
        self.driver.conn.snd_una = ((largest + 1) * MTU) as u32;
        self.show_flight();
        self.driver.on_ack(&Ack {
            now_us,
            position: *largest,
            acked,
            delivered: acked,
            rtt_us: Some(RTT_US as u32),
            new_loss: false,
        });
    }

    fn lose(&mut self, now_us: u64, packets: &[u64]) {
        for &pn in packets {
            // The flight that is reduced includes what was lost.
            self.driver.on_loss(now_us, pn, self.next_pn);
            self.in_flight_bytes -= MTU;
            self.show_flight();
        }
    }

    /// A round trip without loss, acknowledged in batches.
    fn round(&mut self, now_us: &mut u64, batch: usize) {
        let sent = self.send(*now_us);
        for (n, packets) in sent.chunks(batch).enumerate() {
            let at = *now_us + RTT_US + (n as u64) * 10;
            self.acknowledge(at, packets, MTU);
        }
        *now_us += RTT_US;
    }
}

#[test]
fn slow_start_doubles_whatever_the_batch() {
    for batch in [1, 2, 8] {
        let (mut quic, mut now) = (Quic::new("cubic"), 0);
        for _ in 0..3 {
            quic.round(&mut now, batch);
        }
        assert_eq!(quic.window(), 80 * MTU, "batches of {batch}"); // 10, 20, 40, 80
    }
}

#[test]
fn scattered_losses_of_one_window_are_one_reduction() {
    let (mut quic, mut now) = (Quic::new("cubic"), 0);
    for _ in 0..3 {
        quic.round(&mut now, 8);
    }
    let sent = quic.send(now);
    assert_eq!(sent.len(), 80);
    let (lost, arrived): (Vec<u64>, Vec<u64>) = sent.iter().partition(|pn| **pn % 9 == 0);
    now += RTT_US;
    quic.lose(now, &lost);
    assert_eq!(quic.window(), 56 * MTU); // 0.7 × 80
    quic.acknowledge(now, &arrived, MTU);
    assert_eq!((quic.window(), quic.driver.conn.ca_state), (56 * MTU, CaState::Recovery));
    // RFC 9002 §7.3.2: a packet sent after the reduction ends the recovery.
    quic.round(&mut now, 8);
    assert_eq!(quic.driver.conn.ca_state, CaState::Open);
}

// Row A4: bytes count, whatever the packets.
#[test]
fn small_packets_grow_the_window_by_their_bytes() {
    let mut quic = Quic::new("reno");
    let sent = quic.send(0);
    // Ten packets of 300 bytes are 2.5 segments: two count now, half of one is kept.
    quic.acknowledge(RTT_US, &sent, 300);
    assert_eq!((quic.window(), quic.remainder), (12 * MTU, 600));
}

// Rows K5, M1, X4: persistent congestion leaves two packets, reduces once, and new packets grow the window.
#[test]
fn persistent_congestion_leaves_two_packets_and_recovers() {
    let (mut quic, mut now) = (Quic::new("cubic"), 0);
    for _ in 0..3 {
        quic.round(&mut now, 2);
    }
    let sent = quic.send(now);
    now += 1_000_000;
    quic.lose(now, &sent);
    assert_eq!(quic.window(), 56 * MTU);
    quic.driver.on_timeout(now, sent[0], quic.next_pn);
    assert_eq!((quic.window(), quic.driver.conn.ssthresh), (2 * MTU, 56));
    for _ in 0..4 {
        quic.round(&mut now, 2);
    }
    assert_eq!(quic.window(), 32 * MTU); // 2, 4, 8, 16, 32
    assert_eq!(quic.driver.conn.ca_state, CaState::Open);
}
