# SPDX-License-Identifier: MIT OR Apache-2.0
"""How far the simulator is from Linux: the same scenarios in both, packet by packet or in pairs of runs.

`runner.fidelity` compares one scenario (`cwnd.fidelity`).
"""
