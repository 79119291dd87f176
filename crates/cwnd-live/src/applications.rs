// SPDX-License-Identifier: MIT OR Apache-2.0
//! The thread of the applications: senders and receivers of all flows, and what is read of their sockets.

use crate::carrier::{FlowState, Rows, become_real_time, clock};
use crate::error::{Error, while_doing};
use crate::host::Host;
use crate::lateness::Lateness;
use crate::paths::HostSide;
use crate::plan::{CHUNK, Plan, Sockets, Task};
use crate::socket::{self, TcpInfo};
use crate::wire::FIRST_PORT;
use cwnd_record::{CwndRow, EventKind, EventRow, FlowCounts};
use rustix::event::{Timespec, epoll};
use std::io::{self, Write};
use std::net::{SocketAddrV4, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;

/// Sockets are looked at at least this often, ns: mean windows, states, timeouts.
const LOOK: u64 = 10_000_000;
/// Priority of the thread in the real-time class: below that of the carrier.
const PRIORITY: i32 = 1;
/// An application that writes at a rate does so this often, ns.
const WRITE_INTERVAL: u64 = 1_000_000;
const EVENTS_AT_ONCE: usize = 64;
/// Mark of the descriptor that ends the run; flows have even numbers for senders, odd ones for receivers.
const STOP: u64 = u64::MAX;

/// What a flow came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct FlowReport {
    /// Counts at the begin and the end of the measured interval, and at the end of the run.
    pub counts: [FlowCounts; 3],
    /// The window's integral over the measured interval, segments × ns.
    pub window_ns: u128,
    /// When the receiver had all of it, ns.
    pub finished: Option<u64>,
    /// Duplicates that the receiver has told the sender of (D-SACK).
    pub duplicates: u32,
}

/// What the thread came to.
#[derive(Debug)]
pub struct ApplicationsReport {
    /// The flows.
    pub flows: Vec<FlowReport>,
    /// How late the applications did what they were to do, and were looked at.
    pub lateness: Lateness,
}

struct Application {
    plan: Plan,
    sender: TcpStream,
    listener: TcpListener,
    receiver: Option<TcpStream>,
    /// Whether it was told to connect, and whether it is connected.
    connecting: bool,
    connected: bool,
    writing: bool,
    written: u64,
    /// When it last began to write, and what it had written by then: for its rate.
    since: (u64, u64),
    received: u64,
    seen: TcpInfo,
    seen_at: u64,
    report: FlowReport,
}

/// What the thread needs.
pub struct Applications<'a> {
    /// Time 0 of the scenario on the monotonic clock, ns.
    pub zero: u64,
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
    /// The flows.
    pub flows: &'a [FlowState],
    /// Where rows go.
    pub rows: Sender<Rows>,
    /// Readable when the run is to be given up.
    pub stop: &'a OwnedFd,
}

