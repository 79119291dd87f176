// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sizes that are less than a packet, bursts with their unit, and how large the tables of a run will be.

use cwnd_link::{FifoConfig, Limit, ServerConfig};
use cwnd_scenario::{ExpectedRows, FlowRef, RecordedFlows, Scenario};

fn read(link: &str, rest: &str) -> Result<Scenario, String> {
    let text = format!("duration = '10s'\n[link]\n{link}\n[[flow]]\ncc = 'cubic'\ncount = 3\n{rest}");
    Scenario::from_toml(&text).map_err(|invalid| invalid.to_string())
}

/// The first link's queue.
fn fifo(scenario: &Scenario) -> FifoConfig {
    match scenario.link_configs().remove(0).server {
        ServerConfig::Fifo(fifo, _) => fifo,
        other => panic!("{other:?}"),
    }
}

/// The room of the queue, packets, and how the limit is written back.
fn limit(rate: &str, rtt: &str, limit: &str) -> Result<(u64, String), String> {
    let queue = format!("queue = {{ kind = 'droptail', limit = '{limit}' }}");
    let scenario = read(&format!("rate = '{rate}'\nrtt = '{rtt}'\n{queue}"), "")?;
    assert_eq!(Scenario::from_toml(&scenario.to_toml()).as_ref(), Ok(&scenario));
    let Limit::Packets(packets) = fifo(&scenario).limit.first() else { panic!("in packets") };
    let written = scenario.to_toml();
    let line = written.lines().find(|line| line.starts_with("limit = ")).expect("a limit");
    Ok((packets, line.trim_start_matches("limit = ").trim_matches('"').to_owned()))
}

// 10 Mbit/s and 10 ms are 8.33 packets: 0.1 of it is less than one, 0.5 of it 4.17.
#[test]
fn a_part_of_a_bdp_is_at_least_a_packet_or_the_floor_that_is_named() {
    let short = |text| limit("10Mbit/s", "10ms", text).expect("accepted");
    assert_eq!(short("0.5bdp"), (4, "0.5bdp".to_owned()));
    assert_eq!(short("0.1bdp"), (1, "0.1bdp".to_owned()));
    assert_eq!(short("0.1bdp, at least 1packet"), (1, "0.1bdp, at least 1packets".to_owned()));
    assert_eq!(short("0.1bdp, at least 6packets"), (6, "0.1bdp, at least 6packets".to_owned()));
    assert_eq!(short("1bdp, at least 6 packets"), (8, "1bdp, at least 6packets".to_owned()));
    // Where there is no BDP at all, only a floor that is named says anything.
    assert_eq!(limit("10Mbit/s", "0s", "1bdp, at least 6packets").map(|(packets, ..)| packets), Ok(6));
    // What is wrong is the round trip then; where that is right, the limit.
    let refused = limit("10Mbit/s", "0us", "1bdp").expect_err("of 0 packets");
    let expected = "link.rtt: \"0us\" is not accepted; expected more than 0, because the queue's limit is a multiple of the BDP";
    assert_eq!(refused, expected);
    let refused = limit("10Mbit/s", "10ms", "0bdp").expect_err("of 0 packets");
    assert!(refused.contains("link.queue.limit") && refused.contains("at least one packet"), "{refused}");
}

#[test]
fn floors_that_mean_nothing_are_refused() {
    for text in [
        "0.1bdp, at least 0packets",
        "0.1bdp, at least 5ms",
        "10packets, at least 2packets",
        "0.1bdp, at least",
        "0bdp",
    ] {
        let refused = limit("10Mbit/s", "10ms", text).expect_err(text);
        assert!(refused.starts_with("link.queue.limit: "), "{refused}");
    }
}

// A threshold of RED is an average: it may well be below a packet.
#[test]
fn reds_thresholds_have_no_floor_of_their_own() {
    let queue = "queue = { kind = 'red', limit = '1bdp', min = '0.1bdp', max = '0.5bdp' }";
    let scenario = read(&format!("rate = '10Mbit/s'\nrtt = '10ms'\n{queue}"), "").expect("accepted");
    let written = scenario.to_toml();
    assert!(written.contains("min = \"0.1bdp\"") && written.contains("max = \"0.5bdp\""), "{written}");
    let queue = format!("{:?}", fifo(&scenario).queue);
    assert!(queue.contains("min: Packets(0), max: Packets(4)"), "{queue}");
}

#[test]
fn an_actions_buffer_has_the_same_floors() {
    let action = |to: &str| {
        let rest = format!("[[action]]\nbuffer = {{ at = '1s', to = '{to}' }}");
        let scenario = read("rate = '10Mbit/s'\nrtt = '10ms'", &rest)?;
        Ok::<_, String>(fifo(&scenario).limit.changes()[0].1)
    };
    assert_eq!(action("0.1bdp"), Ok(Limit::Packets(1)));
    assert_eq!(action("0.1bdp, at least 3packets"), Ok(Limit::Packets(3)));
}

#[test]
fn a_burst_is_a_number_of_packets_with_or_without_their_unit() {
    let burst = |text: &str| {
        let scenario = read("rate = '10Mbit/s'\nrtt = '10ms'", &format!("burst = {text}"))?;
        assert_eq!(Scenario::from_toml(&scenario.to_toml()).as_ref(), Ok(&scenario));
        Ok::<_, String>(scenario.flows[0].burst)
    };
    for text in ["4", "'4packets'", "'4 packets'"] {
        assert_eq!(burst(text), Ok(Some(4)), "{text}");
    }
    assert_eq!(burst("'1packet'"), Ok(Some(1)));
    for text in ["0", "'0packets'", "'4'", "'4kB'", "4.5", "'1048577packets'"] {
        let refused = burst(text).expect_err(text);
        assert!(refused.starts_with("flow[0].burst: ") && refused.contains("4packets"), "{refused}");
    }
}

