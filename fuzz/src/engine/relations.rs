// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a run has to do with the run of another scenario that follows from its own.

use cwnd_scenario::{ActionKind, FlowGroup, LinkSpec, Scenario, Start};
use cwnd_sim::{Simulation, Tables};

/// A name that no random scenario has.
const IDLE: &str = "idle";

/// The scenario with a flow more, which would start after the end, and with a link more, which nobody uses.
fn with_idle(scenario: &Scenario) -> Scenario {
    let mut more = scenario.clone();
    let link = &scenario.links[0];
    more.links.push(LinkSpec {
        name: IDLE.into(),
        from: link.from.clone(),
        to: link.to.clone(),
        ..link.clone()
    });
    if let Some(group) = scenario.flows.last() {
        let mut idle = FlowGroup { count: 1, stack: None, params: Vec::new(), ..group.clone() };
        // An action on all flows of an algorithm would be one on it, too.
        let acted_on = |cc: &&&str| {
            scenario.actions.iter().any(|action| match &action.what {
                ActionKind::Start(name) | ActionKind::Stop(name) | ActionKind::Switch(name, ..) => {
                    name == **cc
                }
                _ => false,
            })
        };
        let cc = ["reno", "sack", "tahoe"].iter().find(|cc| !acted_on(cc)).unwrap_or(&"newreno");
        (idle.label, idle.cc) = (Some(IDLE.to_owned()), (*cc).to_owned());
        (idle.start, idle.stop) = (Start::At(scenario.duration + 1), None);
        more.flows.push(idle);
    }
    more
}

/// Runs a scenario with an idle flow and an idle link more: all others have to do the same as in `run`, which has ended; that may have captured other
/// packets.
///
/// # Errors
/// What differs.
pub fn idle_changes_nothing(scenario: &Scenario, run: &Simulation) -> Result<(), String> {
    let mut other = Simulation::new(&with_idle(scenario));
    while !other.step(1 << 20) {}
    let (flows, links) = (run.flows().len(), run.links().len());
    let text = |simulation: &Simulation| {
        let summary = simulation.summary();
        format!("{:?} {:?} {:?}", &summary.flows[..flows], &summary.links[..links], summary.traffic)
    };
    if text(run) != text(&other) || *run.tables() != without(other.tables(), flows, links) {
        return Err("an idle flow and an idle link more, or a capture, change what the others do".into());
    }
    Ok(())
}

/// The rows of the first so many flows and links, and those of traffic.
fn without(tables: &Tables, flows: usize, links: usize) -> Tables {
    let mut tables = tables.clone();
    tables.cwnd.retain(|row| (row.flow as usize) < flows);
    tables.inner.retain(|row| (row.flow as usize) < flows);
    tables.events.retain(|row| (row.flow as usize) < flows);
    tables.queue.retain(|row| (row.link as usize) < links);
    tables.transfers.retain(|row| row.group.is_some() || (row.number as usize) < flows);
    tables
}
