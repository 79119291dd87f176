// SPDX-License-Identifier: MIT OR Apache-2.0

use super::outbox::{Burst, Outbox};
use super::*;
use crate::schedule::EventClass;
use crate::schedule::EventId;
use cwnd_link::random::RandomStream;
use cwnd_scenario::Scenario;

fn new(link: &str, flow: &str) -> Simulation {
    let text = format!(
        "duration = '1s'\n[link]\nrate = '10Mbit/s'\nrtt = '20ms'\n{link}\n[[flow]]\ncc = 'cubic'\ncount = 3\n{flow}"
    );
    Simulation::new(&Scenario::from_toml(&text).expect("valid"))
}

fn started(link: &str, flow: &str) -> Simulation {
    let mut simulation = new(link, flow);
    simulation.step_to(100_000_000);
    simulation
}

// In debug builds; what gains in others is a question of time, not of results.
#[cfg(debug_assertions)]
#[test]
fn flows_that_meet_in_one_queue_only_run_in_time_slices() {
    let goes = |link: &str, flow: &str| started(link, flow).time_slices.is_some();
    assert!(goes("", "") && goes("loss = 'random:0.01'", "size = '1MB'"));
    assert!(goes(
        "queue = { kind = 'red', limit = '1bdp', min = '0.1bdp', max = '0.3bdp' }",
        "pacing = true"
    ));
    // A packet may overtake another; acknowledgements queue; hosts hold packets; a second queue.
    assert!(!goes("jitter = '1ms'", "") && !goes("reverse = { rate = '1Mbit/s' }", ""));
    assert!(!goes("", "overhead = '10us'") && !goes("", "access = { rate = '5Mbit/s' }"));
}

// The lookahead is the round trip without queueing of the nearest flow: 20 ms; a packet of 1500 bytes takes 1.2 ms at 10 Mbit/s.
#[cfg(debug_assertions)]
#[test]
fn a_time_slice_is_no_longer_than_the_shortest_round_trip() {
    let simulation = started("", "rtt = '30ms'\n[[flow]]\ncc = 'reno'");
    let time_slices = simulation.time_slices.expect("it runs in time slices");
    assert_eq!((time_slices.bottleneck.lookahead, time_slices.bottleneck.spacing), (20_000_000, 1_200_000));
    assert_eq!(time_slices.merge.lengths.iter().max(), Some(&20_000_000));
}

// Two time slices that are worked off and merged beside each other are no longer than that together.
#[cfg(debug_assertions)]
#[test]
fn on_two_threads_a_time_slice_is_no_longer_than_half_of_it() {
    let mut simulation = new("", "rtt = '30ms'\n[[flow]]\ncc = 'reno'").with_threads(2);
    simulation.step_to(500_000_000);
    let time_slices = simulation.time_slices.expect("it runs in time slices");
    // At first there are pauses. Behind one, or where a sample has cut a time slice to nothing, nothing is to be done beside the next.
    let lengths = &time_slices.merge.lengths[20..];
    let half = 10_000_000;
    assert!(lengths.iter().filter(|length| **length == half).count() >= 20, "{lengths:?}");
    assert!(lengths.windows(2).all(|pair| pair[1] <= half || pair[0] == 0), "{lengths:?}");
}

// Random bursts of three chunks: sorted by (time, event), those of one event in the order in which they were sent.
#[test]
fn a_merge_sorts_by_time_then_by_event_and_leaves_the_rest_as_it_is() {
    for seed in 0..50 {
        let mut draw = RandomStream::new(seed, 0);
        let mut merge = Merge::new(0, 3);
        // Of every second seed all come together at the ends of a long time slice.
        let (length, times) = match seed % 2 {
            0 => (1 + draw.below(1000) as u32, u64::MAX),
            _ => (1_000_000_000, 40),
        };
        let mut expected = Vec::new();
        for outbox in &mut merge.outboxes {
            for _ in 0..draw.below(200) {
                let time = draw.below(times.min(u64::from(length) + 1)) as u32;
                let number = draw.below(3) as u32;
                let offset = if draw.below(100) == 0 { length } else { time };
                let event = EventId::new(EventClass::Line, number);
                outbox.bursts.push(burst(outbox, offset, event));
                outbox.segments += 1;
            }
        }
        let mut first_outcome = 0;
        for outbox in &mut merge.outboxes {
            outbox.first_outcome = first_outcome;
            expected.extend(
                outbox.bursts.iter().map(|burst| (burst.offset, burst.event, first_outcome + burst.before)),
            );
            first_outcome += outbox.segments;
        }
        expected.sort_by_key(|(offset, event, _)| (*offset, *event));
        assert_eq!(merge.sorted(length), expected, "seed {seed}, length {length}");
    }
}

fn burst(outbox: &Outbox, offset: u32, event: EventId) -> Burst {
    let before = outbox.segments;
    Burst { offset, event, first: 0, before, cwnd: 10, ssthresh: 10, count: 1, place: 0, is_full: true }
}
