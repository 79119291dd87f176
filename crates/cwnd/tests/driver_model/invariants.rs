// SPDX-License-Identifier: MIT OR Apache-2.0
//! What holds after every call of the driver.

use crate::account::{CheckedStep, DriverCall, WindowState};
use crate::algorithm::HookCall;
use crate::hook_order::hooks_are_called_in_order;
use crate::transport::{ModelSetting, RTO_US, Stack};
use cwnd::driver::{EcnOutcome, Reduction};
use cwnd::{CaEvent, CaState};

pub type Holds = Result<(), String>;
type Invariant = fn(&ModelSetting, &CheckedStep) -> Option<Holds>;

/// All of them.
pub const INVARIANTS: [(&str, Invariant); 17] = [
    ("windows_and_thresholds_have_floors", windows_and_thresholds_have_floors),
    ("one_reduction_per_window_of_data", one_reduction_per_window_of_data),
    ("a_timeout_reduces_as_rfc_5681_says", a_timeout_reduces_as_rfc_5681_says),
    ("an_epoch_lasts_as_long_as_its_data", an_epoch_lasts_as_long_as_its_data),
    ("a_mark_is_never_undone", a_mark_is_never_undone),
    ("a_mark_is_never_lost", a_mark_is_never_lost),
    ("an_undo_names_its_epoch", an_undo_names_its_epoch),
    ("an_undo_gives_back_what_was_taken", an_undo_gives_back_what_was_taken),
    ("the_flight_counts_what_was_lost", the_flight_counts_what_was_lost),
    ("what_a_timer_finds_lost_lets_nothing_go", what_a_timer_finds_lost_lets_nothing_go),
    ("the_first_retransmission_goes", the_first_retransmission_goes),
    ("recovery_ends_at_its_target", recovery_ends_at_its_target),
    ("an_epoch_ends_when_its_data_has_arrived", an_epoch_ends_when_its_data_has_arrived),
    ("only_the_last_part_grows_the_window", only_the_last_part_grows_the_window),
    ("hooks_are_called_in_order", hooks_are_called_in_order),
    ("cong_control_is_cut_by_a_timeout_only", cong_control_is_cut_by_a_timeout_only),
    ("an_idle_window_restarts", an_idle_window_restarts),
];

/// What became of one invariant.
#[derive(Clone, Debug, Default)]
pub struct InvariantResult {
    /// Steps that it had something to say about.
    pub steps: u64,
    /// The first step that broke it; the sequences come shortest first.
    pub broken: Option<String>,
}

/// What became of all of them.
#[derive(Debug, Default)]
pub struct InvariantResults {
    pub counts: [InvariantResult; INVARIANTS.len()],
    /// Those that the present event broke for the first time.
    pub fresh: Vec<usize>,
}

/// Looks at a step.
pub fn check(setting: &ModelSetting, step: &CheckedStep, tally: &mut InvariantResults) {
    for (number, ((_, invariant), count)) in INVARIANTS.iter().zip(&mut tally.counts).enumerate() {
        let Some(holds) = invariant(setting, step) else { continue };
        count.steps += 1;
        if let Err(what) = holds
            && count.broken.is_none()
        {
            count.broken = Some(format!("{what}: {step:#?}"));
            tally.fresh.push(number);
        }
    }
}

pub fn that(holds: bool, otherwise: impl Fn() -> String) -> Option<Holds> {
    Some(if holds { Ok(()) } else { Err(otherwise()) })
}

/// RFC 5681 §3.1, RFC 9438 §4.6: a segment may always go, and the threshold is two at least.
fn windows_and_thresholds_have_floors(_: &ModelSetting, step: &CheckedStep) -> Option<Holds> {
    let (cwnd, ssthresh) = (step.after.cwnd, step.after.ssthresh);
    that(cwnd >= 1 && ssthresh >= 2, || format!("window {cwnd}, threshold {ssthresh}"))
}

/// RFC 9438 §4.6, RFC 9002 §7.3.2, RFC 3168 §6.1.2.
fn one_reduction_per_window_of_data(_: &ModelSetting, step: &CheckedStep) -> Option<Holds> {
    let asked = step.told.reductions.len();
    let expected = match step.call {
        DriverCall::Loss { lost, began } => {
            let new = lost >= step.account.paid;
            if began != new {
                return that(false, || format!("{lost} lost, paid up to {}", step.account.paid));
            }
            usize::from(new)
        }
        DriverCall::Ecn { marked, .. } => usize::from(marked >= step.account.paid),
        DriverCall::Timeout { .. } => return that(asked <= 1, || format!("{asked} reductions")),
        DriverCall::Renewal { .. } | DriverCall::RepairedLoss => 1, // of data that had one
        _ => 0,
    };
    that(asked == expected, || format!("{asked} reductions instead of {expected}"))
}

