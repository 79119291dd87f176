// SPDX-License-Identifier: MIT OR Apache-2.0
//! A sender with RACK-TLP (RFC 8985), D-SACK (RFC 2883, RFC 3708), F-RTO (RFC 5682), Eifel detection (RFC 3522) and PRR (RFC 9937), as
//! docs/explanation/recovery-linux.md has it: where the page and an RFC differ, this follows the page.
//!
//! Modules: `respond` (recoveries, what undoes them), `send` (timers, what goes). Every question is answered by going through all segments that are out.

mod respond;
mod send;

use crate::connection::{Connection, Prr};
use crate::network::Setup;
use crate::receiver::AckSegment;
use cwnd::CaState;

#[derive(Clone, Copy, Debug)]
struct Sent {
    /// When it was last sent, µs, and how often.
    at_us: u64,
    times: u32,
    /// The how many-th transmission of all that was.
    number: u64,
    sacked: bool,
    lost: bool,
    /// Sent again since it was lost, and in the pipe for that.
    again: bool,
    /// Time has shown it lost: once for each transmission.
    judged: bool,
}

/// What the timer is set for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Timer {
    Timeout,
    Reordering,
    Probe,
}

/// What may go until the next acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum May {
    All,
    New,
    NewFirst,
}

/// What can be undone. // RFC 3522 §3.2, RFC 3708 §2
#[derive(Debug, Default)]
struct Undo {
    /// The first segment out when the reduction was made.
    start: Option<u64>,
    /// Threshold and recovery point before it; none where nothing can be given back.
    before: Option<(u32, u64)>,
    /// Retransmissions without a D-SACK.
    awaited: Option<u32>,
    first_us: Option<u64>,
    frto: bool,
}

/// What an acknowledgement brings.
#[derive(Debug, Default)]
struct News {
    acked: u32,
    sacked: u32,
    delivered: u32,
    una: u64,
    highest: u64,
    /// The lowest segment that arrived behind one that was sent later.
    late: Option<u64>,
    newest_us: Option<u64>,
    has_duplicate: bool,
    of_probe: bool,
    original: bool,
    again: bool,
    acked_us: Option<(u64, u64)>,
    sacked_us: Option<(u64, u64)>,
    echo_us: Option<u64>,
}

#[derive(Debug)]
pub struct LinuxSender {
    connection: Connection,
    sent: Vec<Sent>,
    una: u64,
    recovery_point: u64,
    prr: Prr,
    /// RACK.xmit_ts with RACK.segment, RACK.rtt; whether they are news. // RFC 8985 §5.3
    newest: (u64, u64),
    rack_rtt_us: Option<u64>,
    advanced: bool,
    /// RACK.reordering_seen, Linux's degree of it, RACK.reo_wnd_mult, RACK.reo_wnd_persist, a D-SACK that is not counted, when the last was.
    seen: bool,
    degree: u64,
    quarters: u64,
    persist: u32,
    dsack_seen: bool,
    grown_us: u64,
    /// RACK.fack + 1.
    highest: u64,
    timer: Timer,
    /// The tick at which it expires, and at which one fired last.
    expires: u64,
    fired_at: Option<u64>,
    due: Option<u64>,
    probe_due: bool,
    /// TLP.end_seq, and TLP.is_retrans.
    probe: Option<(u64, bool)>,
    undo: Undo,
    may: May,
    timeouts: u32,
    dsacks: u64,
    retransmissions: u64,
    transmissions: u64,
    forced: bool,
    /// The acknowledgement starts the timer anew, after what it lets go.
    restarts: bool,
}

impl LinuxSender {
    pub fn new(setup: &Setup) -> Self {
        Self {
            connection: Connection::new(setup),
            sent: Vec::new(),
            una: 0,
            recovery_point: 0,
            prr: Prr::default(),
            newest: (0, 0),
            rack_rtt_us: None,
            advanced: false,
            seen: false,
            degree: 3,
            quarters: 1,
            persist: 0,
            dsack_seen: false,
            grown_us: 0,
            highest: 0,
            timer: Timer::Timeout,
            expires: 0,
            fired_at: None,
            due: None,
            probe_due: false,
            probe: None,
            undo: Undo::default(),
            may: May::All,
            timeouts: 0,
            dsacks: 0,
            retransmissions: 0,
            transmissions: 0,
            forced: false,
            restarts: false,
        }
    }

