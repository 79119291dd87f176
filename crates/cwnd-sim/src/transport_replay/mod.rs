// SPDX-License-Identifier: MIT OR Apache-2.0
//! A connection of the kernel, repeated on the simulator's sender: the same acknowledgements at the same times, and the calls of the hooks
//! compared.
//!
//! What was sent when, when the timer expired, what the application had written and how much the receiver allowed are the record's
//! (docs/adr/0008): else both sides would part at the first transmission that differs by a microsecond, and no later acknowledgement would
//! fit. The sender's own are what it makes of acknowledgements and expired timers: loss marks, states, undo, and every call of a hook. Before each
//! event window and threshold are compared and taken from the record, with what `tcp_cwnd_validate` keeps, so that each event is judged by
//! itself.

mod arrival;
mod compare;
mod event;
mod own;
mod record;
mod segments;
mod show;
mod view;

use crate::hook_calls::{HookCall, HookCalls, Observed};
use crate::tcp::{AckPacket, SackBlocks, Sender};
use cwnd::CaEvent;
use cwnd::Controller;
use cwnd::replay::Call;
use cwnd_scenario::Scenario;
use event::{End, Event, Events};
use record::{PENDING_PROBE, PENDING_REORDERING, PENDING_TIMEOUT};
use segments::Segments;
use std::collections::HashMap;
use view::{View, Windows};

pub use crate::tcp::Expired;
pub use compare::{Divergence, Outcome};
pub use own::{ExpiredTimer, Own};
pub use record::{KernelState, Packet, PacketKind, Recorded};

/// The call before a window falls after an idle time.
const RESTART: Call = Call::CwndEvent { event: CaEvent::CwndRestart };

/// Repeats a record, in the order in which it was made, on the algorithm `cc`.
///
/// # Errors
/// One line, when it is not the record of a connection from its beginning.
pub fn replay(cc: &str, recorded: &[Recorded]) -> Result<Outcome, String> {
    let events = Events::of(recorded)?;
    let mut run = Run::new(cc, &events)?;
    let mut outcome = Outcome::default();
    for (index, event) in events.list.iter().enumerate() {
        if index == events.compared {
            outcome.not_compared = (events.list.len() - index) as u64;
            break;
        }
        let window = run.align(event);
        let before = run.view(event, window);
        let (calls, own) = run.step(event);
        outcome.judge(&events.list, index, &before, &calls, own);
    }
    outcome.gaps = u64::from(events.end == End::Gap);
    outcome.no_sack = u64::from(events.end == End::NoSack);
    outcome.closing = events.closing;
    Ok(outcome)
}

struct Run {
    sender: Sender,
    calls: HookCalls,
    segments: Segments,
    /// When the last packet with each timestamp was sent, µs.
    stamps: HashMap<u32, u64>,
    /// The next transmission is a probe.
    probe: bool,
}

impl Run {
    fn new(cc: &str, events: &Events) -> Result<Self, String> {
        let Events { init, first_sequence, handshake_rtt_us, tick_hz, .. } = *events;
        let text = format!(
            "duration = '1s'\n[link]\nrate = '1Gbit/s'\nrtt = '40ms'\n[[flow]]\ncc = '{cc}'\nrecovery = 'linux'\nhost_clock_phase = '0s'"
        );
        let mut flows = Scenario::from_toml(&text).map_err(|why| why.to_string())?.expand();
        let mut flow = flows.pop().ok_or("no flow")?;
        flow.rtt = u64::from(handshake_rtt_us) * 1000;
        let mut sender = Sender::new(&flow, init.mss);
        let conn = &mut sender.driver.conn;
        (conn.tick_hz, conn.cwnd, conn.ssthresh) = (tick_hz, init.cwnd, init.ssthresh);
        (conn.snd_una, conn.snd_nxt) = (first_sequence, first_sequence);
        conn.cwnd_clamp = init.cwnd_clamp;
        conn.gso_max_size = init.gso_max_size;
        sender.set_data(0, u32::MAX);
        // The handshake's round trip time; its calls are not compared.
        sender.open_replayed(init.now_us, handshake_rtt_us);
        // The kernel initialises the algorithm once the connection is open.
        let driver = &mut sender.driver;
        driver.cc.init(&mut driver.conn);
        let calls = HookCalls::default();
        let none = Controller::by_name("reno").ok_or("no algorithm reno")?;
        let algorithm = std::mem::replace(&mut sender.driver.cc, none);
        sender.driver.cc = Observed::of(algorithm, calls.clone());
        let segments = Segments::new(first_sequence);
        Ok(Self { sender, calls, segments, stamps: HashMap::new(), probe: false })
    }

    /// Takes from the record what the sender is not judged by at this event; the windows before that.
    fn align(&mut self, event: &Event) -> Windows {
        let Packet { state, write_seq, snd_wnd, mss, .. } = event.packet;
        let unsent = self.segments.offset(write_seq).saturating_sub(self.segments.end());
        let rwnd = snd_wnd / mss.max(1);
        self.sender.set_data(unsent.div_ceil(u64::from(mss.max(1))), rwnd);
        let conn = &mut self.sender.driver.conn;
        conn.set_now(event.time_us);
        conn.ticks = event.ticks;
        // The kernel records a segment after it has restarted the window; the sender restarts the window as it sends the segment.
        let restart = event.calls.iter().find(|row| matches!(row.call, RESTART));
        let kernel =
            restart.map_or((state.cwnd, state.ssthresh), |row| (row.before.cwnd, row.before.ssthresh));
        let windows = Windows { kernel, sender: (conn.cwnd, conn.ssthresh) };
        (conn.cwnd, conn.ssthresh) = kernel;
        // Linux has a pacing rate even without pacing, and HyStart reads it.
        if let Some(row) = event.calls.first() {
            conn.pacing_rate = row.before.pacing_rate;
        }
        (conn.max_packets_out, conn.is_cwnd_limited) = (state.max_packets_out, state.is_cwnd_limited);
        windows
    }

