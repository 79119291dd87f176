// SPDX-License-Identifier: MIT OR Apache-2.0
//! Loads an object into the kernel: checks the name, writes parameters and identity into the object's maps, loads its programs and
//! registers it.

use cwnd::params::Spec;
use cwnd_scenario::{Invalid, expectation, show_param, unknown_key};
use libbpf_rs::{Link, MapCore, MapFlags, Object, OpenObject};

use crate::kernel::doctor::explain_refusal;
use crate::kernel::error::{Error, NAME_MAX, refused};
use crate::kernel::kernel_types::{KernelTypes, OPS as OPS_TYPE};
use crate::kernel::libbpf_log::with_libbpf_log;
use crate::kernel::maps::{
    COUNTERS, IDENTITY, OPS, PARAMS, RECORDING, RECORDS, TICK, TX_START, fill, fill_at, find, map, number_of,
    padded,
};
use crate::kernel::owned_module::OwnedModule;
use crate::kernel::registration::{Registration, WRAPPED, is_available, registrations};
use crate::kernel::tick::tick_hz;
use cwnd_bpf_build::fnv;
use cwnd_bpf_build::shared_structs::{FILE_BYTES, Identity};

/// Bytes at an address that is aligned for what libbpf reads in them.
#[repr(C, align(8))]
pub(crate) struct Aligned<T: ?Sized>(pub(crate) T);

// OBJECTS: the algorithm's name and its object.
include!(concat!(env!("OUT_DIR"), "/objects.rs"));

/// Place of the program for `cwnd_event_tx_start`, as `bpf/kernel.bpf.h` has it.
const TX_START_AT: usize = 24;
/// Places of the programs for `cong_control`: with four arguments, where the kernel looks for it, and with two.
const CONG_CONTROL_AT: usize = 32;
const CONG_CONTROL_OF_TWO_AT: usize = 40;

/// Bytes that wake the reader of a ring buffer: enough for one look at many records, and long before it is full.
pub(crate) fn wakeup_bytes(ring_bytes: u32) -> u32 {
    (ring_bytes / 4).min(1 << 22)
}

/// Smallest ring buffer: one page.
pub(crate) const RING_MIN: u32 = 1 << 12;
pub(crate) const RING_MAX: u32 = 1 << 30;

/// The error for a parameter that was not set.
pub(crate) fn bad_param(specs: &[Spec], name: &str, value: &str) -> Error {
    let expected = specs.iter().find(|spec| spec.name == name).map_or_else(
        || unknown_key(name, &specs.iter().map(|spec| spec.name).collect::<Vec<_>>()),
        expectation,
    );
    Error::Param(Invalid { field: name.to_owned(), value: Some(value.to_owned()), expected })
}

/// Names and values of parameters, written as in a scenario.
pub(crate) fn settings_text(specs: &'static [Spec], values: &[u32]) -> Vec<(&'static str, String)> {
    specs.iter().zip(values).map(|(spec, value)| (spec.name, show_param(spec, *value))).collect()
}

/// A name for `TCP_CONGESTION` that tells settings apart.
pub(crate) fn hashed_name(settings: impl Iterator<Item = u8>) -> String {
    format!("cwnd_{:08x}", fnv(settings) as u32)
}

/// Refuses a name that the kernel does not take.
pub(crate) fn check(kernel_name: &str) -> Result<(), Error> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "_.".contains(c);
    if kernel_name.is_empty() || kernel_name.len() > NAME_MAX || !kernel_name.chars().all(fits) {
        return Err(Error::Name(kernel_name.to_owned()));
    }
    Ok(())
}

/// What is written into an object before it is loaded.
pub(crate) struct LoadConfig<'a> {
    pub(crate) set: &'a str,
    pub(crate) hash: u64,
    /// Values of the parameters; a wrapper has none.
    pub(crate) params: &'a [u32],
    /// File of the object; empty for what the package carries.
    pub(crate) file: &'a str,
    pub(crate) ring_bytes: Option<u32>,
}

/// Opens, fills, loads and registers an object.
pub(crate) fn load(
    open: impl FnOnce() -> libbpf_rs::Result<OpenObject>,
    kernel_name: &str,
    config: &LoadConfig<'_>,
) -> Result<OwnedModule, Error> {
    check(kernel_name)?;
    // The kernel would refuse it too, after all the work, and with a line in its log.
    if is_available(kernel_name) {
        let is_ours = |known: &[Registration]| known.iter().any(|known| known.name == kernel_name);
        return Err(match registrations() {
            Ok(known) if !is_ours(&known) => Error::KernelsOwn(kernel_name.to_owned()),
            _ => Error::Exists(kernel_name.to_owned()),
        });
    }
    let registered =
        with_libbpf_log(|| register(open().map_err(refused("read the object"))?, kernel_name, config));
    let (object, link) = explain_refusal("load", registered)?;
    Ok(OwnedModule::new(kernel_name, config.params.len(), link, object))
}

