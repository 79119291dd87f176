// SPDX-License-Identifier: MIT OR Apache-2.0
//! A small algorithm that sets its own rate, for the contract's promises about such algorithms, and forms of it that break each of them.
//!
//! It measures the delivery rate of each round trip and keeps the largest of the last eight. Start-up sends at 2.9 times that rate until
//! three round trips have brought less than a quarter more, then it drains for one round trip, then it cruises: one round trip of eight at
//! 1.25 times the rate, one at 0.75 times. The window is twice what the path holds.

use cwnd::registry::{Custom, PluginFactory, Recovery, Set, SetDescription};
use cwnd::{AckSample, CaState, CongestionControl, Conn, RateSample};

/// What is wrong with a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// It never sets a rate.
    SetsNoRate,
    /// Its rate is ten times what it measures.
    PacesTooFast,
    /// Its window is the largest there is, once it cruises.
    BoundsNothing,
    /// Start-up never ends.
    StaysInStartUp,
    /// After a timeout, and after a rest, it sends at a hundredth of its rate, and never faster.
    StaysSilent,
}

impl Fault {
    /// All of them, with the promises that each breaks.
    pub const BROKEN: [(Self, &'static [&'static str]); 5] = [
        // A window of two products, unpaced, stands in the queue.
        (Self::SetsNoRate, &["LeavesStartUp", "Paced"]),
        (Self::PacesTooFast, &["LeavesStartUp", "Paced"]),
        (Self::BoundsNothing, &["BoundedInFlight"]),
        (Self::StaysInStartUp, &["LeavesStartUp"]),
        (Self::StaysSilent, &["RecoversAfterSilence"]),
    ];
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steady {
    fault: Fault,
    /// Bytes a second, of the last eight round trips.
    rates: [u64; 8],
    round: usize,
    /// When the round trip began, µs, and what was delivered by then.
    began_us: u64,
    delivered: u64,
    /// The best rate that start-up had reached when it last grew by a quarter, and round trips since; three end it.
    best: u64,
    stalled: u32,
    drains: bool,
    is_silent: bool,
}

impl Steady {
    pub const fn new(fault: Fault) -> Self {
        Self {
            fault,
            rates: [0; 8],
            round: 0,
            began_us: 0,
            delivered: 0,
            best: 0,
            stalled: 0,
            drains: false,
            is_silent: false,
        }
    }

    fn rate(&self) -> u64 {
        self.rates.into_iter().max().unwrap_or(0)
    }

    const fn starts_up(&self) -> bool {
        self.stalled < 3 || matches!(self.fault, Fault::StaysInStartUp)
    }

    /// A round trip is over.
    fn end_round(&mut self, conn: &Conn) {
        let passed = conn.now_us.saturating_sub(self.began_us).max(1);
        let bytes = conn.delivered.saturating_sub(self.delivered).saturating_mul(conn.mss.into());
        self.drains = false;
        self.round = (self.round + 1) % 8;
        self.rates[self.round] = bytes.saturating_mul(1_000_000) / passed;
        (self.began_us, self.delivered) = (conn.now_us, conn.delivered);
        if self.stalled < 3 {
            let rate = self.rate();
            let grew = rate > self.best.saturating_add(self.best / 4);
            (self.best, self.stalled) = if grew { (rate, 0) } else { (self.best, self.stalled + 1) };
            self.drains = self.stalled == 3;
        }
    }

    /// Per cent of the rate.
    const fn gain(&self) -> u64 {
        if self.starts_up() {
            return 290;
        }
        match (self.drains, self.round) {
            (true, _) => 35,
            (_, 0) => 125,
            (_, 1) => 75,
            _ => 100,
        }
    }
}

impl CongestionControl for Steady {
    type Params = ();

    fn init(&mut self, conn: &mut Conn, (): &()) {
        *self = Self { began_us: conn.now_us, delivered: conn.delivered, ..Self::new(self.fault) };
    }

    fn ssthresh(&mut self, conn: &mut Conn, (): &()) -> u32 {
        conn.ssthresh.max(2)
    }

    fn cong_avoid(&mut self, _conn: &mut Conn, _ack: u32, _acked: u32, (): &()) {}

    fn undo_cwnd(&mut self, conn: &mut Conn, (): &()) -> u32 {
        conn.cwnd
    }

    fn set_state(&mut self, _conn: &mut Conn, new: CaState, (): &()) {
        self.is_silent |= new == CaState::Loss;
    }

    fn cwnd_event(&mut self, conn: &mut Conn, event: cwnd::CaEvent, (): &()) {
        self.is_silent |= event == cwnd::CaEvent::TxStart && conn.delivered > 0;
    }

    fn pkts_acked(&mut self, _conn: &mut Conn, _sample: &AckSample, (): &()) {}

    fn has_cong_control(&self) -> bool {
        true
    }

    fn cong_control(&mut self, conn: &mut Conn, _ack: u32, _flags: u32, _: &RateSample, (): &()) {
        conn.cwnd = conn.cwnd.max(4).min(conn.cwnd_clamp).max(1);
        if conn.srtt_us8 == 0 || conn.min_rtt_us == 0 {
            return;
        }
        if conn.now_us.saturating_sub(self.began_us) >= u64::from(conn.srtt_us8 / 8) {
            self.end_round(conn);
        }
        let rate = self.rate();
        if rate == 0 {
            return;
        }
        let held =
            (u128::from(rate) * u128::from(conn.min_rtt_us) / 1_000_000 / u128::from(conn.mss.max(1))) as u64;
        let factor = if self.starts_up() { 3 } else { 2 };
        let window = u32::try_from(held.saturating_mul(factor).saturating_add(4)).unwrap_or(u32::MAX);
        conn.cwnd = match self.fault {
            Fault::BoundsNothing if !self.starts_up() && !self.drains => conn.cwnd_clamp,
            _ => window.min(conn.cwnd_clamp).max(1),
        };
        let pace = match self.fault {
            Fault::SetsNoRate => return,
            Fault::PacesTooFast => rate.saturating_mul(10),
            Fault::StaysSilent if self.is_silent => rate / 100,
            _ => (u128::from(rate) * u128::from(self.gain()) / 100).min(1 << 62) as u64,
        };
        conn.pacing_rate = pace.max(1);
    }
}

impl Custom for Steady {
    fn is_same(&self, other: &dyn Custom) -> bool {
        let other: &dyn std::any::Any = other;
        other.downcast_ref::<Self>() == Some(self)
    }
}

impl PluginFactory for Steady {
    fn make(&self, set: usize) -> Option<Box<dyn Custom>> {
        (set == 0).then(|| Box::new(*self) as Box<dyn Custom>)
    }
}

/// A parameter set of the algorithm with this fault.
pub fn set(fault: Fault) -> SetDescription {
    let set = Set {
        name: "steady",
        summary: "the delivery rate",
        source: "this test",
        recovery: Recovery::Sack,
        params: (),
    };
    let maker: &'static Steady = Box::leak(Box::new(Steady::new(fault)));
    SetDescription::outside(&set, 0, maker)
}
