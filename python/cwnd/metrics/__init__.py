# SPDX-License-Identifier: MIT OR Apache-2.0
"""The measures of RFC 5166, over the tables of a run, and statistics over replicates.

Formulas take numbers or tables and return a `Measure`: a finite value with its unit, or `None` with the reason. docs/reference/measures.md
defines each, with source and example. The tables are those of `cwnd.result.result.Result`. Other lanes may lack some of them: measures
that need these are undefined there.
"""

from cwnd.metrics.capacity import Capacity
from cwnd.metrics.confidence_intervals import Interval, mean_interval, median_interval, paired_difference
from cwnd.metrics.delay import queueing_delay, sampled_queueing_delay
from cwnd.metrics.fairness import convergence_time, jain, min_max_ratio
from cwnd.metrics.loss import (
    congestion_events,
    drop_runs,
    index_of_dispersion,
    loss_event_rate,
    loss_rate,
    mean_drop_run,
    pairwise_synchronisation,
    synchronisation,
)
from cwnd.metrics.measure_type import Distribution, Measure, UndefinedError
from cwnd.metrics.oscillation import (
    aggressiveness,
    coefficient_of_variation,
    largest_reduction,
    responsiveness,
    smoothness,
)
from cwnd.metrics.quantile import quantile
from cwnd.metrics.rates import completion_time, goodput, throughput, utilisation
from cwnd.metrics.run_measures import FlowMeasures, LinkMeasures, Measures
from cwnd.metrics.series import Rates, Rounds, curves, drops, rates, reductions, rounds
from cwnd.metrics.transfers import Transfers, transfers_by_group

__all__ = [
    "Capacity",
    "Distribution",
    "FlowMeasures",
    "Interval",
    "LinkMeasures",
    "Measure",
    "Measures",
    "Rates",
    "Rounds",
    "Transfers",
    "UndefinedError",
    "aggressiveness",
    "coefficient_of_variation",
    "completion_time",
    "congestion_events",
    "convergence_time",
    "curves",
    "drop_runs",
    "drops",
    "goodput",
    "index_of_dispersion",
    "jain",
    "largest_reduction",
    "loss_event_rate",
    "loss_rate",
    "mean_drop_run",
    "mean_interval",
    "median_interval",
    "min_max_ratio",
    "paired_difference",
    "pairwise_synchronisation",
    "quantile",
    "queueing_delay",
    "rates",
    "reductions",
    "responsiveness",
    "rounds",
    "sampled_queueing_delay",
    "smoothness",
    "synchronisation",
    "throughput",
    "transfers_by_group",
    "utilisation",
]
