// SPDX-License-Identifier: MIT OR Apache-2.0
//! The keys of a link, parsed and printed: rate, delay, queue, losses, jitter, reordering.

use crate::buffer::Buffer;
use crate::invalid::{Invalid, KeyTable, shown};
use crate::keys::link::{DisciplineSpec, LinkRate, LinkSpec};
use crate::queue::{FRACTION, decimal_number, fraction};
use crate::units::{self, RATE, TIME, probability, read_probability, time, write_rate, write_time};
use cwnd_link::{GilbertElliott, Jitter, Loss, Reorder, Trace};
use serde_json::{Map, Value, json};

const LOSS: &str = "every:N or every:N,FIRST, random:P with 0 < P < 1, gilbert:P,R,1-K,1-H with four numbers from 0 to 1, \
                    or at:N,N,... with rising packet numbers from 1";
const JITTER: &str = "a time above 0 (\"5ms\": uniform from 0 to that), or a table with kind";
const JITTERS: &str = "uniform, normal, exponential or none";
const ABOVE_0: &str = "a time above 0 with its unit (ns, us, ms, s, min), such as 5ms";

/// A time above 0.
fn above_0(value: &Value) -> Option<u64> {
    time(value).filter(|time| *time > 0)
}

/// Reads the keys that every link has. `default`, where given, provides rate, delay and queue where they are not written. Name, ends and
/// RTT are not set here, and the queue's limit is not checked.
pub(crate) fn parse(table: &mut KeyTable<'_>, default: Option<&LinkSpec>) -> Result<LinkSpec, Invalid> {
    let mut link = LinkSpec {
        name: String::new(),
        from: String::new(),
        to: String::new(),
        rate: parse_rate(table, default)?,
        delay: table.read("delay", TIME, time)?.or(default.map(|link| link.delay)).unwrap_or(0),
        rtt: default.map_or(0, |link| link.rtt),
        buffer: default.map_or(Buffer::Bdp(1_000_000, 0), |link| link.buffer),
        discipline: default.map_or(DisciplineSpec::DropTail, |link| link.discipline),
        loss: table.read("loss", LOSS, |v| v.as_str().and_then(read_loss))?.unwrap_or_default(),
        jitter: Jitter::None,
        overtaking: false,
        reorder: None,
    };
    if let Some(value) = table.get("jitter") {
        (link.jitter, link.overtaking) = parse_jitter(table, value)?;
    }
    if let Some(value) = table.get("reorder") {
        let mut keys = KeyTable::new(&table.field("reorder"), value)?;
        let share = keys.required("share", FRACTION, fraction)?;
        link.reorder = Some(Reorder { share, extra: keys.required("extra", ABOVE_0, above_0)? });
        keys.finish()?;
    }
    if let Some(value) = table.get("queue") {
        crate::queue::parse(value, &table.field("queue"), &mut link)?;
    }
    Ok(link)
}

fn parse_rate(table: &mut KeyTable<'_>, default: Option<&LinkSpec>) -> Result<LinkRate, Invalid> {
    let expected =
        || format!("{RATE}, steps ([[\"0s\", \"10Mbit/s\"], ...]) or a trace ({{ trace = \"file\" }})");
    let field = table.field("rate");
    match (table.get("rate"), default) {
        (None, Some(default)) => Ok(default.rate.clone()),
        (Some(Value::Array(list)), _) if !list.is_empty() => parse_steps(&field, list),
        (Some(value @ Value::Object(_)), _) => parse_trace(&field, value),
        _ => table
            .required("rate", &expected(), |value| value.as_str().and_then(units::read_rate))
            .map(LinkRate::Constant),
    }
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
                step.is_some_and(|(at, rate)| at == 0 && rate > 0),
                "[\"0s\", a rate above 0], from which the steps begin".to_owned(),
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
    let first = steps.remove(0).1;
    Ok(if steps.is_empty() { LinkRate::Constant(first) } else { LinkRate::Steps(first, steps) })
}

