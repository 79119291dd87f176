// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random histories: what a transport may do to an algorithm, and the promises that are checked after each step.

use cwnd::registry::SetDescription;
use cwnd::{
    ACK_SLOW_PATH, ACK_WINDOW_UPDATE, ACKED_DATA, ADVANCED, AckSample, CaEvent, CaState, Conn, Controller,
    PacingStatus, RateSample,
};
use proptest::prelude::*;

/// A promise that holds whatever a transport does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContractPromise {
    /// The window never shrinks on an ACK. Rows GV2, NG3, RF2, LQ1.
    NeverShrinksOnAnAck,
    /// It does not grow while the application limits the flow. Rows Q1, G1, MV1, NX1.
    NoGrowthWhileApplicationLimited,
    /// An ACK grows it by no more than one segment for each acknowledged, and one from credit. Rows F1, L1.
    GrowthIsBackedByAcknowledgements,
    /// It is at least one segment, and `ssthresh` after a loss at least two. Row X5.
    NeverBelowItsFloor,
    /// A loss does not raise the threshold beyond the window.
    ALossNeverRaises,
    /// The threshold after a loss is at least half of what was in flight (half of the window, if that is less); [`ContractRun::kept`] says
    /// another part where the settings do.
    ALossKeepsAHalf,
    /// Undo returns to the window before the reduction at most, and takes nothing. Row RF5.
    UndoNeitherTakesNorInvents,
    /// No hook grows the window beyond `cwnd_clamp`. Row HA1.
    TheClampHolds,
    /// Hooks write `cwnd`, `cwnd_cnt`, `ssthresh` and `pacing_rate`, nothing else of the connection.
    HooksKeepToTheirFields,
}

/// Which algorithms a promise is asked of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskedOf {
    /// All of them.
    Every,
    /// Those whose window acknowledgements grow and losses cut.
    WindowBased,
    /// Those that set window and rate themselves (`cong_control`).
    RateBased,
}

impl AskedOf {
    /// Whether the promise is asked of algorithms with `cong_control`, or of those without.
    #[must_use]
    pub const fn includes(self, has_cong_control: bool) -> bool {
        match self {
            Self::Every => true,
            Self::WindowBased => !has_cong_control,
            Self::RateBased => has_cong_control,
        }
    }
}

impl ContractPromise {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::NeverShrinksOnAnAck,
        Self::NoGrowthWhileApplicationLimited,
        Self::GrowthIsBackedByAcknowledgements,
        Self::NeverBelowItsFloor,
        Self::ALossNeverRaises,
        Self::ALossKeepsAHalf,
        Self::UndoNeitherTakesNorInvents,
        Self::TheClampHolds,
        Self::HooksKeepToTheirFields,
    ];

    /// Its name, as `cwnd check --except` takes it.
    #[must_use]
    pub fn name(self) -> String {
        format!("{self:?}")
    }

    /// Whose promise it is. Most are about a window that acknowledgements grow and losses cut; an algorithm with `cong_control` sets its
    /// window by other rules.
    #[must_use]
    pub const fn asked_of(self) -> AskedOf {
        match self {
            Self::NeverShrinksOnAnAck
            | Self::NoGrowthWhileApplicationLimited
            | Self::GrowthIsBackedByAcknowledgements
            | Self::ALossNeverRaises
            | Self::ALossKeepsAHalf => AskedOf::WindowBased,
            Self::NeverBelowItsFloor
            | Self::UndoNeitherTakesNorInvents
            | Self::TheClampHolds
            | Self::HooksKeepToTheirFields => AskedOf::Every,
        }
    }

    /// What it promises, for people.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::NeverShrinksOnAnAck => "the window never shrinks on an ACK",
            Self::NoGrowthWhileApplicationLimited => {
                "the window does not grow while the application limits the flow"
            }
            Self::GrowthIsBackedByAcknowledgements => {
                "an ACK grows the window by one segment for each acknowledged at most, and one from credit"
            }
            Self::NeverBelowItsFloor => {
                "the window is at least one segment, ssthresh after a loss at least two"
            }
            Self::ALossNeverRaises => "a loss does not raise the threshold beyond the window",
            Self::ALossKeepsAHalf => {
                "a loss keeps at least half of what was in flight, or of a smaller window"
            }
            Self::UndoNeitherTakesNorInvents => "undo returns to at most the window before the reduction",
            Self::TheClampHolds => "no hook grows the window beyond cwnd_clamp",
            Self::HooksKeepToTheirFields => {
                "hooks write cwnd, cwnd_cnt, ssthresh and pacing_rate, nothing else"
            }
        }
    }
}

