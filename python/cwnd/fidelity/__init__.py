# SPDX-License-Identifier: MIT OR Apache-2.0
"""How far the simulator is from the running kernel: the same scenarios in both lanes, number by number.

`runner.fidelity` compares (`cwnd.fidelity`); `command` is `cwnd fidelity`, which imports the others when it runs.
"""
