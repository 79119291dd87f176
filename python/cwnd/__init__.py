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
import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cwnd import linux as linux
    from cwnd import metrics as metrics
    from cwnd import plot as plot
    from cwnd._native import FellBehindError, PluginError, Scenario, ScenarioError, __version__
    from cwnd.cli.commands.doctor import OptionalPart, doctor
    from cwnd.compare import compare, compare_command
    from cwnd.diff.api import diff
    from cwnd.diff.results import Difference
    from cwnd.fidelity.runner import fidelity
    from cwnd.kernel.result import KernelTrace
    from cwnd.load import NoResultError, load
    from cwnd.plugin.check import check
    from cwnd.plugin.crate import CrateError, load_plugin
    from cwnd.qlog.api import qlog
    from cwnd.replay.steps import hook_calls
    from cwnd.replay.transport import replay_transport
    from cwnd.replicates.api import Replicates, replicate
    from cwnd.result.failures import ConnectionWarning
    from cwnd.result.result import Result
    from cwnd.result.store import FolderError, run, save
    from cwnd.scenario.builders import Flow, Link, dumbbell, graph, parking_lot, scenario_schema
    from cwnd.scenario.netem import netem
    from cwnd.study.api import sweep
    from cwnd.study.results import Study

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
    "ConnectionWarning": "result.failures",
    "CrateError": "plugin.crate",
    "Difference": "diff.results",
    "FellBehindError": "_native",
    "Flow": "scenario.builders",
    "FolderError": "result.store",
    "KernelTrace": "kernel.result",
    "Link": "scenario.builders",
    "NoResultError": "load",
    "OptionalPart": "cli.commands.doctor",
    "PluginError": "_native",
    "Replicates": "replicates.api",
    "Result": "result.result",
    "Scenario": "_native",
    "ScenarioError": "_native",
    "Study": "study.results",
    "__version__": "_native",
    "check": "plugin.check",
    "compare": "compare",
    "compare_command": "compare",
    "diff": "diff.api",
    "doctor": "cli.commands.doctor",
    "dumbbell": "scenario.builders",
    "fidelity": "fidelity.runner",
    "graph": "scenario.builders",
    "hook_calls": "replay.steps",
    "load": "load",
    "load_plugin": "plugin.crate",
    "netem": "scenario.netem",
    "parking_lot": "scenario.builders",
    "qlog": "qlog.api",
    "replay_transport": "replay.transport",
    "replicate": "replicates.api",
    "run": "result.store",
    "save": "result.store",
    "scenario_schema": "scenario.builders",
    "sweep": "study.api",
}

#: Public modules, which are imported when their names are asked for: `cwnd.plot.response(study)`.
MODULES = ("linux", "metrics", "plot", "reproduce")


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


class Package(ModuleType):
    """This package, whose functions keep their names when a module of the same name is imported: `cwnd.diff` stays the function."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and name in HOMES):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = Package
