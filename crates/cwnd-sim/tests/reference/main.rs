// SPDX-License-Identifier: MIT OR Apache-2.0
//! The simulator's transport against a plain sender and receiver, written from the RFCs, that share none of its code: on random networks
//! both send the same segments at the same times, get the same acknowledgements, and have the same window after each.
//!
//! `PROPTEST_CASES=10000 cargo test -p cwnd-sim --test reference` asks for more networks; a failure prints the network, and both sides'
//! state where they first differ.

mod connection;
mod linux;
mod network;
mod receiver;
mod sender;
mod simulated;
mod wheel;

use cwnd::registry::Recovery;
use network::What;
use network::{LinkSetup, Record, Setup};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::collections::{BTreeMap, BTreeSet};

fn link(
    rate: std::ops::Range<u64>,
    limit: std::ops::Range<usize>,
    losses: usize,
) -> impl Strategy<Value = LinkSetup> {
    let burst = prop::option::weighted(0.3, (1u64..300, 1u64..60));
    (rate, limit, prop::collection::btree_set(1u64..400, 0..losses), burst).prop_map(
        |(rate, limit, mut losses, burst)| {
            losses.extend(burst.into_iter().flat_map(|(first, length)| first..first + length));
            LinkSetup { rate, limit, losses, late: (BTreeSet::new(), 0), step: None }
        },
    )
}

fn setups(recovery: Recovery) -> impl Strategy<Value = Setup> {
    let algorithm = prop::sample::select(vec!["reno", "sack", "cubic", "cubic-2.2"]);
    let rwnd = prop_oneof![3 => Just(100_000u64), 1 => 1u64..60];
    let flow =
        (algorithm, 1u32..30, prop::option::of(2u32..60), 1u64..600, any::<bool>(), any::<bool>(), rwnd);
    let hosts = (1u32..5, 1_000_000u64..100_000_000, 50_000u32..400_000);
    let path = (2_000_000u64..200_000_000, link(500_000..40_000_000, 1..80, 24));
    let reverse = prop::option::weighted(0.4, link(50_000..4_000_000, 1..80, 24));
    let reorder = prop::option::weighted(0.3, (1u32..200, 100_000u64..50_000_000, 1u64..1000));
    let step = (300_000_000u64..3_000_000_000, 10_000_000u64..3_000_000_000, 1_000_000u64..500_000_000);
    let step = prop::option::weighted(0.3, step);
    (flow, hosts, path, reverse, reorder, step).prop_map(
        move |(flow, hosts, (rtt, forward), reverse, reorder, step)| {
            let mut setup = Setup {
                cc: flow.0,
                recovery,
                mss: 1448,
                initial_cwnd: flow.1,
                initial_ssthresh: flow.2,
                segments: flow.3,
                limited_transmit: flow.4,
                handshake: flow.5,
                rwnd: flow.6,
                ack_every: hosts.0,
                ack_delay: hosts.1,
                min_rto_us: hosts.2,
                rtt,
                forward,
                reverse,
                duration: 20_000_000_000,
                reorder,
            };
            setup.forward.step = step.map(|(from, length, added)| (from, from + length, added));
            setup.forward.late = (simulated::late(&setup), reorder.map_or(0, |reorder| reorder.1));
            setup
        },
    )
}

/// The last records of one side up to the first that differs.
fn tail(records: &[Record], first: usize) -> String {
    let from = first.saturating_sub(12);
    let lines = records.iter().enumerate().take(first + 3).skip(from);
    lines.map(|(number, record)| format!("{number:>6} {:>12} {:?}\n", record.time_ns, record.what)).collect()
}

