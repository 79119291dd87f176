// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whatever is offered to a link: no packet is lost from sight at any instant, and every answer is that of a queue that
//! keeps its packets and reckons with the whole of what the link could have sent since time 0.

use cwnd_link::random::{RandomStream, probability};
use cwnd_link::{
    Backlog, Ecn, Fifo, FifoConfig, Limit, OfferResult, QueueConfig, Rate, RedConfig, Steps, Trace,
};
use proptest::prelude::*;

/// DropTail, packet by packet.
struct Reference {
    rate: Rate,
    limit: Steps<Limit>,
    /// Departure, reported and in what the link can send until then, and size.
    accepted: Vec<(u64, u128, u64)>,
}

fn value_at<T: Copy>(steps: &Steps<T>, time: u64) -> T {
    steps.changes().iter().rev().find(|change| change.0 <= time).map_or(steps.first(), |change| change.1)
}

impl Reference {
    /// What the link can send from time 0 to `t`, in 10⁻⁹ bit.
    fn capacity(&self, t: u64) -> u128 {
        match &self.rate {
            Rate::Constant(rate) => u128::from(*rate) * u128::from(t),
            Rate::Steps(steps) => {
                let mut edges: Vec<u64> =
                    steps.changes().iter().map(|change| change.0).filter(|&c| c < t).collect();
                edges.insert(0, 0);
                edges.push(t);
                let part = |w: &[u64]| u128::from(value_at(steps, w[0])) * u128::from(w[1] - w[0]);
                edges.windows(2).map(part).sum()
            }
            Rate::Trace(_) => unreachable!("traces have a reference of their own"),
        }
    }

    /// The instant, rounded down to ns, at which the link can have sent `capacity`.
    fn when(&self, capacity: u128) -> u64 {
        let (mut low, mut high) = (0, 1 << 60);
        if self.capacity(high) < capacity {
            return u64::MAX;
        }
        while low < high {
            let middle = u64::midpoint(low, high);
            if self.capacity(middle) < capacity { low = middle + 1 } else { high = middle }
        }
        if self.capacity(low) == capacity { low } else { low - 1 }
    }

    fn backlog(&self, now: u64) -> Vec<u64> {
        self.accepted.iter().filter(|packet| packet.0 > now).map(|packet| packet.2).collect()
    }

    fn offer(&mut self, now: u64, size: u64) -> Option<u64> {
        let inside = self.backlog(now);
        let waiting = inside.get(1..).unwrap_or_default();
        let last = self.accepted.last().map_or((0, 0), |packet| (packet.0, packet.1));
        let full = match value_at(&self.limit, now) {
            Limit::Packets(most) => waiting.len() as u64 + 1 > most,
            Limit::Bytes(most) => waiting.iter().sum::<u64>() + size > most,
            Limit::BytesInAll(most) => inside.iter().sum::<u64>() + size > most,
            Limit::Time(most) => last.0.saturating_sub(now) > most,
        };
        if full && !inside.is_empty() {
            return None;
        }
        if last.0 == u64::MAX {
            self.accepted.push((u64::MAX, last.1, size));
            return Some(u64::MAX);
        }
        let begins = if last.0 < now { self.capacity(now) } else { last.1.max(self.capacity(now)) };
        let ends = begins + u128::from(size) * 8_000_000_000;
        let at = self.when(ends);
        self.accepted.push((at, ends, size));
        Some(at)
    }
}

fn sizes() -> impl Strategy<Value = Vec<u32>> {
    prop_oneof![
        Just(vec![1500]),
        Just(vec![1500, 1500, 1500, 52]),
        Just(vec![52, 1500]),
        // Long enough alike to be taken for unmixed again.
        Just([&[52][..], &[1500; 80], &[52; 3]].concat()),
        prop::collection::vec(1_u32..3000, 1..5)
    ]
}

