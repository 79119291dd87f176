// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bursts of a host with segmentation offload (Linux's `tcp_tso_should_defer`, `tcp_tso_autosize`).

use super::super::super::tests::{MS, MSS, flow};
use crate::tcp::receiver::AckPacket;
use crate::tcp::sender::Sender;

/// A flow of 60 segments' window that has lost half of it, on a path of 20 ms, all of it out since `sent_us`.
struct Steady {
    sender: Sender,
    una: u64,
}

impl Steady {
    /// 60 segments of 1448 bytes each 20 ms, and a fifth more, are 5 212 800 bytes a second: 5 090 in 1/1024 of a second, three segments.
    fn new(keys: &str) -> Self {
        let mut flow = flow(&format!(
            "cc = 'reno'\nrecovery = 'linux'\ninitial_cwnd = 60\ninitial_ssthresh = 30\n{keys}"
        ));
        flow.rtt = 20 * MS;
        let mut steady = Self { sender: Sender::new(&flow, MSS), una: 0 };
        assert_eq!(steady.send(0), 60);
        steady
    }

    fn send(&mut self, now: u64) -> usize {
        let sent = std::iter::from_fn(|| self.sender.send(now)).count();
        self.sender.end_burst();
        sent
    }

    /// An acknowledgement of `segments` at `now`; how many are sent.
    fn ack(&mut self, now: u64, segments: u64) -> usize {
        self.una += segments;
        let sent_us = Some((0, 0));
        self.sender.on_ack(now, &AckPacket { cumulative: self.una, sacked: None, sent_us, waited: false });
        self.send(now)
    }
}

// The first acknowledgement finds the last transmission 20 ms ago: two go at once. 0.1 ms later one more may go: that is less than three, less
// than the buffer, less than a third of the window, and an acknowledgement is due: it waits. With the next it is three: they go.
#[test]
fn segments_wait_until_a_millisecond_of_them_may_go() {
    let mut steady = Steady::new("");
    assert_eq!(steady.ack(20 * MS, 2), 2);
    assert_eq!(steady.ack(20 * MS + 100_000, 1), 0);
    assert_eq!(steady.ack(20 * MS + 200_000, 1), 0);
    assert_eq!(steady.ack(20 * MS + 300_000, 1), 3);
}

// What waits goes with the first acknowledgement that comes more than a millisecond after the last transmission.
#[test]
fn nothing_waits_longer_than_a_millisecond() {
    let mut steady = Steady::new("");
    assert_eq!(steady.ack(20 * MS, 2), 2);
    assert_eq!(steady.ack(21 * MS, 1), 0);
    assert_eq!(steady.ack(21 * MS + 1_000, 1), 2);
}

// One of 60 segments has been acknowledged, and the next one waits: the window is in use with the 59 that are out. Where the receiver allows no more than the
// window does, nothing is noted: the window was in use with 60.
#[test]
fn the_window_is_in_use_while_data_waits_for_it() {
    for (keys, out) in [("", 59), ("rwnd = 60", 60)] {
        let mut steady = Steady::new(keys);
        assert_eq!(steady.ack(20 * MS, 2), 2, "{keys}");
        assert_eq!(steady.ack(20 * MS + 100_000, 1), 0, "{keys}");
        let conn = &steady.sender.driver.conn;
        assert_eq!((conn.packets_out, conn.max_packets_out), (59, out), "{keys}");
    }
}

#[test]
fn without_offload_nothing_waits() {
    for (keys, sent) in [("gso = false", 1), ("burst = 100", 1), ("", 0)] {
        let mut steady = Steady::new(keys);
        assert_eq!(steady.ack(20 * MS, 2), 2, "{keys}");
        assert_eq!(steady.ack(20 * MS + 100_000, 1), sent, "{keys}");
    }
}