impl Applications<'_> {
    /// Runs them until the end.
    pub fn run(&self, sockets: Sockets, plans: Vec<Plan>) -> Result<ApplicationsReport, Error> {
        become_real_time(PRIORITY);
        let mut lateness = Lateness::default();
        let every = if self.interval == 0 { LOOK } else { LOOK.min(self.interval) };
        let poll = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(while_doing("make an epoll"))?;
        let watch = |socket: &dyn std::os::fd::AsFd, mark: u64, what: epoll::EventFlags| {
            epoll::add(&poll, socket.as_fd(), epoll::EventData::new_u64(mark), what)
                .map_err(while_doing("watch a socket"))
        };
        watch(self.stop, STOP, epoll::EventFlags::IN)?;
        let mut all = Vec::with_capacity(plans.len());
        for ((number, plan), (sender, listener)) in (0u64..).zip(plans).zip(sockets.0) {
            watch(&listener, 2 * number + 1, epoll::EventFlags::IN)?;
            all.push(Application {
                plan,
                sender,
                listener,
                receiver: None,
                connecting: false,
                connected: false,
                writing: false,
                written: 0,
                since: (0, 0),
                received: 0,
                seen: TcpInfo::default(),
                seen_at: 0,
                report: FlowReport::default(),
            });
        }
        let chunk = vec![0u8; CHUNK];
        let (mut tasks, mut look, mut row, mut write) = (self.tasks.iter().peekable(), 0, 0, 0);
        let mut ready = Vec::with_capacity(EVENTS_AT_ONCE);
        loop {
            let now = clock().saturating_sub(self.zero);
            let happened = clock() >= self.zero;
            while let Some((at, task)) = tasks.next_if(|(at, _)| happened && *at <= now) {
                lateness.note(now - at);
                self.perform(&mut all, *at, task, &poll)?;
            }
            if happened && look <= now {
                lateness.note(now - look);
                let rows_due = self.interval > 0 && row <= now;
                self.look(&mut all, now, rows_due)?;
                look = now - now % every + every;
                if rows_due {
                    row = now - now % self.interval + self.interval;
                }
            }
            if happened && write <= now {
                for (number, each) in (0..).zip(&mut all) {
                    if each.plan.rate.is_some() && each.connected && each.writing {
                        self.write(each, number, now, &chunk, &poll)?;
                    }
                }
                write = now + WRITE_INTERVAL;
            }
            if now >= self.end {
                break;
            }
            let has_rates = all.iter().any(|each| each.plan.rate.is_some());
            let next = look.min(tasks.peek().map_or(u64::MAX, |(at, _)| *at)).min(self.end);
            let next = if has_rates { next.min(write) } else { next };
            let left = (next + self.zero).saturating_sub(clock());
            let timeout =
                Timespec { tv_sec: (left / 1_000_000_000) as _, tv_nsec: (left % 1_000_000_000) as _ };
            ready.clear();
            match epoll::wait(&poll, rustix::buffer::spare_capacity(&mut ready), Some(&timeout)) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(while_doing("wait for sockets")(error)),
            }
            let now = clock().saturating_sub(self.zero);
            for event in &ready {
                let mark = event.data.u64();
                let flags = event.flags;
                let broken = flags.intersects(epoll::EventFlags::ERR | epoll::EventFlags::HUP);
                if mark == STOP {
                    return Ok(ApplicationsReport { flows: self.close(all), lateness });
                }
                let number = (mark / 2) as u32;
                let each = &mut all[number as usize];
                if mark % 2 == 0 && broken && !each.writing {
                    // Nobody waits for it any more.
                    epoll::delete(&poll, &each.sender).map_err(while_doing("watch a socket"))?;
                } else if mark % 2 == 0 {
                    each.connected = true;
                    self.write(each, number, now, &chunk, &poll)?;
                } else {
                    read(each, now, mark, &poll)?;
                }
            }
        }
        self.look(&mut all, self.end, false)?;
        for each in &mut all {
            each.mark(2);
        }
        Ok(ApplicationsReport { flows: self.close(all), lateness })
    }

    /// Ends all connections at once: what is on its way is of no interest any more.
    fn close(&self, all: Vec<Application>) -> Vec<FlowReport> {
        all.into_iter()
            .map(|each| {
                // A connection that the other end has closed cannot be closed so, and need not.
                let _ = socket::close_at_once(&each.sender);
                let _ = each.receiver.as_ref().map(socket::close_at_once);
                FlowReport { duplicates: each.seen.dsack_dups, ..each.report }
            })
            .collect()
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
                let data = epoll::EventData::new_u64(2 * u64::from(flow));
                if each.connecting {
                    watch_writing(poll, each, flow, true)?;
                } else {
                    each.connecting = true;
                    let port = FIRST_PORT + flow as u16;
                    let to = SocketAddrV4::new(Host::address(HostSide::Receivers), port);
                    socket::connect(&each.sender, to).map_err(while_doing("connect"))?;
                    epoll::add(poll, &each.sender, data, epoll::EventFlags::OUT)
                        .map_err(while_doing("watch a socket"))?;
                }
                EventKind::Start
            }
            Task::Stop(_) if each.writing => {
                each.writing = false;
                if each.connecting {
                    watch_writing(poll, each, flow, false)?;
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

    /// Writes what the application may.
    fn write(
        &self,
        each: &mut Application,
        number: u32,
        now: u64,
        chunk: &[u8],
        poll: &OwnedFd,
    ) -> Result<(), Error> {
        if !each.writing {
            return watch_writing(poll, each, number, false);
        }
        while each.writing {
            let size = each.plan.size.map_or(u64::MAX, |size| size - each.written);
            let allowed = each.plan.rate.map_or(u64::MAX, |rate| {
                let (since, written) = each.since;
                let sum = u128::from(rate) * u128::from(now.saturating_sub(since)) / 8_000_000_000;
                u64::try_from(sum).unwrap_or(u64::MAX).saturating_sub(each.written - written)
            });
            let bytes = size.min(allowed).min(chunk.len() as u64) as usize;
            if bytes == 0 {
                // It is not closed: a FIN passes beside the links, and would overtake the data.
                each.writing &= size != 0;
                return watch_writing(poll, each, number, false);
            }
            match each.sender.write(&chunk[..bytes]) {
                Ok(written) => each.written += written as u64,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::NotConnected => return Ok(()),
                Err(error) => return Err(while_doing("write to a connection")(error)),
            }
        }
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
                    // The SYN counts as a byte.
                    delivered: info.bytes_acked.saturating_sub(1).div_ceil(u64::from(self.mss))
                        + u64::from(info.sacked),
                    ca_state: info.ca_state,
                });
            }
            (each.seen, each.seen_at) = (info, now);
        }
        if !rows.is_empty() {
            let _ = self.rows.send(Rows::Windows(rows)); // whoever has gone does not want them
        }
        Ok(())
    }

    fn event(&self, flow: u32, time_ns: u64, kind: EventKind, value: u64) {
        let [cwnd, ssthresh] = &self.flows[flow as usize].window;
        let (cwnd, ssthresh) = (cwnd.load(Ordering::Relaxed), ssthresh.load(Ordering::Relaxed));
        let _ = self.rows.send(Rows::Events(vec![EventRow {
            time_ns,
            flow,
            kind,
            link: None,
            value,
            cwnd,
            ssthresh,
        }]));
    }
}

