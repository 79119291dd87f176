// SPDX-License-Identifier: MIT OR Apache-2.0
//! Validation errors: which field, what value, what was expected.

use crate::unit_hints::suggest_quantities;
use crate::units::NOT_JSON;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;

/// Why a scenario was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// Path of the field, such as `flow[1].rtt`.
    pub field: String,
    /// The value that was given, as written; `None` when it is missing.
    pub value: Option<String>,
    /// What would have been accepted.
    pub expected: String,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (field, expected) = (one_line(&self.field), one_line(&self.expected));
        match &self.value {
            Some(value) => write!(f, "{field}: {} is not accepted; expected {expected}", one_line(value)),
            None => write!(f, "{field}: missing; expected {expected}"),
        }
    }
}

/// Max bytes of a name that is compared with others: the distance takes the product of both lengths.
const MAX_NAME: usize = 200;
/// Max characters of a part of a message: a document's own words may be of any length.
const MAX_PART: usize = 2000;

/// A text as a part of a line that a terminal can be given: characters that it would act on, or that turn the order of others around,
/// are escaped, and what is too long is cut.
fn one_line(text: &str) -> Cow<'_, str> {
    let acts = |c: char| {
        c.is_control()
            || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    if text.len() <= MAX_PART && !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let mut line = String::new();
    for (place, c) in text.chars().enumerate() {
        if place == MAX_PART {
            line.push_str("...");
            break;
        }
        if acts(c) { line.extend(c.escape_unicode()) } else { line.push(c) }
    }
    Cow::Owned(line)
}

impl std::error::Error for Invalid {}

/// The JSON pointer (RFC 6901) of a field: `/flow/1/rtt` of `flow[1].rtt`.
#[must_use]
pub fn pointer(field: &str) -> String {
    format!("/{}", field.replace(['.', '['], "/").replace(']', ""))
}

/// A string, unless it stands for a value that JSON cannot express.
pub(crate) fn text(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.starts_with(NOT_JSON)).map(str::to_owned)
}

/// A value as written in a document: strings in quotes.
pub(crate) fn shown(value: &Value) -> String {
    // As JSON escapes `NOT_JSON`.
    let text = value.to_string().replace("\"\\u0000", "\"");
    if text.chars().count() > 60 { text.chars().take(57).chain("...".chars()).collect() } else { text }
}

/// The nearest of `names` to `name`, up to three: the one that differs in capitals only, or those that `name` is the beginning of, up to
/// a `-`, or else those equally near by edit distance, if they are near.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    if name.len() > MAX_NAME {
        return Vec::new();
    }
    let lower = name.to_lowercase();
    let names: Vec<&str> = names.into_iter().collect();
    if let Some(same) = names.iter().find(|other| other.to_lowercase() == lower) {
        return vec![same];
    }
    let mut longer: Vec<&str> = names.iter().copied().filter(|other| begins(&lower, other)).collect();
    if !longer.is_empty() {
        longer.sort_unstable();
        longer.truncate(3);
        return longer;
    }
    let mut ranked: Vec<(usize, &str)> =
        names.into_iter().map(|other| (distance(&lower, &other.to_lowercase()), other)).collect();
    ranked.sort();
    let nearest = ranked.first().map_or(0, |(distance, _)| *distance);
    let limit = (name.chars().count() / 3).max(1).min(nearest);
    ranked.into_iter().filter(|(d, _)| *d <= limit).take(3).map(|(_, other)| other).collect()
}

/// Whether `other` is `lower`, a `-` and more: a form of what `lower` names.
fn begins(lower: &str, other: &str) -> bool {
    !lower.is_empty() && other.to_lowercase().strip_prefix(lower).is_some_and(|rest| rest.starts_with('-'))
}

/// Edit distance between `a` and `b` with insertion, deletion, replacement and swap of neighbours: optimal string alignment.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut before = Vec::new(); // the row above `row`'s
    let mut row: Vec<usize> = (0..=b.len()).collect();
    let mut previous = None;
    for (i, x) in a.chars().enumerate() {
        let mut next = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut least = (row[j] + usize::from(x != *y)).min(next[j] + 1).min(row[j + 1] + 1);
            if j > 0 && previous == Some(*y) && b[j - 1] == x {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut row, next);
        previous = Some(x);
    }
    row[b.len()]
}

