// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the applications of a scenario's flows are to do, and their sockets.

use crate::algorithms::Algorithms;
use crate::classify::OPENERS;
use crate::error::{Error, while_doing};
use crate::host::Host;
use crate::paths::HostSide;
use crate::settings;
use crate::socket;
use crate::wire::FIRST_PORT;
use cwnd_scenario::{Flow, FlowAction, Scenario, kernels_own};
use std::io;
use std::net::{TcpListener, TcpStream};

/// What an application writes at once, bytes. No more than this is in its socket without being sent if it is to stop.
pub const CHUNK: usize = socket::ZEROS;
/// The same of one that does not stop, bytes: enough for the applications' thread to come a few ms late.
pub const UNSENT: usize = 1 << 20;

/// Algorithms of the kernel that both ends of a connection need. A DCTCP receiver echoes every CE mark (RFC 8257 §3.2), and only such a receiver
/// negotiates ECN with a DCTCP sender, whose SYN is ECN-capable.
const BOTH_ENDS: [&str; 1] = ["dctcp"];

/// What a flow's application does.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Name of the algorithm in the kernel.
    pub algorithm: String,
    /// The receiver's algorithm, if it needs the same one.
    pub receivers: Option<&'static str>,
    /// Payload, bytes; `None` without an end.
    pub size: Option<u64>,
    /// Rate at which it writes, bit/s.
    pub rate: Option<u64>,
    /// What it leaves in its socket at most without being sent, bytes.
    pub unsent: usize,
    /// Most bytes that its receiver allows in flight.
    pub window: Option<u64>,
    /// Whether its connection is closed, once all of it is acknowledged.
    pub closes: bool,
    /// Whether the kernel paces it.
    pub pacing: bool,
    /// When it starts first, ns.
    pub start: u64,
    /// Whether rows of its window are recorded.
    pub recorded: bool,
}

/// Something that happens at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// The application starts, or goes on.
    Start(u32),
    /// The application stops.
    Stop(u32),
    /// The connection goes over to this algorithm of the kernel.
    Switch(u32, String),
    /// The measured interval begins (0) or ends (1).
    Measure(usize),
}

/// What the applications of all flows do.
pub fn plans(scenario: &Scenario, flows: &[Flow], algorithms: &Algorithms) -> Vec<Plan> {
    let mss = u64::from(settings::mss(scenario));
    let stopped: Vec<u32> = scenario
        .flow_actions()
        .into_iter()
        .filter(|(_, _, action)| *action == FlowAction::Stop)
        .map(|(_, flow, _)| flow)
        .collect();
    let all = (0..).zip(flows).zip(scenario.recorded()).zip(algorithms.names());
    all.map(|(((number, flow), recorded), algorithm)| {
        let stops = flow.group.stop.is_some() || stopped.contains(&number);
        let unsent = if stops { CHUNK } else { UNSENT };
        Plan {
            unsent,
            window: flow.group.rwnd.map(|segments| u64::from(segments) * mss),
            closes: settings::keeps_metrics(scenario),
            receivers: BOTH_ENDS.into_iter().find(|name| kernels_own(&flow.group.cc) == Some(name)),
            ..plan(flow, algorithm, recorded)
        }
    })
    .collect()
}

fn plan(flow: &Flow, algorithm: &str, recorded: bool) -> Plan {
    Plan {
        unsent: UNSENT,
        window: None,
        closes: false,
        receivers: None,
        algorithm: algorithm.to_owned(),
        size: flow.group.size,
        rate: flow.group.app_rate,
        pacing: flow.group.pacing,
        start: flow.start,
        recorded,
    }
}

/// What happens to the applications, in the order of time.
pub fn tasks(scenario: &Scenario, flows: &[Flow], algorithms: &Algorithms) -> Vec<(u64, Task)> {
    let mut tasks = vec![(scenario.measure.0, Task::Measure(0)), (scenario.measure.1, Task::Measure(1))];
    for (number, flow) in (0..).zip(flows) {
        tasks.push((flow.start, Task::Start(number)));
        tasks.extend(flow.group.stop.map(|at| (at, Task::Stop(number))));
    }
    for (at, flow, action) in scenario.flow_actions() {
        tasks.push(match action {
            FlowAction::Start => (at, Task::Start(flow)),
            FlowAction::Stop => (at, Task::Stop(flow)),
            FlowAction::Switch(cc, params) => {
                (at, Task::Switch(flow, algorithms.name(&cc, &params).to_owned()))
            }
        });
    }
    tasks.sort_by_key(|task| task.0);
    tasks
}

/// The sockets of all flows, in their hosts.
pub struct Sockets(pub Vec<(TcpStream, TcpListener)>);

impl Sockets {
    /// Makes them; `transfers`: traffic will open connections, nobody knows how many at once.
    pub fn new(hosts: &[Host; 2], plans: &[Plan], transfers: bool) -> Result<Self, Error> {
        let [senders, receivers] = hosts;
        // A sender, a listener and a connection each, beside what the process has; of traffic both ends.
        let needed = 3 * plans.len() as u64 + 256;
        let useful = needed + if transfers { 2 * u64::from(OPENERS) } else { 0 };
        socket::allow_descriptors(needed, useful).map_err(while_doing("open this many sockets"))?;
        let senders = senders.within(|| {
            plans
                .iter()
                .map(|plan| sender(plan).map_err(while_doing(format!("use {}", plan.algorithm))))
                .collect::<Result<Vec<_>, _>>()
        })?;
        let receivers = receivers.within(|| {
            let all = (FIRST_PORT..).zip(plans).map(|(port, plan)| listener(plan, port));
            all.collect::<io::Result<Vec<_>>>().map_err(while_doing("wait for connections"))
        })?;
        Ok(Self(senders.into_iter().zip(receivers).collect()))
    }
}

fn listener(plan: &Plan, port: u16) -> io::Result<TcpListener> {
    let listener = socket::listen(Host::address(HostSide::Receivers), port)?;
    if let Some(name) = plan.receivers {
        socket::use_algorithm(&listener, name)?;
    }
    if let Some(window) = plan.window {
        socket::limit_window(&listener, window)?;
    }
    Ok(listener)
}

fn sender(plan: &Plan) -> io::Result<TcpStream> {
    let sender = socket::unconnected()?;
    socket::use_algorithm(&sender, &plan.algorithm)?;
    socket::keep_unsent_below(&sender, plan.unsent as u32)?;
    if plan.pacing {
        socket::pace(&sender)?;
    }
    Ok(sender)
}
