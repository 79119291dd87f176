// SPDX-License-Identifier: MIT OR Apache-2.0
//! The live lane: a scenario's flows are connections of the running kernel, between two network namespaces; every packet between
//! them passes the scenario's links, in real time.
//!
//! | part | what it does |
//! | --- | --- |
//! | [`Emulator`] | the links and delays of the scenario, by [`cwnd_link::Link`], without a clock |
//! | [`TcpSegment`], [`UdpDatagram`] | read a packet's ports and size |
//! | [`Lab`] | two namespaces with a TUN device each, the thread that moves packets between them, the thread of the applications |
//!
//! The links draw from the scenario's own random streams: the k-th data packet that is offered to a link is lost in both lanes.
//!
//! Nothing has a name or a place outside the process: namespaces and devices are held by descriptors, and algorithms by the links
//! of their loader, so all of it goes when the process ends, whatever ends it.

#[cfg(target_os = "linux")]
mod algorithms;
#[cfg(target_os = "linux")]
mod application;
#[cfg(target_os = "linux")]
mod applications;
#[cfg(target_os = "linux")]
mod capture;
#[cfg(target_os = "linux")]
mod carrier;
#[cfg(target_os = "linux")]
mod classify;
#[cfg(target_os = "linux")]
mod counters;
#[cfg(target_os = "linux")]
mod crossing;
#[cfg(target_os = "linux")]
mod described_plugin;
#[cfg(target_os = "linux")]
mod device_requests;
#[cfg(target_os = "linux")]
mod distinct;
#[cfg(target_os = "linux")]
mod driver;
mod emulator;
#[cfg(target_os = "linux")]
mod error;
#[cfg(target_os = "linux")]
pub mod guest;
#[cfg(target_os = "linux")]
mod guest_queues;
#[cfg(target_os = "linux")]
mod host;
#[cfg(target_os = "linux")]
mod interface;
mod kernel_queues;
#[cfg(target_os = "linux")]
mod lab;
#[cfg(target_os = "linux")]
mod lateness;
#[cfg(target_os = "linux")]
mod merge;
#[cfg(target_os = "linux")]
pub mod message;
#[cfg(target_os = "linux")]
mod netlink;
#[cfg(target_os = "linux")]
mod outcome;
mod paths;
#[cfg(target_os = "linux")]
mod plan;
#[cfg(target_os = "linux")]
mod scenario_clock;
#[cfg(target_os = "linux")]
mod sender_states;
#[cfg(target_os = "linux")]
mod settings;
#[cfg(target_os = "linux")]
mod shell;
#[cfg(target_os = "linux")]
mod socket;
#[cfg(target_os = "linux")]
mod sources;
#[cfg(target_os = "linux")]
mod support;
#[cfg(target_os = "linux")]
mod tally;
#[cfg(target_os = "linux")]
mod tcp_states;
#[cfg(target_os = "linux")]
mod traffic_sockets;
#[cfg(target_os = "linux")]
mod transfers;
mod wire;

pub use emulator::{DroppedPacket, Emulator, Forwarded, Header};
pub use kernel_queues::Ask;
pub use paths::{HostSide, Path, Paths, Ways};
pub use wire::{TcpSegment, UdpDatagram, is_marked};
#[cfg(target_os = "linux")]
pub use {
    algorithms::{PluginObjects, parameters, used},
    application::FlowReport,
    carrier::CarrierReport,
    counters::Counters,
    crossing::{Crossing, Delivery, FlowState, Rows},
    cwnd_traffic::Load,
    described_plugin::DescribedPlugin,
    error::Error,
    lab::{Lab, Report},
    lateness::Lateness,
    outcome::Outcome,
    sender_states::{delivered, takes_states},
    settings::mss,
    shell::Shell,
    support::check,
    transfers::TrafficReport,
};
