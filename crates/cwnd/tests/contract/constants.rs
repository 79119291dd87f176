// SPDX-License-Identifier: MIT OR Apache-2.0
//! The constants of published forms, as their sources have them, written out in full: a set is code that inherits from
//! another, and what it inherits by mistake shows here. (The constants of the `-linux` sets show in the golden traces too.)

use crate::support::{DrivenFlow, algorithm, set};

/// Sets, each with its settings as `name=value` in the words of the command line.
const PUBLISHED: &str = "
    # RFC 9438 §4.2 to §4.7, §4.10, §5.1
    cubic: beta=0.7 c=0.4 fast_convergence=true convergence_from=w_max friendliness=window alpha=0 alpha_one=true
        increment=exact lookahead=srtt k_from=window limit_target=true max_increment=0 clock=us halve_first=false
        newreno_for_good=false reduce_from=flight counting=segments slow_start=hystart++
    # Ha, Rhee and Xu 2008, Algorithm 1 (its β = 0.2 is what is given away)
    cubic-2.2: beta=0.8 c=0.4 fast_convergence=true convergence_from=w_max friendliness=target alpha=0 alpha_one=false
        increment=exact lookahead=min_rtt k_from=window limit_target=true max_increment=0 clock=us halve_first=false
        newreno_for_good=false reduce_from=cwnd counting=acks slow_start=standard
    # RFC 8312 §4.1, §4.2, §4.6
    cubic-rfc8312: beta=0.7 c=0.4 fast_convergence=true convergence_from=w_last_max friendliness=formula alpha=0
        alpha_one=false increment=exact lookahead=srtt k_from=w_max limit_target=false max_increment=0 clock=us
        halve_first=false newreno_for_good=false reduce_from=cwnd counting=segments slow_start=standard
    # Rhee and Xu 2005 §II
    cubic-2005: beta=0.8 c=0.4 fast_convergence=false friendliness=formula alpha=0 alpha_one=false increment=exact
        lookahead=none k_from=w_max limit_target=false max_increment=160 clock=us halve_first=false newreno_for_good=false
        reduce_from=cwnd counting=segments slow_start=standard
    # FreeBSD 13: fixed point of 8 bits, a clock of ticks
    cubic-freebsd: beta=0.699219 c=0.398438 fast_convergence=true convergence_from=w_last_max friendliness=formula alpha=0
        alpha_one=false increment=exact lookahead=srtt k_from=w_max limit_target=false max_increment=0 clock=ticks
        halve_first=true newreno_for_good=false reduce_from=cwnd counting=segments slow_start=standard
    # FreeBSD review D46546
    cubic-freebsd-newreno: beta=0.699219 c=0.398438 fast_convergence=true convergence_from=w_max friendliness=newreno alpha=0
        alpha_one=false increment=exact lookahead=srtt k_from=window limit_target=true max_increment=0 clock=ticks
        halve_first=false newreno_for_good=true reduce_from=flight counting=segments slow_start=standard
    # Linux: 717/1024, bic_scale 41 (410/1024)
    cubic-linux: beta=0.700195 c=0.400391 curve_c=0.400391 fast_convergence=true friendliness=true clamp=off unknown_count=20
        unknown=at_most spare_acks=0 ack_ratio=false counting=segments updates_per_s=32 root=table clock=us slow_start=hystart
        start_ssthresh=0
    # Linux 2.6.25: 717/1024, no S_max, acknowledgements
    cubic-2.2-linux: beta=0.700195 c=0.400391 curve_c=0.400391 fast_convergence=true friendliness=true clamp=off unknown=curve
        spare_acks=1 ack_ratio=true counting=acks updates_per_s=32 root=table clock=ticks slow_start=standard start_ssthresh=0
    # Linux 2.6.22: 819/1024, S_max 16 per 100 ms beyond the plateau
    cubic-2.1: beta=0.799805 c=0.400391 curve_c=0.400391 fast_convergence=true friendliness=true clamp=convex max_increment=16
        unknown_count=50 unknown=always spare_acks=1 ack_ratio=true counting=acks updates_per_s=32 root=newton clock=ticks
        slow_start=standard start_ssthresh=0
    # Ha, Rhee and Xu 2008, table 1
    cubic-2.0: beta=0.799805 c=0.400391 curve_c=0.400391 fast_convergence=true friendliness=true clamp=always max_increment=16
        unknown_count=50 unknown=always spare_acks=1 ack_ratio=true counting=acks updates_per_s=32 root=newton clock=ticks
        slow_start=standard start_ssthresh=100
    # Leith, Shorten and McCullagh 2007, Algorithm 1: 20 packets/s
    cubic-2.6.18: beta=0.799805 c=0.400391 curve_c=0.400391 fast_convergence=true friendliness=true clamp=always
        max_increment=2 unknown_count=50 unknown=always spare_acks=2 ack_ratio=false counting=acks updates_per_s=32
        root=newton clock=ticks slow_start=standard start_ssthresh=100
    # LKML, 31 October 2006: the curve of C = 1/32
    cubic-2.6.18-unfixed: beta=0.799805 c=0.400391 curve_c=0.03125 fast_convergence=true friendliness=true clamp=always
        max_increment=2 unknown_count=50 unknown=always spare_acks=1 ack_ratio=true counting=acks updates_per_s=32 root=newton
        clock=ticks slow_start=standard start_ssthresh=100
    # RFC 5681 eq 3, as the stacks of the papers' years had it: acknowledgements count
    reno: counting=segments reduce_from=flight slow_start=standard
    reno-linux: counting=segments reduce_from=cwnd slow_start=standard
    sack: counting=acks reduce_from=flight slow_start=standard
    newreno: counting=acks reduce_from=flight slow_start=standard
    tahoe: counting=acks reduce_from=flight slow_start=standard
    # Xu, Harfoush and Rhee 2004, with the kernel's S_max, and as printed
    bic: beta=0.799805 max_increment=16 low_window=14 smooth_part=20 fast_convergence=true updates_per_s=0 ack_ratio=false
    bic-2004: beta=0.875 max_increment=32 low_window=14 fast_convergence=true updates_per_s=0 ack_ratio=false
    # Fu and Liew 2003 §II, §III: β = 3, 4/5 kept, every other acknowledgement when crowded
    veno: beta=3 random_kept=80 parts=1024 crowded=half fresh_base=true
    veno-linux: beta=3 random_kept=80 parts=2 crowded=alternate fresh_base=false
    # Leith and Shorten 2004: 1 s, 10, 1/4 of Δ², 0.5 to 0.8, 20 %
    htcp: delta_l_ms=1000 slope=10 divisor=2 beta_min=0.5 beta_max=0.8 switch=20 rtt_reference_ms=0
    htcp-linux: delta_l_ms=1000 slope=10 divisor=2 beta_min=0.5 beta_max=0.8 switch=20 rtt_reference_ms=100 rtt_floor_ms=10
        rtt_step_ms=20 fading=95
    # Liu, Basar and Srikant 2008 §3: α from 0.3 to 10, β from 1/8 to 1/2
    illinois: alpha_min=0.3 alpha_max=10 beta_min=0.125 beta_max=0.5 eta1=1 eta2=10 eta3=80 theta=5 w_thresh=15
    # Kelly 2003; Brakmo and Peterson 1995; Linux
    scalable: per_segment=100 low_window=16 counting=acks
    vegas: alpha=1 beta=3 gamma=1 doubling_rounds=2 slow_start_exit=eighth kept=0.75
    vegas-linux: alpha=2 beta=4 gamma=1 doubling_rounds=1 slow_start_exit=target kept=0.5
