// SPDX-License-Identifier: MIT OR Apache-2.0
//! `westwood-linux` under another name: what runs from a library must do what is built in, at every call.

use cwnd::algorithms::westwood::{Westwood, WestwoodParams};
use cwnd::registry::{Recovery, Registered, Set};
use cwnd::{CongestionControl, Conn, Info, PrivateWords};

cwnd::state! {
    /// The algorithm that is mirrored.
    pub struct Mirror {
        inner: Westwood,
    }
}

impl Registered for Mirror {
    const NAME: &'static str = "mirror";
    const SUMMARY: &'static str = "westwood-linux, from a library";
    const SETS: &'static [Set<WestwoodParams>] = &[Set {
        name: "mirror",
        summary: "as westwood-linux",
        source: "a test",
        recovery: Recovery::SackPrr,
        params: Westwood::SETS[1].params,
    }];

    fn from_words(words: &PrivateWords) -> Option<Self> {
        Westwood::from_words(words).map(|inner| Self { inner })
    }
}

macro_rules! hand_on {
    ($($variant:ident = $number:literal $(if $has:ident)?:
        $hook:ident($($arg:ident: $([$by:tt])? $type:path),*) $(-> $result:ty)?;)+) => {$(
        fn $hook(&mut self, conn: &mut Conn $(, $arg: $($by)? $type)*, params: &WestwoodParams) $(-> $result)? {
            self.inner.$hook(conn $(, $arg)*, params)
        }

        $(
            fn $has(&self) -> bool {
                self.inner.$has()
            }
        )?
    )+};
}

impl CongestionControl for Mirror {
    type Params = WestwoodParams;

    cwnd::for_each_hook!(hand_on);

    fn min_cwnd(&self, conn: &Conn, params: &WestwoodParams) -> u32 {
        self.inner.min_cwnd(conn, params)
    }

    fn info(&self, conn: &Conn, params: &WestwoodParams) -> Info {
        self.inner.info(conn, params)
    }
}
