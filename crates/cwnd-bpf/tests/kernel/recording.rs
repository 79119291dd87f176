// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every call recorded in the kernel, and repeated on the host by the same source.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use cwnd::registry::ALGORITHMS;
use cwnd::replay::{After, Replay};
use cwnd::{Controller, INFINITE_SSTHRESH};
use cwnd_bpf::{CallRecord, Counters, Hook, Load as _, Module, OwnedModule, Recorder};
use cwnd_plugin::controller_words;

use crate::network::{Going, TestNetwork};
use crate::{MEGABYTE, kernel_is_ours, module, none_of, until, until_recorded};

/// How long to wait for a record where there must be one, and between looks at a transfer that runs.
const PATIENCE: Duration = Duration::from_millis(200);

/// Moves `bytes` on `module` and returns every call of the transfer.
pub fn record(
    module: &Module,
    kernel_name: &str,
    network: &TestNetwork,
    bytes: u64,
) -> Result<Vec<CallRecord>, String> {
    let loaded = module.load_recording(kernel_name, 1 << 24).map_err(|why| why.to_string())?;
    record_on(loaded, |name| assert_eq!(network.transfer(name, bytes).received, bytes))
}

/// Every call of what was loaded during `traffic`, which is given its name in the kernel.
pub fn record_on(
    loaded: (OwnedModule, Recorder),
    traffic: impl Fn(&str) + Sync,
) -> Result<Vec<CallRecord>, String> {
    record_with(loaded, traffic).map(|(records, _)| records)
}

/// The same, and the counters afterwards.
pub fn record_with(
    (loaded, mut recorder): (OwnedModule, Recorder),
    traffic: impl Fn(&str) + Sync,
) -> Result<(Vec<CallRecord>, Counters), String> {
    let mut records = Vec::new();
    thread::scope(|scope| {
        let traffic = scope.spawn(|| traffic(loaded.name()));
        while !traffic.is_finished() {
            records.extend(recorder.take(PATIENCE).expect("records"));
        }
        traffic.join().expect("traffic");
    });
    take_rest(&loaded, &mut recorder, &mut records);
    let counters = loaded.counters().expect("counters");
    match counters.lost() {
        0 => Ok((records, counters)),
        lost => Err(format!("{lost} records lost")),
    }
}

/// Takes what the kernel has recorded and nobody has taken yet.
fn take_rest(loaded: &OwnedModule, recorder: &mut Recorder, records: &mut Vec<CallRecord>) {
    until_recorded("every record", recorder, |more| {
        records.extend(more);
        records.len() as u64 >= loaded.counters().expect("counters").recorded()
    });
}

/// Differences, and the first in words.
pub fn replay(records: &[CallRecord], controller: Controller) -> (u64, Option<String>) {
    let mut replay = Replay::new(controller, Some(controller_words));
    let mut first = None;
    for record in records {
        if let Some(difference) = replay.step(&record.row)
            && first.is_none()
        {
            first = Some(format!(
                "call {}, {:?}: on the host {difference}; before: {:?}",
                record.seq, record.row.call, record.row.before
            ));
        }
    }
    let calls = records.len() as u64;
    assert_eq!((replay.calls(), replay.pacing_compared()), (calls, calls));
    // The kernel's own modules have another layout.
    let ours = records.iter().filter(|record| record.row.after.state.is_some()).count() as u64;
    assert_eq!(replay.states_compared(), ours);
    (replay.differences(), first)
}

/// What is wrong with the records themselves: order, one connection, private state as the call before left it.
fn incoherent(records: &[CallRecord]) -> Option<String> {
    let Some(last) = records.last() else { return Some("no calls".to_owned()) };
    // Linux shows a module the handshake's acknowledgement before it calls its `init`.
    let Some(init) = records.iter().take(3).find(|record| record.row.call.hook() == Hook::Init) else {
        return Some(format!("begins with {:?}", records.iter().take(3).collect::<Vec<_>>()));
    };
    if init.row.before.ssthresh != INFINITE_SSTHRESH || init.row.before.cwnd != 10 {
        return Some(format!("begins with {:?}", init.row.before));
    }
    if last.row.before.snd_una.wrapping_sub(init.row.before.snd_una) < MEGABYTE as u32 {
        return Some(format!("ends with {:?}", last.row.before));
    }
    records.iter().zip(records.iter().skip(1)).find_map(|(before, after)| {
        let is_next = after.seq == before.seq + 1 && after.connection == before.connection;
        let is_same = before.state_after == after.state_before;
        let goes_on = before.row.before.now_us <= after.row.before.now_us;
        (!(is_next && is_same && goes_on)).then(|| format!("{before:?} is followed by {after:?}"))
    })
}

#[test]
fn kernel_and_host_compute_the_same_on_every_parameter_set() {
    if !kernel_is_ours() {
        return;
    }
    let network = TestNetwork::new("replay", "200mbit", 30);
    let mut failures = Vec::new();
    let (mut calls, mut repaired) = (0, 0);
    for set in ALGORITHMS.iter().flat_map(|algorithm| algorithm.sets()) {
        let module = module(set.name);
        let records = match record(&module, "cwnd_replay", &network, 5 * MEGABYTE) {
            Ok(records) => records,
            Err(why) => {
                failures.push(format!("{}: {why}", set.name));
                continue;
            }
        };
        calls += records.len();
        failures.extend(incoherent(&records).map(|why| format!("{}: {why}", set.name)));
        if !records.iter().any(|record| record.row.call.hook() == Hook::Ssthresh) {
            failures.push(format!("{}: no loss", set.name));
        }
        // Where the kernel leaves a program out by itself (docs/adr/0007), the glue's call in its place is repeated like any call.
        repaired += records.iter().filter(|record| record.repaired).count();
        let (differences, first) = replay(&records, module.controller());
        if let Some(first) = first {
            failures.push(format!("{}: {differences} of {} differ; {first}", set.name, records.len()));
        }
    }
    println!("{calls} calls, {repaired} of them made up");
    none_of(&failures);
}

