// SPDX-License-Identifier: MIT OR Apache-2.0
//! The congestion control that new connections of this network namespace begin with, changed for a while.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;

const SETTING: &str = "/proc/sys/net/ipv4/tcp_congestion_control";
/// Settings that only the machine's first network namespace shows.
const OF_THE_FIRST: [&str; 2] =
    ["/proc/sys/net/core/netdev_max_backlog", "/proc/sys/net/core/bpf_jit_enable"];

/// Whether this thread's network namespace is the machine's first.
pub(crate) fn is_first() -> bool {
    OF_THE_FIRST.iter().any(|setting| Path::new(setting).exists())
}

/// The setting, changed; dropping puts back what was there.
#[derive(Debug)]
pub(crate) struct NamespaceDefault {
    /// It means the namespace in which it was opened.
    file: File,
    pub(crate) before: String,
}

impl NamespaceDefault {
    /// Changes it, for everything in the namespace.
    ///
    /// # Errors
    /// The reason, in words: the namespace is the machine's first, whose setting is shared, or the kernel refuses.
    pub(crate) fn change(algorithm: &str) -> Result<Self, String> {
        if is_first() {
            return Err("this is the machine's first network namespace, and its default is never changed: \
                        use another namespace (unshare -n, ip netns)"
                .to_owned());
        }
        let failed = |why: std::io::Error| format!("cannot change {SETTING}: {why}");
        let mut file = OpenOptions::new().read(true).write(true).open(SETTING).map_err(failed)?;
        let mut before = String::new();
        file.read_to_string(&mut before).map_err(failed)?;
        // From the start: what is written further on is taken and ignored.
        file.write_all_at(algorithm.as_bytes(), 0).map_err(failed)?;
        Ok(Self { file, before: before.trim_end().to_owned() })
    }
}

impl Drop for NamespaceDefault {
    fn drop(&mut self) {
        let _ = self.file.write_all_at(self.before.as_bytes(), 0);
    }
}
