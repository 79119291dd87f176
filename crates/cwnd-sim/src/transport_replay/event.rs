// SPDX-License-Identifier: MIT OR Apache-2.0
//! What happened to a connection, each with the calls that it led to.

use super::arrival::{Arrival, Headers};
use super::record::{FIN, KernelState, PENDING_PROBE, Packet, PacketKind, RST, Recorded};
use cwnd::replay::{Call, Row};
use cwnd::{CaEvent, Conn};

/// A kernel's clock has at most so many ticks a second; a segment of IPv4 has at most so many bytes.
const MOST_HZ: u32 = 10_000;
const MOST_MSS: u32 = 65_535;

/// An acknowledgement, a transmission or a timer, with the calls that it led to.
#[derive(Clone, Debug)]
pub struct Event {
    pub packet: Packet,
    pub calls: Vec<Row>,
    /// The connection's clock then, µs.
    pub time_us: u64,
    /// And its ticks.
    pub ticks: u32,
    /// Whether no transmission follows at the same instant.
    pub ends_burst: bool,
    /// Of a segment that arrived: what the kernel makes of its header.
    pub arrival: Arrival,
}

/// A whole record.
#[derive(Debug)]
pub struct Events {
    pub list: Vec<Event>,
    /// The connection when the algorithm began.
    pub init: Conn,
    /// Sequence number of the first byte.
    pub first_sequence: u32,
    /// The handshake's round trip time, µs; 0 if it was not measured.
    pub handshake_rtt_us: u32,
    pub tick_hz: u32,
    /// How many of the events are compared, and why no more.
    pub compared: usize,
    pub end: End,
    /// Events from the first FIN or reset on, which are not in `list`.
    pub closing: u64,
}

/// Why the comparison of a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Nothing follows.
    Whole,
    /// The record lacks something.
    Gap,
    /// The receiver reports nothing selectively: the simulator's recovery of that name has no other way.
    NoSack,
}

impl Events {
    /// Sorts calls to what led to them.
    pub fn of(recorded: &[Recorded]) -> Result<Self, String> {
        let is_init = |each: &Recorded| matches!(each, Recorded::Call(row) if row.call == Call::Init {});
        let begin =
            recorded.iter().position(is_init).ok_or("no call of init: it begins within a connection")?;
        let Recorded::Call(Row { before: init, .. }) = recorded[begin] else { return Err("no call".into()) };
        let tick_hz = check(&init, recorded)?;
        // The side that opens has the acknowledgement of its SYN; the other one only the measured time. // Linux: tcp_synack_rtt_meas
        let opens = recorded[..begin].iter().rev().find_map(|each| match each {
            Recorded::Call(Row { call: Call::PktsAcked { sample }, .. }) => u32::try_from(sample.rtt_us).ok(),
            _ => None,
        });
        let measured = (1..u32::MAX).contains(&init.min_rtt_us).then_some(init.min_rtt_us);
        let handshake_rtt_us = opens.or(measured);
        let (mut list, mut before_sent) = (Vec::<Event>::new(), Vec::new());
        for each in &recorded[begin + 1..] {
            match *each {
                Recorded::Call(row) if is_of_transmission(&row) => before_sent.push(row),
                Recorded::Call(Row { call: Call::Release {}, .. }) => break,
                Recorded::Call(row) => {
                    if let Some(event) = list.last_mut() {
                        event.calls.push(row);
                    }
                }
                Recorded::Packet(packet) if is_idle(&packet) => {}
                Recorded::Packet(packet) => list.push(Event {
                    packet,
                    calls: if packet.kind == PacketKind::Sent {
                        std::mem::take(&mut before_sent)
                    } else {
                        Vec::new()
                    },
                    time_us: 0,
                    ticks: packet.state.ticks,
                    ends_burst: true,
                    arrival: Arrival::default(),
                }),
            }
        }
        let open = open(&list);
        let closing = (list.len() - open) as u64;
        list.truncate(open);
        let mut headers: Option<Headers> = None;
        for event in list.iter_mut().filter(|event| event.packet.kind == PacketKind::Ack) {
            let calls = event.calls.iter().any(|row| matches!(row.call, Call::InAckEvent { .. }));
            let headers = headers.get_or_insert_with(|| Headers::new(&event.packet, opens.is_some()));
            event.arrival = headers.arrival(&event.packet, calls);
        }
        for index in 0..list.len() {
            let next = list.get(index + 1).map(|next| next.packet);
            let event = &mut list[index];
            event.time_us = time_of(event, next.as_ref());
            if let Some(row) = event.calls.first() {
                event.ticks = row.before.ticks;
            }
            let is_sent = |packet: &Packet| packet.kind == PacketKind::Sent;
            event.ends_burst = !(is_sent(&event.packet)
                && next.is_some_and(|next| {
                    is_sent(&next) && next.sent_ns / 1000 == event.packet.sent_ns / 1000
                }));
        }
        let is_sent = |event: &&Event| event.packet.kind == PacketKind::Sent;
        let first_sequence = match list.iter().find(is_sent) {
            Some(event) => event.packet.sequence,
            // All that was sent was sent with the FIN.
            None if closing > 0 => list.first().map_or(0, |event| event.packet.state.snd_nxt),
            None => return Err("no data was sent".into()),
        };
        let (whole, without_sack) = (whole(&list), without_sack(&list));
        let compared = whole.min(without_sack);
        let end = match compared == list.len() {
            true => End::Whole,
            false if without_sack < whole => End::NoSack,
            false => End::Gap,
        };
        Ok(Self {
            compared,
            end,
            closing,
            init,
            first_sequence,
            handshake_rtt_us: handshake_rtt_us.unwrap_or(0),
            tick_hz,
            list,
        })
    }
}

