// SPDX-License-Identifier: MIT OR Apache-2.0
//! Drop-head: a packet that arrives at a full queue is accepted, and the oldest packets that wait are dropped until it fits.
//!
//! Lakshman, Neidhardt and Ott (1996), "The drop from front strategy in TCP and in TCP over ATM": the sender learns of the loss earlier by
//! the time that the queue takes. Mahimahi calls it `drophead`, Linux `pfifo_head_drop`. The packet being sent is not dropped. A packet that
//! does not fit into the empty queue is dropped itself. Drops count as drops of a full queue. Tests: `tests/head_queue.rs`.

use super::describe::{Described, FULL};
use super::{AtHead, CauseWords, Setting, SettingOption, SettingValue};
use crate::packet_queue::{PacketQueue, Waiting};

/// Drop-head has no settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DropHeadConfig;

impl DropHeadConfig {
    pub(crate) const SETTINGS: &'static [Setting] = &[];

    pub(crate) const fn new(_: &[SettingValue], _packet: u32) -> Self {
        Self
    }
}

/// A running drop-head queue.
#[derive(Clone, Debug)]
pub(crate) struct DropHead;

impl Described for DropHead {
    const NAME: &'static str = "drop-head";
    const TITLE: &'static str = "drop-head";
    const SHOWN: &'static [&'static str] = &[];
    const HELP: &'static str =
        "drops the oldest queued packets when one arrives at a full queue (Mahimahi: drophead)";
    const OPTION: Option<SettingOption> = None;
    const CAUSE: CauseWords = FULL;
}

impl AtHead for DropHead {
    type Config = DropHeadConfig;

    const MAKES_ROOM: bool = true;

    fn new(_: DropHeadConfig) -> Self {
        Self
    }

    fn dequeue<P>(
        &mut self,
        _now: u64,
        queue: &mut PacketQueue<P>,
        _dropped: impl FnMut(Waiting<P>),
    ) -> Option<(Waiting<P>, bool)> {
        Some((queue.pop()?, false))
    }
}
