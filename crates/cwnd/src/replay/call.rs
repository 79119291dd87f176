// SPDX-License-Identifier: MIT OR Apache-2.0
//! A recorded call of a hook, from the table of hooks.

use crate::argument_encoding::{HookResult as _, RecordedArgument as _};
use crate::conn::Conn;
use crate::controller::Controller;
use crate::hooks::{ARGUMENT_WORDS, Hook};

macro_rules! calls {
    ($($variant:ident = $number:literal $(if $has:ident)?:
        $hook:ident($($arg:ident: $([$by:tt])? $type:path),*) $(-> $result:ty)?;)+) => {
        /// A recorded call: the hook and its arguments.
        ///
        /// ```
        /// # use cwnd::{Hook, replay::Call};
        ///
        /// let call = Call::CongAvoid { ack: 7, acked: 2 };
        /// assert_eq!(Call::read(Hook::CongAvoid, call.words(1448), 1448), Some(call));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the arguments are those of CongestionControl")]
        pub enum Call {
            $(
                #[doc = concat!("[`CongestionControl::", stringify!($hook), "`](crate::CongestionControl::", stringify!($hook), ")")]
                $variant { $($arg: $type),* },
            )+
        }

        impl Call {
            /// The hook that was called.
            ///
            /// ```
            /// # use cwnd::{Hook, replay::Call};
            ///
            /// assert_eq!(Call::CongAvoid { ack: 7, acked: 2 }.hook(), Hook::CongAvoid);
            /// ```
            #[must_use]
            pub const fn hook(&self) -> Hook {
                match self {
                    $(Self::$variant { .. } => Hook::$variant,)+
                }
            }

            /// The call that these words of a record mean, on a connection whose segments have `mss` bytes; `None` if there is
            /// none.
            ///
            /// ```
            /// # use cwnd::{Hook, replay::Call};
            ///
            /// let words = |first, second| std::array::from_fn(|place| [first, second].get(place).copied().unwrap_or(0));
            /// assert_eq!(Call::read(Hook::CongAvoid, words(7, 2), 1448), Some(Call::CongAvoid { ack: 7, acked: 2 }));
            /// assert_eq!(Call::read(Hook::CwndEvent, words(6, 0), 1448), None); // there is no event 6
            /// ```
            #[must_use]
            pub fn read(hook: Hook, words: [u32; ARGUMENT_WORDS], mss: u32) -> Option<Self> {
                let words = &mut words.into_iter();
                Some(match hook {
                    $(Hook::$variant => Self::$variant { $($arg: <$type>::read(words, mss)?),* },)+
                })
            }

            /// Its arguments in the words of a record.
            ///
            /// ```
            /// # use cwnd::{Hook, replay::Call};
            ///
            /// let sample = cwnd::AckSample::new(2, 50_000, 10);
            /// assert_eq!(Call::PktsAcked { sample }.words(1448)[..3], [2, 50_000, 14_480]); // the flight in bytes
            /// ```
            #[must_use]
            pub fn words(&self, mss: u32) -> [u32; ARGUMENT_WORDS] {
                let mut all = [0; ARGUMENT_WORDS];
                let words = &mut all.iter_mut();
                match *self {
                    $(Self::$variant { $($arg),* } => { $($arg.write(words, mss);)* })+
                }
                all
            }

            /// Makes the call; what the hook returned, 0 if it returns nothing.
            ///
            /// ```
            /// # use cwnd::{Conn, Controller, replay::Call};
            ///
            /// let (mut reno, mut conn) = (Controller::by_name("reno").unwrap(), Conn::new(1448, 20));
            /// conn.packets_out = 20;
            /// assert_eq!(Call::Ssthresh {}.make(&mut reno, &mut conn), 10); // half of 20
            /// ```
            pub fn make(&self, cc: &mut Controller, conn: &mut Conn) -> u32 {
                match *self {
                    $(Self::$variant { $($arg),* } => cc.$hook(conn $(, $($by)? $arg)*).word(),)+
                }
            }
        }
    };
}

crate::for_each_hook!(calls);
