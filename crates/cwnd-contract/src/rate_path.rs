// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an algorithm that sets its own rate (`cong_control`) promises on a path: it is paced, bounded in flight, leaves start-up, and recovers
//! after silence.
//!
//! The path has one bottleneck with a queue without end, and loses nothing but what is sent in an outage. A round trip is the path's,
//! without the queue. The transport is the one that QUIC stacks use.

use crate::promise;
use core::time::Duration;
use cwnd::registry::SetDescription;
use cwnd::transport::{Acked, Config, Limit, Lost, Sent, Transport};
use std::collections::VecDeque;

/// Payload of a packet, bytes.
const PACKET: u64 = 1448;
/// Packets a second and the round trip time, µs: 10, 50 and 200 packets in flight fill the paths.
const PATHS: [(u64, u64); 3] = [(500, 20_000), (1000, 50_000), (4000, 50_000)];
/// Round trips that start-up may take, and the last one that is looked at.
const START_UP: u64 = 60;
const END: u64 = 100;
/// Round trips after which an algorithm has a pace.
const FIRST_PACE: u64 = 20;
/// Packets in flight at which a sender without bounds is stopped, in bandwidth-delay products.
const STOPPED_AT: u64 = 20;
/// Round trips without an answer, and what the flow has to be back after.
const SILENCE: u64 = 100;
const BACK_AFTER: u64 = 60;

/// What was seen over some round trips.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// Packets acknowledged.
    acked: u64,
    /// Sum of their waits in the queue, µs.
    waits_us: u64,
    /// Largest window, packets.
    window: u64,
    /// Sum of the pacing rates at acknowledgements, bytes a second.
    rates: u128,
    /// Acknowledgements without a pacing rate.
    unpaced: u64,
}

/// A flow on a path.
struct Flow {
    transport: Transport,
    now_us: u64,
    rate: u64,
    rtt_us: u64,
    /// When the bottleneck has sent everything, µs.
    free_us: u64,
    /// When the pace allows the next packet, µs.
    due_us: u64,
    /// Packets in the network: when their acknowledgement arrives (none: they are lost), when they were sent, and what they are.
    out: VecDeque<(Option<u64>, u64, Sent)>,
    /// When the acknowledgements that are on their way arrive, µs.
    acks: VecDeque<u64>,
    /// When the transport gives up waiting, and how often it has.
    timeout_us: u64,
    backoff: u32,
    is_down: bool,
    rests: bool,
    seen: Seen,
}

impl Flow {
    fn new(set: &SetDescription, (rate, rtt_us): (u64, u64)) -> Result<Self, String> {
        let config = Config::new().mtu(PACKET as u16).trusting();
        let controller = set.controller().ok_or("the set is gone")?;
        let transport = Transport::new(controller, &config, Duration::from_secs(1));
        Ok(Self {
            transport,
            now_us: 1_000_000,
            rate,
            rtt_us,
            free_us: 0,
            due_us: 0,
            out: VecDeque::new(),
            acks: VecDeque::new(),
            timeout_us: u64::MAX,
            backoff: 0,
            is_down: false,
            rests: false,
            seen: Seen::default(),
        })
    }

    /// Packets that fill the path.
    const fn product(&self) -> u64 {
        self.rate * self.rtt_us / 1_000_000
    }

    const fn now(&self) -> Duration {
        Duration::from_micros(self.now_us)
    }

    /// Sends what window and pace allow now.
    fn send(&mut self) {
        let most = self.product() * STOPPED_AT + 1000;
        let may_send = |flow: &Self| flow.transport.may_send(PACKET) && (flow.out.len() as u64) < most;
        while !self.rests && may_send(self) && self.due_us <= self.now_us {
            let sent = self.transport.on_sent(self.now(), PACKET);
            self.free_us = self.free_us.max(self.now_us) + 1_000_000 / self.rate;
            let ack_us = (!self.is_down).then_some(self.free_us + self.rtt_us);
            self.acks.extend(ack_us);
            self.out.push_back((ack_us, self.now_us, sent));
            let gap = self.transport.pacing_rate().map_or(0, |rate| PACKET * 1_000_000 / rate.max(1));
            self.due_us = self.due_us.max(self.now_us) + gap;
            self.rearm();
        }
        let limit = match (self.rests, may_send(self)) {
            (true, _) => Limit::Application,
            (false, true) => Limit::Pacer,
            (false, false) => Limit::Window,
        };
        self.transport.on_burst_end(self.now(), limit);
    }

    fn rearm(&mut self) {
        // Doubled up to 24 round trips, so that a probe follows the end of an outage soon.
        let wait = (3 * self.rtt_us) << self.backoff.min(3);
        self.timeout_us = if self.out.is_empty() { u64::MAX } else { self.now_us + wait };
    }

    /// Goes on for so many round trips, and says what was seen.
    fn rounds(&mut self, count: u64) -> Seen {
        let end_us = self.now_us + count * self.rtt_us;
        self.seen = Seen::default();
        loop {
            self.send();
            let ack_us = self.acks.front().copied().unwrap_or(u64::MAX);
            let sends = !self.rests && self.transport.may_send(PACKET) && self.due_us > self.now_us;
            let due_us = if sends { self.due_us } else { u64::MAX };
            let next_us = ack_us.min(due_us).min(self.timeout_us);
            if next_us >= end_us {
                self.now_us = end_us;
                return self.seen;
            }
            self.now_us = next_us.max(self.now_us);
            if self.now_us >= ack_us {
                self.acknowledge();
            } else if self.now_us >= self.timeout_us {
                self.give_up();
            }
        }
    }

