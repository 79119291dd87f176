// SPDX-License-Identifier: MIT OR Apache-2.0
//! The thread that moves packets between the two hosts, through the emulator, against the monotonic clock.

use crate::capture::DeviceCaptures;
use crate::classify::{Classifier, whole};
use crate::emulator::Emulator;
use crate::error::{Error, while_doing};
use crate::host::{DEVICE_QUEUE, Host};
use crate::interface::Interfaces;
use crate::lateness::Lateness;
use crate::merge::AS_IT_IS;
use crate::paths::HostSide;
use crate::scenario_clock::{Pauses, ScenarioClock};
use crate::tally::Tally;
use crate::wire;
use cwnd_link::{Backlog, Drops, PacketClass};
use cwnd_record::{EventKind, EventRow, QueueRow};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::time::{ClockId, Timespec, clock_gettime};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

/// Priority of the thread in the real-time class.
const PRIORITY: i32 = 2;
/// Packets that are read of one host before the other one has its turn.
const READ_AT_ONCE: usize = 64;
/// A thread that is later than this, ns, was stopped, and perhaps others with it.
const BEHIND: u64 = 500_000;
/// It lets them go on for this long before it makes up for it.
const REST: Duration = Duration::from_micros(50);
/// What has left the links is counted at most this often, ns.
const PUBLISH: u64 = 1_000_000;
/// Rows are handed over in pieces of this many.
const ROWS_AT_ONCE: usize = 256;

/// CPU time of this thread, s.
fn cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// What a flow's threads tell each other.
#[derive(Debug, Default)]
pub struct FlowState {
    /// Window and slow start threshold at the last sample, segments.
    pub window: [AtomicU32; 2],
    /// Data packets that have left the flow's last link.
    pub forwarded: AtomicU64,
}

/// Rows for the tables.
#[derive(Debug)]
pub enum Rows {
    /// Samples of the queues.
    Queue(Vec<QueueRow>),
    /// Events.
    Events(Vec<EventRow>),
    /// Samples of the windows.
    Windows(Vec<cwnd_record::CwndRow>),
    /// Inner variables.
    Inner(Vec<cwnd_record::InnerRow>),
    /// The next piece of a host's capture, by the host's name.
    Packets(&'static str, Vec<u8>),
}

/// Which packets pass.
#[derive(Debug)]
pub enum Passing {
    /// TCP segments of the flows and of traffic, and traffic's datagrams, by their ports.
    Flows(Classifier),
    /// Every packet of IPv4: all are flow 0, and all count as data.
    Everything,
}

/// What the thread needs.
pub struct Carrier<'a> {
    /// Which packets pass.
    pub passing: Passing,
    /// The network.
    pub emulator: Emulator<Vec<u8>>,
    /// The hosts, by [`HostSide`].
    pub hosts: &'a [Host; 2],
    /// Receivers' interfaces that hold packets back.
    pub interfaces: Interfaces,
    /// The time.
    pub clock: &'a ScenarioClock,
    /// When the run ends, ns of the scenario's time.
    pub end: u64,
    /// Interval of the samples of the queues, ns; 0: none.
    pub interval: u64,
    /// Links of the scenario; those after them are access links.
    pub scenario_links: u32,
    /// Payload of a full segment, bytes.
    pub mss: u32,
    /// The measured interval, ns.
    pub measure: (u64, u64),
    /// The flows, and after them what traffic's data are counted for: see [`Header::flow`](crate::Header::flow).
    pub flows: &'a [FlowState],
    /// Packets that are captured.
    pub captures: DeviceCaptures,
    /// How many of them are flows.
    pub named: usize,
    /// Where rows go.
    pub rows: Sender<Rows>,
    /// Readable when the run is to be given up.
    pub stop: &'a OwnedFd,
    /// Readable when the run is to end as soon as what the hosts have sent until then has been delivered.
    pub drain: Option<&'a OwnedFd>,
}

/// What the thread came to.
#[derive(Debug)]
pub struct CarrierReport {
    /// The network at the end.
    pub emulator: Emulator<Vec<u8>>,
    /// Drops of each flow's data, in the measured interval and over the whole run.
    pub drops: Vec<[Drops; 2]>,
    /// Payload of each flow that has reached its receiver in the measured interval, each byte once.
    pub distinct_measured: Vec<u64>,
    /// How late packets were delivered.
    pub lateness: Lateness,
    /// Pauses of the machine.
    pub pauses: Pauses,
    /// CPU time of the thread, s.
    pub cpu_s: f64,
    /// Whether the thread ran in the real-time class.
    pub real_time: bool,
    /// Packets of other protocols, or of no flow, which were not delivered.
    pub foreign: u64,
    /// Whether it was given up before its end.
    pub stopped: bool,
}

