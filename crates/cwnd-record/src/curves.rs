// SPDX-License-Identifier: MIT OR Apache-2.0
//! Curves of a run in as many columns as a picture has, filled while the run goes on: memory depends on the columns, not on the length
//! of the run.
//!
//! A column of a window or queue keeps its first, least, greatest and last value, which is all that a line chart of that width
//! shows (Jugel, Jerzak, Hackenbroich and Markl, "M4: a visualization-oriented time series data aggregation", VLDB 2014).

use crate::counts::EventKind;
use crate::tables::{CwndRow, EventRow, InnerRow, QueueRow};
use cwnd_link::DropCause;

/// First, least, greatest and last value in each column; not-a-number in a column without samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Extremes {
    /// The first value of each column.
    pub first: Vec<f32>,
    /// The least value of each column.
    pub min: Vec<f32>,
    /// The greatest value of each column.
    pub max: Vec<f32>,
    /// The last value of each column.
    pub last: Vec<f32>,
}

impl Extremes {
    fn new(count: usize) -> Self {
        let empty = vec![f32::NAN; count];
        Self { first: empty.clone(), min: empty.clone(), max: empty.clone(), last: empty }
    }

    fn add(&mut self, column: usize, value: f32) {
        if self.first[column].is_nan() {
            self.first[column] = value;
        }
        // The other value where one is not a number.
        self.min[column] = self.min[column].min(value);
        self.max[column] = self.max[column].max(value);
        self.last[column] = value;
    }
}

/// The curves of a flow.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowCurves {
    /// Congestion window, segments.
    pub cwnd: Extremes,
    /// Slow start threshold at the last sample, segments; not-a-number before the first reduction.
    pub ssthresh: Vec<f32>,
    /// Smoothed round trip time at the last sample, ms.
    pub srtt_ms: Vec<f32>,
    /// Segments in flight at the last sample.
    pub in_flight: Vec<f32>,
    /// Drops by queues, of all causes but random loss.
    pub drops: Vec<f32>,
    /// Random losses.
    pub losses: Vec<f32>,
    /// Expired retransmission timers.
    pub timeouts: Vec<f32>,
    /// Reductions of the window: the times that CWR, Recovery or Loss was entered.
    pub reductions: Vec<f32>,
    /// Inner variables at the last sample, as the algorithm keeps them, in the order in which they appear.
    pub inner: Vec<(&'static str, Vec<f32>)>,
    /// Segments that have left the last link: at the last sample of each column, and before the first column.
    forwarded: Vec<u64>,
    before: u64,
}

/// The curves of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkCurves {
    /// Packets that wait or are being sent.
    pub packets: Extremes,
    /// Their bytes at the last sample.
    pub bytes: Vec<f32>,
}

/// The curves of a run between two times.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// From, to, ns.
    span: (u64, u64),
    count: usize,
    /// The flows that are drawn, by their numbers, in rising order.
    pub numbers: Vec<u32>,
    /// Their curves.
    pub flows: Vec<FlowCurves>,
    /// The links.
    pub links: Vec<LinkCurves>,
}

/// No column has been sampled.
const NO_SAMPLE: u64 = u64::MAX;

impl Curves {
    /// Empty curves of the flows of these numbers, which rise, and of so many links, in `count` columns from `span.0` up to `span.1`, ns.
    #[must_use]
    pub fn new(span: (u64, u64), count: usize, numbers: Vec<u32>, links: usize) -> Self {
        let (count, span) = (count.max(1), (span.0, span.1.max(span.0 + 1)));
        let (nothing, none) = (vec![f32::NAN; count], vec![0.0; count]);
        let flow = FlowCurves {
            cwnd: Extremes::new(count),
            ssthresh: nothing.clone(),
            srtt_ms: nothing.clone(),
            in_flight: nothing.clone(),
            drops: none.clone(),
            losses: none.clone(),
            timeouts: none.clone(),
            reductions: none,
            inner: Vec::new(),
            forwarded: vec![NO_SAMPLE; count],
            before: 0,
        };
        let link = LinkCurves { packets: Extremes::new(count), bytes: nothing };
        Self { span, count, flows: vec![flow; numbers.len()], numbers, links: vec![link; links] }
    }

