// SPDX-License-Identifier: MIT OR Apache-2.0
//! A model check of the driver: every sequence of up to four events, with Reno, CUBIC and an algorithm with `cong_control`, both
//! reductions, as TCP and as QUIC, and as Linux's TCP with the events of its own, in its order of calls; from a window of twelve and of two,
//! in Linux also from twelve above the threshold. Each step is held against what the RFCs say of it, and Linux's where it differs. It is
//! played once; each invariant is a test of its own, and says which is the shortest sequence that breaks it.

mod account;
mod algorithm;
mod events;
mod hook_order;
mod invariants;
mod linux;
mod transport;

use cwnd::driver::{EcnOutcome, Reduction};
use events::{PathEvent, play};
use invariants::{INVARIANTS, InvariantResults};
use std::fmt::Write as _;
use std::sync::OnceLock;
use transport::{ModelSetting, Stack, Transport};

const LONGEST: usize = 4;

/// What the whole play came to.
#[derive(Debug, Default)]
struct ModelReport {
    tally: InvariantResults,
    sequences: u64,
    /// How often each event could happen.
    possible: [u64; PathEvent::ALL.len()],
    /// Sequences after which every packet was marked, and the first after which that led not to the floor.
    marked: u64,
    no_floor: Option<String>,
}

fn settings() -> Vec<ModelSetting> {
    let mut all = Vec::new();
    for algorithm in ["reno", "cubic", "steady"] {
        for (stack, reduction) in [
            (Stack::Tcp, Reduction::Immediate),
            (Stack::Tcp, Reduction::Proportional),
            (Stack::Quic, Reduction::Immediate),
            (Stack::Quic, Reduction::Proportional),
            (Stack::Linux, Reduction::Proportional),
        ] {
            // Above the threshold, three quarters of the window are more than it: Linux gives these back.
            let above = (stack == Stack::Linux).then_some((12, Some(4)));
            for (window, threshold) in [(12, None), (2, None)].into_iter().chain(above) {
                all.push(ModelSetting { algorithm, stack, reduction, window, threshold });
            }
        }
    }
    all
}

/// The sequence of `length` of these events with this number.
fn sequence(all: &[PathEvent], mut number: usize, length: usize) -> Vec<PathEvent> {
    let mut events = Vec::with_capacity(length);
    for _ in 0..length {
        events.push(all[number % all.len()]);
        number /= all.len();
    }
    events
}

/// Every acknowledgement reports a mark, of all that is out; what the window was when nothing more happened, if not the floor.
fn mark_everything(transport: &mut Transport<'_>) -> Result<(), u32> {
    for _ in 0..40 {
        transport.wait();
        let out = transport.out();
        let Some(newest) = out.last() else { break };
        transport.acknowledge(&out, None, Some(*newest));
        let window = transport.driver.conn.cwnd;
        if transport.echo == Some(EcnOutcome::AtFloor) && !transport.setting.is_linux() {
            return if window == transport.setting.floor() { Ok(()) } else { Err(window) };
        }
        transport.send(false, false);
    }
    let window = transport.driver.conn.cwnd;
    if transport.setting.is_linux() && window == transport.setting.smallest() { Ok(()) } else { Err(window) }
}

impl ModelReport {
    /// Plays a sequence.
    fn run(&mut self, setting: ModelSetting, events: &[PathEvent]) {
        self.sequences += 1;
        let mut transport = Transport::new(setting, &mut self.tally);
        let mut story = format!("{setting:?}");
        for event in events {
            let could = play(&mut transport, *event);
            let conn = &transport.driver.conn;
            let _ = if could {
                let (cwnd, ssthresh, flight, state) =
                    (conn.cwnd, conn.ssthresh, conn.in_flight, conn.ca_state);
                write!(
                    story,
                    "\n  {event:?}: window {cwnd}, threshold {ssthresh}, {flight} in flight, {state:?}"
                )
            } else {
                write!(story, "\n  {event:?}: cannot happen here")
            };
            self.possible[*event as usize] += u64::from(could);
            for number in std::mem::take(&mut transport.tally.fresh) {
                let broken = &mut transport.tally.counts[number].broken;
                *broken = broken.take().map(|what| format!("{story}\n{what}"));
            }
        }
        if events.len() == LONGEST || setting.is_steady() {
            return;
        }
        self.marked += 1;
        if let Err(window) = mark_everything(&mut transport)
            && self.no_floor.is_none()
        {
            self.no_floor = Some(format!("{story}\n  then 40 marked windows: {window} segments"));
        }
    }
}

