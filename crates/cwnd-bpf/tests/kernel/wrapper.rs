// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's own algorithms, recorded by a wrapper around their functions, and repeated by our `-linux` sets.

use cwnd::Controller;
use cwnd_bpf::{Record, Wrapper};

use crate::network::Network;
use crate::recording::{record_on, replay};
use crate::{MEGABYTE, kernel_is_ours};

/// What the glue made of the kernel's fields, where the two disagree.
fn mistaken(record: &Record) -> Option<String> {
    let (core, kernel) = (&record.row.before, &record.kernel);
    let in_flight = kernel.packets_out - kernel.sacked_out - kernel.lost_out + kernel.retrans_out;
    let min_rtt_us = if kernel.rtt_min_us == u32::MAX { 0 } else { kernel.rtt_min_us };
    let agree = core.packets_out == kernel.packets_out
        && core.in_flight == in_flight
        && core.min_rtt_us == min_rtt_us
        && core.tick_hz > 0;
    (!agree).then(|| format!("{core:?} of {kernel:?}"))
}

#[test]
fn the_kernels_own_algorithms_are_recorded_and_repeated_without_a_difference() {
    if !kernel_is_ours() {
        return;
    }
    let network = Network::new("wrapper", "200mbit", 30);
    for (name, set) in [("cubic", "cubic-linux"), ("reno", "reno-linux")] {
        let kernel_name = format!("cwnd_w_{name}");
        let wrapper = Wrapper::find(name).expect("a wrapper");
        let loaded =
            wrapper.load_recording(&kernel_name, 1 << 24).unwrap_or_else(|why| panic!("{name}: {why}"));
        let records = record_on(loaded, std::slice::from_ref(&network), 10 * MEGABYTE).expect("records");
        let (differences, first) = replay(&records, Controller::by_name(set).expect("registered"));
        println!("{name}: {} calls", records.len());
        assert_eq!((differences, first), (0, None), "{name}");
        assert_eq!(records.iter().find_map(mistaken), None, "{name}");
        // A replay that could not fail would not have failed: another algorithm differs.
        let other = Controller::by_name("scalable-linux").expect("registered");
        assert!(replay(&records, other).0 > 0, "{name}");
    }
}
