// SPDX-License-Identifier: MIT OR Apache-2.0
//! The pluggable module interface (Ha, Rhee and Xu 2008, figure 2; Linux's `tcp_congestion_ops`).

use crate::argument_encoding::RecordedArgument;
use crate::conn::{CaState, Conn};
use crate::hook_argument_types::{AckSample, CaEvent};
pub use crate::inner_variables::Info;
use crate::rate_sample::{ACKED_DATA, ADVANCED, RateSample};
use crate::rescale::Rescale;

/// The table of hooks, for other macros: `for_each_hook!(m)` expands to `m! { row; … }`, `for_each_hook!(m, more)` to
/// `m! { [more] row; … }`. A row is `Variant = number: name(argument: Type, …) -> result`.
///
/// The number is that of the hook's counter in the kernel, and of the hook in a record. An argument that is passed by reference
/// has `[&]` before its type; [`WireArgument`](crate::WireArgument) says how a type crosses a C interface,
/// [`RecordedArgument`] how a record holds it. `if` names the function that says whether an algorithm has the hook.
///
/// From these rows follow [`Hook`], the hooks of [`Controller`](crate::Controller), `replay::Call`, the
/// functions of a plugin's table and their version, what is exported to the kernel's glue and declared there, the records, their
/// columns and their replay. [`CongestionControl`] is written beside them, and where the two differ nothing compiles.
///
/// ```
/// macro_rules! numbers {
///     ($($variant:ident = $number:literal $(if $has:ident)?:
///         $hook:ident($($arg:ident: $([$by:tt])? $type:path),*) $(-> $result:ty)?;)+) => {
///         const HOOKS: &[(&str, u8)] = &[$((stringify!($hook), $number)),+];
///     };
/// }
/// cwnd::for_each_hook!(numbers);
/// assert_eq!(HOOKS[2], ("ssthresh", 2));
/// ```
#[macro_export]
macro_rules! for_each_hook {
    ($callback:path $(, $($more:tt)+)?) => {
        $callback! {
            $([$($more)+])?
            Init = 0: init();
            Release = 1: release();
            Ssthresh = 2: ssthresh() -> u32;
            CongAvoid = 3: cong_avoid(ack: u32, acked: u32);
            SetState = 4: set_state(new: $crate::CaState);
            CwndEvent = 5: cwnd_event(event: $crate::CaEvent);
            InAckEvent = 6: in_ack_event(flags: u32);
            UndoCwnd = 7: undo_cwnd() -> u32;
            PktsAcked = 8: pkts_acked(sample: [&] $crate::AckSample);
            CongControl = 9 if has_cong_control: cong_control(ack: u32, flags: u32, sample: [&] $crate::RateSample);
        }
    };
}

macro_rules! hook_enum {
    ($($variant:ident = $number:literal $(if $has:ident)?:
        $hook:ident($($arg:ident: $([$by:tt])? $type:path),*) $(-> $result:ty)?;)+) => {
        /// A hook that a transport calls. Exhaustive, like the table: who records or replays calls has to know every hook.
        ///
        /// ```
        /// use cwnd::Hook;
        ///
        /// assert_eq!(Hook::ALL.len(), 10);
        /// assert_eq!(Hook::ALL[3], Hook::CongAvoid); // by number
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Hook {
            $(
                #[doc = concat!("[`CongestionControl::", stringify!($hook), "`]")]
                $variant = $number,
            )+
        }

        impl Hook {
            /// All of them, by number.
            pub const ALL: [Self; [$($number),+].len()] = [$(Self::$variant),+];

            /// Linux's name.
            ///
            /// ```
            /// assert_eq!(cwnd::Hook::CongAvoid.name(), "cong_avoid");
            /// ```
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($hook),)+
                }
            }

            /// Words that its arguments take in a record.
            ///
            /// ```
            /// use cwnd::Hook;
            ///
            /// assert_eq!(Hook::CongAvoid.words(), 2); // `ack`, `acked`
            /// assert_eq!(Hook::PktsAcked.words(), 3); // the fields of `AckSample`
            /// ```
            #[must_use]
            pub const fn words(self) -> usize {
                match self {
                    $(Self::$variant => 0 $(+ <$type as RecordedArgument>::WORDS)*,)+
                }
            }
        }
    };
}

for_each_hook!(hook_enum);

/// Words that a record has for the arguments of any hook.
pub const ARGUMENT_WORDS: usize = {
    let (mut most, mut number) = (0, 0);
    while number < Hook::ALL.len() {
        let hook = Hook::ALL[number];
        assert!(hook as usize == number, "the table is in the order of its numbers");
        if most < hook.words() {
            most = hook.words();
        }
        number += 1;
    }
    most
};

