// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an algorithm's state depends on: its history since `init`, and nothing else.

use crate::promise;
use crate::random_history::{ContractRun, Step};
use cwnd::Conn;
use cwnd::registry::SetDescription;

/// What an earlier connection left in the private area has no influence, not even on a state that `init` would only partly
/// write.
///
/// # Errors
/// What was seen instead.
pub fn init_forgets_the_connection_before(
    set: &SetDescription,
    before: Conn,
    history: &[Step],
    conn: Conn,
) -> Result<(), String> {
    let mut used = ContractRun::begin(set, before);
    history.iter().for_each(|step| used.step(*step));
    used.cc.release(&mut used.conn);
    let (mut one, mut other) = (conn, conn);
    let mut fresh = set.controller().ok_or("the set is gone")?;
    fresh.init(&mut one);
    used.cc.init(&mut other);
    promise!(
        fresh.is_same(&used.cc),
        "init leaves what an earlier connection wrote: {fresh:?}, {:?}",
        used.cc
    );
    promise!(one == other, "init writes what an earlier connection left: {one:?}, {other:?}");
    Ok(())
}

/// The same calls give the same windows and the same state, and a copy goes its own way.
///
/// # Errors
/// What was seen instead.
pub fn the_same_history_gives_the_same_state(
    set: &SetDescription,
    conn: Conn,
    steps: &[Step],
) -> Result<(), String> {
    let (mut one, mut other) = (ContractRun::begin(set, conn), ContractRun::begin(set, conn));
    let (early, late) = steps.split_at(steps.len() / 2);
    early.iter().for_each(|step| one.step(*step));
    early.iter().for_each(|step| other.step(*step));
    let copy = one.cc.clone();
    late.iter().for_each(|step| one.step(*step));
    promise!(copy.is_same(&other.cc), "the copy moved");
    late.iter().for_each(|step| other.step(*step));
    promise!(one.cc.is_same(&other.cc) && one.conn == other.conn, "two runs of one history differ");
    Ok(())
}
