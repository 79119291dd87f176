// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loads algorithms from outside our tree: a library by `cwnd_plugin::PluginTable` joins the registry of the process, and its panics are noted.

mod fault;
mod instance;

pub use fault::{Fault, take};

use cwnd::params::{ParamKind, Spec};
use cwnd::registry::{self, Description, Recovery, Set, SetDescription};
use cwnd_plugin::{PluginTable, SYMBOL, TableHeader, VERSION};
use instance::{Plugin, text};
use libloading::Library;

/// Why a library was not loaded.
#[derive(Clone, Debug)]
pub enum LoadError {
    /// The library is none that can be loaded; what was expected of it.
    Refused(String),
    /// The algorithm panicked while it was asked for its settings.
    Panicked(Box<Fault>),
}

/// Loads a library that holds an algorithm and adds it to the registry; returns its name.
///
/// The library stays loaded for the life of the process.
///
/// # Errors
/// [`LoadError`]; nothing is added then.
pub fn load(file: &str) -> Result<&'static str, LoadError> {
    let table = open(file).map_err(LoadError::Refused)?;
    let described = describe(table);
    if let Some(fault) = take() {
        return Err(LoadError::Panicked(Box::new(fault)));
    }
    let algorithm = described.map_err(LoadError::Refused)?;
    let added = registry::add(algorithm);
    added.map_err(|taken| LoadError::Refused(format!("a unique name; {} is taken", taken.0)))?;
    Ok(algorithm.name)
}

/// The library's table, or what was expected of it.
fn open(file: &str) -> Result<&'static PluginTable, String> {
    // SAFETY: loading runs the library's initialisers; it is code that the user asked to run, as a Python module is.
    let library = unsafe { Library::new(file) }
        .map_err(|why| format!("a library that this machine can load: {}", with_sources(&why)))?;
    // SAFETY: only the address is taken here; a symbol of this name is a table, or none of ours, which the head shows.
    let symbol = unsafe { library.get::<*const PluginTable>(SYMBOL) }
        .map_err(|_| format!("a library with the symbol {}, as cwnd builds it", SYMBOL.to_string_lossy()))?;
    let address: *const PluginTable = *symbol;
    // Never closed: instances, and the texts of the registry, point into it.
    std::mem::forget(library);
    // SAFETY: any library that exports the symbol exports at least a head, of integers and bytes only.
    let head = unsafe { &*address.cast::<TableHeader>() };
    if !head.is_ours() {
        return Err(format!("{} to be a table of cwnd", SYMBOL.to_string_lossy()));
    }
    if !head.matches() {
        return Err(format!(
            "a build against the sources of this cwnd, {VERSION} (it was built against {}, whose layout differs)",
            head.version()
        ));
    }
    // SAFETY: the head vouches for the layout, and the library stays loaded.
    let table: &'static PluginTable = unsafe { &*address };
    fault::listen(table);
    Ok(table)
}

fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    if let Some(source) = error.source() {
        text = format!("{text}: {source}");
    }
    text
}

/// The algorithm as the registry describes it; what it says of itself stays in memory for good.
fn describe(table: &'static PluginTable) -> Result<Description, String> {
    let mut specs = Vec::new();
    for index in 0..table.specs {
        let given = (table.spec)(index);
        let choices = (0..given.choices).map(|name| text((table.choice)(index, name)));
        let kind = match given.kind {
            0 => ParamKind::Decimal,
            1 => ParamKind::Whole,
            2 => ParamKind::Flag,
            _ => ParamKind::Choice(choices.collect::<Vec<_>>().leak()),
        };
        let name = text(given.name);
        if cwnd_scenario::keys::flow_keys().contains(&name) {
            return Err(format!("another name for the parameter {name}: a flow has a key of that name"));
        }
        let (unit, help, source) = (text(given.unit), text(given.help), text(given.source));
        specs.push(Spec::new(name, kind, given.min, given.max).unit(unit).help(help).source(source));
    }
    let plugin: &'static Plugin = Box::leak(Box::new(Plugin { table, specs: specs.leak() }));
    let mut sets = Vec::new();
    for index in 0..table.sets {
        let given = (table.set)(index);
        let (name, summary, source) = (text(given.name), text(given.summary), text(given.source));
        let recovery = Recovery::by_name(text(given.recovery)).unwrap_or_default();
        let set = Set { name, summary, source, recovery, params: () };
        let described = SetDescription::outside(&set, index as usize, plugin);
        let cc = described.controller().ok_or_else(|| format!("SETS[{index}] to exist"))?;
        for (number, spec) in plugin.specs.iter().enumerate() {
            let value = cc.param(number);
            if value < spec.min || value > spec.max {
                return Err(format!("{name}'s {} within its own range, not {value}", spec.name));
            }
        }
        sets.push(described);
    }
    let name = text(table.name);
    if sets.first().map(|set| set.name) != Some(name) {
        return Err(format!("the first of SETS to have the algorithm's NAME, {name:?}"));
    }
    Ok(Description::outside(name, text(table.summary), plugin.specs, sets.leak()))
}
