// SPDX-License-Identifier: MIT OR Apache-2.0
//! Interfaces of receivers that hold segments back (key `gro`): what has arrived within the time is handed to the host together, merged where the kernel's
//! generic receive offload would have merged it.

use crate::merge::{DeviceHeader, merge};
use cwnd_link::NEVER;
use cwnd_scenario::Flow;
use std::collections::BTreeSet;

/// The interface of one flow's receiver.
#[derive(Debug)]
struct FlowInterface {
    /// For how long the first packet waits, ns.
    time: u64,
    waiting: Vec<Vec<u8>>,
}

/// The interfaces of all flows.
#[derive(Debug, Default)]
pub struct Interfaces {
    /// By flow; `None` for one that hands over each packet as it arrives.
    flows: Vec<Option<FlowInterface>>,
    /// When each one at which packets wait works them off, ns.
    due: BTreeSet<(u64, u32)>,
    frame: Vec<u8>,
}

impl Interfaces {
    /// Those of these flows' receivers.
    pub fn new(flows: &[Flow]) -> Self {
        let of = |flow: &Flow| flow.group.gro.map(|time| FlowInterface { time, waiting: Vec::new() });
        Self { flows: flows.iter().map(of).collect(), ..Self::default() }
    }

    /// When packets are worked off next, ns; [`NEVER`] when none wait.
    pub fn next(&self) -> u64 {
        self.due.first().map_or(NEVER, |(at, _)| *at)
    }

    /// A packet of a flow has arrived at its receiver at `at`, ns: it waits, or comes back. What has no data waits only behind others: connections are opened
    /// beside the links, and beside the interface.
    pub fn hold(&mut self, at: u64, flow: u32, payload: u32, packet: Vec<u8>) -> Option<Vec<u8>> {
        let Some(Some(interface)) = self.flows.get_mut(flow as usize) else { return Some(packet) };
        if interface.waiting.is_empty() {
            if payload == 0 {
                return Some(packet);
            }
            self.due.insert((at + interface.time, flow));
        }
        interface.waiting.push(packet);
        None
    }

    /// Works off what is due by `now`, ns: `deliver` gets when it was due, how many packets were merged, what the device is told, and the packet. `spare` gets
    /// the packets' memory.
    pub fn work_off<E>(
        &mut self,
        now: u64,
        spare: &mut Vec<Vec<u8>>,
        mut deliver: impl FnMut(u64, usize, &DeviceHeader, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(&(due, flow)) = self.due.first()
            && due <= now
        {
            self.due.pop_first();
            let Some(Some(interface)) = self.flows.get_mut(flow as usize) else { continue };
            let mut done = 0;
            while done < interface.waiting.len() {
                let (count, header) = merge(&interface.waiting[done..], &mut self.frame);
                deliver(due, count, &header, &self.frame)?;
                done += count;
            }
            spare.append(&mut interface.waiting);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwnd_scenario::Scenario;

    // The first flow's interface works off 50 µs after the first packet that waits, the second flow has none.
    #[test]
    fn what_arrives_within_the_time_is_worked_off_together() {
        let toml = "duration = '1s'\n[link]\nrate = '1Mbit/s'\nrtt = '40ms'\n[[flow]]\ncc = 'reno'\ngro = '50us'\n[[flow]]\ncc = 'reno'";
        let scenario = Scenario::from_toml(toml).expect("a scenario");
        let mut interfaces = Interfaces::new(&scenario.expand());
        let packet = |number: u8| vec![number; 60];
        assert_eq!(interfaces.hold(1000, 0, 0, packet(1)), Some(packet(1)), "no data");
        assert_eq!(interfaces.hold(1000, 1, 8, packet(2)), Some(packet(2)), "no interface");
        assert_eq!(interfaces.next(), NEVER);
        for (at, number) in [(2000, 3), (51_000, 4), (52_000, 5)] {
            assert_eq!(interfaces.hold(at, 0, u32::from(number != 4), packet(number)), None);
        }
        assert_eq!(interfaces.next(), 52_000);
        let mut spare = Vec::new();
        let mut delivered = Vec::new();
        for now in [51_999, 52_000] {
            let worked = interfaces.work_off(now, &mut spare, |due, count, _, packet| {
                delivered.push((due, count, packet[0]));
                Ok::<_, ()>(())
            });
            assert_eq!(worked, Ok(()));
        }
        // These are no segments, so none is merged.
        assert_eq!(delivered, [(52_000, 1, 3), (52_000, 1, 4), (52_000, 1, 5)]);
        assert_eq!((interfaces.next(), spare.len()), (NEVER, 3));
    }
}
