// SPDX-License-Identifier: MIT OR Apache-2.0
//! The first process of the guest in lane linux.

#[cfg(target_os = "linux")]
fn main() {
    cwnd_live::guest::run()
}

#[cfg(not(target_os = "linux"))]
fn main() {}
