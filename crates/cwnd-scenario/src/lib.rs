// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenarios: links, flows, traffic, and what to record.
//!
//! A scenario is a TOML file, a JSON document or a Python object. All have one schema, which is validated here and nowhere else. The files
//! that a scenario names are handed in ([`Files`]).
#![forbid(unsafe_code)]

mod action;
mod buffer;
pub mod builders;
pub mod catalog;
mod copies;
mod expand;
mod files;
mod flow;
mod flow_labels;
pub mod flow_spec;
mod invalid;
mod kernel_algorithms;
mod kernel_names;
pub mod keys;
mod link_config;
mod model;
pub mod netem;
mod no_rate;
mod params;
mod parse;
mod print;
mod queue;
mod record;
mod route;
mod routes;
mod series;
mod slow_start_limit;
mod stack_refusals;
mod stack_scenario;
mod template;
mod topology;
pub mod traffic;
mod unit_hints;
mod units;
mod view;

pub use buffer::Buffer;
pub use builders::{Builder, Keywords};
pub use expand::{FlowAction, clock_phases_us};
pub use files::Files;
pub use invalid::{Invalid, nearest, pointer, unknown_key, unknown_name};
pub use kernel_names::{kernels_own, set_with_rules_of};
pub use keys::flow::{AccessLink, FlowGroup, Start};
pub use keys::host::Host;
pub use keys::host_settings::HostSetting;
pub use keys::link::{DisciplineSpec, JitterSpec, LinkDelay, LinkRate, LinkSpec, QueueSpec};
pub use keys::list_of_stacks::{Stack, stock_name, stock_names};
pub use keys::live::{LiveSpec, Metrics, ReceiveBuffer};
pub use keys::record::{CapturedHosts, FlowRef, InnerVariables, RecordSpec, RecordedFlows};
pub use model::{Action, ActionKind, Dumbbell, Flow, Scenario};
pub use params::{expectation, show_param};
pub use record::{Cost, ExpectedRows};
pub use route::RouteSpec;
pub use series::{Series, SeriesEnd, SeriesQuantity, SeriesSource};
pub use slow_start_limit::SlowStartLimit;
pub use units::{DATAGRAM_HEADERS, HEADER_BYTES, LARGEST_WINDOW};
