// SPDX-License-Identifier: MIT OR Apache-2.0

use super::*;
use crate::conn::{CaState, PacingStatus};
use crate::hook_argument_types::{AckSample, CaEvent};
use crate::hooks::{ARGUMENT_WORDS, Hook, PRIVATE_BYTES};
use crate::rate_sample::RateSample;

const CONTROL: Call = Call::CongControl { ack: 0, flags: 0, sample: RateSample::NONE };
const AFTER: After = After { returned: 0, cwnd: 10, ssthresh: 10, cwnd_cnt: 4, pacing: None, state: None };

fn row() -> Row {
    let before = Conn { is_cwnd_limited: true, ssthresh: 10, ..Conn::new(1448, 10) };
    Row { call: Call::CongAvoid { ack: 0, acked: 4 }, before, ticks_after: before.ticks, after: AFTER }
}

fn reno() -> Controller {
    Controller::by_name("reno-linux").expect("registered")
}

// An algorithm with `cong_control` has no call of `cong_avoid`.
#[test]
fn a_window_is_recorded_after_either_hook_of_an_acknowledgement_and_with_the_state_that_is_set() {
    let after = After { cwnd: 12, ssthresh: 9, ..AFTER };
    for call in [Call::CongAvoid { ack: 0, acked: 4 }, CONTROL] {
        let conn = Row { call, after, ..row() }.window().expect("a row");
        assert_eq!((conn.cwnd, conn.ssthresh, conn.ca_state), (12, 9, CaState::Open));
    }
    let set = Row { call: Call::SetState { new: CaState::Recovery }, after, ..row() };
    assert_eq!(set.window().map(|conn| conn.ca_state), Some(CaState::Recovery));
    // What it returns, the next call finds set.
    assert_eq!(Row { call: Call::Ssthresh {}, after, ..row() }.window(), None);
}

#[test]
fn a_true_record_has_no_difference_and_a_false_one_is_found() {
    let mut replay = Replay::new(reno(), None);
    assert_eq!(replay.step(&row()), None);
    let difference =
        replay.step(&Row { after: After { cwnd_cnt: 5, ..AFTER }, ..row() }).expect("a difference");
    assert_eq!(difference.to_string(), "cwnd_cnt 4 instead of 5");
    let halved =
        |returned| Row { call: Call::Ssthresh {}, after: After { returned, cwnd_cnt: 0, ..AFTER }, ..row() };
    assert_eq!(replay.step(&halved(5)), None);
    let difference = replay.step(&halved(7)).expect("a difference");
    assert_eq!(difference.to_string(), "returned 5 instead of 7");
    assert_eq!((replay.calls(), replay.differences()), (4, 2));
    assert_eq!((replay.states_compared(), replay.pacing_compared()), (0, 0));
}

// 2 packets, no sample (-1, all ones), 10 segments of 1448 bytes in flight.
#[test]
fn a_call_is_recorded_in_the_kernels_words_the_flight_in_bytes() {
    let pkts_acked = Call::PktsAcked { sample: AckSample::new(2, -1, 10) };
    for (call, expected) in [
        (pkts_acked, [2, u32::MAX, 14_480].as_slice()),
        (Call::CongAvoid { ack: 7, acked: 2 }, &[7, 2]),
        (Call::SetState { new: CaState::Loss }, &[4]),
        (Call::CwndEvent { event: CaEvent::EcnIsCe }, &[5]),
        (Call::UndoCwnd {}, &[]),
    ] {
        let words = call.words(1448);
        assert_eq!(words.split_at(expected.len()).0, expected, "{call:?}");
        assert!(words.iter().skip(expected.len()).all(|word| *word == 0), "{call:?}");
    }
    // Linux has six events, from 0 on.
    assert_eq!(Call::read(Hook::CwndEvent, [6; ARGUMENT_WORDS], 1448), None);
}

// Word n is n + 1, which is a state and an event too; a flight is whole segments of one byte. The last three words of a rate sample are flags.
#[test]
fn every_hooks_words_are_read_back_and_take_the_places_that_it_says() {
    for hook in Hook::ALL {
        let is_flag = |n: usize| hook == Hook::CongControl && n + 3 >= hook.words();
        let word = |n: usize| if is_flag(n) { 1 } else { n as u32 + 1 };
        let words = core::array::from_fn(|n| if n < hook.words() { word(n) } else { 0 });
        let call = Call::read(hook, words, 1).expect("a call");
        assert_eq!((call.hook(), call.words(1)), (hook, words));
        assert_eq!(Hook::by_name(hook.name()), Some(hook));
    }
    assert_eq!(Hook::by_name("min_cwnd"), None);
}

// The three variables and the result agree in each of these: only what is compared besides tells.
#[test]
fn a_state_that_differs_in_one_byte_and_another_pace_are_found_though_the_window_agrees() {
    // Byte 1 is padding, whatever lies there; the last word lies behind the state.
    fn seven(_: &Controller) -> Option<StateWords> {
        let mut words = StateWords { words: [0; PRIVATE_BYTES / 4], fields: [u32::MAX; PRIVATE_BYTES / 4] };
        (words.words[0], words.fields[0]) =
            (u32::from_ne_bytes([7, 0, 1, 0]), u32::from_ne_bytes([255, 0, 255, 255]));
        Some(words)
    }
    let mut state = [0; PRIVATE_BYTES / 4];
    state[0] = u32::from_ne_bytes([7, 99, 1, 0]);
    let after =
        |state, pacing| Row { after: After { state: Some(state), pacing: Some(pacing), ..AFTER }, ..row() };
    let pacing = (u64::MAX, PacingStatus::None);
    let mut replay = Replay::new(reno(), Some(seven));
    assert_eq!(replay.step(&after(state, pacing)), None);
    let mut other = state;
    other[0] = u32::from_ne_bytes([7, 99, 2, 0]);
    let difference = replay.step(&after(other, pacing)).expect("a difference");
    assert_eq!(difference.to_string(), "state byte 2 0x01 instead of 0x02");
    other = state;
    other[25] = u32::from_ne_bytes([0, 0, 0, 1]);
    let difference = replay.step(&after(other, pacing)).expect("a difference");
    assert_eq!(difference.to_string(), "state byte 103 0x00 instead of 0x01");
    let difference = replay.step(&after(state, (125_000, PacingStatus::Needed))).expect("a difference");
    let unset = u64::MAX;
    assert_eq!(
        difference.to_string(),
        format!("pacing_rate {unset} instead of 125000, pacing_status 0 instead of 1")
    );
    assert_eq!((replay.calls(), replay.differences()), (4, 3));
    assert_eq!((replay.states_compared(), replay.pacing_compared()), (4, 4));
}
