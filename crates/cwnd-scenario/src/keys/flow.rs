// SPDX-License-Identifier: MIT OR Apache-2.0
//! The keys of `[[flow]]`.

pub(crate) use super::flow_formats::{ACCESS_QUEUE, AlgorithmName, StartTime};
pub use super::flow_formats::{AccessLink, Start};

use super::flow_formats::{Access, Burst, ClockPhase, Gro, Label, Overhead, Route};
use super::formats::{Count, Flag, Frequency, Named, NonEmpty, Optional, Payload, Rate, Time};
use super::host::Host;
use super::list_of_stacks::{Stack, StackName};
use super::{Keyed, Lanes, keys};
use crate::route::RouteSpec;
use cwnd::registry::Recovery;
use serde_json::Value;

/// Max number of flows of a scenario.
pub(crate) const MAX_FLOWS: u32 = 1_000_000;
/// `host_clock` with and without `recovery = "linux"`, Hz. // Linux: CONFIG_HZ
const LINUX_HZ: u32 = 250;
const OTHER_HZ: u32 = 1000;
/// Max number of segments of a window.
const MAX_WINDOW: u32 = 1 << 30;
const RECOVERY: Named<Recovery> =
    Named { all: &Recovery::ALL, name: Recovery::name, aliases: &Recovery::ALIASES, or: ", " };
/// The format of `host`.
pub(crate) const HOST: Named<Host> = Named { all: Host::ALL, name: Host::name, aliases: &[], or: " or " };
/// What a command may be.
const COMMAND: &str = "a command, such as \"python3 stack.py\"";

