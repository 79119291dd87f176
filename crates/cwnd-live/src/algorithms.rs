// SPDX-License-Identifier: MIT OR Apache-2.0
//! The algorithms of a scenario's flows in the running kernel: its own where it has them, else ours, loaded for the run.

use crate::error::Error;
use crate::socket;
#[cfg(feature = "kernel")]
use cwnd::Controller;
#[cfg(feature = "kernel")]
use cwnd_bpf::{Load, LoadedModule, Module, ObjectFile};
#[cfg(feature = "kernel")]
use cwnd_scenario::set_with_rules_of;
use cwnd_scenario::{Flow, FlowAction, Invalid, Scenario, kernels_own, unknown_name};
use cwnd_traffic::Model;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Sets of ours that stand for an algorithm of the kernel: our name, the kernel's.
const KERNELS_OWN: [(&str, &str); 2] = [("cubic-linux", "cubic"), ("reno-linux", "reno")];

/// Kernel objects of plugins, by the parameter sets that they were built for.
pub type PluginObjects = BTreeMap<String, PathBuf>;

/// What lies in the private area of an algorithm's connections.
#[cfg(feature = "kernel")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateLayout {
    /// Our state.
    Ours,
    /// That of the kernel's own module.
    Kernels,
}

/// An algorithm with parameters, and its name in the kernel.
struct Known {
    cc: String,
    params: Vec<(String, String)>,
    name: String,
}

/// The algorithms of a run; what was loaded for it goes with it.
pub struct Algorithms {
    known: Vec<Known>,
    /// Of each flow: its algorithm.
    flows: Vec<usize>,
    /// Of each group of traffic: its algorithm; none where it sends datagrams.
    traffic: Vec<Option<usize>>,
}

/// Brings the kernel those algorithms of a scenario that it does not have.
pub trait Loader {
    /// Loads an algorithm with parameters; returns its name in the kernel.
    ///
    /// # Errors
    /// [`Error::Scenario`] for one that this kernel cannot have.
    fn load(&mut self, cc: &str, params: &[(String, String)]) -> Result<String, Error>;

    /// The name under which connections use the kernel's own algorithm `name`, which the scenario calls `cc`.
    ///
    /// # Errors
    /// [`Error::Scenario`].
    fn kernels_own(&mut self, _cc: &str, name: String) -> Result<String, Error> {
        Ok(name)
    }
}

/// Loads the kernel's objects; what was loaded goes with it.
pub struct ObjectLoader<'a> {
    #[cfg_attr(not(feature = "kernel"), expect(dead_code, reason = "nothing is loaded"))]
    objects: &'a PluginObjects,
    #[cfg(feature = "kernel")]
    loaded: Vec<LoadedModule>,
}

/// What was loaded for a run.
#[derive(Default)]
pub struct LoadedObjects {
    #[cfg(feature = "kernel")]
    _loaded: Vec<LoadedModule>,
}

impl Algorithms {
    /// Finds or loads the algorithms of all flows, and those that they switch to.
    pub fn load(scenario: &Scenario, flows: &[Flow], loader: &mut dyn Loader) -> Result<Self, Error> {
        let mut all = Self { known: Vec::new(), flows: Vec::new(), traffic: Vec::new() };
        let used = flows.iter().map(|flow| all.add(&flow.group.cc, &flow.group.params, loader));
        all.flows = used.collect::<Result<_, _>>()?;
        let of_traffic = scenario.traffic.iter().map(|traffic| match traffic.model {
            Model::Udp(_) => Ok(None),
            _ => all.add(&traffic.sender.cc, &traffic.sender.params, loader).map(Some),
        });
        all.traffic = of_traffic.collect::<Result<_, _>>()?;
        for (_, _, action) in scenario.flow_actions() {
            if let FlowAction::Switch(cc, params) = action {
                all.add(&cc, &params, loader)?;
            }
        }
        Ok(all)
    }

    /// Name in the kernel of each flow's algorithm.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.flows.iter().map(|&known| self.known[known].name.as_str())
    }

    /// Name in the kernel of the algorithm of each group of traffic; none where it sends datagrams.
    pub fn names_of_traffic(&self) -> impl Iterator<Item = Option<&str>> {
        self.traffic.iter().map(|known| known.map(|known| self.known[known].name.as_str()))
    }

    /// Name in the kernel of an algorithm that was loaded.
    ///
    /// # Panics
    /// When it was not.
    pub fn name(&self, cc: &str, params: &[(String, String)]) -> &str {
        let known = self.known.iter().find(|known| known.cc == cc && known.params == params);
        &known.expect("loaded before the run").name
    }

    /// The algorithms by their names in the kernel: each on the host, with its settings, and what lies in its connections' private areas.
    #[cfg(feature = "kernel")]
    pub fn on_host(&self) -> impl Iterator<Item = (&str, Controller, StateLayout)> {
        self.known.iter().filter_map(|known| {
            let mut controller = Controller::by_name(&set_with_rules_of(&known.cc))?;
            // The kernel has taken them, too.
            known.params.iter().try_for_each(|(name, value)| controller.set_param(name, value)).ok()?;
            let is_kernels =
                kernels_own(&known.cc).is_some() || KERNELS_OWN.iter().any(|(_, name)| *name == known.name);
            let layout = if is_kernels { StateLayout::Kernels } else { StateLayout::Ours };
            Some((known.name.as_str(), controller, layout))
        })
    }

    fn add(
        &mut self,
        cc: &str,
        params: &[(String, String)],
        loader: &mut dyn Loader,
    ) -> Result<usize, Error> {
        if let Some(known) = self.known.iter().position(|known| known.cc == cc && known.params == params) {
            return Ok(known);
        }
        let own =
            KERNELS_OWN.iter().find(|(set, name)| *set == cc && params.is_empty() && is_available(name));
        let name = match (kernels_own(cc), own) {
            (Some(name), _) => loader.kernels_own(cc, available(name)?)?,
            (None, Some((_, name))) => loader.kernels_own(cc, (*name).to_owned())?,
            (None, None) => loader.load(cc, params)?,
        };
        self.known.push(Known { cc: cc.to_owned(), params: params.to_vec(), name });
        Ok(self.known.len() - 1)
    }
}

