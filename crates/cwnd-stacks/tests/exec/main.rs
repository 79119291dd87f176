// SPDX-License-Identifier: MIT OR Apache-2.0
//! Child processes as stacks: one that works, and hostile ones, each of which ends in a line. They take `python3`.

use cwnd_scenario::Scenario;
use cwnd_sim::Simulation;
use cwnd_stacks::RealStacks;
use std::path::Path;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn scenario(flow: &str, more: &str) -> Scenario {
    let text = format!(
        "duration = '8s'\n[link]\nrate = '10Mbit/s'\nrtt = '40ms'\nqueue = {{ kind = 'droptail', limit = '1bdp' }}\n{more}\n[[flow]]\n{flow}"
    );
    Scenario::from_toml(&text).unwrap_or_else(|invalid| panic!("{invalid}\n{text}"))
}

fn ran(flow: &str, more: &str) -> Simulation {
    let mut simulation = Simulation::with_stacks(&scenario(flow, more), &RealStacks)
        .unwrap_or_else(|invalid| panic!("{invalid}"));
    while !simulation.step(10_000) {}
    simulation
}

/// The child of the package.
fn aimd() -> String {
    let file = Path::new(ROOT).join("python/cwnd/stacks/exec_child.py");
    format!("cc = 'stock-aimd'\nstack = 'exec'\nexec = 'python3 {}'", file.display())
}

// A megabyte at 10 Mbit/s takes 0.8 s at least; one packet in a hundred is lost, and sent again.
#[test]
fn a_child_transfers_a_megabyte_exactly_and_two_runs_are_equal() {
    let [first, second] = [1, 2].map(|_| ran(&format!("{}\nsize = '1MB'", aimd()), "loss = 'random:0.01'"));
    let summary = first.summary();
    assert!(summary.failures.is_empty(), "{:?}", summary.failures);
    assert_eq!(summary.flows[0].goodput_mbps * 8.0, 8.0, "a million bytes in eight seconds");
    let [transfer] = first.tables().transfers.as_slice() else { panic!("{:?}", first.tables().transfers) };
    assert!(transfer.end_ns.is_some_and(|end| (800_000_000..8_000_000_000).contains(&end)), "{transfer:?}");
    assert!(summary.flows[0].run.retransmits > 3, "{summary:?}");
    assert_eq!(first.digest(), second.digest());
}

#[test]
fn a_child_fills_a_link_beside_our_tcp() {
    let summary = ran(&format!("{}\n[[flow]]\ncc = 'reno'", aimd()), "").summary();
    assert!(summary.failures.is_empty() && summary.links[0].utilization > Some(0.9), "{summary:?}");
    assert!(summary.flows.iter().all(|flow| flow.share > Some(0.15)), "{summary:?}");
}

/// A child of a few lines: `a(kind, bytes)` answers a frame, `n()` takes one.
const HEAD: &str = "import struct, sys, time, os\ni, o = sys.stdin.buffer, sys.stdout.buffer\n\
    def n():\n  h = i.read(4)\n  return i.read(int.from_bytes(h, 'little')) if h else sys.exit()\n\
    def a(kind, data=b''):\n  o.write(struct.pack('<IB', len(data) + 1, kind) + data); o.flush()\n\
    def done(timer=2**64-1):\n  a(2, struct.pack('<11Q', timer, *[0]*10))\n";

/// What a scenario with this child ends with: the refusal at the start, or the failure.
fn words(body: &str) -> String {
    let file = std::env::temp_dir().join(format!(
        "cwnd-exec-{}-{:x}.py",
        std::process::id(),
        body.len() * 31 + body.bytes().map(usize::from).sum::<usize>()
    ));
    std::fs::write(&file, format!("{HEAD}{body}")).expect("a temporary file");
    let flow = format!("cc = 'stock-x'\nstack = 'exec'\nexec = 'python3 {}'", file.display());
    let words = match Simulation::with_stacks(&scenario(&flow, ""), &RealStacks) {
        Err(invalid) => invalid.to_string(),
        Ok(mut simulation) => {
            while !simulation.step(10_000) {}
            simulation
                .failures()
                .first()
                .map_or_else(|| "no failure".to_owned(), |failure| failure.why.clone())
        }
    };
    std::fs::remove_file(&file).expect("it is there");
    words
}

