// SPDX-License-Identifier: MIT OR Apache-2.0
//! An independent look at what links did, in runs with foreign stacks. It knows the links' settings and nothing of how they compute:
//!
//! * No link sends faster than its rate (`capacity`): in no busy period, from the packet that finds it idle on, more than the rate, its
//!   steps or the opportunities of its trace carry until the last bit has left.
//! * No queue holds more than its limit, in packets, bytes or time, at what the limit is then; and none refuses for want of room what fits.
//! * Packets leave in the order in which they came, each once, none before it came; what a queue that decides at the head has taken in
//!   has been sent, was dropped, or is there when the run ends.
//!
//! On a link that ticks, times are those of ticks: there limits are not looked at. A link without a rate has only the order of its packets.

mod capacity;
#[cfg(test)]
mod tests;

use capacity::Capacity;
use cwnd_link::{DropCause, Limit, LinkConfig, NEVER, Rate, ServerConfig, Steps};
use std::collections::VecDeque;

/// What one link may do, and what it did.
#[derive(Clone, Debug)]
pub struct LinkCheck {
    /// `None` of a link without a rate, which has no queue either.
    capacity: Option<Capacity>,
    /// bit/s, where it never changes.
    rate: Option<u64>,
    /// `None` on a link that ticks, and on one without a queue.
    limit: Option<Steps<Limit>>,
    /// Ticks of the link, ns; 0: none.
    tick: u64,
    /// Of a queue that decides at arrival, accepted packets that have not left: when they leave, and bytes. Of one that decides at the
    /// head, those that wait: when they came, and bytes.
    inside: VecDeque<(u64, u64)>,
    bytes: u64,
    /// Bytes of the packet that a queue that decides at the head has taken last.
    sending: u64,
    /// When the last packet left.
    left: u64,
    /// Since when the link has been busy, and the bytes sent since.
    busy: (u64, u64),
    /// When a queue that decides at the head has last accepted a packet, and its bytes: looked at when that instant is over.
    accepted: Option<(u64, u64)>,
    /// The first thing that cannot be.
    broken: Option<String>,
}

impl LinkCheck {
    /// A link of these settings that has done nothing.
    pub fn new(config: &LinkConfig) -> Self {
        let limit = match &config.server {
            ServerConfig::Fifo(fifo, _) => Some(&fifo.limit),
            ServerConfig::Head(head) => Some(&head.limit),
            ServerConfig::NoRate(_) => None,
        };
        let rate = config.server.rate();
        Self {
            capacity: rate.map(Capacity::new),
            rate: if let Some(Rate::Constant(rate)) = rate { Some(*rate) } else { None },
            limit: limit.filter(|_| config.tick.is_none()).cloned(),
            tick: config.tick.map_or(0, |tick| tick.first(1)),
            inside: VecDeque::new(),
            bytes: 0,
            sending: 0,
            left: 0,
            busy: (0, 0),
            accepted: None,
            broken: None,
        }
    }

    /// A queue that decides at arrival accepts a packet of `size` bytes at `now`, ns; it will leave at `departs`.
    pub fn accepts(&mut self, now: u64, size: u32, departs: u64) {
        self.remove_departed(now);
        if let Some(why) = self.no_room(now, size.into()) {
            self.fault(now, || format!("it accepted a packet although {why}"));
        }
        if departs < now {
            self.fault(now, || format!("a packet leaves at {departs} ns, before it arrived"));
        }
        self.sends(now, (now, size.into()), departs);
        self.push(departs, size.into());
    }

    /// It refuses one, for this reason.
    pub fn refuses(&mut self, now: u64, size: u32, cause: DropCause) {
        if cause == DropCause::Full && self.limit.is_some() {
            self.remove_departed(now);
            if self.no_room(now, size.into()).is_none() {
                self.fault(now, || format!("it refused {size} bytes although there is room"));
            }
        }
    }

    /// A queue that decides at the head takes in a packet of `size` bytes at `now`, ns.
    pub fn holds(&mut self, now: u64, size: u32) {
        self.settle(now);
        self.push(now, size.into());
        self.accepted = Some((now, size.into()));
    }

    /// It refuses one, for this reason. What it has taken at this instant may be said later, so that it has at least as much room.
    pub fn refuses_at_head(&mut self, now: u64, size: u32, cause: DropCause) {
        self.settle(now);
        let limit = self.limit.as_ref().map(|limit| limit.at(now));
        // A wait is known at a constant rate only.
        let is_known = limit.is_some_and(|limit| self.rate.is_some() || !matches!(limit, Limit::Time(_)));
        if cause != DropCause::Full || !is_known {
            return;
        }
        self.push(now, size.into());
        let has_room = self.too_much(now, size.into()).is_none();
        self.inside.pop_back();
        self.bytes -= u64::from(size);
        if has_room {
            self.fault(now, || format!("it refused {size} bytes although there is room"));
        }
    }

    /// It has taken the packet at its head, of `size` bytes, at `now`, ns, which leaves at `departs`.
    pub fn check_dequeue(&mut self, now: u64, size: u32, departs: u64) {
        if let Some(packet) = self.takes(now, size.into()) {
            self.sends(now, packet, departs);
            self.sending = size.into();
        }
    }

    /// It drops the packet at its head, of `size` bytes.
    pub fn drops_held(&mut self, now: u64, size: u32) {
        self.takes(now, size.into());
    }

