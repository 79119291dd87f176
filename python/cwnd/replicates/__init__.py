# SPDX-License-Identifier: MIT OR Apache-2.0
"""Replicates: one scenario under many seeds, on threads, and statistics over the runs.

The results depend on scenario and seeds only, not on the number of threads or on the order in which runs end.
"""
