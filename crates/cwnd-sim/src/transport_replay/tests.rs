// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records by hand: ten segments of 1000 bytes, of which the first is acknowledged after 40 ms.

use super::record::{KernelState, Packet, PacketKind, Recorded};
use super::{Outcome, replay};
use cwnd::replay::{After, Call, Row};
use cwnd::{ACK_SLOW_PATH, ACK_WINDOW_UPDATE, AckSample, CaState, Conn, INFINITE_SSTHRESH};

const MSS: u32 = 1000;
/// Sequence number of the first byte: the numbers wrap within the first segment.
const FIRST: u32 = u32::MAX - 499;

/// The kernel's state with `una` segments acknowledged of `nxt`.
fn state(una: u32, nxt: u32) -> KernelState {
    KernelState {
        snd_una: FIRST.wrapping_add(una * MSS),
        snd_nxt: FIRST.wrapping_add(nxt * MSS),
        packets_out: nxt - una,
        cwnd: 10 + una,
        ssthresh: INFINITE_SSTHRESH,
        is_cwnd_limited: true,
        srtt_us8: 40_000 * 8,
        rtt_min_us: 40_000,
        rack_rtt_us: 40_000,
        reo_wnd_steps: 1,
        reordering: 3,
        ..KernelState::default()
    }
}

fn packet(kind: PacketKind, time_us: u64, state: KernelState) -> Packet {
    Packet {
        kind,
        time_ns: time_us * 1000,
        sent_ns: time_us * 1000,
        sequence: 0,
        payload: 0,
        gso_size: 0,
        acknowledges: 0,
        flags: 16,
        window: 100,
        ts_value: (time_us / 1000) as u32,
        ts_echo: 0,
        sack: [None; 4],
        write_seq: FIRST.wrapping_add(100 * MSS),
        snd_wnd: 1 << 20,
        mss: MSS,
        tick_hz: 250,
        state,
    }
}

fn call(call: Call, now_us: u64, cwnd: u32) -> Recorded {
    let before = Conn {
        now_us,
        cwnd,
        mss: MSS,
        ssthresh: INFINITE_SSTHRESH,
        cwnd_clamp: u32::MAX,
        ..Conn::new(MSS, 10)
    };
    let after =
        After { returned: 0, cwnd, ssthresh: INFINITE_SSTHRESH, cwnd_cnt: 0, pacing: None, state: None };
    Recorded::Call(Row { call, before, ticks_after: 0, after })
}

/// The calls of an acknowledgement of one segment at `now_us`.
fn calls(now_us: u64, rtt_us: i32, cwnd: u32) -> [Recorded; 3] {
    let ack = FIRST.wrapping_add((cwnd - 9) * MSS);
    let sample = AckSample::new(1, rtt_us, 1);
    [
        call(Call::PktsAcked { sample }, now_us, cwnd),
        call(Call::InAckEvent { flags: ACK_WINDOW_UPDATE }, now_us, cwnd),
        call(Call::CongAvoid { ack, acked: 1 }, now_us, cwnd),
    ]
}

/// Ten segments at time 0, in five packets of two, the first acknowledged at 40 ms and the second at 41.
fn record() -> Vec<Recorded> {
    let mut all = calls(0, 40_000, 10)[..2].to_vec();
    all.push(call(Call::Init {}, 0, 10));
    all.push(call(Call::CwndEvent { event: cwnd::CaEvent::TxStart }, 0, 10));
    for pair in 0..5 {
        let sent = packet(PacketKind::Sent, 0, state(0, 2 * pair));
        let sequence = FIRST.wrapping_add(2 * pair * MSS);
        all.push(Recorded::Packet(Packet { sequence, payload: 2 * MSS, gso_size: MSS, ..sent }));
    }
    for acked in 0..2 {
        let now_us = 40_000 + 1000 * u64::from(acked);
        let ack = packet(PacketKind::Ack, now_us, state(acked, 10));
        all.push(Recorded::Packet(Packet { acknowledges: FIRST.wrapping_add((acked + 1) * MSS), ..ack }));
        all.extend(calls(now_us, now_us as i32, 10 + acked));
    }
    all
}

fn outcome(recorded: &[Recorded]) -> Outcome {
    replay("reno-linux", recorded).expect("a record").sorted()
}

// Seven events: five transmissions, two acknowledgements. Seven calls: one before the first transmission, three at each acknowledgement.
#[test]
fn a_record_that_is_repeated_has_no_divergence() {
    let outcome = outcome(&record());
    assert_eq!((outcome.events, outcome.calls, outcome.divergent), (7, 7, 0), "{outcome:?}");
    assert_eq!((outcome.out_of_step, outcome.gaps, outcome.first), (0, 0, None));
    // The kernel's in_flight is what was delivered since the transmission; the flags are as without a change of the window.
    let explained: Vec<_> = outcome.explained.iter().map(|(what, _, events)| (*what, *events)).collect();
    assert_eq!(explained, [("argument: in_flight of pkts_acked", 2)]);
}