#[test]
fn each_hostile_child_ends_in_a_line_that_says_why() {
    for (body, expected) in [
        ("sys.exit(3)", "ended (exit status: 3)"),
        ("os.kill(os.getpid(), 9)", "ended (signal: 9 (SIGKILL))"),
        ("n(); done(); n(); sys.exit(4)", "ended (exit status: 4)"),
        ("n(); o.close(); os.close(1); time.sleep(60)", "closed its output"),
        (
            "n(); o.write(b'\\xff\\xff\\xff\\xff'); o.flush(); time.sleep(60)",
            "a frame of 4294967295 bytes; the maximum is 66000",
        ),
        (
            "n(); o.write(struct.pack('<IB', 90, 2)); o.flush(); sys.exit()",
            "its output ended within a frame of 90 bytes",
        ),
        ("n(); a(9)", "a frame of kind 9; expected 1 (SEND), 2 (DONE) or 3 (FAIL)"),
        ("n(); o.write(bytes(4)); o.flush(); time.sleep(60)", "an empty frame"),
        ("n(); a(2, b'x' * 87)", "a DONE with 87 bytes of numbers; expected 88"),
        ("n(); done(); n(); a(1, b'\\x07xx'); done()", "an ECN field of 7; expected 0 to 3"),
        (
            "n(); done(); n(); a(1, b'\\x00' + b'x' * 1473); done(); n()",
            "a datagram of 1473 bytes; expected 1 to 1472",
        ),
        ("n(); done(); n(); a(1, b'\\x00'); done(); n()", "a datagram of 0 bytes"),
        ("n(); done(); n()\nwhile True: a(1, b'\\x00x')", "more than 10000 datagrams in one answer"),
        ("n(); done(); n(); a(3, b'no route\\n to host'); n()", "no route to host"),
        // Each answer has a timer that is due at once.
        ("t = 0\nwhile True:\n  f = n(); done(0)", "its timer was due 10000 times at one instant"),
    ] {
        let said = words(body);
        assert!(
            said.contains(expected) && said.lines().count() == 1,
            "{body}\n  said: {said}\n  expected: {expected}"
        );
    }
}

// Ten seconds of real time are what an answer may take.
#[test]
fn a_child_that_says_nothing_is_not_waited_for_for_ever() {
    let said = words("n()\nwhile True: time.sleep(60)");
    assert!(said.contains("did not answer within 10 s"), "{said}");
}

// A wrapper, such as a shell or `go run`, is not the stack: what it has started ends with it, and holds nothing up.
#[test]
fn what_a_child_has_started_ends_with_it() {
    let seconds = format!("6{}", std::process::id());
    let said = words(&format!("os.spawnlp(os.P_NOWAIT, 'sleep', 'sleep', '{seconds}')\nn(); a(9); n()"));
    assert!(said.contains("a frame of kind 9"), "{said}");
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let left = processes.filter(|entry| {
        std::fs::read(entry.path().join("cmdline"))
            .is_ok_and(|words| words == format!("sleep\0{seconds}\0").as_bytes())
    });
    assert_eq!(left.count(), 0);
}

#[test]
fn a_command_that_does_not_start_is_refused() {
    let flow = "cc = 'stock-x'\nstack = 'exec'\nexec = '/nowhere/stack --now'";
    let refused = Simulation::with_stacks(&scenario(flow, ""), &RealStacks)
        .map(|_| ())
        .map_err(|invalid| invalid.to_string());
    assert!(refused.as_ref().is_err_and(|words| words.contains("`/nowhere/stack` does not")), "{refused:?}");
}

#[test]
fn no_child_is_left_behind() {
    let marker = format!("cwnd-exec-marker-{}", std::process::id());
    let flow = format!("{} {marker}'", aimd().trim_end_matches('\''));
    let mut simulation = Simulation::with_stacks(&scenario(&flow, ""), &RealStacks)
        .unwrap_or_else(|invalid| panic!("{invalid}"));
    simulation.step(1000);
    let running = || {
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        processes
            .filter(|entry| {
                std::fs::read(entry.path().join("cmdline"))
                    .is_ok_and(|words| String::from_utf8_lossy(&words).contains(&marker))
            })
            .count()
    };
    assert_eq!(running(), 2, "a child at each end");
    drop(simulation);
    assert_eq!(running(), 0, "dropped in mid-run");
}
