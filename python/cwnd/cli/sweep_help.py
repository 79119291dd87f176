# SPDX-License-Identifier: MIT OR Apache-2.0
"""The help of `cwnd sweep`."""

SWEEP = """Run a scenario at every combination of the values of its axes, under several seeds, into one tidy table.

Axes are lists, 10ms,40ms, and ranges, FROM..TO/COUNT (evenly spaced) or FROM..TO/COUNTlog (by equal factors), of --rate, --rtt, --buffer, --packet-size, --jitter and --loss (in braces); in braces in a flow,
'cubic@beta={0.7,0.85}' or '{cubic,reno}:2'; of any other key with --axis, 'link.queue.kind=droptail,codel'. Flows are those of one bottleneck, as in cwnd compare; or SCENARIO.toml with --axis; or a study's file, GRID.toml.

With -o each run is kept as soon as it is done; the same command goes on after Ctrl-C, and another study finds runs that it has in common. docs/guide/studies.md has examples.
"""
