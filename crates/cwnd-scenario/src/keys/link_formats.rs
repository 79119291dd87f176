// SPDX-License-Identifier: MIT OR Apache-2.0
//! The formats of keys that only a link has: losses, jitter, reordering, and flags that are printed where they are true.

use super::formats::{Flag, Fraction, Required, TimeAbove0};
use super::{Absent, Form, Keyed, RowFormat, Scope, ValueFormat, Variants};
use crate::invalid::{Invalid, TableReader};
use crate::units::{probability, read_probability};
use cwnd_link::{GilbertElliott, Jitter, Loss, Reorder};
use serde_json::{Map, Value};

/// Random delay of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JitterSpec {
    /// Random delay in addition to the propagation delay.
    pub delay: Jitter,
    /// Whether jitter may put packets out of order.
    pub overtaking: bool,
    /// Whether the propagation delay is the mean of the whole delay, rather than its least.
    pub centered: bool,
}

impl JitterSpec {
    /// The part of the link's delay that the jitter's mean makes up, ns.
    pub(crate) fn mean_within_delay(self) -> u64 {
        match self.delay {
            _ if !self.centered => 0,
            Jitter::None => 0,
            Jitter::Uniform { most } => most / 2,
            Jitter::Normal { mean, .. } | Jitter::Exponential { mean } => mean,
        }
    }
}

const LOSS: &str = "every:N or every:N,FIRST, random:P with 0 < P < 1, gilbert:P,R,1-K,1-H or gemodel:P,R,1-H,1-K with four numbers from 0 to 1, \
                    or at:N,N,... with rising packet numbers from 1";
const JITTER: &str = "a time above 0 (\"5ms\": uniform from 0 to that), or a table with kind";

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
        Form::Syntax {
            what: "losses",
            pattern: "(every|random|at):[0-9., ]+|(gilbert|gemodel):[0-9., =prhk-]+",
        }
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
    /// The keys that all jitter has.
    struct AnyJitter {
        overtaking: bool = false, Flag, "",
            "whether jitter, or a delay that an action lowers, may reorder packets", "";
        centered: bool = false, Flag, "",
            "whether the link's `delay`, which is part of `rtt`, is the mean of the whole delay; otherwise it is the least, and the jitter comes on top of `rtt`. The delay must be at least the jitter's mean", "";
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
                Some(most) => Ok(Some(JitterSpec {
                    delay: Jitter::Uniform { most },
                    overtaking: false,
                    centered: false,
                })),
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
        let AnyJitter { overtaking, centered } = AnyJitter::defaults().parse_keys(&mut keys, scope)?;
        keys.finish()?;
        Ok(Some(JitterSpec { delay, overtaking, centered }))
    }

    fn print(&self, jitter: &JitterSpec) -> Option<Value> {
        let keys = match jitter.delay {
            Jitter::None if !jitter.overtaking && !jitter.centered => return None,
            Jitter::None => JitterTable::Off,
            Jitter::Uniform { most } => JitterTable::Uniform(UniformJitter { max: most }),
            Jitter::Normal { mean, sd } => JitterTable::Normal(NormalJitter { mean, sd }),
            Jitter::Exponential { mean } => JitterTable::Exponential(ExponentialJitter { mean }),
        };
        let mut map = Map::from_iter([keys.print_kind()]);
        map.extend(keys.print_keys());
        let JitterSpec { overtaking, centered, .. } = *jitter;
        map.extend(AnyJitter { overtaking, centered }.print_keys());
        Some(Value::Object(map))
    }

    fn form(&self) -> Form {
        let by_kind = Form::ByKind { key: "kind", kinds: JitterTable::kinds(), common: AnyJitter::keys() };
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
        "gilbert" if rest.contains('=') => gemodel(rest.split(',')),
        "gilbert" => {
            let list: Vec<u64> =
                rest.split(',').map(|p| read_probability(p.trim())).collect::<Option<_>>()?;
            let [p, r, loss_good, loss_bad] = list.try_into().ok()?;
            Some(Loss::Gilbert(GilbertElliott { p, r, loss_good, loss_bad }))
        }
        "gemodel" => gemodel(rest.split(',')),
        "at" => {
            let list: Vec<u64> = rest.split(',').map(|n| n.trim().parse().ok()).collect::<Option<_>>()?;
            (list[0] > 0 && list.windows(2).all(|w| w[0] < w[1])).then_some(Loss::At(list))
        }
        _ => None,
    }
}

/// The parameters of tc-netem's `gemodel`: in its order `P`, `R`, `1-H`, `1-K`, or by their names, `p=0.01,r=0.1,1-h=0.7,1-k=0`. What is left out
/// is netem's: `R` is 1 - `P`, `1-H` is 1, `1-K` is 0.
pub(crate) fn gemodel<'t>(parameters: impl Iterator<Item = &'t str>) -> Option<Loss> {
    const NAMES: [&str; 4] = ["p", "r", "1-h", "1-k"];
    let mut given = [None; 4];
    for (place, text) in parameters.enumerate() {
        let (place, number) = match text.split_once('=') {
            Some((name, number)) => (NAMES.iter().position(|known| *known == name.trim())?, number),
            None => (place, text),
        };
        let slot = given.get_mut(place).filter(|slot| slot.is_none())?;
        *slot = Some(read_probability(number.trim())?);
    }
    let [p, r, loss_bad, loss_good] = given;
    let p = p?;
    let (r, loss_bad, loss_good) =
        (r.unwrap_or(u64::MAX - p), loss_bad.unwrap_or(u64::MAX), loss_good.unwrap_or(0));
    Some(Loss::Gilbert(GilbertElliott { p, r, loss_good, loss_bad }))
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
