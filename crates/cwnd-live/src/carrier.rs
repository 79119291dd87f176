// SPDX-License-Identifier: MIT OR Apache-2.0
//! The thread that moves packets between the two hosts, through the emulator, against the monotonic clock.

use crate::classify::Announced;
use crate::crossing::{Crossing, CrossingReport, FlowState, Rows};
use crate::device_requests::DEVICE_QUEUE;
use crate::error::{Error, while_doing};
use crate::host::Host;
use crate::merge::AS_IT_IS;
use crate::paths::HostSide;
use crate::scenario_clock::ScenarioClock;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::time::{ClockId, Timespec, clock_gettime};
use std::os::fd::OwnedFd;
use std::sync::mpsc::{Receiver, Sender};
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

/// What the thread needs.
pub struct Carrier<'a> {
    /// What is between the hosts.
    pub crossing: Crossing,
    /// The hosts, by [`HostSide`].
    pub hosts: &'a [Host; 2],
    /// The time.
    pub clock: &'a ScenarioClock,
    /// The flows, and after them what traffic's data are counted for: see [`Header::flow`](crate::Header::flow).
    pub flows: &'a [FlowState],
    /// What traffic tells of before its first packet; none where there is no traffic.
    pub announced: Option<Receiver<Announced>>,
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
    /// What has happened between the hosts.
    pub crossing: CrossingReport,
    /// CPU time of the thread, s.
    pub cpu_s: f64,
    /// Whether the thread ran in the real-time class.
    pub real_time: bool,
    /// Whether it was given up before its end.
    pub stopped: bool,
}

impl Carrier<'_> {
    /// Moves packets until the end.
    pub fn run(mut self) -> Result<CarrierReport, Error> {
        let real_time = become_real_time(PRIORITY);
        let end = self.crossing.end();
        let mut reading = Reading { buffer: vec![0u8; (1 << 16) + AS_IT_IS.len()], takes: true };
        let mut publish = 0;
        let mut waited = Waited { stop: false, drain: false, readable: [true; 2] };
        loop {
            let now = self.deliver(&mut reading)?;
            // A host that had nothing more to send is asked again when it has something.
            for side in HostSide::ALL.into_iter().filter(|side| waited.readable[*side as usize]) {
                self.take_from(side, now, &mut reading)?;
            }
            if waited.drain && reading.takes {
                for side in HostSide::ALL {
                    // No more than its device can hold: it may send faster than this thread reads.
                    for _ in 0..DEVICE_QUEUE as usize / READ_AT_ONCE {
                        self.take_from(side, now, &mut reading)?;
                    }
                }
                reading.takes = false;
            }
            self.crossing.record(now, self.flows);
            let is_drained = !reading.takes && self.crossing.is_empty();
            let over = now >= end || waited.stop || is_drained;
            if over || publish <= now {
                self.crossing.publish_forwarded(now, self.flows);
                publish = now + PUBLISH;
            }
            // Ignore send errors: the receiver has exited.
            self.crossing.take_rows(if over { 0 } else { ROWS_AT_ONCE }, |rows| drop(self.rows.send(rows)));
            if over {
                break;
            }
            let next = self.crossing.next();
            self.clock.expect(next);
            waited = self.wait(next.min(self.crossing.next_sample()).min(end), reading.takes)?;
        }
        self.clock.expect(u64::MAX);
        let crossing = self.crossing.finish();
        Ok(CarrierReport { crossing, cpu_s: cpu_s(), real_time, stopped: waited.stop })
    }

    /// Delivers what is due; returns the time up to which it did.
    ///
    /// What a host sends in response leaves it when the packet was due, not when this thread came to deliver it: so a thread that comes
    /// late leaves the times between packets as they are. Only the hosts' own clocks see that it was late.
    fn deliver(&mut self, reading: &mut Reading) -> Result<u64, Error> {
        let mut has_rested = false;
        loop {
            let (now, due) = (self.clock.now(), self.crossing.next());
            if due > now {
                return Ok(now);
            }
            if now - due > BEHIND && !has_rested {
                // Who was stopped with this thread may have been in the kernel's code for a connection, which answers nothing until then.
                std::thread::sleep(REST);
                has_rested = true;
            }
            if let Some(pause) = self.clock.come_to(due) {
                self.crossing.tally.pauses.note(pause);
            }
            let mut delivered = [false; 2];
            let (hosts, clock) = (self.hosts, self.clock);
            let advanced = self.crossing.advance(due, |tally, delivery| {
                let to = delivery.to as usize;
                delivered[to] = true;
                let written = match delivery.merged {
                    Some(header) => hosts[to].write_described(header, delivery.packet),
                    None => hosts[to].write(delivery.packet),
                };
                let late = clock.now().saturating_sub(delivery.due);
                (0..delivery.count).for_each(|_| tally.lateness.note(late));
                written
            });
            advanced.map_err(while_doing("deliver a packet"))?;
            for side in HostSide::ALL.into_iter().filter(|side| delivered[*side as usize]) {
                self.take_from(side, due, reading)?;
            }
        }
    }

    /// Takes what a host sends at `at`, ns, up to which the network has advanced; a run that is drained takes nothing more.
    fn take_from(&mut self, side: HostSide, at: u64, reading: &mut Reading) -> Result<(), Error> {
        for _ in 0..if reading.takes { READ_AT_ONCE } else { 0 } {
            let host = &self.hosts[side as usize];
            let Some(packet) = host.read(&mut reading.buffer).map_err(while_doing("read a packet"))? else {
                break;
            };
            // Whoever sent the packet has told of it before.
            for announced in self.announced.iter().flat_map(Receiver::try_iter) {
                self.crossing.announce(announced);
            }
            self.crossing.sent(side, at, packet);
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

/// How the hosts' packets are read.
struct Reading {
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
