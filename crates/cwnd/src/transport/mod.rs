// SPDX-License-Identifier: MIT OR Apache-2.0
//! Congestion control for any transport, in bytes: a stack tells facts and reads answers.
//!
//! [`Transport`] stands on [`Driver`], which fits QUIC's rules to algorithms that count segments. It keeps round trip
//! times, round trips, the clock, samples of the delivery rate, the pacing rate, remainders of segments, and what of an idle or
//! application-limited time the window must not count. It is [`Clone`]: a connection that tries another path takes a copy.
//!
//! Times are given as [`Duration`]s since an origin of the stack's choosing, the same for all calls, and kept in microseconds. Bytes are
//! those that count towards the bytes in flight (RFC 9002 §2): packets of acknowledgements alone are not told.
//!
//! ```
//! use core::time::Duration;
//! use cwnd::Controller;
//! use cwnd::transport::{Acked, Config, Limit, Transport};
//!
//! let (mut now, mut to_send) = (Duration::ZERO, 1_000_000_u64);
//! let mut cc = Transport::new(Controller::by_name("cubic").unwrap(), &Config::new().mtu(1252), now);
//! let mut packets = Vec::new(); // what the stack keeps of those in flight
//! while to_send > 0 {
//!     while to_send > 0 && cc.may_send(1252) {
//!         let bytes = to_send.min(1252);
//!         packets.push(Acked::new(cc.on_sent(now, bytes), bytes));
//!         to_send -= bytes;
//!     }
//!     cc.on_burst_end(now, if to_send > 0 { Limit::Window } else { Limit::Application });
//!     now += Duration::from_millis(50); // an ACK frame for all of them arrives
//!     cc.on_acked(now, &packets, None);
//!     packets.clear();
//! }
//! // Ten datagrams, and twice as many at each of six acknowledgements.
//! assert_eq!(cc.window(), 640 * 1252);
//! ```
//!
//! # Order of calls
//! For each ACK frame, or timer: [`Transport::on_spurious`] for packets that arrived although they were declared lost,
//! [`Transport::on_ecn`] if the counts of marks rose, [`Transport::on_lost`] for the packets that it leaves lost,
//! [`Transport::on_acked`] for those that it newly acknowledges: the order of RFC 9002 §A.7. Then [`Transport::on_sent`] for each packet
//! sent, and [`Transport::on_burst_end`]. With the acknowledged before the lost, as some stacks have it, the window grows by that
//! acknowledgement before it is reduced.
//!
//! Facts may come in any order: nothing panics and nothing overflows. Three things cannot be and show a fault in the stack: time that runs
//! back, more bytes leaving the flight than are in it, and packets that were never sent. Builds with debug assertions stop there, so that
//! the fault is found where it is made; [`Config::trusting`] turns this off, for tests that want such facts and for stacks that
//! rather go on. Without debug assertions time stands still instead, the flight ends at 0, and unknown packets are ignored.
//!
//! # One algorithm, or all
//! [`Controller`] is chosen by name at run time and links every algorithm. `Transport<Configured<Cubic>>` links one:
//!
//! ```
//! use core::time::Duration;
//! use cwnd::Configured;
//! use cwnd::algorithms::cubic::Cubic;
//! use cwnd::transport::{Config, Transport};
//!
//! let cc = Transport::new(Configured::<Cubic>::registered(), &Config::new(), Duration::ZERO);
//! assert_eq!(cc.window(), 12_000);
//! ```

mod account;
mod answers;
mod clock;
mod config;
mod delivery;
mod facts;
mod losses;
mod metrics;
mod pacer;
mod path;
mod resume;
#[cfg(test)]
mod tests;

use core::time::Duration;

