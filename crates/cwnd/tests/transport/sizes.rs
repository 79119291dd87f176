// SPDX-License-Identifier: MIT OR Apache-2.0
//! Another size of datagrams: in the handshake, in congestion avoidance, and what an algorithm has learnt of it.

use crate::pipe::ms;
use crate::registered;
use cwnd::transport::{Acked, Config, Limit, Lost, Transport};
use cwnd::{Controller, INFINITE_SSTHRESH};
use std::time::Duration;

const RTT_US: u64 = 50_000;
/// Acknowledgements per round trip, whatever datagrams there are: for sets that count acknowledgements.
const ACKS: u64 = 40;

/// A flow of full windows with a loss at about 500 datagrams of 1200 bytes.
struct Flow {
    cc: Transport,
    now: Duration,
    mtu: u64,
}

impl Flow {
    fn after_a_loss(name: &str) -> Self {
        let controller = Controller::for_quic(name).expect("registered");
        let config = Config::new().initial_window(125).expect("two at least");
        let mut flow = Self { cc: Transport::new(controller, &config, ms(0)), now: ms(0), mtu: 1200 };
        // Two round trips of slow start, of which Westwood learns the bandwidth; a few more where the start is slower.
        for _ in 0..10 {
            if flow.cc.window() < 600_000 {
                flow.round();
            }
        }
        let sent = flow.send();
        flow.now += Duration::from_micros(RTT_US);
        flow.lose(&sent);
        flow
    }

    fn send(&mut self) -> Vec<Acked> {
        let mut sent = vec![];
        // Full datagrams, and a smaller one for what is left of the window.
        while self.cc.in_flight() < self.cc.window() {
            let bytes = self.mtu.min(self.cc.window() - self.cc.in_flight());
            sent.push(Acked::new(self.cc.on_sent(self.now, bytes), bytes));
        }
        self.cc.on_burst_end(self.now, Limit::Window);
        sent
    }

    /// The first of these is lost, the others are acknowledged.
    fn lose(&mut self, sent: &[Acked]) {
        self.cc.on_lost(self.now, &[Lost::new(sent[0].sent, sent[0].bytes)], false);
        self.cc.on_acked(self.now, &sent[1..], None);
        assert_ne!(self.cc.conn().ssthresh, INFINITE_SSTHRESH);
    }

    /// A round trip: the window is acknowledged in 40 pieces of equal bytes, each with the newest packet that it reaches.
    fn round(&mut self) -> u64 {
        let sent = self.send();
        let (begin, window) = (self.now, self.cc.in_flight());
        let (mut packets, mut end) = (sent.iter(), 0);
        let mut newest = sent[0].sent;
        for piece in 1..=ACKS {
            self.now = begin + Duration::from_micros(RTT_US - 10 * (ACKS - piece)); // all but together
            let (from, to) = (window * (piece - 1) / ACKS, window * piece / ACKS);
            while end < to {
                let packet = packets.next().expect("the window's packets");
                (newest, end) = (packet.sent, end + packet.bytes);
            }
            self.cc.on_acked(self.now, &[Acked::new(newest, to - from)], None);
        }
        self.cc.window()
    }
}

// Window 500, a loss, and 20 round trips of 50 ms later another size: for ten seconds the window in bytes is that of a flow whose datagrams
// stay as they are, but for a datagram. Beyond three times the old maximum nothing is compared: some grow by half a window per round trip.
// Row DR16.
#[test]
fn the_window_follows_the_same_curve_in_bytes() {
    for name in registered() {
        for mtu in [1400, 1000, 9000, 600] {
            let (mut same, mut other) = (Flow::after_a_loss(name), Flow::after_a_loss(name));
            for round in 0..220 {
                if round == 20 {
                    other.cc.on_mtu(mtu);
                    other.mtu = mtu.into();
                }
                let (expected, seen) = (same.round(), other.round());
                if expected > 3 * 600_000 {
                    break;
                }
                assert!(
                    expected.abs_diff(seen) <= mtu.max(1200).into(),
                    "{name}, 1200 to {mtu}, round {round}: {seen} bytes, {expected} without the change"
                );
            }
        }
    }
}

// The next reduction takes the new size over: the window keeps the same share of its bytes, but for three datagrams. (With 9000 bytes some
// keep another share: HighSpeed, BIC and others ask how many segments the window has. Veno asks whether three segments wait.)
#[test]
fn the_next_reduction_is_of_the_same_bytes() {
    for name in registered().filter(|name| !name.starts_with("veno")) {
        for mtu in [1400, 1000] {
            let (mut same, mut other) = (Flow::after_a_loss(name), Flow::after_a_loss(name));
            other.cc.on_mtu(mtu);
            other.mtu = mtu.into();
            for _ in 0..40 {
                if same.cc.window() < 900_000 {
                    same.round();
                    other.round();
                }
            }
            let windows = [&mut same, &mut other].map(|flow| {
                let sent = flow.send();
                flow.now += Duration::from_micros(RTT_US);
                flow.lose(&sent);
                flow.cc.window()
            });
            assert_eq!(other.cc.conn().mss, u32::from(mtu), "{name}");
            assert!(windows[0].abs_diff(windows[1]) <= 3 * u64::from(mtu), "{name}, {mtu}: {windows:?}");
        }
    }
}

