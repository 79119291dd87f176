// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use crate::Scenario;
use cwnd_link::Jitter;

fn keys(text: &str) -> Value {
    Value::Object(meaning(text, false).unwrap_or_else(|invalid| panic!("{text}: {invalid}")).keys)
}

#[test]
fn each_word_has_its_key() {
    let queue = |limit: &str| json!({ "kind": "droptail", "limit": limit });
    for (text, expected) in [
        ("delay 20ms", json!({ "delay": "20000000ns" })),
        ("delay 20", json!({ "delay": "20000ns" })),
        // Uniform from 15 to 25 ms.
        (
            "delay 20ms 5ms",
            json!({ "delay": "20000000ns", "jitter": { "kind": "uniform", "max": "10000000ns", "overtaking": true, "centered": true } }),
        ),
        // Jitter of a netem with a rate of its own reorders no packets; a rate from elsewhere is another device's.
        (
            "delay 20ms 5ms rate 10mbit",
            json!({ "delay": "20000000ns", "jitter": { "kind": "uniform", "max": "10000000ns", "overtaking": false, "centered": true }, "rate": "10000000bit/s" }),
        ),
        // Four standard deviations either side of 100 ms: from 80 to 120 ms.
        (
            "delay 100ms 5ms distribution normal",
            json!({ "delay": "100000000ns", "jitter": { "kind": "normal", "mean": "20000000ns", "sd": "5000000ns", "overtaking": true, "centered": true } }),
        ),
        ("loss 0.3%", json!({ "loss": "random:0.003" })),
        ("loss random 1% 0%", json!({ "loss": "random:0.01" })),
        ("loss 0%", json!({ "loss": null })),
        ("delay 20ms 0ms", json!({ "delay": "20000000ns", "jitter": null })),
        ("loss gemodel 1% 10% 70% 0.1%", json!({ "loss": "gemodel:0.01,0.1,0.7,0.001" })),
        ("rate 10mbit", json!({ "rate": "10000000bit/s" })),
        ("rate 1mbps limit 7", json!({ "rate": "8000000bit/s", "queue": queue("7packets") })),
        // A quarter of the packets at once, three quarters 10 ms later.
        ("delay 10ms reorder 25%", json!({ "reorder": { "share": "0.75", "extra": "10000000ns" } })),
        // Without a rate anywhere, the packets on the link are limited.
        ("delay 100ms limit 300", json!({ "delay": "100000000ns", "delay_limit": "300packets" })),
        ("tc qdisc add dev eth0 root netem delay 1ms", json!({ "delay": "1000000ns" })),
        // 10 Mbit/s for 50 ms are 62 500 bytes, and 32 kbit are 4096.
        (
            "tbf rate 10mbit burst 32kbit latency 50ms",
            json!({ "rate": "10000000bit/s", "queue": queue("66596B") }),
        ),
        (
            "qdisc add dev eth0 root tbf rate 1mbit burst 5kb limit 10kb",
            json!({ "rate": "1000000bit/s", "queue": queue("10240B") }),
        ),
    ] {
        assert_eq!(keys(text), expected, "{text}");
        let Meaning { lines, default_limit, .. } = meaning(text, false).expect(text);
        assert!(lines.len() + usize::from(default_limit.is_some()) > 0, "{text}");
    }
}

// netem holds 1000 packets where no word says another number; a link that has its rate from elsewhere has a limit from there too.
#[test]
fn netems_own_limit_is_that_of_a_link_which_netem_makes() {
    let default = |text: &str, has_rate: bool| {
        meaning(text, has_rate).expect(text).default_limit.map(|(key, value, _)| (key, value))
    };
    let queue = json!({ "kind": "droptail", "limit": "1000packets" });
    assert_eq!(default("rate 10mbit", false), Some(("queue".to_owned(), queue)));
    assert_eq!(default("delay 20ms", false), Some(("delay_limit".to_owned(), json!("1000packets"))));
    for (text, has_rate) in [
        ("delay 20ms", true),
        ("delay 20ms limit 7", false),
        ("rate 1mbit limit 7", false),
        ("tbf rate 1mbit burst 5kb limit 10kb", false),
    ] {
        assert_eq!(default(text, has_rate), None, "{text}");
    }
}

