// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the hosts hold that a flow's key `host` names: values of its other keys, each with its source.
//!
//! A host replaces the defaults of a flow. A key that is written beside `host` wins over the host's value.
//! From this table follow the defaults, the pages `docs/reference/hosts`, `cwnd show NAME`, the list in an error message, the JSON schema and
//! the generator of the fuzzer.

use super::flow::{ACCESS_QUEUE, AccessLink, FlowGroup};
use super::host::Host;
use super::{Absent, Keyed};
use cwnd::registry::Recovery;

const MS: u64 = 1_000_000;

/// A value that a host gives a key of a flow.
#[derive(Clone, Debug)]
pub struct HostSetting {
    /// The key.
    pub key: &'static str,
    /// The value as a scenario has it; `None` where the key is as if it were not written.
    pub value: Option<serde_json::Value>,
    /// What holds without a value, in words.
    pub words: &'static str,
    /// Where the value is from.
    pub source: &'static str,
}

/// Declares the hosts: `key: value, source;` for each value, `key: reason;` for each key that it leaves alone, and what it had that no key has.
macro_rules! hosts {
    ($($variant:ident {
        $($key:ident: $value:expr, $source:literal;)+
    } leaves {
        $($open:ident: $why:literal;)+
    } lacks {
        $($lack:literal;)*
    })+) => {
        impl Host {
            /// Gives the keys of `group` its values.
            fn set(self, group: &mut FlowGroup) {
                match self { $(Self::$variant => { $(group.$key = $value;)+ })+ }
            }

            /// The keys that it sets, and where their values are from.
            const fn sources(self) -> &'static [(&'static str, &'static str)] {
                match self { $(Self::$variant => &[$((stringify!($key), $source)),+],)+ }
            }

            /// The keys of a host that it leaves as they are, and why.
            #[must_use]
            pub const fn leaves(self) -> &'static [(&'static str, &'static str)] {
                match self { $(Self::$variant => &[$((stringify!($open), $why)),+],)+ }
            }

            /// What it had that no key has.
            #[must_use]
            pub const fn lacks(self) -> &'static [&'static str] {
                match self { $(Self::$variant => &[$($lack),*],)+ }
            }
        }
    };
}

