// SPDX-License-Identifier: MIT OR Apache-2.0
//! What happened to a connection, each with the calls that it led to.

use super::record::{KernelState, Packet, PacketKind, Recorded};
use super::{FIN, PENDING_PROBE};
use cwnd::replay::{Call, Row};
use cwnd::{CaEvent, Conn};

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
    /// Of an acknowledgement: whether its window field is another than that of the one before.
    pub changes_window: bool,
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
    /// How many of the events come before the first gap in the record.
    pub whole: usize,
}

impl Events {
    /// Sorts calls to what led to them.
    pub fn of(recorded: &[Recorded]) -> Result<Self, String> {
        let is_init = |each: &Recorded| matches!(each, Recorded::Call(row) if row.call == Call::Init {});
        let begin =
            recorded.iter().position(is_init).ok_or("no call of init: it begins within a connection")?;
        let Recorded::Call(Row { before: init, .. }) = recorded[begin] else { return Err("no call".into()) };
        let handshake_rtt_us = recorded[..begin].iter().rev().find_map(|each| match each {
            Recorded::Call(Row { call: Call::PktsAcked { sample }, .. }) => u32::try_from(sample.rtt_us).ok(),
            _ => None,
        });
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
                    changes_window: false,
                }),
            }
        }
        let mut window = None;
        for event in list.iter_mut().filter(|event| event.packet.kind == PacketKind::Ack) {
            event.changes_window = window.replace(event.packet.window) != Some(event.packet.window);
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
        let first =
            list.iter().find(|event| event.packet.kind == PacketKind::Sent).ok_or("no data was sent")?;
        let whole = whole(&list);
        Ok(Self {
            whole,
            init,
            first_sequence: first.packet.sequence,
            handshake_rtt_us: handshake_rtt_us.unwrap_or(0),
            tick_hz: first.packet.tick_hz,
            list,
        })
    }
}

/// How many events come before the last acknowledgement up to which the record is whole: at the next one the kernel's state is not the one that
/// the record leads to. It skips the programs that record, sometimes (docs/adr/0007).
fn whole(list: &[Event]) -> usize {
    let Some(first) = list.first() else { return 0 };
    let KernelState { ca_state, snd_una, snd_nxt, total_retrans, .. } = first.packet.state;
    let (mut state, mut una, mut nxt, mut again) = (ca_state, snd_una, snd_nxt, total_retrans);
    let mut whole = 0;
    for (index, event) in list.iter().enumerate() {
        let Packet { kind, sequence, payload, flags, gso_size, acknowledges, state: kernel, .. } =
            event.packet;
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
                let bytes = payload + (flags & FIN);
                let end = sequence.wrapping_add(bytes);
                if end.wrapping_sub(nxt).cast_signed() > 0 {
                    nxt = end;
                } else {
                    again += if gso_size > 0 { bytes.div_ceil(gso_size) } else { 1 };
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
