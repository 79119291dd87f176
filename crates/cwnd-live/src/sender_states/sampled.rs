// SPDX-License-Identifier: MIT OR Apache-2.0
//! A sampler in the kernel records the senders before each acknowledgement and each timer; its records become rows.
//!
//! What an acknowledgement has left is known when the next thing happens to its connection, at the latest when that ends: so a row is made at the
//! record behind its time.

use super::{StateRows, asked, delivered, refused};
use crate::algorithms::{Algorithms, StateLayout};
use crate::crossing::FlowState;
use crate::error::Error;
use crate::host::Host;
use crate::scenario_clock::{ScenarioClock, clock};
use crate::wire::FIRST_PORT;
use cwnd::Controller;
use cwnd_bpf::{SampleCause, SampledState, StateSampler};
use cwnd_plugin::controller_of_words;
use cwnd_record::{CwndRow, InnerRow};
use cwnd_scenario::{InnerVariables, Scenario};
use std::io;
use std::sync::atomic::Ordering;

/// Size of the ring buffer, bytes: at 400 Mbit/s, with 17 000 records of 300 bytes a second, 12 s.
const RING_BYTES: u32 = 1 << 26;

/// How the states of an algorithm are read.
struct StateReader {
    /// Its name in the kernel.
    name: String,
    /// The algorithm with its settings.
    controller: Controller,
    layout: StateLayout,
}

/// The sampler of a run, and what is known of the senders by it.
pub struct SenderStates {
    sampler: StateSampler,
    readers: Vec<StateReader>,
    inner: InnerVariables,
    per_ack: bool,
    /// Which flows have rows.
    recorded: Vec<bool>,
    /// Payload of a full segment, bytes.
    mss: u32,
    senders: Vec<Sender>,
    /// Time of the last record, ns.
    latest: u64,
    /// When the run ends, ns.
    end: u64,
}

/// Rows of a flow whose values are known at the connection's next record.
#[derive(Clone, Debug, Default)]
struct Sender {
    /// Whether there is a connection that has begun and not ended.
    is_open: bool,
    /// The last acknowledgement: its time, ns, and the packets that had left the flow's last link.
    acknowledgement: Option<(u64, u64)>,
    /// Samples: their times on the monotonic clock and in the scenario, ns.
    samples: Vec<(u64, u64)>,
}

impl SenderStates {
    /// Attaches a sampler to the senders on `host`; none where the scenario asks for nothing that takes one.
    pub fn start(scenario: &Scenario, algorithms: &Algorithms, host: &Host) -> Result<Option<Self>, Error> {
        let Some(asked) = asked(scenario) else { return Ok(None) };
        let flows = scenario.recorded();
        let ports = FIRST_PORT..FIRST_PORT + flows.len() as u16;
        let sampler = StateSampler::attach(host.namespace_number()?, ports, RING_BYTES).map_err(|why| {
            // The verifier's log behind the first line says nothing to those who run scenarios.
            let why = why.to_string();
            Error::Scenario(refused(asked, why.lines().next().unwrap_or_default()))
        })?;
        let on_host = algorithms.on_host();
        let reader = |(name, controller, layout): (&str, _, _)| StateReader {
            name: name.to_owned(),
            controller,
            layout,
        };
        let readers = on_host.map(reader).collect();
        Ok(Some(Self {
            sampler,
            readers,
            inner: scenario.record.inner.clone(),
            per_ack: scenario.record.per_ack,
            senders: vec![Sender::default(); flows.len()],
            recorded: flows,
            mss: crate::settings::mss(scenario),
            latest: 0,
            end: scenario.duration,
        }))
    }

    /// Whether each acknowledgement is a row, instead of samples.
    pub const fn per_ack(&self) -> bool {
        self.per_ack
    }

    /// Notes a sample of the inner variables at the time `now`, ns.
    pub fn sample(&mut self, now: u64) {
        let time = clock();
        for (sender, recorded) in self.senders.iter_mut().zip(&self.recorded) {
            if *recorded {
                sender.samples.push((time, now));
            }
        }
    }

    /// Takes what has been recorded by `now`, ns: rows of the times before.
    pub fn take(
        &mut self,
        scenario: &ScenarioClock,
        now: u64,
        flows: &[FlowState],
    ) -> Result<StateRows, Error> {
        let mut rows = StateRows::default();
        for state in self.sampler.take().map_err(failed)? {
            let flow = state.kernel.remote_port.wrapping_sub(FIRST_PORT);
            if self.recorded.get(usize::from(flow)) != Some(&true) {
                continue;
            }
            // The processors' records are in order each, and time goes back to where the machine was stopped.
            self.latest = scenario.at(state.time_ns).clamp(self.latest, now.max(self.latest));
            let sender = &mut self.senders[usize::from(flow)];
            let known = sender.samples.partition_point(|(time, _)| *time < state.time_ns);
            let mut times: Vec<u64> = sender.samples.drain(..known).map(|(_, time)| time).collect();
            if !sender.is_open {
                // There was no connection.
                times.clear();
            }
            sender.is_open = match state.cause {
                SampleCause::Begin => true,
                SampleCause::End => false,
                // The timer of a handshake is none of the algorithm's.
                SampleCause::Acknowledgement | SampleCause::Timer => sender.is_open,
            };
            let acknowledgement = sender.acknowledgement.take();
            if self.per_ack && state.cause == SampleCause::Acknowledgement && self.latest <= self.end {
                let forwarded = flows[usize::from(flow)].forwarded.load(Ordering::Relaxed);
                sender.acknowledgement = Some((self.latest, forwarded));
            }
            if let Some((time, forwarded)) = acknowledgement {
                rows.cwnd.push(self.window(&state, (time, flow), forwarded));
                times.push(time);
            }
            self.variables(&state, &times, flow, &mut rows.inner);
        }
        Ok(rows)
    }

    /// Records that are missing.
    pub fn lost(&self) -> Result<u64, Error> {
        self.sampler.lost().map_err(failed)
    }

    fn window(&self, state: &SampledState, (time_ns, flow): (u64, u16), forwarded: u64) -> CwndRow {
        let conn = &state.conn;
        CwndRow {
            time_ns,
            flow: u32::from(flow),
            cwnd: conn.cwnd,
            ssthresh: conn.ssthresh,
            // Whole µs, as everywhere.
            srtt_us8: conn.srtt_us8 & !7,
            in_flight: conn.in_flight,
            forwarded,
            delivered: delivered(state.bytes_acked, self.mss) + u64::from(state.kernel.sacked_out),
            ca_state: conn.ca_state as u8,
        }
    }

    /// Adds the inner variables that the algorithm shows, at each of these times.
    fn variables(&self, state: &SampledState, times: &[u64], flow: u16, rows: &mut Vec<InnerRow>) {
        if times.is_empty() || self.inner == InnerVariables::Off {
            return;
        }
        let Some(reader) = self.readers.iter().find(|reader| reader.name == state.algorithm()) else {
            return;
        };
        let controller = match reader.layout {
            StateLayout::Ours => controller_of_words(&reader.controller, &state.state),
            StateLayout::Kernels => reader.controller.with_words(&state.state),
        };
        let Some(controller) = controller else { return };
        let info = controller.info(&state.conn);
        for &time_ns in times {
            let shown = info.named().filter(|(name, _)| self.inner.has(name));
            rows.extend(shown.map(|(name, value)| InnerRow { time_ns, flow: u32::from(flow), name, value }));
        }
    }
}

fn failed(why: cwnd_bpf::Error) -> Error {
    Error::System("read the senders' states".into(), io::Error::other(why))
}
