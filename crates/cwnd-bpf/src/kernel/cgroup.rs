// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cgroups of our own below the one that the process is in, wherever the hierarchy is mounted.
//!
//! Its maker keeps each locked while it runs, so that what a killed one left behind can be told from what is in use, in
//! whatever namespace of processes its maker was.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{FlockOperation, flock};

/// How the names of our cgroups begin; the number of the process follows.
const PREFIX: &str = "cwnd-use-";
/// File of a cgroup that lists its processes, and takes a process in.
const PROCESSES: &str = "cgroup.procs";
/// Names tried before giving up: another loader may take an empty cgroup for one that was left behind.
const ATTEMPTS: u32 = 16;

/// A cgroup without anything in it yet; dropping removes it, after moving what is left in it to where it came from.
#[derive(Debug)]
pub(crate) struct Cgroup {
    path: PathBuf,
    /// Opened and locked.
    dir: File,
    /// Opened here, so that writing to it later needs no rights.
    processes: File,
}

impl Cgroup {
    /// Makes one below the cgroup of this process.
    ///
    /// # Errors
    /// In words: no hierarchy is mounted, or this process may not make a cgroup there.
    pub(crate) fn new() -> Result<Self, String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let parent = parent()?;
        for _ in 0..ATTEMPTS {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let path = parent.join(format!("{PREFIX}{}-{count}", std::process::id()));
            match std::fs::create_dir(&path) {
                Ok(()) => {}
                Err(why) if why.kind() == std::io::ErrorKind::AlreadyExists => continue,
                Err(why) => return Err(format!("cannot create the cgroup {}: {why}", path.display())),
            }
            if let Some(dir) = locked(&path) {
                let processes = OpenOptions::new().write(true).open(path.join(PROCESSES));
                let processes =
                    processes.map_err(|why| format!("cannot use the cgroup {}: {why}", path.display()))?;
                return Ok(Self { path, dir, processes });
            }
        }
        Err(format!("cgroups created in {} are removed again", parent.display()))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn dir(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }

    /// Takes in who writes `0` to it.
    pub(crate) fn entry(&self) -> std::io::Result<File> {
        self.processes.try_clone()
    }

    /// Moves what still runs in it to its parent; returns how many that were.
    pub(crate) fn empty(&self) -> usize {
        let Some(parent) = self.path.parent() else { return 0 };
        let mut moved = 0;
        // What is moved may start another process before it is.
        for _ in 0..ATTEMPTS {
            let left = std::fs::read_to_string(self.path.join(PROCESSES)).unwrap_or_default();
            if left.is_empty() {
                break;
            }
            for process in left.lines() {
                let entry = OpenOptions::new().write(true).open(parent.join(PROCESSES));
                moved += usize::from(entry.and_then(|mut entry| entry.write_all(process.as_bytes())).is_ok());
            }
        }
        moved
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        self.empty();
        // What cannot be removed now is found as left behind, later.
        let _ = std::fs::remove_dir(&self.path);
    }
}

/// Opens and locks the folder, if it still exists and no other process has locked it.
fn locked(path: &Path) -> Option<File> {
    let dir = File::open(path).ok()?;
    flock(&dir, FlockOperation::NonBlockingLockExclusive).ok()?;
    // Another may have locked, removed and released it since it was opened.
    let now = std::fs::metadata(path).ok()?;
    (now.ino() == dir.metadata().ok()?.ino()).then_some(dir)
}

/// Where the hierarchy is mounted, and which of its folders appears there.
#[derive(Debug, PartialEq, Eq)]
struct Mount {
    root: String,
    place: PathBuf,
}

/// The mounts of the hierarchy in the text of `/proc/self/mountinfo`.
fn mounts(mountinfo: &str) -> Vec<Mount> {
    let mount = |line: &str| {
        let (mount, system) = line.split_once(" - ")?;
        if system.split(' ').next()? != "cgroup2" {
            return None;
        }
        let mut fields = mount.split(' ').skip(3);
        Some(Mount { root: unescaped(fields.next()?), place: unescaped(fields.next()?).into() })
    };
    mountinfo.lines().filter_map(mount).collect()
}

