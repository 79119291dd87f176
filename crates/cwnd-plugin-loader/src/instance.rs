// SPDX-License-Identifier: MIT OR Apache-2.0
//! Instances of a loaded algorithm: controllers whose hooks call the library.

use std::fmt;
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::fault;
use cwnd::ParamError;
use cwnd::params::Spec;
use cwnd::registry::{Custom, PluginFactory};
use cwnd::{CongestionControl, Conn, Hook, HookResult, Info, PrivateWords, StateWords, WireArgument};
use cwnd_plugin::{Instance, InstanceRef, Memory, PluginTable, Text, WORDS};

/// A text of a table.
pub fn text(text: Text) -> &'static str {
    // SAFETY: every text here comes from a table whose head matches, in a library that stays loaded.
    unsafe { text.get() }
}

/// A loaded algorithm.
#[derive(Clone, Copy)]
pub struct Plugin {
    /// The library's table.
    pub table: &'static PluginTable,
    /// The algorithm's parameters.
    pub specs: &'static [Spec],
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
        fault::happened(self.table.name, None);
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
        let panicked = fault::happened(self.plugin.table.name, now_us);
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