fn report() -> &'static ModelReport {
    static REPORT: OnceLock<ModelReport> = OnceLock::new();
    REPORT.get_or_init(|| {
        let mut report = ModelReport::default();
        for length in 1..=LONGEST {
            for setting in settings() {
                let all = PathEvent::of(&setting);
                for number in 0..all.len().pow(length as u32) {
                    report.run(setting, &sequence(all, number, length));
                }
            }
        }
        report
    })
}

// 15 + 15² + 15³ + 15⁴ sequences in 3 · 2 · 2 · 2 settings, and 19 + 19² + 19³ + 19⁴ with Linux's events in 3 · 3; marks after the shorter
// ones, without the algorithm that sets its window itself: 3 615 in 2 · 2 · 2 · 2 settings, 7 239 in 2 · 3.
// Row DR17.
#[test]
fn every_sequence_is_played_and_every_event_and_invariant_has_its_say() {
    let report = report();
    assert_eq!((report.sequences, report.marked), (54_240 * 24 + 137_560 * 9, 3_615 * 16 + 7_239 * 6));
    for (event, times) in PathEvent::ALL.iter().zip(report.possible) {
        // Linux's own are played in fewer settings.
        let least = if PathEvent::of(&settings()[0]).contains(event) { 10_000 } else { 5_000 };
        assert!(times > least, "{event:?} could happen {times} times only");
    }
    for ((name, _), count) in INVARIANTS.iter().zip(&report.tally.counts) {
        assert!(count.steps > 10_000, "{name} had something to say about {} steps only", count.steps);
    }
}

// RFC 9438 §4.6 MUST, RFC 3168 §6.1.2: persistent marks lead to one segment, and from there to the timer, out of every
// state; in QUIC to two (RFC 9002 §7.2). Linux's window ends at ssthresh, so at two.
// Rows DR1, DR9.
#[test]
fn persistent_marks_reach_the_floor() {
    assert!(report().no_floor.is_none(), "{}", report().no_floor.as_deref().unwrap_or_default());
}

// Rows DR1 to DR11 and DR17: each of these faults breaks one of them, or the one above.
macro_rules! tests {
    ($($name:ident),+ $(,)?) => {
        $(
            #[test]
            fn $name() {
                let number = INVARIANTS.iter().position(|(name, _)| *name == stringify!($name)).expect("listed");
                let broken = &report().tally.counts[number].broken;
                assert!(broken.is_none(), "the shortest sequence: {}", broken.as_deref().unwrap_or_default());
            }
        )+

        #[test]
        fn every_invariant_is_a_test() {
            assert_eq!(INVARIANTS.map(|(name, _)| name), [$(stringify!($name)),+]);
        }
    };
}

tests! {
    windows_and_thresholds_have_floors,
    one_reduction_per_window_of_data,
    a_timeout_reduces_as_rfc_5681_says,
    an_epoch_lasts_as_long_as_its_data,
    a_mark_is_never_undone,
    a_mark_is_never_lost,
    an_undo_names_its_epoch,
    an_undo_gives_back_what_was_taken,
    the_flight_counts_what_was_lost,
    what_a_timer_finds_lost_lets_nothing_go,
    the_first_retransmission_goes,
    recovery_ends_at_its_target,
    an_epoch_ends_when_its_data_has_arrived,
    only_the_last_part_grows_the_window,
    hooks_are_called_in_order,
    cong_control_is_cut_by_a_timeout_only,
    an_idle_window_restarts,
}
