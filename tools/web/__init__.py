# SPDX-License-Identifier: MIT OR Apache-2.0
"""The web page: built from `web/` and the module of `crates/cwnd-wasm`."""
