// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the tests over the whole registry share: its parameter sets, and a flow in virtual time.

use cwnd::driver::{Ack, Driver, Options, RecoveryEpoch};
use cwnd::registry::{ALGORITHMS, Description, SetDescription};
use cwnd::{CaEvent, Conn};
use proptest::test_runner::{Config as ProptestConfig, FileFailurePersistence};

/// Payload of a segment, bytes.
pub const MSS: u32 = 1448;
/// When flows begin, µs: no number that arithmetic likes.
const START_US: u64 = 8_589_934_593;

/// Settings of a property test of `cases` cases; `PROPTEST_CASES` in the environment asks for another number. A failure
/// prints its seed and leaves it beside the source, where the next run tries it first.
pub fn cases(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok());
    ProptestConfig {
        cases: asked.unwrap_or(cases),
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("proptest-regressions"))),
        ..ProptestConfig::default()
    }
}

/// Every parameter set of the registry.
pub fn sets() -> Vec<SetDescription> {
    ALGORITHMS.iter().flat_map(Description::sets).collect()
}

/// The set called `name`.
pub fn set(name: &str) -> SetDescription {
    cwnd::registry::find(name).unwrap_or_else(|| panic!("{name} is registered")).1
}

/// The algorithm that a set belongs to.
pub fn algorithm(set: &SetDescription) -> &'static Description {
    cwnd::registry::find(set.name).expect("listed").0
}

/// Whether `name` is this set's; `name*` means an algorithm with all its sets.
pub fn is_called(set: &SetDescription, name: &str) -> bool {
    match name.strip_suffix('*') {
        Some(name) => algorithm(set).name == name,
        None => set.name == name,
    }
}

/// A set's value of a decimal parameter, if its algorithm has it.
pub fn decimal(set: &SetDescription, name: &str) -> Option<f64> {
    let index = algorithm(set).specs.iter().position(|spec| spec.name == name)?;
    Some(f64::from(set.controller()?.param(index)) / 65_536.0)
}

/// A set's value of a whole parameter, a flag or a choice, if its algorithm has it.
pub fn whole(set: &SetDescription, name: &str) -> Option<u32> {
    let index = algorithm(set).specs.iter().position(|spec| spec.name == name)?;
    Some(set.controller()?.param(index))
}

/// One flow in virtual time, its window always in full use, around the driver that simulator and QUIC stacks use.
#[derive(Debug)]
pub struct DrivenFlow {
    /// The driver, with algorithm and connection.
    pub driver: Driver,
    /// Round trip without a queue, µs.
    pub rtt_us: u64,
    /// Whether the window, not the application, stops the sender.
    pub limited: bool,
    /// First segment not yet acknowledged, and the next one to send.
    una: u64,
    next: u64,
    /// The part of the clock below a microsecond, 1/2³² µs.
    fraction: u64,
    /// The last reductions that can be proven spurious: a loss, and a timeout after it.
    epochs: [Option<RecoveryEpoch>; 2],
}

impl DrivenFlow {
    /// A flow that starts with `cwnd` segments, in slow start.
    pub fn new(set: &SetDescription, cwnd: u32, rtt_us: u64) -> Self {
        Self::with(set, Conn::new(MSS, cwnd), rtt_us)
    }

    /// A flow that starts with `cwnd` segments in congestion avoidance: its `ssthresh` is the window.
    pub fn in_avoidance(set: &SetDescription, cwnd: u32, rtt_us: u64) -> Self {
        let mut flow = Self::new(set, cwnd, rtt_us);
        flow.driver.conn.cwnd = cwnd;
        flow.driver.conn.ssthresh = cwnd;
        flow
    }

    /// A flow put into congestion avoidance by one loss at `cwnd` segments, repaired: the reference documents' `one_flow`.
    pub fn after_loss(set: &SetDescription, cwnd: u32, rtt_us: u64) -> Self {
        let mut flow = Self::in_avoidance(set, cwnd, rtt_us);
        flow.round(1.min(cwnd)); // its RTT is known
        flow.driver.conn.cwnd = cwnd;
        flow.lose();
        flow
    }

    /// The same with a given connection.
    pub fn with(set: &SetDescription, conn: Conn, rtt_us: u64) -> Self {
        let options = Options::default().timeout_reduces_again(false);
        let mut conn = Conn { is_cwnd_limited: true, ..conn };
        if conn.now_us == 0 {
            conn.now_us = START_US;
            conn.ticks = (START_US / 1000) as u32;
        }
        let driver = Driver::new(set.controller().expect("listed"), conn, options);
        Self {
            driver,
            rtt_us,
            limited: true,
            una: 0,
            next: u64::from(conn.cwnd),
            fraction: 0,
            epochs: [None; 2],
        }
    }

    /// Window, segments.
    #[must_use]
    pub fn cwnd(&self) -> u32 {
        self.driver.conn.cwnd
    }

    /// The clock, s.
    #[must_use]
    pub fn now_s(&self) -> f64 {
        self.driver.conn.now_us as f64 / 1e6
    }

    /// An inner variable of the algorithm.
    pub fn info(&self, name: &str) -> Option<u64> {
        let info = self.driver.cc.info(&self.driver.conn);
        info.fields.iter().find(|field| field.0 == name).map(|field| field.1)
    }

