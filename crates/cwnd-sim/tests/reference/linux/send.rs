// SPDX-License-Identifier: MIT OR Apache-2.0
//! Timers, and what is sent.

use super::{LinuxSender, May, Sent, Timer};
use crate::network::Endpoint;
use crate::receiver::AckSegment;
use crate::wheel;
use cwnd::{CaEvent, CaState, Conn};

impl LinuxSender {
    /// A timer that is set for the tick for which it is set already stays in its bucket.
    fn set_timer(&mut self, now: u64, at: u64, timer: Timer) {
        let expires = wheel::expiry(now / 1000, at / 1000 - now / 1000);
        if self.due.is_none() || self.expires != expires {
            let tick = wheel::tick(now / 1000);
            self.due = Some(wheel::fires(expires, tick + u64::from(self.fired_at == Some(tick))));
        }
        (self.expires, self.timer) = (expires, timer);
    }

    fn set_timeout(&mut self, now: u64) {
        self.set_timer(now, now + self.rto(), Timer::Timeout);
    }

    /// The timeout, which is kept in whole ticks and doubled so, ns.
    fn rto(&self) -> u64 {
        self.connection.rto_of(wheel::in_ticks)
    }

    /// When the first segment's timeout is due, from its last transmission.
    fn first_due(&self) -> u64 {
        self.sent[self.una as usize].at_us * 1000 + self.rto()
    }

    fn rearm(&mut self, now: u64) {
        if self.una == self.nxt() {
            (self.due, self.timer) = (None, Timer::Timeout);
        } else if self.timer == Timer::Timeout {
            self.set_timeout(now);
        } else {
            self.set_timer(now, self.first_due().max(now + 1000), Timer::Timeout);
        }
    }

    /// RFC 8985 §7.2.
    fn schedule_probe(&mut self, now: u64, advances: bool) -> bool {
        if self.una == self.nxt() || self.state() != CaState::Open {
            return false;
        }
        let floor = u64::from(self.connection.setup.min_rto_us) * 1000;
        let delay = if self.nxt() - self.una == 1 { floor } else { 2_000_000 };
        let srtt_us8 = u64::from(self.connection.conn.srtt_us8);
        let at = now + if srtt_us8 == 0 { 1_000_000_000 } else { srtt_us8 * 250 + delay };
        let timeout = if advances { now + self.rto() } else { self.first_due() };
        self.set_timer(now, if timeout > now { at.min(timeout) } else { at }, Timer::Probe);
        true
    }

    /// RFC 8985 §6.2, step 5: Linux's timer has 2 ms to spare.
    fn wait(&mut self, now: u64, wait_us: u64) {
        self.set_timer(now, now + (wait_us * 1000 + 2_000_000).min(self.rto()), Timer::Reordering);
    }

    /// RFC 6298 §5.4 to §5.6, RFC 8985 §6.3.
    fn time_out(&mut self, now: u64) {
        let now_us = now / 1000;
        self.connection.backoff += 1;
        let patience_us = self.rack_rtt_us.map(|rtt_us| rtt_us + self.reordering_window_us());
        for position in self.una..self.nxt() {
            let segment = &mut self.sent[position as usize];
            let is_late = patience_us.is_none_or(|patience_us| segment.at_us + patience_us <= now_us);
            if !segment.sacked && (position == self.una || is_late) {
                (segment.lost, segment.again) = (true, false);
            }
        }
        let repeated = self.timeouts > 0;
        self.timeouts += 1;
        (self.probe, self.probe_due, self.forced) = (None, false, false);
        self.show();
        let is_first = !self.in_episode();
        if is_first && self.count(|segment| segment.sacked) >= 3 {
            self.degree = self.degree.min(3);
        }
        let begins = is_first || self.una >= self.recovery_point;
        if begins || (self.state() == CaState::Loss && !repeated) {
            if begins && !is_first {
                self.end_episode();
            }
            self.open_undo();
            self.reduce(self.connection.conn.packets_out);
            self.connection.cc.cwnd_event(&mut self.connection.conn, CaEvent::Loss);
        }
        self.recovery_point = self.nxt();
        let conn = &mut self.connection.conn;
        (conn.cwnd, conn.cwnd_cnt) = (conn.cwnd.min(conn.in_flight + 1), 0);
        self.connection.enter(CaState::Loss);
        self.undo.frto = is_first || repeated; // RFC 5682 §3.1, step 1
        self.set_timeout(now);
    }

    /// What goes next; whether it is a probe of what was sent before.
    fn next_segment(&mut self) -> Option<(u64, bool)> {
        let new = self.connection.has_new(self.una, self.nxt()).then_some((self.nxt(), false));
        if self.probe_due {
            return new.or(Some((self.nxt() - 1, true)));
        }
        let waits =
            |position: &u64| self.sent[*position as usize].lost && !self.sent[*position as usize].again;
        let lost = (self.una..self.nxt()).find(waits).map(|position| (position, false));
        match self.may {
            May::New => new,
            May::NewFirst if new.is_none() => {
                (self.undo.frto, self.may) = (false, May::All);
                lost
            }
            May::NewFirst => new,
            May::All => lost.or(new),
        }
    }