/// Gaps between packets, ns: bursts, about a serialisation, idle times.
fn gaps() -> impl Strategy<Value = Vec<u64>> {
    let gap = prop_oneof![4 => Just(0), 4 => 0_u64..3_000_000, 1 => 0_u64..30_000_000, 1 => Just(1_000_000)];
    prop::collection::vec(gap, 1..200)
}

fn limit() -> impl Strategy<Value = Limit> {
    prop_oneof![
        (0_u64..12).prop_map(Limit::Packets),
        (0_u64..15_000).prop_map(Limit::Bytes),
        (0_u64..15_000).prop_map(Limit::BytesInAll),
        (0_u64..12_000_000).prop_map(Limit::Time),
    ]
}

fn limits() -> impl Strategy<Value = Steps<Limit>> {
    let changes = prop::collection::btree_map(1_u64..60_000_000, limit(), 0..3);
    (limit(), changes, any::<bool>()).prop_map(|(first, changes, constant)| {
        let changes = if constant { Vec::new() } else { changes.into_iter().collect() };
        Steps::new(first, changes).expect("a map's keys rise")
    })
}

fn rates() -> impl Strategy<Value = Rate> {
    let rate = || {
        prop_oneof![Just(12_000_000_u64), Just(7_000_000), 1_000_u64..100_000_000, Just(3_000_000_000_000)]
    };
    let step = prop_oneof![3 => rate(), 1 => Just(0_u64)];
    let changes = prop::collection::btree_map(1_u64..60_000_000, step, 1..6);
    prop_oneof![
        rate().prop_map(Rate::Constant),
        (rate(), changes).prop_map(|(first, changes)| {
            Rate::Steps(Steps::new(first, changes.into_iter().collect()).expect("a map's keys rise"))
        }),
    ]
}

fn traces() -> impl Strategy<Value = (Vec<u64>, Trace)> {
    prop::collection::vec(0_u64..9, 1..12).prop_filter_map("a period above 0", |mut times| {
        times.sort_unstable();
        let text: Vec<String> = times.iter().map(u64::to_string).collect();
        Some((times, Trace::parse(&text.join("\n")).ok()?))
    })
}

