// SPDX-License-Identifier: MIT OR Apache-2.0
//! An application that writes to its stack at a rate: piece by piece, each when the rate has filled it.

use super::StackConnection;
use crate::tcp::Application;
use cwnd_link::NEVER;
use cwnd_scenario::FlowGroup;

/// What the headers of QUIC take of a datagram at most, bytes, rounded up: a piece is sent in one datagram.
/// // RFC 9000 §17.3.1, §19.8: 13 of the packet, 12 of the frame; RFC 9001 §5.3: 16 of its protection
const HEADROOM: u32 = 64;

/// An application with a rate.
#[derive(Debug)]
pub(super) struct RatedWriter {
    application: Application,
    /// Payload of a piece, bytes.
    piece: u64,
    /// All that it will write, bytes; `u64::MAX`: without an end.
    size: u64,
    /// Pieces that it has written.
    written: u64,
    /// When the next one is full, ns; [`NEVER`] while the application rests or has written everything.
    pub(super) due: u64,
}

impl RatedWriter {
    /// The application of a flow whose datagrams have up to `datagram` bytes; `None` for one without a rate.
    pub(super) fn of(group: &FlowGroup, datagram: u32) -> Option<Self> {
        let piece = datagram.saturating_sub(HEADROOM).max(1);
        let size = group.size.unwrap_or(u64::MAX);
        let application = Application::new(group.app_rate?, piece, size.div_ceil(piece.into()));
        Some(Self { application, piece: piece.into(), size, written: 0, due: NEVER })
    }

    /// It begins to write, or goes on: what fills from now on counts.
    fn start(&mut self, now: u64) {
        self.application.resume();
        self.application.written(now, self.written);
        self.due = self.application.written_at(self.written);
    }

    /// Bytes that have become due by `now`.
    fn write(&mut self, now: u64) -> u64 {
        let place = |pieces: u64| pieces.saturating_mul(self.piece).min(self.size);
        let before = place(self.written);
        let pieces = self.application.written(now, self.written);
        let bytes = place(pieces) - before;
        self.written = pieces;
        self.due = self.application.written_at(pieces);
        bytes
    }
}

impl StackConnection {
    /// The application starts at `now`: it has so many bytes to send, at once or at its rate.
    pub(super) fn start_writing(&mut self, now: u64, bytes: u64) {
        if let Some(writer) = &mut self.writer {
            return writer.start(now);
        }
        self.has_data_since = self.has_data_since.min(now);
        self.ends().sender.write(now, bytes);
    }

    /// The application has nothing more to send.
    pub(super) fn stop_writing(&mut self, now: u64) {
        if let Some(writer) = &mut self.writer {
            writer.due = NEVER;
        }
        self.ends().sender.finish(now);
    }

    /// Hands over what an application with a rate has written by `now`.
    pub(super) fn write_due(&mut self, now: u64) {
        let Some(writer) = self.writer.as_mut().filter(|writer| writer.due <= now) else { return };
        let bytes = writer.write(now);
        self.has_data_since = self.has_data_since.min(now);
        self.ends().sender.write(now, bytes);
    }

    /// When it has to be called next: a timer of an end, or the application's next piece.
    pub(super) fn next_event(&self) -> u64 {
        let writes = self.writer.as_ref().map_or(NEVER, |writer| writer.due);
        self.timers[0].min(self.timers[1]).min(writes)
    }
}
