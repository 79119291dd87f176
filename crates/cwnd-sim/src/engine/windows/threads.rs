// SPDX-License-Identifier: MIT OR Apache-2.0
//! The threads of a run in windows. A build without windows has one.

/// The threads.
#[derive(Debug)]
pub(super) struct Threads {
    #[cfg(feature = "windows")]
    pool: Option<rayon::ThreadPool>,
}

impl Threads {
    /// So many, if the system gives them; else one.
    pub fn new(threads: u32) -> Self {
        #[cfg(not(feature = "windows"))]
        let _ = threads;
        Self {
            #[cfg(feature = "windows")]
            pool: (threads > 1)
                .then(|| rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build().ok())
                .flatten(),
        }
    }

    /// Whether there are several.
    pub const fn are_several(&self) -> bool {
        #[cfg(feature = "windows")]
        return self.pool.is_some();
        #[cfg(not(feature = "windows"))]
        return false;
    }

    /// How many they are.
    pub fn count(&self) -> u32 {
        #[cfg(feature = "windows")]
        return self.pool.as_ref().map_or(1, |pool| pool.current_num_threads() as u32);
        #[cfg(not(feature = "windows"))]
        return 1;
    }

    /// Does `work` on one of them.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        #[cfg(feature = "windows")]
        if let Some(pool) = &self.pool {
            return pool.install(work);
        }
        work()
    }
}

/// Does `first`, and `each` with each of `all`, side by side; called in [`Threads::run`].
pub(super) fn side_by_side<T: Send>(
    first: impl FnOnce() + Send,
    all: impl Iterator<Item = T>,
    each: impl Fn(T) + Sync + Send,
) {
    #[cfg(feature = "windows")]
    {
        use rayon::prelude::*;
        let all: Vec<T> = all.collect();
        rayon::join(first, || all.into_par_iter().with_max_len(1).for_each(each));
    }
    #[cfg(not(feature = "windows"))]
    {
        first();
        all.for_each(each);
    }
}
