// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random facts in any order, told to a [`Transport`]: times that run back, bytes without limit, packets that were acknowledged before or
//! are another connection's. A transport makes the best of it, and never panics.

use crate::promise;
use core::time::Duration;
use cwnd::transport::{Acked, Config, Limit, LossEpoch, Lost, Sent, Snapshot, Transport};
use cwnd::{Algorithm, Controller};

/// Packets that the stack remembers.
const REMEMBERED: usize = 64;

/// A stack that has lost its senses.
#[derive(Debug)]
pub struct Facts<N> {
    random: N,
    transport: Transport,
    /// Another connection, with packets of its own.
    other: Transport,
    now: Duration,
    packets: Vec<(Sent, u64)>,
    losses: Vec<(LossEpoch, Lost)>,
    mtu: u16,
}

impl<N: FnMut() -> u64> Facts<N> {
    /// Facts for a connection of `algorithm`, made from what `random` gives.
    pub fn new(algorithm: Controller, mut random: N) -> Self {
        let mtu = *pick(&mut random, &[1200, 1452, 9000, 1, u16::MAX]);
        let mut config = Config::new().mtu(mtu).paced(random() & 1 > 0).trusting();
        if random().is_multiple_of(4) {
            let datagrams = *pick(&mut random, &[2, 3, 100, u32::MAX]);
            config = config.initial_window(datagrams).expect("two at least");
        }
        let transport = Transport::new(algorithm.clone(), &config, Duration::ZERO);
        let other = Transport::new(algorithm, &config, Duration::ZERO);
        Self { random, transport, other, now: Duration::ZERO, packets: vec![], losses: vec![], mtu }
    }

    /// The connection.
    #[must_use]
    pub const fn transport(&self) -> &Transport {
        &self.transport
    }

    fn below(&mut self, end: u64) -> u64 {
        (self.random)() % end.max(1)
    }

    /// Mostly a little later; sometimes much, and sometimes earlier.
    fn time(&mut self) -> Duration {
        let passed = Duration::from_micros(match self.below(64) {
            0 => self.below(10_000_000_000),
            1 => (self.random)() >> self.below(64),
            2 => 0,
            _ => self.below(20_000),
        });
        self.now = match self.below(32) {
            0 => self.now.saturating_sub(passed),
            // A time from which there is no return would end the game.
            _ if self.now.saturating_add(passed) < Duration::from_secs(1 << 40) => self.now + passed,
            _ => Duration::ZERO,
        };
        if self.below(100_000) == 0 { Duration::MAX } else { self.now }
    }

    fn bytes(&mut self) -> u64 {
        match self.below(16) {
            0 => (self.random)() >> self.below(64),
            1 => 0,
            2..=4 => self.below(1500),
            _ => self.mtu.into(),
        }
    }

    /// Packets that were sent, or not; sometimes twice, sometimes of other bytes.
    fn batch(&mut self) -> Vec<(Sent, u64)> {
        let count = self.below(6);
        let mut batch = vec![];
        for _ in 0..count {
            if self.packets.is_empty() {
                break;
            }
            let place = self.below(self.packets.len() as u64) as usize;
            let (sent, bytes) =
                if self.below(8) == 0 { self.packets[place] } else { self.packets.swap_remove(place) };
            batch.push((sent, if self.below(32) == 0 { self.bytes() } else { bytes }));
        }
        batch
    }

    fn remember(&mut self, sent: Sent, bytes: u64) {
        if self.packets.len() >= REMEMBERED {
            let place = self.below(REMEMBERED as u64) as usize;
            self.packets.swap_remove(place);
        }
        self.packets.push((sent, bytes));
    }

