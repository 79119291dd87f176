// SPDX-License-Identifier: MIT OR Apache-2.0
//! What can happen.

use crate::linux::LinuxAck;
use crate::transport::{Fate, ModelSetting, Transport};
use cwnd::CaState;
use cwnd::driver::RecoveryEpoch;

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
    /// The timer takes half of what is out for lost: the rest was sent later.
    PartialTimeout,
    /// What is out arrives, with what was taken for lost: it was late, and the last epoch is spurious.
    LateAck,
    /// A later packet is reported than the oldest; what is missing may be late.
    Report,
}

impl PathEvent {
    pub const ALL: [Self; 21] = [
        Self::PersistentCongestion,
        Self::OldCe,
        Self::Loss,
        Self::FurtherLoss,
        Self::LaterLoss,
        Self::Ce,
        Self::Timeout,
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
        Self::PartialTimeout,
        Self::LateAck,
        Self::Report,
    ];
    /// The first ones of the list are not Linux's: an echo has no position there.
    const NOT_LINUXS: usize = 2;
    /// The last ones are only Linux's.
    const LINUXS: usize = 6;

    /// Those that are played in this setting.
    pub fn of(setting: &ModelSetting) -> &'static [Self] {
        if setting.is_linux() {
            &Self::ALL[Self::NOT_LINUXS..]
        } else {
            &Self::ALL[..Self::ALL.len() - Self::LINUXS]
        }
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

fn spurious(transport: &mut Transport<'_>, names: &[RecoveryEpoch]) -> bool {
    if names.is_empty() {
        return false;
    }
    // Linux: tcp_undo_cwnd_reduction, then tcp_try_keep_open
    let missing = transport.setting.is_linux() && transport.is_missing();
    for name in names {
        transport.tell_spurious(*name, if missing { CaState::Disorder } else { CaState::Open });
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
            transport.tell_ecn(paid - 1, paid - 1);
            transport.send(false, false);
            true
        }
        PathEvent::Timeout | PathEvent::PersistentCongestion => {
            let (Some(newest), oldest) = (out.last(), out.first().copied()) else { return false };
            if transport.setting.is_linux() {
                transport.time_out(&out, *newest, true);
            } else {
                let first =
                    if transport.setting.is_quic() { oldest.unwrap_or(*newest) } else { transport.una };
                transport.lose(&out);
                if event == PathEvent::PersistentCongestion {
                    transport.tell_loss(*newest, *newest);
                }
                transport.tell_timeout(first, first);
            }
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
            if transport.setting.is_linux() {
                transport.find_by_timer(lost, *newest);
            } else {
                transport.lose(lost);
                transport.tell_loss(*newest, *newest);
            }
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
            let Some(shown_by) = out.get(place + 1) else { return false };
            transport.acknowledge_as_linux(&LinuxAck {
                positions: &[*shown_by],
                lost: &[out[place]],
                lost_again: true,
                ..LinuxAck::default()
            });
            transport.send(false, false);
            true
        }
        PathEvent::FurtherTimeout => {
            let (Some(newest), CaState::Loss) = (out.last(), state) else { return false };
            transport.time_out(&out, *newest, false);
            transport.send(false, false);
            true
        }
        PathEvent::PartialTimeout => {
            let lost = &out[..out.len() / 2];
            let Some(newest) = lost.last() else { return false };
            transport.time_out(lost, *newest, true);
            transport.send(false, false);
            true
        }
        PathEvent::RepairedLoss => {
            // A recovery or a timeout ends the wait for it.
            if matches!(state, CaState::Recovery | CaState::Loss) || out.is_empty() {
                return false;
            }
            let what = LinuxAck { positions: &out[..1], repaired: true, ..LinuxAck::default() };
            transport.acknowledge_as_linux(&what);
            transport.send(false, false);
            true
        }
        PathEvent::LateAck => {
            let late: Vec<_> = transport.missing();
            if names.is_empty() || late.is_empty() {
                return false;
            }
            transport.acknowledge_as_linux(&LinuxAck {
                positions: &late,
                proof: true,
                ..LinuxAck::default()
            });
            transport.send(false, false);
            true
        }
        PathEvent::Report => {
            if out.len() < 2 {
                return false;
            }
            let played = ack(transport, &out[1..2]);
            transport.send(false, false);
            played
        }
    }
}
