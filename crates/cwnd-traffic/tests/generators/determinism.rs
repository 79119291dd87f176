// SPDX-License-Identifier: MIT OR Apache-2.0
//! Same seed, same traffic, whatever else happens.

use crate::driver::{LINK, SECOND, SourceLog, group, groups, run, sources};
use cwnd_scenario::traffic::PRESETS;
use cwnd_traffic::{SourceEvent, TrafficGroup};

fn preset(name: &str) -> TrafficGroup {
    TrafficGroup::new(&groups(&format!("[[traffic]]\npreset = '{name}'"))[0].group_config(), LINK)
}

fn sizes(trace: &SourceLog) -> Vec<Vec<Option<u64>>> {
    let size = |event: &SourceEvent| match event {
        SourceEvent::Start(transfer) => transfer.bytes,
        _ => None,
    };
    trace.iter().map(|source| source.iter().map(size).collect()).collect()
}

#[test]
fn every_preset_repeats_and_changes_with_the_seed() {
    for name in PRESETS.iter().map(|preset| preset.name) {
        let once = run(&preset(name), 7, 20 * SECOND, |_| SECOND / 10);
        assert_eq!(once, run(&preset(name), 7, 20 * SECOND, |_| SECOND / 10), "{name}");
        assert_ne!(once.1, run(&preset(name), 8, 20 * SECOND, |_| SECOND / 10).1, "{name}");
        assert!(once.1.iter().any(|source| !source.is_empty()), "{name}");
    }
}

// Sessions with pages of several objects that overlap: the network's speed moves times, never sizes.
#[test]
fn sizes_do_not_depend_on_how_long_transfers_take() {
    for from in ["start", "finish"] {
        let group = group(&format!(
            "model = 'sessions'\nsessions = 20\nobjects = {{ kind = 'uniform', min = 1, max = 9 }}\nobject_gap = '10ms'\nobject_gap_from = '{from}'"
        ));
        let fast = sizes(&run(&group, 3, 100 * SECOND, |_| 1).1);
        let slow = sizes(&run(&group, 3, 100 * SECOND, |transfer| transfer.bytes.unwrap_or(0) * 20_000).1);
        for (source, (fast, slow)) in fast.iter().zip(&slow).enumerate() {
            let common = fast.len().min(slow.len());
            assert!(common > 20, "source {source}: {common}");
            assert_eq!(fast[..common], slow[..common], "source {source}");
        }
        assert_ne!(fast[0][..20], fast[1][..20]);
    }
}

// One source alone, and all of them in turn: the same sequence.
#[test]
fn a_source_does_not_see_the_others() {
    let group = preset("surge");
    let mut alone = sources(&group, 5, 0);
    let expected: Vec<SourceEvent> = (0..1000).map(|_| alone[0].next(&group)).collect();
    let other = preset("ha2008");
    let (mut mine, mut others) = (sources(&group, 5, 0), sources(&other, 5, 1));
    for event in expected {
        for source in &mut others {
            let _ = source.next(&other);
        }
        assert_eq!(mine[0].next(&group), event);
    }
}

// The same numbers for two groups of a scenario would be the same traffic twice.
#[test]
fn groups_of_one_scenario_differ() {
    let group = preset("leith2007-fig4");
    let first = |number: u32| sources(&group, 1, number)[0].next(&group);
    assert_ne!(first(0), first(1));
}

/// FNV-1a over the Debug text of events of every preset, with the type names that it had when this was taken. Seen in debug and release builds for x86-64, and in one for wasm32.
const DIGEST: u64 = 0x1b5f_1075_1012_4320;

#[test]
fn the_numbers_are_the_same_everywhere() {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for name in PRESETS.iter().map(|preset| preset.name) {
        let group = preset(name);
        for mut source in sources(&group, 1, 0).into_iter().take(4) {
            for _ in 0..250 {
                let event = source.next(&group);
                let finish = if event == SourceEvent::Wait { source.finished(&group, SECOND) } else { event };
                let text = format!("{event:?}{finish:?}")
                    .replace("Datagram {", "Packet {")
                    .replace("connection: New", "fresh: true")
                    .replace("connection: Last", "fresh: false");
                for byte in text.bytes() {
                    hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
                }
            }
        }
    }
    assert_eq!(hash, DIGEST, "{hash:#x}");
}
