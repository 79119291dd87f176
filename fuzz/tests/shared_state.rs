// SPDX-License-Identifier: MIT OR Apache-2.0
//! An algorithm whose flows share a variable breaks the promise that runs repeat: it is blamed, not cwnd.

use cwnd::registry::{Custom, Description, PluginFactory, Recovery, Set, SetDescription};
use cwnd::{CongestionControl, Conn};
use cwnd_fuzz::{SimulationPromise, check};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

static CALLS: AtomicU32 = AtomicU32::new(0);

/// Every third call of any flow raises the window.
#[derive(Clone, Debug)]
struct Sharing;

impl CongestionControl for Sharing {
    type Params = ();

    fn init(&mut self, _: &mut Conn, (): &()) {
        CALLS.store(0, Relaxed);
    }

    fn ssthresh(&mut self, conn: &mut Conn, (): &()) -> u32 {
        (conn.cwnd / 2).max(2)
    }

    fn cong_avoid(&mut self, conn: &mut Conn, _: u32, _: u32, (): &()) {
        conn.cwnd += u32::from(CALLS.fetch_add(1, Relaxed).is_multiple_of(3));
    }
}

impl Custom for Sharing {}

#[derive(Debug)]
struct Factory;

impl PluginFactory for Factory {
    fn make(&self, set: usize) -> Option<Box<dyn Custom>> {
        (set == 0).then(|| Box::new(Sharing) as Box<dyn Custom>)
    }
}

#[test]
fn what_flows_share_is_the_algorithms_fault() {
    let set = Set { name: "sharing", summary: "s", source: "s", recovery: Recovery::Sack, params: () };
    let sets: &'static [SetDescription] = Box::leak(Box::new([SetDescription::outside(&set, 0, &Factory)]));
    cwnd::registry::add(Description::outside("sharing", "s", &[], sets)).expect("a new name");
    let text = "duration = '2s'\n[link]\nrate = '10Mbit/s'\nrtt = '20ms'\nqueue = { kind = 'droptail', limit = '20packets' }\n\
                [[flow]]\ncc = 'sharing'\n[[flow]]\ncc = 'sharing'\nrtt = '31ms'\n";
    for distance in [1, 7, 1000, 100_000] {
        let broken = check(text, distance).expect_err("one flow's calls depend on the other's");
        assert_eq!(broken.promise, SimulationPromise::SimulationRepeats, "{broken}");
        assert!(!broken.of_cwnd());
    }
}
