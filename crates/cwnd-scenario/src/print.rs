// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenarios as TOML that reads back to the same scenario.

use crate::model::{Group, Inner, Scenario, Start};
use crate::units::{probability, write_frequency, write_rate, write_size, write_time};
use cwnd::params::{Kind, Spec};
use cwnd_link::Loss;
use serde_json::{Map, Value, json};

/// A number in 1/65536 as the shortest decimal that reads back to it, five digits at most.
fn decimal_x64k(value: u32) -> String {
    (0..=5)
        .map(|digits| format!("{:.*}", digits, f64::from(value) / 65_536.0))
        .find(|text| text.parse::<f64>().is_ok_and(|v| (v * 65_536.0).round() == f64::from(value)))
        .unwrap_or_else(|| (f64::from(value) / 65_536.0).to_string())
}

/// A parameter's value as a person writes it.
#[must_use]
pub fn show_param(spec: &Spec, value: u32) -> String {
    match spec.kind {
        Kind::Decimal => decimal_x64k(value),
        Kind::Whole => value.to_string(),
        Kind::Flag => (value != 0).to_string(),
        Kind::Choice(names) => {
            names.get(value as usize).map_or_else(|| value.to_string(), |name| (*name).to_owned())
        }
    }
}

fn loss(loss: &Loss) -> Option<String> {
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

/// A parameter's text as the TOML value that a person would write.
fn param(text: &str) -> Value {
    match text {
        "true" => json!(true),
        "false" => json!(false),
        _ => text.parse::<u64>().map(|n| json!(n)).unwrap_or_else(|_| json!(text)),
    }
}

fn group(group: &Group) -> Value {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| {
        map.insert(key.to_owned(), value);
    };
    put("cc", json!(group.cc));
    put("count", json!(group.count));
    put(
        "start",
        match group.start {
            Start::At(at) => json!(write_time(at)),
            Start::Uniform(from, to) => json!({ "uniform": [write_time(from), write_time(to)] }),
        },
    );
    if let Some(stop) = group.stop {
        put("stop", json!(write_time(stop)));
    }
    if let Some(rtt) = group.rtt {
        put("rtt", json!(write_time(rtt)));
    }
    if let Some(recovery) = group.recovery {
        put("recovery", json!(recovery.name()));
    }
    put("initial_cwnd", json!(group.initial_cwnd));
    if let Some(ssthresh) = group.initial_ssthresh {
        put("initial_ssthresh", json!(ssthresh));
    }
    put("ack_every", json!(group.ack_every));
    put("ack_delay", json!(write_time(group.ack_delay)));
    if let Some(rwnd) = group.rwnd {
        put("rwnd", json!(rwnd));
    }
    put("min_rto", json!(write_time(group.min_rto)));
    put("limited_transmit", json!(group.limited_transmit));
    put("overhead", json!(write_time(group.overhead)));
    put("host_clock", json!(write_frequency(group.host_clock)));
    for (name, text) in &group.params {
        put(name, param(text));
    }
    Value::Object(map)
}

impl Scenario {
    /// The scenario as a TOML document, every default written out.
    #[must_use]
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(&self.to_value()).expect("a scenario holds only what TOML can say")
    }

    /// The scenario as a JSON document.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.to_value().to_string()
    }

    fn to_value(&self) -> Value {
        let bottleneck = self.bottleneck();
        let mut link = json!({
            "rate": write_rate(bottleneck.rate.nominal()),
            "rtt": write_time(bottleneck.rtt),
            "packet_size": write_size(u64::from(self.packet_size)),
        });
        if let Some(loss) = loss(&bottleneck.loss) {
            link["loss"] = json!(loss);
        }
        link["queue"] = crate::queue::print(bottleneck);
        let inner = match &self.record.inner {
            Inner::Off => json!(false),
            Inner::All => json!(true),
            Inner::Only(names) => json!(names),
        };
        json!({
            "name": self.name,
            "duration": write_time(self.duration),
            "measure": [write_time(self.measure.0), write_time(self.measure.1)],
            "seed": self.seed,
            "link": link,
            "record": {
                "interval": write_time(self.record.interval),
                "per_ack": self.record.per_ack,
                "inner": inner,
            },
            "flow": self.flows.iter().map(group).collect::<Vec<_>>(),
        })
    }
}
