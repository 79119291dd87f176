// SPDX-License-Identifier: MIT OR Apache-2.0
//! The packets that the hosts send and receive, captured where they cross their devices.

use crate::paths::HostSide;
use cwnd_record::capture::{CaptureHost, Pcapng};
use cwnd_scenario::Scenario;

/// A piece of a capture is handed over when it has this many bytes.
const PIECE: usize = 1 << 16;

/// The captures of a run.
#[derive(Debug)]
pub struct DeviceCaptures {
    /// By [`HostSide`].
    files: [Option<Pcapng>; 2],
    /// Whether each flow's packets are captured.
    flows: Vec<bool>,
}

impl DeviceCaptures {
    /// Those that the scenario asks for.
    pub fn new(scenario: &Scenario) -> Self {
        let sides = scenario.record.packets.sides();
        let file =
            |host: CaptureHost| sides[host as usize].then(|| Pcapng::new(host, scenario.record.snap_length));
        Self { files: CaptureHost::ALL.map(file), flows: scenario.recorded() }
    }

    /// A packet of this flow crosses the device of a host at `now`, ns.
    pub fn note(&mut self, side: HostSide, now: u64, flow: u32, packet: &[u8]) {
        if let Some(file) = &mut self.files[side as usize]
            && self.flows.get(flow as usize) == Some(&true)
        {
            file.packet(now, packet, packet.len() as u32);
        }
    }

    /// Takes the pieces that are large enough, or all: names of hosts with the next piece of their files.
    pub fn take(&mut self, all: bool) -> impl Iterator<Item = (&'static str, Vec<u8>)> {
        let least = if all { 1 } else { PIECE };
        CaptureHost::ALL.iter().zip(&mut self.files).filter_map(move |(host, file)| {
            let file = file.as_mut().filter(|file| file.len() >= least)?;
            Some((host.name(), file.take()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // One flow, and a group whose data are counted as 1 and 2.
    #[test]
    fn traffic_is_not_captured() {
        let toml = "duration = '1s'\n[link]\nrate = '1Mbit/s'\nrtt = '40ms'\n[record]\npackets = 'both'\n[[flow]]\ncc = 'reno'\n[[traffic]]\nmodel = 'long'\ncc = 'reno'";
        let mut captures = DeviceCaptures::new(&Scenario::from_toml(toml).expect("a scenario"));
        let mut length_after = |flow| {
            captures.note(HostSide::Senders, 0, flow, &[0x45; 40]);
            captures.files[0].as_ref().map_or(0, Pcapng::len)
        };
        let of_traffic = [length_after(1), length_after(2)];
        let of_flow = length_after(0);
        assert!(of_traffic[0] == of_traffic[1] && of_flow > of_traffic[1], "{of_traffic:?} {of_flow}");
    }
}
