// SPDX-License-Identifier: MIT OR Apache-2.0
//! What running links are built from: the parts of `cwnd-link`, with all changes by actions. Finds the links of a route.

use crate::keys::KnownLinks;
use crate::keys::flow::AccessLink;
use crate::keys::link::LinkRate;
use crate::model::{ActionKind, STREAM_DELAY, STREAM_LOSS, STREAM_QUEUE, STREAMS_OF_A_LINK, Scenario};
use crate::route::{RouteSpec, route};
use crate::series::Series;
use cwnd_link::random::RandomStream;
use cwnd_link::{DelayConfig, FifoConfig, Limit, LinkConfig, QueueConfig, Rate, ServerConfig, Steps, Tick};
use std::collections::HashMap;

/// `first`, then the changes by actions. Of two changes at one time, the later in the list applies.
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

/// Delays less the jitter's mean, which the jitter adds again; 0 where an action or a series has a smaller delay.
fn less(delays: &Steps<u64>, mean: u64) -> Steps<u64> {
    let changes = delays.changes().iter().map(|&(at, delay)| (at, delay.saturating_sub(mean)));
    schedule(delays.at(0).saturating_sub(mean), changes)
}

impl AccessLink {
    /// The link: no delay, no random loss.
    #[must_use]
    pub fn link_config(self) -> LinkConfig {
        LinkConfig::queue_only(FifoConfig {
            rate: Rate::Constant(self.rate),
            limit: Steps::constant(Limit::Packets(self.queue)),
            queue: QueueConfig::DropTail,
        })
    }
}

impl Scenario {
    /// The links, in the order of their numbers.
    #[must_use]
    pub fn link_configs(&self) -> Vec<LinkConfig> {
        (0..self.links.len()).map(|number| self.link_config(number)).collect()
    }

    fn link_config(&self, number: usize) -> LinkConfig {
        let link = &self.links[number];
        let stream = |which| RandomStream::new(self.seed, number as u64 * STREAMS_OF_A_LINK + which);
        let is_link = |name: &String| *name == link.name;
        let actions = || self.actions.iter().map(|action| (action.at, &action.what));
        let rates = actions().filter_map(|(at, what)| match what {
            ActionKind::Rate(name, rate) if is_link(name) => Some((at, *rate)),
            _ => None,
        });
        let limits = actions().filter_map(|(at, what)| match what {
            ActionKind::Buffer(name, buffer) if is_link(name) => {
                Some((at, link.running_limit(*buffer, self.packet_size)))
            }
            _ => None,
        });
        let delays = actions().filter_map(|(at, what)| match what {
            ActionKind::Delay(name, delay) if is_link(name) => Some((at, *delay)),
            _ => None,
        });
        let rate = link.rate.as_ref().map(|rate| match rate {
            LinkRate::Constant(rate) => Rate::Steps(schedule(*rate, rates)),
            LinkRate::Steps(first, steps) => {
                let mut all: Vec<_> = steps.iter().copied().chain(rates).collect();
                all.sort_by_key(|step| step.0);
                Rate::Steps(schedule(*first, all.into_iter()))
            }
            LinkRate::Series(series, _) => Rate::Steps(self.series_steps(series, rates)),
            LinkRate::Trace(trace, _) => Rate::Trace(trace.clone()),
        });
        let server = match rate.zip(link.queue.as_ref()) {
            None => ServerConfig::NoRate(link.delay_limit),
            Some((rate, queue)) => {
                let limit: Limit = link.running_limit(queue.limit, self.packet_size);
                let discipline = link.discipline_config(&queue.discipline, self.packet_size);
                ServerConfig::new(discipline, rate, schedule(limit, limits), stream(STREAM_QUEUE))
            }
        };
        let propagation = match &link.delay.series {
            Some((series, _)) => self.series_steps(series, delays),
            None => schedule(link.delay.first, delays),
        };
        let delay = DelayConfig {
            propagation: match link.jitter.mean_within_delay() {
                0 => propagation,
                mean => less(&propagation, mean),
            },
            jitter: link.jitter.delay,
            overtaking: link.jitter.overtaking,
            reorder: link.reorder,
        };
        LinkConfig {
            server,
            loss: (link.loss.clone(), stream(STREAM_LOSS)),
            delay: (delay, stream(STREAM_DELAY)),
            tick: link.tick.map(Tick::every),
        }
    }