keys! {
    /// A group of flows with the same settings.
    pub struct FlowGroup {
        cc: String = String::new(), AlgorithmName, "",
            "algorithm or parameter set", "", Lanes::LIVE.and(Lanes::STACK);
        stack: Option<Stack> = None, StackName, "",
            "real stack at both ends of the connection, in virtual time, with its own recovery, acknowledgements and pacing. `cc` may be one of its own algorithms, such as `stock-cubic`; cwnd's algorithms use `slow_start = \"hystart\"` there instead of HyStart++. Lane sim",
            "quinn-proto 0.11, noq-proto 1, smoltcp 0.14", Lanes::STACK;
        tls: bool = false, Flag, "",
            "whether the stack encrypts its packets and its handshake is TLS; otherwise, they only have the same sizes. Requires `stack`", "RFC 9001", Lanes::STACK;
        exec: Option<String> = None, Optional(NonEmpty(COMMAND), "none"), "",
            "command of the child process at each end, with words separated by spaces. Requires `stack = \"exec\"`, whose page describes the protocol",
            "docs/reference/exec-protocol.md", Lanes::STACK;
        label: Option<String> = None, Optional(Label, "`cc` and keys that differ"), "",
            "label of the group in tables, documents and pictures; unique", "", Lanes::LIVE.and(Lanes::STACK);
        count: u32 = 1, Count(1, MAX_FLOWS), "",
            "number of flows. Their names are the group's label, with a number if several flows share it: `cubic 1`", "", Lanes::LIVE.and(Lanes::STACK);
        start: Start = Start::At(0), StartTime, "",
            "start time; `uniform` draws one per flow", "", Lanes::LIVE.and(Lanes::STACK);
        stop: Option<u64> = None, Optional(Time, "never"), "ns",
            "when the application stops, after `start`", "", Lanes::LIVE.and(Lanes::STACK);
        rtt: Option<u64> = None,
            Optional(Time, "the link's; in a graph, the `delay` of its forward and reverse links plus twice `access_delay`"), "ns",
            "round trip time without queueing and serialisation", "", Lanes::LIVE.and(Lanes::STACK);
        host: Option<Host> = None, Optional(HOST, "none"), "",
            "host profile: recovery, acknowledgements, initial window, timeout, clock, handshake and interface. Other keys override it; the defaults in this table apply without a host",
            "docs/reference/hosts";
        recovery: Option<Recovery> = None, Optional(RECOVERY, "that of `cc`"), "",
            "loss recovery; `rfc` is `sack-prr`", "RFC 6675, RFC 9937, RFC 8985, RFC 6582, RFC 5681";
        initial_cwnd: u32 = 10, Count(1, MAX_WINDOW), "segments",
            "initial window", "RFC 6928";
        initial_ssthresh: Option<u32> = None, Optional(Count(2, MAX_WINDOW), "none"), "segments",
            "initial slow start threshold", "RFC 5681 §3.1";
        ack_every: u32 = 2, Count(1, 1000), "segments",
            "the receiver acknowledges at least every n-th segment", "RFC 5681 §4.2";
        ack_delay: u64 = 40_000_000, Time, "ns",
            "max delay of an acknowledgement", "RFC 5681 §4.2; Linux: from 40 ms on";
        rwnd: Option<u32> = None, Optional(Count(1, MAX_WINDOW), "no limit; with a `stack`, its default"), "segments",
            "receive window; with a `stack`, of the connection and of its stream, in full datagrams", "RFC 9293 §3.8, RFC 9000 §4.1", Lanes::LIVE.and(Lanes::STACK);
        min_rto: u64 = 200_000_000, Time, "ns",
            "min difference between the retransmission timeout and the smoothed RTT. RTT variation is sampled once per round trip, so values below the default cause no timeouts if fast retransmit repairs the loss (tested on two DropTail paths), except a few with `recovery = \"linux\"`",
            "Linux: 200 ms";
        limited_transmit: bool = true, Flag, "",
            "whether early duplicate acknowledgements release new segments", "RFC 3042";
        overhead: u64 = 0, Overhead, "ns",
            "max random delay between the sender's decision to send a packet and its transmission, to avoid phase effects", "ns-2: overhead_", Lanes::LIVE_FLOWS;
        // In lane live the machine has its own.
        host_clock: Option<u32> = None, Optional(Frequency, "250Hz with `recovery = \"linux\"`, otherwise 1000Hz"), "Hz",
            "tick rate of the hosts' clocks", "Linux: CONFIG_HZ", Lanes::LIVE;
        host_clock_phase: Option<u64> = None, Optional(ClockPhase, "drawn for each host"), "ns",
            "for how long the hosts' tick counters have run at time 0. Timers end at their ticks, and longer ones at multiples of 8, 64, … ticks. Has an effect with `recovery = \"linux\"`",
            "Linux: jiffies, kernel/time/timer.c", Lanes::LIVE;
        route: RouteSpec = RouteSpec::Forward, Route, "",
            "its route", "", Lanes::LIVE.and(Lanes::STACK);
        access: Option<AccessLink> = None, Optional(Access, "none"), "",
            "access link of each flow, the first link on its path", "", Lanes::LIVE_FLOWS.and(Lanes::STACK);
        access_delay: u64 = 0, Time, "ns",
            "one-way propagation delay from the sender to the first link, part of `rtt`", "", Lanes::LIVE.and(Lanes::STACK);
        pacing: bool = false, Flag, "",
            "pacing at the algorithm's rate, otherwise at window / RTT with Linux's margins (200 % in slow start, 120 % in congestion avoidance); an algorithm with `cong_control` is always paced at its rate",
            "Linux: tcp_pacing_ss_ratio, tcp_pacing_ca_ratio", Lanes::LIVE_FLOWS;
        burst: Option<u32> = None, Optional(Burst, "no limit; with pacing, 1"), "packets",
            "max packets per burst: with pacing, the bucket depth; without, per event", "ns-2: maxburst_";
        handshake: Option<bool> = None, Optional(Flag, "true with `recovery = \"linux\"`"), "",
            "whether a handshake of one round trip, without queueing, precedes the data", "RFC 9293 §3.5";
        gso: Option<bool> = None, Optional(Flag, "true with `recovery = \"linux\"` and no `burst`"), "",
            "whether the host has segmentation offload: it hands over several segments at a time, as many as it sends in a millisecond, and they leave back to back; with `pacing`, the next ones leave when the pace allows. Requires `recovery = \"linux\"`",
            "Linux: tcp_tso_should_defer, tcp_tso_autosize", Lanes::LIVE_FLOWS;
        gro: Option<u64> = None, Optional(Gro, "none: each segment is processed on arrival"), "ns",
            "time from the arrival of the first waiting segment until the receiver's interface processes all that have arrived; consecutive ones with one timestamp, up to 64 kB, are merged and acknowledged as one",
            "Linux: napi_gro_receive, tcp_gro_receive; ethtool: rx-usecs", Lanes::LIVE_FLOWS;
        ecn: bool = false, Flag, "",
            "whether the connection negotiates ECN: queues with `ecn` can mark its new data, and marks reduce the window", "RFC 3168", Lanes::LIVE.and(Lanes::STACK);
        size: Option<u64> = None, Optional(Payload, "no end"), "bytes",
            "payload; the table `transfers` has its completion time, including any handshake", "", Lanes::LIVE.and(Lanes::STACK);
        app_rate: Option<u64> = None, Optional(Rate, "no limit"), "bit/s",
            "rate at which the application writes payload", "", Lanes::LIVE.and(Lanes::STACK);
        idle_restart: bool = true, Flag, "",
            "whether the window is reset after an idle time; with `recovery = \"linux\"`, it is halved for each timeout that the idle time contains", "RFC 5681 §4.1, RFC 2861 §3";
    }
    also {
        /// Parameters that differ from the set, as written.
        params: Vec<(String, String)> = Vec::new();
    }
}

