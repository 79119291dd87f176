// SPDX-License-Identifier: MIT OR Apache-2.0
//! The one place where a real clock is read.

use rustix::time::{ClockId, clock_gettime};

/// CPU time of the calling thread, s.
pub fn thread_cpu_s() -> f64 {
    seconds(ClockId::ThreadCPUTime)
}

/// CPU time of the whole process, s.
pub fn process_cpu_s() -> f64 {
    seconds(ClockId::ProcessCPUTime)
}

fn seconds(clock: ClockId) -> f64 {
    let time = clock_gettime(clock);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
