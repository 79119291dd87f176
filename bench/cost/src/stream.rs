// SPDX-License-Identifier: MIT OR Apache-2.0
//! Acknowledgements and losses of a connection in congestion avoidance, in the form that each side takes them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cwnd::driver::{self, Driver};
use cwnd::{AckSample, CaState, Conn, Controller};
use quinn_proto::congestion::{self, ControllerFactory, CubicConfig};

use crate::quic::{DATAGRAM, QuicEvent};

const MSS: u32 = DATAGRAM as u32;

/// An acknowledgement as the registry's algorithms see it: what a transport writes into its [`Conn`] anyway.
#[derive(Clone, Copy, Debug)]
pub struct StreamAck {
    now_us: u64,
    /// When the packet was sent, ns: a number that grows from packet to packet, as a position must.
    position: u64,
    ticks: u32,
    snd_una: u32,
    snd_nxt: u32,
    packets_out: u32,
    srtt_us8: u32,
    rtt_us: i32,
    acked: u32,
}

/// What happens to a connection.
#[derive(Clone, Copy, Debug)]
pub enum StreamStep {
    /// An acknowledgement.
    Ack(StreamAck),
    /// A loss that begins an episode: when it was found, µs, when the packet was sent and when the next one will be, ns.
    Loss { now_us: u64, position: u64, next: u64 },
}

/// The stream, from the first loss on.
pub struct AckStream {
    /// What quinn's controller was told outside recovery (within it, it does nothing).
    events: Vec<QuicEvent>,
    start: Instant,
    window: u64,
    last_window: u64,
    /// One acknowledgement a packet: the calls that quinn's controller gets.
    pub by_packet: Vec<StreamStep>,
    /// One acknowledgement an ACK frame, for all its packets: the calls that a TCP's module gets.
    pub by_ack: Vec<StreamStep>,
}

impl AckStream {
    /// Cuts the slow start off.
    ///
    /// # Panics
    /// When nothing was lost.
    #[must_use]
    pub fn from_first_loss(mut events: Vec<QuicEvent>) -> Self {
        let first = events.iter().position(|event| matches!(event, QuicEvent::Lost { .. })).expect("a loss");
        events.drain(..first);
        let Some(QuicEvent::Lost { now: start, before, .. }) = events.first().copied() else {
            unreachable!("cut there")
        };
        let window = |event: &QuicEvent| match *event {
            QuicEvent::Acked { window, .. } | QuicEvent::Lost { window, .. } => Some(window),
            QuicEvent::EndOfAck => None,
        };
        let last_window = events.iter().rev().find_map(window).unwrap_or(before);
        let by_packet = steps(&events, Grouping::ByPacket);
        let by_ack = steps(&events, Grouping::ByAck);
        let mut recovery = start;
        events.retain(|event| match *event {
            QuicEvent::Acked { sent, .. } => sent > recovery,
            QuicEvent::EndOfAck => false,
            QuicEvent::Lost { now, sent, .. } => {
                let begins = now == start || sent > recovery;
                if begins {
                    recovery = now;
                }
                begins
            }
        });
        Self { events, start, window: before, last_window, by_packet, by_ack }
    }

    /// quinn's CUBIC in the state that it had before the first loss.
    #[must_use]
    pub fn theirs(&self) -> Box<dyn congestion::Controller> {
        let mut config = CubicConfig::default();
        config.initial_window(self.window);
        Arc::new(config).build(self.start, DATAGRAM)
    }

    /// The same, not behind a pointer.
    #[must_use]
    pub fn theirs_inline(&self) -> congestion::Cubic {
        let mut config = CubicConfig::default();
        config.initial_window(self.window);
        congestion::Cubic::new(Arc::new(config), self.start, DATAGRAM)
    }

    /// Number of packets acknowledged outside recovery, and of ACK frames for them.
    #[must_use]
    pub fn counts(&self) -> (u64, u64) {
        let acks = |steps: &[StreamStep]| {
            steps.iter().filter(|step| matches!(step, StreamStep::Ack(_))).count() as u64
        };
        (acks(&self.by_packet), acks(&self.by_ack))
    }

    /// Number of losses that begin an episode.
    #[must_use]
    pub fn losses(&self) -> usize {
        self.by_ack.iter().filter(|step| matches!(step, StreamStep::Loss { .. })).count()
    }

    /// The same behind a driver.
    #[must_use]
    pub fn driver(&self, name: &str) -> Driver {
        let (cc, conn) = self.ours(name);
        Driver::new(cc, conn, driver::Options::default())
    }

    /// Makes sure that quinn's CUBIC, told again, ends at the window that it had in the recording.
    ///
    /// # Panics
    /// When it does not, or when there is too little in the stream to measure.
    pub fn check(&self) {
        let mut controller = self.theirs();
        self.tell(&mut *controller);
        assert_eq!(controller.window(), self.last_window, "quinn's controller was told something else");
        let (packets, _) = self.counts();
        assert!(packets > 5_000 && self.losses() > 2, "{packets} packets, {} losses", self.losses());
    }

    /// Tells `controller` everything that quinn's was told.
    #[inline]
    pub fn tell<C: congestion::Controller + ?Sized>(&self, controller: &mut C) {
        for event in &self.events {
            match event {
                QuicEvent::Acked { now, sent, bytes, app_limited, rtt, .. } => {
                    controller.on_ack(*now, *sent, *bytes, *app_limited, rtt);
                }
                QuicEvent::Lost { now, sent, bytes, .. } => {
                    controller.on_congestion_event(*now, *sent, false, *bytes);
                }
                QuicEvent::EndOfAck => {}
            }
        }
    }

