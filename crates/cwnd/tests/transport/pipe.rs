// SPDX-License-Identifier: MIT OR Apache-2.0
//! A stack that fills its window each round trip, and a pipe of a fixed delay.

use cwnd::transport::{Acked, Config, Limit, LossEpoch, Lost, Transport};
use cwnd::{Algorithm, Controller};
use std::time::Duration;

pub const MTU: u64 = 1200;
pub const RTT: Duration = Duration::from_millis(50);

pub const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[derive(Clone, Debug)]
pub struct Pipe<A: Algorithm = Controller> {
    pub cc: Transport<A>,
    pub now: Duration,
    /// Packets in flight.
    pub out: Vec<Acked>,
    /// Packets per acknowledgement.
    pub batch: usize,
    pub mtu: u64,
    /// Bytes that the pipe holds; more are lost.
    pub holds: u64,
}

impl Pipe {
    pub fn new(name: &str, config: Config) -> Self {
        Self::of(Transport::new(Controller::by_name(name).expect("registered"), &config, ms(0)))
    }
}

impl<A: Algorithm> Pipe<A> {
    pub fn of(cc: Transport<A>) -> Self {
        Self { cc, now: ms(0), out: vec![], batch: 2, mtu: MTU, holds: u64::MAX }
    }

    /// Fills the window with at most so many full packets.
    pub fn send_at_most(&mut self, most: usize) {
        while self.out.len() < most && self.cc.may_send(self.mtu) {
            self.out.push(Acked::new(self.cc.on_sent(self.now, self.mtu), self.mtu));
        }
    }

    pub fn send(&mut self) {
        self.send_at_most(usize::MAX);
        self.cc.on_burst_end(self.now, Limit::Window);
    }

    /// All that is out is acknowledged.
    pub fn acknowledge(&mut self) {
        for batch in std::mem::take(&mut self.out).chunks(self.batch) {
            self.cc.on_acked(self.now, batch, None);
        }
    }

    pub fn lose(&mut self, packets: &[Acked], persistent: bool) -> Option<LossEpoch> {
        let lost: Vec<_> = packets.iter().map(|packet| Lost::new(packet.sent, packet.bytes)).collect();
        self.cc.on_lost(self.now, &lost, persistent)
    }

    /// A round trip of a full window; what the pipe does not hold is lost.
    pub fn round(&mut self) {
        self.send();
        self.now += RTT;
        let held = usize::try_from(self.holds / self.mtu).unwrap_or(usize::MAX);
        let lost = self.out.split_off(held.min(self.out.len()));
        self.lose(&lost, false);
        self.acknowledge();
    }

    /// A round trip that gives a sample, with one packet.
    pub fn round_without_growth(&mut self) {
        self.send_at_most(1);
        self.cc.on_burst_end(self.now, Limit::Application);
        self.now += RTT;
        self.acknowledge();
    }
}
