// SPDX-License-Identifier: MIT OR Apache-2.0
//! Live connections, moved from one algorithm to another.

use cwnd_bpf::{ConnectionFilter, switch};
use pyo3::prelude::*;

use super::error::raise;

/// Moves live connections of this network namespace to the kernel's `to`: those with this port here, that port there, this
/// algorithm; what is `None` may be anything, but not all three. Returns how many matched and how many were moved, and
/// what was said of them: both ends, the algorithm before, and why it was not moved, if it was not.
///
/// Raises `ScenarioError` for a name that the kernel does not have, `KernelError` where it cannot be done.
#[pyfunction]
#[pyo3(signature = (to, *, local_port=None, remote_port=None, algorithm=None))]
#[expect(clippy::type_complexity, reason = "a list of rows, as Python has them")]
pub fn kernel_switch(
    py: Python<'_>,
    to: &str,
    local_port: Option<u16>,
    remote_port: Option<u16>,
    algorithm: Option<String>,
) -> PyResult<(u64, u64, Vec<(String, String, String, Option<String>)>)> {
    let which = ConnectionFilter { local_port, remote_port, algorithm };
    let switched = py.detach(|| switch(&which, to)).map_err(|why| raise(py, &why))?;
    let rows = switched.connections.into_iter().map(|connection| {
        let refused = connection.refused.map(|why| why.to_string());
        (connection.local.to_string(), connection.remote.to_string(), connection.algorithm, refused)
    });
    Ok((switched.matched, switched.changed, rows.collect()))
}
