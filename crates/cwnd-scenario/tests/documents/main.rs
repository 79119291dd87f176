// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a scenario's document says, what is refused, and what is written: one program, which is linked once.

mod copies;
mod files;
mod hosts;
mod labels;
mod live;
mod networks;
mod no_rate;
mod page;
mod random;
mod refusals;
mod refused_networks;
mod senders;
mod sizes;
mod stacks;
mod traffic;

/// A table of cases, one a line: cells with ` | ` between them, in which `\n` is a new line of the document; `#` begins a remark.
fn table<const N: usize>(text: &'static str) -> Vec<[&'static str; N]> {
    let row = |line: &'static str| {
        let cells: Vec<&str> =
            line.split('|').map(|cell| &*cell.trim().replace("\\n", "\n").leak()).collect();
        cells.try_into().unwrap_or_else(|_| panic!("{N} cells: {line}"))
    };
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).map(row).collect()
}

/// A refusal is one line, which begins with the field and the value and says what was expected.
fn check_refusal(message: &str, subject: &str, expectation: &str, written: &str) {
    assert!(message.starts_with(subject) && message.contains(expectation), "{written:?}: {message}");
    assert!(!message.contains('\n'), "one line: {message}");
}

/// The limit of a link's queue.
fn limit_of(link: &cwnd_scenario::LinkSpec) -> cwnd_scenario::Buffer {
    link.queue.as_ref().expect("a queue").limit
}
