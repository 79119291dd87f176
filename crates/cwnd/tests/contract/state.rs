// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an algorithm's state depends on: its history since `init`, and nothing else.

use crate::random_history::{ContractRun, conn, step};
use crate::support::{cases, sets};
use cwnd::driver::{Driver, Options};
use cwnd_contract::state;
use proptest::prelude::*;

proptest! {
    #![proptest_config(cases(100))]

    // Rows X6, H9: what an earlier connection left in the private area has no influence, not even on a state that `init`
    // would only partly write.
    #[test]
    fn init_forgets_the_connection_before(
        before in conn(),
        history in prop::collection::vec(step(), 1..150),
        conn in conn(),
    ) {
        for set in sets() {
            let kept = state::init_forgets_the_connection_before(&set, before, &history, conn);
            prop_assert!(kept.is_ok(), "{}: {kept:?}", set.name);
        }
    }

    // Rows X6, H9: nor has any content of the area at all, where the algorithm reads the kernel's own layout of it.
    #[test]
    fn init_forgets_whatever_lay_in_the_private_area(words in prop::array::uniform26(any::<u32>()), conn in conn()) {
        let mut read = 0;
        for set in sets() {
            let mut fresh = set.controller().expect("listed");
            let Some(mut poisoned) = fresh.with_words(&words) else { continue };
            read += 1;
            let (mut one, mut other) = (conn, conn);
            fresh.init(&mut one);
            poisoned.init(&mut other);
            prop_assert!(fresh.is_same(&poisoned), "{}: {fresh:?} and {poisoned:?}", set.name);
            prop_assert_eq!(one, other, "{}", set.name);
        }
        prop_assert!(read >= 5, "{read} sets read words");
    }

    // The same calls give the same windows and the same state, and a copy goes its own way.
    #[test]
    fn the_same_history_gives_the_same_state(conn in conn(), steps in prop::collection::vec(step(), 2..100)) {
        for set in sets() {
            let kept = state::the_same_history_gives_the_same_state(&set, conn, &steps);
            prop_assert!(kept.is_ok(), "{}: {kept:?}", set.name);
        }
    }

    // Rows X6, H9: an algorithm that takes over a running connection starts from that connection alone, whoever ran it.
    #[test]
    fn a_switch_carries_nothing_over(conn in conn(), steps in prop::collection::vec(step(), 1..60), pick in any::<prop::sample::Index>()) {
        let all = sets();
        let first = pick.get(&all);
        for second in &all {
            let mut play = ContractRun::begin(first, conn);
            steps.iter().for_each(|step| play.step(*step));
            let mut expected = play.conn;
            play.cc.clone().release(&mut expected);
            expected.cwnd_cnt = 0;
            let mut fresh = second.controller().expect("listed");
            fresh.init(&mut expected);

            let running = play.cc.clone();
            let mut driver = Driver::new(play.cc, play.conn, Options::default());
            (driver.cc, driver.conn) = (running, play.conn);
            driver.switch(second.controller().expect("listed"));
            prop_assert!(fresh.is_same(&driver.cc), "{} to {}", first.name, second.name);
            prop_assert_eq!(driver.conn, expected, "{} to {}", first.name, second.name);
        }
    }
}
