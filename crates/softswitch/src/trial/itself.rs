//! Test program that also acts as the switch: called again with the words of one test, and a config behind
//! them.
//!
//! Tests thus need no other program to be built. A file of tests has one test that only calls [`switch`].

use crate::process;
use crate::setup::Setup;
use std::io::Write;

/// Returns the words that make a test program run only the test of this name; a config goes behind them.
pub fn words(test: &str) -> [&str; 3] {
    ["--exact", test, "--nocapture"]
}

/// Runs the switch if the last word of the call is a config; does nothing in a normal run of the tests.
pub fn switch() {
    let last = std::env::args().next_back();
    let Some(config) = last.filter(|arg| arg.ends_with(".toml")) else {
        return;
    };
    let text = std::fs::read_to_string(&config).unwrap_or_else(|e| panic!("{config}: {e}"));
    let setup = Setup::read(&config, &text).unwrap_or_else(|all| panic!("{all:?}"));
    if let Err(why) = process::run(&setup, || Err("it is read once".into())) {
        let _ = writeln!(std::io::stderr(), "{why}");
        std::process::exit(1);
    }
}
