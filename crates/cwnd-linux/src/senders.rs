// SPDX-License-Identifier: MIT OR Apache-2.0
//! What `TCP_INFO` lacks of the flows' senders: windows at every acknowledgement, and the inner variables of their algorithms.
//!
//! Both come from the driver's records, which have the connection before a segment, a hook call or an expired timer. The state after an
//! acknowledgement is in the first later record, or in that of the next acknowledgement at the same time; then its row is made.

use cwnd::{Conn, Controller, Hook, PrivateWords};
use cwnd_kernel_records::{PACKET_BYTES, Socket, conn, packet, read};
use cwnd_live::{delivered, mss, takes_states};
use cwnd_record::capture::FIRST_PORT;
use cwnd_record::{CwndRow, InnerRow, TcpHeader};
use cwnd_scenario::{InnerVariables, Scenario};

/// Kinds of a `struct cwnd_packet`.
const ACK: u32 = 0;
const SENT: u32 = 1;
/// Flag of a segment that opens a connection.
const SYN: u8 = 2;

/// The sender of a flow.
#[derive(Default)]
struct Sender {
    /// Bytes that were acknowledged, with the SYN, and the first that was not yet.
    acknowledged: (u64, u32),
    /// As the last record left it.
    conn: Option<Conn>,
    /// Its algorithm in the state that the last record left; `None` without a connection, and where that is not known.
    algorithm: Option<Controller>,
    /// The last acknowledgement: its time, ns, and the packets that had left the flow's last link.
    pending: Option<(u64, u64)>,
}

/// The senders of a run.
pub struct Senders {
    per_ack: bool,
    inner: InnerVariables,
    mss: u32,
    /// When the run ends, ns.
    end: u64,
    /// By flow; `None` for one without rows.
    flows: Vec<Option<Sender>>,
    cwnd: Vec<CwndRow>,
    variables: Vec<InnerRow>,
}

impl Senders {
    /// Those of a scenario; `None` where it asks for neither.
    pub fn of(scenario: &Scenario) -> Option<Self> {
        takes_states(scenario).then(|| Self {
            per_ack: scenario.record.per_ack,
            inner: scenario.record.inner.clone(),
            mss: mss(scenario),
            end: scenario.duration,
            flows: scenario
                .recorded()
                .into_iter()
                .map(|is_recorded| is_recorded.then(Sender::default))
                .collect(),
            cwnd: Vec::new(),
            variables: Vec::new(),
        })
    }

    /// Takes a record of the driver at `now`, ns. `forwarded` counts the packets of a flow that have left its last link; `algorithm` is the
    /// connection's after a call of a hook, which has left these private words.
    pub fn add(
        &mut self,
        now: u64,
        bytes: &[u8],
        forwarded: impl FnOnce(usize) -> u64,
        algorithm: impl FnOnce(&PrivateWords) -> Option<Controller>,
    ) {
        let tick_hz = conn(bytes, 0).tick_hz;
        if bytes.len() == PACKET_BYTES {
            let raw = packet(bytes, tick_hz);
            let Some(flow) = self.flow_of(&raw.kernel) else { return };
            let header = TcpHeader::read(&raw.header);
            if raw.kind == SENT && header.flags & SYN != 0 {
                self.flows[flow] = Some(Sender { acknowledged: (0, header.sequence), ..Sender::default() });
            }
            self.conclude(flow, raw.kind == ACK, now, (&raw.conn, &raw.kernel));
            let Some(sender) = &mut self.flows[flow] else { return };
            if self.per_ack && raw.kind == ACK && now <= self.end {
                sender.pending = Some((now, forwarded(flow)));
            }
            sender.conn = Some(raw.conn);
            return;
        }
        // Not of ours: the words are taken as they are.
        let Ok(record) = read(bytes, tick_hz, false, |_, _| 0) else { return };
        let Some(flow) = self.flow_of(&record.kernel) else { return };
        let (before, after) = (&record.row.before, &record.row.after);
        if record.row.call.hook() == Hook::Release {
            // A connection that has ended has no window any more.
            self.flows[flow] = Some(Sender::default());
            return;
        }
        self.conclude(flow, false, now, (before, &record.kernel));
        let Some(sender) = &mut self.flows[flow] else { return };
        sender.algorithm = algorithm(&record.state_after);
        let (cwnd, ssthresh, cwnd_cnt) = (after.cwnd, after.ssthresh, after.cwnd_cnt);
        sender.conn = Some(Conn { cwnd, ssthresh, cwnd_cnt, ..*before });
    }

    /// The flow of a sender's connection, if it has rows.
    fn flow_of(&self, kernel: &Socket) -> Option<usize> {
        let flow = usize::from(kernel.remote_port.wrapping_sub(FIRST_PORT));
        self.flows.get(flow)?.as_ref().map(|_| flow)
    }

    /// Makes the rows of the last acknowledgement, which has left this connection: all of its time is over, or the next one `arrives`.
    fn conclude(&mut self, flow: usize, arrives: bool, now: u64, (left, kernel): (&Conn, &Socket)) {
        let Some(sender) = &mut self.flows[flow] else { return };
        let over = sender.pending.take_if(|(time, _)| arrives || now > *time);
        let Some((time_ns, forwarded)) = over else { return };
        let (acknowledged, first) = sender.acknowledged;
        let acknowledged = acknowledged + u64::from(left.snd_una.wrapping_sub(first));
        sender.acknowledged = (acknowledged, left.snd_una);
        self.cwnd.push(CwndRow {
            time_ns,
            flow: flow as u32,
            cwnd: left.cwnd,
            ssthresh: left.ssthresh,
            // Whole µs, as everywhere.
            srtt_us8: left.srtt_us8 & !7,
            in_flight: left.in_flight,
            forwarded,
            delivered: delivered(acknowledged, self.mss) + u64::from(kernel.sacked_out),
            ca_state: left.ca_state as u8,
        });
        sender.conn = Some(*left);
        self.show(time_ns, flow);
    }

    /// Adds the inner variables of a flow's algorithm, as they are now.
    fn show(&mut self, time_ns: u64, flow: usize) {
        let Some(Some(Sender { algorithm: Some(algorithm), conn: Some(conn), .. })) = self.flows.get(flow)
        else {
            return;
        };
        let info = algorithm.info(conn);
        let shown = info.named().filter(|(name, _)| self.inner.has(name));
        let row = |(name, value)| InnerRow { time_ns, flow: flow as u32, name, value };
        self.variables.extend(shown.map(row));
    }

    /// Takes the guest's samples of windows, which are no rows where acknowledgements are; adds the inner variables of these times.
    pub fn sample(&mut self, rows: &mut Vec<CwndRow>) {
        if self.per_ack {
            rows.clear();
        }
        if self.inner != InnerVariables::Off {
            rows.iter().for_each(|row| self.show(row.time_ns, row.flow as usize));
        }
    }

    /// The rows, in the order of their times.
    pub fn finish(mut self) -> (Vec<CwndRow>, Vec<InnerRow>) {
        self.cwnd.sort_by_key(|row| row.time_ns);
        self.variables.sort_by_key(|row| (row.time_ns, row.flow));
        (self.cwnd, self.variables)
    }
}
