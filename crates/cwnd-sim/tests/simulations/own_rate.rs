// SPDX-License-Identifier: MIT OR Apache-2.0
//! An algorithm that sets its own rate (`cong_control`) is paced at it, without the scenario's asking.

use crate::common::run;
use cwnd::registry::{self, Custom, Description, PluginFactory, Recovery, Set, SetDescription};
use cwnd::{CongestionControl, Conn, RateSample};

/// A window of a hundred segments and 1 Mbit/s: 125 000 bytes/s. Without `rate`, none.
#[derive(Clone, Copy, Debug)]
struct Pac {
    rate: Option<u64>,
}

impl CongestionControl for Pac {
    type Params = ();

    fn init(&mut self, conn: &mut Conn, (): &()) {
        self.cong_control(conn, 0, 0, &RateSample::NONE, &());
    }

    fn ssthresh(&mut self, conn: &mut Conn, (): &()) -> u32 {
        conn.cwnd
    }

    fn cong_avoid(&mut self, _conn: &mut Conn, _ack: u32, _acked: u32, (): &()) {}

    fn has_cong_control(&self) -> bool {
        true
    }

    fn cong_control(&mut self, conn: &mut Conn, _ack: u32, _flags: u32, _: &RateSample, (): &()) {
        conn.cwnd = 100;
        if let Some(rate) = self.rate {
            conn.pacing_rate = rate;
        }
    }
}

impl Custom for Pac {}

impl PluginFactory for Pac {
    fn make(&self, set: usize) -> Option<Box<dyn Custom>> {
        (set == 0).then(|| Box::new(*self) as Box<dyn Custom>)
    }
}

/// Goodput of one flow at 100 Mbit/s and 40 ms, Mbit/s, over twenty seconds.
fn goodput(name: &'static str, rate: Option<u64>, flow: &str) -> f64 {
    let set = Set { name, summary: "", source: "this test", recovery: Recovery::Sack, params: () };
    let maker: &'static Pac = Box::leak(Box::new(Pac { rate }));
    let sets = Box::leak(Box::new([SetDescription::outside(&set, 0, maker)]));
    registry::add(Description::outside(name, "a rate of its own", &[], sets)).expect("a name of its own");
    let outcome = run(&format!(
        "duration = '25s'\nmeasure = ['5s', '25s']\n[link]\nrate = '100Mbit/s'\nrtt = '40ms'\n[[flow]]\ncc = '{name}'\n{flow}"
    ));
    outcome.summary().flows[0].goodput_mbps
}

// 125 000 bytes/s of payload are 86.3 segments/s: 1 Mbit/s, to a segment more or less in twenty seconds (0.06 %).
#[test]
fn one_megabit_per_second_asked_is_one_megabit_per_second_sent() {
    for (name, flow) in [("pac", ""), ("pac-asked", "pacing = true")] {
        let sent = goodput(name, Some(125_000), flow);
        assert!((sent - 1.0).abs() < 0.001, "{name}: {sent} Mbit/s");
    }
}

// 100 segments in 40 ms: 28.96 Mbit/s of payload, unpaced, as in Linux, where nobody derives a rate for such an algorithm.
#[test]
fn without_a_rate_its_window_decides() {
    let sent = goodput("pac-none", None, "");
    assert!((28.7..29.0).contains(&sent), "{sent} Mbit/s");
}
