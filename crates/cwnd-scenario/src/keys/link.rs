// SPDX-License-Identifier: MIT OR Apache-2.0
//! The keys of a link.

pub use super::kernel_queue::KernelQueue;
pub use super::link_formats::JitterSpec;
pub use super::queue::{DisciplineSpec, QueueSpec};
pub use super::rate_formats::{LinkDelay, LinkRate};

use super::formats::{Count, NonEmpty, Optional, PacketSize, Required, Time, TimeAbove0};
use super::link_formats::{JitterKind, Packets, PrintIfTrue, Reordering};
use super::loss_formats::Losses;
use super::queue::Queue;
use super::rate_formats::{Delays, Rates, rates};
use super::{Absent, Form, Key, Keyed, KnownLinks, LinkEnds, RowFormat, Scope, keys};
use crate::buffer::Buffer;
use crate::files::Files;
use crate::invalid::{Invalid, TableReader};
use crate::units;
use cwnd_link::{DisciplineConfig, Jitter, Limit, Loss, Reorder, SettingValue};
use serde_json::{Map, Value, json};

keys! {
    /// A one-way link and its queue, as a scenario specifies them.
    pub struct LinkSpec {
        rate: Option<LinkRate> = None, Rates, "",
            "rate of the link: constant, steps at given times, a trace, or a series; during an outage (`0bit/s` in a step), packets wait. A link without a rate (`none`) has no queue and no capacity: a packet takes no time to send and never waits. Queue sizes in `bdp` and time refer to the first rate above 0, or the mean rate of a trace or series", "";
        delay: LinkDelay = LinkDelay { first: 0, series: None }, Delays, "ns",
            "one-way propagation delay, constant or a series. The rest of a flow's initial round trip time is delay at its ends", "";
        delay_limit: Option<u64> = None, Optional(Packets, "no limit"), "packets",
            "max packets at once on a link without a rate; any more are dropped", "tc-netem: limit without rate";
        loss: Loss = Loss::None, Losses, "",
            "random losses of all packets on the link, numbered by arrival: `\"every:1000\"`, `\"every:1000,1\"` (the first one is number 1), `\"random:0.001\"`, `\"gilbert:P,R,1-K,1-H\"` (good to bad, bad to good, loss in good, in bad), `\"gemodel:P,R,1-H,1-K\"` (the same in the order of tc-netem: loss in bad before loss in good), `\"gilbert:p=0.01,r=0.1,1-h=0.7,1-k=0\"` (by netem's names), `\"at:5000,9000\"`; or the table `{ gemodel = [\"1%\", \"10%\", \"70%\", \"0.1%\"] }` in netem's order. A probability is a number or a percentage",
            "Gilbert 1960, Elliott 1963";
        jitter: JitterSpec = JitterSpec { delay: Jitter::None, overtaking: false, centered: false }, JitterKind, "",
            "random delay in addition to `delay`, and to `rtt` unless it is `centered`; a plain time means uniform from 0 to that time", "";
        reorder: Option<Reorder> = None, Optional(Reordering, "none"), "",
            "packets with extra delay, so that later ones overtake them", "";
        count_in_service: bool = false, PrintIfTrue, "",
            "whether the queue's limit, in packets or bytes, includes the packet being sent", "FreeBSD: dummynet; ns-2: limit_";
        tick: Option<u64> = None, Optional(TimeAbove0, "none"), "ns",
            "the link moves packets only at multiples of this time. A packet that arrives in between counts as arriving at the previous multiple; it leaves the queue, and later the link, at the first multiple at or after the time it is due. 1/HZ of a machine with dummynet", "FreeBSD: dummynet, kern.hz";
        queue: Option<QueueSpec> = Some(QueueSpec::DEFAULT),
            Optional(Queue, "`{ kind = \"droptail\", limit = \"1bdp\" }`; none without a `rate`"), "",
            "the queue", "";
    }
    also {
        /// Its name, unique among the links.
        name: String = String::new();
        /// The node that it starts at.
        from: String = String::new();
        /// The node that it ends at.
        to: String = String::new();
        /// Round trip time for sizes in multiples of the BDP; in a dumbbell also the default round trip time of flows.
        rtt: u64 = 0;
    }
}

