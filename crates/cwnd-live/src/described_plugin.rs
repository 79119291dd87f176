// SPDX-License-Identifier: MIT OR Apache-2.0
//! A plugin where its library cannot be loaded: the guest's program of lane linux, which is linked statically, reads scenarios that name it.
//!
//! Names, parameters and sets are as on the host. The hooks do nothing: the library in the kernel's process calls the plugin's own.

use cwnd::params::{ParamKind, Spec};
use cwnd::registry::{self, Custom, Description, PluginFactory, Recovery, Set, SetDescription};
use cwnd::{CongestionControl, Conn, Info, ParamError};
use serde::{Deserialize, Serialize};

/// What a scenario's reader has to know of a plugin.
#[derive(Debug, Serialize, Deserialize)]
pub struct DescribedPlugin {
    name: String,
    parameters: Vec<Parameter>,
    sets: Vec<ParameterSet>,
    /// Names of its inner variables.
    inner: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Parameter {
    name: String,
    kind: Kind,
    min: u32,
    max: u32,
}

#[derive(Debug, Serialize, Deserialize)]
enum Kind {
    Decimal,
    Whole,
    Flag,
    Choice(Vec<String>),
}

#[derive(Debug, Serialize, Deserialize)]
struct ParameterSet {
    name: String,
    recovery: String,
    values: Vec<u32>,
}

/// Keeps a text for good: what the registry knows stays for the life of the process.
fn keep(text: String) -> &'static str {
    text.leak()
}

impl DescribedPlugin {
    /// Describes a plugin of the registry.
    #[must_use]
    pub fn of(algorithm: &Description) -> Self {
        let kind = |kind| match kind {
            ParamKind::Decimal => Kind::Decimal,
            ParamKind::Whole => Kind::Whole,
            ParamKind::Flag => Kind::Flag,
            ParamKind::Choice(names) => Kind::Choice(names.iter().map(|&name| name.to_owned()).collect()),
        };
        let parameter = |spec: &Spec| Parameter {
            name: spec.name.to_owned(),
            kind: kind(spec.kind),
            min: spec.min,
            max: spec.max,
        };
        let set = |set: SetDescription| ParameterSet {
            name: set.name.to_owned(),
            recovery: set.recovery.name().to_owned(),
            values: set.controller().map_or_else(Vec::new, |controller| {
                (0..algorithm.specs.len()).map(|index| controller.param(index)).collect()
            }),
        };
        Self {
            name: algorithm.name.to_owned(),
            parameters: algorithm.specs.iter().map(parameter).collect(),
            sets: algorithm.sets().map(set).collect(),
            inner: algorithm.inner().map(str::to_owned).collect(),
        }
    }

    /// Adds it to the registry of this process.
    ///
    /// # Errors
    /// A line that says which name is taken.
    pub fn register(self) -> Result<(), String> {
        let spec = |parameter: Parameter| {
            let kind = match parameter.kind {
                Kind::Decimal => ParamKind::Decimal,
                Kind::Whole => ParamKind::Whole,
                Kind::Flag => ParamKind::Flag,
                Kind::Choice(names) => {
                    ParamKind::Choice(names.into_iter().map(keep).collect::<Vec<_>>().leak())
                }
            };
            Spec::new(keep(parameter.name), kind, parameter.min, parameter.max)
        };
        let specs: &[_] = self.parameters.into_iter().map(spec).collect::<Vec<_>>().leak();
        let inner: &[_] = self.inner.into_iter().map(keep).collect::<Vec<_>>().leak();
        let (values, names): (Vec<_>, Vec<_>) =
            self.sets.into_iter().map(|set| (set.values, (set.name, set.recovery))).unzip();
        let factory: &'static Factory = Box::leak(Box::new(Factory { specs, inner, values }));
        let set = |(index, (name, recovery)): (usize, (String, String))| {
            let recovery = Recovery::by_name(&recovery).unwrap_or_default();
            let set = Set { name: keep(name), summary: "", source: "", recovery, params: () };
            SetDescription::outside(&set, index, factory)
        };
        let sets = names.into_iter().enumerate().map(set).collect::<Vec<_>>().leak();
        registry::add(Description::outside(keep(self.name), "", specs, sets))
            .map_err(|taken| format!("the name {} is taken", taken.0))
    }
}

