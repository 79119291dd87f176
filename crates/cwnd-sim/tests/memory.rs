// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a flow and a packet cost in memory, counted at the allocator: exact, and the same in every run.

use cwnd_scenario::Scenario;
use cwnd_sim::Simulation;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// Bytes that this thread has allocated and not given back.
    static LIVE: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is the system allocator's own; counting touches no memory that it manages.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.set(LIVE.get().wrapping_add(layout.size()));
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.set(LIVE.get().wrapping_sub(layout.size()));
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn scenario(text: &str) -> Scenario {
    Scenario::from_toml(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

// Flows that wait for their start. Vectors grow by doubling, so counts that fill them are compared: 2¹³ and 2¹⁴. Recovery `linux` keeps more, its send buffer among it.
#[test]
fn an_idle_flow_takes_little_more_than_a_kilobyte_and_less_than_two_with_recovery_linux() {
    let live = |flows: usize, recovery: &str| {
        let text = format!(
            "duration = '10s'\n[link]\nrate = '1Gbit/s'\nrtt = '40ms'\n\
             [[flow]]\ncc = 'cubic'\nrecovery = '{recovery}'\ncount = {flows}\nstart = '9s'"
        );
        let scenario = scenario(&text);
        let before = LIVE.get();
        let simulation = Simulation::new(&scenario);
        let bytes = LIVE.get() - before;
        drop(simulation);
        assert_eq!(LIVE.get(), before, "all of it is given back");
        bytes
    };
    for (recovery, most) in [("sack-prr", 1064.0), ("linux", 1896.0)] {
        let (few, many) = (live(1 << 13, recovery), live(1 << 14, recovery));
        let each = (many - few) as f64 / f64::from(1 << 13);
        println!("{each} bytes a flow with {recovery}");
        assert!(each <= most, "{each} bytes a flow with {recovery}");
    }
}

// A window of 2¹⁵ packets in flight, of which the fifth is lost, so that all others arrive out of order: what is kept of each beside the packet on its line (32 bytes, in
// a ring of a power of two) is a bit at the sender and one at the receiver.
#[test]
fn a_packet_in_flight_takes_two_bits_beside_itself() {
    let live = |loss: &str| {
        let text = format!(
            "duration = '20s'\n[link]\nrate = '1Gbit/s'\nrtt = '800ms'\nqueue = {{ kind = 'droptail', limit = '2bdp' }}\n{loss}\n[record]\ninterval = '0s'\n\
             [[flow]]\ncc = 'reno'\nrecovery = 'sack-prr'\ninitial_cwnd = 32768\ninitial_ssthresh = 32768\nrwnd = 32768"
        );
        let scenario = scenario(&text);
        let before = LIVE.get();
        let mut simulation = Simulation::new(&scenario);
        // The first window's acknowledgements come from 800 ms on; just before its last the scoreboard is at its largest.
        let (mut most, mut rows) = (0, 0);
        while simulation.now() < 1_150_000_000 && !simulation.step(16) {
            rows = simulation.tables().events.capacity() * size_of::<cwnd_sim::EventRow>();
            most = most.max(LIVE.get() - before - rows);
        }
        assert!(rows < 1 << 22);
        most
    };
    let (clean, lossy) = (live(""), live("loss = 'at:5'"));
    let bits = (lossy - clean) as f64 * 8.0 / 32768.0;
    println!("{bits} bits a packet");
    // And a sixteenth of slack, in whole words.
    assert!((1.5..2.2).contains(&bits), "{bits} bits a packet");
}

// The same window with recovery `linux`, beside `sack`. While nothing is missing: eight bytes for each burst, of two packets here, for as much of
// the second window as has been sent. While something is: eight bytes for every packet, and a sixteenth to spare.
#[test]
fn a_packet_in_flight_takes_nine_bytes_with_recovery_linux_while_something_is_missing() {
    let live = |recovery: &str, loss: &str, until: u64| {
        let text = format!(
            "duration = '20s'\n[link]\nrate = '1Gbit/s'\nrtt = '800ms'\nqueue = {{ kind = 'droptail', limit = '2bdp' }}\n{loss}\n[record]\ninterval = '0s'\n\
             [[flow]]\ncc = 'reno'\nrecovery = '{recovery}'\ngso = false\nhandshake = false\ninitial_cwnd = 32768\ninitial_ssthresh = 32768\nrwnd = 32768"
        );
        let scenario = scenario(&text);
        let before = LIVE.get();
        let mut simulation = Simulation::new(&scenario);
        let mut most = 0;
        while simulation.now() < until && !simulation.step(16) {
            let rows = simulation.tables().events.capacity() * size_of::<cwnd_sim::EventRow>();
            most = most.max(LIVE.get() - before - rows);
        }
        most
    };
    let each = |loss, until| (live("linux", loss, until) as f64 - live("sack", loss, until) as f64) / 32768.0;
    // Of the second window, each acknowledgement has let two packets go.
    let clean = each("", 1_150_000_000);
    println!("{clean} bytes a packet while nothing is missing");
    assert!((3.0..5.0).contains(&clean), "{clean} bytes a packet");
    let lossy = each("loss = 'at:5'", 1_150_000_000);
    println!("{lossy} bytes a packet while something is missing");
    assert!((7.9..12.0).contains(&lossy), "{lossy} bytes a packet");
}

// A run whose tables are taken out needs no more memory the longer it lasts: the most that is live at any time of a run of 40 s
// and of one of 400 s, each with a row of every flow every millisecond. The tables themselves differ by the factor.
#[test]
fn tables_that_are_taken_out_take_no_more_memory_in_a_longer_run() {
    const ROWS: usize = 10_000;
    let run = |seconds: u32| {
        let text = format!(
            "duration = '{seconds}s'\n[link]\nrate = '10Mbit/s'\nrtt = '40ms'\n[record]\ninterval = '1ms'\n\
             [[flow]]\ncc = 'cubic'\ncount = 20\nsize = '2MB'\n[[traffic]]\nmodel = 'mix'\nshare = 0.1\nsize = '20packets'"
        );
        let scenario = scenario(&text);
        let before = LIVE.get();
        let mut simulation = Simulation::new(&scenario);
        simulation.pause_at(ROWS);
        let (mut most, mut rows, mut over) = (0, 0, false);
        while !over {
            over = simulation.step(1000);
            most = most.max(LIVE.get() - before);
            let taken = simulation.take_tables(ROWS);
            rows += taken.cwnd.len() + taken.queue.len() + taken.events.len() + taken.transfers.len();
        }
        let left = simulation.tables();
        assert!(
            left.cwnd.is_empty()
                && left.queue.is_empty()
                && left.events.is_empty()
                && left.transfers.is_empty()
        );
        (most, rows)
    };
    let ((short, few), (long, many)) = (run(40), run(400));
    assert!(few > 40_000 * 20 && many > 9 * few, "{few} and {many} rows");
    assert!(long < short + short / 4, "{short} bytes at most in the short run, {long} in the long one");
    assert!(long < 4 << 20, "{long} bytes");
}

// What is taken out piece by piece is what a run that keeps everything has at its end, and the run is the same.
#[test]
fn tables_in_pieces_are_the_tables() {
    let text = "duration = '20s'\n[link]\nrate = '10Mbit/s'\nrtt = '40ms'\n[record]\nper_ack = true\ninner = true\n\
                [[flow]]\ncc = 'cubic'\nrecovery = 'sack-prr'\ncount = 3\n[[flow]]\ncc = 'sack'\nsize = '2MB'\n\
                [[traffic]]\nmodel = 'mix'\nshare = 0.1\nsize = '20packets'\n[[traffic]]\nmodel = 'long'";
    let scenario = scenario(text);
    let mut whole = Simulation::new(&scenario);
    while !whole.step(1000) {}
    let mut taken = Simulation::new(&scenario);
    let (mut cwnd, mut queue, mut events, mut inner, mut transfers) =
        (vec![], vec![], vec![], vec![], vec![]);
    let (mut pieces, mut over) = (0, false);
    while !over {
        over = taken.step(1000);
        let piece = taken.take_tables(5);
        pieces += u32::from(!piece.transfers.is_empty());
        cwnd.extend(piece.cwnd);
        queue.extend(piece.queue);
        events.extend(piece.events);
        inner.extend(piece.inner);
        transfers.extend(piece.transfers);
    }
    let tables = whole.tables();
    assert!(pieces > 3, "{pieces} pieces with transfers");
    assert!((&cwnd, &queue) == (&tables.cwnd, &tables.queue));
    assert!((&events, &inner) == (&tables.events, &tables.inner));
    assert_eq!(transfers, tables.transfers);
    assert_eq!(format!("{:?}", taken.summary()), format!("{:?}", whole.summary()));
}
