// SPDX-License-Identifier: MIT OR Apache-2.0
//! quinn's own controllers behind our hooks, so that what holds algorithms to account holds them, too.
//!
//! What becomes of the hooks: `cong_avoid` is as many acknowledged packets of full size, sent a round trip ago; `ssthresh` is a packet
//! lost that was sent now, whose answer is the window after it; the state after a timeout is persistent congestion. The window is in
//! whole packets. quinn's controllers keep their windows themselves: one that is set from outside, by an idle restart or an undo, is
//! not theirs, and the next hook brings theirs back.

mod estimator;

use crate::linked::clock::Clock;
use cwnd::registry::{Custom, PluginFactory, Recovery, Set, SetDescription};
use cwnd::{AckSample, CaState, CongestionControl, Conn};
use quinn_proto::congestion::{Controller, ControllerFactory, CubicConfig, NewRenoConfig};
use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Round trip time before the first sample, µs. // RFC 9002 §6.2.2: kInitialRtt
const INITIAL_RTT_US: u32 = 333_000;

/// A congestion control algorithm of quinn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QuinnAlgorithm {
    Cubic,
    NewReno,
}

impl QuinnAlgorithm {
    fn factory(self, window: u64) -> Arc<dyn ControllerFactory> {
        match self {
            Self::Cubic => Arc::new({
                let mut config = CubicConfig::default();
                config.initial_window(window);
                config
            }),
            Self::NewReno => Arc::new({
                let mut config = NewRenoConfig::default();
                config.initial_window(window);
                config
            }),
        }
    }
}

/// A quinn controller bound to one connection.
struct QuinnController {
    own: QuinnAlgorithm,
    clock: Clock,
    inner: Option<Box<dyn Controller>>,
    rtt_us: u32,
}

impl Clone for QuinnController {
    fn clone(&self) -> Self {
        Self { inner: self.inner.as_ref().map(|inner| inner.clone_box()), ..*self }
    }
}

impl fmt::Debug for QuinnController {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QuinnController")
            .field("own", &self.own)
            .field("rtt_us", &self.rtt_us)
            .finish_non_exhaustive()
    }
}

/// The time of the connection, ns: a second later, so that what was sent a round trip ago was sent at some time.
fn now_ns(conn: &Conn) -> u64 {
    conn.now_us.saturating_mul(1000).saturating_add(1_000_000_000_000)
}

impl QuinnController {
    const fn new(own: QuinnAlgorithm, clock: Clock) -> Self {
        Self { own, clock, inner: None, rtt_us: INITIAL_RTT_US }
    }

    /// A packet is lost, or all of a time are.
    fn lose(&mut self, conn: &Conn, is_persistent: bool) {
        let now = self.clock.at(now_ns(conn));
        if let Some(inner) = &mut self.inner {
            inner.on_congestion_event(now, now, is_persistent, conn.mss.into());
        }
    }

    /// quinn's window, packets.
    fn window(&self, conn: &Conn) -> u32 {
        let window = self.inner.as_ref().map_or(0, |inner| inner.window());
        u32::try_from(window / u64::from(conn.mss.max(1))).unwrap_or(u32::MAX).min(conn.cwnd_clamp)
    }
}

impl CongestionControl for QuinnController {
    type Params = ();

    fn init(&mut self, conn: &mut Conn, (): &()) {
        let window = u64::from(conn.cwnd) * u64::from(conn.mss);
        let mtu = u16::try_from(conn.mss).unwrap_or(u16::MAX);
        self.inner = Some(self.own.factory(window).build(self.clock.at(now_ns(conn)), mtu));
        self.rtt_us = INITIAL_RTT_US;
    }

    fn ssthresh(&mut self, conn: &mut Conn, (): &()) -> u32 {
        self.lose(conn, false);
        self.window(conn)
    }

    fn cong_avoid(&mut self, conn: &mut Conn, _ack: u32, acked: u32, (): &()) {
        let now = now_ns(conn);
        let sent = self.clock.at(now.saturating_sub(u64::from(self.rtt_us) * 1000));
        let estimator = estimator::of(Duration::from_micros(self.rtt_us.into()));
        let app_limited = !conn.is_cwnd_limited;
        let now = self.clock.at(now);
        if let Some(inner) = &mut self.inner {
            // More than a window's worth says no more.
            for _ in 0..acked.min(conn.cwnd.max(1)) {
                inner.on_ack(now, sent, conn.mss.into(), app_limited, &estimator);
            }
            inner.on_end_acks(now, u64::from(conn.in_flight) * u64::from(conn.mss), app_limited, None);
        }
        conn.cwnd = self.window(conn);
    }

    fn set_state(&mut self, conn: &mut Conn, new: CaState, (): &()) {
        if new == CaState::Loss {
            self.lose(conn, true);
        }
    }

    fn pkts_acked(&mut self, _conn: &mut Conn, sample: &AckSample, (): &()) {
        if let Ok(rtt_us) = u32::try_from(sample.rtt_us) {
            self.rtt_us = rtt_us.max(1);
        }
    }
}

impl Custom for QuinnController {
    fn is_same(&self, other: &dyn Custom) -> bool {
        let windows = |stock: &Self| stock.inner.as_ref().map(|inner| inner.window());
        (other as &dyn Any).downcast_ref::<Self>().is_some_and(|other| {
            (self.own, self.rtt_us, windows(self)) == (other.own, other.rtt_us, windows(other))
        })
    }
}

/// Makes controllers; all with one clock, so that two are the same after the same calls.
#[derive(Debug)]
struct QuinnFactory {
    own: QuinnAlgorithm,
    clock: Clock,
}

impl PluginFactory for QuinnFactory {
    fn make(&self, set: usize) -> Option<Box<dyn Custom>> {
        (set == 0).then(|| Box::new(QuinnController::new(self.own, self.clock)) as Box<dyn Custom>)
    }
}

/// quinn's own controllers as parameter sets, `quinn-cubic` and `quinn-newreno`, made for our hooks: for [`cwnd::driver::Driver`], and for
/// everything that holds algorithms to account, such as `cwnd-contract`. They are no part of the registry.
#[must_use]
pub fn stock_behind_hooks() -> Vec<SetDescription> {
    let clock = Clock::new();
    [("quinn-cubic", QuinnAlgorithm::Cubic), ("quinn-newreno", QuinnAlgorithm::NewReno)]
        .into_iter()
        .map(|(name, own)| {
            let maker: &'static QuinnFactory = Box::leak(Box::new(QuinnFactory { own, clock }));
            let (summary, source) = ("of quinn-proto 0.11, behind our hooks", "quinn-proto");
            SetDescription::outside(
                &Set { name, summary, source, recovery: Recovery::NewReno, params: () },
                0,
                maker,
            )
        })
        .collect()
}
