# SPDX-License-Identifier: MIT OR Apache-2.0
"""`make check`: the tests that the change of the working tree concerns."""
