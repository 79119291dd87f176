# SPDX-License-Identifier: MIT OR Apache-2.0
"""The rows of a study that a picture draws: a measure, of what, where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict, cast

from cwnd._internal.input_errors import refused, unfit
from cwnd.metrics.names import measure_named, measure_noun
from cwnd.plot.studies.factors import SUBJECTS, Cell, Factor, Where, factor_named, factors_of, levels_given
from cwnd.study.results import Failed, Study
from cwnd.study.values import meaning

if TYPE_CHECKING:
    import pyarrow as pa

#: Of what a measure is taken where several have it.
PREFERRED = ("group", "link", "all", "transfers", "traffic")
DEFAULT_MEASURE = "throughput_mbps"
#: Measures that are parts of one, drawn as percentages.
PARTS = ("share", "utilization", "loss_rate")


class MeanRow(TypedDict):
    """A row of the table of means, its factors apart."""

    name: str
    label: str
    centre: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    undefined: int
    #: Why some of its runs have no value.
    why: str
    factors: dict[str, Cell]


class RunRow(TypedDict):
    """A row of the table of runs, its factors apart."""

    name: str
    label: str
    seed: int
    value: float | None
    #: Why there is no value.
    why: str
    factors: dict[str, Cell]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A measure of a study, where it is drawn."""

    study: Study
    measure: str
    of: str
    unit: str
    where: dict[str, list[Cell]]
    #: The factors with the levels that are drawn.
    factors: dict[str, Factor]
    #: The factors by which variants (labels of groups) differ.
    variants: tuple[str, ...]

    @property
    def factor(self) -> float:
        """What values are multiplied with: parts of one are percentages."""
        return 100.0 if self.measure in PARTS else 1.0

    @property
    def title(self) -> str:
        """What an axis of the measure is called, with the unit."""
        return f"{self.noun} ({self.shown_unit})" if self.shown_unit else self.noun

    @property
    def shown_unit(self) -> str:
        return "%" if self.measure in PARTS else self.unit

    @property
    def noun(self) -> str:
        """The measure in words."""
        return measure_noun(self.measure)

    def varied(self) -> list[Factor]:
        """The factors that have several levels here."""
        return [factor for factor in self.factors.values() if len(factor.levels) > 1]

    def means(self) -> list[MeanRow]:
        """The rows over the seeds, values multiplied as drawn."""
        rows = []
        for row in self._rows(self.study.means):
            for end in ("value", "low", "high"):
                row[end] = None if row[end] is None else cast("float", row[end]) * self.factor
            rows.append(cast("MeanRow", row))
        return rows

    def runs(self) -> list[RunRow]:
        """The rows of the runs, values multiplied as drawn."""
        rows = []
        for row in self._rows(self.study.runs):
            row["value"] = None if row["value"] is None else cast("float", row["value"]) * self.factor
            rows.append(cast("RunRow", row))
        return rows

    def failed(self) -> list[Failed]:
        """The runs that failed among those that would be drawn."""
        return [
            failed
            for failed in self.study.failed
            if all(
                meaning(failed["factors"].get(name)) in map(meaning, values)
                for name, values in self.where.items()
                if name in self.study.factors
            )
        ]

    def _rows(self, table: pa.Table) -> list[dict[str, object]]:
        return [
            {**row, "factors": {name: row[name] for name in self.factors}}
            for row in chosen_table(table, {"of": [self.of], "measure": [self.measure], **self.where}).to_pylist()
        ]


def chosen_table(table: pa.Table, where: Mapping[str, Sequence[Cell]]) -> pa.Table:
    """The rows of a table in whose columns one of these values is."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for column, values in where.items():
        kind = table[column].type
        table = table.filter(pc.is_in(table[column], pa.array(list(values), type=kind)))
    return table


def choose(
    study: Study,
    measure: str | None = None,
    where: Where | None = None,
    of: Iterable[str] = PREFERRED,
    argument: str = "measure",
    *,
    over_runs: bool = False,
) -> Chosen:
    """A measure of a study (throughput of groups by default) of one of `of`, the first that has it, in the rows that `where` leaves.

    `where` has a value or several by factor, `of`, `name` or `label`; raises `ScenarioError` for what the study does not have.
    """
    if not hasattr(study, "factors"):
        raise refused("study", study, "a cwnd.Study, as cwnd.sweep and cwnd.load give it")
    if not study.means.num_rows:
        raise unfit("study", "one with runs that are done; this has none")
    factors = factors_of(study)
    fixed: dict[str, list[Cell]] = {}
    for column, given in (where or {}).items():
        if column in SUBJECTS:
            fixed[column] = levels_given(column, given, study.means[column].unique().to_pylist())
        else:
            factor = factor_named("where", column, factors, study)
            fixed[factor.name] = levels_given(column, given, factor.levels)
    order = fixed.pop("of", None) or list(of)
    known = sorted(chosen_table(study.means, {"of": order})["measure"].unique().to_pylist())
    wanted = measure_named(argument, DEFAULT_MEASURE if measure is None else measure, known, "a measure of this study")
    having = [str(each) for each in with_measure(study, wanted)]
    subject = str(next(each for each in order if each in having))
    kept = chosen_table(study.means, {"of": [subject], "measure": [wanted]})
    if subject == "link" and not fixed.keys() & {"name", "label"}:
        # As the command's table: the first link.
        fixed["name"] = kept["name"].unique().to_pylist()[:1]
    left = chosen_table(kept, fixed)
    if not left.num_rows:
        raise refused("where", dict(where or {}), f"rows that have {wanted}: these values do not go together")
    # A median over the seeds may have no value where some of its runs have one.
    values = chosen_table(study.runs, {"of": [subject], "measure": [wanted], **fixed}) if over_runs else left
    if not values["value"].drop_null():
        raise refused(argument, wanted, f"a measure that has values here: {left['why'][0].as_py()}")
    shown = {}
    for name, factor in factors.items():
        there = set(left[name].unique().to_pylist())
        levels = tuple(level for level in factor.levels if level in there)
        shown[name] = Factor(name, levels, factor.numbers, factor.unit)
    unit = str(left["unit"][0].as_py())
    return Chosen(study, wanted, subject, unit, fixed, shown, variants_of(study, fixed, shown))


def with_measure(study: Study, measure: str) -> list[object]:
    """What has this measure in the study: `group`, `link` and so on."""
    found: list[object] = chosen_table(study.means, {"measure": [measure]})["of"].unique().to_pylist()
    return found


def variants_of(study: Study, where: Mapping[str, list[Cell]], factors: Mapping[str, Factor]) -> tuple[str, ...]:
    """The factors by which groups of flows are called differently: some label goes with one level alone, and two levels each have a label that the other has not.

    A level whose points failed in part has fewer labels, not other ones.
    """
    fixed = {name: values for name, values in where.items() if name in factors}
    groups = chosen_table(study.means, {"of": ["group"], "measure": [DEFAULT_MEASURE], **fixed})
    found = []
    for name in factors:
        labels: dict[Cell, set[str]] = {}
        levels: dict[str, set[Cell]] = {}
        for level, label in zip(groups[name].to_pylist(), groups["label"].to_pylist(), strict=True):
            labels.setdefault(level, set()).add(label)
            levels.setdefault(label, set()).add(level)
        differ = any(ours - theirs and theirs - ours for ours in labels.values() for theirs in labels.values())
        if differ and any(len(each) == 1 for each in levels.values()):
            found.append(name)
    return tuple(found)
