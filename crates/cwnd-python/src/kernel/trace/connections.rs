// SPDX-License-Identifier: MIT OR Apache-2.0
//! The connections of a trace: what they look like now, and each call of theirs repeated on the host.

use std::collections::HashMap;

use cwnd::Hook;
use cwnd::replay::{After, Replay};
use cwnd::{Conn, Controller, INFINITE_SSTHRESH};
use cwnd_bpf::{CallRecord, ProbeSample};
use cwnd_plugin::controller_words;
use cwnd_record::ConnectionRow;
use pyo3::prelude::*;

/// A connection as it was last seen.
#[pyclass(frozen, module = "cwnd._native", name = "KernelConnection")]
#[derive(Clone, Debug)]
pub struct TracedConnection {
    /// 0, 1, … in order of appearance.
    #[pyo3(get)]
    number: u64,
    /// Name of its algorithm in the kernel.
    #[pyo3(get)]
    algorithm: String,
    #[pyo3(get)]
    local_port: u16,
    #[pyo3(get)]
    remote_port: u16,
    /// Time of the first and the last call or acknowledgement, s on the kernel's clock (CLOCK_MONOTONIC).
    #[pyo3(get)]
    first_s: f64,
    #[pyo3(get)]
    last_s: f64,
    /// Calls, or acknowledgements.
    #[pyo3(get)]
    calls: u64,
    #[pyo3(get)]
    cwnd: u32,
    /// None before anything has set it.
    #[pyo3(get)]
    ssthresh: Option<u32>,
    #[pyo3(get)]
    srtt_ms: f64,
    #[pyo3(get)]
    in_flight: u32,
    #[pyo3(get)]
    retransmissions: u32,
    /// Whether its end was seen.
    #[pyo3(get)]
    is_over: bool,
    /// Names and values of the algorithm's inner variables, from the state on the host.
    #[pyo3(get)]
    inner: Vec<(&'static str, u64)>,
    /// Calls whose outcome on the host was another.
    #[pyo3(get)]
    differences: u64,
    last: Conn,
}

/// All connections of a trace.
pub struct Connections {
    /// The algorithm before `init`, to repeat calls on; without one nothing is repeated.
    fresh: Option<Controller>,
    /// What every connection runs on, where calls are recorded; a probe says it of each acknowledgement.
    algorithm: String,
    replays: HashMap<u64, Replay>,
    /// By the socket's address: the place in `all`.
    sockets: HashMap<u64, usize>,
    all: Vec<TracedConnection>,
    calls: u64,
    differences: u64,
    states_compared: u64,
    first_difference: Option<String>,
}

impl Connections {
    pub fn new(fresh: Option<Controller>, algorithm: String) -> Self {
        Self {
            fresh,
            algorithm,
            replays: HashMap::new(),
            sockets: HashMap::new(),
            all: Vec::new(),
            calls: 0,
            differences: 0,
            states_compared: 0,
            first_difference: None,
        }
    }

    pub const fn calls(&self) -> u64 {
        self.calls
    }

    pub fn differences(&self) -> Option<u64> {
        self.fresh.is_some().then_some(self.differences)
    }

    /// Calls after which the state's bytes were compared.
    pub const fn states_compared(&self) -> u64 {
        self.states_compared
    }

    pub fn first_difference(&self) -> Option<&str> {
        self.first_difference.as_deref()
    }

    /// Every connection seen, with what its algorithm's state on the host says.
    pub fn all(&self) -> Vec<TracedConnection> {
        let seen = |known: &TracedConnection| match self.replays.get(&known.number) {
            Some(replay) => TracedConnection { inner: inner(replay, &known.last), ..known.clone() },
            None => known.clone(),
        };
        self.all.iter().map(seen).collect()
    }

