// SPDX-License-Identifier: MIT OR Apache-2.0
//! The threads of a run in time slices.

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The threads.
#[derive(Debug)]
pub(super) struct Threads(Option<ThreadPool>);

impl Threads {
    /// This number of threads, if the system gives them; else only the caller's.
    pub fn new(threads: u32) -> Self {
        let pool = ThreadPoolBuilder::new().num_threads(threads as usize);
        Self((threads > 1).then(|| pool.build().ok()).flatten())
    }

    /// Whether there are several.
    pub const fn are_several(&self) -> bool {
        self.0.is_some()
    }

    /// Their number.
    pub fn count(&self) -> u32 {
        self.0.as_ref().map_or(1, |pool| pool.current_num_threads() as u32)
    }

    /// Runs `work` on one of them.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        match &self.0 {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

/// Runs `first`, and `each` on each of `all`, in parallel. Call it in [`Threads::run`].
pub(super) fn side_by_side<T: Send>(
    first: impl FnOnce() + Send,
    all: impl Iterator<Item = T>,
    each: impl Fn(T) + Sync + Send,
) {
    let all: Vec<T> = all.collect();
    rayon::join(first, || all.into_par_iter().with_max_len(1).for_each(each));
}