    /// A connection and the algorithm `name` in the state that quinn's had before the first loss.
    ///
    /// # Panics
    /// When there is no such algorithm.
    #[must_use]
    pub fn ours(&self, name: &str) -> (Controller, Conn) {
        let cwnd = (self.window / u64::from(MSS)) as u32;
        let mut conn = Conn { is_cwnd_limited: true, cwnd_clamp: 1 << 20, ..Conn::new(MSS, cwnd) };
        let mut cc = Controller::by_name(name).expect("registered");
        conn.packets_out = cwnd;
        conn.in_flight = cwnd;
        conn.max_packets_out = cwnd;
        cc.init(&mut conn);
        (cc, conn)
    }
}

/// What of the packets that one ACK frame acknowledged is one step.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Grouping {
    /// Each of them.
    ByPacket,
    /// All of them.
    ByAck,
}

/// What the registry's algorithms are told: nothing within recovery but its end.
fn steps(events: &[QuicEvent], grouping: Grouping) -> Vec<StreamStep> {
    let Some(QuicEvent::Lost { now: origin, .. }) = events.first().copied() else { return Vec::new() };
    // Some packets acknowledged later were sent before the first loss was found.
    let origin = origin - Duration::from_secs(1);
    let micros = |at: Instant| (at - origin).as_micros() as u64;
    let position = |at: Instant| (at - origin).as_nanos() as u64;
    let mut steps = Vec::new();
    let mut recovery = None;
    let mut delivered = 0_u32;
    let mut open: Option<StreamAck> = None;
    for event in events {
        match *event {
            QuicEvent::Acked { now, sent, bytes, app_limited, rtt, window: after } => {
                delivered = delivered.wrapping_add(bytes as u32);
                if app_limited || recovery.is_some_and(|since| sent <= since) {
                    continue;
                }
                let window = after as u32;
                let now_us = micros(now);
                let ack = StreamAck {
                    now_us,
                    position: position(sent),
                    ticks: (now_us / 1000) as u32,
                    snd_una: delivered,
                    snd_nxt: delivered.wrapping_add(window),
                    packets_out: window / MSS,
                    srtt_us8: rtt.get().as_micros() as u32 * 8,
                    rtt_us: (now - sent).as_micros() as i32,
                    acked: open.filter(|_| grouping == Grouping::ByAck).map_or(1, |ack| ack.acked + 1),
                };
                if grouping == Grouping::ByAck {
                    open = Some(ack);
                } else {
                    steps.push(StreamStep::Ack(ack));
                }
            }
            QuicEvent::EndOfAck => steps.extend(open.take().map(StreamStep::Ack)),
            QuicEvent::Lost { now, sent, .. } => {
                if recovery.is_none_or(|since| sent > since) {
                    recovery = Some(now);
                    steps.push(StreamStep::Loss {
                        now_us: micros(now),
                        position: position(sent),
                        next: position(now) + 1,
                    });
                }
            }
        }
    }
    steps
}

impl StreamAck {
    #[inline]
    fn show(&self, conn: &mut Conn) {
        conn.now_us = self.now_us;
        conn.ticks = self.ticks;
        conn.snd_una = self.snd_una;
        conn.snd_nxt = self.snd_nxt;
        conn.packets_out = self.packets_out;
        conn.in_flight = self.packets_out;
        conn.srtt_us8 = self.srtt_us8;
    }
}

/// Tells an algorithm of the registry, the connection kept as Linux keeps it; without `HOOKS`, the loop alone.
#[inline]
pub fn play<const HOOKS: bool>(cc: &mut Controller, conn: &mut Conn, steps: &[StreamStep]) {
    for step in steps {
        match step {
            StreamStep::Ack(ack) => {
                ack.show(conn);
                if HOOKS {
                    let sample = AckSample::new(ack.acked, ack.rtt_us, ack.packets_out);
                    cc.in_ack_event(conn, 0);
                    cc.pkts_acked(conn, &sample);
                    cc.cong_avoid(conn, ack.snd_una, ack.acked);
                }
            }
            StreamStep::Loss { now_us, .. } => {
                conn.now_us = *now_us;
                conn.prior_cwnd = conn.cwnd;
                conn.ssthresh = cc.ssthresh(conn);
                conn.cwnd_cnt = 0;
                cc.set_state(conn, CaState::Recovery);
                conn.cwnd = conn.ssthresh;
                cc.set_state(conn, CaState::Open);
            }
        }
    }
}

/// Tells a driver, as a QUIC transport would: it keeps track of recovery itself, as quinn's controllers do.
#[inline]
pub fn drive(driver: &mut Driver, steps: &[StreamStep]) {
    for step in steps {
        match step {
            StreamStep::Ack(ack) => {
                ack.show(&mut driver.conn);
                let rtt_us = u32::try_from(ack.rtt_us).ok();
                driver.on_ack(
                    &driver::Ack::new(ack.now_us, ack.position, ack.acked, ack.acked).rtt(rtt_us, None),
                );
            }
            StreamStep::Loss { now_us, position, next } => {
                driver.on_loss(*now_us, *position, *next);
            }
        }
    }
}
