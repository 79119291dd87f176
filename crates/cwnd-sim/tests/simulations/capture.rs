// SPDX-License-Identifier: MIT OR Apache-2.0
//! Captured packets: what is in them, and that capturing them changes nothing.
//! Random scenarios: `cwnd_fuzz::check` runs each with and without a capture.

use crate::common::run;
use cwnd_sim::Simulation;

/// A captured packet: when, ns; whether a sender has sent it; its IP packet.
pub struct Captured {
    time_ns: u64,
    pub is_data: bool,
    pub packet: Vec<u8>,
}

impl Captured {
    fn word(&self, at: usize) -> u32 {
        u32::from_be_bytes(self.packet[at..at + 4].try_into().expect("four bytes"))
    }

    pub fn sequence(&self) -> u32 {
        self.word(24)
    }

    fn acknowledgement(&self) -> u32 {
        self.word(28)
    }

    /// TSval and TSecr, which every segment has.
    fn timestamps(&self) -> (u32, u32) {
        (self.word(44), self.word(48))
    }

    /// Left and right edges of the SACK blocks.
    fn blocks(&self) -> Vec<(u32, u32)> {
        let bytes = if self.packet.len() > 52 { usize::from(self.packet[55]) - 2 } else { 0 };
        (56..56 + bytes).step_by(8).map(|at| (self.word(at), self.word(at + 4))).collect()
    }
}

/// The packets of a host.
pub fn captured(simulation: &mut Simulation, host: &str) -> Vec<Captured> {
    let pieces = simulation.take_packets();
    let (_, file) = pieces.iter().find(|(name, _)| *name == host).expect("captured");
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().expect("four bytes"));
    let (mut at, mut packets) = (0, Vec::new());
    while at < file.len() {
        if word(at) == 6 {
            let packet = file[at + 28..at + 28 + word(at + 20) as usize].to_vec();
            let time_ns = u64::from(word(at + 12)) << 32 | u64::from(word(at + 16));
            packets.push(Captured { time_ns, is_data: packet[15] == 1, packet });
        }
        at += word(at + 4) as usize;
    }
    assert!(packets.is_sorted_by_key(|packet| packet.time_ns), "in the order of time");
    packets
}

/// 12 Mbit/s, on which a packet takes 1 ms, and 10 ms of round trip time without queueing. The second of four segments is lost.
fn four_segments(record: &str) -> Simulation {
    run(&format!(
        "duration = '1s'\n[link]\nrate = '12Mbit/s'\nrtt = '10ms'\nloss = 'at:2'\nqueue = {{ kind = 'droptail', limit = '100packets' }}\n\
         [record]\n{record}\n[[flow]]\ncc = 'reno'\nrecovery = 'sack-prr'\nack_every = 1\nsize = '5000B'"
    ))
}

// Payload 1448: 4 segments, of which the last has 5000 − 3 · 1448 = 656 bytes. All leave the sender at 0. The link sends the first, third
// and fourth (which takes 708 / 1500 ms) until 1, 2 and 2.472 ms; they arrive 5 ms later, and their acknowledgements 10 ms later.
// The bytes are 1 to 5000, so the segments begin at 1, 1449, 2897 and 4345, and 5001 is expected after the last.
#[test]
fn the_senders_see_data_leave_and_acknowledgements_arrive() {
    let mut simulation = four_segments("packets = 'senders'");
    let packets = captured(&mut simulation, "senders");
    let data: Vec<_> = packets.iter().filter(|packet| packet.is_data).collect();
    let first: Vec<_> = data[..4].iter().map(|packet| (packet.time_ns, packet.sequence())).collect();
    assert_eq!(first, [(0, 1), (0, 1449), (0, 2897), (0, 4345)]);
    assert_eq!(data[3].packet[2..4], 708u16.to_be_bytes()); // 656 and 52 of headers
    assert_eq!(data[4].sequence(), 1449);
    assert_eq!(data.len() as u64, simulation.summary().flows[0].run.packets_sent);
    let acks: Vec<_> = packets
        .iter()
        .filter(|packet| !packet.is_data)
        .map(|packet| (packet.time_ns, packet.acknowledgement(), packet.blocks()))
        .collect();
    assert_eq!(acks[0], (11_000_000, 1449, vec![]));
    assert_eq!(acks[1], (12_000_000, 1449, vec![(2897, 4345)]));
    assert_eq!(acks[2], (12_472_000, 1449, vec![(2897, 5001)]));
    assert_eq!((acks[3].1, acks[3].2.len()), (5001, 0));
}

