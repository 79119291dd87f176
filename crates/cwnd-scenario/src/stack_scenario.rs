// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a scenario with real stacks cannot have, and where there are none.

use crate::invalid::{Invalid, shown};
use crate::keys::flow::FlowGroup;
use crate::model::{ActionKind, Scenario};
use crate::units::DATAGRAM_HEADERS;
use serde_json::json;

/// The smallest largest datagram, bytes. // RFC 9000 §14
const LEAST_DATAGRAM: u32 = 1200;
/// The largest, bytes: quinn ends with a panic where a padded packet of the handshake has a length of more than 14 bits.
const MOST_DATAGRAM: u32 = 16_383;

impl Scenario {
    /// Refuses packets that are too small or too large for the datagrams of a stack.
    pub(crate) fn check_stacks(&self) -> Result<(), Invalid> {
        self.check_receive_windows()?;
        let quic = self.flows.iter().find_map(|group| group.stack.filter(|stack| stack.is_quic()));
        let Some(stack) = quic else { return Ok(()) };
        if (LEAST_DATAGRAM..=MOST_DATAGRAM).contains(&self.datagram()) {
            return Ok(());
        }
        let (least, most) = (LEAST_DATAGRAM + DATAGRAM_HEADERS, MOST_DATAGRAM + DATAGRAM_HEADERS);
        let expected = format!(
            "{least}B to {most}B for a flow with a stack ({}): its datagrams have at least {LEAST_DATAGRAM} bytes",
            stack.name()
        );
        let value = Some(shown(&json!(format!("{}B", self.packet_size))));
        Err(Invalid { field: "packet_size".into(), value, expected })
    }

    /// Refuses a receive window that a stack cannot announce.
    fn check_receive_windows(&self) -> Result<(), Invalid> {
        for (number, group) in self.flows.iter().enumerate() {
            let (Some(window), Some(stack)) = (group.rwnd, group.stack) else { continue };
            let most = stack.max_receive_window() / u64::from(self.datagram().max(1));
            if u64::from(window) > most {
                let end = stack.max_receive_window() >> 30;
                let expected = format!("at most {most}: {}'s receive window ends at {end} GiB", stack.name());
                let value = Some(shown(&json!(window)));
                return Err(Invalid { field: format!("flow[{number}].rwnd"), value, expected });
            }
        }
        Ok(())
    }

    /// Refuses flows with a stack where there are none, such as `in a page`.
    ///
    /// # Errors
    /// [`Invalid`] with the first of them.
    pub fn without_stacks(&self, place: &str) -> Result<(), Invalid> {
        let mut groups = self.flows.iter().enumerate();
        let Some((number, stack)) = groups.find_map(|(number, group)| Some((number, group.stack?))) else {
            return Ok(());
        };
        let value = Some(shown(&json!(stack.name())));
        let expected = format!("flows of the simulator's TCP: there are no stacks {place}");
        Err(Invalid { field: format!("flow[{number}].stack"), value, expected })
    }

    /// Refuses to switch the algorithm of a flow with a stack, and to go on with one that has a size: how much of it was handed over before
    /// its stop, the stack alone knows.
    pub(crate) fn check_switches(&self) -> Result<(), Invalid> {
        if !self.has_stacks() {
            return Ok(());
        }
        let labels = self.labels();
        let names = crate::flow_labels::names(&self.flows, &labels);
        let groups: Vec<&FlowGroup> =
            self.flows.iter().flat_map(|group| std::iter::repeat_n(group, group.count as usize)).collect();
        for action in &self.actions {
            let (flow, key) = match &action.what {
                ActionKind::Switch(flow, ..) => (flow, "switch"),
                ActionKind::Start(flow) => (flow, "start"),
                _ => continue,
            };
            let named = self.flows_named(flow, &labels, &names);
            let mut of_stacks = named
                .iter()
                .filter_map(|flow| groups.get(*flow as usize))
                .filter(|group| group.stack.is_some());
            let found = of_stacks.find_map(|group| match key {
                "start" => group.size.map(|_| "without `size`: the remainder after a stop is unknown"),
                _ => Some("of the simulator's TCP: a stack chooses its algorithm at the start"),
            });
            if let Some(what) = found {
                let (field, expected) = (format!("action.{key}.flow"), format!("a flow {what}"));
                return Err(Invalid { field, value: Some(shown(&json!(flow))), expected });
            }
        }
        Ok(())
    }
}
