// SPDX-License-Identifier: MIT OR Apache-2.0
//! CoDel fed with an arrival trace, beside ns-3's: `codel RATE TARGET_NS INTERVAL_NS <arrivals`, a line `TIME_NS BYTES` per packet.
//! Prints what `tools/peers/ns3/codel.cc` prints.

use cwnd_link::{
    CodelConfig, HeadDiscipline, HeadQueue, HeadQueueConfig, Limit, OfferResult, Rate, Steps, Taken,
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let settings: Vec<u64> = std::env::args().skip(1).map(|word| word.parse()).collect::<Result<_, _>>()?;
    let &[rate, target, interval] = settings.as_slice() else {
        return Err("expected RATE TARGET_NS INTERVAL_NS".into());
    };
    let mut queue = HeadQueue::new(HeadQueueConfig {
        rate: Rate::Constant(rate),
        limit: Steps::constant(Limit::Packets(1_000_000)),
        discipline: HeadDiscipline::Codel(CodelConfig { target, interval, ecn: false, mtu: 1500 }),
    });
    let mut refused = 0;
    for line in std::io::stdin().lines() {
        let line = line?;
        let (time, bytes) = line.split_once(' ').ok_or("expected TIME_NS BYTES")?;
        refused += u64::from(queue.push(time.parse()?, bytes.parse()?, ()).is_err());
    }
    let (mut sent, mut sojourn, mut drops) = (0, 0, Vec::new());
    while let Some(Taken { arrived, at, result, .. }) = queue.pop(u64::MAX - 1) {
        match result {
            OfferResult::Departs { .. } => {
                sent += 1;
                sojourn += at - arrived;
            }
            OfferResult::Dropped(_) => drops.push(at),
        }
    }
    println!("{{\"sent\": {sent}, \"refused\": {refused}, \"sojourn_ns\": {sojourn}, \"drops\": {drops:?}}}");
    Ok(())
}
