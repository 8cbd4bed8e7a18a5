//! A program of tests that is the switch as well: called again with the words of one test, and a config behind them.
//!
//! So tests need no other program to be built. A file of tests has a test that does nothing but call [`switch`].

use crate::process;
use crate::setup::Setup;
use std::io::Write;

/// The words that have a program of tests run the test of this name alone; a config goes behind them.
pub fn words(test: &str) -> [&str; 3] {
    ["--exact", test, "--nocapture"]
}

/// Is the switch, where the last word of the call is a config; does nothing where tests are run as usual.
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
