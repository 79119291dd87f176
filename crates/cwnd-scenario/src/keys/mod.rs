// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tables of keys. A key's name, type, default, format (range and unit), help and source stand in one row.
//!
//! From a table follow its struct, its parsing and printing, the list in an error message, the JSON schema, the page
//! `docs/reference/scenario.md`, the help of `cwnd compare` and the generator of the fuzzer. The order of the rows is that of parsing.
//! What tables are made of is in [`table`].

pub(crate) mod action;
pub(crate) mod distribution;
pub(crate) mod document;
pub(crate) mod flow;
mod flow_formats;
mod form;
pub(crate) mod formats;
pub(crate) mod host;
pub(crate) mod host_settings;
pub(crate) mod kernel_queue;
mod lanes;
pub(crate) mod link;
mod link_formats;
pub(crate) mod list_of_stacks;
pub(crate) mod live;
mod loss_formats;
mod presence;
pub(crate) mod queue;
pub(crate) mod rate_formats;
pub(crate) mod record;
mod schema;
mod scope;
mod table;
mod words;

pub use flow::{flow_keys, flow_keys_without};
pub use form::{Absent, Form, Key, KindKeys, Quantity};
pub use lanes::Lanes;
pub use schema::{schema, tables};
pub(crate) use scope::{FlowNames, KnownLinks, LinkEnds, Scope};
pub(crate) use table::{Concat, Keyed, Parsed, Row, RowFormat, ValueFormat, Variants, keys, variants};