    /// The changes of a series, and those by actions, which hold until the next value of the series.
    fn series_steps(&self, series: &Series, actions: impl Iterator<Item = (u64, u64)>) -> Steps<u64> {
        let mut all: Vec<_> = series.changes(self.duration).chain(actions).collect();
        all.sort_by_key(|step| step.0);
        schedule(series.first(), all.into_iter())
    }

    /// Numbers of the links of a route, forward and reverse.
    ///
    /// # Panics
    /// When the route does not exist, which validation rules out.
    #[must_use]
    pub fn links_of(&self, route: &RouteSpec) -> (Vec<u32>, Vec<u32>) {
        let named = |names: &[String]| {
            let numbers: HashMap<&str, u32> =
                self.links.iter().zip(0..).map(|(link, number)| (link.name.as_str(), number)).collect();
            names
                .iter()
                .map(|name| *numbers.get(name.as_str()).expect("validated: the link exists"))
                .collect()
        };
        match (route, self.dumbbell) {
            (RouteSpec::Links(forward, reverse), _) => (named(forward), named(reverse)),
            (RouteSpec::Ends(from, to), _) => (
                self.route(from, to).expect("validated: there is a route"),
                self.route(to, from).unwrap_or_default(),
            ),
            (RouteSpec::Reverse, Some(dumbbell)) => (
                vec![dumbbell.reverse.expect("validated: the reverse path is a link")],
                vec![dumbbell.forward],
            ),
            (RouteSpec::Forward, Some(dumbbell)) => {
                (vec![dumbbell.forward], dumbbell.reverse.into_iter().collect())
            }
            _ => panic!("validated: a flow of a graph has ends"),
        }
    }

    /// The fewest links from one node to another; of several such paths, the one whose links come first in the scenario.
    #[must_use]
    pub fn route(&self, from: &str, to: &str) -> Option<Vec<u32>> {
        route(&self.links.ends(), from, to)
    }
}

#[cfg(test)]
mod tests {
    use crate::Scenario;

    //      a -> b -> c -> d, and the shorter a -> x -> d; no link leads to y
    #[test]
    fn a_route_is_the_fewest_links_and_of_two_alike_the_one_written_first() {
        let link = |name: &str, from: &str, to: &str| {
            format!(
                "[[link]]\nname = '{name}'\nfrom = '{from}'\nto = '{to}'\nrate = '1Mbit/s'\nqueue = {{ kind = 'droptail', limit = '9packets' }}\n"
            )
        };
        let text = format!(
            "duration = '1s'\n{}{}{}{}{}{}{}[[flow]]\ncc = 'cubic'\nfrom = 'a'\nto = 'd'\n",
            link("0", "a", "b"),
            link("1", "b", "c"),
            link("2", "c", "d"),
            link("3", "a", "x"),
            link("4", "x", "d"),
            link("5", "x", "d"),
            link("6", "y", "a"),
        );
        let scenario = Scenario::from_toml(&text).expect("good");
        assert_eq!(scenario.route("a", "d"), Some(vec![3, 4]));
        assert_eq!(scenario.route("a", "c"), Some(vec![0, 1]));
        assert_eq!(scenario.route("y", "d"), Some(vec![6, 3, 4]));
        for (from, to) in [("d", "a"), ("a", "y"), ("a", "a"), ("a", "nowhere")] {
            assert_eq!(scenario.route(from, to), None, "{from} to {to}");
        }
    }
}
