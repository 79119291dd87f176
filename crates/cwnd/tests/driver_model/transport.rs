// SPDX-License-Identifier: MIT OR Apache-2.0
//! A small transport, as TCP (positions are segments, acknowledged cumulatively and selectively, sent again under their own) or as
//! QUIC (positions are packets, what is lost goes again in new ones). It tells the driver everything in the documented order and
//! sends only while `in_flight < cwnd`. Beside the driver it keeps its own account of epochs, which the invariants look at.

use crate::account::{Account, CheckedStep, DriverCall, WindowState};
use crate::algorithm::{Steady, Watch, Watched};
use crate::invariants::{self, InvariantResults};
use cwnd::driver::{Ack, Driver, EcnOutcome, Options, RecoveryEpoch, Reduction};
use cwnd::{CaState, Conn, Controller};

pub const MSS: u32 = 1200;
const RTO_US: u64 = 200_000;
/// Between two events.
const STEP_US: u64 = 30_000;
const IDLE_US: u64 = 5_000_000;

/// Whose rules the transport has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stack {
    Tcp,
    Quic,
    Linux,
}

/// What is played.
#[derive(Clone, Copy, Debug)]
pub struct ModelSetting {
    pub algorithm: &'static str,
    pub stack: Stack,
    pub reduction: Reduction,
    pub window: u32,
}

impl ModelSetting {
    pub fn options(&self) -> Options {
        let stack = match self.stack {
            Stack::Tcp => Options::TCP,
            Stack::Quic => Options::QUIC,
            Stack::Linux => Options::LINUX,
        };
        stack.reduction(self.reduction)
    }

    pub fn is_quic(&self) -> bool {
        self.stack == Stack::Quic
    }

    pub fn is_linux(&self) -> bool {
        self.stack == Stack::Linux
    }

    /// The smallest window that marks lead to: RFC 9438 §4.6, RFC 9002 §7.2. (Linux's ends at ssthresh.)
    pub fn floor(&self) -> u32 {
        if self.is_quic() { 2 } else { 1 }
    }

    pub fn is_steady(&self) -> bool {
        self.algorithm == "steady"
    }

    /// What the algorithm with `cong_control` sets: more than the initial window, to which an idle restart would cut it.
    pub fn steady_window(&self) -> u32 {
        2 * self.window
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Out,
    Lost,
    Arrived,
}

#[derive(Clone, Copy, Debug)]
pub struct ModelPacket {
    pub fate: Fate,
    pub sent_us: u64,
    /// What was out once it had left.
    pub flight: u32,
}

pub struct Transport<'a> {
    pub setting: ModelSetting,
    pub driver: Driver,
    watch: Watch,
    pub packets: Vec<ModelPacket>,
    una: u64,
    largest_acked: u64,
    pub account: Account,
    /// What the last ECN echo led to.
    pub echo: Option<EcnOutcome>,
    began: bool,
    pub tally: &'a mut InvariantResults,
}

impl<'a> Transport<'a> {
    pub fn new(setting: ModelSetting, tally: &'a mut InvariantResults) -> Self {
        let watch = Watch::default();
        let cc: Box<dyn cwnd::registry::Custom> = if setting.is_steady() {
            Box::new(Steady { window: setting.steady_window(), watch: watch.clone() })
        } else {
            let inner = Controller::by_name(setting.algorithm).expect("registered");
            Box::new(Watched { inner, watch: watch.clone() })
        };
        let mut conn = Conn::new(MSS, setting.window);
        conn.set_now(1_000_000);
        let driver = Driver::new(Controller::Custom(cc), conn, setting.options());
        let (packets, account) = (Vec::new(), Account::default());
        let mut transport = Self {
            setting,
            driver,
            watch,
            packets,
            una: 0,
            largest_acked: 0,
            account,
            echo: None,
            began: false,
            tally,
        };
        transport.send(false, false);
        transport
    }

    pub fn next(&self) -> u64 {
        self.packets.len() as u64
    }

    fn now(&self) -> u64 {
        self.driver.conn.now_us
    }

    /// Positions of what is out.
    pub fn out(&self) -> Vec<u64> {
        let out = self.packets.iter().enumerate().filter(|(_, packet)| packet.fate == Fate::Out);
        out.map(|(position, _)| position as u64).collect()
    }

    pub fn any_lost(&self) -> bool {
        self.packets.iter().any(|packet| packet.fate == Fate::Lost)
    }

    pub fn packet(&mut self, position: u64) -> &mut ModelPacket {
        &mut self.packets[position as usize]
    }