const LINK: &str = "rate = '12Mbit/s'\nrtt = '10ms'";

fn rows(record: &str) -> ExpectedRows {
    read(LINK, &format!("[record]\n{record}")).expect("accepted").expected_rows()
}

// 10 s at every 100 ms and one at 0: 101 samples; three flows, one link.
#[test]
fn samples_are_counted_before_the_run() {
    assert_eq!(rows(""), ExpectedRows { cwnd: 303, queue: 101, inner: 0 });
    assert_eq!(rows("interval = '1ms'"), ExpectedRows { cwnd: 30_003, queue: 10_001, inner: 0 });
    assert_eq!(rows("interval = '0s'"), ExpectedRows::default());
    assert_eq!(rows("flows = 'none'").cwnd, 0);
    assert_eq!(rows("flows = ['cubic 2', 0]").cwnd, 202);
    assert_eq!(rows("flows = ['cubic']").cwnd, 303);
    assert_eq!(rows("inner = ['w_max']").inner, 303);
    // 12 Mbit/s are 1000 packets a second, of which every second one is acknowledged.
    assert_eq!(rows("per_ack = true").cwnd, 5000);
}

#[test]
fn tables_beyond_the_limit_are_refused_with_the_keys_that_change_it() {
    let of = |record: &str| read(LINK, &format!("[record]\n{record}")).expect("accepted");
    let refused = of("interval = '1ns'").check_size(480_000_000_000).expect_err("too large").to_string();
    assert_eq!(
        refused,
        "record: about 480 GB of tables (rows: 30 G of cwnd, 10 G of queue) is not accepted; expected at most 2GB (record.limit): \
         a longer record.interval than 1ns, fewer record.flows, or a larger record.limit"
    );
    assert!(of("limit = 'none'").check_size(u128::MAX).is_ok());
    assert!(of("limit = '3GB'").check_size(3_000_000_000).is_ok());
    assert!(of("limit = '3GB'").check_size(3_000_000_001).is_err());
}

// 12 Mbit/s are 10 000 packets in 10 s, and 5000 acknowledgements. Of each packet 80 bytes and 34 around them are stored, of each
// acknowledgement 52 and 34: 114 × 10 000 + 86 × 5000 = 1.57 MB at a host. A flow of 144 800 bytes has 100 packets and 50 acknowledgements.
#[test]
fn captures_are_counted_before_the_run_too() {
    let of = |record: &str| read(LINK, &format!("[record]\n{record}")).expect("accepted");
    assert_eq!(of("").expected_capture(), 0);
    assert_eq!(of("packets = 'senders'").expected_capture(), 1_570_000);
    assert_eq!(of("packets = 'both'").expected_capture(), 2 * 1_570_000);
    assert_eq!(of("packets = 'both'\nflows = 'none'").expected_capture(), 0);
    let whole = of("packets = 'receivers'\nsnap_length = '1500B'");
    assert_eq!(whole.expected_capture(), 1534 * 10_000 + 86 * 5000);
    let one = read(LINK, "size = '144800B'\n[record]\npackets = 'senders'\nflows = [0]").expect("accepted");
    assert_eq!(one.expected_capture(), 114 * 100 + 86 * 50);
    let refused = of("packets = 'senders'\nlimit = '1MB'");
    let message = "at most 1MB (record.limit): a shorter run, fewer record.flows, record.snap_length = \"80B\", or a larger record.limit";
    assert_eq!(
        refused.check_size(0).expect_err("too large").to_string(),
        format!("record.packets: about 1.6 MB of packets is not accepted; expected {message}")
    );
    assert!(refused.check_captured(1_000_000).is_ok());
    assert_eq!(
        refused.check_captured(1_000_001).expect_err("too large").to_string(),
        format!("record.packets: 1000001B of packets so far is not accepted; expected {message}")
    );
}

#[test]
fn the_flows_to_record_are_read_back_and_must_exist() {
    let scenario = read(LINK, "[record]\nflows = ['cubic 2', 0]").expect("accepted");
    assert_eq!(
        scenario.record.flows,
        RecordedFlows::Only(vec![FlowRef::Name("cubic 2".into()), FlowRef::Number(0)])
    );
    assert_eq!(scenario.recorded(), [true, true, false]);
    for (flows, expected) in [
        ("['cubic 4']", "did you mean cubic 1"),
        ("[3]", "the numbers are 0 to 2"),
        ("['bbr']", "the numbers are 0 to 2"),
        ("'some'", "\"none\""),
        ("[]", "\"all\""),
        ("[-1]", "a list of flows"),
    ] {
        let refused = read(LINK, &format!("[record]\nflows = {flows}")).expect_err(flows);
        assert!(refused.starts_with("record.flows: ") && refused.contains(expected), "{refused}");
    }
    for limit in ["2", "'2'", "'much'", "'-1GB'"] {
        let refused = read(LINK, &format!("[record]\nlimit = {limit}")).expect_err(limit);
        assert!(refused.starts_with("record.limit: ") && refused.contains("2GB"), "{refused}");
    }
}
