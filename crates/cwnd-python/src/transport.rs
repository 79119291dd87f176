// SPDX-License-Identifier: MIT OR Apache-2.0
//! A connection of the kernel, repeated on the simulator's sender, from the tables `hooks` and `packets` of a trace.

use crate::replay::{ReplayColumns, import};
use arrow_array::{Array, Int64Array, StringArray, StructArray};
use cwnd_sim::transport_replay::{Divergence, KernelState, Outcome, Packet, PacketKind, Recorded, replay};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Repeats connections of the kernel on the simulator's sender, and compares the calls of their hooks.
#[pyclass(module = "cwnd._native")]
pub struct TransportReplay {
    cc: String,
    outcome: Outcome,
    connections: u64,
}

#[pymethods]
impl TransportReplay {
    /// Repeats on the parameter set `cc`.
    #[new]
    fn new(cc: String) -> Self {
        Self { cc, outcome: Outcome::default(), connections: 0 }
    }

    /// Repeats a connection: its rows of `hooks` and of `packets`, with `hook` and `kind` as text and every other column as int64. Raises
    /// `ValueError` with one line where they are no connection from its beginning.
    fn feed(&mut self, py: Python<'_>, hooks: &Bound<'_, PyAny>, packets: &Bound<'_, PyAny>) -> PyResult<()> {
        let recorded = recorded(&import(hooks)?, &import(packets)?)?;
        let cc = &self.cc;
        let outcome = py.detach(|| replay(cc, &recorded)).map_err(PyValueError::new_err)?;
        self.outcome.add(outcome);
        self.connections += 1;
        Ok(())
    }

    /// What the comparisons came to so far, under the names of `cwnd.replay.transport.Outcome`.
    fn outcome<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let outcome = self.outcome.clone().sorted();
        let all = PyDict::new(py);
        all.set_item("connections", self.connections)?;
        all.set_item("events", outcome.events)?;
        all.set_item("calls", outcome.calls)?;
        all.set_item("divergent", outcome.divergent)?;
        let explained = outcome.explained.iter().map(|(what, why, events)| (*what, *why, *events));
        all.set_item("explained", explained.collect::<Vec<_>>())?;
        all.set_item("gaps", outcome.gaps)?;
        all.set_item("no_sack", outcome.no_sack)?;
        all.set_item("not_compared", outcome.not_compared)?;
        all.set_item("closing", outcome.closing)?;
        all.set_item("complete", outcome.is_complete())?;
        all.set_item("out_of_step", outcome.out_of_step)?;
        all.set_item("windows", outcome.windows)?;
        all.set_item("retransmissions", outcome.retransmissions)?;
        all.set_item("timers", outcome.timers)?;
        for (name, kinds) in [("kinds", &outcome.kinds), ("states", &outcome.states)] {
            all.set_item(name, kinds.iter().map(|kind| divergence(py, kind)).collect::<PyResult<Vec<_>>>()?)?;
        }
        all.set_item("first", outcome.first)?;
        Ok(all)
    }
}

fn divergence<'py>(py: Python<'py>, kind: &Divergence) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    all.set_item("kind", &kind.kind)?;
    all.set_item("events", kind.events)?;
    all.set_item("fresh", kind.fresh)?;
    all.set_item("first", &kind.first)?;
    Ok(all)
}

/// A column of text.
fn texts<'a>(table: &'a StructArray, name: &str) -> PyResult<&'a StringArray> {
    let column = table.column_by_name(name).and_then(|column| column.as_any().downcast_ref());
    column.ok_or_else(|| PyValueError::new_err(format!("column {name}: missing; expected text")))
}

/// A column of numbers.
fn numbers<'a>(table: &'a StructArray, name: &str) -> PyResult<&'a Int64Array> {
    let column = table.column_by_name(name).and_then(|column| column.as_any().downcast_ref());
    column.ok_or_else(|| {
        PyValueError::new_err(format!("column {name}: missing; expected a recorded trace's column"))
    })
}

/// Both tables in the order of their records.
fn recorded(hooks: &StructArray, packets: &StructArray) -> PyResult<Vec<Recorded>> {
    let mut all: Vec<(i64, Recorded)> = Vec::with_capacity(hooks.len() + packets.len());
    let (names, columns) = (texts(hooks, "hook")?, ReplayColumns::of(hooks)?);
    let (places, ticks) = (numbers(hooks, "seq")?, numbers(hooks, "tick_hz")?);
    for index in 0..hooks.len() {
        let row = columns.row(names.value(index), index, ticks.value(index) as u32)?;
        all.push((places.value(index), Recorded::Call(row)));
    }
    let columns = PacketColumns::of(packets)?;
    for index in 0..packets.len() {
        all.push((columns.seq.value(index), Recorded::Packet(columns.packet(index)?)));
    }
    all.sort_by_key(|(place, _)| *place);
    Ok(all.into_iter().map(|(_, recorded)| recorded).collect())
}