impl FlowGroup {
    /// A group of one flow with default settings.
    #[must_use]
    pub fn of(cc: &str, start: Start) -> Self {
        Self { cc: cc.to_owned(), start, ..Self::defaults() }
    }

    /// Its own recovery, or else that of its algorithm's set.
    #[must_use]
    pub fn recovery(&self) -> Recovery {
        let known = || cwnd::registry::find(&self.cc).map(|(_, set)| set.recovery);
        self.recovery.or_else(known).unwrap_or_default()
    }

    /// Ticks a second of its hosts' clocks.
    pub(crate) fn clock_hz(&self) -> u32 {
        self.host_clock.unwrap_or(if self.recovery() == Recovery::Linux { LINUX_HZ } else { OTHER_HZ })
    }

    /// The first key that has no effect in these lanes and whose value no group of `groups` has, with the values of these groups. A key that is
    /// not written has the value `none`.
    #[must_use]
    pub fn key_unlike(&self, groups: &[Self], lanes: Lanes) -> Option<(&'static str, Vec<String>)> {
        let printed =
            |group: &Self, key: &str| group.print_keys().get(key).map_or("none".to_owned(), Value::to_string);
        keys_without(lanes).find_map(|key| {
            let mut values: Vec<_> = groups.iter().map(|group| printed(group, key)).collect();
            values.dedup();
            (!values.contains(&printed(self, key))).then_some((key, values))
        })
    }

    /// Whether a host with segmentation offload can be simulated for it under this recovery.
    pub(crate) fn may_have_gso(&self, recovery: Recovery) -> bool {
        recovery == Recovery::Linux && self.burst.is_none()
    }
}

/// The names of the keys of a flow that are not parameters of its algorithm.
#[must_use]
pub fn flow_keys() -> Vec<&'static str> {
    FlowGroup::keys().iter().map(|key| key.name).collect()
}

/// The keys that have no effect in these lanes. They refuse any value but their own.
#[must_use]
pub fn flow_keys_without(lanes: Lanes) -> Vec<&'static str> {
    keys_without(lanes).collect()
}

/// The same, one by one.
pub(crate) fn keys_without(lanes: Lanes) -> impl Iterator<Item = &'static str> {
    FlowGroup::LANES.iter().filter(move |(_, honoured)| !honoured.has(lanes)).map(|(key, _)| *key)
}
