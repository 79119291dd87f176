// SPDX-License-Identifier: MIT OR Apache-2.0
//! quinn's estimates of a round trip time, which its controllers are handed and nobody outside can make: they are taken from connections
//! over paths of that round trip time.

use super::super::quic::{Settings, ends};
use cwnd_sim::{EcnCodepoint, Endpoint};
use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, CubicConfig};
use std::any::Any;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What was taken so far, by the round trip time, µs.
static TAKEN: LazyLock<Mutex<BTreeMap<u64, RttEstimator>>> = LazyLock::new(Mutex::default);

/// Datagrams of the connections, bytes.
const DATAGRAM: u16 = 1200;
/// So many datagrams are more than a handshake has.
const MOST: usize = 10_000;

/// The estimate after a sample of this round trip time, to 1 in 64.
pub(super) fn of(rtt: Duration) -> RttEstimator {
    let us = rounded(u64::try_from(rtt.as_micros()).unwrap_or(u64::MAX));
    let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
    *taken.entry(us).or_insert_with(|| take(us).expect("a connection over a path without losses opens"))
}

/// The first six bits of a time that count, at least 1 µs and at most 100 s.
fn rounded(us: u64) -> u64 {
    let us = us.clamp(1, 100_000_000);
    let spare = (us.ilog2() + 1).saturating_sub(6);
    us >> spare << spare
}

/// Opens a connection over a path of this round trip time, µs, and takes the sender's estimate after its first sample.
fn take(us: u64) -> Option<RttEstimator> {
    let taken = Arc::new(Mutex::new(None));
    let settings = Settings { datagram: DATAGRAM, receive_window: None, tls: false, seed: 1 };
    let factory = Arc::new(Taking(Arc::clone(&taken)));
    let [mut sender, mut receiver] = ends(settings, factory, Arc::default()).ok()?;

    receiver.open(0);
    sender.open(0);
    // On their way, to the receiver and to the sender: when each arrives.
    let mut ways: [VecDeque<(u64, Vec<u8>)>; 2] = Default::default();
    let (mut now, mut buffer) = (0, Vec::new());
    for _ in 0..MOST {
        for (way, end) in [&mut sender, &mut receiver].into_iter().enumerate() {
            loop {
                buffer.clear();
                if end.transmit(now, &mut buffer).is_none() {
                    break;
                }
                // A round trip of an odd number of µs is no matter: half of it is whole ns.
                ways[way].push_back((now + us * 500, buffer.clone()));
            }
        }
        if let Some(estimator) = *taken.lock().unwrap_or_else(PoisonError::into_inner) {
            return Some(estimator);
        }
        let timers = [sender.next_timer(), receiver.next_timer()];
        let arrivals = [0, 1].map(|way: usize| ways[way].front().map_or(u64::MAX, |(at, _)| *at));
        now = arrivals.into_iter().chain(timers).min()?.max(now);
        if now == u64::MAX {
            return None;
        }
        if arrivals[0] <= now {
            let (_, datagram) = ways[0].pop_front()?;
            receiver.on_datagram(now, &datagram, EcnCodepoint::NotEct);
        } else if arrivals[1] <= now {
            let (_, datagram) = ways[1].pop_front()?;
            sender.on_datagram(now, &datagram, EcnCodepoint::NotEct);
        } else if timers[0] <= now {
            sender.on_timer(now);
        } else {
            receiver.on_timer(now);
        }
    }
    None
}

/// A controller that only looks at the estimate.
struct Taking(Arc<Mutex<Option<RttEstimator>>>);

impl ControllerFactory for Taking {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let inner = Arc::new(CubicConfig::default()).build(now, current_mtu);
        Box::new(TakingController { inner, has_sample: false, taken: Arc::clone(&self.0) })
    }
}

struct TakingController {
    inner: Box<dyn Controller>,
    /// quinn takes a sample after it has told of the packets.
    has_sample: bool,
    taken: Arc<Mutex<Option<RttEstimator>>>,
}

impl Controller for TakingController {
    fn on_ack(&mut self, _: Instant, _: Instant, _: u64, _: bool, rtt: &RttEstimator) {
        if self.has_sample {
            self.taken.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(*rtt);
        }
    }

    fn on_end_acks(&mut self, _: Instant, _: u64, _: bool, _: Option<u64>) {
        self.has_sample = true;
    }

    fn on_congestion_event(&mut self, _: Instant, _: Instant, _: bool, _: u64) {}

    fn on_mtu_update(&mut self, _: u16) {}

    fn window(&self) -> u64 {
        self.inner.window()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        let Self { inner, has_sample, taken } = self;
        Box::new(Self { inner: inner.clone_box(), has_sample: *has_sample, taken: Arc::clone(taken) })
    }

    fn initial_window(&self) -> u64 {
        self.inner.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The first sample is the round trip time itself, to the last of six bits: 40 ms are 40 000 µs, 1001 1100 0100 0000 in binary, of which
    // 1001 11 count: 39 936.
    #[test]
    fn an_estimate_is_the_paths_round_trip_time() {
        for us in [1, 50, 1000, 40_000, 333_000, 2_000_000, 10_000_000] {
            let estimate = of(Duration::from_micros(us));
            assert_eq!(estimate.get(), Duration::from_micros(rounded(us)), "{us} µs");
            assert!(us - rounded(us) <= us / 32, "{us} µs");
        }
        assert_eq!(rounded(40_000), 39_936);
    }
}
