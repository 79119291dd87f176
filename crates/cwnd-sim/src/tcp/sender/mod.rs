// SPDX-License-Identifier: MIT OR Apache-2.0
//! A TCP sender: its state, acknowledgements, transmission.
//!
//! Modules: `rto` (timeout), `scoreboard` (what is known of each segment), `recovery` (loss detection), `linux` (the recovery of that name,
//! with loss detection and scoreboard of its own), `quiet` (most acknowledgements, in few steps), `timers` (when to wake the sender), `pacer` (pacing, bursts), `application` (the application above it). Window, recovery states and round trip times are the core's [`Driver`].

mod application;
mod linux;
mod next_segment;
mod pacer;
mod quiet;
mod recovery;
mod replayed;
mod rto;
mod scoreboard;
#[cfg(test)]
mod tests;
mod timers;

use super::receiver::{AckPacket, SackBlocks};
pub use application::{Application, ENDLESS};
use cwnd::driver::{Ack, Driver, EcnOutcome, Options, Reduction};
use cwnd::registry::Recovery;
use cwnd::{CaState, Conn};
use cwnd_link::NEVER;
use cwnd_scenario::{Flow, LARGEST_WINDOW};
use linux::{HostTimers, LinuxRecovery, Offload, Writer};
use next_segment::NextSegment;
use pacer::SendLimits;
pub use replayed::{Expired, SenderState};
use rto::Rto;
use scoreboard::Scoreboard;

/// Counters of one sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SenderCounts {
    /// Data packets sent, retransmissions included.
    pub packets: u64,
    /// Retransmissions among them.
    pub retransmits: u64,
    /// Times that the retransmission timer fired.
    pub timeouts: u64,
}

// This is most of the memory of a hundred thousand flows. The driver takes 440 bytes, the algorithm with its parameters 216 of these.
const _: () = assert!(size_of::<Sender>() <= 592);

/// The sender. Positions are segment numbers from 0. Segments are whole: a transfer's last one is sent as a full one.
#[derive(Debug)]
pub struct Sender {
    /// Window, algorithm and recovery state; `conn` holds the very variables that the algorithm reads.
    pub driver: Driver,
    recovery: Recovery,
    board: Scoreboard,
    rto: Rto,
    /// Oldest unacknowledged position, and the next new one.
    una: u64,
    nxt: u64,
    /// Without SACK: duplicate acknowledgements, each a segment that has left the network.
    dup_acks: u32,
    /// NewReno: whether this recovery has had its first partial acknowledgement.
    partial_seen: bool,
    /// Whether this recovery has used its rescue retransmission (RFC 6675 §4, rule 4).
    rescued: bool,
    /// The last reduction was for an ECN echo, and nothing has been found lost since.
    by_echo: bool,
    /// The next retransmission goes out whatever the window says.
    retransmit_now: bool,
    limited_transmit: bool,
    rwnd: u32,
    /// When the retransmission timer fires, ns; [`NEVER`] when it is off.
    rto_at: u64,
    /// When the application stops, ns; 0 once it has been stopped.
    stop_at: u64,
    /// One past the last segment that the application has written; [`ENDLESS`] when it never ends.
    data_end: u64,
    /// Other limits, if it has any: pacing, bursts, an application with a rate.
    limits: Option<Box<SendLimits>>,
    /// What `Recovery::Linux` keeps; the counts are in `board`.
    linux: Option<Box<LinuxRecovery>>,
    /// Counters.
    pub sent: SenderCounts,
}

impl Sender {
    /// A sender for `flow` whose segments carry `mss` bytes.
    ///
    /// # Panics
    /// When the flow names an unknown algorithm or parameter, which the scenario's validation rules out.
    #[must_use]
    pub fn new(flow: &Flow, mss: u32) -> Self {
        let mut conn = Conn::new(mss, flow.group.initial_cwnd);
        if let Some(ssthresh) = flow.group.initial_ssthresh {
            conn.ssthresh = ssthresh;
        }
        conn.tick_hz = flow.host_clock();
        conn.set_now(flow.start / 1000);
        let options = match flow.recovery {
            Recovery::Linux => Options::LINUX,
            Recovery::SackPrr => Options::TCP.reduction(Reduction::Proportional),
            _ => Options::TCP,
        };
        let options = options.idle_restart(flow.group.idle_restart);
        let total = flow.group.size.map_or(ENDLESS, |bytes| bytes.div_ceil(u64::from(mss)));
        let controller = flow.controller();
        let limits = SendLimits::new(flow, &controller, mss, total);
        if let Some(limits) = &limits {
            conn.pacing_status = limits.pacing_status();
        }
        let timers = HostTimers::new(flow.host_clock(), flow.clock_phases_us);
        if flow.recovery == Recovery::Linux {
            conn.ticks = timers.ticks(conn.now_us);
        }
        let is_linux = flow.recovery == Recovery::Linux;
        let writer = flow.group.app_rate.is_none().then(|| Writer::new(total, mss));
        let offload = Offload::new(&conn, is_linux && flow.has_gso(), writer, flow.group.gro.is_some());
        let writes_later = flow.group.app_rate.is_some() || offload.writer.is_some();
        Self {
            linux: is_linux.then(|| {
                let mut linux = Box::new(LinuxRecovery::new(flow.rtt / 1000, offload, timers));
                if controller.has_cong_control() {
                    linux.sample_rates(0, 0);
                }
                linux
            }),
            driver: Driver::new(controller, conn, options),
            recovery: flow.recovery,
            board: Scoreboard::default(),
            rto: Rto::new(flow.group.min_rto / 1000),
            una: 0,
            nxt: 0,
            dup_acks: 0,
            partial_seen: false,
            rescued: false,
            by_echo: false,
            retransmit_now: false,
            limited_transmit: flow.group.limited_transmit,
            rwnd: flow.group.rwnd.unwrap_or(u32::MAX).min(LARGEST_WINDOW / mss),
            rto_at: NEVER,
            stop_at: flow.group.stop.unwrap_or(NEVER),
            data_end: if writes_later { 0 } else { total },
            limits,
            sent: SenderCounts::default(),
        }
    }