/// One thing that a transport does.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the fields' units are in their names")]
pub enum Step {
    /// Time passes, an ACK with its RTT arrives.
    Ack { after_us: u64, acked: u32, rtt_us: i32, limited: bool },
    /// A window reduction; `timeout` for the harder one. In flight are `flight` + 1 parts in 256 of the window.
    Loss { timeout: bool, flight: u8 },
    /// The last reduction was a mistake.
    Undo,
    /// Nothing was sent for a while.
    Idle { us: u64 },
    /// The clock jumps back.
    Back { us: u64 },
    /// One of `CaEvent`, by number.
    Event { number: u8 },
    /// An ACK's flags, of whatever kind.
    InAck { flags: u32 },
    /// Disorder, or its end.
    Disorder,
    /// The transport sets the window by itself (idle restart, proportional rate reduction).
    Window { cwnd: u32 },
}

/// Any step; acknowledgements most often.
pub fn step() -> impl Strategy<Value = Step> {
    let rtt = prop_oneof![Just(-1), Just(0), Just(1), 1..10_000_000_i32, Just(i32::MAX)];
    let gap = prop_oneof![Just(0_u64), 1..1_000_000_u64, Just(3_600_000_000_u64)];
    let window = prop_oneof![1..100_u32, 1..1_000_000_u32, Just(1 << 30)];
    prop_oneof![
        40 => (gap, 1..400_u32, rtt, prop::bool::weighted(0.7))
            .prop_map(|(after_us, acked, rtt_us, limited)| Step::Ack { after_us, acked, rtt_us, limited }),
        4 => (prop::bool::weighted(0.3), any::<u8>()).prop_map(|(timeout, flight)| Step::Loss { timeout, flight }),
        1 => Just(Step::Undo),
        2 => (0..100_000_000_000_u64).prop_map(|us| Step::Idle { us }),
        1 => (0..10_000_000_u64).prop_map(|us| Step::Back { us }),
        1 => (0..6_u8).prop_map(|number| Step::Event { number }),
        2 => any::<u32>().prop_map(|flags| Step::InAck { flags }),
        1 => Just(Step::Disorder),
        1 => window.prop_map(|cwnd| Step::Window { cwnd }),
    ]
}

/// A connection to begin with: windows to 2³⁰, any segment, any clock, clamped or not.
pub fn conn() -> impl Strategy<Value = Conn> {
    let window = prop_oneof![3 => 1..200_u32, 2 => 1..100_000_u32, 1 => 1..=1_u32 << 30];
    let clock = prop_oneof![Just(0_u64), Just((1 << 32) - 2_000_000), 0..1_u64 << 50];
    let mss = prop_oneof![Just(1448_u32), Just(536), Just(1), Just(9000)];
    let hz = prop_oneof![Just(1000_u32), Just(250), Just(100)];
    (window, clock, any::<u32>(), any::<bool>(), mss, hz, 0..3_u8).prop_map(
        |(cwnd, now_us, ticks, clamped, mss, tick_hz, pacing)| Conn {
            now_us,
            ticks,
            tick_hz,
            cwnd_clamp: if clamped { cwnd.saturating_mul(2) } else { 1 << 30 },
            pacing_status: match pacing {
                0 => PacingStatus::None,
                1 => PacingStatus::Needed,
                _ => PacingStatus::Fq,
            },
            ..Conn::new(mss, cwnd)
        },
    )
}

/// An algorithm, its connection, and the promises that it has broken so far.
#[derive(Debug)]
pub struct ContractRun {
    /// The algorithm.
    pub cc: Controller,
    /// Its connection.
    pub conn: Conn,
    /// Broken promises, each with what was seen.
    pub broken: Vec<(ContractPromise, String)>,
    /// What a loss has to keep, a fraction.
    pub kept: f64,
}

