// SPDX-License-Identifier: MIT OR Apache-2.0
//! What happens on connections in the kernel: every hook call of our algorithms and of the kernel's own, or every
//! acknowledgement of any. Each recorded call is repeated on the host at once, so that a difference shows while it happens and
//! the algorithm's inner variables are known.

mod connections;
mod rows;

use std::process::Command;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::error::raise;
use super::module::KernelModule;
use super::scope::KernelEnded;
use crate::tables::Table;
use connections::Connections;
pub use connections::TracedConnection;
use cwnd::Controller;
use cwnd_bpf::{
    CommandScope, Load as _, OwnedModule, PacketPrograms, PacketRecord, Probe, Recorder, RunningCommand,
    ScopeMethod, Socket, UnseenSegments, Wrapper,
};
use cwnd_kernel_records::StateLayout;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The longest that one wait lasts without looking whether Python wants to stop.
const SLICE: Duration = Duration::from_millis(100);

/// A trace in progress.
#[pyclass(module = "cwnd._native")]
pub struct KernelTrace {
    // Python may hand the object to another thread; the lock is never waited for.
    source: Mutex<Option<RecordSource>>,
    connections: Connections,
    /// Port that a connection must have at one of its ends; 0: any.
    port: u16,
    /// Calls or acknowledgements that were lost, once the source is closed.
    lost: u64,
    /// What was repaired, and connections where nothing is, once the source is closed.
    repaired: u64,
    unguarded: u64,
    /// Packets that have not been taken; `None` where none are recorded.
    packets: Option<Vec<PacketRecord>>,
    unseen: UnseenSegments,
    /// A command whose connections run on what is traced.
    command: Mutex<Option<RunningCommand>>,
}

enum RecordSource {
    Hooks { programs: Option<PacketPrograms>, loaded: OwnedModule, recorder: Recorder, words: StateLayout },
    Probe(Probe),
}

#[pymethods]
impl KernelTrace {
    /// Loads `module` as `kernel_name` and records it; its calls are repeated where the host has the algorithm too. Raises
    /// `ScenarioError`, `KernelError`.
    #[staticmethod]
    fn of_module(
        py: Python<'_>,
        module: &KernelModule,
        kernel_name: &str,
        port: u16,
        ring_bytes: u32,
    ) -> PyResult<Self> {
        let recorded = module.record(kernel_name, ring_bytes);
        let (loaded, recorder, host) = recorded.map_err(|why| raise(py, &why))?;
        let source = RecordSource::Hooks { programs: None, loaded, recorder, words: StateLayout::Ours };
        Ok(Self::new(source, host, port))
    }

    /// Registers the kernel's own algorithm `name` once more, as `kernel_name`, with a wrapper that records it.
    #[staticmethod]
    fn of_kernels_own(
        py: Python<'_>,
        name: &str,
        kernel_name: &str,
        port: u16,
        ring_bytes: u32,
    ) -> PyResult<Self> {
        let recorded =
            Wrapper::find(name).and_then(|wrapper| wrapper.load_recording(kernel_name, ring_bytes));
        let (loaded, recorder) = recorded.map_err(|why| raise(py, &why))?;
        Ok(Self::of_wrapper(name, port, (loaded, recorder), None))
    }

    /// As `of_kernels_own`, with the calls of all hooks and with packets and timers, which `take_packets` returns.
    #[staticmethod]
    fn of_transport(
        py: Python<'_>,
        name: &str,
        kernel_name: &str,
        port: u16,
        ring_bytes: u32,
    ) -> PyResult<Self> {
        let recorded =
            Wrapper::of_transport(name).and_then(|wrapper| wrapper.record_transport(kernel_name, ring_bytes));
        let (loaded, recorder, programs) = recorded.map_err(|why| raise(py, &why))?;
        Ok(Self::of_wrapper(name, port, (loaded, recorder), Some(programs)))
    }

    /// The rows of the table `packets` that came with the calls that `take` and `close` have returned since the last time; None where no
    /// packets are recorded.
    fn take_packets(&mut self) -> Option<Table> {
        self.packets.take().map(|packets| {
            self.packets = Some(Vec::new());
            Table(rows::packets(&packets))
        })
    }

    /// Every acknowledgement of connections on `algorithm` (empty: any), from the kernel's tracepoint.
    #[staticmethod]
    fn of_acknowledgements(py: Python<'_>, algorithm: &str, port: u16, ring_bytes: u32) -> PyResult<Self> {
        let probe = Probe::attach(port, algorithm, ring_bytes).map_err(|why| raise(py, &why))?;
        Ok(Self::new(RecordSource::Probe(probe), None, port))
    }