    /// Whether it has the recovery of that name.
    #[inline]
    pub const fn is_linux(&self) -> bool {
        self.linux.is_some()
    }

    /// Recomputes the counts in `conn` after `una`, `nxt` or the scoreboard changed.
    #[inline]
    fn refresh(&mut self) {
        let out = (self.nxt - self.una) as u32;
        let conn = &mut self.driver.conn;
        conn.packets_out = out;
        let arrived = self.board.sacked_out + self.dup_acks.min(out);
        conn.in_flight = (out + self.board.retrans_out).saturating_sub(arrived + self.board.lost_out);
    }

    /// Checks the invariants after every event.
    #[cfg(debug_assertions)]
    fn check(&self) {
        let conn = &self.driver.conn;
        assert!(self.una <= self.nxt && conn.cwnd >= 1, "{self:?}");
        assert_eq!(u64::from(conn.packets_out), self.nxt - self.una, "{self:?}");
        // Counting segment by segment takes time proportional to the window, so it is done rarely for large windows.
        let is_counted = conn.packets_out < 64 || self.sent.packets.is_multiple_of(64);
        if let Some(linux) = &self.linux {
            if is_counted {
                linux.log.check(self.una, self.nxt, &self.board);
            }
            return;
        }
        self.board.check(self.una, self.nxt);
        if is_counted {
            let pipe = self.board.pipe(self.una, self.nxt);
            assert_eq!(conn.in_flight, pipe.saturating_sub(self.dup_acks.min(conn.packets_out)), "{self:?}");
        }
    }

    /// An acknowledgement arrived at `now`, ns, over a reverse path that neither loses nor reorders acknowledgements.
    #[inline]
    pub fn on_ack(&mut self, now: u64, packet: &AckPacket) {
        if self.linux.is_some() && !self.is_quiet_ack(packet) {
            return self.on_ack_as_linux(now, packet, None);
        }
        #[cfg(debug_assertions)]
        self.check_echo(packet);
        self.on_ack_inline(now, packet, None);
    }

    /// An acknowledgement arrived at `now`, ns, with SACK `blocks`, because earlier acknowledgements may have been lost. The blocks of an
    /// acknowledgement that arrives late are still used.
    pub fn on_ack_with(&mut self, now: u64, packet: &AckPacket, blocks: Option<&SackBlocks>) {
        if self.linux.is_some() {
            return self.on_ack_as_linux(now, packet, blocks);
        }
        self.on_ack_inline(now, packet, blocks);
    }

    /// The same for one that echoes a congestion mark. // RFC 3168 §6.1.2
    pub fn on_echo(&mut self, now: u64, packet: &AckPacket, blocks: Option<&SackBlocks>) {
        if let Some(linux) = &mut self.linux {
            linux.echoed = true;
            return self.on_ack_slow_path(now, packet, blocks);
        }
        // Which segment was marked is not known: the newest acknowledged stands for it.
        let marked = packet.cumulative.saturating_sub(1);
        if self.driver.on_ecn(now / 1000, marked, self.nxt) != EcnOutcome::Ignored {
            self.by_echo = true;
        }
        self.on_ack_with(now, packet, blocks);
    }

