// SPDX-License-Identifier: MIT OR Apache-2.0
//! What hooks are told: a sample of acknowledged packets, an event of the connection, marks of an acknowledgement. Which hook takes which
//! is in the table of `hooks.rs`.

/// Declares a structure that hooks take, and lists its fields for code that declares it in C or compares layouts.
macro_rules! with_fields {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$doc:meta])* pub $field:ident: $type:ident,)+ }) => {
        $(#[$meta])*
        pub struct $name { $($(#[$doc])* pub $field: $type,)+ }

        impl $name {
            /// Name, Rust's type and offset of each field, in their order.
            pub const FIELDS: &'static [(&'static str, &'static str, usize)] =
                &[$((stringify!($field), stringify!($type), core::mem::offset_of!($name, $field))),+];
        }
    };
}
pub(crate) use with_fields;

/// What can happen to a connection besides acknowledgements (Linux's `tcp_ca_event`).
///
/// ```
/// assert_eq!(cwnd::CaEvent::CompleteCwr as u8, 2); // Linux's number
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[non_exhaustive]
pub enum CaEvent {
    /// First transmission with nothing in flight.
    TxStart = 0,
    /// The window was restarted after an idle period.
    CwndRestart = 1,
    /// A window reduction ended.
    CompleteCwr = 2,
    /// The retransmission timer fired.
    Loss = 3,
    /// An ECT packet without CE mark arrived.
    EcnNoCe = 4,
    /// A packet with CE mark arrived.
    EcnIsCe = 5,
}

impl CaEvent {
    /// The event with Linux's number `n`, if there is one.
    ///
    /// ```
    /// use cwnd::CaEvent;
    ///
    /// assert_eq!(CaEvent::from_u8(3), Some(CaEvent::Loss));
    /// assert_eq!(CaEvent::from_u8(6), None); // Linux has six, from 0 on
    /// ```
    #[inline]
    #[must_use]
    pub const fn from_u8(n: u8) -> Option<Self> {
        Some(match n {
            0 => Self::TxStart,
            1 => Self::CwndRestart,
            2 => Self::CompleteCwr,
            3 => Self::Loss,
            4 => Self::EcnNoCe,
            5 => Self::EcnIsCe,
            _ => return None,
        })
    }
}

/// An acknowledgement that took the transport's slow path: a duplicate, one that reports holes, or one during repair
/// (the lowest of Linux's `tcp_ca_ack_event_flags`).
pub const ACK_SLOW_PATH: u32 = 1 << 0;
/// An acknowledgement that updated the peer's window.
pub const ACK_WINDOW_UPDATE: u32 = 1 << 1;
/// An acknowledgement that carried an ECN echo.
pub const ACK_ECE: u32 = 1 << 2;

with_fields! {
    /// One batch of newly acknowledged packets (Linux's `ack_sample`).
    ///
    /// ```
    /// use cwnd::AckSample;
    ///
    /// let fields = AckSample::FIELDS.iter().map(|(name, _, offset)| (*name, *offset));
    /// assert_eq!(fields.collect::<Vec<_>>(), [("pkts_acked", 0), ("rtt_us", 4), ("in_flight", 8)]);
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(C)]
    #[non_exhaustive]
    pub struct AckSample {
        /// Packets newly acknowledged.
        pub pkts_acked: u32,
        /// Round trip of the newest of them, µs; negative when there is no valid sample.
        pub rtt_us: i32,
        /// Packets in flight when the newest of them was sent.
        pub in_flight: u32,
    }
}

impl AckSample {
    /// A sample with these fields, and every other as where nothing is known.
    ///
    /// ```
    /// let sample = cwnd::AckSample::new(2, -1, 10); // two packets, without a round trip time
    /// assert_eq!((sample.pkts_acked, sample.rtt_us), (2, -1));
    /// ```
    #[must_use]
    pub const fn new(pkts_acked: u32, rtt_us: i32, in_flight: u32) -> Self {
        Self { pkts_acked, rtt_us, in_flight }
    }
}
