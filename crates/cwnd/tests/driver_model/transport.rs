// SPDX-License-Identifier: MIT OR Apache-2.0
//! A small transport, as TCP (positions are segments, acknowledged cumulatively and selectively, sent again under their own) or as
//! QUIC (positions are packets, what is lost goes again in new ones). It tells the driver everything in the documented order, or in
//! Linux's (`linux.rs`), and sends only while `in_flight < cwnd`. Beside the driver it keeps its own account of epochs, which the invariants
//! look at.

use crate::account::{Account, CheckedStep, DriverCall, WindowState};
use crate::algorithm::{Steady, Watch, Watched};
use crate::invariants::{self, InvariantResults};
use crate::linux::LinuxAck;
use cwnd::driver::{Ack, Driver, EcnOutcome, Options, RecoveryEpoch, Reduction};
use cwnd::{CaState, Conn, Controller};

pub const MSS: u32 = 1200;
pub const RTO_US: u64 = 200_000;
/// Between two events.
const STEP_US: u64 = 30_000;
/// Two timeouts and a half.
const IDLE_US: u64 = 500_000;

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
    /// The slow start threshold at the beginning, where there is one.
    pub threshold: Option<u32>,
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

    /// At this window a mark is answered with [`EcnOutcome::AtFloor`].
    pub fn floor(&self) -> u32 {
        self.options().loss_window.into()
    }

    /// The smallest window that marks lead to: RFC 9438 §4.6, RFC 9002 §7.2. Linux's ends at ssthresh, two segments at least.
    pub fn smallest(&self) -> u32 {
        if self.is_linux() { 2 } else { self.floor() }
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
    pub una: u64,
    largest_acked: u64,
    pub account: Account,
    /// What the last ECN echo led to.
    pub echo: Option<EcnOutcome>,
    pub began: bool,
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
        conn.ssthresh = setting.threshold.unwrap_or(conn.ssthresh);
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

    pub fn now(&self) -> u64 {
        self.driver.conn.now_us
    }

    /// Positions of what is out.
    pub fn out(&self) -> Vec<u64> {
        let out = self.packets.iter().enumerate().filter(|(_, packet)| packet.fate == Fate::Out);
        out.map(|(position, _)| position as u64).collect()
    }

    /// Positions of what has not arrived.
    pub fn missing(&self) -> Vec<u64> {
        let missing = self.packets.iter().enumerate().filter(|(_, packet)| packet.fate != Fate::Arrived);
        missing.map(|(position, _)| position as u64).collect()
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
            packets_out: conn.packets_out,
        }
    }

    pub fn judge(&mut self, before: WindowState, account: Account, flight: u32, call: DriverCall) {
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

    /// An epoch has begun, whose data ends at `end`.
    pub fn begin_account(&mut self, before: WindowState, end: u64) {
        let prior = self.driver.conn.prior_cwnd;
        // Linux: tcp_current_ssthresh
        let least = if self.setting.is_linux() { (prior >> 1) + (prior >> 2) } else { 0 };
        self.account.ssthresh_before = before.ssthresh.max(least);
        self.account.begin(&self.driver.conn, end);
    }

    /// A loss at this position, of `packet`.
    pub fn tell_loss(&mut self, lost: u64, packet: u64) {
        let (before, account, now_us) = (self.snap(), self.account.clone(), self.now());
        let flight = self.packet(packet).flight;
        let name = self.driver.on_loss(now_us, lost, self.next());
        if let Some(name) = name {
            self.begin_account(before, self.next());
            self.account.target = self.driver.conn.ssthresh;
            self.account.names.push((name, false));
            self.began = true;
        }
        self.judge(before, account, flight, DriverCall::Loss { lost, began: name.is_some() });
    }

    /// An echo at this position, for `packet`.
    pub fn tell_ecn(&mut self, marked: u64, packet: u64) {
        let (before, account, now_us) = (self.snap(), self.account.clone(), self.now());
        let flight = self.packet(packet).flight;
        let outcome = self.driver.on_ecn(now_us, marked, self.next());
        if outcome != EcnOutcome::Ignored {
            self.begin_account(before, self.next());
            let window = self.driver.conn.prior_cwnd;
            let floor = self.setting.floor().min(window);
            let ssthresh = self.driver.conn.ssthresh;
            let most = window.saturating_sub(1).max(floor);
            self.account.target = if self.setting.is_linux() { ssthresh } else { ssthresh.min(most) };
            self.account.echoed = true;
        }
        self.account.marked = true;
        self.echo = Some(outcome);
        self.judge(before, account, flight, DriverCall::Ecn { marked, outcome });
    }

    /// The timer fires for this position; `packet` is lost.
    pub fn tell_timeout(&mut self, lost: u64, packet: u64) {
        let (before, account, now_us) = (self.snap(), self.account.clone(), self.now());
        let flight = self.packet(packet).flight;
        let name = self.driver.on_timeout(now_us, lost, self.next());
        let next = self.next();
        if lost >= self.account.paid {
            self.begin_account(before, next);
        }
        self.account.paid = next;
        self.account.names.retain(|(known, _)| *known != name); // another timeout takes another proof
        self.account.names.push((name, false));
        self.judge(before, account, flight, DriverCall::Timeout { lost });
    }

    /// `state`: what it is to be after it.
    pub fn tell_spurious(&mut self, name: RecoveryEpoch, state: CaState) -> bool {
        let (before, now_us) = (self.snap(), self.now());
        for (known, proven) in &mut self.account.names {
            *proven |= *known == name;
        }
        let account = self.account.clone();
        let undone = self.driver.on_spurious_into(now_us, name, state);
        if undone {
            self.account.undone = true;
            self.account.paid = self.account.paid_before;
        }
        self.judge(before, account, 0, DriverCall::Spurious { name, undone, state });
        undone
    }

    /// The packets at `positions` arrive.
    pub fn arrive(&mut self, positions: &[u64]) {
        for position in positions {
            self.packet(*position).fate = Fate::Arrived;
            self.largest_acked = self.largest_acked.max(*position);
        }
    }

    /// The acknowledgement of the packets at `positions`.
    pub fn ack_of(&mut self, una_before: u64, positions: &[u64]) -> Ack {
        self.show();
        let now_us = self.now();
        let newest = positions.iter().max().map(|newest| self.packet(*newest).sent_us);
        let delivered = positions.len() as u32;
        let (position, acked) = if self.setting.is_quic() {
            (self.largest_acked, delivered)
        } else {
            (self.una, (self.una - una_before) as u32)
        };
        let rtt_us = newest.map(|sent_us| (now_us - sent_us) as u32);
        Ack::new(now_us, position, acked, delivered).rtt(rtt_us, None)
    }

    fn tell_ack(&mut self, una_before: u64, positions: &[u64], new_loss: bool) {
        let ack = self.ack_of(una_before, positions).new_loss(new_loss);
        let (before, account) = (self.snap(), self.account.clone());
        self.driver.on_ack(&ack);
        self.account.echoed = false;
        let Ack { acked, delivered, position, .. } = ack;
        self.judge(before, account, 0, DriverCall::Ack { acked, delivered, position });
    }

    /// Something arrived: the packets at `positions`, of which `lost` reveals a loss and `marked` was marked.
    pub fn acknowledge(&mut self, positions: &[u64], lost: Option<u64>, marked: Option<u64>) {
        if self.setting.is_linux() {
            let lost: Vec<_> = lost.into_iter().collect();
            return self.acknowledge_as_linux(&LinuxAck {
                positions,
                lost: &lost,
                marked,
                ..LinuxAck::default()
            });
        }
        let una = self.una;
        self.arrive(positions);
        if let Some(lost) = lost {
            self.lose(&[lost]);
        }
        self.show();
        if let Some(lost) = lost {
            self.tell_loss(lost, lost);
        }
        if let Some(marked) = marked {
            self.tell_ecn(marked, marked);
        }
        self.tell_ack(una, positions, lost.is_some());
    }

    /// Sends what the window lets go.
    pub fn send(&mut self, unacknowledged: bool, idle: bool) {
        self.show();
        let (before, account, now_us) = (self.snap(), self.account.clone(), self.now());
        let last_sent_us = self.packets.iter().map(|packet| packet.sent_us).max();
        let idle_us = last_sent_us.filter(|_| idle).map(|sent_us| now_us - sent_us);
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
        self.judge(before, account, 0, DriverCall::Burst { sent, unacknowledged, began, idle_us });
    }

    /// Nothing happens for a while.
    pub fn idle(&mut self) {
        let now_us = self.now() + IDLE_US;
        self.driver.conn.set_now(now_us);
    }
}