    /// Time passes, nothing happens.
    pub fn wait(&mut self, us: u64) {
        let conn = &mut self.driver.conn;
        conn.set_now(conn.now_us + us);
    }

    /// Nothing was sent for `us`, then transmission begins again.
    pub fn idle(&mut self, us: u64) {
        self.wait(us);
        self.tx_start();
    }

    /// The first packet leaves with nothing in flight.
    pub fn tx_start(&mut self) {
        self.next = self.una;
        self.driver.conn.packets_out = 0;
        self.driver.conn.snd_una = (self.una as u32).wrapping_mul(self.driver.conn.mss);
        self.driver.conn.snd_nxt = self.driver.conn.snd_una;
        let driver = &mut self.driver;
        driver.cc.cwnd_event(&mut driver.conn, CaEvent::TxStart);
        self.fill();
    }

    /// The sender fills its window.
    fn fill(&mut self) {
        self.next = self.next.max(self.una + u64::from(self.cwnd()));
        let conn = &mut self.driver.conn;
        conn.packets_out = (self.next - self.una).min(u64::from(conn.cwnd)) as u32;
        conn.in_flight = conn.packets_out;
        conn.is_cwnd_limited = self.limited;
        conn.max_packets_out = if self.limited { conn.packets_out } else { 0 };
        conn.snd_una = (self.una as u32).wrapping_mul(conn.mss);
        conn.snd_nxt = (self.next as u32).wrapping_mul(conn.mss);
        conn.lsndtime_ticks = conn.ticks;
    }

    /// An acknowledgement of `acked` segments, now, with RTT `rtt_us`; the sender refills its window before and after.
    pub fn ack_with(&mut self, acked: u32, rtt_us: Option<u32>) {
        self.fill();
        self.una += u64::from(acked);
        self.next = self.next.max(self.una);
        let conn = &mut self.driver.conn;
        conn.snd_una = (self.una as u32).wrapping_mul(conn.mss);
        conn.packets_out = conn.packets_out.saturating_sub(acked);
        conn.in_flight = conn.packets_out;
        let (now_us, position) = (conn.now_us, self.una);
        self.driver.on_ack(&Ack::new(now_us, position, acked, acked).rtt(rtt_us, None));
        self.fill();
    }

    /// [`DrivenFlow::ack_with`] the path's round trip.
    pub fn ack(&mut self, acked: u32) {
        self.ack_with(acked, Some(self.rtt_us as u32));
    }

    /// The time in which `acked` segments arrive: a window takes a round trip.
    pub fn pace(&mut self, acked: u32) {
        let cwnd = u64::from(self.cwnd().max(1));
        let ticks = self.fraction + ((u64::from(acked) * self.rtt_us) << 20) / cwnd;
        self.fraction = ticks & ((1 << 20) - 1);
        self.wait(ticks >> 20);
    }

    /// A round trip's worth of acknowledgements, each of up to `every` segments, evenly spaced.
    pub fn round(&mut self, every: u32) {
        let mut left = self.cwnd().max(1);
        while left > 0 {
            let acked = every.min(left);
            self.pace(acked);
            self.ack(acked);
            left -= acked;
        }
    }

    /// [`DrivenFlow::round`] so many times, an acknowledgement for each segment.
    pub fn rounds(&mut self, count: u32) {
        for _ in 0..count {
            self.round(1);
        }
    }

    /// Round trips for at least so long.
    pub fn seconds(&mut self, seconds: f64) {
        let end = self.driver.conn.now_us + (seconds * 1e6) as u64;
        while self.driver.conn.now_us < end {
            self.round(1);
        }
    }

    /// A packet of the present window is declared lost; returns whether that was a reduction.
    pub fn declare_lost(&mut self) -> bool {
        self.fill();
        let now_us = self.driver.conn.now_us;
        let epoch = self.driver.on_loss(now_us, self.una, self.next);
        if epoch.is_some() {
            self.epochs = [epoch, None];
        }
        epoch.is_some()
    }

    /// Everything sent so far is acknowledged, an RTT later, by one acknowledgement of one segment.
    pub fn repair(&mut self) {
        self.wait(self.rtt_us);
        self.una = self.next - 1;
        self.ack(1);
    }

    /// A loss and its repair.
    pub fn lose(&mut self) {
        let reduced = self.declare_lost();
        assert!(reduced || self.driver.cc.has_cong_control(), "one reduction per window");
        self.repair();
    }

    /// The retransmission timer fires.
    pub fn time_out(&mut self) {
        self.fill();
        let now_us = self.driver.conn.now_us;
        self.epochs[1] = Some(self.driver.on_timeout(now_us, self.una, self.next));
    }

    /// The last reduction was a mistake, all of it.
    pub fn spurious(&mut self) -> bool {
        let now_us = self.driver.conn.now_us;
        let mut undone = false;
        for epoch in self.epochs.into_iter().flatten() {
            undone |= self.driver.on_spurious(now_us, epoch);
        }
        undone
    }

    /// A second flow in the same state.
    pub fn twin(&self) -> Self {
        Self { driver: self.driver.clone(), ..*self }
    }
}
