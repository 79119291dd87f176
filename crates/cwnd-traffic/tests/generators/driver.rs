// SPDX-License-Identifier: MIT OR Apache-2.0
//! A minimal engine for traffic generators: a queue of events, and transfers of given durations.

use cwnd_link::random::RandomStream;
use cwnd_scenario::HEADER_BYTES;
use cwnd_scenario::traffic::{Context, Traffic, read, source_stream, start_stream};
use cwnd_traffic::{LinkFacts, Load, SegmentSize, SourceEvent, TrafficGroup, TrafficSource, Transfer};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub const SEGMENT: SegmentSize = SegmentSize { payload: 1448, headers: HEADER_BYTES };
pub const LINK: LinkFacts = LinkFacts { rate: 400_000_000, segment: SEGMENT };
pub const SECOND: u64 = 1_000_000_000;

/// The groups of a document.
pub fn groups(toml: &str) -> Vec<Traffic> {
    let context = Context { duration: u64::MAX, payload: SEGMENT.payload };
    read(toml, &context).unwrap_or_else(|error| panic!("{error}\n{toml}"))
}

/// The one group with these keys.
pub fn group(keys: &str) -> TrafficGroup {
    TrafficGroup::new(&groups(&format!("[[traffic]]\n{keys}"))[0].group_config(), LINK)
}

/// A source with its random stream.
pub struct StreamedSource {
    state: TrafficSource,
    stream: RandomStream,
}

impl StreamedSource {
    pub fn next(&mut self, group: &TrafficGroup) -> SourceEvent {
        group.next(&mut self.state, &mut || self.stream.next_u64())
    }

    pub fn finished(&mut self, group: &TrafficGroup, now: u64) -> SourceEvent {
        group.finished(&mut self.state, now, &mut || self.stream.next_u64())
    }
}

/// The sources of a group, which is number `number` of its scenario.
pub fn sources(group: &TrafficGroup, seed: u64, number: u32) -> Vec<StreamedSource> {
    let mut random = start_stream(seed, number);
    let starts = group.starts(&mut || random.next_u64());
    (0..)
        .zip(starts)
        .map(|(index, at)| {
            let mut stream = source_stream(seed, number, index);
            StreamedSource { state: group.source(index, at, &mut || stream.next_u64()), stream }
        })
        .collect()
}

/// What one source announced, and in which order.
pub type SourceLog = Vec<Vec<SourceEvent>>;

enum TransferEvent {
    Starts(SourceEvent),
    Finishes,
}

/// Runs a group until `end`; `takes` says how long a transfer lasts. Load, and what each source announced.
pub fn run(group: &TrafficGroup, seed: u64, end: u64, takes: impl Fn(&Transfer) -> u64) -> (Load, SourceLog) {
    let mut sources = sources(group, seed, 0);
    let mut trace: SourceLog = vec![Vec::new(); sources.len()];
    let load = drive(group, &mut sources, end, takes, |source, event| trace[source].push(event));
    (load, trace)
}

/// The same without the trace, which long runs have no room for.
pub fn load(group: &TrafficGroup, seed: u64, end: u64, takes: impl Fn(&Transfer) -> u64) -> Load {
    drive(group, &mut sources(group, seed, 0), end, takes, |_, _| ())
}

fn drive(
    group: &TrafficGroup,
    sources: &mut [StreamedSource],
    end: u64,
    takes: impl Fn(&Transfer) -> u64,
    mut seen: impl FnMut(usize, SourceEvent),
) -> Load {
    let (mut load, mut order) = (Load::new((0, u64::MAX), SEGMENT), 0_u64);
    let mut queue = BinaryHeap::new();
    let mut pending: Vec<Option<SourceEvent>> = vec![None; sources.len()];
    let mut announce =
        |event: SourceEvent, source: usize, queue: &mut BinaryHeap<_>, order: &mut u64, last: u64| {
            let at = match event {
                SourceEvent::Start(transfer) => transfer.at,
                SourceEvent::Send(datagram) => datagram.at,
                SourceEvent::Wait | SourceEvent::Done => return None,
            };
            assert!(at >= last, "time goes back: {event:?} at {last}");
            seen(source, event);
            *order += 1;
            queue.push(Reverse((at, *order, source, true)));
            Some(event)
        };
    for (number, source) in sources.iter_mut().enumerate() {
        pending[number] = announce(source.next(group), number, &mut queue, &mut order, 0);
    }
    while let Some(Reverse((now, _, number, starts))) = queue.pop() {
        if now >= end {
            break;
        }
        let source = &mut sources[number];
        let what = if starts {
            TransferEvent::Starts(pending[number].take().expect("announced"))
        } else {
            TransferEvent::Finishes
        };
        let next = match what {
            TransferEvent::Starts(event) => {
                match event {
                    SourceEvent::Start(transfer) => {
                        load.started(now, &transfer);
                        order += 1;
                        if transfer.bytes.is_some() {
                            queue.push(Reverse((now + takes(&transfer), order, number, false)));
                        }
                    }
                    SourceEvent::Send(datagram) => load.sent(now, &datagram),
                    SourceEvent::Wait | SourceEvent::Done => unreachable!("not announced"),
                }
                source.next(group)
            }
            TransferEvent::Finishes => {
                let event = source.finished(group, now);
                assert!(
                    pending[number].is_none() || event == SourceEvent::Wait,
                    "a second start beside {:?}: {event:?}",
                    pending[number]
                );
                event
            }
        };
        if let Some(event) = announce(next, number, &mut queue, &mut order, now) {
            pending[number] = Some(event);
        }
    }
    load
}
