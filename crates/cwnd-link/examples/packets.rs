// SPDX-License-Identifier: MIT OR Apache-2.0
//! A million packets through each piece, to be counted: `valgrind --tool=callgrind target/release/examples/packets CASE`,
//! less the case `none`, divided by a million, is what a packet costs in instructions.

use cwnd_link::random::{CERTAIN, RandomStream, probability};
use cwnd_link::{
    Delay, DelayConfig, Fifo, FifoConfig, GilbertElliott, Jitter, Limit, Loss, LossProcess, QueueConfig,
    Rate, RedConfig, Reorder, SendOverhead, Steps, Trace,
};

const PACKETS: u64 = 1_000_000;
const RATE: u64 = 400_000_000;
/// Time between packets of 1500 bytes: 30 µs at 400 Mbit/s, offered a little faster than they leave.
const GAP_NS: u64 = 29_500;

fn link(rate: Rate, limit: Limit, queue: QueueConfig, small_every: u64) -> Box<dyn FnMut(u64) -> u64> {
    let mut link =
        Fifo::from_config(FifoConfig { rate, limit: Steps::constant(limit), queue }, RandomStream::new(1, 0));
    Box::new(move |n| {
        let size = if small_every > 0 && n % small_every == 0 { 52 } else { 1500 };
        link.push(n * GAP_NS, size).unwrap_or(0)
    })
}

fn loss(loss: Loss) -> Box<dyn FnMut(u64) -> u64> {
    let mut process = LossProcess::new(loss, RandomStream::new(1, 0));
    Box::new(move |_| u64::from(process.loses_next()))
}

fn delay(jitter: Jitter, reorder: Option<Reorder>) -> Box<dyn FnMut(u64) -> u64> {
    let mut delay = Delay::new(
        DelayConfig { jitter, reorder, ..DelayConfig::constant(20_000_000) },
        RandomStream::new(1, 0),
    );
    Box::new(move |n| delay.arrival(n * GAP_NS))
}

fn main() -> Result<(), String> {
    let red = QueueConfig::Red(RedConfig {
        min: Limit::Packets(100),
        max: Limit::Packets(300),
        max_p: probability(0.1),
        weight: probability(0.002),
        gentle: true,
        ecn: false,
        mean_packet: 1500,
    });
    // Forty opportunities a millisecond: 480 Mbit/s.
    let trace: String = (1..=100).map(|ms| format!("{ms}\n").repeat(40)).collect();
    let trace = Rate::Trace(Trace::parse(&trace).map_err(|error| error.to_string())?);
    let steps = (1..1000).map(|n| (n * 29_000_000, RATE + n % 2 * 50_000_000)).collect();
    let steps = Rate::Steps(Steps::new(RATE, steps).map_err(|error| error.to_string())?);
    let (constant, room) = (Rate::Constant(RATE), Limit::Packets(1333));
    let p = probability(0.001);
    let burst = GilbertElliott { p, r: probability(0.2), loss_good: 0, loss_bad: CERTAIN };

    let case = std::env::args().nth(1).unwrap_or_default();
    let mut step = match case.as_str() {
        "none" => Box::new(|n| n),
        "droptail" => link(constant, room, QueueConfig::DropTail, 0),
        "droptail-bytes" => link(constant, Limit::Bytes(2_000_000), QueueConfig::DropTail, 0),
        "droptail-mixed" => link(constant, room, QueueConfig::DropTail, 2),
        "red" => link(constant, room, red, 0),
        "steps" => link(steps, room, QueueConfig::DropTail, 0),
        "trace" => link(trace, room, QueueConfig::DropTail, 0),
        "loss-none" => loss(Loss::None),
        "loss-random" => loss(Loss::Random(p)),
        "loss-gilbert" => loss(Loss::Gilbert(burst)),
        "delay" => delay(Jitter::None, None),
        "jitter-uniform" => delay(Jitter::Uniform { most: 1_000_000 }, None),
        "jitter-normal" => delay(Jitter::Normal { mean: 1_000_000, sd: 250_000 }, None),
        "jitter-exponential" => delay(Jitter::Exponential { mean: 1_000_000 }, None),
        "reorder" => delay(Jitter::None, Some(Reorder { share: p, extra: 1_000_000 })),
        "overhead" => {
            let mut overhead = SendOverhead::new(300_000, RandomStream::new(1, 0));
            Box::new(move |n| overhead.release(n * GAP_NS)) as Box<dyn FnMut(u64) -> u64>
        }
        other => return Err(format!("{other:?}: expected a case, see the source")),
    };
    let sum = (0..PACKETS).fold(0_u64, |sum, n| sum.wrapping_add(step(n)));
    println!("{case}: {sum}");
    Ok(())
}
