// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a transport tells the driver, and what the driver answers.

/// How the window goes down at the start of recovery.
///
/// ```
/// # use cwnd::{Configured, Conn, algorithms::reno::Reno, driver::*};
/// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
/// let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::QUIC.reduction(Reduction::Proportional));
/// driver.conn.in_flight = 9;
/// driver.on_loss(50_000, 0, 10);
/// assert_eq!(driver.conn.cwnd, 10); // room for the retransmission; `Immediate` has 5
/// assert_eq!(driver.conn.ssthresh, 5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Reduction {
    /// At once to `ssthresh` (RFC 6675, RFC 9002).
    #[default]
    Immediate,
    /// Step by step as acknowledgements arrive (RFC 6937, RFC 9937).
    Proportional,
}

/// What the transport's `packets_out` is, and so which flight a reduction starts from.
///
/// ```
/// # use cwnd::{Configured, Conn, algorithms::reno::Reno, driver::*};
/// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
/// for (flight, half) in [(Flight::Outstanding, 4), (Flight::Pipe, 5)] {
///     let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::TCP.flight(flight));
///     driver.on_sent(0, 1_000_000); // the eleventh, one more than the window
///     driver.conn.packets_out = 8;
///     driver.on_loss(50_000, 0, 10);
///     assert_eq!(driver.conn.ssthresh, half); // of 8, or of the window of 10 that was out
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Flight {
    /// Everything sent and not cumulatively acknowledged, lost data included: RFC 5681's FlightSize, TCP's `packets_out`.
    #[default]
    Outstanding,
    /// What is thought to be in the network, lost data excluded: QUIC's bytes in flight (RFC 9002 §B.2). It falls with every loss,
    /// so a reduction starts from its largest value in this round trip and the one before (RFC 7661 §4.2's measure), up to `cwnd`.
    Pipe,
}

/// The driver's own settings: one of the constants, with what differs from it.
///
/// ```
/// use cwnd::driver::{Options, Reduction};
///
/// let options = Options::QUIC.reduction(Reduction::Proportional).idle_restart(false);
/// assert_eq!(options.loss_window, 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// How the window goes down.
    pub reduction: Reduction,
    /// Window after a timeout, and the smallest that marks reduce it to, segments: 1 in TCP (RFC 5681 §3.1, RFC 9438 §4.6), 2 in QUIC
    /// (RFC 9002 §7.2).
    pub loss_window: u16,
    /// Whether a timeout within fast recovery reduces `ssthresh` again: a MUST in TCP (RFC 5681 §3.1: the timer has not
    /// resent that segment yet); not so in Linux, nor for QUIC's persistent congestion (RFC 9002 §7.6.2).
    pub timeout_reduces_again: bool,
    /// Whether the window after a timeout is `loss_window` more than what is still in flight, for a transport that does not take
    /// everything for lost then (RFC 8985 §6.3), as in Linux. What was lost must have left `in_flight`.
    pub timeout_keeps_flight: bool,
    /// Whether the window falls back to the initial one after an idle time of a timeout (RFC 5681 §4.1: SHOULD). With `tells_as_linux` it is
    /// halved for each timeout instead, down to the initial one (RFC 2861 §3). Unless a reduction goes on, `ssthresh` first rises to at least
    /// three quarters of it. Never for an algorithm with `cong_control`, as in Linux.
    pub idle_restart: bool,
    /// What `packets_out` is.
    pub flight: Flight,
    /// Whether hooks are called in every detail as Linux's TCP calls them: `pkts_acked` at each acknowledgement while anything is out, also
    /// at one of nothing new; the new state before the end of fast recovery is told; an advance with losses as an update of the window. A
    /// proportional reduction and an idle restart are Linux's, too.
    pub tells_as_linux: bool,
}

