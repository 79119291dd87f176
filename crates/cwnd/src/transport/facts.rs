// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a stack tells.

/// A packet that was sent: what the stack keeps with it and hands back when it is acknowledged or lost. 40 bytes.
///
/// ```
/// # use core::time::Duration;
/// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
/// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
/// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
/// struct Packet {
///     number: u64,
///     bytes: u16,
///     sent: Sent,
/// }
/// let packet = Packet { number: 7, bytes: 1200, sent: cc.on_sent(begin, 1200) };
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sent {
    /// Place in the order of transmission, over all packet number spaces.
    pub(super) position: u64,
    pub(super) time_us: u64,
    /// Bytes delivered by then. // draft-cheng-iccrg-delivery-rate-estimation §3.2: P.delivered
    pub(super) delivered: u64,
    /// Time since the delivery that `delivered` ended with, µs: P.sent_time − P.delivered_time.
    pub(super) delivered_ago_us: u32,
    /// Time since the transmission of the packet that was delivered last, µs: P.sent_time − P.first_sent_time.
    pub(super) first_sent_ago_us: u32,
    /// Bytes sent up to its end, wrapping.
    pub(super) end_seq: u32,
    /// The path that it was sent on.
    pub(super) path: u16,
    pub(super) app_limited: bool,
}

const _: () = assert!(size_of::<Sent>() <= 40, "a stack keeps one with every packet");

impl Sent {
    /// Place in the order of transmission, over all packet number spaces and paths of the connection; the first is 0.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// assert!(cc.on_sent(begin, 1200).position() < cc.on_sent(begin, 1200).position());
    /// ```
    #[must_use]
    pub const fn position(&self) -> u64 {
        self.position
    }
}

/// A packet that is newly acknowledged, or the newest of several with the bytes of them all.
///
/// ```
/// # use core::time::Duration;
/// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
/// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
/// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
/// let sent = cc.on_sent(begin, 1200);
/// let packet = Acked::new(sent, 1200);
/// assert_eq!((packet.sent, packet.bytes), (sent, 1200));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Acked {
    /// What [`Transport::on_sent`](super::Transport::on_sent) gave.
    pub sent: Sent,
    /// Its bytes, as they were given there.
    pub bytes: u64,
}

impl Acked {
    /// The packet `sent`, which had `bytes` bytes.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// let sent = cc.on_sent(begin, 1200);
    /// cc.on_acked(rtt, &[Acked::new(sent, 1200)], None);
    /// assert_eq!(cc.in_flight(), 0);
    /// ```
    #[must_use]
    pub const fn new(sent: Sent, bytes: u64) -> Self {
        Self { sent, bytes }
    }
}

/// A packet that was declared lost, or the newest of several with the bytes of them all.
///
/// ```
/// # use core::time::Duration;
/// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
/// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
/// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
/// let sent = cc.on_sent(begin, 1200);
/// let packet = Lost::new(sent, 1200);
/// assert_eq!((packet.sent, packet.bytes), (sent, 1200));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lost {
    /// What [`Transport::on_sent`](super::Transport::on_sent) gave.
    pub sent: Sent,
    /// Its bytes, as they were given there.
    pub bytes: u64,
}

impl Lost {
    /// The packet `sent`, which had `bytes` bytes.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// let sent = cc.on_sent(begin, 1200);
    /// cc.on_lost(rtt, &[Lost::new(sent, 1200)], false);
    /// assert_eq!((cc.in_flight(), cc.window()), (0, 2_400)); // two datagrams at least
    /// ```
    #[must_use]
    pub const fn new(sent: Sent, bytes: u64) -> Self {
        Self { sent, bytes }
    }
}

/// Why a stack stopped sending.
///
/// ```
/// # use core::time::Duration;
/// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
/// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
/// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
/// cc.on_sent(begin, 1200);
/// cc.on_burst_end(begin, Limit::Pacer); // the next one waits for the pacer
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// The next packet did not fit into the window.
    Window,
    /// The pacer holds the next packet back. The window counts as used (RFC 9002 §7.8).
    Pacer,
    /// The application, or flow control, had nothing more to send: the window does not grow for it (RFC 9002 §7.8), and rates that are
    /// measured of it are no more than what the application asked for.
    Application,
}

/// Names the recovery epoch that a loss belongs to: [`Transport::on_lost`](super::Transport::on_lost) answers it, the stack keeps it with
/// the packets that it declared lost, and gives it back to [`Transport::on_spurious`](super::Transport::on_spurious) with those that arrive.
///
/// ```
/// # use core::time::Duration;
/// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
/// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
/// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
/// let lost = Lost::new(cc.on_sent(begin, 1200), 1200);
/// let epoch: LossEpoch = cc.on_lost(rtt, &[lost], false).unwrap();
/// assert!(cc.on_spurious(rtt, epoch, &[lost]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LossEpoch {
    pub(super) path: u16,
    pub(super) number: u32,
}
