# SPDX-License-Identifier: MIT OR Apache-2.0
"""The help of `cwnd compare`."""

from __future__ import annotations

from cwnd import _native

#: Keys of a flow that its argument has a syntax for, and those of a graph.
ELSEWHERE = ("cc", "count", "from", "to", "path", "back")
#: Keys of a flow that lane live refuses with another value than the kernel's.
KERNELS, _ = _native.flow_keys_without_live()

COMPARE = f"""Run flows through one bottleneck and report the throughput of each.

A flow's keys: {", ".join(key for key in _native.flow_keys() if key not in ELSEWHERE)}, and every parameter of its algorithm (see
`cwnd show NAME`). A start of 0s..100ms is a random one, and the default. What each of them means, and networks beyond one bottleneck:
docs/reference/scenario.md and docs/guide/write-a-scenario.md.

With --lane live the running kernel is the host. Of a flow's keys it accepts no other value than its own for {", ".join(KERNELS)}; host_clock
has no effect. An --interval below 1ms, an --rtt of 0 and more than one of --jobs are refused. Algorithms of
this package, --inner and --per-ack load BPF objects. See docs/guide/live.md.

Example: cwnd compare cubic:4 sack:4 --rate 400Mbit/s --rtt 40ms --buffer 1bdp --duration 100s -o fig6
"""