impl Application {
    /// Notes its counts at a boundary.
    fn mark(&mut self, boundary: usize) {
        self.report.counts[boundary] = FlowCounts {
            packets_sent: u64::from(self.seen.data_segs_out),
            retransmits: u64::from(self.seen.total_retrans),
            timeouts: u64::from(self.seen.total_rto),
            ..FlowCounts::default() // the links count drops
        };
    }
}

/// Whether we want to know that the sender can write.
fn watch_writing(poll: &OwnedFd, each: &Application, flow: u32, wanted: bool) -> Result<(), Error> {
    let what = if wanted { epoll::EventFlags::OUT } else { epoll::EventFlags::empty() };
    epoll::modify(poll, &each.sender, epoll::EventData::new_u64(2 * u64::from(flow)), what)
        .map_err(while_doing("watch a socket"))
}

/// The receiver's connection is there, or has data.
fn read(each: &mut Application, now: u64, mark: u64, poll: &OwnedFd) -> Result<(), Error> {
    let Some(receiver) = &each.receiver else {
        let (receiver, _) = match each.listener.accept() {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
            accepted => accepted.map_err(while_doing("accept a connection"))?,
        };
        receiver.set_nonblocking(true).map_err(while_doing("accept a connection"))?;
        epoll::delete(poll, &each.listener).map_err(while_doing("watch a socket"))?;
        epoll::add(poll, &receiver, epoll::EventData::new_u64(mark), epoll::EventFlags::IN)
            .map_err(while_doing("watch a socket"))?;
        each.receiver = Some(receiver);
        return Ok(());
    };
    match socket::discard(receiver, 1 << 22) {
        Ok(0) => epoll::delete(poll, receiver).map_err(while_doing("watch a socket"))?,
        Ok(bytes) => {
            each.received += bytes as u64;
            if each.plan.size == Some(each.received) {
                each.report.finished = Some(now);
            }
        }
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
        Err(error) => return Err(while_doing("read from a connection")(error)),
    }
    Ok(())
}
