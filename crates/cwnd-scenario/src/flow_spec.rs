// SPDX-License-Identifier: MIT OR Apache-2.0
//! Flows as the command line writes them, `cubic:2@rtt=160ms,start=10s,beta=0.8`: read into the table of a `[[flow]]`, and written.

use crate::invalid::{Invalid, shown};
use crate::units::NOT_JSON;
use serde_json::{Map, Number, Value, json};

/// The form of a flow, for error messages.
pub const SYNTAX: &str = "NAME[:COUNT][@KEY=VALUE,...], such as cubic:2@rtt=160ms,start=10s,beta=0.8";

/// What is said where there are several values, whose first comma ends the setting.
const BRACES: &str = "one value of each; `cwnd sweep` takes several in braces, as an axis of a study";

/// What people look for under other names, which are near to no key.
const ELSEWHERE: &[(&str, &str)] = &[("hystart", "slow_start=hystart++, or slow_start=standard")];

/// Reads one flow into the table of a `[[flow]]` with `cc`, `count` and its keys. `field` is what a refusal calls it.
///
/// # Errors
/// [`Invalid`], naming the field, the text and what was expected.
pub fn parse(text: &str, field: &str) -> Result<Map<String, Value>, Invalid> {
    let refuse = |given: &str, expected: String| {
        Err(Invalid { field: field.to_owned(), value: Some(shown(&json!(given))), expected })
    };
    let (head, settings) = text.split_once('@').map_or((text, None), |(head, rest)| (head, Some(rest)));
    let (name, count) = head.split_once(':').map_or((head, "1"), |(name, count)| (name, count));
    if name.starts_with('{') {
        return refuse(text, BRACES.into());
    }
    if name.is_empty() || !is_number(count) {
        return refuse(text, SYNTAX.into());
    }
    let mut table = Map::from_iter([("cc".into(), json!(name)), ("count".into(), whole(count))]);
    for part in settings.into_iter().flat_map(|settings| settings.split(',')) {
        let Some((key, given)) =
            part.split_once('=').filter(|(key, given)| !key.is_empty() && !given.is_empty())
        else {
            if text.contains('{') {
                return refuse(text, BRACES.into());
            }
            return refuse(if part.is_empty() { text } else { part }, SYNTAX.into());
        };
        if let Some((_, instead)) = ELSEWHERE.iter().find(|(other, _)| *other == key) {
            return refuse(part, (*instead).into());
        }
        // A label and a command are texts whatever they look like.
        let read = if ["label", "exec"].contains(&key) { json!(given) } else { value(given) };
        if table.insert(key.to_owned(), read).is_some() {
            return refuse(text, format!("{key} once, not twice"));
        }
    }
    Ok(table)
}

/// The value of a key as a flow's text means it: `true` or `false`, a whole number, a decimal, or else text; `0s..100ms` is a uniform
/// draw.
#[must_use]
pub fn value(text: &str) -> Value {
    match text {
        "true" => return json!(true),
        "false" => return json!(false),
        _ => {}
    }
    if let Some((first, last)) = text.split_once("..") {
        return json!({ "uniform": [first, last] });
    }
    if is_number(text) {
        return whole(text);
    }
    match text.split_once('.') {
        Some((whole, fraction)) if is_number(whole) && is_number(fraction) => decimal(text),
        _ => json!(text),
    }
}

/// The text that [`parse`] reads back to this table, where `count` is 1 unless it says otherwise; `None` where there is none.
#[must_use]
pub fn print(table: &Map<String, Value>) -> Option<String> {
    let mut full = table.clone();
    let count = full.entry("count").or_insert_with(|| json!(1)).as_u64()?;
    let mut text = table.get("cc")?.as_str()?.to_owned();
    if count != 1 {
        text += &format!(":{count}");
    }
    let settings = table.iter().filter(|(key, _)| !["cc", "count"].contains(&key.as_str()));
    let settings =
        settings.map(|(key, value)| Some(format!("{key}={}", write(value)?))).collect::<Option<Vec<_>>>()?;
    if !settings.is_empty() {
        text += &format!("@{}", settings.join(","));
    }
    // Names with a mark of the syntax in them, and texts that mean another value, are read as something else.
    parse(&text, "flow").is_ok_and(|read| read == full).then_some(text)
}

