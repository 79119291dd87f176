// SPDX-License-Identifier: MIT OR Apache-2.0
//! A run: two hosts, the thread that moves packets, the thread of the applications, and what comes of it.

mod summarise;

pub use summarise::Report;

use crate::algorithms::{Algorithms, LoadedObjects, ObjectLoader, PluginObjects};
use crate::applications::{Applications, ApplicationsReport};
use crate::carrier::{Carrier, CarrierReport};
use crate::counters::Counters;
use crate::crossing::{Crossing, CrossingReport, FlowState, Rows};
use crate::error::{Error, while_doing};
use crate::host::Host;
use crate::lateness::Lateness;
use crate::merge::DevicePackets;
use crate::outcome::{Outcome, transfers_of_flows};
use crate::paths::HostSide;
use crate::plan::{Sockets, plans, tasks};
use crate::scenario_clock::{Pauses, ScenarioClock, clock};
use crate::sender_states::SenderStates;
use crate::settings::{HostSettings, module_parameters, mss};
use crate::support::check;
use crate::traffic_sockets::GroupSockets;
use crate::transfers::Transfers;
use cwnd_record::Lane;
use cwnd_scenario::{Flow, Scenario};
use cwnd_sim::Tables;
use rustix::event::{EventfdFlags, eventfd};
use std::collections::BTreeSet;
use std::os::fd::OwnedFd;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Time for the threads to be ready before time 0 of the scenario, ns.
const LEAD: u64 = 100_000_000;
/// Lateness above which a run is invalid, as parts of its shortest round trip time: of one packet in a hundred a twentieth, of one in a
/// thousand a half.
const TOO_LATE: [(u64, u64); 2] = [(990, 20), (999, 2)];
/// Pauses of the machine above which a run is invalid: together this part of its time, or one as long as half of a connection's least timeout, ns.
const TOO_LONG: (u64, u64) = (50, 100_000_000);

/// What both threads use.
struct Shared {
    hosts: [Host; 2],
    flows: Vec<FlowState>,
    stop: OwnedFd,
}

impl Shared {
    /// Ends both threads.
    fn end(&self) {
        let _ = rustix::io::write(&self.stop, &1u64.to_ne_bytes());
    }

    /// What a thread came to; one that fails ends the other one.
    fn told<T>(&self, ran: Result<T, Error>) -> Result<T, Error> {
        if ran.is_err() {
            self.end();
        }
        ran
    }
}

