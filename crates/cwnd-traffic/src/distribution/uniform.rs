// SPDX-License-Identifier: MIT OR Apache-2.0
//! The uniform distribution over whole numbers.

use super::describe::{Described, Discrete, parameters};
use crate::random::scaled;

parameters! {
    /// Each whole number of `min..=max` alike.
    pub struct Uniform {
        min: Value, "the smallest value";
        max: NotBelow("min"), "the largest value";
    }
}

impl Described for Uniform {
    const NAME: &'static str = "uniform";
    const HELP: &'static str = "whole numbers from min to max, equally likely";
}

impl Discrete for Uniform {
    fn range(&self) -> (u64, u64) {
        (self.min, self.max)
    }

    fn at(&self, number: u64, low: u64, high: u64) -> u64 {
        low + scaled(number, high - low + 1)
    }

    fn mean(&self, low: u64, high: u64) -> f64 {
        (low as f64 + high as f64) / 2.0
    }
}