#[test]
fn what_has_no_counterpart_is_refused_by_its_name() {
    for (text, expected) in [
        ("delay 20ms 5ms 25%", "\"delay's correlation, 25%\" is not accepted; expected none"),
        ("loss 100%", "\"loss 100%\" is not accepted; expected a percentage below 100"),
        (
            "delay 20ms netem loss 1%",
            "\"delay\" is not accepted; expected tc qdisc … before netem, or nothing",
        ),
        ("loss 1% 25%", "\"loss's correlation, 25%\" is not accepted; expected none"),
        (
            "delay 1ms duplicate 1%",
            "\"duplicate\" is not accepted; expected no such word: it has no counterpart here",
        ),
        ("corrupt 1%", "\"corrupt\""),
        ("slot 1ms", "\"slot\""),
        ("loss state 1%", "\"loss state\""),
        (
            "delay 20ms 5ms distribution pareto",
            "\"distribution pareto\" is not accepted; expected uniform or normal",
        ),
        ("delay 5ms 20ms", "\"20 ms\" is not accepted; expected a jitter of at most the delay, 5 ms"),
        ("rate 10mbit 20", "\"rate … 20\""),
        ("reorder 25%", "\"reorder\" is not accepted; expected it with a delay without jitter"),
        ("delay 10ms reorder 25% 50%", "\"reorder's correlation\""),
        ("delay", "\"delay\" is not accepted; expected a time, such as 20ms after it"),
        ("delay soon", "\"delay soon\" is not accepted; expected a time"),
        ("dealy 20ms", "\"dealy\" is not accepted; expected one of delay"),
        ("", "expected words of netem or tbf"),
        ("tbf rate 1mbit burst 5kb", "\"tbf\" is not accepted; expected either latency or limit"),
        ("tbf rate 1mbit burst 5kb latency 5ms peakrate 2mbit", "\"peakrate\""),
    ] {
        let message = meaning(text, false).expect_err(text).to_string();
        assert!(message.starts_with("netem: ") && message.contains(expected), "{text}: {message}");
    }
}

#[test]
fn a_link_may_say_it_in_netems_words() {
    let text =
        |link: &str| format!("duration = '9s'\n[link]\nrtt = '60ms'\n{link}\n[[flow]]\ncc = 'cubic'\n");
    let netem = Scenario::from_toml(&text(
        "netem = 'delay 20ms 5ms loss gemodel 1% 10% 70% 0.1% rate 10mbit limit 300'",
    ))
    .expect("good");
    let written = "delay = '20ms'\njitter = { kind = 'uniform', max = '10ms', overtaking = false, centered = true }\nloss = 'gilbert:0.01,0.1,0.001,0.7'\nrate = '10Mbit/s'\nqueue = { kind = 'droptail', limit = '300packets' }";
    let keys = Scenario::from_toml(&text(written)).expect("good");
    assert_eq!(netem, keys);
    assert_eq!(netem.to_toml(), keys.to_toml());
    let remarks = netem.remarks();
    assert_eq!(remarks.len(), 4, "{remarks:?}");
    assert!(remarks.iter().all(|remark| remark.starts_with("link.netem: ")), "{remarks:?}");
    for (link, expected) in [
        (
            "netem = 'rate 10mbit'\nrate = '1Mbit/s'",
            "link.rate: \"1Mbit/s\" is not accepted; expected no rate: netem sets it",
        ),
        ("netem = 5\nrate = '1Mbit/s'", "link.netem: 5 is not accepted"),
        ("netem = 'duplicate 1%'\nrate = '1Mbit/s'", "link.netem: \"duplicate\" is not accepted"),
    ] {
        let message = Scenario::from_toml(&text(link)).expect_err(link).to_string();
        assert!(message.starts_with(expected), "{link}: {message}");
    }
}

// Whether a limit is that of a queue or of the packets on the link depends on the rate, which the line or the link may have; netem's default is 1000.
#[test]
fn a_limit_is_the_queues_where_the_link_has_a_rate() {
    let text =
        |link: &str| format!("duration = '9s'\n[link]\nrtt = '60ms'\n{link}\n[[flow]]\ncc = 'cubic'\n");
    for (link, queue, delay_limit) in [
        ("netem = 'delay 20ms limit 300'", None, Some(300)),
        ("netem = 'delay 20ms'", None, Some(1000)),
        ("netem = 'delay 20ms limit 300'\nrate = 'none'", None, Some(300)),
        ("netem = 'delay 20ms limit 300'\nrate = '1Mbit/s'", Some(300), None),
        ("netem = 'delay 20ms limit 300 rate 1mbit'", Some(300), None),
        ("netem = 'delay 20ms rate 1mbit'", Some(1000), None),
    ] {
        let scenario = Scenario::from_toml(&text(link)).expect(link);
        let link = scenario.bottleneck();
        let limit = link.queue.as_ref().map(|queue| queue.limit);
        assert_eq!((limit, link.delay_limit), (queue.map(crate::Buffer::Packets), delay_limit));
    }
    // A reverse path without words of its own on a rate has the forward link's.
    for (forward, has_queue) in
        [("rate = '1Mbit/s'", true), ("netem = 'rate 1mbit'", true), ("rate = 'none'", false)]
    {
        let link = format!("{forward}\nloss = 'random:0.01'\nreverse = {{ netem = 'delay 9ms limit 30' }}");
        let scenario = Scenario::from_toml(&text(&link)).expect(forward);
        let reverse = &scenario.links[1];
        assert_eq!(
            (reverse.queue.is_some(), reverse.delay_limit.is_some()),
            (has_queue, !has_queue),
            "{forward}"
        );
    }
}

