// SPDX-License-Identifier: MIT OR Apache-2.0
//! The core's integer cube roots, for the experiment that compares them: what they answer, and how long they take.

use crate::clock::thread_cpu_s;
use cwnd::math::{cbrt, cbrt_bisection, cbrt_newton, cbrt_table};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use std::hint::black_box;

/// A cube root by its name.
fn method(name: &str) -> PyResult<fn(u64) -> u32> {
    Ok(match name {
        "bisection" => cbrt_bisection,
        "newton" => cbrt_newton,
        "table" => cbrt_table,
        "exact" => cbrt,
        _ => {
            return Err(PyKeyError::new_err(format!(
                "{name}: the cube roots are bisection, newton, table and exact"
            )));
        }
    })
}

/// The roots of `arguments`.
#[pyfunction]
pub fn cube_roots(name: &str, arguments: Vec<u64>) -> PyResult<Vec<u32>> {
    let root = method(name)?;
    Ok(arguments.into_iter().map(root).collect())
}

/// Processor time of one root, ns: the mean over `arguments`, each of which waits for the root before it.
#[pyfunction]
pub fn cube_root_ns(py: Python<'_>, name: &str, arguments: Vec<u64>) -> PyResult<f64> {
    let root = method(name)?;
    Ok(py.detach(|| {
        // Makes each argument wait for the root before it, and changes none.
        let zero = black_box(0_u64);
        let mut last = 0_u64;
        let begin = thread_cpu_s();
        for &n in &arguments {
            last = u64::from(root(n | (last & zero)));
        }
        black_box(last);
        (thread_cpu_s() - begin) * 1e9 / arguments.len().max(1) as f64
    }))
}
