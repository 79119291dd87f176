// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the kernel makes of the headers of segments that arrive, where the simulator has no such thing: windows that change, and data of the
//! other side.

use super::record::Packet;

/// What the kernel makes of a segment that arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrival {
    /// Its window counts as news. // Linux: tcp_may_update_window
    pub updates_window: bool,
    /// The kernel's header prediction may have failed for it, for what the simulator does not have: another window than the one before, data, or
    /// data of the other side that are missing. // Linux: tcp_rcv_established
    pub may_be_unexpected: bool,
    /// Data that acknowledge nothing new, with an expected header: the kernel does not look at the acknowledgement at all.
    pub is_passed_over: bool,
}

/// The headers so far.
#[derive(Clone, Copy, Debug)]
pub struct Headers {
    /// Sequence number of the last segment that updated the window, and its window. // RFC 9293 §3.10.7.4: SND.WL1
    updated_by: u32,
    window: Option<u32>,
    /// Where the other side's data would go on.
    next: u32,
    /// The other side's data have come in another order: the header prediction is off until all are there.
    is_disordered: bool,
}

impl Headers {
    /// Before the first segment; `opens`: this side has opened the connection, and the other side's SYN set the window.
    pub const fn new(first: &Packet, opens: bool) -> Self {
        let updated_by = if opens { first.sequence.wrapping_sub(1) } else { first.sequence };
        let window = if opens { None } else { Some(first.window) };
        Self { updated_by, window, next: first.sequence, is_disordered: false }
    }

    /// A segment arrives; `calls`: the kernel has told its algorithm of an acknowledgement.
    pub fn arrival(&mut self, packet: &Packet, calls: bool) -> Arrival {
        let after = |a: u32, b: u32| a.wrapping_sub(b).cast_signed() > 0;
        let Packet { sequence, payload, acknowledges, window, state, .. } = *packet;
        let advances = after(acknowledges, state.snd_una);
        let (other, larger) = (self.window != Some(window), self.window.is_none_or(|last| window > last));
        let is_news = sequence == self.updated_by && (larger || window == 0);
        self.is_disordered |= sequence != self.next;
        let arrival = Arrival {
            updates_window: advances || after(sequence, self.updated_by) || is_news,
            may_be_unexpected: other || payload > 0 || self.is_disordered,
            is_passed_over: payload > 0
                && acknowledges == state.snd_una
                && packet.sack[0].is_none()
                && !calls,
        };
        if arrival.updates_window && !arrival.is_passed_over {
            (self.updated_by, self.window) = (sequence, Some(window));
        }
        let end = sequence.wrapping_add(payload);
        if after(end, self.next) {
            self.next = end;
        }
        arrival
    }
}