impl Hook {
    /// The hook that Linux calls `name`.
    ///
    /// ```
    /// use cwnd::Hook;
    ///
    /// assert_eq!(Hook::by_name("ssthresh"), Some(Hook::Ssthresh));
    /// assert_eq!(Hook::by_name("min_cwnd"), None); // the kernel has no slot for it
    /// ```
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|hook| hook.name() == name)
    }
}

/// Private area that Linux gives a module, bytes: an algorithm's state must fit.
pub const PRIVATE_BYTES: usize = 104;

/// The private area of a module, as recorded: 32-bit words in the module's own layout.
pub type PrivateWords = [u32; PRIVATE_BYTES / 4];

/// An algorithm's state as it lies in the private area: its bytes, and which of the area's bytes have a meaning.
///
/// ```
/// use cwnd::{PRIVATE_BYTES, StateWords};
///
/// assert_eq!(size_of::<StateWords>(), 2 * PRIVATE_BYTES); // 104 bytes, and which of them count
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct StateWords {
    /// The state's bytes, as native 32-bit words; zero in padding and behind the state.
    pub words: PrivateWords,
    /// All ones where a field lies, and behind the state, where the kernel leaves zeros; zero in padding.
    pub fields: PrivateWords,
}

impl StateWords {
    /// These bytes, with the padding of `recorded`, which may hold anything.
    ///
    /// ```
    /// use cwnd::StateWords;
    ///
    /// let mut state = StateWords { words: [0; 26], fields: [u32::MAX; 26] };
    /// (state.words[0], state.fields[0]) = (0x0000_0007, 0x0000_ffff); // two bytes of field, two of padding
    /// let mut recorded = [0; 26];
    /// recorded[0] = 0x1234_0009;
    /// assert_eq!(state.over(&recorded)[0], 0x1234_0007);
    /// ```
    #[must_use]
    pub fn over(&self, recorded: &PrivateWords) -> PrivateWords {
        let mut words = *recorded;
        for (word, (value, fields)) in words.iter_mut().zip(self.words.iter().zip(&self.fields)) {
            *word = (*word & !fields) | (value & fields);
        }
        words
    }
}

/// A congestion control algorithm, as hooks that a transport calls ([`for_each_hook!`](crate::for_each_hook) lists them).
///
/// `Params` are the algorithm's settings. They are passed in, not stored, because in the kernel they lie in read-only
/// memory beside the program while the state lies in the socket. Algorithms answer and the transport acts: `ssthresh`
/// returns a number and changes no window.
///
/// ```
/// use cwnd::{CongestionControl, Conn, algorithms};
///
/// /// Standard TCP that keeps 7/8 after a loss.
/// struct Gentle;
///
/// impl CongestionControl for Gentle {
///     type Params = ();
///
///     fn ssthresh(&mut self, conn: &mut Conn, (): &()) -> u32 {
///         (conn.flight() - conn.flight() / 8).max(2)
///     }
///
///     fn cong_avoid(&mut self, conn: &mut Conn, _ack: u32, acked: u32, (): &()) {
///         algorithms::standard(conn, acked);
///     }
/// }
/// let mut conn = Conn { packets_out: 80, ..Conn::new(1448, 80) };
/// assert_eq!(Gentle.ssthresh(&mut conn, &()), 70); // 80 − 80/8
/// ```
pub trait CongestionControl {
    /// The algorithm's settings; `()` where there are none.
    type Params;

    /// The connection starts, or switches to this algorithm while it runs. The state's old bytes mean nothing. Linux shows a
    /// module the handshake's acknowledgement and timeouts (`pkts_acked`, `ssthresh`, …) before it calls this, on a zeroed state.
    fn init(&mut self, _conn: &mut Conn, _params: &Self::Params) {}

    /// The connection ends, or switches to another algorithm.
    fn release(&mut self, _conn: &mut Conn, _params: &Self::Params) {}

    /// Slow start threshold after a loss or an ECN echo, segments, at least 2. Called once per window reduction, before
    /// `set_state`, while `conn.ca_state` is still the old state.
    fn ssthresh(&mut self, conn: &mut Conn, params: &Self::Params) -> u32;

    /// An acknowledgement for `acked` segments up to byte `ack` arrived outside recovery: grow the window.
    fn cong_avoid(&mut self, conn: &mut Conn, ack: u32, acked: u32, params: &Self::Params);

