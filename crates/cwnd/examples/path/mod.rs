// SPDX-License-Identifier: MIT OR Apache-2.0
//! A path that acknowledges every packet after 50 ms, but for one in 200, which it loses.

use core::time::Duration;

use cwnd::Algorithm;
use cwnd::transport::{Acked, Config, Limit, Lost, Metrics, Transport};

const RTT: Duration = Duration::from_millis(50);
const MTU: u16 = 1252;

/// Carries 10 MB, a window per round trip; what there is to log at the end.
pub fn carry<A: Algorithm>(algorithm: A) -> Metrics {
    let (mut now, mut to_send) = (Duration::ZERO, 10_000_000_u64);
    let mut cc = Transport::new(algorithm, &Config::new().mtu(MTU), now);
    while to_send > 0 {
        let (mut acked, mut lost) = (Vec::new(), Vec::new());
        while to_send > 0 && cc.may_send(MTU.into()) {
            let bytes = to_send.min(MTU.into());
            let sent = cc.on_sent(now, bytes);
            if sent.position() % 200 == 199 {
                lost.push(Lost::new(sent, bytes));
            } else {
                acked.push(Acked::new(sent, bytes));
                to_send -= bytes; // what is lost is sent again
            }
        }
        cc.on_burst_end(now, if to_send > 0 { Limit::Window } else { Limit::Application });
        now += RTT;
        cc.on_lost(now, &lost, false);
        cc.on_acked(now, &acked, None);
    }
    cc.metrics()
}
