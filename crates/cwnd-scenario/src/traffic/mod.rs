// SPDX-License-Identifier: MIT OR Apache-2.0
//! Background traffic: `[[traffic]]`.
//!
//! A group is a [model](Model) with its parameters, parsed into the types of [`cwnd_traffic`]. [`PRESETS`] has named sets of parameters, each with its source; a key written next to `preset`
//! overrides the preset's. A scenario is printed with every key and without `preset`.
//!
//! ```toml
//! [[traffic]]                       # figure 4 of Leith, Shorten and McCullagh (2007)
//! preset = "leith2007-fig4"
//!
//! [[traffic]]                       # background at 10 % of the link, each way
//! preset = "ha2008"
//! share = 0.1
//!
//! [[traffic]]                       # ten files of 10 MB, one after the other
//! model = "sessions"
//! size = "10MB"
//! gap = "0s"
//! pages = 10
//!
//! [[traffic]]
//! model = "udp"
//! rate = "20Mbit/s"
//! on = { kind = "pareto", shape = 1.5, mean = "500ms" }
//! off = { kind = "exponential", mean = "500ms" }
//! ```
//!
//! **Senders** have the keys of a flow that say how its hosts work (`senders`), and the parameters of their algorithm:
//!
//! ```toml
//! [[traffic]]
//! preset = "ha2008"
//! cc = "cubic"                      # or all in one: cc = "cubic@beta=0.85,host=linux"
//! beta = 0.85
//! host = "linux"
//! ```
//!
//! **Sizes** are bytes of payload; `6packets` is 6 full payloads. **Window** is the receive window in bytes. **Round
//! trip times** are drawn per transfer by `mix` and once per session or flow by the others; without `rtt` they are
//! the path's own. `both` gives a `mix` one process per direction, each with the whole `share`, and lets sessions
//! alternate.
//!
//! **Directions.** In a dumbbell data goes `forward`, in `reverse`, or `both`; a reverse path that carries data is a link with a queue. In
//! a graph `from` and `to` name two nodes, and the route has the fewest links between them.

pub(crate) mod cdf;
mod flow_list;
mod formats;
mod parse;
mod presets;
mod print;
pub(crate) mod senders;
mod streams;
mod tables;
pub(crate) mod unit;

pub(crate) use parse::parse_list;
pub use parse::{Context, read};
pub use presets::{PRESETS, Preset};
pub use print::to_toml;
pub use streams::{clock_stream, overhead_stream, source_stream, start_stream};
pub use tables::Traffic;
pub(crate) use tables::form;
pub use unit::Unit;

use crate::flow_spec;
use crate::route::RouteSpec;
use cwnd_traffic::{Directions, GroupConfig, Model};
use serde_json::{Map, json};

impl Traffic {
    /// What the generators need of the group.
    #[must_use]
    pub const fn group_config(&self) -> GroupConfig<'_> {
        GroupConfig {
            model: &self.model,
            direction: self.direction,
            start: self.start,
            stop: self.stop,
            rtt: self.rtt.as_ref(),
            window: self.window,
        }
    }

    /// The routes of its data forward and in reverse.
    #[must_use]
    pub fn routes(&self) -> [RouteSpec; 2] {
        match &self.ends {
            None => [RouteSpec::Forward, RouteSpec::Reverse],
            Some((from, to)) => {
                [RouteSpec::Ends(from.clone(), to.clone()), RouteSpec::Ends(to.clone(), from.clone())]
            }
        }
    }

    /// The directions that it sends data in.
    #[must_use]
    pub const fn sends(&self) -> Directions {
        match self.model {
            Model::RequestResponse(_) => Directions::Both,
            _ => self.direction,
        }
    }

    /// Algorithm and settings of its senders, as a flow's text has them: `cubic@beta=0.85,host=linux`; empty for datagrams.
    #[must_use]
    pub fn senders_text(&self) -> String {
        if matches!(self.model, Model::Udp(_)) {
            return String::new();
        }
        let mut table = Map::from_iter([("cc".to_owned(), json!(self.sender.cc))]);
        table.extend(senders::print(&self.sender));
        // As numbers, where a document has texts.
        let params = self.sender.params.iter();
        table.extend(params.map(|(name, text)| (name.clone(), flow_spec::value(text))));
        flow_spec::print(&table).unwrap_or_else(|| self.sender.cc.clone())
    }
}
