# SPDX-License-Identifier: MIT OR Apache-2.0
"""What `tools.run_tests` takes: counts of tests, and the processes that a part has started."""
