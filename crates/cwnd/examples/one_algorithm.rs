// SPDX-License-Identifier: MIT OR Apache-2.0
//! One algorithm with settings of its own carries a transfer over a path of 50 ms that loses one packet in 200. No other is linked.
//!
//!     cargo run --release -p cwnd --example one_algorithm

mod path;

use cwnd::Fraction;
use cwnd::ParamError;
use cwnd::algorithms::cubic::Cubic;

fn main() -> Result<(), ParamError> {
    let cubic = Cubic::builder().beta(Fraction::new(8, 10)).slow_start("hystart").build()?;
    println!("{:?}", path::carry(cubic));
    Ok(())
}
