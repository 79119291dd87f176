// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every acknowledgement of every connection of the machine, whatever its algorithm, from the tracepoint `tcp_probe`.

use std::fmt;
use std::mem::{offset_of, size_of};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use cwnd::Conn;
use libbpf_rs::{Link, MapHandle, Object, ObjectBuilder, RingBuffer, RingBufferBuilder};

use crate::kernel::counters::counter_in;
use crate::kernel::doctor::explain_refusal;
use crate::kernel::error::{Error, refused};
use crate::kernel::libbpf_log::with_libbpf_log;
use crate::kernel::loader::{PROBE, RING_MAX, RING_MIN, wakeup_bytes};
use crate::kernel::maps::{COUNTERS, RECORDS, field, fill, find, map, padded};
use crate::kernel::recorder::drain;
use crate::kernel::tick::tick_hz;
use cwnd_bpf_build::shared_structs::{RawCounters, RawSample, Socket};
use cwnd_kernel_records::{conn, socket};

/// Name of the map, as `bpf/probe.bpf.c` has it.
const WANTED: &str = ".rodata.wanted";

/// One acknowledgement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeSample {
    /// The connection after it.
    pub conn: Conn,
    /// The same in the kernel's own terms.
    pub kernel: Socket,
    /// Which connection: its socket's address.
    pub socket: u64,
    /// Name of its algorithm.
    pub algorithm: String,
}

/// A probe that is attached; dropping takes it away.
pub struct Probe {
    // Dropped in this order: the program's attachment, the ring, the rest.
    _link: Link,
    ring: RingBuffer<'static>,
    _map: MapHandle,
    samples: Receiver<Result<ProbeSample, Error>>,
    object: Object,
}

impl fmt::Debug for Probe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Probe").finish_non_exhaustive()
    }
}

impl Probe {
    /// Attaches it: for connections that have `port` at one of their ends (0: any), and run on `algorithm` (empty: any).
    ///
    /// # Errors
    /// [`Error`], when this kernel or these rights do not allow it.
    pub fn attach(port: u16, algorithm: &str, ring_bytes: u32) -> Result<Self, Error> {
        let ring_bytes = ring_bytes.clamp(RING_MIN, RING_MAX).next_power_of_two();
        explain_refusal(
            "trace of other algorithms",
            with_libbpf_log(|| Self::open(port, algorithm, ring_bytes)),
        )
    }

    fn open(port: u16, algorithm: &str, ring_bytes: u32) -> Result<Self, Error> {
        let mut open = ObjectBuilder::default().open_memory(&PROBE.0).map_err(refused("read the probe"))?;
        let mut wanted = u32::from(port).to_ne_bytes().to_vec();
        wanted.extend(padded::<16>(algorithm));
        wanted.extend(wakeup_bytes(ring_bytes).to_ne_bytes());
        fill(&mut open, WANTED, &wanted)?;
        map(&mut open, RECORDS)?.set_max_entries(ring_bytes).map_err(refused("size the ring buffer"))?;
        let object = open.load().map_err(refused("load the probe"))?;
        let (send, samples) = channel();
        let records =
            MapHandle::try_from(&find(&object, RECORDS)?).map_err(refused("open the ring buffer"))?;
        let mut builder = RingBufferBuilder::new();
        builder
            .add(&records, move |bytes| {
                // Fails only while the probe is being dropped.
                let _ = send.send(read(bytes));
                0
            })
            .map_err(refused("open the ring buffer"))?;
        let ring = builder.build().map_err(refused("open the ring buffer"))?;
        let program = object.progs_mut().next().ok_or_else(|| Error::Object("no program".to_owned()))?;
        let link = program.attach().map_err(refused("attach the probe"))?;
        Ok(Self { _link: link, ring, _map: records, samples, object })
    }

    /// Takes what is there; if nothing is, waits for `timeout`, or less when many samples come.
    ///
    /// # Errors
    /// [`Error`], when the kernel does not answer or saw what this reader does not know.
    pub fn take(&mut self, timeout: Duration) -> Result<Vec<ProbeSample>, Error> {
        drain(&self.ring, timeout, &self.samples)
    }

    /// Acknowledgements whose sample found the ring buffer full.
    ///
    /// # Errors
    /// [`Error`], when the kernel does not answer.
    pub fn lost(&self) -> Result<u64, Error> {
        counter_in(&find(&self.object, COUNTERS)?, offset_of!(RawCounters, lost))
            .ok_or_else(|| Error::Object(format!("no value in {COUNTERS}")))
    }
}

fn read(bytes: &[u8]) -> Result<ProbeSample, Error> {
    if bytes.len() < size_of::<RawSample>() {
        return Err(Error::Record(format!("{} bytes instead of {}", bytes.len(), size_of::<RawSample>())));
    }
    let name: [u8; 16] = field(bytes, offset_of!(RawSample, algorithm));
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    Ok(ProbeSample {
        conn: Conn { tick_hz: tick_hz(), ..conn(bytes, offset_of!(RawSample, conn)) },
        kernel: socket(bytes, offset_of!(RawSample, kernel)),
        socket: u64::from_ne_bytes(field(bytes, offset_of!(RawSample, socket))),
        algorithm: String::from_utf8_lossy(&name[..end]).into_owned(),
    })
}
