// SPDX-License-Identifier: MIT OR Apache-2.0
//! The random losses of a link: words such as `random:0.01`, or a table, `{ gemodel = ["1%", "10%", "70%", "0.1%"] }`.

use super::formats::Required;
use super::{Form, Keyed, Parsed, RowFormat, Scope, ValueFormat, keys};
use crate::invalid::TableReader;
use crate::units::{probability, read_share};
use cwnd_link::{GilbertElliott, Loss};
use serde_json::{Value, json};
use std::borrow::Cow;

const LOSS: &str = "every:N or every:N,FIRST, random:P with 0 < P < 1, gilbert:P,R,1-K,1-H with four or gemodel:P,R,1-H,1-K with one to four numbers from 0 to 1 or percentages, all of them with their names (p=, r=, 1-h=, 1-k=) or none, \
                    at:N,N,... with increasing packet numbers from 1, or a table with gemodel";

/// Parameters of `gemodel` in a list.
struct Gemodel;

impl ValueFormat for Gemodel {
    type Value = Loss;

    fn expected(&self, _: &Scope<'_>) -> Cow<'static, str> {
        "P, R, 1-H and 1-K, one to four numbers from 0 to 1 or percentages, such as [\"1%\", \"10%\", \"70%\", \"0.1%\"]".into()
    }

    fn read(&self, value: &Value, _: &Scope<'_>) -> Option<Loss> {
        let text = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            other => Some(other.as_f64()?.to_string()), // never with an exponent
        };
        let list: Vec<String> = value.as_array()?.iter().map(text).collect::<Option<_>>()?;
        gemodel(list.iter().map(String::as_str))
    }

    fn write(&self, loss: &Loss) -> Value {
        let Loss::Gilbert(model) = loss else { return json!([]) };
        json!([model.p, model.r, model.loss_bad, model.loss_good].map(probability))
    }

    fn form(&self) -> Form {
        let number = Form::Decimal { min: 0.0, max: 1.0, text: true };
        let percentage = Form::Syntax { what: "percentage", pattern: r"[0-9]+(\.[0-9]+)?%" };
        Form::List { item: Box::new(Form::Either(vec![number, percentage])), min: 1 }
    }
}

keys! {
    /// The key of losses in a table.
    struct LossTable {
        gemodel: Loss = Loss::None, Required(Gemodel), "",
            "losses of tc-netem's `gemodel`: `P` (good to bad), `R` (bad to good), `1-H` (loss in bad), `1-K` (loss in good); `R`, `1-H` and `1-K` default to 1 - `P`, 1 and 0", "tc-netem(8)";
    }
}

/// Random losses.
pub(crate) struct Losses;

impl RowFormat for Losses {
    type Value = Loss;

    fn parse(&self, table: &mut TableReader<'_>, key: &'static str, scope: &Scope<'_>) -> Parsed<Loss> {
        let Some(value @ Value::Object(_)) = table.get(key) else {
            return table.read(key, LOSS, |value| value.as_str().and_then(read_loss));
        };
        let mut keys = TableReader::new(&table.field(key), value)?;
        let LossTable { gemodel } = LossTable::defaults().parse_keys(&mut keys, scope)?;
        keys.finish()?;
        Ok(Some(gemodel))
    }

    fn print(&self, loss: &Loss) -> Option<Value> {
        write_loss(loss).map(Value::String)
    }

    fn form(&self) -> Form {
        let words = Form::Syntax {
            what: "losses",
            pattern: "(every|at):[0-9., ]+|random:[0-9. %]+|(gilbert|gemodel):[0-9., %=prhk-]+",
        };
        Form::Either(vec![words, Form::Table(LossTable::keys())])
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
        "random" => read_share(rest).filter(|p| (1..u64::MAX).contains(p)).map(Loss::Random),
        "gilbert" if rest.contains('=') => gemodel(rest.split(',')),
        "gilbert" => {
            let list: Vec<u64> = rest.split(',').map(|p| read_share(p.trim())).collect::<Option<_>>()?;
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

/// The parameters of tc-netem's `gemodel`: in its order `P`, `R`, `1-H`, `1-K`, or all by their names, `p=0.01,r=0.1,1-h=0.7,1-k=0`. What is left
/// out is netem's: `R` is 1 - `P`, `1-H` is 1, `1-K` is 0.
pub(crate) fn gemodel<'t>(parameters: impl Iterator<Item = &'t str>) -> Option<Loss> {
    const NAMES: [&str; 4] = ["p", "r", "1-h", "1-k"];
    let mut given = [None; 4];
    let mut are_named = None;
    for (place, text) in parameters.enumerate() {
        let named = text.split_once('=');
        // Beside names an order would be guessed: the lists of `gilbert` and of netem differ in theirs.
        if *are_named.get_or_insert(named.is_some()) != named.is_some() {
            return None;
        }
        let (place, number) = match named {
            Some((name, number)) => (NAMES.iter().position(|known| *known == name.trim())?, number),
            None => (place, text),
        };
        let slot = given.get_mut(place).filter(|slot| slot.is_none())?;
        *slot = Some(read_share(number.trim())?);
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
