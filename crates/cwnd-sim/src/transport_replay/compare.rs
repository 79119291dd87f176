// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the two sides differ.

use super::event::Event;
use super::own::{ExpiredTimer, Own};
use super::show;
use super::view::View;
use crate::hook_calls::HookCall;
use cwnd::replay::{Call, Row};
use cwnd::{ACK_SLOW_PATH, ACK_WINDOW_UPDATE};

/// A kind of divergence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// What differs.
    pub kind: String,
    /// Events with it.
    pub events: u64,
    /// Those of them before which both sides had the same segments out, reported, lost and sent again, in the same state.
    pub fresh: u64,
    /// The first of these, or if there is none the first of all: where and what, in several lines.
    pub first: String,
    first_is_fresh: bool,
}

/// What a comparison came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Acknowledgements, transmissions and timers.
    pub events: u64,
    /// The kernel's calls.
    pub calls: u64,
    /// Events whose calls differ in order, arguments or results.
    pub divergent: u64,
    /// Arguments that the simulator cannot have: what, why, and in how many events they differ. These are no divergences.
    pub explained: Vec<(&'static str, &'static str, u64)>,
    /// Connections whose record lacks something: what follows is not compared.
    pub gaps: u64,
    /// Connections without selective acknowledgements: from the first loss on they are not compared.
    pub no_sack: u64,
    /// Events that are not compared for one of these reasons.
    pub not_compared: u64,
    /// Events since their connections close, which are not compared either: the kernel's acknowledgements are not recorded then.
    pub closing: u64,
    /// Events before which the two sides knew different things of the segments that are out.
    pub out_of_step: u64,
    /// Events before which the window or the slow start threshold differed, as the previous event had left them. Both the algorithm's calls
    /// and the sender itself change them (reductions step by step, timeouts, undo, restarts after an idle time).
    pub windows: u64,
    /// Segments sent again, and those that the simulator's sender would not have sent again then.
    pub retransmissions: (u64, u64),
    /// Timers that expired, and those for which the simulator's was set for something else, or for another time.
    pub timers: (u64, u64),
    /// The kinds, the most frequent first after [`Outcome::sorted`].
    pub kinds: Vec<Divergence>,
    /// What else differs, the same way: knowledge and time measurements, where they begin to differ; retransmissions and timers.
    pub states: Vec<Divergence>,
    /// The first divergence, in several lines.
    pub first: Option<String>,
    unequal: Vec<&'static str>,
}

type Explained = (&'static str, &'static str, fn(&Event) -> bool);

/// Kinds whose cause lies in what the simulator does not have: the kind, why, and the events for which that holds.
const EXPLAINED: [Explained; 2] = [
    (
        "argument: in_flight of pkts_acked",
        "Linux gives the segments delivered since the newest one was sent, the simulator those in flight: no algorithm here reads it",
        |_| true,
    ),
    (
        UNEXPECTED_HEADER,
        "the receiver's window field has changed, or it sends data too, so that the kernel's header prediction failed: the simulator's window is constant",
        |event| event.arrival.may_be_unexpected,
    ),
];
/// The kernel, and not the simulator, took a segment's header for unexpected.
const UNEXPECTED_HEADER: &str = "argument: slow path of in_ack_event";
/// Not counted as a kind: there is nothing to compare.
const PASSED_OVER: (&str, &str) = (
    "calls for data that acknowledge nothing new",
    "the kernel's header prediction accepts such segments without reading the acknowledgement while memory is available: they were left out",
);