    /// Brings `conn` up to date, as every call expects it.
    pub fn show(&mut self) {
        let in_flight = self.packets.iter().filter(|packet| packet.fate == Fate::Out).count() as u32;
        while self.packets.get(self.una as usize).is_some_and(|packet| packet.fate == Fate::Arrived) {
            self.una += 1;
        }
        let next = self.next();
        let conn = &mut self.driver.conn;
        conn.in_flight = in_flight;
        let una = if self.setting.is_quic() {
            conn.packets_out = in_flight;
            self.largest_acked + 1
        } else {
            conn.packets_out = (next - self.una) as u32;
            self.una
        };
        conn.snd_una = (una as u32).wrapping_mul(MSS);
        conn.snd_nxt = (next as u32).wrapping_mul(MSS);
    }

    /// Time passes until the next event.
    pub fn wait(&mut self) {
        let now_us = self.now() + STEP_US;
        self.driver.conn.set_now(now_us);
    }

    pub fn snap(&self) -> WindowState {
        let conn = &self.driver.conn;
        WindowState {
            cwnd: conn.cwnd,
            ssthresh: conn.ssthresh,
            state: conn.ca_state,
            recovery_end: self.driver.recovery_end(),
            in_flight: conn.in_flight,
        }
    }

    fn judge(&mut self, before: WindowState, account: Account, flight: u32, call: DriverCall) {
        let (after, told, next) = (self.snap(), self.watch.take(), self.next());
        let step = CheckedStep { call, before, after, told, account, next, flight };
        invariants::check(&self.setting, &step, self.tally);
    }

    pub fn lose(&mut self, positions: &[u64]) {
        for position in positions {
            self.packet(*position).fate = Fate::Lost;
        }
        self.show();
    }

    pub fn tell_loss(&mut self, lost: u64) {
        let (before, account, now_us) = (self.snap(), self.account.clone(), self.now());
        let flight = self.packet(lost).flight;
        let name = self.driver.on_loss(now_us, lost, self.next());
        if let Some(name) = name {
            self.account.ssthresh_before = before.ssthresh;
            let next = self.next();
            self.account.begin(&self.driver.conn, next);
            self.account.target = self.driver.conn.ssthresh;
            self.account.names.push((name, false));
            self.began = true;
        }
        self.judge(before, account, flight, DriverCall::Loss { lost, began: name.is_some() });
    }

    pub fn tell_ecn(&mut self, marked: u64) {
        let (before, account, now_us) = (self.snap(), self.account.clone(), self.now());
        let flight = self.packet(marked).flight;
        let outcome = self.driver.on_ecn(now_us, marked, self.next());
        if outcome != EcnOutcome::Ignored {
            self.account.ssthresh_before = before.ssthresh;
            let next = self.next();
            self.account.begin(&self.driver.conn, next);
            let window = self.driver.conn.prior_cwnd;
            let floor = self.setting.floor().min(window);
            let ssthresh = self.driver.conn.ssthresh;
            let most = window.saturating_sub(1).max(floor);
            self.account.target = if self.setting.is_linux() { ssthresh } else { ssthresh.min(most) };
        }
        self.account.marked = true;
        self.echo = Some(outcome);
        self.judge(before, account, flight, DriverCall::Ecn { marked, outcome });
    }

    pub fn tell_timeout(&mut self, lost: u64) {
        let (before, account, now_us) = (self.snap(), self.account.clone(), self.now());
        let flight = self.packet(lost).flight;
        let name = self.driver.on_timeout(now_us, lost, self.next());
        let next = self.next();
        if lost >= self.account.paid {
            self.account.ssthresh_before = before.ssthresh;
            self.account.begin(&self.driver.conn, next);
        }
        self.account.paid = next;
        self.account.names.retain(|(known, _)| *known != name); // another timeout takes another proof
        self.account.names.push((name, false));
        self.judge(before, account, flight, DriverCall::Timeout { lost });
    }

    /// In the repair after a timeout: the retransmission `lost` is lost again, or (`None`) the timer fires for another segment.
    pub fn tell_renewal(&mut self, lost: Option<u64>) {
        let (before, account, now_us, next) = (self.snap(), self.account.clone(), self.now(), self.next());
        let name = match lost {
            Some(_) => self.driver.on_lost_retransmission(now_us, next),
            None => self.driver.on_further_timeout(now_us, next),
        };
        self.account.ssthresh_before = before.ssthresh;
        self.account.begin(&self.driver.conn, next);
        self.account.target = self.driver.conn.ssthresh;
        self.account.names.push((name, false));
        self.began |= lost.is_some();
        self.judge(before, account, 0, DriverCall::Renewal { timeout: lost.is_none() });
    }

