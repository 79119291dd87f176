// SPDX-License-Identifier: MIT OR Apache-2.0
//! The kernel's queues of links, in the guest of lane linux: makes them and reads their counters, both by `tc`.

use crate::device_requests::set_mtu;
use crate::driver::Driver;
use crate::error::{Error, while_doing};
use crate::host::{own_namespace, within};
use cwnd_scenario::{Invalid, Scenario};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Command, Output};

/// The queues of a run.
#[derive(Debug, Default)]
pub struct GuestQueues {
    tc: String,
    /// Where the devices are. The program's first thread moves to a host.
    namespace: Option<OwnedFd>,
    /// Numbers and devices of the links.
    devices: Vec<(u32, String)>,
}

impl GuestQueues {
    /// Makes those of a scenario, with this program.
    ///
    /// # Errors
    /// [`Error::Scenario`] for words that `tc` or the kernel refuses.
    pub fn new(scenario: &Scenario, driver: &Driver, tc: Option<String>) -> Result<Self, Error> {
        let namespace = Some(own_namespace()?);
        let mut queues = Self { tc: tc.unwrap_or_default(), namespace, devices: Vec::new() };
        for (number, link) in (0..).zip(&scenario.links) {
            let Some(queue) = link.kernel_queue() else { continue };
            let device = driver.make_link(number)?;
            // CoDel never drops from a queue of one full packet, and quanta are of one.
            set_mtu(&device, scenario.packet_size)
                .map_err(while_doing("set the size of a link's packets"))?;
            for command in &queue.commands {
                let (object, words) = command.split_once(' ').unwrap_or((command, ""));
                let arguments = [object, "add", "dev", &device].into_iter().chain(words.split_whitespace());
                let done = queues.run(arguments)?;
                if !done.status.success() {
                    let field = format!("{}.queue.qdisc", scenario.path_of_link(number as usize));
                    return Err(Error::Scenario(refused(field, &queue.words(), &done)));
                }
            }
            queues.devices.push((number, device));
        }
        Ok(queues)
    }

    /// What the kernel has counted, in JSON, by the links' numbers.
    ///
    /// # Errors
    /// [`Error::System`].
    pub fn counters(&self) -> Result<Vec<(u32, String)>, Error> {
        let read = || self.devices.iter().map(|(number, device)| self.read(*number, device)).collect();
        self.namespace.as_ref().map_or(Ok(Vec::new()), |namespace| within(namespace.as_fd(), read))
    }

    fn read(&self, number: u32, device: &str) -> Result<(u32, String), Error> {
        let done = self.run(["-s", "-j", "qdisc", "show", "dev", device])?;
        if !done.status.success() {
            let said = String::from_utf8_lossy(&done.stderr).trim().to_owned();
            return Err(while_doing(format!("read the counters of {device}"))(io::Error::other(said)));
        }
        Ok((number, String::from_utf8_lossy(&done.stdout).into_owned()))
    }

    fn run<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Result<Output, Error> {
        let done = Command::new(&self.tc).args(arguments).output();
        done.map_err(|why: io::Error| while_doing(format!("run {}", self.tc))(why))
    }
}

/// What is told of words that are refused: the first line of `tc`, or of the kernel.
fn refused(field: String, words: &str, done: &Output) -> Invalid {
    let said = String::from_utf8_lossy(&done.stderr);
    let lines = said.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("Usage"));
    // The kernel's own words are behind this, and say more than the line after them.
    let says = lines.clone().find_map(|line| line.strip_prefix("Error: ")).or_else(|| lines.clone().next());
    let says = says.unwrap_or("nothing").trim_end_matches('.').to_owned();
    Invalid {
        field,
        value: Some(format!("\"{words}\"")),
        expected: format!("words that tc and the kernel take; they say: {says}"),
    }
}
