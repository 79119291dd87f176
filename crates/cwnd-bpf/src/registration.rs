// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the loaders of this machine have put into the kernel: found by any of them, shared, pinned, taken out.
//!
//! Each object says in its map `.data.identity` who it is. Maps are listed by the kernel, so that nothing is kept in files
//! that a crash could leave behind.

use std::ffi::CString;
use std::mem::{offset_of, size_of};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use libbpf_rs::libbpf_sys;
use libbpf_rs::query::{LinkInfoIter, LinkTypeInfo, MapInfoIter};
use libbpf_rs::{Link, MapCore, MapFlags, MapHandle};
use rustix::fs::{FlockOperation, flock};

use crate::counters::{connections_in, counter_in};
use crate::error::{Error, refused};
use crate::module::Module;
use crate::object_file::ObjectFile;
use crate::pins::{PINS, check_pins, pin_of, place};
use crate::raw::{Counted, Identity};

/// Name of the map, as `bpf/kernel.bpf.h` has it.
pub(crate) const IDENTITY: &str = ".data.identity";

/// What a registration was loaded from.
#[derive(Debug)]
pub enum Source {
    /// An algorithm of the package.
    Set(Module),
    /// An object's file.
    File(ObjectFile),
}

/// An algorithm that some loader has put into the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// Name for `TCP_CONGESTION`.
    pub name: String,
    /// Parameter set; for a wrapper, `kernel/` and the kernel's name for what it wraps.
    pub set: String,
    /// Process that loaded it.
    pub pid: u32,
    /// Where it is pinned, if it is.
    pub pinned: Option<PathBuf>,
    /// Connections that run on it now, in all namespaces; `None` for a wrapper, which is not told of a connection's end.
    pub connections: Option<u64>,
    /// Windows and thresholds that the algorithm had not given, and that were set right (`docs/adr/0007`); `None` for a wrapper.
    pub repaired: Option<u64>,
    /// Connections that began without room for what is remembered of them, so that nothing is set right there; `None` for a wrapper.
    pub unguarded: Option<u64>,
    /// Whether new connections can choose it. One that was taken out stays until its last connection ends.
    pub registered: bool,
    /// Loaders that hold it besides the first; one that was killed is still counted.
    pub sharers: u32,
    /// File of the object that it was loaded from; `None` for what the package carries, and where the path was too long.
    pub file: Option<PathBuf>,
    pub(crate) hash: u64,
    link: u32,
    identity_map: u32,
    params_map: u32,
}

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

impl Identity {
    /// The bytes that the map holds.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(size_of::<Self>());
        bytes.extend(self.name);
        bytes.extend(self.set);
        bytes.extend(self.hash.to_ne_bytes());
        for number in [self.link, self.counters, self.pid, self.sharers, self.params] {
            bytes.extend(number.to_ne_bytes());
        }
        bytes.extend(self.file);
        bytes
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let u32_at = |offset: usize| Some(u32::from_ne_bytes(*bytes.get(offset..)?.first_chunk()?));
        Some(Self {
            name: *bytes.get(offset_of!(Self, name)..)?.first_chunk()?,
            set: *bytes.get(offset_of!(Self, set)..)?.first_chunk()?,
            hash: u64::from_ne_bytes(*bytes.get(offset_of!(Self, hash)..)?.first_chunk()?),
            link: u32_at(offset_of!(Self, link))?,
            counters: u32_at(offset_of!(Self, counters))?,
            pid: u32_at(offset_of!(Self, pid))?,
            sharers: u32_at(offset_of!(Self, sharers))?,
            params: u32_at(offset_of!(Self, params))?,
            file: *bytes.get(offset_of!(Self, file)..)?.first_chunk()?,
        })
    }
}

/// Everything that any cwnd on this machine has loaded and that is still in use.
///
/// # Errors
/// [`Error`], when the kernel does not let this process list its maps.
pub fn registrations() -> Result<Vec<Registration>, Error> {
    may_list()?;
    // One that was detached is listed until the kernel frees it; it no longer leads to its algorithm.
    let leads = |info: &LinkTypeInfo| matches!(info, LinkTypeInfo::StructOps(info) if info.map_id != 0);
    let links: Vec<u32> =
        LinkInfoIter::default().filter(|link| leads(&link.info)).map(|link| link.id).collect();
    let pins_are_ours = check_pins().is_ok();
    let mut found = Vec::new();
    for info in MapInfoIter::default().filter(|info| info.name == IDENTITY) {
        // It may go at any moment.
        let Ok(map) = MapHandle::from_map_id(info.id) else { continue };
        let Some(identity) = read(&map) else { continue };
        let name = text(&identity.name);
        let registered = links.contains(&identity.link);
        let pin = pin_of(&name);
        let set = text(&identity.set);
        let counters = MapHandle::from_map_id(identity.counters).ok().filter(|_| !set.starts_with(WRAPPED));
        let connections = counters.as_ref().and_then(|map| connections_in(map));
        let counted = |offset| counters.as_ref().and_then(|map| counter_in(map, offset));
        // The kernel frees what is no longer used a little later.
        if !registered && connections.unwrap_or(0) == 0 {
            continue;
        }
        found.push(Registration {
            pinned: (registered && pins_are_ours && pin.exists()).then_some(pin),
            connections,
            repaired: counted(offset_of!(Counted, repaired)),
            unguarded: counted(offset_of!(Counted, unguarded)),
            name,
            set,
            pid: identity.pid,
            sharers: identity.sharers,
            registered,
            hash: identity.hash,
            link: identity.link,
            identity_map: info.id,
            params_map: identity.params,
            file: Some(text(&identity.file)).filter(|file| !file.is_empty()).map(PathBuf::from),
        });
    }
    found.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(found)
}

