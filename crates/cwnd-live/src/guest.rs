// SPDX-License-Identifier: MIT OR Apache-2.0
//! The program of the guest in lane linux: the applications of a scenario's flows, on the two hosts of a kernel in virtual time. It is that
//! kernel's first process and its only one.

use crate::algorithms::{Algorithms, Loader};
use crate::applications::{Applications, ApplicationsReport};
use crate::crossing::{FlowState, Rows};
use crate::described_plugin::DescribedPlugin;
use crate::driver::{AlgorithmRecords, Driver};
use crate::error::{Error, while_doing};
use crate::guest_queues::GuestQueues;
use crate::host::{Host, kernel_release};
use crate::message::{Given, GivenScenario, GuestReport, Message};
use crate::outcome::transfers_of_flows;
use crate::paths::HostSide;
use crate::plan::{Sockets, plans, tasks};
use crate::scenario_clock::ScenarioClock;
use crate::sender_states::takes_states;
use crate::settings::{HostSettings, module_parameters, mss};
use crate::support::check;
use crate::traffic_sockets::GroupSockets;
use crate::transfers::Transfers;
use cwnd_record::Lane;
use cwnd_scenario::Invalid;
use rustix::event::{EventfdFlags, eventfd};
use rustix::mount::{MountFlags, mount};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Time for the program to be ready before the scenario begins, ns.
const LEAD: u64 = 100_000_000;
/// Time for the first ticks of the kernel: five at 100 per second.
const FIRST_TICKS: Duration = Duration::from_millis(50);
/// How often the guest looks whether a queue bench is over.
const BENCH_LOOK: Duration = Duration::from_secs(10);
/// Largest packets of the hosts in a queue bench, bytes: they send none.
const BENCH_PACKET: u32 = 1500;
/// Rows that a message has at most.
const ROWS_AT_ONCE: usize = 256;
/// Letters of a congestion control's name, at most.
const MOST_LETTERS: usize = 15;
/// Prefix of the names of cwnd's algorithms in the kernel.
const PREFIX: &str = "r_";
/// Prefix of the kernel's own algorithms if they are recorded.
const KERNELS_PREFIX: &str = "k_";
/// What all hosts of this kernel share: room for connections whose windows are large, and for all packets that arrive at one time.
const KERNEL_SETTINGS: [(&str, &str); 5] = [
    // The devices of links send nothing themselves.
    ("net/ipv6/conf/default/disable_ipv6", "1"),
    ("net/core/netdev_max_backlog", "1000000"),
    ("net/core/rmem_max", "268435456"),
    ("net/core/wmem_max", "268435456"),
    ("net/ipv4/tcp_mem", "1000000 2000000 4000000"),
];

/// Runs the scenario in the guest's folder, tells the driver what comes of it, and turns the kernel off.
pub fn run() -> ! {
    if let Err(error) = prepare() {
        eprintln!("{error}");
        end();
    }
    match Driver::open() {
        Ok(driver) => {
            let driver = Arc::new(driver);
            let told = driver.clone();
            std::panic::set_hook(Box::new(move |panic| told.tell(&Message::Failed(panic.to_string()))));
            if let Err(error) = apply(&driver) {
                driver.tell(&message_of(error));
            }
        }
        Err(error) => eprintln!("{error}"),
    }
    end()
}

/// What is said of an error: without the name of lane live, and without the rights that only that one needs.
fn message_of(error: Error) -> Message {
    match error {
        Error::Scenario(Invalid { field, value, expected }) => Message::Refused(field, value, expected),
        Error::System(what, why) => Message::Failed(format!("{what}: {why}")),
        other => Message::Failed(other.to_string()),
    }
}

fn end() -> ! {
    // SAFETY: a plain system call, which does not come back.
    unsafe { libc::reboot(libc::RB_POWER_OFF) };
    unreachable!("the kernel is off")
}

fn prepare() -> Result<(), Error> {
    for (kind, place) in [("proc", "/proc"), ("sysfs", "/sys"), ("devtmpfs", "/dev")] {
        match mount(kind, place, kind, MountFlags::empty(), None) {
            // The kernel has mounted its devices itself.
            Ok(()) | Err(rustix::io::Errno::BUSY) => {}
            Err(error) => return Err(while_doing(format!("mount {place}"))(error)),
        }
    }
    for (name, value) in KERNEL_SETTINGS {
        std::fs::write(format!("/proc/sys/{name}"), value).map_err(while_doing(format!("set {name}")))?;
    }
    Ok(())
}