fn register(
    mut open: OpenObject,
    kernel_name: &str,
    config: &LoadConfig<'_>,
) -> Result<(Object, Link), Error> {
    let param_bytes: Vec<_> = config.params.iter().flat_map(|value| value.to_ne_bytes()).collect();
    if !config.params.is_empty() {
        fill(&mut open, PARAMS, &param_bytes)?;
    }
    fill(&mut open, OPS, &padded::<{ NAME_MAX + 1 }>(kernel_name))?;
    let has_tx_start =
        open.progs().any(|program| program.name().to_str().is_some_and(|name| name.ends_with(TX_START)));
    if has_tx_start && !KernelTypes::has_member(OPS_TYPE, TX_START) {
        // libbpf refuses a hook that the kernel lacks, unless nothing is there; its program then stays out, too.
        fill_at(&mut open, OPS, TX_START_AT, &[0; 8])?;
    }
    choose_cong_control(&mut open, KernelTypes::arguments_of(OPS_TYPE, "cong_control"))?;
    let mut identity = Identity {
        name: padded(kernel_name),
        set: padded(config.set),
        hash: config.hash,
        link: 0,
        counters: 0,
        pid: std::process::id(),
        sharers: 0,
        params: 0,
        // Cut off, it would be another file.
        file: padded(if config.file.len() < FILE_BYTES { config.file } else { "" }),
    };
    fill(&mut open, IDENTITY, &identity.bytes())?;
    // Nothing in a wrapper reads it.
    if !config.set.starts_with(WRAPPED) {
        fill(&mut open, TICK, &tick_hz().to_ne_bytes())?;
    }
    fill(&mut open, RECORDING, &config.ring_bytes.map_or(0, wakeup_bytes).to_ne_bytes())?;
    let mut ring = map(&mut open, RECORDS)?;
    match config.ring_bytes {
        Some(size) => ring.set_max_entries(size),
        // The verifier removes the code that refers to it before it looks.
        None => ring.set_autocreate(false),
    }
    .map_err(refused("size the ring buffer"))?;
    let mut object = open.load().map_err(refused("load the programs"))?;
    let link = object
        .maps_mut()
        .find(|map| map.name() == OPS)
        .ok_or_else(|| Error::Object(format!("no map {OPS}")))?
        .attach_struct_ops()
        .map_err(refused("register the algorithm (is one of its name registered already?)"))?;
    identity.link = link.info().map_err(refused("read the registration"))?.id;
    identity.counters = number_of(&object, COUNTERS)?;
    if !config.params.is_empty() {
        identity.params = number_of(&object, PARAMS)?;
    }
    find(&object, IDENTITY)?
        .update(&0_u32.to_ne_bytes(), &identity.bytes(), MapFlags::ANY)
        .map_err(refused("write the registration's number"))?;
    Ok((object, link))
}

/// Puts the program that this kernel's `cong_control` takes into its place; an object without one has none in either.
fn choose_cong_control(open: &mut OpenObject, arguments: Option<usize>) -> Result<(), Error> {
    let mut ops = map(open, OPS)?;
    let of_two = CONG_CONTROL_OF_TWO_AT..CONG_CONTROL_OF_TWO_AT + 8;
    let value = ops
        .initial_value_mut()
        .filter(|value| value.len() >= of_two.end)
        .ok_or_else(|| Error::Object(format!("fewer hooks than expected in {OPS}")))?;
    if arguments == Some(2) {
        value.copy_within(of_two.clone(), CONG_CONTROL_AT);
    }
    value[of_two].fill(0);
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use libbpf_rs::ObjectBuilder;
    use rustix::net::sockopt;

    use super::*;
    use crate::kernel::loaded_module::Load as _;
    use crate::kernel::module::Module;
    use cwnd::Hook;

    // This kernel calls no `cwnd_event_tx_start` if it is older than 7.1. Its program has the type of `release`: put there,
    // the kernel verifies it, and calls it at the end of each connection.
    #[test]
    fn the_program_for_the_event_by_itself_is_accepted_and_counts_as_the_event() {
        if !rustix::process::geteuid().is_root() {
            assert!(std::env::var("CI").as_deref() != Ok("true"), "the test needs root, and CI must run it");
            return;
        }
        const RELEASE_AT: usize = TX_START_AT + 32;
        for in_its_place in [false, true] {
            let module = Module::find("cubic").expect("a set");
            let mut open = ObjectBuilder::default().open_memory(module.object).expect("an object");
            if in_its_place {
                let mut ops = map(&mut open, OPS).expect("hooks");
                let hooks = ops.initial_value_mut().expect("hooks");
                hooks.copy_within(TX_START_AT..TX_START_AT + 8, RELEASE_AT);
            }
            let params = module.params();
            let config =
                LoadConfig { set: "cubic", hash: module.hash(), params: &params, file: "", ring_bytes: None };
            let (object, link) =
                with_libbpf_log(|| register(open, "cwnd_tx_start", &config)).expect("registered");
            let loaded = OwnedModule::new("cwnd_tx_start", config.params.len(), link, object);
            let listener = TcpListener::bind("127.0.0.1:0").expect("a listener");
            let one = TcpStream::connect(listener.local_addr().expect("an address")).expect("connected");
            let (other, _) = listener.accept().expect("accepted");
            for end in [&one, &other] {
                sockopt::set_tcp_congestion(end, "cwnd_tx_start").expect("chosen");
            }
            // Nothing is sent: no event but that of the end.
            for end in [one, other] {
                sockopt::set_tcp_congestion(&end, "reno").expect("left");
            }
            let counters = loaded.counters().expect("counters");
            let calls = [Hook::Init, Hook::Release, Hook::CwndEvent].map(|hook| counters.calls(hook));
            assert_eq!(calls, if in_its_place { [2, 0, 2] } else { [2, 2, 0] });
        }
    }
}