keys! {
    /// The keys that a dumbbell's `[link]` has beside those of a link.
    pub(crate) struct DumbbellTable {
        rtt: u64 = 0, Required(Time), "ns",
            "round trip time for sizes in `bdp`, and the default round trip time of flows", "";
        packet_size: Option<u32> = None, Optional(PacketSize(100, 64_000), "that of the document"), "bytes",
            "as at the top level, which may have the key instead", "";
    }
}

keys! {
    /// The keys that a `[[link]]` of a graph has before those of a link.
    pub(crate) struct GraphTable {
        name: Option<String> = None, Optional(NonEmpty("a name for the link"), "`FROM-TO`"), "",
            "unique name", "";
        from: String = String::new(), Required(NonEmpty("the name of a node")), "",
            "node where the link starts; naming a node creates it", "";
        to: String = String::new(), Required(NonEmpty("the name of a node")), "",
            "node where the link ends", "";
    }
}

keys! {
    /// The key that links of a graph have after those of a link.
    pub(crate) struct RttTable {
        rtt: Option<u64> = None,
            Optional(Time, "the longest round trip time of the flows that use the link, forward or in reverse; without flows, twice its `delay`"), "ns",
            "round trip time for sizes in `bdp`", "";
    }
}

keys! {
    /// The key that `[parking_lot]` has before those of a link.
    pub(crate) struct ParkingLotTable {
        hops: u32 = 0, Required(Count(1, 1000)), "",
            "number of bottlenecks", "";
    }
}

keys! {
    /// The key of a reverse path.
    fn reverse_path {
        reverse: reverse(), Absent::Value(json!(false)), "",
            "the reverse path as links with queues, shared by acknowledgements and data in the reverse direction. `true`: same rate, delay, `delay_limit` and queue; no losses, jitter or reordering. A table: keys of a link (without `rtt`) that override these. Created automatically in a dumbbell when a flow or traffic sends in the reverse direction", "";
    }
}

keys! {
    /// The key that stands for others, in netem's words.
    fn netem_key {
        netem: Form::Syntax { what: "words of tc-netem or tc-tbf", pattern: ".+" }, Absent::Words("none"), "",
            "the link in the words of `tc … netem` or `tc … tbf`, instead of `rate`, `delay`, `delay_limit`, `jitter`, `loss`, `reorder` and `queue`: `\"delay 20ms 5ms loss gemodel 1% 10% 70% 0.1% rate 10mbit limit 1000\"`. The meaning of each word is reported; a word without a counterpart is refused",
            "tc-netem(8), tc-tbf(8)";
    }
}

/// The keys of `[link]`, a dumbbell.
pub(crate) fn dumbbell() -> Vec<Key> {
    [LinkSpec::keys(), DumbbellTable::keys(), netem_key(), reverse_path()].concat()
}

/// The keys of a `[[link]]`, one of a graph.
pub(crate) fn graph() -> Vec<Key> {
    [GraphTable::keys(), LinkSpec::keys(), RttTable::keys(), netem_key()].concat()
}

/// The keys of `[parking_lot]`.
pub(crate) fn parking_lot() -> Vec<Key> {
    [ParkingLotTable::keys(), LinkSpec::keys(), RttTable::keys(), netem_key(), reverse_path()].concat()
}

/// A reverse link: a flag, or keys of a link, none of them required.
fn reverse() -> Form {
    let optional = |key| match key {
        Key { absent: Absent::Required, .. } => {
            Key { absent: Absent::Words("that of the forward link"), ..key }
        }
        key => key,
    };
    Form::Either(vec![Form::Flag, Form::Table(LinkSpec::keys().into_iter().map(optional).collect())])
}

