// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of keywords: what `cwnd compare`, `cwnd.compare` and `cwnd.dumbbell` call the settings of one bottleneck.

use super::{Group, Keyword, KeywordDefault, OptionForm, Place};

/// A row with what most rows have.
const ROW: Keyword = Keyword {
    name: "",
    place: Place::Document,
    default: KeywordDefault::Nothing,
    option: OptionForm::None,
    help: "",
    option_help: "",
    metavar: "",
    group: Group::Time,
    axis: "",
    in_shell: false,
    in_parking_lot: false,
    python: "str | None",
    python_help: "",
};

use Group::{Link, Queue, Records};
use KeywordDefault::{Scenarios, Written};
use OptionForm::{Flag, Names, Number, Pair, Tables, Text};

/// All keywords, but for `flows` and the queue disciplines, which are called by their names.
pub const KEYWORDS: &[Keyword] = &[
    Keyword {
        name: "rate",
        place: Place::Link,
        default: Written("100Mbit/s"),
        option: Text,
        help: "Rate of the link, counting whole IP packets; none: no rate and no queue.",
        group: Link,
        axis: "10Mbit/s,100Mbit/s",
        in_shell: true,
        in_parking_lot: true,
        python: "Rate | None",
        python_help: "A string, steps, a trace or a series.",
        metavar: "RATE",
        ..ROW
    },
    Keyword {
        name: "rtt",
        place: Place::Link,
        default: Written("40ms"),
        option: Text,
        help: "Round trip time without queueing; a flow may have its own.",
        group: Link,
        axis: "10ms,40ms",
        in_shell: true,
        in_parking_lot: true,
        metavar: "TIME",
        ..ROW
    },
    Keyword {
        name: "buffer",
        place: Place::Limit,
        default: Written("1bdp"),
        option: Text,
        help: "Limit of the queue, such as 1bdp, '0.1bdp, at least 4packets', 1000packets, 500kB or 50ms.",
        group: Link,
        axis: "0.5bdp,100packets",
        in_shell: true,
        in_parking_lot: true,
        metavar: "SIZE",
        ..ROW
    },
    Keyword {
        name: "loss",
        place: Place::Link,
        option: Text,
        help: "Random or scheduled losses on the link, in addition to the queue's drops: every:1000 (or every:1000,FIRST), random:0.001, gilbert:P,R,1-K,1-H, \
               gemodel:P,R,1-H,1-K (the order of tc netem) or at:5000,9000.",
        group: Link,
        axis: "{random:0.001,random:0.01}",
        metavar: "LOSS",
        in_shell: true,
        in_parking_lot: true,
        python: "str | Mapping[str, Value] | None",
        python_help: "A string, or a table of `gemodel`.",
        ..ROW
    },
    Keyword {
        name: "jitter",
        place: Place::Link,
        option: Text,
        help: "Random extra delay, uniform from 0 to this, without reordering.",
        metavar: "TIME",
        group: Link,
        axis: "1ms,5ms",
        in_shell: true,
        python: "str | Mapping[str, Value] | None",
        python_help: "A string, or a table of its keys.",
        ..ROW
    },
    Keyword {
        name: "packet_size",
        default: Scenarios("1500B"),
        option: Text,
        help: "Size of a data packet on the wire.",
        group: Link,
        axis: "576B,1500B",
        metavar: "SIZE",
        ..ROW
    },
    Keyword {
        name: "reverse",
        place: Place::Link,
        option: Flag,
        help: "Make the reverse path a link with the same rate and queue.",
        option_help: "Flows use it with @direction=reverse.",
        group: Link,
        in_parking_lot: true,
        python: "bool | Mapping[str, Value]",
        python_help: "`True`, or the keys of that link.",
        ..ROW
    },
    Keyword {
        name: "ecn",
        place: Place::Ecn,
        option: Flag,
        help: "The queue discipline marks what it would drop, and flows negotiate ECN.",
        option_help: "Flows with @ecn=false do not; background traffic does only with ecn = true.",
        group: Queue,
        python: "bool",
        ..ROW
    },
    Keyword {
        name: "duration",
        default: Written("60s"),
        option: Text,
        help: "Simulated time.",
        python: "str",
        metavar: "TIME",
        ..ROW
    },
    Keyword {
        name: "measure",
        option: Pair,
        help: "Measured interval of the summary.",
        option_help: "[default: the last four fifths; the whole run if every flow has a size]",
        metavar: "FROM..TO",
        python: "tuple[str, str] | None",
        python_help: "From and to.",
        ..ROW
    },
    Keyword {
        name: "seed",
        default: Scenarios("1"),
        option: Number,
        help: "Random seed; with several seeds, the first one.",
        metavar: "N",
        in_shell: true,
        python: "int | str",
        ..ROW
    },
    Keyword {
        name: "traffic",
        place: Place::Tables("traffic"),
        option: Tables,
        help: "Background traffic: leith2007, leith2007-fig4, leith2007-fig6, ha2008, surge, ns2-web, ns2-pareto-on-off; or keys as in a \
               file: 'model = \"udp\", rate = \"5Mbit/s\"', 'preset = \"ha2008\", cc = \"cubic@beta=0.85\"'.",
        option_help: "Its senders accept cc (default sack), host and other keys of a flow. May be repeated.",
        metavar: "PRESET|KEYS",
        python: "Iterable[str | Mapping[str, object]]",
        python_help: "Names of presets, or tables of keys.",
        ..ROW
    },
    Keyword {
        name: "delay",
        place: Place::Link,
        help: "One-way propagation delay of the link.",
        group: Link,
        in_parking_lot: true,
        python: "str | Mapping[str, Value] | None",
        python_help: "A string, or a series, `{\"series\": file}`.",
        ..ROW
    },
    Keyword {
        name: "delay_limit",
        place: Place::Link,
        help: "Max packets at once on a link without a rate, as with tc netem's limit.",
        group: Link,
        python_help: "`\"300packets\"`.",
        ..ROW
    },
    Keyword {
        name: "reorder",
        place: Place::Link,
        help: "Packets with extra delay, which later ones overtake.",
        group: Link,
        python: "Mapping[str, Value] | None",
        python_help: "`{\"share\": 0.01, \"extra\": \"10ms\"}`.",
        ..ROW
    },
    Keyword {
        name: "tick",
        place: Place::Link,
        help: "Packets move only at multiples of this time, as in dummynet.",
        group: Link,
        python_help: "`\"1ms\"`.",
        ..ROW
    },
    Keyword {
        name: "count_in_service",
        place: Place::Link,
        help: "Whether the buffer counts the packet being sent, as dummynet's does.",
        group: Link,
        python: "bool | None",
        ..ROW
    },
    Keyword {
        name: "interval",
        place: Place::Record("interval"),
        default: Scenarios("100ms"),
        option: Text,
        help: "Time between the samples in the tables.",
        group: Records,
        metavar: "TIME",
        ..ROW
    },
    Keyword {
        name: "per_ack",
        place: Place::Record("per_ack"),
        option: Flag,
        help: "Write a row of the table cwnd at every acknowledgement.",
        group: Records,
        python: "bool",
        ..ROW
    },
    Keyword {
        name: "inner",
        place: Place::Record("inner"),
        option: Flag,
        help: "Record the algorithms' inner variables, in the table inner.",
        group: Records,
        python: "bool | list[str]",
        python_help: "All, or by name.",
        ..ROW
    },
    Keyword {
        name: "record_flows",
        place: Place::Record("flows"),
        default: Scenarios("all"),
        option: Names,
        help: "Flows to sample: all, none, or names and numbers, such as 'cubic 1,reno,7'.",
        metavar: "LIST",
        group: Records,
        python: "str | list[str | int] | None",
        python_help: "A word, or a list of names and numbers.",
        ..ROW
    },
    Keyword {
        name: "record_limit",
        place: Place::Record("limit"),
        default: Scenarios("2GB"),
        option: Text,
        help: "Limit on the expected size of tables and captures; none: no limit.",
        metavar: "SIZE",
        group: Records,
        ..ROW
    },
    Keyword {
        name: "record_packets",
        place: Place::Record("packets"),
        help: "Hosts whose packets are captured.",
        group: Records,
        python_help: "`\"senders\"`, `\"receivers\"` or `\"both\"`.",
        ..ROW
    },
    Keyword {
        name: "snap_length",
        place: Place::Record("snap_length"),
        help: "Bytes that a capture keeps of each packet.",
        group: Records,
        python_help: "`\"80B\"`.",
        ..ROW
    },
    Keyword {
        name: "live",
        help: "Host settings in lane live.",
        python: "Mapping[str, object] | None",
        python_help: "Keys of `[live]`, such as `{\"sack\": False}`.",
        ..ROW
    },
    Keyword {
        name: "actions",
        place: Place::Tables("action"),
        help: "Changes at given times.",
        python: "Iterable[Mapping[str, object]]",
        python_help: "Tables such as `{\"switch\": {\"flow\": \"cubic 1\", \"at\": \"20s\", \"cc\": \"sack\"}}`.",
        ..ROW
    },
    Keyword { name: "name", help: "Name of the scenario, shown in pictures.", python: "str", ..ROW },
];
