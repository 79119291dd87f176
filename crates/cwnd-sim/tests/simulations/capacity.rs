// SPDX-License-Identifier: MIT OR Apache-2.0
//! Capacity and utilisation of a link in the measured interval, for every kind of rate.

use crate::common::known;
use cwnd_record::LinkSummary;
use cwnd_scenario::Scenario;
use cwnd_sim::Simulation;
use proptest::prelude::*;

/// Two flows into a link with this rate and these actions, from a scenario that may name the file `link.trace` with these lines; the link's summary.
fn measured(rate: &str, actions: &str, lines: &[u64], (duration, from, to): (u64, u64, u64)) -> LinkSummary {
    let toml = format!(
        "duration = '{duration}ms'\nmeasure = ['{from}ms', '{to}ms']\n\
         [link]\nrate = {rate}\nrtt = '20ms'\nqueue = {{ kind = 'droptail', limit = '40packets' }}\n\
         [[flow]]\ncc = 'cubic'\n[[flow]]\ncc = 'reno'\n{actions}"
    );
    let text: String = lines.iter().map(|ms| format!("{ms}\n")).collect();
    let file = |_: &str| Ok(text.clone());
    let scenario = Scenario::from_toml_with(&toml, &file).unwrap_or_else(|error| panic!("{error}\n{toml}"));
    let mut simulation = Simulation::new(&scenario);
    while !simulation.step(1_000_000) {}
    simulation.summary().links.swap_remove(0)
}

/// Lines of a trace with so many opportunities in each millisecond from 1 ms on.
fn lines(counts: &[usize]) -> Vec<u64> {
    (1..).zip(counts).flat_map(|(ms, &count)| std::iter::repeat_n(ms, count)).collect()
}

// 12 Mbit/s are a packet a millisecond. A second of 12 Mbit/s, one of 24, half of an outage, and 12 again, measured from 0.5 to 2.75 s:
// 6 + 24 + 0 + 3 = 33 Mbit in 2.25 s are 14.67 Mbit/s, whichever way the rate is written. The mean of the whole trace is 15.4.
#[test]
fn the_same_capacity_in_every_form_has_the_same_numbers() {
    let second = |packets| std::iter::repeat_n(packets, 1000);
    let counts: Vec<usize> =
        second(1).chain(second(2)).chain(second(0).take(500)).chain(second(1).take(1000)).collect();
    let trace = lines(&counts);
    let times = (3500, 500, 2750);
    let steps = "[['0s', '12Mbit/s'], ['1s', '24Mbit/s'], ['2s', '0bit/s'], ['2500ms', '12Mbit/s']]";
    let actions: String = [("1s", "24Mbit/s"), ("2s", "0bit/s"), ("2500ms", "12Mbit/s")]
        .iter()
        .map(|(at, to)| format!("[[action]]\nrate = {{ link = 'link', at = '{at}', to = '{to}' }}\n"))
        .collect();
    let expected = 33.0 / 2.25;
    for (what, link) in [
        ("steps", measured(steps, "", &[], times)),
        ("actions", measured("'12Mbit/s'", &actions, &[], times)),
        ("a trace", measured("{ trace = 'link.trace' }", "", &trace, times)),
    ] {
        assert!(
            (known(link.capacity_mbps) - expected).abs() < 1e-12,
            "{what}: {}",
            known(link.capacity_mbps)
        );
        // A queue of 40 packets never runs empty behind two flows but in the first round trips.
        assert!((0.97..=1.001).contains(&known(link.utilization)), "{what}: {}", known(link.utilization));
    }
}

#[test]
fn a_constant_rate_in_every_form_has_the_same_numbers() {
    let times = (3000, 1500, 2600);
    for (rate, trace) in [
        ("'12Mbit/s'", vec![]),
        ("[['0s', '12Mbit/s'], ['2s', '12Mbit/s']]", vec![]),
        ("{ trace = 'link.trace' }", vec![1]),
        ("{ trace = 'link.trace' }", (1..=700).collect()),
    ] {
        let link = measured(rate, "", &trace, times);
        assert!((known(link.capacity_mbps) - 12.0).abs() < 1e-12, "{rate}: {}", known(link.capacity_mbps));
        assert!((0.99..=1.0).contains(&known(link.utilization)), "{rate}: {}", known(link.utilization));
    }
}

// Four packets a millisecond in the first second of ten, one in each hundred milliseconds after it: a mean of 0.409 packets a millisecond, 4.9 Mbit/s, where
// the first second offers 48 and the rest 0.12.
#[test]
fn a_trace_that_varies_is_measured_by_what_it_offered_then() {
    let counts: Vec<usize> =
        (1..=10_000).map(|ms| if ms <= 1000 { 4 } else { usize::from(ms % 100 == 0) }).collect();
    let rate = "{ trace = 'link.trace' }";
    let early = measured(rate, "", &lines(&counts), (1000, 200, 1000));
    // From 200 ms up to 1000 ms, without that: 800 × 4 packets.
    assert!((known(early.capacity_mbps) - 48.0).abs() < 1e-12 && known(early.utilization) > 0.8, "{early:?}");
    assert!(known(early.utilization) <= 1.0, "{early:?}");
    let late = measured(rate, "", &lines(&counts), (9000, 2000, 8000));
    assert!((known(late.capacity_mbps) - 0.12).abs() < 1e-12 && known(late.utilization) > 0.99, "{late:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    // A packet counts in full when its last byte leaves in the interval; its first may have left before.
    #[test]
    fn no_link_with_a_trace_is_used_more_than_it_offers(
        counts in prop::collection::vec(prop_oneof![3 => Just(0_usize), 2 => 1_usize..6], 1..300),
        a in 1_u64..1500, b in 1_u64..1500,
    ) {
        let mut counts = counts;
        *counts.last_mut().expect("at least one") += 1;
        let (from, to) = (a.min(b), a.max(b) + 1);
        let link = measured("{ trace = 'link.trace' }", "", &lines(&counts), (1600, from, to));
        let offered = known(link.capacity_mbps) * (to - from) as f64 * 1e3;
        let sent = link.utilization.unwrap_or(0.0) * offered;
        prop_assert!(sent <= offered + 12_000.0 + 1e-6, "{} of {} bits, {} to {} ms: {:?}", sent, offered, from, to, counts);
    }
}
