// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lists of transfers: `model = "list"`, from a file or written out.
//!
//! A file has a transfer in each line. Two columns are its start in seconds and its size in bytes, or what a first line names: `start_ms`,
//! `size_kB`, in either order, among any others. The form of HPCC's simulations (`flow.txt`: a line with the number of flows, then
//! `src dst pg dport size start`, or the same without `dport`) is recognised; sources and destinations are ignored, since all transfers take
//! the group's path, and what follows that number of lines is no flow. A printed scenario has the transfers in place of the path.

use crate::files;
use crate::invalid::{Invalid, TableReader, shown};
use crate::keys::{Absent, Form, Key, Parsed, Quantity, Row, RowFormat, Scope};
use crate::units::{MAX_TIME, read_size, read_time, rounded, write_size, write_time};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Most transfers of a list.
const MAX_TRANSFERS: usize = 1_000_000;
/// The largest transfer, bytes, as of any distribution of sizes.
const MAX_SIZE: u64 = 1 << 53;
const LIST: &str = "the path of a file, or list = [[start, size], ...], such as [[\"0s\", \"10kB\"]]";
const TRANSFER: &str = "[a time, a size above 0], such as [\"0.5s\", \"10kB\"]";

/// The keys `file` and `list`.
pub(super) struct ListedFlows;

type Transfers = Arc<[(u64, u64)]>;

impl RowFormat for ListedFlows {
    type Value = Transfers;

    fn parse(&self, table: &mut TableReader<'_>, _: &'static str, scope: &Scope<'_>) -> Parsed<Transfers> {
        let file = table.text("file", "the path of a file", |_| true)?;
        let field = table.field("file");
        let mut transfers = match (file, table.get("list")) {
            (Some(path), None) => from_text(&field, &files::read(scope.files, &field, &path)?)?,
            (None, Some(list)) => from_list(&table.field("list"), list)?,
            (Some(_), Some(list)) => {
                return table.refuse("list", Some(list), "either file or list, not both");
            }
            (None, None) => return table.refuse("file", None, LIST),
        };
        transfers.sort_by_key(|transfer| transfer.0);
        Ok(Some(transfers.into()))
    }

    fn print(&self, transfers: &Transfers) -> Option<Value> {
        Some(transfers.iter().map(|&(start, size)| json!([write_time(start), write_size(size)])).collect())
    }

    fn print_into(&self, _: &'static str, transfers: &Transfers, map: &mut Map<String, Value>) {
        map.extend(self.print(transfers).map(|list| ("list".to_owned(), list)));
    }

    fn form(&self) -> Form {
        let transfer = Form::Tuple(vec![
            Form::Quantity(Quantity::Time(0, MAX_TIME)),
            Form::Quantity(Quantity::Size(1, MAX_SIZE)),
        ]);
        Form::List { item: Box::new(transfer), min: 1 }
    }

    fn keys(&self, row: Row, _: &Transfers) -> Vec<Key> {
        let path = Form::Syntax { what: "path of a file", pattern: ".+" };
        let file = Row {
            name: "file",
            help: "a file of transfers: start in s and size in bytes, columns with names (`start_ms`, `size_kB`), or HPCC's `flow.txt`",
            ..row
        };
        vec![
            file.key(path, Absent::Words("this or `list`")),
            Row { name: "list", ..row }.key(self.form(), Absent::Words("this or `file`")),
        ]
    }
}

fn from_list(field: &str, value: &Value) -> Result<Vec<(u64, u64)>, Invalid> {
    let refuse = |field: String, value: &Value, expected: &str| Invalid {
        field,
        value: Some(shown(value)),
        expected: expected.to_owned(),
    };
    let list = value.as_array().filter(|list| !list.is_empty());
    let list = list.ok_or_else(|| refuse(field.to_owned(), value, LIST))?;
    let read = |(index, item): (usize, &Value)| {
        let pair = match item.as_array().map(Vec::as_slice) {
            Some([start, size]) => start.as_str().and_then(read_time).zip(size.as_str().and_then(read_size)),
            _ => None,
        };
        let transfer = pair.filter(|pair| (1..=MAX_SIZE).contains(&pair.1));
        transfer.ok_or_else(|| refuse(format!("{field}[{index}]"), item, TRANSFER))
    };
    list.iter().enumerate().map(read).collect()
}

