// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where pins are kept: a folder of ours in the kernel's file system for BPF objects, which only root may change.
//!
//! A user who may write to the folder could remove a pin, and with it the algorithm, or replace it.

use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use libbpf_rs::Link;
use rustix::fs::{CWD, Mode, OFlags, fstat, mkdirat, openat, statfs};
use rustix::io::Errno;
use rustix::mount::{MountFlags, mount};

use crate::kernel::error::{Error, refused};
use crate::kernel::link::is_registered;

/// Where the kernel's file system for BPF objects is mounted.
pub(crate) const BPFFS: &str = "/sys/fs/bpf";
const BPFFS_MAGIC: i64 = 0xcafe_4a11;
/// Folder of our pins in it.
pub(crate) const PINS: &str = "/sys/fs/bpf/cwnd";

const OTHERS_MAY_WRITE: u32 = 0o022;
const STICKY: u32 = 0o1000;

/// Where the pin of `name` belongs, in a folder that is there; and whether the file system had to be mounted.
///
/// # Errors
/// [`Error::Pins`], when another user could change what is pinned there.
pub(crate) fn place(name: &str) -> Result<(PathBuf, bool), Error> {
    let mounted = mount_bpffs()?;
    match mkdirat(CWD, PINS, Mode::RWXU) {
        Err(why) if why != Errno::EXIST => return Err(Error::File(PINS.into(), why.into())),
        _ => {}
    }
    check_pins()?;
    Ok((pin_of(name), mounted))
}

/// Refuses folders of pins that a user other than root could change.
pub(crate) fn check_pins() -> Result<(), Error> {
    // Of what is in a folder with the sticky bit, only its owner can take it away or rename it.
    check_folder(BPFFS, |mode| mode & OTHERS_MAY_WRITE == 0 || mode & STICKY != 0)?;
    check_folder(PINS, |mode| mode & OTHERS_MAY_WRITE == 0)
}

fn check_folder(path: &str, is_safe: impl Fn(u32) -> bool) -> Result<(), Error> {
    let refuse = |why: String| Error::Pins(path.into(), why);
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = match openat(CWD, path, flags, Mode::empty()) {
        Ok(folder) => folder,
        Err(Errno::LOOP | Errno::NOTDIR) => return Err(refuse("it is not a folder".to_owned())),
        Err(why) => return Err(Error::File(path.into(), why.into())),
    };
    let about = fstat(folder).map_err(|why| Error::File(path.into(), why.into()))?;
    if about.st_uid != 0 {
        return Err(refuse(format!("it belongs to user {}", about.st_uid)));
    }
    if !is_safe(about.st_mode) {
        return Err(refuse(format!("others may write to it (mode {:o})", about.st_mode & 0o7777)));
    }
    Ok(())
}

/// The file of a pin: that file system has no `.` in names, and names of algorithms no `-`.
pub(crate) fn pin_of(name: &str) -> PathBuf {
    Path::new(PINS).join(name.replace('.', "-"))
}

pub(crate) fn is_bpffs() -> Result<bool, Error> {
    let fails = |why: Errno| Error::File(BPFFS.into(), why.into());
    Ok(statfs(BPFFS).map_err(fails)?.f_type == BPFFS_MAGIC)
}

/// Removes those of our pins whose registration is gone, and returns their paths.
pub(crate) fn stale_pins() -> Vec<PathBuf> {
    if check_pins().is_err() {
        return Vec::new();
    }
    let pins = std::fs::read_dir(PINS).into_iter().flatten().flatten().map(|entry| entry.path());
    // One that cannot be opened may be in use.
    pins.filter(|pin| Link::open(pin).is_ok_and(|link| !is_registered(link.as_fd())))
        .filter(|pin| std::fs::remove_file(pin).is_ok())
        .collect()
}

/// Mounts the file system for BPF objects where it is not, for root alone; whether it had to.
fn mount_bpffs() -> Result<bool, Error> {
    let fails = |why: Errno| Error::File(BPFFS.into(), why.into());
    if is_bpffs()? {
        return Ok(false);
    }
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("bpf", BPFFS, "bpf", flags, Some(c"mode=0700")).map_err(fails)?;
    Ok(true)
}

/// Pins `link` under `name`, so that it outlives this process. Returns where, and whether the file system had to be mounted.
pub(crate) fn pin(link: &mut Link, name: &str) -> Result<(PathBuf, bool), Error> {
    let (path, mounted) = place(name)?;
    link.pin(&path).map_err(refused("pin the algorithm"))?;
    Ok((path, mounted))
}
