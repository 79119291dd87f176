// SPDX-License-Identifier: MIT OR Apache-2.0
//! Algorithms that are a Linux kernel's own: `cc = "kernel/bbr"` in lanes that have one.

use crate::invalid::{Invalid, shown};
use crate::kernel_names::{PREFIX, kernels_own};
use crate::keys::link::{KernelQueue, LinkSpec};
use crate::model::Scenario;
use crate::{ActionKind, pointer};
use cwnd_link::Discipline;
use serde_json::json;

impl Scenario {
    /// Where the keys of the link with this number are.
    #[must_use]
    pub fn path_of_link(&self, number: usize) -> String {
        match self.dumbbell {
            Some(dumbbell) if dumbbell.reverse == Some(number as u32) => "link.reverse".to_owned(),
            Some(_) => "link".to_owned(),
            None => format!("link[{number}]"),
        }
    }

    /// Refuses queues of links that are the kernel's, but in lane linux.
    ///
    /// # Errors
    /// [`Invalid`] with the first of them.
    pub fn without_kernels_queues(&self, place: &str) -> Result<(), Invalid> {
        let of_kernel = |link: &LinkSpec| link.kernel_queue().map(KernelQueue::words);
        let Some((number, words)) =
            (0..).zip(&self.links).find_map(|(number, link): (usize, _)| Some((number, of_kernel(link)?)))
        else {
            return Ok(());
        };
        let names: Vec<_> = Discipline::ALL.iter().map(|discipline| discipline.name()).collect();
        let first = words.split_whitespace().next().unwrap_or_default();
        let ours = match first {
            "pfifo" | "bfifo" => Some("droptail"),
            "pfifo_head_drop" => Some("drop-head"),
            _ => names.iter().copied().find(|name| *name == first),
        };
        let offer = ours.map_or_else(String::new, |name| format!(" (did you mean kind = \"{name}\"?)"));
        Err(Invalid {
            field: format!("{}.queue", self.path_of_link(number)),
            value: Some(shown(&json!(words))),
            expected: format!("a queue of cwnd {place}{offer}; the kernel's run in lane linux"),
        })
    }

    /// Refuses the kernel's own algorithms and queues where there is no kernel, such as `in lane sim`.
    ///
    /// # Errors
    /// [`Invalid`] with the first of them.
    pub fn without_kernels_own(&self, place: &str) -> Result<(), Invalid> {
        let flows = (0..)
            .zip(&self.flows)
            .map(|(number, group): (usize, _)| (format!("flow[{number}].cc"), &group.cc));
        let traffic = (0..)
            .zip(&self.traffic)
            .map(|(number, traffic): (usize, _)| (format!("traffic[{number}].cc"), &traffic.sender.cc));
        let switched = self.actions.iter().filter_map(|action| match &action.what {
            ActionKind::Switch(_, cc, _) => Some(("action.switch.cc".to_owned(), cc)),
            _ => None,
        });
        self.without_kernels_queues(place)?;
        let found =
            flows.chain(traffic).chain(switched).find_map(|(field, cc)| Some((field, kernels_own(cc)?)));
        let Some((field, name)) = found else { return Ok(()) };
        let ours = format!("{name}-linux");
        let offer = match cwnd::registry::find(&ours) {
            Some(_) => format!(" (did you mean {ours}?)"),
            None => String::new(),
        };
        let expected =
            format!("an algorithm of cwnd {place}{offer}; the kernel's own run in lanes live and linux");
        let value =
            self.written(&pointer(&field)).unwrap_or_else(|| shown(&json!(format!("{PREFIX}{name}"))));
        Err(Invalid { field, value: Some(value), expected })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(flow: &str, rest: &str) -> Option<String> {
        let text = format!(
            "duration = '2s'\n[link]\nrate = '10Mbit/s'\nrtt = '40ms'\n[[flow]]\ncc = '{flow}'\n{rest}"
        );
        let read = Scenario::from_toml(&text);
        read.and_then(|scenario| scenario.without_kernels_own("in lane sim")).err().map(|why| why.to_string())
    }

    #[test]
    fn the_kernels_own_algorithms_are_refused_where_there_is_no_kernel() {
        let says = |cc: &str, offer: &str| {
            Some(format!(
                "\"kernel/{cc}\" is not accepted; expected an algorithm of cwnd in lane sim{offer}; the kernel's own run in lanes live and linux"
            ))
        };
        let at = |field: &str, said: Option<String>| said.map(|said| format!("{field}: {said}"));
        assert_eq!(refusal("cubic", ""), None);
        assert_eq!(refusal("kernel/cdg", ""), at("flow[0].cc", says("cdg", "")));
        assert_eq!(refusal("kernel/htcp", ""), at("flow[0].cc", says("htcp", " (did you mean htcp-linux?)")));
        let traffic = "[[traffic]]\nmodel = 'long'\ncc = 'kernel/cdg'";
        assert_eq!(refusal("cubic", traffic), at("traffic[0].cc", says("cdg", "")));
        let switch = "[[action]]\nswitch = { flow = 'cubic', at = '1s', cc = 'kernel/cdg' }";
        assert_eq!(refusal("cubic", switch), at("action.switch.cc", says("cdg", "")));
    }

    #[test]
    fn queues_of_the_kernel_are_refused_where_there_is_none() {
        let refusal = |qdisc: &str| {
            let text = format!(
                "duration = '2s'\n[link]\nrate = '10Mbit/s'\nrtt = '40ms'\nqueue = {{ kind = 'kernel', qdisc = '{qdisc}' }}\n[[flow]]\ncc = 'cubic'\n"
            );
            let scenario = Scenario::from_toml(&text).unwrap_or_else(|why| panic!("{why}"));
            assert_eq!(Scenario::from_toml(&scenario.to_toml()).as_ref(), Ok(&scenario));
            scenario.without_kernels_own("in lane sim").map_err(|why| why.to_string())
        };
        let says = |qdisc: &str, offer: &str| {
            Err(format!(
                "link.queue: \"{qdisc}\" is not accepted; expected a queue of cwnd in lane sim{offer}; the kernel's run in lane linux"
            ))
        };
        assert_eq!(refusal("pie limit 100"), says("pie limit 100", ""));
        assert_eq!(refusal("codel"), says("codel", " (did you mean kind = \"codel\"?)"));
        assert_eq!(refusal("pfifo limit 9"), says("pfifo limit 9", " (did you mean kind = \"droptail\"?)"));
    }

    #[test]
    fn an_algorithm_of_the_kernel_has_no_parameters_here() {
        assert_eq!(
            refusal("kernel/bbr", "beta = 0.5").as_deref(),
            Some(
                "flow[0].beta: 0.5 is not accepted; expected a key of any flow: kernel/bbr is the kernel's own algorithm, which has no parameters here"
            )
        );
    }
}
