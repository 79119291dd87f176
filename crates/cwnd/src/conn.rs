// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a transport shows a congestion control algorithm: the fields of Linux's `tcp_sock` that its modules read.

use crate::hook_argument_types::with_fields;

/// `ssthresh` before anything has set it (Linux's `TCP_INFINITE_SSTHRESH`), in segments.
pub const INFINITE_SSTHRESH: u32 = 0x7fff_ffff;

/// The five states of a connection (Linux's `tcp_ca_state`; Ha, Rhee and Xu 2008, section 4.2). Exhaustive: there are these five.
///
/// ```
/// use cwnd::CaState;
///
/// assert_eq!((CaState::Open as u8, CaState::Loss as u8), (0, 4)); // Linux's numbers
/// assert_eq!(CaState::default(), CaState::Open);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum CaState {
    /// Nothing is wrong.
    #[default]
    Open = 0,
    /// Duplicate acknowledgements or SACKs arrived: loss or reordering, not yet decided.
    Disorder = 1,
    /// The window is being reduced without a loss (ECN echo, local congestion).
    Cwr = 2,
    /// Fast retransmit and fast recovery.
    Recovery = 3,
    /// Recovery after a retransmission timeout.
    Loss = 4,
}

impl CaState {
    /// The state with Linux's number `n`; an unknown number reads as [`CaState::Open`].
    ///
    /// ```
    /// use cwnd::CaState;
    ///
    /// assert_eq!(CaState::from_u8(3), CaState::Recovery);
    /// assert_eq!(CaState::from_u8(5), CaState::Open); // no state has it
    /// ```
    #[inline]
    #[must_use]
    pub const fn from_u8(n: u8) -> Self {
        match n {
            1 => Self::Disorder,
            2 => Self::Cwr,
            3 => Self::Recovery,
            4 => Self::Loss,
            _ => Self::Open,
        }
    }
}

/// Whether this connection's packets are paced, and by what (Linux's `sk_pacing`).
///
/// ```
/// use cwnd::{Conn, PacingStatus};
///
/// assert_eq!(Conn::new(1448, 10).pacing_status, PacingStatus::None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[repr(u8)]
#[non_exhaustive]
pub enum PacingStatus {
    /// Packets leave back to back as the window opens.
    #[default]
    None = 0,
    /// The transport itself paces.
    Needed = 1,
    /// A queue discipline (`fq`) paces.
    Fq = 2,
}

