// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names of algorithms that are a Linux kernel's own.

use std::borrow::Cow;

/// What such a name begins with.
pub(crate) const PREFIX: &str = "kernel/";
/// Letters of the name of a congestion control of Linux, at most (`TCP_CA_NAME_MAX`, without its end).
const MOST_LETTERS: usize = 15;

/// Name in the kernel of an algorithm that is the kernel's own; `None` of any other.
///
/// ```
/// use cwnd_scenario::kernels_own;
///
/// assert_eq!(kernels_own("kernel/bbr"), Some("bbr"));
/// assert_eq!((kernels_own("bbr"), kernels_own("kernel/"), kernels_own("kernel/a b")), (None, None, None));
/// ```
#[must_use]
pub fn kernels_own(cc: &str) -> Option<&str> {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
    cc.strip_prefix(PREFIX)
        .filter(|name| (1..=MOST_LETTERS).contains(&name.len()) && name.chars().all(is_letter))
}

/// The parameter set that has the rules of an algorithm: of one of the kernel's own the `-linux` set of that name, which may not exist; else itself.
///
/// ```
/// use cwnd_scenario::set_with_rules_of;
///
/// assert_eq!((set_with_rules_of("kernel/htcp"), set_with_rules_of("htcp")), ("htcp-linux".into(), "htcp".into()));
/// ```
#[must_use]
pub fn set_with_rules_of(cc: &str) -> Cow<'_, str> {
    kernels_own(cc).map_or(Cow::Borrowed(cc), |name| Cow::Owned(format!("{name}-linux")))
}