/// Reads the keys that every link has. `forward`, where given, provides rate, delay and queue where they are not written. Name, ends and
/// RTT are not set here, and the queue's limit is not checked. A link has a queue where it has a rate.
pub(crate) fn parse(
    table: &mut TableReader<'_>,
    forward: Option<&LinkSpec>,
    files: Files<'_>,
) -> Result<LinkSpec, Invalid> {
    let base = forward.map_or_else(LinkSpec::defaults, plain);
    let link = base.parse_keys(table, &Scope { files, ..Scope::default() })?;
    with_or_without_rate(link, table)
}

/// The keys of a link into `map`, every default written out.
pub(crate) fn print(link: &LinkSpec, map: &mut Map<String, Value>) {
    let mut keys = link.print_keys();
    // Printed after the queue.
    for key in ["jitter", "reorder"] {
        if let Some(value) = keys.shift_remove(key) {
            keys.insert(key.to_owned(), value);
        }
    }
    map.extend(keys);
}

/// A copy of this link without random losses, jitter and reordering.
pub(crate) fn plain(link: &LinkSpec) -> LinkSpec {
    let LinkSpec { loss, jitter, reorder, .. } = LinkSpec::defaults();
    LinkSpec { loss, jitter, reorder, ..link.clone() }
}

impl LinkSpec {
    /// Its random losses as a scenario writes them; `None` without any.
    #[must_use]
    pub fn loss_text(&self) -> Option<String> {
        Losses.print(&self.loss).as_ref().and_then(Value::as_str).map(str::to_owned)
    }

    /// rate × RTT in whole packets of `packet` bytes, rounded down; `None` without a rate.
    #[must_use]
    pub fn bdp_packets(&self, packet: u32) -> Option<u64> {
        self.rate.is_some().then(|| self.packets_in(self.rtt, packet))
    }

    /// [`LinkRate::nominal`], for sizes of a queue, which a link without a rate does not have.
    pub(crate) fn nominal_rate(&self) -> u64 {
        self.rate.as_ref().map_or(0, LinkRate::nominal)
    }

    fn packets_in(&self, time: u64, packet: u32) -> u64 {
        let packets =
            u128::from(self.nominal_rate()) * u128::from(time) / (8_000_000_000 * u128::from(packet));
        u64::try_from(packets).unwrap_or(u64::MAX)
    }

    /// A size in packets of `packet` bytes, or in bytes.
    #[must_use]
    pub fn threshold(&self, buffer: Buffer, packet: u32) -> Limit {
        match buffer {
            Buffer::Packets(packets) => Limit::Packets(packets),
            Buffer::Infinite => Limit::Packets(u64::MAX),
            Buffer::Bytes(bytes) => Limit::Bytes(bytes),
            Buffer::Time(time) => Limit::Packets(self.packets_in(time, packet)),
            Buffer::Bdp(millionths, floor) => {
                let bits_e9 = u128::from(self.nominal_rate()) * u128::from(self.rtt);
                let packet = 8_000_000_000 * u128::from(packet);
                let packets = bits_e9.saturating_mul(u128::from(millionths)) / (packet * 1_000_000);
                Limit::Packets(u64::try_from(packets).unwrap_or(u64::MAX).max(floor))
            }
        }
    }

    /// The limit of this link's queue for a size. A fraction of a BDP that is less than a packet is one packet.
    #[must_use]
    pub fn limit(&self, buffer: Buffer, packet: u32) -> Limit {
        let above_0 = self.nominal_rate() > 0 && self.rtt > 0;
        match (buffer, self.threshold(buffer, packet)) {
            (Buffer::Bdp(1.., _), Limit::Packets(0)) if above_0 => Limit::Packets(1),
            (_, limit) => limit,
        }
    }

    /// Checks that the queue of this link may have the limit `buffer`; the error is what is expected instead.
    pub(crate) fn check_limit(&self, buffer: Buffer, packet: u32) -> Result<(), String> {
        if buffer == Buffer::Infinite {
            return Ok(());
        }
        let (packets, bytes) = match self.limit(buffer, packet) {
            Limit::Packets(n) => (n, n.saturating_mul(u64::from(packet))),
            Limit::Bytes(n) | Limit::BytesInAll(n) => (n / u64::from(packet), n),
            Limit::Time(ns) => {
                let bytes = u128::from(self.nominal_rate()) * u128::from(ns) / 8_000_000_000;
                let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
                (bytes / u64::from(packet), bytes)
            }
        };
        if (1..=1 << 32).contains(&packets) {
            return Ok(());
        }
        let at = match buffer {
            Buffer::Bdp(..) => format!(" at a round trip of {}", units::write_time(self.rtt)),
            _ => String::new(),
        };
        Err(format!(
            "room for at least one packet of {} and at most 2^32; this is {bytes} bytes{at}",
            units::write_size(u64::from(packet))
        ))
    }