with_fields! {
    /// The connection as an algorithm sees it.
    ///
    /// Hooks may write `cwnd`, `cwnd_cnt`, `ssthresh`, `pacing_rate` and `app_limited`, nothing else: these are the fields that the
    /// kernel lets a BPF program write. Windows are in segments, times in the unit that their name carries.
    ///
    /// Not `#[non_exhaustive]`, so that a test can write `Conn { cwnd: 20, ..Conn::new(1448, 10) }`: as long as a literal ends like this, a new
    /// field breaks nothing.
    ///
    /// ```
    /// use cwnd::Conn;
    ///
    /// let conn = Conn { ssthresh: 20, packets_out: 12, ..Conn::new(1448, 10) };
    /// assert_eq!((conn.in_slow_start(), conn.flight()), (true, 10));
    /// // Name, Rust's type and offset of each field.
    /// assert_eq!(Conn::FIELDS[3], ("ticks", "u32", 24));
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    #[repr(C)]
    pub struct Conn {
        /// The connection's clock, µs; wraps never (64 bits) and has no defined origin. [`Conn::set_now`] sets it.
        pub now_us: u64,
        /// Packets delivered so far, retransmissions counted once.
        pub delivered: u64,
        /// Pacing rate, bytes of payload per second; `u64::MAX` when unset. Writable, and followed where packets are
        /// paced: for an algorithm with `cong_control` always, for others where the scenario or the system asks for it.
        pub pacing_rate: u64,
        /// The kernel's tick counter (jiffies), wrapping. [`Conn::set_now`] moves it.
        pub ticks: u32,
        /// Ticks per second.
        pub tick_hz: u32,
        /// Tick of the last transmission.
        pub lsndtime_ticks: u32,
        /// Payload bytes of a full segment.
        pub mss: u32,
        /// Oldest unacknowledged sequence number, bytes, wrapping.
        pub snd_una: u32,
        /// Next sequence number to send, bytes, wrapping.
        pub snd_nxt: u32,
        /// Segments sent and not yet cumulatively acknowledged (RFC 9438's flight size). Behind a [`crate::driver::Driver`] whose
        /// transport leaves out lost data ([`crate::driver::Flight::Pipe`]) it is what is in flight, and in `ssthresh` what was.
        pub packets_out: u32,
        /// Segments thought to be in the network (RFC 6675's pipe).
        pub in_flight: u32,
        /// Largest `packets_out` of the last window.
        pub max_packets_out: u32,
        /// Congestion window, segments. Writable.
        pub cwnd: u32,
        /// Progress towards the next increment of `cwnd`; each algorithm chooses the unit. A reduction clears it. Writable.
        pub cwnd_cnt: u32,
        /// Slow start threshold, segments. Writable.
        pub ssthresh: u32,
        /// `cwnd` before the last reduction.
        pub prior_cwnd: u32,
        /// Upper limit of `cwnd`.
        pub cwnd_clamp: u32,
        /// Smoothed round trip time × 8, µs; 0 before the first sample.
        pub srtt_us8: u32,
        /// Smallest round trip time seen, µs; 0 before the first sample.
        pub min_rtt_us: u32,
        /// When data was last delivered, or first sent after nothing was out, low 32 bits of µs. Kept where rates are sampled
        /// ([`crate::driver::RateSampler`]).
        pub delivered_us: u32,
        /// When the newest of the delivered packets was sent, or the first after nothing was out, low 32 bits of µs. Kept where rates are sampled.
        pub first_sent_us: u32,
        /// Segments delivered so far with a congestion mark, wrapping. Kept where rates are sampled.
        pub delivered_ce: u32,
        /// Segments that were thought to be lost so far, wrapping. Kept where rates are sampled.
        pub lost: u32,
        /// `delivered` up to which the application limits the samples of the rate; 0 when it does not. Writable.
        pub app_limited: u32,
        /// How far pacing has already planned, µs from now: a packet that is written now leaves so much later. Only a kernel says it; 0 elsewhere.
        pub paced_ahead_us: u32,
        /// A word of randomness, another at each call. Only a kernel gives one, to algorithms with `cong_control`; 0 elsewhere.
        pub random: u32,
        /// Largest burst that the network card takes at once, bytes.
        pub gso_max_size: u32,
        /// Whether the window, rather than the application, held back the sender in the last window of data.
        pub is_cwnd_limited: bool,
        /// State of the connection's loss recovery.
        pub ca_state: CaState,
        /// Who paces.
        pub pacing_status: PacingStatus,
        /// A burst lasts 2^-`pacing_shift` s at the pacing rate, at most.
        pub pacing_shift: u8,
    }
}

/// Whole ticks of a clock of `hz` until `now_us`.
const fn ticks_at(now_us: u64, hz: u32) -> u64 {
    let hz = hz as u64;
    (now_us / 1_000_000).wrapping_mul(hz).wrapping_add(now_us % 1_000_000 * hz / 1_000_000)
}

/// Ticks of a clock of `hz` from one time to another. Not inlined: clocks of 1 kHz do not need it.
#[inline(never)]
const fn ticks_between(from_us: u64, to_us: u64, hz: u32) -> u64 {
    match hz {
        250 => (to_us / 4000).wrapping_sub(from_us / 4000),
        hz => ticks_at(to_us, hz).wrapping_sub(ticks_at(from_us, hz)),
    }
}

impl Conn {
    /// A connection that has sent nothing: window `cwnd` segments, infinite `ssthresh`, no RTT sample.
    ///
    /// ```
    /// use cwnd::{Conn, INFINITE_SSTHRESH};
    ///
    /// let conn = Conn::new(1448, 10);
    /// assert_eq!((conn.mss, conn.cwnd, conn.ssthresh), (1448, 10, INFINITE_SSTHRESH));
    /// ```
    #[must_use]
    pub const fn new(mss: u32, cwnd: u32) -> Self {
        Self {
            now_us: 0,
            delivered: 0,
            pacing_rate: u64::MAX,
            ticks: 0,
            tick_hz: 1000,
            lsndtime_ticks: 0,
            mss,
            snd_una: 0,
            snd_nxt: 0,
            packets_out: 0,
            in_flight: 0,
            max_packets_out: 0,
            cwnd,
            cwnd_cnt: 0,
            ssthresh: INFINITE_SSTHRESH,
            prior_cwnd: 0,
            cwnd_clamp: u32::MAX,
            srtt_us8: 0,
            min_rtt_us: 0,
            delivered_us: 0,
            first_sent_us: 0,
            delivered_ce: 0,
            lost: 0,
            app_limited: 0,
            paced_ahead_us: 0,
            random: 0,
            gso_max_size: 65_536,
            is_cwnd_limited: false,
            ca_state: CaState::Open,
            pacing_status: PacingStatus::None,
            pacing_shift: 10,
        }
    }

