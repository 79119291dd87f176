// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rate samples that an algorithm with `cong_control` is told with Linux's recovery.

use crate::common::run;
use cwnd::registry::{self, Custom, Description, PluginFactory, Recovery, Set, SetDescription};
use cwnd::{CongestionControl, Conn, RateSample};
use cwnd_sim::Summary;
use std::sync::{Arc, Mutex};

/// A window that stays, and every sample with the count of deliveries at its time.
#[derive(Clone, Debug, Default)]
struct Watcher {
    window: u32,
    seen: Arc<Mutex<Vec<(u64, RateSample)>>>,
}

impl CongestionControl for Watcher {
    type Params = ();

    fn ssthresh(&mut self, conn: &mut Conn, (): &()) -> u32 {
        conn.cwnd
    }

    fn cong_avoid(&mut self, _: &mut Conn, _ack: u32, _acked: u32, (): &()) {}

    fn has_cong_control(&self) -> bool {
        true
    }

    fn cong_control(&mut self, conn: &mut Conn, _ack: u32, _flags: u32, sample: &RateSample, (): &()) {
        conn.cwnd = self.window;
        self.seen.lock().expect("one thread").push((conn.delivered, *sample));
    }
}

impl Custom for Watcher {}

impl PluginFactory for Watcher {
    fn make(&self, set: usize) -> Option<Box<dyn Custom>> {
        self.seen.lock().expect("one thread").clear(); // of an earlier run
        (set == 0).then(|| Box::new(self.clone()) as Box<dyn Custom>)
    }
}

/// One flow of `window` segments at 20 Mbit/s and 40 ms, which is 67 packets.
fn watched(name: &'static str, window: u32, link: &str, flow: &str) -> (Vec<(u64, RateSample)>, Summary) {
    let set = Set { name, summary: "", source: "this test", recovery: Recovery::Linux, params: () };
    let watcher: &'static Watcher = Box::leak(Box::new(Watcher { window, ..Watcher::default() }));
    let sets = Box::leak(Box::new([SetDescription::outside(&set, 0, watcher)]));
    registry::add(Description::outside(name, "a window that stays", &[], sets)).expect("a name of its own");
    let outcome = run(&format!(
        "duration = '10s'\n[link]\nrate = '20Mbit/s'\nrtt = '40ms'\nqueue = {{ kind = 'droptail', limit = '200packets' }}\n{link}\n[[flow]]\ncc = '{name}'\n{flow}"
    ));
    let seen = watcher.seen.lock().expect("one thread").clone();
    (seen, outcome.summary())
}

/// Segments a second.
fn rates(seen: &[(u64, RateSample)]) -> Vec<f64> {
    let valid = seen.iter().filter(|(_, sample)| sample.is_valid());
    let mut rates: Vec<f64> = valid
        .map(|(_, sample)| f64::from(sample.delivered) / (f64::from(sample.interval_us) / 1e6))
        .collect();
    rates.sort_by(f64::total_cmp);
    rates
}

// 100 segments fill the path: packets of 1500 bytes leave it at 20 Mbit/s / 12 000 bit = 1666.7 a second. Of a batch, the first and the last
// acknowledgement are a packet's time apart from the samples' edges: 1 of 67.
#[test]
fn over_a_full_link_samples_say_the_links_rate() {
    let (seen, summary) = watched("watch-full", 100, "", "");
    let rates = rates(&seen[1000..]);
    assert!(rates.len() > 5000, "{} samples", rates.len());
    let (low, high) = (rates[0], rates[rates.len() - 1]);
    assert!(low > 1666.7 * 0.97 && high < 1666.7 * 1.03, "{low} to {high} segments a second");
    assert_eq!(summary.flows[0].run.retransmits, 0);
    assert!(seen.iter().all(|(_, sample)| sample.losses == 0 && !sample.is_retrans));
}

// What is acknowledged is counted once, and what is lost as often as it is sent again, but for what is under way at the end.
#[test]
fn losses_and_deliveries_are_those_of_the_run() {
    let (seen, summary) = watched("watch-loss", 60, "loss = 'random:0.02'", "");
    let counts = summary.flows[0].run;
    let lost: u64 = seen.iter().map(|(_, sample)| u64::from(sample.losses)).sum();
    let again = counts.retransmits;
    assert!(again > 200 && counts.timeouts == 0, "{counts:?}");
    // Probes are not lost, and the timer of the reordering window finds losses between two acknowledgements.
    assert!(lost.abs_diff(again) <= again / 10, "{lost} lost, {again} sent again");
    let acked: u64 = seen.iter().map(|(_, sample)| u64::from(sample.acked_sacked)).sum();
    assert_eq!(acked, seen.last().expect("a sample").0);
    for (delivered, sample) in seen.iter().filter(|(_, sample)| sample.delivered >= 0) {
        assert_eq!(delivered - u64::from(sample.prior_delivered), sample.delivered as u64);
    }
    assert!(seen.iter().any(|(_, sample)| sample.is_retrans));
}

// An application of 5 Mbit/s limits all that is sent after its first pause.
#[test]
fn samples_of_a_slow_application_say_so() {
    let (seen, _) = watched("watch-app", 100, "", "app_rate = '5Mbit/s'");
    let limited = seen[100..].iter().filter(|(_, sample)| sample.is_app_limited).count();
    assert_eq!(limited, seen.len() - 100);
}