/// How many events come before the connection begins to close: before a FIN or a reset, or before the application has closed it with data unsent,
/// behind which the FIN then goes.
fn open(list: &[Event]) -> usize {
    let fin_sent = list
        .iter()
        .map(|event| event.packet)
        .find(|packet| packet.kind == PacketKind::Sent && packet.flags & FIN != 0);
    let closed = fin_sent.map(|fin| fin.sequence.wrapping_add(fin.payload + FIN));
    let is_closing =
        |event: &Event| event.packet.flags & (FIN | RST) != 0 || Some(event.packet.write_seq) == closed;
    let Some(open) = list.iter().position(is_closing) else { return list.len() };
    // Between the two the first acknowledgements may have come that are not recorded: then their calls are with the event before.
    if list[open].packet.flags & (FIN | RST) == 0 { open.saturating_sub(1) } else { open }
}

/// How many events come before the last acknowledgement up to which the record is whole: behind it an acknowledgement is missing, or the
/// kernel's state is not the one that the record leads to. It skips the programs that record, sometimes (docs/adr/0007).
fn whole(list: &[Event]) -> usize {
    let Some(first) = list.first() else { return 0 };
    let KernelState { ca_state, snd_una, snd_nxt, total_retrans, .. } = first.packet.state;
    let (mut state, mut una, mut nxt, mut again) = (ca_state, snd_una, snd_nxt, total_retrans);
    let mut whole = 0;
    for (index, event) in list.iter().enumerate() {
        let told = event.calls.iter().filter(|row| matches!(row.call, Call::InAckEvent { .. })).count();
        if told > usize::from(event.packet.kind == PacketKind::Ack) {
            return whole; // of an acknowledgement that is not there
        }
        let Packet { kind, sequence, payload, gso_size, acknowledges, state: kernel, .. } = event.packet;
        match kind {
            PacketKind::Ack => {
                let KernelState { ca_state, snd_una, snd_nxt, total_retrans, .. } = kernel;
                if (ca_state, snd_una, snd_nxt, total_retrans) != (state, una, nxt, again) {
                    return whole;
                }
                whole = index;
                if acknowledges.wrapping_sub(una).cast_signed() > 0 {
                    una = acknowledges;
                }
            }
            PacketKind::Sent => {
                let end = sequence.wrapping_add(payload);
                if end.wrapping_sub(nxt).cast_signed() > 0 {
                    nxt = end;
                } else {
                    again += if gso_size > 0 { payload.div_ceil(gso_size) } else { 1 };
                }
            }
            PacketKind::Timer => {}
        }
        for row in &event.calls {
            if let Call::SetState { new } = row.call {
                state = new as u32;
            }
        }
    }
    list.len()
}

/// How many events come before the first acknowledgement for which the kernel counts a segment as arrived without a report of it.
// Linux: tcp_add_reno_sack
fn without_sack(list: &[Event]) -> usize {
    let reports = |event: &Event| event.packet.sack.iter().any(Option::is_some);
    let first_report = list.iter().position(reports).unwrap_or(list.len());
    let counts = |event: &Event| event.packet.state.sacked_out > 0;
    let Some(after) = list.iter().take(first_report).position(counts) else { return list.len() };
    list[..after].iter().rposition(|event| event.packet.kind == PacketKind::Ack).unwrap_or(after)
}

/// Refuses numbers with which nothing can be computed; returns the ticks a second.
fn check(init: &Conn, recorded: &[Recorded]) -> Result<u32, String> {
    let packets = recorded.iter().filter_map(|each| match each {
        Recorded::Packet(packet) => Some(packet),
        Recorded::Call(_) => None,
    });
    let (mut tick_hz, mut mss) = (vec![], vec![init.mss]);
    packets.for_each(|packet| {
        tick_hz.push(packet.tick_hz);
        mss.push(packet.mss);
    });
    let hz = tick_hz.first().copied().unwrap_or(1);
    for (column, values, most) in [("tick_hz", tick_hz, MOST_HZ), ("mss", mss, MOST_MSS)] {
        if let Some(value) = values.into_iter().find(|value| !(1..=most).contains(value)) {
            return Err(format!("column {column}: {value} is not accepted; expected 1 to {most}"));
        }
    }
    Ok(hz)
}

/// Whether a call comes with the transmission that follows it.
const fn is_of_transmission(row: &Row) -> bool {
    matches!(row.call, Call::CwndEvent { event: CaEvent::TxStart | CaEvent::CwndRestart })
}

/// Whether a packet is neither data nor about data: the handshake, a reset, an acknowledgement that is sent, a timer that is set for nothing.
const fn is_idle(packet: &Packet) -> bool {
    match packet.kind {
        PacketKind::Sent => packet.payload == 0 && packet.flags & FIN == 0,
        PacketKind::Timer => packet.state.pending == 0,
        PacketKind::Ack => false,
    }
}

/// The kernel's clock at an event: that of the calls that it led to, or of the transmission.
fn time_of(event: &Event, next: Option<&Packet>) -> u64 {
    let seen_us = event.packet.time_ns / 1000;
    if event.packet.kind == PacketKind::Sent {
        return event.packet.sent_ns / 1000;
    }
    if let Some(row) = event.calls.iter().find(|row| row.before.now_us > 0) {
        return row.before.now_us;
    }
    let is_probe = event.packet.kind == PacketKind::Timer && event.packet.state.pending == PENDING_PROBE;
    next.filter(|next| is_probe && next.kind == PacketKind::Sent).map_or(seen_us, |next| next.sent_ns / 1000)
}
