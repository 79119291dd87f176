// SPDX-License-Identifier: MIT OR Apache-2.0
//! Answers that the algorithm never gave, made on purpose: objects whose glue leaves out every n-th `ssthresh` or `undo_cwnd`, as
//! Linux was seen to do it (docs/adr/0007), and hands the kernel what may lie there instead. The build makes them for these
//! tests alone.

use std::time::{Duration, Instant};

use cwnd::INFINITE_SSTHRESH;
use cwnd::replay::Call;
use cwnd_bpf::{Counters, Hook, Module, Record};

use crate::network::Network;
use crate::recording::{record_with, replay};
use crate::{MEGABYTE, kernel_is_ours, module};

#[repr(C, align(8))]
struct Aligned<T: ?Sized>(T);

static EVERY_50TH: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/lapse-50.bpf.o")));
static EVERY_2ND: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/lapse-2.bpf.o")));

/// What the largest send buffer holds (Linux's tcp_wmem: 4 MiB of segments of 1448 bytes, and no more in flight). The paths hold
/// 20 and 40 segments; a lapse of the kernel's own can send a buffer's worth before any program runs again, and the kernel's
/// window follows what is in flight while it repairs that. What is handed out instead of answers is 31 million and more.
const LARGEST: u32 = 2900;

/// A transfer: how long it took, its calls, its counters.
struct Ran {
    took: Duration,
    records: Vec<Record>,
    counters: Counters,
}

fn run(module: &Module, network: &Network, bytes: u64) -> Ran {
    let loaded = module.load_recording("cwnd_lapse", 1 << 24).unwrap_or_else(|why| panic!("{why}"));
    let took = std::sync::Mutex::new(Duration::ZERO);
    let (records, counters) = record_with(loaded, |name| {
        #[expect(clippy::disallowed_methods, reason = "a real transfer takes real time")]
        let begun = Instant::now();
        assert_eq!(network.transfer(name, bytes).received, bytes);
        *took.lock().expect("no panic") = begun.elapsed();
    })
    .expect("records");
    Ran { took: took.into_inner().expect("no panic"), records, counters }
}

impl Ran {
    /// Largest window that any call saw or left.
    fn largest(&self) -> u32 {
        let windows = self.records.iter().flat_map(|record| [record.row.before.cwnd, record.row.after.cwnd]);
        windows.max().unwrap_or(0)
    }

    /// Calls of the two hooks that answer, the made-up ones among them.
    fn answers(&self) -> u64 {
        self.counters.calls(Hook::Ssthresh) + self.counters.calls(Hook::UndoCwnd)
    }

    /// What is not as it should be after every `n`-th answer was left out.
    fn check(&self, n: u64) {
        let Self { records, counters, .. } = self;
        // Every answer that was left out is made up; and besides, where the kernel lapses by itself.
        let left_out = self.answers() / n;
        assert!(counters.repaired() >= left_out, "{left_out} of {} answers: {counters}", self.answers());
        let made_up: Vec<_> = records.iter().filter(|record| record.repaired).collect();
        assert!(made_up.len() as u64 <= counters.repaired());
        assert!(made_up.iter().all(|r| matches!(r.row.call, Call::Ssthresh(_) | Call::UndoCwnd(_))));
        // No call ever saw, or left, what lay there instead.
        assert!(self.largest() <= LARGEST, "{}", self.largest());
        let thresholds =
            records.iter().flat_map(|record| [record.row.before.ssthresh, record.row.after.ssthresh]);
        assert_eq!(thresholds.filter(|ssthresh| (LARGEST..INFINITE_SSTHRESH).contains(ssthresh)).max(), None);
        assert!(records.iter().all(|record| record.row.before.ssthresh <= INFINITE_SSTHRESH));
        // The host repeats the made-up calls as any other: its state after each is the kernel's.
        assert_eq!(replay(records, module("cubic").controller()), (0, None));
    }
}

#[test]
fn a_transfer_with_every_second_answer_left_out_keeps_its_window_and_repairs_each() {
    if !kernel_is_ours() {
        return;
    }
    let network = Network::new("lapse2", "50mbit", 30);
    let clean = run(&module("cubic"), &network, 20 * MEGABYTE);
    let faulty = run(&module("cubic").with_object(&EVERY_2ND.0), &network, 20 * MEGABYTE);
    println!(
        "repaired {}, windows up to {} and {}",
        faulty.counters.repaired(),
        clean.largest(),
        faulty.largest()
    );
    faulty.check(2);
    assert!(faulty.counters.repaired() >= 5, "{}", faulty.counters);
}

// Medians of three pairs, or of more where the machine disturbs them: the path decides how long a transfer takes, and that of a pair
// with faults is as long as the other's.
#[test]
fn a_transfer_with_every_50th_answer_left_out_is_as_fast_as_a_clean_one() {
    if !kernel_is_ours() {
        return;
    }
    let network = Network::new("lapse50", "50mbit", 8);
    let (clean, faulty) = (module("cubic"), module("cubic").with_object(&EVERY_50TH.0));
    let mut took = [Vec::new(), Vec::new()];
    let (mut repaired, mut by_itself, mut largest) = (0, 0, 0);
    let mut ratio = 0.0;
    for pair in 1..=9 {
        let ran = run(&clean, &network, 30 * MEGABYTE);
        by_itself += ran.counters.repaired();
        largest = largest.max(ran.largest());
        took[0].push(ran.took);
        let ran = run(&faulty, &network, 30 * MEGABYTE);
        ran.check(50);
        repaired += ran.counters.repaired();
        took[1].push(ran.took);
        let [clean, faulty] = [0, 1].map(|which: usize| {
            let mut took = took[which].clone();
            took.sort();
            took[took.len() / 2].as_secs_f64()
        });
        ratio = faulty / clean;
        println!(
            "{clean:.3} s and {by_itself} repairs without faults, {faulty:.3} s and {repaired} with them; windows up to {largest}"
        );
        if pair >= 3 && (0.95..=1.05).contains(&ratio) {
            break;
        }
    }
    assert!(repaired >= 3, "{repaired} answers were left out: too few to tell anything");
    assert!((0.95..=1.05).contains(&ratio), "{ratio:.3} of the time without faults");
}
