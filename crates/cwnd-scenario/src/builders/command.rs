// SPDX-License-Identifier: MIT OR Apache-2.0
//! The command of a comparison.

use super::{GivenDiscipline, KEYWORDS, Keywords, OptionForm};
use crate::keys::queue::default_text;
use serde_json::{Map, Value};

impl Keywords {
    /// The command, for a POSIX shell, whose run has the same scenario: `cwnd compare 'cubic:2@beta=0.85' reno --rate 50Mbit/s`. Options
    /// that have their defaults are left out. `None` where a setting has no option, and a scenario's file is needed.
    #[must_use]
    pub fn command(&self) -> Option<String> {
        let mut words = vec!["cwnd".to_owned(), "compare".to_owned()];
        for flows in &self.flows {
            words.push(flows.text.clone().filter(|text| !text.starts_with('-'))?);
        }
        if self.flows.is_empty() || self.name() != self.derived_name() {
            return None;
        }
        for keyword in KEYWORDS.iter().filter(|keyword| keyword.name != "name") {
            let Some(value) = self.settings.get(keyword.name) else { continue };
            if let (("rate", Some(file)), 1) =
                ((keyword.name, value.get("trace")), value.as_object().map_or(0, Map::len))
            {
                words.extend(["--trace".to_owned(), file.as_str()?.to_owned()]);
                continue;
            }
            for text in option_texts(keyword.option, value)? {
                if text.is_some() && text.as_deref() == keyword.default.text() {
                    continue;
                }
                words.push(format!("--{}", keyword.name.replace('_', "-")));
                words.extend(text);
            }
        }
        if let Some(given) = &self.discipline {
            words.push(format!("--{}", given.discipline.name()));
            if !given.discipline.settings().is_empty() {
                words.push(self.discipline_text(given)?);
            }
        }
        if self.ecn {
            words.push("--ecn".to_owned());
        }
        words.iter().map(|word| quoted(word)).collect::<Option<Vec<_>>>().map(|words| words.join(" "))
    }

    /// The value of the option of a queue discipline.
    fn discipline_text(&self, given: &GivenDiscipline) -> Option<String> {
        let GivenDiscipline { discipline, settings } = given;
        let names = discipline.option()?.names;
        let is_said = |key: &str, value: &Value| match key {
            "ecn" => *value == self.ecn,
            _ => names.contains(&key),
        };
        if !settings.iter().all(|(key, value)| is_said(key, value)) {
            return None;
        }
        let value = |name: &&str| match settings.get(*name) {
            Some(value) => value.as_str().map(str::to_owned),
            None => default_text(*discipline, name),
        };
        joined(names.iter().map(value).collect::<Option<Vec<_>>>()?)
    }
}

/// The values of the options that mean `value`; an option without a value is `None` among them.
fn option_texts(form: OptionForm, value: &Value) -> Option<Vec<Option<String>>> {
    let one = |text: &str| Some(vec![Some(text.to_owned())]);
    match form {
        OptionForm::Text => one(value.as_str()?),
        OptionForm::Number => one(&value.as_u64()?.to_string()),
        OptionForm::Flag => Some(if value.as_bool()? { vec![None] } else { Vec::new() }),
        OptionForm::Pair => {
            let texts = value.as_array()?.iter().map(|text| text.as_str().map(str::to_owned));
            one(&joined(texts.collect::<Option<Vec<_>>>().filter(|texts| texts.len() == 2)?)?)
        }
        OptionForm::Names => one(&names(value)?),
        OptionForm::Tables => match value {
            Value::Array(list) => list.iter().map(|entry| table_text(entry).map(Some)).collect(),
            single => Some(vec![Some(table_text(single)?)]),
        },
        // No actions are the default.
        OptionForm::None => value.as_array().filter(|list| list.is_empty()).map(|_| Vec::new()),
    }
}

/// Values with dots between them, where they are read back: the last may have dots in it.
fn joined(values: Vec<String>) -> Option<String> {
    let text = values.join("..");
    text.splitn(values.len(), "..").eq(values.iter().map(String::as_str)).then_some(text)
}

/// Whose samples are recorded, as the option has it.
fn names(value: &Value) -> Option<String> {
    let list = match value {
        Value::String(word) => return ["all", "none"].contains(&word.as_str()).then(|| word.clone()),
        other => other.as_array()?,
    };
    let name = |flow: &Value| match flow {
        Value::Number(number) => number.as_u64().map(|number| number.to_string()),
        Value::String(name) => {
            let is_name = !name.is_empty() && !name.contains(',') && name.trim() == name;
            (is_name && !name.bytes().all(|byte| byte.is_ascii_digit())).then(|| name.clone())
        }
        _ => None,
    };
    let text = list.iter().map(name).collect::<Option<Vec<_>>>()?.join(",");
    (!["", "all", "none"].contains(&text.as_str())).then_some(text)
}

/// One group of traffic as its option has it: the name of a preset, or keys as TOML writes them in a line.
fn table_text(entry: &Value) -> Option<String> {
    let table = match entry {
        Value::String(preset) => return (!preset.contains('=')).then(|| preset.clone()),
        other => other.as_object().filter(|table| !table.is_empty())?,
    };
    if let Some(Value::String(preset)) = table.get("preset").filter(|_| table.len() == 1) {
        return (!preset.contains('=')).then(|| preset.clone());
    }
    let text = toml::Value::try_from(table).ok()?.to_string();
    let keys = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(&text);
    Some(keys.trim().to_owned())
}

/// A word of a command, in quotes where a shell may read it as anything else; `None` where it cannot be one.
fn quoted(word: &str) -> Option<String> {
    if word.contains('\0') {
        return None;
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./:,+%".contains(&byte);
    let is_plain = !word.is_empty() && word.bytes().all(is_plain);
    Some(if is_plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) })
}