    /// A loss is found that a probe has repaired.
    pub fn tell_repaired_loss(&mut self) {
        let (before, account, now_us, next) = (self.snap(), self.account.clone(), self.now(), self.next());
        let paid = self.account.paid;
        self.driver.on_repaired_loss(now_us, next);
        self.account.ssthresh_before = before.ssthresh;
        self.account.begin(&self.driver.conn, paid);
        self.account.marked = true; // nothing can be undone
        self.judge(before, account, 0, DriverCall::RepairedLoss);
    }

    /// Something is found lost in the reduction that an echo began.
    pub fn tell_loss_after_echo(&mut self) {
        let (before, account, now_us) = (self.snap(), self.account.clone(), self.now());
        self.driver.on_loss_after_echo(now_us);
        self.judge(before, account, 0, DriverCall::LossAfterEcho);
    }

    pub fn tell_spurious(&mut self, name: RecoveryEpoch) {
        let (before, now_us) = (self.snap(), self.now());
        for (known, proven) in &mut self.account.names {
            *proven |= *known == name;
        }
        let account = self.account.clone();
        let undone = self.driver.on_spurious(now_us, name);
        if undone {
            self.account.undone = true;
            self.account.paid = self.account.paid_before;
        }
        self.judge(before, account, 0, DriverCall::Spurious { name, undone });
    }

    /// Acknowledges `positions`; `new_loss` says that it revealed a loss.
    pub fn arrive(&mut self, positions: &[u64]) {
        for position in positions {
            self.packet(*position).fate = Fate::Arrived;
            self.largest_acked = self.largest_acked.max(*position);
        }
    }

    pub fn tell_ack(&mut self, una_before: u64, positions: &[u64], new_loss: bool) {
        self.show();
        let (before, account, now_us) = (self.snap(), self.account.clone(), self.now());
        let newest = positions.iter().max().map(|newest| self.packet(*newest).sent_us);
        let delivered = positions.len() as u32;
        let (position, acked) = if self.setting.is_quic() {
            (self.largest_acked, delivered)
        } else {
            (self.una, (self.una - una_before) as u32)
        };
        let rtt_us = newest.map(|sent_us| (now_us - sent_us) as u32);
        self.driver
            .on_ack(&Ack::new(now_us, position, acked, delivered).rtt(rtt_us, None).new_loss(new_loss));
        self.judge(before, account, 0, DriverCall::Ack { acked: delivered.max(acked) });
    }

    /// Something arrived: the packets at `positions`, of which `lost` reveals a loss and `marked` was marked.
    pub fn acknowledge(&mut self, positions: &[u64], lost: Option<u64>, marked: Option<u64>) {
        let una = self.una;
        self.arrive(positions);
        if let Some(lost) = lost {
            self.lose(&[lost]);
        }
        self.show();
        if let Some(lost) = lost {
            self.tell_loss(lost);
        }
        if let Some(marked) = marked {
            self.tell_ecn(marked);
        }
        self.tell_ack(una, positions, lost.is_some());
    }

    /// Sends what the window lets go.
    pub fn send(&mut self, unacknowledged: bool, idle: bool) {
        self.show();
        let (before, account, now_us) = (self.snap(), self.account.clone(), self.now());
        let restarts = idle && !self.setting.is_steady() && before.state != CaState::Loss;
        // Linux's restart leaves undo and reduction as they are.
        if restarts && !self.setting.is_linux() {
            self.account.restarted = true;
            self.account.target = self.account.target.min(self.setting.window);
        }
        let mut sent = 0;
        while self.driver.conn.in_flight < self.driver.conn.cwnd {
            assert!(sent < 5000, "a window without bound");
            self.driver.on_sent(now_us, RTO_US);
            let flight = self.driver.conn.in_flight + 1;
            let packet = ModelPacket { fate: Fate::Out, sent_us: now_us, flight };
            let again = self.packets.iter().position(|packet| packet.fate == Fate::Lost);
            match again.filter(|_| !self.setting.is_quic()) {
                Some(position) => self.packets[position] = packet,
                None => self.packets.push(packet),
            }
            self.show();
            sent += 1;
        }
        let conn = &self.driver.conn;
        let limited = conn.in_flight >= conn.cwnd;
        self.driver.on_burst_end(limited);
        let began = std::mem::take(&mut self.began);
        self.judge(before, account, 0, DriverCall::Burst { sent, unacknowledged, began, idle });
    }

    /// Nothing happens for a while.
    pub fn idle(&mut self) {
        let now_us = self.now() + IDLE_US;
        self.driver.conn.set_now(now_us);
    }

    pub fn una(&self) -> u64 {
        self.una
    }
}
