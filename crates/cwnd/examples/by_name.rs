// SPDX-License-Identifier: MIT OR Apache-2.0
//! An algorithm that is named on the command line, with parameters as text, carries the transfer of `one_algorithm`.
//!
//!     cargo run --release -p cwnd --example by_name -- vegas alpha=3

mod path;

use cwnd::Controller;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().unwrap_or_else(|| "cubic".to_owned());
    let mut algorithm = Controller::for_quic(&name).ok_or("no algorithm has this name")?;
    for setting in arguments {
        let (key, value) = setting.split_once('=').ok_or("a parameter is NAME=VALUE")?;
        algorithm.set_param(key, value)?;
    }
    println!("{:?}", path::carry(algorithm));
    Ok(())
}