/// Which columns of a file are the start and the size, and their units.
#[derive(Clone, Copy)]
struct Columns<'t> {
    start: (usize, &'t str),
    size: (usize, &'t str),
}

/// Reads a file's text.
fn from_text(field: &str, text: &str) -> Result<Vec<(u64, u64)>, Invalid> {
    let split = |line: &str| -> Vec<String> {
        let parts = line.split(|c: char| c == ',' || c == ';' || c.is_whitespace());
        parts.filter(|part| !part.is_empty()).map(|part| part.trim_matches('"').to_owned()).collect()
    };
    let lines = text
        .lines()
        .enumerate()
        .map(|(index, line)| (index + 1, line.split('#').next().unwrap_or_default().trim()));
    let rows: Vec<(usize, &str, Vec<String>)> = lines
        .filter(|(_, line)| !line.is_empty())
        .map(|(number, line)| (number, line, split(line)))
        .collect();
    let refuse = |number: usize, line: &str, expected: &str| Invalid {
        field: format!("{field}, line {number}"),
        value: Some(format!("{:?}", line.chars().take(60).collect::<String>())),
        expected: expected.to_owned(),
    };
    let Some((number, line, first)) = rows.first() else {
        return Err(refuse(1, "", "a transfer in each line: its start and its size"));
    };
    let is_number = |text: &String| text.parse::<f64>().is_ok();
    let (columns, skip, count) = match first.as_slice() {
        // HPCC: the number of flows, then a line each.
        [count] if is_number(count) && rows.get(1).is_some_and(|row| row.2.len() >= 5) => {
            let count = count.parse::<usize>().map_err(|_| refuse(*number, line, "the number of flows"))?;
            let last = rows[1].2.len() - 1;
            if rows.len() - 1 < count {
                let expected = format!("this many lines after it, not {}", rows.len() - 1);
                return Err(refuse(*number, line, &expected));
            }
            (Columns { start: (last, "s"), size: (last - 1, "B") }, 1, count)
        }
        names if !names.iter().all(is_number) => {
            let columns = named(names).ok_or_else(|| {
                refuse(*number, line, "columns of a start and a size, such as start_s,size_B")
            })?;
            (columns, 1, usize::MAX)
        }
        [_, _] => (Columns { start: (0, "s"), size: (1, "B") }, 0, usize::MAX),
        _ => {
            return Err(refuse(
                *number,
                line,
                "two columns, a start in seconds and a size in bytes, or a first line with their names",
            ));
        }
    };
    let mut transfers = Vec::new();
    for (number, line, cells) in rows.iter().skip(skip).take(count) {
        let read = |(column, unit): (usize, &str), factors: &[(&str, u64)]| {
            let factor = factors.iter().find(|(name, _)| *name == unit)?.1;
            rounded(cells.get(column)?, factor)
        };
        let start = read(columns.start, TIMES).filter(|start| *start <= MAX_TIME);
        let size = read(columns.size, SIZES).filter(|size| (1..=MAX_SIZE).contains(size));
        let Some(transfer) = start.zip(size) else {
            return Err(refuse(*number, line, "a start of 0 or more and a size above 0, as plain decimals"));
        };
        transfers.push(transfer);
        if transfers.len() > MAX_TRANSFERS {
            return Err(refuse(*number, line, &format!("at most {MAX_TRANSFERS} transfers")));
        }
    }
    if transfers.is_empty() {
        return Err(refuse(*number, line, "at least one transfer"));
    }
    Ok(transfers)
}

const TIMES: &[(&str, u64)] = &[("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];
const SIZES: &[(&str, u64)] = &[("B", 1), ("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000)];

/// The columns that names say.
fn named(names: &[String]) -> Option<Columns<'static>> {
    let find = |bases: &[&str], units: &'static [(&'static str, u64)], default: &'static str| {
        names.iter().enumerate().find_map(|(index, name)| {
            let (base, unit) = name.rsplit_once('_').unwrap_or((name, ""));
            let written =
                units.iter().find(|(known, _)| known.eq_ignore_ascii_case(unit)).map(|(known, _)| *known);
            let base = if written.is_some() { base } else { name.as_str() };
            bases.contains(&base.to_lowercase().as_str()).then(|| (index, written.unwrap_or(default)))
        })
    };
    let start = find(&["start", "start_time", "time", "arrival", "t"], TIMES, "s")?;
    let size = find(&["size", "bytes", "flow_size", "length"], SIZES, "B")?;
    Some(Columns { start, size })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(u64, u64)>, String> {
        from_text("file", text).map_err(|invalid| invalid.to_string())
    }

    #[test]
    fn lists_of_several_forms_are_the_same_transfers() {
        let expected = Ok(vec![(2_000_000_000, 200_000), (2_500_000_000, 1500)]);
        for text in [
            "2 200000\n2.5 1500\n",
            "2,200000\n2.5,1500",
            "start_ms,size_kB\n2000,200\n2500,1.5\n",
            "id size_B start_time\n1 200000 2\n2 1500 2.5\n",
            // HPCC: what follows the flows is a note.
            "2\n2 1 3 100 200000 2\n3 1 3 100 1500 2.5\n\nFirst line: # of flows\nsrc0 dst0 3 dst_port0 size0 start_time0\n",
            "2\n2 1 3 200000 2.0\n3 1 3 1500 2.5\n",
        ] {
            assert_eq!(read(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, expected) in [
            ("", "file, line 1: \"\" is not accepted; expected a transfer in each line"),
            ("1 2 3\n", "file, line 1: \"1 2 3\" is not accepted; expected two columns"),
            (
                "1 0\n",
                "file, line 1: \"1 0\" is not accepted; expected a start of 0 or more and a size above 0",
            ),
            ("1 5\n-1 5\n", "file, line 2: \"-1 5\""),
            (
                "3\n2 1 3 100 200000 2\n",
                "file, line 1: \"3\" is not accepted; expected this many lines after it, not 1",
            ),
            ("colour,size\n1,2\n", "expected columns of a start and a size"),
            ("start,size\n", "expected at least one transfer"),
        ] {
            let message = read(text).expect_err(text);
            assert!(message.contains(expected), "{text:?}: {message}");
        }
    }
}