/// Without the octal numbers by which the kernel writes spaces and the like.
fn unescaped(field: &str) -> String {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        let digits = after.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        let octal = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        (rest, _) = match octal {
            Some(octal) if *byte == b'\\' => (&after[3..], bytes.push(octal)),
            _ => (after, bytes.push(*byte)),
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The folder of the cgroup that `/proc/self/cgroup` says, as this mount shows it.
fn folder(mount: &Mount, membership: &str) -> PathBuf {
    let own = membership.lines().find_map(|line| line.strip_prefix("0::")).unwrap_or("/");
    // Out of this mount's sight, the mount's own root has to do.
    let below = Path::new(own).strip_prefix(&mount.root).unwrap_or(Path::new(""));
    let is_plain = below.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    mount.place.join(if is_plain { below } else { Path::new("") })
}

/// Where the hierarchy is mounted.
pub(crate) fn hierarchy() -> Option<PathBuf> {
    let mountinfo = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    mounts(&mountinfo).into_iter().next().map(|mount| mount.place)
}

/// Where new cgroups are made.
fn parent() -> Result<PathBuf, String> {
    let read = |file| std::fs::read_to_string(file).map_err(|why| format!("{file}: {why}"));
    let mount = mounts(&read("/proc/self/mountinfo")?).into_iter().next();
    let mount = mount.ok_or("no cgroup2 file system is mounted")?;
    let own = folder(&mount, &read("/proc/self/cgroup")?);
    // A command inside another's cgroup gets one beside it, or the programs of the outer one would have the last word.
    let is_ours =
        |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
    Ok(match own.parent() {
        Some(outer) if is_ours(&own) => outer.to_owned(),
        _ => own,
    })
}

/// Removes the cgroups of ours whose makers are gone and in which nothing runs any more. Returns those that it removed, and
/// those in which something runs.
pub(crate) fn clean() -> (Vec<PathBuf>, Vec<PathBuf>) {
    let (mut removed, mut running) = (Vec::new(), Vec::new());
    let mut folders: Vec<PathBuf> = hierarchy().into_iter().collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                continue;
            }
            let path = entry.path();
            if entry.file_name().to_string_lossy().starts_with(PREFIX)
                && let Some(_lock) = locked(&path)
            {
                let is_gone = std::fs::remove_dir(&path).is_ok();
                if is_gone { &mut removed } else { &mut running }.push(path);
            } else {
                folders.push(path);
            }
        }
    }
    (removed, running)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HYBRID: &str = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n\
                          38 31 0:35 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n\
                          41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw";

    #[test]
    fn the_hierarchy_is_found_wherever_it_is_mounted() {
        let at = |place: &str| vec![Mount { root: "/".to_owned(), place: place.into() }];
        assert_eq!(mounts(HYBRID), at("/sys/fs/cgroup/unified"));
        let odd = "41 31 0:38 / /mnt/a\\040b\\134c rw - cgroup2 none rw";
        assert_eq!(mounts(odd), at("/mnt/a b\\c"));
        assert_eq!(mounts("31 23 0:28 / /sys/fs/cgroup rw - tmpfs cgroup2 rw"), []);
    }

    #[test]
    fn the_own_cgroup_is_found_below_the_part_that_is_mounted() {
        let mount = |root: &str| Mount { root: root.to_owned(), place: "/cg".into() };
        let own = "9:name=systemd:/x\n0::/user.slice/a.scope\n";
        assert_eq!(folder(&mount("/"), own), Path::new("/cg/user.slice/a.scope"));
        assert_eq!(folder(&mount("/user.slice"), own), Path::new("/cg/a.scope"));
        assert_eq!(folder(&mount("/user.slice/a.scope"), own), Path::new("/cg"));
        // Of another part, or outside of the namespace, only the root is in sight.
        assert_eq!(folder(&mount("/system.slice"), own), Path::new("/cg"));
        assert_eq!(folder(&mount("/"), "0::/../b.scope\n"), Path::new("/cg"));
    }
}
