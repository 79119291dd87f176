// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one place where a real clock is read.

use rustix::time::{ClockId, clock_gettime};

/// CPU time of the calling thread, s.
pub fn thread_cpu_s() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
