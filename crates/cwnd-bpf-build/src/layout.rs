// SPDX-License-Identifier: MIT OR Apache-2.0
//! `layout.h`: what the C glue must agree with, taken from the Rust types.

use std::fmt::Write;
use std::mem::{offset_of, size_of};

use cwnd::{ARGUMENT_WORDS, AckSample, Conn, Hook, PRIVATE_BYTES, RateSample, WireArgument};

use crate::shared_structs::{
    FILE_BYTES, Identity, RawCounters, RawPacket, RawRecord, RawSample, RawState, STATES, Socket,
};

/// Asserts size and every offset of a struct, as a macro that the glue puts after its own declaration.
macro_rules! asserts {
    ($out:expr, $macro:literal, $rust:ident, $c:literal, [$($field:ident),+ $(,)?]) => {{
        // All fields are named: one more in the Rust type fails to compile here.
        let _ = |all: $rust| { let $rust { $($field: _),+ } = all; };
        let mut text = format!("#define {} ", $macro);
        let mut check = |left: String, right: usize| {
            write!(text, "_Static_assert({left} == {right}, \"{left} is not {right}, as in Rust\"); ")
        };
        check(format!("sizeof(struct {})", $c), size_of::<$rust>())?;
        $(check(format!("__builtin_offsetof(struct {}, {})", $c, stringify!($field)), offset_of!($rust, $field))?;)+
        writeln!($out, "{text}")?;
    }};
}

/// C's name of a type that crosses the interface between the glue and the core.
trait CType {
    const NAME: &'static str;
}

impl CType for u8 {
    const NAME: &'static str = "__u8";
}

impl CType for u32 {
    const NAME: &'static str = "__u32";
}

impl CType for () {
    const NAME: &'static str = "void";
}

impl CType for &AckSample {
    const NAME: &'static str = "const struct sample *";
}

impl CType for &RateSample {
    const NAME: &'static str = "const struct rate *";
}

macro_rules! declarations {
    ($($variant:ident = $number:literal $(if $has:ident)?:
        $hook:ident($($arg:ident: $([$by:tt])? $type:path),*) $(-> $result:ty)?;)+) => {
        /// Declares what `bpf/export.rs` exports.
        fn declarations() -> String {
            let mut all = String::new();
            $({
                let result = [<() as CType>::NAME $(, <$result as CType>::NAME)?];
                let arguments: &[(&str, &str)] = &[$(
                    (<<$($by)? $type as WireArgument>::Wire as CType>::NAME, stringify!($arg))
                ),*];
                let arguments: String =
                    arguments.iter().map(|(of, name)| format!(", {of} {name}")).collect();
                all += &format!(
                    "{} core_{hook}(void *, struct conn *, const struct params *{arguments}) CORE({hook}); ",
                    result[result.len() - 1],
                    hook = stringify!($hook),
                );
            })+
            all
        }
    };
}

cwnd::for_each_hook!(declarations);

/// A struct of C with these fields of a Rust type of so many bytes, and what asserts its layout.
fn structure(c: &str, fields: &[(&str, &str, usize)], size: usize) -> String {
    let mut text = format!("struct {c} {{");
    let mut asserts = String::new();
    for (name, of, offset) in fields {
        let of = match *of {
            "u64" => "__u64",
            "u32" => "__u32",
            "u8" => "__u8",
            "i32" => "__s32",
            "bool" => "_Bool",
            // Enumerations of a byte.
            "CaState" | "PacingStatus" => "__u8",
            other => panic!("{c}.{name}: {other} has no C type here"),
        };
        text += &format!(" {of} {name};");
        asserts +=
            &format!("_Static_assert(__builtin_offsetof(struct {c}, {name}) == {offset}, \"{c}.{name}\");\n");
    }
    format!("{text} }};\n{asserts}_Static_assert(sizeof(struct {c}) == {size}, \"size of {c}\");")
}

/// The header's text.
pub fn header() -> Result<String, std::fmt::Error> {
    let mut out = String::from("// Written by the build from the Rust types.\n");
    writeln!(out, "#define PRIVATE_BYTES {PRIVATE_BYTES}\n#define STATES {STATES}")?;
    writeln!(out, "#define FILE_BYTES {FILE_BYTES}")?;
    writeln!(out, "#define HOOKS {}", Hook::ALL.len())?;
    writeln!(out, "#define ARGUMENT_WORDS {ARGUMENT_WORDS}")?;
    for hook in Hook::ALL {
        writeln!(out, "#define HOOK_{} {}", hook.name(), hook as usize)?;
        writeln!(out, "#define WORDS_{} {}", hook.name(), hook.words())?;
    }
    writeln!(out, "#define DECLARE_CORE_HOOKS {}", declarations())?;
    writeln!(out, "{}", structure("conn", Conn::FIELDS, size_of::<Conn>()))?;
    writeln!(out, "{}", structure("sample", AckSample::FIELDS, size_of::<AckSample>()))?;
    writeln!(out, "{}", structure("rate", RateSample::FIELDS, size_of::<RateSample>()))?;
    asserts!(
        out,
        "ASSERT_SOCKET_LAYOUT",
        Socket,
        "socket",
        [
            packets_out,
            sacked_out,
            lost_out,
            retrans_out,
            rtt_min_us,
            mdev_us,
            rttvar_us,
            lost,
            total_retrans,
            prior_ssthresh,
            high_seq,
            undo_marker,
            app_limited,
            snd_wnd,
            local_port,
            remote_port,
        ]
    );
    asserts!(
        out,
        "ASSERT_PACKET_LAYOUT",
        RawPacket,
        "packet",
        [
            conn,
            kernel,
            seq,
            socket,
            time_ns,
            sent_ns,
            kind,
            bytes,
            gso_size,
            write_seq,
            pending,
            expires_ticks,
            rto_ticks,
            backoff,
            rack_rtt_us,
            reo_wnd_steps,
            reo_wnd_persist,
            reordering,
            reord_seen,
            tlp_high_seq,
            undo_retrans,
            retrans_stamp,
            frto,
            data_segs_out,
            header,
        ]
    );
    asserts!(out, "ASSERT_OBSERVATION_LAYOUT", RawSample, "observation", [conn, kernel, socket, algorithm]);
    asserts!(
        out,
        "ASSERT_SENDER_STATE_LAYOUT",
        RawState,
        "sender_state",
        [conn, kernel, time_ns, bytes_acked, kind, state, algorithm]
    );
    asserts!(
        out,
        "ASSERT_COUNTED_LAYOUT",
        RawCounters,
        "counted",
        [calls, states, seq, lost, repaired, unguarded]
    );
    asserts!(
        out,
        "ASSERT_IDENTITY_LAYOUT",
        Identity,
        "identity",
        [name, set, hash, link, counters, pid, sharers, params, file]
    );
    asserts!(
        out,
        "ASSERT_RECORD_LAYOUT",
        RawRecord,
        "record",
        [
            before,
            kernel,
            seq,
            socket,
            time_us,
            pacing_rate_after,
            state_before,
            state_after,
            args,
            returned,
            hook,
            ticks_after,
            cwnd_after,
            ssthresh_after,
            cwnd_cnt_after,
            pacing_status_after,
            repaired,
        ]
    );
    Ok(out)
}
