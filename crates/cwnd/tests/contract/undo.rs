// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an undo gives back.

use crate::every_set;
use cwnd_contract::undo;

// RFC 9438 §4.9.2; Linux's order of calls: after a timeout at 100 segments (window 1, threshold 70) the timer fires again, or a
// retransmission is lost. Proof of the second alone gives back 1, and not 100.
// Row DR15.
#[test]
fn a_proof_gives_back_what_its_own_epoch_took() {
    every_set(undo::a_proof_gives_back_what_its_own_epoch_took);
}