    /// The run is over; a queue that decides at the head holds so many packets.
    pub fn ends(&mut self, now: u64, held: usize) {
        self.settle(NEVER);
        let expected = self.inside.len();
        if held != expected {
            self.fault(now, || format!("it holds {held} packets, but {expected} arrived and have not left"));
        }
    }

    /// The first thing that cannot be, if there is one.
    pub fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    fn push(&mut self, time: u64, size: u64) {
        self.inside.push_back((time, size));
        self.bytes += size;
    }

    fn remove_departed(&mut self, now: u64) {
        while let Some(&(departs, size)) = self.inside.front()
            && departs <= now
        {
            self.inside.pop_front();
            self.bytes -= size;
        }
    }

    /// The packet at the head of a queue that decides there: when it came, and bytes.
    fn takes(&mut self, now: u64, size: u64) -> Option<(u64, u64)> {
        self.settle(now);
        let head = self.inside.pop_front();
        self.bytes -= head.map_or(0, |packet| packet.1);
        match head {
            None => self.fault(now, || format!("{size} bytes leave that have not arrived")),
            Some((came, _)) if came > now => {
                self.fault(now, || format!("a packet leaves that arrives at {came} ns"));
            }
            Some((_, bytes)) if bytes != size => {
                self.fault(now, || format!("{size} bytes leave, but {bytes} are at the head"));
            }
            Some(_) => {}
        }
        head
    }

    /// A packet that came at `came`, ns, leaves at `departs`.
    fn sends(&mut self, now: u64, (came, size): (u64, u64), departs: u64) {
        if departs < self.left {
            let left = self.left;
            self.fault(now, || format!("a packet leaves at {departs} ns, after one that left at {left} ns"));
        }
        if came >= self.left {
            self.busy = (came, 0);
        }
        self.left = self.left.max(departs);
        // Behind a rate that stays 0 nothing leaves.
        if departs == NEVER {
            return;
        }
        self.busy.1 += size;
        let (since, bytes) = self.busy;
        let Some(capacity) = &self.capacity else { return };
        let bits = capacity.bits(since.saturating_sub(self.tick), departs);
        if bits < u128::from(bytes) * 8 {
            self.fault(now, || {
                format!(
                    "{bytes} bytes were sent from {since} ns to {departs} ns, in which it can carry {bits} bits"
                )
            });
        }
    }

    /// Why a queue that decides at arrival has no room. The first packet inside is the one being sent; an idle link takes any packet.
    fn no_room(&self, now: u64, size: u64) -> Option<String> {
        let (&(_, front), &(last, _)) = (self.inside.front()?, self.inside.back()?);
        let inside = self.inside.len() as u64;
        let waiting = self.bytes - front + size;
        match self.limit.as_ref()?.at(now) {
            Limit::Packets(most) if inside > most => {
                Some(format!("{inside} packets wait with it (limit {most})"))
            }
            Limit::Bytes(most) if waiting > most => {
                Some(format!("{waiting} bytes wait with it (limit {most})"))
            }
            Limit::BytesInAll(most) if self.bytes + size > most => {
                Some(format!("there are {} bytes with it (limit {most})", self.bytes + size))
            }
            Limit::Time(most) if last - now > most => {
                Some(format!("it waits {} ns (limit {most} ns)", last - now))
            }
            _ => None,
        }
    }

    /// Looks at a queue that decides at the head when an instant is over in which it has accepted a packet: only then is all known that it
    /// took at that instant.
    fn settle(&mut self, now: u64) {
        if let Some((at, size)) = self.accepted.filter(|accepted| accepted.0 < now) {
            self.accepted = None;
            if let Some(why) = self.too_much(at, size) {
                self.fault(at, || format!("it accepted a packet although {why}"));
            }
        }
    }

    /// Why it holds too much at `now`, ns, with its last packet, of `size` bytes. Of an idle link the first is the one that is sent next.
    fn too_much(&self, now: u64, size: u64) -> Option<String> {
        let is_sending = self.left > now;
        let first = if is_sending { 0 } else { self.inside.front()?.1 };
        let waiting = self.inside.len() as u64 - u64::from(!is_sending);
        if waiting == 0 {
            return None;
        }
        let bytes = self.bytes - first;
        let in_all = self.bytes + if is_sending { self.sending } else { 0 };
        match self.limit.as_ref()?.at(now) {
            Limit::Packets(most) if waiting > most => {
                Some(format!("{waiting} packets wait with it (limit {most})"))
            }
            Limit::Bytes(most) if bytes > most => Some(format!("{bytes} bytes wait with it (limit {most})")),
            Limit::BytesInAll(most) if in_all > most => {
                Some(format!("there are {in_all} bytes with it (limit {most})"))
            }
            Limit::Time(most) => {
                let before = u128::from(self.bytes - size) * 8_000_000_000 / u128::from(self.rate?.max(1));
                let wait = u128::from(self.left.saturating_sub(now)) + before;
                (wait > u128::from(most)).then(|| format!("it waits {wait} ns (limit {most} ns)"))
            }
            _ => None,
        }
    }

    #[cold]
    fn fault(&mut self, now: u64, words: impl FnOnce() -> String) {
        if self.broken.is_none() {
            self.broken = Some(format!("at {now} ns: {}", words()));
        }
    }
}