/// Makes instances without hooks.
#[derive(Debug)]
struct Factory {
    specs: &'static [Spec],
    inner: &'static [&'static str],
    /// Of each set: the values of its parameters.
    values: Vec<Vec<u32>>,
}

impl PluginFactory for Factory {
    fn make(&self, set: usize) -> Option<Box<dyn Custom>> {
        let Self { specs, inner, .. } = *self;
        self.values.get(set).map(|values| Box::new(Settings { specs, inner, values: values.clone() }) as _)
    }
}

/// The settings of an instance.
#[derive(Clone, Debug)]
struct Settings {
    specs: &'static [Spec],
    inner: &'static [&'static str],
    values: Vec<u32>,
}

impl CongestionControl for Settings {
    type Params = ();

    fn ssthresh(&mut self, conn: &mut Conn, (): &()) -> u32 {
        conn.cwnd
    }

    fn cong_avoid(&mut self, _conn: &mut Conn, _ack: u32, _acked: u32, (): &()) {}

    fn info(&self, _conn: &Conn, (): &()) -> Info {
        let mut info = Info::default();
        info.fields.iter_mut().zip(self.inner).for_each(|(field, name)| *field = (name, 0));
        info
    }
}

impl Custom for Settings {
    fn set_param(&mut self, name: &str, text: &str) -> Result<(), ParamError> {
        let specs = self.specs;
        let place = specs.iter().position(|spec| spec.name == name).ok_or(ParamError::Unknown(specs))?;
        let spec = &specs[place];
        let value = spec.parse(text).map_err(|why| ParamError::Refused(spec, why))?;
        if let Some(own) = self.values.get_mut(place) {
            *own = value;
        }
        Ok(())
    }

    fn param(&self, index: usize) -> u32 {
        self.values.get(index).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cwnd::Controller;
    use cwnd_scenario::Scenario;

    const GIVEN: &str = r#"{"name": "lull", "parameters": [{"name": "rest_us", "kind": "Whole", "min": 1, "max": 9000},
        {"name": "mode", "kind": {"Choice": ["calm", "eager"]}, "min": 0, "max": 1}],
        "sets": [{"name": "lull", "recovery": "linux", "values": [5000, 0]}, {"name": "lull-fast", "recovery": "sack", "values": [1, 1]}],
        "inner": ["rest_us"]}"#;

    // One test: the registry belongs to the process.
    #[test]
    fn a_scenario_is_read_as_where_the_plugin_is_loaded() {
        let plugin: DescribedPlugin = serde_json::from_str(GIVEN).expect("a plugin");
        plugin.register().expect("a new name");
        let text = |flow: &str| {
            format!(
                "duration = '1s'\n[link]\nrate = '10Mbit/s'\nrtt = '40ms'\n[record]\ninner = true\n[[flow]]\n{flow}"
            )
        };
        let scenario =
            Scenario::from_toml(&text("cc = 'lull'\nrest_us = 2000\nmode = 'eager'")).expect("valid");
        let expected =
            [("rest_us", "2000"), ("mode", "eager")].map(|(name, value)| (name.into(), value.into()));
        assert_eq!(scenario.flows[0].params, expected);
        let why = |flow: &str| Scenario::from_toml(&text(flow)).expect_err("refused").to_string();
        assert!(
            why("cc = 'lull'\nrest_us = 9001").contains("9000"),
            "{}",
            why("cc = 'lull'\nrest_us = 9001")
        );
        assert!(why("cc = 'lul'").contains("did you mean lull"), "{}", why("cc = 'lul'"));
        // What describes it describes its description.
        let (algorithm, set) = registry::find("lull-fast").expect("added");
        assert_eq!((set.recovery, set.controller().expect("there").param(1)), (Recovery::Sack, 1));
        let given: serde_json::Value = serde_json::from_str(GIVEN).expect("JSON");
        assert_eq!(serde_json::to_value(DescribedPlugin::of(algorithm)).expect("JSON"), given);
        assert!(Controller::by_name("lull").is_some());
    }
}
