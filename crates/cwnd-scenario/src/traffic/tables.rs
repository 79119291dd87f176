// SPDX-License-Identifier: MIT OR Apache-2.0
//! The keys of `[[traffic]]`: those that every group has, and those of each model.

use super::flow_list::ListedFlows;
use super::formats::{Distributed, Ends, OfTransfers, RequiredDistribution, Share, StartTimes, Window};
use super::presets::PRESETS;
use super::senders;
use crate::keys::flow::FlowGroup;
use crate::keys::formats::{
    Count, Flag, IntegerRange, Named, Optional, OptionalDescribed, PacketSize, Rate, Required, Text, Time,
};
use crate::keys::{Absent, Form, Key, Keyed, Variants, keys, variants};
use cwnd_traffic::{
    Bounds, Directions, Distribution, Exponential, FlowList, GapFrom, Long, Mix, Model, ONE, Pareto,
    RequestResponse, Scale, Sessions, Starts, Udp,
};

/// Max number of sources of a group.
const MAX_SOURCES: u32 = 1_000_000;
/// Max number of pages or exchanges of a session.
const MAX_REPEATS: u64 = u64::MAX >> 1;
const DIRECTION: Named<Directions> =
    Named { all: &Directions::ALL, name: Directions::name, aliases: &[], or: " or " };
const GAP_FROM: Named<GapFrom> = Named { all: &GapFrom::ALL, name: GapFrom::name, aliases: &[], or: " or " };

keys! {
    /// A traffic group: sources with the same settings.
    pub struct Traffic {
        name: String = String::new(), OptionalDescribed(Text("a string"), "preset or model"), "",
            "name, for display", "";
        direction: Directions = Directions::Forward, DIRECTION, "",
            "direction of its data; in a graph, forward is from `from` to `to`. `both`: one process per direction for a `mix`, otherwise alternating", "";
        ends: Option<(String, String)> = None, Ends, "",
            "in a graph, the end nodes of the forward direction", "";
        start: Starts = Starts::At(0), StartTimes, "",
            "start of the sources: at one time; at random between two times; at equal intervals; as a Poisson process", "";
        stop: Option<u64> = None, Optional(Time, "never"), "ns",
            "no transfer starts and no datagram is sent from this time on", "";
        rtt: Option<Distribution> = None, Optional(OfTransfers(Distributed::Times), "the path's"), "ns",
            "round trip time (not of `udp`), drawn per transfer by a `mix`, else per source", "";
        window: Option<u64> = None, Optional(OfTransfers(Window), "no limit"), "bytes",
            "receive window (not of `udp`)", "";
    }
    also {
        /// Algorithm and hosts of its transfers, as a flow has them; the defaults for `udp`, which has none.
        sender: FlowGroup = senders::defaults();
        /// What its sources do.
        model: Model = Model::Long(Long::defaults());
    }
}

/// Whether datagrams have no use for this key.
pub(crate) fn is_of_transfers(key: &str) -> bool {
    ["rtt", "window"].contains(&key) || senders::OF_SENDERS.contains(&key)
}

/// The keys of a group, those of its senders too; `name` and `cc` come first.
fn group_keys() -> Vec<Key> {
    let (mut own, mut of_senders) = (Traffic::keys(), senders::keys());
    let rest = own.split_off(1);
    let others = of_senders.split_off(1);
    [own, of_senders, rest, others].concat()
}

variants! {
    impl Variants for Model {
        Long(Long) = "long", "transfers without an end";
        Sessions(Sessions) = "sessions", "sessions that fetch one page after another: the web, on-off sources, a sequence of files";
        Mix(Mix) = "mix", "transfers that arrive independently of earlier ones: background traffic of a given load";
        RequestResponse(RequestResponse) = "request-response", "a request in one direction, a response in the other, then a pause";
        Udp(Udp) = "udp", "datagrams at a constant rate, all the time or in bursts";
        List(FlowList) = "list", "transfers at listed times with listed sizes, from a file or written out";
    }
}

keys! {
    /// The key of a named set of parameters.
    fn preset {
        preset: Form::Choice(PRESETS.iter().map(|preset| preset.name).collect()), Absent::Words("none"), "",
            "a named set of parameters; other keys of the group override them", "";
    }
}