// Three segments of 1448 bytes take 833 333 ns at 5 212 800 bytes a second: 3 · 277 777 ns as they are counted. The first three of nine leave at once; as nothing was sent for long, half of
// their time is forgiven, and the others may leave 416 666 ns later. Those leave when they may, and nothing is forgiven: the next ones 833 331 ns after them.
#[test]
fn a_paced_host_hands_whole_buffers_over() {
    let mut steady = Steady::new("pacing = true");
    assert_eq!(steady.ack(20 * MS, 9), 3);
    let second = 20 * MS + 3 * 277_777 - 3 * 277_777 / 2;
    assert_eq!(steady.sender.wake_at(), second);
    assert_eq!(steady.send(second - 1), 0, "the window has place, the pace does not");
    assert_eq!(steady.send(second), 3);
    assert_eq!(steady.sender.wake_at(), second + 3 * 277_777);
    assert_eq!(steady.send(second + 3 * 277_777), 3);
}

// Segments one by one, each at its own time.
#[test]
fn a_paced_host_without_offload_hands_segments_over() {
    let mut steady = Steady::new("pacing = true\ngso = false");
    assert_eq!(steady.ack(20 * MS, 6), 1);
    assert_eq!(steady.sender.wake_at(), 20 * MS + 277_777);
}

// Of the six segments 60 to 65 two buffers are made, which end with 62 and 65.
#[test]
fn the_last_of_each_buffer_ends_it() {
    let mut steady = Steady::new("gro = '50us'");
    assert_eq!(steady.ack(20 * MS, 6), 6);
    let ends: Vec<u32> = (60..66).filter(|position| steady.sender.ends_buffer(*position)).collect();
    assert_eq!(ends, [62, 65]);
    assert!(!Steady::new("").sender.ends_buffer(62), "nobody asks");
}

// Below half the threshold, twice the window per round trip: 11 segments after the first acknowledgement, 11 · 1448 · 2 bytes in 20 ms. From half the
// threshold on a fifth more than the window: 60 · 1448 · 1.2. A timeout leaves the rate as it was.
#[test]
fn an_unpaced_sender_has_the_rate_of_its_window() {
    for (window, ssthresh, rate) in [(10, 1000, 1_592_800), (60, 30, 5_212_800)] {
        let mut flow = flow(&format!(
            "cc = 'reno'\nrecovery = 'linux'\ninitial_cwnd = {window}\ninitial_ssthresh = {ssthresh}"
        ));
        flow.rtt = 20 * MS;
        let mut steady = Steady { sender: Sender::new(&flow, MSS), una: 0 };
        assert_eq!(steady.sender.driver.conn.pacing_rate, u64::MAX, "no round trip yet");
        steady.send(0);
        steady.ack(20 * MS, 1);
        assert_eq!(steady.sender.driver.conn.pacing_rate, rate);
        while steady.sender.sent.timeouts == 0 {
            let now = steady.sender.rto_at();
            if steady.sender.fires(now) {
                steady.sender.on_timer(now);
                steady.send(now);
            }
        }
        assert_eq!((steady.sender.driver.conn.cwnd, steady.sender.driver.conn.pacing_rate), (1, rate));
    }
}

// 65 535 bytes are 7.3 segments of 8948. The acknowledgement of one brings the receiver's window: 11 segments less 6 may go, in the slow start of ten.
#[test]
fn the_first_flight_is_at_most_the_window_of_a_syn() {
    for (mss, first, second) in [(8948, 7, 5), (MSS, 10, 2)] {
        let mut flow = flow("cc = 'reno'\nrecovery = 'linux'\ngso = false");
        flow.rtt = 20 * MS;
        let mut steady = Steady { sender: Sender::new(&flow, mss), una: 0 };
        steady.sender.on_open(20 * MS, 20 * MS);
        assert_eq!(steady.send(20 * MS), first);
        steady.una = 1;
        let sent_us = Some((20_000, 20_000));
        let ack = AckPacket { cumulative: 1, sacked: None, sent_us, waited: false };
        steady.sender.on_ack(40 * MS, &ack);
        assert_eq!(steady.send(40 * MS), second);
    }
}

