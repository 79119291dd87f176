// SPDX-License-Identifier: MIT OR Apache-2.0
//! The generators of traffic: their distributions, their loads, and that they repeat.

mod determinism;
mod distributions;
mod driver;
mod load;
mod models;
