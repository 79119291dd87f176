// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table's functions: from an instance's address to the algorithm's hooks.

use cwnd::params::Params;
use cwnd::registry::Registered;
use cwnd::{Configured, Conn, HookResult, PrivateWords, StateWords, WireArgument};

use crate::guard::guarded;
use crate::values::{Instance, InstanceRef, NOTHING, Text, Variable};

/// The instance at an address.
///
/// # Safety
/// As [`crate::PluginTable`] says: the host's memory, which `make::<A>` has filled and nothing else uses during the call.
unsafe fn at<'a, A: Registered>(instance: Instance) -> &'a mut Configured<A> {
    // SAFETY: PluginTable::of has checked size and alignment of Configured<A> against the memory's; the caller vouches for the rest.
    unsafe { &mut *instance.cast() }
}

/// The instance at an address, to be read.
///
/// # Safety
/// As for [`at`], but others may read it too.
unsafe fn shared<'a, A: Registered>(instance: InstanceRef) -> &'a Configured<A> {
    // SAFETY: as in `at`.
    unsafe { &*instance.cast() }
}

pub(crate) unsafe extern "C" fn make<A: Registered>(instance: Instance, set: u32) -> bool {
    let Some(set) = A::SETS.get(set as usize) else { return false };
    guarded("default", || {
        let configured = Configured { state: A::default(), params: set.params };
        // SAFETY: as for `at`, except that nothing need be there; nothing is dropped, as everything is Copy.
        unsafe { instance.cast::<Configured<A>>().write(configured) };
        true
    })
}

pub(crate) unsafe extern "C" fn is_same<A: Registered>(one: InstanceRef, other: InstanceRef) -> bool {
    // SAFETY: the table's contract, which the host keeps.
    let (one, other) = unsafe { (shared::<A>(one), shared::<A>(other)) };
    guarded("eq", || one == other)
}

/// Functions of an instance; each vouches for what its caller does.
macro_rules! functions {
    ($($name:ident($this:ident: $instance:ident by $at:ident $(, $arg:ident: $type:ty)*) $(-> $ret:ty)? $body:block)+) => {$(
        pub(crate) unsafe extern "C" fn $name<A: Registered>(instance: $instance $(, $arg: $type)*) $(-> $ret)? {
            // SAFETY: the table's contract, which the host keeps.
            let $this = unsafe { $at::<A>(instance) };
            guarded(stringify!($name), || $body)
        }
    )+};
}

functions! {
    param(this: InstanceRef by shared, index: u32) -> u32 { this.params.get(index as usize) }
    set_param(this: Instance by at, index: u32, value: u32) { this.params.set(index as usize, value); }
    load_words(this: Instance by at, words: &PrivateWords) -> bool {
        let Some(state) = A::from_words(words) else { return false };
        this.state = state;
        true
    }
    state_words(this: InstanceRef by shared, words: &mut StateWords) { *words = crate::state_words(&this.state); }
    min_cwnd(this: InstanceRef by shared, conn: &Conn) -> u32 { this.state.min_cwnd(conn, &this.params) }
    info(this: InstanceRef by shared, conn: &Conn, index: u32) -> Variable {
        let info = this.state.info(conn, &this.params);
        let (name, value) = info.fields.get(index as usize).copied().unwrap_or(("", 0));
        if name.is_empty() { Variable { name: NOTHING, value: 0 } } else { Variable { name: Text::of(name), value } }
    }
}

macro_rules! hook_functions {
    ($($variant:ident = $number:literal $(if $has:ident)?:
        $hook:ident($($arg:ident: $([$by:tt])? $type:path),*) $(-> $result:ty)?;)+) => {
        /// The hooks of [`cwnd::CongestionControl`] as functions.
        #[derive(Debug)]
        #[repr(C)]
        pub struct HookTable {$(
            $(
                #[doc = concat!("`CongestionControl::", stringify!($has), "`")]
                pub $has: unsafe extern "C" fn(InstanceRef) -> bool,
            )?
            #[doc = concat!("`CongestionControl::", stringify!($hook), "`")]
            pub $hook: unsafe extern "C" fn(
                Instance, &mut Conn $(, <$($by)? $type as WireArgument>::Wire)*
            ) $(-> $result)?,
        )+}

        impl HookTable {
            pub(crate) const fn of<A: Registered>() -> Self {
                Self {$( $($has: $has::<A>,)? $hook: $hook::<A>, )+}
            }
        }

        functions! {$(
            $($has(this: InstanceRef by shared) -> bool { this.state.$has() })?
            $hook(
                this: Instance by at, conn: &mut Conn $(, $arg: <$($by)? $type as WireArgument>::Wire)*
            ) $(-> $result)? {
                $(let Some($arg) = WireArgument::from_wire($arg) else { return HookResult::from_word(0) };)*
                this.state.$hook(conn $(, $arg)*, &this.params)
            }
        )+}

        /// What the hooks take and return, in numbers that change with it: each hook's, and the bytes of its arguments and result.
        pub(crate) const SIGNATURES: &[usize] = &[$(
            $number $(, size_of::<<$($by)? $type as WireArgument>::Wire>())* $(, size_of::<$result>())?
        ),+];
    };
}

cwnd::for_each_hook!(hook_functions);