/// Algorithms of cwnd, which the driver gives the kernel.
struct DriversAlgorithms<'a> {
    driver: &'a Driver,
    names: Vec<String>,
    /// The one whose connections are traced.
    traced: Option<String>,
    /// Whether all are recorded, for rows that take more than `TCP_INFO`.
    takes_states: bool,
    /// The kernel's own that are recorded: their names there, and their own.
    wrapped: BTreeMap<String, String>,
}

impl DriversAlgorithms<'_> {
    fn records(&self, cc: &str) -> AlgorithmRecords {
        let is_traced = self.traced.as_deref() == Some(cc);
        AlgorithmRecords { is_recorded: is_traced || self.takes_states, is_traced }
    }

    /// A name with this prefix that no other algorithm has.
    fn new_name(&mut self, prefix: &str, cc: &str) -> String {
        // The kernel's own may have the same name, and two sets may differ in their parameters alone.
        let name = (0..).map(|number| short_name(prefix, cc, number)).find(|name| !self.names.contains(name));
        let name = name.expect("there is always another number");
        self.names.push(name.clone());
        name
    }
}

/// Name in the kernel of an algorithm, the first with this number.
fn short_name(prefix: &str, cc: &str, number: usize) -> String {
    let end = if number == 0 { String::new() } else { format!("_{number}") };
    let room = MOST_LETTERS - prefix.len() - end.len();
    format!("{prefix}{}{end}", cc.chars().take(room).collect::<String>())
}

impl Loader for DriversAlgorithms<'_> {
    fn load(&mut self, cc: &str, params: &[(String, String)]) -> Result<String, Error> {
        let name = self.new_name(PREFIX, cc);
        self.driver.add(cc, params, &name, self.records(cc))?;
        Ok(name)
    }

    fn kernels_own(&mut self, cc: &str, name: String) -> Result<String, Error> {
        let records = self.records(cc);
        if !records.is_recorded {
            return Ok(name);
        }
        let wrapper = self.new_name(KERNELS_PREFIX, &name);
        self.driver.add(&format!("kernel/{name}"), &[], &wrapper, records)?;
        self.wrapped.insert(wrapper.clone(), name);
        Ok(wrapper)
    }
}

