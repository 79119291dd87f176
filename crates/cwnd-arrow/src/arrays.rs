// SPDX-License-Identifier: MIT OR Apache-2.0
//! Values as Arrow arrays.

use arrow_array::builder::{FixedSizeBinaryBuilder, ListBuilder, UInt32Builder};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Float64Array, StringArray, UInt32Array, UInt64Array};
use arrow_schema::{DataType, Field};
use cwnd_record::{PRIVATE_BYTES, Values};
use std::sync::Arc;

/// A column's values.
pub fn of(values: Values<'_>) -> ArrayRef {
    match values {
        Values::Text(values) => Arc::new(StringArray::from_iter_values(values)),
        Values::Word(values) => Arc::new(values.into_iter().collect::<DictionaryArray<Int32Type>>()),
        Values::Number(values) => Arc::new(Float64Array::from(values)),
        Values::MaybeNumber(values) => Arc::new(Float64Array::from(values)),
        Values::Count(values) => Arc::new(UInt64Array::from(values)),
        Values::MaybeCount(values) => Arc::new(UInt64Array::from(values)),
        Values::Index(values) => Arc::new(UInt32Array::from(values)),
        Values::MaybeIndex(values) => Arc::new(UInt32Array::from(values)),
        Values::Indices(values) => lists(&values),
        Values::Bytes(values) => areas(&values),
    }
}

/// Lists of numbers. Their items are called what Parquet calls them, so that they are the same when read back.
fn lists(values: &[&[u32]]) -> ArrayRef {
    let mut builder =
        ListBuilder::new(UInt32Builder::new()).with_field(Field::new("element", DataType::UInt32, false));
    for list in values {
        builder.values().append_slice(list);
        builder.append(true);
    }
    Arc::new(builder.finish())
}

/// Private areas as they lie there.
fn areas(values: &[&[u8; PRIVATE_BYTES]]) -> ArrayRef {
    let mut builder = FixedSizeBinaryBuilder::with_capacity(values.len(), PRIVATE_BYTES as i32);
    for area in values {
        // Its length is the builder's.
        let _ = builder.append_value(area);
    }
    Arc::new(builder.finish())
}
