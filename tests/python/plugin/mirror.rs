// SPDX-License-Identifier: MIT OR Apache-2.0
//! `westwood-linux` under another name: what runs from a library must do what is built in, at every call.

use cwnd::algorithms::westwood::{Westwood, WestwoodParams};
use cwnd::registry::{Recovery, Registered, Set};
use cwnd::{AckSample, CaEvent, CaState, CongestionControl, Conn, Info, PrivateWords};

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
    ($($hook:ident($($arg:ident: $type:ty),*) $(-> $ret:ty)?;)+) => {$(
        fn $hook(&mut self, conn: &mut Conn $(, $arg: $type)*, params: &WestwoodParams) $(-> $ret)? {
            self.inner.$hook(conn $(, $arg)*, params)
        }
    )+};
}

impl CongestionControl for Mirror {
    type Params = WestwoodParams;

    hand_on! {
        init();
        release();
        ssthresh() -> u32;
        cong_avoid(ack: u32, acked: u32);
        set_state(new: CaState);
        cwnd_event(event: CaEvent);
        in_ack_event(flags: u32);
        undo_cwnd() -> u32;
        pkts_acked(sample: &AckSample);
        cong_control(acked: u32);
    }

    fn has_cong_control(&self) -> bool {
        self.inner.has_cong_control()
    }

    fn min_cwnd(&self, conn: &Conn, params: &WestwoodParams) -> u32 {
        self.inner.min_cwnd(conn, params)
    }

    fn info(&self, conn: &Conn, params: &WestwoodParams) -> Info {
        self.inner.info(conn, params)
    }
}
