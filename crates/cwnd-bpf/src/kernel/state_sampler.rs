// SPDX-License-Identifier: MIT OR Apache-2.0
//! Senders of a network namespace, whatever their algorithm: connection and private area before every acknowledgement
//! and every timer: each record is what the one before it has left.

use std::fmt;
use std::mem::{offset_of, size_of};
use std::ops::Range;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use cwnd::{Conn, PrivateWords};
use libbpf_rs::{Link, MapHandle, Object, ObjectBuilder, RingBuffer, RingBufferBuilder};

use crate::kernel::counters::counter_in;
use crate::kernel::doctor::explain_refusal;
use crate::kernel::error::{Error, refused};
use crate::kernel::libbpf_log::with_libbpf_log;
use crate::kernel::loader::{RING_MAX, RING_MIN, SAMPLER, wakeup_bytes};
use crate::kernel::maps::{COUNTERS, RECORDS, field, fill, find, map};
use crate::kernel::recorder::drain;
use crate::kernel::tick::tick_hz;
use cwnd_bpf_build::shared_structs::{RawCounters, RawState, Socket};
use cwnd_kernel_records::{conn, socket};

/// Name of the map, as `bpf/sampler.bpf.c` has it.
const WANTED: &str = ".rodata.wanted";

/// What a sender is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleCause {
    /// Its handshake is over; its algorithm has not begun.
    Begin,
    /// An acknowledgement has arrived.
    Acknowledgement,
    /// Its timer for timeouts, probes and reordering expires.
    Timer,
    /// It ends.
    End,
}

/// A sender before it does something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampledState {
    /// The connection.
    pub conn: Conn,
    /// The same in the kernel's own terms.
    pub kernel: Socket,
    /// When, ns on the monotonic clock.
    pub time_ns: u64,
    /// Payload that is cumulatively acknowledged, bytes; the SYN counts as one.
    pub bytes_acked: u64,
    /// What it is about to do.
    pub cause: SampleCause,
    /// The private area of its algorithm.
    pub state: PrivateWords,
    /// The algorithm's name in the kernel, zero-padded.
    algorithm: [u8; 16],
}

impl SampledState {
    /// Name of its algorithm in the kernel.
    #[must_use]
    pub fn algorithm(&self) -> &str {
        let name = self.algorithm.split(|byte| *byte == 0).next().unwrap_or_default();
        // Kernel names are ASCII; anything else cannot match.
        std::str::from_utf8(name).unwrap_or_default()
    }
}

/// Programs that are attached; dropping takes them away.
pub struct StateSampler {
    // Dropped in this order: the programs' attachments, the ring, the rest.
    _links: Vec<Link>,
    ring: RingBuffer<'static>,
    _map: MapHandle,
    records: Receiver<Result<SampledState, Error>>,
    object: Object,
}

impl fmt::Debug for StateSampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StateSampler").finish_non_exhaustive()
    }
}

impl StateSampler {
    /// Attaches it: for connections from the network namespace of this number (that of its file) to one of these ports.
    ///
    /// # Errors
    /// [`Error`], when this kernel or these rights do not allow it.
    pub fn attach(namespace: u32, ports: Range<u16>, ring_bytes: u32) -> Result<Self, Error> {
        let ring_bytes = ring_bytes.clamp(RING_MIN, RING_MAX).next_power_of_two();
        explain_refusal(
            "trace of other algorithms",
            with_libbpf_log(|| Self::open(namespace, ports, ring_bytes)),
        )
    }

    fn open(namespace: u32, ports: Range<u16>, ring_bytes: u32) -> Result<Self, Error> {
        let mut open =
            ObjectBuilder::default().open_memory(&SAMPLER.0).map_err(refused("read the sampler"))?;
        let wanted = [namespace, ports.start.into(), ports.end.into(), wakeup_bytes(ring_bytes)];
        fill(&mut open, WANTED, &wanted.map(u32::to_ne_bytes).concat())?;
        map(&mut open, RECORDS)?.set_max_entries(ring_bytes).map_err(refused("size the ring buffer"))?;
        let object = open.load().map_err(refused("load the sampler"))?;
        let (send, records) = channel();
        let ring_map =
            MapHandle::try_from(&find(&object, RECORDS)?).map_err(refused("open the ring buffer"))?;
        let tick_hz = tick_hz();
        let mut builder = RingBufferBuilder::new();
        builder
            .add(&ring_map, move |bytes| {
                // Fails only while the sampler is being dropped.
                let _ = send.send(read(bytes, tick_hz));
                0
            })
            .map_err(refused("open the ring buffer"))?;
        let ring = builder.build().map_err(refused("open the ring buffer"))?;
        let attached = object.progs_mut().map(|program| program.attach());
        let links = attached.collect::<Result<_, _>>().map_err(refused("attach to the kernel's TCP"))?;
        Ok(Self { _links: links, ring, _map: ring_map, records, object })
    }

    /// Takes what is there.
    ///
    /// # Errors
    /// [`Error`], when the kernel does not answer or recorded what this reader does not know.
    pub fn take(&mut self) -> Result<Vec<SampledState>, Error> {
        drain(&self.ring, Duration::ZERO, &self.records)
    }

    /// Records that found the ring buffer full.
    ///
    /// # Errors
    /// [`Error`], when the kernel does not answer.
    pub fn lost(&self) -> Result<u64, Error> {
        counter_in(&find(&self.object, COUNTERS)?, offset_of!(RawCounters, lost))
            .ok_or_else(|| Error::Object(format!("no value in {COUNTERS}")))
    }
}

fn read(bytes: &[u8], tick_hz: u32) -> Result<SampledState, Error> {
    if bytes.len() < size_of::<RawState>() {
        return Err(Error::Record(format!("{} bytes instead of {}", bytes.len(), size_of::<RawState>())));
    }
    let u32_at = |offset| u32::from_ne_bytes(field(bytes, offset));
    let u64_at = |offset| u64::from_ne_bytes(field(bytes, offset));
    let cause = match u32_at(offset_of!(RawState, kind)) {
        0 => SampleCause::Begin,
        1 => SampleCause::Acknowledgement,
        2 => SampleCause::Timer,
        3 => SampleCause::End,
        other => return Err(Error::Record(format!("an unknown cause, {other}"))),
    };
    Ok(SampledState {
        conn: Conn { tick_hz, ..conn(bytes, offset_of!(RawState, conn)) },
        kernel: socket(bytes, offset_of!(RawState, kernel)),
        time_ns: u64_at(offset_of!(RawState, time_ns)),
        bytes_acked: u64_at(offset_of!(RawState, bytes_acked)),
        cause,
        state: std::array::from_fn(|word| u32_at(offset_of!(RawState, state) + 4 * word)),
        algorithm: field(bytes, offset_of!(RawState, algorithm)),
    })
}
