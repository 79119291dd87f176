// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the glue puts into the ring buffer at each call. Compiled into the build script too, which holds `struct record`
//! of `bpf/glue.bpf.c` against it.

use cwnd::{Conn, PrivateWords};

/// One call. Only its layout is used: bytes that the kernel wrote become typed values field by field.
#[repr(C)]
pub struct Raw {
    /// The connection before the call; `tick_hz` is left 0.
    pub before: Conn,
    /// Place among all calls of the object.
    pub seq: u64,
    /// The socket's address.
    pub socket: u64,
    /// The private area before the call.
    pub state_before: PrivateWords,
    /// The private area after it.
    pub state_after: PrivateWords,
    /// The hook's numbers.
    pub args: [u32; 3],
    /// What it returned; 0 for a hook that returns nothing.
    pub returned: u32,
    /// Which hook.
    pub hook: u32,
    /// The tick counter after the call.
    pub ticks_after: u32,
    /// `cwnd` after it.
    pub cwnd_after: u32,
    /// `ssthresh` after it.
    pub ssthresh_after: u32,
    /// `cwnd_cnt` after it.
    pub cwnd_cnt_after: u32,
}
