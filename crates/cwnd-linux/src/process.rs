// SPDX-License-Identifier: MIT OR Apache-2.0
//! What makes the process of the kernel one of ours, before its `main`: the host preloads this library (`LD_PRELOAD`).
//!
//! * It ends with the process that has started it, whatever ends that.
//! * Its random numbers are those of the scenario's seed: the kernel seeds its generator by `getrandom` of the host, and draws from it the
//!   first sequence numbers of connections, the phases of BBR, the hashes of fair queues.

use cwnd_link::random::RandomStream;
use std::sync::Mutex;

/// Variables that the host sets: the process that has to be there, and the scenario's seed.
const PARENT: &str = "CWND_LINUX_PARENT";
const SEED: &str = "CWND_LINUX_SEED";
/// Number of the random stream: none of the scenario's own.
const STREAM: u64 = u64::MAX;
/// Flag of getrandom(2) with which Rust asks for the keys of its hash tables; the kernel never does.
const INSECURE: libc::c_uint = libc::GRND_INSECURE;

static NO_CORE: libc::rlimit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

extern "C" fn begin() {
    // SAFETY: plain system calls, with a structure that outlives its own.
    unsafe {
        // A kernel that panics leaves no file.
        libc::setrlimit(libc::RLIMIT_CORE, &raw const NO_CORE);
        if let Some(parent) = number(PARENT) {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            // Had it ended before this, no signal would come.
            if libc::getppid() as u64 != parent {
                libc::_exit(1);
            }
        }
    }
}

// SAFETY: a constructor, which is called once, with nothing that it needs.
#[unsafe(link_section = ".init_array")]
#[used]
static BEGIN: extern "C" fn() = begin;

static RANDOM: Mutex<Option<RandomStream>> = Mutex::new(None);

/// In place of the host's (getrandom(2)): numbers that depend on the seed alone. This library's own threads and hash tables get zeros: they take
/// nothing of the kernel's numbers, so that a recorded run has those of any other one.
///
/// # Safety
/// `buffer` has room for `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn getrandom(buffer: *mut u8, length: usize, flags: libc::c_uint) -> isize {
    // SAFETY: the caller's promise.
    let buffer = unsafe { std::slice::from_raw_parts_mut(buffer, length) };
    // SAFETY: plain system calls.
    let is_kernels = flags & INSECURE == 0 && unsafe { libc::gettid() == libc::getpid() };
    if !is_kernels {
        buffer.fill(0);
        return length as isize;
    }
    let mut stream = RANDOM.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let stream = stream.get_or_insert_with(|| RandomStream::new(number(SEED).unwrap_or(0), STREAM));
    for piece in buffer.chunks_mut(8) {
        piece.copy_from_slice(&stream.next_u64().to_le_bytes()[..piece.len()]);
    }
    length as isize
}
