// SPDX-License-Identifier: MIT OR Apache-2.0
//! Background traffic: `[[traffic]]`.
//!
//! A group is a model with its parameters. [`PRESETS`] has named sets of parameters, each with its source; a key written next to `preset`
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
//! **Sizes** are bytes of payload; `6packets` is 6 full payloads. **Window** is the receive window in bytes. **Round
//! trip times** are drawn per transfer by `mix` and once per session or flow by the others; without `rtt` they are
//! the path's own. `both` gives a `mix` one process per direction, each with the whole `share`, and lets sessions
//! alternate.
//!
//! **Directions.** In a dumbbell data goes `forward`, in `reverse`, or `both`; a reverse path that carries data is a link with a queue. In
//! a graph `from` and `to` name two nodes, and the route has the fewest links between them.

mod cdf;
mod distribution;
mod kinds;
mod parse;
mod presets;
mod print;
pub(crate) mod unit;

pub use cdf::{CERTAIN, Cdf};
pub use distribution::{BodyTail, Distribution, Family, ONE, Parametric, Scale};
pub use kinds::{DistributionKind, KINDS};
pub(crate) use parse::parse_list;
pub use parse::{Context, read};
pub use presets::{PRESETS, Preset};
pub use print::to_toml;
pub use unit::Unit;

pub use crate::route::Directions;
use crate::route::RouteSpec;

/// A traffic group: sources with the same settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// Name, for display.
    pub name: String,
    /// Algorithm or parameter set of the transfers' senders.
    pub cc: String,
    /// Direction of the data.
    pub direction: Directions,
    /// In a graph, the nodes that it goes from and to in forward direction; `None` in a dumbbell.
    pub ends: Option<(String, String)>,
    /// When its sources start.
    pub start: Starts,
    /// No transfer starts and no datagram is sent at this time or later, ns.
    pub stop: Option<u64>,
    /// Round trip times, ns; `None` for the path's own.
    pub rtt: Option<Distribution>,
    /// Receive window, bytes.
    pub window: Option<u64>,
    /// What its sources do.
    pub model: Model,
}

impl Traffic {
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
}

/// When the sources of a group start, ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Starts {
    /// All at this time.
    At(u64),
    /// Each uniformly within this interval.
    Uniform(u64, u64),
    /// The first at `from`, each further one `gap` later.
    Every {
        /// Start of the first.
        from: u64,
        /// Distance.
        gap: u64,
    },
    /// A Poisson process that begins at `from`.
    Poisson {
        /// Where it begins.
        from: u64,
        /// Mean distance.
        gap: u64,
    },
}

/// What a gap is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapFrom {
    /// The start of the transfer before: no transfer waits for the end of another.
    Start,
    /// The end of the transfer before.
    Finish,
}

impl GapFrom {
    /// Its name in a scenario.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Finish => "finish",
        }
    }
}

/// What a source does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Model {
    /// Transfers without an end.
    Long {
        /// How many.
        flows: u32,
    },
    /// Sessions that fetch one page after another: the web, on–off sources, a sequence of files.
    Sessions(Sessions),
    /// Transfers that arrive independently of earlier ones: background traffic of a given load.
    Mix {
        /// How often.
        arrivals: Arrivals,
        /// Their sizes, bytes.
        size: Distribution,
    },
    /// A request in one direction, a response in the other, then a pause.
    RequestResponse(RequestResponse),
    /// Datagrams at a constant rate, all the time or in bursts.
    Udp(Udp),
}

/// See [`Model::Sessions`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sessions {
    /// How many sessions.
    pub sessions: u32,
    /// Pages per session; `None` for no limit.
    pub pages: Option<u64>,
    /// Pause before each page, ns.
    pub gap: Distribution,
    /// What it is counted from.
    pub gap_from: GapFrom,
    /// Objects per page; 0 counts as 1.
    pub objects: Distribution,
    /// Pause before each further object of a page, ns.
    pub object_gap: Distribution,
    /// What it is counted from.
    pub object_gap_from: GapFrom,
    /// Bytes of an object.
    pub size: Distribution,
    /// Whether a session's objects use one connection, one after another (only where gaps count from the finish).
    pub keep: bool,
}

/// How often transfers of [`Model::Mix`] arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// A Poisson process that offers this share of the link's rate, millionths, in each direction.
    Share(u64),
    /// With these gaps, ns, in each direction.
    Gap(Distribution),
}

/// See [`Model::RequestResponse`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestResponse {
    /// How many sessions.
    pub sessions: u32,
    /// Exchanges per session; `None` for no limit.
    pub exchanges: Option<u64>,
    /// Bytes of a request, which goes in the opposite of `direction`.
    pub request: Distribution,
    /// Bytes of a response.
    pub response: Distribution,
    /// Time from a request's end to its response's start, ns.
    pub server: Distribution,
    /// Pause before each request, ns.
    pub think: Distribution,
    /// Whether a session keeps its connection.
    pub keep: bool,
}

/// See [`Model::Udp`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Udp {
    /// How many sources.
    pub sources: u32,
    /// Rate of each while it sends, bits on the wire per second.
    pub rate: u64,
    /// Size of a datagram on the wire, bytes.
    pub packet_size: u32,
    /// Length of bursts and of the pauses before them, ns; `None` sends all the time.
    pub on_off: Option<(Distribution, Distribution)>,
}