use crate::algorithm::Algorithm;
use crate::conn::CaState;
#[cfg(feature = "registry")]
use crate::controller::Controller;
use crate::driver::{Ack, Driver};
pub use crate::driver::{EcnOutcome, Reduction};
use crate::hook_argument_types::AckSample;
use account::{conn, rtt_us};
use clock::micros;
pub use config::Config;
use delivery::Delivery;
pub use delivery::DeliveryRate;
pub use facts::{Acked, Limit, LossEpoch, Lost, Sent};
use losses::Losses;
pub use metrics::{EpochCounts, Metrics, Phase};
pub use pacer::Pacer;
use resume::Jump;
pub use resume::Snapshot;

/// The congestion control of a connection's path. See [the module](self).
///
/// ```
/// use core::time::Duration;
/// use cwnd::{Configured, algorithms::cubic::Cubic, transport::{Acked, Config, Transport}};
///
/// let begin = Duration::ZERO;
/// let mut cc = Transport::new(Configured::<Cubic>::registered(), &Config::new(), begin);
/// let packets = [1200, 1200].map(|bytes| Acked::new(cc.on_sent(begin, bytes), bytes));
/// assert_eq!((cc.window(), cc.in_flight()), (12_000, 2_400));
/// cc.on_acked(Duration::from_millis(50), &packets, None);
/// assert_eq!(cc.in_flight(), 0);
/// ```
#[derive(Clone, Debug)]
pub struct Transport<
    #[cfg(feature = "registry")] A: Algorithm = Controller,
    #[cfg(not(feature = "registry"))] A: Algorithm,
> {
    driver: Driver<A>,
    config: Config,
    /// Bytes.
    in_flight: u64,
    /// Position of the next packet.
    next: u64,
    /// First position beyond the newest packet that was acknowledged.
    acked_end: u64,
    /// Acknowledged bytes that make no segment yet.
    acked_spare: u32,
    /// Sent bytes that make no segment yet.
    sent_spare: u32,
    /// Bytes of the window beyond `cwnd` segments, less than one.
    window_spare: u32,
    /// Payload of the largest datagram, bytes. In congestion avoidance segments keep the size that they had, `conn.mss`, to the next reduction.
    mtu: u16,
    /// Packets of other paths count for nothing.
    path: u16,
    /// Losses were told since the last acknowledgement.
    new_loss: bool,
    /// A loss began an epoch, and nothing was sent since.
    fast_retransmission: bool,
    /// The first fact has set the clock, or `new` did.
    begun: bool,
    latest_rtt_us: u32,
    delivery: Delivery,
    jump: Option<Jump>,
    losses: Losses,
    epochs: EpochCounts,
}

impl<A: Algorithm> Transport<A> {
    /// A connection that has sent nothing, with `algorithm` in charge. The clock stands at `now`.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// use cwnd::algorithms::vegas::Vegas;
    ///
    /// let cc = Transport::new(Configured::<Vegas>::registered(), &Config::new(), begin);
    /// assert_eq!((cc.window(), cc.in_flight()), (12_000, 0));
    /// ```
    #[must_use]
    pub fn new(algorithm: A, config: &Config, now: Duration) -> Self {
        let now_us = micros(now);
        let (conn, window_spare) = conn(config, now_us);
        Self {
            driver: Driver::new(algorithm, conn, config.options),
            config: *config,
            in_flight: 0,
            next: 0,
            acked_end: 0,
            acked_spare: 0,
            sent_spare: 0,
            window_spare,
            mtu: config.mtu,
            path: 0,
            new_loss: false,
            fast_retransmission: false,
            begun: true,
            latest_rtt_us: 0,
            delivery: Delivery::new(0, now_us),
            jump: None,
            losses: Losses::default(),
            epochs: EpochCounts::default(),
        }
    }