impl ContractRun {
    /// An instance of `set`, initialised on `conn`.
    #[must_use]
    pub fn begin(set: &SetDescription, conn: Conn) -> Self {
        Self::with(set.controller().expect("listed"), conn)
    }

    /// The same with a given controller.
    pub fn with(cc: Controller, conn: Conn) -> Self {
        let mut play = Self { cc, conn, broken: Vec::new(), kept: 0.5 };
        play.hook(|cc, conn| cc.init(conn));
        play
    }

    fn expect(&mut self, promise: ContractPromise, kept: bool, what: impl Fn() -> String) {
        if !kept {
            self.broken.push((promise, what()));
        }
    }

    /// Calls a hook and looks at what it wrote.
    fn hook<R>(&mut self, call: impl FnOnce(&mut Controller, &mut Conn) -> R) -> R {
        let before = self.conn;
        let result = call(&mut self.cc, &mut self.conn);
        let after = self.conn;
        let writable = Conn {
            cwnd: after.cwnd,
            cwnd_cnt: after.cwnd_cnt,
            ssthresh: after.ssthresh,
            pacing_rate: after.pacing_rate,
            app_limited: after.app_limited,
            ..before
        };
        self.expect(ContractPromise::HooksKeepToTheirFields, after == writable, || {
            format!("{before:?} to {after:?}")
        });
        let limit = before.cwnd.max(before.cwnd_clamp);
        self.expect(ContractPromise::TheClampHolds, after.cwnd <= limit, || {
            format!("{} beyond {limit}", after.cwnd)
        });
        self.expect(ContractPromise::NeverBelowItsFloor, after.cwnd >= 1, || "a window of nothing".into());
        result
    }

    fn set_state(&mut self, new: CaState) {
        self.hook(|cc, conn| cc.set_state(conn, new));
        self.conn.ca_state = new;
    }

    fn ack(&mut self, acked: u32, rtt_us: i32, limited: bool) {
        let before = self.conn.cwnd;
        let conn = &mut self.conn;
        conn.snd_una = conn.snd_una.wrapping_add(acked.wrapping_mul(conn.mss));
        conn.snd_nxt = conn.snd_una.wrapping_add(conn.cwnd.wrapping_mul(conn.mss));
        conn.lsndtime_ticks = conn.ticks;
        conn.delivered += u64::from(acked);
        conn.is_cwnd_limited = limited;
        conn.max_packets_out = if limited { conn.cwnd } else { 0 };
        if let Ok(rtt) = u32::try_from(rtt_us) {
            conn.srtt_us8 = rtt.saturating_mul(8);
            conn.min_rtt_us = if conn.min_rtt_us == 0 { rtt } else { conn.min_rtt_us.min(rtt) };
        }
        let sample = AckSample::new(acked, rtt_us, before);
        self.hook(|cc, conn| cc.pkts_acked(conn, &sample));
        let was_limited = self.conn.cwnd_limited();
        let una = self.conn.snd_una;
        let flags = if rtt_us < 0 { ACK_SLOW_PATH } else { ACK_WINDOW_UPDATE };
        self.hook(|cc, conn| cc.in_ack_event(conn, flags));
        if self.cc.has_cong_control() {
            let sample = RateSample {
                delivered: acked as i32,
                prior_delivered: (self.conn.delivered as u32).wrapping_sub(acked),
                interval_us: rtt_us,
                rtt_us,
                acked_sacked: acked,
                prior_in_flight: before,
                ..RateSample::NONE
            };
            self.hook(|cc, conn| cc.cong_control(conn, una, ACKED_DATA | ADVANCED, &sample));
        } else {
            self.hook(|cc, conn| cc.cong_avoid(conn, una, acked));
        }
        let after = self.conn.cwnd;
        self.expect(ContractPromise::NeverShrinksOnAnAck, after >= before, || format!("{before} to {after}"));
        let idle_growth = !was_limited && after > before;
        self.expect(ContractPromise::NoGrowthWhileApplicationLimited, !idle_growth, || {
            format!("{before} to {after}")
        });
        let most = u64::from(before) + u64::from(acked) + 1;
        self.expect(ContractPromise::GrowthIsBackedByAcknowledgements, u64::from(after) <= most, || {
            format!("{before} to {after} for {acked} segments")
        });
    }

