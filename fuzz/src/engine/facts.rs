// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random facts for a transport, from bytes or from a seed.

use crate::engine::choices::Choices;
use cwnd::Controller;
use cwnd::registry;
use cwnd_contract::facts::Facts;
use cwnd_link::random::RandomStream;

/// Facts of one connection. Another is begun then, of another parameter set.
const PER_CONNECTION: usize = 2000;

/// Every parameter set of the registry.
fn sets() -> Vec<&'static str> {
    registry::all().flat_map(|algorithm| algorithm.sets().map(|set| set.name)).collect()
}

fn algorithm(name: &str) -> Result<Controller, String> {
    Controller::by_name(name).ok_or_else(|| format!("{name} is not in the registry"))
}

/// Tells the facts that `bytes` stand for.
///
/// # Errors
/// What is wrong with a transport's answer, and with which algorithm.
pub fn facts_of(bytes: &[u8]) -> Result<(), String> {
    let mut choices = Choices::new(bytes);
    let name = choices.one_of(&sets());
    // A number takes at least a byte: that many facts use the bytes up.
    let count = bytes.len();
    let numbers = move || choices.whole(0, u64::MAX);
    Facts::new(algorithm(name)?, numbers).play(count).map_err(|broken| format!("{name}: {broken}"))
}

/// Tells at least `count` facts that follow from `seed`; how many they were.
///
/// # Errors
/// See [`facts_of`].
pub fn random_facts(count: usize, seed: u64) -> Result<usize, String> {
    let (sets, mut told) = (sets(), 0);
    for (connection, name) in (0..).zip(sets.iter().cycle()) {
        if told >= count {
            break;
        }
        let mut stream = RandomStream::new(seed, connection);
        Facts::new(algorithm(name)?, || stream.next_u64())
            .play(PER_CONNECTION)
            .map_err(|broken| format!("{name}, connection {connection}: {broken}"))?;
        told += PER_CONNECTION;
    }
    Ok(told)
}
