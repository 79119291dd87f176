// SPDX-License-Identifier: MIT OR Apache-2.0
//! A queue bench with a queue of cwnd: the arrivals of one with a queue of the kernel, through the first link of a scenario.

use crate::scenario::Scenario;
use cwnd_link::{ARRIVAL_BYTES, Bench, Fate, GivenArrival, Link};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The fates, in the order of the arrivals; both as bytes, as `cwnd_link` has them.
#[pyfunction]
pub fn queue_bench<'py>(py: Python<'py>, scenario: &Scenario, arrivals: &[u8]) -> Bound<'py, PyBytes> {
    let (packets, _) = arrivals.as_chunks::<ARRIVAL_BYTES>();
    let packets = packets.iter().map(|bytes| GivenArrival::from_bytes(bytes).arrival).collect();
    let Some(link) = scenario.inner.link_configs().into_iter().next() else { return PyBytes::new(py, &[]) };
    let mut bench = Bench::new(Link::new(link, (0, u64::MAX), u64::MAX), packets, false);
    bench.advance(u64::MAX);
    let fates: Vec<u8> = bench.fates().iter().copied().flat_map(Fate::to_bytes).collect();
    PyBytes::new(py, &fates)
}