#[test]
fn another_argument_is_named_and_the_first_is_shown_with_both_sides() {
    let mut recorded = record();
    let last = recorded.len() - 3;
    recorded.truncate(last);
    recorded.extend(calls(41_000, 40_999, 11));
    let outcome = outcome(&recorded);
    let kinds: Vec<_> =
        outcome.kinds.iter().map(|kind| (kind.kind.as_str(), kind.events, kind.fresh)).collect();
    assert_eq!((outcome.divergent, kinds), (1, vec![("argument: rtt_us of pkts_acked", 1, 1)]));
    let first = outcome.first.expect("a divergence");
    assert!(first.starts_with("event 6 at 0.041000 s: ack 2000\n"), "{first}");
    assert!(first.contains("kernel     pkts_acked(1, 40999 µs, 1 in flight); in_ack_event(0x2)"), "{first}");
    assert!(first.contains("simulator  pkts_acked(1, 41000 µs, 8 in flight); in_ack_event(0x2)"), "{first}");
    assert!(first.contains("  > 0.041000 s ack 2000\n"), "{first}");
}

// The first acknowledgement makes the window 11. A record in which the second one finds 12 differs once: both sides start it with 12.
#[test]
fn a_window_that_the_event_before_has_not_left_is_named() {
    let mut recorded = record();
    let place = recorded.len() - 4;
    let Recorded::Packet(ack) = &mut recorded[place] else { panic!("an acknowledgement") };
    ack.state.cwnd = 12;
    let outcome = outcome(&recorded);
    assert_eq!((outcome.windows, outcome.divergent), (1, 0), "{outcome:?}");
    let named = outcome.states.iter().find(|state| state.kind == "window: cwnd").expect("named");
    assert!(named.first.contains(" cwnd 12, ssthresh 2147483647 and 11, 2147483647\n"), "{}", named.first);
    assert_eq!(self::outcome(&record()).windows, 0);
}

#[test]
fn calls_in_another_order_or_missing_are_named() {
    let mut recorded = record();
    let length = recorded.len();
    recorded.swap(length - 1, length - 2);
    recorded.push(call(Call::SetState { new: CaState::Disorder }, 41_000, 11));
    let kinds: Vec<_> = outcome(&recorded).kinds.into_iter().map(|kind| kind.kind).collect();
    let expected = "calls: cong_avoid in_ack_event set_state(Disorder) in the kernel, in_ack_event cong_avoid in the simulator";
    assert_eq!(kinds, [expected]);
    recorded.pop();
    let kinds: Vec<_> = outcome(&recorded).kinds.into_iter().map(|kind| kind.kind).collect();
    assert_eq!(
        kinds,
        ["order: cong_avoid in_ack_event in the kernel, in_ack_event cong_avoid in the simulator"]
    );
}

// The kernel has sent twelve segments by the second acknowledgement; the record has ten. What is missing may belong to the first one.
#[test]
fn what_follows_a_gap_in_the_record_is_not_compared() {
    let mut recorded = record();
    let place = recorded.len() - 4;
    let Recorded::Packet(ack) = &mut recorded[place] else { panic!("an acknowledgement") };
    ack.state = state(1, 12);
    let outcome = outcome(&recorded);
    assert_eq!((outcome.events, outcome.gaps, outcome.not_compared, outcome.divergent), (5, 1, 2, 0));
}

// The second acknowledgement is not there, its calls are: they are with the first one.
#[test]
fn a_missing_acknowledgement_is_a_gap() {
    let mut recorded = record();
    let place = recorded.len() - 4;
    recorded.remove(place);
    let outcome = outcome(&recorded);
    assert_eq!((outcome.events, outcome.gaps, outcome.not_compared, outcome.divergent), (0, 1, 6, 0));
    assert!(!outcome.is_complete());
}

#[test]
fn a_record_without_its_beginning_is_refused() {
    let recorded = record();
    let why = replay("reno-linux", &recorded[4..]).expect_err("no init");
    assert_eq!(why, "no call of init: it begins within a connection");
}

// A sender that closes with its last segments unsent: the FIN comes with segment 12, but the application has closed before segment 11 was sent.
// An acknowledgement that came in between is not recorded: its calls are with segment 10.
#[test]
fn what_follows_a_close_is_left_out_and_counted() {
    let mut recorded = record();
    let closed = FIRST.wrapping_add(13 * MSS).wrapping_add(1);
    let open = FIRST.wrapping_add(13 * MSS);
    for (number, flags, write_seq) in [(10, 16, open), (11, 16, closed), (12, 17, closed)] {
        let sent = packet(PacketKind::Sent, 41_000, state(2, number));
        let sequence = FIRST.wrapping_add(number * MSS);
        recorded.push(Recorded::Packet(Packet { sequence, payload: MSS, write_seq, flags, ..sent }));
        // The acknowledgements that come now are not recorded, but the calls are.
        recorded.extend(calls(42_000, 1000, 12));
    }
    let outcome = outcome(&recorded);
    assert_eq!(
        (outcome.events, outcome.divergent, outcome.closing, outcome.gaps),
        (7, 0, 3, 0),
        "{outcome:?}"
    );
    assert!(outcome.is_complete());
}

