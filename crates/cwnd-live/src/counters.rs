// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's counters of a host, as `nstat` names them: those of its namespace, which is as old as the run.

use crate::error::{Error, while_doing};
use crate::host::Host;

/// Counters that are not 0: names and values.
pub type Counters = Vec<(String, u64)>;

/// Files of a namespace with counters, each in pairs of lines: `Tcp: NAME NAME …`, then `Tcp: VALUE VALUE …`.
const FILES: [&str; 2] = ["snmp", "netstat"];
/// What stands between them and counts nothing: settings, and how many connections are open.
const OTHERS: [&str; 7] = [
    "IpForwarding",
    "IpDefaultTTL",
    "TcpRtoAlgorithm",
    "TcpRtoMin",
    "TcpRtoMax",
    "TcpMaxConn",
    "TcpCurrEstab",
];

/// The counters of a host.
///
/// # Errors
/// [`Error::System`].
pub fn counters_of(host: &Host) -> Result<Counters, Error> {
    host.within(|| {
        let mut all = Vec::new();
        for name in FILES {
            let path = format!("/proc/thread-self/net/{name}");
            let text = std::fs::read_to_string(&path).map_err(while_doing(format!("read {path}")))?;
            all.extend(read(&text));
        }
        Ok(all)
    })
}

/// The counters of a file's text.
fn read(text: &str) -> Counters {
    let lines: Vec<_> = text.lines().collect();
    let pairs = lines.chunks_exact(2).filter_map(|pair| {
        let (protocol, names) = pair[0].split_once(':')?;
        let (_, values) = pair[1].split_once(':')?;
        Some((protocol, names.split_whitespace().zip(values.split_whitespace())))
    });
    let all = pairs.flat_map(|(protocol, counters)| {
        counters.filter_map(move |(name, value)| Some((format!("{protocol}{name}"), value.parse().ok()?)))
    });
    all.filter(|(name, value)| *value > 0 && !OTHERS.contains(&name.as_str())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // The first lines of Linux's files, shortened.
    #[test]
    fn names_have_their_protocol_and_what_counts_nothing_is_left_out() {
        let snmp = "Ip: Forwarding DefaultTTL InReceives\nIp: 2 64 1034\n\
            Tcp: RtoAlgorithm RtoMin RtoMax MaxConn ActiveOpens CurrEstab RetransSegs\nTcp: 1 200 120000 -1 1 1 3\n";
        let netstat = "TcpExt: SyncookiesSent TCPSackRecovery\nTcpExt: 0 2\n";
        let named = |expected: &[(&str, u64)]| -> Counters {
            expected.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
        };
        assert_eq!(
            read(snmp),
            named(&[("IpInReceives", 1034), ("TcpActiveOpens", 1), ("TcpRetransSegs", 3)])
        );
        assert_eq!(read(netstat), named(&[("TcpExtTCPSackRecovery", 2)]));
    }
}