    fn send_again(&mut self, now: u64, position: u64, is_probe: bool) {
        self.retransmissions += 1;
        let segment = &mut self.sent[position as usize];
        (segment.at_us, segment.judged) = (now / 1000, false);
        segment.times += 1;
        segment.number = self.transmissions;
        self.transmissions += 1;
        if is_probe {
            return self.probe_leaves(now, true); // as Linux: the pipe does not count it
        }
        segment.again = true;
        self.undo.first_us.get_or_insert(now / 1000);
        self.undo.awaited = Some(self.undo.awaited.unwrap_or(0) + 1);
        if position == self.una && self.timer != Timer::Reordering {
            self.set_timeout(now);
        }
    }

    fn probe_leaves(&mut self, now: u64, is_retransmission: bool) {
        (self.probe_due, self.probe) = (false, Some((self.nxt(), is_retransmission)));
        self.set_timeout(now);
    }
}

impl Endpoint for LinuxSender {
    fn on_open(&mut self, now: u64) {
        self.connection.open(now);
        self.connection.set_rate();
    }

    fn on_ack(&mut self, now: u64, ack: &AckSegment) {
        let now_us = now / 1000;
        self.connection.conn.set_now(now_us);
        (self.may, self.probe_due, self.forced) = (May::All, false, false);
        let news = self.take(ack, now_us);
        if news.acked > 0 {
            self.timeouts = 0;
        }
        // RFC 8985 §6.2, step 4: once per round trip with D-SACKs.
        if let Some(newest_us) = news.newest_us {
            self.dsack_seen &= newest_us >= self.grown_us;
            if std::mem::take(&mut self.dsack_seen) {
                (self.grown_us, self.persist) = (now_us, 16);
                self.quarters = (self.quarters + 1).min(255);
            } else if self.persist == 0 {
                self.quarters = 1;
            }
        }
        self.show();
        self.connection.on_acked(news.acked, news.delivered, Self::round_trips(&news, now_us));
        self.judge_probe(&news);
        let (new_loss, wait_us, credit) = self.respond(&news, now_us);
        self.settle();
        self.show();
        let conn = &mut self.connection.conn;
        if conn.ca_state == CaState::Recovery {
            self.prr.on_ack(conn, credit, news.acked > 0 && !new_loss);
        } else if news.acked > 0 || (self.degree > 3 && news.sacked > 0) {
            let una = conn.snd_una;
            self.connection.cc.cong_avoid(conn, una, credit);
        }
        self.connection.set_rate();
        let first_us = self.sent.get(self.una as usize).map(|first| first.at_us);
        let is_earlier =
            news.sacked_us.is_some_and(|times| first_us.is_some_and(|first_us| times.0 < first_us));
        self.restarts = wait_us.is_none() && (news.acked > 0 || is_earlier);
        if let Some(wait_us) = wait_us {
            self.wait(now, wait_us);
        }
    }

    fn on_timer(&mut self, now: u64) -> bool {
        let now_us = now / 1000;
        self.connection.conn.set_now(now_us);
        (self.may, self.restarts) = (May::All, false);
        self.fired_at = Some(wheel::tick(now_us));
        match self.timer {
            Timer::Probe => {
                self.rearm(now);
                if self.probe.is_none() {
                    (self.probe_due, self.forced) = (true, true); // RFC 8985 §7.3
                }
            }
            Timer::Reordering => {
                let (lost, _, wait_us) = self.detect(now_us);
                if lost {
                    let goes_on = self.state() == CaState::Recovery;
                    self.recover(true);
                    if !goes_on && self.state() == CaState::Recovery {
                        // One segment counts, though none arrived. // Linux: tcp_rack_reo_timeout
                        self.show();
                        self.prr.on_ack(&mut self.connection.conn, 1, false);
                    }
                }
                match wait_us {
                    Some(wait_us) => self.wait(now, wait_us),
                    None => self.rearm(now),
                }
            }
            Timer::Timeout => {
                self.time_out(now);
                return true;
            }
        }
        false
    }

    fn send(&mut self, now: u64) -> Vec<(u64, bool)> {
        let now_us = now / 1000;
        let (mut burst, mut has_sent) = (Vec::new(), false);
        while self.pipe() < self.connection.conn.cwnd || self.forced {
            if self.state() == CaState::Disorder && !self.connection.setup.limited_transmit {
                break;
            }
            let Some((position, is_probe)) = self.next_segment() else { break };
            self.forced = false;
            self.show();
            if self.connection.conn.in_flight == 0 {
                self.connection.cc.cwnd_event(&mut self.connection.conn, CaEvent::TxStart);
            }
            self.connection.conn.lsndtime_ticks = self.connection.conn.ticks;
            self.prr.out += 1;
            burst.push((position, position < self.nxt()));
            if position == self.nxt() {
                let (sacked, lost, again, judged) = (false, false, false, false);
                let number = self.transmissions;
                self.transmissions += 1;
                self.sent.push(Sent { at_us: now_us, times: 1, number, sacked, lost, again, judged });
                has_sent = true;
            } else {
                self.send_again(now, position, is_probe);
            }
            if self.due.is_none() {
                self.rearm(now);
            }
        }
        self.show();
        self.connection.judge_use(self.una, self.nxt());
        let restarts = std::mem::take(&mut self.restarts);
        let now = now_us * 1000;
        if has_sent && self.probe_due {
            self.probe_leaves(now, false);
        } else if has_sent {
            let was_probe = self.timer == Timer::Probe;
            if !self.schedule_probe(now, false) && (restarts || was_probe) {
                self.rearm(now);
            }
        } else if restarts && !self.schedule_probe(now, true) {
            self.rearm(now);
        }
        burst
    }

    fn due(&self) -> Option<u64> {
        self.due
    }

    fn conn(&self) -> &Conn {
        &self.connection.conn
    }
}