    /// Number of columns.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.count
    }

    /// Where a flow's curves are, if it is drawn.
    fn place(&self, flow: u32) -> Option<usize> {
        self.numbers.binary_search(&flow).ok()
    }

    /// The column of a time; the end belongs to the last.
    fn column(&self, time_ns: u64) -> Option<usize> {
        let (from, to) = self.span;
        if time_ns < from || time_ns > to {
            return None;
        }
        let column = u128::from(time_ns - from) * self.count as u128 / u128::from(to - from);
        Some((column as usize).min(self.count - 1))
    }

    /// Adds samples of flows, in the order of time.
    pub fn add_windows(&mut self, rows: &[CwndRow]) {
        for row in rows {
            let column = self.column(row.time_ns);
            let Some(place) = self.place(row.flow) else { continue };
            let flow = &mut self.flows[place];
            let Some(column) = column else {
                if row.time_ns < self.span.0 {
                    flow.before = row.forwarded;
                }
                continue;
            };
            flow.cwnd.add(column, row.cwnd as f32);
            if row.ssthresh < i32::MAX as u32 {
                flow.ssthresh[column] = row.ssthresh as f32;
            }
            if row.srtt_us8 > 0 {
                flow.srtt_ms[column] = row.srtt_us8 as f32 / 8e3;
            }
            flow.in_flight[column] = row.in_flight as f32;
            flow.forwarded[column] = row.forwarded;
        }
    }

    /// Adds samples of inner variables, in the order of time.
    pub fn add_inner(&mut self, rows: &[InnerRow]) {
        let count = self.count;
        // A sample has several rows.
        let (mut time_ns, mut column) = (0, self.column(0));
        for row in rows {
            if row.time_ns != time_ns {
                (time_ns, column) = (row.time_ns, self.column(row.time_ns));
            }
            let (Some(column), Some(place)) = (column, self.place(row.flow)) else { continue };
            let flow = &mut self.flows[place];
            let known = flow.inner.iter().position(|(name, _)| *name == row.name);
            let place = known.unwrap_or_else(|| {
                flow.inner.push((row.name, vec![f32::NAN; count]));
                flow.inner.len() - 1
            });
            flow.inner[place].1[column] = row.value as f32;
        }
    }

    /// Adds samples of links, in the order of time.
    pub fn add_queues(&mut self, rows: &[QueueRow]) {
        for row in rows {
            let column = self.column(row.time_ns);
            let (Some(column), Some(link)) = (column, self.links.get_mut(row.link as usize)) else {
                continue;
            };
            link.packets.add(column, row.packets as f32);
            link.bytes[column] = row.bytes as f32;
        }
    }

    /// Counts events.
    pub fn add_events(&mut self, rows: &[EventRow]) {
        for row in rows {
            let (Some(column), Some(place)) = (self.column(row.time_ns), self.place(row.flow)) else {
                continue;
            };
            let flow = &mut self.flows[place];
            let counted = match row.kind {
                EventKind::Drop(DropCause::Loss) => &mut flow.losses,
                EventKind::Drop(_) => &mut flow.drops,
                EventKind::Timeout => &mut flow.timeouts,
                // Linux's numbers of CWR, Recovery and Loss.
                EventKind::State if matches!(row.value, 2..=4) => &mut flow.reductions,
                _ => continue,
            };
            counted[column] += 1.0;
        }
    }

    /// What left the last link of the flow at a place in `numbers` in the `mean_ns` up to the end of each column, Mbit/s on the wire, of packets of so many bytes;
    /// not-a-number in columns before the first sample and behind the last.
    ///
    /// # Panics
    /// If no flow is at this place.
    #[must_use]
    pub fn rates_mbps(&self, place: usize, packet_bytes: u32, mean_ns: u64) -> Vec<f32> {
        let flow = &self.flows[place];
        let width_ns = (self.span.1 - self.span.0) as f64 / self.count as f64;
        let columns = ((mean_ns as f64 / width_ns).round() as usize).clamp(1, self.count);
        let (mut rates, mut so_far) = (vec![f32::NAN; self.count], Vec::with_capacity(self.count));
        let sampled = flow.forwarded.iter().rposition(|&packets| packets != NO_SAMPLE);
        let Some(sampled) = sampled else { return rates };
        let mut packets = flow.before;
        for (column, rate) in rates.iter_mut().enumerate().take(sampled + 1) {
            if flow.forwarded[column] != NO_SAMPLE {
                packets = flow.forwarded[column];
            }
            so_far.push(packets);
            let (span, earlier) = if column >= columns {
                (columns, so_far[column - columns])
            } else {
                (column + 1, flow.before)
            };
            let bits = (packets - earlier) as f64 * f64::from(packet_bytes) * 8.0;
            *rate = (bits * 1e3 / (span as f64 * width_ns)) as f32;
        }
        rates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(time_ns: u64, cwnd: u32, forwarded: u64) -> CwndRow {
        CwndRow {
            time_ns,
            flow: 0,
            cwnd,
            ssthresh: i32::MAX as u32,
            srtt_us8: 0,
            in_flight: 0,
            forwarded,
            delivered: 0,
            ca_state: 0,
        }
    }

    #[test]
    fn a_column_keeps_its_first_least_greatest_and_last_value() {
        let mut curves = Curves::new((0, 100), 2, vec![0], 0);
        curves.add_windows(&[
            window(0, 5, 0),
            window(10, 3, 0),
            window(20, 9, 0),
            window(49, 7, 0),
            window(100, 1, 0),
        ]);
        let cwnd = &curves.flows[0].cwnd;
        assert_eq!((cwnd.first[0], cwnd.min[0], cwnd.max[0], cwnd.last[0]), (5.0, 3.0, 9.0, 7.0));
        assert_eq!((cwnd.first[1], cwnd.last[1]), (1.0, 1.0), "the end belongs to the last column");
    }

    // 100 columns of 10 ms; 1000 packets of 1500 bytes a second are 12 Mbit/s.
    #[test]
    fn a_rate_is_what_left_over_the_time_it_is_averaged_over() {
        let ms = 1_000_000;
        let mut curves = Curves::new((0, 1000 * ms), 100, vec![0], 0);
        let rows: Vec<_> = (0..=500).map(|at| window(at * ms, 1, at)).collect();
        curves.add_windows(&rows);
        let rates = curves.rates_mbps(0, 1500, 100 * ms);
        // The first column ends at its last sample, after 9 of its 10 ms.
        assert!((rates[0] - 10.8).abs() < 1e-3, "{}", rates[0]);
        assert!(rates[20..50].iter().all(|rate| (rate - 12.0).abs() < 1e-3), "{rates:?}");
        assert!(rates[51..].iter().all(|rate| rate.is_nan()), "nothing was sampled there");
    }

    #[test]
    fn what_lies_outside_is_left_out_and_what_was_sent_before_is_known() {
        let mut curves = Curves::new((100, 200), 10, vec![0], 0);
        curves.add_windows(&[window(50, 2, 7), window(105, 3, 9), window(250, 4, 100)]);
        assert_eq!(curves.flows[0].cwnd.first[0], 3.0);
        // Two packets in the first 10 ns: 2 · 12 000 bits / 10 ns = 2 400 000 Mbit/s.
        assert_eq!(curves.rates_mbps(0, 1500, 10)[0], 2_400_000.0);
    }

    #[test]
    fn events_are_counted_by_what_they_are() {
        let mut curves = Curves::new((0, 100), 1, vec![0], 0);
        let event =
            |kind, value| EventRow { time_ns: 1, flow: 0, kind, link: None, value, cwnd: 0, ssthresh: 0 };
        let drop = EventKind::Drop(DropCause::Full);
        let loss = EventKind::Drop(DropCause::Loss);
        curves.add_events(&[
            event(drop, 9),
            event(drop, 9),
            event(loss, 9),
            event(EventKind::State, 3),
            event(EventKind::State, 0),
        ]);
        let flow = &curves.flows[0];
        assert_eq!(
            (flow.drops[0], flow.losses[0], flow.reductions[0], flow.timeouts[0]),
            (2.0, 1.0, 1.0, 0.0)
        );
    }
}
