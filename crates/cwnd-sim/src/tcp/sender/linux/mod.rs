// SPDX-License-Identifier: MIT OR Apache-2.0
//! `recovery = "linux"`: RACK-TLP (RFC 8985), D-SACK (RFC 2883), F-RTO (RFC 5682), Eifel detection (RFC 3522), undo. How much is sent in a
//! recovery is the driver's proportional rate reduction (RFC 9937).
//!
//! Modules: `quiet` (acknowledgements while nothing is missing), `offload` (segmentation offload), `send_buffer` and
//! `writer` (what the application has written), `last_blocks` (which reports are not news), `log` (when each segment was sent, over
//! `bursts` and `entry`), `rack` (what arrived last, the reordering window), `detect` (losses, recoveries, timeouts),
//! `rates` (samples of the delivery rate),
//! `tlp` (probes), `timer` and `wheel` (the timer, and when it fires), `variation` (of round trips), `undo` (needless recoveries). Where the RFCs and Linux differ, this is Linux's way; the places say so.
//! docs/explanation/recovery-linux.md lists what Linux does beyond it.

mod arrival;
mod bursts;
mod detect;
mod entry;
mod last_blocks;
mod log;
mod offload;
mod quiet;
mod rack;
mod rates;
mod send_buffer;
mod state;
#[cfg(test)]
mod tests;
mod timer;
mod tlp;
mod undo;
mod variation;
mod wheel;
mod writer;

use super::Sender;
use crate::tcp::receiver::{AckPacket, SackBlocks};
use arrival::{Arrival, Sending};
use cwnd::CaState;
use cwnd::driver::Ack;
use detect::Response;
use entry::{Entry, SACKED, Transmission};
use last_blocks::LastBlocks;
use log::SegmentLog;
pub(super) use offload::Offload;
use quiet::QuietMode;
use rack::{Rack, ReorderingWindow};
use rates::Rates;
pub use state::LinuxState;
pub(super) use timer::{HostTimers, TimerKind};
use tlp::Probe;
use undo::Undo;
use variation::Variation;
pub(super) use writer::Writer;

/// What a sender with this recovery keeps beside the others' state.
#[derive(Debug, Default)]
pub struct LinuxRecovery {
    pub(super) log: SegmentLog,
    /// `None` while nothing is reported.
    last_blocks: Option<Box<LastBlocks>>,
    rack: Rack,
    /// What the handshake has measured, µs; without one the path's propagation, which it would have measured on an idle path.
    handshake_rtt_us: u64,
    window: ReorderingWindow,
    pub(super) variation: Variation,
    pub(super) timer: TimerKind,
    pub(super) timers: HostTimers,
    pub(super) probe: Probe,
    undo: Undo,
    /// What may be sent until the next acknowledgement or timer.
    pub(super) sending: Sending,
    pub(super) offload: Offload,
    /// The acknowledgement starts the timer anew, at the end of the burst that it lets go.
    restarts_timer: bool,
    /// The receiver's window, until an acknowledgement brings it, segments.
    rwnd: Option<u32>,
    quiet: QuietMode,
    /// Timeouts since the last progress.
    timeouts: u32,
    /// One past the highest position that has arrived (RACK.fack).
    highest: u64,
    /// D-SACKs so far.
    dsacks: u64,
    /// The acknowledgement that is coming echoes a congestion mark.
    pub(super) echoed: bool,
    /// An undo has raised the threshold.
    takes_back_cwr: bool,
    /// For an algorithm that is told rates.
    rates: Option<Box<Rates>>,
}

impl LinuxRecovery {
    /// The state of a flow whose path has a propagation of `rtt_us`, there and back; `offload` and `timers` are those of its hosts.
    pub fn new(rtt_us: u64, offload: Offload, timers: HostTimers) -> Self {
        Self { handshake_rtt_us: rtt_us, offload, timers, quiet: QuietMode::FIRST, ..Self::default() }
    }

