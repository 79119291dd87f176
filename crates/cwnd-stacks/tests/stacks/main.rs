// SPDX-License-Identifier: MIT OR Apache-2.0
//! What every stack promises as an endpoint.

mod claims;
mod engine;
mod harness;
mod packages;