    /// A packet of `bytes` bytes leaves. The stack keeps the answer with it. One of 0 bytes, of acknowledgements alone, is not in flight
    /// and changes neither window nor clock of transmission: its token says which packet an ACK frame newly acknowledges.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// let first = cc.on_sent(begin, 1200);
    /// assert_eq!((first.position(), cc.in_flight()), (0, 1200));
    /// ```
    pub fn on_sent(&mut self, now: Duration, bytes: u64) -> Sent {
        let now_us = self.advance(now);
        if bytes == 0 {
            return self.token(now_us, false);
        }
        let rto_us = self.rto_us();
        let segments = self.sent_segments(bytes);
        self.watching(|driver| driver.on_segments_sent(now_us, rto_us, segments));
        let empty = self.in_flight == 0;
        self.in_flight = self.in_flight.saturating_add(bytes);
        let conn = &mut self.driver.conn;
        conn.snd_nxt = conn.snd_nxt.wrapping_add(bytes as u32);
        let sent = self.token(now_us, empty);
        self.fast_retransmission = false;
        self.show_flight();
        // A stack that tells of no burst's end has told this much.
        self.driver.on_burst_end(!self.may_send(self.mtu.into()));
        sent
    }

    /// The stack has sent what it could, and `limit` stopped it. A packet that fills the window says [`Limit::Window`] by itself; one that
    /// does not says [`Limit::Application`] for the window, until this call says otherwise.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// let sent = cc.on_sent(begin, 1200);
    /// cc.on_burst_end(begin, Limit::Application); // one datagram of ten
    /// cc.on_acked(rtt, &[Acked::new(sent, 1200)], None);
    /// assert_eq!(cc.window(), 12_000); // an unused window does not grow
    /// ```
    pub fn on_burst_end(&mut self, now: Duration, limit: Limit) {
        self.advance(now);
        if limit == Limit::Application {
            self.driver.conn.limit_by_application();
        }
        self.driver.on_burst_end(limit != Limit::Application);
    }

    /// An ACK frame newly acknowledges these packets. Its round trip time is that of the newest of them, if none newer was acknowledged
    /// before (RFC 9002 §5.1). `corrected` is that time without the delay that the receiver reports (§5.3); the smoothed round trip time
    /// follows it, the smallest does not (§5.2). Packets that were declared lost or discarded are not told.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// let packets: Vec<_> = (0..10).map(|_| Acked::new(cc.on_sent(begin, 1200), 1200)).collect();
    /// cc.on_acked(rtt, &packets, None);
    /// assert_eq!((cc.window(), cc.in_flight()), (24_000, 0)); // slow start
    /// ```
    pub fn on_acked(&mut self, now: Duration, acked: &[Acked], corrected: Option<Duration>) {
        let now_us = self.advance(now);
        let Some((newest, bytes)) = self.newest(acked.iter().map(|packet| (packet.sent, packet.bytes)))
        else {
            return;
        };
        let allowed = self.window().saturating_sub(self.in_flight);
        let prior_in_flight = self.driver.conn.in_flight;
        let bytes = self.leave_flight(bytes);
        let rtt_us = (newest.position >= self.acked_end).then(|| rtt_us(now_us, newest.time_us));
        if let Some(rtt_us) = rtt_us {
            self.latest_rtt_us = rtt_us;
            self.acked_end = newest.position.saturating_add(1);
        }
        let segments = self.segments(bytes);
        let conn = &mut self.driver.conn;
        if newest.end_seq.wrapping_sub(conn.snd_una) < 1 << 31 {
            conn.snd_una = newest.end_seq;
        }
        self.show_flight();
        self.validate(bytes, newest.position);
        let corrected_us = corrected.map(|time| u32::try_from(micros(time)).unwrap_or(u32::MAX).max(1));
        let ack = Ack {
            now_us,
            position: newest.position,
            acked: segments,
            delivered: segments,
            rtt_us,
            oldest_rtt_us: rtt_us.and_then(|rtt| corrected_us.map(|corrected| corrected.min(rtt))),
            new_loss: core::mem::take(&mut self.new_loss),
        };
        // An acknowledgement of less than a segment is as plain as one of more.
        let plain = self.driver.conn.ca_state == CaState::Open && !ack.new_loss;
        let credit = self.watching(|driver| {
            driver.on_arrival(&ack, plain);
            // Less than a segment is news all the same. The driver does not ask: each duplicate of TCP's would pay for it.
            if let (0, Some(rtt_us)) = (ack.acked, ack.rtt_us) {
                let rtt_us = i32::try_from(rtt_us).unwrap_or(i32::MAX);
                let sample = AckSample::new(0, rtt_us, driver.conn.in_flight);
                driver.cc.pkts_acked(&mut driver.conn, &sample);
            }
            driver.on_progress(&ack)
        });
        let conn = &mut self.driver.conn;
        conn.end_app_limit();
        (conn.delivered_us, conn.first_sent_us) = (now_us as u32, newest.time_us as u32);
        let rate = self.delivery.on_delivered(now_us, bytes, &newest, conn.min_rtt_us);
        if self.driver.cc.has_cong_control() {
            let mut sample = self.delivery.sample(&self.driver.conn, &newest, rate, rtt_us);
            (sample.acked_sacked, sample.prior_in_flight) = (segments, prior_in_flight);
            self.watching(|driver| driver.on_rate(&ack, 0, &sample));
        } else {
            self.watching(|driver| driver.on_window(&ack, credit));
        }
        if self.driver.reduces_step_by_step() {
            self.allow_in_bytes(segments, allowed);
        }
        self.keep_two_datagrams();
    }

