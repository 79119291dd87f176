// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a scenario's links are to an engine: pieces of `cwnd-link`, with everything that happens to them at given times.

use crate::model::{
    LinkRate, Route, STREAM_DELAY, STREAM_LOSS, STREAM_QUEUE, STREAMS_OF_A_LINK, Scenario, What,
};
use cwnd_link::random::Stream;
use cwnd_link::{DelaySpec, FifoSpec, Limit, Loss, Rate, Steps};
use std::collections::VecDeque;

/// A link, ready to run.
#[derive(Clone, Debug)]
pub struct Hop {
    /// Queue and wire, and what the queue draws from.
    pub fifo: (FifoSpec, Stream),
    /// Losses beside the queue's.
    pub loss: (Loss, Stream),
    /// From departure to the other end.
    pub delay: (DelaySpec, Stream),
}

/// `first` and the changes that actions make from then on; two at one time: the later in the list.
fn schedule<T: Copy>(first: T, changes: impl Iterator<Item = (u64, T)>) -> Steps<T> {
    let (mut first, mut list) = (first, Vec::<(u64, T)>::new());
    for (at, value) in changes {
        match list.last_mut() {
            _ if at == 0 => first = value,
            Some(last) if last.0 == at => last.1 = value,
            _ => list.push((at, value)),
        }
    }
    Steps::new(first, list).expect("validated: actions are in the order of time")
}

impl Scenario {
    /// The links, in the order of their numbers.
    #[must_use]
    pub fn hops(&self) -> Vec<Hop> {
        (0..self.links.len()).map(|number| self.hop(number)).collect()
    }

    fn hop(&self, number: usize) -> Hop {
        let link = &self.links[number];
        let stream = |which| Stream::new(self.seed, number as u64 * STREAMS_OF_A_LINK + which);
        let of = |name: &String| *name == link.name;
        let acts = || self.actions.iter().map(|action| (action.at, &action.what));
        let rates = acts().filter_map(|(at, what)| match what {
            What::Rate(name, rate) if of(name) => Some((at, *rate)),
            _ => None,
        });
        let limits = acts().filter_map(|(at, what)| match what {
            What::Buffer(name, buffer) if of(name) => Some((at, link.threshold(*buffer, self.packet_size))),
            _ => None,
        });
        let delays = acts().filter_map(|(at, what)| match what {
            What::Delay(name, delay) if of(name) => Some((at, *delay)),
            _ => None,
        });
        let rate = match &link.rate {
            LinkRate::Constant(rate) => Rate::Steps(schedule(*rate, rates)),
            LinkRate::Steps(first, steps) => {
                let mut all: Vec<_> = steps.iter().copied().chain(rates).collect();
                all.sort_by_key(|step| step.0);
                Rate::Steps(schedule(*first, all.into_iter()))
            }
            LinkRate::Trace(trace, _) => Rate::Trace(trace.clone()),
        };
        let limit: Limit = link.threshold(link.buffer, self.packet_size);
        let fifo = FifoSpec { rate, limit: schedule(limit, limits), queue: link.queue(self.packet_size) };
        let delay = DelaySpec {
            propagation: schedule(link.delay, delays),
            jitter: link.jitter,
            overtaking: link.overtaking,
            reorder: link.reorder,
        };
        Hop {
            fifo: (fifo, stream(STREAM_QUEUE)),
            loss: (link.loss.clone(), stream(STREAM_LOSS)),
            delay: (delay, stream(STREAM_DELAY)),
        }
    }

    /// Numbers of the links of a route, there and back.
    ///
    /// # Panics
    /// When the route does not exist, which validation rules out.
    #[must_use]
    pub fn links_of(&self, route: &Route) -> (Vec<u32>, Vec<u32>) {
        let named = |names: &Vec<String>| names.iter().map(|name| self.link_number(name)).collect();
        match (route, self.dumbbell) {
            (Route::Links(there, back), _) => (named(there), named(back)),
            (Route::Ends(from, to), _) => (
                self.route(from, to).expect("validated: there is a way"),
                self.route(to, from).unwrap_or_default(),
            ),
            (Route::Reverse, Some(ways)) => {
                (vec![ways.reverse.expect("validated: the way back is a link")], vec![ways.forward])
            }
            (Route::Forward, Some(ways)) => (vec![ways.forward], ways.reverse.into_iter().collect()),
            _ => panic!("validated: a flow of a graph has ends"),
        }
    }

    fn link_number(&self, name: &str) -> u32 {
        self.links.iter().position(|link| link.name == name).expect("validated: the link exists") as u32
    }

    /// The links from one node to another, the fewest; of several such ways the one whose links come first in the scenario.
    #[must_use]
    pub fn route(&self, from: &str, to: &str) -> Option<Vec<u32>> {
        let mut via: Vec<Option<Vec<u32>>> = vec![None; self.links.len()];
        let mut open: VecDeque<(&str, Vec<u32>)> = VecDeque::from([(from, Vec::new())]);
        while let Some((node, so_far)) = open.pop_front() {
            if node == to && !so_far.is_empty() {
                return Some(so_far);
            }
            for (number, link) in self.links.iter().enumerate() {
                if link.from == node && via[number].is_none() {
                    let mut there = so_far.clone();
                    there.push(number as u32);
                    via[number] = Some(there.clone());
                    open.push_back((&link.to, there));
                }
            }
        }
        None
    }
}