/// Without the right to it, the lists that follow would be empty, and look like an answer.
pub(crate) fn may_list() -> Result<(), Error> {
    let mut next = 0;
    // SAFETY: a system call that writes a number to where it is told.
    let result = unsafe { libbpf_sys::bpf_map_get_next_id(0, &raw mut next) };
    if result < 0 && -result != rustix::io::Errno::NOENT.raw_os_error() {
        let why = libbpf_rs::Error::from_raw_os_error(-result);
        return Err(Error::Kernel { what: "list what is loaded", why, log: String::new() });
    }
    Ok(())
}

/// How the set of a wrapper begins.
pub(crate) const WRAPPED: &str = "kernel/";

fn read(map: &MapHandle) -> Option<Identity> {
    Identity::read(&map.lookup(&0_u32.to_ne_bytes(), MapFlags::ANY).ok()??)
}

/// Whether the kernel knows an algorithm of this name, ours or not.
pub(crate) fn is_available(kernel_name: &str) -> bool {
    let names = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control");
    names.is_ok_and(|names| names.split_whitespace().any(|name| name == kernel_name))
}

/// The registration with this number, as long as the descriptor is open.
fn link(id: u32) -> Result<OwnedFd, Error> {
    // SAFETY: a system call with a number; it gives a new descriptor or a negative error.
    let fd = unsafe { libbpf_sys::bpf_link_get_fd_by_id(id) };
    if fd < 0 {
        let why = libbpf_rs::Error::from_raw_os_error(-fd);
        return Err(Error::Kernel { what: "find a registration", why, log: String::new() });
    }
    // SAFETY: the descriptor was opened above and belongs to nobody else.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

impl Registration {
    /// Holds it: it stays in the kernel as long as the result lives, though its first loader may go.
    ///
    /// # Errors
    /// [`Error`], when it has gone.
    pub fn share(&self) -> Result<Shared, Error> {
        let link = link(self.link)?;
        let gone = |why| Error::Kernel { what: "find a registration", why, log: String::new() };
        // Opened now: whoever holds it may give up the right to look for maps.
        let identity = MapHandle::from_map_id(self.identity_map).map_err(gone)?;
        let counters = read(&identity).and_then(|found| MapHandle::from_map_id(found.counters).ok());
        count_sharers(&identity, 1);
        Ok(Shared { registration: Box::new(self.clone()), link, identity, counters, pinned: false })
    }

    /// What was loaded, to be loaded once more with the settings that it has: of the package, or from its file.
    ///
    /// # Errors
    /// [`Error::Gone`], when that is no longer what was loaded; and as [`ObjectFile::open`].
    pub fn source(&self) -> Result<Source, Error> {
        let gone = |why: String| Error::Gone { name: self.name.clone(), why };
        let values = self.values().ok_or_else(|| gone("its parameters cannot be read".to_owned()))?;
        if let Some(file) = &self.file {
            let mut object = ObjectFile::open(file)?;
            if object.set_values(&values).is_err() || object.hash() != self.hash {
                return Err(gone(format!("{} has changed since", file.display())));
            }
            return Ok(Source::File(object));
        }
        let mut module = Module::find(&self.set)
            .map_err(|_| gone(format!("this cwnd has no {}, or not where it was loaded from", self.set)))?;
        if module.set_values(&values).is_err() || module.hash() != self.hash {
            return Err(gone("another version of cwnd has loaded it".to_owned()));
        }
        Ok(Source::Set(module))
    }

    /// Values of its parameters, in the kept form; the map may hold zeros behind them.
    fn values(&self) -> Option<Vec<u32>> {
        let map = MapHandle::from_map_id(self.params_map).ok()?;
        let bytes = map.lookup(&0_u32.to_ne_bytes(), MapFlags::ANY).ok()??;
        bytes.chunks_exact(4).map(|value| Some(u32::from_ne_bytes(*value.first_chunk()?))).collect()
    }

    /// Takes it out of what new connections can choose; those that run on it keep it until they end. Its pin goes too.
    ///
    /// # Errors
    /// [`Error`], when the kernel refuses.
    pub fn unload(&self) -> Result<(), Error> {
        let link = link(self.link)?;
        if let Some(pin) = &self.pinned {
            std::fs::remove_file(pin).map_err(|why| Error::File(pin.clone(), why))?;
            // Only if it was the last.
            let _ = std::fs::remove_dir(PINS);
        }
        // SAFETY: a system call on a descriptor that is open.
        let result = unsafe { libbpf_sys::bpf_link_detach(link.as_raw_fd()) };
        if result < 0 {
            let why = libbpf_rs::Error::from_raw_os_error(-result);
            return Err(Error::Kernel { what: "take the algorithm out", why, log: String::new() });
        }
        Ok(())
    }
}

fn count_sharers(map: &MapHandle, change: i32) {
    // One at a time, or two that do this at the same moment count one too few. The descriptors of all maps are one file to
    // `flock`, which is more than is needed, and costs nothing: nobody else locks them, and this takes microseconds. The lock
    // goes with the process, however it ends.
    let _ = flock(map, FlockOperation::LockExclusive);
    if let Some(mut identity) = read(map) {
        identity.sharers = identity.sharers.saturating_add_signed(change);
        let _ = map.update(&0_u32.to_ne_bytes(), &identity.bytes(), MapFlags::ANY);
    }
    let _ = flock(map, FlockOperation::Unlock);
}

/// Whether somebody besides its first loader holds the object of this map.
pub(crate) fn is_shared(map: &dyn MapCore) -> bool {
    let value = map.lookup(&0_u32.to_ne_bytes(), MapFlags::ANY);
    value.ok().flatten().and_then(|bytes| Identity::read(&bytes)).is_some_and(|identity| identity.sharers > 0)
}

/// A registration that another loader made, held; dropping lets go of it.
#[derive(Debug)]
pub struct Shared {
    registration: Box<Registration>,
    link: OwnedFd,
    identity: MapHandle,
    counters: Option<MapHandle>,
    pinned: bool,
}

impl Shared {
    /// What is held.
    #[must_use]
    pub fn registration(&self) -> &Registration {
        &self.registration
    }

    /// Connections that run on it now, as [`Registration::connections`].
    #[must_use]
    pub fn connections(&self) -> Option<u64> {
        let is_wrapper = self.registration.set.starts_with(WRAPPED);
        self.counters.as_ref().filter(|_| !is_wrapper).and_then(|map| connections_in(map))
    }

    /// Whether new connections can choose it; not after somebody has unloaded it.
    #[must_use]
    pub fn is_registered(&self) -> bool {
        is_registered(self.link.as_fd())
    }

    /// Pins it, if it is not: it stays in the kernel when all its loaders have ended. Returns where, and whether the kernel's
    /// file system for that had to be mounted.
    ///
    /// # Errors
    /// [`Error`], when it cannot be mounted or written.
    pub fn pin(&mut self) -> Result<(PathBuf, bool), Error> {
        let (path, mounted) = place(&self.registration.name)?;
        if !path.exists() {
            let text = CString::new(path.as_os_str().as_bytes())
                .map_err(|why| Error::File(path.clone(), why.into()))?;
            // SAFETY: a system call on a descriptor that is open, and a text that ends with a zero.
            let result = unsafe { libbpf_sys::bpf_obj_pin(self.link.as_raw_fd(), text.as_ptr()) };
            if result < 0 {
                let why = libbpf_rs::Error::from_raw_os_error(-result);
                return Err(Error::Kernel { what: "pin the algorithm", why, log: String::new() });
            }
        }
        self.pinned = true;
        Ok((path, mounted))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // A pin holds it from now on, and its first loader must leave it.
        if !self.pinned {
            count_sharers(&self.identity, -1);
        }
    }
}

/// Whether the link is still attached: one that was detached has no map any more.
pub(crate) fn is_registered(link: BorrowedFd<'_>) -> bool {
    let mut info = libbpf_sys::bpf_link_info::default();
    let mut size = size_of::<libbpf_sys::bpf_link_info>() as u32;
    // SAFETY: a system call on a descriptor that is open; it writes at most `size` bytes of plain numbers.
    let result =
        unsafe { libbpf_sys::bpf_link_get_info_by_fd(link.as_raw_fd(), &raw mut info, &raw mut size) };
    // SAFETY: which of the kinds it is has been fixed by the kernel, and every kind is plain numbers.
    result == 0 && unsafe { info.__bindgen_anon_1.struct_ops.map_id } != 0
}

/// Pins `link` under `name`, so that it outlives this process. Returns where, and whether the file system had to be mounted.
pub(crate) fn pin(link: &mut Link, name: &str) -> Result<(PathBuf, bool), Error> {
    let (path, mounted) = place(name)?;
    link.pin(&path).map_err(refused("pin the algorithm"))?;
    Ok((path, mounted))
}