macro_rules! packet_columns {
    ($($name:ident),+ $(,)?) => {
        /// The columns of `packets`.
        struct PacketColumns<'a> {
            kind: &'a StringArray,
            sack: [[&'a Int64Array; 2]; 4],
            $($name: &'a Int64Array,)+
        }

        impl<'a> PacketColumns<'a> {
            fn of(table: &'a StructArray) -> PyResult<Self> {
                let block = |place: usize| {
                    let edge = |edge: &str| numbers(table, &format!("sack{place}_{edge}"));
                    PyResult::Ok([edge("from")?, edge("to")?])
                };
                Ok(Self {
                    kind: texts(table, "kind")?,
                    sack: [block(0)?, block(1)?, block(2)?, block(3)?],
                    $($name: numbers(table, stringify!($name))?,)+
                })
            }
        }
    };
}

packet_columns!(
    seq,
    time_ns,
    sent_ns,
    sequence,
    payload,
    gso_size,
    acknowledges,
    flags,
    window,
    ts_value,
    ts_echo,
    sack_blocks,
    tick_hz,
    jiffies,
    snd_una,
    snd_nxt,
    write_seq,
    snd_wnd,
    mss,
    packets_out,
    sacked_out,
    lost_out,
    retrans_out,
    cwnd,
    ssthresh,
    max_packets_out,
    is_cwnd_limited,
    ca_state,
    srtt_us8,
    rttvar_us,
    rtt_min_us,
    high_seq,
    undo_marker,
    undo_retrans,
    total_retrans,
    frto,
    tlp_high_seq,
    rack_rtt_us,
    reo_wnd_steps,
    reordering,
    pending,
    expires,
);

impl PacketColumns<'_> {
    fn packet(&self, row: usize) -> PyResult<Packet> {
        let word = |column: &Int64Array| column.value(row) as u32;
        let kind = match self.kind.value(row) {
            "ack" => PacketKind::Ack,
            "sent" => PacketKind::Sent,
            "timer" => PacketKind::Timer,
            other => {
                return Err(PyValueError::new_err(format!(
                    "column kind: \"{other}\" is not accepted; expected ack, sent or timer"
                )));
            }
        };
        let blocks = word(self.sack_blocks) as usize;
        let block = |place: usize| {
            let [from, to] = self.sack[place];
            (place < blocks).then(|| (word(from), word(to)))
        };
        Ok(Packet {
            kind,
            time_ns: self.time_ns.value(row).cast_unsigned(),
            sent_ns: self.sent_ns.value(row).cast_unsigned(),
            sequence: word(self.sequence),
            payload: word(self.payload),
            gso_size: word(self.gso_size),
            acknowledges: word(self.acknowledges),
            flags: word(self.flags),
            window: word(self.window),
            ts_value: word(self.ts_value),
            ts_echo: word(self.ts_echo),
            sack: std::array::from_fn(block),
            write_seq: word(self.write_seq),
            snd_wnd: word(self.snd_wnd),
            mss: word(self.mss),
            tick_hz: word(self.tick_hz),
            state: KernelState {
                ticks: word(self.jiffies),
                snd_una: word(self.snd_una),
                snd_nxt: word(self.snd_nxt),
                packets_out: word(self.packets_out),
                sacked_out: word(self.sacked_out),
                lost_out: word(self.lost_out),
                retrans_out: word(self.retrans_out),
                cwnd: word(self.cwnd),
                ssthresh: word(self.ssthresh),
                max_packets_out: word(self.max_packets_out),
                is_cwnd_limited: word(self.is_cwnd_limited) != 0,
                ca_state: word(self.ca_state),
                srtt_us8: word(self.srtt_us8),
                rttvar_us: word(self.rttvar_us),
                rtt_min_us: word(self.rtt_min_us),
                high_seq: word(self.high_seq),
                undo_marker: word(self.undo_marker),
                undo_retrans: word(self.undo_retrans),
                total_retrans: word(self.total_retrans),
                frto: word(self.frto),
                tlp_high_seq: word(self.tlp_high_seq),
                rack_rtt_us: word(self.rack_rtt_us),
                reo_wnd_steps: word(self.reo_wnd_steps),
                reordering: word(self.reordering),
                pending: word(self.pending),
                expires: word(self.expires),
            },
        })
    }
}
