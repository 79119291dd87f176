// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scenario's flows one by one, and what is done to them.

use crate::label::names;
use crate::model::{Flow, Group, STREAM_FLOWS, STREAM_OVERHEAD, Scenario, Start, What};
use cwnd::Controller;
use cwnd::registry::Recovery;
use cwnd_link::random::Stream;
use std::sync::Arc;

/// What an action does to a flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlowAction {
    /// Its application starts, or goes on after a stop.
    Start,
    /// Its application stops.
    Stop,
    /// Its live connection goes over to this algorithm with these parameters; its recovery stays.
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
    /// A new instance of the flow's algorithm with its parameters.
    ///
    /// # Panics
    /// When algorithm or parameter do not exist; [`Scenario`]s that came through validation have only those that do.
    #[must_use]
    pub fn controller(&self) -> Controller {
        controller(&self.group.cc, &self.group.params)
    }
}

pub(crate) fn controller(cc: &str, params: &[(String, String)]) -> Controller {
    let mut controller = Controller::by_name(cc).expect("validated: the algorithm is registered");
    for (name, value) in params {
        controller.set_param(name, value).expect("validated: the parameter exists and is in range");
    }
    controller
}

/// What the flows of a group have in common beside its keys.
pub(crate) struct Like {
    pub recovery: Recovery,
    pub rtt: u64,
    path: Arc<[u32]>,
    back: Arc<[u32]>,
    group: Arc<Group>,
}

impl Like {
    /// One of them.
    pub fn flow(&self, (name, label): (String, Arc<str>), (start, overhead_stream): (u64, Stream)) -> Flow {
        Flow {
            name,
            label,
            recovery: self.recovery,
            rtt: self.rtt,
            path: self.path.clone(),
            back: self.back.clone(),
            start,
            overhead_stream,
            group: self.group.clone(),
        }
    }
}

impl Scenario {
    /// Every flow by itself, start times drawn.
    #[must_use]
    pub fn expand(&self) -> Vec<Flow> {
        let labels = self.labels();
        let mut names = names(&self.flows, &labels).into_iter();
        let mut flows = Vec::with_capacity(names.len());
        for (group, label) in self.flows.iter().zip(labels) {
            let (like, label) = (self.like(group), Arc::<str>::from(label));
            for name in names.by_ref().take(group.count as usize) {
                let stream = |which| Stream::new(self.seed, which + flows.len() as u64);
                let start = match group.start {
                    Start::At(at) => at,
                    Start::Uniform(from, to) => from + stream(STREAM_FLOWS).below(to - from),
                };
                let overhead = stream(STREAM_OVERHEAD);
                flows.push(like.flow((name, label.clone()), (start, overhead)));
            }
        }
        flows
    }

    /// Route, round trip and recovery of the flows of `group`.
    pub(crate) fn like(&self, group: &Group) -> Like {
        let (path, back) = self.links_of(&group.route);
        let rtt = group.rtt.unwrap_or_else(|| self.default_rtt(group, &path, &back));
        let known = || cwnd::registry::find(&group.cc).map(|(_, set)| set.recovery);
        let recovery = group.recovery.or_else(known).unwrap_or_default();
        Like { recovery, rtt, path: path.into(), back: back.into(), group: Arc::new(group.clone()) }
    }

    /// Propagation of these links, one after the other.
    pub(crate) fn propagation(&self, links: &[u32]) -> u64 {
        links.iter().map(|&link| self.links[link as usize].delay).fold(0, u64::saturating_add)
    }

    /// Round trip of a flow that names none: in a dumbbell the link's, in a graph its links' there and back with its access
    /// delay each way; a way back without links takes as long as the way there.
    pub(crate) fn default_rtt(&self, group: &Group, path: &[u32], back: &[u32]) -> u64 {
        if self.dumbbell.is_some() {
            return self.links[0].rtt;
        }
        let there = self.propagation(path);
        let back = if back.is_empty() { there } else { self.propagation(back) };
        there.saturating_add(back).saturating_add(group.access_delay.saturating_mul(2))
    }

    /// What is done to which flow and when, by number, in the order of time.
    #[must_use]
    pub fn flow_actions(&self) -> Vec<(u64, u32, FlowAction)> {
        let labels = self.labels();
        let names = names(&self.flows, &labels);
        let mut all = Vec::new();
        for action in &self.actions {
            let (name, what) = match &action.what {
                What::Start(name) => (name, FlowAction::Start),
                What::Stop(name) => (name, FlowAction::Stop),
                What::Switch(name, cc, params) => (name, FlowAction::Switch(cc.clone(), params.clone())),
                What::Rate(..) | What::Delay(..) | What::Buffer(..) => continue,
            };
            let flows = self.flows_called(name, &labels, &names);
            all.extend(flows.into_iter().map(|flow| (action.at, flow, what.clone())));
        }
        all
    }
}