    /// The first acknowledgement brings a window of `rwnd` segments. It is not taken in quiet mode, which asks for no window.
    pub fn await_window(&mut self, rwnd: u32) {
        (self.rwnd, self.quiet) = (Some(rwnd), QuietMode::default());
    }

    /// The handshake took `rtt_us`.
    pub const fn on_open(&mut self, rtt_us: u64) {
        self.handshake_rtt_us = rtt_us;
    }

    /// An acknowledgement has come: the send buffer may have room.
    #[inline]
    pub(super) const fn note_room(&mut self) {
        if let Some(writer) = &mut self.offload.writer {
            writer.is_acknowledged = true;
        }
    }

    /// RACK.min_RTT, µs; `measured_us` is the smallest round trip of data, 0 before there is one. // RFC 8985 §6.2, step 1
    fn min_rtt_us(&self, measured_us: u32) -> u64 {
        if measured_us == 0 { self.handshake_rtt_us } else { self.handshake_rtt_us.min(measured_us.into()) }
    }
}

fn widen(times: &mut Option<(u64, u64)>, sent_us: u64) {
    *times = Some((times.map_or(sent_us, |times| times.0), sent_us));
}

impl Sender {
    /// An acknowledgement while something is missing, or that reports something.
    fn on_ack_with_holes(&mut self, now: u64, packet: &AckPacket, blocks: Option<&SackBlocks>) {
        let now_us = now / 1000;
        self.set_now(now_us);
        self.begin_sample();
        let mut arrival = Arrival { una_before: self.una, ..Arrival::default() };
        if let Some(linux) = &mut self.linux {
            linux.note_room();
            linux.end_quiet_mode(self.una);
            self.rwnd = linux.rwnd.take().unwrap_or(self.rwnd);
            arrival.highest_before = linux.highest;
            // Linux: an acknowledgement that was overtaken says nothing of it.
            arrival.echo = std::mem::take(&mut linux.echoed) && packet.cumulative >= self.una;
            linux.sending = Sending::All;
            if linux.probe.due {
                (linux.probe.due, self.retransmit_now) = (false, false);
            }
        }
        arrival.echo_us = packet
            .sent_us
            .map(|(first_us, _)| now_us.saturating_sub(u64::from((now_us as u32).wrapping_sub(first_us))));
        self.take_reports(now_us, packet, blocks, &mut arrival);
        self.note_reordered_reports(&arrival);
        self.take_cumulative(now_us, packet.cumulative, &mut arrival);
        if arrival.acked > 0
            && let Some(linux) = &mut self.linux
        {
            linux.timeouts = 0;
        }
        if let (Some(linux), Some(newest_us)) = (&mut self.linux, arrival.newest_us) {
            linux.window.on_delivered(newest_us, now_us);
        }
        self.refresh();
        // In Linux's order: tcp_clean_rtx_queue, tcp_process_tlp_ack, tcp_fastretrans_alert, tcp_cong_control.
        let plain = packet.sacked.is_none() && blocks.is_none_or(SackBlocks::is_empty);
        let round_trips = self.linux.as_ref().and_then(|linux| arrival.round_trips(now_us, &linux.timers));
        let (oldest_us, newest_us) = round_trips.unzip();
        let ack = Ack::new(now_us, self.una, arrival.acked, arrival.delivered).rtt(newest_us, oldest_us);
        self.driver.on_arrival(&ack, plain);
        if round_trips.is_some() {
            self.follow_round_trip();
        }
        self.on_ack_of_probe(arrival.dsack_of_probe, arrival.is_pure_duplicate());
        let Response { lost, wait_us, credit } = self.respond_to_ack(&ack, &arrival);
        self.settle();
        self.take_window(&ack.new_loss(lost), credit, arrival.echo);
        self.grow_by_reports(&arrival);
        self.note_window_rate();
        if let Some(wait_us) = wait_us {
            self.await_reordered(now, wait_us);
        } else if self.restarts_timeout(&arrival)
            && let Some(linux) = &mut self.linux
        {
            linux.restarts_timer = true;
        }
        #[cfg(debug_assertions)]
        self.check();
    }

