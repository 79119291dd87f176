// SPDX-License-Identifier: MIT OR Apache-2.0
//! Traces of delivery opportunities, in the format of Mahimahi (Netravali et al. 2015, USENIX ATC; manual page mm-link(1)).
//!
//! One whole number of milliseconds per line, never falling: at that time the link can deliver 1500 bytes. Equal lines add
//! up. Bytes are counted, not packets: several small packets leave in one opportunity, a large one takes as many as it
//! needs, and what is left of an opportunity carries the beginning of the next packet. An opportunity is wasted on bytes
//! that are not queued at its instant. At its last line the trace begins again, so that line's time is the period.
//!
//! Where this leaves room, we do as Mahimahi does: a packet that arrives at the very instant of an opportunity has missed it;
//! an opportunity at 0 ms is in every round but unreachable in the first. Mahimahi's own packets are larger by the TUN
//! header of 4 bytes, and so are its opportunities; ours are of the 1500 bytes that its manual names.

use std::fmt;
use std::sync::Arc;

/// Bytes that one line of a trace delivers.
pub const OPPORTUNITY_BYTES: u64 = 1500;

pub(crate) const NS_PER_MS: u64 = 1_000_000;

/// A trace of delivery opportunities. Copies share their memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Times, rising, and how many opportunities there are at each.
    entries: Arc<[TraceEntry]>,
    opportunities: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct TraceEntry {
    ms: u32,
    count: u32,
}

/// What is wrong with a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceError {
    /// Line, from 1.
    pub line: usize,
    /// The text of the line.
    pub value: String,
    /// What was expected.
    pub expected: String,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {:?}: expected {}", self.line, self.value, self.expected)
    }
}

impl std::error::Error for TraceError {}

impl Trace {
    /// Reads a trace file's text.
    ///
    /// # Errors
    /// [`TraceError`] with the line: no whole number, a time that falls, no line at all, or a last time of 0.
    pub fn parse(text: &str) -> Result<Self, TraceError> {
        let error = |line: usize, value: &str, expected: String| TraceError {
            line,
            value: value.chars().take(40).collect(),
            expected,
        };
        let mut entries: Vec<TraceEntry> = Vec::new();
        let mut opportunities = 0;
        let mut last = (1, "");
        for (index, value) in text.lines().enumerate() {
            last = (index + 1, value);
            let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
            let ms: u32 = value.parse().ok().filter(|_| digits).ok_or_else(|| {
                error(index + 1, value, "a whole number of milliseconds below 2^32".to_owned())
            })?;
            match entries.last_mut() {
                Some(entry) if ms < entry.ms => {
                    return Err(error(
                        index + 1,
                        value,
                        format!("at least the {} of the previous line", entry.ms),
                    ));
                }
                Some(entry) if ms == entry.ms && entry.count < u32::MAX => entry.count += 1,
                _ => entries.push(TraceEntry { ms, count: 1 }),
            }
            opportunities += 1;
        }
        if entries.last().is_none_or(|entry| entry.ms == 0) {
            return Err(error(
                last.0,
                last.1,
                "a last line above 0, the trace's period in milliseconds".to_owned(),
            ));
        }
        Ok(Self { entries: entries.into(), opportunities })
    }

    /// Time after which the trace repeats, ns.
    #[must_use]
    pub fn period(&self) -> u64 {
        self.entries.last().map_or(1, |entry| u64::from(entry.ms).max(1)) * NS_PER_MS
    }

    /// Opportunities, that is lines, of one period.
    #[must_use]
    pub const fn opportunities(&self) -> u64 {
        self.opportunities
    }

    /// The times of opportunities within a period, ns, rising, and how many there are at each.
    pub fn times(&self) -> impl Iterator<Item = (u64, u32)> {
        self.entries.iter().map(|entry| (u64::from(entry.ms) * NS_PER_MS, entry.count))
    }

    /// Mean rate over a period, bit/s, rounded down, at least 1.
    #[must_use]
    pub fn mean_rate(&self) -> u64 {
        let bits = u128::from(self.opportunities) * u128::from(OPPORTUNITY_BYTES) * 8;
        (bits * 1_000_000_000 / u128::from(self.period())).clamp(1, u128::from(u64::MAX)) as u64
    }
}

