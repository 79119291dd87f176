// SPDX-License-Identifier: MIT OR Apache-2.0
//! A receiver: delayed acknowledgements (RFC 5681 §4.2), SACK blocks (RFC 2018 §4), timestamps (RFC 7323 §4.3); Linux's also duplicates
//! (RFC 2883 §4), old timestamps (RFC 7323 §5.3), and acknowledgements beyond a hole that wait for each other.

use crate::network::Setup;
use crate::wheel;
use cwnd::registry::Recovery;

/// An acknowledgement.
#[derive(Clone, Debug)]
pub struct AckSegment {
    /// The first segment that has not arrived.
    pub cumulative: u64,
    /// Blocks of segments beyond it that have arrived.
    pub blocks: Vec<(u64, u64)>,
    /// When the oldest and the newest segment of the last advance were sent, µs: what its timestamp echoes, and what its sender knows.
    pub sent_us: Option<(u64, u64)>,
    /// The segment that has arrived again: it takes the place of a block.
    pub duplicate: Option<u64>,
}

/// The receiver.
#[derive(Clone, Debug)]
pub struct Receiver {
    has_sack: bool,
    ack_every: u32,
    ack_delay: u64,
    /// By how much its time is late, ns.
    late: u64,
    arrived: Vec<bool>,
    pub next: u64,
    /// Segments in order that are not acknowledged.
    pending: u32,
    /// A segment of each of the blocks beyond a hole in which one arrived last, newest first.
    latest: Vec<u64>,
    /// The same in Linux, which knows of each block only what it has seen since it began it.
    known: Vec<(u64, u64)>,
    /// When a delayed acknowledgement is due, ns.
    pub due: Option<u64>,
    is_linux: bool,
    /// Acknowledgements that are not delayed, at most so many again after a duplicate or a pause between arrivals, and how long that is, µs.
    quick: u32,
    most_quick: u32,
    pause_us: u64,
    /// When the last segment in order arrived, ns. // Linux: tcp_event_data_recv
    arrived_at: u64,
    /// When the first segment of the last advance was sent, and the last one, µs.
    recent_us: (u64, u64),
    /// When a segment was sent of which the timestamp is TS.Recent, µs.
    echo_us: u64,
    /// A segment that arrived again and waits to be reported.
    duplicate: Option<u64>,
    /// Acknowledgements beyond the hole at a position, and segments since that wait for one.
    beyond: (u64, u32),
    waiting: u32,
    /// When the timer of the last delayed acknowledgement fires, whether that has been sent or not, ns.
    timer: u64,
}

impl Receiver {
    pub fn new(setup: &Setup) -> Self {
        let is_linux = setup.recovery == Recovery::Linux;
        // Half of the segments that a window holds, two at least and sixteen at most. // Linux: tcp_incr_quickack
        let quick = |window: u64| match window / (2 * u64::from(setup.mss)) {
            0 => 2,
            half => half.min(16) as u32,
        };
        let window = setup.rwnd * u64::from(setup.mss);
        // RFC 6298 §2: the timeout after the handshake, in milliseconds; Linux's smallest variation is 200.
        let took = if setup.handshake { setup.rtt / 1_000_000 } else { 0 };
        let timeout = if setup.handshake { took + (2 * took).max(200) } else { 1000 };
        Self {
            has_sack: !matches!(setup.recovery, Recovery::NewReno),
            // A window that has come down to half is opened again when it is read. // Linux: tcp_cleanup_rbuf
            ack_every: if is_linux {
                setup.ack_every.min(setup.rwnd.div_ceil(2) as u32)
            } else {
                setup.ack_every
            },
            ack_delay: setup.ack_delay,
            late: if setup.reverse.is_some() { 0 } else { setup.rtt - setup.rtt / 2 },
            arrived: Vec::new(),
            next: 0,
            pending: 0,
            latest: Vec::new(),
            known: Vec::new(),
            due: None,
            is_linux,
            quick: if is_linux { quick(window) } else { 0 },
            most_quick: if is_linux { quick(window) } else { 0 },
            pause_us: 1000 * timeout,
            arrived_at: 0,
            recent_us: (0, 0),
            echo_us: 0,
            duplicate: None,
            beyond: (0, 0),
            waiting: 0,
            timer: 0,
        }
    }

