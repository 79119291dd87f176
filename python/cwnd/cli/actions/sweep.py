# SPDX-License-Identifier: MIT OR Apache-2.0
"""What `cwnd sweep` and `cwnd merge` do."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path

import typer

from cwnd._internal.input_errors import refused
from cwnd._internal.messages import detail, note
from cwnd.cli.entry import fail
from cwnd.cli.keywords import given_values
from cwnd.cli.link_options import bottleneck_options, check_axes, first_link, grid_with_options
from cwnd.cli.replicates import bar, say_stopped, whole_number
from cwnd.cli.sweep_options import SweepOptions
from cwnd.metrics.names import measures_in
from cwnd.replicates.api import MOST_JOBS, MOST_SEEDS, jobs_of
from cwnd.replicates.checks import MOST_SEED
from cwnd.replicates.executor import Watch
from cwnd.replicates.rows import MEASURES
from cwnd.result.lanes import LIVE, SIM, check_lane
from cwnd.scenario.builders import keywords_document
from cwnd.scenario.flow import Flow, Value
from cwnd.scenario.keywords import AXES
from cwnd.scenario.notation import count_of
from cwnd.scenario.programs import BY_OPTION
from cwnd.study.api import first_of, option_values
from cwnd.study.base_rate import base_rate, without_own_limit
from cwnd.study.braces import parse_flow
from cwnd.study.design import MOST_POINTS, Design
from cwnd.study.engines import check_dask, engine
from cwnd.study.equal_round_trips import equal_round_trips
from cwnd.study.estimate import dry_run, status
from cwnd.study.folder import StudyFolder
from cwnd.study.grid import Grid, grid_of
from cwnd.study.keys import sized_groups
from cwnd.study.manifest import whole_of
from cwnd.study.netem_axes import link_settings
from cwnd.study.point_document import notes
from cwnd.study.points import Base, Points
from cwnd.study.report import failures, table, table_of
from cwnd.study.results import Study, place
from cwnd.study.runner import StudyRun, gathered, run_study
from cwnd.study.settings import Settings, settings_of
from cwnd.study.values import Values, as_values, values_of


def invoke(given: SweepOptions) -> None:
    """Runs a study, or says what it is or how far."""
    shown = None if given.measures is None else measures_in("measures", given.measures, sorted(MEASURES))
    is_file = any(text.endswith((".toml", ".json")) for text in given.what)
    more = more_axes(given.axis or [])
    grid = file_of(given) if is_file else flows_of(given, more)
    for key in more:
        if key in grid.axes:
            raise refused("--axis", key, "each key once")
    axes = {**grid.axes, **more}
    check_axes(axes, grid.base.document, given.trace, given.netem)
    zipped = [*grid.zipped, *([key.strip() for key in group.split(",")] for group in given.zip_axes or [])]
    drawn = grid.latin if given.latin is None else whole_number("--latin", given.latin, MOST_POINTS)
    first_seed = grid.base.document.get("seed", 1)
    design = Design(axes, zipped, drawn, first_seed if isinstance(first_seed, int) else 1)
    most = grid.most_seeds
    lane = check_lane(given.lane, "--lane")
    settings = settings_of(
        grid.seeds if given.seeds is None else whole_number("--seeds", given.seeds, MOST_SEEDS),
        grid.until if given.until is None else given.until,
        most if given.most_seeds is None else whole_number("--most-seeds", given.most_seeds, MOST_SEEDS),
        lane,
        part_of(given.shard),
    )
    for option, has in (("--shard", given.shard), ("--points", given.points), ("--status", given.how_far or None)):
        if has is not None and given.out is None:
            fail(f"{option}: not accepted without -o; expected -o DIR with it")
    if lane == LIVE and given.jobs not in (None, "1"):
        fail(
            f'--jobs: "{given.jobs}" is not accepted with --lane {given.lane}; expected 1, because its runs are sequential'
        )
    check_dask(given.dask, lane, given.jobs)
    threads = jobs_of(lane, None if given.jobs is None else whole_number("--jobs", given.jobs, MOST_JOBS))
    folder = None if given.out is None else StudyFolder(given.out, given.points, force=given.force)
    if folder is not None:
        folder.check()
    points = Points(grid.base, design)
    netem = None if given.netem is None else f"{first_link(grid.base.document)}.netem"
    if is_file and not given.allow_exec:
        points.check_programs(BY_OPTION)
    run = StudyRun(points, settings, folder)
    for text in [*notes(points.said, netem), *equal_round_trips(points)]:
        note(text)
    if given.dry:
        if not dry_run(run, threads):
            raise typer.Exit(1)
    elif given.how_far:
        status(run)
    else:
        finish(run, threads, given.dask, given.out, shown)


def finish(run: StudyRun, threads: int, dask: str | None, out: Path | None, measures: Sequence[str] | None) -> None:
    """Runs it, prints the table (of these `measures`), and says what is written."""
    start = time.monotonic()

    def bar_of(costs: Mapping[int, float]) -> AbstractContextManager[Watch | None]:
        return bar("simulating" if run.settings.lane == SIM else "running", "runs", costs) if costs else nullcontext()

    # Dask logs what ends with tracebacks, and this command says it.
    logging.disable(logging.NOTSET if dask is None else logging.CRITICAL)
    with engine(dask, threads, bar_of, note) as executors:
        study = run_study(run, executors)
    took = time.monotonic() - start
    detail(
        f"{count_of(study.done - study.found, 'run')} executed in {took:.2f} s, {f'{threads} at a time' if dask is None else f'by {dask}'}; {study.found} reused"
    )
    number, count = run.settings.shard
    if count == 1:
        if measures is None:
            table(study)
        else:
            for name in table_of(study, measures):
                note(f"--measures: no run of this study has {name}")
    failures(study)
    if run.folder is not None and run.folder.replaced:
        note(f"{run.folder.path} held another study: its tables and pictures were removed, its runs are kept")
    say_wide(study, run.settings)
    if run.stopped:
        say_stopped(study.done, study.asked, out)
    if out is not None:
        before = f", {study.found} of them reused" if study.found else ""
        where = f"written to {out}" if count == 1 else f"part {number} of {count}, kept in {out}"
        note(f"{count_of(study.done, 'run')} in {took:.1f} s{before}; {where}")
    if study.failed:
        raise typer.Exit(1)


def say_wide(study: Study, settings: Settings) -> None:
    """Says at how many points `--until` is not met, and why not."""
    if study.wide and settings.until is not None and not study.stopped:
        points = "1 point does" if len(study.wide) == 1 else f"{len(study.wide)} points do"
        note(
            f"{points} not reach --until {settings.until.text}: {place(study.wide[0])}{' and others' if study.wide[1:] else ''}; no seeds are added after --most-seeds ({settings.most_seeds}) or a failed run"
        )


def more_axes(texts: Sequence[str]) -> dict[str, Values]:
    """The axes of `--axis`, whose values are as a flow's text means them: `true`, whole numbers, decimals, or texts."""
    axes: dict[str, Values] = {}
    for text in texts:
        key, equals, values = text.partition("=")
        if not (key and equals and values):
            fail(f'--axis: "{text}" is not accepted; expected KEY=VALUES, such as link.queue.kind=droptail,codel')
        if key in axes:
            raise refused("--axis", key, "each key once")
        axes[key] = as_values(values_of(key, values))
    return axes


