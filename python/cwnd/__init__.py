# SPDX-License-Identifier: MIT OR Apache-2.0
"""cwnd: congestion control, simulated.

>>> import cwnd
>>> result = cwnd.run(cwnd.dumbbell(rate="10Mbit/s", rtt="20ms", flows={"cubic": 2}, duration="5s"))
>>> round(result.summary["link"]["utilization"], 1)
1.0

What is heavy is imported when it is first asked for: pyarrow by `Result`'s tables, matplotlib by `save`'s pictures.
"""

from cwnd._native import Scenario, ScenarioError, __version__
from cwnd.run import Result, run
from cwnd.scenario import Flow, dumbbell
from cwnd.store import save

__all__ = ["Flow", "Result", "Scenario", "ScenarioError", "__version__", "dumbbell", "run", "save"]
