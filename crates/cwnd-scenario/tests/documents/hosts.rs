// SPDX-License-Identifier: MIT OR Apache-2.0
//! The key `host` of a flow: what each host holds, row by row; what is written beside it wins; without it nothing changes.

use cwnd::registry::Recovery;
use cwnd_scenario::{AccessLink, FlowGroup, Host, Scenario};

const MS: u64 = 1_000_000;

/// A flow of `cubic` with these keys.
fn parse(keys: &str) -> Result<Scenario, String> {
    let head = "duration = '60s'\n[link]\nrate = '100Mbit/s'\nrtt = '40ms'\n[[flow]]\ncc = 'cubic'\n";
    Scenario::from_toml(&format!("{head}{keys}\n")).map_err(|refused| refused.to_string())
}

fn group(keys: &str) -> FlowGroup {
    parse(keys).expect(keys).flows.remove(0)
}

fn plain() -> FlowGroup {
    group("")
}

#[test]
fn linux_is_the_default_with_its_recovery_and_a_handshake() {
    let linux = FlowGroup {
        host: Some(Host::Linux),
        recovery: Some(Recovery::Linux),
        host_clock: Some(250),
        handshake: Some(true),
        ..plain()
    };
    assert_eq!(group("host = 'linux'"), linux);
    assert_eq!((linux.initial_cwnd, linux.ack_every, linux.host_clock), (10, 2, Some(250)));
    assert_eq!((linux.ack_delay, linux.min_rto), (40 * MS, 200 * MS));
    assert_eq!((linux.access, linux.pacing, linux.burst), (None, false, None));
}

// RFC 6928; RFC 1122 §4.2.3.2: 500 ms; RFC 6298 §2.4: 1 s.
#[test]
fn rfc_has_the_values_that_the_rfcs_give() {
    let rfc = FlowGroup {
        host: Some(Host::Rfc),
        recovery: Some(Recovery::SackPrr),
        handshake: Some(true),
        ack_delay: 500 * MS,
        min_rto: 1000 * MS,
        ..plain()
    };
    assert_eq!(group("host = 'rfc'"), rfc);
    assert_eq!((rfc.initial_cwnd, rfc.ack_every), (10, 2));
}

// RFC 3390: min(4 · 1448, max(2 · 1448, 4380)) = 4380 bytes, 3 segments. 1 Gbit/s and txqueuelen 1000: Leith et al. (2007), table I.
#[test]
fn linux_2_6_has_three_segments_four_milliseconds_and_an_interface() {
    assert_eq!(4380 / 1448, 3);
    let old = FlowGroup {
        host: Some(Host::Linux26),
        recovery: Some(Recovery::SackPrr),
        initial_cwnd: 3,
        host_clock: Some(250),
        handshake: Some(true),
        access: Some(AccessLink { rate: 1_000_000_000, queue: 1000 }),
        ..plain()
    };
    assert_eq!(group("host = 'linux-2.6'"), old);
    assert_eq!((old.ack_every, old.ack_delay, old.min_rto), (2, 40 * MS, 200 * MS));
}

// tcp(4): ten segments, 200 ms of slop; sys/netinet/tcp_timer.h: hz/25.
#[test]
fn freebsd_14_has_prr_a_slop_of_200_ms_and_acknowledgements_after_40_ms() {
    let freebsd = FlowGroup {
        host: Some(Host::FreeBsd14),
        host_clock: Some(1000),
        recovery: Some(Recovery::SackPrr),
        handshake: Some(true),
        ..plain()
    };
    assert_eq!(group("host = 'freebsd-14'"), freebsd);
    assert_eq!((freebsd.initial_cwnd, freebsd.ack_every, freebsd.host_clock), (10, 2, Some(1000)));
    assert_eq!((freebsd.ack_delay, freebsd.min_rto), (40 * MS, 200 * MS));
}

// windowInit_ 2, Agent/TCPSink/Sack1, interval_ 100ms, minrto_ 0.2, syn_ true.
#[test]
fn ns_2_starts_with_two_segments_and_acknowledges_each() {
    let ns2 = FlowGroup {
        host: Some(Host::Ns2),
        host_clock: Some(1000),
        recovery: Some(Recovery::SackPrr),
        initial_cwnd: 2,
        ack_every: 1,
        ack_delay: 100 * MS,
        handshake: Some(true),
        ..plain()
    };
    assert_eq!(group("host = 'ns-2'"), ns2);
    assert_eq!((ns2.min_rto, ns2.host_clock, ns2.overhead), (200 * MS, Some(1000), 0));
}

