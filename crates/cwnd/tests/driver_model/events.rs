// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can happen.

use crate::transport::{Fate, ModelSetting, Transport};
use cwnd::CaState;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathEvent {
    /// The oldest packet is lost; the acknowledgement of the next one shows it.
    Loss,
    /// Another one of a window that has had its reduction.
    FurtherLoss,
    /// One that was sent after the last reduction.
    LaterLoss,
    /// The acknowledgement of the oldest packet says that it was marked.
    Ce,
    /// A late report of a mark within the last epoch's data.
    OldCe,
    /// The retransmission timer fires.
    Timeout,
    /// QUIC: everything out is lost, for so long that congestion counts as persistent.
    PersistentCongestion,
    /// The last epoch is proven spurious, all of it.
    Spurious,
    /// Only its last part is, or only its first.
    SpuriousPart,
    SpuriousFirstPart,
    /// The one before is.
    SpuriousEarlier,
    FullAck,
    PartialAck,
    /// A timer finds half of what is out lost; no acknowledgement comes.
    TimerLoss,
    /// All is acknowledged, and nothing sent for five seconds.
    Idle,
    /// In the repair after a timeout a retransmission is lost.
    LostRetransmission,
    /// In the repair after a timeout the timer fires for another segment.
    FurtherTimeout,
    /// A probe has repaired a loss.
    RepairedLoss,
    /// The acknowledgement of a packet shows a loss within the reduction that an echo began.
    LossAfterEcho,
}

/// The last events of the list are those that only Linux's recovery tells.
const LINUX_ONLY: usize = 4;

impl PathEvent {
    pub const ALL: [Self; 19] = [
        Self::Loss,
        Self::FurtherLoss,
        Self::LaterLoss,
        Self::Ce,
        Self::OldCe,
        Self::Timeout,
        Self::PersistentCongestion,
        Self::Spurious,
        Self::SpuriousPart,
        Self::SpuriousFirstPart,
        Self::SpuriousEarlier,
        Self::FullAck,
        Self::PartialAck,
        Self::TimerLoss,
        Self::Idle,
        Self::LostRetransmission,
        Self::FurtherTimeout,
        Self::RepairedLoss,
        Self::LossAfterEcho,
    ];

    /// Those that are played in this setting.
    pub fn of(setting: &ModelSetting) -> &'static [Self] {
        let count = if setting.is_linux() { Self::ALL.len() } else { Self::ALL.len() - LINUX_ONLY };
        &Self::ALL[..count]
    }
}

/// The lost packet, and the later one whose acknowledgement shows it.
fn lose_one(transport: &mut Transport<'_>, which: impl Fn(u64) -> bool) -> bool {
    let out = transport.out();
    let Some(place) = out.iter().position(|position| which(*position)) else { return false };
    let Some(shown_by) = out.get(place + 1) else { return false };
    transport.acknowledge(&[*shown_by], Some(out[place]), None);
    transport.send(false, false);
    true
}

/// Acknowledges these; TCP's holes stay holes.
fn ack(transport: &mut Transport<'_>, positions: &[u64]) -> bool {
    if positions.is_empty() {
        return false;
    }
    transport.acknowledge(positions, None, None);
    true
}

fn spurious(transport: &mut Transport<'_>, names: &[cwnd::driver::RecoveryEpoch]) -> bool {
    if names.is_empty() {
        return false;
    }
    for name in names {
        transport.tell_spurious(*name);
    }
    transport.send(false, false);
    true
}

/// Plays `event`; whether it could happen.
pub fn play(transport: &mut Transport<'_>, event: PathEvent) -> bool {
    transport.wait();
    let out = transport.out();
    let (paid, state) = (transport.account.paid, transport.driver.conn.ca_state);
    let names: Vec<_> = transport.account.names.iter().map(|(name, _)| *name).collect();
    match event {
        PathEvent::Loss => lose_one(transport, |_| true),
        PathEvent::FurtherLoss => lose_one(transport, |position| position < paid),
        PathEvent::LaterLoss => lose_one(transport, |position| position >= paid),
        PathEvent::Ce => {
            let Some(oldest) = out.first() else { return false };
            transport.acknowledge(&[*oldest], None, Some(*oldest));
            transport.send(false, false);
            true
        }
        PathEvent::OldCe => {
            if paid == 0 {
                return false;
            }
            transport.tell_ecn(paid - 1);
            transport.send(false, false);
            true
        }
        PathEvent::Timeout | PathEvent::PersistentCongestion => {
            let (Some(newest), oldest) = (out.last(), out.first().copied()) else { return false };
            let first = if transport.setting.is_quic() { oldest.unwrap_or(*newest) } else { transport.una() };
            transport.lose(&out);
            if event == PathEvent::PersistentCongestion {
                transport.tell_loss(*newest);
            }
            transport.tell_timeout(first);
            transport.send(false, false);
            true
        }
        PathEvent::Spurious => spurious(transport, &names),
        PathEvent::SpuriousPart => {
            if names.len() < 2 {
                return false;
            }
            spurious(transport, &names[1..])
        }
        PathEvent::SpuriousFirstPart => {
            if names.len() < 2 {
                return false;
            }
            spurious(transport, &names[..1])
        }
        PathEvent::SpuriousEarlier => {
            let stale = transport.account.stale.clone();
            spurious(transport, &stale)
        }
        PathEvent::FullAck => {
            let played = ack(transport, &out);
            transport.send(false, false);
            played
        }
        PathEvent::PartialAck => {
            let played = ack(transport, &out[..out.len().div_ceil(2)]);
            transport.send(false, false);
            played
        }
        PathEvent::TimerLoss => {
            let lost = &out[..out.len().div_ceil(2)];
            let Some(newest) = lost.last() else { return false };
            transport.lose(lost);
            transport.tell_loss(*newest);
            transport.send(true, false);
            true
        }
        PathEvent::Idle => {
            if transport.any_lost() && !transport.setting.is_quic() {
                return false;
            }
            ack(transport, &out);
            debug_assert!(transport.packets.iter().all(|packet| packet.fate != Fate::Out));
            transport.idle();
            transport.send(false, true);
            true
        }
        PathEvent::LostRetransmission => {
            // The oldest that is out and had its reduction went again; the acknowledgement of a later one shows that it is lost.
            let again = out.iter().position(|position| *position < paid);
            let (Some(place), CaState::Loss) = (again, state) else { return false };
            let lost = out[place];
            let una = transport.una();
            let shown_by: Vec<_> = out.get(place + 1).copied().into_iter().collect();
            transport.arrive(&shown_by);
            transport.lose(&[lost]);
            transport.tell_renewal(Some(lost));
            transport.tell_ack(una, &shown_by, true);
            transport.send(false, false);
            true
        }
        PathEvent::FurtherTimeout => {
            if state != CaState::Loss || out.is_empty() {
                return false;
            }
            transport.lose(&out);
            transport.tell_renewal(None);
            transport.send(false, false);
            true
        }
        PathEvent::RepairedLoss => {
            if state != CaState::Open || out.is_empty() {
                return false;
            }
            let una = transport.una();
            transport.arrive(&out[..1]);
            transport.show();
            transport.tell_repaired_loss();
            transport.tell_ack(una, &out[..1], false);
            transport.send(false, false);
            true
        }
        PathEvent::LossAfterEcho => {
            if state != CaState::Cwr || out.len() < 2 {
                return false;
            }
            let una = transport.una();
            transport.arrive(&out[1..2]);
            transport.lose(&out[..1]);
            transport.tell_loss_after_echo();
            transport.tell_ack(una, &out[1..2], true);
            transport.send(false, false);
            true
        }
    }
}
