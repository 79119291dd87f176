# SPDX-License-Identifier: MIT OR Apache-2.0
"""cwnd: congestion control, simulated.

>>> import cwnd
>>> result = cwnd.run(cwnd.dumbbell(rate="10Mbit/s", rtt="20ms", flows={"cubic": 2}, duration="5s"))
>>> round(result.summary["link"]["utilization"], 1)
1.0

Refused input raises a `ValueError` with a message of one line: `ScenarioError` for a scenario or an argument (its subclass
`CrateError` for the crate of a plugin), `FolderError` for a folder that may not be written to, `NoResultError` for a folder that
cannot be read. `PluginError` is a panic of a plugin's algorithm, `FellBehindError` a live run on a machine that did not keep up, `metrics.UndefinedError` a measure without a value. `ConnectionWarning` says that a connection of a real stack failed. Errors of the system
are `OSError`.

Names are imported on first use; pyarrow is imported for a `Result`'s tables, matplotlib for the pictures of `save`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cwnd import metrics as metrics
    from cwnd import plot as plot
    from cwnd._native import FellBehindError, PluginError, Scenario, ScenarioError, __version__
    from cwnd.check_command import check
    from cwnd.comparing import compare, compare_command
    from cwnd.comparison.runner import fidelity
    from cwnd.connection_failures import ConnectionWarning
    from cwnd.difference.python import diff
    from cwnd.difference.results import Difference
    from cwnd.hook_steps import hook_calls
    from cwnd.kernel.result import KernelTrace
    from cwnd.netem_words import netem
    from cwnd.optional_parts import OptionalPart, doctor
    from cwnd.plugin import CrateError, load_plugin
    from cwnd.qlog_of import qlog
    from cwnd.reading import NoResultError, load
    from cwnd.replicates import Replicates, replicate
    from cwnd.result import Result
    from cwnd.scenario import Flow, Link, dumbbell, graph, parking_lot, scenario_schema
    from cwnd.store import FolderError, run, save
    from cwnd.study.python import sweep
    from cwnd.study.results import Study
    from cwnd.transport_replay import replay_transport

__all__ = [
    "ConnectionWarning",
    "CrateError",
    "Difference",
    "FellBehindError",
    "Flow",
    "FolderError",
    "KernelTrace",
    "Link",
    "NoResultError",
    "OptionalPart",
    "PluginError",
    "Replicates",
    "Result",
    "Scenario",
    "ScenarioError",
    "Study",
    "__version__",
    "check",
    "compare",
    "compare_command",
    "diff",
    "doctor",
    "dumbbell",
    "fidelity",
    "graph",
    "hook_calls",
    "load",
    "load_plugin",
    "netem",
    "parking_lot",
    "qlog",
    "replay_transport",
    "replicate",
    "run",
    "save",
    "scenario_schema",
    "sweep",
]

HOMES = {
    "ConnectionWarning": "connection_failures",
    "CrateError": "plugin",
    "Difference": "difference.results",
    "FellBehindError": "_native",
    "Flow": "scenario",
    "FolderError": "store",
    "KernelTrace": "kernel.result",
    "Link": "scenario",
    "NoResultError": "reading",
    # FolderError by its earlier name.
    "NotOursError": "store",
    "OptionalPart": "optional_parts",
    "PluginError": "_native",
    "Replicates": "replicates",
    "Result": "result",
    "Scenario": "_native",
    "ScenarioError": "_native",
    "Study": "study.results",
    "__version__": "_native",
    "check": "check_command",
    "compare": "comparing",
    "compare_command": "comparing",
    "diff": "difference.python",
    "doctor": "optional_parts",
    "dumbbell": "scenario",
    "fidelity": "comparison.runner",
    "graph": "scenario",
    "hook_calls": "hook_steps",
    "load": "reading",
    "load_plugin": "plugin",
    "netem": "netem_words",
    "parking_lot": "scenario",
    "qlog": "qlog_of",
    "replay_transport": "transport_replay",
    "replicate": "replicates",
    "run": "store",
    "save": "store",
    "scenario_schema": "scenario",
    "sweep": "study.python",
}

#: Public modules, which are imported when their names are asked for: `cwnd.plot.response(study)`.
MODULES = ("metrics", "plot", "reproduce")


def __dir__() -> list[str]:
    return [*__all__, *MODULES]


def __getattr__(name: str) -> object:
    if name in MODULES:
        return importlib.import_module(f"cwnd.{name}")
    if name not in HOMES:
        raise AttributeError(f"module 'cwnd' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"cwnd.{HOMES[name]}"), name)
    globals()[name] = value
    return value
