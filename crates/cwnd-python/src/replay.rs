// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replays of recorded hook calls, fed with Arrow record batches.

use crate::plugin_panic;
use crate::scenario::ScenarioError;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::{Array, FixedSizeBinaryArray, Int64Array, StringArray, StructArray};
use cwnd::replay::{After, Call, Row};
use cwnd::{
    ARGUMENT_WORDS, CaState, Conn, Controller, Hook, PRIVATE_BYTES, PacingStatus, PrivateWords, RateSample,
};
use cwnd_plugin::controller_words;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

/// A replay of a trace on one algorithm.
#[pyclass(module = "cwnd._native")]
pub struct Replay {
    inner: cwnd::replay::Replay,
    tick_hz: u32,
    first: Option<String>,
    /// The module's private words after the last row.
    words: Option<PrivateWords>,
    loaded: u64,
    state_differences: Option<u64>,
}

#[pymethods]
impl Replay {
    /// Replays on the parameter set `cc` with these settings of its parameters; the trace's tick counter ran at `tick_hz`.
    #[new]
    #[pyo3(signature = (cc, tick_hz, params=Vec::new()))]
    fn new(cc: &str, tick_hz: u32, params: Vec<(String, String)>) -> PyResult<Self> {
        let mut controller = Controller::by_name(cc)
            .ok_or_else(|| ScenarioError::new_err(format!("{cc}: no such algorithm")))?;
        for (name, value) in &params {
            controller.set_param(name, value).map_err(|why| {
                ScenarioError::new_err(format!("--param: \"{name}={value}\" is not accepted by {cc}: {why}"))
            })?;
        }
        let inner = cwnd::replay::Replay::new(controller, Some(controller_words));
        Ok(Self { inner, tick_hz, first: None, words: None, loaded: 0, state_differences: None })
    }

    /// Replays the rows of a record batch: `hook` as text, `state_after` as 104 bytes where the record has it, every other
    /// column as int64, by the names of the golden traces. Raises `PluginError` where a loaded algorithm panics.
    fn feed(&mut self, py: Python<'_>, batch: &Bound<'_, PyAny>) -> PyResult<()> {
        let table = import(batch)?;
        let hooks = table
            .column_by_name("hook")
            .and_then(|column| column.as_any().downcast_ref::<StringArray>())
            .ok_or_else(|| PyValueError::new_err("column hook: missing; expected text"))?;
        let columns = ReplayColumns::of(&table)?;
        let words = WordColumns::of(&table);
        for index in 0..table.len() {
            let row = columns.row(hooks.value(index), index, self.tick_hz)?;
            let (before, after) = (words.before(index), words.after(index));
            // The record begins within a connection, or calls are missing: the module's state is not what the last row left.
            if row.call.hook() != Hook::Init && before.is_some() && before != self.words {
                self.loaded += u64::from(before.is_some_and(|words| self.inner.load(&words)));
            }
            self.words = after;
            if let Some(difference) = self.inner.step(&row)
                && self.first.is_none()
            {
                let call = self.inner.calls() - 1;
                self.first = Some(format!("row {call}, {}: {difference}", hooks.value(index)));
            }
            if let Some(agrees) = after.and_then(|words| self.inner.agrees(&words)) {
                *self.state_differences.get_or_insert(0) += u64::from(!agrees);
            }
        }
        plugin_panic::check(py)
    }

    /// Calls replayed.
    #[getter]
    fn calls(&self) -> u64 {
        self.inner.calls()
    }

    /// Calls after which anything that the record holds was another.
    #[getter]
    fn differences(&self) -> u64 {
        self.inner.differences()
    }

    /// Rows after which the bytes of the algorithm's state were compared.
    #[getter]
    fn states_compared(&self) -> u64 {
        self.inner.states_compared()
    }

    /// Rows after which pacing rate and status were compared.
    #[getter]
    fn pacing_compared(&self) -> u64 {
        self.inner.pacing_compared()
    }

