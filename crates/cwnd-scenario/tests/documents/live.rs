// SPDX-License-Identifier: MIT OR Apache-2.0
//! `[live]`: what is read, what is written, what is refused and in which words.

use cwnd_scenario::{LiveSpec, Metrics, ReceiveBuffer, Scenario};

const TEXT: &str =
    "duration = '1s'\n[link]\nrate = '10Mbit/s'\nrtt = '40ms'\n[[flow]]\ncc = 'reno'\n[live]\n";

fn read(keys: &str) -> Result<LiveSpec, String> {
    let scenario = Scenario::from_toml(&format!("{TEXT}{keys}")).map_err(|invalid| invalid.to_string())?;
    assert_eq!(Scenario::from_toml(&scenario.to_toml()), Ok(scenario.clone()), "reads back");
    Ok(scenario.live)
}

#[test]
fn what_is_not_written_is_as_in_linux_but_for_metrics_and_buffers() {
    let live = read("").expect("good");
    let LiveSpec { sack, dsack, timestamps, adaptive_reordering, tail_loss_probe, frto, .. } = live;
    assert!(sack && dsack && timestamps && adaptive_reordering && tail_loss_probe && frto);
    assert_eq!(live.metrics, Metrics::Nothing);
    let begin_and_max = ReceiveBuffer { begin: 32 << 20, max: 32 << 20 };
    assert_eq!((live.receive_buffer, live.send_buffer), (begin_and_max, 64 << 20));
    assert_eq!(live, LiveSpec::default());
}

#[test]
fn what_is_written_is_read() {
    let live = read("sack = false\nmetrics = 'with-ssthresh'\nreceive_buffer = '256kB'").expect("good");
    assert_eq!((live.sack, live.metrics), (false, Metrics::WithSsthresh));
    assert_eq!(live.receive_buffer, ReceiveBuffer { begin: 256_000, max: 256_000 });
    let live = read("receive_buffer = { begin = '128kB', max = '6MB' }").expect("good");
    assert_eq!(live.receive_buffer, ReceiveBuffer { begin: 128_000, max: 6_000_000 });
}

#[test]
fn what_is_wrong_is_said() {
    let cases = r#"
        sak = false                         | live.sak: false is not accepted; expected a known key (did you mean sack?)
        sack = 0                            | live.sack: 0 is not accepted; expected true or false
        metrics = 'linu'                    | live.metrics: "linu" is not accepted; expected none, linux or with-ssthresh (did you mean linux?)
        receive_buffer = 64000              | live.receive_buffer: 64000 is not accepted; expected a size from 4096B to 1GB, or a table with begin and max (did you mean 64000B?)
        receive_buffer = { begin = '64kB' } | live.receive_buffer.max: missing; expected a size from 4096B to 1GB
        receive_buffer = { begin = '6000kB', max = '128kB' } | live.receive_buffer.begin: "6000kB" is not accepted; expected at most max
        send_buffer = '1kB'                 | live.send_buffer: "1kB" is not accepted; expected a size from 4096B to 1GB
    "#;
    for [keys, line] in crate::table(cases) {
        assert_eq!(read(keys).expect_err(keys), line);
    }
}

// What was read before it is refused is shown as it was written, and not in the unit that it would be printed in.
#[test]
fn a_value_is_shown_as_it_was_written() {
    for (from, to, line) in [
        (
            "[[flow]]",
            "delay = '50ms'\n[[flow]]",
            "link.rtt: \"40ms\" is not accepted; expected at least 50ms",
        ),
        ("'40ms'", "'0.04s'\ndelay = '50ms'", "link.rtt: \"0.04s\" is not accepted; expected at least 50ms"),
        (
            "cc = 'reno'",
            "cc = 'reno'\nrtt = '1500us'\n[[flow]]\ncc = 'reno'\naccess_delay = '0.001s'\nrtt = '500us'",
            "flow[1].rtt: \"500us\" is not accepted; expected at least 1ms",
        ),
    ] {
        let message = Scenario::from_toml(&TEXT.replacen(from, to, 1)).expect_err(to).to_string();
        assert!(message.starts_with(line), "{message}");
    }
}
