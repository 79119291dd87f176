// SPDX-License-Identifier: MIT OR Apache-2.0
//! Another size of segments, another path, a copy.

use super::*;
use crate::algorithms::cubic::Cubic;
use crate::hooks::Configured;

// 100 segments of 1200 and 500 bytes are 120 500; of 1452: 82 and 1436; of 9000: 13 and 3500; and all of it again in 1200.
#[test]
fn another_size_of_segments_keeps_the_windows_bytes() {
    let mut driver = driver("reno", 100, Options::QUIC);
    for (mss, cwnd, spare) in [(1452, 82, 1436), (9000, 13, 3500), (1200, 100, 500)] {
        let before = if mss == 1452 { 500 } else { (120_500 % driver.conn.mss as u64) as u32 };
        assert_eq!(driver.on_mss(1, mss, before, 10), spare, "{mss}");
        assert_eq!((driver.conn.cwnd, driver.conn.ssthresh, driver.conn.mss), (cwnd, INFINITE_SSTHRESH, mss));
    }
    assert_eq!(driver.on_mss(1, 65_000, 500, 10), 0, "two segments at least");
    assert_eq!(driver.conn.cwnd, 2);
}

// A flight of 100 segments of 1200 bytes is one of 14 of 9000, in part: reno's half of it is 7, though only one is out by then.
#[test]
fn the_largest_flight_is_known_in_the_new_segments() {
    let mut driver = driver("reno", 100, Options::QUIC);
    driver.on_sent(1, 200_000);
    driver.on_mss(2, 9000, 0, 10);
    assert_eq!((driver.conn.packets_out, driver.conn.cwnd), (14, 13));
    (driver.conn.packets_out, driver.conn.in_flight) = (1, 1);
    driver.on_loss(3, 50, 101);
    assert_eq!(driver.conn.ssthresh, 6); // 13 / 2: the window is the most that counts
}

// A reduction of before is in segments of another size: it stays.
#[test]
fn nothing_is_undone_after_the_size_of_segments_has_changed() {
    let mut driver = driver("cubic", 100, Options::QUIC);
    let epoch = driver.on_loss(1, 10, 100).expect("begun");
    driver.on_mss(2, 2400, 0, 10);
    assert!(!driver.on_spurious(3, epoch));
    assert_eq!((driver.conn.cwnd, driver.conn.ssthresh), (35, 35));
}

// RFC 9000 §9.4.
#[test]
fn a_restart_leaves_the_settings_and_nothing_else() {
    let mut cc = Controller::by_name("cubic").expect("registered");
    cc.set_param("beta", "0.5").expect("a parameter");
    let fresh = Driver::new(cc.clone(), Conn::new(1200, 10), Options::QUIC);
    let mut driver = Driver::new(cc, Conn::new(1200, 100), Options::QUIC);
    driver.conn.packets_out = 100;
    driver.conn.in_flight = 100;
    driver.on_sent(5, 1_000_000);
    driver.on_ack(&ack(60_000, 1, 10));
    driver.on_loss(70_000, 10, 100);
    driver.restart(Conn::new(1200, 10));
    assert_eq!(format!("{driver:?}"), format!("{fresh:?}"));
}

// The same calls to both leave the same; calls to one leave the other alone.
#[test]
fn a_copy_goes_on_by_itself() {
    let params = Configured::<Cubic>::registered();
    let conn = Conn { is_cwnd_limited: true, packets_out: 100, in_flight: 100, ..Conn::new(1200, 100) };
    let mut one = Driver::new(params, conn, Options::QUIC);
    one.on_loss(1, 10, 100);
    let (mut other, before) = (one.clone(), format!("{one:?}"));
    for driver in [&mut one, &mut other] {
        assert_eq!(format!("{driver:?}"), before);
        (1..200).for_each(|n| driver.on_ack(&ack(n * 10_000, 99 + n, 1)));
    }
    assert_eq!(format!("{one:?}"), format!("{other:?}"));
}
