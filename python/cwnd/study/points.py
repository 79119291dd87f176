# SPDX-License-Identifier: MIT OR Apache-2.0
"""The points of a study: the value of each factor, the scenario, and the runs with each seed."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cwnd._internal.input_errors import refused
from cwnd._native import Scenario, ScenarioError
from cwnd.replicates.number_cache import Cache
from cwnd.result.lanes import LINUX, LIVE, kernel_of, kind_of
from cwnd.result.store import origin
from cwnd.scenario.algorithms import has_plugins
from cwnd.scenario.builders import from_document
from cwnd.scenario.flow import Value
from cwnd.scenario.programs import check_programs
from cwnd.scenario.snapshot import identity, inputs, scenario_document
from cwnd.study.design import Assignment, Design
from cwnd.study.keys import check_top, full, parts_of, short_names
from cwnd.study.netem_axes import Setting, check_netem_axes, check_settings
from cwnd.study.point_document import Said, left_to_reader, point_document
from cwnd.study.task import PointRun

#: The files that a document names: the folder that paths are relative to, or contents by path.
Files = Path | Mapping[str, bytes] | None
#: How the expectation begins where a file that a scenario names is missing, or cannot be read.
UNREADABLE = "a file that can be read"


@dataclass(frozen=True, slots=True)
class Base:
    """The scenario that the axes change, as plain values."""

    document: Mapping[str, object]
    files: Files = None
    #: Whether the document has every default in it, those of a host's too.
    printed: bool = False
    #: What options or keywords have set in it, by its keys; nothing of what a file says.
    given: Mapping[str, Setting] = field(default_factory=dict)
    #: Values of options at every point, by their keys: a trace, and a line of netem, which is read with the rate of the point.
    fixed: Mapping[str, Value] = field(default_factory=dict)

    @classmethod
    def of(cls, scenario: Scenario) -> Base:
        """A scenario with its files."""
        files = {file.path: file.contents for file in scenario.files}
        return cls(scenario_document(scenario), files or None, printed=True)

    def scenario(self, assignment: Assignment) -> Scenario:
        """The scenario with these values; raises `ScenarioError`."""
        return self.explained(assignment)[0]

    def explained(self, assignment: Assignment) -> tuple[Scenario, list[Said]]:
        """The scenario with these values, and what its lines of netem mean; raises `ScenarioError`."""
        document, said = point_document(self.document, {**self.fixed, **assignment})
        scenario = with_named(document, self.files)
        return scenario, [*said, *left_to_reader(scenario.remarks)]


def with_named(document: Mapping[str, object], files: Files) -> Scenario:
    """The scenario of a document, with those of the files that it names: points of a study may name different ones."""
    while isinstance(files, Mapping):
        try:
            return from_document(document, files)
        except ScenarioError as error:
            # Contents that are handed in and not named are refused, the first of them by its path.
            unnamed = error.value if error.field == "files" else None
            named = {path: contents for path, contents in files.items() if quoted(path) != unnamed}
            if len(named) == len(files):
                raise
            files = named
    return from_document(document, files)


def quoted(path: str) -> str:
    """A path as an error has it."""
    return json.dumps(path, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Point:
    """A combination of values, and its scenario without the seed, or why there is none."""

    number: int
    #: By the names of the columns.
    factors: dict[str, Value]
    scenario: Scenario | None
    why: str = ""


@dataclass(slots=True)
class Points:
    """All points of a study."""

    base: Base
    design: Design
    points: list[Point] = field(init=False)
    #: The name of each axis as a column, by its key.
    names: dict[str, str] = field(init=False)
    #: What lines of netem mean at the points, each meaning once.
    said: dict[Said, None] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        if len({full(key) for key in self.design.axes}) < len(self.design.axes):
            raise refused("axes", ", ".join(self.design.axes), "each key once")
        check_settings(self.design.axes, self.base.given)
        self.names = {
            key: name for key, name in zip(self.design.axes, short_names(self.design.axes).values(), strict=True)
        }
        for key in self.design.axes:
            check_top(key)
            if full(key) == "seed":
                raise refused("axis", key, "seeds= (--seeds N) for seeds")
            if self.base.printed and parts_of(full(key))[-1][0] in ("host", "preset"):
                raise refused(
                    "axis",
                    key,
                    "a scenario file or its keys: a Scenario already contains the keys of its host or preset",
                )
        check_netem_axes(self.design.axes, self.base.given)
        self.points = [self.point(number, assignment) for number, assignment in enumerate(self.design)]
        # What every point refuses is wrong with all of them.
        if not any(point.scenario for point in self.points):
            self.base.scenario(next(iter(self.design)))

    def point(self, number: int, assignment: Assignment) -> Point:
        factors = {self.names[key]: value for key, value in assignment.items()}
        try:
            scenario, said = self.base.explained(assignment)
            scenario.check_size()
        except ScenarioError as error:
            # A file that cannot be read is a mistake, not a value that does not go with the others: it ends the command before any run.
            if (error.expected or "").startswith(UNREADABLE):
                raise
            return Point(number, factors, None, str(error))
        self.said.update(dict.fromkeys(said))
        return Point(number, factors, scenario)

    def named_files(self) -> dict[str, bytes]:
        """The contents of the files that the scenarios name, by their paths there."""
        if isinstance(self.base.files, Mapping):
            return dict(self.base.files)
        named: dict[str, bytes] = {}
        for point in self.points:
            for file in point.scenario.files if point.scenario is not None else ():
                if file.path not in named:
                    named[file.path] = file.contents
        return named

    def check_programs(self, expected: str) -> None:
        """Refuses a study of a file that starts programs (`exec`) at any point."""
        for point in self.points:
            if point.scenario is not None:
                check_programs(point.scenario, expected)

    def varied(self) -> dict[int, dict[str, str]]:
        """For each number of a group of flows, the columns of its keys that are axes, and their names; a key for all flows counts for all groups."""
        of_groups: dict[int, dict[str, str]] = {}
        flows = self.base.document.get("flow", [])
        for key, name in self.names.items():
            parts = parts_of(full(key))
            if parts[0][0] == "flow" and isinstance(flows, list):
                at = parts[0][1]
                for group in range(len(flows)) if at in (None, "*") else [int(at)]:
                    of_groups.setdefault(group, {})[name] = parts[-1][0]
        return of_groups


def key_of(scenario: Scenario, lane: str) -> str:
    """The name of a run's numbers: a hash of scenario, seed, engine, lane, plugins if it uses one, and of the code that measures; in lanes live and linux also the kernel; not of what it is called."""
    document = scenario_document(scenario)
    document.pop("name", None)
    known = {
        "run": identity(document, inputs(scenario).get("inputs", [])),
        "lane": lane,
        # Those that are loaded and not used change no run.
        "plugins": dict(origin().get("plugins", {})) if has_plugins(document) else {},
    }
    if lane == LIVE:
        known["kernel"] = [platform.release(), platform.version()]
    if kind_of(lane) == LINUX:
        from cwnd.linux.kernels import find

        known["kernel"] = [find(kernel_of(lane)).about["key"]]
    text = hashlib.sha256(json.dumps(known, sort_keys=True).encode()).hexdigest()
    return Cache.name({"run": text}, PointRun.run)