impl Options {
    /// TCP's: RFC 5681, RFC 6675.
    pub const TCP: Self = Self {
        reduction: Reduction::Immediate,
        loss_window: 1,
        timeout_reduces_again: true,
        timeout_keeps_flight: false,
        idle_restart: true,
        flight: Flight::Outstanding,
        tells_as_linux: false,
    };
    /// Linux's TCP.
    pub const LINUX: Self = Self {
        reduction: Reduction::Proportional,
        timeout_reduces_again: false,
        timeout_keeps_flight: true,
        tells_as_linux: true,
        ..Self::TCP
    };
    /// QUIC's: RFC 9002.
    pub const QUIC: Self =
        Self { loss_window: 2, timeout_reduces_again: false, flight: Flight::Pipe, ..Self::TCP };

    /// With this field.
    ///
    /// ```
    /// # use cwnd::driver::*;
    /// assert_eq!(Options::TCP.reduction(Reduction::Proportional).reduction, Options::LINUX.reduction);
    /// ```
    #[must_use]
    pub const fn reduction(mut self, reduction: Reduction) -> Self {
        self.reduction = reduction;
        self
    }

    /// With this field.
    ///
    /// ```
    /// # use cwnd::{Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::TCP.loss_window(2));
    /// driver.on_timeout(1_000_000, 0, 10);
    /// assert_eq!(driver.conn.cwnd, 2);
    /// ```
    #[must_use]
    pub const fn loss_window(mut self, segments: u16) -> Self {
        self.loss_window = segments;
        self
    }

    /// With this field.
    ///
    /// ```
    /// # use cwnd::{Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// for (again, ssthresh) in [(false, 5), (true, 2)] {
    ///     let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::TCP.timeout_reduces_again(again));
    ///     driver.on_loss(50_000, 0, 10);
    ///     driver.on_timeout(1_000_000, 0, 10);
    ///     assert_eq!(driver.conn.ssthresh, ssthresh); // half of 10, and half of 5
    /// }
    /// ```
    #[must_use]
    pub const fn timeout_reduces_again(mut self, again: bool) -> Self {
        self.timeout_reduces_again = again;
        self
    }

    /// With this field.
    ///
    /// ```
    /// # use cwnd::{Configured, Conn, algorithms::reno::Reno, driver::*};
    /// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
    /// let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::TCP.timeout_keeps_flight(true));
    /// driver.conn.in_flight = 4; // the others are lost
    /// driver.on_timeout(1_000_000, 9, 10);
    /// assert_eq!(driver.conn.cwnd, 5);
    /// ```
    #[must_use]
    pub const fn timeout_keeps_flight(mut self, keeps: bool) -> Self {
        self.timeout_keeps_flight = keeps;
        self
    }

    /// With this field.
    ///
    /// ```
    /// # use cwnd::{Configured, Conn, algorithms::reno::Reno, driver::*};
    /// for (restart, window) in [(false, 40), (true, 10)] {
    ///     let options = Options::TCP.idle_restart(restart);
    ///     let mut driver = Driver::new(Configured::<Reno>::registered(), Conn::new(1200, 10), options);
    ///     driver.on_sent(0, 1_000_000);
    ///     driver.conn.cwnd = 40;
    ///     driver.on_sent(2_000_000, 1_000_000); // nothing was out for two seconds
    ///     assert_eq!(driver.conn.cwnd, window);
    /// }
    /// ```
    #[must_use]
    pub const fn idle_restart(mut self, restart: bool) -> Self {
        self.idle_restart = restart;
        self
    }

    /// With this field.
    ///
    /// ```
    /// # use cwnd::driver::*;
    /// assert_eq!(Options::TCP.flight(Flight::Pipe).flight, Options::QUIC.flight);
    /// ```
    #[must_use]
    pub const fn flight(mut self, flight: Flight) -> Self {
        self.flight = flight;
        self
    }

    /// With this field.
    ///
    /// ```
    /// # use cwnd::driver::*;
    /// assert!(Options::TCP.tells_as_linux(true).tells_as_linux && Options::LINUX.tells_as_linux);
    /// ```
    #[must_use]
    pub const fn tells_as_linux(mut self, tells: bool) -> Self {
        self.tells_as_linux = tells;
        self
    }
}

impl Default for Options {
    fn default() -> Self {
        Self::TCP
    }
}