    /// Repeats a recorded call, and keeps what it shows of its connection.
    pub fn step(&mut self, record: &CallRecord) {
        self.calls += 1;
        let number = record.connection;
        let Ok(place) = usize::try_from(number) else { return };
        while self.all.len() <= place {
            let number = self.all.len() as u64;
            self.all.push(connection(number, &record.row.before, record.time_us, self.algorithm.clone()));
        }
        let Some(known) = self.all.get_mut(place) else { return };
        let After { cwnd, ssthresh, .. } = record.row.after;
        known.see(&Conn { cwnd, ssthresh, ..record.row.before }, record.time_us);
        // A socket that is being taken down has none.
        if record.kernel.local_port != 0 {
            (known.local_port, known.remote_port) = (record.kernel.local_port, record.kernel.remote_port);
        }
        known.retransmissions = record.kernel.total_retrans;
        known.is_over |= record.row.call.hook() == Hook::Release;
        let Some(fresh) = &self.fresh else { return };
        let replay = match self.replays.entry(number) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => {
                entry.insert(Replay::new(fresh.clone(), Some(controller_words)))
            }
        };
        let states_before = replay.states_compared();
        if let Some(difference) = replay.step(&record.row) {
            known.differences += 1;
            self.differences += 1;
            self.first_difference.get_or_insert_with(|| {
                format!(
                    "connection {number}, call {}, {:?}: on the host {difference}",
                    record.seq, record.row.call
                )
            });
        }
        self.states_compared += replay.states_compared() - states_before;
        if known.is_over {
            known.inner = inner(replay, &record.row.before);
            self.replays.remove(&number);
        }
    }

    /// Keeps what an acknowledgement shows of its connection; returns the connection's number.
    pub fn see(&mut self, sample: &ProbeSample) -> u64 {
        self.calls += 1;
        let ports = (sample.kernel.local_port, sample.kernel.remote_port);
        let all = &mut self.all;
        let known = self.sockets.get(&sample.socket).copied().filter(|place| {
            // A new connection may get the memory of one that has ended.
            all.get(*place).is_some_and(|known| (known.local_port, known.remote_port) == ports)
        });
        let place = known.unwrap_or_else(|| {
            let (conn, algorithm) = (&sample.conn, sample.algorithm.clone());
            all.push(connection(all.len() as u64, conn, conn.now_us, algorithm));
            all.len() - 1
        });
        self.sockets.insert(sample.socket, place);
        let Some(known) = all.get_mut(place) else { return 0 };
        known.see(&sample.conn, sample.conn.now_us);
        (known.local_port, known.remote_port) = ports;
        known.retransmissions = sample.kernel.total_retrans;
        known.algorithm.clone_from(&sample.algorithm);
        known.number
    }
}

/// The algorithm's inner variables on the host.
fn inner(replay: &Replay, conn: &Conn) -> Vec<(&'static str, u64)> {
    replay.state().map(|state| state.info(conn).named().collect()).unwrap_or_default()
}

fn connection(number: u64, conn: &Conn, time_us: u64, algorithm: String) -> TracedConnection {
    TracedConnection {
        number,
        algorithm,
        local_port: 0,
        remote_port: 0,
        first_s: time_us as f64 / 1e6,
        last_s: 0.0,
        calls: 0,
        cwnd: 0,
        ssthresh: None,
        srtt_ms: 0.0,
        in_flight: 0,
        retransmissions: 0,
        is_over: false,
        inner: Vec::new(),
        differences: 0,
        last: *conn,
    }
}

impl TracedConnection {
    /// Its row of the table `flows`.
    pub fn row(&self) -> ConnectionRow {
        ConnectionRow {
            flow: self.number as u32,
            algorithm: self.algorithm.clone(),
            local_port: u32::from(self.local_port),
            remote_port: u32::from(self.remote_port),
            first_s: self.first_s,
            last_s: self.last_s,
            calls: self.calls,
            retransmits: self.retransmissions,
            differences: self.differences,
        }
    }

    fn see(&mut self, conn: &Conn, time_us: u64) {
        self.last = *conn;
        self.last_s = time_us as f64 / 1e6;
        self.calls += 1;
        self.cwnd = conn.cwnd;
        self.ssthresh = (conn.ssthresh < INFINITE_SSTHRESH).then_some(conn.ssthresh);
        self.srtt_ms = f64::from(conn.srtt_us8) / 8000.0;
        self.in_flight = conn.in_flight;
    }
}
