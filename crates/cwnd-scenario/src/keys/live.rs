// SPDX-License-Identifier: MIT OR Apache-2.0
//! The keys of `[live]`: what both hosts of lane live are set to. The simulator reads none of them; what it models too is a flow's key
//! (`rwnd`, `gso`, `pacing`), and that key alone is the way to set it.

use super::formats::{Flag, Named, PacketSize as Size};
use super::{Form, Keyed, Parsed, RowFormat, Scope, ValueFormat, keys};
use crate::invalid::{Invalid, TableReader};
use serde_json::Value;

/// What a buffer may hold: from the least that Linux gives one to a GB.
const BUFFER_SIZE: Size = Size(4096, 1_000_000_000);

keys! {
    /// What both hosts of lane live are set to.
    pub struct LiveSpec {
        sack: bool = true, Flag, "",
            "whether receivers report segments that arrived beyond a gap. Otherwise, recovery is as in NewReno, without tail loss probes", "RFC 2018; Linux: tcp_sack";
        dsack: bool = true, Flag, "",
            "whether receivers report duplicate segments, so that a sender undoes a spurious reduction and widens its reordering window; no effect without `sack`", "RFC 2883; Linux: tcp_dsack";
        timestamps: bool = true, Flag, "",
            "timestamps in each packet, to measure round trips of retransmissions and detect spurious ones. Otherwise, a full packet has the same size and 12 more bytes of payload", "RFC 7323; Linux: tcp_timestamps";
        adaptive_reordering: bool = true, Flag, "",
            "whether the reordering window of loss detection widens when a receiver reports duplicate segments; otherwise, it stays a quarter of the shortest round trip", "RFC 8985 §6.2; Linux: tcp_recovery = 1, or 3";
        tail_loss_probe: bool = true, Flag, "",
            "whether a segment is sent again when acknowledgements stop, before the timeout; no effect without `sack`", "RFC 8985 §7; Linux: tcp_early_retrans = 3, or 0";
        frto: bool = true, Flag, "",
            "whether a spurious timeout is detected from later acknowledgements and undone", "RFC 5682; Linux: tcp_frto = 2, or 0";
        metrics: Metrics = Metrics::Nothing, Named { all: &Metrics::ALL, name: Metrics::name, aliases: &[], or: " or " }, "",
            "what a connection inherits from earlier ones that have ended: `none`; `linux`: round trip time and reordering, as Linux does; `with-ssthresh`: also the slow start threshold, as Linux did up to 5.5", "Linux: tcp_no_metrics_save, tcp_no_ssthresh_metrics_save";
        receive_buffer: ReceiveBuffer = ReceiveBuffer { begin: 32 << 20, max: 32 << 20 }, ReceiveBuffers, "bytes",
            "receive buffer, initial and max (32 MiB, which Linux does not raise): one size for both, or a table. Up to half of it is the window. A flow with `rwnd` has its own buffer", "Linux: tcp_rmem";
        send_buffer: u32 = 64 << 20, BUFFER_SIZE, "bytes",
            "max send buffer (64 MiB)", "Linux: tcp_wmem";
    }
}

impl Default for LiveSpec {
    fn default() -> Self {
        Self::defaults()
    }
}

/// What a connection takes over from earlier ones between the same hosts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metrics {
    /// Nothing.
    #[default]
    Nothing,
    /// Round trip time and reordering.
    Linux,
    /// Those and the slow start threshold.
    WithSsthresh,
}

impl Metrics {
    /// All values.
    pub const ALL: [Self; 3] = [Self::Nothing, Self::Linux, Self::WithSsthresh];

    /// Name in a scenario.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nothing => "none",
            Self::Linux => "linux",
            Self::WithSsthresh => "with-ssthresh",
        }
    }
}

keys! {
    /// Sizes of a receiver's buffer.
    #[derive(Copy)]
    pub struct ReceiveBuffer {
        begin: u32 = 0, super::formats::Required(BUFFER_SIZE), "bytes", "initial size", "";
        max: u32 = 0, super::formats::Required(BUFFER_SIZE), "bytes", "max size", "";
    }
}

/// A receiver's buffer: one size, or a table of two.
struct ReceiveBuffers;

impl RowFormat for ReceiveBuffers {
    type Value = ReceiveBuffer;

    fn parse(
        &self,
        table: &mut TableReader<'_>,
        key: &'static str,
        scope: &Scope<'_>,
    ) -> Parsed<ReceiveBuffer> {
        let Some(value) = table.get(key) else { return Ok(None) };
        if !value.is_object() {
            let expected =
                || format!("{}, or a table with begin and max", BUFFER_SIZE.expected(scope)).into();
            let size = table.read_as(key, expected, |value| BUFFER_SIZE.read(value, scope))?;
            return Ok(size.map(|size| ReceiveBuffer { begin: size, max: size }));
        }
        let mut keys = TableReader::new(&table.field(key), value)?;
        let buffer = ReceiveBuffer::defaults().parse_keys(&mut keys, scope)?;
        if buffer.begin > buffer.max {
            return keys.refuse("begin", value.get("begin"), "at most max");
        }
        keys.finish()?;
        Ok(Some(buffer))
    }

    fn print(&self, buffer: &ReceiveBuffer) -> Option<Value> {
        Some(Value::Object(buffer.print_keys()))
    }

    fn form(&self) -> Form {
        Form::Either(vec![ValueFormat::form(&BUFFER_SIZE), Form::Table(ReceiveBuffer::keys())])
    }
}

/// Reads `[live]`.
pub(crate) fn parse(value: &Value) -> Result<LiveSpec, Invalid> {
    let mut table = TableReader::new("live", value)?;
    let live = LiveSpec::defaults().parse_keys(&mut table, &Scope::default())?;
    table.finish()?;
    Ok(live)
}
