// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is counted of the packets that pass.

use crate::distinct::Distinct;
use crate::emulator::{DroppedPacket, Header};
use crate::lateness::Lateness;
use crate::scenario_clock::Pauses;
use cwnd_link::Drops;

/// What is counted while packets pass.
#[derive(Debug)]
pub struct Tally {
    /// How late packets were delivered.
    pub lateness: Lateness,
    /// Pauses of the machine.
    pub pauses: Pauses,
    /// Packets of other protocols, or of no flow.
    pub foreign: u64,
    /// Drops of each flow's data, in the measured interval and over the whole run.
    pub drops: Vec<[Drops; 2]>,
    /// Payload of each flow that has reached its receiver in the measured interval, each byte once.
    pub distinct_measured: Vec<u64>,
    distinct: Vec<Distinct>,
    measure: (u64, u64),
}

impl Tally {
    /// Nothing yet, of this many flows; `measure` is the measured interval, ns.
    pub fn new(flows: usize, measure: (u64, u64)) -> Self {
        Self {
            lateness: Lateness::default(),
            pauses: Pauses::default(),
            foreign: 0,
            drops: vec![[Drops::default(); 2]; flows],
            distinct_measured: vec![0; flows],
            distinct: vec![Distinct::default(); flows],
            measure,
        }
    }

    /// Data that were due at `due`, ns, have reached their receiver; those of traffic are not counted here.
    pub fn note_arrival(&mut self, due: u64, header: &Header) {
        let Some(distinct) = self.distinct.get_mut(header.flow as usize) else { return };
        let new = distinct.note(header.position, u64::from(header.payload));
        if (self.measure.0..self.measure.1).contains(&due) {
            self.distinct_measured[header.flow as usize] += new;
        }
    }

    /// A packet of a flow's data was dropped.
    pub fn note_drop(&mut self, dropped: &DroppedPacket) {
        let drops = &mut self.drops[dropped.header.flow as usize];
        drops[1].count(dropped.cause);
        if (self.measure.0..self.measure.1).contains(&dropped.at) {
            drops[0].count(dropped.cause);
        }
    }
}
