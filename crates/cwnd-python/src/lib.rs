// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Python module `cwnd._native`: scenarios, simulations and the registry, as the package `cwnd` needs them.

mod builders;
mod check;
mod clock;
mod cube_root;
mod disciplines;
mod fell_behind;
mod hooks;
mod hosts;
mod json;
#[cfg(all(feature = "kernel", target_os = "linux"))]
mod kernel;
#[cfg(all(feature = "live", target_os = "linux"))]
mod lab;
mod plugin;
mod plugin_panic;
mod queue_bench;
mod registry;
mod replay;
mod scenario;
#[cfg(all(feature = "live", target_os = "linux"))]
mod shell;
mod simulation;
mod tables;
mod transport;

use pyo3::prelude::*;

/// Scenarios, simulations and the registry of algorithms.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("ScenarioError", module.py().get_type::<scenario::ScenarioError>())?;
    module.add("PluginError", module.py().get_type::<plugin_panic::PluginError>())?;
    module.add("FellBehindError", module.py().get_type::<fell_behind::FellBehindError>())?;
    module.add_class::<scenario::Scenario>()?;
    module.add_class::<scenario::InputFile>()?;
    module.add_class::<scenario::FlowGroup>()?;
    module.add_class::<scenario::LinkSettings>()?;
    module.add_class::<scenario::Action>()?;
    module.add_class::<simulation::Simulation>()?;
    module.add_class::<tables::Table>()?;
    module.add_class::<replay::Replay>()?;
    module.add_class::<transport::TransportReplay>()?;
    module.add_class::<hooks::Hooks>()?;
    module.add_function(wrap_pyfunction!(registry::algorithms, module)?)?;
    module.add_function(wrap_pyfunction!(registry::flow_keys, module)?)?;
    module.add_function(wrap_pyfunction!(registry::flow_keys_without_stack, module)?)?;
    module.add_function(wrap_pyfunction!(registry::flow_keys_without_live, module)?)?;
    module.add_function(wrap_pyfunction!(registry::scenario_schema, module)?)?;
    module.add_function(wrap_pyfunction!(builders::parse_flow, module)?)?;
    module.add_function(wrap_pyfunction!(builders::flow_value, module)?)?;
    module.add_function(wrap_pyfunction!(builders::keywords, module)?)?;
    module.add_function(wrap_pyfunction!(builders::keywords_document, module)?)?;
    module.add_function(wrap_pyfunction!(builders::compare_command, module)?)?;
    module.add_function(wrap_pyfunction!(simulation::hook_calls, module)?)?;
    module.add_function(wrap_pyfunction!(simulation::refuse_stacks, module)?)?;
    module.add_function(wrap_pyfunction!(hosts::hosts, module)?)?;
    module.add_function(wrap_pyfunction!(disciplines::queue_disciplines, module)?)?;
    module.add_function(wrap_pyfunction!(scenario::netem_meaning, module)?)?;
    module.add_function(wrap_pyfunction!(disciplines::drop_causes, module)?)?;
    module.add_function(wrap_pyfunction!(queue_bench::queue_bench, module)?)?;
    module.add_function(wrap_pyfunction!(registry::slow_starts, module)?)?;
    module.add_function(wrap_pyfunction!(registry::stacks, module)?)?;
    module.add_function(wrap_pyfunction!(registry::nearest, module)?)?;
    module.add_function(wrap_pyfunction!(cube_root::cube_roots, module)?)?;
    module.add_function(wrap_pyfunction!(cube_root::cube_root_ns, module)?)?;
    module.add_function(wrap_pyfunction!(tables::record_schema, module)?)?;
    module.add_function(wrap_pyfunction!(plugin::load_plugin, module)?)?;
    module.add_function(wrap_pyfunction!(check::contract_promises, module)?)?;
    module.add_function(wrap_pyfunction!(check::check_contract, module)?)?;
    module.add_function(wrap_pyfunction!(check::check_simulation, module)?)?;
    module.add_function(wrap_pyfunction!(plugin::build_kernel_object, module)?)?;
    #[cfg(all(feature = "live", target_os = "linux"))]
    {
        module.add_class::<lab::Lab>()?;
        module.add_class::<shell::Shell>()?;
    }
    #[cfg(all(feature = "kernel", target_os = "linux"))]
    kernel::add(module)?;
    Ok(())
}
