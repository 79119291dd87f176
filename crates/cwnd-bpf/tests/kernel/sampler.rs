// SPDX-License-Identifier: MIT OR Apache-2.0
//! Senders of a namespace, seen from outside their algorithms at every acknowledgement.

use std::time::Duration;

use cwnd::Controller;
use cwnd_bpf::{Load as _, Module, SampleCause, SampledState, StateSampler};
use cwnd_plugin::controller_of_words;

use crate::network::TestNetwork;
use crate::{MEGABYTE, kernel_is_ours};

const RING: u32 = 1 << 26;

/// What a transfer on `algorithm` looks like, sample by sample.
fn samples(tag: &str, algorithm: &str) -> Vec<SampledState> {
    let network = TestNetwork::new(tag, "50mbit", 30);
    let mut sampler = StateSampler::attach(network.senders_number(), 5001..5002, RING).expect("attached");
    let mut other_port = StateSampler::attach(network.senders_number(), 5002..5003, 1).expect("attached");
    let mut other_namespace = StateSampler::attach(1, 5001..5002, 1).expect("attached");
    network.transfer(algorithm, 10 * MEGABYTE);
    let samples = sampler.take().expect("samples");
    assert_eq!(sampler.lost().expect("a count"), 0);
    let of = |cause| samples.iter().filter(|sample| sample.cause == cause).count();
    assert_eq!((of(SampleCause::Begin), of(SampleCause::End)), (1, 1));
    assert!(of(SampleCause::Acknowledgement) > 300, "{} samples", samples.len());
    assert!(
        samples.iter().all(|sample| sample.algorithm() == algorithm && sample.kernel.remote_port == 5001)
    );
    for other in [&mut other_port, &mut other_namespace] {
        assert_eq!((other.take().expect("samples"), other.lost().expect("a count")), (vec![], 0));
    }
    samples
}

/// Values of the inner variables of the algorithm in these samples.
fn values(samples: &[SampledState], name: &str, read: impl Fn(&SampledState) -> Controller) -> Vec<u64> {
    let shown = |sample: &SampledState| {
        let info = read(sample).info(&sample.conn);
        info.named().find(|(known, _)| *known == name).map(|(_, value)| value).expect("a variable")
    };
    samples.iter().map(shown).collect()
}

// 717/1024 of the window at the loss; K of the curve from there: the cube root of what is missing to the plateau, by 0.4, in 1/1024 s. The kernel's root
// is within 0.2 %.
#[test]
fn the_private_area_of_the_kernels_cubic_is_read() {
    if !kernel_is_ours() {
        return;
    }
    let host = Controller::by_name("cubic-linux").expect("a set");
    let samples = samples("samplecubic", "cubic");
    let of = |name: &str| values(&samples, name, |sample| host.with_words(&sample.state).expect("a layout"));
    let (last_max, origin, k) = (of("last_max"), of("origin"), of("k_s_x1024"));
    let epochs = of("epoch_start_ticks");
    let mut begun = 0;
    for (place, pair) in epochs.windows(2).enumerate().filter(|(_, pair)| pair[0] == 0 && pair[1] != 0) {
        let now = &samples[place + 1];
        assert!(pair[1] <= u64::from(now.conn.ticks));
        // The window may have grown by one since.
        let missing = |window: u32| last_max[place + 1].saturating_sub(u64::from(window));
        let seconds = |missing: u64| (missing as f64 / 0.4).cbrt() * 1024.0;
        let bounds = (seconds(missing(now.conn.cwnd)), seconds(missing(now.conn.cwnd - 1)));
        let k = k[place + 1] as f64;
        assert!(k > bounds.0 * 0.995 - 2.0 && k < bounds.1 * 1.005 + 2.0, "{k} ms/1.024, not {bounds:?}");
        assert!(origin[place + 1] >= u64::from(now.conn.cwnd) - 1);
        begun += 1;
    }
    assert!(begun > 3, "{begun} epochs");
}

// Only hooks change the area: what a sample has is what a call has left, in the order of the calls. The host reads the same variables of it.
#[test]
fn the_private_area_of_an_algorithm_of_ours_is_what_its_last_call_left() {
    if !kernel_is_ours() {
        return;
    }
    let module = Module::find("cubic").expect("a set");
    let (loaded, mut recorder) = module.load_recording("cwnd_sampled", RING).expect("loaded");
    let samples = samples("sampleours", "cwnd_sampled");
    let calls = recorder.take(Duration::ZERO).expect("calls");
    drop(loaded);
    let mut calls = calls.iter().peekable();
    // At the first the algorithm has not begun.
    for sample in &samples[1..] {
        while calls.peek().is_some_and(|call| call.state_after != sample.state) {
            calls.next();
        }
        assert!(calls.peek().is_some(), "no call has left {:?}", sample.state);
    }
    let host = module.controller();
    let of = |name: &str| {
        values(&samples, name, |sample| controller_of_words(&host, &sample.state).expect("of the registry"))
    };
    let largest = samples.iter().map(|sample| u64::from(sample.conn.cwnd)).max().expect("samples");
    let last = *of("w_max").last().expect("samples");
    assert!(last > 0 && last <= largest, "w_max {last}, windows up to {largest}");
}

// A page holds ten records or so, and nobody takes them out.
#[test]
fn records_that_find_no_room_are_counted() {
    if !kernel_is_ours() {
        return;
    }
    let network = TestNetwork::new("sampleroom", "50mbit", 30);
    let mut sampler = StateSampler::attach(network.senders_number(), 5001..5002, 1).expect("attached");
    network.transfer("cubic", 5 * MEGABYTE);
    let (lost, taken) = (sampler.lost().expect("a count"), sampler.take().expect("samples").len());
    assert!(lost > 10 && (5..20).contains(&taken), "{lost} lost, {taken} taken");
}