    fn has(&self, position: u64) -> bool {
        self.arrived.get(position as usize).copied().unwrap_or(false)
    }

    fn has_hole(&self) -> bool {
        self.arrived[self.next as usize..].iter().any(|&arrived| arrived)
    }

    /// A segment that was sent at `sent_us` arrives at `now`, ns.
    pub fn on_segment(
        &mut self,
        now: u64,
        position: u64,
        sent_us: u64,
        min_rtt_us: u32,
    ) -> Option<AckSegment> {
        if self.arrived.len() <= position as usize + 1 {
            self.arrived.resize(position as usize + 2, false);
        }
        let is_old = position < self.next;
        // RFC 7323 §5.3, R1; by clocks of milliseconds, of which one more or less is let through; and what lies before the last acknowledgement.
        // Linux: tcp_validate_incoming
        let acknowledged = self.next - u64::from(self.pending);
        let is_outdated = sent_us / 1000 + 1 < self.echo_us / 1000;
        if self.is_linux && self.next > 0 && (is_outdated || position + 1 < acknowledged) {
            let is_due = self.pending > 0 || self.waiting > 0;
            if is_old {
                self.quick = self.quick.max(self.most_quick);
            }
            // It counts as a quick one only if one was due. // tcp_dec_quickack_mode
            self.quick += u32::from(!is_due && self.quick > 0);
            return Some(self.send_ack(is_old.then_some(position)));
        }
        let is_next = position == self.next;
        if is_old || is_next && self.next > 0 && now > self.arrived_at + 1000 * self.pause_us {
            self.quick = self.quick.max(self.most_quick);
        }
        if position != self.next {
            // RFC 5681 §4.2: at once.
            let is_duplicate = is_old || self.is_linux && self.has(position);
            if is_old && position <= acknowledged && sent_us / 1000 >= self.echo_us / 1000 {
                self.echo_us = sent_us; // tcp_replace_ts_recent
            }
            self.duplicate = None;
            if !is_old {
                self.arrived[position as usize] = true;
                let early = self.remember(position);
                if let Some(early) = early {
                    // What waits is acknowledged before the segment's block is the first; nothing is due for that. // tcp_sack_new_ofo_skb
                    let known = std::mem::replace(&mut self.known, early);
                    let ack = self.send_ack(is_duplicate.then_some(position));
                    self.known = known;
                    return Some(ack);
                }
            }
            if self.is_linux && !is_old && self.waits() {
                self.duplicate = is_duplicate.then_some(position);
                // As the simulator documents it: a twentieth of the round trip, at most a millisecond, and a tenth of one more; or the timer of
                // a delayed acknowledgement that was sent meanwhile.
                let most = (u64::from(min_rtt_us) * 50).clamp(1, 1_000_000) + 100_000;
                let at = if (now..now + most).contains(&self.timer) { self.timer } else { now + most };
                self.due = self.due.or(Some(at));
                return None;
            }
            return Some(self.send_ack((self.is_linux && is_duplicate).then_some(position)));
        }
        self.duplicate = None;
        let oldest_us = if self.pending == 0 { sent_us } else { self.recent_us.0 };
        if self.pending == 0 && sent_us / 1000 >= self.echo_us / 1000 {
            self.echo_us = sent_us;
        }
        (self.recent_us, self.arrived_at) = ((oldest_us, sent_us), now);
        self.pending += 1;
        let fills = self.has_hole();
        self.arrived[position as usize] = true;
        let begin = self.next + 1 - u64::from(self.pending);
        while self.has(self.next) {
            self.next += 1;
        }
        // One segment more where others are still missing: the first of three acknowledgements that do not wait.
        if self.is_linux && self.quick == 0 && self.has_hole() && self.next == begin + 1 {
            self.beyond = (self.next, 1);
        }
        if self.pending >= self.ack_every || fills || self.quick > 0 {
            return Some(self.send_ack(None));
        }
        if self.due.is_none() {
            self.timer = self.delayed_from(now);
            self.due = Some(self.timer);
        }
        None
    }

