// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of `tc … netem` and `tc … tbf` as keys of a link: `netem = "delay 20ms 5ms loss gemodel 1% 10% rate 10mbit limit 1000"`.
//!
//! The key is replaced by the keys of a link that mean the same before a scenario is read, so a printed scenario has those. Each word's
//! meaning is said back ([`Meaning::lines`]). A word without a counterpart is refused by its name: correlations, `duplicate`, `corrupt`,
//! `slot`, `ecn`, `seed`, `loss state`, distributions other than the uniform and the normal one, and `peakrate`, `mtu`, `overhead` of tbf.
//! Source of the words and units: the manual pages tc-netem(8), tc-tbf(8) and tc(8).

mod expand;
#[cfg(test)]
mod tests;
mod units;
mod words;

pub(crate) use expand::expanded;

use serde_json::{Map, Value, json};
use units::{complement, count, fraction, in_words, rate, size, time};
use words::{Refused, Words};

/// What a line means.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meaning {
    /// The keys of a link; null for one that the words turn off (`loss 0%`).
    pub keys: Map<String, Value>,
    /// What each word means, a line for each.
    pub lines: Vec<String>,
    /// netem's own limit, where no word sets one: the key that it is, its value, and what it means. A limit that the link has takes its place.
    pub default_limit: Option<(String, Value, String)>,
}

/// Packets that netem holds where nothing is said.
const DEFAULT_LIMIT: u64 = 1000;

/// Reads a line. What comes before the word `netem` or `tbf` (`tc qdisc add dev eth0 root`) is skipped; a line without either word is of netem.
/// `has_rate`: whether the link has a rate where the line has none.
///
/// # Errors
/// [`Invalid`](crate::Invalid), naming the word and what was expected.
pub fn meaning(text: &str, has_rate: bool) -> Result<Meaning, crate::Invalid> {
    let refuse = |(value, expected): Refused| crate::Invalid {
        field: "netem".to_owned(),
        value: Some(format!("{value:?}")),
        expected,
    };
    read(text, has_rate).map_err(refuse)
}

pub(crate) fn read(text: &str, has_rate: bool) -> Result<Meaning, Refused> {
    let all: Vec<&str> = text.split_whitespace().collect();
    let kind = all.iter().position(|word| ["netem", "tbf"].contains(word));
    if let Some((at, first)) = kind.zip(all.first()).filter(|(at, _)| *at > 0)
        && !["sudo", "tc", "qdisc"].contains(first)
    {
        let expected = format!("tc qdisc … before {}, or nothing", all[at]);
        return Err(((*first).to_owned(), expected));
    }
    let (is_tbf, words) = kind.map_or((false, &all[..]), |at| (all[at] == "tbf", &all[at + 1..]));
    let mut words = Words::new(words);
    if words.is_empty() {
        return Err((
            text.to_owned(),
            "words of netem or tbf, such as \"delay 20ms loss 1% rate 10mbit\"".to_owned(),
        ));
    }
    if is_tbf { tbf(&mut words) } else { netem(&mut words, has_rate) }
}

/// What netem's words say, before they are put together.
#[derive(Default)]
struct Netem {
    delay: Option<(u64, Option<u64>, Shape)>,
    /// Null where no packet is lost.
    loss: Option<Value>,
    rate: Option<u64>,
    limit: Option<u64>,
    reorder: Option<String>,
}

/// Distributions of netem's jitter.
#[derive(Clone, Copy, Default, PartialEq)]
enum Shape {
    #[default]
    Uniform,
    Normal,
}

fn netem(words: &mut Words<'_>, has_rate: bool) -> Result<Meaning, Refused> {
    let mut netem = Netem::default();
    let mut lines = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "delay" | "latency" => netem.delay = Some(delay(words)?),
            "distribution" => {
                let name = words.required("distribution", "uniform or normal")?;
                let shape = match name {
                    "uniform" => Shape::Uniform,
                    "normal" => Shape::Normal,
                    other => {
                        return Err((
                            format!("distribution {other}"),
                            "uniform or normal: others have no counterpart".into(),
                        ));
                    }
                };
                match &mut netem.delay {
                    Some((_, Some(_), given)) => *given = shape,
                    _ => return Err((word.into(), "it after a delay with jitter".into())),
                }
            }
            "loss" | "drop" => netem.loss = Some(loss(words, &mut lines)?),
            "rate" => {
                netem.rate = Some(words.read(word, "a rate, such as 10mbit", rate)?);
                words
                    .no_more(word, "the rate alone: the overhead of packets and cells has no counterpart")?;
            }
            "limit" => netem.limit = Some(words.read(word, "packets, such as 1000", count)?),
            "reorder" => {
                netem.reorder = Some(words.read(word, "a percentage above 0, such as 25%", fraction)?);
                if words.peek().is_some_and(|next| fraction(next).is_some_and(|share| share != "0")) {
                    return Err(("reorder's correlation".into(), "none: it has no counterpart".into()));
                }
                words.next_if(|next| fraction(next).is_some());
                if words.next_if(|next| next == "gap").is_some() && words.read("gap", "1", count)? != 1 {
                    return Err(("gap".into(), "1, or no gap: others have no counterpart".into()));
                }
            }
            "duplicate" | "corrupt" | "slot" | "ecn" | "seed" | "gap" => {
                return Err((word.into(), "no such word: it has no counterpart here".into()));
            }
            other => {
                let expected = "one of delay, distribution, loss, rate, limit and reorder";
                return Err((other.into(), expected.into()));
            }
        }
    }
    netem.put_together(lines, has_rate)
}