    /// The limit of this link's queue while it runs, for a size: of [`LinkSpec::limit`] it may count the packet being sent.
    #[must_use]
    pub fn running_limit(&self, buffer: Buffer, packet: u32) -> Limit {
        let limit = self.limit(buffer, packet);
        if self.count_in_service { limit.in_all() } else { limit }
    }

    /// Its queue where it is one of the kernel.
    #[must_use]
    pub fn kernel_queue(&self) -> Option<&KernelQueue> {
        self.queue.as_ref()?.kernel.as_ref()
    }

    /// A discipline of this link's queue, with its settings in packets or bytes.
    pub(crate) fn discipline_config(&self, spec: &DisciplineSpec, packet: u32) -> DisciplineConfig {
        let DisciplineSpec { discipline, settings } = spec;
        let resolved = |value: &SettingValue<Buffer>| value.map_size(|size| self.threshold(size, packet));
        discipline.config(&settings.iter().map(resolved).collect::<Vec<_>>(), packet)
    }
}

impl KnownLinks for Vec<LinkSpec> {
    fn ends(&self) -> Vec<LinkEnds<'_>> {
        self.iter().map(|LinkSpec { name, from, to, .. }| LinkEnds { name, from, to }).collect()
    }

    fn check_new_rate(&self, number: usize) -> Result<(), &'static str> {
        match self[number].rate {
            Some(LinkRate::Trace(..)) => Err("a link whose rate does not follow a trace"),
            None => Err("a link that has a rate"),
            Some(_) => Ok(()),
        }
    }

    fn has_queue(&self, number: usize) -> bool {
        self[number].queue.is_some() && self[number].kernel_queue().is_none()
    }

    fn check_limit(&self, number: usize, limit: Buffer, packet: u32) -> Result<(), String> {
        self[number].check_limit(limit, packet)
    }
}

/// The link as it is with or without a rate: with one it has a queue, without it has none, and may have a `delay_limit`.
fn with_or_without_rate(link: LinkSpec, table: &mut TableReader<'_>) -> Result<LinkSpec, Invalid> {
    if link.rate.is_some() {
        if let Some(limit) = table.get("delay_limit") {
            let expected = "no delay_limit: a link with a rate has a queue, whose limit is queue.limit";
            return table.refuse("delay_limit", Some(limit), expected);
        }
        let queue = link.queue.or(LinkSpec::defaults().queue);
        if queue.as_ref().is_some_and(|queue| queue.kernel.is_some()) {
            // Both say how our own queue counts and looks.
            let tick = table.get("tick");
            let flag = table.get("count_in_service").filter(|flag| **flag == json!(true));
            if let Some((key, value)) =
                tick.map(|value| ("tick", value)).or_else(|| flag.map(|value| ("count_in_service", value)))
            {
                return table.refuse(key, Some(value), format!("no {key}: the queue is the kernel's"));
            }
        }
        return Ok(LinkSpec { queue, delay_limit: None, ..link });
    }
    let queue = table.get("queue").map(|value| ("queue", value));
    let flag = table.get("count_in_service").filter(|flag| **flag == json!(true));
    if let Some((key, value)) = queue.or_else(|| flag.map(|value| ("count_in_service", value))) {
        return match table.get("rate") {
            None => table.refuse("rate", None, format!("{} (only a link with a rate has a queue)", rates())),
            Some(_) => {
                table.refuse(key, Some(value), format!("no {key}: a link without a rate has no queue"))
            }
        };
    }
    Ok(LinkSpec { queue: None, count_in_service: false, ..link })
}
