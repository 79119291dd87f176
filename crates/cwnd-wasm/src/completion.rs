// SPDX-License-Identifier: MIT OR Apache-2.0
//! Completion times of finite transfers by group and direction, as `python/cwnd/metrics/transfers.py` defines them: those of flows and of
//! lists in the whole run, and those of other traffic that started in the measured interval. A test compares the two.

use cwnd_record::{Summary, TransferRow};
use cwnd_scenario::Scenario;
use serde_json::{Value, json};

/// The first sizes of the classes, bytes, with their names.
const SIZE_CLASSES: [(u64, &str); 5] = [
    (0, "0..10kB"),
    (10_000, "10kB..100kB"),
    (100_000, "100kB..1MB"),
    (1_000_000, "1MB..10MB"),
    (10_000_000, "10MB.."),
];
const DIRECTIONS: [&str; 2] = ["forward", "reverse"];

/// A row per group and direction that has transfers: groups of flows first, the forward direction before the reverse.
pub(crate) fn transfers(scenario: &Scenario, summary: &Summary, rows: &[TransferRow]) -> Vec<Value> {
    let is_list =
        |name: &str| summary.traffic.iter().any(|group| group.name == name && group.asked == "list");
    let mut end = 0;
    let flows = scenario.group_names().into_iter().zip(&scenario.flows).map(|(name, group)| {
        let numbers = end..end + group.count;
        end = numbers.end;
        let of_group =
            rows.iter().filter(|row| row.group.is_none() && numbers.contains(&row.number)).collect();
        ("flow", name, of_group)
    });
    let traffic = (0..).zip(&scenario.traffic).map(|(index, group)| {
        let measured = |row: &TransferRow| {
            is_list(&group.name) || (scenario.measure.0..scenario.measure.1).contains(&row.start_ns)
        };
        let of_group = rows.iter().filter(|row| row.group == Some(index) && measured(row)).collect();
        ("traffic", group.name.clone(), of_group)
    });
    let groups: Vec<(&str, String, Vec<&TransferRow>)> = flows.chain(traffic).collect();
    let mut documents = Vec::new();
    for (of, name, of_group) in &groups {
        for direction in DIRECTIONS {
            let chosen: Vec<&TransferRow> = of_group
                .iter()
                .copied()
                .filter(|row| row.bytes.is_some() && (row.reverse == (direction == DIRECTIONS[1])))
                .collect();
            if chosen.is_empty() {
                continue;
            }
            let before =
                chosen.iter().filter(|row| row.end_ns.is_some_and(|end| end <= scenario.measure.0)).count();
            let mut document = described(&chosen);
            document["of"] = json!(of);
            document["name"] = json!(name);
            document["direction"] = json!(direction);
            document["ended_before"] = json!(before);
            document["by_size"] = by_size(&chosen);
            documents.push(document);
        }
    }
    documents
}

/// The same by classes of sizes, those that have transfers.
fn by_size(rows: &[&TransferRow]) -> Value {
    let class_of = |row: &TransferRow| {
        SIZE_CLASSES.iter().rposition(|(first, _)| row.bytes.is_some_and(|bytes| bytes >= *first))
    };
    let classes = SIZE_CLASSES.iter().enumerate().filter_map(|(class, (_, name))| {
        let chosen: Vec<&TransferRow> =
            rows.iter().copied().filter(|row| class_of(row) == Some(class)).collect();
        (!chosen.is_empty()).then(|| {
            let mut document = described(&chosen);
            document["size"] = json!(name);
            document
        })
    });
    classes.collect()
}

/// How many transfers, and their completion times: `null` where one is not defined.
fn described(rows: &[&TransferRow]) -> Value {
    let seconds = |ns: u64| ns as f64 / 1e9;
    // The difference of the table's columns, so that the numbers are the same.
    let mut times: Vec<f64> =
        rows.iter().filter_map(|row| row.end_ns.map(|end| seconds(end) - seconds(row.start_ns))).collect();
    let all = rows.len();
    let mean = (times.len() == all).then(|| times.iter().sum::<f64>() / all as f64);
    times.sort_by(f64::total_cmp);
    // A transfer that did not end counts as longer than all others.
    let at = |part: f64| {
        (0..all).find(|place| (place + 1) as f64 / all as f64 >= part).and_then(|place| times.get(place))
    };
    json!({
        "started": all,
        "finished": times.len(),
        "completion_s": { "mean": mean, "p50": at(0.5), "p95": at(0.95), "p99": at(0.99) },
    })
}
