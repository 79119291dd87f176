// SPDX-License-Identifier: MIT OR Apache-2.0
//! What to run and what comes back.
//!
//! A scenario is a TOML file, a JSON document or a Python object: the same schema, validated here and nowhere else.
#![forbid(unsafe_code)]

mod action;
mod expand;
mod flow;
mod invalid;
mod label;
mod link;
mod meant;
mod model;
mod network;
mod parse;
mod print;
mod queue;
mod record;
mod routes;
mod template;
mod topology;
pub mod traffic;
mod units;

pub use expand::FlowAction;
pub use flow::{FLOW_KEYS, expectation};
pub use invalid::{Invalid, nearest, unknown_key, unknown_name};
pub use model::{
    Access, Action, Buffer, Chosen, Discipline, Dumbbell, Flow, Group, HEADER_BYTES, Inner, Link, LinkRate,
    Pick, Record, Red, Route, Scenario, Start, What,
};
pub use network::Hop;
pub use print::show_param;
pub use record::Rows;
