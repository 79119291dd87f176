// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a scenario says of the network and the hosts is what happens: RED.

mod common;

use common::run;
use cwnd_sim::Summary;

/// Eight Reno flows on 20 Mbit/s and 40 ms (66 packets) for 60 s, with this queue.
fn with_queue(queue: &str) -> Summary {
    run(&format!(
        "duration = '60s'\nmeasure = ['10s', '60s']\n[link]\nrate = '20Mbit/s'\nrtt = '40ms'\nqueue = {{ {queue} }}\n\
         [[flow]]\ncc = 'reno'\ncount = 8\nstart = {{ uniform = ['0s', '1s'] }}"
    ))
    .summary()
}

// 200 packets are 120 ms. RED holds the average queue between its thresholds, 20 and 60 packets (12 and 36 ms), so its
// mean wait lies there too, where DropTail's is above 60 ms (windows halve from full: 266 packets to 133, less the path's 66).
#[test]
fn red_keeps_the_queue_between_its_thresholds_for_a_little_throughput() {
    let tail = with_queue("kind = 'droptail', limit = '200packets'");
    let red = with_queue("kind = 'red', limit = '200packets', min = '20packets', max = '60packets'");
    assert!(tail.queue_mean_ms > 60.0, "{}", tail.queue_mean_ms);
    assert!((12.0..36.0).contains(&red.queue_mean_ms), "{}", red.queue_mean_ms);
    assert!(red.queue_max_ms < 119.0, "never full: {}", red.queue_max_ms);
    // Halved from 66 + 60 packets at most, the windows do not always fill the path; DropTail's do.
    assert!(tail.utilization > 0.999, "{}", tail.utilization);
    assert!((0.9..0.999).contains(&red.utilization), "{}", red.utilization);
    assert!(red.drops_queue > 0 && red.drops_loss == 0, "early drops are the queue's");
    let bytes = with_queue("kind = 'red', limit = '300kB', min = '30kB', max = '90kB'");
    assert!((12.0..36.0).contains(&bytes.queue_mean_ms), "{}", bytes.queue_mean_ms);
}