// Of a round trip of 60 ms the link has a mean of 20 ms, so the hosts have 40 ms, as a fixed delay of 20 ms leaves them.
#[test]
fn the_mean_of_netems_delay_is_part_of_the_round_trip() {
    for (words, least, jitter_mean) in [
        ("delay 20ms", 20_000_000, 0),
        ("delay 20ms 5ms", 15_000_000, 5_000_000),
        ("delay 20ms 20ms", 0, 20_000_000),
        ("delay 20ms 1ms distribution normal", 16_000_000, 4_000_000),
        ("delay 20ms 5ms distribution normal", 0, 20_000_000),
        ("delay 20ms 20ms distribution normal", 0, 20_000_000),
    ] {
        let text = format!(
            "duration = '9s'\nlink = {{ rate = '1Mbit/s', rtt = '60ms', netem = '{words}' }}\n[[flow]]\ncc = 'cubic'\n"
        );
        let scenario = Scenario::from_toml(&text).expect(words);
        let config = &scenario.link_configs()[0].delay.0;
        let mean = match config.jitter {
            Jitter::None => 0,
            Jitter::Uniform { most } => most / 2,
            Jitter::Normal { mean, .. } | Jitter::Exponential { mean } => mean,
        };
        assert_eq!((config.propagation.at(0), mean), (least, jitter_mean), "{words}");
        // What the hosts' share of the round trip is counted from.
        assert_eq!(
            (scenario.links[0].rtt, scenario.links[0].delay.first),
            (60_000_000, 20_000_000),
            "{words}"
        );
        assert_eq!(
            Scenario::from_toml(&scenario.to_toml()).map(|read| read.links),
            Ok(scenario.links),
            "{words}"
        );
    }
}

// tc-netem(8): r is 1 - p, 1-h is 1 and 1-k is 0 where they are left out.
#[test]
fn a_gemodel_says_the_parameters_that_are_left_out() {
    for (text, said) in
        [("1%", "0.01, 0.99, 1, 0"), ("1% 10%", "0.01, 0.1, 1, 0"), ("1% 10% 70%", "0.01, 0.1, 0.7, 0")]
    {
        let line = meaning(&format!("loss gemodel {text}"), true).expect(text).lines.remove(0);
        assert!(line.contains(&format!("probabilities {said} of P ")), "{line}");
    }
}

// 10 ms in the mean with a deviation of 10 ms: below 0 there is no delay, and above 20 ms the same share is missing.
#[test]
fn a_normal_delay_says_where_it_is_cut() {
    let said = |text: &str| meaning(text, false).expect(text).lines.remove(0);
    assert_eq!(
        said("delay 10ms 10ms distribution normal"),
        "delay: normal, cut at 0 s and 20 ms, standard deviation 10 ms before truncation, which reduces it; its mean, 10 ms, is part of rtt; packets may overtake each other"
    );
    assert_eq!(
        said("delay 100ms 5ms distribution normal"),
        "delay: normal, cut at 80 ms and 120 ms, standard deviation 5 ms; its mean, 100 ms, is part of rtt; packets may overtake each other"
    );
}

// Three quarters of the packets are 10 ms late: 7.5 ms in the mean.
#[test]
fn the_delay_of_reordered_packets_is_said_to_come_on_top() {
    assert_eq!(
        meaning("delay 10ms reorder 25%", false).expect("good").lines,
        [
            "reorder: 0.25 of the packets are sent at once, the others 10 ms later; the mean of all, 7500 us, adds to rtt"
        ]
    );
}