    /// Names of the kernel's own algorithms that can be recorded call by call.
    #[staticmethod]
    fn kernels_own() -> Vec<&'static str> {
        Wrapper::names().collect()
    }

    /// Takes what has happened since the last time, after waiting up to `patience_s` if that is nothing. Returns the rows of
    /// the table `hooks` (None from a probe) and of the table `cwnd`.
    fn take(&mut self, py: Python<'_>, patience_s: f64) -> PyResult<(Option<Table>, Table)> {
        let mut patience = Duration::from_secs_f64(patience_s.clamp(0.0, 3600.0));
        loop {
            py.check_signals()?;
            let slice = patience.min(SLICE);
            patience -= slice;
            let taken = self.take_slice(py, slice)?;
            if taken.2 > 0 || patience.is_zero() {
                return Ok((taken.0, taken.1));
            }
        }
    }

    /// Starts a command; its connections use what is traced. Signals to this process are the command's until it ends. Returns why
    /// they do by the setting of the network namespace and not by a cgroup; None, if it is a cgroup.
    fn run(&self, py: Python<'_>, command: Vec<String>) -> PyResult<Option<String>> {
        let Some((name, (program, args))) = self.kernel_name().zip(command.split_first()) else {
            return Err(PyValueError::new_err("no command is left to run, or no algorithm to run it on"));
        };
        let mut start = Command::new(program);
        start.args(args);
        let scope = CommandScope::new(&name).map_err(|why| raise(py, &why))?;
        let because = match scope.means() {
            ScopeMethod::Cgroup(_) => None,
            ScopeMethod::Namespace { because, .. } => Some(because),
        };
        let running = scope.start(start).map_err(|why| raise(py, &why))?;
        *self.command.lock().unwrap_or_else(PoisonError::into_inner) = Some(running);
        Ok(because)
    }

    /// How the command ended; None while it runs.
    fn ended(&self, py: Python<'_>) -> PyResult<Option<KernelEnded>> {
        let mut command = self.command.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(running) = command.as_mut() else { return Ok(None) };
        if running.child().try_wait()?.is_none() {
            return Ok(None);
        }
        let Some(running) = command.take() else { return Ok(None) };
        Ok(Some(KernelEnded(running.wait().map_err(|why| raise(py, &why))?)))
    }

    /// Name of what was registered; None for a probe.
    #[getter]
    fn kernel_name(&self) -> Option<String> {
        match &*self.source() {
            Some(RecordSource::Hooks { loaded, .. }) => Some(loaded.name().to_owned()),
            _ => None,
        }
    }

    /// Calls, acknowledgements or packets that found no room in the ring buffer.
    #[getter]
    fn lost(&self, py: Python<'_>) -> PyResult<u64> {
        match &*self.source() {
            Some(source) => lost(source).map_err(|why| raise(py, &why)),
            None => Ok(self.lost),
        }
    }

    /// Data segments that the kernel has sent by its own count and that the packets so far lack; 0 where no packets are recorded.
    #[getter]
    const fn unseen(&self) -> u64 {
        self.unseen.segments()
    }

    /// Rows so far.
    #[getter]
    fn calls(&self) -> u64 {
        self.connections.calls()
    }

    /// Calls after which anything that is compared was another on the host; None where nothing is repeated. Compared are
    /// window, threshold, progress, the result, pacing rate and status, and the state's bytes where they are ours.
    #[getter]
    fn differences(&self) -> Option<u64> {
        self.connections.differences()
    }

    /// Calls after which the bytes of the state were compared too: all of them, where the algorithm is ours.
    #[getter]
    fn states_compared(&self) -> u64 {
        self.connections.states_compared()
    }

    /// Windows and thresholds that the algorithm had not given, and that were set right (docs/adr/0007).
    #[getter]
    fn repaired(&self, py: Python<'_>) -> PyResult<u64> {
        match &*self.source() {
            Some(source) => contained(source).map(|(repaired, _)| repaired).map_err(|why| raise(py, &why)),
            None => Ok(self.repaired),
        }
    }

    /// Connections that began without room for what is remembered of them (net.core.optmem_max): nothing is set right there.
    #[getter]
    fn unguarded(&self, py: Python<'_>) -> PyResult<u64> {
        match &*self.source() {
            Some(source) => contained(source).map(|(_, unguarded)| unguarded).map_err(|why| raise(py, &why)),
            None => Ok(self.unguarded),
        }
    }

    /// The first of them, in words.
    #[getter]
    fn first_difference(&self) -> Option<&str> {
        self.connections.first_difference()
    }

    /// Every connection seen, in order of appearance.
    fn connections(&self) -> Vec<TracedConnection> {
        self.connections.all()
    }

    /// The table `flows`: a row per connection.
    fn flows(&self) -> Table {
        Table(rows::flows(&self.connections.all()))
    }

    /// Ends it: what was registered goes, what still lay in the ring buffer is returned as by `take`.
    fn close(&mut self, py: Python<'_>) -> PyResult<(Option<Table>, Table)> {
        let (hooks, cwnd, _) = self.take_slice(py, Duration::ZERO)?;
        // A command that still runs ends before its algorithm goes.
        self.command.lock().unwrap_or_else(PoisonError::into_inner).take();
        let source = self.source().take();
        if let Some(source) = source {
            self.lost = lost(&source).map_err(|why| raise(py, &why))?;
            (self.repaired, self.unguarded) = contained(&source).map_err(|why| raise(py, &why))?;
        }
        Ok((hooks, cwnd))
    }
}

