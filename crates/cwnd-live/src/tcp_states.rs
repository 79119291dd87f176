// SPDX-License-Identifier: MIT OR Apache-2.0
//! Connections that their programs have closed, in what state they are. // RFC 9293 §3.3.2

use crate::error::{Error, while_doing};

/// How many closed connections of a network namespace still have something to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpStates {
    /// Those whose data or end the other end has not acknowledged: FIN-WAIT-1, LAST-ACK, CLOSING.
    pub unacknowledged: usize,
    /// Those that the other end has not closed: FIN-WAIT-2.
    pub half_closed: usize,
}

impl TcpStates {
    /// Those of this thread's namespace.
    pub fn read() -> Result<Self, Error> {
        let mut all = Self::default();
        // Connections of IPv4 by sockets of IPv6 are in the second table, which a kernel without IPv6 does not have.
        for table in ["tcp", "tcp6"] {
            let path = format!("/proc/thread-self/net/{table}");
            match std::fs::read_to_string(&path) {
                Ok(text) => all.add(&text),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound && table == "tcp6" => {}
                Err(error) => return Err(while_doing(format!("read {path}"))(error)),
            }
        }
        Ok(all)
    }

    /// Adds the rows of a table: number, both addresses, state (include/net/tcp_states.h), hexadecimal.
    fn add(&mut self, table: &str) {
        for state in table.lines().skip(1).filter_map(|row| row.split_whitespace().nth(3)) {
            match state {
                "04" | "09" | "0B" => self.unacknowledged += 1,
                "05" => self.half_closed += 1,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // One row each of LISTEN, ESTABLISHED, FIN-WAIT-1, FIN-WAIT-2, TIME-WAIT, LAST-ACK, CLOSING.
    #[test]
    fn states_are_counted_by_what_is_left_to_do() {
        let mut all = TcpStates::default();
        let mut table = String::from("  sl  local_address rem_address   st tx_queue rx_queue\n");
        for state in ["0A", "01", "04", "05", "06", "09", "0B"] {
            table += &format!("   0: 02004064:C350 01004064:1B58 {state} 00000000:00000000\n");
        }
        all.add(&table);
        assert_eq!(all, TcpStates { unacknowledged: 3, half_closed: 1 });
    }
}