def part_of(text: str | None) -> tuple[int, int] | None:
    """`--shard I/N`."""
    if text is None:
        return None
    number, _, count = text.partition("/")
    if not (
        number.isascii()
        and number.isdigit()
        and count.isascii()
        and count.isdigit()
        and len(text) < 12
        and 1 <= int(number) <= int(count)
    ):
        fail(f'--shard: "{text}" is not accepted; expected I/N, part I of N, such as 2/8')
    return int(number), int(count)


def file_of(given: SweepOptions) -> Grid:
    """The study of a file. Besides the seed no option of the bottleneck is accepted with it, and no flow."""
    if len(given.what) > 1:
        fail(f'FILE.toml: "{" ".join(given.what)}" is not accepted; expected one file, or flows')
    for key, value in given.keywords.items():
        if value and key != "seed":
            fail(f"--{key.replace('_', '-')}: not accepted with a file; expected --axis for its keys")
    path = Path(given.what[0])
    grid = grid_with_options(grid_of(path), path.parent, given.trace, given.netem)
    seed = given.keywords["seed"]
    if seed is None:
        return grid
    document = {**grid.base.document, "seed": whole_number("--seed", str(seed), MOST_SEED)}
    return replace(grid, base=replace(grid.base, document=document))


def flows_of(given: SweepOptions, more: Mapping[str, Values]) -> Grid:
    """The study of flows through one bottleneck; `more` are the axes of `--axis`."""
    flows: list[Flow] = []
    axes: dict[str, Values] = {}
    for number, text in enumerate(given.what):
        flow, own = parse_flow(text, number)
        flows.append(flow)
        axes |= own
    link = {key: str(text) for key, text in given.keywords.items() if key in AXES and text is not None}
    plain: dict[str, object] = {}
    for key, option in link.items():
        values = option_values(key, option)
        plain[key] = option if values is None else first_of(values)
        if values is not None:
            axes[key] = values
    settings, of_link, lines = bottleneck_options(link, given.trace, given.netem)
    plain |= settings
    axes |= of_link
    all_axes = {**axes, **more}
    others = given_values({key: value for key, value in given.keywords.items() if key not in AXES})
    base = {**others, **plain, **base_rate(plain, all_axes, lines), "name": " + ".join(given.what)}
    document = keywords_document("compare", flows, base, sized_groups(more, len(flows)))
    document = without_own_limit(document, plain, all_axes, lines)
    single = {key: value for key, value in link.items() if key not in axes}
    fixed: dict[str, Value] = {"link.netem": lines[0]} if len(lines) == 1 else {}
    options = link_settings({**others, **single, "trace": given.trace}, "--")
    return Grid(Base(document, given=options, fixed=fixed), axes)


def merge_parts(shards: list[Path], out: Path) -> None:
    """Puts the parts of a study together."""
    points, settings = whole_of(shards)
    run = StudyRun(points, settings, StudyFolder(out))
    study = gathered(run, shards)
    failures(study)
    if run.folder is not None and run.folder.replaced:
        note(f"{run.folder.path} held another study: its tables and pictures were removed, its runs are kept")
    say_wide(study, run.settings)
    left = (
        f"; {count_of(study.left, 'run')} {'is' if study.left == 1 else 'are'} left: cwnd sweep with -o {out} and without --shard runs them"
        if study.left
        else ""
    )
    note(f"{study.done} of {study.asked} runs; written to {out}{left}")
    if study.left or study.failed:
        raise typer.Exit(1)
