// SPDX-License-Identifier: MIT OR Apache-2.0
//! Plugins that a scenario uses: the host hands in their libraries, as descriptors.

use cwnd_plugin_loader::{LoadError, load};

/// Loads them, so that the scenario can name their sets.
///
/// # Errors
/// Why one cannot be loaded, in a line.
pub fn load_all() -> Result<(), String> {
    let numbers = std::env::var("CWND_LINUX_PLUGINS").unwrap_or_default();
    numbers.split(',').filter(|number| !number.is_empty()).try_for_each(|number| {
        load(&format!("/proc/self/fd/{number}")).map(|_| ()).map_err(|error| match error {
            LoadError::Refused(expected) => format!("a plugin is not accepted; expected {expected}"),
            LoadError::Panicked(fault) => fault.to_string(),
        })
    })
}
