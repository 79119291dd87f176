// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a stack can log of its congestion control.

use core::time::Duration;

use super::Transport;
use super::delivery::DeliveryRate;
use crate::algorithm::Algorithm;
use crate::conn::CaState;

/// The state that qlog's `congestion_state_updated` event names (draft-ietf-quic-qlog-quic-events).
///
/// ```
/// # use core::time::Duration;
/// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
/// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
/// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
/// assert_eq!(cc.metrics().phase, Phase::SlowStart);
/// let lost = Lost::new(cc.on_sent(begin, 1200), 1200);
/// cc.on_lost(rtt, &[lost], false);
/// assert_eq!(cc.metrics().phase, Phase::Recovery);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// The window is below `ssthresh` (RFC 9002 §7.3.1).
    SlowStart,
    /// The window is not below `ssthresh` (RFC 9002 §7.3.3).
    CongestionAvoidance,
    /// The same, and the sender does not use the window (RFC 9002 §7.8).
    ApplicationLimited,
    /// The window was reduced, and no packet sent since has been acknowledged (RFC 9002 §7.3.2).
    Recovery,
}

impl Phase {
    /// qlog's name.
    ///
    /// ```
    /// assert_eq!(cwnd::transport::Phase::SlowStart.name(), "slow_start");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SlowStart => "slow_start",
            Self::CongestionAvoidance => "congestion_avoidance",
            Self::ApplicationLimited => "application_limited",
            Self::Recovery => "recovery",
        }
    }
}

/// How often the window went down on this path, and why.
///
/// ```
/// # use core::time::Duration;
/// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
/// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
/// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
/// let lost = Lost::new(cc.on_sent(begin, 1200), 1200);
/// cc.on_lost(rtt, &[lost], false);
/// let epochs = cc.metrics().epochs;
/// assert_eq!((epochs.by_loss, epochs.by_ecn, epochs.undone), (1, 0, 0));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EpochCounts {
    /// Reductions by loss.
    pub by_loss: u64,
    /// Reductions by ECN marks.
    pub by_ecn: u64,
    /// Packets that the peer reported as marked.
    pub marks: u64,
    /// Times that congestion was persistent.
    pub persistent: u64,
    /// Reductions that were taken back.
    pub undone: u64,
}

/// The values of qlog's `metrics_updated` event (draft-ietf-quic-qlog-quic-events), and more.
///
/// ```
/// # use core::time::Duration;
/// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
/// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
/// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
/// let Metrics { window, ssthresh, bytes_in_flight, .. } = cc.metrics();
/// assert_eq!((window, ssthresh, bytes_in_flight), (12_000, None, 0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metrics {
    /// Congestion window, bytes.
    pub window: u64,
    /// Slow start threshold, bytes; `None` before anything has set it.
    pub ssthresh: Option<u64>,
    /// Bytes in flight.
    pub bytes_in_flight: u64,
    /// Smoothed round trip time; `None` before the first sample, like the next three.
    pub smoothed_rtt: Option<Duration>,
    /// Variation of the round trip time (RFC 9002 §5.3's `rttvar`, per round trip instead of per sample).
    pub rtt_variance: Option<Duration>,
    /// Smallest round trip time on this path.
    pub min_rtt: Option<Duration>,
    /// Round trip time of the latest sample, with the receiver's delay.
    pub latest_rtt: Option<Duration>,
    /// See [`Transport::pacing_rate`], bytes per second.
    pub pacing_rate: Option<u64>,
    /// The latest sample of the delivery rate.
    pub delivery_rate: Option<DeliveryRate>,
    /// State.
    pub phase: Phase,
    /// Round trips so far.
    pub round_trips: u32,
    /// Reductions so far.
    pub epochs: EpochCounts,
}

impl<A: Algorithm> Transport<A> {
    /// Everything that there is to log.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// cc.on_sent(begin, 1200);
    /// let metrics = cc.metrics();
    /// assert_eq!((metrics.bytes_in_flight, metrics.phase, metrics.smoothed_rtt), (1200, Phase::SlowStart, None));
    /// ```
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        let conn = &self.driver.conn;
        let measured = |us: u64| (conn.srtt_us8 > 0).then(|| Duration::from_micros(us));
        Metrics {
            window: self.window(),
            ssthresh: self.ssthresh(),
            bytes_in_flight: self.in_flight,
            smoothed_rtt: measured((conn.srtt_us8 / 8).into()),
            rtt_variance: measured((self.driver.rttvar_us4() / 4).into()),
            min_rtt: measured(conn.min_rtt_us.into()),
            latest_rtt: measured(self.latest_rtt_us.into()),
            pacing_rate: self.pacing_rate(),
            delivery_rate: self.delivery.latest,
            phase: self.phase(),
            round_trips: self.driver.rounds(),
            epochs: self.epochs,
        }
    }

    /// The state of the window.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// let lost = Lost::new(cc.on_sent(begin, 1200), 1200);
    /// cc.on_lost(rtt, &[lost], false);
    /// assert_eq!(cc.phase(), Phase::Recovery);
    /// ```
    #[must_use]
    pub const fn phase(&self) -> Phase {
        let conn = &self.driver.conn;
        match conn.ca_state {
            CaState::Recovery | CaState::Cwr => Phase::Recovery,
            _ if conn.in_slow_start() => Phase::SlowStart,
            _ if conn.is_cwnd_limited => Phase::CongestionAvoidance,
            _ => Phase::ApplicationLimited,
        }
    }
}
