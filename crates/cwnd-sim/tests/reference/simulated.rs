// SPDX-License-Identifier: MIT OR Apache-2.0
//! The same network in the simulator, and what its capture and tables say of the sender.

use crate::network::{LinkSetup, Record, Setup, What};
use cwnd::registry::Recovery;
use cwnd_scenario::Scenario;
use cwnd_sim::{CwndRow, EventKind, Simulation, Tables};
use std::collections::BTreeSet;

fn link(setup: &LinkSetup) -> String {
    let losses: Vec<String> = setup.losses.iter().map(u64::to_string).collect();
    let loss = if losses.is_empty() { String::new() } else { format!("loss = 'at:{}'", losses.join(",")) };
    format!(
        "rate = '{}bit/s', queue = {{ kind = 'droptail', limit = '{}packets' }}{}{loss}",
        setup.rate,
        setup.limit,
        if loss.is_empty() { "" } else { ", " }
    )
}

/// The scenario.
pub fn scenario(setup: &Setup, packets: bool) -> String {
    let reverse = setup.reverse.as_ref().map(|reverse| format!(", reverse = {{ {} }}", link(reverse)));
    let step = setup.forward.step.map(|(from, to, added)| {
        let action = |at: u64, to: u64| format!("[[action]]\ndelay = {{ at = '{at}ns', to = '{to}ns' }}\n");
        action(from, added) + &action(to, 0)
    });
    let (late, seed) = setup.reorder.map_or_else(Default::default, |(permille, extra, seed)| {
        (format!(", reorder = {{ share = {}, extra = '{extra}ns' }}", f64::from(permille) / 1000.0), seed)
    });
    let ssthresh = setup.initial_ssthresh.map(|segments| format!("initial_ssthresh = {segments}\n"));
    format!(
        "duration = '{}ns'\nseed = {seed}\nlink = {{ rtt = '{}ns', {}{}{late} }}\n[record]\ninterval = '0s'\nper_ack = true\n{}\
         [[flow]]\ncc = '{}'\nrecovery = '{}'\n{}handshake = {}\nrwnd = {}\ninitial_cwnd = {}\n{}size = '{}packets'\nack_every = {}\n\
         ack_delay = '{}ns'\nmin_rto = '{}us'\nlimited_transmit = {}\n{}",
        setup.duration,
        setup.rtt,
        link(&setup.forward),
        reverse.unwrap_or_default(),
        if packets { "packets = 'senders'\n" } else { "" },
        setup.cc,
        setup.recovery.name(),
        if setup.recovery == Recovery::Linux { "gso = false\nhost_clock_phase = '0s'\n" } else { "" },
        setup.handshake,
        setup.rwnd,
        setup.initial_cwnd,
        ssthresh.unwrap_or_default(),
        setup.segments,
        setup.ack_every,
        setup.ack_delay,
        setup.min_rto_us,
        setup.limited_transmit,
        step.unwrap_or_default(),
    )
}

/// The packets that the scenario's seed makes late.
pub fn late(setup: &Setup) -> BTreeSet<u64> {
    let scenario = Scenario::from_toml(&scenario(setup, false)).expect("valid");
    let (delay, mut stream) = scenario.link_configs().swap_remove(0).delay;
    let Some(reorder) = delay.reorder else { return BTreeSet::new() };
    (1..20_000).filter(|_| stream.happens(reorder.share)).collect()
}

/// A captured packet.
enum Packet {
    Data(u64),
    Ack(u64, Vec<(u64, u64)>),
}

fn packets(file: &[u8], mss: u32) -> Vec<(u64, Packet)> {
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("four bytes"));
    let (mut at, mut packets) = (0, Vec::new());
    while at < file.len() {
        if word(at) == 6 {
            let time_ns = u64::from(word(at + 12)) << 32 | u64::from(word(at + 16));
            let bytes = &file[at + 28..at + 28 + word(at + 20) as usize];
            let number = |at: usize| {
                let byte = u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
                u64::from((byte - 1) / mss)
            };
            let blocks = if bytes.len() > 52 { 56..56 + usize::from(bytes[55]) - 2 } else { 0..0 };
            let blocks = blocks.step_by(8).map(|at| (number(at), number(at + 4))).collect();
            let packet =
                if bytes[15] == 1 { Packet::Data(number(24)) } else { Packet::Ack(number(28), blocks) };
            packets.push((time_ns, packet));
        }
        at += word(at + 4) as usize;
    }
    packets
}

fn simulate(toml: &str) -> Simulation {
    let scenario = Scenario::from_toml(toml).unwrap_or_else(|error| panic!("{error}\n{toml}"));
    let mut simulation = Simulation::new(&scenario);
    while !simulation.step(1_000_000) {}
    simulation
}

/// Its tables without a capture: packets take another way through the engine then.
pub fn tables(setup: &Setup) -> Tables {
    simulate(&scenario(setup, false)).tables().clone()
}

/// What happened at its sender, and its tables.
pub fn run(setup: &Setup) -> (Vec<Record>, Tables) {
    let mut simulation = simulate(&scenario(setup, true));
    let pieces = simulation.take_packets();
    let captured = pieces.first().map_or_else(Vec::new, |(_, file)| packets(file, setup.mss));
    let tables = simulation.tables().clone();
    let mut rows = tables.cwnd.iter();
    let timeouts = tables.events.iter().filter(|event| event.kind == EventKind::Timeout);
    let mut timeouts = timeouts.peekable();
    let (mut records, mut sent) = (Vec::new(), 0);
    for (time_ns, packet) in captured {
        let is_ack = matches!(packet, Packet::Ack(..));
        while let Some(timeout) =
            timeouts.next_if(|timeout| timeout.time_ns < time_ns || (timeout.time_ns == time_ns && !is_ack))
        {
            let what = What::Timeout { cwnd: timeout.cwnd, ssthresh: timeout.ssthresh };
            records.push(Record { time_ns: timeout.time_ns, what });
        }
        let what = match packet {
            Packet::Data(position) => {
                let again = position < sent;
                sent = sent.max(position + 1);
                What::Sent { position, again }
            }
            Packet::Ack(cumulative, blocks) => {
                let Some(row) = rows.next() else { break };
                assert_eq!(row.time_ns, time_ns, "a row for each acknowledgement");
                let &CwndRow { cwnd, ssthresh, srtt_us8, in_flight, ca_state: state, .. } = row;
                What::Ack { cumulative, blocks, cwnd, ssthresh, in_flight, state, srtt_us: srtt_us8 / 8 }
            }
        };
        records.push(Record { time_ns, what });
    }
    (records, tables)
}
