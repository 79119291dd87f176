// SPDX-License-Identifier: MIT OR Apache-2.0
//! Expands a scenario's groups to flows, and its actions to actions on flows.

use crate::flow_labels::names;
use crate::keys::flow::{FlowGroup, Start};
use crate::keys::list_of_stacks::stock_name;
use crate::model::{ActionKind, Flow, STREAM_CLOCKS, STREAM_FLOWS, STREAM_OVERHEAD, Scenario};
use crate::params::{controller, controller_in};
use cwnd::Controller;
use cwnd::registry::Recovery;
use cwnd_link::random::RandomStream;
use std::sync::Arc;

/// What an action does to a flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlowAction {
    /// Its application starts, or resumes after a stop.
    Start,
    /// Its application stops.
    Stop,
    /// Its live connection switches to this algorithm with these parameters and keeps its recovery.
    Switch(String, Vec<(String, String)>),
}

impl FlowAction {
    /// A new instance of the algorithm that a flow is switched to.
    #[must_use]
    pub fn controller(&self) -> Option<Controller> {
        let Self::Switch(cc, params) = self else { return None };
        Some(controller(cc, params))
    }
}

impl Flow {
    /// A new instance of the flow's algorithm with its parameters; of Reno, which nobody asks, where the algorithm is a stack's own.
    ///
    /// # Panics
    /// When the algorithm or a parameter does not exist, which validation rules out.
    #[must_use]
    pub fn controller(&self) -> Controller {
        controller_in(self.group.stack, &self.group.cc, &self.group.params)
    }

    /// The name of the stack's own algorithm that it has, as the stack has it, if it has one.
    #[must_use]
    pub fn stock(&self) -> Option<&str> {
        stock_name(&self.group.cc)
    }
}

/// What the flows of a group have in common: its keys, and what is derived from them.
pub(crate) struct FlowTemplate {
    pub recovery: Recovery,
    pub rtt: u64,
    path: Arc<[u32]>,
    reverse_path: Arc<[u32]>,
    group: Arc<FlowGroup>,
}

/// For how long the tick counters of two hosts have run at time 0, µs: what the group says, or else up to 71 minutes each. All levels of a
/// wheel that TCP's timers reach come round in that time.
#[must_use]
pub fn clock_phases_us(group: &FlowGroup, mut stream: RandomStream) -> [u32; 2] {
    let mut phase =
        || group.host_clock_phase.map_or_else(|| stream.next_u64() as u32, |ns| (ns / 1000) as u32);
    [phase(), phase()]
}

impl FlowTemplate {
    /// One flow of the group.
    pub fn flow(
        &self,
        (name, label): (String, Arc<str>),
        (start, overhead_stream): (u64, RandomStream),
        clock_stream: RandomStream,
    ) -> Flow {
        Flow {
            name,
            label,
            recovery: self.recovery,
            rtt: self.rtt,
            path: self.path.clone(),
            reverse_path: self.reverse_path.clone(),
            start,
            overhead_stream,
            clock_phases_us: clock_phases_us(&self.group, clock_stream),
            group: self.group.clone(),
        }
    }
}

impl Scenario {
    /// All flows, with drawn start times.
    #[must_use]
    pub fn expand(&self) -> Vec<Flow> {
        let labels = self.labels();
        let mut names = names(&self.flows, &labels).into_iter();
        let mut flows = Vec::with_capacity(names.len());
        for (group, label) in self.flows.iter().zip(labels) {
            let (template, label) = (self.template(group), Arc::<str>::from(label));
            for name in names.by_ref().take(group.count as usize) {
                let stream = |which| RandomStream::new(self.seed, which + flows.len() as u64);
                let start = match group.start {
                    Start::At(at) => at,
                    Start::Uniform(from, to) => from + stream(STREAM_FLOWS).below(to - from),
                };
                let overhead = stream(STREAM_OVERHEAD);
                let clocks = stream(STREAM_CLOCKS);
                flows.push(template.flow((name, label.clone()), (start, overhead), clocks));
            }
        }
        flows
    }

    /// Route, round trip time and recovery of the flows of `group`.
    pub(crate) fn template(&self, group: &FlowGroup) -> FlowTemplate {
        let (path, reverse_path) = self.links_of(&group.route);
        let rtt = group.rtt.unwrap_or_else(|| self.default_rtt(group, &path, &reverse_path));
        FlowTemplate {
            recovery: group.recovery(),
            rtt,
            path: path.into(),
            reverse_path: reverse_path.into(),
            group: Arc::new(group.clone()),
        }
    }

    /// Sum of the propagation delays of these links, ns.
    pub(crate) fn propagation(&self, links: &[u32]) -> u64 {
        links.iter().map(|&link| self.links[link as usize].delay.first).fold(0, u64::saturating_add)
    }

    /// Default round trip time of a flow, ns: in a dumbbell the link's; in a graph the delay of its forward and reverse links and twice
    /// its access delay. A reverse path without links has the delay of the forward path.
    pub(crate) fn default_rtt(&self, group: &FlowGroup, path: &[u32], reverse_path: &[u32]) -> u64 {
        if self.dumbbell.is_some() {
            return self.links[0].rtt;
        }
        let forward = self.propagation(path);
        let reverse = if reverse_path.is_empty() { forward } else { self.propagation(reverse_path) };
        forward.saturating_add(reverse).saturating_add(group.access_delay.saturating_mul(2))
    }

    /// The actions on flows, in the order of time: when, the flow's number, what.
    #[must_use]
    pub fn flow_actions(&self) -> Vec<(u64, u32, FlowAction)> {
        let labels = self.labels();
        let names = names(&self.flows, &labels);
        let mut all = Vec::new();
        for action in &self.actions {
            let (name, what) = match &action.what {
                ActionKind::Start(name) => (name, FlowAction::Start),
                ActionKind::Stop(name) => (name, FlowAction::Stop),
                ActionKind::Switch(name, cc, params) => {
                    (name, FlowAction::Switch(cc.clone(), params.clone()))
                }
                ActionKind::Rate(..) | ActionKind::Delay(..) | ActionKind::Buffer(..) => continue,
            };
            let flows = self.flows_named(name, &labels, &names);
            all.extend(flows.into_iter().map(|flow| (action.at, flow, what.clone())));
        }
        all
    }
}