    /// The peer's count of marks rose by `marks` with an ACK frame of which `newest` is the newest newly acknowledged packet (RFC 9002 §7.1,
    /// §B.7); `None`: the newest that was acknowledged so far, for a stack that tells of marks after [`Transport::on_acked`]. At
    /// [`EcnOutcome::AtFloor`] the window is two datagrams, the minimum (RFC 9002 §7.2), and stays there.
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// let packets: Vec<_> = (0..10).map(|_| Acked::new(cc.on_sent(begin, 1200), 1200)).collect();
    /// assert_eq!(cc.on_ecn(rtt, 1, Some(packets[0].sent)), EcnOutcome::Reduced);
    /// cc.on_acked(rtt, &packets[..1], None);
    /// assert_eq!((cc.window(), cc.metrics().epochs.marks), (6_000, 1));
    /// assert_eq!(cc.on_ecn(rtt, 2, None), EcnOutcome::Ignored); // of the same window
    /// ```
    pub fn on_ecn(&mut self, now: Duration, marks: u64, newest: Option<Sent>) -> EcnOutcome {
        let now_us = self.advance(now);
        let position = match newest {
            Some(newest) if self.knows(&newest) => Some(newest.position),
            Some(_) => None,
            None => self.acked_end.checked_sub(1),
        };
        let Some(position) = position.filter(|_| marks > 0) else { return EcnOutcome::Ignored };
        self.epochs.marks = self.epochs.marks.saturating_add(marks);
        let (next, begin) = (self.next, self.driver.recovery_end());
        let outcome = self.reducing(position, |driver| driver.on_ecn(now_us, position, next));
        if outcome != EcnOutcome::Ignored {
            self.losses.open(begin, None);
            self.epochs.by_ecn += 1;
        }
        self.keep_two_datagrams();
        outcome
    }

    /// Packets of so many bytes leave the flight without a word about the path: their keys were discarded, or 0-RTT was rejected
    /// (RFC 9002 §6.4).
    ///
    /// ```
    /// # use core::time::Duration;
    /// # use cwnd::{Configured, algorithms::reno::Reno, transport::*};
    /// # let (begin, rtt) = (Duration::ZERO, Duration::from_millis(50));
    /// # let mut cc = Transport::new(Configured::<Reno>::registered(), &Config::new(), begin);
    /// cc.on_sent(begin, 1200); // with keys that are discarded then
    /// cc.on_discarded(1200);
    /// assert_eq!(cc.in_flight(), 0);
    /// ```
    pub fn on_discarded(&mut self, bytes: u64) {
        self.leave_flight(bytes);
        self.show_flight();
    }
}
