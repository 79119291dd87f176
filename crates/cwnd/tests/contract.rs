// SPDX-License-Identifier: MIT OR Apache-2.0
//! What every algorithm of the registry promises, whatever a transport does to it. proptest prints the seed of a failure.

use cwnd::registry::{ALGORITHMS, SetDescription};
use cwnd::{ACK_SLOW_PATH, ACK_WINDOW_UPDATE, AckSample, CaEvent, CaState, Conn, Controller};
use proptest::prelude::*;

/// One thing that a transport does.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Time passes, an ACK with its RTT arrives.
    Ack {
        after_us: u64,
        acked: u32,
        rtt_us: i32,
        limited: bool,
    },
    /// A window reduction; `timeout` for the harder one.
    Loss {
        timeout: bool,
    },
    Undo,
    Idle {
        us: u64,
    },
    /// The clock jumps back.
    Back {
        us: u64,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let rtt = prop_oneof![Just(-1), Just(0), Just(1), 1..10_000_000_i32];
    let gap = prop_oneof![Just(0_u64), 1..1_000_000_u64, Just(3_600_000_000_u64)];
    prop_oneof![
        20 => (gap, 1..400_u32, rtt, any::<bool>())
            .prop_map(|(after_us, acked, rtt_us, limited)| Step::Ack { after_us, acked, rtt_us, limited }),
        2 => any::<bool>().prop_map(|timeout| Step::Loss { timeout }),
        1 => Just(Step::Undo),
        1 => (0..100_000_000_000_u64).prop_map(|us| Step::Idle { us }),
        1 => (0..10_000_000_u64).prop_map(|us| Step::Back { us }),
    ]
}

fn sets() -> Vec<SetDescription> {
    ALGORITHMS.iter().flat_map(|algorithm| algorithm.sets()).collect()
}

/// Vegas shrinks its window when the RTT rises, and judges a round by its RTT whoever limited it (Brakmo and Peterson
/// 1995 §4; Linux has no check there either).
fn judges_by_delay(set: &SetDescription) -> bool {
    set.name.starts_with("vegas")
}

/// Hybla grows by 2^ρ − 1 or ρ²/w segments per acknowledgement: that is what it is for (Caini and Firrincieli 2004).
fn jumps_on_long_paths(set: &SetDescription) -> bool {
    set.name.starts_with("hybla")
}

/// Illinois's α of a larger window lasts to the round's end in the kernel, and multiplies whatever an ACK brings (shown by
/// `the_kernels_form_may_grow_by_more_than_was_acknowledged`, beside the algorithm).
fn keeps_a_larger_windows_growth(set: &SetDescription) -> bool {
    matches!(set.name, "illinois-linux" | "illinois-2.6.22")
}

fn set_state(cc: &mut Controller, conn: &mut Conn, new: CaState) {
    cc.set_state(conn, new);
    conn.ca_state = new;
}

/// Plays `steps` and checks after each: never shrinks on an ACK, never grows while the application limits the flow,
/// never asks for less than two segments.
fn play(set: &SetDescription, cwnd: u32, steps: &[Step]) -> Result<Conn, TestCaseError> {
    let mut cc = set.controller().expect("listed");
    let mut conn = Conn { now_us: 5_000_000_000, cwnd_clamp: 1 << 30, ..Conn::new(1448, cwnd) };
    cc.init(&mut conn);
    for step in steps {
        let before = conn.cwnd;
        conn.packets_out = conn.cwnd;
        match *step {
            Step::Ack { after_us, acked, rtt_us, limited } => {
                conn.now_us += after_us;
                conn.snd_una = conn.snd_una.wrapping_add(acked.wrapping_mul(1448));
                conn.snd_nxt = conn.snd_una.wrapping_add(conn.cwnd.wrapping_mul(1448));
                conn.is_cwnd_limited = limited;
                conn.max_packets_out = if limited { conn.cwnd } else { 0 };
                let was_limited = conn.cwnd_limited();
                cc.pkts_acked(&mut conn, &AckSample { pkts_acked: acked, rtt_us, in_flight: before });
                conn.srtt_us8 = u32::try_from(rtt_us).map_or(conn.srtt_us8, |rtt| rtt.saturating_mul(8));
                let slow = rtt_us < 0;
                cc.in_ack_event(&mut conn, if slow { ACK_SLOW_PATH } else { ACK_WINDOW_UPDATE });
                let una = conn.snd_una;
                cc.cong_avoid(&mut conn, una, acked);
                if !judges_by_delay(set) {
                    prop_assert!(
                        conn.cwnd >= before,
                        "{}: {before} shrank to {} on an ACK",
                        set.name,
                        conn.cwnd
                    );
                }
                if !was_limited && !judges_by_delay(set) {
                    prop_assert_eq!(conn.cwnd, before, "{} grew while the application limits it", set.name);
                }
                // One segment per segment acknowledged at most, and one more from credit kept.
                prop_assert!(
                    u64::from(conn.cwnd) <= u64::from(before) + u64::from(acked) + 1
                        || jumps_on_long_paths(set)
                        || keeps_a_larger_windows_growth(set),
                    "{}",
                    set.name
                );
            }
            Step::Loss { timeout } => {
                conn.prior_cwnd = conn.cwnd;
                let ssthresh = cc.ssthresh(&mut conn);
                prop_assert!(ssthresh >= 2, "{}: ssthresh {ssthresh}", set.name);
                prop_assert!(
                    ssthresh <= before.max(2),
                    "{}: a loss at {before} raised it to {ssthresh}",
                    set.name
                );
                conn.ssthresh = ssthresh;
                conn.cwnd_cnt = 0; // as the kernel and the driver do
                if timeout {
                    cc.cwnd_event(&mut conn, CaEvent::Loss);
                }
                set_state(&mut cc, &mut conn, if timeout { CaState::Loss } else { CaState::Recovery });
                conn.cwnd = if timeout { 1 } else { ssthresh };
                if !timeout {
                    cc.cwnd_event(&mut conn, CaEvent::CompleteCwr);
                }
                prop_assert!(conn.cwnd >= if timeout { 1 } else { 2 }, "{}: {}", set.name, conn.cwnd);
                set_state(&mut cc, &mut conn, CaState::Open);
            }
            Step::Undo => {
                let restored = cc.undo_cwnd(&mut conn);
                prop_assert!(restored >= conn.cwnd, "{}: undo takes away", set.name);
                prop_assert!(restored <= conn.cwnd.max(conn.prior_cwnd), "{}: undo invents", set.name);
                conn.cwnd = restored;
            }
            Step::Idle { us } => {
                conn.now_us += us;
                cc.cwnd_event(&mut conn, CaEvent::TxStart);
            }
            Step::Back { us } => conn.now_us -= us.min(conn.now_us),
        }
    }
    Ok(conn)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn no_algorithm_breaks_the_contract(cwnd in 1..100_000_u32, steps in prop::collection::vec(step(), 1..200)) {
        for set in sets() {
            play(&set, cwnd, &steps)?;
        }
    }
}

