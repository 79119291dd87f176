# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd.sweep`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Unpack

from cwnd._internal.input_errors import flag_of, path_of, refused
from cwnd._internal.keyword_names import check_keywords
from cwnd._native import Scenario
from cwnd.replicates.api import MOST_JOBS, jobs_of
from cwnd.replicates.executor import Watch
from cwnd.result.lanes import SIM, check_lane
from cwnd.scenario.builders import as_list, documented, keywords_document, name_of
from cwnd.scenario.flow import Flow
from cwnd.scenario.keyword_types import AxisSettings
from cwnd.scenario.keywords import AXES
from cwnd.scenario.programs import BY_KEYWORD
from cwnd.study.base_rate import base_rate, without_own_limit
from cwnd.study.braces import parse_flow
from cwnd.study.design import Design
from cwnd.study.engines import check_dask, engine
from cwnd.study.folder import StudyFolder
from cwnd.study.grid import Grid, grid_of
from cwnd.study.keys import sized_groups
from cwnd.study.netem_axes import link_settings
from cwnd.study.points import Base, Points
from cwnd.study.results import Study
from cwnd.study.runner import StudyRun, run_study
from cwnd.study.settings import settings_of, whole
from cwnd.study.values import Range, Values, python_values

FLOWS = 'cwnd.Flow, a text such as "cubic@beta={0.7,0.85}", a list of them, a Scenario, or the path of a TOML file'


@dataclass(frozen=True, slots=True)
class Running:
    """How a study is run: the keywords of `sweep` that are none of its scenario's."""

    seeds: int | None = None
    zip: Iterable[Sequence[str]] = ()
    latin: int | None = None
    until: str | None = None
    most_seeds: int | None = None
    jobs: int | None = None
    dask: object = None
    folder: str | Path | None = None
    points: str | Path | None = None
    shard: tuple[int, int] | None = None
    lane: str = SIM
    watch: Watch | None = None
    force: bool = False
    allow_exec: bool = False


class SweepSettings(AxisSettings, total=False):
    """Keywords of `cwnd.sweep`."""

    #: seeds of each point (1; 5 with `until`)
    seeds: int | None
    #: axes that change together, `[("rtt", "rate")]`
    zip: Iterable[Sequence[str]]
    #: points of a Latin hypercube; ranges have no count then
    latin: int | None
    #: adds seeds until half of each 95 % interval is at most this part of its mean: `"2%"`, or `"5% of queue_p95_ms"`
    until: str | None
    #: with `until`: maximum number of seeds of a point (1000)
    most_seeds: int | None
    #: how many runs at a time (all processors; in lane `live` 1)
    jobs: int | None
    #: the address of a Dask cluster's scheduler, its file (`.json`), or a `distributed.Client`
    dask: object
    #: folder that keeps the runs and gets the tables
    folder: str | Path | None
    #: another folder that keeps the runs, which studies may share
    points: str | Path | None
    #: the part of the study to run, and the number of parts: `(2, 8)`
    shard: tuple[int, int] | None
    #: where the flows run: `"sim"`, the simulator; `"live"`, the running kernel's TCP (root); `"linux"`, that of a kernel in virtual time (`"linux:6.12"`)
    lane: str
    #: called with the number of a run, its packets so far, and its finished part, 0 to 1
    watch: Watch | None
    #: replace another result in the folder
    force: bool
    #: whether a file may start the programs that its flows name
    allow_exec: bool


