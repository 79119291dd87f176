// SPDX-License-Identifier: MIT OR Apache-2.0
//! A question about this machine, and its answer.

/// Answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is so.
    Yes,
    /// It is not.
    No,
    /// It cannot be told from here.
    Unknown,
}

/// A question about this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What was asked, such as `cgroup2`.
    pub name: &'static str,
    /// The answer.
    pub answer: Answer,
    /// What cannot be done without it: subcommands, in words. Empty for what is only good to know.
    pub needed_for: &'static str,
    /// What was found.
    pub detail: String,
    /// What to do; empty if there is nothing.
    pub advice: &'static str,
}
