// SPDX-License-Identifier: MIT OR Apache-2.0
//! The thread of the applications: senders and receivers of all flows and of traffic, and what is read of their sockets.

use crate::application::{Application, FlowReport};
use crate::carrier::become_real_time;
use crate::counters::{Counters, counters_of};
use crate::crossing::{FlowState, Rows};
use crate::error::{Error, while_doing};
use crate::host::Host;
use crate::lateness::Lateness;
use crate::paths::HostSide;
use crate::plan::{Plan, Sockets, Task};
use crate::scenario_clock::ScenarioClock;
use crate::sender_states::{SenderStates, StateRows, delivered};
use crate::socket::{self, TcpInfo};
use crate::transfers::{TrafficReport, Transfers};
use crate::wire::FIRST_PORT;
use cwnd_record::{CwndRow, EventKind, EventRow};
use rustix::event::{Timespec, epoll};
use std::net::SocketAddrV4;
use std::os::fd::OwnedFd;
use std::sync::atomic::Ordering;

/// Sockets are looked at at least this often, ns: mean windows, states, timeouts.
const LOOK: u64 = 10_000_000;
/// Priority of the thread in the real-time class: below that of the carrier.
const PRIORITY: i32 = 1;
/// An application that writes at a rate does so this often, and so often acknowledgements become rows, ns.
const SHORT_INTERVAL: u64 = 1_000_000;
const EVENTS_AT_ONCE: usize = 64;
/// Mark of the descriptor that ends the run.
const STOP: u64 = u64::MAX;

/// What the thread came to.
#[derive(Debug)]
pub struct ApplicationsReport {
    /// The flows.
    pub flows: Vec<FlowReport>,
    /// Traffic.
    pub traffic: TrafficReport,
    /// How late the applications did what they were to do, and were looked at.
    pub lateness: Lateness,
    /// Records of the sampler that found no room.
    pub records_lost: u64,
    /// The kernel's counters of both hosts at the end of the run, before its connections end.
    pub counters: [Counters; 2],
}

/// What the thread needs.
pub struct Applications<'a> {
    /// The time.
    pub clock: &'a ScenarioClock,
    /// When the run ends, ns.
    pub end: u64,
    /// The measured interval, ns.
    pub measure: (u64, u64),
    /// Interval of the rows of `cwnd`, ns; 0: none.
    pub interval: u64,
    /// Payload of a full segment, bytes.
    pub mss: u32,
    /// What is to happen, in the order of time.
    pub tasks: Vec<(u64, Task)>,
    /// The hosts.
    pub hosts: &'a [Host; 2],
    /// The flows.
    pub flows: &'a [FlowState],
    /// Where rows go.
    pub rows: &'a dyn Fn(Rows),
    /// Readable when the run is to be given up.
    pub stop: &'a OwnedFd,
}

