// SPDX-License-Identifier: MIT OR Apache-2.0
//! Algorithms of cwnd as congestion controls of the kernel: the driver registers them, and asks for each call of a hook.

use crate::kernel::Kernel;
use cwnd::replay::Call;
use cwnd::{ARGUMENT_WORDS, Conn, Controller, Hook, PrivateWords};
use cwnd_kernel_records::conn;
use cwnd_plugin::controller_words;
use cwnd_scenario::{kernels_own, set_with_rules_of};
use std::ffi::CString;
use std::mem::offset_of;

/// What an algorithm sees of a connection, as the driver shows it: `struct cwnd_conn`, which is laid out as [`Conn`].
pub type ShownConn = [u8; size_of::<Conn>()];

/// Takes over what hooks may write.
fn take(shown: &mut ShownConn, conn: &Conn) {
    let mut put = |offset: usize, bytes: &[u8]| shown[offset..offset + bytes.len()].copy_from_slice(bytes);
    put(offset_of!(Conn, cwnd), &conn.cwnd.to_ne_bytes());
    put(offset_of!(Conn, cwnd_cnt), &conn.cwnd_cnt.to_ne_bytes());
    put(offset_of!(Conn, ssthresh), &conn.ssthresh.to_ne_bytes());
    put(offset_of!(Conn, pacing_rate), &conn.pacing_rate.to_ne_bytes());
    put(offset_of!(Conn, app_limited), &conn.app_limited.to_ne_bytes());
}

/// An algorithm that the guest asks for.
pub struct Wanted<'a> {
    /// A parameter set, or `kernel/NAME`, an algorithm of the kernel.
    pub cc: &'a str,
    /// Parameters that differ from the set.
    pub params: &'a [(String, String)],
    /// Its name in the kernel.
    pub name: &'a str,
    /// Whether the driver tells what its connections do.
    pub is_recorded: bool,
    /// Whether that goes into the tables of a trace.
    pub is_traced: bool,
}

/// An algorithm of the kernel.
struct Known {
    /// One of ours with its settings as a connection begins; `None` for one of the kernel's.
    ours: Option<Controller>,
    /// Ours with the rules of the kernel's own, if there is one.
    rules: Option<Controller>,
    is_traced: bool,
}

/// The algorithms of a run, and the states of their connections.
#[derive(Default)]
pub struct Algorithms {
    /// By number.
    known: Vec<Known>,
    connections: Vec<Option<Controller>>,
    free: Vec<u32>,
}

impl Algorithms {
    /// Makes an algorithm a congestion control of this name.
    pub fn add(&mut self, kernel: &Kernel, wanted: &Wanted<'_>) -> Result<(), String> {
        let Wanted { cc, params, name, is_recorded, is_traced } = *wanted;
        let number = self.known.len() as u32;
        let text = |text: &str| CString::new(text).map_err(|why| why.to_string());
        let (kernels, controller) = if let Some(kernels) = kernels_own(cc) {
            (Some(text(kernels)?), None)
        } else {
            let controller = Controller::by_name(cc);
            let mut controller = controller.ok_or_else(|| format!("{cc}: there is no such algorithm"))?;
            for (param, value) in params {
                let set = controller.set_param(param, value);
                set.map_err(|_| format!("{cc}: {param} cannot be {value}"))?;
            }
            (None, Some(controller))
        };
        let sets_the_rate = controller.as_ref().is_some_and(Controller::has_cong_control);
        let rules = kernels.as_ref().and_then(|_| Controller::by_name(&set_with_rules_of(cc)));
        self.known.push(Known { ours: controller, rules, is_traced });
        match kernel.add(number, &text(name)?, sets_the_rate, kernels.as_deref(), is_recorded) {
            0 => Ok(()),
            error => Err(format!("{cc}: the kernel refuses it (error {error})")),
        }
    }

    /// The state of a connection in our layout; `None` if it has none, or if the algorithm is the kernel's.
    pub fn state(&self, connection: u32) -> Option<PrivateWords> {
        let place = (connection as usize).checked_sub(1)?;
        controller_words(self.connections.get(place)?.as_ref()?).map(|state| state.words)
    }

    /// The algorithm of a connection in its state; of one of the kernel's, ours in the state of these private words.
    pub fn shown(&self, algorithm: u32, connection: u32, words: &PrivateWords) -> Option<Controller> {
        match &self.known.get(algorithm as usize)?.rules {
            Some(rules) => rules.with_words(words),
            None => self.connections.get((connection as usize).checked_sub(1)?)?.clone(),
        }
    }

    /// Whether an algorithm is one of ours.
    pub fn is_ours(&self, algorithm: u32) -> bool {
        self.known.get(algorithm as usize).is_some_and(|known| known.ours.is_some())
    }

    /// Whether what an algorithm's connections do goes into the tables of a trace.
    pub fn is_traced(&self, algorithm: u32) -> bool {
        self.known.get(algorithm as usize).is_some_and(|known| known.is_traced)
    }

    /// Makes a call of a hook. `connection` is the number that this function stored, 0 before the first call. The first call and `init` begin a new
    /// state.
    pub fn hook(
        &mut self,
        algorithm: u32,
        hook: u32,
        connection: &mut u32,
        shown: &mut ShownConn,
        words: [u32; ARGUMENT_WORDS],
    ) -> u32 {
        let (Some(Known { ours: Some(known), .. }), Some(hook)) =
            (self.known.get(algorithm as usize), Hook::ALL.get(hook as usize))
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
        let mut conn = conn(shown, 0);
        let Some(call) = Call::read(*hook, words, conn.mss) else { return 0 };
        let result = call.make(state, &mut conn);
        take(shown, &conn);
        if *hook == Hook::Release {
            self.connections[place] = None;
            self.free.push(*connection);
            *connection = 0;
        }
        result
    }
}
