// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parameters of the caller's own reach the kernel.

use crate::network::TestNetwork;
use crate::recording::{record, replay};
use crate::{MEGABYTE, kernel_is_ours, module};

const OWN: [(&str, &str); 3] = [("beta", "0.6"), ("c", "4"), ("fast_convergence", "false")];

#[test]
fn calls_on_own_values_replay_with_them_and_not_with_the_defaults() {
    if !kernel_is_ours() {
        return;
    }
    // Round trips of 30 to 80 ms, on which C matters more than the friendliness to Reno.
    let network = TestNetwork::new("values", "12mbit", 200);
    let mut changed = module("cubic");
    for (name, value) in OWN {
        changed.set(name, value).expect("accepted");
    }
    let records = record(&changed, "cwnd_values", &network, 12 * MEGABYTE).expect("recorded");
    let (differences, first) = replay(&records, changed.controller());
    assert_eq!((differences, first), (0, None));
    // And each of the three matters by itself.
    for left_out in [&OWN[..], &OWN[0..1], &OWN[1..2], &OWN[2..3]] {
        let mut other = module("cubic");
        for (name, value) in OWN.iter().filter(|value| !left_out.contains(value)) {
            other.set(name, value).expect("accepted");
        }
        let (differences, _) = replay(&records, other.controller());
        println!("{left_out:?} left at the defaults: {differences} of {} calls differ", records.len());
        assert!(differences > 0, "{left_out:?}");
    }
}

#[test]
fn a_parameter_that_there_is_not_is_refused_with_a_near_one() {
    let error = module("cubic").set("bata", "0.6").expect_err("no such parameter").to_string();
    assert!(error.starts_with("bata: 0.6 ") && error.contains("did you mean beta"), "{error}");
}

#[test]
fn a_value_that_is_malformed_or_out_of_range_is_refused_and_changes_nothing() {
    let mut cubic = module("cubic");
    for (name, value, expected) in [
        ("beta", "much", "a decimal from 0.1 to 0.99"),
        ("beta", "1.5", "a decimal from 0.1 to 0.99"),
        ("fast_convergence", "yes", "true or false"),
        ("slow_start", "fast", "one of standard, "),
    ] {
        let error = cubic.set(name, value).expect_err(value).to_string();
        assert!(error.starts_with(&format!("{name}: {value} ")) && error.contains(expected), "{error}");
    }
    assert!(cubic.controller().is_same(&module("cubic").controller()));
}