/// The forms of a group: by its model, or by a preset with any further keys.
pub(crate) fn form() -> Form {
    let common = [preset(), group_keys()].concat();
    let mut kinds = Model::kinds();
    let all = kinds.iter().flat_map(|kind| kind.keys.clone());
    let mut any: Vec<Key> = common.iter().cloned().chain(all).collect();
    any.push(Key { name: "model", form: Form::Choice(Model::NAMES.to_vec()), ..preset()[0].clone() });
    let any = any.into_iter().map(|key| match key.name {
        "preset" => Key { absent: Absent::Required, ..key },
        _ => Key { absent: Absent::Words("the preset's"), ..key },
    });
    for kind in &mut kinds {
        let has = |key: &&Key| kind.name != "udp" || !is_of_transfers(key.name);
        kind.keys = common.iter().filter(has).chain(&kind.keys).cloned().collect();
    }
    Form::Either(vec![Form::ByKind { key: "model", kinds, common: Vec::new() }, Form::Table(any.collect())])
}

keys! {
    impl Keyed for Long {
        flows = 1, Count(1, MAX_SOURCES), "",
            "number of transfers, which never end", "";
    }
}

keys! {
    impl Keyed for Sessions {
        sessions = 1, Count(1, MAX_SOURCES), "",
            "number of sessions", "";
        pages = None, Optional(IntegerRange(1, MAX_REPEATS), "no limit"), "",
            "pages per session", "";
        gap = leith_gap(), Distributed::Times, "ns",
            "pause before a page", "Leith, Shorten and McCullagh 2007, II.A";
        gap_from = GapFrom::Finish, GAP_FROM, "",
            "event of the previous page that it is counted from", "";
        objects = Distribution::Constant(1), Distributed::Counts, "",
            "objects per page; 0 counts as 1", "";
        object_gap = Distribution::Constant(0), Distributed::Times, "ns",
            "pause before each further object", "";
        object_gap_from = GapFrom::Finish, GAP_FROM, "",
            "event of the previous object that it is counted from", "";
        size = leith_size(0),
            OptionalDescribed(Distributed::Sizes, "Pareto, shape 1.2, mean 6 packets"), "bytes",
            "size of an object", "Leith, Shorten and McCullagh 2007, II.A";
        keep = false, Flag, "",
            "one connection per session (only if gaps count from the finish)", "";
    }
}

/// Exponential, mean 1 s.
fn leith_gap() -> Distribution {
    Distribution::Exponential(Exponential { mean: 1_000_000_000, bounds: Bounds::default() })
}

/// Pareto, shape 1.2, mean 6 packets of this payload.
pub(super) fn leith_size(payload: u64) -> Distribution {
    Distribution::Pareto(Pareto { shape: 1_200_000, minimum: Scale::Mean(6 * payload), at_most: None })
}

keys! {
    impl Keyed for Mix {
        share = None, Optional(Share(1, 10 * ONE), "this or `arrivals`"), "millionths",
            "offered load in each direction, as a share of the rate of the first link on the path (for `both`, the forward path); a Poisson process", "";
        arrivals = None, Optional(Distributed::Times, "this or `share`"), "ns",
            "gaps between arrivals", "";
        size = Distribution::Constant(0), RequiredDistribution(Distributed::Sizes), "bytes",
            "size of a transfer", "";
    }
}

keys! {
    impl Keyed for FlowList {
        list = [].into(), ListedFlows, "",
            "transfers: start of each, after the group's `start`, and its size", "";
    }
}

keys! {
    impl Keyed for RequestResponse {
        sessions = 1, Count(1, MAX_SOURCES), "",
            "number of sessions", "";
        exchanges = None, Optional(IntegerRange(1, MAX_REPEATS), "no limit"), "",
            "exchanges per session", "";
        request = Distribution::Constant(0), RequiredDistribution(Distributed::Sizes), "bytes",
            "size of a request, sent opposite to `direction`", "";
        response = Distribution::Constant(0), RequiredDistribution(Distributed::Sizes), "bytes",
            "size of a response", "";
        server = Distribution::Constant(0), Distributed::Times, "ns",
            "time from a request's end to its response", "";
        think = Distribution::Constant(0), Distributed::Times, "ns",
            "pause before a request", "";
        keep = true, Flag, "",
            "one connection per session", "";
    }
}

keys! {
    impl Keyed for Udp {
        sources = 1, Count(1, MAX_SOURCES), "",
            "number of sources", "";
        rate = 0, Required(Rate), "bit/s",
            "rate of each source while it sends, on the wire", "";
        packet_size = 1500, PacketSize(28, 64_000), "bytes",
            "size of a datagram on the wire", "";
        on = None, Optional(Distributed::Times, "always"), "ns",
            "length of a burst, with `off`", "";
        off = None, Optional(Distributed::Times, "never"), "ns",
            "pause between two bursts, with `on`", "";
    }
}
