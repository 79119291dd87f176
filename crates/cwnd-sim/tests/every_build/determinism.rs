// SPDX-License-Identifier: MIT OR Apache-2.0
//! The same seed gives the same bytes, in every run, thread and build; and the bytes that are on record.

use std::fmt::Write;

use crate::common::{FIG6, run};
use cwnd_scenario::Scenario;
use cwnd_sim::Simulation;

/// A few numbers of each flow, for eyes, and the digest.
fn table(simulation: &Simulation) -> String {
    let mut text = format!(
        "{:<14}{:>9}{:>13}{:>10}{:>7}{:>8}{:>8}{:>8}{:>8}\n",
        "flow", "packets", "retransmits", "timeouts", "drops", "2.5 s", "5 s", "7.5 s", "10 s"
    );
    for (number, flow) in (0..).zip(&simulation.summary().flows) {
        let rows = || simulation.tables().cwnd.iter().filter(|row| row.flow == number);
        let window = |ms: u64| rows().rfind(|row| row.time_ns <= ms * 1_000_000).map_or(0, |row| row.cwnd);
        let [a, b, c, d] = [2500, 5000, 7500, 10_000].map(window);
        let run = flow.run;
        let _ = writeln!(
            text,
            "{:<14}{:>9}{:>13}{:>10}{:>7}{a:>8}{b:>8}{c:>8}{d:>8}",
            flow.name,
            run.packets_sent,
            run.retransmits,
            run.timeouts,
            run.drops.total()
        );
    }
    let _ = writeln!(text, "digest {:016x}", simulation.digest());
    text
}

/// What [`table`] gives. A change of it is a change of results: the table says in which flow, the digest that there is one.
const ON_RECORD: &str = include_str!("determinism.txt");

// A release build has to give the same: `make test` runs this test in both profiles.
#[test]
fn the_same_seed_gives_the_same_bytes_in_every_run_thread_and_build() {
    let here = run(FIG6);
    let now = table(&here);
    assert!(
        now == ON_RECORD,
        "results changed; if that is meant, determinism.txt becomes\n{now}and was\n{ON_RECORD}"
    );
    let threads: Vec<_> = (0..2).map(|_| std::thread::spawn(|| run(FIG6).digest())).collect();
    for thread in threads {
        assert_eq!(thread.join().expect("no panic"), here.digest());
    }
    let mut stepped = Simulation::new(&Scenario::from_toml(FIG6).expect("valid"));
    while !stepped.step(1) {}
    assert_eq!(stepped.digest(), here.digest(), "however it is stepped");
    assert_ne!(run(&FIG6.replace("seed = 7", "seed = 8")).digest(), here.digest());
}
