// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads recorded calls, and packets, from the ring buffer: each call as a [`cwnd::replay::Row`] for the core's replay.

use std::collections::HashMap;
use std::fmt;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use cwnd::Hook;
use cwnd_kernel_records::{CallRecord, PACKET_BYTES, PacketRecord, packet, read};
use libbpf_rs::{ErrorKind, MapHandle, Object, RingBuffer, RingBufferBuilder};

use crate::kernel::error::{Error, refused};
use crate::kernel::maps::{PARAMS, find};
use crate::kernel::tick::tick_hz;

/// The reading end of an object's ring buffer; outlives the registration, as connections on the algorithm do.
pub struct Recorder {
    // Dropped in this order: the ring before the descriptor that it waits for.
    ring: RingBuffer<'static>,
    _map: MapHandle,
    records: Receiver<Result<CallRecord, Error>>,
    packets: Receiver<PacketRecord>,
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder").finish_non_exhaustive()
    }
}

impl Recorder {
    /// Takes what is there; if nothing is, waits for `timeout`, or less when many records come. The kernel does not wake
    /// this process for a few.
    ///
    /// # Errors
    /// [`Error`], when the kernel does not answer or recorded what this reader does not know.
    pub fn take(&mut self, timeout: Duration) -> Result<Vec<CallRecord>, Error> {
        drain(&self.ring, timeout, &self.records)
    }

    /// The packets that came to light at [`Recorder::take`] since the last time.
    pub fn packets(&mut self) -> Vec<PacketRecord> {
        self.packets.try_iter().collect()
    }
}

/// What lies in a ring, or comes into it within `timeout`.
pub(crate) fn drain<T>(
    ring: &RingBuffer<'_>,
    timeout: Duration,
    received: &Receiver<Result<T, Error>>,
) -> Result<Vec<T>, Error> {
    ring.consume().map_err(refused("read the ring buffer"))?;
    let mut taken = received.try_iter().collect::<Result<Vec<_>, _>>()?;
    if taken.is_empty() && !timeout.is_zero() {
        match ring.poll(timeout) {
            // A signal is no failure: the next call waits again.
            Err(why) if why.kind() == ErrorKind::Interrupted => {}
            other => other.map_err(refused("read the ring buffer"))?,
        }
        ring.consume().map_err(refused("read the ring buffer"))?;
        for item in received.try_iter() {
            taken.push(item?);
        }
    }
    Ok(taken)
}

/// Numbers connections: a new one may get the memory of one that has ended.
#[derive(Default)]
struct ConnectionNumbers {
    /// By the socket's address: the number, and whether `init` was called.
    open: HashMap<u64, (u64, bool)>,
    next: u64,
}

impl ConnectionNumbers {
    /// Of a packet.
    fn seen(&mut self, socket: u64) -> u64 {
        let number = self.open.entry(socket).or_insert((self.next, false)).0;
        self.next = self.next.max(number + 1);
        number
    }

    /// Of a call.
    fn of(&mut self, socket: u64, hook: Hook) -> u64 {
        let known = self.open.get(&socket).copied();
        let (number, mut initialised) = match known {
            // Its second `init`: the `release` between the two was lost.
            Some((_, true)) if hook == Hook::Init => (self.next, false),
            Some(known) => known,
            // The handshake's acknowledgement comes before `init`.
            None => (self.next, false),
        };
        self.next = self.next.max(number + 1);
        initialised |= hook == Hook::Init;
        if hook == Hook::Release {
            self.open.remove(&socket);
        } else {
            self.open.insert(socket, (number, initialised));
        }
        number
    }
}

/// The reader of `object`'s ring buffer, its only one.
pub(crate) fn open(object: &Object, ring: &str) -> Result<Recorder, Error> {
    // A wrapper has no parameters, and the private area is laid out by the kernel's module.
    let ours = find(object, PARAMS).is_ok();
    let map = MapHandle::try_from(&find(object, ring)?).map_err(refused("open the ring buffer"))?;
    let tick_hz = tick_hz();
    let (send, records) = channel();
    let (send_packet, packets) = channel();
    let mut numbers = ConnectionNumbers::default();
    let mut builder = RingBufferBuilder::new();
    builder
        .add(&map, move |bytes| {
            if bytes.len() == PACKET_BYTES {
                let raw = packet(bytes, tick_hz);
                let connection = numbers.seen(raw.socket);
                let _ = send_packet.send(PacketRecord { seq: raw.seq, connection, raw });
                return 0;
            }
            let record = read(bytes, tick_hz, ours, |socket, hook| numbers.of(socket, hook));
            let record = record.map_err(Error::Record);
            // Fails only while the recorder is being dropped.
            let _ = send.send(record);
            0
        })
        .map_err(refused("open the ring buffer"))?;
    let ring = builder.build().map_err(refused("open the ring buffer"))?;
    Ok(Recorder { ring, _map: map, records, packets })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_is_a_new_connection_after_its_release_and_at_a_second_init() {
        let mut numbers = ConnectionNumbers::default();
        let event = Hook::InAckEvent;
        let calls = [
            (7, event, 0), // before init
            (7, Hook::Init, 0),
            (9, Hook::Init, 1),
            (7, event, 0),
            (7, Hook::Release, 0),
            (7, event, 2),
            (7, Hook::Init, 2),
            (7, Hook::Init, 3), // a release was lost
            (9, event, 1),
        ];
        for (socket, hook, expected) in calls {
            assert_eq!(numbers.of(socket, hook), expected, "{socket} {hook:?}");
        }
    }
}
