# SPDX-License-Identifier: MIT OR Apache-2.0
"""Validates records of qlog against the drafts' own CDDL, which is in `tests/python/qlog`, and our events against that of `docs/guide/qlog.md`.

The validator, pycddl, reads CBOR: a record is encoded as such, where JSON's fractions are floats and its other numbers are not. It lacks
three things, which are written out: `~` (a group's fields, copied), `.default` (which says nothing of what is valid), and the sockets
of extensions, which nothing here fills. Names that CDDL's prelude has too (`time`) are quoted.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import cbor2
import pycddl

FOLDER = Path(__file__).with_name("qlog")
GUIDE = Path(__file__).parents[2] / "docs/guide/qlog.md"
#: The rule of the data of each event of ours.
OURS = {
    "cwnd:flow_described": "CwndFlowDescribed",
    "cwnd:packet_dropped": "CwndPacketDropped",
    "cwnd:connection_failed": "CwndConnectionFailed",
    **dict.fromkeys(("cwnd:flow_started", "cwnd:flow_stopped", "cwnd:algorithm_switched"), "CwndFlowChanged"),
}
#: That of each event that the drafts define.
DATA = {
    "draft-14": {
        "quic:recovery_metrics_updated": "QUICRecoveryMetricsUpdated",
        "quic:congestion_state_updated": "QUICCongestionStateUpdated",
        "quic:timer_updated": "QUICTimerUpdated",
    },
    "0.3": {
        "recovery:metrics_updated": "RecoveryMetricsUpdated",
        "recovery:congestion_state_updated": "RecoveryCongestionStateUpdated",
        "recovery:loss_timer_updated": "RecoveryLossTimerUpdated",
        "transport:packet_sent": "TransportPacketSent",
    },
}


@cache
def schema(format: str, rule: str) -> pycddl.Schema:
    """The schema whose root is a rule."""
    (ours,) = re.findall(r"(?s)```cddl\n(.*?)```", GUIDE.read_text())
    text = (FOLDER / f"{format}.cddl").read_text() + re.sub(r"(?m)^\$ProtocolEventData.*\n", "", ours)
    text = re.sub(r"(?m)^ *\* \$\$.*\n", "", text)
    text = re.sub(r" \.default (\"[^\"]*\"|false)", "", text)
    text = re.sub(r"(?m)^( *)time:", r'\1"time" =>', text)
    # The data are validated by the rule of their event.
    text = re.sub(r"data: \$Protocol\w+", "data: {* text => any}", text)
    for group in re.findall(r"~(\w+)", text):
        fields = re.search(rf"(?ms)^{group} = \{{\n(.*?)^\}}", text)
        assert fields is not None
        text = text.replace(f"    ~{group}\n", fields[1])
    return pycddl.Schema(f"Root = {rule}\n{text}")


def accepts(format: str, rule: str, value: object) -> str | None:
    """Why a value does not have the form of a rule; `None` where it has."""
    try:
        schema(format, rule).validate_cbor(cbor2.dumps(value))
    except pycddl.ValidationError as error:
        return str(error)
    return None
