// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the running kernel says of itself in its type information (BTF).

use std::ffi::OsStr;

use libbpf_rs::btf::types::{Func, FuncProto, Ptr, Struct, Typedef};
use libbpf_rs::btf::{Btf, ReferencesType, TypeId};

/// The struct of hooks that an algorithm registers.
pub(crate) const OPS: &str = "tcp_congestion_ops";

/// The kernel's types, read once for several questions.
pub(crate) struct KernelTypes(Btf<'static>);

impl KernelTypes {
    /// `None`, when the kernel does not offer them.
    pub(crate) fn read() -> Option<Self> {
        Btf::from_vmlinux().ok().map(Self)
    }

    /// Whether the kernel's struct `structure` has this member; not, if nothing is known.
    pub(crate) fn has_member(structure: &str, member: &str) -> bool {
        Self::read().is_some_and(|types| types.member(structure, member).is_some())
    }

    /// As [`Self::arguments`]; `None`, if nothing is known.
    pub(crate) fn arguments_of(structure: &str, member: &str) -> Option<usize> {
        Self::read()?.arguments(structure, member)
    }

    pub(crate) fn has_function(&self, name: &str) -> bool {
        self.0.type_by_name::<Func<'_>>(name).is_some()
    }

    pub(crate) fn has_typedef(&self, name: &str) -> bool {
        self.0.type_by_name::<Typedef<'_>>(name).is_some()
    }

    pub(crate) fn member(&self, structure: &str, member: &str) -> Option<TypeId> {
        let structure: Struct<'_> = self.0.type_by_name(structure)?;
        structure.iter().find(|field| field.name == Some(OsStr::new(member))).map(|field| field.ty)
    }

    /// How many arguments a member takes that is a pointer to a function.
    pub(crate) fn arguments(&self, structure: &str, member: &str) -> Option<usize> {
        let pointer: Ptr<'_> = self.0.type_by_id(self.member(structure, member)?)?;
        let function: FuncProto<'_> = self.0.type_by_id(pointer.referenced_type().type_id())?;
        Some(function.iter().count())
    }
}
