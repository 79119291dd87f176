// SPDX-License-Identifier: MIT OR Apache-2.0
//! The smallest engine that traffic needs: a queue of events, and transfers that take as long as they are told to.

use cwnd_scenario::traffic::{Context, Traffic, read};
use cwnd_sim::traffic::{Event, Group, LinkFacts, Load, Transfer};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

pub const LINK: LinkFacts = LinkFacts { rate: 400_000_000, mss: 1448 };
pub const SECOND: u64 = 1_000_000_000;

/// The groups of a document.
pub fn groups(toml: &str) -> Vec<Traffic> {
    let context = Context { duration: u64::MAX, payload: LINK.mss };
    read(toml, &context).unwrap_or_else(|error| panic!("{error}\n{toml}"))
}

/// The one group with these keys.
pub fn group(keys: &str) -> Group {
    Group::new(&groups(&format!("[[traffic]]\n{keys}"))[0], LINK)
}

/// What one source announced, and in which order.
pub type Trace = Vec<Vec<Event>>;

enum What {
    Starts(Event),
    Finishes,
}

/// Runs a group until `end`; `takes` says how long a transfer lasts. Load, and what each source announced.
pub fn run(group: &Group, seed: u64, end: u64, takes: impl Fn(&Transfer) -> u64) -> (Load, Trace) {
    let mut sources = group.sources(seed, 0);
    let mut trace: Trace = vec![Vec::new(); sources.len()];
    let load = drive(group, &mut sources, end, takes, |source, event| trace[source].push(event));
    (load, trace)
}

/// The same without the trace, which long runs have no room for.
pub fn load(group: &Group, seed: u64, end: u64, takes: impl Fn(&Transfer) -> u64) -> Load {
    drive(group, &mut group.sources(seed, 0), end, takes, |_, _| ())
}

fn drive(
    group: &Group,
    sources: &mut [cwnd_sim::traffic::Source],
    end: u64,
    takes: impl Fn(&Transfer) -> u64,
    mut seen: impl FnMut(usize, Event),
) -> Load {
    let (mut load, mut order) = (Load::default(), 0_u64);
    let mut queue = BinaryHeap::new();
    let mut pending: Vec<Option<Event>> = vec![None; sources.len()];
    let mut announce =
        |event: Event, source: usize, queue: &mut BinaryHeap<_>, order: &mut u64, last: u64| {
            let at = match event {
                Event::Start(transfer) => transfer.at,
                Event::Send(packet) => packet.at,
                Event::Wait | Event::Done => return None,
            };
            assert!(at >= last, "time goes back: {event:?} at {last}");
            seen(source, event);
            *order += 1;
            queue.push(Reverse((at, *order, source, true)));
            Some(event)
        };
    for (number, source) in sources.iter_mut().enumerate() {
        pending[number] = announce(group.next(source), number, &mut queue, &mut order, 0);
    }
    while let Some(Reverse((now, _, number, starts))) = queue.pop() {
        if now >= end {
            break;
        }
        let source = &mut sources[number];
        let what =
            if starts { What::Starts(pending[number].take().expect("announced")) } else { What::Finishes };
        let next = match what {
            What::Starts(event) => {
                match event {
                    Event::Start(transfer) => {
                        load.started(&transfer, LINK.mss, true);
                        order += 1;
                        if transfer.bytes.is_some() {
                            queue.push(Reverse((now + takes(&transfer), order, number, false)));
                        }
                    }
                    Event::Send(packet) => load.sent(&packet, true),
                    Event::Wait | Event::Done => unreachable!("not announced"),
                }
                group.next(source)
            }
            What::Finishes => {
                let event = group.finished(source, now);
                assert!(
                    pending[number].is_none() || event == Event::Wait,
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
