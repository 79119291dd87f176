// SPDX-License-Identifier: MIT OR Apache-2.0
//! What of a scenario the running kernel can do.

use crate::classify::{FIRST_GROUP_PORT, FIRST_OPENER};
use crate::sender_states;
use crate::wire::{FIRST_PORT, UdpDatagram};
use cwnd::registry::Recovery;
use cwnd_scenario::{FlowGroup, Host, Invalid, Scenario, Start, pointer};
use cwnd_traffic::{Direction, Distribution, Model};

/// Most flows of a run: each has a port, and is looked at a hundred times a second.
pub const MAX_FLOWS: usize = 1000;
/// Most groups of traffic: each has a port.
pub const MAX_GROUPS: usize = 500;
const _: () = assert!(FIRST_PORT as usize + MAX_FLOWS <= FIRST_OPENER as usize);
const _: () = assert!(FIRST_GROUP_PORT as usize + MAX_GROUPS <= FIRST_PORT as usize);

/// Refuses what this lane does not do.
///
/// # Errors
/// The first key that it does not do.
pub fn check(scenario: &Scenario) -> Result<(), Invalid> {
    let refuse = |field: String, value: Option<String>, expected: &str| {
        Err(Invalid { field, value, expected: format!("{expected} in lane live") })
    };
    scenario.without_stacks("in lane live")?;
    let flows: usize = scenario.flows.iter().map(|group| group.count as usize).sum();
    if flows > MAX_FLOWS {
        return refuse("flow".into(), Some(format!("{flows} flows")), &format!("at most {MAX_FLOWS}"));
    }
    if scenario.traffic.len() > MAX_GROUPS {
        let groups = format!("{} groups", scenario.traffic.len());
        return refuse("traffic".into(), Some(groups), &format!("at most {MAX_GROUPS}"));
    }
    for (number, traffic) in scenario.traffic.iter().enumerate() {
        if traffic.rtt == Some(Distribution::Constant(0)) {
            let value = scenario.written(&format!("/traffic/{number}/rtt"));
            return refuse(format!("traffic[{number}].rtt"), value, "more than nothing");
        }
        let Model::Udp(udp) = &traffic.model else {
            if let Some((key, expected)) =
                not_kernels(&traffic.sender).or_else(|| not_of_traffic(&traffic.sender))
            {
                let value = scenario.written(&format!("/traffic/{number}/{key}"));
                return refuse(format!("traffic[{number}].{key}"), value, expected);
            }
            continue;
        };
        let sizes = UdpDatagram::HEADERS + 1..=scenario.packet_size;
        if !sizes.contains(&udp.packet_size) {
            let expected =
                format!("{} to {} bytes, headers and the packets' size,", sizes.start(), sizes.end());
            let field = format!("traffic[{number}].packet_size");
            return refuse(field, Some(udp.packet_size.to_string()), &expected);
        }
    }
    sender_states::check(scenario)?;
    if (1..1_000_000).contains(&scenario.record.interval) {
        let value = scenario.written("/record/interval");
        return refuse("record.interval".into(), value, "at least 1ms, or \"0s\" for no samples,");
    }
    // A host hands segments over one by one, or several at a time, for all that it sends.
    let one_by_one = |group: &FlowGroup| group.gso == Some(false);
    let mixed = scenario.flows.iter().any(one_by_one) && !scenario.flows.iter().all(one_by_one);
    for (number, group) in scenario.flows.iter().enumerate() {
        if mixed && one_by_one(group) {
            let value = scenario.written(&format!("/flow/{number}/gso"));
            return refuse(
                format!("flow[{number}].gso"),
                value,
                "the same for all flows, which share a host,",
            );
        }
        if let Some((key, expected)) = not_kernels(group) {
            let value = scenario.written(&format!("/flow/{number}/{key}"));
            return refuse(format!("flow[{number}].{key}"), value, expected);
        }
    }
    if let Some((field, value)) = differing_ecn(scenario) {
        let expected = "the same for all flows and traffic, as ECN is a setting of the whole host,";
        return refuse(field, Some(value), expected);
    }
    match without_delay(scenario) {
        Some(field) => {
            let value = scenario.written(&pointer(&field));
            refuse(field, value, "more than nothing")
        }
        None => Ok(()),
    }
}

/// The keys `ecn` of all that has connections.
fn ecn_keys(scenario: &Scenario) -> impl Iterator<Item = (String, bool)> {
    let key = |table: &str, number: usize, ecn| (format!("{table}[{number}].ecn"), ecn);
    let flows = scenario.flows.iter().enumerate().map(move |(number, group)| key("flow", number, group.ecn));
    let traffic = scenario.traffic.iter().enumerate();
    let traffic = traffic.filter(|(_, traffic)| !matches!(traffic.model, Model::Udp(_)));
    flows.chain(traffic.map(move |(number, traffic)| key("traffic", number, traffic.sender.ecn)))
}

