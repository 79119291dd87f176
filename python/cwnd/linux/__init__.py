# SPDX-License-Identifier: MIT OR Apache-2.0
"""Lane linux: a scenario in a user-mode Linux kernel in virtual time. Here are the kernels: built, listed, found."""

from __future__ import annotations

from cwnd.linux.build_kernel import build
from cwnd.linux.kernels import Kernel, find, kernels, remove
from cwnd.linux.steps import Step

__all__ = ["Kernel", "Step", "build", "find", "kernels", "remove"]
