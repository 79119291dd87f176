// SPDX-License-Identifier: MIT OR Apache-2.0
//! One algorithm and one connection, hook by hook: what a test vector needs (`vectors/README.md`).

use crate::plugin_panic;
use crate::scenario::ScenarioError;
use cwnd::{AckSample, CaEvent, CaState, Conn, Controller, PacingStatus};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;

/// An algorithm and its connection. Nothing happens between two calls but what the caller says.
#[pyclass(module = "cwnd._native")]
pub struct Hooks {
    cc: Controller,
    conn: Conn,
}

macro_rules! fields {
    (numbers: $($number:ident),+; flags: $($flag:ident),+) => {
        /// Names of the connection's fields.
        const FIELDS: &[&str] = &[$(stringify!($number),)+ $(stringify!($flag),)+ "ca_state", "pacing_status"];

        fn read(conn: &Conn, name: &str) -> Option<u64> {
            Some(match name {
                $(stringify!($number) => u64::from(conn.$number),)+
                $(stringify!($flag) => u64::from(conn.$flag),)+
                "ca_state" => conn.ca_state as u64,
                "pacing_status" => conn.pacing_status as u64,
                _ => return None,
            })
        }

        /// Whether the field takes `value`.
        fn write(conn: &mut Conn, name: &str, value: u64) -> bool {
            match name {
                $(stringify!($number) => value.try_into().map(|value| conn.$number = value).is_ok(),)+
                $(stringify!($flag) => { conn.$flag = value == 1; value <= 1 })+
                "ca_state" => { conn.ca_state = CaState::from_u8(value as u8); value <= 4 }
                "pacing_status" => {
                    conn.pacing_status = match value {
                        1 => PacingStatus::Needed,
                        2 => PacingStatus::Fq,
                        _ => PacingStatus::None,
                    };
                    value <= 2
                }
                _ => false,
            }
        }
    };
}

fields!(
    numbers: now_us, delivered, pacing_rate, ticks, tick_hz, lsndtime_ticks, mss, snd_una, snd_nxt, packets_out, in_flight,
        max_packets_out, cwnd, cwnd_cnt, ssthresh, prior_cwnd, cwnd_clamp, srtt_us8, min_rtt_us, gso_max_size;
    flags: is_cwnd_limited
);

#[pymethods]
impl Hooks {
    /// The parameter set `cc` on a new connection, not yet initialised.
    #[new]
    fn new(cc: &str) -> PyResult<Self> {
        let cc = Controller::by_name(cc)
            .ok_or_else(|| ScenarioError::new_err(format!("{cc}: no such algorithm")))?;
        Ok(Self { cc, conn: Conn { is_cwnd_limited: true, ..Conn::new(1448, 10) } })
    }