/// A value as [`value`] may read it.
fn write(value: &Value) -> Option<String> {
    match value {
        Value::Bool(flag) => Some(flag.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Number(number) if number.is_f64() => {
            // Without an exponent, and so that it reads back to the same number.
            let text = number.as_f64()?.to_string();
            Some(if text.contains('.') { text } else { text + ".0" })
        }
        Value::Number(number) => Some(number.to_string()),
        Value::Object(map) => match map.get("uniform")?.as_array()?.as_slice() {
            [Value::String(first), Value::String(last)] => Some(format!("{first}..{last}")),
            _ => None,
        },
        Value::Null | Value::Array(_) => None,
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A whole number; one that is too long for it, as a decimal.
fn whole(digits: &str) -> Value {
    digits.parse::<u64>().map_or_else(|_| decimal(digits), Value::from)
}

/// A decimal. One that is beyond any becomes what each key refuses by its name.
fn decimal(text: &str) -> Value {
    let number = text.parse().ok().and_then(Number::from_f64);
    number.map_or_else(|| json!(format!("{NOT_JSON}{text}")), Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwnd_link::random::RandomStream;

    fn table(value: Value) -> Map<String, Value> {
        value.as_object().expect("a table").clone()
    }

    #[test]
    fn a_flow_is_its_algorithm_its_count_and_its_keys() {
        let text = "cubic:2@start=0s..100ms,rtt=160ms,beta=0.85,burst=4,pacing=true,label=7,route=a=b";
        let expected = json!({
            "cc": "cubic", "count": 2, "start": { "uniform": ["0s", "100ms"] }, "rtt": "160ms", "beta": 0.85,
            "burst": 4, "pacing": true, "label": "7", "route": "a=b",
        });
        assert_eq!(parse(text, "flow[0]"), Ok(table(expected)));
        assert_eq!(parse("reno", "flow[0]"), Ok(table(json!({ "cc": "reno", "count": 1 }))));
    }

    #[test]
    fn what_is_no_flow_is_refused_with_the_part_that_is_wrong() {
        for (text, value, expected) in [
            ("", "", SYNTAX),
            (":2", ":2", SYNTAX),
            ("cubic:", "cubic:", SYNTAX),
            ("cubic:-1", "cubic:-1", SYNTAX),
            ("cubic@", "cubic@", SYNTAX),
            ("cubic@beta", "beta", SYNTAX),
            ("cubic@beta=", "beta=", SYNTAX),
            ("cubic@beta=0.8,", "cubic@beta=0.8,", SYNTAX),
            ("cubic@beta={0.7,0.8}", "cubic@beta={0.7,0.8}", BRACES),
            ("{cubic,reno}:2", "{cubic,reno}:2", BRACES),
            ("cubic@beta=0.8,beta=0.7", "cubic@beta=0.8,beta=0.7", "beta once, not twice"),
            ("cubic@count=3", "cubic@count=3", "count once, not twice"),
            ("cubic@hystart=true", "hystart=true", "slow_start=hystart++, or slow_start=standard"),
        ] {
            let refused = parse(text, "flow[3]").expect_err(text);
            let shown = Some(format!("\"{value}\""));
            assert_eq!(
                (refused.field.as_str(), refused.value, refused.expected.as_str()),
                ("flow[3]", shown, expected)
            );
        }
    }

    #[test]
    fn tables_that_no_text_means_have_none() {
        for (key, value) in [
            ("rtt", json!("true")),
            ("rtt", json!("7")),
            ("rtt", json!("0.5")),
            ("rtt", json!("1s,2s")),
            ("rtt", json!("1s..2s")),
            ("rtt", json!("")),
            ("label", json!(7)),
            ("label", json!("a,b")),
            ("beta", json!(-0.5)),
            ("burst", json!(-1)),
            ("start", json!({ "uniform": ["0s"] })),
            ("start", json!({ "uniform": ["0s..1s", "2s"] })),
            ("access", json!({ "rate": "1Mbit/s" })),
            ("path", json!(["a"])),
            ("cc", json!("a@b")),
            ("cc", json!("a:b")),
            ("count", json!(-1)),
            ("a=b", json!(1)),
            ("hystart", json!(true)),
            ("rtt", Value::Null),
        ] {
            let mut flow = table(json!({ "cc": "cubic" }));
            flow.insert(key.to_owned(), value.clone());
            assert_eq!(print(&flow), None, "{key} = {value}");
        }
    }

    // Out of pieces that the syntax uses, and numbers of every size; the seed names the case.
    #[test]
    fn what_is_printed_is_read_back() {
        const PIECES: &[&str] =
            &["cubic", "ß", "7", "0", ".", "..", ",", "=", "@", ":", "true", "ms", " ", "\"", "-", "e9"];
        let (mut printed, mut refused) = (0, 0);
        for seed in 0..20_000 {
            let mut stream = RandomStream::new(seed, 0);
            let mut text = |most| -> String {
                (0..=stream.below(most)).map(|_| PIECES[stream.below(PIECES.len() as u64) as usize]).collect()
            };
            let (name, key, given, other) = (text(1), text(1), text(3), text(2));
            let mut stream = RandomStream::new(seed, 1);
            let given = match stream.below(7) {
                0 => json!(given),
                1 => json!({ "uniform": [given, other] }),
                2 => json!(stream.next_u64() >> stream.below(64)),
                3 => json!(f64::from_bits(stream.next_u64())),
                4 => json!(stream.below(1_000_000) as f64 / 1e5),
                5 => json!(stream.below(2) == 0),
                _ => value(&given),
            };
            let key = ["beta", "label", "start", key.as_str()][stream.below(4) as usize].to_owned();
            let count = stream.below(3) + 1;
            let mut flow = table(json!({ "cc": name, "count": count }));
            flow.insert(key, given);
            match print(&flow) {
                Some(text) => {
                    assert_eq!(parse(&text, "flow[0]").as_ref(), Ok(&flow), "seed {seed}: {text}");
                    printed += 1;
                }
                None => refused += 1,
            }
            // What was read from a text has a text.
            let text = format!("{name}@label={other}");
            if let Ok(read) = parse(&text, "flow[0]") {
                assert!(print(&read).is_some(), "seed {seed}: {text}");
            }
        }
        assert!(printed > 2000 && refused > 2000, "{printed} printed, {refused} refused");
    }
}