/// The first key `ecn` that differs from the first of all, and its value.
fn differing_ecn(scenario: &Scenario) -> Option<(String, String)> {
    let (_, first) = ecn_keys(scenario).next()?;
    let (field, ecn) = ecn_keys(scenario).find(|(_, ecn)| *ecn != first)?;
    Some((field, ecn.to_string()))
}

/// The key that gives a connection a round trip time of 0, which no machine keeps up with.
fn without_delay(scenario: &Scenario) -> Option<String> {
    // One that has none of its own has the link's in a dumbbell, and the sum of its links' delays in a graph.
    let key = |field: String, is_own: bool| match scenario.dumbbell {
        Some(_) if !is_own => "link.rtt".into(),
        _ => format!("{field}.rtt"),
    };
    let flows = scenario.expand();
    // Flows are in the order of their groups.
    let groups = scenario.flows.iter().enumerate().flat_map(|(number, group)| {
        std::iter::repeat_n((format!("flow[{number}]"), group.rtt.is_some()), group.count as usize)
    });
    let of_flow = flows.iter().zip(groups).find(|(flow, _)| flow.rtt == 0).map(|(_, group)| group);
    let of_traffic = || {
        let groups = scenario.traffic.iter().enumerate();
        let connections =
            groups.filter(|(_, traffic)| !matches!(traffic.model, Model::Udp(_)) && traffic.rtt.is_none());
        let mut flows = connections.flat_map(|(number, traffic)| {
            let flows = Direction::ALL.map(|direction| scenario.traffic_flow(traffic, direction));
            flows.into_iter().flatten().map(move |flow| (number, flow))
        });
        flows.find(|(_, flow)| flow.rtt == 0).map(|(number, _)| (format!("traffic[{number}]"), false))
    };
    of_flow.or_else(of_traffic).map(|(field, is_own)| key(field, is_own))
}

/// The first key that the lane gives to flows alone, and what is accepted of traffic.
fn not_of_traffic(group: &FlowGroup) -> Option<(&'static str, &'static str)> {
    [
        ("overhead", group.overhead == 0, "\"0s\""),
        ("access", group.access.is_none(), "none"),
        ("pacing", !group.pacing, "false"),
        ("gro", group.gro.is_none(), "none"),
        ("gso", group.gso != Some(false), "true or none"),
    ]
    .into_iter()
    .find_map(|(key, same, expected)| (!same).then_some((key, expected)))
}

/// The first key whose value the kernel does not have, and what would be accepted.
fn not_kernels(group: &FlowGroup) -> Option<(&'static str, &'static str)> {
    // Without `..`: a new key is looked at here.
    let FlowGroup {
        host,
        recovery,
        initial_cwnd,
        initial_ssthresh,
        ack_every,
        ack_delay,
        min_rto,
        limited_transmit,
        burst,
        idle_restart,
        handshake,
        // Checked for all flows together.
        ecn: _,
        // The scenario's own, or done by the lane.
        cc: _,
        label: _,
        count: _,
        start: _,
        stop: _,
        rtt: _,
        route: _,
        access: _,
        access_delay: _,
        overhead: _,
        pacing: _,
        gro: _,
        rwnd: _,
        size: _,
        app_rate: _,
        params: _,
        gso: _,
        // The machine has its own.
        host_clock: _,
        // Refused before.
        stack: _,
        tls: _,
        exec: _,
    } = group;
    let kernels = FlowGroup::of("", Start::At(0));
    [
        // First: what a host holds is refused under its name.
        ("host", matches!(host, None | Some(Host::Linux)), "\"linux\", which the running kernel is, or none"),
        ("recovery", matches!(recovery, None | Some(Recovery::Linux)), "\"linux\" or none"),
        ("initial_cwnd", *initial_cwnd == kernels.initial_cwnd, "10, the kernel's,"),
        ("initial_ssthresh", initial_ssthresh.is_none(), "none"),
        ("ack_every", *ack_every == kernels.ack_every, "2, the kernel's,"),
        ("ack_delay", *ack_delay == kernels.ack_delay, "\"40ms\", the kernel's,"),
        ("min_rto", *min_rto == kernels.min_rto, "\"200ms\", the kernel's,"),
        ("limited_transmit", *limited_transmit, "true, as in the kernel,"),
        ("burst", burst.is_none(), "none"),
        ("handshake", *handshake != Some(false), "true or none, as in the kernel,"),
        ("idle_restart", *idle_restart, "true, as in the kernel,"),
    ]
    .into_iter()
    .find_map(|(key, same, expected)| (!same).then_some((key, expected)))
}
