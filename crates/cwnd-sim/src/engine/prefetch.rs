// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prefetches memory that will be needed soon. With a hundred thousand flows every packet belongs to another flow, and without a
//! prefetch most of the time is spent waiting for that flow's state.

/// Asks for all of `value` to be brought into the cache; does nothing where the processor has no such instruction.
#[inline(always)]
#[cfg_attr(
    target_arch = "x86_64",
    expect(unsafe_code, reason = "the instruction's own interface; it reads nothing and cannot fault")
)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        /// Bytes of a cache line.
        const LINE: usize = 64;
        let start = std::ptr::from_ref(value).cast::<i8>();
        for line in 0..size_of::<T>().div_ceil(LINE) {
            // SAFETY: prefetching accesses no memory in the sense of the language, whatever the address; this one lies within
            // `value` anyway.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(line * LINE)) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
