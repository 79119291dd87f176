// SPDX-License-Identifier: MIT OR Apache-2.0
//! A number that stands for all that a run recorded: two runs with the same one gave the same.

use super::Simulation;
use cwnd_record::{Column, Lane, Values, tables};

/// FNV-1a, 64 bits.
struct Digest(u64);

impl Digest {
    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    /// Names and values of columns, little-endian, one column after the other.
    fn columns<R>(&mut self, columns: &[Column<R>], rows: &[R]) {
        for column in columns.iter().filter(|column| column.is_of(Lane::Sim)) {
            self.bytes(column.name.as_bytes());
            match column.values(rows) {
                Values::Text(values) => values.iter().for_each(|text| self.bytes(text.as_bytes())),
                Values::Word(values) => values.iter().for_each(|text| self.bytes(text.as_bytes())),
                Values::Number(values) => values.iter().for_each(|x| self.bytes(&x.to_le_bytes())),
                Values::Count(values) => values.iter().for_each(|n| self.bytes(&n.to_le_bytes())),
                Values::Index(values) => values.iter().for_each(|n| self.bytes(&n.to_le_bytes())),
                Values::MaybeNumber(values) => values.iter().for_each(|x| match x {
                    Some(x) => self.bytes(&x.to_le_bytes()),
                    None => self.bytes(b"null"),
                }),
                other => self.bytes(format!("{other:?}").as_bytes()),
            }
        }
    }
}

impl Simulation {
    /// The digest of the summary, the queueing delays, and the windows, queues and events that were not taken out
    /// ([`Simulation::take_tables`]). It is the same on every machine.
    #[must_use]
    pub fn digest(&self) -> u64 {
        let (recorded, summary) = (self.tables(), self.summary());
        let mut digest = Digest(0xcbf2_9ce4_8422_2325);
        digest.columns(&tables::CWND, &recorded.cwnd);
        digest.columns(&tables::QUEUE, &recorded.queue);
        digest.columns(&tables::EVENTS, &recorded.events);
        digest.columns(&tables::WAITS, &self.waits());
        digest.columns(&tables::FLOWS, &summary.flows);
        digest.columns(&tables::LINKS, &summary.links);
        digest.0
    }
}