// CUBIC's W_max is 600 000 bytes after the loss at 500 datagrams of 1200: 67 datagrams of 9000. A second loss above it, at 640 000 bytes or 71
// of them, is no reason for fast convergence, as it would be below 500.
// Row DR16.
#[test]
fn what_cubic_has_learnt_is_known_in_the_new_datagrams() {
    let mut flow = Flow::after_a_loss("cubic");
    flow.cc.on_mtu(9000);
    flow.mtu = 9000;
    for round in 0.. {
        assert!(round < 400, "{} bytes", flow.cc.window());
        if flow.round() > 640_000 {
            break;
        }
    }
    let window = flow.cc.window();
    let sent = flow.send();
    flow.now += Duration::from_micros(RTT_US);
    flow.lose(&sent);
    let w_max = flow.cc.info().named().find(|(name, _)| *name == "w_max").expect("a variable").1;
    assert_eq!(w_max, window / 9000);
}

// RFC 9002 §7.2: a smaller size in the handshake has the initial window of that size, 13 500 for 1350 and 18 000 for 9000 bytes; a
// larger one leaves it. After the first acknowledgement the window keeps its bytes.
#[test]
fn a_smaller_datagram_in_the_handshake_has_its_own_initial_window() {
    let cc = |mtu: u16| {
        let config = Config::new().mtu(mtu);
        Transport::new(Controller::for_quic("cubic").expect("registered"), &config, ms(0))
    };
    for (from, to, window) in
        [(9000, 1350, 13_500), (1200, 1452, 12_000), (1452, 1200, 12_000), (1500, 1200, 12_000)]
    {
        let mut handshake = cc(from);
        handshake.on_mtu(to);
        assert_eq!(handshake.window(), window, "{from} to {to}");
    }
    let mut later = cc(9000);
    let sent = later.on_sent(ms(0), 9000);
    later.on_burst_end(ms(0), Limit::Application);
    later.on_acked(ms(50), &[Acked::new(sent, 9000)], None);
    later.on_mtu(1350);
    assert_eq!(later.window(), 18_000);
}

// RFC 9002 §7.2: the window is two datagrams at least.
#[test]
fn an_initial_window_of_less_than_two_datagrams_is_refused() {
    for datagrams in [0, 1] {
        let why = Config::new().initial_window(datagrams).expect_err("too few").to_string();
        assert_eq!(why, "initial_window: the value is out of its range, 2 to 4294967295");
    }
    assert_eq!(Config::new().initial_window(2).map(|config| config.initial_window_bytes()), Ok(2_400));
}

/// A flow of full windows whose first packet of ten is lost: 12 000 bytes, and in avoidance from there on.
fn after_a_loss_at_ten_datagrams(name: &str) -> Flow {
    let cc = Transport::new(Controller::for_quic(name).expect("registered"), &Config::new(), ms(0));
    let mut flow = Flow { cc, now: ms(0), mtu: 1200 };
    let sent = flow.send();
    flow.now += Duration::from_micros(RTT_US);
    flow.lose(&sent);
    flow
}

// A loss at 12 000 bytes leaves ssthresh below two datagrams of 9000. The window is above them, so it keeps its segments and its curve,
// whatever it is by then, 24 000 bytes or 52 800, but for a datagram, for eleven seconds.
#[test]
fn a_small_ssthresh_does_not_change_the_curve() {
    for name in registered() {
        for window in [24_000, 52_800] {
            let flow = || after_a_loss_at_ten_datagrams(name);
            let (mut same, mut other) = (flow(), flow());
            let mut changed = false;
            for round in 0..220 {
                if !changed && other.cc.window() >= window {
                    other.cc.on_mtu(9000);
                    other.mtu = 9000;
                    changed = true;
                }
                let (expected, seen) = (same.round(), other.round());
                if expected > 600_000 {
                    break;
                }
                assert!(
                    expected.abs_diff(seen) <= 9000,
                    "{name} at {window}, round {round}: {seen} bytes, {expected} without the change"
                );
            }
        }
    }
}

// A window below two datagrams becomes two, and the curve to what was lost begins anew in them. W_max is 12 000 bytes, far below: one
// round trip grows by half at most and a datagram, and no window is beyond what ten seconds of C = 0.4 give, 400 segments above the first.
#[test]
fn a_curve_that_begins_anew_in_larger_datagrams_does_not_explode() {
    for name in registered().filter(|name| name.starts_with("cubic")) {
        let mut flow = after_a_loss_at_ten_datagrams(name);
        for _ in 0..5 {
            flow.round();
        }
        assert!(flow.cc.window() < 18_000, "{name}");
        flow.cc.on_mtu(9000);
        flow.mtu = 9000;
        assert_eq!(flow.cc.window(), 18_000, "{name}");
        let mut before = 18_000;
        for round in 0..60 {
            let window = flow.round();
            assert!(window <= before + before / 2 + 9000, "{name}, round {round}: {window} after {before}");
            before = window;
        }
        // Three seconds: C t³ is 0.4 · 27 = 11 segments, and Reno's way 60 round trips of one segment at most.
        assert!(before <= 18_000 + 71 * 9000, "{name}: {before}");
    }
}
