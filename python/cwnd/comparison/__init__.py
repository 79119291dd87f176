# SPDX-License-Identifier: MIT OR Apache-2.0
"""How far the simulator is from the running kernel: the same scenarios in both lanes, number by number."""

from cwnd.comparison.agreement import Agreement
from cwnd.comparison.runner import Fidelity, fidelity, scenario_files

__all__ = ["Agreement", "Fidelity", "fidelity", "scenario_files"]