    fn nxt(&self) -> u64 {
        self.sent.len() as u64
    }

    fn count(&self, counts: impl Fn(&Sent) -> bool) -> u32 {
        self.sent[self.una as usize..].iter().filter(|segment| counts(segment)).count() as u32
    }

    fn pipe(&self) -> u32 {
        let (all, again) = (self.count(|segment| !segment.sacked), self.count(|segment| segment.again));
        all + again - self.count(|segment| segment.lost)
    }

    fn show(&mut self) {
        self.connection.show(self.una, self.nxt(), self.pipe());
    }

    fn state(&self) -> CaState {
        self.connection.conn.ca_state
    }

    fn in_episode(&self) -> bool {
        matches!(self.state(), CaState::Recovery | CaState::Loss)
    }

    /// RACK.min_RTT, µs: without a sample the path's, which a handshake would have measured.
    fn min_rtt_us(&self) -> u64 {
        let path_us = self.connection.setup.rtt / 1000;
        match self.connection.conn.min_rtt_us {
            0 => path_us,
            measured_us => path_us.min(measured_us.into()),
        }
    }

    /// A segment arrived behind one that was sent later. // RFC 8985 §6.2, step 3; how far behind: Linux, tcp_check_sack_reordering
    fn note_order(&mut self, position: u64) {
        let highest = if self.count(|segment| segment.sacked) > 0 { self.highest } else { self.una };
        if position < highest {
            self.seen = true;
            self.degree = self.degree.max((highest - position).min(300));
        }
    }

    /// The segment at `position` has arrived. // RFC 8985 §6.2, steps 2 and 3
    fn arrives(&mut self, position: u64, is_report: bool, now_us: u64, news: &mut News) {
        let segment = self.sent[position as usize];
        news.delivered += 1;
        if segment.times == 1 {
            if position < if is_report { self.highest } else { news.highest } {
                news.late = Some(news.late.map_or(position, |lowest| lowest.min(position)));
            }
            news.original |= position < self.recovery_point;
            let times = if is_report { &mut news.sacked_us } else { &mut news.acked_us };
            *times = Some((times.map_or(segment.at_us, |times| times.0), segment.at_us));
        } else {
            news.again |= !is_report;
        }
        self.highest = self.highest.max(position + 1);
        news.newest_us = news.newest_us.max(Some(segment.at_us));
        let min_rtt_us = self.min_rtt_us();
        let rtt_us = now_us - segment.at_us;
        let echo_us = if is_report { None } else { news.echo_us };
        let is_earlier = rtt_us < min_rtt_us || echo_us.is_some_and(|echo_us| echo_us < segment.at_us);
        if segment.times == 1 || !is_earlier {
            (self.advanced, self.rack_rtt_us) = (true, Some(rtt_us));
            self.newest = self.newest.max((segment.at_us, position));
        }
    }

