// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a connection's congestion control is to be.

use core::time::Duration;

use super::clock::micros;
use crate::builder::ParamError;
use crate::driver::{Options, Reduction};
use crate::params::{ParamKind, Refused, Spec};

/// What [`Config::initial_window`] takes.
const INITIAL_WINDOW: Spec = Spec {
    name: "initial_window",
    kind: ParamKind::Whole,
    unit: "datagrams",
    min: 2,
    max: u32::MAX,
    help: "initial window",
    source: "RFC 9002 §7.2",
};

/// Settings of a [`Transport`](super::Transport), made by [`Config::new`] and the setters, which can be chained.
///
/// ```
/// use cwnd::transport::Config;
///
/// let config = Config::new().mtu(1252).paced(false);
/// assert_eq!(config.initial_window_bytes(), 12_520);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    pub(super) mtu: u16,
    pub(super) initial_window: Option<u32>,
    pub(super) paced: bool,
    pub(super) pacing_percent: u32,
    pub(super) slow_start_pacing_percent: u32,
    pub(super) initial_rtt_us: u32,
    pub(super) max_ack_delay_us: u32,
    pub(super) options: Options,
    pub(super) checked: bool,
}

impl Config {
    /// QUIC's settings (RFC 9002): datagrams of 1200 bytes, an initial window of ten, paced at 1.25 times the window per round trip and at
    /// twice in slow start, an immediate reduction, a restart after an idle time.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// assert_eq!(Config::new().initial_window_bytes(), 12_000);
    /// ```
    #[must_use]
    pub const fn new() -> Self {
        Self {
            mtu: 1200,
            initial_window: None,
            paced: true,
            pacing_percent: 125,
            slow_start_pacing_percent: 200,
            initial_rtt_us: 333_000,
            max_ack_delay_us: 25_000,
            options: Options::QUIC,
            checked: true,
        }
    }

    /// Payload of the largest UDP datagram, bytes: RFC 9002's `max_datagram_size`, 1200 unless set. 0 counts as 1. While the connection
    /// runs, [`Transport::on_mtu`](super::Transport::on_mtu) changes it.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// assert_eq!(Config::new().mtu(1400).initial_window_bytes(), 14_000);
    /// ```
    #[must_use]
    pub const fn mtu(mut self, bytes: u16) -> Self {
        self.mtu = if bytes == 0 { 1 } else { bytes };
        self
    }

    /// Initial window, datagrams. Unless set it is RFC 9002 §7.2's: ten datagrams, limited to the larger of 14 720 bytes and two datagrams.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// assert_eq!(Config::new().initial_window(32)?.initial_window_bytes(), 32 * 1200);
    /// let why = Config::new().initial_window(1).unwrap_err();
    /// assert_eq!(why.to_string(), "initial_window: the value is out of its range, 2 to 4294967295");
    /// # Ok::<(), cwnd::ParamError>(())
    /// ```
    ///
    /// # Errors
    /// Fewer than two datagrams: the window is never below that (RFC 9002 §7.2).
    pub const fn initial_window(mut self, datagrams: u32) -> Result<Self, ParamError> {
        if datagrams < INITIAL_WINDOW.min {
            return Err(ParamError::Refused(&INITIAL_WINDOW, Refused::OutOfRange));
        }
        self.initial_window = Some(datagrams);
        Ok(self)
    }

    /// Whether the stack spaces its packets by [`Transport::pacing_rate`](super::Transport::pacing_rate), as RFC 9002 §7.7 asks; `true`
    /// unless set. Without pacing there is a rate only for an algorithm that sets one of its own.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// let cc = Transport::new(Configured::<Reno>::registered(), &Config::new().paced(false), Duration::ZERO);
    /// assert_eq!(cc.pacing_rate(), None);
    /// ```
    #[must_use]
    pub const fn paced(mut self, paced: bool) -> Self {
        self.paced = paced;
        self
    }

    /// Pacing rate, per cent of the window per smoothed round trip: N of RFC 9002 §7.7. 125 unless set, at least 1.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// let config = Config::new().pacing_percent(110).slow_start_pacing_percent(150);
    /// ```
    #[must_use]
    pub const fn pacing_percent(mut self, percent: u32) -> Self {
        self.pacing_percent = if percent == 0 { 1 } else { percent };
        self
    }