impl Outcome {
    /// Judges an event.
    pub(super) fn judge(
        &mut self,
        events: &[Event],
        index: usize,
        before: &View,
        calls: &[HookCall],
        own: Own,
    ) {
        let event = &events[index];
        self.events += 1;
        self.calls += event.calls.len() as u64;
        let in_step = before.is_in_step();
        self.out_of_step += u64::from(!in_step);
        self.retransmissions.0 += u64::from(own.retransmissions.0);
        self.retransmissions.1 += u64::from(own.retransmissions.1);
        self.timers.0 += u64::from(own.timer.is_some());
        let text = || show::divergence(events, index, before, calls);
        if let Some(what) = before.windows.difference() {
            self.windows += 1;
            note(&mut self.states, what.to_owned(), in_step, text);
        }
        if own.retransmissions.1 > 0 {
            note(&mut self.states, "retransmission: not the simulator's next".to_owned(), in_step, text);
        }
        if let Some(ExpiredTimer { kernel, sender, on_time }) = own.timer
            && (sender != Some(kernel) || !on_time)
        {
            self.timers.1 += 1;
            let sender = sender.map_or("nothing".to_owned(), |sender| format!("{sender:?}"));
            let when = if on_time { "" } else { ", due at another time" };
            let kind = format!("timer: {kernel:?} in the kernel, {sender} in the simulator{when}");
            note(&mut self.states, kind.to_lowercase(), in_step, text);
        }
        for (name, kernel, simulator) in before.values() {
            let known = self.unequal.iter().position(|unequal| *unequal == name);
            match (known, kernel == simulator) {
                (None, false) => {
                    self.unequal.push(name);
                    note(&mut self.states, name.to_owned(), in_step, text);
                }
                (Some(place), true) => {
                    self.unequal.remove(place);
                }
                _ => {}
            }
        }
        if event.arrival.is_passed_over {
            self.explain(PASSED_OVER.0, PASSED_OVER.1, 1);
        }
        let mut kinds = kinds(event, calls);
        kinds.retain(|kind| {
            let known = EXPLAINED.iter().find(|(what, ..)| what == kind);
            let Some((what, why, _)) = known.filter(|known| known.2(event)) else { return true };
            self.explain(what, why, 1);
            false
        });
        if kinds.is_empty() {
            return;
        }
        self.divergent += 1;
        if self.first.is_none() {
            self.first = Some(text());
        }
        for kind in kinds {
            note(&mut self.kinds, kind, in_step, text);
        }
    }

    fn explain(&mut self, what: &'static str, why: &'static str, events: u64) {
        match self.explained.iter_mut().find(|(known, ..)| *known == what) {
            Some((.., count)) => *count += events,
            None => self.explained.push((what, why, events)),
        }
    }

    /// Whether nearly all was compared: all events but one in a hundred, of those before the connections close.
    #[must_use]
    pub const fn is_complete(&self) -> bool {
        self.events > 0 && self.not_compared * 100 <= self.events + self.not_compared
    }

    /// Adds another connection's outcome.
    pub fn add(&mut self, other: Self) {
        self.events += other.events;
        self.calls += other.calls;
        self.divergent += other.divergent;
        self.out_of_step += other.out_of_step;
        self.windows += other.windows;
        self.gaps += other.gaps;
        self.no_sack += other.no_sack;
        self.not_compared += other.not_compared;
        self.closing += other.closing;
        self.retransmissions.0 += other.retransmissions.0;
        self.retransmissions.1 += other.retransmissions.1;
        self.timers.0 += other.timers.0;
        self.timers.1 += other.timers.1;
        for (what, why, events) in other.explained {
            self.explain(what, why, events);
        }
        self.first = self.first.take().or(other.first);
        for (mine, others) in [(&mut self.kinds, other.kinds), (&mut self.states, other.states)] {
            for kind in others {
                match mine.iter_mut().find(|known| known.kind == kind.kind) {
                    Some(known) => {
                        known.events += kind.events;
                        known.fresh += kind.fresh;
                        if kind.first_is_fresh && !known.first_is_fresh {
                            (known.first, known.first_is_fresh) = (kind.first, true);
                        }
                    }
                    None => mine.push(kind),
                }
            }
        }
    }

    /// With the most frequent kinds first.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        for kinds in [&mut self.kinds, &mut self.states] {
            kinds.sort_by_key(|kind| std::cmp::Reverse((kind.fresh, kind.events)));
        }
        self
    }
}

