// SPDX-License-Identifier: MIT OR Apache-2.0
//! A rule that sets its rate itself (`cong_control`): a window of a hundred segments, and 1 Mbit/s unless another is asked for.

use cwnd::params::ParamKind;
use cwnd::registry::{Recovery, Registered, Set};
use cwnd::{CongestionControl, Conn, RateSample};

cwnd::params! {
    /// Settings of the rule.
    pub struct PacParams {
        rate_bytes_per_s: ParamKind::Whole, "bytes/s", 1 => 1_000_000_000, "a test", "payload that is sent per second";
        step_bytes_per_s: ParamKind::Whole, "bytes/s", 0 => 1_000_000, "a test", "added at each call that sets it, and taken back at every eighth";
    }
}

cwnd::state! {
    /// State of the rule.
    pub struct Pac {
        calls: u32,
    }
}

impl Pac {
    fn set(&mut self, conn: &mut Conn, params: &PacParams) {
        self.calls = self.calls.wrapping_add(1);
        conn.cwnd = 100;
        let steps = u64::from(self.calls % 8);
        conn.pacing_rate = u64::from(params.rate_bytes_per_s) + steps * u64::from(params.step_bytes_per_s);
    }
}

impl Registered for Pac {
    const NAME: &'static str = "pac";
    const SUMMARY: &'static str = "a constant rate";
    const SETS: &'static [Set<PacParams>] = &[Set {
        name: "pac",
        summary: "1 Mbit/s",
        source: "a test",
        recovery: Recovery::Sack,
        params: PacParams { rate_bytes_per_s: 125_000, step_bytes_per_s: 0 },
    }];
}

impl CongestionControl for Pac {
    type Params = PacParams;

    fn init(&mut self, conn: &mut Conn, params: &PacParams) {
        self.calls = 0;
        self.set(conn, params);
    }

    fn ssthresh(&mut self, conn: &mut Conn, _params: &PacParams) -> u32 {
        conn.cwnd.max(2)
    }

    // Required, and never called: `cong_control` is.
    fn cong_avoid(&mut self, _conn: &mut Conn, _ack: u32, _acked: u32, _params: &PacParams) {}

    fn has_cong_control(&self) -> bool {
        true
    }

    fn cong_control(&mut self, conn: &mut Conn, _ack: u32, _flags: u32, _sample: &RateSample, params: &PacParams) {
        self.set(conn, params);
    }
}