/// Runs both, and says where they first differ.
fn compare(setup: &Setup) -> Result<(), TestCaseError> {
    let reference = network::run(setup, usize::MAX);
    let (mut simulated, tables) = simulated::run(setup);
    simulated.retain(|record| record.time_ns < reference.end);
    let records = &reference.records;
    let last = records.len().max(simulated.len());
    let Some(first) = (0..last).find(|&number| records.get(number) != simulated.get(number)) else {
        prop_assert_eq!(tables, simulated::tables(setup), "a capture changes nothing");
        return Ok(());
    };
    let sender = network::run(setup, first + 1).sender;
    let (plain, engine) = (tail(records, first), tail(&simulated, first));
    let toml = simulated::scenario(setup, true);
    Err(TestCaseError::fail(format!(
        "record {first}\nreference:\n{plain}simulator:\n{engine}\n{toml}\n{sender:?}"
    )))
}

/// `PROPTEST_CASES` asks for another number of networks.
fn cases(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok());
    ProptestConfig { cases: asked.unwrap_or(cases), failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(180))]

    // RFC 6675, RFC 5681, RFC 6298.
    #[test]
    fn recovery_by_sack_is_that_of_a_plain_sender(setup in setups(Recovery::Sack)) {
        compare(&setup)?;
    }

    // RFC 9937.
    #[test]
    fn proportional_rate_reduction_is_that_of_a_plain_sender(setup in setups(Recovery::SackPrr)) {
        compare(&setup)?;
    }

    // RFC 8985, RFC 9937, RFC 5682, RFC 3522.
    #[test]
    fn linuxs_recovery_is_that_of_a_plain_sender(setup in setups(Recovery::Linux)) {
        compare(&setup)?;
    }

    // RFC 6582.
    #[test]
    fn newreno_is_that_of_a_plain_sender(setup in setups(Recovery::NewReno)) {
        compare(&setup)?;
    }
}

/// A network that the test above has found: thirty-five duplicates in a recovery with thirty segments out, as segments come late. Of what is
/// sent then nothing is in flight by this count, and the simulator counted it all the same.
#[test]
fn duplicates_may_be_more_than_what_is_out() {
    let forward = LinkSetup {
        rate: 7_933_376,
        limit: 21,
        losses: BTreeSet::new(),
        late: (BTreeSet::new(), 0),
        step: None,
    };
    let mut setup = Setup {
        cc: "cubic",
        recovery: Recovery::NewReno,
        mss: 1448,
        initial_cwnd: 27,
        initial_ssthresh: None,
        segments: 59,
        ack_every: 1,
        ack_delay: 1_000_000,
        min_rto_us: 50_000,
        limited_transmit: false,
        rwnd: 30,
        handshake: false,
        rtt: 11_988_046,
        forward,
        reverse: None,
        duration: 20_000_000_000,
        reorder: Some((11, 6_203_846, 802)),
    };
    setup.forward.late = (simulated::late(&setup), 6_203_846);
    compare(&setup).unwrap();
}

/// Of a hundred networks, the same in each run: how many have something of each kind in what is compared.
#[test]
fn the_networks_have_what_there_is_to_show() {
    let mut runner = TestRunner::deterministic();
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    for _ in 0..100 {
        let setup = setups(Recovery::Linux).new_tree(&mut runner).expect("a network").current();
        let run = network::run(&setup, usize::MAX);
        let mut kinds = BTreeSet::new();
        let mut least = u32::MAX;
        for record in &run.records {
            match &record.what {
                What::Sent { again, .. } => _ = kinds.insert(if *again { "again" } else { "new" }),
                What::Timeout { .. } => _ = kinds.insert("timeout"),
                What::Ack { cumulative, blocks, ssthresh, state, .. } => {
                    let is_duplicate = blocks.first().is_some_and(|block| block.0 < *cumulative);
                    kinds.extend(is_duplicate.then_some("D-SACK"));
                    kinds.extend((blocks.len() == 3).then_some("three blocks"));
                    kinds.extend((*state == 3).then_some("recovery"));
                    kinds.extend((*ssthresh > least).then_some("undo"));
                    least = *ssthresh;
                }
            }
        }
        kinds.extend((run.end > setup.duration).then_some("to the end"));
        for kind in kinds {
            *shown.entry(kind).or_default() += 1;
        }
    }
    assert!(shown.len() == 8 && shown.values().all(|&networks| networks >= 15), "{shown:?}");
}