/// `delay TIME [JITTER [CORRELATION]]`.
fn delay(words: &mut Words<'_>) -> Result<(u64, Option<u64>, Shape), Refused> {
    let mean = words.read("delay", "a time, such as 20ms", time)?;
    let jitter = words.next_if(|next| time(next).is_some()).and_then(time);
    if let Some(correlation) = words.next_if(|next| fraction(next).is_some())
        && fraction(correlation).is_some_and(|share| share != "0")
    {
        return Err((format!("delay's correlation, {correlation}"), "none: it has no counterpart".into()));
    }
    Ok((mean, jitter, Shape::Uniform))
}

/// `loss [random] PERCENT` or `loss gemodel P [R [1-H [1-K]]]`, as the key of a link; null for 0 %.
fn loss(words: &mut Words<'_>, lines: &mut Vec<String>) -> Result<Value, Refused> {
    match words.peek() {
        Some("state") => {
            return Err(("loss state".into(), "random or gemodel: others have no counterpart".into()));
        }
        Some("gemodel") => {
            words.next();
            let mut given =
                vec![words.read("gemodel", "a percentage from good to bad, such as 1%", fraction)?];
            while given.len() < 4
                && let Some(next) = words.next_if(|next| fraction(next).is_some())
            {
                given.extend(fraction(next));
            }
            let names = ["P (good to bad)", "R (bad to good)", "1-H (loss in bad)", "1-K (loss in good)"];
            // As tc fills them in.
            let filled = [None, Some(complement(&given[0])), Some("1".to_owned()), Some("0".to_owned())];
            let all = given.iter().cloned().chain(filled.into_iter().skip(given.len()).flatten());
            lines.push(format!(
                "loss gemodel: Gilbert-Elliott losses with the probabilities {} of {}",
                all.collect::<Vec<_>>().join(", "),
                names.join(", ")
            ));
            return Ok(json!(format!("gemodel:{}", given.join(","))));
        }
        Some("random") => {
            words.next();
        }
        _ => {}
    }
    let share = words.read("loss", "a percentage, such as 1%", fraction)?;
    if let Some(correlation) = words.next_if(|next| fraction(next).is_some())
        && fraction(correlation).is_some_and(|share| share != "0")
    {
        return Err((
            format!("loss's correlation, {correlation}"),
            "none: gemodel has bursts of losses".into(),
        ));
    }
    if share == "1" {
        return Err(("loss 100%".into(), "a percentage below 100".into()));
    }
    if share == "0" {
        lines.push("loss: no packet is lost".to_owned());
        return Ok(Value::Null);
    }
    lines.push(format!("loss: each packet is lost with probability {share}, before the queue"));
    Ok(json!(format!("random:{share}")))
}