/// A trace file; its path is relative to the working directory.
fn parse_trace(field: &str, value: &Value) -> Result<LinkRate, Invalid> {
    let mut table = KeyTable::new(field, value)?;
    let path = table.required_text("trace", "the path of a trace in Mahimahi's format")?;
    table.finish()?;
    let field = format!("{field}.trace");
    let text = std::fs::read_to_string(&path).map_err(|error| Invalid {
        field: field.clone(),
        value: Some(shown(&json!(path))),
        expected: format!("a file that can be read ({error})"),
    })?;
    let trace = Trace::parse(&text).map_err(|error| Invalid {
        field: format!("{field}, line {}", error.line),
        value: Some(format!("{:?}", error.value)),
        expected: error.expected,
    })?;
    Ok(LinkRate::Trace(trace, path))
}

fn parse_jitter(table: &KeyTable<'_>, value: &Value) -> Result<(Jitter, bool), Invalid> {
    if !value.is_object() {
        return match above_0(value) {
            Some(most) => Ok((Jitter::Uniform { most }, false)),
            None => table.refuse("jitter", Some(value), JITTER),
        };
    }
    let mut keys = KeyTable::new(&table.field("jitter"), value)?;
    let kinds = ["uniform", "normal", "exponential", "none"];
    let jitter = match keys.required("kind", JITTERS, |v| kinds.into_iter().find(|kind| v == kind))? {
        "uniform" => Jitter::Uniform { most: keys.required("max", ABOVE_0, above_0)? },
        "normal" => Jitter::Normal {
            mean: keys.required("mean", ABOVE_0, above_0)?,
            sd: keys.required("sd", ABOVE_0, above_0)?,
        },
        "exponential" => Jitter::Exponential { mean: keys.required("mean", ABOVE_0, above_0)? },
        _ => Jitter::None,
    };
    let overtaking = keys.read("overtaking", "true or false", Value::as_bool)?.unwrap_or(false);
    keys.finish()?;
    Ok((jitter, overtaking))
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

/// The keys of a link into `map`, every default written out.
pub(crate) fn print(link: &LinkSpec, map: &mut Map<String, Value>) {
    let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
    let step = |at: u64, rate: u64| json!([write_time(at), write_rate(rate)]);
    put(
        "rate",
        match &link.rate {
            LinkRate::Constant(rate) => json!(write_rate(*rate)),
            LinkRate::Steps(first, steps) => {
                let steps = steps.iter().map(|&(at, rate)| step(at, rate));
                Value::Array(std::iter::once(step(0, *first)).chain(steps).collect())
            }
            LinkRate::Trace(_, path) => json!({ "trace": path }),
        },
    );
    put("delay", json!(write_time(link.delay)));
    if let Some(loss) = write_loss(&link.loss) {
        put("loss", json!(loss));
    }
    put("queue", crate::queue::print(link));
    let overtaking = link.overtaking;
    let jitter = match link.jitter {
        Jitter::None if !overtaking => None,
        Jitter::None => Some(json!({ "kind": "none", "overtaking": overtaking })),
        Jitter::Uniform { most } => {
            Some(json!({ "kind": "uniform", "max": write_time(most), "overtaking": overtaking }))
        }
        Jitter::Normal { mean, sd } => Some(json!({
            "kind": "normal", "mean": write_time(mean), "sd": write_time(sd), "overtaking": overtaking,
        })),
        Jitter::Exponential { mean } => {
            Some(json!({ "kind": "exponential", "mean": write_time(mean), "overtaking": overtaking }))
        }
    };
    if let Some(jitter) = jitter {
        put("jitter", jitter);
    }
    if let Some(reorder) = link.reorder {
        put("reorder", json!({ "share": decimal_number(reorder.share), "extra": write_time(reorder.extra) }));
    }
}
