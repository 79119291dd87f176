// SPDX-License-Identifier: MIT OR Apache-2.0
//! Algorithms of cwnd as congestion controls of the kernel: the driver registers them, and asks for each call of a hook.

use crate::kernel::Kernel;
use cwnd::replay::Call;
use cwnd::{CaState, Conn, Controller, Hook, PacingStatus};
use std::ffi::CString;

/// What an algorithm sees of a socket, as the driver shows it: `struct cwnd_socket`.
#[repr(C)]
pub struct Socket {
    now_us: u64,
    delivered: u64,
    pacing_rate: u64,
    ticks: u32,
    tick_hz: u32,
    lsndtime_ticks: u32,
    mss: u32,
    snd_una: u32,
    snd_nxt: u32,
    packets_out: u32,
    in_flight: u32,
    max_packets_out: u32,
    cwnd: u32,
    cwnd_cnt: u32,
    ssthresh: u32,
    prior_cwnd: u32,
    cwnd_clamp: u32,
    srtt_us8: u32,
    min_rtt_us: u32,
    gso_max_size: u32,
    is_cwnd_limited: u8,
    ca_state: u8,
    pacing_status: u8,
}

impl Socket {
    fn conn(&self) -> Conn {
        Conn {
            now_us: self.now_us,
            delivered: self.delivered,
            pacing_rate: self.pacing_rate,
            ticks: self.ticks,
            tick_hz: self.tick_hz,
            lsndtime_ticks: self.lsndtime_ticks,
            mss: self.mss,
            snd_una: self.snd_una,
            snd_nxt: self.snd_nxt,
            packets_out: self.packets_out,
            in_flight: self.in_flight,
            max_packets_out: self.max_packets_out,
            cwnd: self.cwnd,
            cwnd_cnt: self.cwnd_cnt,
            ssthresh: self.ssthresh,
            prior_cwnd: self.prior_cwnd,
            cwnd_clamp: self.cwnd_clamp,
            srtt_us8: self.srtt_us8,
            min_rtt_us: self.min_rtt_us,
            gso_max_size: self.gso_max_size,
            is_cwnd_limited: self.is_cwnd_limited != 0,
            ca_state: CaState::from_u8(self.ca_state),
            pacing_status: match self.pacing_status {
                1 => PacingStatus::Needed,
                2 => PacingStatus::Fq,
                _ => PacingStatus::None,
            },
        }
    }

    /// Takes over what hooks may write.
    const fn take(&mut self, conn: &Conn) {
        self.cwnd = conn.cwnd;
        self.cwnd_cnt = conn.cwnd_cnt;
        self.ssthresh = conn.ssthresh;
        self.pacing_rate = conn.pacing_rate;
    }
}

/// The algorithms of a run, and the states of their connections.
#[derive(Default)]
pub struct Algorithms {
    /// By number: each with its settings, as a connection begins.
    known: Vec<Controller>,
    connections: Vec<Option<Controller>>,
    free: Vec<u32>,
}

impl Algorithms {
    /// Makes an algorithm with these parameters a congestion control of this name.
    pub fn add(
        &mut self,
        kernel: &Kernel,
        cc: &str,
        params: &[(String, String)],
        name: &str,
    ) -> Result<(), String> {
        let mut controller =
            Controller::by_name(cc).ok_or_else(|| format!("{cc}: there is no such algorithm"))?;
        for (param, value) in params {
            controller.set_param(param, value).map_err(|_| format!("{cc}: {param} cannot be {value}"))?;
        }
        let number = self.known.len() as u32;
        let sets_the_rate = controller.has_cong_control();
        self.known.push(controller);
        let name = CString::new(name).map_err(|why| why.to_string())?;
        match kernel.add(number, &name, sets_the_rate) {
            0 => Ok(()),
            error => Err(format!("{cc}: the kernel refuses it (error {error})")),
        }
    }

    /// A hook is called. `connection` is what this has put there, 0 before; the first call of all takes a new state, and `init`, too.
    pub fn hook(
        &mut self,
        algorithm: u32,
        hook: u32,
        connection: &mut u32,
        socket: &mut Socket,
        words: [u32; 3],
    ) -> u32 {
        let (Some(known), Some(hook)) = (self.known.get(algorithm as usize), Hook::ALL.get(hook as usize))
        else {
            return 0;
        };
        if *connection == 0 {
            *connection = self.free.pop().unwrap_or_else(|| {
                self.connections.push(None);
                self.connections.len() as u32
            });
        }
        let place = *connection as usize - 1;
        if *hook == Hook::Init || self.connections[place].is_none() {
            self.connections[place] = Some(known.clone());
        }
        let Some(state) = &mut self.connections[place] else { return 0 };
        let Some(call) = Call::read(*hook, words, socket.mss) else { return 0 };
        let mut conn = socket.conn();
        let result = call.make(state, &mut conn);
        socket.take(&conn);
        if *hook == Hook::Release {
            self.connections[place] = None;
            self.free.push(*connection);
            *connection = 0;
        }
        result
    }
}