impl<'a> ObjectLoader<'a> {
    /// With the objects of plugins in `objects`.
    pub const fn new(objects: &'a PluginObjects) -> Self {
        Self {
            objects,
            #[cfg(feature = "kernel")]
            loaded: Vec::new(),
        }
    }

    /// What it has loaded.
    pub fn into_loaded(self) -> LoadedObjects {
        LoadedObjects {
            #[cfg(feature = "kernel")]
            _loaded: self.loaded,
        }
    }
}

impl Loader for ObjectLoader<'_> {
    #[cfg(feature = "kernel")]
    fn load(&mut self, cc: &str, params: &[(String, String)]) -> Result<String, Error> {
        let failed = |error: cwnd_bpf::Error| {
            Error::Scenario(Invalid {
                field: "flow.cc".into(),
                value: Some(format!("\"{cc}\"")),
                expected: format!("an algorithm that this kernel accepts: {error}"),
            })
        };
        let loaded = if let Some(file) = self.objects.get(cc) {
            let mut object = ObjectFile::open(file).map_err(failed)?;
            // The crate that is loaded is the one that it was built from.
            object.host().map_err(failed)?;
            if object.set_name() != cc {
                return Err(Error::Scenario(Invalid {
                    field: "flow.cc".into(),
                    value: Some(format!("\"{cc}\"")),
                    expected: format!("the set of {}, which is {}", file.display(), object.set_name()),
                }));
            }
            for (name, value) in params {
                object.set(name, value).map_err(failed)?;
            }
            // One whose name is too long for the kernel gets another.
            let name = object.kernel_name().unwrap_or_else(|_| object.traced_name());
            object.load_or_share(&name).map_err(failed)?
        } else {
            let mut module = Module::find(cc).map_err(failed)?;
            for (name, value) in params {
                module.set(name, value).map_err(failed)?;
            }
            module.load_or_share(&module.kernel_name()).map_err(failed)?
        };
        let name = loaded.name().to_owned();
        self.loaded.push(loaded);
        Ok(name)
    }

    #[cfg(not(feature = "kernel"))]
    fn load(&mut self, cc: &str, _params: &[(String, String)]) -> Result<String, Error> {
        let sets: Vec<_> = KERNELS_OWN.iter().map(|(set, _)| format!("\"{set}\"")).collect();
        let expected = format!(
            "{} without parameters: this installation was built without the kernel part",
            sets.join(" or ")
        );
        Err(Error::Scenario(Invalid { field: "flow.cc".into(), value: Some(format!("\"{cc}\"")), expected }))
    }
}

/// Names of all parameter sets that a scenario's connections use, each once.
#[must_use]
pub fn used(scenario: &Scenario) -> BTreeSet<String> {
    uses(scenario).map(|(cc, _)| cc).collect()
}

/// The parameters with which a scenario's connections use a parameter set, each combination once.
#[must_use]
pub fn parameters(scenario: &Scenario, cc: &str) -> BTreeSet<Vec<(String, String)>> {
    uses(scenario).filter(|(name, _)| name == cc).map(|(_, params)| params).collect()
}

/// Parameter sets, each with the parameters that differ from it: of flows, of traffic, and of actions that switch.
fn uses(scenario: &Scenario) -> impl Iterator<Item = (String, Vec<(String, String)>)> {
    let of_flows = scenario.flows.iter().map(|group| (group.cc.clone(), group.params.clone()));
    let of_traffic = scenario.traffic.iter().filter(|traffic| !matches!(traffic.model, Model::Udp(_)));
    let of_traffic = of_traffic.map(|traffic| (traffic.sender.cc.clone(), traffic.sender.params.clone()));
    let switched = scenario.flow_actions().into_iter().filter_map(|(_, _, action)| match action {
        FlowAction::Switch(cc, params) => Some((cc, params)),
        _ => None,
    });
    of_flows.chain(of_traffic).chain(switched)
}

/// The running kernel's own algorithm of this name.
fn available(name: &str) -> Result<String, Error> {
    let all = all_available();
    let names: Vec<&str> = all.split_whitespace().collect();
    // One that the kernel has as a module comes when a socket asks for it.
    if names.contains(&name)
        || socket::unconnected().and_then(|socket| socket::use_algorithm(&socket, name)).is_ok()
    {
        return Ok(name.to_owned());
    }
    Err(Error::Scenario(Invalid {
        field: "flow.cc".into(),
        value: Some(format!("\"kernel/{name}\"")),
        expected: unknown_name("an algorithm that this kernel has, behind `kernel/`", name, &names),
    }))
}

/// Whether the running kernel has an algorithm of this name.
fn is_available(name: &str) -> bool {
    all_available().split_whitespace().any(|known| known == name)
}

/// What the running kernel has, without the algorithms that it would have to load first.
fn all_available() -> String {
    std::fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control").unwrap_or_default()
}