// The acknowledgement of the first segment leaves at 6 ms with the segment's time, 0, as its echo; those out of order repeat the echo. The
// retransmission echoes the newest acknowledgement.
#[test]
fn the_receivers_see_the_same_segments_earlier_or_later_and_not_those_that_are_lost() {
    let mut simulation = four_segments("packets = 'both'");
    let both = simulation.take_packets();
    assert_eq!(both.iter().map(|(name, _)| *name).collect::<Vec<_>>(), ["senders", "receivers"]);
    let mut simulation = four_segments("packets = 'receivers'");
    let packets = captured(&mut simulation, "receivers");
    let times = |is_data: bool| -> Vec<_> {
        packets.iter().filter(|packet| packet.is_data == is_data).map(|packet| packet.time_ns).collect()
    };
    assert_eq!(times(true)[..3], [6_000_000, 7_000_000, 7_472_000]);
    assert_eq!(times(false)[..3], [6_000_000, 7_000_000, 7_472_000]);
    let stamps: Vec<_> = packets.iter().map(Captured::timestamps).collect();
    assert_eq!(stamps[..6], [(0, 0), (6000, 0), (0, 0), (7000, 0), (0, 0), (7472, 0)]);
    let again = &packets[6];
    assert_eq!((again.sequence(), again.timestamps().1), (1449, 7472));
}

#[test]
fn flows_that_are_not_recorded_are_not_captured() {
    let mut simulation = four_segments("packets = 'senders'\nflows = 'none'");
    assert!(captured(&mut simulation, "senders").is_empty());
    assert!(four_segments("").take_packets().is_empty());
}

/// Paths on which acknowledgements queue, are lost or overtaken, and hosts that wait.
const NETWORKS: &[&str] = &[
    "[link]\nrate = '20Mbit/s'\nrtt = '30ms'\nloss = 'random:0.01'\nreverse = { rate = '300kbit/s', loss = 'random:0.05', \
     queue = { kind = 'droptail', limit = '5packets' } }\n[[flow]]\ncc = 'cubic'\ncount = 3\n[[flow]]\ncc = 'newreno'\ndirection = 'reverse'",
    "[link]\nrate = '20Mbit/s'\nrtt = '30ms'\njitter = { kind = 'exponential', mean = '1ms', overtaking = true }\n\
     reorder = { share = 0.01, extra = '5ms' }\n[[flow]]\ncc = 'cubic'\nrecovery = 'linux'\ncount = 2\n[[flow]]\ncc = 'reno'\nrtt = '80ms'",
    "[parking_lot]\nhops = 2\nrate = '20Mbit/s'\ndelay = '5ms'\nqueue = { kind = 'codel', limit = '50packets' }\nreverse = true\n\
     [[flow]]\ncc = 'cubic'\nfrom = 'n0'\nto = 'n2'\naccess = { rate = '10Mbit/s', queue = '20packets' }\naccess_delay = '2ms'\n\
     [[flow]]\ncc = 'reno'\nfrom = 'n1'\nto = 'n0'\noverhead = '300us'",
    "[link]\nrate = '20Mbit/s'\nrtt = '30ms'\nloss = 'random:0.001'\nqueue = { kind = 'codel', limit = '50packets', ecn = true }\n\
     [[flow]]\ncc = 'cubic'\nrecovery = 'linux'\necn = true\n[[flow]]\ncc = 'reno'\necn = true\noverhead = '300us'",
];

// Each host's packets are in the order of time; what the senders' host sends are the sender's packets, and what is seen of them at the
// receivers' has arrived there.
#[test]
fn a_capture_has_every_packet_once_and_changes_nothing() {
    for network in NETWORKS {
        let mut simulation =
            run(&format!("duration = '5s'\nseed = 3\n[record]\npackets = 'senders'\n{network}"));
        let senders = captured(&mut simulation, "senders");
        let sent = simulation.packet_locations();
        let data = |packets: &[Captured]| packets.iter().filter(|packet| packet.is_data).count() as u64;
        assert_eq!(
            data(&senders) + sent.iter().map(|flow| flow.at_host).sum::<u64>(),
            sent.iter().map(|flow| flow.sent).sum::<u64>()
        );
        let mut simulation =
            run(&format!("duration = '5s'\nseed = 3\n[record]\npackets = 'receivers'\n{network}"));
        let receivers = captured(&mut simulation, "receivers");
        let arrived = simulation.packet_locations();
        assert_eq!(data(&receivers), arrived.iter().map(|flow| flow.arrived).sum::<u64>());
        assert!(receivers.len() as u64 > data(&receivers) && senders.len() as u64 > data(&senders));
        let plain = run(&format!("duration = '5s'\nseed = 3\n{network}"));
        assert_eq!(simulation.tables(), plain.tables());
        assert_eq!(format!("{:?}", simulation.summary()), format!("{:?}", plain.summary()));
    }
}