    /// The same in slow start, where the window doubles per round trip: 200 unless set, at least 1.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// let config = Config::new().slow_start_pacing_percent(100).initial_rtt(Duration::from_millis(100));
    /// let cc = Transport::new(Configured::<Reno>::registered(), &config, Duration::ZERO);
    /// assert_eq!(cc.pacing_rate(), Some(120_000)); // 12 000 bytes in 100 ms
    /// ```
    #[must_use]
    pub const fn slow_start_pacing_percent(mut self, percent: u32) -> Self {
        self.slow_start_pacing_percent = if percent == 0 { 1 } else { percent };
        self
    }

    /// Round trip time by which to pace before the first sample: `kInitialRtt` of RFC 9002 §6.2.2, 333 ms unless set.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// let config = Config::new().initial_rtt(Duration::from_millis(100));
    /// let cc = Transport::new(Configured::<Reno>::registered(), &config, Duration::ZERO);
    /// assert_eq!(cc.pacing_rate(), Some(240_000)); // twice 12 000 bytes in 100 ms
    /// ```
    #[must_use]
    pub const fn initial_rtt(mut self, rtt: Duration) -> Self {
        self.initial_rtt_us = within_word(rtt);
        self
    }

    /// The peer's `max_ack_delay` (RFC 9000 §18.2), 25 ms unless set. It is part of the idle time after which the window restarts.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// let config = Config::new().max_ack_delay(Duration::from_millis(5));
    /// ```
    #[must_use]
    pub const fn max_ack_delay(mut self, delay: Duration) -> Self {
        self.max_ack_delay_us = within_word(delay);
        self
    }

    /// How the window goes down: at once unless set, as in RFC 9002 §7.3.2.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// let config = Config::new().reduction(Reduction::Proportional);
    /// ```
    #[must_use]
    pub const fn reduction(mut self, reduction: Reduction) -> Self {
        self.options.reduction = reduction;
        self
    }

    /// Whether the window falls back to the initial one when nothing was sent for a timeout with nothing in flight (RFC 5681 §4.1);
    /// `true` unless set. A stack that paces may do without: it sends no burst of a whole window (RFC 9002 §7.7).
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// let config = Config::new().idle_restart(false);
    /// ```
    #[must_use]
    pub const fn idle_restart(mut self, restart: bool) -> Self {
        self.options.idle_restart = restart;
        self
    }

    /// The stack's facts are taken as they come: builds with debug assertions do not stop at one that cannot be. See
    /// [the module](super#order-of-calls).
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new().trusting(), Duration::ZERO);
    /// cc.on_discarded(1_000_000); // more than is in flight: a panic without `trusting`, in a debug build
    /// assert_eq!(cc.in_flight(), 0);
    /// ```
    #[must_use]
    pub const fn trusting(mut self) -> Self {
        self.checked = false;
        self
    }

    /// The initial window with the datagrams' size of this configuration, bytes.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// assert_eq!(Config::new().mtu(9000).initial_window_bytes(), 2 * 9000); // RFC 9002 §7.2
    /// ```
    #[must_use]
    pub const fn initial_window_bytes(&self) -> u64 {
        self.initial_window_of(self.mtu)
    }

    /// The initial window in datagrams of `mtu` bytes, bytes. // RFC 9002 §7.2
    pub(super) const fn initial_window_of(&self, mtu: u16) -> u64 {
        let mtu = mtu as u64;
        match self.initial_window {
            Some(datagrams) => datagrams as u64 * mtu,
            None if 10 * mtu <= 14_720 => 10 * mtu,
            None if 2 * mtu >= 14_720 => 2 * mtu,
            None => 14_720,
        }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self::new()
    }
}

/// A time in µs, as far as 32 bits hold it: 71 minutes.
const fn within_word(time: Duration) -> u32 {
    let us = micros(time);
    if us > u32::MAX as u64 { u32::MAX } else { us as u32 }
}
