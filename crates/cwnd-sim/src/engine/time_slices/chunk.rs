// SPDX-License-Identifier: MIT OR Apache-2.0
//! A chunk: flows that one thread runs at a time, with what they have sent.

use super::flow_slice::FlowSlice;
use super::line::{Arrival, OwnLine};
use super::outbox::{Burst, Common, Outbox, QueueOutcome};
use crate::engine::prefetch::prefetch;
use crate::network::Segment;
use crate::schedule::Entry;
use crate::tcp::FlowState;
use cwnd_link::NEVER;

/// Flows of a chunk; in debug builds few, so that small scenarios have several chunks.
pub(super) const CHUNK: usize = if cfg!(debug_assertions) { 2 } else { 32 };

/// A chunk of flows.
#[derive(Debug)]
pub(super) struct Chunk {
    /// Number of its first flow.
    first: u32,
    /// Time of each flow's next event, ns. For a transfer that has not started, the timers have it.
    next: Vec<u64>,
    /// The earliest of `next`, and the number of packets in the last time slice.
    pub earliest: u64,
    pub packets: u64,
    /// What the flows send in this time slice.
    pub sent: Outbox,
    /// What they sent in an earlier one, after its merge.
    pub merged: Outbox,
}

/// Divides this number of flows into chunks.
pub(super) fn chunks(flows: usize) -> Vec<Chunk> {
    let chunk = |first: usize| Chunk {
        first: first as u32,
        next: vec![NEVER; CHUNK.min(flows - first)],
        earliest: NEVER,
        packets: 0,
        sent: Outbox::default(),
        merged: Outbox::default(),
    };
    (0..flows).step_by(CHUNK).map(chunk).collect()
}

/// Time of the earliest next event of all flows, ns.
pub(super) fn earliest(chunks: &[Chunk]) -> u64 {
    chunks.iter().map(|chunk| chunk.earliest).min().unwrap_or(NEVER)
}

/// Sets the time of a flow's next event, ns.
pub(super) fn look_again(chunks: &mut [Chunk], flow: u32, next: u64) {
    let chunk = &mut chunks[flow as usize / CHUNK];
    chunk.next[flow as usize % CHUNK] = next;
    chunk.earliest = chunk.next.iter().copied().min().unwrap_or(NEVER);
}

impl Chunk {
    /// Whether its flows have outcomes to apply.
    pub fn has_pending_outcomes(&self) -> bool {
        !self.merged.bursts.is_empty()
    }

    /// For each flow, applies the outcomes of what it has sent, and runs its events before `limit` in the time slice that begins at
    /// `begin`, ns.
    pub fn work(
        &mut self,
        flows: &mut [FlowState],
        lines: &mut [OwnLine],
        common: Common<'_>,
        (begin, limit): (u64, Entry),
    ) {
        self.packets = 0;
        if self.earliest > limit.time && !self.has_pending_outcomes() {
            return;
        }
        let Self { first, next, earliest, packets, sent, merged } = self;
        *earliest = NEVER;
        sent.begin = begin;
        // An outbox without bursts has no outcomes.
        let first_outcome = if merged.bursts.is_empty() { 0 } else { merged.first_outcome as usize };
        let mut outcomes = &common.outcomes[first_outcome..];
        let mut bursts = merged.bursts.iter().peekable();
        for index in 0..flows.len() {
            if next.get(index + 1).is_some_and(|next| *next <= limit.time) {
                prefetch(&flows[index + 1]);
                lines[index + 1].prefetch();
            }
            let (flow, line) = (&mut flows[index], &mut lines[index]);
            let mut is_due = next[index] <= limit.time;
            while let Some(burst) = bursts.next_if(|burst| usize::from(burst.place) == index) {
                let (these, others) = outcomes.split_at(burst.count.into());
                outcomes = others;
                apply_burst_outcomes(flow, line, (merged, burst), these, common);
                is_due = true;
            }
            if is_due {
                let mut slice = FlowSlice::new(*first, index as u8, common, sent);
                next[index] = slice.run_until(flow, line, limit);
                *packets += slice.packets;
            }
            *earliest = next[index].min(*earliest);
        }
        merged.clear();
    }
}

/// Puts the segments of a burst that the link forwards on the flow's delay line, and counts those that it drops.
#[inline(always)]
fn apply_burst_outcomes(
    flow: &mut FlowState,
    line: &mut OwnLine,
    (outbox, burst): (&Outbox, &Burst),
    outcomes: &[QueueOutcome],
    Common { scenario, propagation, .. }: Common<'_>,
) {
    let delay = propagation + flow.to_next_event;
    let sent_us = ((outbox.begin + u64::from(burst.offset)) / 1000) as u32;
    let full = scenario.packet_size;
    let size = if burst.is_full { full } else { outbox.size(burst) };
    for (position, outcome) in (burst.first..).zip(outcomes) {
        match outcome.result() {
            Ok(departs) => {
                if scenario.measure.0 <= departs && departs < scenario.measure.1 {
                    flow.count_forwarded(size, full);
                }
                let segment = Segment { position: position as u32, sent_us };
                line.push(Arrival { due: departs.saturating_add(delay), segment });
            }
            Err(cause) => flow.count.dropped.count(cause),
        }
    }
}