    /// Rows before which the algorithm's state was taken from the record.
    #[getter]
    fn loaded(&self) -> u64 {
        self.loaded
    }

    /// Rows after which the algorithm's state was not the module's; `None` where the record has no private words or the
    /// algorithm does not know how to read them.
    #[getter]
    fn state_differences(&self) -> Option<u64> {
        self.state_differences
    }

    /// The first difference in words; `None` if there is none.
    #[getter]
    fn first(&self) -> Option<&str> {
        self.first.as_deref()
    }
}

/// The columns of the module's private words, before and after each call. Those that are always zero are absent.
struct WordColumns<'a> {
    columns: [Vec<(usize, &'a Int64Array)>; 2],
}

impl<'a> WordColumns<'a> {
    fn of(table: &'a StructArray) -> Self {
        let columns = ["before", "after"].map(|side| {
            let column = |word: usize| table.column_by_name(&format!("priv{word:02}_{side}"));
            (0..PrivateWords::default().len())
                .filter_map(|word| Some((word, column(word)?.as_any().downcast_ref::<Int64Array>()?)))
                .collect()
        });
        Self { columns }
    }

    fn at(columns: &[(usize, &Int64Array)], row: usize) -> Option<PrivateWords> {
        let mut words = PrivateWords::default();
        for (word, column) in columns {
            words[*word] = column.value(row) as u32;
        }
        (!columns.is_empty()).then_some(words)
    }

    fn before(&self, row: usize) -> Option<PrivateWords> {
        Self::at(&self.columns[0], row)
    }

    fn after(&self, row: usize) -> Option<PrivateWords> {
        Self::at(&self.columns[1], row)
    }
}

/// Takes over a batch by the Arrow PyCapsule interface.
pub fn import(batch: &Bound<'_, PyAny>) -> PyResult<StructArray> {
    let pair = batch.call_method0("__arrow_c_array__")?.cast_into::<PyTuple>()?;
    let schema = pair.get_item(0)?.cast_into::<PyCapsule>()?.pointer_checked(Some(c"arrow_schema"))?;
    let array = pair.get_item(1)?.cast_into::<PyCapsule>()?.pointer_checked(Some(c"arrow_array"))?;
    // SAFETY: the capsules' names say what they hold (the Arrow PyCapsule interface); from_raw moves the contents out and
    // leaves the released form behind, which the capsules' destructors accept.
    let data = unsafe {
        let schema = FFI_ArrowSchema::from_raw(schema.cast().as_ptr());
        let array = FFI_ArrowArray::from_raw(array.cast().as_ptr());
        from_ffi(array, &schema)
    };
    Ok(StructArray::from(data.map_err(|why| PyValueError::new_err(why.to_string()))?))
}

/// Columns of arguments. A rate sample has columns of its own.
const ARGUMENT_COLUMNS: usize = 3;

/// A column that not every record has: 0 where it is missing, or null.
type MaybeColumn<'a> = Option<&'a Int64Array>;

/// What algorithms with `cong_control` read of a connection.
struct RateColumns<'a> {
    delivered_us: MaybeColumn<'a>,
    first_sent_us: MaybeColumn<'a>,
    delivered_ce: MaybeColumn<'a>,
    lost: MaybeColumn<'a>,
    app_limited: MaybeColumn<'a>,
    paced_ahead_us: MaybeColumn<'a>,
    pacing_shift: MaybeColumn<'a>,
    random: MaybeColumn<'a>,
}