/// One acknowledgement, or one batch of them.
///
/// ```
/// use cwnd::driver::Ack;
///
/// let (now_us, position, segments) = (50_000, 9, 10);
/// let ack = Ack::new(now_us, position, segments, segments).rtt(Some(50_000), None);
/// assert!(!ack.new_loss);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ack {
    /// When it arrived, µs.
    pub now_us: u64,
    /// TCP: everything before this position is acknowledged. QUIC: the largest acknowledged packet number.
    pub position: u64,
    /// Segments that left the sender's list with it; 0 for a duplicate acknowledgement.
    pub acked: u32,
    /// Segments that it newly says have arrived (cumulatively or selectively).
    pub delivered: u32,
    /// Round trip of the newest segment among them, µs, if valid. It tells algorithms the path's delay, and the driver when that
    /// segment was sent: without it no round trip ends.
    pub rtt_us: Option<u32>,
    /// Round trip of the oldest segment among them, µs, where it differs: it includes the time for which the receiver held back
    /// its acknowledgement, so the smoothed RTT and its variation follow it (RFC 6298, RFC 7323 §4.3). `None`: `rtt_us` serves.
    pub oldest_rtt_us: Option<u32>,
    /// Whether it made the transport declare further losses.
    pub new_loss: bool,
}

impl Ack {
    /// An acknowledgement with these fields, without a round trip time, that led to no loss.
    ///
    /// ```
    /// # use cwnd::driver::*;
    /// let ack = Ack::new(50_000, 9, 0, 1); // a duplicate that reports a segment
    /// assert_eq!((ack.acked, ack.delivered, ack.rtt_us), (0, 1, None));
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn new(now_us: u64, position: u64, acked: u32, delivered: u32) -> Self {
        Self { now_us, position, acked, delivered, rtt_us: None, oldest_rtt_us: None, new_loss: false }
    }

    /// With the round trips of the newest segment, and of the oldest where that differs.
    ///
    /// ```
    /// # use cwnd::driver::*;
    /// let ack = Ack::new(50_000, 9, 2, 2).rtt(Some(50_000), Some(60_000)); // the first was held back for 10 ms
    /// assert_eq!((ack.rtt_us, ack.oldest_rtt_us), (Some(50_000), Some(60_000)));
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn rtt(mut self, newest_us: Option<u32>, oldest_us: Option<u32>) -> Self {
        self.rtt_us = newest_us;
        self.oldest_rtt_us = oldest_us;
        self
    }

    /// With this field.
    ///
    /// ```
    /// # use cwnd::driver::*;
    /// assert!(Ack::new(50_000, 9, 0, 1).new_loss(true).new_loss);
    /// ```
    #[inline(always)]
    #[must_use]
    pub const fn new_loss(mut self, new_loss: bool) -> Self {
        self.new_loss = new_loss;
        self
    }
}

/// What an ECN echo led to.
///
/// ```
/// # use cwnd::{Configured, Conn, algorithms::reno::Reno, driver::*};
/// # let conn = Conn { packets_out: 10, in_flight: 10, is_cwnd_limited: true, ..Conn::new(1200, 10) };
/// let mut driver = Driver::new(Configured::<Reno>::registered(), conn, Options::TCP);
/// assert_eq!(driver.on_ecn(50_000, 0, 10), EcnOutcome::Reduced);
/// assert_eq!(driver.on_ecn(50_000, 9, 10), EcnOutcome::Ignored); // sent before it
/// driver.conn.cwnd = 1;
/// assert_eq!(driver.on_ecn(100_000, 10, 11), EcnOutcome::AtFloor);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EcnOutcome {
    /// It belongs to a window that was already reduced.
    Ignored,
    /// The window was reduced.
    Reduced,
    /// The window is at the smallest, [`Options::loss_window`], and does not shrink. In TCP that is one segment, and the transport sends
    /// only when its retransmission timer, backed off exponentially, expires (RFC 9438 §4.6, RFC 3168 §6.1.2).
    AtFloor,
}