/// RFC 5681 §3.1, RFC 9002 §7.6.2: once for the same data, in TCP once more within recovery; the algorithm hears of it, as
/// in Linux; the window falls to the loss window. In Linux that is one segment more than what is still out. // RFC 8985 §6.3
fn a_timeout_reduces_as_rfc_5681_says(setting: &ModelSetting, step: &CheckedStep) -> Option<Holds> {
    let options = setting.options();
    let reduces = match step.call {
        DriverCall::Timeout { lost } => {
            let again = options.timeout_reduces_again && step.before.state != CaState::Loss;
            usize::from(lost >= step.account.paid || again)
        }
        DriverCall::Renewal { timeout: true } => 1,
        _ => return None,
    };
    let asked = step.told.reductions.len();
    let told = HookCall::CwndEvent(CaEvent::Loss);
    let timeouts = step.told.calls.iter().filter(|call| **call == told).count();
    if (asked, timeouts) != (reduces, reduces) {
        return that(false, || format!("{asked} reductions, {timeouts} events, not {reduces}"));
    }
    // RFC 5681 §3.1, RFC 9002 §7.6.2: whatever it was, held low by a proportional reduction too.
    let mut window = u32::from(options.loss_window);
    if options.timeout_keeps_flight {
        // No more than it was, at the end of a reduction that the timeout ends.
        let ends = reduces > 0 && matches!(step.before.state, CaState::Recovery | CaState::Cwr);
        let was = if ends && !setting.is_steady() { step.account.target } else { step.before.cwnd };
        window = was.min(step.before.in_flight + window);
    }
    that(step.after.cwnd == window && step.after.state == CaState::Loss, || format!("not {window}"))
}

/// RFC 6582 §3.2 (`recover`): an epoch's data is what was out when it began; a later proof that it was none gives the end of
/// the one before back.
fn an_epoch_lasts_as_long_as_its_data(_: &ModelSetting, step: &CheckedStep) -> Option<Holds> {
    let end = match step.call {
        DriverCall::Loss { began: true, .. } | DriverCall::Timeout { .. } | DriverCall::Renewal { .. } => {
            step.next
        }
        DriverCall::Ecn { outcome, .. } if outcome != EcnOutcome::Ignored => step.next,
        DriverCall::Spurious { undone: true, .. } => step.account.paid_before,
        _ => step.account.paid,
    };
    that(step.after.recovery_end == end, || format!("it ends at {}, not {end}", step.after.recovery_end))
}

/// RFC 9438 §4.9 is about losses; Linux: "ECE prohibits undo".
fn a_mark_is_never_undone(_: &ModelSetting, step: &CheckedStep) -> Option<Holds> {
    let DriverCall::Spurious { undone, .. } = step.call else { return None };
    if !step.account.marked {
        return None;
    }
    that(!undone && step.before == step.after, || "an epoch with a mark in it was undone".into())
}

/// RFC 9438 §4.6 MUST, RFC 9002 §7.2: the window goes down, to one segment or in QUIC to two, and then says so.
fn a_mark_is_never_lost(setting: &ModelSetting, step: &CheckedStep) -> Option<Holds> {
    let DriverCall::Ecn { marked, outcome } = step.call else { return None };
    let window = step.told.reductions.first().map_or(step.before.cwnd, |(_, window)| *window);
    let floor = setting.floor();
    let expected = match (marked < step.account.paid, window) {
        (true, _) => EcnOutcome::Ignored,
        (_, window) if window <= floor => EcnOutcome::AtFloor,
        _ => EcnOutcome::Reduced,
    };
    if outcome != expected {
        return that(false, || format!("{outcome:?}, not {expected:?}"));
    }
    let at_ssthresh = setting.is_linux(); // Linux: tcp_end_cwnd_reduction
    let shrinks = !at_ssthresh && outcome != EcnOutcome::Ignored && !setting.is_steady();
    let most = if shrinks && setting.reduction == Reduction::Immediate {
        step.after.ssthresh.min(window.saturating_sub(1)).max(floor.min(window))
    } else {
        step.before.cwnd.max(window)
    };
    that(step.after.cwnd <= most, || format!("{} segments, {most} at most", step.after.cwnd))
}