macro_rules! columns {
    ($($name:ident),+ $(,)?) => {
        /// The columns of a trace that a replay reads.
        pub struct ReplayColumns<'a> {
            $($name: &'a Int64Array,)+
            args: [MaybeColumn<'a>; ARGUMENT_COLUMNS],
            /// The fields of a rate sample, in their order; null where there is none.
            rate_sample: [MaybeColumn<'a>; RateSample::FIELDS.len()],
            rate: RateColumns<'a>,
            /// Not in every record.
            pacing: Option<[&'a Int64Array; 2]>,
            state_after: Option<&'a FixedSizeBinaryArray>,
        }

        impl<'a> ReplayColumns<'a> {
            pub fn of(table: &'a StructArray) -> PyResult<Self> {
                let column = |name: &str| {
                    table.column_by_name(name).and_then(|c| c.as_any().downcast_ref::<Int64Array>()).ok_or_else(|| {
                        PyValueError::new_err(format!("column {name}: missing; expected a recorded trace's column"))
                    })
                };
                let arguments = || {
                    let mut args = [None; ARGUMENT_COLUMNS];
                    for (place, arg) in args.iter_mut().enumerate() {
                        *arg = Some(column(&format!("arg{place}"))?);
                    }
                    PyResult::Ok(args)
                };
                let pacing = column("pacing_rate_after").ok().zip(column("pacing_status_after").ok());
                let state_after = table
                    .column_by_name("state_after")
                    .and_then(|column| column.as_any().downcast_ref::<FixedSizeBinaryArray>())
                    .filter(|column| column.value_length() == PRIVATE_BYTES as i32);
                Ok(Self {
                    $($name: column(stringify!($name))?,)+
                    args: arguments()?,
                    rate_sample: std::array::from_fn(|place| {
                        let (name, ..) = RateSample::FIELDS[place];
                        column(&format!("rs_{name}")).ok()
                    }),
                    rate: RateColumns {
                        delivered_us: column("delivered_mstamp_us").ok(),
                        first_sent_us: column("first_tx_mstamp_us").ok(),
                        delivered_ce: column("delivered_ce").ok(),
                        lost: column("lost").ok(),
                        app_limited: column("app_limited").ok(),
                        paced_ahead_us: column("paced_ahead_us").ok(),
                        pacing_shift: column("pacing_shift").ok(),
                        random: column("random").ok(),
                    },
                    pacing: pacing.map(|(rate, status)| [rate, status]),
                    state_after,
                })
            }
        }
    };
}

columns!(
    now_us,
    jiffies_before,
    jiffies_after,
    ret,
    snd_una,
    snd_nxt,
    srtt_us8,
    rtt_min_us,
    packets_out,
    retrans_out,
    lost_out,
    sacked_out,
    delivered,
    prior_cwnd,
    mss,
    max_packets_out,
    cwnd_clamp,
    lsndtime,
    gso_max_size,
    ca_state,
    is_cwnd_limited,
    pacing_status,
    pacing_rate,
    cwnd_before,
    ssthresh_before,
    cwnd_cnt_before,
    cwnd_after,
    ssthresh_after,
    cwnd_cnt_after,
);

/// Linux's, where a record does not hold it.
const DEFAULT_PACING_SHIFT: u8 = 10;

/// Who paces, by Linux's number.
const fn pacing_status(number: u32) -> PacingStatus {
    match number {
        1 => PacingStatus::Needed,
        2 => PacingStatus::Fq,
        _ => PacingStatus::None,
    }
}

fn words(bytes: &[u8]) -> PrivateWords {
    let mut words = PrivateWords::default();
    for (word, bytes) in words.iter_mut().zip(bytes.chunks_exact(4)) {
        *word = bytes.first_chunk().map_or(0, |bytes| u32::from_ne_bytes(*bytes));
    }
    words
}

impl ReplayColumns<'_> {
    /// One row. Unsigned values come as their bits.
    pub fn row(&self, hook: &str, i: usize, tick_hz: u32) -> PyResult<Row> {
        let u32_at = |column: &Int64Array| column.value(i) as u32;
        let known = |column: MaybeColumn<'_>| {
            column.filter(|column| column.is_valid(i)).map(|column| column.value(i))
        };
        let maybe = |column: MaybeColumn<'_>| known(column).unwrap_or(0).cast_unsigned();
        let mut arguments = [0; ARGUMENT_WORDS];
        for (word, column) in arguments.iter_mut().zip(self.args) {
            *word = maybe(column) as u32;
        }
        if hook == Hook::CongControl.name() {
            // Null where the sample says nothing; a record leaves out a column that has nothing but zeros.
            let sample = Call::CongControl { ack: 0, flags: 0, sample: RateSample::NONE }.words(0);
            let first = Hook::CongControl.words() - self.rate_sample.len();
            for (place, column) in (first..).zip(self.rate_sample) {
                arguments[place] = known(column).map_or(sample[place], |value| value as u32);
            }
        }
        let call = Hook::by_name(hook).and_then(|hook| Call::read(hook, arguments, u32_at(self.mss)));
        let call = call.ok_or_else(|| {
            let [first, ..] = arguments;
            PyValueError::new_err(format!("row {i}: {hook} {first}: not a hook call that can be replayed"))
        })?;
        let packets_out = u32_at(self.packets_out);
        let gone = u32_at(self.sacked_out).wrapping_add(u32_at(self.lost_out));
        let min_rtt_us = u32_at(self.rtt_min_us);
        let before = Conn {
            now_us: self.now_us.value(i).cast_unsigned(),
            delivered: u64::from(u32_at(self.delivered)),
            pacing_rate: self.pacing_rate.value(i).cast_unsigned(),
            ticks: u32_at(self.jiffies_before),
            tick_hz,
            lsndtime_ticks: u32_at(self.lsndtime),
            mss: u32_at(self.mss),
            snd_una: u32_at(self.snd_una),
            snd_nxt: u32_at(self.snd_nxt),
            packets_out,
            in_flight: packets_out.wrapping_add(u32_at(self.retrans_out)).wrapping_sub(gone),
            max_packets_out: u32_at(self.max_packets_out),
            cwnd: u32_at(self.cwnd_before),
            cwnd_cnt: u32_at(self.cwnd_cnt_before),
            ssthresh: u32_at(self.ssthresh_before),
            prior_cwnd: u32_at(self.prior_cwnd),
            cwnd_clamp: u32_at(self.cwnd_clamp),
            srtt_us8: u32_at(self.srtt_us8),
            min_rtt_us: if min_rtt_us == u32::MAX { 0 } else { min_rtt_us },
            delivered_us: maybe(self.rate.delivered_us) as u32,
            first_sent_us: maybe(self.rate.first_sent_us) as u32,
            delivered_ce: maybe(self.rate.delivered_ce) as u32,
            lost: maybe(self.rate.lost) as u32,
            app_limited: maybe(self.rate.app_limited) as u32,
            paced_ahead_us: maybe(self.rate.paced_ahead_us) as u32,
            random: maybe(self.rate.random) as u32,
            gso_max_size: u32_at(self.gso_max_size),
            is_cwnd_limited: u32_at(self.is_cwnd_limited) != 0,
            ca_state: CaState::from_u8(u32_at(self.ca_state) as u8),
            pacing_status: pacing_status(u32_at(self.pacing_status)),
            pacing_shift: known(self.rate.pacing_shift).map_or(DEFAULT_PACING_SHIFT, |shift| shift as u8),
        };
        let after = After {
            returned: u32_at(self.ret),
            cwnd: u32_at(self.cwnd_after),
            ssthresh: u32_at(self.ssthresh_after),
            cwnd_cnt: u32_at(self.cwnd_cnt_after),
            pacing: self
                .pacing
                .map(|[rate, status]| (rate.value(i).cast_unsigned(), pacing_status(u32_at(status)))),
            state: self.state_after.map(|column| words(column.value(i))),
        };
        Ok(Row { call, before, ticks_after: u32_at(self.jiffies_after), after })
    }
}
