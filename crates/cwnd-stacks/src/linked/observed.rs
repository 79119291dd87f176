// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a stack tells its congestion controller, and shows nowhere else.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Written by the controller, which belongs to the connection, and read by the endpoint that holds the connection: atomics because
/// the stacks want controllers that can be shared between threads, though none are.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    in_flight: AtomicU64,
    min_rtt: AtomicU64,
    acknowledgements: AtomicU64,
    persistent: AtomicU64,
    reductions: AtomicU64,
    lost: AtomicU64,
}

/// What a congestion event was, and did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CongestionEvent {
    /// Bytes declared lost; 0 for marks.
    pub(crate) lost: u64,
    pub(crate) is_persistent: bool,
    /// Whether the window is smaller after it.
    pub(crate) is_reduced: bool,
}

impl Observed {
    /// Bytes went out. quinn counts a packet of acknowledgements alone too, until the next acknowledgement corrects the sum.
    pub(crate) fn on_sent(&self, bytes: u64) {
        self.in_flight.fetch_add(bytes, Relaxed);
    }

    /// The smallest round trip time before the sample of this acknowledgement, ns; a guess at the first.
    pub(crate) fn on_ack(&self, min_rtt: u64) {
        self.min_rtt.store(min_rtt, Relaxed);
    }

    /// Acknowledgements have been counted.
    pub(crate) fn on_end_acks(&self, in_flight: u64) {
        self.in_flight.store(in_flight, Relaxed);
        self.acknowledgements.fetch_add(1, Relaxed);
    }

    /// Packets have been declared lost, or were marked.
    pub(crate) fn on_congestion(&self, event: CongestionEvent) {
        self.in_flight.store(self.in_flight().saturating_sub(event.lost), Relaxed);
        self.persistent.fetch_add(u64::from(event.is_persistent), Relaxed);
        self.reductions.fetch_add(u64::from(event.is_reduced), Relaxed);
    }

    /// A packet has been declared lost.
    pub(crate) fn on_packet_lost(&self) {
        self.lost.fetch_add(1, Relaxed);
    }

    /// Packets declared lost, where the stack tells its controller.
    pub(crate) fn lost(&self) -> u64 {
        self.lost.load(Relaxed)
    }

    /// Bytes in flight.
    pub(crate) fn in_flight(&self) -> u64 {
        self.in_flight.load(Relaxed)
    }

    /// Whether a round trip time has been measured.
    pub(crate) fn has_rtt(&self) -> bool {
        self.acknowledgements.load(Relaxed) > 0
    }

    /// The smallest round trip time, ns, of a path whose smoothed one is `srtt`.
    pub(crate) fn min_rtt(&self, srtt: u64) -> u64 {
        match self.acknowledgements.load(Relaxed) {
            0 => 0,
            // One sample: it is the smoothed time too.
            1 => srtt,
            _ => self.min_rtt.load(Relaxed),
        }
    }

    /// Congestion events after which the window was smaller.
    pub(crate) fn reductions(&self) -> u64 {
        self.reductions.load(Relaxed)
    }

    /// Times that congestion was persistent. // RFC 9002 §7.6
    pub(crate) fn persistent(&self) -> u64 {
        self.persistent.load(Relaxed)
    }
}