#[test]
fn a_centered_jitter_has_room_below_the_delay() {
    let text = |delay: &str| {
        format!(
            "duration = '9s'\n[link]\nrate = '1Mbit/s'\nrtt = '60ms'\ndelay = '{delay}'\njitter = {{ kind = 'exponential', mean = '5ms', centered = true }}\n[[flow]]\ncc = 'cubic'\n"
        )
    };
    assert!(Scenario::from_toml(&text("5ms")).is_ok());
    let refused = Scenario::from_toml(&text("4ms")).expect_err("too short").to_string();
    assert_eq!(
        refused,
        "link.delay: \"4ms\" is not accepted; expected at least 5ms, the mean of its jitter, which is centered"
    );
}

// The order of netem's parameters is not that of `gilbert:P,R,1-K,1-H`; the names are the same in any order.
#[test]
fn the_parameters_of_gemodel_are_in_netems_order_or_have_names() {
    let of = |loss: &str| {
        let text = format!(
            "duration = '9s'\nlink = {{ rate = '1Mbit/s', rtt = '40ms', loss = '{loss}' }}\n[[flow]]\ncc = 'cubic'\n"
        );
        Scenario::from_toml(&text).map(|scenario| scenario.links[0].loss.clone())
    };
    let expected = of("gilbert:0.01,0.1,0.001,0.7").expect("good");
    for loss in [
        "gemodel:0.01,0.1,0.7,0.001",
        "gilbert:p=0.01,r=0.1,1-h=0.7,1-k=0.001",
        "gemodel:1-k=0.001,1-h=0.7,r=0.1,p=0.01",
        "gemodel:1%,10%,70%,0.1%",
        "gilbert:1%,10%,0.1%,70%",
        "gilbert:1-k=0.1%,1-h=70%,r=10%,p=1%",
    ] {
        assert_eq!(of(loss).as_ref(), Ok(&expected), "{loss}");
    }
    for loss in [
        "gilbert:0.01,0.1,0.7",
        "gilbert:p=0.01,q=0.1",
        "gemodel:r=0.5",
        "gemodel:p=0.1,p=0.2",
        "gemodel:1,1,1,1,1",
        "gemodel:101%",
        "gilbert:p=0.01,0.1,0.001,0.7",
        "gilbert:0.01,r=0.1,1-h=0.7,1-k=0.001",
        "gemodel:1%,r=10%",
        "random:100%",
    ] {
        assert!(of(loss).is_err(), "{loss}");
    }
}

// A list in netem's order, of which some may be left out, as in words. The scenario prints it as words.
#[test]
fn gemodel_is_a_table_too() {
    let of = |loss: &str| {
        let text = format!(
            "duration = '9s'\nlink = {{ rate = '1Mbit/s', rtt = '40ms', loss = {loss} }}\n[[flow]]\ncc = 'cubic'\n"
        );
        Scenario::from_toml(&text)
    };
    let words = of("'gilbert:0.01,0.1,0.001,0.7'").expect("good");
    for list in ["['1%', '10%', '70%', '0.1%']", "[0.01, 0.1, 0.7, 0.001]", "['0.01', '10 %', 0.7, '0.1%']"] {
        assert_eq!(of(&format!("{{ gemodel = {list} }}")).as_ref(), Ok(&words), "{list}");
    }
    assert_eq!(words.written("/link/loss").as_deref(), Some("\"gilbert:0.01,0.1,0.001,0.7\""));
    assert_eq!(of("{ gemodel = ['25%'] }"), of("'gemodel:0.25'"));
    let expected = "expected P, R, 1-H and 1-K, one to four numbers from 0 to 1 or percentages, such as [\"1%\", \"10%\", \"70%\", \"0.1%\"]";
    for (loss, refusal) in [
        ("{}", format!("link.loss.gemodel: missing; {expected}")),
        ("{ gemodel = [] }", format!("link.loss.gemodel: [] is not accepted; {expected}")),
        ("{ gemodel = ['2'] }", format!("link.loss.gemodel: [\"2\"] is not accepted; {expected}")),
        (
            "{ gemodel = [0, 0, 0, 0, 0] }",
            format!("link.loss.gemodel: [0,0,0,0,0] is not accepted; {expected}"),
        ),
        (
            "{ gemodell = [0.1] }",
            "link.loss.gemodell: [0.1] is not accepted; expected a known key (did you mean gemodel?)"
                .to_owned(),
        ),
    ] {
        assert_eq!(of(loss).expect_err("wrong").to_string(), refusal, "{loss}");
    }
}