/// A proof for an epoch that is not the last one, or for a part of it only, or a second one, changes nothing.
fn an_undo_names_its_epoch(_: &ModelSetting, step: &CheckedStep) -> Option<Holds> {
    let DriverCall::Spurious { name, undone, .. } = step.call else { return None };
    let account = &step.account;
    let is_last = account.names.iter().any(|(known, _)| *known == name);
    let proven = account.names.iter().all(|(_, proven)| *proven);
    let expected = is_last && proven && !account.undone && !account.marked && !account.restarted;
    let still = undone || step.before == step.after;
    that(undone == expected && still, || format!("undone {undone}, expected {expected}"))
}

/// RFC 9438 §4.9.2: window and threshold of before the epoch, or what they are by now where that is more. Linux's threshold is three quarters of
/// the window before at least.
fn an_undo_gives_back_what_was_taken(setting: &ModelSetting, step: &CheckedStep) -> Option<Holds> {
    let DriverCall::Spurious { undone: true, state, .. } = step.call else { return None };
    let given = if setting.is_steady() { 0 } else { step.account.cwnd_before };
    let expected =
        (step.before.cwnd.max(given), step.before.ssthresh.max(step.account.ssthresh_before), state);
    let seen = (step.after.cwnd, step.after.ssthresh, step.after.state);
    that(seen == expected, || format!("{seen:?}, not {expected:?}"))
}

/// RFC 5681 §3.1, RFC 9438 §4.6: FlightSize is what was out when the lost data was, up to the window. For a mark, Linux counts what the
/// acknowledgement with its echo leaves out.
fn the_flight_counts_what_was_lost(setting: &ModelSetting, step: &CheckedStep) -> Option<Holds> {
    let (flight, window) = *step.told.reductions.first()?;
    let is_linuxs_mark = setting.stack == Stack::Linux && matches!(step.call, DriverCall::Ecn { .. });
    let out = if is_linuxs_mark { step.before.packets_out } else { step.flight };
    let least = out.min(window);
    that(flight >= least, || format!("a flight of {flight} is reduced, {least} were out"))
}

/// RFC 9438 §4.6 MUST: the window goes down immediately. RFC 9937: without an acknowledgement only the first retransmission. In Linux, the
/// timer lets go what the window of a recovery that goes on has room for. // tcp_rack_reo_timeout
fn what_a_timer_finds_lost_lets_nothing_go(setting: &ModelSetting, step: &CheckedStep) -> Option<Holds> {
    let DriverCall::Burst { sent, unacknowledged: true, began, .. } = step.call else { return None };
    let reducing = matches!(step.before.state, CaState::Recovery | CaState::Cwr);
    if setting.is_steady() || !reducing || (setting.is_linux() && !began) {
        return None;
    }
    let most = match setting.reduction {
        Reduction::Proportional => 1,
        _ => step.account.target.saturating_sub(step.before.in_flight),
    };
    that(sent <= most, || format!("{sent} leave, {most} may"))
}

/// RFC 6937 §3, RFC 9937: the fast retransmit goes, whatever is in flight.
fn the_first_retransmission_goes(setting: &ModelSetting, step: &CheckedStep) -> Option<Holds> {
    let DriverCall::Burst { sent, began: true, .. } = step.call else { return None };
    let open = step.before.state != CaState::Recovery;
    if setting.is_steady() || setting.reduction == Reduction::Immediate || open {
        return None;
    }
    that(sent > 0, || "nothing is sent".into())
}

/// RFC 5681 §3.2 step 6, RFC 6937 §3, RFC 9438 §4.6: the window is the target, and what this acknowledgement adds to it, in Linux's order
/// with its last part.
fn recovery_ends_at_its_target(setting: &ModelSetting, step: &CheckedStep) -> Option<Holds> {
    let grows = match step.call {
        DriverCall::Ack { acked, delivered, .. } => delivered.max(acked),
        DriverCall::Progress { .. } => 0,
        _ => return None,
    };
    let ended =
        matches!(step.before.state, CaState::Recovery | CaState::Cwr) && step.after.state == CaState::Open;
    if !ended || setting.is_steady() {
        return None;
    }
    let range = step.account.target..=step.account.target + grows;
    that(range.contains(&step.after.cwnd), || format!("{} is outside {range:?}", step.after.cwnd))
}

