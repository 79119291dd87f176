// SPDX-License-Identifier: MIT OR Apache-2.0
//! A divergence in words.

use super::event::Event;
use super::record::{Packet, PacketKind};
use super::view::{View, Windows};
use crate::hook_calls::HookCall;
use cwnd::Conn;
use cwnd::replay::Call;
use std::fmt::Write;

/// Events shown before a divergence, and after it.
const BEFORE: usize = 6;
const AFTER: usize = 3;

/// A hook's name, with the state or event that it is told of.
pub fn name(call: &Call) -> String {
    match call {
        Call::SetState { new } => format!("set_state({new:?})"),
        Call::CwndEvent { event } => format!("cwnd_event({event:?})"),
        other => other.hook().name().to_owned(),
    }
}

/// A call with its arguments, and with the window before it.
fn call(call: &Call, before: &Conn, returned: u32) -> String {
    let cwnd = before.cwnd;
    match call {
        Call::PktsAcked { sample } => {
            format!("pkts_acked({}, {} µs, {} in flight)", sample.pkts_acked, sample.rtt_us, sample.in_flight)
        }
        Call::CongAvoid { acked, .. } => format!("cong_avoid({acked}) at cwnd {cwnd}"),
        Call::InAckEvent { flags } => format!("in_ack_event({flags:#x})"),
        Call::Ssthresh {} | Call::UndoCwnd {} => format!("{} = {returned} at cwnd {cwnd}", name(call)),
        other => format!("{} at cwnd {cwnd}", name(other)),
    }
}

/// An event in one line; numbers are bytes after `first`.
fn packet(packet: &Packet, first: u32) -> String {
    let at = |sequence: u32| sequence.wrapping_sub(first);
    match packet.kind {
        PacketKind::Ack => {
            let blocks: String = packet
                .sack
                .iter()
                .flatten()
                .map(|(from, to)| format!(" {}-{}", at(*from), at(*to)))
                .collect();
            let blocks = if blocks.is_empty() { blocks } else { format!(", reports{blocks}") };
            format!("ack {}{blocks}", at(packet.acknowledges))
        }
        PacketKind::Sent => {
            let again = if packet.sequence == packet.state.snd_nxt { "" } else { " again" };
            format!("sent{again} {} + {}", at(packet.sequence), packet.payload)
        }
        PacketKind::Timer => {
            let kind = match packet.state.pending {
                1 => "timeout",
                5 => "probe",
                6 => "reordering",
                _ => "other",
            };
            format!("timer: {kind}")
        }
    }
}

/// An event before which the sides are as in `view`, and whose calls differ: where it is, the calls, the state, and the packets around it.
pub fn divergence(events: &[Event], index: usize, view: &View, calls: &[HookCall]) -> String {
    let first = events.first().map_or(0, |event| event.packet.sequence);
    let begin_us = events.first().map_or(0, |event| event.time_us);
    let seconds = |event: &Event| event.time_us.saturating_sub(begin_us) as f64 / 1e6;
    let event = &events[index];
    let mut text = format!("event {index} at {:.6} s: {}\n", seconds(event), packet(&event.packet, first));
    let line = |text: &mut String, what: &str, calls: Vec<String>| {
        let calls = if calls.is_empty() { "nothing".to_owned() } else { calls.join("; ") };
        let _ = writeln!(text, "  {what:<10} {calls}");
    };
    let kernel = event.calls.iter().map(|row| call(&row.call, &row.before, row.after.returned)).collect();
    line(&mut text, "kernel", kernel);
    let simulator = calls.iter().map(|logged| call(&logged.call, &logged.before, logged.returned)).collect();
    line(&mut text, "simulator", simulator);
    text.push_str("  before it, kernel and simulator:");
    for (name, kernel, simulator) in view.values() {
        let _ = if kernel == simulator {
            write!(text, " {name} {kernel},")
        } else {
            write!(text, " {name} {kernel} and {simulator},")
        };
    }
    let Windows { kernel, sender } = view.windows;
    let own = if kernel == sender { String::new() } else { format!(" and {}, {}", sender.0, sender.1) };
    let _ = writeln!(text, " cwnd {}, ssthresh {}{own}", kernel.0, kernel.1);
    let from = index.saturating_sub(BEFORE);
    for (place, near) in events.iter().enumerate().skip(from).take(index - from + AFTER + 1) {
        let mark = if place == index { ">" } else { " " };
        let _ = writeln!(text, "  {mark} {:.6} s {}", seconds(near), packet(&near.packet, first));
    }
    text
}