    /// Whether the acknowledgement shows that the timeout of the first segment starts anew: it advances, or what it reports was sent
    /// before that segment was last sent. // Linux: tcp_clean_rtx_queue
    fn restarts_timeout(&self, arrival: &Arrival) -> bool {
        let first_us = self.linux.as_ref().and_then(|linux| linux.log.sent_us(self.una));
        let is_earlier = |(us, _)| first_us.is_some_and(|first_us| us < first_us);
        arrival.acked > 0 || arrival.sacked_us.is_some_and(is_earlier)
    }

    /// Where reordering is known to be large, reports grow the window too, outside of recoveries. // Linux: tcp_may_raise_cwnd
    fn grow_by_reports(&mut self, arrival: &Arrival) {
        let is_large =
            self.linux.as_ref().is_some_and(|linux| linux.window.degree > super::scoreboard::DUP_THRESH);
        let conn = &mut self.driver.conn;
        let may = !matches!(conn.ca_state, CaState::Recovery | CaState::Cwr);
        if is_large && may && arrival.acked == 0 && arrival.sacked > 0 && !self.driver.cc.has_cong_control() {
            let una = conn.snd_una;
            self.driver.cc.cong_avoid(conn, una, arrival.delivered);
        }
    }

    /// Notes what the SACK option reports.
    fn take_reports(
        &mut self,
        now_us: u64,
        packet: &AckPacket,
        blocks: Option<&SackBlocks>,
        arrival: &mut Arrival,
    ) {
        if let Some(linux) = &mut self.linux
            && self.board.sacked_out == 0
        {
            linux.last_blocks = None;
        }
        if let Some(position) = packet.sacked {
            let below = packet.cumulative.max(self.una);
            let is_news = position >= below && self.report(now_us, position, arrival);
            if !is_news {
                arrival.dsack = Some(position); // RFC 2883 §4: below the acknowledgement, or reported before
            }
            if let Some(linux) = &mut self.linux {
                let blocks = linux.last_blocks.get_or_insert_default();
                if is_news { blocks.extend(position) } else { blocks.leave_place() }
            }
        }
        if let Some(blocks) = blocks.filter(|blocks| !blocks.is_empty()) {
            arrival.dsack = arrival.dsack.or(blocks.duplicate(packet.cumulative));
            let mut ranges: [(u64, u64); 3] = [(0, 0); 3];
            for (range, block) in ranges.iter_mut().zip(blocks.ranges(packet.cumulative)) {
                *range = block;
            }
            let blocks = self.linux.as_mut().map(|linux| linux.last_blocks.get_or_insert_default());
            let last = blocks.map(|blocks| std::mem::replace(&mut **blocks, LastBlocks::new(ranges)));
            ranges.sort_unstable();
            for (from, to) in ranges {
                let mut from = from.max(self.una);
                while let Some(position) = last.and_then(|last| last.first_outside(from, to)) {
                    if !self.report(now_us, position, arrival)
                        && let Some(linux) = &mut self.linux
                    {
                        linux.log.join_again(position);
                    }
                    from = position + 1;
                }
            }
        }
        if let Some(position) = arrival.dsack {
            self.take_dsack(position, arrival);
        }
    }

    /// A selective acknowledgement reports the segment at `position`; whether that is news.
    fn report(&mut self, now_us: u64, position: u64, arrival: &mut Arrival) -> bool {
        let Some(linux) = &mut self.linux else { return false };
        let Some((sent, entry)) = linux.log.report(position, &mut self.board) else { return false };
        linux
            .log
            .join(position, entry, &mut arrival.apart_end, || linux.offload.buffer.begins_packet(position));
        arrival.sacked += 1;
        arrival.delivered += 1;
        if !entry.is_sent_again() {
            arrival.note_reordered(position, linux.highest);
            arrival.original |= position < self.driver.recovery_end();
            widen(&mut arrival.sacked_us, sent.sent_us);
        }
        linux.highest = linux.highest.max(position + 1);
        arrival.newest_us = arrival.newest_us.max(Some(sent.sent_us));
        self.arrived(now_us, (sent, entry), None);
        true
    }

