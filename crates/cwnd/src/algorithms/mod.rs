// SPDX-License-Identifier: MIT OR Apache-2.0
//! One file per algorithm, and two lines here; each published form of one is a parameter set in its file.

pub mod bic;
pub mod cubic;
pub mod fast;
pub mod highspeed;
pub mod htcp;
pub mod hybla;
pub mod illinois;
pub mod reno;
pub mod scalable;
pub mod sqrt;
pub mod vegas;
pub mod veno;
pub mod westwood;
pub mod yeah;

/// Lists every algorithm for other macros: `for_each_algorithm!(m)` expands to `m! { Name: path::Type, "name"; … }`.
///
/// ```
/// macro_rules! names {
///     ($($name:ident: $type:path, $string:literal;)+) => { const NAMES: &[&str] = &[$($string),+]; };
/// }
/// cwnd::for_each_algorithm!(names);
/// assert_eq!(NAMES[..2], ["reno", "cubic"]);
/// ```
#[macro_export]
macro_rules! for_each_algorithm {
    ($callback:path) => {
        $callback! {
            Reno: $crate::algorithms::reno::Reno, "reno";
            Cubic: $crate::algorithms::cubic::Cubic, "cubic";
            CubicLinux: $crate::algorithms::cubic::linux::CubicLinux, "cubic-linux";
            Bic: $crate::algorithms::bic::Bic, "bic";
            HighSpeed: $crate::algorithms::highspeed::HighSpeed, "highspeed";
            Fast: $crate::algorithms::fast::Fast, "fast";
            Illinois: $crate::algorithms::illinois::Illinois, "illinois";
            Scalable: $crate::algorithms::scalable::Scalable, "scalable";
            Sqrt: $crate::algorithms::sqrt::Sqrt, "sqrt";
            Vegas: $crate::algorithms::vegas::Vegas, "vegas";
            Westwood: $crate::algorithms::westwood::Westwood, "westwood";
            Veno: $crate::algorithms::veno::Veno, "veno";
            Htcp: $crate::algorithms::htcp::Htcp, "htcp";
            Hybla: $crate::algorithms::hybla::Hybla, "hybla-growth";
            Yeah: $crate::algorithms::yeah::Yeah, "yeah";
        }
    };
}

use crate::conn::Conn;
use crate::slow_start;

/// Names of the ways to count an acknowledgement, in the order of their numbers.
pub const COUNT_NAMES: &[&str] = &["segments", "acks"];
/// Every acknowledged segment counts (RFC 3465, RFC 9438, Linux).
pub const COUNT_SEGMENTS: u32 = 0;
/// Every acknowledgement counts once, whatever it acknowledges (RFC 5681 eq 3, and the papers' years).
pub const COUNT_ACKS: u32 = 1;

/// What an acknowledgement of `acked` segments is worth in congestion avoidance.
#[inline]
pub(crate) const fn counted(count: u32, acked: u32) -> u32 {
    if count == COUNT_ACKS && acked > 0 { 1 } else { acked }
}

/// Names of what a reduction multiplies, in the order of their numbers.
pub const REDUCE_NAMES: &[&str] = &["flight", "cwnd"];
/// What is in flight (RFC 5681 §3.1, RFC 9438 §4.6).
pub const FROM_FLIGHT: u32 = 0;
/// The window (Linux, and the papers).
pub const FROM_CWND: u32 = 1;

/// Additive increase: one segment for every `window` segments acknowledged, so `window = conn.cwnd` is one segment per round
/// trip. `cwnd_cnt` holds the remainder, in segments. // RFC 5681 §3.1 eq 3, RFC 3465 §2.1
///
/// The caller asks [`Conn::cwnd_limited`] first, and spends what slow start has left over ([`slow_start::standard`]):
///
/// ```
/// # use cwnd::{Conn, algorithms::additive_increase, slow_start};
/// # fn cong_avoid(conn: &mut Conn, mut acked: u32) {
/// if !conn.cwnd_limited() {
///     return;
/// }
/// if conn.in_slow_start() {
///     acked = slow_start::standard(conn, acked);
///     if acked == 0 {
///         return;
///     }
/// }
/// let window = conn.cwnd;
/// additive_increase(conn, window, acked);
/// # }
/// // 9 acknowledged segments of 10 are credit, the tenth is the growth.
/// let mut conn = Conn { is_cwnd_limited: true, ssthresh: 2, ..Conn::new(1448, 10) };
/// cong_avoid(&mut conn, 9);
/// assert_eq!((conn.cwnd, conn.cwnd_cnt), (10, 9));
/// cong_avoid(&mut conn, 1);
/// assert_eq!((conn.cwnd, conn.cwnd_cnt), (11, 0));
/// // Credit of a larger window is worth one segment at a smaller one.
/// let mut conn = Conn { is_cwnd_limited: true, ssthresh: 2, cwnd_cnt: 479, ..Conn::new(1448, 10) };
/// cong_avoid(&mut conn, 1);
/// assert_eq!((conn.cwnd, conn.cwnd_cnt), (11, 1));
/// ```
pub fn additive_increase(conn: &mut Conn, window: u32, acked: u32) {
    let window = window.max(1);
    // Credit gathered at a larger window is worth one segment here, not a burst.
    if conn.cwnd_cnt >= window {
        conn.cwnd_cnt = 0;
        conn.grow(1);
    }
    let credit = conn.cwnd_cnt.saturating_add(acked);
    conn.grow(credit / window);
    conn.cwnd_cnt = credit % window;
}

/// Grows by `growth_x16m` (1/2²⁴) segments per round trip, at most by one per acknowledged segment. `cwnd_cnt` holds the
/// fraction of a segment, in 1/2³².
pub(crate) fn grow_per_rtt(conn: &mut Conn, growth_x16m: u64, acked: u32) {
    const ONE: u64 = 1 << 32;
    let per_segment = ((growth_x16m << 8) / u64::from(conn.cwnd.max(1))).min(ONE);
    let sum = per_segment * u64::from(acked) + u64::from(conn.cwnd_cnt); // below 2⁶⁴: (2³² − 1)(2³² + 1)
    conn.grow((sum >> 32) as u32);
    conn.cwnd_cnt = sum as u32;
}

/// Standard TCP's growth, for algorithms that are it in part: slow start, then [`additive_increase`] by a segment per
/// round trip, while the window limits the flow. // RFC 5681 §3.1
///
/// ```
/// use cwnd::{Conn, algorithms::standard};
///
/// let mut conn = Conn { is_cwnd_limited: true, ssthresh: 12, ..Conn::new(1448, 10) };
/// standard(&mut conn, 8); // two segments of slow start, six of credit
/// assert_eq!((conn.cwnd, conn.cwnd_cnt), (12, 6));
/// standard(&mut conn, 6);
/// assert_eq!((conn.cwnd, conn.cwnd_cnt), (13, 0));
/// ```
pub fn standard(conn: &mut Conn, acked: u32) {
    if !conn.cwnd_limited() {
        return;
    }
    let mut acked = acked;
    if conn.in_slow_start() {
        acked = slow_start::standard(conn, acked);
        if acked == 0 {
            return;
        }
    }
    let window = conn.cwnd;
    additive_increase(conn, window, acked);
}
