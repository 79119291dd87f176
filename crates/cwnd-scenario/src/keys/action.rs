// SPDX-License-Identifier: MIT OR Apache-2.0
//! The keys of `[[action]]`. They are parsed by hand, because they name flows and links.

use super::{Absent, Form, Key, KindKeys, Quantity};
use crate::units::MAX_TIME;

const NAME: Form = Form::Text { min: 0, max: u64::MAX };

keys! {
    /// The keys of an action on flows.
    fn on_flow {
        flow: NAME, Absent::Required, "",
            "a flow's name (`\"cubic 1\"`), or a group's label or an algorithm for all their flows. An algorithm and a number also refer to a flow with another name: `\"cubic 2\"` is the second flow of `cubic`", "";
        at: at(), Absent::Required, "", "when, before the end", "";
    }
}

keys! {
    /// The keys of an action on a link.
    fn on_link {
        link: NAME, Absent::Words("a dumbbell's `\"link\"`"), "", "a link's name", "";
        at: at(), Absent::Required, "", "when, before the end", "";
    }
}

keys! {
    /// The key of a switch of the algorithm.
    fn switch {
        cc: Form::Text { min: 1, max: u64::MAX }, Absent::Required, "",
            "the algorithm; its parameters are also keys", "";
    }
}

const fn at() -> Form {
    Form::Quantity(Quantity::Time(0, MAX_TIME))
}

fn to(form: Form) -> Vec<Key> {
    let (name, absent, help) = ("to", Absent::Required, "the new value");
    [on_link(), vec![Key { name, form, absent, unit: "", help, source: "" }]].concat()
}

/// The actions, in the order in which an error message lists them.
pub(crate) fn actions() -> [KindKeys; 6] {
    let rate = Form::Quantity(Quantity::Rate { or_outage: true });
    [
        ("start", on_flow(), "the flow's application starts, or resumes after a stop"),
        ("stop", on_flow(), "the flow's application stops"),
        (
            "switch",
            [on_flow(), switch()].concat(),
            "the live connection switches to another algorithm and keeps its recovery",
        ),
        ("rate", to(rate), "the link's rate; `0bit/s` is an outage. Not for a link with a trace"),
        ("delay", to(at()), "the link's `delay`; round trip times change with it"),
        (
            "buffer",
            to(Form::Quantity(Quantity::Buffer)),
            "the limit of the link's queue. Shrinking the limit does not drop queued packets",
        ),
    ]
    .map(|(name, keys, help)| KindKeys { name, help, keys })
}