impl Netem {
    fn put_together(self, lines: Vec<String>, has_rate: bool) -> Result<Meaning, Refused> {
        let mut meaning = Meaning { lines, ..Meaning::default() };
        let mut put = |key: &str, value: Value| meaning.keys.insert(key.to_owned(), value);
        // With a rate of its own netem sends no packet before the one that came before it: sch_netem's `netem_enqueue` begins each at the end of
        // the last.
        let overtaking = self.rate.is_none();
        let order = if overtaking {
            "packets may overtake each other"
        } else {
            "jitter reorders no packets, as with netem's rate: one that would overtake waits"
        };
        let ns = |time: u64| json!(format!("{time}ns"));
        if let Some(loss) = self.loss {
            put("loss", loss);
        }
        match (self.delay, self.reorder) {
            (Some((mean, None | Some(0), _)), Some(at_once)) => {
                let late = complement(&at_once);
                put("reorder", json!({ "share": late, "extra": format!("{mean}ns") }));
                let on_top = in_words(crate::units::rounded(&late, mean).unwrap_or(mean));
                let words = in_words(mean);
                meaning.lines.push(format!(
                    "reorder: {at_once} of the packets are sent at once, the others {words} later; the mean of all, {on_top}, adds to rtt"
                ));
            }
            (_, Some(_)) => return Err(("reorder".into(), "it with a delay without jitter".into())),
            (Some((mean, jitter @ (None | Some(0)), _)), None) => {
                put("delay", ns(mean));
                if jitter.is_some() {
                    put("jitter", Value::Null);
                }
                meaning.lines.push(format!("delay: each packet takes {}", in_words(mean)));
            }
            (Some((mean, Some(jitter), _)), None) if jitter > mean => {
                return Err((in_words(jitter), format!("a jitter of at most the delay, {}", in_words(mean))));
            }
            (Some((mean, Some(jitter), Shape::Uniform)), None) => {
                put("delay", ns(mean));
                put(
                    "jitter",
                    json!({ "kind": "uniform", "max": ns(2 * jitter), "overtaking": overtaking, "centered": true }),
                );
                let (from, to) = (in_words(mean - jitter), in_words(mean.saturating_add(jitter)));
                meaning.lines.push(format!(
                    "delay: uniform from {from} to {to}; its mean, {}, is part of rtt; {order}",
                    in_words(mean)
                ));
            }
            (Some((mean, Some(jitter), Shape::Normal)), None) => {
                // netem's table ends at four standard deviations.
                let four = jitter.saturating_mul(4);
                let reach = four.min(mean);
                put("delay", ns(mean));
                put(
                    "jitter",
                    json!({ "kind": "normal", "mean": ns(reach), "sd": ns(jitter), "overtaking": overtaking, "centered": true }),
                );
                let (from, to) = (in_words(mean - reach), in_words(mean.saturating_add(reach)));
                let cut = if four > mean { " before truncation, which reduces it" } else { "" };
                meaning.lines.push(format!(
                    "delay: normal, cut at {from} and {to}, standard deviation {}{cut}; its mean, {}, is part of rtt; {order}",
                    in_words(jitter),
                    in_words(mean)
                ));
            }
            (None, None) => {}
        }
        if let Some(rate) = self.rate {
            meaning.keys.insert("rate".to_owned(), json!(format!("{rate}bit/s")));
            meaning.lines.push(format!("rate: {} bit/s, not counting headers of lower layers", rate));
        }
        // netem's own limit is that of a link which netem makes; one that has its rate from elsewhere has the queue of its kind.
        let is_netems = self.rate.is_some() || !has_rate;
        let limit = self.limit.or(is_netems.then_some(DEFAULT_LIMIT)).map(|packets| {
            let whose = if self.limit.is_some() { "" } else { " (netem's default)" };
            limit_of(packets, whose, self.rate.is_some() || has_rate)
        });
        if self.limit.is_none() {
            meaning.default_limit = limit;
        } else if let Some((key, value, line)) = limit {
            meaning.keys.insert(key, value);
            meaning.lines.push(line);
        }
        Ok(meaning)
    }
}

/// A limit of packets as a key of a link, with or without a rate, its value, and what it means.
fn limit_of(packets: u64, whose: &str, has_rate: bool) -> (String, Value, String) {
    let limit = format!("{packets}packets");
    let (key, value, meaning) = if has_rate {
        let queue = json!({ "kind": "droptail", "limit": limit });
        ("queue", queue, "packets that may wait for the link; netem also counts those in transit")
    } else {
        let meaning = "packets that may be on the link at once; without a rate, none waits";
        ("delay_limit", json!(limit), meaning)
    };
    (key.to_owned(), value, format!("limit {packets}{whose}: {meaning}"))
}

/// `rate RATE burst SIZE (latency TIME | limit SIZE)`.
fn tbf(words: &mut Words<'_>) -> Result<Meaning, Refused> {
    let (mut bits, mut burst, mut latency, mut limit) = (None, None, None, None);
    while let Some(word) = words.next() {
        match word {
            "rate" => bits = Some(words.read(word, "a rate, such as 10mbit", rate)?),
            "burst" | "buffer" | "maxburst" => {
                burst = Some(words.read(word, "a size, such as 32kbit", size)?)
            }
            "latency" => latency = Some(words.read(word, "a time, such as 50ms", time)?),
            "limit" => limit = Some(words.read(word, "a size, such as 60kb", size)?),
            "peakrate" | "mtu" | "minburst" | "mpu" | "overhead" | "linklayer" => {
                return Err((word.into(), "no such word: it has no counterpart here".into()));
            }
            other => return Err((other.into(), "one of rate, burst, latency and limit".into())),
        }
    }
    let rate = bits.ok_or_else(|| ("tbf".to_owned(), "rate with it".to_owned()))?;
    let burst = burst.ok_or_else(|| ("tbf".to_owned(), "burst with it".to_owned()))?;
    let bytes = match (latency, limit) {
        (Some(time), None) => {
            let bytes = u128::from(rate) * u128::from(time) / 8_000_000_000 + u128::from(burst);
            u64::try_from(bytes).unwrap_or(u64::MAX)
        }
        (None, Some(limit)) => limit,
        _ => return Err(("tbf".into(), "either latency or limit with it".into())),
    };
    let keys = json!({ "rate": format!("{rate}bit/s"), "queue": { "kind": "droptail", "limit": format!("{bytes}B") } });
    let lines = vec![
        format!("rate: {rate} bit/s"),
        format!(
            "burst {burst} bytes: not modelled; after an idle time, the link sends at its rate, not {burst} bytes at once"
        ),
        format!("{}: {bytes} bytes may wait for the link", if limit.is_some() { "limit" } else { "latency" }),
    ];
    let Value::Object(keys) = keys else { return Err(("tbf".into(), "words".into())) };
    Ok(Meaning { keys, lines, default_limit: None })
}
