# SPDX-License-Identifier: MIT OR Apache-2.0
"""The two forms of qlog that are written, and what differs between them: the header and the names of events.

`draft-14` is draft-ietf-quic-qlog-main-schema-14 with draft-ietf-quic-qlog-quic-events-13. `0.3` is qlog 0.3 as in
draft-ietf-quic-qlog-main-schema-05 and draft-ietf-quic-qlog-quic-events-04, the newest that qvis reads. Both are JSON text sequences
(RFC 7464). docs/guide/qlog.md has the schema of the events whose names begin with `cwnd:`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

#: Names the schema of our own events. A private schema may not take a URN of the IETF's; its URI has to contain the namespace (§8).
EVENT_SCHEMA = "urn:uuid:6e1b1a58-0c5c-4c0f-9d0e-5f0b8a3f7c21?+cwnd"
#: That of quic-events-13: a draft's number is appended until there is an RFC (§2.1).
QUIC_SCHEMA = "urn:ietf:params:qlog:events:quic-13"


@dataclass(frozen=True)
class Trace:
    """What a header says of the trace."""

    title: str
    description: str
    #: `client`: the sender opened the connection; `unknown`
    vantage_point: str
    #: of all events, where they have the same
    group_id: str | None


@dataclass(frozen=True)
class QlogFormat:
    """A form of qlog."""

    header: Callable[[Trace], dict[str, object]]
    metrics_updated: str
    state_updated: str
    timer_updated: str
    #: what the timer's event says besides that it expired
    timer_type: str | None
    #: whether a change of state may have any text as its trigger
    has_triggers: bool
    #: whether samples stand for the packets between them, as qvis needs
    has_packets: bool


def common_fields(trace: Trace, **time: object) -> dict[str, object]:
    """What all events of a trace have in common."""
    return {**time, **({} if trace.group_id is None else {"group_id": trace.group_id})}


def draft_header(trace: Trace) -> dict[str, object]:
    """The first record, of the newest draft."""
    return {
        "file_schema": "urn:ietf:params:qlog:file:sequential",
        "serialization_format": "application/qlog+json-seq",
        "title": trace.title,
        "description": trace.description,
        "trace": {
            "title": trace.group_id or trace.title,
            "common_fields": common_fields(
                trace,
                time_format="relative_to_epoch",
                # Not calendar time. The epoch of a monotonic clock is "unknown" (§7.1): it is the beginning of the run.
                reference_time={"clock_type": "monotonic", "epoch": "unknown"},
            ),
            "vantage_point": {"name": "sender", "type": trace.vantage_point},
            "event_schemas": [QUIC_SCHEMA, EVENT_SCHEMA],
        },
    }


def header_0_3(trace: Trace) -> dict[str, object]:
    """The first record, of qlog 0.3."""
    return {
        "qlog_version": "0.3",
        "qlog_format": "JSON-SEQ",
        "title": trace.title,
        "description": trace.description,
        "trace": {
            "title": trace.group_id or trace.title,
            "common_fields": common_fields(trace, time_format="relative", reference_time=0.0),
            "vantage_point": {"name": "sender", "type": trace.vantage_point},
        },
    }


NEWEST = "draft-14"
FORMATS = {
    NEWEST: QlogFormat(
        header=draft_header,
        metrics_updated="quic:recovery_metrics_updated",
        state_updated="quic:congestion_state_updated",
        timer_updated="quic:timer_updated",
        timer_type="loss_timeout",
        has_triggers=True,
        has_packets=False,
    ),
    "0.3": QlogFormat(
        header=header_0_3,
        metrics_updated="recovery:metrics_updated",
        state_updated="recovery:congestion_state_updated",
        timer_updated="recovery:loss_timer_updated",
        timer_type=None,  # it has those of QUIC only
        has_triggers=False,
        has_packets=True,
    ),
}
