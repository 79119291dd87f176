// SPDX-License-Identifier: MIT OR Apache-2.0
//! Algorithms from outside our tree: a library by `cwnd_plugin::PluginTable` is loaded and joins the registry.

use std::fmt;
use std::mem::MaybeUninit;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::{plugin_panic, scenario};
use cwnd::ParamError;
use cwnd::params::{ParamKind, Spec};
use cwnd::registry::{self, Custom, Description, PluginFactory, Recovery, Set, SetDescription};
use cwnd::{CongestionControl, Conn, Hook, HookResult, Info, PrivateWords, StateWords, WireArgument};
use cwnd_bpf_build::{BuildError, KernelPlugin, build_object};
use cwnd_plugin::{Instance, InstanceRef, Memory, PluginTable, SYMBOL, TableHeader, Text, VERSION, WORDS};
use cwnd_scenario::Invalid;
use libloading::Library;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

/// Loads a library that holds an algorithm and adds it to the registry; returns its name. Raises `ScenarioError`, with
/// `file` as the value, and `PluginError` where the algorithm panics while it is asked for its settings.
///
/// The library stays loaded for the life of the process.
#[pyfunction]
pub fn load_plugin(py: Python<'_>, file: &str) -> PyResult<String> {
    let refuse = |expected: String| {
        scenario::refuse(
            py,
            &Invalid { field: "plugin".to_owned(), value: Some(format!("{file:?}")), expected },
        )
    };
    let table = open(file).map_err(refuse)?;
    let described = describe(table);
    plugin_panic::check(py)?;
    let algorithm = described.map_err(refuse)?;
    registry::add(algorithm).map_err(|taken| refuse(format!("a unique name; {} is taken", taken.0)))?;
    Ok(algorithm.name.to_owned())
}

/// Builds the kernel object of a loaded algorithm, in `scratch`: of the parameter set `set` with `params`, which have been
/// validated, from the crate in `hooks`, whose exports bear the algorithm's name. Returns the object's file.
///
/// Raises `OSError` when this machine lacks a compiler, `ValueError` when the algorithm cannot become an object.
#[pyfunction]
pub fn build_kernel_object(
    py: Python<'_>,
    set: &str,
    params: Vec<(String, String)>,
    crate_dir: PathBuf,
    hooks: PathBuf,
    scratch: PathBuf,
) -> PyResult<PathBuf> {
    let unknown = || PyValueError::new_err(format!("{set}: no such algorithm"));
    let (algorithm, described) = registry::find(set).ok_or_else(unknown)?;
    let mut controller = described.controller().ok_or_else(unknown)?;
    for (name, value) in &params {
        controller
            .set_param(name, value)
            .map_err(|why| PyValueError::new_err(format!("{name} {value}: {why}")))?;
    }
    let plugin =
        KernelPlugin { algorithm, set, controller: &controller, hooks: &hooks, crate_dir: &crate_dir };
    py.detach(|| build_object(&plugin, &scratch)).map_err(|failure| match failure {
        BuildError::Toolchain(why) => PyOSError::new_err(why),
        other => PyValueError::new_err(other.to_string()),
    })
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
    plugin_panic::listen(table);
    Ok(table)
}

fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    if let Some(source) = error.source() {
        text = format!("{text}: {source}");
    }
    text
}

fn text(text: Text) -> &'static str {
    // SAFETY: every text here comes from a table whose head matches, in a library that stays loaded.
    unsafe { text.get() }
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

/// A loaded algorithm.
#[derive(Clone, Copy)]
struct Plugin {
    table: &'static PluginTable,
    specs: &'static [Spec],
}

impl fmt::Debug for Plugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Plugin").field(&text(self.table.name)).finish()
    }
}

impl PluginFactory for Plugin {
    fn make(&self, set: usize) -> Option<Box<dyn Custom>> {
        let set = u32::try_from(set).ok()?;
        let mut memory = [MaybeUninit::uninit(); WORDS];
        // SAFETY: the memory is ours, of the size and alignment that the table's layout means.
        let is_created = unsafe { (self.table.make)(memory.as_mut_ptr(), set) };
        plugin_panic::happened(self.table.name, None);
        is_created.then(|| {
            Box::new(PluginInstance { plugin: *self, memory, failed: AtomicBool::new(false) })
                as Box<dyn Custom>
        })
    }
}

/// An instance of a loaded algorithm.
struct PluginInstance {
    plugin: Plugin,
    /// Holds an instance of this plugin's.
    memory: Memory,
    /// Whether it has panicked. Nothing is called any more then: the state is that of a hook that stopped half-way.
    failed: AtomicBool,
}

impl fmt::Debug for PluginInstance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.plugin.fmt(f)
    }
}

impl PluginInstance {
    /// The instance, to be changed.
    fn instance(&mut self) -> Instance {
        self.memory.as_mut_ptr()
    }

    /// The instance, to be looked at.
    fn look(&self) -> InstanceRef {
        self.memory.as_ptr()
    }

    /// Whether the function of the table that was just called panicked; the algorithm has failed then.
    #[inline]
    fn panicked(&self, now_us: Option<u64>) -> bool {
        let panicked = plugin_panic::happened(self.plugin.table.name, now_us);
        if panicked {
            self.failed.store(true, Ordering::Relaxed);
        }
        panicked
    }

    fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }
}

impl Clone for PluginInstance {
    /// The same instance in memory of its own. It may be copied as bytes: what a Configured holds is Copy.
    fn clone(&self) -> Self {
        Self { plugin: self.plugin, memory: self.memory, failed: AtomicBool::new(self.failed()) }
    }
}

/// What stands for a hook's answer once the algorithm has panicked.
const fn without_algorithm(hook: Hook, conn: &Conn) -> u32 {
    match hook {
        Hook::Ssthresh if conn.cwnd < 2 => 2,
        Hook::Ssthresh | Hook::UndoCwnd => conn.cwnd,
        Hook::Init
        | Hook::Release
        | Hook::CongAvoid
        | Hook::SetState
        | Hook::CwndEvent
        | Hook::InAckEvent
        | Hook::PktsAcked
        | Hook::CongControl => 0,
    }
}

/// Hooks that hand their arguments on.
macro_rules! hooks {
    ($($variant:ident = $number:literal $(if $has:ident)?:
        $hook:ident($($arg:ident: $([$by:tt])? $type:path),*) $(-> $result:ty)?;)+) => {$(
        fn $hook(&mut self, conn: &mut Conn $(, $arg: $($by)? $type)*, (): &()) $(-> $result)? {
            if self.failed() {
                return HookResult::from_word(without_algorithm(Hook::$variant, conn));
            }
            let before = *conn;
            // SAFETY: the memory holds an instance of this very table's (`Plugin::make`), and `&mut self` guards it.
            let answer = unsafe {
                (self.plugin.table.hooks.$hook)(self.instance(), conn $(, WireArgument::into_wire($arg))*)
            };
            if self.panicked(Some(before.now_us)) {
                *conn = before;
                return HookResult::from_word(without_algorithm(Hook::$variant, conn));
            }
            answer
        }

        $(
            fn $has(&self) -> bool {
                if self.failed() {
                    return false;
                }
                // SAFETY: as in the hooks.
                let answer = unsafe { (self.plugin.table.hooks.$has)(self.look()) };
                !self.panicked(None) && answer
            }
        )?
    )+};
}

impl CongestionControl for PluginInstance {
    type Params = ();

    cwnd::for_each_hook!(hooks);

    fn min_cwnd(&self, conn: &Conn, (): &()) -> u32 {
        const USUAL: u32 = 2;
        if self.failed() {
            return USUAL;
        }
        // SAFETY: as in `hooks`.
        let answer = unsafe { (self.plugin.table.min_cwnd)(self.look(), conn) };
        if self.panicked(Some(conn.now_us)) { USUAL } else { answer }
    }

    fn info(&self, conn: &Conn, (): &()) -> Info {
        let mut info = Info::default();
        for (index, field) in (0..).zip(&mut info.fields) {
            if self.failed() {
                break;
            }
            // SAFETY: as in `hooks`.
            let variable = unsafe { (self.plugin.table.info)(self.look(), conn, index) };
            if !self.panicked(Some(conn.now_us)) {
                *field = (text(variable.name), variable.value);
            }
        }
        info
    }
}

impl Custom for PluginInstance {
    fn set_param(&mut self, name: &str, value: &str) -> Result<(), ParamError> {
        let specs = self.plugin.specs;
        let found = (0..).zip(specs).find(|(_, spec)| spec.name == name);
        let (index, spec) = found.ok_or(ParamError::Unknown(specs))?;
        let value = spec.parse(value).map_err(|why| ParamError::Refused(spec, why))?;
        // SAFETY: as in `hooks`.
        unsafe { (self.plugin.table.set_param)(self.instance(), index, value) };
        Ok(())
    }

    fn param(&self, index: usize) -> u32 {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        // SAFETY: as in `hooks`.
        unsafe { (self.plugin.table.param)(self.look(), index) }
    }

    fn with_words(&self, words: &PrivateWords) -> Option<Box<dyn Custom>> {
        let mut copy = self.clone();
        // SAFETY: as in `hooks`.
        let loaded = unsafe { (self.plugin.table.load_words)(copy.instance(), words) };
        (!self.panicked(None) && loaded).then(|| Box::new(copy) as Box<dyn Custom>)
    }

    fn state_words(&self) -> Option<StateWords> {
        let mut words = StateWords { words: PrivateWords::default(), fields: PrivateWords::default() };
        // SAFETY: as in `hooks`.
        unsafe { (self.plugin.table.state_words)(self.look(), &mut words) };
        Some(words)
    }

    fn is_same(&self, other: &dyn Custom) -> bool {
        let Some(other) = (other as &dyn std::any::Any).downcast_ref::<Self>() else { return false };
        if !std::ptr::eq(self.plugin.table, other.plugin.table) || self.failed() || other.failed() {
            return false;
        }
        // SAFETY: as in `hooks`, for both: they are the same table's.
        let same = unsafe { (self.plugin.table.is_same)(self.look(), other.look()) };
        !self.panicked(None) && same
    }

    fn has_failed(&self) -> bool {
        self.failed()
    }
}