    /// Tells one fact, whichever.
    fn tell(&mut self) {
        let (now, bytes) = (self.time(), self.bytes());
        match self.below(64) {
            0..=27 => {
                let fits = self.transport.may_send(bytes) || self.below(16) == 0;
                if fits {
                    let sent = self.transport.on_sent(now, bytes);
                    self.remember(sent, bytes);
                }
            }
            28..=45 => {
                let acked: Vec<_> = self.batch().iter().map(|&(sent, n)| Acked::new(sent, n)).collect();
                let corrected = (self.below(2) > 0).then(|| Duration::from_micros(bytes));
                self.transport.on_acked(now, &acked, corrected);
            }
            46..=49 => {
                let lost: Vec<_> = self.batch().iter().map(|&(sent, n)| Lost::new(sent, n)).collect();
                let persistent = self.below(8) == 0;
                let epoch = self.transport.on_lost(now, &lost, persistent);
                self.losses
                    .extend(epoch.into_iter().flat_map(|epoch| lost.iter().map(move |lost| (epoch, *lost))));
                while self.losses.len() > REMEMBERED {
                    self.losses.swap_remove(0);
                }
            }
            50 => {
                if let Some((sent, _)) = self.batch().first() {
                    let newest = (bytes & 1 > 0).then_some(*sent);
                    self.transport.on_ecn(now, bytes % 3, newest);
                }
            }
            51..=52 => {
                if let Some(&(epoch, lost)) = self.losses.last() {
                    self.transport.on_spurious(now, epoch, &[lost]);
                    let again = self.below(4) == 0;
                    self.losses.truncate(self.losses.len() - usize::from(!again));
                }
            }
            53 => self.transport.on_discarded(bytes),
            54..=57 => {
                let limit = *pick(&mut self.random, &[Limit::Window, Limit::Pacer, Limit::Application]);
                self.transport.on_burst_end(now, limit);
            }
            58 => {
                self.mtu = (*pick(&mut self.random, &[1200, 1252, 1452, 9000, 0, u16::MAX])).max(1);
                self.transport.on_mtu(self.mtu);
            }
            59 if self.below(16) == 0 => {
                self.transport.on_path_change(now);
                self.mtu = self.transport.mtu();
            }
            60 => {
                let sent = self.other.on_sent(now, bytes);
                self.remember(sent, bytes);
            }
            61 => {
                let rtt = Duration::from_micros(self.below(1_000_000));
                self.transport.restore(&Snapshot::new(bytes.saturating_mul(1000), rtt, rtt));
            }
            62 if self.below(16) == 0 => std::mem::swap(&mut self.transport, &mut self.other),
            _ => self.other = self.transport.clone(),
        }
        self.mtu = self.transport.mtu();
    }

    /// Tells `count` facts and looks at the answers after each.
    ///
    /// # Errors
    /// What is wrong with an answer.
    pub fn play(&mut self, count: usize) -> Result<(), String> {
        for _ in 0..count {
            self.tell();
            answers(&self.transport)?;
        }
        Ok(())
    }
}

fn pick<'a, T>(random: &mut impl FnMut() -> u64, list: &'a [T]) -> &'a T {
    &list[(random() % list.len() as u64) as usize]
}

/// What every answer keeps to.
fn answers<A: Algorithm>(transport: &Transport<A>) -> Result<(), String> {
    let (window, mtu) = (transport.window(), u64::from(transport.mtu()));
    promise!(window >= mtu, "a window of {window} bytes, of datagrams of {mtu}");
    let segment = mtu.max(transport.conn().mss.into());
    promise!(window <= (1 << 32) * segment, "a window of {window} bytes");
    let metrics = transport.metrics();
    promise!(metrics.window == window, "{metrics:?}");
    promise!(metrics.pacing_rate != Some(0), "a rate of nothing");
    promise!(transport.burst() >= u64::from(transport.mtu()), "a burst of {} bytes", transport.burst());
    let threshold = transport.ssthresh().unwrap_or(u64::MAX);
    // Two after a reduction; FAST, Vegas and others leave slow start at a window of one.
    promise!(threshold >= mtu, "a threshold of {threshold} bytes, of datagrams of {mtu}");
    promise!(transport.may_send(0) == (transport.in_flight() <= window), "{metrics:?}");
    Ok(())
}
