// SPDX-License-Identifier: MIT OR Apache-2.0
//! Calls of a flow's hooks as a document, for those who step through them: a page, the command line, Python.

use crate::{HookCall, Simulation};
use cwnd::replay::Call;
use cwnd::{Conn, Info, unit_and_scale};
use cwnd_scenario::Scenario;
use serde_json::{Value, json};

/// Events after which nothing more is expected of a flow that makes no calls.
const MOST_EVENTS: u64 = 5_000_000;

/// Runs the scenario up to `time`, ns, then until `flow` has made `count` calls, or the end. A list of objects: `t_s`, `hook`, `arguments`,
/// `returned`, and `fields`, each with `name`, `before`, `after`, `unit` and `scale` (by what to divide). Empty where there is no such flow.
#[must_use]
pub fn hook_calls_document(scenario: &Scenario, time: u64, flow: usize, count: usize) -> Value {
    // A step of a window is many events.
    let mut simulation = Simulation::new(scenario).without_time_slices();
    if flow >= simulation.flows().len() {
        return Value::Array(Vec::new());
    }
    simulation.step_to(time);
    let observed = simulation.observe(flow);
    let (mut rows, mut events) = (Vec::new(), 0);
    while rows.len() < count && events < MOST_EVENTS {
        let over = simulation.step(1);
        let now = simulation.now();
        rows.extend(observed.take().iter().map(|call| row(now, call)));
        simulation.discard_samples();
        events += 1;
        if over {
            break;
        }
    }
    rows.truncate(count);
    Value::Array(rows)
}

fn row(now: u64, call: &HookCall) -> Value {
    let words = call.call.words(call.before.mss);
    let arguments: Value = match call.call {
        Call::CongAvoid { acked, .. } => json!({ "acked": acked }),
        Call::CongControl { flags, sample, .. } => json!({
            "flags": flags,
            "delivered": sample.delivered,
            "interval_us": sample.interval_us,
            "rtt_us": sample.rtt_us,
            "losses": sample.losses,
            "acked_sacked": sample.acked_sacked,
            "prior_in_flight": sample.prior_in_flight,
            "is_app_limited": sample.is_app_limited,
        }),
        Call::PktsAcked { sample } => {
            json!({ "pkts_acked": sample.pkts_acked, "rtt_us": sample.rtt_us, "in_flight": sample.in_flight })
        }
        Call::SetState { new } => json!({ "new": cwnd_record::tables::STATES[new as usize] }),
        Call::CwndEvent { .. } => json!({ "event": words[0] }),
        Call::InAckEvent { flags } => json!({ "flags": flags }),
        Call::Init {} | Call::Release {} | Call::Ssthresh {} | Call::UndoCwnd {} => json!({}),
    };
    json!({
        "t_s": now as f64 / 1e9,
        "hook": call.call.hook().name(),
        "arguments": arguments,
        "returned": call.returned,
        "fields": fields(call),
    })
}

/// The numbers of the connection and the inner variables: name, before, after, unit, and by what to divide.
fn fields(call: &HookCall) -> Vec<Value> {
    fn numbers(conn: &Conn) -> [(&'static str, u64); 7] {
        [
            ("cwnd", u64::from(conn.cwnd)),
            ("cwnd_cnt", u64::from(conn.cwnd_cnt)),
            ("ssthresh", u64::from(conn.ssthresh)),
            ("in_flight", u64::from(conn.in_flight)),
            ("packets_out", u64::from(conn.packets_out)),
            ("srtt_us8", u64::from(conn.srtt_us8)),
            ("min_rtt_us", u64::from(conn.min_rtt_us)),
        ]
    }
    let field = |name: &str, before: u64, after: u64| {
        let (unit, scale) = if name == "srtt_us8" { ("µs", 8) } else { unit_and_scale(name) };
        json!({ "name": name, "before": before, "after": after, "unit": unit, "scale": scale })
    };
    let conn = numbers(&call.before).into_iter().zip(numbers(&call.after));
    let inner = |info: &Info| info.named().collect::<Vec<_>>();
    let inner = inner(&call.inner_before).into_iter().zip(inner(&call.inner_after));
    conn.chain(inner).map(|((name, before), (_, after))| field(name, before, after)).collect()
}
