// SPDX-License-Identifier: MIT OR Apache-2.0
//! The values that cross the interface, and the memory of an instance.

use core::mem::MaybeUninit;

/// Words of memory that a host gives an instance: 104 bytes of state (the kernel's limit) and 102 parameters.
pub const WORDS: usize = 64;

/// Memory for an instance.
pub type Memory = [MaybeUninit<u64>; WORDS];

/// An instance, from the outside: the first word of its [`Memory`].
pub type Instance = *mut MaybeUninit<u64>;

/// An [`Instance`] that is only read.
pub type InstanceRef = *const MaybeUninit<u64>;

/// A string that lives as long as the library.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Text {
    start: *const u8,
    bytes: usize,
}

impl Text {
    /// Shares `text`.
    #[must_use]
    pub const fn of(text: &'static str) -> Self {
        Self { start: text.as_ptr(), bytes: text.len() }
    }

    /// Lends `text`, for as long as a call lasts.
    pub(crate) const fn lent(text: &str) -> Self {
        Self { start: text.as_ptr(), bytes: text.len() }
    }

    /// The text.
    ///
    /// # Safety
    /// It was made by [`Text::of`], in this library or in one that stays loaded. Of a [`Panic`](crate::Panic)'s texts the caller keeps nothing
    /// beyond the call that brings it.
    #[must_use]
    pub const unsafe fn get(self) -> &'static str {
        // SAFETY: `of` took both from a str that is never freed; the caller vouches for the rest.
        unsafe { core::str::from_utf8_unchecked(core::slice::from_raw_parts(self.start, self.bytes)) }
    }
}

/// A [`cwnd::params::Spec`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[expect(missing_docs, reason = "they are Spec's")]
pub struct SpecText {
    pub name: Text,
    pub unit: Text,
    pub help: Text,
    pub source: Text,
    pub min: u32,
    pub max: u32,
    /// 0 decimal, 1 whole, 2 flag, 3 choice.
    pub kind: u32,
    /// How many names a choice has; see [`PluginTable::choice`](crate::PluginTable::choice).
    pub choices: u32,
}

/// A [`cwnd::registry::Set`], without its parameters.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[expect(missing_docs, reason = "they are Set's")]
pub struct SetText {
    pub name: Text,
    pub summary: Text,
    pub source: Text,
    /// By [`cwnd::registry::Recovery`]'s name.
    pub recovery: Text,
}

/// One inner variable of an algorithm; the name of an unused place is empty.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Variable {
    /// Name.
    pub name: Text,
    /// Value.
    pub value: u64,
}

/// No text.
pub(crate) const NOTHING: Text = Text::of("");
