// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use crate::aqm::{DropCause, QueueConfig};

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
        let held = ticking.enqueue(now, size, PacketClass::Data, ());
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

// Bursts of one size, and now and then a packet of another, offered by the fast path where there is one, else one by one: the same departures,
// drops, counters and waits as one by one. After a packet of another size the fast path comes back when the link has been idle. Serialization of whole nanoseconds and with a fraction, losses, a measured interval that begins and ends under way.
#[test]
fn the_fast_path_gives_what_one_by_one_gives() {
    let mut fast_bursts = 0;
    for (number, rate) in (0..).zip([100_000_000, 99_999_989, 8_000_000_000_000, 12_000]) {
        let serial = 12_000_000_000_000 / rate;
        for (limit, first_lost) in
            [(Limit::Packets(40), u64::MAX), (Limit::Bytes(70_000), 900), (Limit::Time(30 * serial), 5)]
        {
            let fifo = FifoConfig {
                rate: Rate::Constant(rate),
                limit: Steps::constant(limit),
                queue: QueueConfig::DropTail,
            };
            let stream = RandomStream::new(1, 0);
            let loss = (Loss::Every { n: 700, first: first_lost }, stream);
            let delay = (DelayConfig::constant(1_000_000), stream);
            let config = LinkConfig { loss, delay, ..LinkConfig::queue_only(fifo) };
            let measure = (1500 * serial, 9000 * serial);
            let [mut fast, mut single] =
                [(); 2].map(|()| Link::<()>::new(config.clone(), measure, 12_000 * serial));
            assert!(fast.may_be_fast());
            let (mut draw, mut now) = (RandomStream::new(2, number), 0);
            for _ in 0..6000 {
                now += if draw.below(60) == 0 { 100 * serial } else { draw.below(4 * serial + 2) };
                let (size, count) =
                    if draw.below(500) == 0 { (400, 1) } else { (1500, 1 + draw.below(5) as u32) };
                let one_by_one = |link: &mut Link<()>| -> Vec<(u64, u64)> {
                    let offers = (0..count).map(|_| link.offer(now, size, PacketClass::Data));
                    offers
                        .filter_map(|offered| match offered {
                            Offered::Departs(transit) => Some((transit.departs, transit.arrives + 77)),
                            _ => None,
                        })
                        .collect()
                };
                let expected = one_by_one(&mut single);
                let mut seen = Vec::new();
                let sent = fast
                    .fast(now, size, 77)
                    .and_then(|mut link| link.offer(now, count, |departs, due| seen.push((departs, due))));
                match sent {
                    Some(sent) => {
                        assert_eq!(sent as usize, seen.len());
                        fast_bursts += 1;
                    }
                    None => {
                        assert_eq!(seen, []);
                        seen = one_by_one(&mut fast);
                    }
                }
                assert_eq!(seen, expected, "{rate} bit/s, {limit:?}, at {now} ns");
            }
            assert_eq!(format!("{:?}", fast.count), format!("{:?}", single.count), "{rate} bit/s, {limit:?}");
            assert!(
                fast.count.drops[DropCause::Full] > 100 && fast.count.measured_packets > 100,
                "{:?}",
                fast.count
            );
            assert!(fast.waits.rows().eq(single.waits.rows()), "{rate} bit/s, {limit:?}: waits");
        }
    }
    assert!(fast_bursts > 20_000, "{fast_bursts}");
}

// Without a rate a packet of any size leaves as it comes, and arrives 5 ms later. Three may be on their way: of four at 0 ms the last is
// dropped, and so is one at 4 ms; at 5 ms the three have arrived.
#[test]
fn a_link_without_a_rate_sends_at_once_and_limits_what_is_on_its_way() {
    const MS: u64 = 1_000_000;
    let stream = RandomStream::new(0, 0);
    let config = |limit, tick| LinkConfig {
        server: ServerConfig::NoRate(limit),
        loss: (Loss::None, stream),
        delay: (DelayConfig::constant(5 * MS), stream),
        tick,
    };
    let offer = |link: &mut Link<()>, now, size| {
        let Offered::Holds = link.offer(now, size, PacketClass::Data) else { panic!("no other link pays") };
        link.enqueue(now, size, PacketClass::Data, ())
            .map(|transit| transit.map(|transit| (transit.departs, transit.arrives)))
    };
    let mut link = Link::new(config(Some(3), None), (0, u64::MAX), u64::MAX);
    for size in [1500, 40, 64_000] {
        assert_eq!(offer(&mut link, 0, size), Ok(Some((0, 5 * MS))));
    }
    assert_eq!(offer(&mut link, 0, 1500), Err(DropCause::Full));
    assert_eq!(offer(&mut link, 4 * MS, 1500), Err(DropCause::Full));
    assert_eq!(offer(&mut link, 5 * MS, 1500), Ok(Some((5 * MS, 10 * MS))));
    assert!(link.rate().is_none() && link.next_event() == NEVER && link.backlog(5 * MS).packets == 0);
    assert_eq!((link.count.measured_packets, link.count.wait_max, link.count.drops.total()), (4, 0, 2));

    let mut endless = Link::new(config(None, None), (0, u64::MAX), u64::MAX);
    assert!((0..1000).all(|_| offer(&mut endless, 7, 1500) == Ok(Some((7, 5 * MS + 7)))));

    // On the clock of a dummynet pipe without a bandwidth a packet moves at the next tick.
    let mut ticking = Link::new(config(None, Some(Tick::every(MS))), (0, u64::MAX), u64::MAX);
    assert_eq!(offer(&mut ticking, 1, 1500), Ok(Some((MS, 6 * MS))));
}