hosts! {
    Linux {
        recovery: Some(Recovery::Linux), "RFC 8985, RFC 9937; Linux: tcp_recovery = 1";
        initial_cwnd: 10, "RFC 6928; Linux: TCP_INIT_CWND";
        initial_ssthresh: None, "RFC 5681 §3.1; Linux: TCP_INFINITE_SSTHRESH";
        ack_every: 2, "RFC 5681 §4.2";
        ack_delay: 40 * MS, "Linux: TCP_DELACK_MIN, HZ/25";
        min_rto: 200 * MS, "Linux: TCP_RTO_MIN, HZ/5";
        limited_transmit: true, "RFC 3042";
        host_clock: Some(250), "Linux: CONFIG_HZ, the default of kernel/Kconfig.hz; the alternatives are 100Hz, 300Hz and 1000Hz. Timestamps have 1 ms at each";
        pacing: false, "Linux: only with the queue discipline fq, or by an algorithm that asks for it";
        handshake: Some(true), "RFC 9293 §3.5";
        idle_restart: true, "RFC 2861 §3; Linux: tcp_slow_start_after_idle = 1";
    } leaves {
        rwnd: "Linux grows it with the rate, up to tcp_rmem";
        overhead: "not known";
        access: "a property of the machine. TCP Small Queues keep its queue short";
        burst: "`gso` covers the bursts of segmentation offload; a limit in packets is not the same";
        gro: "a property of the machine: how long its interface delays interrupts (ethtool rx-usecs)";
    } lacks {
        "a receive window that grows with the data received: with `rwnd` unset, it opens like that of a 32 MiB buffer, and each segment is acknowledged meanwhile";
        "acknowledgements delayed by more than 40 ms, up to TCP_DELACK_MAX, 200 ms";
        "thresholds and round trips cached from earlier connections (tcp_no_metrics_save = 0)";
    }
    Rfc {
        recovery: Some(Recovery::SackPrr), "RFC 6675, RFC 9937: `rfc`";
        initial_cwnd: 10, "RFC 6928, experimental. RFC 5681 §3.1, standards track, has 3 for segments of 1448 bytes";
        initial_ssthresh: None, "RFC 5681 §3.1: arbitrarily high";
        ack_every: 2, "RFC 5681 §4.2, RFC 1122 §4.2.3.2";
        ack_delay: 500 * MS, "RFC 5681 §4.2, RFC 1122 §4.2.3.2: the maximum allowed";
        min_rto: 1000 * MS, "RFC 6298 §2.4: of the whole timeout, here above the smoothed RTT";
        limited_transmit: true, "RFC 3042";
        handshake: Some(true), "RFC 9293 §3.5";
        idle_restart: true, "RFC 5681 §4.1";
    } leaves {
        rwnd: "a property of the receiver";
        overhead: "no RFC has one";
        host_clock: "RFC 6298 §4 recommends 100 ms or finer, and names no value";
        access: "a property of the machine";
        pacing: "no RFC requires it";
        burst: "no RFC requires a limit";
        gro: "a property of the machine";
    } lacks {}
    Linux26 {
        recovery: Some(Recovery::SackPrr), "Linux: SACK with rate halving. The closest is its replacement, proportional rate reduction (RFC 6937 §1)";
        initial_cwnd: 3, "RFC 3390 §1 with segments of 1448 bytes (10 from 2.6.39 on)";
        initial_ssthresh: None, "RFC 5681 §3.1";
        ack_every: 2, "RFC 5681 §4.2";
        ack_delay: 40 * MS, "Linux: TCP_DELACK_MIN, HZ/25";
        min_rto: 200 * MS, "Linux: TCP_RTO_MIN, HZ/5";
        limited_transmit: true, "RFC 3042";
        host_clock: Some(250), "Linux: CONFIG_HZ, the default from 2.6.13 on (kernel/Kconfig.hz); the alternatives were 100Hz and 1000Hz";
        access: Some(AccessLink { rate: 1_000_000_000, queue: ACCESS_QUEUE }), "Leith et al. (2007), table I: 1 Gbit/s, txqueuelen 1000. Linux: ether_setup (100 in 2.4)";
        pacing: false, "Linux: none before 3.12";
        handshake: Some(true), "RFC 9293 §3.5";
        idle_restart: true, "RFC 5681 §4.1; Linux: tcp_slow_start_after_idle = 1";
    } leaves {
        rwnd: "Linux grows it with the rate, up to tcp_rmem; the papers raised that";
        overhead: "not known";
        burst: "after a recovery, Linux limits the window to the flight plus 3 segments; that does not limit bursts";
        gro: "a property of the machine. Generic merging came with 2.6.29; earlier, drivers had their own";
    } lacks {
        "after an idle time, half the window for each timeout, and a threshold of at least three quarters of it (RFC 2861 §3): here the window is reset";
        "rate halving itself: one segment sent per two acknowledged, until the window is half of the earlier flight";
        "local congestion: a full queue of the sender's own interface reduces the window at once (tcp_enter_cwr). Here the queue drops, and recovery repairs the loss";
        "quick acknowledgements";
        "undo of spurious reductions (D-SACK, F-RTO), and a reordering degree above three segments";
    }
    FreeBsd14 {
        recovery: Some(Recovery::SackPrr), "FreeBSD: net.inet.tcp.do_prr = 1 (RFC 6937), net.inet.tcp.sack.enable = 1";
        initial_cwnd: 10, "FreeBSD: net.inet.tcp.initcwnd_segments = 10";
        initial_ssthresh: None, "RFC 5681 §3.1";
        ack_every: 2, "RFC 5681 §4.2; FreeBSD: net.inet.tcp.delayed_ack = 1";
        ack_delay: 40 * MS, "FreeBSD: TCPTV_DELACK, hz/25 (hz/10 in earlier releases)";
        min_rto: 200 * MS, "FreeBSD: net.inet.tcp.rexmit_slop = 200, added to SRTT + 4 RTTVAR; the sum of these two is at least rexmit_min = 30 ms";
        limited_transmit: true, "FreeBSD: net.inet.tcp.rfc3042 = 1";
        host_clock: Some(1000), "FreeBSD: kern.hz = 1000; 100 in virtual machines";
        pacing: false, "FreeBSD: the default stack has none; the RACK stack does";
        handshake: Some(true), "RFC 9293 §3.5";
        idle_restart: true, "RFC 5681 §4.1; FreeBSD: after_idle of the algorithms";
    } leaves {
        rwnd: "FreeBSD grows it with the rate, up to net.inet.tcp.recvbuf_max";
        overhead: "not known";
        access: "a property of the machine";
        burst: "not known";
        gro: "a property of the machine: how long its interface delays interrupts. FreeBSD merges with tcp_lro";
    } lacks {
        "the slop added to the variation: here the timeout is SRTT plus the larger of 4 RTTVAR and 200 ms";
        "undo of a spurious timeout";
        "a slow start threshold of at least three quarters of the window after an idle time";
        "TSO";
    }
    Ns2 {
        recovery: Some(Recovery::SackPrr), "closest to Sack1's, which sends one segment for each that arrives: docs/results/host-ns-2.md";
        initial_cwnd: 2, "ns-2: windowInit_ 2";
        ack_every: 1, "ns-2: Agent/TCPSink/Sack1. With Agent/TCPSink/Sack1/DelAck 2";
        ack_delay: 100 * MS, "ns-2: Agent/TCPSink/Sack1/DelAck, interval_ 100ms; without effect while `ack_every` is 1";
        min_rto: 200 * MS, "ns-2: minrto_ 0.2, of the whole timeout, here above the smoothed RTT; 1 s in earlier versions";
        limited_transmit: true, "ns-2: singledup_ 1 (RFC 3042)";
        overhead: 0, "ns-2: overhead_ 0";
        host_clock: Some(1000), "ns-2: TCP-Linux has a tick of 1 ms; the other agents have tcpTick_ 0.01, 100Hz";
        access: None, "ns-2: a node sends into its link";
        pacing: false, "ns-2: none";
        burst: None, "ns-2: maxburst_ 0";
        gro: None, "ns-2: none";
        handshake: Some(true), "ns-2: syn_ true, a packet of 40 bytes a round trip ahead of the data";
        idle_restart: true, "ns-2: slow_start_restart_ true";
    } leaves {
        rwnd: "window_ is 20 packets, which scripts raise. As installed: rwnd = 20";
        initial_ssthresh: "ns-2 starts with window_";
    } lacks {
        "packets of 1000 bytes and 40 of headers: `packet_size` of the link";
        "Sack1's own count of packets in flight";
        "with TCP-Linux, the SYN makes the window start at one packet, and data do not wait for it";
    }
}

impl Host {
    /// Its values, in the order of the keys of a flow.
    #[must_use]
    pub fn settings(self) -> Vec<HostSetting> {
        let values = FlowGroup::on(Some(self)).print_keys();
        let setting = |key: super::Key| {
            let (_, source) = *self.sources().iter().find(|(name, _)| *name == key.name)?;
            let words = if let Absent::Words(words) = key.absent { words } else { "" };
            Some(HostSetting { key: key.name, value: values.get(key.name).cloned(), words, source })
        };
        FlowGroup::keys().into_iter().filter_map(setting).collect()
    }
}

impl FlowGroup {
    /// A group of its algorithm, set, host and stack without any other setting of its own.
    pub(crate) fn bare(&self) -> Self {
        let Self { cc, stack, route, .. } = self.clone();
        Self { cc, stack, route, ..Self::on(self.host) }
    }

    /// The defaults of a flow on this host, or on none.
    pub(crate) fn on(host: Option<Host>) -> Self {
        let mut group = Self { host, ..Self::defaults() };
        if let Some(host) = host {
            host.set(&mut group);
        }
        group
    }
}