    /// Inlined twice: without blocks, the fast path, and with blocks.
    #[inline(always)]
    fn on_ack_inline(&mut self, now: u64, packet: &AckPacket, blocks: Option<&SackBlocks>) {
        let now_us = now / 1000;
        self.set_now(now_us);
        debug_assert!(
            packet.cumulative <= self.nxt,
            "acknowledged what was never sent: {packet:?}, {self:?}"
        );
        let blocks = blocks.filter(|blocks| !blocks.is_empty());
        let acked = packet.cumulative.saturating_sub(self.una) as u32;
        let mut delivered = acked;
        let (mut rtt_us, mut oldest_rtt_us) = (None, None);
        if acked > 0 {
            if let Some((oldest_us, newest_us)) = packet.sent_us {
                rtt_us = Some((now_us as u32).wrapping_sub(newest_us));
                oldest_rtt_us = Some((now_us as u32).wrapping_sub(oldest_us));
            }
            if !self.board.is_clean() {
                delivered -= self.board.advance(self.una, packet.cumulative);
            }
            self.una = packet.cumulative;
            let conn = &mut self.driver.conn;
            conn.snd_una = conn.snd_una.wrapping_add(conn.mss.wrapping_mul(acked));
        }
        let quiet = self.driver.conn.ca_state == CaState::Open
            && packet.sacked.is_none()
            && blocks.is_none()
            && acked > 0;
        let new_loss = if quiet && self.board.is_clean() && self.dup_acks == 0 {
            self.refresh();
            false
        } else {
            self.detect_losses(packet, blocks, acked, &mut delivered)
        };
        let position = self.una;
        let ack = Ack::new(now_us, position, acked, delivered).rtt(rtt_us, oldest_rtt_us);
        self.driver.on_ack(&ack.new_loss(new_loss));
        if let Some(linux) = &mut self.linux {
            let conn = &self.driver.conn;
            linux.note_quiet_ack(now_us, rtt_us);
            if rtt_us.is_some() {
                let rttvar_us4 = linux.variation.follow(conn, self.rto.floor_us());
                self.rto.follow_floored(conn.srtt_us8, rttvar_us4);
            }
            if linux.offload.rest().1 || conn.in_slow_start() {
                self.note_window_rate();
            }
        } else {
            if rtt_us.is_some() {
                self.follow_round_trip();
            }
            if acked > 0 {
                self.restart_timer(now);
            }
        }
        #[cfg(debug_assertions)]
        self.check();
    }

    /// Takes the next packet to send at `now`, ns, and returns its position; `None` when window, receive window, pacing or application
    /// allow none.
    /// Call until it returns `None`, after every acknowledgement, [`Sender::on_wake`], [`Sender::on_timeout`], [`Sender::write`] and
    /// [`Sender::resume`]; then [`Sender::end_burst`].
    #[inline(always)]
    pub fn send(&mut self, now: u64) -> Option<u64> {
        let limited = self.limits.is_some();
        let next = match self.next_allowed(now) {
            Some(next) => next,
            None if !self.may_write() => return None,
            None => self.next_after_writes(now)?,
        };
        if limited {
            self.count_sent(now);
        }
        self.retransmit_now = false;
        self.driver.on_sent(now / 1000, u64::from(self.rto.us()));
        self.sent.packets += 1;
        let position = match next {
            NextSegment::New => {
                // What samples rates is paced.
                if limited {
                    self.note_sent(now, self.nxt);
                }
                let conn = &mut self.driver.conn;
                conn.snd_nxt = conn.snd_nxt.wrapping_add(conn.mss);
                conn.packets_out += 1;
                conn.in_flight += 1;
                self.nxt += 1;
                // More duplicates than segments out may have counted this one already.
                if self.dup_acks > 0 {
                    self.refresh();
                }
                self.nxt - 1
            }
            NextSegment::Retransmission(position) => {
                self.sent.retransmits += 1;
                if self.linux.is_some() {
                    self.note_sent(now, position);
                    self.on_retransmission_as_linux(now, position, false);
                    return Some(position);
                }
                self.board.retransmit(position);
                self.refresh();
                if position == self.una && self.driver.conn.ca_state == CaState::Recovery && self.has_sack() {
                    self.rto_at = self.rto_after(now); // RFC 6675 §6: MAY; Linux does it for the oldest segment
                }
                position
            }
            // RFC 6675 §4: it does not move HighRxt, so the pipe does not count it. Linux's probes are not counted either.
            NextSegment::Rescue(position) => {
                self.sent.retransmits += 1;
                if self.linux.is_some() {
                    self.note_sent(now, position);
                    self.on_retransmission_as_linux(now, position, true);
                }
                position
            }
        };
        if self.rto_at == NEVER {
            self.start_timer(now);
        }
        Some(position)
    }

    /// Call after the last [`Sender::send`] of an instant.
    #[inline(always)]
    pub fn end_burst(&mut self) {
        let conn = &self.driver.conn;
        let fills = conn.in_flight >= conn.cwnd;
        match &mut self.linux {
            None => self.driver.on_burst_end(fills),
            Some(linux) => {
                let limited = fills | std::mem::take(&mut linux.offload.held);
                // Linux: tcp_write_xmit judges only what has sent something, or would have.
                if limited || self.nxt > linux.log.end() {
                    self.driver.on_burst_end(limited);
                }
            }
        }
        if self.limits.is_some() | self.linux.is_some() {
            if let Some(limits) = &mut self.limits {
                limits.end_burst();
            }
            self.end_burst_as_linux();
        }
    }
}
