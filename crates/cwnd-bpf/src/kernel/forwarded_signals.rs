// SPDX-License-Identifier: MIT OR Apache-2.0
//! Passes signals to this process on to the command that it waits for, so that this process outlives the command and can clean up.
//!
//! Signals that the terminal sends reach the command by themselves (it is in the same foreground group) and only do not end this
//! process. Handlers that were there before are back when [`Forwarding`] is dropped; a signal that was ignored (`nohup`) stays so.

use std::os::fd::{AsRawFd, OwnedFd};
use std::process::Child;
use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

use rustix::process::{Pid, PidfdFlags, pidfd_open};

const FORWARDED: [i32; 6] =
    [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGUSR1, libc::SIGUSR2];

/// The command's descriptor, for the handler; -1 while there is none.
static COMMAND: AtomicI32 = AtomicI32::new(-1);
/// Signals that came before there was one, by bit.
static EARLY: AtomicU64 = AtomicU64::new(0);
/// Signals belong to the whole process: one command at a time has them.
static TAKEN: Mutex<bool> = Mutex::new(false);
static FREE: Condvar = Condvar::new();

/// While it lives, signals go to the command.
pub(crate) struct Forwarding {
    before: Vec<(i32, libc::sigaction)>,
    command: Option<OwnedFd>,
}

impl Forwarding {
    /// From here on signals are kept for the command to come.
    pub(crate) fn begin() -> Self {
        let taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut taken = FREE.wait_while(taken, |taken| *taken).unwrap_or_else(PoisonError::into_inner);
        *taken = true;
        drop(taken);
        COMMAND.store(-1, Ordering::SeqCst);
        EARLY.store(0, Ordering::SeqCst);
        let before = FORWARDED.into_iter().filter_map(|signal| Some((signal, take(signal)?))).collect();
        Self { before, command: None }
    }

    /// Passes on those that came, and all that come.
    ///
    /// # Errors
    /// When the system has no descriptors left.
    pub(crate) fn to(&mut self, child: &Child) -> std::io::Result<()> {
        let pid = Pid::from_child(child);
        let command = self.command.insert(pidfd_open(pid, PidfdFlags::empty())?);
        COMMAND.store(command.as_raw_fd(), Ordering::SeqCst);
        let early = EARLY.swap(0, Ordering::SeqCst);
        for signal in FORWARDED.into_iter().filter(|signal| early & (1 << signal) != 0) {
            send(command.as_raw_fd(), signal);
        }
        Ok(())
    }
}

impl Drop for Forwarding {
    fn drop(&mut self) {
        for (signal, before) in &self.before {
            // SAFETY: the action is one that the system gave out for this very signal.
            unsafe { libc::sigaction(*signal, before, std::ptr::null_mut()) };
        }
        COMMAND.store(-1, Ordering::SeqCst);
        *TAKEN.lock().unwrap_or_else(PoisonError::into_inner) = false;
        FREE.notify_one();
    }
}

/// Installs the handler and returns the action before; nothing where the signal was ignored.
fn take(signal: i32) -> Option<libc::sigaction> {
    // SAFETY: a plain C struct, for which all zeros is a value.
    let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: reads the action into memory of our own.
    if unsafe { libc::sigaction(signal, std::ptr::null(), &raw mut before) } != 0
        || before.sa_sigaction == libc::SIG_IGN
    {
        return None;
    }
    // SAFETY: as above.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = on_signal as *const () as usize;
    action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
    // SAFETY: the handler has the signature that SA_SIGINFO demands, and does only what a handler may: atomic loads and
    // stores, and a system call.
    (unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) } == 0).then_some(before)
}

extern "C" fn on_signal(signal: i32, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: with SA_SIGINFO, the kernel passes a valid one.
    if unsafe { (*info).si_code } == libc::SI_KERNEL {
        return;
    }
    EARLY.fetch_or(1 << signal, Ordering::SeqCst);
    let command = COMMAND.load(Ordering::SeqCst);
    // Whoever takes the bit sends the signal: here, or `to`.
    if command >= 0 && EARLY.fetch_and(!(1 << signal), Ordering::SeqCst) & (1 << signal) != 0 {
        send(command, signal);
    }
}

/// By a descriptor, not a number, which another process could have by now.
fn send(command: i32, signal: i32) {
    // SAFETY: a system call with numbers and no memory; `syscall` sets errno, which is put back for what was interrupted.
    unsafe {
        let errno = libc::__errno_location();
        let before = *errno;
        libc::syscall(libc::SYS_pidfd_send_signal, command, signal, std::ptr::null::<libc::siginfo_t>(), 0);
        *errno = before;
    }
}