@documented
def sweep(
    scenario: Scenario | str | os.PathLike[str] | Flow | Iterable[Flow | str],
    axes: Mapping[str, object] | None = None,
    **settings: Unpack[SweepSettings],
) -> Study:
    """Runs a scenario at every combination of its axes' values, under several seeds each.

    `scenario` is a `Scenario`, the path of a scenario's or study's TOML file, or flows through one bottleneck, with the keywords and
    defaults of `compare`. A flow's text may have braces there (`"cubic@beta={0.7,0.85}"`), and `rate`, `rtt`, `buffer`, `loss`, `jitter` and
    `packet_size` may be lists or ranges (`rtt=["10ms", "40ms"]`, `buffer="0.25..4bdp/5log"`). `axes` are further axes by their keys,
    `{"flow[0].beta": [0.7, 0.85], "link.queue.kind": ["droptail", "codel"]}`.

    A file that names programs (`exec`) is refused without `allow_exec=True`, with which they are started. `zip` names axes that change together;
    `latin` draws this many points of a Latin hypercube, whose ranges have no count (`"10..200ms"`). `until` adds seeds, up to `most_seeds` a point.
    With `folder`, each run is saved there as soon as it is done, and reused by the next call.
    `shard=(2, 8)` runs the second of eight parts, and writes no tables; a call without `shard` does.

    A run that fails does not end the others: `Study.failed`. Raises `ScenarioError`, `FolderError`, `OSError` when writing fails or no scheduler
    answers, and `KeyboardInterrupt` at Ctrl-C, when the runs that are done are kept in `folder`.
    """
    check_keywords(settings, sweep)
    names = [each.name for each in fields(Running)]
    # `None` is nothing given.
    running = Running(**{key: value for key, value in settings.items() if key in names and value is not None})  # type: ignore[arg-type]
    given = {key: value for key, value in settings.items() if key not in names and value is not None}
    # Axes have the order of the table, whatever the order of the call.
    given = {**{key: given[key] for key in AXES if key in given}, **given}
    if axes is not None and not isinstance(axes, Mapping):
        raise refused("axes", axes, 'a table of keys with their values, such as {"flow[0].beta": [0.7, 0.85]}')
    more = {key: python_values(key, values) for key, values in (axes or {}).items()}
    grid, own_axes = grid_from(scenario, given, more)
    found: dict[str, Values] = {**grid.axes, **own_axes}
    if running.shard is not None and not (
        isinstance(running.shard, Sequence) and not isinstance(running.shard, str) and len(running.shard) == 2
    ):
        raise refused("shard", running.shard, "a part and their number, such as (2, 8)")
    for key, values in more.items():
        if key in found:
            raise refused("axes", key, "each key once")
        found[key] = values
    base_seed = grid.base.document.get("seed", 1)
    design = Design(
        found,
        [*grid.zipped, *map(list, running.zip)],
        running.latin if running.latin is not None else grid.latin,
        base_seed if isinstance(base_seed, int) else 1,
    )
    lane = check_lane(running.lane)
    run_settings = settings_of(
        running.seeds if running.seeds is not None else grid.seeds,
        running.until if running.until is not None else grid.until,
        running.most_seeds if running.most_seeds is not None else grid.most_seeds,
        lane,
        running.shard,
    )
    if running.shard is not None and running.folder is None:
        raise refused("shard", running.shard, "folder= with it, for its runs")
    if running.points is not None and running.folder is None:
        raise refused("points", running.points, "folder= with it, for the tables")
    check_dask(running.dask, lane, running.jobs)
    threads = jobs_of(lane, None if running.jobs is None else whole("jobs", running.jobs, MOST_JOBS))
    study_folder = None
    if running.folder is not None:
        study_folder = StudyFolder(
            path_of("folder", running.folder),
            None if running.points is None else path_of("points", running.points),
            force=running.force,
        )
        study_folder.check()
    study_points = Points(grid.base, design)
    is_foreign = is_file(scenario) or (isinstance(scenario, Scenario) and scenario.of_folder)
    if not flag_of("allow_exec", running.allow_exec) and is_foreign:
        study_points.check_programs(BY_KEYWORD)
    run = StudyRun(study_points, run_settings, study_folder)
    with engine(
        running.dask, threads, lambda _: nullcontext(running.watch), lambda text: warnings.warn(text, stacklevel=5)
    ) as executors:
        study = run_study(run, executors)
    if run.stopped:
        kept = (
            f"; the same call resumes with the runs in {running.folder}"
            if running.folder is not None
            else "; folder= keeps them"
        )
        raise KeyboardInterrupt(f"{study.done} of {study.asked} runs are done{kept}")
    return study


def is_file(scenario: object) -> bool:
    """Whether what is to be swept is the path of a file."""
    return isinstance(scenario, os.PathLike) or (isinstance(scenario, str) and scenario.endswith((".toml", ".json")))


def grid_from(
    scenario: object, settings: Mapping[str, object], more: Mapping[str, Values]
) -> tuple[Grid, dict[str, Values]]:
    """The base, and the axes in its flows and settings; `more` are other axes."""
    if is_file(scenario) or isinstance(scenario, Scenario):
        for key, value in settings.items():
            raise refused(key, value, "no keyword of a bottleneck with a scenario; use axes= for its keys")
        if isinstance(scenario, Scenario):
            return Grid(Base.of(scenario)), {}
        return grid_of(path_of("scenario", scenario)), {}
    flows: list[Flow] = []
    names: list[str] = []
    axes: dict[str, Values] = {}
    for number, given in enumerate(as_list("scenario", scenario, (str, Flow), FLOWS)):
        if isinstance(given, Flow):
            flows.append(given)
            names.append(name_of(given))
        elif isinstance(given, str):
            flow, own = parse_flow(given, number)
            flows.append(flow)
            names.append(given)
            axes |= own
        else:
            raise refused(f"scenario[{number}]", given, FLOWS)
    # The texts as given: a flow has the first values only, and no braces.
    plain: dict[str, object] = {"name": " + ".join(names)}
    for key, value in settings.items():
        values = option_values(key, value)
        plain[key] = value if values is None else first_of(values)
        if values is not None:
            axes[key] = values
    all_axes = {**axes, **more}
    base = base_rate(plain, all_axes)
    sized = sized_groups(more, len(flows))
    document = keywords_document("compare", flows, {**plain, **base}, sized)
    document = without_own_limit(document, plain, all_axes)
    single = {key: value for key, value in settings.items() if key not in axes}
    return Grid(Base(document, given=link_settings(single))), axes


def first_of(values: Values) -> object:
    return values.at(0) if isinstance(values, Range) else values[0]


def option_values(key: str, given: object) -> Values | None:
    """The values of a keyword of `dumbbell` that is an axis; nothing where it has one value."""
    if key not in AXES:
        return None
    if isinstance(given, str):
        inner = given.strip()
        is_list = "," in inner and key != "loss" and "at least" not in inner
        if not (is_list or ".." in inner or inner.startswith("{")):
            return None
        return python_values(key, given)
    if isinstance(given, Mapping) and {"from", "to"} <= set(given):
        return python_values(key, given)
    # Steps of a rate are pairs.
    if isinstance(given, Iterable) and not isinstance(given, Mapping):
        values = list(given)
        return python_values(key, values) if all(isinstance(value, str) for value in values) else None
    return None
