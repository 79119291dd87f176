# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tables of Parquet that somebody else has written: small files that stand for more than the memory are refused, whatever the memory is."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cwnd._internal.parquet_files import MOST_TEXT_BYTES, NoResultError, parquet_file
from cwnd.result.tables import read_table

ROWS = 10_000
MEMORY = 1 << 20


@pytest.fixture(autouse=True)
def small_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with 1 MiB."""
    monkeypatch.setattr("cwnd._internal.parquet_files.memory_bytes", lambda: MEMORY)


def written(folder: Path, values: pa.Array, **options: object) -> Path:
    """A file of one column, without the types of Arrow, as another program would write it."""
    path = folder / "data.parquet"
    pq.write_table(pa.table({"a": values}), path, compression="zstd", store_schema=False, **options)
    assert path.stat().st_size < MEMORY / 10
    return path


def refusal(path: Path) -> str:
    """Why a file is refused."""
    with pytest.raises(NoResultError) as refused, parquet_file(path) as file:
        for batch in file.batches():
            assert batch.nbytes <= MEMORY
    assert "\n" not in str(refused.value)
    return str(refused.value)


def repeated(text: str | bytes, rows: int = ROWS) -> pa.Array:
    """A column that has the same text in each row, once in its dictionary."""
    return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array([text]))


# 10,000 times 200 bytes are 2 MB; in the file they are one text and a few bytes.
@pytest.mark.parametrize("text", ["x" * 200, b"x" * 200])
def test_a_text_in_many_rows_counts_as_often_as_it_is_there(text: str | bytes, tmp_path: Path) -> None:
    path = written(tmp_path, repeated(text))
    assert "10,000 rows need more memory than this machine has" in refusal(path)
    with pytest.raises(NoResultError, match="more memory"):
        read_table(path, {})


def test_a_text_that_is_short_enough_is_read_as_it_was_written(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, repeated("x" * 80)), {"a": False})
    assert table.schema.types == [pa.string()] and table["a"].to_pylist() == ["x" * 80] * ROWS


# 0.5 million numbers of 8 bytes in one row.
def test_the_elements_of_a_list_are_counted_before_they_are_read(tmp_path: Path) -> None:
    elements = pa.array([0]).take(pa.array([0] * 500_000))
    path = written(tmp_path, pa.ListArray.from_arrays(pa.array([0, 500_000], pa.int32()), elements))
    with pytest.raises(NoResultError, match="more memory"), parquet_file(path):
        pass


def test_the_bytes_of_a_value_of_fixed_width_are_counted_before_they_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, pa.array([b"x" * 200] * ROWS, pa.binary(200)))
    with pytest.raises(NoResultError, match="more memory"), parquet_file(path):
        pass


def test_a_text_that_is_too_long_for_any_table_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cwnd._internal.parquet_files.memory_bytes", lambda: 16 * MEMORY)
    path = written(tmp_path, pa.array(["x" * (MOST_TEXT_BYTES + 1)]))
    assert "column a: a text of 1,048,577 bytes; expected at most 1,048,576" in refusal(path)


# Each text says how much of the one before it has: neither the file nor a dictionary bounds them.
def test_texts_that_are_written_by_their_differences_are_refused(tmp_path: Path) -> None:
    path = written(
        tmp_path, pa.array(["x" * 200] * ROWS), use_dictionary=False, column_encoding={"a": "DELTA_BYTE_ARRAY"}
    )
    assert "the encoding DELTA_BYTE_ARRAY" in refusal(path)


@pytest.mark.parametrize(
    "values", [pa.array([["a"]]), pa.array([{"a": 1}]), pa.array([[[1]]]), pa.array([1], pa.timestamp("s"))]
)
def test_a_column_of_a_type_that_no_table_has_is_refused(values: pa.Array, tmp_path: Path) -> None:
    assert "column a: " in refusal(written(tmp_path, values))
