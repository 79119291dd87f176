// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel object of an algorithm from outside the tree.
//!
//! `tests/python/plugin/test_plugin_kernel.py` makes the crate with `cwnd new`, the object with `cwnd build-kernel`, and then runs this
//! with the object's file in `CWND_OBJECT` and the values of its parameters, separated by commas, in `CWND_PARAMS`.

use std::path::Path;
use std::time::Instant;

use cwnd::CaState;
use cwnd_bpf::{Error, Hook, Load as _, ObjectFile};

use crate::network::{TestNetwork, run};
use crate::{MEGABYTE, registered};

fn open(file: &Path) -> ObjectFile {
    ObjectFile::open(file).unwrap_or_else(|why| panic!("{why}"))
}

const NAME: &str = "cwnd_own";

#[test]
#[ignore = "needs an object, which tests/python/plugin/test_plugin_kernel.py builds"]
fn an_algorithm_from_outside_the_tree_carries_20_mb_through_losses_and_leaves_nothing_behind() {
    let object = std::env::var_os("CWND_OBJECT").expect("CWND_OBJECT names an object");
    let params = std::env::var("CWND_PARAMS").expect("CWND_PARAMS lists its parameters");
    let network = TestNetwork::new("own", "200mbit", 30);
    {
        let loaded = open(object.as_ref()).load(NAME).unwrap_or_else(|why| panic!("{why}"));
        assert!(registered().contains(&NAME.to_owned()));
        let values: Vec<_> = loaded.params().expect("parameters").iter().map(u32::to_string).collect();
        assert_eq!(values.join(","), params);

        let transfer = network.transfer(NAME, 20 * MEGABYTE);
        let counters = loaded.counters().expect("counters");
        println!("{NAME}: {counters}\n{}", transfer.info.trim_end());
        assert_eq!(transfer.received, 20 * MEGABYTE);
        assert_eq!(transfer.congestion, NAME);
        assert!(transfer.info.contains(NAME), "TCP_INFO names another algorithm: {}", transfer.info);
        assert_eq!(counters.calls(Hook::Init), 1);
        assert!(counters.calls(Hook::Ssthresh) >= 1);
        assert!(counters.entered(CaState::Recovery) >= 1);
        assert!(counters.calls(Hook::CongAvoid) > 50);
    }
    assert!(!registered().contains(&NAME.to_owned()), "{NAME} is left in the kernel");
    let prefix = network.prefix().to_owned();
    drop(network);
    assert!(!run("ip netns list").contains(&prefix), "a namespace is left");
}

#[test]
#[ignore = "needs an object, which tests/python/plugin/test_plugin_kernel.py builds"]
fn an_algorithm_that_steers_by_itself_is_called_in_every_state() {
    let object = std::env::var_os("CWND_OBJECT").expect("CWND_OBJECT names an object");
    let network = TestNetwork::new("steer", "200mbit", 30);
    let loaded = open(object.as_ref()).load("cwnd_steer").unwrap_or_else(|why| panic!("{why}"));
    let transfer = network.transfer("cwnd_steer", 20 * MEGABYTE);
    let counters = loaded.counters().expect("counters");
    println!("{counters}");
    assert_eq!((transfer.received, transfer.congestion.as_str()), (20 * MEGABYTE, "cwnd_steer"));
    assert!(counters.calls(Hook::CongControl) > 50);
    assert_eq!(counters.calls(Hook::CongAvoid), 0, "the kernel calls one or the other");
    assert!(counters.calls(Hook::Ssthresh) >= 1 && counters.entered(CaState::Recovery) >= 1);
    // This kernel takes one of the two programs, and the other is not in it.
    let costs = loaded.costs().expect("costs");
    assert_eq!(costs.iter().filter(|cost| cost.hook == Hook::CongControl).count(), 1);
}

/// The rate of the object, bytes/s.
const RATE: f64 = 125_000.0;

// 0.75 MB at 125 000 bytes/s are 6 s. Linux sends the first ten segments without pacing, and makes up for a late timer by
// sooner ones; the path itself would take 0.06 s. A machine that is busy can only be later.
//
// An exception among these tests: the bound from below judges real time. The kernel says at which rate it is to pace
// (`pacing_rate`, compared exactly) and how much it has sent, but that it sent so much at that rate is a matter of its timer, and
// no number of its own tells a late timer from a low rate. Hence five tries, 30 s, of which one has to come within a tenth.
#[test]
#[ignore = "needs an object, which tests/python/plugin/test_plugin_kernel.py builds"]
fn one_megabit_per_second_asked_is_one_megabit_per_second_sent() {
    let object = std::env::var_os("CWND_OBJECT").expect("CWND_OBJECT names an object");
    let network = TestNetwork::new("pac", "100mbit", 100);
    let _loaded = open(object.as_ref()).load("cwnd_pac").unwrap_or_else(|why| panic!("{why}"));
    // Never faster, whatever the machine does; as fast at least once.
    let mut fastest: f64 = 0.0;
    for _ in 0..5 {
        #[expect(clippy::disallowed_methods, reason = "a real transfer takes real time")]
        let begun = Instant::now();
        let transfer = network.transfer("cwnd_pac", 750_000);
        let rate = 750_000.0 / begun.elapsed().as_secs_f64();
        println!("{rate:.0} bytes/s\n{}", transfer.info);
        assert_eq!((transfer.received, transfer.congestion.as_str()), (750_000, "cwnd_pac"));
        assert!(transfer.info.contains(" pacing_rate 1000000bps "), "{}", transfer.info);
        assert!(rate < 1.05 * RATE, "{rate:.0} bytes/s");
        fastest = fastest.max(rate);
        if fastest > 0.9 * RATE {
            break;
        }
    }
    assert!(fastest > 0.9 * RATE, "{fastest:.0} bytes/s");
}

#[test]
#[ignore = "needs an object, which tests/python/plugin/test_plugin_kernel.py builds"]
fn an_object_is_loaded_from_the_bytes_that_were_looked_through() {
    let object = std::env::var_os("CWND_OBJECT").expect("CWND_OBJECT names an object");
    let file = std::env::temp_dir().join(format!("cwnd-own-{}.bpf.o", std::process::id()));
    std::fs::copy(object, &file).expect("copied");
    let opened = open(&file);
    // Whatever lies there now is not read any more.
    std::fs::write(&file, "something else").expect("written");
    let loaded = opened.load("cwnd_once");
    std::fs::remove_file(&file).expect("removed");
    let loaded = loaded.unwrap_or_else(|why| panic!("{why}"));
    assert!(registered().contains(&"cwnd_once".to_owned()));
    drop(loaded);
}

#[test]
fn a_file_that_is_no_object_is_refused() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let error = ObjectFile::open(file.as_ref()).expect_err("no object");
    assert!(matches!(error, Error::Foreign(..)), "{error}");
}
