// SPDX-License-Identifier: MIT OR Apache-2.0
//! An algorithm with its settings, as a driver calls it: the hooks without the argument `params`.

use crate::conn::Conn;
#[cfg(feature = "registry")]
use crate::controller::Controller;
use crate::hook_argument_types::AckSample;
use crate::hooks::{Configured, CongestionControl, Info, call_ack_hooks};
use crate::rescale::Rescale;

macro_rules! algorithm {
    ($($variant:ident = $number:literal $(if $has:ident)?:
        $hook:ident($($arg:ident: $([$by:tt])? $type:path),*) $(-> $result:ty)?;)+) => {
        /// What a [`Driver`](crate::driver::Driver) or a [`Transport`](crate::transport::Transport) has in charge: the hooks of
        /// [`CongestionControl`] with the settings kept beside the state.
        ///
        /// [`Controller`] is one, chosen at run time from the whole registry; [`Configured`] is one, a single algorithm chosen when the
        /// program is compiled, so that nothing else is linked. Implement [`CongestionControl`], not this.
        ///
        /// ```
        /// use cwnd::{Algorithm, Configured, Conn, algorithms::{reno::Reno, scalable::Scalable}};
        ///
        /// fn after_a_loss(mut cc: impl Algorithm) -> u32 {
        ///     cc.ssthresh(&mut Conn { packets_out: 80, ..Conn::new(1448, 80) })
        /// }
        /// assert_eq!(after_a_loss(Configured::<Reno>::registered()), 40); // 80/2
        /// assert_eq!(after_a_loss(Configured::<Scalable>::registered()), 70); // 80 − 80/8
        /// ```
        pub trait Algorithm {
            $(
                #[doc = concat!("See [`CongestionControl::", stringify!($hook), "`].")]
                fn $hook(&mut self, conn: &mut Conn $(, $arg: $($by)? $type)*) $(-> $result)?;

                $(
                    #[doc = concat!("See [`CongestionControl::", stringify!($has), "`].")]
                    fn $has(&self) -> bool;
                )?
            )+

            /// What an acknowledgement of `sample.pkts_acked` new segments calls while nothing is missing, with these flags: `pkts_acked`,
            /// `in_ack_event`, then `cong_control`, or without one `cong_avoid`.
            ///
            /// ```
            /// use cwnd::{AckSample, Algorithm, Configured, Conn, algorithms::reno::Reno};
            ///
            /// let mut conn = Conn { is_cwnd_limited: true, ..Conn::new(1448, 10) };
            /// let sample = AckSample::new(2, 50_000, 8);
            /// Configured::<Reno>::registered().acknowledge(&mut conn, &sample, cwnd::ACK_WINDOW_UPDATE);
            /// assert_eq!(conn.cwnd, 12); // slow start
            /// ```
            fn acknowledge(&mut self, conn: &mut Conn, sample: &AckSample, flags: u32);

            /// See [`CongestionControl::rescale`].
            fn rescale(&mut self, scale: Rescale) -> bool;

            /// See [`CongestionControl::min_cwnd`].
            fn min_cwnd(&self, conn: &Conn) -> u32;

            /// See [`CongestionControl::info`].
            fn info(&self, conn: &Conn) -> Info;
        }

        #[cfg(feature = "registry")]
        impl Algorithm for Controller {
            $(
                #[inline(always)]
                fn $hook(&mut self, conn: &mut Conn $(, $arg: $($by)? $type)*) $(-> $result)? {
                    Controller::$hook(self, conn $(, $arg)*)
                }

                $(
                    #[inline(always)]
                    fn $has(&self) -> bool {
                        Controller::$has(self)
                    }
                )?
            )+

            #[inline(always)]
            fn acknowledge(&mut self, conn: &mut Conn, sample: &AckSample, flags: u32) {
                Controller::acknowledge(self, conn, sample, flags);
            }

            fn rescale(&mut self, scale: Rescale) -> bool {
                Controller::rescale(self, scale)
            }

            #[inline(always)]
            fn min_cwnd(&self, conn: &Conn) -> u32 {
                Controller::min_cwnd(self, conn)
            }

            #[inline(always)]
            fn info(&self, conn: &Conn) -> Info {
                Controller::info(self, conn)
            }
        }

        impl<T: CongestionControl> Algorithm for Configured<T> {
            $(
                #[inline(always)]
                fn $hook(&mut self, conn: &mut Conn $(, $arg: $($by)? $type)*) $(-> $result)? {
                    self.state.$hook(conn $(, $arg)*, &self.params)
                }

                $(
                    #[inline(always)]
                    fn $has(&self) -> bool {
                        self.state.$has()
                    }
                )?
            )+

            #[inline(always)]
            fn acknowledge(&mut self, conn: &mut Conn, sample: &AckSample, flags: u32) {
                call_ack_hooks(&mut self.state, conn, (sample, flags), &self.params);
            }

            fn rescale(&mut self, scale: Rescale) -> bool {
                self.state.rescale(scale)
            }

            #[inline(always)]
            fn min_cwnd(&self, conn: &Conn) -> u32 {
                self.state.min_cwnd(conn, &self.params)
            }

            #[inline(always)]
            fn info(&self, conn: &Conn) -> Info {
                self.state.info(conn, &self.params)
            }
        }
    };
}

crate::for_each_hook!(algorithm);