    fn take(&mut self, ack: &AckSegment, now_us: u64) -> News {
        let mut news = News { una: self.una, highest: self.highest, ..News::default() };
        news.echo_us = ack.sent_us.map(|sent| sent.0);
        let mut reported: Vec<u64> =
            ack.blocks.iter().flat_map(|&(from, to)| from.max(self.una)..to).collect();
        reported.sort_unstable();
        for position in reported {
            if !self.sent[position as usize].sacked {
                news.sacked += 1;
                self.arrives(position, true, now_us, &mut news);
                let segment = &mut self.sent[position as usize];
                // A retransmission of what is not lost is out still. // Linux: tcp_sacktag_one
                (segment.sacked, segment.lost, segment.again) = (true, false, segment.again && !segment.lost);
            }
        }
        if let Some(position) = ack.duplicate {
            news.has_duplicate = true;
            self.dsacks += 1;
            // Beyond the retransmissions they are the network's own.
            if self.dsacks <= self.retransmissions {
                news.of_probe = self.probe.is_some_and(|(end, _)| end == position + 1);
                news.delivered += 1;
                self.dsack_seen |= self.seen && !news.of_probe;
                if self.undo.start.is_some_and(|start| position >= start) {
                    self.undo.awaited = self.undo.awaited.map(|awaited| awaited.saturating_sub(1));
                }
                // Sent twice and still beyond the hole: one of the two arrived behind everything reported. // Linux: tcp_sacktag_one
                let segment = &mut self.sent[position as usize];
                if position >= self.una && segment.sacked && segment.times > 1 {
                    news.late = Some(news.late.map_or(position, |lowest| lowest.min(position)));
                }
                segment.again &= !segment.sacked;
            }
        }
        // Once for all reports; in the repair after a timeout only while that may be undone. // Linux: tcp_sacktag_write_queue
        if let Some(position) = news.late.take()
            && (self.state() != CaState::Loss || self.undo.start.is_some())
        {
            self.note_order(position);
        }
        for position in self.una..ack.cumulative {
            news.acked += 1;
            if !self.sent[position as usize].sacked {
                self.arrives(position, false, now_us, &mut news);
            }
        }
        self.una = self.una.max(ack.cumulative);
        if let Some(position) = news.late {
            self.note_order(position);
        }
        news
    }

    /// Round trips of the oldest and the newest segment, µs. // Linux: tcp_ack_update_rtt
    fn round_trips(news: &News, now_us: u64) -> Option<(u32, u32)> {
        let since = |at_us: u64| (now_us - at_us) as u32;
        let acked_us = news.acked_us.filter(|_| !news.again);
        if let (Some(first), Some(last)) = (acked_us.or(news.sacked_us), news.sacked_us.or(acked_us)) {
            return Some((since(first.0), since(last.1)));
        }
        let echo_us = news.echo_us.filter(|_| news.acked > 0)?;
        let rtt_us = (1000 * (now_us / 1000).saturating_sub(echo_us / 1000).max(1)) as u32;
        Some((rtt_us, rtt_us))
    }

    /// RFC 8985 §6.2, step 4.
    fn reordering_window_us(&self) -> u64 {
        let at_once = self.in_episode() || self.count(|segment| segment.sacked) >= 3;
        if !self.seen && at_once {
            return 0;
        }
        let conn = &self.connection.conn;
        (self.min_rtt_us() / 4 * self.quarters).min(u64::from(conn.srtt_us8 / 8))
    }

    /// RFC 8985 §6.2, step 5: whether something is lost, whether that was a retransmission, how long until the rest is, µs.
    fn detect(&mut self, now_us: u64) -> (bool, bool, Option<u64>) {
        let (mut lost, mut lost_again, mut wait_us) = (false, false, None);
        let Some(rtt_us) = self.rack_rtt_us else { return (lost, lost_again, wait_us) };
        let patience_us = rtt_us + self.reordering_window_us();
        // In the order of their transmissions. // Linux: tcp_rack_detect_loss stops at the first that went behind what has arrived
        let mut as_sent: Vec<u64> = (self.una..self.nxt()).collect();
        as_sent.sort_by_key(|&position| self.sent[position as usize].number);
        for position in as_sent {
            let newest = self.newest;
            let segment = &mut self.sent[position as usize];
            let waits = segment.lost && !segment.again;
            if segment.sacked || waits || segment.judged {
                continue;
            }
            if (segment.at_us, position) >= newest {
                break;
            }
            if segment.at_us + patience_us <= now_us {
                lost_again |= segment.again;
                (segment.lost, segment.again, segment.judged, lost) = (true, false, true, true);
            } else {
                wait_us = wait_us.max(Some(segment.at_us + patience_us - now_us));
            }
        }
        (lost, lost_again, wait_us)
    }
}
