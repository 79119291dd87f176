// SPDX-License-Identifier: MIT OR Apache-2.0
//! The keys of `[record]`.

use super::formats::{Flag, Named, PacketSize as SnapLength, Time};
use super::{Form, Keyed, Quantity, Scope, ValueFormat, keys};
use crate::units;
use serde_json::{Value, json};
use std::borrow::Cow;

keys! {
    /// What to record in addition to the summary.
    pub struct RecordSpec {
        interval: u64 = 100_000_000, Time, "ns",
            "interval of the samples in `cwnd` and `queue`; `\"0s\"` for no samples", "";
        per_ack: bool = false, Flag, "",
            "a row of `cwnd` at every acknowledgement instead", "";
        inner: InnerVariables = InnerVariables::Off, InnerKind, "",
            "inner variables of the algorithms, all or by name, in the table `inner`", "";
        flows: RecordedFlows = RecordedFlows::All, FlowsKind, "",
            "the flows with rows in `cwnd` and `inner`, and with packets in captures: numbers of flows (from 0) or their names (`\"cubic 1\"`, the first of that name); labels of groups and names of algorithms or parameter sets select all their flows", "";
        packets: CapturedHosts = CapturedHosts::None, Named { all: &CapturedHosts::ALL, name: CapturedHosts::name, aliases: &[], or: " or " }, "",
            "the hosts of `flows` whose packets are captured, each in its own pcapng file", "draft-ietf-opsawg-pcapng";
        snap_length: u32 = 80, SnapLength(80, 65_535), "bytes",
            "bytes of each packet that a capture keeps; 80 hold all headers", "";
        limit: Option<u64> = Some(2_000_000_000), SizeOrNone, "bytes",
            "max expected size of the tables of samples (`cwnd`, `queue`, `inner`), uncompressed, and of captures; a larger run is refused before it starts. A capture that still exceeds it ends the run", "";
    }
}

impl Default for RecordSpec {
    fn default() -> Self {
        Self::defaults()
    }
}

/// Whose packets are captured. All senders are one host, and all receivers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CapturedHosts {
    /// No host's.
    #[default]
    None,
    /// Those that the senders send and receive.
    Senders,
    /// Those that the receivers send and receive.
    Receivers,
    /// Both.
    Both,
}

impl CapturedHosts {
    /// All values.
    pub const ALL: [Self; 4] = [Self::None, Self::Senders, Self::Receivers, Self::Both];

    /// Name in a scenario.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Senders => "senders",
            Self::Receivers => "receivers",
            Self::Both => "both",
        }
    }

    /// Whether the senders' are captured, and whether the receivers' are.
    #[must_use]
    pub const fn sides(self) -> [bool; 2] {
        [matches!(self, Self::Senders | Self::Both), matches!(self, Self::Receivers | Self::Both)]
    }
}

/// Which inner variables of the algorithms to record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum InnerVariables {
    /// None.
    #[default]
    Off,
    /// All that the flows' algorithms show.
    All,
    /// Those with these names.
    Only(Vec<String>),
}

impl InnerVariables {
    /// Whether the variable called `name` is one of them.
    #[must_use]
    #[inline]
    pub fn has(&self, name: &str) -> bool {
        match self {
            Self::Off => false,
            Self::All => true,
            Self::Only(names) => names.iter().any(|known| known == name),
        }
    }
}

/// Which flows have rows in the tables `cwnd` and `inner`, and packets in captures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RecordedFlows {
    /// All of them.
    #[default]
    All,
    /// None of them.
    Nothing,
    /// These.
    Only(Vec<FlowRef>),
}

/// Flows that [`RecordedFlows::Only`] names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlowRef {
    /// The flow of this number in the tables.
    Number(u32),
    /// The flow of this name, or all flows of the algorithm of this name.
    Name(String),
}

const INNER: &str = "true, false, or a list of names of inner variables (see cwnd show)";
pub(crate) const FLOWS: &str =
    "\"all\", \"none\", or a list of flows: numbers, names, or labels or algorithms for all their flows";
const LIMIT: &str = "a size (2GB), or \"none\"";

/// Inner variables: all, none, or by name.
struct InnerKind;

impl ValueFormat for InnerKind {
    type Value = InnerVariables;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        INNER.into()
    }

    fn read(&self, value: &Value, _: &Scope<'_>) -> Option<InnerVariables> {
        read_inner(value)
    }

    fn write(&self, inner: &InnerVariables) -> Value {
        match inner {
            InnerVariables::Off => json!(false),
            InnerVariables::All => json!(true),
            InnerVariables::Only(names) => json!(names),
        }
    }

    fn form(&self) -> Form {
        let name = Form::Text { min: 0, max: u64::MAX };
        Form::Either(vec![Form::Flag, Form::List { item: Box::new(name), min: 1 }])
    }
}

/// Flows: all, none, or by number or name.
struct FlowsKind;

impl ValueFormat for FlowsKind {
    type Value = RecordedFlows;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        FLOWS.into()
    }

    fn read(&self, value: &Value, _: &Scope<'_>) -> Option<RecordedFlows> {
        read_flows(value)
    }

    fn write(&self, flows: &RecordedFlows) -> Value {
        match flows {
            RecordedFlows::All => json!("all"),
            RecordedFlows::Nothing => json!("none"),
            RecordedFlows::Only(picks) => picks
                .iter()
                .map(|pick| match pick {
                    FlowRef::Number(number) => json!(number),
                    FlowRef::Name(name) => json!(name),
                })
                .collect(),
        }
    }

    fn form(&self) -> Form {
        let number = Form::Whole { min: 0, max: u32::MAX.into() };
        let flow = Form::Either(vec![number, Form::Text { min: 0, max: u64::MAX }]);
        Form::Either(vec![Form::Choice(vec!["all", "none"]), Form::List { item: Box::new(flow), min: 1 }])
    }
}

/// A size, or none.
struct SizeOrNone;

impl ValueFormat for SizeOrNone {
    type Value = Option<u64>;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        LIMIT.into()
    }

    fn read(&self, value: &Value, _: &Scope<'_>) -> Option<Option<u64>> {
        match value.as_str()? {
            "none" => Some(None),
            text => units::read_size(text).map(Some),
        }
    }

    fn write(&self, limit: &Option<u64>) -> Value {
        json!(limit.map_or_else(|| "none".to_owned(), units::write_size))
    }

    fn form(&self) -> Form {
        let size = Form::Quantity(Quantity::Size(0, u64::MAX));
        Form::Either(vec![size, Form::Choice(vec!["none"])])
    }
}

fn read_inner(value: &Value) -> Option<InnerVariables> {
    match value {
        Value::Bool(true) => Some(InnerVariables::All),
        Value::Bool(false) => Some(InnerVariables::Off),
        Value::Array(list) if !list.is_empty() => list
            .iter()
            .map(|name| name.as_str().map(str::to_owned))
            .collect::<Option<_>>()
            .map(InnerVariables::Only),
        _ => None,
    }
}

fn read_flows(value: &Value) -> Option<RecordedFlows> {
    let pick = |value: &Value| match value {
        Value::String(name) => Some(FlowRef::Name(name.clone())),
        _ => value.as_u64().and_then(|number| u32::try_from(number).ok()).map(FlowRef::Number),
    };
    match value {
        Value::String(text) if text == "all" => Some(RecordedFlows::All),
        Value::String(text) if text == "none" => Some(RecordedFlows::Nothing),
        Value::Array(list) if !list.is_empty() => {
            list.iter().map(pick).collect::<Option<_>>().map(RecordedFlows::Only)
        }
        _ => None,
    }
}