// Half of 65 535 bytes are 22 segments: the first buffer ends at 30 + 22. A window of 30 is less than three segments a millisecond, so that they leave two at a
// time: first one, as the last transmission was long ago; 31 to 50 in pairs; and 51, which is all that the buffer has left, without waiting.
#[test]
fn the_first_buffer_is_written_under_the_window_of_a_syn() {
    let mut flow = flow("cc = 'reno'\nrecovery = 'linux'\ninitial_cwnd = 30\ninitial_ssthresh = 30");
    flow.rtt = 20 * MS;
    let mut steady = Steady { sender: Sender::new(&flow, MSS), una: 0 };
    assert_eq!(steady.send(0), 30);
    let sent: Vec<usize> = (0..22).map(|number| steady.ack(20 * MS + number * 100_000, 1)).collect();
    let pairs = [0, 2].repeat(10);
    assert_eq!((sent[0], &sent[1..21], sent[21]), (1, &pairs[..], 1));
}

// A third of 13 · 1448 bytes is 6274: four segments are 5792, five are 7240. A third of 12 segments are four.
#[test]
fn a_third_of_the_window_counts_bytes() {
    for (window, least) in [(13, 5), (12, 4)] {
        let mut flow = flow(&format!(
            "cc = 'reno'\nrecovery = 'linux'\ninitial_cwnd = {window}\ninitial_ssthresh = {window}"
        ));
        // Below 16 ms, a packet may have many segments, so that it is the third that counts.
        flow.rtt = MS;
        let mut steady = Steady { sender: Sender::new(&flow, MSS), una: 0 };
        assert_eq!(steady.send(0), window);
        assert_eq!(steady.ack(MS + 1000, 1), 1, "the last transmission was long ago");
        let sent: Vec<usize> =
            (1..=least as u64).map(|number| steady.ack(MS + (1 + number) * 1000, 1)).collect();
        assert_eq!(sent[..least - 1], vec![0; least - 1]);
        assert_eq!(sent[least - 1], least, "window {window}");
    }
}

// Half of 65 535 bytes are 22 segments. Five, half of the window, and five more leave as soon as they are written, and the packet is filled up again: 32
// segments in three packets take 49 216 bytes of 87 040, 54 in four 82 032. There is room for another packet then: 76.
#[test]
fn the_application_writes_until_the_buffer_is_full() {
    let mut flow = flow("cc = 'reno'\nrecovery = 'linux'");
    flow.rtt = 20 * MS;
    let mut steady = Steady { sender: Sender::new(&flow, MSS), una: 0 };
    assert_eq!(steady.send(0), 10);
    assert_eq!(steady.sender.data_end, 76);
    assert_eq!(steady.sender.data_end(), crate::tcp::sender::ENDLESS);
}

// Ticks of 4 ms that have run for 3.999 ms: the first one ends after 1 µs. So does the first millisecond of timestamps.
#[test]
fn ticks_and_timestamps_have_the_phase_of_the_hosts_clock() {
    let mut flow = flow("cc = 'reno'\nrecovery = 'linux'\nhost_clock = '250Hz'");
    flow.clock_phases_us = [3_999, 0];
    let mut sender = Sender::new(&flow, MSS);
    assert_eq!(sender.driver.conn.ticks, 0);
    for (us, ticks) in [(1, 1), (4000, 1), (4001, 2)] {
        sender.on_wake(us * 1000);
        assert_eq!(sender.driver.conn.ticks, ticks, "{us} µs");
    }
    let timers = crate::tcp::sender::HostTimers::new(250, flow.clock_phases_us);
    assert_eq!([0, 1, 1000, 1001].map(|us| timers.timestamp(us)), [3, 4, 4, 5]);
}
