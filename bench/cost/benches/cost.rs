// SPDX-License-Identifier: MIT OR Apache-2.0
//! Nanoseconds per acknowledgement: quinn's CUBIC and every parameter set of the registry, on one recorded stream.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use cwnd::registry::ALGORITHMS;
use cwnd_cost::stream::{AckStream, StreamStep, drive, play};

fn cost(criterion: &mut Criterion) {
    let stream = cwnd_cost::recorded();
    let (packets, acks) = stream.counts();
    println!("{packets} packets in {acks} ACKs, {} losses", stream.losses());
    stream.check();

    let mut group = criterion.benchmark_group("packet");
    group.throughput(Throughput::Elements(packets));
    group.bench_function("quinn", |bench| {
        bench.iter(|| {
            let mut controller = stream.theirs();
            stream.tell(black_box(&mut *controller));
            controller.window()
        });
    });
    group.bench_function("quinn-inline", |bench| {
        bench.iter(|| {
            let mut controller = stream.theirs_inline();
            stream.tell(black_box(&mut controller));
            controller
        });
    });
    group.bench_function("loop", |bench| bench.iter(|| ours::<false>(&stream, "cubic", &stream.by_packet)));
    group.bench_function("cubic", |bench| bench.iter(|| ours::<true>(&stream, "cubic", &stream.by_packet)));
    group.bench_function("cubic-driver", |bench| {
        bench.iter(|| {
            let mut driver = stream.driver("cubic");
            drive(black_box(&mut driver), &stream.by_packet);
            driver.conn.cwnd
        });
    });
    group.finish();

    let mut group = criterion.benchmark_group("ack");
    group.throughput(Throughput::Elements(acks));
    group.bench_function("loop", |bench| bench.iter(|| ours::<false>(&stream, "cubic", &stream.by_ack)));
    for set in ALGORITHMS.iter().flat_map(|algorithm| algorithm.sets()) {
        group.bench_function(BenchmarkId::from_parameter(set.name), |bench| {
            bench.iter(|| ours::<true>(&stream, set.name, &stream.by_ack));
        });
    }
    group.finish();
}

fn ours<const HOOKS: bool>(stream: &AckStream, name: &str, steps: &[StreamStep]) -> u32 {
    let (mut cc, mut conn) = stream.ours(name);
    play::<HOOKS>(black_box(&mut cc), black_box(&mut conn), steps);
    conn.cwnd
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(600));
    targets = cost
}
criterion_main!(benches);