/// A segment of 500 bytes of the other side, its first one being number 7000, that acknowledges nothing new.
fn data(recorded: &mut Vec<Recorded>, number: u32, flags: Option<u32>) {
    let now_us = 41_000 + u64::from(number);
    let Some(Recorded::Packet(last)) = recorded.iter().rfind(|each| matches!(each, Recorded::Packet(_)))
    else {
        panic!("a packet")
    };
    let state = KernelState { snd_una: FIRST.wrapping_add(2 * MSS), ..last.state };
    let ack = packet(PacketKind::Ack, now_us, KernelState { packets_out: 8, ..state });
    let (acknowledges, sequence) = (FIRST.wrapping_add(2 * MSS), 7000 + 500 * number);
    recorded.push(Recorded::Packet(Packet { acknowledges, sequence, payload: 500, ..ack }));
    if let Some(flags) = flags {
        let sample = AckSample::new(0, -1, 1);
        recorded.push(call(Call::PktsAcked { sample }, now_us, 12));
        recorded.push(call(Call::InAckEvent { flags }, now_us, 12));
    }
}

// The acknowledgements of `record` have the sequence number 0, those of the data larger ones: each updates the window.
#[test]
fn data_that_acknowledge_nothing_new_call_what_the_kernel_calls() {
    let mut recorded = record();
    data(&mut recorded, 0, None); // header prediction
    data(&mut recorded, 1, Some(ACK_SLOW_PATH | ACK_WINDOW_UPDATE));
    let outcome = outcome(&recorded);
    assert_eq!((outcome.events, outcome.divergent), (9, 0), "{:?}", outcome.first);
    let explained: Vec<_> = outcome.explained.iter().map(|(what, _, events)| (*what, *events)).collect();
    assert!(explained.contains(&("calls for data that acknowledge nothing new", 1)), "{explained:?}");
    assert!(explained.contains(&("argument: slow path of in_ack_event", 1)), "{explained:?}");
    // The flag of the window is compared: this segment has the sequence number and the window of the one before.
    let mut recorded = record();
    data(&mut recorded, 1, Some(ACK_SLOW_PATH | ACK_WINDOW_UPDATE));
    data(&mut recorded, 1, Some(ACK_SLOW_PATH | ACK_WINDOW_UPDATE));
    let kinds: Vec<_> = outcome_of_kinds(&recorded);
    assert_eq!(kinds, ["argument: flags of in_ack_event"]);
}

fn outcome_of_kinds(recorded: &[Recorded]) -> Vec<String> {
    outcome(recorded).kinds.into_iter().map(|kind| kind.kind).collect()
}

// Reno's way without SACK: the kernel counts duplicates as arrived segments.
#[test]
fn losses_without_selective_acknowledgements_are_not_compared() {
    let mut recorded = record();
    let ack = packet(PacketKind::Ack, 42_000, KernelState { sacked_out: 1, ..state(2, 10) });
    recorded.push(Recorded::Packet(Packet { acknowledges: FIRST.wrapping_add(2 * MSS), ..ack }));
    let outcome = outcome(&recorded);
    assert_eq!((outcome.events, outcome.no_sack, outcome.gaps, outcome.not_compared), (6, 1, 0, 2));
    assert!(!outcome.is_complete(), "two of eight are more than one of a hundred");
}

// The side that accepts has no call of pkts_acked before init: only the time that was measured. Without it the reordering window is 0.
#[test]
fn an_accepted_connection_has_the_round_trip_time_of_its_handshake() {
    let mut recorded = record().split_off(2);
    let Recorded::Call(row) = &mut recorded[0] else { panic!("init") };
    (row.before.min_rtt_us, row.before.srtt_us8) = (40_000, 320_000);
    let outcome = outcome(&recorded);
    assert_eq!((outcome.divergent, outcome.out_of_step), (0, 0), "{:?}", outcome.first);
    let named: Vec<_> = outcome.states.iter().map(|kind| kind.kind.as_str()).collect();
    assert!(!named.contains(&"min_rtt_us") && !named.contains(&"srtt_us8"), "{named:?}");
}

#[test]
fn numbers_that_no_kernel_has_are_refused() {
    for (column, change) in [
        ("mss", (|packet: &mut Packet| packet.mss = 0) as fn(&mut Packet)),
        ("tick_hz", |packet| packet.tick_hz = 0),
    ] {
        let mut recorded = record();
        for each in &mut recorded {
            if let Recorded::Packet(packet) = each {
                change(packet);
            }
        }
        let why = replay("reno-linux", &recorded).expect_err(column);
        assert!(why.starts_with(&format!("column {column}: 0 is not accepted; expected 1 to ")), "{why}");
    }
}
