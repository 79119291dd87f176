// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows of a trace: hook calls, packets and timers of the recorded connections. They go to the host in pieces, each an Arrow stream, so that a
//! long run takes no memory here.

use crate::output::given;
use crate::run::aside;
use cwnd::{Hook, PrivateWords};
use cwnd_arrow::{stream, table};
use cwnd_kernel_records::{
    PACKET_BYTES, PacketRecord, RawPacket, StateLayout, call, conn, packet, packet_row, read, window_after,
};
use cwnd_record::{CwndRow, HookRow, Lane, PacketRow, tables};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};
use std::mem::take;

/// Rows of a piece.
const ROWS_AT_ONCE: usize = 1 << 14;

/// How far a connection is.
#[derive(Clone, Copy)]
enum Stage {
    Begun,
    Initialised,
    Released,
}

/// The records of a run.
#[derive(Default)]
pub struct Records {
    files: Option<[Option<File>; 3]>,
    calls: Vec<HookRow>,
    packets: Vec<PacketRow>,
    windows: Vec<CwndRow>,
    /// By the socket's address: its connection.
    open: HashMap<u64, (u64, Stage)>,
    connections: u64,
    records: u64,
    /// By connection of one of our algorithms: its state after the last call.
    left: HashMap<u64, PrivateWords>,
    is_ours: bool,
    failure: Option<String>,
}

impl Records {
    /// Takes a record of the driver. `state` is the connection's state after the call, if the algorithm is one of ours.
    pub fn add(&mut self, bytes: &[u8], is_ours: bool, state: Option<PrivateWords>) {
        self.is_ours = is_ours;
        if bytes.len() == PACKET_BYTES {
            let raw = packet(bytes, tick_hz(bytes));
            let connection = self.connection(raw.socket, None).unwrap_or_default();
            let raw = RawPacket { seq: self.place(), ..raw };
            self.packets.push(packet_row(&PacketRecord { seq: raw.seq, connection, raw }));
        } else {
            self.add_call(bytes, state);
        }
        if self.calls.len().max(self.packets.len()) >= ROWS_AT_ONCE {
            self.write();
        }
    }

    /// The number of a socket's connection; none for calls after `release`, which are not recorded. After `release`, a packet or `init` begins
    /// another connection in the socket's memory; a second `init` does, too: a connection may end without `release` (DCTCP's becomes one of Reno).
    fn connection(&mut self, socket: u64, hook: Option<Hook>) -> Option<u64> {
        let known = match self.open.get(&socket) {
            Some((_, Stage::Released)) if hook.is_some_and(|hook| hook != Hook::Init) => return None,
            Some((number, stage @ Stage::Begun)) => Some((*number, *stage)),
            Some((number, stage @ Stage::Initialised)) if hook != Some(Hook::Init) => Some((*number, *stage)),
            _ => None,
        };
        let (number, stage) = known.unwrap_or((self.connections, Stage::Begun));
        let stage = match hook {
            Some(Hook::Release) => Stage::Released,
            Some(Hook::Init) => Stage::Initialised,
            _ => stage,
        };
        self.connections = self.connections.max(number + 1);
        self.open.insert(socket, (number, stage));
        Some(number)
    }

    /// The place of the next record.
    const fn place(&mut self) -> u64 {
        self.records += 1;
        self.records - 1
    }

    fn add_call(&mut self, bytes: &[u8], state: Option<PrivateWords>) {
        let (mut connection, is_ours) = (None, self.is_ours);
        let number = |socket, hook| {
            connection = self.connection(socket, Some(hook));
            connection.unwrap_or_default()
        };
        let mut record = match read(bytes, tick_hz(bytes), is_ours, number) {
            Ok(record) => record,
            Err(why) => {
                self.failure.get_or_insert(why);
                return;
            }
        };
        let Some(connection) = connection else { return };
        record.seq = self.place();
        if is_ours {
            // The library has the state; the private area only has the connection's number.
            let before = self.left.get(&connection).copied().unwrap_or_default();
            let after = state.unwrap_or(before);
            (record.state_before, record.state_after) = (before, after);
            self.left.insert(connection, after);
        }
        self.windows.extend(window_after(&record));
        self.calls.push(call(&record));
    }

    fn write(&mut self) {
        let (calls, packets) = (take(&mut self.calls), take(&mut self.packets));
        let windows = take(&mut self.windows);
        let layout = if self.is_ours { StateLayout::Ours } else { StateLayout::Kernels };
        let files = self.files.get_or_insert_with(|| ["HOOKS", "PACKETS", "WINDOWS"].map(given));
        let mut written = Ok(());
        aside(|| {
            let columns = tables::HOOKS.iter().chain(tables::RATE_SAMPLE).chain(layout.columns());
            let pieces = [
                (!calls.is_empty()).then(|| table(Lane::Kernel, columns, &calls)),
                (!packets.is_empty()).then(|| table(Lane::Kernel, &*tables::PACKETS, &packets)),
                (!windows.is_empty()).then(|| table(Lane::Kernel, &*tables::CWND, &windows)),
            ];
            written = files.iter_mut().zip(pieces).try_for_each(|(file, piece)| match (file, piece) {
                (Some(file), Some(piece)) => file.write_all(&stream(piece).map_err(io::Error::other)?),
                _ => Ok(()),
            });
        });
        if let Err(why) = written {
            self.failure.get_or_insert(format!("write the records: {why}"));
        }
    }

    /// Writes the remaining rows.
    ///
    /// # Errors
    /// Why the records are not complete.
    pub fn finish(mut self) -> Result<(), String> {
        if !(self.calls.is_empty() && self.packets.is_empty()) {
            self.write();
        }
        self.failure.map_or(Ok(()), Err)
    }
}

/// HZ: each record begins with a connection, into which the driver writes it.
fn tick_hz(bytes: &[u8]) -> u32 {
    conn(bytes, 0).tick_hz
}