fn note(kinds: &mut Vec<Divergence>, kind: String, fresh: bool, text: impl Fn() -> String) {
    let place = kinds.iter().position(|known| known.kind == kind).unwrap_or_else(|| {
        kinds.push(Divergence { kind, events: 0, fresh: 0, first: text(), first_is_fresh: fresh });
        kinds.len() - 1
    });
    let known = &mut kinds[place];
    known.events += 1;
    known.fresh += u64::from(fresh);
    if fresh && !known.first_is_fresh {
        (known.first, known.first_is_fresh) = (text(), true);
    }
}

/// What differs between the kernel's calls at an event and the simulator's.
fn kinds(event: &Event, simulator: &[HookCall]) -> Vec<String> {
    let kernel = &event.calls;
    let names: [Vec<String>; 2] = [
        kernel.iter().map(|row| show::name(&row.call)).collect(),
        simulator.iter().map(|logged| show::name(&logged.call)).collect(),
    ];
    if names[0] == names[1] {
        let mut kinds: Vec<String> = Vec::new();
        for kind in kernel.iter().zip(simulator).flat_map(|(row, logged)| arguments(event, row, logged)) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        return kinds;
    }
    let mut sorted = names.clone();
    sorted.iter_mut().for_each(|names| names.sort_unstable());
    let what = if sorted[0] == sorted[1] { "order" } else { "calls" };
    let [kernel, simulator] = &names;
    let common = kernel.iter().zip(simulator).take_while(|(a, b)| a == b).count();
    let ends = kernel[common..].iter().rev().zip(simulator[common..].iter().rev());
    let tail = ends.take_while(|(a, b)| a == b).count();
    let part = |names: &[String]| match &names[common..names.len() - tail] {
        [] => "nothing".to_owned(),
        names => names.join(" "),
    };
    vec![format!("{what}: {} in the kernel, {} in the simulator", part(kernel), part(simulator))]
}

/// Arguments and results that differ in the same call.
fn arguments(event: &Event, row: &Row, logged: &HookCall) -> Vec<String> {
    let mut kinds = Vec::new();
    let hook = row.call.hook().name();
    let mut differs = |what: &str, is: bool| {
        if is {
            kinds.push(format!("argument: {what} of {hook}"));
        }
    };
    match (row.call, logged.call) {
        (Call::PktsAcked { sample: kernel }, Call::PktsAcked { sample }) => {
            differs("pkts_acked", kernel.pkts_acked != sample.pkts_acked);
            differs("rtt_us", kernel.rtt_us != sample.rtt_us);
            differs("in_flight", kernel.in_flight != sample.in_flight);
        }
        (Call::CongAvoid { ack: kernel_ack, acked: kernel }, Call::CongAvoid { ack, acked }) => {
            differs("ack", kernel_ack != ack);
            differs("acked", kernel != acked);
        }
        (Call::InAckEvent { flags: kernel }, Call::InAckEvent { flags }) => {
            let window = if event.arrival.updates_window { ACK_WINDOW_UPDATE } else { 0 };
            let is_unexpected = kernel & !flags & ACK_SLOW_PATH != 0 && event.arrival.may_be_unexpected;
            let slow = if is_unexpected { ACK_SLOW_PATH } else { 0 };
            differs("slow path", is_unexpected);
            differs("flags", kernel != flags | window | slow);
        }
        _ => {}
    }
    if row.after.returned != logged.returned {
        kinds.push(format!("result: {hook}"));
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    // Out of step in the one connection, in step in the other: whatever is added to what, the second is shown.
    #[test]
    fn the_first_fresh_difference_of_any_connection_is_the_one_that_is_shown() {
        let outcome = |fresh, text: &str| {
            let mut outcome = Outcome::default();
            note(&mut outcome.kinds, "cong_avoid: acked".to_owned(), fresh, || text.to_owned());
            outcome
        };
        let both = [(false, "out of step"), (true, "in step")];
        for [first, second] in [both, [both[1], both[0]]] {
            let mut sum = outcome(first.0, first.1);
            sum.add(outcome(second.0, second.1));
            let [kind] = &sum.kinds[..] else { panic!("{:?}", sum.kinds) };
            assert_eq!((kind.events, kind.fresh, kind.first.as_str()), (2, 1, "in step"));
        }
    }
}
