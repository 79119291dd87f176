// SPDX-License-Identifier: MIT OR Apache-2.0
//! The stacks in the simulator's engine.

use crate::harness::linked;
use cwnd_scenario::{Scenario, Stack};
use cwnd_sim::Simulation;
use cwnd_stacks::RealStacks;

/// A flow of the stack and one of the simulator's Reno on 20 Mbit/s, for ten seconds, and then the stack's flow rests.
fn simulate(stack: Stack, cc: &str) -> Simulation {
    let stack = stack.name();
    let text = format!(
        "duration = '10s'\nmeasure = ['1s', '10s']\nseed = 3\n[link]\nrate = '20Mbit/s'\nrtt = '40ms'\n\
         queue = {{ kind = 'droptail', limit = '2bdp' }}\n[[flow]]\ncc = '{cc}'\nstack = '{stack}'\nstop = '8s'\n\
         [[flow]]\ncc = 'reno'\nstart = '2s'\n"
    );
    let scenario = Scenario::from_toml(&text).expect("a scenario");
    let mut simulation = Simulation::with_stacks(&scenario, &RealStacks).expect("a connection");
    while !simulation.step(1_000_000) {}
    simulation
}

#[test]
fn every_stack_shares_a_bottleneck_with_the_simulators_tcp() {
    for stack in linked() {
        for cc in stack.stock() {
            let simulation = simulate(stack, cc);
            assert!(simulation.failures().is_empty(), "{stack:?} {cc}: {:?}", simulation.failures());
            let goodput = [0, 1].map(|flow: usize| simulation.summary().flows[flow].goodput_mbps);
            println!("{stack:?} {cc}: {goodput:?} Mbit/s");
            // smoltcp, without SACK, waits for timeouts of a second and more: 0.2.
            let least = if stack == Stack::Smoltcp { 0.1 } else { 3.0 };
            assert!(goodput[0] > least, "{stack:?} {cc}: {goodput:?}");
            // 1452 of 1480 bytes of a packet at least are payload.
            assert!((10.0..19.8).contains(&(goodput[0] + goodput[1])), "{stack:?} {cc}: {goodput:?}");
            assert_eq!(simulation.digest(), simulate(stack, cc).digest(), "{stack:?} {cc}");
        }
    }
}
