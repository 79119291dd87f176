// SPDX-License-Identifier: MIT OR Apache-2.0
//! A rule that sets the window itself at every acknowledgement, in every state (`cong_control`): AIMD, which steps down at once.

use cwnd::params::ParamKind;
use cwnd::registry::{Recovery, Registered, Set};
use cwnd::{CaState, CongestionControl, Conn, RateSample};

cwnd::params! {
    /// Settings of the rule.
    pub struct SteerParams {
        divisor: ParamKind::Whole, "", 2 => 16, "a test", "part of the window that a loss takes: one of so many";
    }
}

cwnd::state! {
    /// State of the rule.
    pub struct Steer {
        calls: u32,
    }
}

impl Registered for Steer {
    const NAME: &'static str = "steer";
    const SUMMARY: &'static str = "AIMD by cong_control";
    const SETS: &'static [Set<SteerParams>] = &[Set {
        name: "steer",
        summary: "a quarter less after a loss",
        source: "a test",
        recovery: Recovery::Sack,
        params: SteerParams { divisor: 4 },
    }];
}

impl CongestionControl for Steer {
    type Params = SteerParams;

    fn ssthresh(&mut self, conn: &mut Conn, params: &SteerParams) -> u32 {
        (conn.cwnd - conn.cwnd / params.divisor.max(1)).max(2)
    }

    // Required, and never called: `cong_control` is.
    fn cong_avoid(&mut self, conn: &mut Conn, _ack: u32, _acked: u32, _params: &SteerParams) {
        conn.cwnd = 1;
    }

    fn has_cong_control(&self) -> bool {
        true
    }

    fn cong_control(&mut self, conn: &mut Conn, _ack: u32, _flags: u32, sample: &RateSample, _params: &SteerParams) {
        let acked = sample.acked_sacked;
        self.calls = self.calls.wrapping_add(1);
        if matches!(conn.ca_state, CaState::Recovery | CaState::Loss) {
            conn.cwnd = conn.cwnd.min(conn.ssthresh).max(2);
        } else if conn.cwnd < conn.ssthresh {
            conn.grow(acked);
        } else {
            let credit = conn.cwnd_cnt.saturating_add(acked);
            conn.grow(credit / conn.cwnd.max(1));
            conn.cwnd_cnt = credit % conn.cwnd.max(1);
        }
    }
}
