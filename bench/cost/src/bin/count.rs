// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every row of the benchmark once, for callgrind: `counted` is what is counted, in the order of the names printed.

use std::hint::black_box;

use cwnd::registry::ALGORITHMS;
use cwnd_cost::stream::{AckStream, StreamStep, drive, play};

#[inline(never)]
fn counted(run: impl FnOnce()) {
    run();
}

fn main() {
    let stream = cwnd_cost::recorded();
    stream.check();
    let (packets, acks) = stream.counts();

    println!("packet/quinn {packets}");
    let mut controller = stream.theirs();
    counted(|| stream.tell(black_box(&mut *controller)));
    println!("packet/quinn-inline {packets}");
    let mut controller = stream.theirs_inline();
    counted(|| stream.tell(black_box(&mut controller)));
    println!("packet/loop {packets}");
    ours::<false>(&stream, "cubic", &stream.by_packet);
    println!("packet/cubic {packets}");
    ours::<true>(&stream, "cubic", &stream.by_packet);
    println!("packet/cubic-driver {packets}");
    let mut driver = stream.driver("cubic");
    counted(|| drive(black_box(&mut driver), &stream.by_packet));
    println!("ack/loop {acks}");
    ours::<false>(&stream, "cubic", &stream.by_ack);
    for set in ALGORITHMS.iter().flat_map(|algorithm| algorithm.sets()) {
        println!("ack/{} {acks}", set.name);
        ours::<true>(&stream, set.name, &stream.by_ack);
    }
}

fn ours<const HOOKS: bool>(stream: &AckStream, name: &str, steps: &[StreamStep]) {
    let (mut cc, mut conn) = stream.ours(name);
    counted(|| play::<HOOKS>(black_box(&mut cc), black_box(&mut conn), steps));
    black_box(conn.cwnd);
}
