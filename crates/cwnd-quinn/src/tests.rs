// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which packet quinn means: it names packets by when they left.

use super::*;

const MTU: u64 = 1200;

#[expect(
    clippy::disallowed_methods,
    reason = "an `Instant` comes from a clock alone; which one it is does not matter"
)]
fn some_time() -> Instant {
    Instant::now()
}

fn controller(name: &str, begin: Instant) -> OfQuinn<cwnd::Controller> {
    let config = Config::new().trusting();
    let transport =
        Transport::new(cwnd::Controller::for_quic(name).expect("it is registered"), &config, Duration::ZERO);
    OfQuinn { transport, begin, now: begin, packets: VecDeque::new(), acked: Vec::new(), config }
}

fn acknowledge(cc: &mut OfQuinn<cwnd::Controller>, at: Instant, sent: impl Iterator<Item = Instant>) {
    let at_transport = cc.at(at);
    let acked: Vec<Acked> = sent.filter_map(|sent| cc.sent(sent)).map(|sent| Acked::new(sent, MTU)).collect();
    cc.transport.on_acked(at_transport, &acked, None);
}

// RFC 9000 §9.4: what was sent on the old path says nothing of the new one, whose controller begins when the peer's address changes.
#[test]
fn what_left_before_a_path_began_counts_for_nothing_on_it() {
    let begin = some_time() + Duration::from_secs(1);
    let ms = Duration::from_millis;
    let mut cc = controller("cubic", begin);
    (0..5).for_each(|n| cc.on_sent(begin + ms(n), MTU, 0));
    let window = Controller::window(&cc);
    cc.on_congestion_event(begin + ms(30), begin - ms(50), false, MTU);
    acknowledge(&mut cc, begin + ms(31), (0..40).map(|n| begin - ms(45) + ms(n)));
    assert_eq!((Controller::window(&cc), cc.transport.in_flight()), (window, 5 * MTU));
    cc.on_congestion_event(begin + ms(40), begin, false, MTU);
    assert!(Controller::window(&cc) < window, "its own are");
}

// RFC 9002 §6.2, §7.3.2: at a round trip of a millisecond the tail of a window is found lost 28 ms after it left, by a probe. It left
// before the first loss was found: one reduction, of 160 to 80.
#[test]
fn a_tail_that_a_probe_shows_lost_belongs_to_the_loss_before_it() {
    let begin = some_time();
    let (ms, us) = (Duration::from_millis, Duration::from_micros);
    let mut cc = controller("reno", begin);
    let mut now = begin;
    for round in 0..4 {
        (0..10 << round).for_each(|_| cc.on_sent(now, MTU, 0));
        let sent = now;
        now += ms(1);
        acknowledge(&mut cc, now, (0..10 << round).map(|_| sent));
        cc.on_end_acks(now, 0, false, None);
    }
    let first = now;
    (0..160).for_each(|n| cc.on_sent(first + us(n), MTU, 0));
    now = first + us(1010);
    acknowledge(&mut cc, now, (1..11).map(|n| first + us(n)));
    cc.on_end_acks(now, 150 * MTU, false, None);
    cc.on_congestion_event(now, first, false, MTU);
    assert_eq!(cc.transport.window(), 80 * MTU);
    let probe = now + ms(27);
    cc.on_sent(probe, MTU, 0);
    now = probe + ms(1);
    acknowledge(&mut cc, now, std::iter::once(probe));
    cc.on_end_acks(now, 149 * MTU, false, None);
    cc.on_congestion_event(now, first + us(159), false, 149 * MTU);
    assert_eq!(cc.transport.window(), 80 * MTU);
}
