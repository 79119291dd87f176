// SPDX-License-Identifier: MIT OR Apache-2.0
//! Plugins: algorithms added to the registry at run time.

use cwnd::params::{ParamKind, Refused, Spec};
use cwnd::registry::{self, Custom, Description, NameTaken, PluginFactory, Recovery, Set, SetDescription};
use cwnd::{CongestionControl, Conn, Controller, ParamError};

/// Keeps `keep` hundredths; its settings are its own.
#[derive(Clone, Debug, PartialEq)]
struct Keeps {
    keep: u32,
}

impl CongestionControl for Keeps {
    type Params = ();

    fn ssthresh(&mut self, conn: &mut Conn, (): &()) -> u32 {
        conn.cwnd * self.keep / 100
    }

    fn cong_avoid(&mut self, _conn: &mut Conn, _ack: u32, _acked: u32, (): &()) {}
}

const KEEP: Spec = Spec::new("keep", ParamKind::Whole, 1, 99)
    .unit("%")
    .help("part of the window kept after a loss")
    .source("this test");

impl Custom for Keeps {
    fn set_param(&mut self, name: &str, text: &str) -> Result<(), ParamError> {
        if name != KEEP.name {
            return Err(ParamError::Unknown(&[KEEP]));
        }
        self.keep = KEEP.parse(text).map_err(|why| ParamError::Refused(&KEEP, why))?;
        Ok(())
    }

    fn param(&self, _index: usize) -> u32 {
        self.keep
    }

    fn is_same(&self, other: &dyn Custom) -> bool {
        (other as &dyn std::any::Any).downcast_ref::<Self>() == Some(self)
    }
}

#[derive(Debug)]
struct Makes(u32);

impl PluginFactory for Makes {
    fn make(&self, set: usize) -> Option<Box<dyn Custom>> {
        (set == 0).then(|| Box::new(Keeps { keep: self.0 }) as Box<dyn Custom>)
    }
}

fn described(name: &'static str, set: &'static str, keep: u32) -> Description {
    let set = Set { name: set, summary: "", source: "this test", recovery: Recovery::NewReno, params: () };
    let maker: &'static Makes = Box::leak(Box::new(Makes(keep)));
    let sets = Box::leak(Box::new([SetDescription::outside(&set, 0, maker)]));
    Description::outside(name, "keeps a part", &[KEEP], sets)
}

#[test]
fn an_added_algorithm_is_found_by_name_with_its_parameters_and_can_be_replaced() {
    assert!(Controller::by_name("keeps").is_none());
    registry::add(described("keeps", "keeps", 40)).expect("a free name");
    let (algorithm, set) = registry::find("keeps").expect("it was added");
    assert_eq!((algorithm.specs.len(), set.recovery), (1, Recovery::NewReno));
    assert!(registry::all().any(|algorithm| algorithm.name == "keeps"));

    let mut cc = set.controller().expect("its only set");
    assert_eq!(cc.ssthresh(&mut Conn::new(1448, 100)), 40);
    let twin = cc.clone();
    assert!(twin.is_same(&cc));
    assert_eq!(cc.set_param("keep", "70"), Ok(()));
    assert_eq!((cc.param(0), cc.ssthresh(&mut Conn::new(1448, 100))), (70, 70));
    assert!(!twin.is_same(&cc) && !cc.is_same(&Controller::by_name("reno").expect("registered")));
    assert_eq!(cc.set_param("keep", "100"), Err(ParamError::Refused(&KEEP, Refused::OutOfRange)));
    assert_eq!(cc.set_param("kept", "50"), Err(ParamError::Unknown(&[KEEP])));

    registry::add(described("keeps", "keeps", 50)).expect("the same name, anew");
    assert_eq!(Controller::by_name("keeps").map(|cc| cc.param(0)), Some(50));
    assert_eq!(registry::plugins().iter().filter(|algorithm| algorithm.name == "keeps").count(), 1);
    // The earlier one still runs where it ran.
    assert_eq!(cc.param(0), 70);
}

#[test]
fn no_addition_takes_a_name_that_another_algorithm_has() {
    assert_eq!(registry::add(described("mine", "cubic", 40)), Err(NameTaken("cubic")));
    registry::add(described("first", "shared", 40)).expect("a free name");
    assert_eq!(registry::add(described("second", "shared", 40)), Err(NameTaken("shared")));
    assert!(registry::find("second").is_none());
}