    /// When an acknowledgement leaves that is delayed from `now` on. Without a link for acknowledgements, this host runs late.
    fn delayed_from(&self, now: u64) -> u64 {
        if !self.is_linux {
            return now + self.ack_delay;
        }
        let at_us = (now - self.late) / 1000;
        wheel::fires(wheel::expiry(at_us, self.ack_delay.div_ceil(1000)), wheel::tick(at_us)) + self.late
    }

    /// Whether a segment beyond the hole waits with its acknowledgement: not the first three, not more than 44. // Linux: __tcp_ack_snd_check
    fn waits(&mut self) -> bool {
        if self.beyond.0 != self.next {
            self.beyond = (self.next, 0);
        }
        if self.quick > 0 {
            return false;
        }
        if self.beyond.1 < 3 {
            self.beyond.1 += 1;
            return false;
        }
        self.waiting += 1;
        self.waiting <= 44
    }

    /// The block around a segment that has arrived.
    fn block(&self, position: u64) -> (u64, u64) {
        let (mut from, mut to) = (position, position + 1);
        while from > 0 && self.has(from - 1) {
            from -= 1;
        }
        while self.has(to) {
            to += 1;
        }
        (from, to)
    }

    /// RFC 2018 §4: the block with the newest arrival first, then the others, most recent first. Four of them are remembered, as in Linux.
    /// What Linux has waited with goes before a segment in a third block: returns what it reports.
    fn remember(&mut self, position: u64) -> Option<Vec<(u64, u64)>> {
        let old = std::mem::take(&mut self.latest);
        let mut blocks = Vec::new();
        for position in std::iter::once(position).chain(old.into_iter().filter(|&old| old >= self.next)) {
            let block = self.block(position);
            if !blocks.contains(&block) {
                blocks.push(block);
                self.latest.push(position);
            }
        }
        self.latest.truncate(4);
        if !self.is_linux {
            return None;
        }
        let touches = |a: (u64, u64), b: (u64, u64)| a.0 <= b.1 && b.0 <= a.1;
        let union = |a: (u64, u64), b: (u64, u64)| (a.0.min(b.0), a.1.max(b.1));
        let mut first = (position, position + 1);
        let place = self.known.iter().position(|&block| touches(block, first));
        if let Some(place) = place {
            self.known[place] = union(self.known[place], first);
        }
        let waits = self.waiting > 0 && place.unwrap_or(self.known.len()) >= 2;
        let early = waits.then(|| self.known.clone());
        if let Some(place) = place {
            first = self.known.remove(place);
            self.known.retain(|&block| {
                let is_other = !touches(block, first);
                first = if is_other { first } else { union(block, first) };
                is_other
            });
        }
        self.known.insert(0, first);
        self.known.truncate(4);
        early
    }

    /// The acknowledgement of which the timer has fired.
    pub fn send_due(&mut self) -> AckSegment {
        let duplicate = self.duplicate.take();
        self.send_ack(duplicate)
    }

    /// The acknowledgement that is due now.
    fn send_ack(&mut self, duplicate: Option<u64>) -> AckSegment {
        self.latest.retain(|&position| position >= self.next);
        self.known.retain(|block| block.0 > self.next);
        let mut blocks: Vec<(u64, u64)> = self.latest.iter().map(|&position| self.block(position)).collect();
        // As the simulator documents it: what was remembered may be acknowledged; the highest segment is not.
        let highest = self.arrived.iter().rposition(|&arrived| arrived).unwrap_or(0) as u64;
        let highest = self.block(highest);
        if highest.0 > self.next && !blocks.contains(&highest) {
            blocks.push(highest);
        }
        if self.is_linux {
            blocks.clone_from(&self.known);
        }
        let most = if duplicate.is_some() { 2 } else { 3 }; // as many as fit beside timestamps
        blocks.truncate(if self.has_sack { most } else { 0 });
        (self.pending, self.waiting, self.due) = (0, 0, None);
        self.quick = self.quick.saturating_sub(1);
        let oldest_us = if self.is_linux { self.echo_us } else { self.recent_us.0 };
        let sent_us = (self.next > 0).then_some((oldest_us, self.recent_us.1));
        AckSegment { cumulative: self.next, blocks, sent_us, duplicate }
    }
}