/// Reads a table key by key and refuses unknown keys.
pub(crate) struct TableReader<'a> {
    path: String,
    map: &'a Map<String, Value>,
    known: Vec<&'static str>,
}

impl<'a> TableReader<'a> {
    pub fn new(path: &str, value: &'a Value) -> Result<Self, Invalid> {
        match value {
            Value::Object(map) => Ok(Self { path: path.to_owned(), map, known: Vec::new() }),
            other => Err(Invalid {
                field: if path.is_empty() { "scenario" } else { path }.to_owned(),
                value: Some(shown(other)),
                expected: "a table of keys".into(),
            }),
        }
    }

    /// What errors call it.
    pub fn path(&self) -> &str {
        &self.path
    }

    pub fn field(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    pub fn get(&mut self, key: &'static str) -> Option<&'a Value> {
        if !self.known.contains(&key) {
            self.known.push(key);
        }
        self.map.get(key)
    }

    /// Refuses the value of `key`, or that it is missing; then a key that is a misspelt `key` is what is refused.
    pub fn refuse<T>(
        &self,
        key: &str,
        value: Option<&Value>,
        expected: impl Into<String>,
    ) -> Result<T, Invalid> {
        if value.is_none() {
            self.check_spelling(key)?;
        }
        Err(self.invalid(key, value, expected.into()))
    }

    /// Refuses a key that is a misspelt `key`: one that was not read and differs from it in a letter, or in one of four.
    pub fn check_spelling(&self, key: &str) -> Result<(), Invalid> {
        let limit = (key.chars().count() / 4).max(1);
        match self.rest().find(|(given, _)| distance(&given.to_lowercase(), key) <= limit) {
            Some((given, value)) => {
                Err(self.invalid(given, Some(value), format!("a known key (did you mean {key}?)")))
            }
            None => Ok(()),
        }
    }

    fn invalid(&self, key: &str, value: Option<&Value>, expected: String) -> Invalid {
        Invalid { field: self.field(key), value: value.map(shown), expected }
    }

    /// The same for a value that may be a quantity in another spelling.
    fn invalid_quantity(
        &self,
        key: &str,
        value: &Value,
        expected: &str,
        accepted: &dyn Fn(&str) -> bool,
    ) -> Invalid {
        let near = suggest_quantities(value, accepted);
        let offer = if near.is_empty() { "" } else { &format!(" (did you mean {}?)", near.join(" or ")) };
        self.invalid(key, Some(value), format!("{expected}{offer}"))
    }

    /// A value that `read` accepts.
    pub fn read<T>(
        &mut self,
        key: &'static str,
        expected: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>, Invalid> {
        self.read_as(key, || Cow::Borrowed(expected), read)
    }

    /// A value that `read` accepts. `expected` is asked for where it does not.
    pub fn read_as<'e, T>(
        &mut self,
        key: &'static str,
        expected: impl FnOnce() -> Cow<'e, str>,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>, Invalid> {
        let Some(value) = self.get(key) else { return Ok(None) };
        if let Some(parsed) = read(value) {
            return Ok(Some(parsed));
        }
        let accepted = |text: &str| read(&Value::String(text.to_owned())).is_some();
        Err(self.invalid_quantity(key, value, &expected(), &accepted))
    }

    /// A text that `accepts` accepts. A number here is not a quantity without its unit.
    pub fn text(
        &mut self,
        key: &'static str,
        expected: &str,
        accepts: impl Fn(&str) -> bool,
    ) -> Result<Option<String>, Invalid> {
        match self.get(key) {
            None => Ok(None),
            Some(value) => match text(value).filter(|text| accepts(text)) {
                Some(text) => Ok(Some(text)),
                None => self.refuse(key, Some(value), expected),
            },
        }
    }

    /// Any text; required.
    pub fn required_text(&mut self, key: &'static str, expected: &str) -> Result<String, Invalid> {
        match self.text(key, expected, |_| true)? {
            Some(text) => Ok(text),
            None => self.refuse(key, None, expected),
        }
    }

    pub fn required<T>(
        &mut self,
        key: &'static str,
        expected: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<T, Invalid> {
        match self.read(key, expected, read)? {
            Some(parsed) => Ok(parsed),
            None => self.refuse(key, None, expected),
        }
    }

    /// A name, which `read` knows; required. `names` are all.
    pub fn required_name<T>(
        &mut self,
        key: &'static str,
        expected: &str,
        names: &[&str],
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<T, Invalid> {
        let Some(value) = self.get(key) else { return self.refuse(key, None, expected) };
        read(value).ok_or_else(|| {
            let near = nearest(value.as_str().unwrap_or_default(), names.iter().copied());
            let offer = if near.is_empty() { "" } else { &format!(" (did you mean {}?)", near.join(" or ")) };
            self.invalid(key, Some(value), format!("{expected}{offer}"))
        })
    }

    /// Keys that were not read.
    pub fn rest(&self) -> impl Iterator<Item = (&'a String, &'a Value)> {
        self.map.iter().filter(|(key, _)| !self.known.contains(&key.as_str()))
    }

    /// Keys that were read.
    pub fn read_keys(&self) -> Vec<&'static str> {
        self.known.clone()
    }

    /// Refuses the first key that was not read.
    pub fn finish(&self) -> Result<(), Invalid> {
        let Some((key, value)) = self.rest().next() else { return Ok(()) };
        self.refuse(key, Some(value), unknown_key(key, &self.known))
    }
}

/// What is expected in place of a name that is not among `names`, which are `what`: the nearest names, or else all.
#[must_use]
pub fn unknown_name(what: &str, name: &str, names: &[&str]) -> String {
    let near = nearest(name, names.iter().copied());
    if near.is_empty() {
        format!("{what}: {}", names.join(", "))
    } else {
        format!("{what} (did you mean {}?)", near.join(" or "))
    }
}

/// What is expected in place of an unknown key.
#[must_use]
pub fn unknown_key(key: &str, known: &[&str]) -> String {
    let near = nearest(key, known.iter().copied());
    if near.is_empty() {
        format!("one of the keys {}", known.join(", "))
    } else {
        format!("a known key (did you mean {}?)", near.join(" or "))
    }
}

/// A document that is not TOML or JSON, or whose keys have no such types.
pub(crate) fn document(kind: &str, error: &str) -> Invalid {
    let detail = error.lines().map(str::trim).filter(|l| !l.is_empty()).collect::<Vec<_>>().join(" ");
    Invalid {
        field: "scenario".into(),
        value: Some("the document".into()),
        expected: format!("{kind}: {detail}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_are_offered() {
        assert_eq!(nearest("cubik", ["cubic", "reno", "sack"]), ["cubic"]);
        assert_eq!(nearest("bata", ["beta", "c", "fast_convergence"]), ["beta"]);
        assert_eq!(nearest("bata", ["path", "beta", "back"]), ["beta"]);
        assert_eq!(nearest("cubic-2", ["reno", "cubic-2.2", "cubic-2.1"]), ["cubic-2.1", "cubic-2.2"]);
        assert_eq!(nearest("CUBIC", ["cubic-2.0", "cubic", "reno"]), ["cubic"]);
        assert!(nearest("to", ["at", "flow"]).is_empty());
        assert!(nearest("", ["-4", "flow"]).is_empty());
        assert!(nearest("zzzzzz", ["cubic", "reno"]).is_empty());
    }

    // Seven letters away, but no other name begins with it: for the name of an algorithm its parameter sets are suggested.
    #[test]
    fn a_name_that_others_go_on_from_is_near_to_them() {
        let sets = ["reno", "hybla-linux", "hyblas", "hybla-growth", "my-hybla-x"];
        assert_eq!(nearest("hybla", sets), ["hybla-growth", "hybla-linux"]);
        assert_eq!(nearest("Hybla", sets), ["hybla-growth", "hybla-linux"]);
    }

    #[test]
    fn swapped_letters_are_one_mistake() {
        let sets = || cwnd::registry::all().flat_map(|known| known.sets().map(|set| set.name));
        for (typed, meant) in [
            ("htpc", "htcp"),
            ("rneo", "reno"),
            ("cubci", "cubic"),
            ("bci", "bic"),
            ("yaeh", "yeah"),
            ("vgeas", "vegas"),
        ] {
            assert!(nearest(typed, sets()).contains(&meant), "{typed}");
        }
    }

    // ca -> ac -> abc would be two; a letter that was swapped is not touched again: three. (Damerau: two.)
    #[test]
    fn distances_are_those_of_optimal_string_alignment() {
        assert_eq!(distance("ca", "abc"), 3);
        assert_eq!(distance("rneo", "reno"), 1);
        assert_eq!(distance("abcd", "badc"), 2);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("same", "same"), 0);
    }
}
