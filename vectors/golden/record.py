# SPDX-License-Identifier: MIT OR Apache-2.0
"""Records the traces of `virtual/`: what the congestion controls of kernels in virtual time do, call by call, from the handshake to `release`.

    python vectors/golden/record.py 6.1 6.12 7.2

Needs the kernels (`cwnd linux build`). Each trace is the same bytes each time. Private words that stay zero are left out.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import cwnd
from cwnd.linux import find, trace

TARGET = Path(__file__).resolve().parent / "virtual"
NAMES = [
    "bbr",
    "bic",
    "cdg",
    "cubic",
    "dctcp",
    "highspeed",
    "htcp",
    "hybla",
    "illinois",
    "lp",
    "nv",
    "reno",
    "scalable",
    "vegas",
    "veno",
    "westwood",
    "yeah",
]
#: Overflows of the queue, random losses, and late packets.
PATH = """
duration = "5s"
[link]
rate = "12Mbit/s"
rtt = "40ms"
queue = {queue}
loss = "random:0.0003"
reorder = {{ share = 0.0005, extra = "8ms" }}
[[flow]]
cc = "kernel/{name}"
ecn = {marked}
"""


def scenario(name: str) -> cwnd.Scenario:
    """The scenario of an algorithm. DCTCP is Reno on a connection without ECN."""
    marked = name == "dctcp"
    queue = (
        '{ kind = "codel", ecn = true, limit = "200packets" }'
        if marked
        else '{ kind = "droptail", limit = "20packets" }'
    )
    return cwnd.Scenario.from_toml(PATH.format(queue=queue, name=name, marked=str(marked).lower()))


#: What only algorithms that set the rate read of a connection.
OF_RATES = ["delivered_mstamp_us", "first_tx_mstamp_us", "delivered_ce", "paced_ahead_us", "pacing_shift", "random"]


def used(table: pa.Table) -> pa.Table:
    """The columns without private words that stay zero, a rate sample's that stay null, and what is there for rates where none is set."""
    sets_the_rate = pc.any(pc.equal(table["hook"], "cong_control")).as_py()
    kept = [
        name
        for name in table.column_names
        if (not name.startswith(("priv", "rs_")) or pc.max(pc.fill_null(table[name], 0)).as_py() != 0)
        and (sets_the_rate or name not in OF_RATES)
    ]
    return table.select(kept)


def main(kernels: list[str]) -> None:
    """Records all algorithms on these kernels."""
    for kernel in kernels:
        folder = TARGET / find(kernel).name
        folder.mkdir(parents=True, exist_ok=True)
        for name in NAMES:
            with tempfile.TemporaryDirectory() as temporary:
                recorded = trace(scenario(name), Path(temporary) / "trace", kernel=kernel, pictures=False)
                hooks = used(recorded.table("hooks"))
                about = recorded.summary
            path = folder / f"{name}.parquet"
            numbers = [field.name for field in hooks.schema if pa.types.is_integer(field.type)]
            pq.write_table(
                hooks,
                path,
                compression="zstd",
                compression_level=19,
                use_dictionary=["hook"],
                # A third of the size of plain numbers.
                column_encoding=dict.fromkeys(numbers, "BYTE_STREAM_SPLIT"),
                write_statistics=False,
            )
            print(f"{path.relative_to(TARGET)}: {hooks.num_rows} calls, {about['differences']} differences")


if __name__ == "__main__":
    main(sys.argv[1:])