    /// Sets the clock to `now_us`; the tick counter moves on with it. The one place where either changes.
    ///
    /// ```
    /// let mut conn = cwnd::Conn { tick_hz: 250, ..cwnd::Conn::new(1448, 10) };
    /// conn.set_now(10_000); // 10 ms, two whole ticks of 4 ms
    /// assert_eq!((conn.now_us, conn.ticks), (10_000, 2));
    /// ```
    #[inline]
    pub const fn set_now(&mut self, now_us: u64) {
        if now_us == self.now_us {
            return;
        }
        let passed = match self.tick_hz {
            1000 => (now_us / 1000).wrapping_sub(self.now_us / 1000),
            hz => ticks_between(self.now_us, now_us, hz),
        };
        self.ticks = self.ticks.wrapping_add(passed as u32);
        self.now_us = now_us;
    }

    /// The clock's low 32 bits, µs: what an algorithm's state keeps. Differences are good for 71 minutes.
    ///
    /// ```
    /// let mut conn = cwnd::Conn::new(1448, 10);
    /// conn.set_now((1 << 32) + 7);
    /// assert_eq!(conn.now_us32(), 7);
    /// ```
    #[inline]
    #[must_use]
    pub const fn now_us32(&self) -> u32 {
        self.now_us as u32
    }

    /// Whether the window is below the slow start threshold (RFC 5681 §3.1: either rule serves when they are equal).
    ///
    /// ```
    /// use cwnd::Conn;
    ///
    /// assert!(Conn::new(1448, 10).in_slow_start());
    /// assert!(!Conn { ssthresh: 10, ..Conn::new(1448, 10) }.in_slow_start());
    /// ```
    #[inline]
    #[must_use]
    pub const fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Whether the window limits the sender, so that growing it is backed by traffic. In slow start a flow that used
    /// half its window counts (RFC 7661's rationale; Linux's `tcp_is_cwnd_limited`).
    ///
    /// ```
    /// use cwnd::Conn;
    ///
    /// let conn = Conn { max_packets_out: 6, ..Conn::new(1448, 10) };
    /// assert!(conn.cwnd_limited()); // slow start, and 10 < 2 × 6
    /// assert!(!Conn { ssthresh: 10, ..conn }.cwnd_limited());
    /// ```
    #[inline]
    #[must_use]
    pub const fn cwnd_limited(&self) -> bool {
        self.is_cwnd_limited || (self.in_slow_start() && (self.cwnd as u64) < 2 * self.max_packets_out as u64)
    }

    /// Flight size for a window reduction: what is out, without the segments that limited transmit added on top of
    /// the window (RFC 5681 §3.2 step 2, RFC 9438 §4.6).
    ///
    /// ```
    /// use cwnd::Conn;
    ///
    /// assert_eq!(Conn { packets_out: 12, ..Conn::new(1448, 10) }.flight(), 10); // two by limited transmit
    /// assert_eq!(Conn { packets_out: 8, ..Conn::new(1448, 10) }.flight(), 8);
    /// ```
    #[inline]
    #[must_use]
    pub fn flight(&self) -> u32 {
        self.packets_out.min(self.cwnd)
    }

    /// Adds `n` segments to the window, up to the clamp.
    ///
    /// ```
    /// let mut conn = cwnd::Conn { cwnd_clamp: 12, ..cwnd::Conn::new(1448, 10) };
    /// conn.grow(5);
    /// assert_eq!(conn.cwnd, 12);
    /// ```
    #[inline]
    pub fn grow(&mut self, n: u32) {
        self.cwnd = self.cwnd.saturating_add(n).min(self.cwnd_clamp);
    }
}
