// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the hosts of a run are set to: what its scenario's `[live]` and its flows' `gso` say; and the parameters of the kernel's modules, which are the machine's.

use cwnd_scenario::{LiveSpec, Metrics, Scenario};

/// What the timestamps of each packet take of its headers, bytes.
const TIMESTAMPS: u32 = 12;

/// Settings of a host.
#[derive(Clone, Debug, Default)]
pub struct HostSettings {
    /// Names and values of the kernel's settings, below /proc/sys/net.
    pub of_kernel: Vec<(&'static str, String)>,
    /// Segments that its device takes at once; `None`: as many as it is made for.
    pub gso_max_segs: Option<u32>,
}

impl HostSettings {
    /// Those of both hosts of a scenario.
    #[must_use]
    pub fn of(scenario: &Scenario) -> Self {
        let one_by_one = scenario.flows.iter().any(|group| group.gso == Some(false));
        // All of them agree: others were refused.
        let asks_for_ecn = scenario.flows.iter().any(|group| group.ecn)
            || scenario.traffic.iter().any(|traffic| traffic.sender.ecn);
        let mut of_kernel = of_kernel(&scenario.live);
        of_kernel.push(("ipv4/tcp_ecn", u32::from(asks_for_ecn).to_string()));
        Self { of_kernel, gso_max_segs: one_by_one.then_some(1) }
    }
}

// The values are those of Linux's Documentation/networking/ip-sysctl.rst.
fn of_kernel(live: &LiveSpec) -> Vec<(&'static str, String)> {
    // Without `..`: a new key is looked at here.
    let LiveSpec {
        sack,
        dsack,
        timestamps,
        adaptive_reordering,
        tail_loss_probe,
        frto,
        metrics,
        receive_buffer,
        send_buffer,
    } = live;
    let (begin, max) = (receive_buffer.begin, receive_buffer.max);
    let flag = |on: bool| u32::from(on).to_string();
    // Connections that end in order, and whose end nobody answers as the run was killed: they hold an algorithm no longer than for a timeout or two.
    let orphans = (*metrics != Metrics::Nothing).then(|| ("ipv4/tcp_orphan_retries", "1".to_owned()));
    let choose = |on: bool, values: [&str; 2]| values[usize::from(on)].to_owned();
    let chosen = [
        ("ipv4/tcp_sack", flag(*sack)),
        ("ipv4/tcp_dsack", flag(*dsack)),
        ("ipv4/tcp_timestamps", flag(*timestamps)),
        // RACK; with 2 besides, its window stays as it is.
        ("ipv4/tcp_recovery", choose(*adaptive_reordering, ["3", "1"])),
        ("ipv4/tcp_early_retrans", choose(*tail_loss_probe, ["0", "3"])),
        ("ipv4/tcp_frto", choose(*frto, ["0", "2"])),
        ("ipv4/tcp_no_metrics_save", flag(*metrics == Metrics::Nothing)),
        ("ipv4/tcp_no_ssthresh_metrics_save", flag(*metrics != Metrics::WithSsthresh)),
        ("ipv4/tcp_rmem", format!("4096 {begin} {max}")),
        ("ipv4/tcp_wmem", format!("4096 {} {send_buffer}", FIRST_SEND_BUFFER.min(*send_buffer))),
    ];
    chosen.into_iter().chain(orphans).collect()
}

/// Whether connections take something over from earlier ones, which have ended in order.
#[must_use]
pub fn keeps_metrics(scenario: &Scenario) -> bool {
    scenario.live.metrics != Metrics::Nothing
}

/// What a sender's buffer holds before its connection is open, bytes: Linux's default. Then it is sized by the window.
const FIRST_SEND_BUFFER: u32 = 16_384;

/// Payload of a full segment of the kernel, bytes: with timestamps that of the scenario.
#[must_use]
pub const fn mss(scenario: &Scenario) -> u32 {
    scenario.mss() + if scenario.live.timestamps { 0 } else { TIMESTAMPS }
}

/// Parameters of the module of one of the kernel's own algorithms.
pub fn module_parameters(algorithm: &str) -> Vec<(String, String)> {
    let module = format!("tcp_{algorithm}");
    let Ok(folder) = std::fs::read_dir(format!("/sys/module/{module}/parameters")) else { return Vec::new() };
    let mut found: Vec<_> = folder
        .flatten()
        .filter_map(|file| {
            let value = std::fs::read_to_string(file.path()).ok()?;
            Some((format!("{module}.{}", file.file_name().display()), value.trim().to_owned()))
        })
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(live: &str) -> Scenario {
        let text = "duration = '1s'\n[link]\nrate = '1Mbit/s'\nrtt = '10ms'\n[[flow]]\ncc = 'reno'\n";
        Scenario::from_toml(&format!("{text}[live]\n{live}")).expect("good")
    }

    fn value(live: &str, name: &str) -> String {
        let all = HostSettings::of(&scenario(live)).of_kernel;
        all.into_iter().find(|(known, _)| *known == name).expect("is set").1
    }

    // 1500 bytes are 20 of IPv4, 20 of TCP, 12 of timestamps and 1448; without timestamps 1460.
    #[test]
    fn a_full_segment_is_what_its_headers_leave() {
        assert_eq!(mss(&scenario("")), scenario("").mss());
        assert_eq!((mss(&scenario("")), mss(&scenario("timestamps = false"))), (1448, 1460));
    }

    #[test]
    fn one_size_of_a_buffer_is_where_it_begins_and_where_it_ends() {
        let rmem = |live| value(live, "ipv4/tcp_rmem");
        assert_eq!(rmem(""), "4096 33554432 33554432");
        assert_eq!(rmem("receive_buffer = '256kB'"), "4096 256000 256000");
        assert_eq!(rmem("receive_buffer = { begin = '128kB', max = '6MB' }"), "4096 128000 6000000");
        assert_eq!(value("send_buffer = '10kB'", "ipv4/tcp_wmem"), "4096 10000 10000");
    }

    #[test]
    fn what_connections_leave_behind_is_kept_where_it_is_asked_for() {
        let kept = |metrics: &str| {
            let live = format!("metrics = '{metrics}'");
            ["ipv4/tcp_no_metrics_save", "ipv4/tcp_no_ssthresh_metrics_save"].map(|name| value(&live, name))
        };
        assert_eq!((kept("none"), kept("linux")), (["1", "1"].map(Into::into), ["0", "1"].map(Into::into)));
        assert_eq!(kept("with-ssthresh"), ["0", "0"]);
    }
}