impl Applications<'_> {
    /// Runs them until the end.
    pub fn run(
        &self,
        sockets: Sockets,
        plans: Vec<Plan>,
        mut transfers: Transfers,
        mut states: Option<SenderStates>,
    ) -> Result<ApplicationsReport, Error> {
        become_real_time(PRIORITY);
        // Connections of traffic are opened while the run goes on.
        self.hosts[HostSide::Senders as usize].enter()?;
        let mut lateness = Lateness::default();
        let every = if self.interval == 0 { LOOK } else { LOOK.min(self.interval) };
        let poll = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(while_doing("make an epoll"))?;
        epoll::add(&poll, self.stop, epoll::EventData::new_u64(STOP), epoll::EventFlags::IN)
            .map_err(while_doing("watch a socket"))?;
        let sockets = (0..).zip(plans).zip(sockets.0);
        let mut all = sockets
            .map(|((number, plan), sockets)| Application::new(plan, sockets, number, &poll))
            .collect::<Result<Vec<_>, _>>()?;
        transfers.watch(&poll)?;
        let (mut tasks, mut look, mut row, mut short) = (self.tasks.iter().peekable(), 0, 0, 0);
        let per_ack = states.as_ref().is_some_and(SenderStates::per_ack);
        let mut latest = 0;
        let mut ready = Vec::with_capacity(EVENTS_AT_ONCE);
        loop {
            let happened = self.clock.has_begun();
            // What is noted is in order, even where time has gone back to where the machine was stopped.
            let now = self.clock.now_with_links().max(latest);
            while let Some((at, task)) = tasks.next_if(|(at, _)| happened && *at <= now) {
                lateness.note(now - at);
                self.perform(&mut all, *at, task, &poll)?;
            }
            if happened {
                transfers.start_due(now.min(self.end), &mut lateness, &poll)?;
            }
            if happened && look <= now {
                lateness.note(now - look);
                let rows_due = self.interval > 0 && row <= now;
                self.trace(states.as_mut(), now, rows_due && !per_ack)?;
                self.look(&mut all, now, rows_due && !per_ack)?;
                transfers.close_idle()?;
                look = now - now % every + every;
                if rows_due {
                    row = now - now % self.interval + self.interval;
                }
            }
            if happened && short <= now {
                if per_ack {
                    self.trace(states.as_mut(), now, false)?;
                }
                for (number, each) in (0..).zip(&mut all) {
                    if each.plan.rate.is_some() && each.connected && each.writing {
                        each.write(number, now, &poll)?;
                    }
                }
                short = now + SHORT_INTERVAL;
            }
            if now >= self.end {
                break;
            }
            let is_frequent = per_ack || all.iter().any(|each| each.plan.rate.is_some());
            let next =
                look.min(tasks.peek().map_or(u64::MAX, |(at, _)| *at)).min(transfers.next()).min(self.end);
            let next = if is_frequent { next.min(short) } else { next };
            let left = self.clock.until(next);
            let timeout =
                Timespec { tv_sec: (left / 1_000_000_000) as _, tv_nsec: (left % 1_000_000_000) as _ };
            ready.clear();
            match epoll::wait(&poll, rustix::buffer::spare_capacity(&mut ready), Some(&timeout)) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(while_doing("wait for sockets")(error)),
            }
            let now = self.clock.now_with_links().max(now);
            latest = now;
            for event in &ready {
                let mark = event.data.u64();
                let flags = event.flags;
                let broken = flags.intersects(epoll::EventFlags::ERR | epoll::EventFlags::HUP);
                if mark == STOP {
                    return self.over(all, transfers, lateness, states);
                }
                if Transfers::owns(mark) {
                    transfers.ready(mark, flags, now, &poll)?;
                    continue;
                }
                let number = (mark / 2) as u32;
                let each = &mut all[number as usize];
                if mark % 2 == 0 && broken && !each.writing {
                    // Nobody waits for it any more.
                    epoll::delete(&poll, &each.sender).map_err(while_doing("watch a socket"))?;
                } else if mark % 2 == 0 {
                    each.on_writable(now);
                    each.write(number, now, &poll)?;
                } else {
                    each.read(number, now, &poll)?;
                }
            }
        }
        self.look(&mut all, self.end, false)?;
        for each in &mut all {
            each.mark(2);
        }
        self.over(all, transfers, lateness, states)
    }

    /// Takes what the sampler has recorded; the rows of samples that are due now come later.
    fn trace(&self, states: Option<&mut SenderStates>, now: u64, rows_due: bool) -> Result<(), Error> {
        let Some(states) = states else { return Ok(()) };
        let StateRows { cwnd, inner } = states.take(self.clock, now, self.flows)?;
        if rows_due {
            states.sample(now);
        }
        if !cwnd.is_empty() {
            (self.rows)(Rows::Windows(cwnd));
        }
        if !inner.is_empty() {
            (self.rows)(Rows::Inner(inner));
        }
        Ok(())
    }

    /// Ends all connections at once: what is on its way is of no interest any more.
    fn over(
        &self,
        all: Vec<Application>,
        transfers: Transfers,
        lateness: Lateness,
        mut states: Option<SenderStates>,
    ) -> Result<ApplicationsReport, Error> {
        let [senders, receivers] = self.hosts;
        let counters = [counters_of(senders)?, counters_of(receivers)?];
        let flows = all.into_iter().map(Application::close).collect();
        // Their ends were recorded, too.
        self.trace(states.as_mut(), self.end, false)?;
        let records_lost = states.as_ref().map_or(Ok(0), SenderStates::lost)?;
        Ok(ApplicationsReport { flows, traffic: transfers.finish(), lateness, records_lost, counters })
    }

    fn perform(&self, all: &mut [Application], at: u64, task: &Task, poll: &OwnedFd) -> Result<(), Error> {
        let flow = match task {
            Task::Measure(boundary) => {
                self.look(all, at, false)?;
                all.iter_mut().for_each(|each| each.mark(*boundary));
                return Ok(());
            }
            Task::Start(flow) | Task::Stop(flow) | Task::Switch(flow, _) => *flow,
        };
        let each = &mut all[flow as usize];
        let kind = match task {
            Task::Start(_) if !each.writing => {
                each.writing = true;
                each.since = (at, each.written);
                if each.connecting {
                    each.watch_writing(flow, true, poll)?;
                } else {
                    let port = FIRST_PORT + flow as u16;
                    let to = SocketAddrV4::new(Host::address(HostSide::Receivers), port);
                    each.connect(to, flow, poll)?;
                }
                EventKind::Start
            }
            Task::Stop(_) if each.writing => {
                each.writing = false;
                if each.connecting {
                    each.watch_writing(flow, false, poll)?;
                }
                EventKind::Stop
            }
            Task::Switch(_, algorithm) => {
                socket::use_algorithm(&each.sender, algorithm)
                    .map_err(while_doing(format!("use {algorithm}")))?;
                EventKind::Switch
            }
            _ => return Ok(()),
        };
        self.event(flow, at, kind, 0);
        Ok(())
    }

    /// Reads all sockets.
    fn look(&self, all: &mut [Application], now: u64, record: bool) -> Result<(), Error> {
        let mut rows = Vec::new();
        for (number, each) in (0u32..).zip(all) {
            let info = TcpInfo::of(&each.sender).map_err(while_doing("read TCP_INFO"))?;
            let begin = self.measure.0.max(each.plan.start);
            let (from, to) = (each.seen_at.max(begin), now.min(self.measure.1));
            each.report.window_ns += u128::from(each.seen.snd_cwnd) * u128::from(to.saturating_sub(from));
            let state = &self.flows[number as usize];
            state.window[0].store(info.snd_cwnd, Ordering::Relaxed);
            state.window[1].store(info.snd_ssthresh, Ordering::Relaxed);
            if info.ca_state != each.seen.ca_state {
                self.event(number, now, EventKind::State, u64::from(info.ca_state));
            }
            for _ in each.seen.total_rto..info.total_rto {
                self.event(number, now, EventKind::Timeout, 0);
            }
            if record && each.plan.recorded {
                rows.push(CwndRow {
                    time_ns: now,
                    flow: number,
                    cwnd: info.snd_cwnd,
                    ssthresh: info.snd_ssthresh,
                    srtt_us8: info.rtt.saturating_mul(8),
                    in_flight: info.in_flight(),
                    forwarded: state.forwarded.load(Ordering::Relaxed),
                    delivered: delivered(info.bytes_acked, self.mss) + u64::from(info.sacked),
                    ca_state: info.ca_state,
                });
            }
            (each.seen, each.seen_at) = (info, now);
            each.close_when_acknowledged()?;
        }
        if !rows.is_empty() {
            (self.rows)(Rows::Windows(rows));
        }
        Ok(())
    }

    fn event(&self, flow: u32, time_ns: u64, kind: EventKind, value: u64) {
        let [cwnd, ssthresh] = &self.flows[flow as usize].window;
        let (cwnd, ssthresh) = (cwnd.load(Ordering::Relaxed), ssthresh.load(Ordering::Relaxed));
        (self.rows)(Rows::Events(vec![EventRow { time_ns, flow, kind, link: None, value, cwnd, ssthresh }]));
    }
}
