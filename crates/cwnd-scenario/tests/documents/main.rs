// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a scenario's document says, what is refused, and what is written: one program, which is linked once.

mod copies;
mod files;
mod hosts;
mod labels;
mod live;
mod networks;
mod no_rate;
mod page;
mod random;
mod refusals;
mod refused_networks;
mod senders;
mod sizes;
mod stacks;
mod traffic;

/// The limit of a link's queue.
fn limit_of(link: &cwnd_scenario::LinkSpec) -> cwnd_scenario::Buffer {
    link.queue.as_ref().expect("a queue").limit
}