fn reds() -> impl Strategy<Value = QueueConfig> {
    (0_u64..6, 1_u64..8, 0.0..1.0, 0.0..1.0, any::<bool>(), any::<bool>()).prop_map(
        |(min, more, max_p, weight, gentle, bytes)| {
            let size = |n| if bytes { Limit::Bytes(n * 1500) } else { Limit::Packets(n) };
            QueueConfig::Red(RedConfig {
                min: size(min),
                max: size(min + more),
                max_p: probability(max_p),
                weight: probability(weight),
                gentle,
                ecn: true,
                mean_packet: 1000,
            })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    // Every result, departure and backlog of the link is the reference's, on the fast path and off it.
    #[test]
    fn a_link_answers_as_a_queue_that_keeps_its_packets(
        sizes in sizes(), gaps in gaps(), limit in limits(), rate in rates(), look in any::<u64>(), edges in any::<u64>(),
    ) {
        let config = FifoConfig { rate: rate.clone(), limit: limit.clone(), queue: QueueConfig::DropTail };
        let mut link = Fifo::from_config(config, RandomStream::new(1, 0));
        let mut reference = Reference { rate, limit, accepted: Vec::new() };
        let mut now = 0;
        for (n, gap) in gaps.iter().enumerate() {
            if look >> (n % 64) & 1 == 1 {
                // Looking, here somewhere within the gap, changes nothing.
                let inside = reference.backlog(now + gap / 2);
                let expected = Backlog { packets: inside.len() as u64, bytes: inside.iter().sum() };
                prop_assert_eq!(link.backlog(now + gap / 2), expected);
            }
            now += gap;
            if edges >> (n % 64) & 1 == 1 {
                // At the very instant of a departure, or a nanosecond before or after it.
                let mut departures = reference.accepted.iter().map(|packet| packet.0).filter(|&at| at > now);
                let at = departures.nth(n % 3).filter(|&at| at < u64::MAX);
                now = at.map_or(now, |at| at + (n / 3 % 3) as u64 - 1);
            }
            let size = sizes[n % sizes.len()];
            prop_assert_eq!(link.push(now, size), reference.offer(now, u64::from(size)), "packet {} at {}", n, now);
        }
    }

    // Mahimahi's rules, opportunity by opportunity, on a queue of bytes.
    #[test]
    fn a_trace_delivers_as_its_opportunities_come((times, trace) in traces(), sizes in sizes(), gaps in gaps()) {
        let config = FifoConfig {
            rate: Rate::Trace(trace.clone()),
            limit: Steps::constant(Limit::Packets(1000)),
            queue: QueueConfig::DropTail,
        };
        let mut link = Fifo::from_config(config, RandomStream::new(1, 0));
        let mut now = 0;
        let arrivals: Vec<(u64, u64, u64)> = gaps.iter().enumerate().map(|(n, gap)| {
            now += gap;
            let size = sizes[n % sizes.len()];
            (now, u64::from(size), link.push(now, size).expect("room for a thousand"))
        }).collect();

        let (mut next, mut queue, mut left) = (0, std::collections::VecDeque::new(), Vec::new());
        let mut round = 0;
        while left.len() < arrivals.len() {
            for ms in &times {
                let at = round + ms * 1_000_000;
                while next < arrivals.len() && arrivals[next].0 < at {
                    queue.push_back(arrivals[next].1);
                    next += 1;
                }
                let mut bytes = 1500;
                while let Some(front) = queue.front_mut() {
                    let sent = bytes.min(*front);
                    bytes -= sent;
                    *front -= sent;
                    if *front > 0 {
                        break;
                    }
                    queue.pop_front();
                    left.push(at);
                }
            }
            round += trace.period();
        }
        let departures: Vec<u64> = arrivals.iter().map(|arrival| arrival.2).collect();
        prop_assert_eq!(departures, left);
    }

    // Arrivals = departures + drops + queued, in packets and bytes, at every instant, with DropTail and RED; departures
    // keep the order and no first bit is sent before its packet is there.
    #[test]
    fn packets_are_conserved_at_every_instant(
        sizes in sizes(), gaps in gaps(), limit in limits(),
        rate in prop_oneof![rates(), traces().prop_map(|(_, trace)| Rate::Trace(trace))],
        queue in prop_oneof![Just(QueueConfig::DropTail), reds()], seed in any::<u64>(),
    ) {
        let mut link = Fifo::from_config(FifoConfig { rate, limit, queue }, RandomStream::new(seed, 0));
        let (mut arrived, mut dropped) = (Backlog::default(), Backlog::default());
        let mut departures: Vec<(u64, u64)> = Vec::new();
        let (mut now, mut before) = (0, (0, 0));
        for (n, gap) in gaps.iter().enumerate() {
            for at in [now, now + gap / 3, now + gap] {
                let queued = link.backlog(at);
                let gone = departures.iter().filter(|departure| departure.0 <= at);
                let gone = gone.fold(Backlog::default(), |sum, departure| Backlog {
                    packets: sum.packets + 1,
                    bytes: sum.bytes + departure.1,
                });
                prop_assert_eq!(arrived.packets, gone.packets + dropped.packets + queued.packets);
                prop_assert_eq!(arrived.bytes, gone.bytes + dropped.bytes + queued.bytes);
            }
            now += gap;
            let size = sizes[n % sizes.len()];
            let count = |sum: &mut Backlog| {
                sum.packets += 1;
                sum.bytes += u64::from(size);
            };
            count(&mut arrived);
            match link.offer(now, size, Ecn::Capable) {
                OfferResult::Dropped(_) => count(&mut dropped),
                OfferResult::Departs { begins, at, .. } => {
                    prop_assert!(now <= begins && before.0 <= begins && begins <= at && before.1 <= at);
                    before = (begins, at);
                    departures.push((at, u64::from(size)));
                }
            }
        }
    }
}