fn apply(driver: &Arc<Driver>) -> Result<(), Error> {
    let text = std::fs::read_to_string("/scenario.json").map_err(while_doing("read the scenario"))?;
    let refused = |why| while_doing("read the scenario")(io::Error::other::<String>(why));
    let describe =
        |plugins: Vec<DescribedPlugin>| plugins.into_iter().try_for_each(DescribedPlugin::register);
    let Given { scenario, traced, tc, is_bench } = GivenScenario::read(&text, describe).map_err(refused)?;
    check(&scenario, Lane::Linux).map_err(Error::Scenario)?;
    let queues = GuestQueues::new(&scenario, driver, tc)?;
    if is_bench {
        return bench(driver, &queues);
    }
    let flows = scenario.expand();
    let (names, wrapped, takes_states) = (Vec::new(), BTreeMap::new(), takes_states(&scenario));
    let mut loader = DriversAlgorithms { driver, names, traced, takes_states, wrapped };
    let algorithms = Algorithms::load(&scenario, &flows, &mut loader)?;
    let wrapped = loader.wrapped;
    let own = |name: &str| wrapped.get(name).cloned().unwrap_or_else(|| name.to_owned());
    let settings = HostSettings::of(&scenario);
    let host = |side| Host::of_driver(side, scenario.packet_size, &settings, || driver.make_host(side));
    let hosts = [host(HostSide::Senders)?, host(HostSide::Receivers)?];
    let stop = eventfd(0, EventfdFlags::CLOEXEC).map_err(while_doing("make an eventfd"))?;
    let (named, groups) = (flows.len(), scenario.traffic.len());
    let states: Vec<_> = (0..named + 2 * groups).map(|_| FlowState::default()).collect();
    let plans = plans(&scenario, &flows, &algorithms);
    let has_transfers = algorithms.names_of_traffic().any(|name| name.is_some());
    let sockets = Sockets::new(&hosts, &plans, has_transfers)?;
    let traffic_sockets = GroupSockets::all(&scenario, &hosts, algorithms.names_of_traffic())?;
    let announces = driver.clone();
    let announce = move |announced| announces.tell(&Message::Announced(announced));
    let transfers = Transfers::new(&scenario, traffic_sockets, named, Box::new(announce));
    let tasks = tasks(&scenario, &flows, &algorithms);
    // Both hosts have one clock here: the simulator's sender of the first flow has it, too.
    let phase_us = flows.first().map_or(0, |flow| flow.clock_phases_us[0]);
    // The kernel loses a tick when it goes over to ticks on demand, at one of its first; the count before that says nothing of the one after it.
    std::thread::sleep(FIRST_TICKS);
    let clock = ScenarioClock::real_time(driver.begin(LEAD, u64::from(phase_us) * 1000)?);
    let ran = Applications {
        clock: &clock,
        end: scenario.duration,
        measure: scenario.measure,
        interval: scenario.record.interval,
        mss: mss(&scenario),
        tasks,
        hosts: &hosts,
        flows: &states,
        rows: &|rows| match rows {
            Rows::Windows(rows) => driver.tell(&Message::Windows(rows)),
            Rows::Events(rows) => driver.tell(&Message::Events(rows)),
            Rows::Queue(_) | Rows::Inner(_) | Rows::Packets(..) => {}
        },
        stop: &stop,
    }
    .run(sockets, plans, transfers, None);
    let ApplicationsReport { flows: reports, traffic, lateness, counters, .. } = ran?;
    let mut transfers = transfers_of_flows(&flows, &reports);
    transfers.extend(traffic.rows);
    transfers.sort_by_key(|row| row.start_ns);
    for rows in transfers.chunks(ROWS_AT_ONCE) {
        driver.tell(&Message::Transfers(rows.to_vec()));
    }
    reports.into_iter().for_each(|report| driver.tell(&Message::Flow(report)));
    traffic.groups.iter().for_each(|group| driver.tell(&Message::Load(group.load)));
    let mut all = hosts[HostSide::Senders as usize].settings(&settings)?;
    let of_traffic = algorithms.names_of_traffic().flatten();
    let names: BTreeSet<_> = algorithms.names().chain(of_traffic).map(own).collect();
    all.extend(names.iter().flat_map(|name| module_parameters(name)));
    let [senders, receivers] = &hosts;
    let report = GuestReport {
        kernel: kernel_release(),
        algorithms: algorithms.names().map(own).collect(),
        traffic_algorithms: algorithms.names_of_traffic().map(|name| name.map(own)).collect(),
        settings: all,
        counters,
        dropped: senders.dropped()? + receivers.dropped()?,
        queues: queues.counters()?,
        late_applications: lateness.per_mille(990),
    };
    driver.tell(&Message::Over(Box::new(report)));
    Ok(())
}

/// A queue bench: the library lets packets arrive at a link, and the hosts send nothing.
fn bench(driver: &Driver, queues: &GuestQueues) -> Result<(), Error> {
    // The driver has no beginning without them.
    let settings = HostSettings::default();
    let host = |side| Host::of_driver(side, BENCH_PACKET, &settings, || driver.make_host(side));
    let _hosts = [host(HostSide::Senders)?, host(HostSide::Receivers)?];
    std::thread::sleep(FIRST_TICKS);
    driver.begin(LEAD, 0)?;
    while !driver.is_over() {
        std::thread::sleep(BENCH_LOOK);
    }
    let report =
        GuestReport { kernel: kernel_release(), queues: queues.counters()?, ..GuestReport::default() };
    driver.tell(&Message::Over(Box::new(report)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    // 15 letters: two of the prefix, then the set's name as far as the number leaves room.
    #[test]
    fn names_of_many_sets_fit_and_differ() {
        assert_eq!(short_name(PREFIX, "cubic", 0), "r_cubic");
        assert_eq!(short_name(PREFIX, "westwood-linux", 0), "r_westwood-linu");
        assert_eq!(short_name(PREFIX, "westwood-linux", 10), "r_westwood-l_10");
        let mut names: Vec<_> =
            (0..1000).map(|number| short_name(PREFIX, "illinois-linux", number)).collect();
        assert!(names.iter().all(|name| name.len() <= MOST_LETTERS));
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 1000);
    }
}
