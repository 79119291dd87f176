// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random facts in any order.

use crate::registered;
use cwnd::Controller;
use cwnd_contract::facts::Facts;

/// Numbers that follow from `seed` (Steele, Lea and Flood 2014, SplitMix64).
pub fn splitmix(mut seed: u64) -> impl FnMut() -> u64 {
    move || {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = seed;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

// 100 000 facts and more, with overflow checks on: no panic, a window of one datagram at least, a rate above nothing. The same each time.
#[test]
fn facts_in_any_order_leave_a_window() {
    let sets: Vec<_> = registered().collect();
    let each = 1 + 100_000 / (4 * sets.len());
    for (seed, name) in (0..).zip(sets) {
        for connection in 0..4 {
            let algorithm = Controller::by_name(name).expect("registered");
            let mut facts = Facts::new(algorithm, splitmix(4 * seed + connection));
            if let Err(broken) = facts.play(each) {
                panic!("{name}, connection {connection}: {broken}");
            }
        }
    }
}
