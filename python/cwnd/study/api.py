# SPDX-License-Identifier: MIT OR Apache-2.0
"""`cwnd.sweep`."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Unpack

from cwnd._internal.input_errors import flag_of, path_of, refused
from cwnd._native import Scenario
from cwnd.replicates.api import MOST_JOBS, jobs_of
from cwnd.replicates.executor import Watch
from cwnd.result.lanes import SIM, check_lane
from cwnd.scenario.bottleneck import bottleneck_document, marking, text_of
from cwnd.scenario.builders import as_list, check_keywords
from cwnd.scenario.flow import Flow
from cwnd.scenario.programs import BY_KEYWORD
from cwnd.scenario.settings import Axis, PathSettings
from cwnd.study.base_rate import base_rate, without_own_limit
from cwnd.study.braces import parse_flow
from cwnd.study.design import Design
from cwnd.study.engines import check_dask, engine
from cwnd.study.folder import StudyFolder
from cwnd.study.grid import Grid, grid_of
from cwnd.study.keys import SHORT, sized_groups
from cwnd.study.netem_axes import link_settings
from cwnd.study.points import Base, Points
from cwnd.study.results import Study
from cwnd.study.runner import StudyRun, run_study
from cwnd.study.settings import settings_of, whole
from cwnd.study.values import Range, Values, python_values

FLOWS = 'cwnd.Flow, a text such as "cubic@beta={0.7,0.85}", a list of them, a Scenario, or the path of a TOML file'


def sweep(
    scenario: Scenario | str | os.PathLike[str] | Flow | Iterable[Flow | str],
    axes: Mapping[str, object] | None = None,
    *,
    seeds: int | None = None,
    zip: Iterable[Sequence[str]] = (),
    latin: int | None = None,
    until: str | None = None,
    most_seeds: int | None = None,
    jobs: int | None = None,
    # An address, or a distributed.Client, which is imported only with it.
    dask: object = None,
    folder: str | Path | None = None,
    points: str | Path | None = None,
    shard: tuple[int, int] | None = None,
    lane: str = SIM,
    watch: Watch | None = None,
    force: bool = False,
    allow_exec: bool = False,
    rate: Axis | None = None,
    rtt: Axis | None = None,
    buffer: Axis | None = None,
    loss: Axis | None = None,
    jitter: Axis | None = None,
    packet_size: Axis | None = None,
    ecn: bool = False,
    **settings: Unpack[PathSettings],
) -> Study:
    """Runs a scenario at every combination of its axes' values, under `seeds` seeds each (1; 5 with `until`).

    `scenario` is a `Scenario`, the path of a scenario's or study's TOML file, or flows through one bottleneck, with the keywords and
    defaults of `compare` (100 Mbit/s, 40 ms, 1 BDP, 60 s, of which the first fifth is not measured unless every flow has a `size`): there a flow's text may have braces (`"cubic@beta={0.7,0.85}"`), and `rate`, `rtt`, `buffer`, `loss`, `jitter` and `packet_size` may be lists or ranges (`rtt=["10ms", "40ms"]`,
    `buffer="0.25..4bdp/5log"`). `axes` are further ones by their keys, `{"flow[0].beta": [0.7, 0.85], "link.queue.kind": ["droptail", "codel"]}`.

    A file that names programs (`exec`) is refused without `allow_exec=True`, with which they are started. With `ecn` the queue (`red`, `codel`) marks, and flows negotiate ECN. `zip` names axes that go together (`[("rtt", "rate")]`); `latin` draws so many points of a Latin hypercube (ranges without a count: `"10..200ms"`).
    `until` (`"2%"`, or `"5% of queue_p95_ms"`) adds seeds, up to `most_seeds` (1000) a point, where the half of the 95 % interval of a measure is a larger part of its mean.
    With `folder`, each run is kept there as soon as it is done, and found again by the next call; `points` is another folder for them, which studies may share.
    `shard=(2, 8)` runs the second of eight parts, and writes no tables: a call without it does.

    Runs go on `jobs` threads (all processors; in lane `live` one after another), or with `dask` on the workers of a cluster: the address of its scheduler (`"tcp://…"`), its file (`.json`), or a `distributed.Client`. A run that fails does not end the others: `Study.failed`. Raises `ScenarioError`, `FolderError`, `OSError` when writing fails or no scheduler answers, and `KeyboardInterrupt` at Ctrl-C, when the runs that are done are kept in `folder`.
    """
    check_keywords(settings, sweep)
    link = {"rate": rate, "rtt": rtt, "buffer": buffer, "loss": loss, "jitter": jitter, "packet_size": packet_size}
    given = {key: value for key, value in {**link, **settings}.items() if value is not None}
    if not isinstance(ecn, bool):
        raise refused("ecn", ecn, "True or False")
    if axes is not None and not isinstance(axes, Mapping):
        raise refused("axes", axes, 'a table of keys with their values, such as {"flow[0].beta": [0.7, 0.85]}')
    more = {key: python_values(key, values) for key, values in (axes or {}).items()}
    grid, own_axes = grid_from(scenario, given, ecn=ecn, more=more)
    found: dict[str, Values] = {**grid.axes, **own_axes}
    if shard is not None and not (isinstance(shard, Sequence) and not isinstance(shard, str) and len(shard) == 2):
        raise refused("shard", shard, "a part and their number, such as (2, 8)")
    for key, values in more.items():
        if key in found:
            raise refused("axes", key, "each key once")
        found[key] = values
    base_seed = grid.base.document.get("seed", 1)
    design = Design(
        found,
        [*grid.zipped, *map(list, zip)],
        latin if latin is not None else grid.latin,
        base_seed if isinstance(base_seed, int) else 1,
    )
    run_settings = settings_of(
        seeds if seeds is not None else grid.seeds,
        until if until is not None else grid.until,
        most_seeds if most_seeds is not None else grid.most_seeds,
        check_lane(lane),
        shard,
    )
    if shard is not None and folder is None:
        raise refused("shard", shard, "folder= with it, for its runs")
    if points is not None and folder is None:
        raise refused("points", points, "folder= with it, for the tables")
    check_dask(dask, lane, jobs)
    threads = jobs_of(lane, None if jobs is None else whole("jobs", jobs, MOST_JOBS))
    study_folder = None
    if folder is not None:
        study_folder = StudyFolder(
            path_of("folder", folder), None if points is None else path_of("points", points), force=force
        )
        study_folder.check()
    study_points = Points(grid.base, design)
    is_foreign = is_file(scenario) or (isinstance(scenario, Scenario) and scenario.of_folder)
    if not flag_of("allow_exec", allow_exec) and is_foreign:
        study_points.check_programs(BY_KEYWORD)
    run = StudyRun(study_points, run_settings, study_folder)
    with engine(
        dask, threads, lambda _: nullcontext(watch), lambda text: warnings.warn(text, stacklevel=5)
    ) as executors:
        study = run_study(run, executors)
    if run.stopped:
        kept = f"; the same call goes on with what {folder} has" if folder is not None else "; folder= keeps them"
        raise KeyboardInterrupt(f"{study.done} of {study.asked} runs are done{kept}")
    return study


def is_file(scenario: object) -> bool:
    """Whether what is to be swept is the path of a file."""
    return isinstance(scenario, os.PathLike) or (isinstance(scenario, str) and scenario.endswith((".toml", ".json")))


def grid_from(
    scenario: object, settings: Mapping[str, object], *, ecn: bool, more: Mapping[str, Values]
) -> tuple[Grid, dict[str, Values]]:
    """The base, and the axes in its flows and settings; `more` are other axes."""
    if is_file(scenario) or isinstance(scenario, Scenario):
        if settings or ecn:
            key, value = next(iter(settings.items()), ("ecn", ecn))
            raise refused(key, value, "no keyword of a bottleneck beside a scenario; axes= for its keys")
        if isinstance(scenario, Scenario):
            return Grid(Base.of(scenario)), {}
        return grid_of(path_of("scenario", scenario)), {}
    flows: list[Flow] = []
    names: list[str] = []
    axes: dict[str, Values] = {}
    for number, given in enumerate(as_list("scenario", scenario, (str, Flow), FLOWS)):
        if isinstance(given, Flow):
            flows.append(given)
            names.append(text_of(given))
        elif isinstance(given, str):
            flow, own = parse_flow(given, number)
            flows.append(flow)
            names.append(given)
            axes |= own
        else:
            raise refused(f"scenario[{number}]", given, FLOWS)
    plain: dict[str, object] = {"name": " + ".join(names)}
    for key, value in settings.items():
        values = option_values(key, value)
        plain[key] = value if values is None else first_of(values)
        if values is not None:
            axes[key] = values
    all_axes = {**axes, **more}
    base = base_rate(plain, all_axes)
    if ecn:
        plain |= marking(plain)
    sized = sized_groups(more, len(flows))
    document = bottleneck_document(flows, {**plain, **base}, ecn=ecn, sized=sized, function=sweep)
    document = without_own_limit(document, plain, all_axes)
    single = {key: value for key, value in settings.items() if key not in axes}
    return Grid(Base(document, given=link_settings(single))), axes


def first_of(values: Values) -> object:
    return values.at(0) if isinstance(values, Range) else values[0]


def option_values(key: str, given: object) -> Values | None:
    """The values of a keyword of `dumbbell` that is an axis; nothing where it has one value."""
    if key not in SHORT:
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
