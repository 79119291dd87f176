// SPDX-License-Identifier: MIT OR Apache-2.0
//! The formats of keys that only a link has: rate, losses, jitter, reordering, and flags that are printed where they are true.

use super::formats::{Flag, Fraction, Required, Text, TimeAbove0};
use super::{Absent, Form, Keyed, Quantity, RowFormat, Scope, ValueFormat, Variants};
use crate::files;
use crate::invalid::{Invalid, TableReader, shown};
use crate::units::{self, MAX_TIME, RATE, probability, read_probability, time, write_rate, write_time};
use cwnd_link::{GilbertElliott, Jitter, Loss, Reorder, Trace};
use serde_json::{Map, Value, json};

/// Rate of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkRate {
    /// A constant rate, bit/s.
    Constant(u64),
    /// The first rate, and further rates from given times on, bit/s; 0 is an outage.
    Steps(u64, Vec<(u64, u64)>),
    /// A trace of delivery opportunities, and the file that it was read from.
    Trace(Trace, String),
}

impl LinkRate {
    /// The rate for sizes in time and BDP: the first rate above 0; of a trace the mean.
    #[must_use]
    pub fn nominal(&self) -> u64 {
        match self {
            Self::Constant(rate) => *rate,
            Self::Steps(first, steps) => {
                let mut rates = std::iter::once(*first).chain(steps.iter().map(|step| step.1));
                rates.find(|rate| *rate > 0).unwrap_or(0)
            }
            Self::Trace(trace, _) => trace.mean_rate(),
        }
    }
}

/// Random delay of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JitterSpec {
    /// Random delay in addition to the propagation delay.
    pub delay: Jitter,
    /// Whether jitter may put packets out of order.
    pub overtaking: bool,
}

const LOSS: &str = "every:N or every:N,FIRST, random:P with 0 < P < 1, gilbert:P,R,1-K,1-H with four numbers from 0 to 1, \
                    or at:N,N,... with rising packet numbers from 1";
const JITTER: &str = "a time above 0 (\"5ms\": uniform from 0 to that), or a table with kind";

/// A rate, steps, or a trace.
pub(crate) struct Rates;

keys! {
    /// The key of a trace.
    struct TraceTable {
        trace: String = String::new(), Required(Text("the path of a trace in Mahimahi's format")), "",
            "path of a file in Mahimahi's format: one line per opportunity to deliver 1500 bytes, its time in whole milliseconds. It repeats from the beginning. The path is relative to the folder of the document, for a document without one to the working directory",
            "Mahimahi";
    }
}

impl RowFormat for Rates {
    type Value = LinkRate;

    fn parse(
        &self,
        table: &mut TableReader<'_>,
        key: &'static str,
        scope: &Scope<'_>,
    ) -> Result<Option<LinkRate>, Invalid> {
        let field = table.field(key);
        match table.get(key) {
            Some(Value::Array(list)) if !list.is_empty() => parse_steps(&field, list).map(Some),
            Some(value @ Value::Object(_)) => parse_trace(&field, value, scope).map(Some),
            _ => {
                let constant = |value: &Value| value.as_str().and_then(units::read_rate);
                Ok(table.read_as(key, || rates().into(), constant)?.map(LinkRate::Constant))
            }
        }
    }

    fn print(&self, rate: &LinkRate) -> Option<Value> {
        let step = |at: u64, rate: u64| json!([write_time(at), write_rate(rate)]);
        Some(match rate {
            LinkRate::Constant(rate) => json!(write_rate(*rate)),
            LinkRate::Steps(first, steps) => {
                let steps = steps.iter().map(|&(at, rate)| step(at, rate));
                Value::Array(std::iter::once(step(0, *first)).chain(steps).collect())
            }
            LinkRate::Trace(_, path) => json!({ "trace": path }),
        })
    }

    fn form(&self) -> Form {
        let rate = Form::Quantity(Quantity::Rate { or_outage: true });
        let step = Form::Tuple(vec![Form::Quantity(Quantity::Time(0, MAX_TIME)), rate]);
        Form::Either(vec![
            Form::Quantity(Quantity::Rate { or_outage: false }),
            Form::List { item: Box::new(step), min: 1 },
            Form::Table(TraceTable::keys()),
        ])
    }

    fn absent(&self, _: &LinkRate) -> Absent {
        Absent::Required
    }
}

/// What a rate of a link may be, for error messages.
pub(crate) fn rates() -> String {
    format!("{RATE}, steps ([[\"0s\", \"10Mbit/s\"], ...]) or a trace ({{ trace = \"file\" }})")
}

