// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tables of the schema (`cwnd_record::tables`) as Arrow arrays.
#![forbid(unsafe_code)]

mod arrays;

use arrow_array::{Array, StructArray};
use arrow_schema::Field;
use cwnd_record::{Column, Lane};
use std::sync::Arc;

/// Rows as the columns that the schema has for this lane. What may be null is so in every piece of a table: all have one schema.
pub fn table<R: 'static>(
    lane: Lane,
    columns: impl IntoIterator<Item = &'static Column<R>>,
    rows: &[R],
) -> StructArray {
    let fields: Vec<_> = columns
        .into_iter()
        .filter(|column| column.is_of(lane))
        .map(|column| {
            let array = arrays::of(column.values(rows));
            let nullable = column.info().nullable;
            (Arc::new(Field::new(column.name, array.data_type().clone(), nullable)), array)
        })
        .collect();
    StructArray::from(fields)
}

/// A table as a stream of Arrow IPC of one batch.
///
/// # Errors
/// What Arrow's writer says.
#[cfg(feature = "ipc")]
pub fn stream(table: StructArray) -> Result<Vec<u8>, arrow_schema::ArrowError> {
    let batch = arrow_array::RecordBatch::from(table);
    let mut writer = arrow_ipc::writer::StreamWriter::try_new(Vec::new(), &batch.schema())?;
    writer.write(&batch)?;
    writer.finish()?;
    writer.into_inner()
}