// The negative control: window, threshold, progress and result of every call are the kernel's own.
#[test]
fn a_state_of_which_one_byte_is_another_and_another_pace_are_reported_though_the_window_agrees() {
    if !kernel_is_ours() {
        return;
    }
    let network = TestNetwork::new("byte", "200mbit", 30);
    let module = module("cubic");
    let mut records = record(&module, "cwnd_byte", &network, MEGABYTE).expect("recorded");
    let last = records.len() - 1;
    assert_eq!(replay(&records, module.controller()), (0, None));
    let true_after = records[last].row.after;
    // The first word of CUBIC's state is progress in the present epoch: no padding.
    let mut state = true_after.state.expect("ours");
    state[0] ^= 0x0100_0000;
    records[last].row.after.state = Some(state);
    let (differences, first) = replay(&records, module.controller());
    assert!(
        differences == 1 && first.as_ref().is_some_and(|first| first.contains("on the host state byte 3 ")),
        "{first:?}"
    );
    let (rate, status) = true_after.pacing.expect("recorded");
    records[last].row.after = After { pacing: Some((rate ^ 1, status)), ..true_after };
    let (differences, first) = replay(&records, module.controller());
    assert!(
        differences == 1 && first.as_ref().is_some_and(|first| first.contains("on the host pacing_rate ")),
        "{first:?}"
    );
}

#[test]
fn connections_at_the_same_time_are_told_apart() {
    if !kernel_is_ours() {
        return;
    }
    let networks = ["left", "right"].map(|tag| TestNetwork::new(tag, "100mbit", 30));
    let module = module("cubic");
    let loaded = module.load_recording("cwnd_both", 1 << 24).expect("loaded");
    let (loaded, mut recorder) = loaded;
    let mut records: Vec<CallRecord> = Vec::new();
    let changes = |records: &[CallRecord]| {
        records.windows(2).filter(|pair| pair[0].connection != pair[1].connection).count()
    };
    // Both send until their calls have come in turn a hundred times.
    thread::scope(|scope| {
        let going = Going::new();
        for network in &networks {
            let more = Arc::clone(&going.0);
            let name = loaded.name();
            scope.spawn(move || network.transfer_while(name, &more));
        }
        let mut turns = 0;
        until_recorded("a hundred turns of the two connections", &mut recorder, |more| {
            // Of what is new alone, with the record before it.
            let seen = records.len().saturating_sub(1);
            records.extend(more);
            turns += changes(records.get(seen..).unwrap_or_default());
            turns > 100
        });
        drop(going);
        until_recorded("the end of both connections", &mut recorder, |more| {
            records.extend(more);
            loaded.counters().expect("counters").calls(Hook::Release) >= 2
        });
    });
    take_rest(&loaded, &mut recorder, &mut records);
    assert_eq!(loaded.counters().expect("counters").lost(), 0);
    for connection in 0..2 {
        let own: Vec<_> = records.iter().filter(|record| record.connection == connection).cloned().collect();
        assert!(own.len() > 50, "{} calls of connection {connection}", own.len());
        assert_eq!(replay(&own, module.controller()), (0, None));
    }
    // Together they are no record of one connection.
    assert!(replay(&records, module.controller()).0 > 0);
}

// The records say the kernel's own rate of ticks, where its configuration is published to compare it with.
#[test]
fn the_tick_rate_in_records_is_the_kernels() {
    if !kernel_is_ours() {
        return;
    }
    let config = std::process::Command::new("zcat").arg("/proc/config.gz").output().expect("zcat");
    let config = String::from_utf8_lossy(&config.stdout).into_owned();
    let rate = config.lines().find_map(|line| line.strip_prefix("CONFIG_HZ=")?.parse::<u32>().ok());
    let network = TestNetwork::new("ticks", "200mbit", 30);
    for set in ["cubic", "reno"] {
        let records = record(&module(set), "cwnd_ticks", &network, MEGABYTE / 10).expect("recorded");
        let said = records.first().expect("records").row.before.tick_hz;
        println!("{set}: {said} Hz; the configuration says {rate:?}");
        assert!(rate.map_or(said > 0, |rate| rate == said), "{said}");
    }
}

#[test]
fn what_finds_no_room_is_counted() {
    if !kernel_is_ours() {
        return;
    }
    let network = TestNetwork::new("room", "200mbit", 30);
    // One page holds a handful of records, and nobody takes them out.
    let (loaded, mut recorder) = module("reno").load_recording("cwnd_room", 1).expect("loaded");
    // Until more calls than the ring has room for are lost.
    thread::scope(|scope| {
        let going = Going::new();
        let more = Arc::clone(&going.0);
        let transfer = scope.spawn(|| network.transfer_while("cwnd_room", &{ more }));
        until("a hundred records that find no room", || {
            let counters = loaded.counters().expect("counters");
            assert!(!transfer.is_finished(), "it ended: {counters}");
            counters.lost() > 100
        });
        drop(going);
    });
    let counters = loaded.counters().expect("counters");
    let records = recorder.take(PATIENCE).expect("records");
    assert_eq!(records.len() as u64, counters.recorded());
    assert!((4..12).contains(&records.len()), "{} records in 4096 bytes", records.len());
    assert_eq!(counters.recorded() + counters.lost(), counters.all_calls());
}