fn parse_steps(field: &str, list: &[Value]) -> Result<LinkRate, Invalid> {
    let mut steps: Vec<(u64, u64)> = Vec::new();
    for (index, item) in list.iter().enumerate() {
        let step = match item.as_array().map(Vec::as_slice) {
            Some([at, rate]) => time(at).zip(rate.as_str().and_then(units::read_rate_or_0)),
            _ => None,
        };
        let (follows, expected) = match steps.last() {
            None => (
                step.is_some_and(|(at, _)| at == 0),
                "[\"0s\", a rate or, for an outage, 0bit/s], from which the steps begin".to_owned(),
            ),
            Some((before, _)) => (
                step.is_some_and(|(at, _)| at > *before),
                format!("[a time after {}, a rate or, for an outage, 0bit/s]", write_time(*before)),
            ),
        };
        match step {
            Some(step) if follows => steps.push(step),
            _ => {
                let field = format!("{field}[{index}]");
                return Err(Invalid { field, value: Some(shown(item)), expected });
            }
        }
    }
    if steps.iter().all(|step| step.1 == 0) {
        let (field, value) = (field.to_owned(), Some(format!("{} steps of 0bit/s", steps.len())));
        return Err(Invalid { field, value, expected: "a rate above 0 in one step at least".to_owned() });
    }
    let first = steps.remove(0).1;
    Ok(if steps.is_empty() { LinkRate::Constant(first) } else { LinkRate::Steps(first, steps) })
}

/// A trace, and its path as written.
fn parse_trace(field: &str, value: &Value, scope: &Scope<'_>) -> Result<LinkRate, Invalid> {
    let mut table = TableReader::new(field, value)?;
    let TraceTable { trace: path } = TraceTable::defaults().parse_keys(&mut table, scope)?;
    table.finish()?;
    let field = format!("{field}.trace");
    let text = files::read(scope.files, &field, &path)?;
    let trace = Trace::parse(&text).map_err(|error| Invalid {
        field: format!("{field}, line {}", error.line),
        value: Some(format!("{:?}", error.value)),
        expected: error.expected,
    })?;
    Ok(LinkRate::Trace(trace, path))
}

/// Random losses.
pub(crate) struct Losses;

impl RowFormat for Losses {
    type Value = Loss;

    fn parse(
        &self,
        table: &mut TableReader<'_>,
        key: &'static str,
        _: &Scope<'_>,
    ) -> Result<Option<Loss>, Invalid> {
        table.read(key, LOSS, |value| value.as_str().and_then(read_loss))
    }

    fn print(&self, loss: &Loss) -> Option<Value> {
        write_loss(loss).map(Value::String)
    }

    fn form(&self) -> Form {
        Form::Syntax { what: "losses", pattern: "(every|random|gilbert|at):[0-9., ]+" }
    }
}

keys! {
    /// The keys of uniform jitter.
    struct UniformJitter {
        max: u64 = 0, Required(TimeAbove0), "ns", "the delay is uniform from 0 to this", "";
    }
}
keys! {
    /// The keys of normal jitter.
    struct NormalJitter {
        mean: u64 = 0, Required(TimeAbove0), "ns", "mean", "";
        sd: u64 = 0, Required(TimeAbove0), "ns", "standard deviation before truncation to 0 … twice the mean", "";
    }
}
keys! {
    /// The keys of exponential jitter.
    struct ExponentialJitter {
        mean: u64 = 0, Required(TimeAbove0), "ns", "mean", "";
    }
}
keys! {
    /// The key that all jitter has.
    struct Overtaking {
        overtaking: bool = false, Flag, "",
            "whether jitter, or a delay that an action lowers, may reorder packets", "";
    }
}
variants! {
    /// The kinds of jitter.
    enum JitterTable {
        Uniform(UniformJitter) = "uniform", "each delay up to a maximum alike";
        Normal(NormalJitter) = "normal", "a normal distribution, truncated";
        Exponential(ExponentialJitter) = "exponential", "an exponential distribution";
        Off = "none", "no jitter";
    }
}

/// Jitter: a time, or a table.
pub(crate) struct JitterKind;

impl RowFormat for JitterKind {
    type Value = JitterSpec;

    fn parse(
        &self,
        table: &mut TableReader<'_>,
        key: &'static str,
        scope: &Scope<'_>,
    ) -> Result<Option<JitterSpec>, Invalid> {
        let Some(value) = table.get(key) else { return Ok(None) };
        if !value.is_object() {
            return match TimeAbove0.read(value, scope) {
                Some(most) => Ok(Some(JitterSpec { delay: Jitter::Uniform { most }, overtaking: false })),
                None => table.refuse(key, Some(value), JITTER),
            };
        }
        let mut keys = TableReader::new(&table.field(key), value)?;
        let kind = JitterTable::parse_kind(&mut keys)?;
        let delay = match JitterTable::parse_keys(kind, &mut keys, scope)? {
            JitterTable::Uniform(keys) => Jitter::Uniform { most: keys.max },
            JitterTable::Normal(keys) => Jitter::Normal { mean: keys.mean, sd: keys.sd },
            JitterTable::Exponential(keys) => Jitter::Exponential { mean: keys.mean },
            JitterTable::Off => Jitter::None,
        };
        let Overtaking { overtaking } = Overtaking::defaults().parse_keys(&mut keys, scope)?;
        keys.finish()?;
        Ok(Some(JitterSpec { delay, overtaking }))
    }