    /// The next acknowledgement arrives. What was sent before, and was lost, is known to be so.
    fn acknowledge(&mut self) {
        self.acks.pop_front();
        let mut lost = Vec::new();
        while let Some((ack_us, sent_us, sent)) = self.out.pop_front() {
            if ack_us.is_none() {
                lost.push(Lost::new(sent, PACKET));
                continue;
            }
            let wait_us = (self.now_us - sent_us).saturating_sub(self.rtt_us);
            let now = self.now();
            self.transport.on_acked(now, &[Acked::new(sent, PACKET)], None);
            if !lost.is_empty() {
                self.transport.on_lost(now, &lost, false);
            }
            self.seen.acked += 1;
            self.seen.waits_us += wait_us;
            break;
        }
        self.seen.window = self.seen.window.max(self.transport.window() / PACKET);
        match self.transport.conn().pacing_rate {
            u64::MAX | 0 => self.seen.unpaced += 1,
            rate => self.seen.rates += u128::from(rate),
        }
        self.backoff = 0;
        self.rearm();
    }

    /// Nothing has been acknowledged for too long: all that is out is lost.
    fn give_up(&mut self) {
        self.acks.clear();
        let lost: Vec<Lost> = self.out.drain(..).map(|(.., sent)| Lost::new(sent, PACKET)).collect();
        self.transport.on_lost(self.now(), &lost, true);
        self.backoff += 1;
        self.due_us = self.now_us;
        self.rearm();
    }

    /// In words, for what was seen.
    fn path(&self) -> String {
        format!("{} packets/s and {} ms", self.rate, self.rtt_us / 1000)
    }

    /// Packets that the path carries in so many round trips.
    const fn carried(&self, rounds: u64) -> u64 {
        self.product() * rounds
    }
}

/// Runs a flow through start-up and to the last round trip that is looked at, on each path.
fn on_each_path(
    set: &SetDescription,
    check: impl Fn(&mut Flow, Seen) -> Result<(), String>,
) -> Result<(), String> {
    for path in PATHS {
        let mut flow = Flow::new(set, path)?;
        flow.rounds(START_UP);
        let seen = flow.rounds(END - START_UP);
        check(&mut flow, seen)?;
    }
    Ok(())
}

/// From the twentieth round trip on `pacing_rate` is set at every acknowledgement; from the sixtieth to the hundredth its mean is at most four times
/// what the path carries.
///
/// # Errors
/// What was seen instead.
pub fn it_is_paced(set: &SetDescription) -> Result<(), String> {
    for path in PATHS {
        let mut flow = Flow::new(set, path)?;
        flow.rounds(FIRST_PACE);
        let early = flow.rounds(START_UP - FIRST_PACE);
        let late = flow.rounds(END - START_UP);
        let (unpaced, acked) = (early.unpaced + late.unpaced, early.acked + late.acked);
        promise!(acked > 0, "{}: nothing arrives", flow.path());
        promise!(unpaced == 0, "{}: no pacing rate at {unpaced} of {acked} acknowledgements", flow.path());
        let mean = late.rates / u128::from(late.acked.max(1)) / u128::from(PACKET);
        promise!(
            mean <= 4 * u128::from(flow.rate),
            "{}: it paces at {mean} packets/s on average",
            flow.path()
        );
    }
    Ok(())
}

/// From the sixtieth to the hundredth round trip the window is at most four bandwidth-delay products and sixteen packets: so much can be in
/// flight when nothing comes back.
///
/// # Errors
/// What was seen instead.
pub fn it_is_bounded_in_flight(set: &SetDescription) -> Result<(), String> {
    on_each_path(set, |flow, seen| {
        let most = 4 * flow.product() + 16;
        promise!(
            seen.window <= most,
            "{}: a window of {} packets; {} fill the path",
            flow.path(),
            seen.window,
            flow.product()
        );
        Ok(())
    })
}

/// From the sixtieth to the hundredth round trip packets wait less than a round trip in the queue on average, and half of the path is used.
///
/// # Errors
/// What was seen instead.
pub fn it_leaves_start_up(set: &SetDescription) -> Result<(), String> {
    on_each_path(set, |flow, seen| {
        let wait_us = seen.waits_us / seen.acked.max(1);
        promise!(
            wait_us < flow.rtt_us,
            "{}: packets wait {} ms in the queue on average",
            flow.path(),
            wait_us / 1000
        );
        let carried = flow.carried(END - START_UP);
        promise!(
            seen.acked >= carried / 2,
            "{}: {} packets arrive in the time of {carried}",
            flow.path(),
            seen.acked
        );
        Ok(())
    })
}

/// After a hundred round trips in which the application rests, and after as many in which the path loses everything, the flow uses half of
/// the path again: from the sixtieth round trip on, for forty.
///
/// # Errors
/// What was seen instead.
pub fn it_recovers_after_silence(set: &SetDescription) -> Result<(), String> {
    for outage in [false, true] {
        on_each_path(set, |flow, _| {
            (flow.is_down, flow.rests) = (outage, !outage);
            flow.rounds(SILENCE);
            (flow.is_down, flow.rests) = (false, false);
            flow.rounds(BACK_AFTER);
            let seen = flow.rounds(END - START_UP);
            let carried = flow.carried(END - START_UP);
            let what = if outage { "an outage" } else { "a rest" };
            promise!(
                seen.acked >= carried / 2,
                "{}: {} packets arrive in the time of {carried}, {BACK_AFTER} round trips after {what}",
                flow.path(),
                seen.acked
            );
            Ok(())
        })?;
    }
    Ok(())
}
