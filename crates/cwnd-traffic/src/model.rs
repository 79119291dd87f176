// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a group's sources do: its model with its parameters.

use crate::direction::Directions;
use crate::distribution::Distribution;
use std::sync::Arc;

/// A group of sources with the same settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupConfig<'a> {
    /// What its sources do.
    pub model: &'a Model,
    /// Direction of its data. Of [`Directions::Both`] a [`Model::Mix`] has one process per direction; other sources alternate.
    pub direction: Directions,
    /// When its sources start.
    pub start: Starts,
    /// No transfer starts and no datagram is sent from this time on, ns.
    pub stop: Option<u64>,
    /// Round trip time, ns, drawn per transfer by a [`Model::Mix`], else per source; `None`: the path's own.
    pub rtt: Option<&'a Distribution>,
    /// Receive window of its transfers, bytes.
    pub window: Option<u64>,
}

/// What a source does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Model {
    /// Transfers without an end.
    Long(Long),
    /// Sessions that fetch one page after another: the web, on-off sources, a sequence of files.
    Sessions(Sessions),
    /// Transfers that arrive independently of earlier ones: background traffic of a given load.
    Mix(Mix),
    /// A request in one direction, a response in the other, then a pause.
    RequestResponse(RequestResponse),
    /// Datagrams at a constant rate, all the time or in bursts.
    Udp(Udp),
    /// Transfers at listed times with listed sizes.
    List(FlowList),
}

/// See [`Model::List`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowList {
    /// When each transfer starts, ns after the group's start, and its size, bytes; in the order of time.
    pub list: Arc<[(u64, u64)]>,
}

/// See [`Model::Long`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Long {
    /// Number of transfers.
    pub flows: u32,
}

/// See [`Model::Sessions`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sessions {
    /// Number of sessions.
    pub sessions: u32,
    /// Pages per session; `None`: no limit.
    pub pages: Option<u64>,
    /// Pause before a page, ns.
    pub gap: Distribution,
    /// What of the page before `gap` is counted from.
    pub gap_from: GapFrom,
    /// Objects per page; 0 counts as 1.
    pub objects: Distribution,
    /// Pause before each further object, ns.
    pub object_gap: Distribution,
    /// What of the object before `object_gap` is counted from.
    pub object_gap_from: GapFrom,
    /// Size of an object, bytes.
    pub size: Distribution,
    /// One connection per session. Only where gaps count from the finish: transfers that overlap need connections of their own.
    pub keep: bool,
}

/// See [`Model::Mix`]. One of `share` and `arrivals` is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mix {
    /// Share of the link's rate that is offered in each direction, millionths; a Poisson process.
    pub share: Option<u64>,
    /// Gaps between arrivals, ns.
    pub arrivals: Option<Distribution>,
    /// Size of a transfer, bytes.
    pub size: Distribution,
}

/// See [`Model::RequestResponse`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestResponse {
    /// Number of sessions.
    pub sessions: u32,
    /// Exchanges per session; `None`: no limit.
    pub exchanges: Option<u64>,
    /// Size of a request, which goes in the opposite of the group's direction, bytes.
    pub request: Distribution,
    /// Size of a response, bytes.
    pub response: Distribution,
    /// Time from a request's end to its response, ns.
    pub server: Distribution,
    /// Pause before a request, ns.
    pub think: Distribution,
    /// One connection per session.
    pub keep: bool,
}

/// See [`Model::Udp`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Udp {
    /// Number of sources.
    pub sources: u32,
    /// Rate of each source while it sends, bits on the wire per second.
    pub rate: u64,
    /// Size of a datagram on the wire, bytes.
    pub packet_size: u32,
    /// Length of a burst, ns, with `off`; `None`: all the time.
    pub on: Option<Distribution>,
    /// Pause between two bursts, ns, with `on`.
    pub off: Option<Distribution>,
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
    /// Both.
    pub const ALL: [Self; 2] = [Self::Start, Self::Finish];

    /// Its name in a scenario.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Finish => "finish",
        }
    }
}

/// How often transfers of [`Model::Mix`] arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals<'a> {
    /// A Poisson process that offers this share of the link's rate, millionths, in each direction.
    Share(u64),
    /// With these gaps, ns, in each direction.
    Gap(&'a Distribution),
}

impl Mix {
    /// How often its transfers arrive.
    #[must_use]
    pub fn arrivals(&self) -> Arrivals<'_> {
        match &self.arrivals {
            Some(gaps) => Arrivals::Gap(gaps),
            None => Arrivals::Share(self.share.unwrap_or(0)),
        }
    }
}

impl Udp {
    /// Length of bursts and of the pauses before them; `None` sends all the time.
    #[must_use]
    pub fn on_off(&self) -> Option<(&Distribution, &Distribution)> {
        self.on.as_ref().zip(self.off.as_ref())
    }
}
