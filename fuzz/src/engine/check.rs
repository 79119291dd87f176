// SPDX-License-Identifier: MIT OR Apache-2.0
//! The invariants of the engine, checked for one scenario.
//!
//! Panics are failures, too. Build with debug assertions and overflow checks, so that the crates' own checks count.

use crate::engine::relations::idle_changes_nothing;
use cwnd_link::Limit;
use cwnd_scenario::{ActionKind, CapturedHosts, Invalid, Scenario};
use cwnd_sim::{PacketLocations, Simulation, Tables};
use std::fmt;

/// The outcome of a scenario that broke no promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It is not valid.
    Refused(Invalid),
    /// It ran to its end, or up to the max number of events.
    Ran {
        /// Number of events, rounded up to the interval of the audits.
        events: u64,
        /// Whether it reached its end.
        over: bool,
    },
}

/// Promises of a run. The engine is responsible for all, except where an algorithm can break one by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimulationPromise {
    /// Packets are conserved, time advances, queues and links keep their limits, every number is finite, and the engine's ways give the same result
    /// where all algorithms are built in. Only the engine can break it.
    SoundSimulation,
    /// Two runs of one scenario are the same, whatever way the engine goes. State outside of an algorithm's struct breaks it.
    SimulationRepeats,
    /// Window and threshold are at least one segment. An algorithm that sets less breaks it.
    NeverBelowItsFloor,
}

impl SimulationPromise {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::SoundSimulation, Self::SimulationRepeats, Self::NeverBelowItsFloor];

    /// Its name, as `cwnd check --except` takes it.
    #[must_use]
    pub fn name(self) -> String {
        format!("{self:?}")
    }

    /// What it promises, for display.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::SoundSimulation => {
                "a simulation conserves packets, keeps time and limits, and does not panic"
            }
            Self::SimulationRepeats => {
                "two runs of a scenario are the same: an algorithm has no state but its own"
            }
            Self::NeverBelowItsFloor => "the window is at least one segment, and so is the threshold",
        }
    }
}

/// A broken promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Which.
    pub promise: SimulationPromise,
    /// How.
    pub words: String,
}

