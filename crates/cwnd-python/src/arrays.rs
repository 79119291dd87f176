// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values as Arrow arrays.

use arrow_array::{ArrayRef, Float64Array, StringArray, UInt32Array, UInt64Array};
use std::sync::Arc;

pub fn f64s(values: impl Iterator<Item = f64>) -> ArrayRef {
    Arc::new(Float64Array::from_iter_values(values))
}

pub fn u32s(values: impl Iterator<Item = u32>) -> ArrayRef {
    Arc::new(UInt32Array::from_iter_values(values))
}

pub fn u64s(values: impl Iterator<Item = u64>) -> ArrayRef {
    Arc::new(UInt64Array::from_iter_values(values))
}

pub fn texts<'a>(values: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values))
}