/// A running lab.
pub struct Lab {
    scenario: Scenario,
    flows: Vec<Flow>,
    algorithms: Algorithms,
    /// The algorithms are there as long as this is.
    _loaded: LoadedObjects,
    shared: Arc<Shared>,
    clock: Arc<ScenarioClock>,
    /// Only its own methods take rows out, with `&mut self`: the lock makes it `Sync`, for the Python module.
    rows: Mutex<Receiver<Rows>>,
    tables: Tables,
    /// Pieces of captures that were not taken out.
    packets: Vec<(&'static str, Vec<u8>)>,
    threads: Option<(Carrying, Applying)>,
    finished: Option<Finished>,
}

type Carrying = JoinHandle<Result<CarrierReport, Error>>;
type Applying = JoinHandle<Result<ApplicationsReport, Error>>;

struct Finished {
    outcome: Outcome,
    /// CPU time of the carrier, s, and whether it ran in the real-time class.
    cpu_s: f64,
    real_time: bool,
    late_applications: u64,
    settings: Vec<(String, String)>,
    counters: [Counters; 2],
}

impl Lab {
    /// Makes the hosts and begins to run the scenario. `objects` has the kernel objects of plugins that it uses.
    ///
    /// # Errors
    /// [`Error::Scenario`] for what this lane does not do, [`Error::System`] for what the system does not allow.
    pub fn start(scenario: &Scenario, objects: &PluginObjects) -> Result<Self, Error> {
        check(scenario, Lane::Live).map_err(Error::Scenario)?;
        let flows = scenario.expand();
        let mut loader = ObjectLoader::new(objects);
        let algorithms = Algorithms::load(scenario, &flows, &mut loader)?;
        let loaded = loader.into_loaded();
        let mtu = scenario.packet_size;
        let settings = HostSettings::of(scenario);
        let merges = scenario.flows.iter().any(|group| group.gro.is_some());
        let to_receivers = if merges { DevicePackets::Described } else { DevicePackets::AsTheyAre };
        let hosts = [
            Host::new(HostSide::Senders, mtu, DevicePackets::AsTheyAre, &settings)?,
            Host::new(HostSide::Receivers, mtu, to_receivers, &settings)?,
        ];
        let stop = eventfd(0, EventfdFlags::CLOEXEC).map_err(while_doing("make an eventfd"))?;
        let (named, groups) = (flows.len(), scenario.traffic.len());
        let states = (0..named + 2 * groups).map(|_| FlowState::default()).collect();
        let shared = Arc::new(Shared { hosts, flows: states, stop });
        let plans = plans(scenario, &flows, &algorithms);
        let states = SenderStates::start(scenario, &algorithms, &shared.hosts[HostSide::Senders as usize])?;
        let has_transfers = algorithms.names_of_traffic().any(|name| name.is_some());
        let sockets = Sockets::new(&shared.hosts, &plans, has_transfers)?;
        let traffic_sockets = GroupSockets::all(scenario, &shared.hosts, algorithms.names_of_traffic())?;
        let crossing = Crossing::of_scenario(scenario, &flows);
        let (sender, rows) = channel();
        let (announce, announced) = channel();
        // Whoever has gone moves no packets any more.
        let announce = move |announced| drop(announce.send(announced));
        let transfers = Transfers::new(scenario, traffic_sockets, named, Box::new(announce));
        let scenario_clock = Arc::new(ScenarioClock::new(clock() + LEAD));
        let tasks = tasks(scenario, &flows, &algorithms);
        let (measure, end, mss, interval) =
            (scenario.measure, scenario.duration, mss(scenario), scenario.record.interval);
        let announced = (groups > 0).then_some(announced);
        let (here, to_lab, time) = (shared.clone(), sender.clone(), scenario_clock.clone());
        let carry = move || {
            let Shared { hosts, flows, stop } = &*here;
            let (clock, rows) = (&*time, to_lab);
            let ran = Carrier { crossing, hosts, clock, flows, announced, rows, stop, drain: None }.run();
            here.told(ran)
        };
        let (here, time) = (shared.clone(), scenario_clock.clone());
        let apply = move || {
            let Shared { hosts, flows, stop } = &*here;
            // Whoever has gone does not want them.
            let rows = &move |rows| drop(sender.send(rows));
            let (clock, tasks) = (&*time, tasks);
            let ran = Applications { clock, end, measure, interval, mss, tasks, hosts, flows, rows, stop }
                .run(sockets, plans, transfers, states);
            here.told(ran)
        };
        let spawn = while_doing("start a thread");
        let named = |name: &str| std::thread::Builder::new().name(name.into());
        let threads = named("cwnd-link")
            .spawn(carry)
            .and_then(|carrying| Ok((carrying, named("cwnd-apps").spawn(apply)?)))
            .map_err(spawn)?;
        Ok(Self {
            scenario: scenario.clone(),
            flows,
            algorithms,
            _loaded: loaded,
            shared,
            clock: scenario_clock,
            rows: Mutex::new(rows),
            tables: Tables::default(),
            packets: Vec::new(),
            threads: Some(threads),
            finished: None,
        })
    }

    /// Waits up to this long; returns whether the run is over.
    ///
    /// # Errors
    /// What has ended it early: [`Error::System`], or [`Error::Behind`] when this machine did not keep up.
    pub fn step(&mut self, wait: Duration) -> Result<bool, Error> {
        let until = clock() + wait.as_nanos() as u64;
        loop {
            let left = Duration::from_nanos(until.saturating_sub(clock()));
            match self.rows.get_mut().unwrap_or_else(PoisonError::into_inner).recv_timeout(left) {
                Ok(rows) => self.take(rows),
                Err(RecvTimeoutError::Timeout) => return Ok(false),
                // Both threads have ended.
                Err(RecvTimeoutError::Disconnected) => {
                    self.finish()?;
                    return Ok(true);
                }
            }
        }
    }

    fn take(&mut self, rows: Rows) {
        match rows {
            Rows::Queue(rows) => self.tables.queue.extend(rows),
            Rows::Events(rows) => self.tables.events.extend(rows),
            Rows::Windows(rows) => self.tables.cwnd.extend(rows),
            Rows::Inner(rows) => self.tables.inner.extend(rows),
            Rows::Packets(host, piece) => self.packets.push((host, piece)),
        }
    }

