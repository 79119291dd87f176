# SPDX-License-Identifier: MIT OR Apache-2.0
"""The keywords of queue disciplines. Written by `make docs` from `crates/cwnd-link/src/aqm`."""

from collections.abc import Mapping
from typing import TypedDict

from cwnd.scenario.flow import Value


class QueueDisciplines(TypedDict, total=False):
    """The settings of a queue discipline; at most one of them is given."""

    #: Random Early Detection (Floyd and Jacobson 1993)
    red: Mapping[str, Value] | None
    #: Controlled Delay (RFC 8289): drops at the head of the queue, and never shortens a queue of one full packet
    codel: Mapping[str, Value] | None
    #: drops the oldest packets that wait when one arrives at a full queue (Mahimahi: drophead)
    drop_head: bool | None
