// SPDX-License-Identifier: MIT OR Apache-2.0
//! One endless transfer over a bottleneck with a buffer of one bandwidth-delay product: `transfer STACK ALGORITHM MBPS RTT_MS SECONDS
//! [tls]`. What it shows beside `time` is the speed of a stack.

#[path = "../tests/stacks/harness.rs"]
#[expect(dead_code, reason = "the tests use more of it")]
mod harness;

use harness::{Path, connect, linked, transfer};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [stack, algorithm, numbers @ ..] = &arguments[..] else {
        panic!("STACK ALGORITHM MBPS RTT_MS SECONDS [tls]")
    };
    let stack = linked().find(|known| known.name() == stack).expect("a stack that is linked in");
    let number = |index: usize| numbers[index].parse::<u64>().expect("a number");
    let (path, seconds) = (Path { hashes_bytes: false, ..Path::new(number(0), number(1)) }, number(2));
    let tls = numbers.get(3).is_some_and(|word| word == "tls");
    let out = transfer(connect(stack, algorithm, 1, tls), &path, seconds);
    println!(
        "goodput {:.4}, {} and {} datagrams, {} drops",
        out.goodput(&path, seconds),
        out.datagrams[0],
        out.datagrams[1],
        out.drops
    );
    println!("{:?}", out.sender);
    if let Some(reason) = out.failure {
        println!("failed: {reason}");
    }
}