fn lost(source: &RecordSource) -> Result<u64, cwnd_bpf::Error> {
    match source {
        RecordSource::Hooks { loaded, .. } => Ok(loaded.counters()?.lost()),
        RecordSource::Probe(probe) => probe.lost(),
    }
}

/// What was repaired, and connections where nothing is.
fn contained(source: &RecordSource) -> Result<(u64, u64), cwnd_bpf::Error> {
    match source {
        RecordSource::Hooks { loaded, .. } => {
            let counters = loaded.counters()?;
            Ok((counters.repaired(), counters.unguarded()))
        }
        RecordSource::Probe(_) => Ok((0, 0)),
    }
}

impl KernelTrace {
    fn source(&self) -> MutexGuard<'_, Option<RecordSource>> {
        self.source.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The kernel's own algorithm `name`, recorded by a wrapper that is loaded; `programs` record its packets.
    fn of_wrapper(
        name: &str,
        port: u16,
        (loaded, recorder): (OwnedModule, Recorder),
        programs: Option<PacketPrograms>,
    ) -> Self {
        let source = RecordSource::Hooks { programs, loaded, recorder, words: StateLayout::Kernels };
        Self::new(source, Controller::by_name(&format!("{name}-linux")), port)
    }

    fn new(source: RecordSource, controller: Option<Controller>, port: u16) -> Self {
        let algorithm = match &source {
            RecordSource::Hooks { loaded, .. } => loaded.name().to_owned(),
            RecordSource::Probe(_) => String::new(),
        };
        let has_packets = matches!(&source, RecordSource::Hooks { programs: Some(_), .. });
        Self {
            source: Mutex::new(Some(source)),
            packets: has_packets.then(Vec::new),
            unseen: UnseenSegments::default(),
            connections: Connections::new(controller, algorithm),
            port,
            lost: 0,
            repaired: 0,
            unguarded: 0,
            command: Mutex::new(None),
        }
    }

    /// Rows of `hooks` and `cwnd`, and how many calls they are of.
    fn take_slice(&mut self, py: Python<'_>, patience: Duration) -> PyResult<(Option<Table>, Table, usize)> {
        let Self { source, connections, packets, unseen, port, .. } = self;
        let source = source.get_mut().unwrap_or_else(PoisonError::into_inner);
        let taken = py.detach(|| match source {
            Some(RecordSource::Hooks { recorder, words, .. }) => {
                let mut records = recorder.take(patience)?;
                if let Some(packets) = packets {
                    let is_wanted = |packet: &PacketRecord| {
                        let Socket { local_port, remote_port, .. } = packet.raw.kernel;
                        *port == 0 || local_port == *port || remote_port == *port
                    };
                    let wanted = recorder.packets().into_iter().filter(is_wanted);
                    packets.extend(wanted.inspect(|packet| unseen.note(packet)));
                }
                if *port != 0 {
                    records.retain(|record| {
                        record.kernel.local_port == *port || record.kernel.remote_port == *port
                    });
                }
                for record in &records {
                    connections.step(record);
                }
                Ok((Some(Table(rows::hooks(&records, *words))), Table(rows::cwnd(&records)), records.len()))
            }
            Some(RecordSource::Probe(probe)) => {
                let samples = probe.take(patience)?;
                let numbers: Vec<u64> = samples.iter().map(|sample| connections.see(sample)).collect();
                Ok((None, Table(rows::samples(&samples, &numbers)), samples.len()))
            }
            None => Ok((None, Table(rows::cwnd(&[])), 0)),
        });
        taken.map_err(|why| raise(py, &why))
    }
}