/// The running position in a trace.
#[derive(Clone, Debug)]
pub(crate) struct Opportunities {
    trace: Trace,
    /// When the present round began, ns.
    round: u64,
    index: usize,
    /// Bytes not yet used of the opportunities at the present time.
    left: u64,
}

impl Opportunities {
    pub fn new(trace: Trace) -> Self {
        let left = trace.entries.first().map_or(0, |entry| u64::from(entry.count) * OPPORTUNITY_BYTES);
        Self { trace, round: 0, index: 0, left }
    }

    fn entry(&self) -> TraceEntry {
        self.trace.entries.get(self.index).copied().unwrap_or(TraceEntry { ms: 0, count: 0 })
    }

    fn time(&self) -> u64 {
        self.round + u64::from(self.entry().ms) * NS_PER_MS
    }

    fn next(&mut self) {
        self.index += 1;
        if self.index == self.trace.entries.len() {
            self.index = 0;
            self.round += self.trace.period();
        }
        self.left = u64::from(self.entry().count) * OPPORTUNITY_BYTES;
    }

    /// Wastes every opportunity up to `now`, itself included.
    pub fn waste_until(&mut self, now: u64) {
        if self.time() > now {
            return;
        }
        self.next();
        if self.time() > now {
            return;
        }
        // Further away: the round by division, the place in it by bisection. The last time of a round is its end, and
        // `now` lies before that, so there is a later one.
        let period = self.trace.period();
        self.round = now / period * period;
        let within = now - self.round;
        self.index = self.trace.entries.partition_point(|entry| u64::from(entry.ms) * NS_PER_MS <= within);
        self.left = u64::from(self.entry().count) * OPPORTUNITY_BYTES;
    }

    /// When the next bytes can be sent, ns; with `idle_at`, when every opportunity up to then is wasted first.
    pub fn next_at(&self, idle_at: Option<u64>) -> u64 {
        let mut ahead = self.clone();
        if let Some(now) = idle_at {
            ahead.waste_until(now);
        }
        while ahead.left == 0 {
            ahead.next();
        }
        ahead.time()
    }

    /// Uses `size` bytes: when the first and when the last of them leave.
    pub fn take(&mut self, size: u32) -> (u64, u64) {
        let mut size = u64::from(size).max(1);
        while self.left == 0 {
            self.next();
        }
        let begins = self.time();
        while size > self.left {
            size -= self.left;
            self.next();
        }
        self.left -= size;
        (begins, self.time())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        Trace::parse(text).expect_err("refused").to_string()
    }

    #[test]
    fn what_is_no_trace_is_refused_with_line_value_and_expectation() {
        assert_eq!(
            refusal("1\n2\nthree\n"),
            "line 3: \"three\": expected a whole number of milliseconds below 2^32"
        );
        assert_eq!(refusal("1\n\n3"), "line 2: \"\": expected a whole number of milliseconds below 2^32");
        assert_eq!(refusal("5\n4"), "line 2: \"4\": expected at least the 5 of the previous line");
        let period = "expected a last line above 0, the trace's period in milliseconds";
        assert_eq!(refusal(""), format!("line 1: \"\": {period}"));
        assert_eq!(refusal("0\n0"), format!("line 2: \"0\": {period}"));
        for text in ["-1", "+1", "1.5", "1 ", "4294967296"] {
            assert!(refusal(text).starts_with("line 1: "), "{text:?}");
        }
    }

    // Four lines in 5 ms: 4 × 12 000 bits / 5 ms = 9.6 Mbit/s. Windows line ends are read too.
    #[test]
    fn the_last_line_is_the_period() {
        let trace = Trace::parse("1\r\n1\r\n3\r\n5\r\n").expect("a trace");
        assert_eq!((trace.opportunities(), trace.period(), trace.mean_rate()), (4, 5_000_000, 9_600_000));
    }

    #[test]
    fn wasting_goes_to_the_first_opportunity_after_any_instant() {
        let trace = Trace::parse("0\n2\n2\n7").expect("a trace");
        for now in [0, 1, 1_999_999, 2_000_000, 6_999_999, 7_000_000, 8_999_999, 9_000_000, 700_000_003] {
            let mut jumped = Opportunities::new(trace.clone());
            jumped.waste_until(now);
            let mut walked = Opportunities::new(trace.clone());
            while walked.time() <= now {
                walked.next();
            }
            assert_eq!((jumped.time(), jumped.left), (walked.time(), walked.left), "{now}");
        }
    }
}
