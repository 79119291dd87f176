// SPDX-License-Identifier: MIT OR Apache-2.0
//! The driver as a QUIC stack uses it: windows and acknowledgements in bytes, acknowledgements in batches of packet
//! numbers, losses declared by packet number or found by a timer, ECN counts, spurious losses, no cumulative point, no SACK. It
//! fills the fields that the driver's documentation names, and no others.

use cwnd::driver::{Ack, Driver, EcnOutcome, Options, RecoveryEpoch, Reduction};
use cwnd::{CaState, Conn, Controller, INFINITE_SSTHRESH};

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
        Self::with(name, 10, Options::QUIC)
    }

    fn with(name: &str, window: u32, options: Options) -> Self {
        let cc = Controller::by_name(name).expect("registered");
        Self {
            driver: Driver::new(cc, Conn::new(MTU as u32, window), options),
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
        self.acknowledge_marked(now_us, packets, bytes, None);
    }

    /// The same, where the counts of ECN marks say that the packet `marked` had one.
    fn acknowledge_marked(
        &mut self,
        now_us: u64,
        packets: &[u64],
        bytes: u64,
        marked: Option<u64>,
    ) -> Option<EcnOutcome> {
        let largest = packets.iter().max()?;
        self.in_flight_bytes -= packets.len() as u64 * MTU;
        self.remainder += packets.len() as u64 * bytes;
        let acked = (self.remainder / MTU) as u32;
        self.remainder %= MTU;
        self.driver.conn.snd_una = ((largest + 1) * MTU) as u32;
        self.show_flight();
        let outcome = marked.map(|pn| self.driver.on_ecn(now_us, pn, self.next_pn));
        self.driver.on_ack(&Ack::new(now_us, *largest, acked, acked).rtt(Some(RTT_US as u32), None));
        outcome
    }

    /// Packets are found lost: by an acknowledgement that follows, or by a timer. They have left the bytes in flight.
    fn lose(&mut self, now_us: u64, packets: &[u64]) -> Option<RecoveryEpoch> {
        self.in_flight_bytes -= packets.len() as u64 * MTU;
        self.show_flight();
        self.driver.on_loss(now_us, *packets.last()?, self.next_pn)
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

/// A flow in slow start at 80 packets, all of them out.
fn eighty(name: &str, options: Options) -> (Quic, u64, Vec<u64>) {
    let (mut quic, mut now) = (Quic::with(name, 10, options), 0);
    for _ in 0..3 {
        quic.round(&mut now, 8);
    }
    let sent = quic.send(now);
    assert_eq!(sent.len(), 80);
    (quic, now + RTT_US, sent)
}

// RFC 9002 §7.1, RFC 9438 §4.6: marks of one window are one reduction. A mark in every window reaches two packets, the minimum
// (RFC 9002 §7.2), and then says so.
#[test]
fn marks_reduce_once_per_window_down_to_two_packets() {
    for reduction in [Reduction::Immediate, Reduction::Proportional] {
        let (mut quic, mut now, mut sent) = eighty("cubic", Options::QUIC.reduction(reduction));
        let (first, rest) = sent.split_at(8);
        assert_eq!(quic.acknowledge_marked(now, first, MTU, Some(first[0])), Some(EcnOutcome::Reduced));
        assert_eq!(quic.driver.conn.ssthresh, 56); // 0.7 × 80
        assert_eq!(quic.acknowledge_marked(now, rest, MTU, Some(rest[3])), Some(EcnOutcome::Ignored));
        let mut windows = 0;
        loop {
            sent = quic.send(now);
            now += RTT_US;
            match quic.acknowledge_marked(now, &sent, MTU, sent.last().copied()) {
                Some(EcnOutcome::AtFloor) => break,
                outcome => assert_eq!(outcome, Some(EcnOutcome::Reduced)),
            }
            windows += 1;
            assert!(windows < 20, "{reduction:?}: {} bytes", quic.window());
        }
        assert_eq!((quic.window(), quic.driver.conn.ssthresh), (2 * MTU, 2), "{reduction:?}");
    }
}

// RFC 9002 §6.2, §7: a timer finds half of the packets lost. No acknowledgement comes: at once as many as 0.7 × 80 leaves beside the
// 40 in flight, proportionally the one that has to go.
#[test]
fn losses_that_a_timer_finds_let_go_what_the_reduction_allows() {
    for (reduction, expected) in [(Reduction::Immediate, 16), (Reduction::Proportional, 1)] {
        let (mut quic, now, sent) = eighty("cubic", Options::QUIC.reduction(reduction));
        assert!(quic.lose(now, &sent[..40]).is_some());
        assert_eq!(quic.driver.conn.ssthresh, 56);
        assert_eq!(quic.send(now).len(), expected, "{reduction:?}");
        assert!(quic.lose(now + 1000, &sent[40..60]).is_none(), "of the same window");
        let more = if reduction == Reduction::Immediate { 20 } else { 0 };
        assert_eq!(quic.send(now + 1000).len(), more, "{reduction:?}");
    }
}

// RFC 9438 §4.9: the packets that were declared lost arrive after all, and the stack names their epoch. The mark that comes in
// another one is congestion, whatever becomes of the losses.
#[test]
fn a_spurious_loss_is_undone_and_one_with_a_mark_is_not() {
    for reduction in [Reduction::Immediate, Reduction::Proportional] {
        let (mut quic, now, sent) = eighty("cubic", Options::QUIC.reduction(reduction));
        let epoch = quic.lose(now, &sent[..10]).expect("begun");
        quic.acknowledge(now, &sent[10..], MTU);
        assert!(quic.driver.on_spurious(now + 1000, epoch));
        assert_eq!((quic.window(), quic.driver.conn.ssthresh), (80 * MTU, INFINITE_SSTHRESH));

        let (mut quic, now, sent) = eighty("cubic", Options::QUIC.reduction(reduction));
        let epoch = quic.lose(now, &sent[..10]).expect("begun");
        quic.acknowledge_marked(now, &sent[10..], MTU, Some(sent[20]));
        let window = quic.window();
        assert!(!quic.driver.on_spurious(now + 1000, epoch));
        assert_eq!((quic.window(), quic.driver.conn.ssthresh), (window, 56));
    }
}

// RFC 9002 §B.2 takes lost packets out of the bytes in flight. Ten of 80 are lost, later in the same round trip 30 more: the second
// reduction, of a packet that was sent after the first, starts from the window that was out, 40, not from what is left of it.
// Row DR7.
#[test]
fn a_reduction_counts_the_packets_that_were_lost_before_it() {
    let (mut quic, now, sent) = eighty("reno", Options::QUIC);
    quic.lose(now, &sent[..10]);
    quic.acknowledge(now, &sent[10..50], MTU);
    assert_eq!(quic.window(), 40 * MTU);
    let new = quic.send(now);
    assert_eq!(new.len(), 10);
    quic.lose(now + 1000, &sent[50..]);
    quic.lose(now + 2000, &new[..1]);
    assert_eq!(quic.driver.conn.ssthresh, 20);
}

/// Sixty round trips of 100 ms after a loss at 100 packets, each packet acknowledged by itself; its clock of ticks goes, or stands.
fn sixty_round_trips(name: &str, ticks_go: bool) -> u32 {
    const RTT: u64 = 100_000;
    let mut quic = Quic::with(name, 100, Options::QUIC.flight(cwnd::driver::Flight::Outstanding));
    if !ticks_go {
        quic.driver.conn.tick_hz = 0;
    }
    let mut now = 1_000_000;
    let first = quic.send(now);
    quic.driver.on_loss(now, first[0], quic.next_pn);
    let mut acked = 0;
    for _ in 0..60 {
        let window = u64::from(quic.driver.conn.cwnd);
        for _ in 0..window {
            now += RTT / window;
            quic.send(now);
            quic.in_flight_bytes -= MTU;
            quic.driver.conn.snd_una = ((acked + 1) * MTU) as u32;
            quic.show_flight();
            quic.driver.on_ack(&Ack::new(now, acked, 1, 1).rtt(Some(RTT as u32), None));
            acked += 1;
        }
    }
    quic.driver.conn.cwnd
}

// All sets, with a transport that knows of no ticks: one whose window is another where the clock of ticks stands has a row. From 100 after
// 6 s: CUBIC has K = ∛(0.3 · 100 / 0.4) = 4.2 s, 100 + 0.4 · 1.8³ = 102.3; with 0.8 kept K = 3.7 s and 105.5. FreeBSD's first loss leaves 50
// and W_max = 70: W_est = 49 + 0.529 · 60 = 81; its NewReno form 70 + 60 = 130. Westwood grows from 50 at most by a segment per round trip,
// 110. H-TCP from 50, α = 1 + 10 (Δ - 1) + ((Δ - 1) / 2)² from Δ = 1 s on: the sum over 50 round trips of 0.1 s is 1 + 25 + 2.1 each in the
// mean, less than 50 + 10 + 50 · 28 = 1460. With a clock that stands cubic-linux keeps 100, westwood-linux has 67 and htcp-linux 106.
// Row DR12.
#[test]
fn sets_that_count_ticks_need_no_clock_from_the_transport() {
    let rows = [
        ("cubic", 102..=102),
        ("cubic-linux", 102..=102),
        ("cubic-2.2", 101..=104),
        ("cubic-2.1", 103..=106),
        ("cubic-2.0", 103..=106),
        ("cubic-2.6.18", 103..=106),
        ("cubic-freebsd", 77..=81),
        ("cubic-freebsd-newreno", 129..=132),
        ("westwood-linux", 100..=110),
        ("htcp", 1100..=1460),
        ("htcp-linux", 1100..=1460),
    ];
    for name in cwnd::registry::all().flat_map(|known| known.sets().map(|set| set.name)) {
        let window = sixty_round_trips(name, true);
        match rows.iter().find(|(row, _)| *row == name) {
            Some((_, expected)) => assert!(expected.contains(&window), "{name}: {window}"),
            None => assert_eq!(sixty_round_trips(name, false), window, "{name} reads ticks: it needs a row"),
        }
    }
}
