// SPDX-License-Identifier: MIT OR Apache-2.0
//! Idle, limited by the application, paced. Table `idle`.

use crate::support::DrivenFlow;
use crate::{ProbeResult, claim};
use cwnd::driver::Ack;
use cwnd::registry::SetDescription;

const RTT_US: u64 = 100_000;

/// At two segments nothing is in flight once per round trip; a window that takes this for idleness never grows.
pub fn two_segments_without_loss_grow(set: &SetDescription) -> ProbeResult {
    let mut flow = DrivenFlow::in_avoidance(set, 2, 10_000);
    for _ in 0..4 {
        flow.tx_start();
        flow.round(1);
    }
    claim(flow.cwnd() >= 3, || format!("{} segments after four round trips", flow.cwnd()))
}

/// A window leaves at once, and all of it is acknowledged a round trip later, before the next one leaves: nothing is in flight then. For 10 s
/// after a loss at 1000 segments: half of what was lost is regained, or more.
pub fn a_window_that_is_acknowledged_at_once_grows(set: &SetDescription) -> ProbeResult {
    let mut flow = DrivenFlow::after_loss(set, 1000, RTT_US);
    let begin = flow.cwnd();
    for _ in 0..100 {
        let (now_us, window) = (flow.driver.conn.now_us, flow.cwnd());
        (flow.driver.conn.packets_out, flow.driver.conn.in_flight) = (0, 0);
        flow.driver.on_sent(now_us, 1_000_000);
        application_round(&mut flow, window + 1);
    }
    claim(flow.cwnd() >= begin + (1000 - begin) / 2, || format!("{begin} to {} in ten seconds", flow.cwnd()))
}

/// The most that one of the next three round trips would add.
fn usual_growth(flow: &DrivenFlow) -> u32 {
    let mut busy = flow.twin();
    let mut rounds = || {
        let before = busy.cwnd();
        busy.round(1);
        busy.cwnd() - before
    };
    rounds().max(rounds()).max(rounds())
}

/// 1 s, 10 s and 10 min of silence before and beyond K: the next round trip adds 1.5 % of the window and twice what it
/// would have added without the silence, at most.
pub fn an_idle_period_makes_no_jump(set: &SetDescription) -> ProbeResult {
    let mut worst = (0.0, String::new());
    for after_s in [2.0, 12.0] {
        let mut flow = DrivenFlow::after_loss(set, 1000, RTT_US);
        flow.seconds(after_s);
        let usual = usual_growth(&flow);
        for idle_s in [1, 10, 600] {
            let mut flow = flow.twin();
            let before = flow.cwnd();
            flow.idle(idle_s * 1_000_000);
            flow.round(1);
            let jump = f64::from(flow.cwnd() - before) - 2.0 * f64::from(usual);
            let share = jump / f64::from(before);
            if share > worst.0 {
                worst = (share, format!("{before} to {} after {idle_s} s of silence", flow.cwnd()));
            }
        }
    }
    claim(worst.0 <= 0.015, || worst.1.clone())
}

/// Slow start reaches its threshold, the application stalls for 20 round trips: no ACK after it is worth more than a
/// segment, and a round trip brings what it would have brought before, and 2 % of the window.
pub fn a_stalled_slow_start_makes_no_jump(set: &SetDescription) -> ProbeResult {
    for silent in [true, false] {
        let mut flow = DrivenFlow::in_avoidance(set, 64, RTT_US);
        flow.round(1);
        let usual = usual_growth(&flow);
        if silent {
            flow.idle(20 * RTT_US);
        } else {
            flow.limited = false;
            flow.rounds(20);
            flow.limited = true;
        }
        let begin = flow.cwnd();
        for _ in 0..begin {
            let before = flow.cwnd();
            flow.pace(1);
            flow.ack(1);
            if flow.cwnd() > before + 1 {
                return claim(false, || format!("{before} to {} by one ACK", flow.cwnd()));
            }
        }
        if flow.cwnd() > begin + usual + 1 + begin / 50 {
            return claim(false, || format!("{begin} to {} in a round trip", flow.cwnd()));
        }
    }
    claim(true, String::new)
}

/// A round trip of an application that sends `packets` at once, as far as the window lets it.
fn application_round(flow: &mut DrivenFlow, packets: u32) {
    let sent = packets.min(flow.cwnd());
    let conn = &mut flow.driver.conn;
    conn.snd_una = conn.snd_nxt;
    conn.snd_nxt = conn.snd_nxt.wrapping_add(sent * conn.mss);
    conn.packets_out = sent;
    conn.in_flight = sent;
    flow.driver.on_burst_end(sent < packets);
    flow.wait(flow.rtt_us);
    for _ in 0..sent {
        let conn = &mut flow.driver.conn;
        conn.snd_una = conn.snd_una.wrapping_add(conn.mss);
        conn.packets_out -= 1;
        conn.in_flight -= 1;
        let ack = Ack::new(conn.now_us, 0, 1, 1).rtt(Some(flow.rtt_us as u32), None);
        flow.driver.on_ack(&ack);
    }
}