// Rows X6, H9: what lay in the private area before init has no influence.
#[test]
fn init_forgets_the_connection_before() {
    for set in sets() {
        let mut fresh = set.controller().expect("listed");
        let mut used = set.controller().expect("listed");
        let mut conn = Conn { is_cwnd_limited: true, now_us: 77, ..Conn::new(1448, 50) };
        used.init(&mut conn);
        for _ in 0..100 {
            conn.now_us += 1000;
            used.cong_avoid(&mut conn, 0, 3);
        }
        used.ssthresh(&mut conn);
        let mut conn = Conn { now_us: 9_000, ..Conn::new(1448, 10) };
        fresh.init(&mut conn);
        used.init(&mut conn);
        assert_eq!(format!("{fresh:?}"), format!("{used:?}"), "{}", set.name);
    }
}

/// CUBIC before 2.6.25 takes 50 acknowledgements for a segment before its first loss, and then only what its estimate of
/// an AIMD flow asks for (Leith, Shorten and McCullagh 2007, Algorithm 1, line 26).
fn searches_slowly_before_a_loss(set: &SetDescription) -> bool {
    ["cubic-2.0", "cubic-2.1", "cubic-2.6.18", "cubic-2.6.18-unfixed"].contains(&set.name)
}

// Row K1: from two segments every algorithm grows within four round trips.
#[test]
fn every_algorithm_lives_at_two_segments() {
    for set in sets() {
        let mut cc = set.controller().expect("listed");
        let mut conn = Conn { is_cwnd_limited: true, ssthresh: 2, now_us: 1 << 40, ..Conn::new(1448, 2) };
        conn.srtt_us8 = 80_000;
        cc.init(&mut conn);
        let round_trips = if searches_slowly_before_a_loss(&set) { 16 } else { 4 };
        for _ in 0..round_trips {
            cc.cwnd_event(&mut conn, CaEvent::TxStart);
            conn.snd_nxt += 2 * 1448;
            for _ in 0..2 {
                conn.now_us += 5_000;
                conn.ticks = (conn.now_us / 1000) as u32;
                conn.snd_una += 1448;
                cc.pkts_acked(&mut conn, &AckSample { pkts_acked: 1, rtt_us: 10_000, in_flight: 2 });
                let una = conn.snd_una;
                cc.cong_avoid(&mut conn, una, 1);
            }
        }
        assert!(conn.cwnd >= 3, "{}: {}", set.name, conn.cwnd);
    }
}

// The exception to "a segment per acknowledged segment at most": at 100 ms, ρ = 4 and slow start grows by 2⁴ − 1 = 15.
#[test]
fn hybla_jumps_on_a_long_path() {
    for set in sets().iter().filter(|set| jumps_on_long_paths(set)) {
        let mut cc = set.controller().expect("listed");
        let mut conn = Conn { is_cwnd_limited: true, srtt_us8: 8 * 100_000, ..Conn::new(1448, 10) };
        cc.init(&mut conn);
        cc.cong_avoid(&mut conn, 1448, 1);
        assert_eq!(conn.cwnd, 25, "{}", set.name);
    }
}
