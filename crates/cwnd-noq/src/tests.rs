// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a transfer over a live socket cannot be made to show: losses that were none, and what noq forgets.

use super::*;

const MTU: u16 = 1200;

/// Ten packets in flight, sent at 0.
fn ten_out() -> (Box<dyn Controller>, Instant) {
    let cubic = Arc::new(Cwnd::named("cubic").expect("it is registered"));
    #[expect(clippy::disallowed_methods, reason = "noq's times have no other origin")]
    let begin = Instant::now();
    let mut controller = cubic.build(begin, MTU);
    (0..10).for_each(|pn| controller.on_packet_sent(begin, MTU, pn));
    (controller, begin)
}

fn lose(controller: &mut dyn Controller, now: Instant, sent: Instant, pn: u64) {
    controller.on_packet_lost(MTU, pn, now);
    controller.on_congestion_event(now, sent, false, false, MTU.into(), pn);
}

// 12 000 bytes, of which CUBIC keeps 8 400. noq says "spurious" once all lost packets that it remembers have arrived: both.
#[test]
fn a_reduction_is_undone_when_all_lost_packets_have_arrived() {
    let (mut controller, begin) = ten_out();
    let ms = Duration::from_millis;
    lose(&mut *controller, begin + ms(50), begin, 0);
    lose(&mut *controller, begin + ms(50), begin, 1);
    assert_eq!(controller.window(), 8_400);
    controller.on_spurious_congestion_event();
    assert_eq!(controller.window(), 12_000);
}

// One packet is lost at 50 ms and, by the next loss, so long ago that noq has dropped it from its list: that the later one arrives says
// nothing of the first. The round trip time is the initial one, 333 ms: 2 s are more than two of them.
#[test]
fn a_packet_that_noq_has_forgotten_stays_lost() {
    let (mut controller, begin) = ten_out();
    let ms = Duration::from_millis;
    lose(&mut *controller, begin + ms(50), begin, 0);
    controller.on_packet_sent(begin + ms(51), MTU, 10);
    lose(&mut *controller, begin + ms(2000), begin, 1);
    controller.on_spurious_congestion_event();
    assert_eq!(controller.window(), 8_400);
}
