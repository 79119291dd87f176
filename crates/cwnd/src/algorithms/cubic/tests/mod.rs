// SPDX-License-Identifier: MIT OR Apache-2.0
//! CUBIC against RFC 9438, section by section. One segment is acknowledged at a time unless a test says otherwise.

mod growth;
mod pseudocode;
mod reduction;

use super::parameter_sets::*;
use super::*;
use crate::controller::Controller;
use crate::params::{Params, Refused};
use crate::slow_start;

fn standard() -> CubicParams {
    CubicParams { slow_start: slow_start::STANDARD, ..RFC9438 }
}

fn w_max_of(cubic: &Cubic) -> u32 {
    cubic.w_max
}

#[test]
fn the_state_fills_the_kernels_private_area_and_no_more() {
    assert_eq!(size_of::<Cubic>(), crate::PRIVATE_BYTES);
}

// RFC 9438 §5.1 SHOULD: C = 0.4.
// R9438-5.1-b
#[test]
fn c_is_four_tenths_by_default() {
    let cubic = Controller::by_name("cubic").expect("registered");
    assert_eq!(cubic.param(1), 26_214); // 0.4 × 65 536 = 26 214.4
}

// RFC 9438 §4.10 SHOULD: HyStart++ is the default.
// R9438-4.10-b
#[test]
fn hystart_plus_plus_is_the_default() {
    assert_eq!(RFC9438.slow_start, slow_start::HYSTART_PP);
}

// The range of C begins at 0.001; ten times less is refused.
#[test]
fn c_below_a_thousandth_is_refused() {
    let c = CubicParams::SPECS.iter().find(|spec| spec.name == "c").expect("a parameter");
    assert_eq!(c.parse("0.001"), Ok(66)); // 65.5 in 1/65536
    assert_eq!(c.parse("0.0001"), Err(Refused::OutOfRange));
}