";

#[test]
fn every_published_form_has_its_sources_constants() {
    let lines = PUBLISHED.lines().filter(|line| !line.trim_start().starts_with('#'));
    let (mut name, mut sets) = ("", 0);
    for word in lines.flat_map(str::split_whitespace) {
        let Some((key, text)) = word.split_once('=') else {
            (name, sets) = (word.trim_end_matches(':'), sets + 1);
            continue;
        };
        let set = set(name);
        let controller = set.controller().expect("listed");
        let specs = algorithm(&set).specs;
        let index = specs.iter().position(|spec| spec.name == key).unwrap_or_else(|| panic!("{name}: {key}"));
        let expected = specs[index].parse(text).unwrap_or_else(|why| panic!("{name}: {key}={text}: {why:?}"));
        assert_eq!(controller.param(index), expected, "{name}: {key}={text}");
    }
    assert_eq!(sets, 27);
}

// Rhee and Xu 2005 §II.B, Ha et al. 2008 table 1: S_max segments per second, far from the plateau, where the curve alone
// would be several times as fast. 2.1 is clamped beyond the plateau only. The two that correct for delayed ACKs get an ACK for
// every second segment: their filter starts at 2 and comes no nearer to 1 than 31/16.
#[test]
fn s_max_limits_the_growth_per_second() {
    for (name, every, beyond_k, per_second) in [
        ("cubic-2005", 1, false, 160.0),
        ("cubic-2005", 1, true, 160.0),
        ("cubic-2.0", 2, false, 160.0),
        ("cubic-2.0", 2, true, 160.0),
        ("cubic-2.1", 2, true, 160.0),
        ("cubic-2.6.18", 1, false, 20.0),
    ] {
        let mut flow = DrivenFlow::after_loss(&set(name), 10_000, 100_000);
        let mut grown_in = |seconds: f64| {
            let (before, end) = (flow.cwnd(), flow.now_s() + seconds);
            while flow.now_s() < end {
                flow.round(every);
            }
            f64::from(flow.cwnd() - before)
        };
        // The curve rises by 310 segments per second at its start, and by 266 at 32 s (K is 17.1 s).
        grown_in(if beyond_k { 32.0 } else { 1.0 });
        let rate = grown_in(2.0) / 2.0;
        let expected = 0.85 * per_second..=1.06 * per_second;
        assert!(expected.contains(&rate), "{name}, beyond K {beyond_k}: {rate}");
    }
}

// Linux: before a loss 20 segments acknowledged are one segment at the most, 5 % in a round trip; where the curve is faster it
// rules. From 10 segments at an RTT of 1 s the curve is 0.4 · 10³ = 400 up after ten round trips; 5 % would make 16 of 10.
#[test]
fn before_a_loss_the_kernel_takes_the_faster_of_the_curve_and_5_percent() {
    let mut flow = DrivenFlow::in_avoidance(&set("cubic-linux"), 10, 1_000_000);
    flow.rounds(10);
    assert!(flow.cwnd() > 100, "{}", flow.cwnd());
    let mut flow = DrivenFlow::in_avoidance(&set("cubic-linux"), 1000, 10_000);
    flow.rounds(10);
    assert!((1500..=1640).contains(&flow.cwnd()), "{}", flow.cwnd()); // 1000 · 1.05¹⁰ = 1629
}