    /// The connection's state is about to become `new`.
    fn set_state(&mut self, _conn: &mut Conn, _new: CaState, _params: &Self::Params) {}

    /// Something besides an acknowledgement happened.
    fn cwnd_event(&mut self, _conn: &mut Conn, _event: CaEvent, _params: &Self::Params) {}

    /// An acknowledgement arrived, a duplicate one too: after `snd_una` and the RTT sample, before any change of state
    /// or window. `flags` are Linux's, from [`crate::ACK_SLOW_PATH`] on.
    fn in_ack_event(&mut self, _conn: &mut Conn, _flags: u32, _params: &Self::Params) {}

    /// The last reduction was a mistake: window to return to, segments.
    fn undo_cwnd(&mut self, conn: &mut Conn, _params: &Self::Params) -> u32 {
        conn.cwnd.max(conn.prior_cwnd)
    }

    /// Packets were acknowledged; the RTT sample, if any, comes with them.
    fn pkts_acked(&mut self, _conn: &mut Conn, _sample: &AckSample, _params: &Self::Params) {}

    /// Whether this algorithm sets window and pacing rate itself at each acknowledgement, in every state. When true,
    /// the transport calls `cong_control` and neither `cong_avoid` nor its own reduction, and paces at `conn.pacing_rate`
    /// once that is set. `ssthresh` is still asked, states and events are told. After a timeout the window is the loss
    /// window all the same (in Linux what is in flight and one more), before `set_state` tells of [`CaState::Loss`]; nothing else cuts it.
    fn has_cong_control(&self) -> bool {
        false
    }

    /// See [`CongestionControl::has_cong_control`]: an acknowledgement up to byte `ack`, with Linux's `flags` (from [`crate::ACKED_DATA`] on),
    /// arrived, and `sample` is what it says of the path. A transport that samples no rates fills in `acked_sacked` and `rtt_us` alone.
    fn cong_control(
        &mut self,
        _conn: &mut Conn,
        _ack: u32,
        _flags: u32,
        _sample: &RateSample,
        _params: &Self::Params,
    ) {
    }

    /// Segments have another size from now on: the state's counts of segments become counts of the new ones; `true` if they are. With
    /// `false` the algorithm is released and started anew, unless it is in its first slow start. Not a hook of Linux's, whose segments stay.
    /// A state that [`state!`](crate::state) declares with units answers `SegmentState::rescale(self, scale); true`.
    fn rescale(&mut self, _scale: Rescale) -> bool {
        false
    }

    /// Lower bound of the window after a loss, segments (historic: the paper has it, today's kernel has no slot).
    fn min_cwnd(&self, conn: &Conn, _params: &Self::Params) -> u32 {
        conn.ssthresh
    }

    /// Inner variables for an observer.
    fn info(&self, _conn: &Conn, _params: &Self::Params) -> Info {
        Info::default()
    }
}

/// An algorithm's state together with its settings: what a lane outside the kernel keeps per connection.
///
/// ```
/// use cwnd::{Algorithm, Configured, Conn, algorithms::reno::Reno};
///
/// let mut reno = Configured::<Reno>::registered();
/// let mut conn = Conn { packets_out: 10, ..Conn::new(1448, 10) };
/// assert_eq!(reno.ssthresh(&mut conn), 5); // the settings need not be named
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Configured<A: CongestionControl> {
    /// The state.
    pub state: A,
    /// The settings.
    pub params: A::Params,
}

/// What an acknowledgement of new segments calls while nothing is missing ([`Algorithm::acknowledge`](crate::Algorithm::acknowledge)).
#[inline(always)]
pub(crate) fn call_ack_hooks<A: CongestionControl + ?Sized>(
    cc: &mut A,
    conn: &mut Conn,
    (sample, flags): (&AckSample, u32),
    params: &A::Params,
) {
    cc.pkts_acked(conn, sample, params);
    cc.in_ack_event(conn, flags, params);
    if cc.has_cong_control() {
        return control_unsampled(cc, conn, sample, params);
    }
    let una = conn.snd_una;
    cc.cong_avoid(conn, una, sample.pkts_acked, params);
}

/// `cong_control`, by a transport that samples no rates.
#[cold]
fn control_unsampled<A: CongestionControl + ?Sized>(
    cc: &mut A,
    conn: &mut Conn,
    sample: &AckSample,
    params: &A::Params,
) {
    let una = conn.snd_una;
    let rate = RateSample { acked_sacked: sample.pkts_acked, rtt_us: sample.rtt_us, ..RateSample::NONE };
    cc.cong_control(conn, una, ACKED_DATA | ADVANCED, &rate, params);
}
