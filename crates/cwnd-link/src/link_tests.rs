// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use crate::aqm::QueueConfig;

// 5 s at 10 Mbit/s, 3 s of outage, 2 s at 4 Mbit/s; of that 4 s to 9 s: 10 + 0 + 4 Mbit.
#[test]
fn a_links_capacity_is_the_integral_of_its_rate() {
    let steps = Steps::new(10_000_000, vec![(5_000_000_000, 0), (8_000_000_000, 4_000_000)]).expect("rising");
    let fifo = FifoConfig {
        rate: Rate::Steps(steps),
        limit: Steps::constant(Limit::Packets(1)),
        queue: QueueConfig::DropTail,
    };
    let link = Link::<()>::new(LinkConfig::queue_only(fifo), (0, 1), 1);
    assert!((link.capacity_bits(4_000_000_000, 9_000_000_000) - 14e6).abs() < 1e-3);
    assert!((link.capacity_bits(0, 10_000_000_000) - 58e6).abs() < 1e-3);
}

// The simulator makes a link hand over every packet by this: it must be no other link.
#[test]
fn a_link_that_ticks_every_nanosecond_does_as_one_that_does_not_tick() {
    let config = |tick| {
        let fifo = FifoConfig {
            rate: Rate::Constant(9_999_991),
            limit: Steps::constant(Limit::Packets(7)),
            queue: QueueConfig::DropTail,
        };
        LinkConfig { tick, ..LinkConfig::queue_only(fifo) }
    };
    let mut plain = Link::<()>::new(config(None), (0, u64::MAX), u64::MAX);
    let mut ticking = Link::<()>::new(config(Some(Tick::every(1))), (0, u64::MAX), u64::MAX);
    let mut random = crate::random::RandomStream::new(1, 2);
    let mut now = 0;
    for _ in 0..10_000 {
        now += random.below(1_000_000);
        let size = 40 + random.below(1461) as u32;
        let Offered::Holds = ticking.offer(now, size, PacketClass::Data) else { panic!("it ticks") };
        let held = ticking.hold(now, size, PacketClass::Data, ());
        match plain.offer(now, size, PacketClass::Data) {
            Offered::Departs(transit) => {
                assert_eq!(format!("{held:?}"), format!("Ok(Some({transit:?}))"), "at {now} ns")
            }
            Offered::Dropped(cause) => {
                assert_eq!(format!("{held:?}"), format!("Err({cause:?})"), "at {now} ns")
            }
            Offered::Holds => panic!("it does not tick"),
        }
    }
    assert_eq!(format!("{:?}", plain.count), format!("{:?}", ticking.count));
    assert!(plain.count.drops.total() > 100, "{:?}", plain.count);
}