/// RFC 6582 §3.2, RFC 9002 §7.3.2: an epoch goes on until its data has arrived, and no longer. The acknowledgement that carries an echo never
/// ends what the echo began; Linux's reduction for it lasts until data sent since is acknowledged.
fn an_epoch_ends_when_its_data_has_arrived(_: &ModelSetting, step: &CheckedStep) -> Option<Holds> {
    let state = step.before.state;
    let beyond = match step.call {
        DriverCall::Ack { position, .. } => {
            position.checked_sub(step.before.recovery_end).filter(|_| !step.account.echoed)
        }
        DriverCall::Progress { position } => {
            let least = u64::from(state == CaState::Cwr); // Linux: tcp_fastretrans_alert
            position.checked_sub(step.before.recovery_end + least)
        }
        _ => return None,
    };
    if !matches!(state, CaState::Cwr | CaState::Recovery | CaState::Loss) {
        return None;
    }
    let expected = if beyond.is_some() { CaState::Open } else { state };
    that(step.after.state == expected, || format!("not {expected:?}"))
}

/// Linux: the acknowledgement's news, and a state without a decision, change no window. // tcp_clean_rtx_queue, tcp_try_keep_open
fn only_the_last_part_grows_the_window(setting: &ModelSetting, step: &CheckedStep) -> Option<Holds> {
    let (cwnd, ssthresh) = (step.after.cwnd, step.after.ssthresh);
    let most = match step.call {
        DriverCall::Arrival { .. } | DriverCall::Disorder { .. } | DriverCall::FurtherEcho => {
            step.before.cwnd
        }
        DriverCall::UndoneReductionOver => step.before.cwnd,
        DriverCall::Window { acked, delivered } if !setting.is_steady() => match step.before.state {
            // What it lets go is no window.
            CaState::Recovery | CaState::Cwr => return None,
            _ if acked == 0 => step.before.cwnd,
            _ => step.before.cwnd + acked.max(delivered),
        },
        _ => return None,
    };
    let is_kept = (step.before.cwnd..=most).contains(&cwnd);
    that(is_kept && ssthresh == step.before.ssthresh, || format!("window {cwnd}, threshold {ssthresh}"))
}

/// Linux's `tcp_end_cwnd_reduction` and `tcp_slow_start_after_idle_check` leave the window alone, `tcp_enter_loss` does not: a timeout
/// leaves the loss window, an acknowledgement what the algorithm sets, and nothing else changes it.
fn cong_control_is_cut_by_a_timeout_only(setting: &ModelSetting, step: &CheckedStep) -> Option<Holds> {
    if !setting.is_steady() {
        return None;
    }
    let expected = match step.call {
        DriverCall::Timeout { .. } | DriverCall::Renewal { timeout: true } => {
            let options = setting.options();
            let kept = if options.timeout_keeps_flight { step.before.in_flight } else { 0 };
            step.before.cwnd.min(kept + u32::from(options.loss_window))
        }
        DriverCall::Ack { .. } | DriverCall::Window { .. } => setting.steady_window(),
        _ => step.before.cwnd,
    };
    that(step.after.cwnd == expected, || format!("{}, not {expected}", step.after.cwnd))
}

/// RFC 5681 §4.1: after an idle timeout no more than the initial window, with the threshold as it was. RFC 2861 §3, in Linux: half for each
/// timeout, the initial window at least, with a threshold of three quarters unless a reduction goes on.
fn an_idle_window_restarts(setting: &ModelSetting, step: &CheckedStep) -> Option<Holds> {
    let DriverCall::Burst { idle_us: Some(mut idle_us), .. } = step.call else { return None };
    let WindowState { mut cwnd, mut ssthresh, state, .. } = step.before;
    if setting.is_steady() || state == CaState::Loss {
        return None;
    }
    let least = cwnd.min(setting.window);
    if setting.is_linux() {
        if !matches!(state, CaState::Cwr | CaState::Recovery) {
            ssthresh = ssthresh.max(cwnd / 2 + cwnd / 4);
        }
        // Linux: tcp_cwnd_restart
        while idle_us > RTO_US && cwnd > least {
            (idle_us, cwnd) = (idle_us - RTO_US, cwnd / 2);
        }
        cwnd = cwnd.max(least);
    } else {
        cwnd = least;
    }
    let seen = (step.after.cwnd, step.after.ssthresh);
    that(seen == (cwnd, ssthresh), || format!("{seen:?}, not {:?}", (cwnd, ssthresh)))
}
