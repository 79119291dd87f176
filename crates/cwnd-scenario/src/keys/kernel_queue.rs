// SPDX-License-Identifier: MIT OR Apache-2.0
//! A link's queue that is a qdisc of the kernel, in the words of tc.

use super::Form;
use super::{Absent, Key, KindKeys};
use crate::invalid::{Invalid, TableReader};
use serde_json::{Value, json};

/// Its kind.
pub(crate) const KERNEL: &str = "kernel";
/// The key of the words.
const QDISC: &str = "qdisc";
const HELP: &str = "a queue discipline of the Linux kernel (lane linux only)";
const EXPECTED: &str = "a qdisc in the words of tc, such as \"fq_codel limit 1000 ecn\", nested ones separated by commas from the root on, or a list of \"qdisc …\", \"class …\" and \"filter …\"";
/// What a command of a list begins with.
const OBJECTS: [&str; 3] = ["qdisc", "class", "filter"];

/// A queue of the kernel: the commands of tc that make it, each without `tc`, `add` and the device (`qdisc root fq_codel`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelQueue {
    /// As a scenario has it.
    written: Value,
    /// The commands.
    pub commands: Vec<String>,
}

impl KernelQueue {
    /// What it is in a line.
    #[must_use]
    pub fn words(&self) -> String {
        match &self.written {
            Value::String(text) => text.clone(),
            _ => self.commands.join("; "),
        }
    }

    fn read(value: &Value) -> Option<Self> {
        let commands = match value {
            Value::String(text) => nested(text)?,
            Value::Array(list) => list.iter().map(|each| command(each.as_str()?)).collect::<Option<_>>()?,
            _ => return None,
        };
        (!commands.is_empty()).then(|| Self { written: value.clone(), commands })
    }
}

/// Words of tc: no control characters, no other options of tc.
fn are_words(text: &str) -> bool {
    !text.trim().is_empty()
        && !text.trim().starts_with('-')
        && text.chars().all(|letter| (' '..='~').contains(&letter))
}

/// Each qdisc, from the root on, is the first child of the one before it.
fn nested(text: &str) -> Option<Vec<String>> {
    let parts = text.split(',').map(str::trim);
    let commands = parts.zip(1..).map(|(words, number)| {
        let place = if number == 1 { "root".to_owned() } else { format!("parent {:x}:1", number - 1) };
        are_words(words).then(|| format!("qdisc {place} handle {number:x}: {words}"))
    });
    commands.collect()
}

fn command(text: &str) -> Option<String> {
    let object = text.split_whitespace().next()?;
    (are_words(text) && OBJECTS.contains(&object)).then(|| text.trim().to_owned())
}

/// Reads the queue of a table whose kind is this one.
pub(crate) fn parse(keys: &mut TableReader<'_>) -> Result<KernelQueue, Invalid> {
    let Some(kernel) = keys.get(QDISC).and_then(KernelQueue::read) else {
        let value = keys.get(QDISC);
        return keys.refuse(QDISC, value, EXPECTED);
    };
    // Delay and losses are the link's own, so that they are drawn as in the other lanes.
    if kernel.commands.iter().any(|command| command.split_whitespace().any(|word| word == "netem")) {
        let value = keys.get(QDISC);
        return keys.refuse(
            QDISC,
            value,
            "a qdisc other than netem: a link has `delay`, `loss`, `jitter` and `reorder`, or `netem`",
        );
    }
    Ok(kernel)
}

/// The keys of a printed one.
pub(crate) fn print(kernel: &KernelQueue) -> Value {
    json!({ "kind": KERNEL, QDISC: kernel.written })
}

/// Its keys.
pub(crate) fn kind() -> KindKeys {
    let words = Form::Text { min: 1, max: u64::MAX };
    let list = Form::List {
        item: Box::new(Form::Syntax { what: "a command of tc", pattern: "(qdisc|class|filter) .+" }),
        min: 1,
    };
    let qdisc = Key {
        name: QDISC,
        form: Form::Either(vec![words, list]),
        absent: Absent::Required,
        unit: "",
        help: "the qdisc, as it follows `tc qdisc add dev … root`: `\"fq_codel limit 1000 ecn\"`. Qdiscs separated by commas are nested, each the first child of the one before it: `\"tbf rate 20mbit burst 15k latency 50ms, fq_codel\"`. A list holds commands of `tc` without `add` and the device: `[\"qdisc root handle 1: htb default 10\", \"class parent 1: classid 1:10 htb rate 20mbit\", \"qdisc parent 1:10 fq_codel\"]`. The limit is the qdisc's own; without one in its words, it is Linux's default. The packet being sent is not in it",
        source: "tc(8)",
    };
    KindKeys { name: KERNEL, help: HELP, keys: vec![qdisc] }
}

#[cfg(test)]
mod tests {
    use crate::Scenario;

    fn commands(qdisc: &str) -> Result<Vec<String>, String> {
        let text = format!(
            "duration = '2s'\n[link]\nrate = '10Mbit/s'\nrtt = '40ms'\nqueue = {{ kind = 'kernel', qdisc = {qdisc} }}\n[[flow]]\ncc = 'cubic'\n"
        );
        let scenario = Scenario::from_toml(&text).map_err(|why| why.to_string())?;
        assert_eq!(Scenario::from_toml(&scenario.to_toml()).as_ref(), Ok(&scenario));
        Ok(scenario.links[0].kernel_queue().expect("it is the kernel's").commands.clone())
    }

    #[test]
    fn each_qdisc_behind_a_comma_is_the_first_child_of_the_one_before_it() {
        let all = |list: &[&str]| Ok(list.iter().map(|each| (*each).to_owned()).collect::<Vec<_>>());
        assert_eq!(commands("'fq_codel limit 1000'"), all(&["qdisc root handle 1: fq_codel limit 1000"]));
        assert_eq!(
            commands("'tbf rate 20mbit burst 15k limit 90k, prio, codel'"),
            all(&[
                "qdisc root handle 1: tbf rate 20mbit burst 15k limit 90k",
                "qdisc parent 1:1 handle 2: prio",
                "qdisc parent 2:1 handle 3: codel",
            ])
        );
        let list = ["qdisc root handle 1: drr", "class parent 1: classid 1:1 drr quantum 1500"];
        assert_eq!(commands(&format!("{list:?}")), all(&list));
    }

    #[test]
    fn what_is_no_qdisc_is_refused_with_what_one_is() {
        for wrong in ["''", "'codel,'", "'-force'", "[]", "['codel']", "['action x']", "7", "'codel\\n'"] {
            let why = commands(&wrong.replace("\\n", "\u{e9}")).expect_err(wrong);
            assert!(why.starts_with("link.queue.qdisc: ") && why.contains("in the words of tc"), "{why}");
        }
        let why = commands("'netem delay 10ms'").expect_err("a link has its own");
        assert!(why.contains("a qdisc other than netem"), "{why}");
    }

    #[test]
    fn keys_of_our_own_queues_are_refused_beside_it() {
        let with = |link: &str| {
            let text = format!(
                "duration = '2s'\n[link]\nrate = '10Mbit/s'\nrtt = '40ms'\n{link}\nqueue = {{ kind = 'kernel', qdisc = 'pie' }}\n[[flow]]\ncc = 'cubic'\n"
            );
            Scenario::from_toml(&text).map(|_| ()).map_err(|why| why.to_string())
        };
        assert_eq!(with(""), Ok(()));
        assert!(with("tick = '1ms'").expect_err("no ticks").contains("the queue is the kernel's"));
        assert!(
            with("count_in_service = true").expect_err("not counted").contains("the queue is the kernel's")
        );
    }
}
