// SPDX-License-Identifier: MIT OR Apache-2.0
//! The keys of a link's queue: a discipline has a variant of [`DisciplineSpec`], and a table of its keys.

use super::kinds::{BufferSize, Flag, Fraction, Required, TimeAbove0};
use super::{Absent, Form, Quantity, RowKind, Scope, Table, Variants};
use crate::buffer::{self, Buffer};
use crate::invalid::{Invalid, KeyTable};
use cwnd_link::CodelConfig;
use serde_json::{Map, Value};

variants! {
    /// Queue discipline, as a scenario specifies it.
    #[derive(Copy)]
    pub enum DisciplineSpec {
        DropTail = "droptail", "drops packets that arrive at a full queue";
        Red(RedSpec) = "red", "Random Early Detection (Floyd and Jacobson 1993)";
        Codel(CodelSpec) = "codel", "Controlled Delay (RFC 8289): drops at the head of the queue, and never shortens a queue of one full packet";
    }
}

keys! {
    /// Settings of RED (Floyd and Jacobson 1993). Either both thresholds are in bytes, or none.
    #[derive(Copy)]
    pub struct RedSpec {
        min: Buffer = Buffer::Packets(0), Required(BufferSize), "",
            "average queue from which packets are dropped", "";
        max: Buffer = Buffer::Packets(0), LikeMin, "",
            "average queue at which `max_p` is reached; above `min`, and in bytes if `min` is", "";
        max_p: u64 = parts(1, 10), Fraction, "",
            "probability of a drop there", "";
        weight: u64 = parts(2, 1000), Fraction, "",
            "weight of a new sample in the average", "";
        gentle: bool = true, Flag, "",
            "whether the probability rises further, to 1 at twice `max`", "";
    }
}

keys! {
    /// Settings of CoDel. The defaults are those of RFC 8289 §4.3, §4.4.
    #[derive(Copy)]
    pub struct CodelSpec {
        target: u64 = 5_000_000, TimeAbove0, "ns",
            "queueing delay that a standing queue may have", "";
        interval: u64 = 100_000_000, TimeAbove0, "ns",
            "how long the delay has to stay above `target` before packets are dropped", "";
    }
}

impl CodelSpec {
    /// The settings with the size of a full packet, bytes.
    #[must_use]
    pub const fn config(self, packet: u32) -> CodelConfig {
        CodelConfig { target: self.target, interval: self.interval, mtu: packet }
    }
}

/// n / of in units of 2⁻⁶⁴, rounded as a parsed decimal is.
const fn parts(n: u128, of: u128) -> u64 {
    ((n << 64) / of) as u64
}

/// A threshold in bytes if `min` is in bytes; required.
struct LikeMin;

impl RowKind for LikeMin {
    type Value = Buffer;

    fn parse(
        &self,
        table: &mut KeyTable<'_>,
        key: &'static str,
        _: &Scope<'_>,
    ) -> Result<Option<Buffer>, Invalid> {
        let is_bytes = |buffer: &Buffer| matches!(buffer, Buffer::Bytes(_));
        let in_bytes = table.get("min").and_then(buffer::read).is_some_and(|min| is_bytes(&min));
        let expected = if in_bytes {
            "a size (60kB), like min"
        } else {
            "packets, a time or multiples of the BDP, like min"
        };
        let like_min = |value: &Value| buffer::read(value).filter(|max| is_bytes(max) == in_bytes);
        table.required(key, expected, like_min).map(Some)
    }

    fn print(&self, max: &Buffer) -> Option<Value> {
        Some(Value::String(buffer::write(*max)))
    }

    fn form(&self) -> Form {
        Form::Quantity(Quantity::Buffer)
    }

    fn absent(&self, _: &Buffer) -> Absent {
        Absent::Required
    }
}

keys! {
    /// The key that every queue has.
    struct LimitTable {
        limit: Buffer = Buffer::Bdp(1_000_000, 0), Required(BufferSize), "",
            "max queue; the packet being sent does not count. `1bdp` is rate × `rtt` in whole packets, rounded down, but at least one packet. `\"0.1bdp, at least 4packets\"` sets a larger minimum", "";
    }
}

/// A queue, as a scenario specifies it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueSpec {
    /// Its limit.
    pub limit: Buffer,
    /// Its discipline.
    pub discipline: DisciplineSpec,
}

/// A queue. Its limit is checked when the link's rate and RTT are known.
pub(crate) struct Queue;

impl RowKind for Queue {
    type Value = QueueSpec;

    fn parse(
        &self,
        table: &mut KeyTable<'_>,
        key: &'static str,
        scope: &Scope<'_>,
    ) -> Result<Option<QueueSpec>, Invalid> {
        let Some(value) = table.get(key) else { return Ok(None) };
        let mut keys = KeyTable::new(&table.field(key), value)?;
        let kind = DisciplineSpec::parse_kind(&mut keys)?;
        let LimitTable { limit } = LimitTable::defaults().parse_keys(&mut keys, scope)?;
        let discipline = DisciplineSpec::parse_keys(kind, &mut keys, scope)?;
        keys.finish()?;
        Ok(Some(QueueSpec { limit, discipline }))
    }

    fn print(&self, queue: &QueueSpec) -> Option<Value> {
        let mut map = Map::from_iter([queue.discipline.print_kind()]);
        map.extend(LimitTable { limit: queue.limit }.print_keys());
        map.extend(queue.discipline.print_keys());
        Some(Value::Object(map))
    }

    fn form(&self) -> Form {
        Form::ByKind { key: "kind", kinds: DisciplineSpec::kinds(), common: LimitTable::keys() }
    }
}