    /// Names of the connection's fields.
    #[staticmethod]
    fn fields() -> Vec<&'static str> {
        FIELDS.to_vec()
    }

    /// Sets a field of the connection. `now_us` sets `ticks` with it.
    fn set(&mut self, name: &str, value: u64) -> PyResult<()> {
        if !FIELDS.contains(&name) {
            return Err(PyKeyError::new_err(name.to_owned()));
        }
        if !write(&mut self.conn, name, value) {
            return Err(PyValueError::new_err(format!("{value} does not fit")));
        }
        if name == "now_us" || name == "tick_hz" {
            let now_us = std::mem::take(&mut self.conn.now_us);
            self.conn.ticks = 0;
            self.conn.set_now(now_us);
        }
        Ok(())
    }

    /// A field of the connection, or one of the algorithm's inner variables.
    fn get(&self, py: Python<'_>, name: &str) -> PyResult<u64> {
        let inner =
            || self.cc.info(&self.conn).fields.into_iter().find(|field| field.0 == name).map(|field| field.1);
        let value = read(&self.conn, name).or_else(inner);
        plugin_panic::check(py)?;
        value.ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    fn init(&mut self, py: Python<'_>) -> PyResult<()> {
        self.cc.init(&mut self.conn);
        plugin_panic::check(py)
    }

    fn ssthresh(&mut self, py: Python<'_>) -> PyResult<u32> {
        let threshold = self.cc.ssthresh(&mut self.conn);
        plugin_panic::check(py).map(|()| threshold)
    }

    fn undo_cwnd(&mut self, py: Python<'_>) -> PyResult<u32> {
        let window = self.cc.undo_cwnd(&mut self.conn);
        plugin_panic::check(py).map(|()| window)
    }

    fn cong_avoid(&mut self, py: Python<'_>, acked: u32) -> PyResult<()> {
        self.avoid(acked);
        plugin_panic::check(py)
    }

    /// `set_state`; the connection is in the new state afterwards.
    fn set_state(&mut self, py: Python<'_>, state: u8) -> PyResult<()> {
        self.enter(CaState::from_u8(state));
        plugin_panic::check(py)
    }

    fn cwnd_event(&mut self, py: Python<'_>, event: u8) -> PyResult<()> {
        let event = CaEvent::from_u8(event).ok_or_else(|| PyValueError::new_err("no such event"))?;
        self.cc.cwnd_event(&mut self.conn, event);
        plugin_panic::check(py)
    }

    fn in_ack_event(&mut self, py: Python<'_>, flags: u32) -> PyResult<()> {
        self.cc.in_ack_event(&mut self.conn, flags);
        plugin_panic::check(py)
    }

    /// `pkts_acked`; `rtt_us` is 0 for no sample.
    fn pkts_acked(&mut self, py: Python<'_>, acked: u32, rtt_us: u32) -> PyResult<()> {
        let in_flight = self.conn.packets_out;
        self.cc.pkts_acked(&mut self.conn, &sample(acked, rtt_us, in_flight));
        plugin_panic::check(py)
    }

    /// An acknowledgement of `acked` full segments as a transport with endless data takes it: their round trip
    /// (`rtt_us`, 0 for no sample) enters the estimates, then `pkts_acked`, `cong_avoid`, and the window is filled again.
    fn ack(&mut self, py: Python<'_>, acked: u32, rtt_us: u32) -> PyResult<()> {
        let conn = &mut self.conn;
        let in_flight = conn.packets_out;
        conn.snd_una = conn.snd_una.wrapping_add(acked.wrapping_mul(conn.mss));
        conn.delivered = conn.delivered.wrapping_add(u64::from(acked));
        conn.packets_out = conn.packets_out.saturating_sub(acked);
        conn.in_flight = conn.packets_out;
        if rtt_us > 0 {
            // RFC 6298 §2: R at first, then 7/8 SRTT + 1/8 R.
            conn.srtt_us8 =
                if conn.srtt_us8 == 0 { rtt_us * 8 } else { conn.srtt_us8 - (conn.srtt_us8 >> 3) + rtt_us };
            conn.min_rtt_us = if conn.min_rtt_us == 0 { rtt_us } else { conn.min_rtt_us.min(rtt_us) };
        }
        let sample = AckSample::new(acked, if rtt_us == 0 { -1 } else { rtt_us.cast_signed() }, in_flight);
        self.cc.pkts_acked(conn, &sample);
        let ack = conn.snd_una;
        self.cc.cong_avoid(conn, ack, acked);
        self.fill();
        plugin_panic::check(py)
    }

    /// Sends what the window takes.
    fn fill(&mut self) {
        let conn = &mut self.conn;
        conn.packets_out = conn.packets_out.max(conn.cwnd);
        conn.in_flight = conn.packets_out;
        conn.max_packets_out = conn.max_packets_out.max(conn.packets_out);
        conn.snd_nxt = conn.snd_una.wrapping_add(conn.packets_out.wrapping_mul(conn.mss));
    }

    /// A loss repaired at once: `ssthresh`, `set_state` to Recovery and back to Open, the window at the new threshold.
    fn loss(&mut self, py: Python<'_>) -> PyResult<u32> {
        let threshold = self.reduce();
        plugin_panic::check(py).map(|()| threshold)
    }

    /// `count` round trips: each acknowledges the window that it began with, one segment at a time.
    fn rounds(&mut self, py: Python<'_>, count: u32) -> PyResult<()> {
        for _ in 0..count {
            for _ in 0..self.conn.cwnd {
                self.avoid(1);
            }
        }
        plugin_panic::check(py)
    }

    /// Deterministic loss: `losses` times `packets` acknowledgements of one segment and a loss. The mean window (packets
    /// over round trips) and the round trips between losses, both over the second half.
    fn sawtooth(&mut self, py: Python<'_>, packets: u64, losses: u32) -> PyResult<(f64, f64)> {
        let (mut acked, mut round_trips) = (0_u64, 0.0);
        for cycle in 0..losses {
            for _ in 0..packets {
                if cycle >= losses / 2 {
                    round_trips += 1.0 / f64::from(self.conn.cwnd);
                    acked += 1;
                }
                self.avoid(1);
            }
            self.reduce();
        }
        plugin_panic::check(py)?;
        Ok((acked as f64 / round_trips, round_trips / f64::from(losses - losses / 2)))
    }
}

impl Hooks {
    fn avoid(&mut self, acked: u32) {
        let ack = self.conn.snd_una;
        self.cc.cong_avoid(&mut self.conn, ack, acked);
    }

    fn enter(&mut self, new: CaState) {
        self.cc.set_state(&mut self.conn, new);
        self.conn.ca_state = new;
    }

    fn reduce(&mut self) -> u32 {
        let threshold = self.cc.ssthresh(&mut self.conn);
        self.conn.prior_cwnd = self.conn.cwnd;
        self.conn.ssthresh = threshold;
        self.enter(CaState::Recovery);
        self.conn.cwnd = threshold;
        self.conn.cwnd_cnt = 0;
        self.conn.packets_out = self.conn.packets_out.min(threshold);
        self.conn.in_flight = self.conn.packets_out;
        self.enter(CaState::Open);
        threshold
    }
}

fn sample(acked: u32, rtt_us: u32, in_flight: u32) -> AckSample {
    let rtt_us = if rtt_us == 0 { -1 } else { rtt_us.cast_signed() };
    AckSample::new(acked, rtt_us, in_flight)
}
