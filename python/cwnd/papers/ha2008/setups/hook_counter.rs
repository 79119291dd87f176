// SPDX-License-Identifier: MIT OR Apache-2.0
//! Standard TCP that counts the calls of its hooks: a module for the experiment of figure 2, built and loaded while it runs.

use cwnd::math::scale_x64k;
use cwnd::params::ParamKind;
use cwnd::registry::{Recovery, Registered, Set};
use cwnd::slow_start;
use cwnd::{AckSample, CaEvent, CaState, CongestionControl, Conn, Info};

cwnd::params! {
    /// Settings.
    pub struct HookCountParams {
        beta: ParamKind::Decimal, "", 6_554 => 64_881, "this experiment", "factor of the window kept after a loss";
    }
}

cwnd::state! {
    /// Counts of calls, and what they brought.
    pub struct HookCount {
        mask: u32,
        ssthreshs: u32,
        cong_avoids: u32,
        set_states: u32,
        undos: u32,
        acked: u32,
        rtt_us: u32,
        events: u32,
    }
}

impl Registered for HookCount {
    const NAME: &'static str = "hook_count";
    const SUMMARY: &'static str = "standard TCP that counts the calls of its hooks";
    const SETS: &'static [Set<HookCountParams>] = &[Set {
        name: "hook_count",
        summary: "one increase per window, half kept",
        source: "this experiment",
        recovery: Recovery::Sack,
        params: HookCountParams { beta: 32_768 },
    }];
}

impl CongestionControl for HookCount {
    type Params = HookCountParams;

    // [optional
    fn init(&mut self, _conn: &mut Conn, _params: &HookCountParams) {
        *self = Self::default();
    }

    fn release(&mut self, conn: &mut Conn, _params: &HookCountParams) {
        conn.ssthresh = 77;
    }

    fn min_cwnd(&self, conn: &Conn, _params: &HookCountParams) -> u32 {
        conn.ssthresh
    }

    fn set_state(&mut self, _conn: &mut Conn, new: CaState, _params: &HookCountParams) {
        self.set_states += 1;
        self.mask |= 1 << (new as u32);
    }

    fn cwnd_event(&mut self, _conn: &mut Conn, _event: CaEvent, _params: &HookCountParams) {
        self.events += 1;
    }

    fn undo_cwnd(&mut self, conn: &mut Conn, _params: &HookCountParams) -> u32 {
        self.undos += 1;
        conn.cwnd.max(conn.prior_cwnd)
    }

    fn pkts_acked(&mut self, _conn: &mut Conn, sample: &AckSample, _params: &HookCountParams) {
        self.acked += sample.pkts_acked;
        self.rtt_us = u32::try_from(sample.rtt_us).unwrap_or(self.rtt_us);
    }

    fn info(&self, _conn: &Conn, _params: &HookCountParams) -> Info {
        Info::of(&[
            ("mask", self.mask.into()),
            ("ssthreshs", self.ssthreshs.into()),
            ("cong_avoids", self.cong_avoids.into()),
            ("set_states", self.set_states.into()),
            ("undos", self.undos.into()),
            ("acked", self.acked.into()),
            ("rtt_us", self.rtt_us.into()),
            ("events", self.events.into()),
        ])
    }
    // optional]

    // [ssthresh
    fn ssthresh(&mut self, conn: &mut Conn, params: &HookCountParams) -> u32 {
        self.ssthreshs += 1;
        scale_x64k(conn.flight(), params.beta).max(2)
    }
    // ssthresh]

    // [cong_avoid
    fn cong_avoid(&mut self, conn: &mut Conn, _ack: u32, acked: u32, _params: &HookCountParams) {
        self.cong_avoids += 1;
        let mut acked = acked;
        if conn.in_slow_start() {
            acked = slow_start::standard(conn, acked);
        }
        let credit = conn.cwnd_cnt.saturating_add(acked);
        let window = conn.cwnd.max(1);
        conn.grow(credit / window);
        conn.cwnd_cnt = credit % window;
    }
    // cong_avoid]
}