    fn finish(&mut self) -> Result<(), Error> {
        let Some((carrying, applying)) = self.threads.take() else { return Ok(()) };
        // Whichever failed has the reason; without its packets the other one may have failed for want of them.
        let carrier = carrying.join().expect("it does not panic");
        let flows = applying.join().expect("it does not panic");
        let (carrier, flows) = (carrier?, flows?);
        let ApplicationsReport { flows, mut traffic, lateness, records_lost, counters } = flows;
        // The two threads' events in one order of time.
        self.tables.events.sort_by_key(|row| row.time_ns);
        let CarrierReport { crossing, cpu_s, real_time, .. } = carrier;
        self.valid(&crossing, &lateness, traffic.short_rtt())?;
        if records_lost > 0 {
            let how = format!(
                "the sampler's buffer had no room for {records_lost} records of acknowledgements, timers, starts and ends"
            );
            return Err(Error::Behind(how));
        }
        // Rows come when the connections go on, one sooner than the other.
        self.tables.inner.sort_by_key(|row| (row.time_ns, row.flow));
        self.tables.cwnd.sort_by_key(|row| row.time_ns);
        let mut transfers = transfers_of_flows(&self.flows, &flows);
        transfers.append(&mut traffic.rows);
        transfers.sort_by_key(|row| row.start_ns);
        self.tables.transfers = transfers;
        let late_applications = lateness.per_mille(990);
        let settings = self.settings()?;
        let outcome = Outcome { crossing, flows, traffic };
        self.finished = Some(Finished { outcome, cpu_s, real_time, late_applications, settings, counters });
        Ok(())
    }

    fn settings(&self) -> Result<Vec<(String, String)>, Error> {
        let mut all =
            self.shared.hosts[HostSide::Senders as usize].settings(&HostSettings::of(&self.scenario))?;
        let of_traffic = self.algorithms.names_of_traffic().flatten();
        let names: BTreeSet<_> = self.algorithms.names().chain(of_traffic).collect();
        all.extend(names.into_iter().flat_map(module_parameters));
        Ok(all)
    }

    /// Refuses what a machine that fell behind has measured.
    fn valid(
        &self,
        crossing: &CrossingReport,
        applications: &Lateness,
        of_traffic: Option<u64>,
    ) -> Result<(), Error> {
        let [senders, receivers] = &self.shared.hosts;
        let dropped = senders.dropped()? + receivers.dropped()?;
        if dropped > 0 {
            return Err(Error::Behind(format!("the hosts' devices dropped {dropped} packets")));
        }
        let Pauses { count, total, longest } = crossing.pauses;
        let ms = |ns: u64| ns as f64 / 1e6;
        let (part, most) = TOO_LONG;
        if total > self.scenario.duration / part || longest > most {
            return Err(Error::Behind(format!(
                "it was stopped or late {count} times: {:.1} ms in total (allowed: {}) and up to {:.1} ms at once (allowed: {} ms)",
                ms(total),
                ms(self.scenario.duration / part),
                ms(longest),
                ms(most)
            )));
        }
        let rtt = self.flows.iter().map(|flow| flow.rtt).chain(of_traffic).min().unwrap_or(u64::MAX);
        for (what, lateness) in [("packets", &crossing.lateness), ("actions of applications", applications)] {
            for (part, limit) in TOO_LATE.map(|(part, of_rtt)| (part, rtt / of_rtt)) {
                if lateness.per_mille(part) > limit {
                    return Err(Error::Behind(format!(
                        "of 1000 {what} {} were more than {} ms late, too much for a round trip of {} ms (worst: {} ms)",
                        1000 - part,
                        ms(limit),
                        ms(rtt),
                        ms(lateness.worst())
                    )));
                }
            }
        }
        Ok(())
    }

    /// Time of the scenario, ns.
    #[must_use]
    pub fn now(&self) -> u64 {
        self.clock.now().min(self.scenario.duration)
    }

    /// Data packets that have left the last links of flows and traffic so far.
    #[must_use]
    pub fn packets(&self) -> u64 {
        let forwarded = |flow: &FlowState| flow.forwarded.load(std::sync::atomic::Ordering::Relaxed);
        self.shared.flows.iter().map(forwarded).sum()
    }

    /// The flows, in the order of their numbers in the tables.
    #[must_use]
    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// The recorded rows.
    #[must_use]
    pub const fn tables(&self) -> &Tables {
        &self.tables
    }

    /// As [`Self::tables`], to take rows out.
    pub const fn tables_mut(&mut self) -> &mut Tables {
        &mut self.tables
    }

    /// Takes the packets that were captured since the last call: names of hosts with the next piece of their files of pcapng.
    pub fn take_packets(&mut self) -> Vec<(&'static str, Vec<u8>)> {
        std::mem::take(&mut self.packets)
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        self.shared.end(); // within their next wait
        if let Some((carrying, applying)) = self.threads.take() {
            let _ = (carrying.join(), applying.join());
        }
    }
}
