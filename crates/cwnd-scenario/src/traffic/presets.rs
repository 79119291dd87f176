// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traffic presets: the parameters of the papers, by name. They are written as a scenario writes them, so that a key beside `preset`
//! overrides one of theirs.

/// A named set of keys of `[[traffic]]`.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// What it is.
    pub help: &'static str,
    /// The source of its parameters: which are from the paper, which are our choice, which are unverified.
    pub source: &'static str,
    /// The keys, as TOML.
    pub keys: &'static str,
}

/// All of them.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "leith2007",
        help: "web sessions: exponential gaps of 1 s, Pareto pages of 6 packets",
        source: "Leith, Shorten and McCullagh 2007, II.A: gap 1 s, shape 1.2, mean 6.0. The mean's unit is not stated; packets, because \
                 the smallest page is then exactly one (6 · 0.2/1.2). We read 'client side script' \
                 as: a gap begins when the page has arrived",
        keys: r#"
            model = "sessions"
            gap = { kind = "exponential", mean = "1s" }
            gap_from = "finish"
            size = { kind = "pareto", shape = 1.2, mean = "6packets" }
        "#,
    },
    Preset {
        name: "leith2007-fig4",
        help: "200 web sessions, 100 each way",
        source: "Leith, Shorten and McCullagh 2007, caption of figure 4; the rest as leith2007",
        keys: r#"
            model = "sessions"
            sessions = 200
            direction = "both"
            gap = { kind = "exponential", mean = "1s" }
            gap_from = "finish"
            size = { kind = "pareto", shape = 1.2, mean = "6packets" }
        "#,
    },
    Preset {
        name: "leith2007-fig6",
        help: "25 on-off sessions: exponential gaps of 10 s, Pareto transfers of 600 packets",
        source: "Leith, Shorten and McCullagh 2007, caption of figure 6; one way (not stated)",
        keys: r#"
            model = "sessions"
            sessions = 25
            gap = { kind = "exponential", mean = "10s" }
            gap_from = "finish"
            size = { kind = "pareto", shape = 1.2, mean = "600packets" }
        "#,
    },
    Preset {
        name: "ns2-web",
        help: "ns-2's example of web traffic: two sessions of ten pages",
        source: "ns-2.35, tcl/ex/web-traffic.tcl: pages of one object, gaps 1 s from a page's end (its default), objects 10 ms apart, \
                 sizes ParetoII with mean 10 packets and shape 1.2; sessions start at 0.1 and 0.2 s",
        keys: r#"
            model = "sessions"
            sessions = 2
            pages = 10
            start = { every = "100ms", from = "100ms" }
            gap = { kind = "exponential", mean = "1s" }
            gap_from = "finish"
            objects = 1
            object_gap = { kind = "exponential", mean = "10ms" }
            object_gap_from = "start"
            size = { kind = "pareto2", shape = 1.2, mean = "10packets" }
        "#,
    },
    Preset {
        name: "surge",
        help: "transfers with the file sizes of Surge, at a tenth of the link",
        source: "Barford and Crovella 1998: body lognormal(9.357, 1.318), 93 %; tail Pareto from 133 kB, shape 1.1. UNVERIFIED: the \
                 numbers are as commonly cited; the paper was not available. The median is e^9.357 B. OURS: the body ends where the tail \
                 begins; the share",
        keys: r#"
            model = "mix"
            share = 0.1
            size = { kind = "body-tail", median = "11580B", sigma = 1.318, tail_from = "133kB", tail_shape = 1.1, tail_share = 0.07 }
        "#,
    },
    Preset {
        name: "ha2008",
        help: "background at 15 % of the link each way: Surge with more medium-size flows, exponential RTTs, 64 KB windows",
        source: "Ha, Rhee and Xu 2008, 6.1: about 15 % both ways, 64 KB, RTTs from an exponential distribution (Aikat et al. 2003), Surge \
                 modified 'to generate a wider range of flow sizes'. OURS, because unstated there: 30 % of the flows in the tail instead of \
                 7 %, sizes up to 100 MB, RTTs of mean 100 ms within 1 ms and 1 s, standard TCP; its Iperf flows are left out (a group of long flows adds \
                 some). Surge's numbers UNVERIFIED as above",
        keys: r#"
            model = "mix"
            share = 0.15
            direction = "both"
            window = "65536B"
            rtt = { kind = "exponential", mean = "100ms", at_least = "1ms", at_most = "1s" }
            size = { kind = "body-tail", median = "11580B", sigma = 1.318, tail_from = "133kB", tail_shape = 1.1, tail_share = 0.3, at_most = "100MB" }
        "#,
    },
    Preset {
        name: "ns2-pareto-on-off",
        help: "ns-2's Pareto on-off source: 64 kbit/s in bursts",
        source: "ns-2.35, tcl/lib/ns-default.tcl: bursts and pauses of mean 500 ms, both Pareto with shape 1.5, 64 kbit/s, 210 bytes; \
                 ns-2 rounds a burst to whole packets",
        keys: r#"
            model = "udp"
            rate = "64kbit/s"
            packet_size = "210B"
            on = { kind = "pareto", shape = 1.5, mean = "500ms" }
            off = { kind = "pareto", shape = 1.5, mean = "500ms" }
        "#,
    },
];
