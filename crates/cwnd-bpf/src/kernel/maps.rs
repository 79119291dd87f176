// SPDX-License-Identifier: MIT OR Apache-2.0
//! Maps of BPF objects: their names, and how their values are found, read and written.

use std::ffi::OsStr;
use std::os::fd::AsFd;

pub(crate) use cwnd_kernel_records::field;
use libbpf_rs::{Map, MapCore, MapFlags, MapInfo, Object, OpenMapMut, OpenObject};

use crate::kernel::error::{Error, refused};

/// Names of an object's maps, as `bpf/kernel.bpf.h` and `bpf/glue.bpf.c` have them.
pub(crate) const OPS: &str = "ops";
pub(crate) const TICK: &str = ".rodata.tick";
pub(crate) const RECORDING: &str = ".rodata.recording";
pub(crate) const RECORDS: &str = "records";
pub(crate) const PARAMS: &str = ".rodata.params";
pub(crate) const COUNTERS: &str = ".data.counters";
pub(crate) const IDENTITY: &str = ".data.identity";

/// The hook that kernels from 7.1 have, as `bpf/kernel.bpf.h` has it.
pub(crate) const TX_START: &str = "cwnd_event_tx_start";

/// Bytes of `text` in a field of `N`, zero-padded.
pub(crate) fn padded<const N: usize>(text: &str) -> [u8; N] {
    let mut field = [0; N];
    // The last byte stays 0.
    for (to, from) in field.iter_mut().take(N - 1).zip(text.bytes()) {
        *to = from;
    }
    field
}

pub(crate) fn text(field: &[u8]) -> String {
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    String::from_utf8_lossy(&field[..end]).into_owned()
}

/// The only value of a map of variables.
pub(crate) fn first_value(map: &dyn MapCore) -> libbpf_rs::Result<Option<Vec<u8>>> {
    map.lookup(&0_u32.to_ne_bytes(), MapFlags::ANY)
}

/// The map called `name`.
pub(crate) fn find<'obj>(object: &'obj Object, name: &str) -> Result<Map<'obj>, Error> {
    object
        .maps()
        .find(|map| map.name() == OsStr::new(name))
        .ok_or_else(|| Error::Object(format!("no map {name}")))
}

/// The kernel's number for a map.
pub(crate) fn number_of(object: &Object, name: &str) -> Result<u32, Error> {
    let info = MapInfo::new(find(object, name)?.as_fd()).map_err(refused("read a map"))?;
    Ok(info.info.id)
}

/// The map called `name` of an object that is not loaded yet.
pub(crate) fn map<'obj>(open: &'obj mut OpenObject, name: &str) -> Result<OpenMapMut<'obj>, Error> {
    open.maps_mut()
        .find(|map| map.name() == OsStr::new(name))
        .ok_or_else(|| Error::Object(format!("no map {name}")))
}

/// Puts `bytes` at the start of a map's first value.
pub(crate) fn fill(open: &mut OpenObject, name: &str, bytes: &[u8]) -> Result<(), Error> {
    fill_at(open, name, 0, bytes)
}

/// Puts `bytes` at `offset` of a map's first value.
pub(crate) fn fill_at(open: &mut OpenObject, name: &str, offset: usize, bytes: &[u8]) -> Result<(), Error> {
    map(open, name)?
        .initial_value_mut()
        .and_then(|value| value.get_mut(offset..offset + bytes.len()))
        .ok_or_else(|| Error::Object(format!("fewer than {} bytes in {name}", offset + bytes.len())))?
        .copy_from_slice(bytes);
    Ok(())
}
