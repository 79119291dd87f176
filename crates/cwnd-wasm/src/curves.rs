// SPDX-License-Identifier: MIT OR Apache-2.0
//! The curves of a run as one array of numbers, and what stands where in it.

use crate::run::{Run, to_ns};
use cwnd::unit_and_scale;
use cwnd_record::{Extremes, FlowCurves};
use serde_json::{Value, json};

/// Flows that are drawn: more would hide each other.
const DRAWN_FLOWS: usize = 16;

/// The flows that are drawn of many: of each group alike many, the first ones, as far as they go.
pub(crate) fn drawn(groups: &[usize]) -> Vec<u32> {
    let mut taken = vec![0; groups.len()];
    let mut left = DRAWN_FLOWS;
    while left > 0 {
        let before = left;
        for (taken, &count) in taken.iter_mut().zip(groups) {
            if left > 0 && *taken < count {
                *taken += 1;
                left -= 1;
            }
        }
        if left == before {
            break;
        }
    }
    let begins = groups.iter().scan(0, |next, count| {
        let begin = *next;
        *next += count;
        Some(begin)
    });
    begins.zip(taken).flat_map(|(begin, taken)| (begin..begin + taken).map(|flow| flow as u32)).collect()
}

/// Fills `data` with one row of columns after the other; returns their names: of each flow, then of each link. Rates are means over
/// `mean_ns`.
pub(crate) fn fill(run: &Run, mean_ns: u64, data: &mut Vec<f32>) -> Value {
    data.clear();
    let curves = &run.curves;
    let mut flows = Vec::new();
    for (place, flow) in curves.flows.iter().enumerate() {
        let mut names = Names::default();
        names.extremes(data, "cwnd", &flow.cwnd);
        names.row(
            data,
            "rate_mbps",
            &curves.rates_mbps(place, run.scenario.packet_size, mean_ns.max(to_ns(1e-6))),
        );
        let FlowCurves { ssthresh, srtt_ms, in_flight, drops, losses, timeouts, reductions, .. } = flow;
        let rows = [
            ("ssthresh", ssthresh),
            ("srtt_ms", srtt_ms),
            ("in_flight", in_flight),
            ("drops", drops),
            ("losses", losses),
            ("timeouts", timeouts),
            ("reductions", reductions),
        ];
        for (name, row) in rows {
            names.row(data, name, row);
        }
        for (name, row) in &flow.inner {
            let (_, scale) = unit_and_scale(name);
            let scaled: Vec<f32> = row.iter().map(|value| value / scale as f32).collect();
            names.row(data, &format!("inner.{name}"), &scaled);
        }
        flows.push(names.0);
    }
    let mut links = Vec::new();
    for link in &curves.links {
        let mut names = Names::default();
        names.extremes(data, "packets", &link.packets);
        names.row(data, "bytes", &link.bytes);
        links.push(names.0);
    }
    json!({ "columns": curves.count(), "numbers": curves.numbers, "flows": flows, "links": links })
}

/// Names of the rows of a flow or a link, in their order.
#[derive(Default)]
struct Names(Vec<String>);

impl Names {
    fn row(&mut self, data: &mut Vec<f32>, name: &str, row: &[f32]) {
        data.extend_from_slice(row);
        self.0.push(name.to_owned());
    }

    fn extremes(&mut self, data: &mut Vec<f32>, name: &str, extremes: &Extremes) {
        let rows = [
            ("first", &extremes.first),
            ("min", &extremes.min),
            ("max", &extremes.max),
            ("last", &extremes.last),
        ];
        for (which, row) in rows {
            self.row(data, &format!("{name}.{which}"), row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::drawn;

    // Sixteen of twenty and of two: fourteen and both. Of twenty groups of one, the first sixteen.
    #[test]
    fn of_many_flows_each_group_has_some() {
        assert_eq!(drawn(&[2, 3]), [0, 1, 2, 3, 4]);
        let of_both = drawn(&[20, 2]);
        assert_eq!(of_both, (0..14).chain([20, 21]).collect::<Vec<u32>>());
        assert_eq!(drawn(&[1; 20]), (0..16).collect::<Vec<u32>>());
        assert_eq!(drawn(&[9, 9]), (0..8).chain(9..17).collect::<Vec<u32>>());
        assert!(drawn(&[]).is_empty());
    }
}