/// An application that sends ten packets a round trip, for a minute, from slow start: 20 segments at most.
pub fn an_application_limited_flow_keeps_to_twice_its_flight(set: &SetDescription) -> ProbeResult {
    let mut flow = DrivenFlow::new(set, 10, RTT_US);
    for _ in 0..600 {
        application_round(&mut flow, 10);
    }
    claim(flow.cwnd() <= 20, || format!("{} segments for ten in flight", flow.cwnd()))
}

/// Packets that leave half a gap after the ACK that allowed them: the window was full all the same.
pub fn a_paced_flow_grows_as_an_unpaced_one(set: &SetDescription) -> ProbeResult {
    let mut unpaced = DrivenFlow::after_loss(set, 100, RTT_US);
    let mut paced = DrivenFlow::after_loss(set, 100, RTT_US);
    let begin = unpaced.cwnd();
    unpaced.rounds(60);
    for _ in 0..60 {
        for _ in 0..paced.cwnd() {
            paced.pace(1);
            paced.ack(1);
            // At the ACK nothing leaves; a moment later one packet does, and the window is full.
            let cwnd = paced.cwnd();
            paced.driver.conn.packets_out = cwnd - 1;
            paced.driver.on_burst_end(false);
            paced.driver.conn.packets_out = cwnd;
            paced.driver.on_burst_end(true);
            paced.limited = paced.driver.conn.is_cwnd_limited;
        }
    }
    let (one, other) = (f64::from(paced.cwnd() - begin), f64::from(unpaced.cwnd() - begin));
    claim(one > 0.0 && (one - other).abs() <= 1.0 + 0.05 * other, || {
        format!("{one} segments of growth paced, {other} unpaced")
    })
}

/// Bulk for five round trips, then one packet in each: after two more nothing grows.
pub fn growth_stops_when_bulk_becomes_a_trickle(set: &SetDescription) -> ProbeResult {
    let mut flow = DrivenFlow::in_avoidance(set, 20, RTT_US);
    for _ in 0..5 {
        application_round(&mut flow, 1000);
    }
    for _ in 0..2 {
        application_round(&mut flow, 1);
    }
    let before = flow.cwnd();
    for _ in 0..100 {
        application_round(&mut flow, 1);
    }
    claim(flow.cwnd() == before, || format!("{before} to {} with one packet in flight", flow.cwnd()))
}

/// Every other ACK finds the flow limited by its application: half of the time at most is not counted, so after K and a
/// little the window is most of the way back; without a curve it has grown.
pub fn alternating_limits_do_not_stop_the_curve(set: &SetDescription) -> ProbeResult {
    let mut flow = DrivenFlow::after_loss(set, 1000, RTT_US);
    let begin = flow.cwnd();
    for _ in 0..100 {
        for _ in 0..flow.cwnd() {
            flow.limited = !flow.limited;
            flow.pace(1);
            flow.ack(1);
        }
    }
    let cubic = ["cubic", "cubic-2.2", "cubic-linux"].contains(&set.name);
    let enough = if cubic { begin + (1000 - begin) / 2 } else { begin + 1 };
    claim(flow.cwnd() >= enough, || format!("{begin} to {} in 10 s", flow.cwnd()))
}

/// A pause of 0.9 and of 10 retransmission timeouts: 20 round trips later the window has grown.
pub fn after_a_pause_growth_goes_on(set: &SetDescription) -> ProbeResult {
    for pause_us in [270_000, 3_000_000] {
        let mut flow = DrivenFlow::after_loss(set, 100, RTT_US);
        flow.rounds(5);
        let before = flow.cwnd();
        flow.idle(pause_us);
        flow.rounds(20);
        if flow.cwnd() <= before {
            return claim(false, || format!("{before} to {} after a pause of {pause_us} µs", flow.cwnd()));
        }
    }
    claim(true, String::new)
}

/// For a round trip after a loss half the window is in flight: the window grows once it is used again.
pub fn a_small_flight_after_a_loss_stops_no_growth(set: &SetDescription) -> ProbeResult {
    let mut flow = DrivenFlow::after_loss(set, 100, RTT_US);
    let before = flow.cwnd();
    application_round(&mut flow, before / 2);
    flow.rounds(20);
    claim(flow.cwnd() > before, || format!("{before} to {}", flow.cwnd()))
}