    fn lose(&mut self, timeout: bool, flight: u8) {
        let before = self.conn.cwnd;
        self.conn.packets_out = ((u64::from(before) * (u64::from(flight) + 1)) >> 8) as u32;
        self.conn.in_flight = self.conn.packets_out;
        self.conn.prior_cwnd = before;
        let ssthresh = self.hook(|cc, conn| cc.ssthresh(conn));
        self.expect(ContractPromise::NeverBelowItsFloor, ssthresh >= 2, || format!("ssthresh {ssthresh}"));
        self.expect(ContractPromise::ALossNeverRaises, ssthresh <= before.max(2), || {
            format!("a loss at {before} set the threshold to {ssthresh}")
        });
        let flight = self.conn.packets_out.min(before);
        let least = (self.kept * f64::from(flight)).floor() as u32;
        self.expect(ContractPromise::ALossKeepsAHalf, ssthresh >= least, || {
            format!("a loss with {flight} in flight set the threshold to {ssthresh}")
        });
        // The transport does not cut the window of an algorithm with `cong_control`, but after a timeout.
        let reduced = if self.cc.has_cong_control() { before } else { ssthresh };
        self.conn.ssthresh = ssthresh;
        self.conn.cwnd_cnt = 0; // as the kernel and the driver do
        if timeout {
            self.hook(|cc, conn| cc.cwnd_event(conn, CaEvent::Loss));
        }
        self.set_state(if timeout { CaState::Loss } else { CaState::Recovery });
        self.conn.cwnd = if timeout { 1 } else { reduced };
        if !timeout {
            self.hook(|cc, conn| cc.cwnd_event(conn, CaEvent::CompleteCwr));
            let cwnd = self.conn.cwnd;
            self.expect(ContractPromise::NeverBelowItsFloor, cwnd >= reduced.min(2), || {
                format!("{cwnd} after a recovery")
            });
        }
        self.set_state(CaState::Open);
    }

    /// Does `step`, and checks what the hooks did.
    pub fn step(&mut self, step: Step) {
        self.conn.packets_out = self.conn.cwnd;
        match step {
            Step::Ack { after_us, acked, rtt_us, limited } => {
                self.pass(after_us);
                self.ack(acked, rtt_us, limited);
            }
            Step::Loss { timeout, flight } => self.lose(timeout, flight),
            Step::Undo => {
                let (before, prior) = (self.conn.cwnd, self.conn.prior_cwnd);
                let restored = self.hook(|cc, conn| cc.undo_cwnd(conn));
                let kept = restored >= before && restored <= before.max(prior);
                self.expect(ContractPromise::UndoNeitherTakesNorInvents, kept, || {
                    format!("{before} to {restored}, {prior} before the reduction")
                });
                self.conn.cwnd = restored.max(1);
            }
            Step::Idle { us } => {
                self.pass(us);
                self.hook(|cc, conn| cc.cwnd_event(conn, CaEvent::TxStart));
            }
            Step::Back { us } => {
                self.conn.now_us -= us.min(self.conn.now_us);
                self.conn.ticks = self.conn.ticks.wrapping_sub((us / 1000) as u32);
            }
            Step::Event { number } => {
                let event = CaEvent::from_u8(number).expect("six events");
                self.hook(|cc, conn| cc.cwnd_event(conn, event));
            }
            Step::InAck { flags } => self.hook(|cc, conn| cc.in_ack_event(conn, flags)),
            Step::Disorder => {
                self.set_state(CaState::Disorder);
                self.set_state(CaState::Open);
            }
            Step::Window { cwnd } => self.conn.cwnd = cwnd.min(self.conn.cwnd_clamp),
        }
        let _ = (self.cc.info(&self.conn), self.cc.min_cwnd(&self.conn));
    }

    fn pass(&mut self, us: u64) {
        self.conn.now_us = self.conn.now_us.saturating_add(us);
        let ticks = us.wrapping_mul(u64::from(self.conn.tick_hz)) / 1_000_000;
        self.conn.ticks = self.conn.ticks.wrapping_add(ticks as u32);
    }
}
