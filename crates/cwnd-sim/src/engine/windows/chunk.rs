// SPDX-License-Identifier: MIT OR Apache-2.0
//! A chunk: flows that one thread works off at a time, with what they have sent.

use super::line::{Arrival, OwnLine};
use super::outbox::{Burst, Common, Fate, Outbox};
use super::turn::Turn;
use crate::engine::prefetch::prefetch;
use crate::network::Segment;
use crate::schedule::Entry;
use crate::tcp::FlowState;
use cwnd_link::NEVER;

/// So many flows; in debug builds few, so that small scenarios have several chunks.
pub(super) const CHUNK: usize = if cfg!(debug_assertions) { 2 } else { 32 };

/// A chunk.
#[derive(Debug)]
pub(super) struct Chunk {
    /// Number of its first flow.
    first: u32,
    /// When each flow has its next event, ns; transfers that have not started have theirs among the timers.
    next: Vec<u64>,
    /// The earliest of `next`, and how many packets the last window had.
    pub earliest: u64,
    pub packets: u64,
    /// What the flows send in this window.
    pub sent: Outbox,
    /// What they sent in an earlier one, when that has been merged.
    pub merged: Outbox,
}

/// The chunks of so many flows.
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

/// When the first flow of all has its next event, ns.
pub(super) fn earliest(chunks: &[Chunk]) -> u64 {
    chunks.iter().map(|chunk| chunk.earliest).min().unwrap_or(NEVER)
}

/// A flow has its next event then, ns.
pub(super) fn look_again(chunks: &mut [Chunk], flow: u32, next: u64) {
    let chunk = &mut chunks[flow as usize / CHUNK];
    chunk.next[flow as usize % CHUNK] = next;
    chunk.earliest = chunk.next.iter().copied().min().unwrap_or(NEVER);
}

impl Chunk {
    /// Whether there is something for its flows that they have not taken yet.
    pub fn has_mail(&self) -> bool {
        !self.merged.bursts.is_empty()
    }

    /// Flow by flow takes what has become of what it has sent, and works off what comes before `limit` in a window from `begin` on, ns.
    pub fn work(
        &mut self,
        flows: &mut [FlowState],
        lines: &mut [OwnLine],
        common: Common<'_>,
        (begin, limit): (u64, Entry),
    ) {
        self.packets = 0;
        if self.earliest > limit.time && !self.has_mail() {
            return;
        }
        let Self { first, next, earliest, packets, sent, merged } = self;
        *earliest = NEVER;
        sent.begin = begin;
        // An outbox without bursts has no fates.
        let first_fate = if merged.bursts.is_empty() { 0 } else { merged.first_fate as usize };
        let mut fates = &common.fates[first_fate..];
        let mut bursts = merged.bursts.iter().peekable();
        for index in 0..flows.len() {
            if next.get(index + 1).is_some_and(|next| *next <= limit.time) {
                prefetch(&flows[index + 1]);
                lines[index + 1].prefetch();
            }
            let (flow, line) = (&mut flows[index], &mut lines[index]);
            let mut is_due = next[index] <= limit.time;
            while let Some(burst) = bursts.next_if(|burst| usize::from(burst.place) == index) {
                let (these, others) = fates.split_at(burst.count.into());
                fates = others;
                take_fates(flow, line, (merged, burst), these, common);
                is_due = true;
            }
            if is_due {
                let mut turn = Turn::new(*first, index as u8, common, sent);
                next[index] = turn.work_off(flow, line, limit);
                *packets += turn.packets;
            }
            *earliest = next[index].min(*earliest);
        }
        merged.clear();
    }
}

/// Puts the segments of a burst that the link sends on the flow's delay line, and counts the others.
#[inline(always)]
fn take_fates(
    flow: &mut FlowState,
    line: &mut OwnLine,
    (outbox, burst): (&Outbox, &Burst),
    fates: &[Fate],
    Common { scenario, propagation, .. }: Common<'_>,
) {
    let delay = propagation + flow.to_next_event;
    let sent_us = ((outbox.begin + u64::from(burst.offset)) / 1000) as u32;
    let full = scenario.packet_size;
    let size = if burst.is_full { full } else { outbox.size(burst) };
    for (position, fate) in (burst.first..).zip(fates) {
        match fate.result() {
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