#[test]
fn a_key_that_is_written_wins_wherever_it_stands() {
    for keys in ["host = 'ns-2'\ninitial_cwnd = 20", "initial_cwnd = 20\nhost = 'ns-2'"] {
        assert_eq!(group(keys), FlowGroup { initial_cwnd: 20, ..group("host = 'ns-2'") });
    }
    let faster = group("host = 'linux-2.6'\naccess = '10Gbit/s'\nrecovery = 'sack'\nhandshake = false");
    assert_eq!(faster.access, Some(AccessLink { rate: 10_000_000_000, queue: 1000 }));
    assert_eq!((faster.recovery, faster.handshake), (Some(Recovery::Sack), Some(false)));
    assert_eq!(faster.initial_cwnd, 3);
    // Its own value, written out, changes nothing.
    assert_eq!(group("host = 'rfc'\nmin_rto = '1s'"), group("host = 'rfc'"));
    // The value of a flow without a host.
    assert_eq!(group("host = 'rfc'\nmin_rto = '200ms'").min_rto, 200 * MS);
}

#[test]
fn the_hosts_recovery_is_the_flows_whatever_its_algorithm() {
    for host in Host::ALL {
        let text = format!("host = '{}'", host.name());
        let recovery = group(&text).recovery.expect("every host has one");
        let head = "duration = '9s'\n[link]\nrate = '1Mbit/s'\nrtt = '40ms'\n";
        for cc in ["tahoe", "cubic-linux", "sack"] {
            let scenario = Scenario::from_toml(&format!("{head}[[flow]]\ncc = '{cc}'\n{text}\n")).expect(cc);
            assert_eq!(scenario.expand()[0].recovery, recovery, "{cc} on {}", host.name());
            assert!(scenario.expand()[0].has_handshake());
        }
    }
}

#[test]
fn a_scenario_with_a_host_is_printed_with_every_key_and_reads_back() {
    for host in Host::ALL {
        for more in ["", "min_rto = '300ms'\nburst = 4", "access = '3Mbit/s'\npacing = true"] {
            let scenario = parse(&format!("host = '{}'\n{more}", host.name())).expect(more);
            let text = scenario.to_toml();
            assert!(text.contains(&format!("host = \"{}\"\n", host.name())), "{text}");
            assert!(text.contains("\ninitial_cwnd = "), "{text}");
            assert_eq!(Scenario::from_toml(&text), Ok(scenario.clone()), "{text}");
            assert_eq!(Scenario::from_json(&scenario.to_json()), Ok(scenario));
        }
    }
    assert!(!parse("").expect("good").to_toml().contains("host ="), "without a host nothing changes");
}

#[test]
fn an_unknown_host_is_refused_with_the_nearest() {
    let refusal = parse("host = 'linus'").expect_err("no such host");
    assert_eq!(
        refusal,
        "flow[0].host: \"linus\" is not accepted; expected linux, rfc, linux-2.6, freebsd-14 or ns-2 (did you mean linux?)"
    );
    for (written, offered) in [
        ("'FreeBSD-14'", "(did you mean freebsd-14?)"),
        ("'freebsd'", "(did you mean freebsd-14?)"),
        ("'ns2'", "(did you mean ns-2?)"),
        ("'windows'", "freebsd-14 or ns-2"),
        ("26", "freebsd-14 or ns-2"),
    ] {
        let refusal = parse(&format!("host = {written}")).expect_err(written);
        assert!(refusal.starts_with("flow[0].host: ") && refusal.ends_with(offered), "{refusal}");
    }
}

#[test]
fn recovery_rfc_is_sack_prr() {
    assert_eq!(group("recovery = 'rfc'"), group("recovery = 'sack-prr'"));
    assert!(parse("recovery = 'rfc'").expect("good").to_toml().contains("recovery = \"sack-prr\"\n"));
    let refusal = parse("recovery = 'rcf'").expect_err("no such recovery");
    assert!(refusal.ends_with("(did you mean rfc?)"), "{refusal}");
}

// The same columns for each: what a host does not set, it says why.
#[test]
fn every_host_speaks_of_the_same_keys_once() {
    let columns = |host: &Host| {
        let set = host.settings();
        let mut all: Vec<&str> = set.iter().map(|setting| setting.key).collect();
        all.extend(host.leaves().iter().map(|(key, _)| *key));
        all.sort_unstable();
        all
    };
    let first = columns(&Host::Linux);
    let keys = cwnd_scenario::keys::flow_keys();
    assert!(first.iter().all(|key| keys.contains(key)), "{first:?}");
    assert!(first.windows(2).all(|pair| pair[0] != pair[1]), "{first:?}");
    for host in Host::ALL {
        assert_eq!(columns(host), first, "{}", host.name());
        for setting in host.settings() {
            assert!(setting.value.is_some() || !setting.words.is_empty(), "{}", setting.key);
            assert!(setting.source.len() >= 8, "{} of {}", setting.key, host.name());
        }
    }
}