impl Broken {
    /// Whether cwnd is at fault, whatever the algorithm did.
    #[must_use]
    pub fn of_cwnd(&self) -> bool {
        self.promise == SimulationPromise::SoundSimulation
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

/// A message of an audit of the engine, or its panic.
impl From<String> for Broken {
    fn from(words: String) -> Self {
        Self { promise: SimulationPromise::SoundSimulation, words }
    }
}

/// A way of the engine, and how a run by it goes.
type Way = (fn(Simulation) -> Simulation, &'static str);

/// Max number of events of a run. The checks apply up to there.
const MOST_EVENTS: u64 = 60_000;
/// After this many events at one instant that move no packet, time is taken to stand still.
const STILL: u64 = 40_000;

/// Runs the scenario `text` (TOML) four times: with an audit after every `distance` events, by the engine's general path, without time slices, and on two threads. A fifth time its packets are captured where they were not before, and an idle flow and an idle link are added. With an
/// algorithm that is not built in, it runs once more as the first time.
///
/// # Errors
/// What promise was broken, and how.
pub fn check(text: &str, distance: u64) -> Result<Outcome, Broken> {
    let scenario = match Scenario::from_toml(text) {
        Ok(scenario) => scenario,
        Err(invalid) => return Ok(Outcome::Refused(invalid)),
    };
    reads_back(&scenario)?;
    let mut first = Simulation::new(&scenario);
    let (events, over) = audited(&mut first, distance)?;
    if !over {
        first.step_to(first.now());
    }
    // A capture changes nothing: the fifth run has one where the first has none.
    let captured = match scenario.record.packets {
        CapturedHosts::None => CapturedHosts::Both,
        _ => CapturedHosts::None,
    };
    // The summary has floating point numbers: their texts differ if the last bit differs.
    let summary = format!("{:?}", first.summary());
    let agrees = |second: Simulation, how: &str| agrees(second, (&first, &summary, over), how);
    // Hooks of different flows come in another order by another way, so an algorithm whose flows share state gives another result. Those that are built
    // in share none: there it is the engine's fault.
    let has_custom = first.has_custom_algorithms();
    let promise =
        if has_custom { SimulationPromise::SimulationRepeats } else { SimulationPromise::SoundSimulation };
    let blame = |words: String| Broken { promise, words };
    let ways: [Way; 4] = [
        (|same| same, "of the same kind"),
        (Simulation::without_trains, "by the general path"),
        (Simulation::without_time_slices, "without time slices"),
        (|on_threads| on_threads.with_threads(2), "on two threads"),
    ];
    for (way, how) in ways.into_iter().skip(usize::from(!has_custom)) {
        // Built when it runs: `init` may write what all share.
        agrees(way(Simulation::new(&scenario)), how).map_err(blame)?;
    }
    if over {
        idle_changes_nothing(&scenario.with_packets(captured), &first).map_err(blame)?;
    }
    finite(&summary)?;
    orderly(first.tables(), &first, scenario.duration)?;
    within_capacity(&scenario, &first)?;
    Ok(Outcome::Ran { events, over })
}

/// Runs `second` as far as the first has come: whether both have the same summary and tables. `how` tells in words by which way it goes.
fn agrees(
    mut second: Simulation,
    (first, summary, over): (&Simulation, &str, bool),
    how: &str,
) -> Result<(), String> {
    if over {
        while !second.step(MOST_EVENTS) {}
    } else if second.step_to(first.now()) {
        return Err(format!("at {} ns a run {how} is over, another is not", first.now()));
    }
    if summary != format!("{:?}", second.summary()) || first.tables() != second.tables() {
        return Err(format!("a run {how} differs from another"));
    }
    Ok(())
}

fn reads_back(scenario: &Scenario) -> Result<(), String> {
    for (text, read) in [
        (scenario.to_toml(), Scenario::from_toml(&scenario.to_toml())),
        (scenario.to_json(), Scenario::from_json(&scenario.to_json())),
    ] {
        match read {
            Ok(read) if read == *scenario => {}
            Ok(_) => return Err(format!("it reads back to another scenario:\n{text}")),
            Err(invalid) => return Err(format!("what is printed is refused ({invalid}):\n{text}")),
        }
    }
    Ok(())
}

/// Steps to the end with an audit after every `distance` events; less often with many packets in the network or many transfers, where
/// an audit would take longer than the run.
fn audited(simulation: &mut Simulation, distance: u64) -> Result<(u64, bool), String> {
    let (mut events, mut still) = (0, 0);
    let mut before: Vec<PacketLocations> = simulation.packet_locations();
    loop {
        let then = simulation.now();
        let under_way: u64 = before.iter().map(|flow| flow.queued + flow.propagating).sum();
        let transfers = simulation.tables().transfers.len() as u64;
        let stride = distance.max((under_way + transfers) / 16);
        let over = simulation.step(stride);
        events += stride;
        let now = simulation.now();
        if now < then {
            return Err(format!("time ran back from {then} to {now} ns"));
        }
        let after = simulation.packet_locations();
        still = if now == then && before == after { still + stride } else { 0 };
        if still > STILL && !over {
            return Err(format!("time stands still at {now} ns"));
        }
        for (number, (before, after)) in before.iter().zip(&after).enumerate() {
            conserved(before, after)
                .map_err(|what| format!("flow {number} at {now} ns: {what}: {after:?}"))?;
        }
        if over || events >= MOST_EVENTS {
            return Ok((events, over));
        }
        before = after;
    }
}

/// Every packet is in one place, and no count decreases.
fn conserved(before: &PacketLocations, after: &PacketLocations) -> Result<(), &'static str> {
    let PacketLocations { sent, arrived, at_host, queued, propagating, dropped } = *after;
    let places = [arrived, at_host, queued, propagating, dropped];
    let accounted = places.iter().try_fold(0_u64, |sum, n| sum.checked_add(*n));
    if accounted != Some(sent) {
        return Err("packets are not conserved");
    }
    if sent < before.sent || arrived < before.arrived || dropped < before.dropped {
        return Err("a count fell");
    }
    Ok(())
}

/// No number in a summary's text is infinite or NaN.
fn finite(summary: &str) -> Result<(), String> {
    let mut words = summary.split(|c: char| !c.is_alphanumeric());
    match words.find(|word| ["NaN", "inf"].contains(word)) {
        Some(word) => Err(format!("the summary holds {word}: {summary}")),
        None => Ok(()),
    }
}

/// Times are within the run and do not decrease, counts do not decrease, windows are at least one segment.
fn orderly(tables: &Tables, simulation: &Simulation, end: u64) -> Result<(), Broken> {
    let flows = simulation.flows().len();
    let times: [(&str, Vec<u64>); 5] = [
        ("cwnd", tables.cwnd.iter().map(|row| row.time_ns).collect()),
        ("queue", tables.queue.iter().map(|row| row.time_ns).collect()),
        ("events", tables.events.iter().map(|row| row.time_ns).collect()),
        ("inner", tables.inner.iter().map(|row| row.time_ns).collect()),
        ("transfers", tables.transfers.iter().map(|row| row.start_ns).collect()),
    ];
    for (name, times) in &times {
        if !times.is_sorted() || times.last().is_some_and(|last| *last > end) {
            return Err(format!("the times of the table {name} fall, or lie beyond the end").into());
        }
    }
    if let Some(row) = tables.transfers.iter().find(|row| row.end_ns.is_some_and(|end| end < row.start_ns)) {
        return Err(format!("a transfer ended before it started: {row:?}").into());
    }
    let mut forwarded = vec![0; flows];
    for row in &tables.cwnd {
        let Some(before) = forwarded.get_mut(row.flow as usize) else {
            return Err(format!("a row of a flow that does not exist: {row:?}").into());
        };
        if row.cwnd == 0 || row.ssthresh == 0 {
            let words = format!("no window, or no threshold: {row:?}");
            return Err(Broken { promise: SimulationPromise::NeverBelowItsFloor, words });
        }
        if row.forwarded < *before {
            return Err(format!("a count that falls: {row:?}").into());
        }
        *before = row.forwarded;
    }
    Ok(())
}

/// Links send no more than their rates allow, queues hold no more than their limits, Jain's index is between 1/n and 1.
fn within_capacity(scenario: &Scenario, simulation: &Simulation) -> Result<(), String> {
    let summary = simulation.summary();
    let n = summary.flows.len() as f64;
    if !(1.0 / n - 1e-9..=1.0 + 1e-9).contains(&summary.jain) {
        return Err(format!("Jain's index of {n} flows is {}", summary.jain));
    }
    let (from, to) = scenario.measure;
    let configs = scenario.link_configs();
    for (number, (link, of_link)) in scenario.links.iter().zip(&summary.links).enumerate() {
        // What has no rate has neither a capacity nor a queue.
        let (Some(rate), Some(queue)) = (configs[number].server.rate(), &link.queue) else { continue };
        let buffers = scenario.actions.iter().any(|action| matches!(action.what, ActionKind::Buffer(..)));
        if buffers || !scenario.traffic.is_empty() {
            continue; // other limits and sizes of packets
        }
        let packet = u128::from(scenario.packet_size) * 8_000_000_000;
        // Before the end, `packets` already counts the packets that will leave the first link by the end.
        let able = rate.capacity(0, scenario.duration + 1) / packet;
        // The last packet of a flow with an end may be shorter, as often as it is sent.
        let flows = scenario.expand();
        let ending = flows.iter().zip(&summary.flows).filter(|(flow, _)| flow.group.size.is_some());
        let able = able + ending.map(|(_, flow)| 1 + u128::from(flow.run.retransmits)).sum::<u128>();
        if number == 0 && u128::from(simulation.packets()) > able {
            return Err(format!("{} packets left a link that can send {able}", simulation.packets()));
        }
        // The packet that is being sent when the measured interval begins counts in full, and at a tick, what was sent since the last one.
        // Departures are rounded down: a packet that leaves within the nanosecond after the end counts, too.
        let begin = from.saturating_sub(link.tick.unwrap_or(0));
        let most = (rate.capacity(begin, to + 1) + packet) as f64 / 1e9;
        let used = of_link.utilization.unwrap_or(0.0) * of_link.capacity_mbps.unwrap_or(0.0);
        let sent = used * (to - from) as f64 / 1e3;
        if sent > most * (1.0 + 1e-9) {
            return Err(format!("{sent} bits left a link that can send {most}: {}", link.name));
        }
        // The waiting packets, and the one being sent.
        let room = match link.running_limit(queue.limit, scenario.packet_size) {
            Limit::Packets(packets) => Some(packets + 1),
            Limit::Bytes(_) | Limit::BytesInAll(_) | Limit::Time(_) => None, // of packets of many sizes
        };
        for row in simulation.tables().queue.iter().filter(|row| row.link as usize == number) {
            let size = u64::from(scenario.packet_size);
            if room.is_some_and(|room| row.packets > room) || row.bytes > row.packets.saturating_mul(size) {
                return Err(format!(
                    "a queue with room for {room:?} packets, the front included, holds {row:?}"
                ));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "duration = '1s'\n[link]\nrate = '1Mbit/s'\nrtt = '20ms'\nqueue = { kind = 'droptail', limit = '9packets' }\n[[flow]]\ncc = 'cubic'";

    fn audit() -> PacketLocations {
        PacketLocations { sent: 15, arrived: 1, at_host: 2, queued: 3, propagating: 4, dropped: 5 }
    }

    #[test]
    fn a_sound_run_passes_and_an_invalid_document_is_refused() {
        assert!(matches!(check(SMALL, 7), Ok(Outcome::Ran { over: true, .. })));
        assert!(matches!(check("duration = 1", 7), Ok(Outcome::Refused(_))));
    }

    // Each of these is a fault that the checks have to detect.
    #[test]
    fn a_packet_too_many_and_a_count_that_falls_are_seen() {
        assert_eq!(conserved(&audit(), &audit()), Ok(()));
        assert!(conserved(&audit(), &PacketLocations { at_host: 3, ..audit() }).is_err());
        assert!(conserved(&audit(), &PacketLocations { propagating: u64::MAX, ..audit() }).is_err());
        assert!(conserved(&audit(), &PacketLocations { arrived: 0, at_host: 3, ..audit() }).is_err());
    }

    #[test]
    fn numbers_that_are_none_are_seen() {
        assert_eq!(finite("Summary { a: 1.0, name: \"info\" }"), Ok(()));
        assert!(finite("Summary { a: NaN }").is_err() && finite("Summary { a: -inf, b: 1 }").is_err());
    }

    #[test]
    fn rows_out_of_order_and_windows_of_nothing_are_seen() {
        let mut simulation = Simulation::new(&Scenario::from_toml(SMALL).expect("valid"));
        while !simulation.step(1000) {}
        let sound = simulation.tables().clone();
        let end = 1_000_000_000;
        assert_eq!(orderly(&sound, &simulation, end), Ok(()));
        assert!(orderly(&sound, &simulation, end / 2).is_err());
        let spoil = |how: fn(&mut Tables)| {
            let mut tables = sound.clone();
            how(&mut tables);
            orderly(&tables, &simulation, end)
        };
        // An algorithm can set a window of 0; it cannot change a count.
        let broken = |outcome: Result<(), Broken>| outcome.expect_err("it is spoilt");
        let window = broken(spoil(|tables| tables.cwnd[3].cwnd = 0));
        assert!(window.promise == SimulationPromise::NeverBelowItsFloor && !window.of_cwnd(), "{window}");
        let count = broken(spoil(|tables| tables.cwnd[3].forwarded = 0));
        assert!(count.promise == SimulationPromise::SoundSimulation && count.of_cwnd(), "{count}");
        assert!(spoil(|tables| tables.cwnd[3].flow = 1).is_err());
        assert!(spoil(|tables| tables.events.reverse()).is_err());
        assert!(spoil(|tables| tables.queue.swap(0, 1)).is_err());
    }

    #[test]
    fn more_than_a_link_can_send_is_seen() {
        let scenario = Scenario::from_toml(SMALL).expect("valid");
        let mut simulation = Simulation::new(&scenario);
        while !simulation.step(1000) {}
        assert_eq!(within_capacity(&scenario, &simulation), Ok(()));
        let with = |old: &str, new: &str| Scenario::from_toml(&SMALL.replace(old, new)).expect("valid");
        assert!(within_capacity(&with("1Mbit/s", "900kbit/s"), &simulation).is_err());
        assert!(within_capacity(&with("9packets", "3packets"), &simulation).is_err());
    }
}