    /// Does what was recorded; what the sender called, and what it did besides.
    fn step(&mut self, event: &Event) -> (Vec<HookCall>, Own) {
        let mut own = Own::default();
        let now = event.time_us * 1000;
        match event.packet.kind {
            PacketKind::Ack if event.arrival.is_passed_over => {}
            PacketKind::Ack => self.on_ack(now, &event.packet),
            PacketKind::Timer => {
                let expired = match event.packet.state.pending {
                    PENDING_TIMEOUT if event.packet.state.packets_out > 0 => Some(Expired::Timeout),
                    PENDING_REORDERING => Some(Expired::Reordering),
                    PENDING_PROBE => Some(Expired::Probe),
                    _ => None,
                };
                own.timer = expired.map(|expired| {
                    let timer = self.timer(event, expired);
                    self.sender.expire(now, expired);
                    timer
                });
                self.probe = expired == Some(Expired::Probe);
            }
            PacketKind::Sent => self.transmit(now, &event.packet, &mut own),
        }
        if event.ends_burst {
            self.sender.end_burst();
        }
        let mut calls = self.calls.take();
        for logged in &mut calls {
            // As a sequence number of the record: the simulator's segments all have one size.
            if let Call::CongAvoid { ack, .. } = &mut logged.call {
                let is_una = *ack == logged.before.snd_una;
                *ack = if is_una {
                    self.segments.sequence(self.sender.una())
                } else {
                    !event.packet.acknowledges
                };
            }
        }
        (calls, own)
    }

    /// The sender's timer beside the one that expired in the record.
    fn timer(&self, event: &Event, kernel: Expired) -> ExpiredTimer {
        let Packet { tick_hz, state, .. } = event.packet;
        let tick_us = 1_000_000 / u64::from(tick_hz.max(1));
        let late_us = u64::from(state.ticks.wrapping_sub(state.expires)) * tick_us;
        let sender = self.sender.state();
        let on_time = sender.due_us.abs_diff(event.time_us.saturating_sub(late_us)) <= 3 * tick_us;
        ExpiredTimer { kernel, sender: sender.timer, on_time }
    }

    fn on_ack(&mut self, now: u64, packet: &Packet) {
        let segments = &self.segments;
        let (una, end) = (self.sender.una(), segments.to(segments.end()));
        let cumulative = segments.to(segments.offset(packet.acknowledges)).min(end);
        let mut ranges = Vec::new();
        let mut duplicate = None;
        for (place, (from, to)) in packet.sack.into_iter().flatten().enumerate() {
            let (from, to) = (segments.offset(from), segments.offset(to));
            let within =
                |outer: (u32, u32)| segments.offset(outer.0) <= from && to <= segments.offset(outer.1);
            // RFC 2883 §4: the first block, below the acknowledgement or within the second one.
            let is_old = to <= segments.offset(packet.acknowledges) || packet.sack[1].is_some_and(within);
            if place == 0 && is_old {
                duplicate = Some(segments.from(from));
            } else {
                ranges.push((segments.from(from), segments.to(to)));
            }
        }
        ranges.retain(|(from, to)| from < to && *from >= cumulative);
        let blocks = SackBlocks::of(cumulative, &ranges, duplicate);
        let echo = self.stamps.get(&packet.ts_echo).map(|&sent_us| (sent_us as u32, sent_us as u32));
        let ack = AckPacket { cumulative: cumulative.max(una), sacked: None, sent_us: echo, waited: false };
        let blocks = (!blocks.is_empty()).then_some(blocks);
        if packet.payload > 0 {
            self.sender.on_data_with_ack(now, &ack, blocks.as_ref());
        } else {
            self.sender.on_ack_with(now, &ack, blocks.as_ref());
        }
    }

    fn transmit(&mut self, now: u64, packet: &Packet, own: &mut Own) {
        let bytes = packet.payload;
        let offset = self.segments.offset(packet.sequence);
        let sent_us = now / 1000;
        // A connection without timestamps has 0 in all.
        if packet.ts_value != 0 {
            self.stamps.insert(packet.ts_value, sent_us);
        }
        if offset >= self.segments.end() {
            let each = if packet.gso_size > 0 { packet.gso_size } else { bytes };
            let mut left = bytes;
            while left > 0 {
                let size = each.min(left).max(1);
                self.segments.push(size);
                self.sender.transmit_new(now);
                left -= size;
            }
        } else {
            let to = self.segments.to(offset + u64::from(bytes));
            for position in self.segments.from(offset)..to {
                own.retransmissions.0 += 1;
                if self.sender.has_arrived(position) {
                    own.retransmissions.1 += 1;
                    continue;
                }
                own.retransmissions.1 += u32::from(!self.sender.transmit_again(now, position, self.probe));
            }
        }
        self.probe = false;
    }

    /// Both sides before an event.
    fn view(&self, event: &Event, windows: Windows) -> View {
        let kernel = event.packet.state;
        let una = self.segments.to(self.segments.offset(kernel.snd_una));
        View { kernel, kernel_una: una, sender: self.sender.state(), conn: self.sender.driver.conn, windows }
    }
}

#[cfg(test)]
mod tests;