    fn print(&self, jitter: &JitterSpec) -> Option<Value> {
        let keys = match jitter.delay {
            Jitter::None if !jitter.overtaking => return None,
            Jitter::None => JitterTable::Off,
            Jitter::Uniform { most } => JitterTable::Uniform(UniformJitter { max: most }),
            Jitter::Normal { mean, sd } => JitterTable::Normal(NormalJitter { mean, sd }),
            Jitter::Exponential { mean } => JitterTable::Exponential(ExponentialJitter { mean }),
        };
        let mut map = Map::from_iter([keys.print_kind()]);
        map.extend(keys.print_keys());
        map.extend(Overtaking { overtaking: jitter.overtaking }.print_keys());
        Some(Value::Object(map))
    }

    fn form(&self) -> Form {
        let by_kind = Form::ByKind { key: "kind", kinds: JitterTable::kinds(), common: Overtaking::keys() };
        Form::Either(vec![ValueFormat::form(&TimeAbove0), by_kind])
    }
}

keys! {
    /// The keys of reordering.
    struct Reordered {
        share: u64 = 0, Required(Fraction), "", "share of the packets", "";
        extra: u64 = 0, Required(TimeAbove0), "ns", "their extra delay", "";
    }
}

/// Packets that are delayed extra.
pub(crate) struct Reordering;

impl RowFormat for Reordering {
    type Value = Reorder;

    fn parse(
        &self,
        table: &mut TableReader<'_>,
        key: &'static str,
        scope: &Scope<'_>,
    ) -> Result<Option<Reorder>, Invalid> {
        let Some(value) = table.get(key) else { return Ok(None) };
        let mut keys = TableReader::new(&table.field(key), value)?;
        let Reordered { share, extra } = Reordered::defaults().parse_keys(&mut keys, scope)?;
        keys.finish()?;
        Ok(Some(Reorder { share, extra }))
    }

    fn print(&self, reorder: &Reorder) -> Option<Value> {
        let Reorder { share, extra } = *reorder;
        Some(Value::Object(Reordered { share, extra }.print_keys()))
    }

    fn form(&self) -> Form {
        Form::Table(Reordered::keys())
    }
}

fn read_loss(text: &str) -> Option<Loss> {
    let (kind, rest) = text.split_once(':')?;
    match kind {
        "every" => {
            let (n, first) = rest.split_once(',').unwrap_or((rest, rest));
            let above_0 = |text: &str| text.trim().parse().ok().filter(|n| *n > 0);
            Some(Loss::Every { n: above_0(n)?, first: above_0(first)? })
        }
        "random" => read_probability(rest).filter(|p| (1..u64::MAX).contains(p)).map(Loss::Random),
        "gilbert" => {
            let list: Vec<u64> =
                rest.split(',').map(|p| read_probability(p.trim())).collect::<Option<_>>()?;
            let [p, r, loss_good, loss_bad] = list.try_into().ok()?;
            Some(Loss::Gilbert(GilbertElliott { p, r, loss_good, loss_bad }))
        }
        "at" => {
            let list: Vec<u64> = rest.split(',').map(|n| n.trim().parse().ok()).collect::<Option<_>>()?;
            (list[0] > 0 && list.windows(2).all(|w| w[0] < w[1])).then_some(Loss::At(list))
        }
        _ => None,
    }
}

fn write_loss(loss: &Loss) -> Option<String> {
    Some(match loss {
        Loss::None => return None,
        Loss::Every { n, first } if n == first => format!("every:{n}"),
        Loss::Every { n, first } => format!("every:{n},{first}"),
        Loss::Random(p) => format!("random:{}", probability(*p)),
        Loss::Gilbert(model) => {
            let parameters = [model.p, model.r, model.loss_good, model.loss_bad].map(probability);
            format!("gilbert:{}", parameters.join(","))
        }
        Loss::At(list) => format!("at:{}", list.iter().map(u64::to_string).collect::<Vec<_>>().join(",")),
    })
}

/// A flag that is printed where it is true.
pub(crate) struct WhereTrue;

impl RowFormat for WhereTrue {
    type Value = bool;

    fn parse(
        &self,
        table: &mut TableReader<'_>,
        key: &'static str,
        scope: &Scope<'_>,
    ) -> Result<Option<bool>, Invalid> {
        RowFormat::parse(&Flag, table, key, scope)
    }

    fn print(&self, value: &bool) -> Option<Value> {
        value.then(|| Flag.write(value))
    }

    fn form(&self) -> Form {
        ValueFormat::form(&Flag)
    }

    fn absent(&self, default: &bool) -> Absent {
        Absent::Value(Flag.write(default))
    }
}
