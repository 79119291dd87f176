// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names and settings of what is registered.

use cwnd_bpf::{Load as _, Module};

use crate::{kernel_is_ours, module, registered};

#[test]
fn every_parameter_set_loads_with_its_own_values() {
    if !kernel_is_ours() {
        return;
    }
    for set in cwnd::registry::ALGORITHMS.iter().flat_map(|algorithm| algorithm.sets()) {
        let module = module(set.name);
        let loaded = module.load("cwnd_params").unwrap_or_else(|why| panic!("{}: {why}", set.name));
        let values = loaded.params().expect("parameters");
        let controller = module.controller();
        let expected: Vec<_> = (0..values.len()).map(|index| controller.param(index)).collect();
        assert_eq!(values, expected, "{}", set.name);
    }
    assert!(!registered().contains(&"cwnd_params".to_owned()));
}

#[test]
fn every_parameter_set_loads_under_its_own_name() {
    if !kernel_is_ours() {
        return;
    }
    let sets = cwnd::registry::ALGORITHMS.iter().flat_map(|algorithm| algorithm.sets());
    let mut held = Vec::new();
    for set in sets {
        let (module, name) = (module(set.name), module(set.name).kernel_name());
        let loaded = module.load_or_share(&name).unwrap_or_else(|why| panic!("{}: {why}", set.name));
        assert!(registered().contains(&name), "{name}");
        held.push(loaded);
    }
    let mut names: Vec<_> = held.iter().map(cwnd_bpf::LoadedModule::name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), held.len(), "each has a name of its own");
}

#[test]
fn a_name_that_the_kernel_has_already_is_refused() {
    if !kernel_is_ours() {
        return;
    }
    let first = module("reno").load("cwnd_twice").expect("loaded");
    let error = module("cubic").load("cwnd_twice").expect_err("the name is taken").to_string();
    assert!(error.contains("registered already"), "{error}");
    drop(first);
    assert!(!registered().contains(&"cwnd_twice".to_owned()));
}

#[test]
fn an_unknown_set_is_refused_with_the_names_that_there_are() {
    let error = Module::find("cubik").expect_err("no such set").to_string();
    assert!(error.contains("\"cubik\"") && error.contains("cubic-2.2") && error.contains("reno"), "{error}");
}

#[test]
fn a_name_that_the_kernel_cannot_take_is_refused() {
    for name in ["", "sixteen_letters_", "two words", "zero\0", "cwnd-reno"] {
        let error = module("reno").load(name).expect_err("no name").to_string();
        assert!(error.contains("1 to 15"), "{name:?}: {error}");
    }
}