impl Carrier<'_> {
    /// Moves packets until the end.
    pub fn run(mut self) -> Result<CarrierReport, Error> {
        let real_time = become_real_time(PRIORITY);
        let mut tally = Tally::new(self.named, self.measure);
        let mut memory =
            Memory { spare: Vec::new(), buffer: vec![0u8; (1 << 16) + AS_IT_IS.len()], takes: true };
        let (mut queue, mut events) = (Vec::new(), Vec::new());
        let mut sample = if self.interval == 0 { u64::MAX } else { 0 };
        let mut publish = 0;
        let mut waited = Waited { stop: false, drain: false, readable: [true; 2] };
        loop {
            let now = self.deliver(&mut tally, &mut memory)?;
            // A host that had nothing more to send is asked again when it has something.
            for side in HostSide::ALL.into_iter().filter(|side| waited.readable[*side as usize]) {
                self.take_from(side, now, &mut tally, &mut memory)?;
            }
            if waited.drain && memory.takes {
                for side in HostSide::ALL {
                    // No more than its device can hold: it may send faster than this thread reads.
                    for _ in 0..DEVICE_QUEUE as usize / READ_AT_ONCE {
                        self.take_from(side, now, &mut tally, &mut memory)?;
                    }
                }
                memory.takes = false;
            }
            for dropped in self.emulator.take_dropped() {
                let of_traffic = dropped.header.flow as usize >= self.named;
                if of_traffic || !dropped.header.is_data() {
                    continue;
                }
                let flow = &self.flows[dropped.header.flow as usize];
                tally.note_drop(&dropped);
                events.push(EventRow {
                    time_ns: dropped.at,
                    flow: dropped.header.flow,
                    kind: EventKind::Drop(dropped.cause),
                    link: (dropped.link < self.scenario_links).then_some(dropped.link),
                    value: dropped.header.position / u64::from(self.mss),
                    cwnd: flow.window[0].load(Ordering::Relaxed),
                    ssthresh: flow.window[1].load(Ordering::Relaxed),
                });
            }
            while sample <= now.min(self.end) {
                for number in 0..self.scenario_links {
                    let Backlog { packets, bytes } = self.emulator.backlog(number, now);
                    let drops = self.emulator.links()[number as usize].count.drops;
                    queue.push(QueueRow { time_ns: sample, link: number, packets, bytes, drops });
                }
                sample += self.interval;
            }
            let is_drained = !memory.takes && self.emulator.is_empty();
            let over = now >= self.end || waited.stop || is_drained;
            if over || publish <= now {
                self.publish_forwarded(now);
                publish = now + PUBLISH;
            }
            for (host, piece) in self.captures.take(over) {
                let _ = self.rows.send(Rows::Packets(host, piece));
            }
            if over || queue.len() >= ROWS_AT_ONCE {
                // Ignore send errors: the receiver has exited.
                let _ = self.rows.send(Rows::Queue(std::mem::take(&mut queue)));
            }
            if over || events.len() >= ROWS_AT_ONCE {
                let _ = self.rows.send(Rows::Events(std::mem::take(&mut events)));
            }
            if over {
                break;
            }
            let next = self.next();
            self.clock.expect(next);
            waited = self.wait(next.min(sample).min(self.end), memory.takes)?;
        }
        self.clock.expect(u64::MAX);
        let Tally { lateness, pauses, foreign, drops, distinct_measured, .. } = tally;
        Ok(CarrierReport {
            emulator: self.emulator,
            drops,
            lateness,
            pauses,
            cpu_s: cpu_s(),
            real_time,
            foreign,
            distinct_measured,
            stopped: waited.stop,
        })
    }

    /// Tells the applications' thread what has left the links by `now`.
    fn publish_forwarded(&mut self, now: u64) {
        self.emulator.count_departures(now);
        for (number, flow) in (0..).zip(self.flows) {
            flow.forwarded.store(self.emulator.forwarded(number).packets, Ordering::Relaxed);
        }
    }

    /// When something is due next, ns.
    fn next(&self) -> u64 {
        self.emulator.next().min(self.interfaces.next())
    }

    /// Delivers what is due; returns the time up to which it did.
    ///
    /// What a host sends in response leaves it when the packet was due, not when this thread came to deliver it: so a thread that comes
    /// late leaves the times between packets as they are. Only the hosts' own clocks see that it was late.
    fn deliver(&mut self, tally: &mut Tally, memory: &mut Memory) -> Result<u64, Error> {
        let mut has_rested = false;
        loop {
            let (now, due) = (self.clock.now(), self.next());
            if due > now {
                return Ok(now);
            }
            if now - due > BEHIND && !has_rested {
                // Who was stopped with this thread may have been in the kernel's code for a connection, which answers nothing until then.
                std::thread::sleep(REST);
                has_rested = true;
            }
            if let Some(pause) = self.clock.come_to(due) {
                tally.pauses.note(pause);
            }
            let mut failed = None;
            let mut delivered = [false; 2];
            self.emulator.advance(due, |due, header, mut packet| {
                if header.marked {
                    wire::mark(&mut packet);
                }
                let to = header.from.other();
                self.captures.note(to, due, header.flow, &packet);
                if header.from == HostSide::Senders && header.is_data() {
                    tally.note_arrival(due, &header);
                }
                let packet = match to {
                    HostSide::Receivers => self.interfaces.hold(due, header.flow, header.payload, packet),
                    HostSide::Senders => Some(packet),
                };
                let Some(packet) = packet else { return };
                if let Err(error) = self.hosts[to as usize].write(&packet) {
                    failed = Some(error);
                }
                delivered[to as usize] = true;
                tally.lateness.note(self.clock.now().saturating_sub(due));
                memory.spare.push(packet);
            });
            let receivers = HostSide::Receivers as usize;
            let worked = self.interfaces.work_off(due, &mut memory.spare, |due, count, header, packet| {
                delivered[receivers] = true;
                (0..count).for_each(|_| tally.lateness.note(self.clock.now().saturating_sub(due)));
                self.hosts[receivers].write_described(header, packet)
            });
            failed = failed.or(worked.err());
            if let Some(error) = failed {
                return Err(while_doing("deliver a packet")(error));
            }
            for side in HostSide::ALL.into_iter().filter(|side| delivered[*side as usize]) {
                self.take_from(side, due, tally, memory)?;
            }
        }
    }

    /// Takes what a host sends at `at`, ns, up to which the network has advanced; a run that is drained takes nothing more.
    fn take_from(
        &mut self,
        side: HostSide,
        at: u64,
        tally: &mut Tally,
        memory: &mut Memory,
    ) -> Result<(), Error> {
        for _ in 0..if memory.takes { READ_AT_ONCE } else { 0 } {
            let host = &self.hosts[side as usize];
            let Some(packet) = host.read(&mut memory.buffer).map_err(while_doing("read a packet"))? else {
                break;
            };
            let header = match &mut self.passing {
                Passing::Flows(flows) => {
                    flows.header(packet, side, |number, ways| self.emulator.set_path(number, ways))
                }
                Passing::Everything => whole(packet, side),
            };
            let Some(mut header) = header else {
                tally.foreign += 1;
                continue;
            };
            if header.class == Some(PacketClass::Data) && wire::is_markable(packet) {
                header.class = Some(PacketClass::MarkableData);
            }
            let mut copy = memory.spare.pop().unwrap_or_default();
            copy.clear();
            copy.extend_from_slice(packet);
            self.captures.note(side, at, header.flow, &copy);
            let due = match &mut self.passing {
                Passing::Flows(flows) => {
                    flows.due(at, &header, |number, ways| self.emulator.set_path(number, ways))
                }
                Passing::Everything => None,
            };
            match due.filter(|due| *due > at) {
                Some(due) => self.emulator.accept_later(due, header, copy),
                None => self.emulator.accept(at, header, copy),
            }
        }
        Ok(())
    }

    /// Waits until this time, or for a packet where the hosts' packets are taken, or until it is told that the run is to end.
    fn wait(&self, until: u64, takes: bool) -> Result<Waited, Error> {
        let left = self.clock.until(until);
        let timeout = Timespec { tv_sec: (left / 1_000_000_000) as _, tv_nsec: (left % 1_000_000_000) as _ };
        let [senders, receivers] = self.hosts;
        let mut waited = [
            PollFd::new(self.stop, PollFlags::IN),
            PollFd::from_borrowed_fd(senders.device(), PollFlags::IN),
            PollFd::from_borrowed_fd(receivers.device(), PollFlags::IN),
            PollFd::new(self.drain.unwrap_or(self.stop), PollFlags::IN),
        ];
        // A run that is drained waits for its time alone, or to be given up.
        let watched = if takes { &mut waited[..] } else { &mut waited[..1] };
        match poll(watched, Some(&timeout)) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {
                let [stop, senders, receivers, drain] = waited.map(|each| !each.revents().is_empty());
                let drain = drain && self.drain.is_some();
                Ok(Waited { stop, drain, readable: [senders, receivers] })
            }
            Err(error) => Err(while_doing("wait for packets")(error)),
        }
    }
}

/// Memory that is used again.
struct Memory {
    /// Of packets that were delivered.
    spare: Vec<Vec<u8>>,
    /// What a packet is read into.
    buffer: Vec<u8>,
    /// Whether what the hosts send is still taken.
    takes: bool,
}

/// What has come while the thread waited.
struct Waited {
    /// Whether the run is to be given up.
    stop: bool,
    /// Whether it is to be drained.
    drain: bool,
    /// Whether a host has packets, by [`HostSide`].
    readable: [bool; 2],
}

/// Lets this thread run before all that are not in the real-time class, and before those of a lower priority there, and its timers expire on time; returns whether the system allows it.
pub fn become_real_time(priority: i32) -> bool {
    // SAFETY: plain system calls for this thread; the structure outlives its call.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong);
        let parameters = libc::sched_param { sched_priority: priority };
        libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) == 0
    }
}
