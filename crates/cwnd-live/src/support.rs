// SPDX-License-Identifier: MIT OR Apache-2.0
//! What of a scenario the running kernel can do.

use crate::classify::{FIRST_GROUP_PORT, FIRST_OPENER};
use crate::sender_states;
use crate::wire::{FIRST_PORT, UdpDatagram};
use cwnd::registry::Recovery;
use cwnd_record::Lane;
use cwnd_scenario::keys::{Lanes, flow_keys_without};
use cwnd_scenario::{FlowGroup, Host, Invalid, Scenario, Start, pointer};
use cwnd_traffic::{Direction, Distribution, Model};

/// Most flows of a run: each has a port, and is looked at a hundred times a second.
pub const MAX_FLOWS: usize = 1000;
/// Most groups of traffic: each has a port.
pub const MAX_GROUPS: usize = 500;
const _: () = assert!(FIRST_PORT as usize + MAX_FLOWS <= FIRST_OPENER as usize);
const _: () = assert!(FIRST_GROUP_PORT as usize + MAX_GROUPS <= FIRST_PORT as usize);

/// Refuses what this lane, `live` or `linux`, does not do.
///
/// # Errors
/// The first key that it does not do.
pub fn check(scenario: &Scenario, lane: Lane) -> Result<(), Invalid> {
    let in_lane = format!("in lane {}", lane.name());
    let refuse = |field: String, value: Option<String>, expected: &str| {
        Err(Invalid { field, value, expected: format!("{expected} {in_lane}") })
    };
    scenario.without_stacks(&in_lane)?;
    if lane != Lane::Linux {
        scenario.without_kernels_queues(&in_lane)?;
    }
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
            return refuse(format!("traffic[{number}].rtt"), value, "more than 0");
        }
        let Model::Udp(udp) = &traffic.model else {
            if let Some((key, expected)) = not_kernels(&traffic.sender, Lanes::LIVE_TRAFFIC) {
                let value = scenario.written(&format!("/traffic/{number}/{key}"));
                return refuse(format!("traffic[{number}].{key}"), value, &expected);
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
    sender_states::check(scenario, lane)?;
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
        if let Some((key, expected)) = not_kernels(group, Lanes::LIVE_FLOWS) {
            let value = scenario.written(&format!("/flow/{number}/{key}"));
            return refuse(format!("flow[{number}].{key}"), value, &expected);
        }
    }
    if let Some((field, value)) = differing_ecn(scenario) {
        let expected = "the same for all flows and traffic, as ECN is a setting of the whole host,";
        return refuse(field, Some(value), expected);
    }
    match without_delay(scenario) {
        Some(field) => {
            let value = scenario.written(&pointer(&field));
            refuse(field, value, "more than 0")
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

/// The first key whose value the lane does not support for these (flows or traffic), and the values that it accepts.
fn not_kernels(group: &FlowGroup, lanes: Lanes) -> Option<(&'static str, String)> {
    let default = FlowGroup::of("", Start::At(0));
    let linux = FlowGroup {
        host: Some(Host::Linux),
        recovery: Some(Recovery::Linux),
        handshake: Some(true),
        gso: Some(true),
        ..default.clone()
    };
    let (key, values) = group.key_unlike(&[linux, default], lanes)?;
    let is_kernels = flow_keys_without(Lanes::LIVE_FLOWS).contains(&key);
    let whose = if is_kernels { ", the kernel's," } else { " for traffic" };
    Some((key, values.join(" or ") + whose))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(flow: &str, traffic: &str) -> Option<String> {
        let text = format!(
            "duration = '2s'\n[link]\nrate = '10Mbit/s'\nrtt = '40ms'\n[[flow]]\ncc = 'reno'\n{flow}\n[[traffic]]\npreset = 'ha2008'\n{traffic}"
        );
        let scenario = Scenario::from_toml(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        check(&scenario, Lane::Live).err().map(|error| error.to_string())
    }

    #[test]
    fn the_kernels_own_values_are_accepted_and_no_other_where_it_decides() {
        for (kernels, other, says) in [
            (
                "host = 'linux'",
                "host = 'ns-2'",
                "host: \"ns-2\" is not accepted; expected \"linux\" or none, the kernel's, in lane live",
            ),
            (
                "recovery = 'linux'",
                "recovery = 'rfc'",
                "recovery: \"sack-prr\" is not accepted; expected \"linux\" or none, the kernel's, in lane live",
            ),
            (
                "initial_cwnd = 10",
                "initial_cwnd = 4",
                "initial_cwnd: 4 is not accepted; expected 10, the kernel's, in lane live",
            ),
            (
                "ack_delay = '40ms'",
                "ack_delay = '5ms'",
                "ack_delay: \"5ms\" is not accepted; expected \"40ms\", the kernel's, in lane live",
            ),
            (
                "handshake = true",
                "handshake = false",
                "handshake: false is not accepted; expected true or none, the kernel's, in lane live",
            ),
            (
                "idle_restart = true",
                "idle_restart = false",
                "idle_restart: false is not accepted; expected true, the kernel's, in lane live",
            ),
            ("", "burst = 4", "burst: 4 is not accepted; expected none, the kernel's, in lane live"),
        ] {
            assert_eq!(refusal(kernels, ""), None);
            assert_eq!(refusal("", kernels), None);
            assert_eq!(refusal(other, ""), Some(format!("flow[0].{says}")));
            assert_eq!(refusal("", other), Some(format!("traffic[0].{says}")));
        }
    }

    #[test]
    fn what_the_lane_does_for_flows_alone_is_refused_of_traffic() {
        for (key, says) in [
            (
                "overhead = '10us'",
                "overhead: \"10us\" is not accepted; expected \"0s\" for traffic in lane live",
            ),
            ("pacing = true", "pacing: true is not accepted; expected false for traffic in lane live"),
            ("gso = false", "gso: false is not accepted; expected true or none for traffic in lane live"),
        ] {
            assert_eq!(refusal(key, ""), None, "{key}");
            assert_eq!(refusal("", key), Some(format!("traffic[0].{says}")));
        }
    }
}