    /// The cumulative acknowledgement moves to `to`.
    fn take_cumulative(&mut self, now_us: u64, to: u64, arrival: &mut Arrival) {
        arrival.acked = to.saturating_sub(self.una) as u32;
        let mut lowest = None;
        for position in self.una..to {
            let Some(linux) = &mut self.linux else { return };
            let Some((sent, entry)) = linux.log.take_acked(&mut self.board) else { continue };
            arrival.delivered += 1;
            if entry.is_sent_again() {
                arrival.again = true;
            } else {
                lowest = lowest.or(Some(position));
                arrival.original |= position < self.driver.recovery_end();
                widen(&mut arrival.acked_us, sent.sent_us);
            }
            linux.highest = linux.highest.max(position + 1);
            arrival.newest_us = arrival.newest_us.max(Some(sent.sent_us));
            let echo_us = arrival.echo_us;
            self.arrived(now_us, (sent, entry), echo_us);
        }
        self.una = self.una.max(to);
        if let Some(position) = lowest.filter(|&position| position < arrival.highest_before) {
            self.note_reordered(position);
        }
        let conn = &mut self.driver.conn;
        conn.snd_una = conn.snd_una.wrapping_add(conn.mss.wrapping_mul(arrival.acked));
    }

    /// The lowest segment that selective acknowledgements have newly reported beneath others, once for all of an acknowledgement's blocks. In the
    /// repair after a timeout it counts only while that may be undone. // Linux: tcp_sacktag_write_queue
    fn note_reordered_reports(&mut self, arrival: &Arrival) {
        let in_loss = self.driver.conn.ca_state == CaState::Loss;
        if let (Some(position), Some(linux)) = (arrival.reordered, &self.linux)
            && (!in_loss || linux.undo.may())
        {
            self.note_reordered(position);
        }
    }

    /// The segment at `position`, sent once or reported twice, arrived after one that was sent later. How far behind is measured to the highest
    /// report, or to what is acknowledged if nothing is reported any more. // Linux: tcp_check_sack_reordering
    fn note_reordered(&mut self, position: u64) {
        let is_reported = self.board.sacked_out > 0;
        if let Some(linux) = &mut self.linux {
            linux.window.on_reordered(position, if is_reported { linux.highest } else { self.una });
        }
    }

    fn arrived(&mut self, now_us: u64, transmission: (Transmission, Entry), echo_us: Option<u64>) {
        if let Some(linux) = &mut self.linux {
            let min_rtt_us = linux.min_rtt_us(self.driver.conn.min_rtt_us);
            if let Some(rates) = &mut linux.rates {
                let (Transmission { position, sent_us }, entry) = transmission;
                rates.on_delivered(&mut self.driver.conn, position, sent_us, entry.is_sent_again());
            }
            linux.rack.on_arrival(now_us, transmission, min_rtt_us, echo_us);
        }
    }

    /// A D-SACK reports the segment at `position`. // RFC 2883 §4
    fn take_dsack(&mut self, position: u64, arrival: &mut Arrival) {
        let Some(linux) = &mut self.linux else { return };
        linux.dsacks += 1;
        if linux.dsacks > self.sent.retransmits {
            return; // the network's own duplicates
        }
        arrival.dsack_of_probe = linux.probe.end == Some(position + 1);
        arrival.delivered += 1; // Linux: "a spurious retransmission is delivered"
        if !arrival.dsack_of_probe {
            linux.window.on_dsack();
        }
        linux.undo.on_dsack(position);
        // Beyond the hole, of a segment that was sent again: one of the two came behind all that was reported. // Linux: tcp_sacktag_one
        if linux.log.get(position).is_some_and(|entry| entry.is_sent_again() && entry.has(SACKED)) {
            arrival.note_reordered(position, linux.highest);
        }
        if linux.log.get(position).is_some_and(|entry| entry.has(SACKED)) {
            linux.log.report_duplicate(position, &mut self.board);
        }
    }
}
