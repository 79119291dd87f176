// SPDX-License-Identifier: MIT OR Apache-2.0
//! The same seed gives the same bytes, in every run, thread and build; and the bytes that are on record.

use std::fmt::Write;

use crate::common::{FIG6, run};
use cwnd_record::{Column, Values, tables};
use cwnd_scenario::Scenario;
use cwnd_sim::Simulation;

/// FNV-1a, 64 bits.
struct Digest(u64);

impl Digest {
    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Names and values of columns, little-endian, one column after the other.
    fn columns<R>(&mut self, columns: &[Column<R>], rows: &[R]) {
        for column in columns {
            self.bytes(column.name.as_bytes());
            match column.values(rows) {
                Values::Text(values) => values.iter().for_each(|text| self.bytes(text.as_bytes())),
                Values::Word(values) => values.iter().for_each(|text| self.bytes(text.as_bytes())),
                Values::Number(values) => values.iter().for_each(|x| self.bytes(&x.to_le_bytes())),
                Values::Count(values) => values.iter().for_each(|n| self.bytes(&n.to_le_bytes())),
                Values::Index(values) => values.iter().for_each(|n| self.bytes(&n.to_le_bytes())),
                other => self.bytes(format!("{other:?}").as_bytes()),
            }
        }
    }
}

/// The digest of all that a run recorded.
fn digest(simulation: &Simulation) -> u64 {
    let (recorded, summary) = (simulation.tables(), simulation.summary());
    let mut digest = Digest(0xcbf2_9ce4_8422_2325);
    digest.columns(tables::CWND, &recorded.cwnd);
    digest.columns(&tables::QUEUE, &recorded.queue);
    digest.columns(tables::EVENTS, &recorded.events);
    digest.columns(tables::WAITS, &simulation.waits());
    digest.columns(&tables::FLOWS, &summary.flows);
    digest.columns(&tables::LINKS, &summary.links);
    digest.0
}

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
    let _ = writeln!(text, "digest {:016x}", digest(simulation));
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
    let threads: Vec<_> = (0..2).map(|_| std::thread::spawn(|| digest(&run(FIG6)))).collect();
    for thread in threads {
        assert_eq!(thread.join().expect("no panic"), digest(&here));
    }
    let mut stepped = Simulation::new(&Scenario::from_toml(FIG6).expect("valid"));
    while !stepped.step(1) {}
    assert_eq!(digest(&stepped), digest(&here), "however it is stepped");
    assert_ne!(digest(&run(&FIG6.replace("seed = 7", "seed = 8"))), digest(&here));
}
