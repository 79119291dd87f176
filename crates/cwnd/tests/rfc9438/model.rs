// SPDX-License-Identifier: MIT OR Apache-2.0
//! The RFC's variables and rules in floating point; no code of ours.

/// β_cubic, C and α_cubic as kept. // RFC 9438 §4.6, §5.1, §4.3
const BETA: f64 = 45_875.0 / 65_536.0;
const C: f64 = 26_214.0 / 65_536.0;
pub const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);
/// What t and K are rounded to, s.
const DELTA: f64 = 1.0 / 1024.0;

/// What the model did with an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    SlowStart,
    /// §4.3; the window was set to W_est, or was above it and stayed.
    RenoFriendly {
        followed: bool,
    },
    /// §4.4, §4.5; the target before its limits, and within them.
    Cubic {
        target: f64,
        limited: f64,
    },
}

/// The RFC's variables, segments and seconds.
#[derive(Clone, Copy, Debug)]
pub struct Rfc {
    pub cwnd: f64,
    pub ssthresh: f64,
    /// §4.1; 0: no congestion event yet, or forgotten at a timeout.
    pub w_max: f64,
    /// Plateau of this stage: W_max, or the window where the stage began.
    pub plateau: f64,
    pub k: f64,
    pub w_est: f64,
    pub cwnd_prior: f64,
    /// Whether a congestion avoidance stage has begun, its age without pauses, and the last acknowledgement.
    pub in_stage: bool,
    pub t: f64,
    pub last: f64,
}

impl Rfc {
    pub fn new(cwnd: f64, ssthresh: f64) -> Self {
        let zero = 0.0;
        Self {
            cwnd,
            ssthresh,
            w_max: zero,
            plateau: zero,
            k: zero,
            w_est: zero,
            cwnd_prior: zero,
            in_stage: false,
            t: zero,
            last: zero,
        }
    }

    /// W_cubic(t) = C (t − K)³ + W_max. // §4.2, figure 1
    pub fn w_cubic(&self, t: f64) -> f64 {
        C * (t - self.k).powi(3) + self.plateau
    }

    /// By how much rounding t and K may move W_cubic(t).
    pub fn w_cubic_error(&self, t: f64) -> f64 {
        let d = (t - self.k).abs();
        C * (3.0 * d * d * DELTA + 3.0 * d * DELTA * DELTA + DELTA.powi(3)) + 2.0 / 65_536.0
    }

    pub fn begin_stage(&mut self) {
        self.in_stage = true;
        self.t = 0.0;
        self.w_est = self.cwnd; // §4.3
        if self.cwnd_prior == 0.0 {
            self.cwnd_prior = self.cwnd; // §4.10
        }
        if self.w_max > self.cwnd {
            self.plateau = self.w_max;
            self.k = ((self.w_max - self.cwnd) / C).cbrt(); // §4.2, figure 2
        } else {
            self.plateau = self.cwnd; // §4.8, §4.10
            self.k = 0.0;
        }
    }

    /// An acknowledgement of `n` segments while the window limits the flow.
    pub fn ack(&mut self, mut n: f64, now: f64, rtt: f64) -> Region {
        self.t += now - self.last;
        self.last = now;
        if self.cwnd < self.ssthresh {
            self.in_stage = false;
            let grown = n.min(self.ssthresh - self.cwnd); // §4.10
            self.cwnd += grown;
            n -= grown;
            if n <= 0.0 {
                return Region::SlowStart;
            }
        }
        if !self.in_stage {
            self.begin_stage();
        }
        let alpha = if self.w_est >= self.cwnd_prior { 1.0 } else { ALPHA };
        self.w_est += alpha * n / self.cwnd; // §4.3, figure 4
        if self.w_cubic(self.t) < self.w_est {
            let followed = self.w_est >= self.cwnd;
            self.cwnd = self.cwnd.max(self.w_est);
            return Region::RenoFriendly { followed };
        }
        let target = self.w_cubic(self.t + rtt);
        let limited = target.clamp(self.cwnd, 1.5 * self.cwnd); // §4.2
        self.cwnd += n * (limited - self.cwnd) / self.cwnd; // §4.4, §4.5
        Region::Cubic { target, limited }
    }

    /// A congestion event with `flight` segments out. // §4.6, §4.7, §4.8
    pub fn congestion(&mut self, flight: f64, timeout: bool) {
        self.w_max = if self.cwnd < self.w_max { self.cwnd * (1.0 + BETA) / 2.0 } else { self.cwnd };
        self.cwnd_prior = self.cwnd;
        self.ssthresh = (flight * BETA).max(2.0);
        self.cwnd = if timeout { 1.0 } else { self.ssthresh };
        self.in_stage = false;
    }
}
